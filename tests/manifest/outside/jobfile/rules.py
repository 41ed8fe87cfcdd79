"""What the schemas of a job cannot say."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.manifest.dialect import Ask, Manifest, Skill
from skillstudio.manifest.values import sequence, strings, text
from skillstudio.text.diagnostic import Diagnostic, Fix, Set


def check(manifest: Manifest, _skill: Skill) -> Iterator[Diagnostic]:
    """An id without capitals."""
    id = text(manifest.document.value, "job", "id")
    node = manifest.document.at("/job/id")
    if id is not None and node is not None and id != id.lower():
        fix = Fix(f"Change to {id.lower()}", (Set("/job/id", id.lower()),), True)
        message = f"the id {id} has upper-case letters; write {id.lower()}"
        yield Diagnostic("job-shouts", message, node.span, "/job/id", (fix,))


def check_part(manifest: Manifest, _skill: Skill) -> Iterator[Diagnostic]:
    """A plan with programs."""
    if not sequence(manifest.document.value, "programs"):
        yield Diagnostic("plan-empty", "the plan starts no program", pointer="/programs")


def asks(manifest: Manifest) -> Iterator[Ask]:
    """The effects, for the policy."""
    for at, effect in strings(manifest.document.value, "effects"):
        yield Ask("effect", effect, at)
