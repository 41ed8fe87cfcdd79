"""`run --net` and samples with a network, from the command line to the report."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.dryrun.network.server import Answer, serving
from tests.dryrun.skills import block_skill, offered

from skillstudio.dryrun.isolation.host import this_host
from skillstudio.dryrun.isolation.levels import IsolationUnavailable, probe_isolation
from skillstudio.dryrun.network.choice import read_network
from skillstudio.dryrun.network.proxy import Proxy
from skillstudio.dryrun.traces.store import copies_folder

GET = """\
import sys, urllib.request
url = sys.argv[1]
body = "".join(sys.argv[2:]).encode() or None
try:
    with urllib.request.urlopen(urllib.request.Request(url, body), timeout=60) as page:
        text = page.read().decode()
except OSError as error:
    text = f"failed: {error}"
open("page.txt", "w").write(text)
print(text)
"""
PYTHON = os.path.realpath(sys.executable)


def answer(method: str, path: str, body: bytes) -> Answer:
    return 200, {"Content-Type": "text/plain"}, f"{method} {path} {body.decode()}".encode()


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def fetcher(folder: Path, **options: Any) -> Path:
    """A skill that fetches a URL and writes what it got."""
    effects = ["net.fetch", "fs.write", "fs.read", "proc.exec"]
    url = {"url": {"type": "string", "required": True}}
    options = {"effects": effects, "inputs": url, "interpreter": "python3", **options}
    return block_skill(folder, GET, **options)


def report(run: Run, *words: str | Path) -> dict[str, Any]:
    ran = run("run", *words, "--format", "json", "--trace", "off")
    copies = Path(copies_folder())
    assert not copies.exists() or not list(copies.iterdir())
    assert ran.out, ran.err
    return {**ran.json, "status": ran.status}


def evidence(found: dict[str, Any]) -> list[str]:
    lines = [e["evidence"] for e in found["effects"] if e["effect"] == "net.fetch"]
    return [line for each in lines for line in each]


def printed(run: Run, skill: Path, *words: str) -> str:
    """The end of the standard output of a run."""
    ran = run("run", skill, "go", *words, "--trace", "off")
    return ran.out.partition("stdout\n")[2]


@pytest.mark.parametrize("isolation", ["confined", "isolated"])
def test_package_managers_do_not_try_again_where_the_network_is_closed(
    run: Run, work: Path, tmp_path: Path, isolation: str
) -> None:
    skill = block_skill(tmp_path / "skill", 'echo "$PIP_RETRIES $npm_config_fetch_retries"\n')
    words = ("--isolation", offered(isolation), "--net", "none")
    assert printed(run, skill, *words).split()[:2] == ["0", "0"]


LISTENS = """\
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    with socket.create_connection(server.getsockname()) as client:
        print("reached", client.getpeername()[0])
