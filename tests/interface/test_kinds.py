"""The data about kinds: what is refused in it, and that looking up is the same as reading all."""

from __future__ import annotations

import pytest

from skillstudio.interface.kinds import Kinds, KindsInvalid, KindUnknown, read_kinds
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
message = "{name} is gone: {old} became {new} ({detail})"
why = "Calls break."
source = "here"
"""
COME = GONE.replace("gone", "come", 1).replace('"removed"', '"added"').replace("default", "kind")


def kinds(*texts: str) -> Kinds:
    return Kinds([(f"{number}.toml", text.encode()) for number, text in enumerate(texts)])


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
    asked = Kinds(kind_texts())
    for coordinate, kind in read_kinds(kind_texts()).by_coordinate.items():
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
        ('direction = "in"', 'direction = "up"', "gone: has the unknown direction up"),
        ('level = "major"', 'level = "huge"', "gone: has the unknown level huge"),
        ('lenient = "minor"', 'lenient = "tiny"', "gone: has the unknown level tiny"),
        ('lenient = "minor"', 'relaxed = "minor"', "gone: has the unknown ruleset relaxed"),
        ('why = "Calls break."', "", "gone: lacks why"),
        ('why = "Calls break."', 'why = "a"\nhow = "b"', "gone: has the unknown how"),
        ('"input"', '"inputs"', "gone: has the unknown surface inputs"),
        ('[["default", "changed"]]', '["default"]', "gone: has an also that is no list"),
        ("{detail}", "{more}", "gone: has a message that cannot be filled in: 'more'"),
        ("{detail}", "{}", "gone: has a message that cannot be filled in"),
        ("{detail}", "{name.upper.x}", "gone: has a message that cannot be filled in"),
        ("({detail})", "(", ""),
        ("({detail})", "{", "gone: has a message that cannot be filled in"),
        ("[gone]", "gone = 1\n[other]", "gone: not a table"),
        ("[gone]", "[gone", "0.toml: "),
    ],
)
def test_what_is_wrong_in_the_data_is_told_with_its_place(
    line: str, instead: str, complaint: str
) -> None:
    assert line in GONE
    text = GONE.replace(line, instead, 1).encode()
    if not complaint:
        assert len(read_kinds([("0.toml", text)])) == 1
        return
    with pytest.raises(KindsInvalid) as caught:
        read_kinds([("0.toml", text)])
    assert complaint in str(caught.value)


def test_no_kind_is_there_twice() -> None:
    with pytest.raises(KindsInvalid, match=r"1\.toml: gone is there twice"):
        read_kinds([("0.toml", GONE.encode()), ("1.toml", GONE.encode())])
    other = GONE.replace("[gone]", "[lost]")
    with pytest.raises(KindsInvalid, match="gone and lost have the coordinate"):
        read_kinds([("0.toml", (GONE + other).encode())])


def test_a_file_that_is_no_text_is_refused() -> None:
    with pytest.raises(KindsInvalid, match=r"0\.toml"):
        read_kinds([("0.toml", b"\xff")])
