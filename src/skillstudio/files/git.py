"""Run git so that a repository's configuration cannot start programs. All calls go through here.

Repositories are untrusted. Their configuration names hooks, filters, monitors, drivers and remote
helpers, so only commands that need none are used, with the others disabled.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from skillstudio.files.paths import below, normalise

if TYPE_CHECKING:
    import subprocess

_SAFE = ("--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false")
_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
_SUBMODULES = "--ignore-submodules=all"
NAMES_ONLY = ("-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", _SUBMODULES)
"""Options of a diff that lists paths and starts no program."""
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # Git before 2.45 ignores GIT_NO_LAZY_FETCH, so forbid all protocols.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_VARIABLES = {"": "SKILLSTUDIO_EMPTY", "false": "SKILLSTUDIO_FALSE"}
"""Variables by the value that they pass to git."""
_OF_HOOKS = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"),
    *("GIT_NAMESPACE", "GIT_EXTERNAL_DIFF"),
)
"""Variables that hooks set; they refer to the hook's repository."""
_NO_VARIABLES: Mapping[str, str] = {}
_TIMEOUT = 60.0  # Seconds to wait for git.
_MOST_OF_MODULES = 1 << 20  # Characters of .gitmodules.
_MOST_OF_LINK = 8192  # Characters of a `.git` file.
_PROTOCOLS = "https:ssh:file"  # Protocols for fetching: none unencrypted, no external helpers.


_SHALLOW = (
    "the clone is shallow; run git fetch --unshallow --tags, or set fetch-depth: 0 for "
    "actions/checkout"
)


class GitError(Exception):
    """Git is missing, fails, or does not know the revision."""


def changed_files(folder: str, ref: str) -> tuple[str, set[str]]:
    """The root of the work tree of `folder`, and the paths below it that differ from `ref`.

    Includes untracked and removed files. Raises GitError.
    """
    root = work_tree(folder)
    commit = resolve_commit(folder, ref)
    diff_output = ask_git(root, *no_filters(root), "diff", *NAMES_ONLY, commit, "--")
    new = ask_git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return root, {path for path in (diff_output + new).split("\0") if path}


def resolve_commit(folder: str, ref: str) -> str:
    """The commit of a revision. Raises GitError."""
    verify = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    try:
        return ask_git(folder, *verify, ref + "^{commit}").strip()
    except GitError:
        raise unknown_revision(folder, ref) from None


def work_tree(folder: str) -> str:
    """The real path of a folder's work tree. Raises GitError."""
    return os.path.realpath(ask_git(folder, "rev-parse", "--show-toplevel").rstrip("\r\n"))


Configuration = Sequence[tuple[str, str]]
"""Names and values in the order in which git reads them."""


def read_configuration(root: str) -> Configuration:
    """The configuration that applies to a repository; empty if git cannot read it."""
    try:
        output = ask_git(root, "config", "-z", "--list")
    except GitError:
        return ()
    pairs = (entry.partition("\n") for entry in output.split("\0") if entry)
    return tuple((name, value) for name, _, value in pairs)


def no_filters(root: str, names: Iterable[str] | None = None) -> list[str]:
    """Options that disable every clean filter of the configuration, of which `names` are known."""
    if names is None:
        names = (name for name, _ in read_configuration(root))
    options: list[str] = []
    for key in dict.fromkeys(name for name in names if name.startswith("filter.")):
        if key.endswith((".clean", ".process", ".smudge")):
            options += _set(key, "")
        elif key.endswith(".required"):
            options += _set(key, "false")
    return options


def _set(key: str, value: str) -> list[str]:
    if "=" not in key:
        return ["-c", f"{key}={value}"]
    # `-c` would end the key at its first `=`. Needs git 2.31.
    return [f"--config-env={key}={_VARIABLES[value]}"]


