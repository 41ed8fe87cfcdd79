"""Whether a new skill may have a name, and under which target it may not."""

from __future__ import annotations


def name_faults(name: str, folder: str, dialect: str | None) -> list[str]:
    """Why a name cannot stay: each a sentence that names the targets that refuse it.

    They judge a SKILL.md. Dialects with a file of their own have ids of their own, and their
    templates validators of their own.
    """
    from skillstudio.manifest.registry import dialects

    if dialect not in (None, *(each.id for each in dialects() if each.carrier != "file")):
        return []
    from skillstudio.manifest.targets import name_refusals

    by_reason: dict[str, list[str]] = {}
    for target, reason in name_refusals(name, folder).items():
        by_reason.setdefault(reason, []).append(target)
    return [f"refused by {', '.join(ids)}: {reason}" for reason, ids in by_reason.items()]
