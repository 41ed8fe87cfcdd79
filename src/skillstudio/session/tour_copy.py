"""The copy of an example that the tour works on: in the state folder, as a git repository.

Nothing that the user changed is overwritten: a copy that differs from the example stays, and the
next tour uses another folder.
"""

from __future__ import annotations

import os
from contextlib import suppress

from skillstudio.files.git import GitError, ask_git
from skillstudio.files.left_out import why_not_copied
from skillstudio.files.paths import make_relative
from skillstudio.files.placing import NotPlaced
from skillstudio.files.state import make_private
from skillstudio.session.examples import copy_examples
from skillstudio.session.tour import TOUR_EXAMPLE, TOUR_MANIFEST, TourCopy

_FOLDER = "tour"
_MOMENT = "2025-01-01T12:00:00Z"  # Of the day that the example's samples use.
_SETTINGS = ("-c", "user.name=skillstudio", "-c", "user.email=skillstudio@localhost",
             "-c", "commit.gpgSign=false", "-c", "core.autocrlf=false")  # fmt: skip


def copy_for_tour(examples: str, state: str) -> TourCopy:
    """Return a copy that is as the example, in the state folder or else a temporary one.

    Raises NotPlaced.
    """
    source = os.path.join(examples, TOUR_EXAMPLE)
    files = _read_files(source)
    with suppress(OSError):
        make_private(state)
    try:
        folder, earlier_copy = _copy_below(
            source, files, os.path.join(os.path.abspath(state), _FOLDER)
        )
    except NotPlaced:
        import tempfile

        try:
            above = tempfile.mkdtemp(prefix="skillstudio-tour-")
        except OSError as error:
            reason = error.strerror or error
            raise NotPlaced(f"no folder for a copy of {TOUR_EXAMPLE}: {reason}") from None
        folder, earlier_copy = _copy_below(source, files, above)
    with suppress(GitError):  # Without git the views that need it say so.
        _make_repository(folder)
    return TourCopy(folder, files[TOUR_MANIFEST].decode("utf-8"), earlier_copy)


def _copy_below(source: str, files: dict[str, bytes], above: str) -> tuple[str, str]:
    """The first folder that is free or as the example, and the last one that is not.

    Each is in a folder of its own: the name of a skill must be that of its folder.
    """
    number, earlier_copy, folder = 1, "", os.path.join(above, TOUR_EXAMPLE)
    while os.path.lexists(folder):
        if _is_unchanged(folder, files):
            return folder, earlier_copy
        number, earlier_copy = number + 1, folder
        folder = os.path.join(f"{above}-{number}", TOUR_EXAMPLE)
    return copy_examples(source, folder), earlier_copy


def _is_unchanged(folder: str, files: dict[str, bytes]) -> bool:
    """Whether an earlier copy has the files and the history of a new one."""
    try:
        if not os.access(folder, os.W_OK) or _read_files(folder) != files:
            return False
    except NotPlaced:
        return False
    if not os.path.lexists(os.path.join(folder, ".git")):
        return True
    try:
        return ask_git(folder, "rev-list", "--all", "--count").strip() == "1"
    except GitError:
        return True


def _read_files(folder: str) -> dict[str, bytes]:
    """The files of a folder by their path, without those of git. Raises NotPlaced."""
    files: dict[str, bytes] = {}
    try:
        for above, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if not why_not_copied(f"{name}/")]
            for name in names:
                path = os.path.join(above, name)
                if not why_not_copied(name):
                    with open(path, "rb") as file:
                        files[make_relative(path, folder).replace(os.sep, "/")] = file.read()
    except OSError as error:
        raise NotPlaced(f"{folder}: {error.strerror or error}") from None
    if TOUR_MANIFEST not in files:
        raise NotPlaced(f"{folder} has no {TOUR_MANIFEST}")
    return files


def _make_repository(folder: str) -> None:
    """Commit the files, if the folder is no repository yet. Raises GitError."""
    if os.path.lexists(os.path.join(folder, ".git")):
        return
    moment = {"GIT_AUTHOR_DATE": _MOMENT, "GIT_COMMITTER_DATE": _MOMENT}
    ask_git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    ask_git(folder, *_SETTINGS, "add", "--all", "--force")
    ask_git(folder, *_SETTINGS, "commit", "--quiet", "--message=The example", env=moment)
