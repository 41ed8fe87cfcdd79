"""`check --fix` on disk: what it writes, and that a second run finds nothing to do."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import yaml
from tests.cli.conftest import Run
from tests.conformance.test_corpus import CORPUS
from tests.repositories import Repo, needs_git
from tests.skill import safe_fixes

from skillstudio.text import edit
from skillstudio.text.diagnostic import Splice
from skillstudio.text.node import Document

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
VERSIONED = (
    "---\nname: plain\ndescription: Says things. Use when things are said.\n"
    "{}version: 1.0.0\n---\nSay.\n"
)


@pytest.fixture
def hook(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Run the hook `skillstudio-fix` on a file in a repository, as pre-commit does."""
    monkeypatch.chdir(Repo(tmp_path).root)
    (entry,) = (
        each["entry"]
        for each in yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
        if each["id"] == "skillstudio-fix"
    )
    program, *arguments = shlex.split(entry)
    assert program == "skillstudio"

    def start(file: Path) -> None:
        ran = run(*arguments, file)
        assert ran.status == 0, ran.out

    return start


@needs_git
def test_the_hook_leaves_an_agent_skill_with_a_version_alone(
    hook: Callable[[Path], None], skill: Callable[..., Path]
) -> None:
    file = skill(text=VERSIONED.format("")) / "SKILL.md"
    hook(file)
    assert file.read_text() == VERSIONED.format("")


@needs_git
def test_the_hook_fixes_the_value_at_fault_beside_a_version(
    hook: Callable[[Path], None], skill: Callable[..., Path]
) -> None:
    file = skill(text=VERSIONED.format("license: MIT: see LICENSE\n")) / "SKILL.md"
    hook(file)
    assert file.read_text() == VERSIONED.format('license: "MIT: see LICENSE"\n')


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def fixed_once(run: Run, folder: Path) -> int:
    """Run `check --fix` twice on a folder; the number of files that the first run changed."""
    before = contents(folder)
    assert run("check", folder, "--fix").status in (0, 1)
    after = contents(folder)
    assert after.keys() == before.keys()
    again = run("check", folder, "--fix")
    assert contents(folder) == after
    assert again.err == ""
    return sum(after[path] != before[path] for path in before)


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_a_second_run_finds_nothing_to_fix(run: Run, tmp_path: Path, step: int) -> None:
    for number, files in enumerate([*safe_fixes.ODD.values()][::step]):
        for path, data in files.items():
            file = tmp_path / str(number) / "tea" / path
            file.parent.mkdir(parents=True)
            file.write_bytes(data)
    assert fixed_once(run, tmp_path) >= 18 // step


def copies(root: Path, folder: Path) -> Iterator[Path]:
    for path in root.rglob("*"):
        copy = folder / path.relative_to(root)
        if path.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            yield copy


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no public manifests at {CORPUS}")
def test_public_skills_are_fixed_once_and_stay_agent_skills(run: Run, tmp_path: Path) -> None:
    copied = list(copies(CORPUS, tmp_path))
    assert len(copied) > 300
    assert 0 < fixed_once(run, tmp_path) < 60
    made = [path for path in copied if path.name == "SKILL.md"]
    added = [path for path in made if b"\nmanifest_version:" in path.read_bytes()]
    assert added == []


@pytest.mark.slow
def test_many_fixes_read_the_text_a_limited_number_of_times(
    run: Run, skill: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = "".join(f"    - {{name: a{n}, schema: {{type: string}}}}\n" for n in range(900))
    head = 'manifest_version: "1.0"\nversion: 1.0.0\nname: plain\ndescription: Says. Use it.\n'
    file = skill(text=f"---\n{head}inputs:\n  required:\n{inputs}---\nSay.\n") / "SKILL.md"
    read = 0
    reread = edit._reread

    def counting(doc: Document, text: str, splices: Sequence[Splice]) -> Document:
        nonlocal read
        read += len(text)
        return reread(doc, text, splices)

    monkeypatch.setattr(edit, "_reread", counting)
    fixed = [0]
    for _ in range(2):
        ran = run("check", file, "--fix", "--unsafe-fixes")
        assert "run the command again to apply the remaining fixes" in ran.err
        fixed.append(file.read_text().count("description:") - 1)
    assert 0 < fixed[1] < fixed[2] < 900
    assert read < 2 * 3 * edit.MOST_READ


@needs_git
@pytest.mark.parametrize("format", ["text", "json"])
@pytest.mark.parametrize(
    ("given", "start", "end"),
    [
        (".", "", "\n"),
        ("./skills", "", "\n"),
        ("skills/tea", "\ufeff", "\r\n"),
        ("{root}/skills", "", "\r\n"),
    ],
)
def test_git_applies_the_diff(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: str,
    start: str,
    end: str,
    format: str,
) -> None:
    repo = Repo(tmp_path / "repo")
    text = "---\nname: tea\ndescription: Makes: tea.\n---\nTea.\n"
    repo.commit({"skills/tea/SKILL.md": start + text.replace("\n", end)}, "tea")
    monkeypatch.chdir(repo.root)
    ran = run("fix", "--diff", "--format", format, given.format(root=repo.root))
    diff = f"{ran.json['diff']}\n" if format == "json" else ran.out
    (tmp_path / "fix.diff").write_bytes(diff.encode())
    repo.git("apply", "../fix.diff")
    fixed_text = text.replace("Makes: tea.", '"Makes: tea."')
    assert (repo.root / "skills/tea/SKILL.md").read_bytes().decode() == fixed_text.replace(
        "\n", end
    )
