"""The gate: paths that lead out of a copy, at every isolation level, by every way they are handed.

The copies are made by hand, so that what staging would leave out, or what a program put there in an
earlier pass, lies in them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("no isolation level that confines is on this system", allow_module_level=True)

from tests.dryrun.isolation.field import sentence
from tests.dryrun.running.ground import Start

from skillstudio.dryrun.isolation import launch, wasm
from skillstudio.dryrun.isolation.gate import GateRefused
from skillstudio.dryrun.isolation.host import this_host
from skillstudio.dryrun.isolation.known_gaps import known_gaps
from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.prepared import CopiedFolder, Options, Preopen, StepStart
from skillstudio.dryrun.wasi_preopens import refusals, wasi_preopens
from skillstudio.files import beneath
from skillstudio.interface.model import Interface, Term

LEVELS = ("copy", "confined", "isolated", "wasm")
Make = Callable[[Path, Path], None]
"""Puts what leads out into a copy; the second folder is what must not be reached."""


def link(name: str, target: str) -> Make:
    def make(copy: Path, outside: Path) -> None:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).symlink_to(target.replace("OUTSIDE", str(outside)))

    return make


def chain(copy: Path, outside: Path) -> None:
    """Links whose words stay inside, and which together go up further than they are deep."""
    deep = copy / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "up").symlink_to("../../..")
    (deep / "chain").symlink_to("up/../outside")


def long_chain(copy: Path, outside: Path) -> None:
    for number in range(8):
        (copy / f"l{number}").symlink_to(f"l{number + 1}")
    (copy / "l8").symlink_to(outside)


ESCAPES: dict[str, tuple[Make, str]] = {
    "absolute link": (link("data", "OUTSIDE"), "data"),
    "relative link": (link("data", "../outside"), "data"),
    "relative link, deeper": (link("x/data", "../../outside"), "x/data"),
    "absolute link in the middle": (link("data", "OUTSIDE"), "data/inner"),
    "relative link in the middle": (link("data", "../outside"), "data/inner"),
    "chain of relative links": (chain, "a/b/c/chain"),
    "chain of links to an absolute one": (long_chain, "l0"),
    "link to the folder above": (link("data", ".."), "data/outside"),
    "link to the root": (link("data", "/"), "data/OUTSIDE"),
    "link to /proc/self/root": (link("data", "/proc/self/root"), "data/OUTSIDE"),
    "link to /proc/self/cwd": (link("data", "/proc/self/cwd"), "data"),
    "link to another process's folder": (link("data", f"/proc/{os.getpid()}/cwd"), "data"),
    "link to a descriptor": (link("data", "/proc/self/fd/0"), "data"),
    "link to itself": (link("data", "data"), "data"),
    "..": (lambda copy, outside: None, "../outside"),
    ".. in the middle": (link("x/y", "z"), "x/../../outside"),
    ".. behind a link": (link("data", "."), "data/../outside"),
}


@pytest.fixture(params=["openat2", "walk"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to open a path beneath a folder."""
    if request.param == "walk":
        monkeypatch.setattr(beneath, "has_openat2", lambda: False)
    elif not beneath.has_openat2():
        pytest.skip("this kernel has no openat2, or a filter refuses it")


@pytest.fixture
def start(tmp_path: Path) -> Start:
    made = Start(tmp_path)
    (tmp_path / "outside" / "inner").mkdir(parents=True)
    (tmp_path / "outside" / "program").write_text("#!/bin/sh\necho out\n")
    (tmp_path / "outside" / "program").chmod(0o755)
    return made


