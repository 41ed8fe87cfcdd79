"""Files that usually contain credentials, in lines of evidence."""

from __future__ import annotations

from skillstudio.dryrun.isolation.readable import is_secret


def is_credential(evidence: str) -> bool:
    """Whether a line of evidence says that a file which usually contains credentials was read."""
    verb, _, path = evidence.partition(" ")
    path = path.partition(" (")[0]
    name = path.rpartition("/")[2]
    is_environment = path.startswith("/proc/") and name == "environ"
    is_settings = name == ".env" or name.startswith(".env.")
    return verb == "read" and (is_environment or is_settings or is_secret(path))
