"""Find the targets that a command line names."""

from __future__ import annotations

from collections.abc import Collection

from skillstudio.cli.output import UsageError
from skillstudio.manifest.targets import targets
from skillstudio.text.nearest import did_you_mean


def target_id(text: str, known_ids: Collection[str], origin: str = "") -> str:
    """The id of the known target with this id or title. Raises UsageError."""
    ids = {str(targets()[name]["title"]).casefold(): name for name in known_ids}
    ids |= {name: name for name in known_ids}
    id = ids.get(text.casefold())
    if id is None:
        titles = [str(targets()[name]["title"]) for name in known_ids]
        choose = did_you_mean(text, titles, f"; choose from {', '.join(known_ids)}")
        advice = did_you_mean(text, known_ids, choose)
        parts = [name for name in known_ids if text.casefold() in name.split("-")]
        if advice == choose and parts:
            advice = f"; did you mean {' or '.join(parts)}?"
        raise UsageError(f"{origin}unknown target {text}{advice}")
    return id
