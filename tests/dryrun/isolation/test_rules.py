"""What may be read and written: the masks, and the rules that leave them out."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from skillstudio.dryrun.isolation import landlock, readable
from skillstudio.dryrun.isolation.launch import map_to_copy
from skillstudio.dryrun.prepared import CopiedFolder, RunFolders


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in (".ssh", ".config/gh", "work/deep", ".cargo"):
        (tmp_path / name).mkdir(parents=True)
    for name in (".ssh/id", ".netrc", ".cargo/credentials.toml", ".cargo/env", ".bashrc"):
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to(".ssh")
    return tmp_path


def test_what_is_masked_is_what_is_there(home: Path) -> None:
    found = [path for path in readable.find_masked_paths(str(home)) if path.startswith(str(home))]
    names = [os.path.relpath(path, home) for path in found]
    assert names == [".cargo/credentials.toml", ".config/gh", ".netrc", ".ssh"]


def test_a_masked_link_masks_what_it_leads_to(home: Path) -> None:
    (home / ".kube").symlink_to("work")
    assert str(home / "work") in readable.find_masked_paths(str(home))


def test_without_a_home_there_are_the_files_of_the_system() -> None:
    assert all(path.startswith(("/etc", "/run", "/var")) for path in readable.find_masked_paths(""))


def test_what_is_hidden_is_left_out_of_what_is_allowed(home: Path) -> None:
    hidden = [str(home / name) for name in (".ssh", ".netrc", ".cargo/credentials.toml")]
    rules = [os.path.relpath(path, home) for path in landlock.subtract_paths([str(home)], hidden)]
    assert rules == [".bashrc", ".cargo/env", ".config", "work"]
    assert landlock.subtract_paths([str(home / ".ssh" / "deep")], hidden) == []
    assert landlock.subtract_paths([str(home / "work")], hidden) == [str(home / "work")]


def may_read(path: str, rules: list[str]) -> bool:
    return any(path == rule or path.startswith(rule + "/") for rule in rules)


def test_every_path_is_readable_or_masked(home: Path) -> None:
    """No link: where one leads, another rule decides."""
    hidden = [str(home / ".ssh"), str(home / ".cargo" / "credentials.toml")]
    rules = landlock.subtract_paths([str(home)], hidden)
    for path in home.rglob("*"):
        if path.is_file() and not path.is_symlink():
            masked = any(str(path) == each or str(path).startswith(each + "/") for each in hidden)
            assert may_read(str(path), rules) is not masked, path


SIZES = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16, 6: 24, 7: 24}
BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16}


@pytest.mark.parametrize("abi", SIZES)
def test_each_abi_is_asked_for_what_it_knows(abi: int) -> None:
    asked = landlock.attributes(abi)
    assert len(asked) == SIZES[abi]
    assert struct.unpack_from("=Q", asked)[0] == (1 << BITS[abi]) - 1


@pytest.mark.parametrize("abi", SIZES)
def test_a_program_with_a_network_of_its_own_keeps_it(abi: int) -> None:
    """Every level keeps files and other programs; `isolated` has a network without anybody."""
    asked = struct.unpack(f"={SIZES[abi] // 8}Q", landlock.attributes(abi, network=True))
    assert asked[1:] == (0, 0b11)[: len(asked) - 1]


@pytest.mark.parametrize("abi", SIZES)
def test_inside_a_view_writing_is_for_the_copies_and_the_own_devices(abi: int) -> None:
    """What keeps a program from writing to a named pipe that it can see."""
    made = landlock.inside_view(abi, ["/copy"])
    assert all(rule.access & ~landlock.compute_rights(abi) == 0 for rule in made.rules)
    assert [rule.path for rule in made.rules if rule.access & 0b10] == ["/dev", "/dev/shm", "/copy"]


@pytest.mark.parametrize("abi", SIZES)
def test_no_rule_grants_what_is_not_held(abi: int) -> None:
    made = landlock.ruleset(abi, ["/copy"], [])
    assert all(rule.access & ~landlock.compute_rights(abi) == 0 for rule in made.rules)
    writing = [rule.path for rule in made.rules if rule.access & 0b10]
    devices = [f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty")]
    assert writing == [*devices, "/copy"]


MOVED = [
    ("/srv/work/a", "/run/0/a"),
    ("/srv/work", "/run/0"),
    ("/srv/work/skill/x", "/run/1/x"),
    ("/workshop", "/workshop"),
    ("work/a", "work/a"),
    ("--file=/srv/work/a", "--file=/srv/work/a"),
    ("", ""),
]


@pytest.mark.skipif(os.sep != "/", reason="paths of this test have the other stroke")
@pytest.mark.parametrize(("value", "expected"), MOVED)
def test_a_path_of_an_original_is_that_of_its_copy(value: str, expected: str) -> None:
    copies = (CopiedFolder("/srv/work", "/run/0"), CopiedFolder("/srv/work/skill", "/run/1"))
    assert map_to_copy(value, RunFolders("/run", copies, "/run/home", "/run/tmp")) == expected
