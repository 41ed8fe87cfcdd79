"""What a command writes lies in the workspace, whatever a link there says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git, plain

pytestmark = needs_git
TIGHTER = plain("one", pattern="^[a-f]+$")
OUTSIDE = "the link leads out of the workspace, so it is neither read nor written"
VICTIM = "# not of the workspace\n"
WAIVE = ("waive", "0123456789ab", "one", "--reason", "agreed")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit({"one/SKILL.md": plain("one"), "inside.txt": VICTIM}, "one@1.0.0")
    made.write({"one/SKILL.md": TIGHTER})
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.parametrize("target", ["outside", "missing", "git"])
@pytest.mark.parametrize(
    ("link", "command", "status", "said"),
    [
        ("skillstudio.toml", WAIVE, 2, f"skillstudio.toml: {OUTSIDE}"),
        (
            "skillstudio.toml",
            (*WAIVE, "--diff"),
            2,
            f"skillstudio.toml: {OUTSIDE}",
        ),
        ("proto.lock", ("lock", "one"), 2, f"proto.lock: {OUTSIDE}"),
        ("proto.lock", ("lock", "one", "--check"), 2, f"proto.lock: {OUTSIDE}"),
        ("day.lock", ("lock", "day.yaml"), 2, f"day.lock: {OUTSIDE}"),
        (
            "one/SKILL.md",
            ("bump", "one", "--write"),
            2,
            "one/SKILL.md:1:1: SKILL.md is a symbolic link to ",
        ),
        (
            "one/CHANGELOG.md",
            ("bump", "one", "--write"),
            1,
            "CHANGELOG.md is not a regular file, so it was not changed",
        ),
    ],
)
def test_a_link_out_of_the_workspace_is_not_written_through(
    run: Run,
    repo: Repo,
    tmp_path: Path,
    target: str,
    link: str,
    command: tuple[str, ...],
    status: int,
    said: str,
) -> None:
    victim = {
        "outside": tmp_path / "victim",
        "missing": tmp_path / "missing",
        "git": repo.root / ".git" / "victim",
    }[target]
    if target != "missing":
        victim.write_text(VICTIM)
    repo.write({"day.yaml": "steps:\n  - skill: one\n"})
    place = repo.root / link
    place.unlink(missing_ok=True)
    place.symlink_to(victim)
    ran = run(*command)
    said = f"skillstudio: {said}"
    is_said = any(line.startswith(said) for line in ran.err.splitlines())
    assert (ran.status, is_said) == (status, True), ran.err
    assert VICTIM not in ran.out
    assert place.is_symlink()
    assert target == "missing" or victim.read_text() == VICTIM
    assert target != "missing" or not os.path.lexists(victim)


def test_settings_beside_the_skill_are_not_written_through_either(
    run: Run, repo: Repo, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text(VICTIM)
    (repo.root / "one" / "skillstudio.toml").symlink_to(victim)
    ran = run(*WAIVE)
    assert (ran.status, victim.read_text()) == (2, VICTIM)
    assert f"skillstudio: one/skillstudio.toml: {OUTSIDE}" in ran.err.splitlines()


def test_a_link_within_the_workspace_stays_one_and_is_followed(run: Run, repo: Repo) -> None:
    for link in ("skillstudio.toml", "proto.lock"):
        (repo.root / f"real-{link}").write_text("")
        (repo.root / link).symlink_to(f"real-{link}")
    (repo.root / "real-proto.lock").write_text("skills: {}\n")
    assert run(*WAIVE).status == 0
    assert "0123456789ab" in (repo.root / "real-skillstudio.toml").read_text()
    assert run("lock", "one").status == 0
    assert "content_hash" in (repo.root / "real-proto.lock").read_text()
    assert (repo.root / "proto.lock").is_symlink()


def test_editing_does_not_write_through_one_either(run: Run, repo: Repo, tmp_path: Path) -> None:
    victim = tmp_path / "victim.toml"
    victim.write_text('[skill]\nid = "a"\nversion = "1.0.0"\n')
    (repo.root / "one" / "skill.toml").symlink_to(victim)
    before = victim.read_bytes()
    ran = run("edit", "one", "set", "/skill/version", "2.0.0", "--dialect", "caro-1.0")
    assert ran.status != 0
    assert victim.read_bytes() == before
