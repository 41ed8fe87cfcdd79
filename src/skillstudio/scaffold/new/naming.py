"""Check the name of a new skill against all targets."""

from __future__ import annotations


def name_faults(name: str, folder: str, dialect: str | None) -> list[str]:
    """Problems of a name, each with the targets that reject it.

    Applies to a SKILL.md. Templates of dialects with their own manifest file validate ids
    themselves.
    """
    from skillstudio.manifest.registry import dialects

    if dialect not in (None, *(each.id for each in dialects() if each.carrier != "file")):
        return []
    from skillstudio.manifest.targets import name_refusals

    by_reason: dict[str, list[str]] = {}
    for target, reason in name_refusals(name, folder).items():
        by_reason.setdefault(reason, []).append(target)
    return [f"rejected by {', '.join(ids)}: {reason}" for reason, ids in by_reason.items()]
