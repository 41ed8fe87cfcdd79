"""What is repaired for an upload, and what the copy lacks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.scaffold.packing.conftest import MANIFEST, Make

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.scaffold.packing.packing import plan
from skillstudio.scaffold.packing.selecting import LeftOut, PackRefused
from skillstudio.scaffold.packing.uploading import (
    inner_skills,
    is_upload,
    lost_links,
    repairs,
    select_upload,
)

POSIX = pytest.mark.skipif(os.name == "nt", reason="links of Unix")
TEXT = MANIFEST.format(name="plain")


def test_the_uploads() -> None:
    assert is_upload("claude-upload")
    assert not is_upload("spec")


def test_what_is_left_out() -> None:
    files = {"SKILL.md": "x", "a/SKILL.md": "x", "a/b.md": "x", ".claude-plugin/plugin.json": "x"}
    tree = MemoryTree({path: data.encode() for path, data in files.items()}, "plain")
    selected = select_upload(locate(tree).skill, "claude-upload", "plain")
    assert selected.paths == ("SKILL.md",)
    assert {tuple(entry) for entry in selected.exclusions} == {
        ("a/", "a skill of its own"),
        (".claude-plugin/plugin.json", "the upload of a skill must not contain it"),
    }
    assert list(repairs(selected, "copied")) == [
        ".claude-plugin/plugin.json is not copied: the upload of a skill must not contain it"
    ]
    assert plan(tree, "tar.gz").selection.paths == (
        *(".claude-plugin/plugin.json", "SKILL.md", "a/SKILL.md", "a/b.md"),
    )


@POSIX
def test_links_are_replaced(make: Make) -> None:
    tree = make({"a/b.md": "x", "link": "-> a", "c.md": "-> a/b.md"})
    selected = select_upload(locate(tree).skill, "claude-upload", "plain")
    assert selected.paths == ("SKILL.md", "a/b.md", "c.md", "link/b.md")
    assert list(repairs(selected, "packed")) == [
        "c.md is a link; the file it points to is packed instead",
        "link is a link; a is packed instead",
    ]


@POSIX
def test_other_links_are_refused_or_left_out(make: Make) -> None:
    skill = locate(make({"a.md": "-> nowhere", "b.md": "-> a.md"})).skill
    with pytest.raises(PackRefused, match=r"^a\.md is a link to 'nowhere', which points to a file"):
        select_upload(skill, "claude-upload", "plain")
    selected = select_upload(skill, "claude-upload", "plain", drops_links=True)
    assert selected.paths == ("SKILL.md",)
    assert [entry.path for entry in selected.exclusions] == ["a.md", "b.md"]


def test_inner_skills_are_named_with_a_command() -> None:
    left = [LeftOut(f"a/{name}/", "a skill of its own") for name in "bcdefgh"]
    told = list(inner_skills([LeftOut(".git", "x"), *left], "packed", "pack x/PATH -o NAME.zip"))
    assert told[0] == "a/b is a skill of its own and not packed; pack x/a/b -o b.zip"
    assert told[5:] == ["2 more inner skills are not packed"]


@pytest.mark.parametrize(
    ("body", "lost"),
    [
        ("[a](kept.md), [b](https://x.org/gone.md), [c](#part), [d](/gone.md), [e](mailto:x)", []),
        ("[a](gone.md)", ["gone.md"]),
        ("[a](gone.md#part) [b](./gone.md?x)", ["gone.md#part", "./gone.md?x"]),
        ("[a](sub/gone%20far.md)", ["sub/gone%20far.md"]),
        ("[a]: gone.md", ["gone.md"]),
        ("[a](never.md)", []),
        ("`[a](gone.md)`", []),
        ("```\n[a](gone.md)\n```", []),
    ],
)
def test_links_that_a_copy_breaks(body: str, lost: list[str]) -> None:
    """The file never.md is in neither, so its link was broken before."""
    names = ["kept.md", "gone.md", "sub/gone far.md"]
    whole = {"SKILL.md": f"{TEXT}\n{body}\n".encode(), **dict.fromkeys(names, b"x")}
    copy = MemoryTree({"SKILL.md": whole["SKILL.md"], "kept.md": b"x"}, "plain")
    found = lost_links(locate(MemoryTree(whole, "plain")).skill, copy, ["SKILL.md", "kept.md"])
    assert [line.split("the link to ")[1] for line in found] == [
        f"{written} leads to nothing in the copy" for written in lost
    ]


def test_links_of_other_files_are_read_too() -> None:
    files = {"SKILL.md": TEXT.encode(), "a/b.md": b"x\n[c](c.md)\n"}
    whole = MemoryTree({**files, "a/c.md": b"x"}, "plain")
    assert lost_links(locate(whole).skill, MemoryTree(files, "plain"), list(files)) == [
        "a/b.md:2: the link to c.md leads to nothing in the copy"
    ]


def test_many_lost_links_are_counted() -> None:
    links = "".join(f"[{number}](a/{number}.md)\n" for number in range(25))
    files = {"SKILL.md": (TEXT + links).encode()}
    whole = MemoryTree({**files, **{f"a/{number}.md": b"x" for number in range(25)}}, "plain")
    lost = lost_links(locate(whole).skill, MemoryTree(files, "plain"), ["SKILL.md"])
    assert (len(lost), lost[-1]) == (21, "5 more links do")


@POSIX
@pytest.mark.parametrize(
    ("link", "lost"),
    [
        (
            "../../shared/x.md",
            ["SKILL.md:6: this link leaves the skill, so it leads nowhere where"],
        ),
        ("../other/SKILL.md", []),
        ("away.md", ["SKILL.md:6: the link to away.md leads to nothing in the copy"]),
        ("gone.md", []),
    ],
)
def test_links_out_of_a_skill_are_lost(tmp_path: Path, link: str, lost: list[str]) -> None:
    """Another skill may be installed beside it, and a link that was broken before stays so."""
    root = tmp_path / "r"
    for path in (".git/x", "shared/x.md", "skills/other/SKILL.md", "skills/plain/SKILL.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{TEXT}[x]({link})\n")
    skill = root / "skills" / "plain"
    (skill / "away.md").symlink_to("/etc/hostname")
    (skill / "gone.md").symlink_to("nowhere.md")
    found = lost_links(locate(DiskTree(skill)).skill, DiskTree(skill), ["SKILL.md"])
    assert [line[: len(start)] for line, start in zip(found, lost, strict=True)] == lost
