"""What a machine has of what a manifest asks for, and how commands say their versions."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from tests.dryrun.planning.conftest import a_machine

from skillstudio.dryrun.plan import RequirementResult, Roots
from skillstudio.dryrun.planning import requirements
from skillstudio.dryrun.planning.requirements import check, version_in
from skillstudio.dryrun.planning.run_inputs import Machine
from skillstudio.interface.model import Requirement

SAID = [
    ("git", "git version 2.39.5", "2.39.5"),
    ("git", "git version 2.39.5 (Apple Git-154)", "2.39.5"),
    ("python3", "Python 3.11.7", "3.11.7"),
    ("node", "v20.20.2", "20.20.2"),
    ("npm", "11.19.1", "11.19.1"),
    ("docker", "Docker version 28.2.2, build 28.2.2-0ubuntu1", "28.2.2"),
    ("jq", "jq-1.6", "1.6"),
    ("curl", "curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.16", "7.88.1"),
    ("ffmpeg", "ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2026", "5.1.9"),
    ("ffmpeg", "ffmpeg version N-12345-gabcdef", ""),
    ("pandoc", "pandoc 2.17.1.1\nCompiled with pandoc-types 1.22.2.1", "2.17.1.1"),
    ("gcc", "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", "12.2.0"),
    ("make", "GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu", "4.3"),
    ("cargo", "cargo 1.95.0 (abcdef 2026-03-01)", "1.95.0"),
    ("go", "go version go1.19.8 linux/amd64", "1.19.8"),
    ("java", 'openjdk version "17.0.15" 2025-04-15', "17.0.15"),
    ("java", 'java version "1.8.0_392"', "8.0"),
    ("psql", "psql (PostgreSQL) 15.18", "15.18"),
    ("sqlite3", "3.40.1 2022-12-28 14:03:47 df5c253c0b3dd24916e4ec7cf77d3db5294cc9fd", "3.40.1"),
    ("tar", "tar (GNU tar) 1.34", "1.34"),
    ("bash", "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)", "5.2.15"),
    ("date", "date (GNU coreutils) 9.1", "9.1"),
    ("sed", "sed (GNU sed) 4.9", "4.9"),
    ("perl", "\nThis is perl 5, version 36, subversion 0 (v5.36.0) built for x86", "5.36.0"),
    ("openssl", "OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19)", "3.0.19"),
    ("ssh", "OpenSSH_9.2p1 Debian-2+deb12u6, OpenSSL 3.0.19 27 Jan 2026", "9.2"),
    ("tmux", "tmux 3.3a", "3.3"),
    ("unzip", "UnZip 6.00 of 20 April 2009, by Debian.", "6.00"),
    ("zip", "Copyright (c) 1990-2008 Info-ZIP\nThis is Zip 3.0 (July 5th 2008)", "3.0"),
    ("less", "less 590 (GNU regular expressions)\nCopyright (C) 1984-2021", "590"),
    ("systemctl", "systemd 252 (252.38-1~deb12u1)\n+PAM +AUDIT", "252"),
    ("kubectl", "Client Version: v1.32.4\nKustomize Version: v5.5.0", "1.32.4"),
    ("aws", "aws-cli/1.45.11 Python/3.11.7 Linux/6.18.44", "1.45.11"),
    ("vim", "VIM - Vi IMproved 9.0 (2022 Jun 28, compiled May 04 2023)", "9.0"),
    ("anything", "no number at all", ""),
    ("anything", "", ""),
    ("anything", "tool 7", "7"),
    ("anything", "\x1b[1mtool\x1b[0m 1.2", "1.2"),
]


@pytest.mark.parametrize(("command", "text", "version"), SAID)
def test_the_version_in_what_a_command_says(command: str, text: str, version: str) -> None:
    assert version_in(text, command) == version


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose commands are written here."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return Machine("unix", {"PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"})


def command(machine: Machine, name: str, script: str) -> Path:
    path = Path(machine.path.split(os.pathsep)[0]) / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def state(
    machine: Machine, tmp_path: Path, name: str, low: str = "", high: str = ""
) -> RequirementResult:
    roots = Roots(str(tmp_path), str(tmp_path / "skill"))
    (found,) = check([Requirement("command", name, low, high)], machine, roots)
    return found


LIMITS = [
    ("2.39.5", "2.40", "", "too-old"),
    ("2.40", "2.40", "", "fine"),
    ("2.40.0", "2.40", "", "fine"),
    ("2.9", "2.10", "", "too-old"),
    ("3", "2.10", "", "fine"),
    ("2.99.9", "", "2", "fine"),
    ("3.0", "", "2", "too-new"),
    ("2.4.1", "2.1", "2.4", "fine"),
    ("2.5", "2.1", "2.4", "too-new"),
    ("none", "2.1", "", "unknown-version"),
    ("2.1", "two", "", "unknown-version"),
    ("2.1", "", "two", "unknown-version"),
]


@pytest.mark.parametrize(("says", "low", "high", "expected"), LIMITS)
def test_the_states_of_a_command(
    machine: Machine, tmp_path: Path, says: str, low: str, high: str, expected: str
) -> None:
    command(machine, "mytool", f"echo mytool {says}")
    assert state(machine, tmp_path, "mytool", low, high).state == expected


def test_what_is_not_there_is_missing(machine: Machine, tmp_path: Path) -> None:
    assert state(machine, tmp_path, "nowhere-at-all", "1.0").state == "missing"
    assert state(machine, tmp_path, "a\0b").state == "missing"


def test_without_a_version_asked_for_nothing_is_started(machine: Machine, tmp_path: Path) -> None:
    path = command(machine, "mytool", f"touch {tmp_path}/started")
    found = state(machine, tmp_path, "mytool")
    assert (found.state, found.found, found.wanted) == ("fine", str(path), "")
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("named", ["bin/own", "../skill/bin/own", "own", "link", "there"])
def test_a_program_of_the_skill_is_never_started(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    own = tmp_path / "skill" / "bin" / "own"
    own.parent.mkdir(parents=True)
    own.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\necho own 1.2.3\n")
    own.chmod(0o755)
    (tmp_path / "bin" / "link").symlink_to(own)
    (tmp_path / "skill" / "there").symlink_to(own)
    monkeypatch.chdir(tmp_path / "skill")
    # On the path: the skill's own folder, and one that is relative to wherever it is asked.
    path = f"{machine.path}{os.pathsep}{own.parent}{os.pathsep}."
    found = state(machine._replace(environ={"PATH": path}), tmp_path, named, "1.0")
    assert found.state == "unknown-version"
    assert not (tmp_path / "started").exists()


def test_a_program_of_packages_is_never_started(machine: Machine, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("python3", "other"):
        program = packages / name
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\necho 9.9\n")
        program.chmod(0o755)
    path = f"{packages}{os.pathsep}{machine.path}"
    within = Machine(machine.platform, {"PATH": path}, str(packages))
    # The version is that of the program that the packages hide.
    assert state(within, tmp_path, "python3", "3.0", "3").state == "fine"
    assert state(within, tmp_path, "other", "1.0").state == "unknown-version"
    assert state(within, tmp_path, "other").state == "fine"
    assert not (tmp_path / "started").exists()


def test_a_command_is_asked_one_way_only(machine: Machine, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command(machine, "mytool", f'echo "$@" >>{log}; exit 1')
    command(machine, "go", f'echo "$@" >>{log}; echo go version go1.19.8')
    command(machine, "nc", f'echo "$@" >>{log}')
    assert state(machine, tmp_path, "mytool", "1.0").state == "unknown-version"
    assert state(machine, tmp_path, "go", "1.18").state == "fine"
    assert state(machine, tmp_path, "nc", "1.0").state == "unknown-version"
    assert log.read_text().splitlines() == ["--version", "version"]


def test_a_command_gets_no_input_and_speaks_plainly(machine: Machine, tmp_path: Path) -> None:
    command(machine, "mytool", 'read line; echo "tool 1.$LC_ALL.2 got=$line" | tr C 5')
    found = state(machine, tmp_path, "mytool", "1.5")
    assert (found.state, found.found) == ("fine", "1.5.2")


def test_what_was_said_is_known_until_the_command_changes(machine: Machine, tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = command(machine, "mytool", f"echo x >>{log}; echo 1.0")
    for _ in range(3):
        assert state(machine, tmp_path, "mytool", "1.0").found == "1.0"
    assert len(log.read_text().splitlines()) == 1
    path.write_text(f"#!/bin/sh\necho x >>{log}; echo 2.0 # another size\n")
    assert state(machine, tmp_path, "mytool", "1.0").found == "2.0"


def test_commands_are_asked_at_once_and_none_for_long(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "SECONDS", 0.3)
    names = [f"slow{index}" for index in range(6)]
    for name in names:
        # A child that outlives the command holds the pipe open.
        command(machine, name, "sleep 30 & wait")
    roots = Roots(str(tmp_path), str(tmp_path / "skill"))
    begun = time.monotonic()
    found = check([Requirement("command", name, "1.0") for name in names], machine, roots)
    assert {each.state for each in found} == {"unknown-version"}
    assert time.monotonic() - begun < 15, "the children that go on for 30 s were waited for"


def test_files_are_looked_for_in_their_base(tmp_path: Path) -> None:
    skill, workspace = tmp_path / "skill", tmp_path / "workspace"
    for folder in (skill, workspace):
        folder.mkdir()
    (skill / "a.md").write_text("")
    (workspace / "b.md").write_text("")
    asked = [
        Requirement("file", "a.md", base="skill_root"),
        Requirement("file", "a.md", base="repo_root"),
        Requirement("file", "b.md", base="repo_root"),
        Requirement("file", "a.md"),
        Requirement("file", "../workspace/b.md"),
        Requirement("file", "/etc/passwd"),
    ]
    found = check(asked, a_machine(), Roots(str(workspace), str(skill)))
    assert [each.state for each in found] == [
        "fine", "missing", "fine", "fine", "missing", "missing",
    ]  # fmt: skip
