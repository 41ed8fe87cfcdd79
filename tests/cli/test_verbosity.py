"""`--quiet` and `--verbose`: the same meaning for every command that has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run
from tests.repositories import Repo, needs_git, plain

from skillstudio.cli.verbs import all_verbs

QUIET = "print only problems and results: no summary, notes or progress"
VERBOSE = "also print "
OLD = "---\nname: tea\ndescription: Makes tea. Use it.\nversion: 1.0.0\n---\nBoil.\n"


def helps(flag: str) -> dict[str, str]:
    return {
        verb.name: argument.help
        for verb in all_verbs().values()
        for argument in verb.arguments
        if flag in argument.flags
    }


def test_quiet_means_the_same_everywhere() -> None:
    found = helps("--quiet")
    names = ("why", "diff", "doctor", "check", "fix", "bump", "export", "pack", "show")
    assert {found[name] for name in names} == {QUIET}


def test_verbose_prints_more_everywhere() -> None:
    found = helps("--verbose")
    names = ("why", "diff", "doctor", "check", "fix", "explain", "bump", "export", "adopt",
             "targets")  # fmt: skip
    assert all(found[name].startswith(VERBOSE) for name in names)


@pytest.mark.parametrize("verb", ["why", "diff", "doctor", "check", "bump", "export x --target y"])
def test_both_exclude_each_other(run: Run, verb: str) -> None:
    ran = run(*verb.split(), "-o", "new", "-q", "-v") if "export" in verb else run(verb, "-q", "-v")
    assert ran.status == 2
    assert "--quiet and --verbose exclude each other" in ran.err


@pytest.mark.parametrize(
    ("option", "has_unchanged", "is_silent"), [("", False, False), ("-v", True, False),
                                               ("-q", False, True)]
)  # fmt: skip
def test_export(
    run: Run,
    skill: Callable[..., Path],
    tmp_path: Path,
    option: str,
    has_unchanged: bool,
    is_silent: bool,
) -> None:
    words = (skill("tea", OLD), "--target", "claude.ai", "-o", tmp_path / "out" / "tea")
    ran = run("export", *words, *filter(None, [option]))
    assert "  /version → /metadata/version" in ran.out
    assert ("unchanged: 2\n" in ran.out) is has_unchanged
    assert (ran.err == "") is is_silent


def test_export_of_an_accepted_skill_says_that_nothing_changes(
    run: Run, skill: Callable[..., Path], tmp_path: Path
) -> None:
    words = (skill(text=CLEAN.format(name="plain")), "--target", "spec", "-o", tmp_path / "o/plain")
    assert run("export", *words).out == "unchanged: 2\n"


def test_pack(run: Run, skill: Callable[..., Path], tmp_path: Path) -> None:
    folder, file = skill(text=CLEAN.format(name="plain")), tmp_path / "plain.skill"
    (line,) = run("pack", "-q", folder, "-o", file).out.splitlines()
    assert line.startswith(f"{file}: sha256:")
    assert run("pack", "-q", folder, "--list").out == ""


@needs_git
def test_bump(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"one/SKILL.md": plain("one")}, "one@1.0.0")
    repo.write({"one/SKILL.md": plain("one", pattern="^[a-f]+$")})
    monkeypatch.chdir(repo.root)
    since = "one since one@1.0.0: ✗ needs a major bump: 1.0.0 → 2.0.0"
    first, group, change = run("bump", "one", "-v").err.splitlines()
    assert (first, group) == (since, "major (1)  what works today may break")
    assert change.startswith('  the pattern of "topic" rejects strings it used to accept: ')
    assert run("bump", "one").err == f"{since}\n"
    assert (run("bump", "one", "-q").err, run("bump", "one", "-q").out) == ("", "2.0.0\n")
