"""Find the targets that a command line names."""

from __future__ import annotations

from collections.abc import Collection

from skillstudio.cli.output import UsageError
from skillstudio.manifest.targets import targets
from skillstudio.text.nearest import did_you_mean


def target_id(text: str, known: Collection[str], origin: str = "") -> str:
    """The id of the known target with this id or title. Raises UsageError."""
    ids = {str(targets()[id]["title"]).casefold(): id for id in known} | {id: id for id in known}
    found = ids.get(text.casefold())
    if found is None:
        titles = [str(targets()[id]["title"]) for id in known]
        choose = did_you_mean(text, titles, f"; choose from {', '.join(known)}")
        advice = did_you_mean(text, known, choose)
        raise UsageError(f"{origin}unknown target {text}{advice}")
    return found