"""


def test_a_program_reaches_its_own_servers(run: Run, work: Path, tmp_path: Path) -> None:
    offered("isolated")
    skill = block_skill(tmp_path / "skill", LISTENS, interpreter="python3")
    assert "reached 127.0.0.1" in printed(run, skill, "--net", "loopback")


def test_a_program_reaches_named_hosts_only(run: Run, work: Path, tmp_path: Path) -> None:
    offered("isolated")
    skill = fetcher(tmp_path / "skill")
    with serving(answer) as port, serving(answer) as other:
        words = (skill, "go", "--net", f"127.0.0.1:{port}")
        good = report(run, *words, "-i", f"url=http://127.0.0.1:{port}/a")
        service = report(run, *words, "-i", f"url=http://127.0.0.1:{other}/a")
        host = report(run, *words, "-i", "url=http://other.example/a")
    assert good["ok"]
    assert good["network"] == [f"127.0.0.1:{port}"]
    assert evidence(good) == [f"connected to 127.0.0.1:{port}"]
    assert evidence(service) == [f"connected to 127.0.0.1:{other} (failed: connection refused)"]
    assert evidence(host) == ["connected to other.example:80 (refused: not named with --net)"]
    assert [e["verdict"] for e in host["effects"] if e["effect"] == "net.fetch"] == ["blocked"]
    assert any("limited to 127.0.0.1:" in each for each in good["differences"])


def test_an_undeclared_host_is_an_error_whether_it_is_reached_or_not(
    run: Run, work: Path, tmp_path: Path
) -> None:
    offered("isolated")
    skill = fetcher(tmp_path / "skill", effects=["fs.write", "fs.read", "proc.exec"])
    with serving(answer) as port:
        words = (skill, "go", "--net", f"127.0.0.1:{port}")
        found = report(run, *words, "-i", f"url=http://127.0.0.1:{port}/a")
        host = report(run, *words, "-i", "url=http://other.example/a")
    for each, verdict in ((found, "undeclared"), (host, "blocked")):
        fetch = next(e for e in each["effects"] if e["effect"] == "net.fetch")
        assert (fetch["verdict"], fetch["error"], each["status"]) == (verdict, True, 1)


def saved(run: Run, skill: Path, url: str) -> None:
    assert run("sample", skill, "go", "-i", f"url={url}", "--save", "tea").status == 0


def test_a_recorded_sample_is_replayed_offline(run: Run, work: Path, tmp_path: Path) -> None:
    offered("isolated")
    skill = fetcher(tmp_path / "skill")
    with serving(answer) as port:
        url = f"http://127.0.0.1:{port}/tea"
        saved(run, skill, url)
        # A comment of the author survives.
        path = skill / "samples/go/tea.yaml"
        path.write_text("# about tea\n" + path.read_text() + "expect:\n  stdout: 'GET /tea '\n")
        words = (skill, "go", "--sample", "tea")
        recorded = report(run, *words, "--net", "record", "--net", f"127.0.0.1:{port}")
    assert recorded["ok"]
    kept = json.loads((skill / "samples/go/tea.net.json").read_text())["exchanges"]
    assert [(e["method"], e["url"], e["text"]) for e in kept] == [("GET", url, "GET /tea ")]
    assert path.read_text().startswith("# about tea\n")
    assert "net: replay\n" in path.read_text()
    replayed = report(run, *words)
    assert replayed["ok"]
    assert replayed["network"] == ["replay"]
    assert replayed["effects"] == recorded["effects"]
    assert replayed["changes"] == recorded["changes"]
    assert any("answered 1 request" in each for each in replayed["differences"])
    tested = run("test", skill)
    assert (tested.status, "1 passed" in tested.out) == (0, True)
    other = report(run, *words, "-i", f"url=http://127.0.0.1:{port}/other")
    assert (other["status"], other["ok"]) == (1, False)
    assert other["incomplete"] == [
        f"GET http://127.0.0.1:{port}/other has no recorded response; record it with --net record"
    ]
    (skill / "samples/go/tea.net.json").write_text(json.dumps({"version": 1, "exchanges": []}))
    assert run("test", skill).status == 1


def test_a_secret_is_not_recorded_and_another_one_replays(
    run: Run, work: Path, tmp_path: Path
) -> None:
    offered("isolated")
    secret = "hunter2-hunter2-hunter2"
    inputs = {
        "url": {"type": "string", "required": True},
        "token": {"type": "string", "required": True},
    }
    skill = fetcher(tmp_path / "skill", inputs=inputs)
    (tmp_path / "token").write_text(secret)
    with serving(answer) as port:
        (skill / "samples/go").mkdir(parents=True)
        path = skill / "samples/go/tea.yaml"
        path.write_text(f"inputs: {{url: 'http://127.0.0.1:{port}/'}}\n")
        words = (skill, "go", "--sample", "tea")
        more = ("--net", "record", "--net", f"127.0.0.1:{port}")
        found = report(run, *words, *more, "--secret", f"token=@{tmp_path / 'token'}")
    assert found["ok"], found["problems"]
    text = (skill / "samples/go/tea.net.json").read_text()
    assert secret not in text
    assert '"method": "POST"' in text
    (tmp_path / "token").write_text("another-secret-value")
    assert report(run, *words, "--secret", f"token=@{tmp_path / 'token'}")["ok"]


def test_a_run_that_asks_for_nothing_records_nothing(run: Run, work: Path, tmp_path: Path) -> None:
    offered("isolated")
    skill = block_skill(tmp_path / "skill", "echo hello\n")
    assert run("sample", skill, "go", "--save", "tea").status == 0
    ran = run("run", skill, "go", "--sample", "tea", "--net", "record")
    assert "sent no request through the proxy" in ran.err
    assert not (skill / "samples/go/tea.net.json").exists()


def test_a_recording_does_not_follow_a_link(run: Run, work: Path, tmp_path: Path) -> None:
    offered("isolated")
    skill = fetcher(tmp_path / "skill")
    other = tmp_path / "other.json"
    other.write_text("mine")
    with serving(answer) as port:
        saved(run, skill, f"http://127.0.0.1:{port}/")
        (skill / "samples/go/tea.net.json").symlink_to(other)
        words = ("--net", "record", "--net", f"127.0.0.1:{port}")
        ran = run("run", skill, "go", "--sample", "tea", *words)
    assert "is a link" in ran.err
    assert other.read_text() == "mine"


def test_a_proxy_that_dies_is_reported(
    run: Run, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered("isolated")

    def dies(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Proxy, "_accept", dies)
    before = threading.active_count()
    skill = fetcher(tmp_path / "skill")
    found = report(run, skill, "go", "--net", "a.example", "-i", "url=http://a.example/")
    assert (found["status"], found["verdict"]) == (1, "observation incomplete")
    assert found["incomplete"] == ["the proxy of the run ended early: RuntimeError: broken"]
    assert threading.active_count() == before


WRONG = [
    (("--net", "a b"), 2, "is not a host"),
    (("--net", "none", "--net", "replay"), 2, "exclude each other"),
    (("--net", "record"), 2, "--net record needs a sample"),
    (("--net", "replay"), 2, "--net replay needs a sample"),
    (("--net", "loopback", "--isolation", "copy"), 4, "needs the isolation level isolated, not co"),
    (("--net", "none", "--isolation", "copy"), 4, "needs the isolation level confined, not copy"),
]


@pytest.mark.parametrize(("words", "status", "why"), WRONG)
def test_wrong_use(
    run: Run, work: Path, tmp_path: Path, words: tuple[str, ...], status: int, why: str
) -> None:
    skill = block_skill(tmp_path / "skill", "echo hello\n")
    ran = run("run", skill, "go", *words)
    assert ran.status == status
    assert why in ran.err


def test_a_network_is_never_had_without_a_namespace() -> None:
    levels = probe_isolation(this_host()._replace(bwrap=None))
    with pytest.raises(IsolationUnavailable) as refused:
        levels.choose(network=read_network(["a.example"]))
    assert str(refused.value) == (
        "--net a.example: no isolation level from isolated up is available: isolated: bwrap is not "
        "installed; install the package bubblewrap"
    )
    with pytest.raises(IsolationUnavailable, match="a WASM program has no network"):
        levels.choose(program="wasm", network=read_network(["loopback"]))


def test_a_sample_gets_the_network_only_with_consent(run: Run, work: Path, tmp_path: Path) -> None:
    offered("isolated")
    skill = fetcher(tmp_path / "skill")
    with serving(answer) as port:
        saved(run, skill, f"http://127.0.0.1:{port}/")
        path = skill / "samples/go/tea.yaml"
        path.write_text(path.read_text() + f"net: ['127.0.0.1:{port}']\n")
        refused = run("run", skill, "go", "--sample", "tea")
        assert (refused.status, "the sample asks for the network" in refused.err) == (2, True)
        assert report(run, skill, "go", "--sample", "tea", "--yes")["ok"]
        skipped = run("test", skill)
        assert "allow it with --allow-net" in skipped.out
        assert "1 skipped" in skipped.out
        assert "1 passed" in run("test", skill, "--allow-net").out


SAMPLES = [
    ("net: record", "record is for run --net"),
    ("net: a b", "is not a host"),
    ("net: 5", "none, loopback, replay or a list of hosts"),
    ("net: [5]", "string"),
    ("net: [replay, a.org]", "cannot be combined"),
]


@pytest.mark.parametrize(("line", "why"), SAMPLES)
def test_a_wrong_network_of_a_sample(
    run: Run, work: Path, tmp_path: Path, line: str, why: str
) -> None:
    skill = block_skill(tmp_path / "skill", "echo hello\n")
    (skill / "samples/go").mkdir(parents=True)
    (skill / "samples/go/tea.yaml").write_text(f"inputs: {{}}\n{line}\n")
    ran = run("test", skill)
    assert ran.status == 1
    assert "samples/go/tea.yaml:2:" in ran.out
    assert why in ran.out


@pytest.mark.parametrize("content", [None, "{", '{"version": 2, "exchanges": []}'])
def test_recorded_responses_that_cannot_be_read(
    run: Run, work: Path, tmp_path: Path, content: str | None
) -> None:
    offered("isolated")
    skill = block_skill(tmp_path / "skill", "echo hello\n")
    (skill / "samples/go").mkdir(parents=True)
    (skill / "samples/go/tea.yaml").write_text("inputs: {}\nnet: replay\n")
    if content is not None:
        (skill / "samples/go/tea.net.json").write_text(content)
    ran = run("run", skill, "go", "--sample", "tea")
    assert (ran.status, "samples/go/tea.net.json" in ran.err) == (2, True)
    assert "samples/go/tea.net.json" in run("test", skill).out


def test_a_trace_keeps_the_network(run: Run, work: Path, tmp_path: Path) -> None:
    offered("isolated")
    skill = fetcher(tmp_path / "skill")
    with serving(answer) as port:
        words = ("--net", f"127.0.0.1:{port}", "-i", f"url=http://127.0.0.1:{port}/")
        assert run("run", skill, "go", *words).status == 0
        assert run("trace", "replay", "last").status == 2
        again = run("trace", "replay", "last", "--yes")
    assert again.status == 0, again.out
