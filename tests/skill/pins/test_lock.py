"""The lockfile: its text, what of it is read, and what differs between two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.hashing.content_hash import hash_tree
from skillstudio.skill.pins.lock import (
    Lock,
    Locked,
    LockUnreadable,
    differences,
    files_of,
    keep_provenance,
    read_lock,
    render,
    same,
)
from skillstudio.text.source import Source

A, B, C = (f"sha256:{letter * 64}" for letter in "abc")
X, Y = (letter * 64 for letter in "12")
SEED = f"""\
generated_at: "2025-12-23T10:00:00Z"
beads_version: "0.35.0"
skills:
  worklog:
    content_hash: "{A}"
    nix_store_path: "/nix/store/abc123-worklog-1.0.0"
    version: "1.0.0"
    source_rev: "abc123def"
  deploy:
    content_hash: "{B}"
"""
WORKLOG = Locked(A, "", "/nix/store/abc123-worklog-1.0.0", "abc123def", "1.0.0")


def parsed(text: str) -> Lock:
    return read_lock(Source(text, "my.lock"))


def test_the_seeds_own_shape_is_read() -> None:
    skills = {"worklog": WORKLOG, "deploy": Locked(B)}
    assert parsed(SEED) == Lock(skills, "2025-12-23T10:00:00Z", "0.35.0")


def test_the_text() -> None:
    files = {"SKILL.md": f"100644 {X}", "a b: c": f"100755 {Y}"}
    lock = Lock(
        {"no": Locked(B), "deploy": Locked(A, C, "", "12", "1.0.0", files)}, "now", "0.35.0"
    )
    assert (
        render(lock, "my.lock", "skillstudio lock my.yaml")
        == f"""\
# my.lock
# Generated from the skills; do not edit.
# To update: skillstudio lock my.yaml
beads_version: "0.35.0"
generated_at: "now"
skills:
  deploy:
    content_hash: "{A}"
    source_rev: "12"
    tree_sha256: "{C}"
    version: "1.0.0"
  "no":
    content_hash: "{B}"
trees:
  deploy:
    SKILL.md: 100644 {X}
    "a b: c": 100755 {Y}
