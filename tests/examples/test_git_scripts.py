"""The scripts of worklog, analyze-git and deploy at work in a small repository."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

pytestmark = pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("git")), reason="needs bash and git"
)
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "TZ": "UTC",
}


def git(folder: Path, *arguments: str, day: str = "2025-03-02") -> str:
    identity = ("-c", "user.name=Author", "-c", "user.email=author@example.com")
    when = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    done = subprocess.run(
        ["git", *identity, *arguments],
        cwd=folder,
        env={**ENVIRONMENT, **when},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def run(command: list[str], folder: Path, stdin: str = "", **more: str) -> tuple[int, str, str]:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**ENVIRONMENT, **more},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits on 2 March 2025 and one on 5 April."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for day, name, text in [
        ("2025-03-02", "a.txt", "one\ntwo\n"),
        ("2025-03-02", "a.txt", "one\n"),
        ("2025-04-05", "a | b.txt", "three\n"),
    ]:
        (folder / name).write_text(text, encoding="utf-8")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", "Change", day=day)
    return folder


def test_worklog_counts_one_day(copied: Callable[[str], Path], repository: Path) -> None:
    script = str(copied("worklog") / "scripts" / "extract-metrics.sh")
    code, out, _ = run(["bash", script, "2025-03-02"], repository)
    assert code == 0
    assert dict(line.split("=", 1) for line in out.splitlines()) == {
        "date": "2025-03-02",
        "branch": "main",
        "commits": "2",
        "files_changed": "1",
        "lines_added": "2",
        "lines_removed": "1",
        "authors": "Author",
    }


def test_worklog_counts_a_day_without_commits(
    copied: Callable[[str], Path], repository: Path
) -> None:
    script = str(copied("worklog") / "scripts" / "extract-metrics.sh")
    code, out, _ = run(["bash", script, "2024-01-01"], repository)
    assert code == 0
    assert "commits=0\n" in out
    assert out.endswith("lines_removed=0\nauthors=\n")


@pytest.mark.parametrize("arguments", [[], ["yesterday"], ["--output=/tmp/x"]])
def test_worklog_wants_a_date(
    copied: Callable[[str], Path], repository: Path, arguments: list[str]
) -> None:
    script = str(copied("worklog") / "scripts" / "extract-metrics.sh")
    code, out, err = run(["bash", script, *arguments], repository)
    assert code != 0
    assert (out, bool(err)) == ("", True)


LOG = "docs/worklogs/2025-03-02-tea.org"


def test_worklog_begins_a_worklog(copied: Callable[[str], Path], repository: Path) -> None:
    command = ["bash", str(copied("worklog") / "scripts" / "new-worklog.sh")]
    (repository / "deep").mkdir()
    code, out, _ = run([*command, "2025-03-02", "tea"], repository / "deep", PROJECT="A & \\1")
    assert (code, out) == (0, f"{LOG}\n")
    text = (repository / LOG).read_text(encoding="utf-8")
    assert text.startswith("#+TITLE: A & \\1: tea\n#+DATE: 2025-03-02\n")
    assert ":BRANCH: main\n:COMMITS: 2\n:FILES: 1\n:LINES: +2 -1\n" in text
    assert "{{" not in text
    code, out, err = run([*command, "2025-03-02", "tea"], repository)
    assert (code, out) == (2, "")
    assert "--replace" in err
    code, out, _ = run([*command, "--replace", "2025-03-02", "tea"], repository)
    assert (code, out) == (0, f"{LOG}\n")
    assert (repository / LOG).read_text(encoding="utf-8").startswith("#+TITLE: project: tea\n")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["soon"],
        ["2025-03-02", "../x"],
        ["2025-03-02", ".x"],
        ["2025-03-02", "x", "/tmp"],
        ["2025-03-02", "x", "../out"],
        ["2025-03-02", "x", "a/../.."],
    ],
)
def test_worklog_writes_nothing_of_wrong_words(
    copied: Callable[[str], Path], repository: Path, arguments: list[str]
) -> None:
    script = str(copied("worklog") / "scripts" / "new-worklog.sh")
    code, out, err = run(["bash", script, *arguments], repository)
    assert code != 0
    assert (out, bool(err)) == ("", True)
    assert git(repository, "status", "--porcelain", "--untracked-files=all") == ""


def test_analyze_git_writes_its_report(copied: Callable[[str], Path], repository: Path) -> None:
    script = str(copied("analyze-git") / "scripts" / "analyze.py")
    code, out, _ = run([sys.executable, script, "--since", "2025-03-01"], repository)
    assert (code, out) == (0, "reports/git-analysis-2025-03-01.md\n")
    report = (repository / out.strip()).read_text(encoding="utf-8")
    assert "3 commits." in report
    assert "| Author | 3 |" in report
    assert "| 2025-03 | 2 |\n| 2025-04 | 1 |" in report
    assert "| a.txt | 2 |\n| a \\| b.txt | 1 |" in report


def test_analyze_git_begins_at_its_date(copied: Callable[[str], Path], repository: Path) -> None:
    script = str(copied("analyze-git") / "scripts" / "analyze.py")
    run([sys.executable, script, "--since", "2025-04-01"], repository)
    report = (repository / "reports" / "git-analysis-2025-04-01.md").read_text(encoding="utf-8")
    assert "1 commit." in report


@pytest.mark.parametrize("arguments", [["--since", "soon"], ["--repository", "/"]])
def test_analyze_git_says_what_is_wrong(
    copied: Callable[[str], Path], tmp_path: Path, arguments: list[str]
) -> None:
    script = str(copied("analyze-git") / "scripts" / "analyze.py")
    code, out, err = run([sys.executable, script, *arguments], tmp_path)
    assert code != 0
    assert (out, bool(err)) == ("", True)


class Hook(http.server.BaseHTTPRequestHandler):
    """Remembers what it is told."""

    told: list[tuple[str, str]]

    def do_POST(self) -> None:  # the name that http.server calls
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        type(self).told.append((self.headers["Authorization"], parse_qs(body)["commit"][0]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Keeps quiet."""


@pytest.fixture
def hook() -> Iterator[tuple[str, type[Hook]]]:
    handler = type("Told", (Hook,), {"told": []})
    server = http.server.HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/deployed", handler
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_deploy_pushes_and_tells(
    copied: Callable[[str], Path], repository: Path, hook: tuple[str, type[Hook]]
) -> None:
    remote = repository.parent / "production.git"
    git(repository.parent, "init", "--quiet", "--bare", str(remote))
    git(repository, "remote", "add", "production", str(remote))
    head = git(repository, "rev-parse", "HEAD")
    url, handler = hook
    code, out, err = run(
        ["bash", str(copied("deploy") / "scripts" / "deploy.sh")],
        repository,
        "a key\n",
        DEPLOY_TOKEN="open sesame",
        DEPLOY_HOOK=url,
        no_proxy="127.0.0.1",
    )
    assert (code, out, err) == (0, f"deployed {head}\n", "")
    assert handler.told == [("Bearer open sesame", head)]
    assert git(remote, "rev-parse", "main") == head


def test_deploy_needs_its_token(copied: Callable[[str], Path], repository: Path) -> None:
    code, out, err = run(["bash", str(copied("deploy") / "scripts" / "deploy.sh")], repository)
    assert code != 0
    assert out == ""
    assert "DEPLOY_TOKEN" in err
