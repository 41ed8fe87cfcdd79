"""`skillstudio waive`: accept a breaking change knowingly."""

from __future__ import annotations

import os

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Result, UsageError, refuse_on, say
from skillstudio.cli.saving import Texts, write_or_show
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.files.workspace import OUTSIDE, leads_out
from skillstudio.skill.versions.waiving import WaiverRefused, waive, workspace_settings
from skillstudio.text.source import Source, decode
from skillstudio.text.splicing import apply


def run(options: CommandOptions) -> Result:
    """Write the waiver. Raises Refused, UsageError."""
    if not os.path.lexists(options.path):
        raise UsageError(f"{options.path}: no such file or folder")
    folder = options.path if os.path.isdir(options.path) else os.path.dirname(options.path) or "."
    file = workspace_settings(folder).path
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
