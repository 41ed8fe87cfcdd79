"""No command writes into the folders of an installed skillstudio."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.installed import contents, install

from skillstudio.resources import is_installed


@pytest.mark.parametrize(
    "words",
    [
        ("edit", "{}/plain", "set", "/name", "other"),
        ("edit", "{}/plain", "add", "/license", "MIT"),
        ("check", "{}", "--fix"),
        ("check", "{}/faulty", "--fix", "--unsafe-fixes"),
        ("check", "{}", "--update-baseline", "--baseline", "{}/baseline.json"),
        ("bump", "{}/plain", "minor", "--write"),
        ("lock", "{}/plain"),
        ("lock", "{}/plain", "--output-file", "{}/plain/skill.lock"),
        ("new", "agent-skill", "{}/made"),
        ("new", "agent-skill", "{}/plain/made"),
        ("pack", "{}/plain", "--output", "{}/plain.skill"),
        ("export", "{}/plain", "claude-code", "{}/exported"),
    ],
)
def test_nothing_below_the_installation_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    examples = install(tmp_path, monkeypatch)
    monkeypatch.chdir(examples)
    before = contents(tmp_path)
    ran = run(*(word.replace("{}", str(examples)) for word in words))
    assert contents(tmp_path) == before, (ran.out, ran.err)
    assert ran.status != 0


@pytest.mark.parametrize(
    ("verb", "words"),
    [("edit", ("set", "/name", "other")), ("check", ("--fix",))],
)
def test_the_reason_is_named_with_what_to_do(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, words: tuple[str, ...]
) -> None:
    examples = install(tmp_path, monkeypatch)
    ran = run(verb, examples / "faulty", *words)
    told = " ".join((ran.out + ran.err).split())
    assert "installed with skillstudio; edit a copy instead" in told


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("data", True),
        ("data/examples/plain/SKILL.md", True),
        ("data/examples/none/yet", True),
        ("data/../data/examples", True),
        ("database", False),
        ("", False),
        ("../other", False),
    ],
)
def test_what_belongs_to_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, expected: bool
) -> None:
    package = install(tmp_path, monkeypatch).parents[1]
    assert is_installed(str(package / path)) is expected
    (tmp_path / "link").symlink_to(package, target_is_directory=True)
    assert is_installed(str(tmp_path / "link" / path)) is expected


def test_a_copy_is_the_authors_own(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    examples = install(tmp_path, monkeypatch)
    shutil.copytree(examples, tmp_path / "own")
    assert run("edit", tmp_path / "own" / "plain", "set", "/name", "other").status == 0
    assert "name: other" in (tmp_path / "own" / "plain" / "SKILL.md").read_text()
