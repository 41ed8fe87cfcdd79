"""One skill packed on unlike machines, by the command and on full disks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.skill.hashing.content_hash import hash_tree

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(os.name == "nt", reason="umask and limits of Unix")
KINDS = {"skill.skill": [], "skill.tgz": [], "layout": ["--oci"]}

MACHINES = [
    {"umask": 0o022, "TZ": "UTC", "LC_ALL": "C", "mtime": 0, "order": 1},
    {"umask": 0o077, "TZ": "Pacific/Auckland", "LC_ALL": "C.UTF-8", "mtime": 2**31, "order": -1},
    {
        "umask": 0o002,
        "TZ": "America/New_York",
        "LC_ALL": "de_DE.UTF-8",
        "mtime": 1700000001,
        "order": 1,
        "SOURCE_DATE_EPOCH": "1234567890",
        "PYTHONHASHSEED": "7",
    },
]


def command(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "skillstudio", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def copied(source: Path, target: Path, order: int) -> None:
    """A copy whose entries were made in another order, which is how some systems list them."""
    for folder, _, names in os.walk(source):
        inside = target / Path(folder).relative_to(source)
        inside.mkdir(parents=True, exist_ok=True)
        for name in sorted(names)[::order]:
            shutil.copy(Path(folder) / name, inside / name)


def bytes_of(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    found = {each for each in path.rglob("*") if each.is_file()}
    return {each.relative_to(path).as_posix(): each.read_bytes() for each in found}


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("name", KINDS)
def test_the_bytes_are_the_same_on_unlike_machines(tmp_path: Path, name: str) -> None:
    """Under another umask, time zone, locale, hash seed, and with other times and order."""
    made = []
    for number, machine in enumerate(MACHINES):
        home = tmp_path / str(number)
        before = os.umask(int(str(machine["umask"])))
        try:
            copied(ROOT / "examples" / "memory", home / "memory", int(str(machine["order"])))
            for path in (home / "memory").rglob("*"):
                if path.is_file():
                    path.chmod(0o777 if path.suffix == ".sh" else 0o640)
                os.utime(path, (int(str(machine["mtime"])),) * 2)
            texts = {key: str(value) for key, value in machine.items() if key.isupper()}
            done = command(home, "pack", "memory", "-o", name, *KINDS[name], **texts)
        finally:
            os.umask(before)
        assert done.returncode == 0, done.stderr
        made.append(bytes_of(home / name))
    assert made[0] == made[1] == made[2]


@pytest.mark.slow
def test_the_preview_is_what_is_packed(tmp_path: Path) -> None:
    source = ROOT / "examples" / "worklog"
    shutil.copytree(source, tmp_path / "worklog")
    (tmp_path / "worklog" / ".env").write_text("x")
    listed = command(tmp_path, "pack", "worklog", "--list", "--format", "json")
    preview = json.loads(listed.stdout)
    command(tmp_path, "pack", "worklog", "-o", "worklog.tgz")
    done = command(tmp_path, "unpack", "worklog.tgz", "-o", "back/worklog", "--format", "json")
    assert done.returncode == 0
    found = sorted(
        path.relative_to(tmp_path / "back" / "worklog").as_posix()
        for path in (tmp_path / "back" / "worklog").rglob("*")
        if path.is_file()
    )
    assert found == sorted(each["path"] for each in preview["in"])
    assert [each["path"] for each in preview["out"]] == [".env"]
    assert json.loads(done.stdout)["content_hash"] == preview["content_hash"]
    assert hash_tree(DiskTree(tmp_path / "back" / "worklog"))[:2] == hash_tree(DiskTree(source))[:2]


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from skillstudio.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def limited(tmp_path: Path) -> Path:
    """A skill and archives of it, all too large for a disk that holds 2 KiB a file."""
    shutil.copytree(ROOT / "examples" / "memory", tmp_path / "memory")
    command(tmp_path, "pack", "memory", "-o", "there.tgz")
    return tmp_path


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize(
    "words",
    [
        ["pack", "memory", "-o", "new/a.zip"],
        ["pack", "memory", "-o", "new/layout", "--oci"],
        ["pack", "memory", "-o", "there.tgz", "--force"],
        ["unpack", "there.tgz", "-o", "new/memory"],
        ["index", "memory/..", "-o", "new/index.json"],
    ],
    ids=lambda words: " ".join(words[:4]),
)
def test_a_disk_that_fills_up_leaves_what_was_there(limited: Path, words: list[str]) -> None:
    for number in range(30):
        more = limited / "more" / f"skill-{number}"
        more.mkdir(parents=True)
        text = f"---\nname: skill-{number}\ndescription: Says. Use it.\n---\nSay.\n"
        (more / "SKILL.md").write_text(text)
    before = {path: path.is_file() and path.read_bytes() for path in limited.rglob("*")}
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *words],
        cwd=limited,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "File too large" in done.stderr
    assert "nothing was" in done.stderr
    assert "Traceback" not in done.stderr
    after = {path: path.is_file() and path.read_bytes() for path in limited.rglob("*")}
    assert after == before
