"""Whether a new skill may have a name, and under which target it may not."""

from __future__ import annotations

WITH_MARKDOWN = ("agent-skills", "frontmatter-1.0", "skill-manifest-2.0", "router-manifest-1")
"""The systems whose skills have a SKILL.md, which the targets judge."""


def name_faults(name: str, folder: str, dialect: str | None) -> list[str]:
    """Why a name cannot stay: each a sentence that names the targets that refuse it.

    Other systems have ids of their own, and their templates validators of their own.
    """
    if dialect not in (None, *WITH_MARKDOWN):
        return []
    from skillstudio.manifest.targets import name_refusals

    by_reason: dict[str, list[str]] = {}
    for target, reason in name_refusals(name, folder).items():
        by_reason.setdefault(reason, []).append(target)
    return [f"refused by {', '.join(ids)}: {reason}" for reason, ids in by_reason.items()]