"""
    )


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
NAMES = TEXTS.filter(bool)
HASHES = st.sampled_from([A, B, C])
LOCKED = st.builds(
    Locked, HASHES, st.sampled_from(["", C]), TEXTS, TEXTS, TEXTS,
    st.dictionaries(NAMES, TEXTS.filter(bool), max_size=3),
)  # fmt: skip


@pytest.mark.slow
@given(st.builds(Lock, st.dictionaries(NAMES, LOCKED, max_size=3), TEXTS, TEXTS))
def test_what_is_written_is_read_again(lock: Lock) -> None:
    text = render(lock, "my.lock", "skillstudio lock x")
    assert parsed(text) == lock
    assert render(parsed(text), "my.lock", "skillstudio lock x") == text


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> other\n", 2, 1, "merge conflict"),
        ("skills: {}\n||||||| base\n", 2, 1, "merge conflict"),
        ("=======\r\n", 1, 1, "merge conflict"),
        ("skills:\n  a: [\n", 2, 6, ""),
        ("skills:\n  a: 1\n  a: 2\n", 3, 3, "a"),
        ("", 1, 1, "the mapping `skills` is missing"),
        ("- skills\n", 1, 1, "the mapping `skills` is missing"),
        ("skills: [a]\n", 1, 1, "the mapping `skills` is missing"),
        ("skills:\n  a: yes\n", 2, 6, "the skill a is not a mapping"),
        ("skills:\n  a: {}\n", 2, 6, "no content_hash"),
        ("skills:\n  a: {content_hash: sha256:12}\n", 2, 21, "no content_hash"),
        (f"skills:\n  a: {{content_hash: '{A.upper()}'}}\n", 2, 21, "no content_hash"),
        (f"skills:\n  a: {{content_hash: '{A}', version: 1.0}}\n", 2, 105, "version that is no"),
        (f"skills:\n  a: {{content_hash: '{A}'}}\ntrees: {{a: 1}}\n", 3, 12, "tree of a is no"),
        ("skills: {}\ntrees: 1\n", 2, 8, "trees"),
        ("skills: {}\ngenerated_at: 2025\n", 2, 15, "generated_at"),
    ],
)
def test_what_is_no_lockfile_is_refused_with_its_place(
    text: str, line: int, column: int, said: str
) -> None:
    with pytest.raises(LockUnreadable) as refused:
        parsed(text)
    assert (refused.value.line, refused.value.column) == (line, column)
    assert said in str(refused.value)


def test_a_heading_of_equal_signs_in_a_value_is_no_conflict() -> None:
    assert parsed("skills: {}\n# <<<<<<< not here\nother: '======='\n") == Lock({})


def locked(**files: str) -> Locked:
    """A skill with these files; one called `run` may be executed."""
    data = {name.replace("_", "."): text.encode() for name, text in files.items()}
    hashed = hash_tree(MemoryTree(data))
    return Locked(hashed.content_hash, hashed.tree_sha256, files=files_of(hashed))


def told(before: Locked, after: Locked) -> list[str]:
    found = differences(Lock({"s": before}), Lock({"s": after}))
    return [
        " ".join([each.field, *(f"{file.path}={file.how}" for file in each.files)])
        for each in found
    ]


def test_the_files_that_differ_are_named() -> None:
    before = locked(SKILL_md="a", run_py="1", gone="x")
    after = locked(SKILL_md="a", run_py="2", new="x")
    files = "gone=removed new=added run.py=changed"
    assert told(before, after) == [f"content_hash {files}", f"tree_sha256 {files}"]
    assert told(before, before) == []
    assert told(before._replace(version="1.0.0"), before) == ["version"]


def test_a_mode_is_a_difference_where_the_system_has_modes() -> None:
    before = locked(run="1")
    mode, _, digest = before.files["run"].partition(" ")
    assert mode == "100644"
    after = before._replace(tree_sha256=A, files={"run": f"100755 {digest}"})
    assert told(before, after) == ["tree_sha256 run=mode"]
    assert differences(Lock({"s": before}), Lock({"s": after}), modes=False) == []
    changed = locked(run="2")
    assert len(differences(Lock({"s": before}), Lock({"s": changed}), modes=False)) == 2


def test_a_collision_of_content_hash_is_seen() -> None:
    """`{a: x, b: y}` and one file that holds the stream of both (research, 5.1)."""
    before, after = locked(a="x", b="y"), locked(a="x./b\ny")
    assert before.content_hash == after.content_hash
    assert told(before, after) == ["tree_sha256 a=changed b=removed"]


def test_a_lock_of_the_seeds_shape_is_held_against_what_it_has() -> None:
    here = locked(a="x")
    assert told(Locked(here.content_hash), here) == []
    assert told(Locked(A), here) == ["content_hash"]


def test_skills_that_one_side_lacks_differ() -> None:
    found = differences(Lock({"old": Locked(A)}), Lock({"new": Locked(B)}))
    assert [(each.skill, each.field, each.locked, each.found) for each in found] == [
        ("new", "", "", B),
        ("old", "", A, ""),
    ]


def test_where_it_came_from_and_when_are_no_differences() -> None:
    other = WORKLOG._replace(nix_store_path="", source_rev="other")
    one, two = Lock({"w": WORKLOG}, "then", "0.35.0"), Lock({"w": other}, "now", "")
    assert differences(one, two) == []
    assert not same(one, two)
    assert same(one, one._replace(generated_at="now"))


def test_what_cannot_be_told_here_is_kept_while_the_files_are_the_same() -> None:
    old = Lock({"w": WORKLOG}, "then", "0.35.0")
    here = Locked(A, C, "", "", "1.0.0")
    made = keep_provenance(Lock({"w": here}), old)
    assert made.skills["w"] == here._replace(
        nix_store_path=WORKLOG.nix_store_path, source_rev=WORKLOG.source_rev
    )
    assert made.beads_version == "0.35.0"
    changed = Lock({"w": here._replace(content_hash=B)}, "", "0.36.0")
    assert keep_provenance(changed, old) == changed


def test_a_name_that_no_text_can_hold_is_escaped() -> None:
    hashed = hash_tree(MemoryTree({"a\udcff": b"", "x" * 1001: b""}))
    assert list(files_of(hashed)) == ["a\\udcff"]
