"""Which skills a lock holds: those asked for, what they depend on, and why one cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.lookup import LocatedSkill, Lookup
from skillstudio.skill.pins.locking import Ambiguous, LockBuilder, mode_of
from skillstudio.skill.pins.proto import Reference, references
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span


def plain(name: str, more: str = "", folder: str = "") -> LocatedSkill:
    text = f"---\nname: {name}\ndescription: d\n{more}---\n"
    return made(folder or name, {"SKILL.md": text})


def caro(id: str, version: str = "1.0.0", needs: str = "") -> LocatedSkill:
    text = (
        f'[skill]\nid = "{id}"\nname = "A name"\nversion = "{version}"\n[dependencies]\n{needs}\n'
    )
    return made(id.rpartition(".")[2], {"skill.toml": text})


def made(folder: str, files: dict[str, str]) -> LocatedSkill:
    data = {path: text.encode() for path, text in files.items()}
    return LocatedSkill(f"/w/{folder}", locate(MemoryTree(data, folder.rpartition("/")[2])).skill)


def refs(text: str) -> tuple[Source, tuple[Reference, ...]]:
    source = Source(text, "my.yaml")
    return source, tuple(references(read(source, "yaml", Span(0, len(text)))))


def of_proto(text: str, *known: LocatedSkill) -> LockBuilder:
    locking = LockBuilder(lambda: Lookup(list(known)))
    locking.take_proto(*refs(text))
    return locking


def of_skills(taken: list[LocatedSkill], *known: LocatedSkill) -> LockBuilder:
    locking = LockBuilder(lambda: Lookup([*taken, *known]))
    for each in taken:
        locking.take_skill(each)
    return locking


def result(locking: LockBuilder) -> tuple[list[str], list[str]]:
    """The names locked, and the kinds of the problems."""
    lock = locking.lock(provenance=False)
    return list(lock.skills), [each.kind for each in locking.problems]


NET = caro("cloud.net", "1.4.0")
CASES: list[tuple[str, list[LocatedSkill], tuple[list[str], list[str]]]] = [
    ("", [NET], (["cloud.aws"], [])),
    ('"cloud.net" = ">=1.0"', [NET], (["cloud.aws", "cloud.net"], [])),
    ('"cloud.net" = ">=2.0"', [NET], (["cloud.aws", "cloud.net"], ["dependency-out-of-range"])),
    ('"cloud.net" = "^1.0"', [NET], (["cloud.aws", "cloud.net"], [])),
    ('"cloud.net" = "*"', [], (["cloud.aws"], ["dependency-unresolved"])),
    ('"cloud.net" = {version = "*", optional = true}', [], (["cloud.aws"], [])),
    ('"cloud.net" = {version = ">=2.0", optional = true}', [NET], (["cloud.aws"], [])),
    ('"cloud.net" = {version = "*", optional = true}', [NET], (["cloud.aws", "cloud.net"], [])),
    ('"cloud.aws" = "*"', [], (["cloud.aws"], [])),
    (
        '"cloud.net" = "*"',
        [
            caro("cloud.net", needs='"cloud.dns" = "*"'),
            caro("cloud.dns", needs='"cloud.aws" = "*"'),
        ],
        (["cloud.aws", "cloud.dns", "cloud.net"], []),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("needs", "known", "expected"), CASES)
def test_declared_dependencies_are_followed(
    needs: str, known: list[LocatedSkill], expected: tuple[list[str], list[str]]
) -> None:
    assert result(of_skills([caro("cloud.aws", needs=needs)], *known)) == expected


def test_a_dependency_that_is_not_there_is_told_with_its_place() -> None:
    (problem,) = of_skills([caro("cloud.aws", needs='"cloud.net" = ">=1.0"')]).problems
    assert (problem.path, problem.line, problem.column) == ("/w/aws/skill.toml", 6, 1)
    out = of_skills([caro("cloud.aws", needs='"cloud.net" = ">=2.0"')], NET).problems
    assert "cloud.net >=2.0" in out[0].message
    assert "1.4.0" in out[0].message


@pytest.mark.parametrize(
    ("proto", "expected"),
    [
        ("- skill: notes\n- skill: notes\n- skill: other\n", (["notes", "other"], [])),
        ("skill: gone\n", ([], ["binding-skill-missing"])),
        ("skill: {min_version: 1.0.0}\n", ([], ["binding-skill-missing"])),
        ("skill: {id: notes, min_version: 1.0.0}\n", (["notes"], [])),
        ("skill: {id: notes, min_version: 1.0.1}\n", (["notes"], ["binding-version-low"])),
        ("skill: {id: other, min_version: 1.0.0}\n", (["other"], ["binding-version-low"])),
        ("skill: {id: notes, min_version: 1}\n", (["notes"], ["binding-version-malformed"])),
        ("skill: {id: notes, content_hash: x}\n", (["notes"], ["binding-hash-malformed"])),
        (
            f"skill: {{id: notes, content_hash: 'sha256:{'0' * 64}'}}\n",
            (["notes"], ["binding-hash-mismatch"]),
        ),
        ("skill: {id: notes, min_versoin: 9.0.0}\n", (["notes"], [])),
        ("skill: cloud.net\n", (["cloud.net"], [])),
    ],
)
def test_a_protos_references_and_pins(proto: str, expected: tuple[list[str], list[str]]) -> None:
    known = [plain("notes", "version: 1.0.0\n"), plain("other"), NET]
    assert result(of_proto(proto, *known)) == expected


def test_a_skill_without_a_hash_is_a_problem() -> None:
    broken = made("notes", {"SKILL.md": "---\nname: notes\ndescription: d\n---\n", "a\nb": ""})
    assert result(of_proto("skill: notes\n", broken)) == ([], ["hash-refused"])


def test_a_name_means_one_skill() -> None:
    here, copy = plain("notes", folder="a/notes"), plain("notes", folder="b/notes")
    other = plain("notes", "version: 1.0.0\n", folder="c/notes")
    assert result(of_proto("skill: notes\n", here, copy)) == (["notes"], [])
    with pytest.raises(Ambiguous, match="/w/a/notes and /w/c/notes"):
        of_proto("skill: notes\n", here, other)
    with pytest.raises(Ambiguous):
        of_skills([here, other])
    # What a skill calls itself goes before the name of a folder.
    assert result(of_proto("skill: x\n", plain("x"), plain("notes", folder="x"))) == (["x"], [])


@pytest.mark.parametrize(
    ("proto", "mode", "why"),
    [
        ("skill: {id: a, content_hash: x}\n", "pin + lock", "pins every skill"),
        (
            "- skill: a\n- skill: {id: b, content_hash: x}\n",
            "locked",
            "a is not pinned in the proto",
        ),
        ("- skill: b\n- skill: a\n", "locked", "a, b are not pinned in the proto"),
        ("skill: {id: a, min_version: 1.0.0}\n", "locked", "any version from min_version"),
        ("", "locked", "no proto pins these skills"),
    ],
)
def test_the_recommended_mode_is_named_with_its_reason(proto: str, mode: str, why: str) -> None:
    found: Any = mode_of(refs(proto)[1])
    assert (found.mode, found.identity) == (mode, "content_hash")
    assert why in found.why
