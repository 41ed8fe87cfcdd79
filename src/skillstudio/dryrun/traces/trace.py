"""A run as it is kept: its report as JSON, with the mode in which it was written down."""

from __future__ import annotations

from typing import Any, Literal

from skillstudio.dryrun.report import Report
from skillstudio.dryrun.report_json import report_value

Mode = Literal["off", "standard", "aggressive"]
VERSION = "1"


def mode_of(wanted: Mode | None, is_sensitive: bool) -> Mode:
    """The mode of a trace: a sensitive skill's is aggressive unless it is kept not at all."""
    if is_sensitive and wanted != "off":
        return "aggressive"
    return wanted or "standard"


def make_trace(report: Report, mode: Mode) -> dict[str, Any]:
    """The JSON value that is kept of a run."""
    value = report_value(report)
    identity = value.pop("identity")
    return {
        "trace": VERSION,
        "mode": mode,
        "execution": {"skill_version": identity},
        **value,
    }
