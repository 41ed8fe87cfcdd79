"""Which rungs there are on this machine and on others, and that none is lowered without a word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest
from tests.dryrun.rungs.field import User, user_of

from skillstudio.dryrun.prepared import Options
from skillstudio.dryrun.rungs.canary import CopiedPlace, Place
from skillstudio.dryrun.rungs.holes import sentence
from skillstudio.dryrun.rungs.host import this_host
from skillstudio.dryrun.rungs.ladder import (
    RUNGS,
    Ladder,
    Rung,
    RungId,
    RungUnavailable,
    probe_rungs,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has rungs that confine")
HOST = this_host()
CONTAINER = Path(__file__).with_name("container.py")
SAID = """
import json
from skillstudio.dryrun.rungs.ladder import probe_rungs
print(json.dumps([rung._asdict() for rung in probe_rungs().rungs]))
"""


def ladder(*missing: RungId) -> Ladder:
    rungs = (
        Rung(name, name not in missing, "gone" * (name in missing), (f"{name}!",)) for name in RUNGS
    )
    return Ladder(tuple(rungs), HOST)


CHOICES = [
    # missing, rung, require, program: what is taken, or what is said
    ((), None, None, "process", "isolated"),
    (("isolated",), None, None, "process", "confined"),
    (("isolated", "confined"), None, None, "process", "copy"),
    (("isolated", "confined", "copy"), None, None, "process", "plan"),
    ((), "copy", None, "process", "copy"),
    ((), "plan", None, "process", "plan"),
    ((), None, "confined", "process", "isolated"),
    (("isolated",), None, "confined", "process", "confined"),
    ((), None, None, "wasm", "wasm"),
    (("wasm",), None, None, "wasm", "plan"),
    ((), None, "isolated", "wasm", "wasm"),
    ((), "wasm", None, "wasm", "wasm"),
    (("isolated",), "isolated", None, "process", "!the rung isolated is not available: gone"),
    (
        ("isolated",),
        None,
        "isolated",
        "process",
        "!isolated or a higher rung is not available; isolated: gone",
    ),
    (
        ("isolated", "confined"),
        None,
        "confined",
        "process",
        "!confined or a higher rung is not available; confined: gone; isolated: gone",
    ),
    ((), "copy", "confined", "process", "!the rung copy is lower than confined"),
    (
        ("wasm",),
        None,
        "confined",
        "wasm",
        "!confined or a higher rung is not available; wasm: gone",
    ),
    ((), "wasm", None, "process", "!the rung wasm does not run a program that is not WASM"),
    ((), "isolated", None, "wasm", "!the rung isolated does not run a WASM artifact"),
    ((), None, "wasm", "process", "!no rung for this program reaches wasm"),
    (
        (),
        "safe",
        None,
        "process",
        "!there is no rung safe; the rungs are plan, copy, confined, isolated, wasm",
    ),
    (
        (),
        None,
        "safe",
        "process",
        "!there is no rung safe; the rungs are plan, copy, confined, isolated, wasm",
    ),
]


@pytest.mark.parametrize(("missing", "rung", "require", "program", "expected"), CHOICES)
def test_choosing(
    missing: tuple[RungId, ...], rung: str | None, require: str | None, program: str, expected: str
) -> None:
    if expected.startswith("!"):
        with pytest.raises(RungUnavailable) as refused:
            ladder(*missing).choose(rung, require, program)
        assert str(refused.value) == expected[1:]
    else:
        chosen = ladder(*missing).choose(rung, require, program)
        assert (chosen.id, chosen.holes) == (expected, (f"{expected}!",))


def test_the_reasons_are_those_of_the_higher_rungs() -> None:
    chosen = ladder("isolated").choose("copy")
    assert chosen.reasons == {"confined": "another rung is asked for", "isolated": "gone"}


def test_a_plan_starts_nothing(tmp_path: Path) -> None:
    ground = Place(str(tmp_path), (CopiedPlace("/a", "/b"),), "/c", "/d")
    with pytest.raises(RungUnavailable, match="a plan starts nothing"):
        ladder().prepare("plan", ["true"], {}, "/a", ground, Options())


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_plan_and_copy_and_say_so(system: str) -> None:
    found = probe_rungs(HOST._replace(system=system, landlock=0, bwrap=None, strace=None))
    assert [rung.id for rung in found.rungs if rung.available][:2] == ["plan", "copy"]
    for name in ("confined", "isolated"):
        assert "this system has nothing" in found.rung(name).reason
    assert sentence("daemons") in found.rung("copy").holes


@linux
def test_it_is_probed_once() -> None:
    assert probe_rungs() is probe_rungs()


def test_only_what_a_choice_hangs_on_is_tried() -> None:
    tried: list[RungId] = []

    def probe(name: RungId) -> Rung:
        tried.append(name)
        return Rung(name, name != "isolated", "gone" * (name == "isolated"), ())

    several = Ladder((), HOST, probe)
    assert several.choose().id == "confined"
    assert tried == ["isolated", "confined"]
    assert several.choose(require="confined").id == "confined"
    assert tried == ["isolated", "confined"]
    assert sorted(rung.id for rung in several.rungs) == sorted(RUNGS)
    assert sorted(tried) == sorted(RUNGS)


@linux
def test_without_landlock() -> None:
    found = probe_rungs(HOST._replace(landlock=0))
    assert "no Landlock" in found.rung("confined").reason


@linux
def test_without_bwrap() -> None:
    found = probe_rungs(HOST._replace(bwrap=None))
    assert "bwrap is not installed" in found.rung("isolated").reason


@linux
def test_without_strace_it_says_what_is_not_seen() -> None:
    found = probe_rungs(HOST._replace(strace=None))
    for rung in found.rungs[1:4]:
        assert not rung.traced
        assert not rung.available or sentence("untraced") in rung.holes


@linux
def test_an_unknown_processor_has_no_filter() -> None:
    found = probe_rungs(HOST._replace(machine="vax", landlock=6))
    assert "knows aarch64 and x86_64, and this is vax" in found.rung("confined").reason


def script(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@linux
def test_a_strace_that_does_not_work_is_not_used(tmp_path: Path) -> None:
    broken = script(tmp_path, "strace", "echo no >&2; exit 1")
    found = probe_rungs(HOST._replace(strace=broken)).rung("copy")
    assert (found.available, found.traced) == (True, False)


@linux
def test_a_bwrap_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    broken = script(tmp_path, "bwrap", "echo 'bwrap: No permissions' >&2; exit 1")
    assert (
        probe_rungs(HOST._replace(bwrap=broken)).rung("isolated").reason == "bwrap: No permissions"
    )


@linux
def test_a_bwrap_that_holds_nothing_is_found_out(tmp_path: Path) -> None:
    """It starts the program as it should, and that is all. Local sockets the launcher refuses."""
    shown = 'while [ "$1" != "--" ]; do shift; done; shift; exec "$@"'
    open_ = script(tmp_path, "bwrap", shown)
    reason = probe_rungs(HOST._replace(bwrap=open_, strace=None)).rung("isolated").reason
    for what in ("wrote a file outside the copies", "sent over TCP", "sent over UDP"):
        assert what in reason


@linux
@pytest.mark.parametrize("name", ["root", "ordinary"])
def test_in_an_ordinary_container_confined_is_the_highest(name: str) -> None:
    if not probe_rungs().rung("confined").available:
        pytest.skip(probe_rungs().rung("confined").reason)
    user = user_of(name)
    if not isinstance(user, User):
        pytest.skip(user)
    # The interpreter of that user may have none of the packages.
    source = [Path(__file__).parents[3] / "src", Path(platformdirs.__file__).parents[1]]
    packages = os.pathsep.join(map(str, source))
    done = subprocess.run(
        [*user.prefix, user.python, str(CONTAINER), user.python, "-c", SAID],
        env={"PYTHONPATH": packages, "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=True,
    )
    found = {rung["id"]: rung for rung in json.loads(done.stdout)}
    assert not found["isolated"]["available"]
    assert found["isolated"]["reason"]
    assert found["confined"]["available"], found["confined"]
    assert found["confined"]["traced"] or HOST.strace is None
    assert (sentence("process-count") in found["confined"]["holes"]) == (name == "root")
