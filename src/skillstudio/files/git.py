"""What git knows of a folder, asked so that a repository's own configuration starts nothing."""

from __future__ import annotations

import os

_SAFE = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_TIMEOUT = 60.0
"""Seconds after which a git that does not answer is given up."""


class GitError(Exception):
    """Git is missing, refuses, or does not know the revision: a sentence for the user."""


def changed_files(folder: str, ref: str) -> tuple[str, set[str]]:
    """The root of the work tree that holds `folder`, and its files that differ from `ref`.

    Paths are relative to the root, with `/`. New files that git does not ignore are among them,
    and files that are gone. Raises GitError.
    """
    root = os.path.realpath(_git(folder, "rev-parse", "--show-toplevel").rstrip("\r\n"))
    commit = _commit(folder, ref)
    differing = _git(
        root,
        *_no_filters(root),
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
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return root, {path for path in (differing + new).split("\0") if path}


def _commit(folder: str, ref: str) -> str:
    try:
        return _git(
            folder, "rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"
        ).strip()
    except GitError:
        raise GitError(f"git knows no revision {ref!r} here") from None


def _no_filters(root: str) -> list[str]:
    """Options that take every clean filter of the configuration out: they are programs."""
    try:
        found = _git(root, "config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.")
    except GitError:
        return []
    options: list[str] = []
    for key in found.split("\0"):
        if key.endswith((".clean", ".process", ".smudge")):
            options += ["-c", f"{key}="]
        elif key.endswith(".required"):
            options += ["-c", f"{key}=false"]
    return options


def _git(folder: str, *arguments: str) -> str:
    import shutil
    import subprocess

    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed")
    try:
        done = subprocess.run(  # noqa: S603  (no shell, a fixed program, read-only verbs)
            [program, "-C", folder, *_SAFE, *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            env={**os.environ, **_QUIET},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git did not answer: {error}") from None
    if done.returncode:
        raise GitError(_reason(done.stderr.decode("utf-8", "replace"), folder))
    return done.stdout.decode("utf-8", "surrogateescape")


def _reason(said: str, folder: str) -> str:
    if "dubious ownership" in said:
        return f"{folder} belongs to another user, so git does not read it (safe.directory)"
    if "not a git repository" in said:
        return f"{folder} is not in a git repository"
    lines = said.strip().splitlines()
    return f"git: {lines[0] if lines else 'failed without a word'}"
