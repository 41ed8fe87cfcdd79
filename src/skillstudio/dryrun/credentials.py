"""Files that usually contain credentials, in lines of evidence."""

from __future__ import annotations

from skillstudio.dryrun.isolation.readable import is_secret


def is_credential(evidence: str) -> bool:
    """Whether a line of evidence says that a file which usually contains credentials was read."""
    return bool(credential_read(evidence))


def credential_read(evidence: str) -> str:
    """The path that a line of evidence says was read, if it usually contains credentials; else
    "". The variables of any process are those of `/proc/PID`."""
    verb, _, path = evidence.partition(" ")
    path = path.partition(" (")[0]
    name = path.rpartition("/")[2]
    is_environment = path.startswith("/proc/") and name == "environ"
    is_settings = name == ".env" or name.startswith(".env.")
    if verb != "read" or not (is_environment or is_settings or is_secret(path)):
        return ""
    return "/proc/PID/environ" if is_environment else path
