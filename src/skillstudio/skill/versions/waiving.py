"""Write waivers into the settings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from skillstudio.files.workspace import workspace_of
from skillstudio.settings.entries import add_entry, entries
from skillstudio.settings.settings import FILE, SettingsFile
from skillstudio.skill.settings_files import find_settings
from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing import EditRefused
from skillstudio.text.source import Source


class WaiverRefused(Exception):
    """A waiver that cannot be written; the message says why."""


def workspace_settings(
    folder: str, unsaved_texts: Mapping[str, str] = {}, root: str = ""
) -> SettingsFile:
    """The file with settings for the skills in a folder, which may not exist yet.

    Never the user's own file: a waiver belongs to the workspace. That is `root`, if it is given
    and the folder is in no repository. `unsaved_texts` is as for `find_settings`.
    """
    settings_file = find_settings(folder, unsaved_texts)
    if settings_file is not None and settings_file.origin != "user":
        return settings_file
    base = workspace_of(folder)
    if base == folder:
        base = root or base
    return SettingsFile(os.path.join(base, FILE), base)


def waive(source: Source, fingerprint: str, reason: str) -> list[Splice]:
    """The splices that add a waiver to a settings file. Raises WaiverRefused."""
    reason = reason.strip()
    if not re.fullmatch(r"[0-9a-f]{12}", fingerprint):
        raise WaiverRefused(
            f"{fingerprint} is not a fingerprint: use the 12 hexadecimal digits that diff prints"
        )
    if not reason:
        raise WaiverRefused("a waiver needs a reason")
    try:
        waivers = entries(source, "waive")
    except EditRefused as error:
        raise WaiverRefused(str(error)) from None
    for entry in waivers:
        if isinstance(entry, dict) and entry.get("fingerprint") == fingerprint:
            raise WaiverRefused(f"{fingerprint} is already waived: {entry.get('reason', '')}")
    try:
        return add_entry(source, "waive", {"fingerprint": fingerprint, "reason": reason})
    except EditRefused as error:
        raise WaiverRefused(f"{source.path}: {error}") from None
