"""`skillstudio waive`: accept a breaking change knowingly."""

from __future__ import annotations

import os

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Result, UsageError, refuse_on, say
from skillstudio.cli.saving import Texts, write_or_show
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.files.workspace import OUTSIDE, leads_out
from skillstudio.skill.discover import find_skills
from skillstudio.skill.versions.waiving import WaiverRefused, waive, workspace_settings
from skillstudio.skill.workspace import WorkspaceSearch
from skillstudio.text.source import Source, decode
from skillstudio.text.splicing import apply


def run(options: CommandOptions) -> Result:
    """Write the waiver. Raises CommandRefused, UsageError."""
    if not os.path.lexists(options.path):
        raise UsageError(f"{options.path}: no such file or folder")
    folder = options.path if os.path.isdir(options.path) else os.path.dirname(options.path) or "."
    file = workspace_settings(folder).path
    _refuse_others(folder, file)
    disk, name = DiskTree(os.path.dirname(file)), os.path.basename(file)
    display_path = make_relative(file).replace(os.sep, "/")
    if leads_out(file):
        raise UsageError(f"{display_path}: {OUTSIDE}")

    def make() -> Texts:
        exists = disk.kind(name) is not None
        text, wrong = decode(disk.read(name) if exists else b"")
        if wrong is not None:
            raise UsageError(f"{display_path} is not UTF-8, so it was not changed")
        splices = waive(Source(text, display_path), options.fingerprint, options.reason)
        return {name: (text if exists else None, apply(text, splices))}

    with refuse_on(WaiverRefused, kind=CommandRefused):
        result = write_or_show(disk, os.path.dirname(display_path) or ".", make, options)
    if not options.diff:
        say(f"{options.fingerprint} is waived in {display_path}")
    return result


def _refuse_others(folder: str, file: str) -> None:
    """Raise UsageError if skills below a folder have other settings than the file to write."""
    search = WorkspaceSearch()
    for inside in find_skills(DiskTree(folder)):
        _, settings_file = search.settings_for(os.path.abspath(os.path.join(folder, inside)))
        if settings_file is None or settings_file.origin == "user" or settings_file.path == file:
            continue
        skill = os.path.normpath(os.path.join(folder, inside))
        raise UsageError(
            f"skills here have settings of their own, such as {settings_file.display_path}; name "
            f"the skill with the change, such as {skill}"
        )
