"""Git, started so that a repository's own configuration starts nothing: no other file does it.

A repository may come from anywhere. Its configuration names hooks, filters, monitors, drivers
and remote helpers, all of them programs, so only verbs that need none are used, and those that
could start one are told not to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

_SAFE = (
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    f"core.hooksPath={os.devnull}",
)
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # A git older than 2.45 does not know GIT_NO_LAZY_FETCH; it may fetch over no protocol.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_VARIABLES = {"": "SKILLSTUDIO_EMPTY", "false": "SKILLSTUDIO_FALSE"}
"""Variables by the value that they hand to git."""
_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_EXTERNAL_DIFF",
)
"""Variables that a hook hands on: they mean the repository of the hook, not the one asked for."""

_TIMEOUT = 60.0
"""Seconds after which a git that does not answer is given up."""
_PROTOCOLS = "https:ssh:file"
"""What a repository may be fetched over: nothing unencrypted, and no helper that is a program."""


class GitError(Exception):
    """Git is missing, refuses, or does not know the revision: a sentence for the user."""


def changed_files(folder: str, ref: str) -> tuple[str, set[str]]:
    """The root of the work tree that holds `folder`, and its files that differ from `ref`.

    Paths are relative to the root, with `/`. New files that git does not ignore are among them,
    and files that are gone. Raises GitError.
    """
    root = work_tree(folder)
    commit = _commit(folder, ref)
    differing = ask_git(
        root,
        *no_filters(root),
        "diff",
        "--name-only",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=all",
        "-z",
        commit,
        "--",
    )
    new = ask_git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return root, {path for path in (differing + new).split("\0") if path}


def work_tree(folder: str) -> str:
    """The real path of the root of the work tree that holds a folder. Raises GitError."""
    return os.path.realpath(ask_git(folder, "rev-parse", "--show-toplevel").rstrip("\r\n"))


def no_filters(root: str) -> list[str]:
    """Options that take every clean filter of the configuration out: they are programs."""
    try:
        found = ask_git(root, "config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.")
    except GitError:
        return []
    options: list[str] = []
    for key in found.split("\0"):
        if key.endswith((".clean", ".process", ".smudge")):
            options += _set(key, "")
        elif key.endswith(".required"):
            options += _set(key, "false")
    return options


def _set(key: str, value: str) -> list[str]:
    if "=" not in key:
        return ["-c", f"{key}={value}"]
    # `-c` would end the key at its first `=`. A git older than 2.31 refuses this.
    return [f"--config-env={key}={_VARIABLES[value]}"]


def ask_git(folder: str, *arguments: str, index: str = "") -> str:
    """What git says; names that are not UTF-8 keep their bytes as surrogates. Raises GitError.

    `index` is a file to read in the place of the repository's own index.
    """
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603  (no shell, a fixed program, read-only verbs)
            _command(folder, arguments),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            env=_environment() | ({"GIT_INDEX_FILE": index} if index else {}),
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git did not answer: {error}") from None
    if done.returncode:
        raise GitError(_reason(done.stderr.decode("utf-8", "replace"), folder))
    return done.stdout.decode("utf-8", "surrogateescape")


def clone_newest(url: str, into: str, ref: str, limit: int) -> None:
    """Fetch the newest commit of a repository, of a branch or tag where `ref` names one.

    It is a bare copy: nothing is checked out, so no filter, hook or submodule is looked at.
    `limit` is how many bytes the copy may have. Raises GitError.
    """
    import subprocess

    branch = ("--branch", ref) if ref else ()
    options = ("--bare", "--depth=1", "--no-tags", "--single-branch", "--no-recurse-submodules")
    # Without a template of git's own there are no hooks in the copy either.
    arguments = ("clone", "--quiet", "--template=", *options, *branch, "--", url, into)
    alone = {"GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}
    try:
        process = subprocess.Popen(  # noqa: S603  (as above; it fetches over the net)
            _command(".", arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=_environment() | alone,
            start_new_session=True,
        )
    except OSError as error:
        raise GitError(f"git did not start: {error}") from None
    said = _watched(process, into, limit)
    if process.returncode:
        raise GitError(f"git: {_first_reason(said.decode('utf-8', 'replace'))}")


def _watched(process: subprocess.Popen[bytes], folder: str, limit: int) -> bytes:
    """What a git that fills a folder says at its end. Raises GitError for too much, too long."""
    import subprocess
    from time import monotonic

    until = monotonic() + _TIMEOUT
    try:
        while True:
            try:
                return process.communicate(timeout=0.1)[1]
            except subprocess.TimeoutExpired:
                if _size_of(folder) > limit:
                    raise GitError(f"the repository has more than {limit >> 20} MiB") from None
                if monotonic() > until:
                    raise GitError(f"git took longer than {_TIMEOUT:g} seconds") from None
    finally:
        if process.poll() is None:
            _end_all(process)


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End a git and those that it has started, where the system knows them as a group."""
    import signal

    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.communicate()


