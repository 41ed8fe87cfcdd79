"""What a run can read: nothing of a home, but the tools on PATH there, and a copy among secrets."""

from __future__ import annotations

import shlex
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dryrun.running.ground import Start

from skillstudio.dryrun.isolation import launch
from skillstudio.dryrun.isolation.host import this_host
from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.prepared import CopiedFolder, Options, PreparedProcess, StepStart
from skillstudio.dryrun.running.execute import execute
from skillstudio.dryrun.running.output import ProgramOutput

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux", reason="no isolation level that masks is on this system"
    ),
    pytest.mark.parametrize("isolation", ["confined", "isolated"]),
]

SECRETS = (".ssh/id_ed25519", ".aws/credentials", ".netrc", ".docker/config.json", ".npmrc")


class Home:
    """A home with secrets, and a skill that somebody keeps among them."""

    def __init__(self, folder: Path) -> None:
        self.start = Start(folder)
        self.folder = folder / "someone"
        for name in SECRETS:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("s3cret\n")
        (self.folder / ".bashrc").write_text("no secret\n")
        tool = self.folder / ".cargo" / "bin" / "tool"
        tool.parent.mkdir(parents=True)
        tool.write_text("#!/bin/sh\necho works\n")
        tool.chmod(0o755)
        (self.folder / ".cargo" / "registry").write_text("no part of a tool\n")
        self.skill = self.folder / ".docker" / "skill"
        self.skill.mkdir()
        (self.start.copy / "own").write_text("own\n")

    def run(self, isolation: str, script: str) -> tuple[str, str]:
        if reason := probe_isolation().level(isolation).reason:
            pytest.skip(reason)
        host = this_host()
        path = f"{host.path}:{self.folder}/.cargo/bin"
        host = host._replace(home=str(self.folder), path=path)
        copied = CopiedFolder(str(self.skill), str(self.start.copy))
        ground = self.start.ground._replace(copies=(copied,))
        argv = ["/bin/sh", "-c", script, "sh", str(self.folder)]
        start = StepStart(argv, {}, str(self.skill), ground, Options())
        prepared: PreparedProcess
        if isolation == "isolated":
            prepared = launch.prepare_isolated(host, start)
        else:
            prepared = launch.prepare(host, start, confine=True)
        output = ProgramOutput(str(self.start.folder / "kept"))
        ended = execute(prepared, 60, threading.Event(), output)
        output.close()
        assert not ended.error
        return output.stdout.tail().decode(), output.stderr.tail().decode()


@pytest.fixture
def home() -> Iterator[Home]:
    """Not below /tmp: on `isolated` that is the run's own, and all of it out of sight."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Home(Path(folder))


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_not_read(home: Home, isolation: str, name: str) -> None:
    out, _ = home.run(isolation, f'cat "$1/{name}"')
    assert "s3cret" not in out


def test_no_way_round_a_mask(home: Home, isolation: str) -> None:
    script = 'ln -s "$1" up; cat up/.ssh/* "/proc/self/root$1/.netrc" ../../.netrc; grep -r s3 "$1"'
    out, _ = home.run(isolation, script)
    assert "s3cret" not in out


def test_the_rest_of_home_is_not_read_either(home: Home, isolation: str) -> None:
    out, err = home.run(isolation, 'cat "$1/.bashrc" "$1/.cargo/registry"; ls "$1"')
    assert "secret" not in out
    assert "registry" not in out
    assert err.count("\n") >= 2


def test_a_tool_on_path_below_home_works(home: Home, isolation: str) -> None:
    assert home.run(isolation, "tool") == ("works\n", "")


def test_a_skill_among_secrets_is_there(home: Home, isolation: str) -> None:
    out, _ = home.run(isolation, "cat own && echo new > new && cat new")
    assert out == "own\nnew\n"
    assert (home.start.copy / "new").exists()
    assert not list(home.skill.iterdir())


def test_the_tracer_of_a_name_is_there_on_isolated(home: Home, isolation: str) -> None:
    out, _ = home.run(isolation, "cat /etc/resolv.conf")
    assert ("nameserver 127.0.0.1\n" in out) is (isolation == "isolated")


def test_it_starts_the_interpreter_that_skillstudio_runs_on(home: Home, isolation: str) -> None:
    out, _ = home.run(isolation, f"{shlex.quote(sys.executable)} -I -S -c 'print(1)'")
    assert out == "1\n"
