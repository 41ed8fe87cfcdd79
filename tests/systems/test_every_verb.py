"""Every verb of the command line on other systems."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import Client as Editor

from skillstudio.cli.verbs import ALIASES, all_verbs

HERE = Path(__file__).parent
SMOKE = runpy.run_path(str(HERE.parents[1] / ".ci" / "smoke.py"))
STEPS: list[tuple[str, int]] = SMOKE["STEPS"]
MORE = [("test echo-json", 0), ("trace show last", 0), ("preview --run last", 0)]
OPENED_BY_OTHERS: dict[str, str] = SMOKE["OPENED_BY_OTHERS"]
SYSTEMS = ("macos", "windows")
SPECIAL = ("(import every module)", "(open the workbench)")
FIRST = ("check .", "check . --format sarif", "show memory --format json", "lock memory", "doctor")
"""What `make test` runs; the others are slow."""
_RUN = "run memory search -i query=tea --yes"
_CONFINES = "skillstudio cannot confine programs on this system; use Linux, a container or WSL"
REFUSALS = {
    f"{_RUN} --isolation confined": f"isolation level confined is not available: {_CONFINES}",
    f"{_RUN} --require-isolation isolated": (
        f"no isolation level from isolated up is available: isolated: {_CONFINES}"
    ),
    f"{_RUN} --net none": (
        "--net none: no isolation level from confined up is available: "
        f"confined: {_CONFINES}; isolated: {_CONFINES}"
    ),
}
"""What no system but Linux can do, with the one sentence on standard error; the exit status is 4,
that of a missing isolation level."""
LAST = f"{_RUN} --isolation copy --format json"
Results = dict[str, dict[str, Any]]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system is what is removed")


def run_steps(system: str, folder: Path, steps: list[str]) -> Results:
    """Run steps on a copy of the examples in one process."""
    place: Path = SMOKE["_workspace"](folder)
    (place / "greeter" / "alias.md").symlink_to("SKILL.md")
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", HERE / "every_verb.py", system, place],
        input=json.dumps(steps), env=environment(folder), capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    files = [path for path in place.rglob("*") if path.is_file() and ".git" not in path.parts]
    contents = {path: path.read_bytes() for path in files}
    # What an author commits has the same line ends on every system.
    assert [path for path, data in contents.items() if b"\r\n" in data and b"\0" not in data] == []
    return dict(zip(steps, json.loads(done.stdout), strict=True))


def environment(folder: Path) -> dict[str, str]:
    """Variables with a home in a folder, and the programs of other systems on PATH."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    path = os.pathsep.join((str(HERE / "programs"), os.environ["PATH"]))
    names = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "PATH": path}
    return {**os.environ, **names}


def check_result(wanted: int, result: dict[str, Any]) -> None:
    """Fail unless a step ended with this exit status, without a traceback or crash report."""
    err = result["err"]
    assert "Traceback" not in err
    assert "This is a bug" not in err
    assert result["status"] == wanted, f"{result['out'][-2000:]}\n{err}"


@pytest.fixture(scope="module", params=SYSTEMS)
def system_results(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Results]:
    """A system and the results of all steps there, from one process."""
    system = request.param
    steps = [*SPECIAL, *(line for line, _ in (*STEPS, *MORE)), *REFUSALS, LAST]
    return system, run_steps(system, tmp_path_factory.mktemp(system), steps)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_first_verbs_work(system: str, tmp_path: Path) -> None:
    wanted = dict(STEPS)
    for step, result in run_steps(system, tmp_path, list(FIRST)).items():
        check_result(wanted[step], result)


@pytest.mark.slow
@pytest.mark.parametrize(("step", "wanted"), [*((step, 0) for step in SPECIAL), *STEPS, *MORE])
def test_a_step_ends_as_on_linux(
    system_results: tuple[str, Results], step: str, wanted: int
) -> None:
    check_result(wanted, system_results[1][step])


@pytest.mark.slow
@pytest.mark.parametrize("step", REFUSALS)
def test_what_only_linux_can_do_is_refused_with_advice(
    system_results: tuple[str, Results], step: str
) -> None:
    result = system_results[1][step]
    check_result(4, result)
    assert result["err"] == f"skillstudio: {REFUSALS[step]}\n"


@pytest.mark.slow
def test_a_run_reports_links_that_cannot_be_created(system_results: tuple[str, Results]) -> None:
    system, results = system_results
    check_result(0, results[LAST])
    is_named = "Windows lets this user create no links" in results[LAST]["out"]
    assert is_named == (system == "windows")


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_run_is_ended_with_what_it_started(system: str, tmp_path: Path) -> None:
    scripts = tmp_path / "slow" / "scripts"
    scripts.mkdir(parents=True)
    text = "---\nname: slow\ndescription: Waits. Use it to wait.\n---\n"
    (tmp_path / "slow" / "SKILL.md").write_text(text)
    seconds = f"3{SYSTEMS.index(system)}.{os.getpid()}"
    (scripts / "go.sh").write_text(f"sleep {seconds} & sleep {seconds}\n")
    words = ["run", "slow", "scripts/go.sh", "--isolation", "copy", "--timeout", "1"]
    words += ["--workspace", "slow"]
    done = subprocess.run(
        [sys.executable, HERE / "as_system.py", system, *words],
        cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False,
        timeout=100,
    )  # fmt: skip
    assert done.returncode == 124, done.stdout + done.stderr
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in running if seconds.encode() in line]


def test_every_verb_has_a_step() -> None:
    verbs = {line.split()[0] for line, _ in STEPS} | set(OPENED_BY_OTHERS)
    assert {*all_verbs(), *ALIASES} - verbs == set()
    assert set(FIRST) <= {line for line, _ in STEPS}
    assert set(OPENED_BY_OTHERS) == {"lsp", "mcp", "serve"}


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_an_editor_gets_the_capabilities_and_problems(system: str, tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="pygls is not installed")
    (tmp_path / "tea").mkdir()
    text = "---\nname: tea\ndescription: Use when: tea.\n---\n"
    (tmp_path / "tea" / "SKILL.md").write_text(text)
    editor = Editor([sys.executable, str(HERE / "as_system.py"), system, "lsp"])
    try:
        assert editor.start(tmp_path)["hoverProvider"]
        uri = editor.open(tmp_path / "tea" / "SKILL.md", text)
        codes = [problem["code"] for problem in editor.problems(uri)]
        assert "description-unquoted" in codes
        assert editor.end() == 0
    finally:
        editor.process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_an_agent_is_answered_and_the_server_ends_with_its_input(
    system: str, tmp_path: Path
) -> None:
    pytest.importorskip("mcp", reason="mcp is not installed")
    client = {"name": "test", "version": "1"}
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
    done = subprocess.run(
        [sys.executable, HERE / "as_system.py", system, "mcp"],
        input=json.dumps(message) + "\n", env=environment(tmp_path), capture_output=True, text=True,
        check=False, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "skillstudio"


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_browser_gets_the_page(system: str, tmp_path: Path) -> None:
    pytest.importorskip("textual_serve", reason="textual-serve is not installed")
    from urllib.request import urlopen

    server = subprocess.Popen(
        [sys.executable, "-u", HERE / "as_system.py", system, "serve", str(tmp_path)],
        env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        lines = []
        for line in server.stdout:
            lines.append(line)
            if found := re.search(r"http://\S+", line):
                break
        else:
            pytest.fail("".join(lines))
        with urlopen(found[0], timeout=60) as page:
            assert page.status == 200
    finally:
        server.kill()
        server.wait()
