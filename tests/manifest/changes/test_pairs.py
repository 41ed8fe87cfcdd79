"""What a change of a manifest's text comes to, system by system, and every kind there is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from tests.interface import build
from tests.interface.matrix import bump

from skillstudio.files.listed import MemoryTree
from skillstudio.interface.change import Change
from skillstudio.interface.compare import compare
from skillstudio.interface.model import Interface
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project

HERE = Path(__file__).parent


class Pair(NamedTuple):
    name: str
    skill: str
    old: Mapping[str, str]
    new: Mapping[str, str]
    there: tuple[str, ...]
    back: tuple[str, ...]


def pairs() -> list[Pair]:
    rows = yaml.safe_load((HERE / "pairs.yaml").read_text(encoding="utf-8"))
    return [
        Pair(
            row["pair"],
            row["from"],
            row.get("old", {}),
            row.get("new", {}),
            tuple(row["there"]),
            tuple(row["back"]),
        )
        for row in rows
    ]


def interface(skill: str, instead: Mapping[str, str]) -> Interface:
    files = {path: text.encode() for path, text in files_of(skill, instead).items()}
    return project(locate(MemoryTree(files, skill)).skill)


def files_of(skill: str, instead: Mapping[str, str]) -> dict[str, str]:
    """The skill with some texts in the place of others, each of which is there once."""
    folder = HERE / "skills" / skill
    files = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    for text, other in instead.items():
        held = [path for path, content in files.items() if text in content]
        assert len(held) == 1, (text, held)
        files[held[0]] = files[held[0]].replace(text, other)
    return files


def told(changes: tuple[Change, ...]) -> list[str]:
    return [bump(changes), *sorted(change.kind for change in changes)]


PAIRS = pairs()


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{pair.skill}: {pair.name}" for pair in PAIRS])
def test_every_pair_gives_its_kinds_and_its_bump(pair: Pair) -> None:
    old, new = interface(pair.skill, pair.old), interface(pair.skill, pair.new)
    there = compare(old, new, all_kinds())
    back = compare(new, old, all_kinds())
    assert told(there) == [pair.there[0], *sorted(pair.there[1:])]
    assert told(back) == [pair.back[0], *sorted(pair.back[1:])]
    for change in (*there, *back):
        assert change.old_place or change.new_place, change


def test_no_skill_differs_from_itself() -> None:
    for skill in sorted({pair.skill for pair in PAIRS}):
        assert compare(interface(skill, {}), interface(skill, {}), all_kinds()) == ()


def test_every_kind_has_a_pair() -> None:
    shown = {kind for pair in PAIRS for kind in (*pair.there[1:], *pair.back[1:])}
    shown |= {kind for pair in build.pairs() for kind in (*pair.there[1:], *pair.back[1:])}
    assert all_kinds().by_id.keys() - shown == set()
    assert shown - all_kinds().by_id.keys() == set()
