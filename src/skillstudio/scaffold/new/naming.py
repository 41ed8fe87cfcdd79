"""Whether a new skill may have a name, and under which profile it may not."""

from __future__ import annotations


def name_faults(name: str, folder: str, dialect: str | None) -> list[str]:
    """Why a name cannot stay: each a sentence that names the profiles that refuse it.

    They judge a SKILL.md. Dialects with a file of their own have ids of their own, and their
    templates validators of their own.
    """
    from skillstudio.manifest.registry import dialects

    if dialect not in (None, *(each.id for each in dialects() if each.carrier != "file")):
        return []
    from skillstudio.manifest.profiles import name_refusals

    by_reason: dict[str, list[str]] = {}
    for profile, reason in name_refusals(name, folder).items():
        by_reason.setdefault(reason, []).append(profile)
    return [f"refused by {', '.join(ids)}: {reason}" for reason, ids in by_reason.items()]
