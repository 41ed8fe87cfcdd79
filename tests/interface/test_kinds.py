"""The data about kinds: what is refused in it, and that looking up is the same as reading all."""

from __future__ import annotations

import pytest

from skillstudio.interface.kinds import ChangeKinds, KindsInvalid, KindUnknown
from skillstudio.manifest.changes import kind_texts

GONE = """
[gone]
surface = "input"
facet = ["required", "optional"]
action = "removed"
also = [["default", "changed"]]
direction = "in"
level = "major"
levels = { lenient = "minor" }
message = "{name} was removed: {old} → {new} ({detail})"
why = "Calls break."
source = "here"
"""
COME = GONE.replace("gone", "come", 1).replace('"removed"', '"added"').replace("default", "kind")


def kinds(*texts: str) -> ChangeKinds:
    return ChangeKinds([(f"{number}.toml", text.encode()) for number, text in enumerate(texts)])


def test_a_kind_is_found_by_each_of_its_coordinates() -> None:
    found = kinds(GONE, COME)
    for facet, action in (("required", "removed"), ("optional", "removed"), ("default", "changed")):
        assert found.find("input", facet, action).id == "gone"
    assert found.find("input", "kind", "changed").id == "come"
    assert set(found.by_id) == {"gone", "come"}
    assert len(found.by_coordinate) == 6


def test_an_action_is_taken_for_the_plainer_one() -> None:
    narrowed = GONE.replace('"removed"', '"narrowed"')
    assert kinds(narrowed).find("input", "required", "closed").id == "gone"
    assert kinds(narrowed).find("input", "required", "floor-major-raised").id == "gone"
    both = [narrowed, COME.replace('"added"', '"closed"')]
    assert kinds(*both).find("input", "required", "closed").id == "come"


@pytest.mark.parametrize(
    "coordinate",
    [("output", "required", "removed"), ("input", "other", "removed"), ("input", "required", "x")],
)
def test_what_no_table_names_is_unknown(coordinate: tuple[str, str, str]) -> None:
    with pytest.raises(KindUnknown, match=", ".join(coordinate)):
        kinds(GONE).find(*coordinate)


def test_only_the_table_asked_for_is_read() -> None:
    found = kinds(GONE, COME.replace('level = "major"', 'level = "huge"'))
    assert found.find("input", "required", "removed").level == "major"
    with pytest.raises(KindsInvalid, match="huge"):
        found.find("input", "required", "added")


def test_looking_up_every_kind_gives_what_reading_all_gives() -> None:
    asked = ChangeKinds(kind_texts())
    for coordinate, kind in ChangeKinds(kind_texts()).by_coordinate.items():
        assert asked.find(*coordinate) == kind


def test_the_level_depends_on_the_ruleset() -> None:
    kind = kinds(GONE).find("input", "required", "removed")
    levels = [kind.level_in(each) for each in ("default", "strict", "lenient", "security")]
    assert levels == ["major", "major", "minor", "major"]
    looked_at = kind._replace(level="none", review=True)
    assert looked_at.level_in("security") == "major"


@pytest.mark.parametrize(
    ("line", "instead", "complaint"),
    [
        ('direction = "in"', 'direction = "up"', "has the unknown direction up; use one of in, "),
        ('level = "major"', 'level = "huge"', "has the unknown level huge; use one of major, "),
        ('lenient = "minor"', 'lenient = "tiny"', "has the unknown level tiny; use one of major, "),
        ('lenient = "minor"', 'relaxed = "minor"', "has the unknown ruleset relaxed; use one of "),
        ('"input"', '"inputs"', "has the unknown surface inputs; use one of artifact, command, "),
        ('"input"', '["input", "in"]', "has the unknown surface in; use one of artifact, "),
        ('why = "Calls break."', "", "is missing why"),
        ('message = "{name} was removed: {old} → {new} ({detail})"', "", "is missing message"),
        ('why = "Calls break."', 'why = "a"\nhow = "b"', "has the unknown key how"),
        ('why = "Calls break."', 'why = ""', "needs a string for why"),
        ('level = "major"', "level = 1", "needs a string for level"),
        ('level = "major"', 'level = ["major"]', "needs a string for level"),
        ('"input"', "1", "needs a string or a list of strings for surface"),
        ('"removed"', "[]", "needs a string or a list of strings for action"),
        ('["required", "optional"]', "[1]", "needs a string or a list of strings for facet"),
        (
            '[["default", "changed"]]',
            '["default"]',
            "needs a list of pairs of facet and action for",
        ),
        ('[["default", "changed"]]', "true", "needs a list of pairs of facet and action for"),
        ('{ lenient = "minor" }', '"minor"', "needs a table of rulesets and levels for levels"),
        (
            'why = "Calls break."',
            'why = "a"\nreview = "yes"',
            "needs true or false for",
        ),
        ('why = "Calls break."', 'why = "a"\nrouting = 1', "needs true or false"),
        ("{detail}", "{more}", "has an invalid placeholder in its message: 'more'"),
        ("{detail}", "{}", "has an invalid placeholder in its message"),
        ("{detail}", "{name.upper.x}", "has an invalid placeholder in its message"),
        ("{detail}", "{name:d}", "has an invalid placeholder in its message"),
        ("({detail})", "{", "has an invalid placeholder in its message"),
        ("[gone]", "gone = 1\n[other]", "is not a table"),
    ],
)
def test_what_is_wrong_in_the_data_is_told_with_the_kind(
    line: str, instead: str, complaint: str
) -> None:
    assert line in GONE
    with pytest.raises(KindsInvalid) as caught:
        _ = ChangeKinds([("0.toml", GONE.replace(line, instead, 1).encode())]).by_id
    assert str(caught.value).startswith(f"0.toml: the kind gone {complaint}")


def test_a_bracket_in_a_message_is_just_that() -> None:
    assert len(kinds(GONE.replace("({detail})", "(")).by_id) == 1


def test_no_two_kinds_are_for_one_coordinate() -> None:
    other = GONE.replace("[gone]", "[lost]").replace('["required", "optional"]', '"optional"')
    with pytest.raises(KindsInvalid) as caught:
        _ = ChangeKinds([("0.toml", (GONE + other).encode())]).by_id
    assert str(caught.value) == (
        "0.toml: the kinds gone and lost both match input, optional, removed"
    )


def test_no_kind_is_there_twice() -> None:
    with pytest.raises(KindsInvalid, match=r"1\.toml: duplicate kind gone"):
        _ = ChangeKinds([("0.toml", GONE.encode()), ("1.toml", GONE.encode())]).by_id
    with pytest.raises(KindsInvalid, match=r"0\.toml: .*gone"):
        _ = ChangeKinds([("0.toml", (GONE + GONE).encode())]).by_id


@pytest.mark.parametrize("text", ["[gone\nsurface = 1", "[gone]\nsurface =\n"])
def test_a_file_that_is_no_toml_is_refused(text: str) -> None:
    with pytest.raises(KindsInvalid, match=r"0\.toml: .*line"):
        _ = ChangeKinds([("0.toml", text.encode())]).by_id


def test_a_file_that_is_no_text_is_refused() -> None:
    with pytest.raises(KindsInvalid, match=r"0\.toml"):
        _ = ChangeKinds([("0.toml", b"\xff")]).by_id
