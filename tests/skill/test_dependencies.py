"""What the skills of a workspace need of each other."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.registry import dialect
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.dependencies import check_dependencies
from skillstudio.skill.facts import PlacedProblem, facts_of
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span


def manifest(id: str, rest: str = "", version: str = "1.0.0") -> tuple[Manifest, ...]:
    text = f'[skill]\nid = "{id}"\nversion = "{version}"\n{rest}'
    known = dialect("caro-1.0")
    assert known is not None
    return (Manifest(known, read(Source(text), "toml", Span(0, len(text))), "skill.toml"),)


def problems(skills: dict[str, tuple[Manifest, ...]]) -> dict[str, list[PlacedProblem]]:
    return check_dependencies(
        facts_of(path, Analysis(Skill(MemoryTree({}, path), path, manifests), ()))
        for path, manifests in skills.items()
    )


def lines(skills: dict[str, tuple[Manifest, ...]]) -> list[str]:
    """`folder:line:column rule text`, a finding a line."""
    out = []
    for path, placed in problems(skills).items():
        source = skills[path][0].document.source
        for rule, _, place, id in placed:
            assert place.path == "skill.toml"
            assert id == "caro-1.0"
            assert place.start == source.position(place.span.start)
            text = source.text[place.span.start : place.span.end]
            out.append(f"{path}:{place.start.line}:{place.start.column} {rule} {text}")
    return out


@pytest.mark.parametrize(
    ("need", "found"),
    [
        ('"tool.git" = ">=1.0"', []),
        ('"tool.git" = "*"', []),
        ('"tool.git" = ">=2.0"', ['a:5:14 dependency-out-of-range ">=2.0"']),
        ('"tool.git" = { version = "<1" }', ['a:5:26 dependency-out-of-range "<1"']),
        ('"tool.git" = { version = "*", features = ["log"] }', []),
        (
            '"tool.git" = { version = "*", features = ["log", "lgo"] }',
            ['a:5:50 dependency-feature-missing "lgo"'],
        ),
        ('"tool.svn" = ">=1.0"', ['a:5:1 dependency-unresolved "tool.svn"']),
        # Their own manifest reports these.
        ('"tool.git" = "^1"', []),
        ("tool.git = '^1'", []),
        ('"tool.git" = { optional = true }', []),
    ],
)
def test_a_need(need: str, found: list[str]) -> None:
    skills = {
        "a": manifest("cloud.aws", f"[dependencies]\n{need}\n"),
        "b": manifest("tool.git", '[features]\nlog = { description = "Show the log" }\n'),
    }
    assert lines(skills) == found


def test_suggestions_are_looked_up_and_no_more() -> None:
    skills = {
        "a": manifest("cloud.aws", '[suggestions]\n"tool.git" = "x"\n"tool.svn" = "y"\n'),
        "b": manifest("tool.git", '[suggestions]\n"cloud.aws" = "x"\n'),
    }
    assert lines(skills) == ['a:6:1 dependency-unresolved "tool.svn"']


def needing(id: str, *others: str) -> tuple[Manifest, ...]:
    return manifest(id, "[dependencies]\n" + "".join(f'"{each}" = "*"\n' for each in others))


def test_a_circle_is_shown_at_each_of_its_skills() -> None:
    skills = {
        "a": needing("tool.a", "tool.b"),
        "b": needing("tool.b", "tool.c"),
        "c": needing("tool.c", "tool.a", "tool.d"),
        "d": needing("tool.d"),
        "e": needing("tool.e", "tool.a"),
    }
    assert lines(skills) == [
        'a:5:1 dependency-cycle "tool.b"',
        'b:5:1 dependency-cycle "tool.c"',
        'c:5:1 dependency-cycle "tool.a"',
    ]


def test_a_skill_that_needs_itself() -> None:
    assert lines({"a": needing("tool.a", "tool.a")}) == ['a:5:1 dependency-cycle "tool.a"']


def test_a_diamond_is_no_circle() -> None:
    skills = {
        "a": needing("tool.a", "tool.b", "tool.c"),
        "b": needing("tool.b", "tool.d"),
        "c": needing("tool.c", "tool.d"),
        "d": needing("tool.d"),
    }
    assert lines(skills) == []


def test_of_two_skills_with_one_id_either_will_do() -> None:
    skills = {
        "a": manifest("cloud.aws", '[dependencies]\n"tool.git" = ">=2"\n'),
        "old": manifest("tool.git"),
        "new": manifest("tool.git", version="2.1.0"),
    }
    assert lines(skills) == []


def test_a_long_chain_needs_no_stack() -> None:
    skills = {str(n): needing(f"tool.s{n}", f"tool.s{n + 1}") for n in range(1500)}
    skills["last"] = needing("tool.s1500", "tool.s0")
    assert len(lines(skills)) == 1501


def test_broken_and_foreign_manifests_are_passed_over() -> None:
    text = "dependencies = 3\n[skill"
    known = dialect("caro-1.0")
    assert known is not None
    broken = Manifest(known, read(Source(text), "toml", Span(0, len(text))), "skill.toml")
    assert problems({"a": (broken,), "b": ()}) == {}
