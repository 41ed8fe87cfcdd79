"""Which isolation levels there are on this machine and on others, and that none is lowered without
a word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest
from tests.dryrun.isolation.field import User, sentence, user_of

from skillstudio.dryrun.isolation import launch
from skillstudio.dryrun.isolation.host import this_host
from skillstudio.dryrun.isolation.launch import _code
from skillstudio.dryrun.isolation.levels import (
    ISOLATION_LEVELS,
    IsolationId,
    IsolationLevel,
    IsolationLevels,
    IsolationUnavailable,
    probe_isolation,
)
from skillstudio.dryrun.network.choice import read_network
from skillstudio.dryrun.prepared import CopiedFolder, Options, RunFolders, StepStart

linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has isolation levels that confine"
)
HOST = this_host()
CONTAINER = Path(__file__).with_name("container.py")
SAID = """
import json
from skillstudio.dryrun.isolation.levels import probe_isolation
print(json.dumps([each._asdict() for each in probe_isolation().all]))
"""


def levels(*missing: IsolationId) -> IsolationLevels:
    levels = (
        IsolationLevel(name, name not in missing, "gone" * (name in missing), (f"{name}!",))
        for name in ISOLATION_LEVELS
    )
    return IsolationLevels(tuple(levels), HOST)


CHOICES = [
    # missing, isolation level, require, program: what is taken, or what is said
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
    (
        ("isolated",),
        "isolated",
        None,
        "process",
        "!isolation level isolated is not available: gone",
    ),
    (
        ("isolated",),
        None,
        "isolated",
        "process",
        "!no isolation level from isolated up is available: isolated: gone",
    ),
    (
        ("isolated", "confined"),
        None,
        "confined",
        "process",
        "!no isolation level from confined up is available: confined: gone; isolated: gone",
    ),
    ((), "copy", "confined", "process", "!isolation level copy is lower than confined"),
    (
        ("wasm",),
        None,
        "confined",
        "wasm",
        "!no isolation level from confined up is available: wasm: gone",
    ),
    (
        (),
        "wasm",
        None,
        "process",
        "!isolation level wasm cannot run a program that is not WASM",
    ),
    ((), "isolated", None, "wasm", "!isolation level isolated cannot run a WASM artifact"),
    ((), None, "wasm", "process", "!no isolation level for this program is as high as wasm"),
    (
        (),
        "safe",
        None,
        "process",
        "!unknown isolation level: safe; use one of plan, copy, confined, isolated, wasm",
    ),
    (
        (),
        None,
        "safe",
        "process",
        "!unknown isolation level: safe; use one of plan, copy, confined, isolated, wasm",
    ),
]


@pytest.mark.parametrize(("missing", "isolation", "require", "program", "expected"), CHOICES)
def test_choosing(
    missing: tuple[IsolationId, ...],
    isolation: str | None,
    require: str | None,
    program: str,
    expected: str,
) -> None:
    if expected.startswith("!"):
        with pytest.raises(IsolationUnavailable) as refused:
            levels(*missing).choose(isolation, require, program)
        assert str(refused.value) == expected[1:]
    else:
        chosen = levels(*missing).choose(isolation, require, program)
        assert (chosen.id, chosen.known_gaps) == (expected, (f"{expected}!",))


def test_a_run_that_reaches_hosts_has_the_gap_of_tunnels() -> None:
    tunnel = sentence("tunnel")
    hosts = levels().choose(network=read_network(["api.example.org"]))
    assert hosts.known_gaps == ("isolated!", tunnel)
    replay = levels().choose(network=read_network(["replay"]))
    assert replay.known_gaps == ("isolated!",)


def test_the_reasons_are_those_of_the_higher_isolation_levels() -> None:
    chosen = levels("isolated").choose("copy")
    assert chosen.reasons == {
        "confined": "another isolation level was requested",
        "isolated": "gone",
    }


def test_a_plan_starts_nothing(tmp_path: Path) -> None:
    ground = RunFolders(str(tmp_path), (CopiedFolder("/a", "/b"),), "/c", "/d")
    with pytest.raises(IsolationUnavailable, match="a plan starts nothing"):
        levels().prepare("plan", StepStart(["true"], {}, "/a", ground, Options()))


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_plan_and_copy_and_say_so(system: str) -> None:
    found = probe_isolation(HOST._replace(system=system, landlock=0, bwrap=None, observes=False))
    assert [isolation.id for isolation in found.all if isolation.available][:2] == ["plan", "copy"]
    for name in ("confined", "isolated"):
        assert "cannot confine programs on this system" in found.level(name).reason
    assert sentence("daemons") in found.level("copy").known_gaps


@linux
def test_it_is_probed_once() -> None:
    assert probe_isolation() is probe_isolation()


def test_only_what_a_choice_hangs_on_is_tried() -> None:
    tried: list[IsolationId] = []

    def probe(name: IsolationId) -> IsolationLevel:
        tried.append(name)
        return IsolationLevel(name, name != "isolated", "gone" * (name == "isolated"), ())

    several = IsolationLevels((), HOST, probe)
    assert several.choose().id == "confined"
    assert tried == ["isolated", "confined"]
    assert several.choose(require="confined").id == "confined"
    assert tried == ["isolated", "confined"]
    assert sorted(isolation.id for isolation in several.all) == sorted(ISOLATION_LEVELS)
    assert sorted(tried) == sorted(ISOLATION_LEVELS)


@linux
def test_without_landlock() -> None:
    found = probe_isolation(HOST._replace(landlock=0))
    assert "no Landlock" in found.level("confined").reason


@linux
def test_without_bwrap() -> None:
    found = probe_isolation(HOST._replace(bwrap=None))
    assert "bwrap is not installed" in found.level("isolated").reason


@linux
def test_where_nobody_may_observe_it_says_what_is_not_seen() -> None:
    found = probe_isolation(HOST._replace(observes=False))
    for isolation in found.all[1:4]:
        assert not isolation.traced
        assert not isolation.available or sentence("untraced") in isolation.known_gaps


@linux
def test_an_unknown_processor_has_no_filter() -> None:
    found = probe_isolation(HOST._replace(machine="vax", landlock=6))
    assert "for processor vax, only for aarch64 and x86_64" in found.level("confined").reason


def script(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@linux
def test_where_the_kernel_refuses_to_observe_it_runs_unobserved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = "def seize(pid):\n    raise OSError(1, 'refused')\n"
    refused = compile(source, "tracer.py", "exec")
    monkeypatch.setattr(launch, "_code", lambda name: refused if name == "tracer" else _code(name))
    found = probe_isolation(HOST._replace(path=os.defpath)).level("copy")
    assert (found.available, found.traced) == (True, False)
    assert sentence("untraced") in found.known_gaps


@linux
@pytest.mark.parametrize("before", ["", "Traceback (most recent call last):"])
def test_a_bwrap_that_fails_is_told_in_its_own_words(before: str, tmp_path: Path) -> None:
    said = f"echo '{before}' >&2; echo 'bwrap: No permissions' >&2; exit 1"
    broken = script(tmp_path, "bwrap", said)
    assert (
        probe_isolation(HOST._replace(bwrap=broken)).level("isolated").reason
        == "bwrap: No permissions"
    )


@linux
def test_a_bwrap_that_holds_nothing_is_found_out(tmp_path: Path) -> None:
    """It starts the program as it should, and that is all. Local sockets the launcher refuses."""
    shown = 'while [ "$1" != "--" ]; do shift; done; shift; exec "$@"'
    open_ = script(tmp_path, "bwrap", shown)
    reason = probe_isolation(HOST._replace(bwrap=open_, observes=False)).level("isolated").reason
    for what in ("wrote a file outside the copies", "sent over TCP", "sent over UDP"):
        assert what in reason


@pytest.mark.slow
@linux
@pytest.mark.parametrize("name", ["root", "ordinary"])
def test_in_an_ordinary_container_confined_is_the_highest(name: str) -> None:
    if not probe_isolation().level("confined").available:
        pytest.skip(probe_isolation().level("confined").reason)
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
    found = {isolation["id"]: isolation for isolation in json.loads(done.stdout)}
    assert not found["isolated"]["available"]
    assert found["isolated"]["reason"]
    assert found["confined"]["available"], found["confined"]
    assert found["confined"]["traced"] or not HOST.observes
    assert (sentence("process-count") in found["confined"]["known_gaps"]) == (name == "root")