def _size_of(folder: str) -> int:
    """Bytes of all files below a folder that is being written."""
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(above, name)).st_size
    return total


class RunningGit:
    """A git that goes on answering through its pipes until it is closed. Raises GitError."""

    def __init__(self, folder: str, *arguments: str) -> None:
        import subprocess
        import weakref

        try:
            process = subprocess.Popen(  # noqa: S603  (as above)
                _command(folder, arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except OSError as error:
            raise GitError(f"git did not start: {error}") from None
        self._input, self._output = process.stdin, process.stdout
        # A process that nobody closed ends with this object, at the latest with the program.
        self._end = weakref.finalize(self, _end, process)

    def write(self, data: bytes) -> None:
        """Hand git some bytes. Raises OSError where it has ended."""
        stream = _open(self._input)
        stream.write(data)
        stream.flush()

    def line(self) -> bytes:
        """The next line with its end; nothing where git has ended."""
        return _open(self._output).readline()

    def read(self, size: int) -> bytes:
        """That many bytes, fewer where git has ended."""
        return _open(self._output).read(size)

    def rest(self, size: int) -> Iterator[bytes]:
        """All that is still to come, in pieces of at most `size` bytes."""
        while piece := _open(self._output).read(size):
            yield piece

    def close(self) -> int:
        """End git and return its exit status; what it still had to say is lost."""
        return int(self._end() or 0)


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None or stream.closed:
        raise OSError("git has ended")
    return stream


def _end(process: subprocess.Popen[bytes]) -> int:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            # A broken pipe here means that git was gone before.
            with suppress(OSError):
                stream.close()
    return process.wait()


def _command(folder: str, arguments: tuple[str, ...]) -> list[str]:
    import shutil

    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed")
    return [program, "-C", folder, *_SAFE, *arguments]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return {**kept, **_QUIET, **{name: value for value, name in _VARIABLES.items()}}


def _commit(folder: str, ref: str) -> str:
    try:
        return ask_git(
            folder, "rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"
        ).strip()
    except GitError:
        raise unknown_revision(folder, ref) from None


def unknown_revision(folder: str, ref: str) -> GitError:
    """What to say of a revision that names no commit in the repository of a folder."""
    try:
        has_commit = ask_git(folder, "rev-list", "--max-count=1", "--all").strip()
    except GitError as error:
        return error
    if not has_commit:
        return GitError("the repository has no commit yet; git commit makes the first")
    return GitError(f"git knows no revision {ref!r} here")


def _reason(said: str, folder: str) -> str:
    if "dubious ownership" in said:
        return f"{folder} belongs to another user, so git does not read it (safe.directory)"
    if "not a git repository" in said:
        return f"{folder} is not in a git repository"
    if "must be run in a work tree" in said:
        return f"{folder} is a repository without a work tree"
    return f"git: {_first_reason(said)}"


def _first_reason(said: str) -> str:
    """The first line that is no warning: those below it say what git makes of it."""
    lines = [line for line in said.splitlines() if line.strip()]
    real = [line for line in lines if not line.lower().startswith(("warning:", "hint:"))]
    return next(iter(real or lines), "failed without a word")