def enclosing_repository(folder: str) -> str:
    """The nearest folder around a path, or itself, with a `.git`; "" without one. In a work tree or
    a submodule that is a file."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder


def empty_submodules(root: str) -> list[str]:
    """The paths of the submodules of a repository that are not checked out, without git."""
    file = os.path.join(root, ".gitmodules")
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            lines = stream.read(_MOST_OF_MODULES).splitlines()
    except OSError:
        return []
    keys = (line.partition("=") for line in lines)
    paths = [normalise(path.strip().strip('"')) for key, _, path in keys if key.strip() == "path"]
    return [path for path in paths if path and _is_empty(os.path.join(root, *path.split("/")))]


def is_other_work_tree(folder: str, searched: str) -> bool:
    """Whether a folder is another work tree of a repository (`git worktree add`), inside of its
    first one; without git. False if only the folder that contains it is searched.

    The folder has a file `.git`. Only what the repository itself names counts, so that no skill can
    hide from a check.
    """
    folder, searched = os.path.realpath(folder), os.path.realpath(searched)
    # Such as /project/.git/worktrees/NAME.
    place = _read_path(os.path.join(folder, ".git"))
    worktrees = os.path.dirname(place)
    repository = os.path.dirname(worktrees)
    first = os.path.dirname(repository)
    return (
        os.path.basename(worktrees) == "worktrees"
        and os.path.basename(repository) == ".git"
        and below(folder, first) is not None
        and (below(first, searched) is not None or os.path.dirname(folder) != searched)
        # A bare repository has no first work tree.
        and os.path.exists(os.path.join(repository, "index"))
        and os.path.realpath(_read_path(os.path.join(place, "gitdir")))
        == os.path.join(folder, ".git")
    )


def _read_path(file: str) -> str:
    """The path in a file of git, which may be relative to that file; "" if it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            path = stream.read(_MOST_OF_LINK).removeprefix("gitdir:").strip()
    except OSError:
        return ""
    return os.path.normpath(os.path.join(os.path.dirname(file), path))