def escaping(start: Start, name: str) -> str:
    """Make an escape in the copy; the path of the original that leads out by it."""
    make, path = ESCAPES[name]
    outside = start.folder / "outside"
    make(start.copy, outside)
    original = start.ground.copies[0].original
    return f"{original}/{path.replace('OUTSIDE', str(outside).lstrip('/'))}"


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("level", LEVELS)
def test_a_path_that_leads_out_of_its_copy_starts_nothing(
    start: Start, level: str, name: str
) -> None:
    """As the folder that a program starts in; at `wasm` as a folder that it is given."""
    if reason := probe_isolation().level(level).reason:
        pytest.skip(reason)
    path = escaping(start, name)
    options, cwd, argv = Options(), path, ("/bin/sh", "-c", "pwd")
    if level == "wasm":
        (start.copy / "program.wasm").write_bytes(b"")
        cwd = start.ground.copies[0].original
        options = Options(wasi_preopens=(Preopen(path, "data", writable=True),))
        argv = (f"{cwd}/program.wasm",)
    with pytest.raises(GateRefused, match="leads out of its copy"):
        probe_isolation().prepare(level, StepStart(argv, {}, cwd, start.ground, options))


@pytest.mark.parametrize("name", ["absolute link", "relative link", "chain of relative links"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_program_outside_of_its_copy_is_not_started(start: Start, level: str, name: str) -> None:
    if reason := probe_isolation().level(level).reason:
        pytest.skip(reason)
    path = escaping(start, name) + "/program"
    cwd = start.ground.copies[0].original
    for argv in ((path,), ("/bin/sh", path)) if level != "wasm" else ((path,),):
        with pytest.raises(GateRefused, match="leads out of its copy"):
            probe_isolation().prepare(level, StepStart(argv, {}, cwd, start.ground, Options()))


@pytest.mark.parametrize("folder", ["copy", "home", "tmp"])
@pytest.mark.parametrize("level", LEVELS[:3])
def test_a_folder_of_the_run_that_became_a_link_is_not_used(
    start: Start, level: str, folder: str
) -> None:
    """On `copy` a program can do that to the folders of its own run, in the first of two passes."""
    (start.folder / folder).rmdir()
    (start.folder / folder).symlink_to(start.folder / "outside")
    with pytest.raises(GateRefused, match="leads out of its copy"):
        start(level, "/bin/true")


@pytest.mark.parametrize("level", LEVELS[:3])
def test_what_stays_inside_is_used(start: Start, level: str) -> None:
    (start.copy / "real" / "deep").mkdir(parents=True)
    (start.copy / "link").symlink_to("real")
    (start.copy / "go").symlink_to("real/go")
    (start.copy / "real" / "go").write_text("#!/bin/sh\npwd\n")
    (start.copy / "real" / "go").chmod(0o755)
    original = start.ground.copies[0].original
    ran = start(level, f"{original}/go")
    assert (ran.ended.exit_code, ran.err) == (0, b"")


LAUNCHER = os.path.join(os.path.dirname(launch.__file__), "launcher.py")
FORGED = "import os, sys\nos.write(int(sys.argv[3]), b'exit 0\\nleft 0\\n')\n"


@pytest.mark.parametrize("launcher", ["", FORGED], ids=["not copied", "replaced by the program"])
def test_the_launcher_is_never_that_of_a_copy(start: Start, launcher: str) -> None:
    """As where skillstudio is installed in a `.venv` of the workspace."""
    if launcher:
        (start.copy / os.path.basename(LAUNCHER)).write_text(launcher)
    before = sorted(start.copy.iterdir())
    copied = CopiedFolder(os.path.dirname(LAUNCHER), str(start.copy))
    start.ground = start.ground._replace(copies=(copied,))
    ran = start("isolated", "/bin/sh", "-c", "echo ran; exit 3")
    assert (ran.ended.exit_code, ran.out) == (3, b"ran\n"), ran
    assert sorted(start.copy.iterdir()) == before


def test_the_python_that_runs_the_launcher_is_never_that_of_a_copy(start: Start) -> None:
    folder = os.path.dirname(os.path.realpath(sys.executable))
    start.ground = start.ground._replace(copies=(CopiedFolder(folder, str(start.copy)),))
    with pytest.raises(GateRefused, match="the Python that runs skillstudio is inside"):
        start("isolated", "/bin/true")


def capability(kind: str, *paths: str) -> Interface:
    return Interface("x", permissions=(Term("capability", paths, "allow-list", kind),))


PLANNED = [
    # what a manifest asks for, the problem of the plan, its severity
    ("data", "capability-outside", "error"),
    ("ROOT/data", "capability-outside", "error"),
    ("ROOT/data/inner", "capability-outside", "error"),
    ("ROOT/../outside", "capability-outside", "error"),
    ("../outside", "capability-outside", "error"),
    ("ROOT/x/../../outside", "capability-outside", "error"),
    ("/etc", "capability-not-copied", "warning"),
    ("ROOT-other", "capability-not-copied", "warning"),
    ("a\0b", "capability-not-copied", "warning"),
    ("*", "", ""),
    ("ROOT", "", ""),
    ("inside", "", ""),
    ("not-there", "", ""),
    ("link-inside", "", ""),
]


@pytest.mark.parametrize(("path", "rule", "severity"), PLANNED)
def test_what_a_manifest_asks_for_is_judged_in_the_plan(
    tmp_path: Path, path: str, rule: str, severity: str
) -> None:
    work, skill = tmp_path / "work", tmp_path / "skill"
    for folder in (work / "inside", work / "x", skill, tmp_path / "outside"):
        folder.mkdir(parents=True)
    (work / "data").symlink_to(tmp_path / "outside")
    (work / "link-inside").symlink_to("inside")
    roots = Roots(str(work), str(skill))
    interface = capability("fs.write", path.replace("ROOT", str(work)))
    found = list(refusals(interface, roots))
    assert [(each.rule, each.severity) for each in found] == ([(rule, severity)] if rule else [])
    if severity == "warning":
        assert wasi_preopens(interface, roots) == ()


# What holds wasmtime itself.

OWN = """
import errno, json, os, socket, sys
outside, inside = sys.argv[3:]
def tried(what):
    try:
        what()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
def write(path):
    with open(path, "w") as file:
        file.write("changed")
print(json.dumps({
    "write": tried(lambda: write(outside)),
    "read": tried(lambda: open(outside).close()),
    "list": tried(lambda: os.listdir(os.path.dirname(outside))),
    "socket": tried(lambda: socket.socket()),
    "inside": tried(lambda: write(f"{inside}/new")),
}))
"""


def test_wasmtime_itself_is_confined(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that broke out of WASI would find that it still cannot do more."""
    if not this_host().landlock:
        pytest.skip("this kernel has no Landlock")
    pytest.importorskip("wasmtime")
    child = start.folder / "tmp" / "child.py"
    child.write_text(OWN)
    monkeypatch.setattr(wasm, "_CHILD", str(child))
    (start.copy / "given").mkdir()
    (start.copy / "program.wasm").write_bytes(b"")
    secret = start.folder / "outside" / "secret"
    secret.write_text("as it was")
    original = start.ground.copies[0].original
    options = Options(wasi_preopens=(Preopen(f"{original}/given", "data", writable=True),))
    arguments = (str(secret), f"{start.copy}/given")
    ran = start("wasm", f"{original}/program.wasm", *arguments, options=options)
    assert json.loads(ran.out) == {
        "write": "EACCES",
        "read": "EACCES",
        "list": "EACCES",
        "socket": "EACCES",
        "inside": "done",
    }, ran.err
    assert secret.read_text() == "as it was"


def test_wasi_without_landlock_is_a_known_gap() -> None:
    host = this_host()
    assert sentence("wasi-files") in known_gaps("wasm", host._replace(landlock=0), is_traced=False)
    assert sentence("wasi-calls") in known_gaps(
        "wasm", host._replace(machine="vax"), is_traced=False
    )
    whole = host._replace(landlock=6, machine="x86_64", system="linux")
    assert known_gaps("wasm", whole, is_traced=False) == ()
