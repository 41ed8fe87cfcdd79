"""Two versions are read and compared; what cannot be read says where."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.interface.model import Place
from skillstudio.settings.read import Waiver
from skillstudio.skill.versions.comparison import (
    Comparison,
    Version,
    compare_versions,
    open_version,
)
from skillstudio.skill.versions.operands import Operand
from skillstudio.skill.versions.reading import UnreadableManifest
from skillstudio.text.source import Position

MANIFEST = """\
---
manifest_version: "1.0"
name: plain
description: Says things. Use when things are said.
version: 1.0.0
inputs:
  required:
    - name: topic
      schema: {type: string}
  optional: []
---
Say.
"""
ROUTER = """\
---
name: plain
description: Says things. Use when things are said.
---
```router-manifest
{"id": "plain", "version": "1.0.0", "effects": ["proc.exec"],
 "entrypoints": {"say": {"unix": ["sh", "say.sh"]}}, "stdout_contract": {"last_line_json": true}}
```
"""


def version(files: dict[str, str | bytes] | str, **more: str) -> Version:
    return opened(operand(files, **more))


def operand(files: dict[str, str | bytes] | str, **more: str) -> Operand:
    given = {"SKILL.md": files} if isinstance(files, str) else files
    data = {p: text.encode() if isinstance(text, str) else text for p, text in given.items()}
    return Operand(MemoryTree(data, "plain"), "plain", label="plain", **more)


def opened(operand: Operand) -> Version:
    found = open_version(operand)
    assert found is not None
    return found


def kinds(made: Comparison) -> list[str]:
    return [change.kind for change in made.changes]


def test_two_equal_versions_have_no_change() -> None:
    made = compare_versions(version(MANIFEST), version(MANIFEST))
    assert (made.changes, made.notes, made.bump.required, made.bump.ok) == ((), (), "none", True)


def test_files_that_changed_ask_for_a_patch() -> None:
    made = compare_versions(version(MANIFEST), version(MANIFEST.replace("Say.", "Do say.")))
    assert (made.changes, made.bump.required, made.bump.suggested) == ((), "patch", "1.0.1")
    assert not made.bump.ok


ODD: dict[str, str | bytes] = {"SKILL.md": MANIFEST, "a\nb": "x"}


@pytest.mark.parametrize(
    ("new", "required"),
    [
        (ODD, "none"),
        ({**ODD, "a\nb": "y"}, "patch"),
        ({**ODD, "more": "z"}, "patch"),
        ({"SKILL.md": MANIFEST, "c\nd": "x"}, "patch"),
        ({**ODD, "SKILL.md": MANIFEST + "More.\n"}, "patch"),
        ({"SKILL.md": MANIFEST}, "patch"),
    ],
)
def test_files_without_a_digest_are_held_against_each_other(
    new: dict[str, str | bytes], required: str
) -> None:
    made = compare_versions(version(ODD), version(new))
    assert made.bump.required == required
    assert made.content_differs is (required == "patch")
    assert "contains a line break" in made.notes[0]


def test_a_skill_that_is_new_or_gone_is_one_change() -> None:
    assert kinds(compare_versions(None, version(MANIFEST))) == ["skill-added"]
    assert kinds(compare_versions(version(MANIFEST), None)) == ["skill-removed"]
    assert compare_versions(version(MANIFEST), None).bump.ok


def test_another_dialect_is_compared_by_the_interface_and_said() -> None:
    made = compare_versions(version(MANIFEST), version(ROUTER))
    assert "the dialect changed from agent-skills, frontmatter-1.0 to agent-skills" in str(
        made.notes
    )
    assert "operation-added" in kinds(made)


def test_a_waiver_marks_its_change_and_an_idle_one_is_named() -> None:
    old, new = version(MANIFEST), version(MANIFEST.replace("topic", "title"))
    (change,) = [c for c in compare_versions(old, new).changes if c.level == "major"]
    fitting = Waiver(change.fingerprint, "nobody uses it", Position(1, 1))
    idle = Waiver("0" * 12, "of old", Position(5, 1))
    made = compare_versions(old, new, waivers=[fitting, idle])
    assert [c.waived for c in made.changes if c.level == "major"] == ["nobody uses it"]
    assert made.counts["major"] == 0
    assert made.unused_waivers == (idle,)
    assert made.bump.required != "major"


def test_a_ruleset_changes_levels() -> None:
    text = MANIFEST.replace("optional: []", "optional: []\nexecution: {network: true}")
    made = {
        ruleset: {c.kind: c.level for c in compare_versions(
            version(MANIFEST), version(text), ruleset=ruleset).changes}
        for ruleset in ("default", "security")
    }  # fmt: skip
    assert made["default"]["execution-network-on"] == "minor"
    assert made["security"]["execution-network-on"] == "major"


def test_the_version_is_that_of_the_tag_where_the_manifest_states_none() -> None:
    bare = "---\nname: plain\ndescription: Says things.\n---\n"
    assert version(bare, version="1.2.3").version == "1.2.3"
    assert version(bare).version == ""
    found = version(MANIFEST, version="1.2.3")
    assert found.version == "1.0.0"
    assert "declares the version 1.0.0, which differs from its tag" in found.notes[0]


@pytest.mark.parametrize(
    ("files", "place", "said"),
    [
        (MANIFEST.replace("name: topic", "name: [topic"), Place("SKILL.md", 8, 13), ""),
        (MANIFEST.removesuffix("---\nSay.\n"), Place("SKILL.md", 1, 1), ""),
        (ROUTER.replace('"plain", ', '"plain" '), Place("SKILL.md", 6, 14), ""),
        ({"SKILL.md": b"---\nname: \xff\n---\n"}, Place("SKILL.md", 2, 7), "not UTF-8"),
        ({"SKILL.md": "x" * (1 << 20) + "x"}, Place("SKILL.md", 1, 1), "larger than 1 MiB"),
        ({"skill.toml": '[skill]\nid = "a.b\n'}, Place("skill.toml", 2, 6), ""),
    ],
    ids=["yaml", "unclosed", "json", "bytes", "large", "toml"],
)
def test_a_manifest_that_does_not_parse_says_where(
    files: dict[str, str | bytes] | str, place: Place, said: str
) -> None:
    with pytest.raises(UnreadableManifest) as caught:
        open_version(operand(files))
    assert caught.value.faults[0][0] == place
    assert said in caught.value.faults[0][1]
    with pytest.raises(UnreadableManifest) as caught:
        open_version(operand(files, ref="v1", commit="a" * 40))
    line = caught.value.sentences()[0]
    assert line.startswith(f"v1:plain/{place.path}:{place.line}:{place.column}: ")


def test_files_that_have_no_digest_are_said_and_compared_all_the_same() -> None:
    old = version({"SKILL.md": MANIFEST, "a\nb": "x"})
    assert old.content_hash == ""
    assert "has no content hash" in old.notes[0]
    assert compare_versions(old, version(MANIFEST)).changes == ()