def _is_empty(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False


def ask_git(folder: str, *arguments: str, env: Mapping[str, str] = _NO_VARIABLES) -> str:
    """The output of git as UTF-8 with surrogates; `env` is added. Raises GitError."""
    import subprocess

    try:
        process = subprocess.run(  # noqa: S603  (no shell, a fixed program, read-only verbs)
            _command(folder, arguments),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            env={**_environment(), **env},
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git did not answer: {error}") from None
    if process.returncode:
        raise GitError(_reason(process.stderr.decode("utf-8", "replace"), folder))
    return process.stdout.decode("utf-8", "surrogateescape")


def clone_newest(url: str, into: str, ref: str, limit: int) -> None:
    """Fetch the newest commit of a repository, or of a branch or tag. Raises GitError.

    The copy is bare, so filters, hooks and submodules are never used. `limit` is in bytes.
    """
    import subprocess

    branch = ("--branch", ref) if ref else ()
    options = ("--bare", "--depth=1", "--no-tags", "--single-branch", "--no-recurse-submodules")
    # Without git's template, the copy has no hooks.
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
        raise GitError(f"cannot start git: {error}") from None
    errors = _watch_git(process, into, limit)
    if process.returncode:
        raise GitError(f"git: {_first_reason(errors.decode('utf-8', 'replace'))}")


def remote_tags(url: str) -> list[str]:
    """The names of the tags of a repository. Raises GitError."""
    import subprocess

    alone = {"GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}
    try:
        result = subprocess.run(  # noqa: S603  (as above; it asks over the net)
            _command(".", ("ls-remote", "--quiet", "--tags", "--refs", "--", url)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_environment() | alone,
            timeout=_TIMEOUT,
            check=False,
        )
    except OSError as error:
        raise GitError(f"cannot start git: {error}") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git took longer than {_TIMEOUT:g} seconds") from None
    if result.returncode:
        raise GitError(f"git: {_first_reason(result.stderr.decode('utf-8', 'replace'))}")
    lines = result.stdout.decode("utf-8", "replace").splitlines()
    return [line.partition("\trefs/tags/")[2] for line in lines]


def is_at_branch(repository: str) -> bool:
    """Whether HEAD of a bare repository is a branch, not a tag. Raises GitError."""
    try:
        with open(os.path.join(repository, "HEAD"), encoding="utf-8") as file:
            return file.read(5) == "ref: "
    except OSError as error:
        raise GitError(f"cannot read the copy: {error.strerror}") from None


def _watch_git(process: subprocess.Popen[bytes], folder: str, limit: int) -> bytes:
    """The output of a git that fills a folder. Raises GitError over the size or time limit."""
    import signal
    import subprocess
    from time import monotonic

    from skillstudio.files.folders import folder_size

    until = monotonic() + _TIMEOUT
    try:
        while True:
            try:
                return process.communicate(timeout=0.1)[1]
            except subprocess.TimeoutExpired:
                if folder_size(folder) > limit:
                    raise GitError(f"the repository has more than {limit >> 20} MiB") from None
                if monotonic() > until:
                    raise GitError(f"git took longer than {_TIMEOUT:g} seconds") from None
    finally:
        if process.poll() is None:
            # Its helpers are in its process group.
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.communicate()


class RunningGit:
    """A git process that answers through pipes until closed. Raises GitError."""

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
            raise GitError(f"cannot start git: {error}") from None
        self._input, self._output = process.stdin, process.stdout
        # An unclosed process ends with this object.
        self._end = weakref.finalize(self, _end, process)

    def write(self, data: bytes) -> None:
        """Send bytes to git. Raises OSError if it has ended."""
        stream = _open(self._input)
        stream.write(data)
        stream.flush()

    def line(self) -> bytes:
        """The next line with its end; empty if git has ended."""
        return _open(self._output).readline()

    def read(self, size: int) -> bytes:
        """That many bytes, or fewer if git has ended."""
        return _open(self._output).read(size)

    def close(self) -> int:
        """End git and return its exit status; unread output is dropped."""
        return int(self._end() or 0)


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None or stream.closed:
        raise OSError("git has ended")
    return stream


def _end(process: subprocess.Popen[bytes]) -> int:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            # A broken pipe means that git ended earlier.
            with suppress(OSError):
                stream.close()
    return process.wait()


def _command(folder: str, arguments: tuple[str, ...]) -> list[str]:
    import shutil

    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed")
    return [program, "-C", folder, *_SAFE, *_NO_HOOKS, *arguments]


def _environment() -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    return {**variables, **_QUIET, **{name: value for value, name in _VARIABLES.items()}}


def unknown_revision(folder: str, ref: str) -> GitError:
    """The error for a revision that does not name a commit."""
    try:
        has_commit = ask_git(folder, "rev-list", "--max-count=1", "--all").strip()
    except GitError as error:
        return error
    if not has_commit:
        return GitError("the repository has no commits; create one with git commit")
    reason, advice = f"unknown git revision {ref!r}", advice_if_shallow(folder)
    return GitError(f"{reason}; {advice}" if advice else reason)


def advice_if_shallow(folder: str) -> str:
    """How to get the earlier commits and tags, which clones of CI systems lack; "" if complete."""
    is_shallow = ask_git(folder, "rev-parse", "--is-shallow-repository").strip() == "true"
    return _SHALLOW if is_shallow else ""


def _reason(message: str, folder: str) -> str:
    if "dubious ownership" in message:
        return f"git refuses a folder of another user (see safe.directory): {folder}"
    if "not a git repository" in message:
        return f"not in a git repository: {folder}"
    if "must be run in a work tree" in message:
        return f"a git repository without a work tree: {folder}"
    return f"git: {_first_reason(message)}"


def _first_reason(message: str) -> str:
    """The first line that is not a warning."""
    lines = [line for line in message.splitlines() if line.strip()]
    real = [line for line in lines if not line.lower().startswith(("warning:", "hint:"))]
    return next(iter(real or lines), "failed without a message")
