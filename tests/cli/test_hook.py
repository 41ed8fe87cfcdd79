"""`check --hook`: which skills a git hook checks."""

from __future__ import annotations

import gc
import os
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git, plain

from skillstudio.cli.check import SHARING_THRESHOLD

pytestmark = needs_git
LINKED = (
    "---\nname: tea\ndescription: Makes tea. Use when tea is wanted.\n---\n"
    "See [the steps](references/steps.md) and run `scripts/brew.sh`.\n"
)
APP = '{"name": "App", "start_url": "/", "icons": []}\n'
FILES = {
    "skills/tea/SKILL.md": LINKED,
    "skills/tea/references/steps.md": "Steps.\n",
    "skills/tea/scripts/brew.sh": "exit 0\n",
    "skills/broken/SKILL.md": "---\nname: broken\ndescription: one: two\n---\n",
    "public/manifest.json": APP,
    "recipes/cake.yaml": "skill: baking\n",
}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit(dict(FILES), "base")
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.parametrize(
    ("staged", "given", "checked"),
    [
        ({}, [], []),
        ({}, ["public/manifest.json", "recipes/cake.yaml"], []),
        ({}, ["skills/tea/scripts/brew.sh"], ["tea"]),
        ({}, [*FILES], ["tea", "broken"]),
        ({"skills/tea/scripts/brew.sh": "exit 1\n"}, [], ["tea"]),
        ({"skills/tea/references/steps.md": None}, [], ["tea"]),
        ({"skills/tea/references/steps.md": None}, ["skills/broken/SKILL.md"], ["broken", "tea"]),
        ({"skills/tea/SKILL.md": None}, [], []),
        (dict.fromkeys(name for name in FILES if "/tea/" in name), [], []),
        ({"public/manifest.json": None, "recipes/pie.yaml": "skill: [\n"}, [], []),
    ],
)
def test_the_skills_of_given_and_staged_files_are_checked(
    run: Run, repo: Repo, staged: dict[str, str | None], given: list[str], checked: list[str]
) -> None:
    repo.write(staged)
    repo.git("add", "-A")
    ran = run("check", "--hook", *given, "--fail-on", "info", "--format", "json")
    assert [each["name"] for each in ran.json["skills"]] == checked
    assert ran.json["workspace"]["diagnostics"] == []
    is_wrong = "broken" in checked or (checked == ["tea"] and None in staged.values())
    assert ran.status == is_wrong, ran.out


def test_a_repository_can_be_the_skill_and_have_no_commit(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "tea")
    repo.write({"SKILL.md": plain("tea"), "scripts/brew.sh": "exit 0\n"})
    monkeypatch.chdir(repo.root)
    assert run("check", "--hook", "--format", "json").json["skills"] == []
    repo.git("add", "-A")
    ran = run("check", "--hook", "--format", "json")
    assert [each["name"] for each in ran.json["skills"]] == ["tea"]


GOOD = "---\nname: tea\ndescription: Makes tea. Use when tea is wanted.\n---\nMake tea.\n"
WRONG = GOOD.replace("name: tea", "name: Tea")


@pytest.mark.parametrize(
    ("staged", "disk", "problems"),
    [
        # What is partly staged is checked as it would be committed.
        ({"SKILL.md": WRONG}, {"SKILL.md": GOOD}, ["name-format"]),
        ({"SKILL.md": GOOD}, {"SKILL.md": WRONG}, []),
        ({"SKILL.md": WRONG}, {"SKILL.md": None}, ["name-format"]),
        ({"SKILL.md": WRONG}, {"SKILL.md": WRONG}, ["name-format"]),
        ({"SKILL.md": WRONG}, {"SKILL.md": GOOD, "notes.txt": "x"}, ["name-format"]),
        # A file that is not staged is not in the commit, also if git ignores it.
        ({"SKILL.md": LINKED, "scripts/brew.sh": "\n"}, {"references/steps.md": "x\n"},
            ["link-missing"]),
        ({"SKILL.md": LINKED, "scripts/brew.sh": "\n", ".gitignore": "references\n"},
            {"references/steps.md": "x\n"}, ["link-missing"]),
        ({"SKILL.md": LINKED, "scripts/brew.sh": "\n", "references/steps.md": "x\n"},
            {"references/steps.md": None}, []),
        ({"scripts/brew.sh": "exit\n"}, {"SKILL.md": WRONG}, []),
    ],
)  # fmt: skip
def test_the_staged_texts_are_checked(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    staged: dict[str, str | None],
    disk: dict[str, str | None],
    problems: list[str],
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"README.md": "Tea.\n"}, "base")
    repo.write({f"skills/tea/{path}": text for path, text in staged.items()})
    repo.git("add", "-A")
    repo.write({f"skills/tea/{path}": text for path, text in disk.items()})
    monkeypatch.chdir(repo.root)
    before = repo.git("status", "--porcelain")
    for folder in (".", "skills/tea"):
        monkeypatch.chdir(repo.root / folder)
        ran = run("check", "--hook", "--format", "sarif")
        results = ran.json["runs"][0]["results"]
        rules = [result["ruleId"] for result in results if result["level"] != "note"]
        assert rules == problems, ran.out
        assert ran.status == bool(set(rules) - {"link-missing"})
    assert repo.git("status", "--porcelain") == before


def test_fixes_change_the_files_and_the_staged_texts_are_judged(run: Run, repo: Repo) -> None:
    half = "---\nname: tea\ndescription: Makes: tea.\n---\nTea.\n"
    repo.write({"skills/tea/SKILL.md": half})
    repo.git("add", "-A")
    # The file with unstaged changes is fixed as it is on disk; nothing of it is lost.
    repo.write({"skills/tea/SKILL.md": f"{half}More.\n"})
    ran = run("check", "--hook", "--fix")
    assert ran.status == 1
    assert "skills/tea/SKILL.md:3" in ran.out
    assert ran.err.endswith(
        "fixed skills/tea/SKILL.md\n"
        "the commit has the texts before these fixes: stage the files and commit again\n"
    )
    assert "unsafe" not in ran.out
    text = (repo.root / "skills/tea/SKILL.md").read_text()
    assert text == f"{half}More.\n".replace("Makes: tea.", '"Makes: tea."')
    # Nothing more can be fixed, but the commit would still contain the problem.
    ran = run("check", "--hook", "--fix")
    assert ran.status == 1
    assert "skills/tea/SKILL.md:3" in ran.out
    assert "what is staged is not: stage them and commit again" in ran.out
    assert repo.git("show", ":skills/tea/SKILL.md") == half.rstrip()
    repo.git("add", "-A")
    assert run("check", "--hook", "--fix").status == 0


@pytest.mark.parametrize(
    ("link", "target", "staged"),
    [
        ("skills/pot/SKILL.md", "../../shared/pot.md", "shared/pot.md"),
        ("skills/pot/docs", "../../shared", "shared/pot.md"),
    ],
)
def test_a_staged_file_counts_for_the_skills_that_link_to_it(
    run: Run, repo: Repo, link: str, target: str, staged: str
) -> None:
    text = "---\nname: pot\ndescription: Makes: tea.\n---\nTea.\n"
    repo.write({staged: text} | ({"skills/pot/SKILL.md": text} if link.endswith("docs") else {}))
    (repo.root / link).parent.mkdir(parents=True, exist_ok=True)
    (repo.root / link).symlink_to(target)
    repo.git("add", "-A")
    repo.git("commit", "-m", "links")
    repo.write({staged: text + "More.\n"})
    assert run("check", "--hook").status == 0
    repo.git("add", "-A")
    ran = run("check", "--hook")
    assert ran.status == 1
    assert "description-unquoted" in ran.out


POT = "---\nname: pot\ndescription: Makes tea. Use when tea is wanted.\n---\nTea.\n"
COLON = POT.replace("Makes tea", "Makes: tea")
OUTSIDE = "[Pot](docs/pot.md) [Far](docs/far.md) [Gone](docs/gone.md) [Near](../../shared/pot.md)\n"


def link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize(
    ("links", "staged", "disk", "problems"),
    [
        # The text that a link leads to, directly or over another link.
        ({"skills/pot/SKILL.md": "../../shared/pot.md"}, {"shared/pot.md": COLON},
            {"shared/pot.md": POT}, ["description-unquoted"]),
        ({"skills/pot/SKILL.md": "../../shared/pot.md"}, {"shared/pot.md": POT},
            {"shared/pot.md": COLON}, []),
        ({"skills/pot/SKILL.md": "../../shared/pot.md"}, {"shared/pot.md": POT},
            {"shared/pot.md": None}, []),
        ({"skills/pot/SKILL.md": "../../shared/pot.md", "shared/pot.md": "../far/pot.md"},
            {"far/pot.md": COLON}, {"far/pot.md": POT}, ["description-unquoted"]),
        # What is not staged does not exist, and what is deleted only on disk does.
        ({"skills/pot/one.md": "../../shared/one.md"}, {"skills/pot/SKILL.md": POT},
            {"shared/one.md": "x\n"}, ["symlink-broken"]),
        ({"skills/pot/one.md": "../../shared/one.md"},
            {"skills/pot/SKILL.md": POT, "shared/pot.md": "x\n"},
            {"shared/one.md": "x\n"}, ["symlink-broken"]),
        ({"skills/pot/one.md": "../../shared/one.md"},
            {"skills/pot/SKILL.md": POT, "shared/one.md": "x\n"},
            {"shared/one.md": None}, ["symlink-outside"]),
        ({"skills/pot/docs": "../../shared"},
            {"skills/pot/SKILL.md": f"{POT}[Pot](docs/pot.md)\n", "shared/one.md": "x\n"},
            {"shared/pot.md": "x\n"}, ["link-missing", "symlink-outside"]),
        ({"skills/pot/SKILL.md": "../../shared/pot.md"}, {"README.md": "Pots.\n"},
            {"shared/pot.md": POT}, ["path-link-outside"]),
        # Nothing of the repository is behind these.
        ({"skills/pot/SKILL.md": "../../../pot.md"}, {"README.md": "Pots.\n"},
            {"README.md": "Tea.\n", "../pot.md": POT, "skills/pot/x": "x"}, ["path-link-outside"]),
        ({"skills/pot/one.md": "../../../pot.md", "skills/pot/two.md": "/etc/passwd"},
            {"skills/pot/SKILL.md": POT}, {"../pot.md": POT, "skills/pot/x": "x"},
            ["symlink-outside", "symlink-outside"]),
    ],
)  # fmt: skip
def test_links_lead_to_what_is_staged(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    links: dict[str, str],
    staged: dict[str, str | None],
    disk: dict[str, str | None],
    problems: list[str],
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.write(staged)
    for path, target in links.items():
        link(repo.root / path, target)
    repo.git("add", "-A")
    repo.write(disk)
    monkeypatch.chdir(repo.root)
    ran = run("check", "--hook", "skills/pot/SKILL.md", "--format", "json")
    assert ran.status == bool({"description-unquoted", "path-link-outside"} & {*problems})
    diagnostics = [row for skill in ran.json["skills"] for row in skill["diagnostics"]]
    rules = sorted(row["rule"] for row in diagnostics if row["severity"] != "info")
    assert rules == problems, ran.out


def test_links_give_the_same_problems_as_on_disk(run: Run, repo: Repo) -> None:
    text = f"{POT}{OUTSIDE}"
    repo.write({
        "shared/pot.md": text, "shared/references/a.md": "# A\n", "far/far.md": "x\n",
        "skills/kettle/SKILL.md": text.replace("name: pot", "name: kettle"),
        "skills/kettle/.gitkeep": "", "skills/pot/.gitkeep": "",
        ".claude-plugin/plugin.json": '{"name": "tea"}\n',
    })  # fmt: skip
    targets = {
        "skills/pot/SKILL.md": "../../shared/pot.md", "skills/pot/references": "../../shared",
        "skills/kettle/docs": "../../shared", "skills/kettle/all": "../..",
        "skills/kettle/gone.md": "../../gone.md", "skills/kettle/loop.md": "loop.md",
        "skills/kettle/same.md": "../kettle/SKILL.md", "shared/far.md": "../far/far.md",
    }  # fmt: skip
    for path, target in targets.items():
        link(repo.root / path, target)
    repo.git("add", "-A")
    command = ("check", "--hook", "skills/pot", "skills/kettle", "--format", "json")
    before = run(*command).json["skills"]
    repo.write({"skills/kettle/.gitkeep": "x", "skills/pot/.gitkeep": "x"})
    after = run(*command).json["skills"]
    assert [row["name"] for row in before] == ["pot", "kettle"]
    assert all(row["diagnostics"] for row in before)
    assert after == before


def test_a_fixed_text_outside_of_the_skill_is_judged_as_it_is_staged(run: Run, repo: Repo) -> None:
    repo.write({"shared/pot.md": COLON})
    link(repo.root / "skills/pot/SKILL.md", "../../shared/pot.md")
    repo.git("add", "-A")
    ran = run("check", "--fix", "--hook")
    assert ran.status == 1
    assert "skills/pot/SKILL.md:3:19: error description-unquoted" in ran.out
    assert "file-unreadable" not in ran.out
    assert COLON.splitlines()[2] in ran.out


@pytest.mark.parametrize("option", ["--skip-worktree", "--assume-unchanged"])
def test_what_git_does_not_compare_with_the_disk_is_checked_as_staged(
    run: Run, repo: Repo, option: str
) -> None:
    repo.commit({"skills/tea/SKILL.md": LINKED.replace("Makes", "Makes:")}, "colon")
    repo.git("update-index", option, "skills/tea/SKILL.md", "skills/tea/references/steps.md")
    repo.write({"skills/tea/SKILL.md": LINKED, "skills/tea/references/steps.md": None})
    hook = ("check", "--hook", "skills/tea/SKILL.md")
    ran = run(*hook)
    assert ran.status == 1
    assert "description-unquoted" in ran.out
    assert "link-missing" not in ran.out
    # Settings, too.
    repo.commit({"skillstudio.toml": '[rules]\ndescription-unquoted = "off"\n'}, "settings")
    repo.git("update-index", option, "skillstudio.toml")
    repo.write({"skillstudio.toml": ""})
    ran = run(*hook)
    assert "description-unquoted" not in ran.out


@pytest.mark.parametrize("is_partial", [False, True])
def test_a_sparse_checkout_lacks_files_that_the_commit_has(
    run: Run, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_partial: bool
) -> None:
    repo.write({"shared/pot.md": POT, "app/skillstudio.toml": "", "app/pyproject.toml": ""})
    link(repo.root / "skills/tea/pot.md", "../../shared/pot.md")
    link(repo.root / "app/tea", "../skills/tea")
    repo.commit({"app/skillstudio.toml": "[rules]\n"}, "shared")
    repo.git("config", "uploadpack.allowFilter", "true")
    options = ("--filter=blob:none",) if is_partial else ()
    source = repo.root.as_uri()
    repo.git("clone", "-q", "--no-checkout", *options, source, str(tmp_path / "part"))
    part = Repo(tmp_path / "part")
    part.git("sparse-checkout", "set", "--no-cone", "/skills/", "!/skills/tea/references/")
    part.git("checkout", "-q", "main")
    assert not (part.root / "skills/tea/references").exists()
    part.write({"skills/tea/SKILL.md": f"{LINKED}More.\n"})
    part.git("add", "skills/tea/SKILL.md")
    monkeypatch.chdir(part.root)
    ran = run("check", "--hook", "--format", "json")
    (tea,) = ran.json["skills"]
    rules = [row["rule"] for row in tea["diagnostics"] if row["severity"] != "info"]
    assert rules == ["symlink-outside"], ran.out


def test_a_link_into_a_submodule_is_looked_up_on_disk(run: Run, repo: Repo, tmp_path: Path) -> None:
    inner = Repo(tmp_path / "inner")
    inner.commit({"pot.md": "Pots.\n"}, "pots")
    file = ("-c", "protocol.file.allow=always")
    repo.git(*file, "submodule", "--quiet", "add", str(inner.root), "inner")
    link(repo.root / "skills/tea/pot.md", "../../inner/pot.md")
    repo.git("add", "-A")
    repo.write({"skills/tea/SKILL.md": f"{LINKED}More.\n"})
    ran = run("check", "--hook")
    assert "symlink-outside: pot.md" in ran.out


def test_fixes_that_no_commit_needs_ask_for_nothing(run: Run, repo: Repo) -> None:
    repo.write({"skills/tea/SKILL.md": LINKED.replace("Makes tea", "Brews tea")})
    repo.git("add", "-A")
    repo.write({"skills/tea/SKILL.md": LINKED.replace("Makes tea", "Makes: tea")})
    ran = run("check", "--hook", "--fix")
    assert (ran.status, ran.err) == (0, "fixed skills/tea/SKILL.md\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes have no children to wait for")
def test_no_process_outlives_the_command(run: Run, repo: Repo) -> None:
    link(repo.root / "skills/pot/SKILL.md", "../../shared/pot.md")
    repo.write({"shared/pot.md": COLON})
    repo.git("add", "-A")
    repo.write({"shared/pot.md": POT})
    assert run("check", "--hook").status == 1
    gc.collect()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_protected_file_is_not_called_fixed(run: Run, repo: Repo) -> None:
    repo.write({"skills/tea/SKILL.md": "---\nname: tea\ndescription: Makes: tea.\n---\nTea.\n"})
    repo.git("add", "-A")
    (repo.root / "skills/tea/SKILL.md").chmod(0o444)
    ran = run("check", "--hook", "--fix")
    assert ran.status == 1
    assert ran.err == "skillstudio: skills/tea/SKILL.md: read-only\n"
    assert ran.out.endswith("1 fix could not be written, for the reasons above\n")


def test_a_fixed_file_of_which_all_was_staged_does_not_pass(run: Run, repo: Repo) -> None:
    repo.write({"skills/tea/SKILL.md": LINKED.replace("Makes", "Makes:")})
    repo.git("add", "-A")
    ran = run("check", "--hook", "--fix", "--format", "github")
    assert ran.status == 1
    assert "stage the files and commit again" in ran.err
    assert "file=skills/tea/SKILL.md,line=3" in ran.out
    repo.git("add", "-A")
    assert run("check", "--hook", "--fix").status == 0


def test_the_settings_of_the_commit_apply(run: Run, repo: Repo) -> None:
    repo.write({"skills/tea/SKILL.md": WRONG, "skillstudio.toml": ""})
    repo.git("add", "-A")
    repo.write({"skillstudio.toml": '[rules]\nname-format = "off"\nname-folder = "off"\n'})
    assert run("check", "--hook").status == 1
    repo.git("add", "-A")
    repo.write({"skillstudio.toml": ""})
    ran = run("check", "--hook")
    assert ran.status == 0, ran.out


@pytest.mark.parametrize("file", ["skillstudio.toml", "skills/tea/pyproject.toml"])
def test_settings_that_the_commit_breaks_are_reported(run: Run, repo: Repo, file: str) -> None:
    table = "[tool.skillstudio]\n" if file.endswith("pyproject.toml") else ""
    repo.write({file: f'{table}targets = ["codx"]\n'})
    repo.git("add", "-A")
    repo.write({file: table})
    ran = run("check", "--hook", "--fail-on", "warning")
    assert ran.status == 1
    assert (
        f'{file}:{1 + bool(table)}:12: warning settings-target-unknown: unknown target "codx"'
        in ran.out
    )


def test_a_merge_conflict_is_refused(run: Run, repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "theirs")
    repo.commit({"skills/tea/SKILL.md": WRONG}, "theirs")
    repo.git("checkout", "-q", "-b", "ours", "HEAD~1")
    repo.commit({"skills/tea/SKILL.md": WRONG.replace("Make", "Brew")}, "ours")
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "theirs")
    ran = run("check", "--hook")
    assert ran.status == 2
    assert "skills/tea/SKILL.md has an unresolved merge conflict" in ran.err


def test_a_file_outside_of_the_working_directory_belongs_to_its_own_skill(
    run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write({"skills/tea/references/steps.md": None, "top.txt": "x\n"})
    repo.git("add", "-A")
    monkeypatch.chdir(repo.root / "skills" / "broken")
    ran = run("check", "--hook", "--format", "json")
    assert [each["name"] for each in ran.json["skills"]] == ["tea"]


def test_a_given_skill_that_git_does_not_know_is_checked_on_disk(
    run: Run, repo: Repo, tmp_path: Path
) -> None:
    repo.write({"skills/new/SKILL.md": WRONG})
    outside = tmp_path / "outside" / "SKILL.md"
    outside.parent.mkdir()
    outside.write_text(WRONG)
    ran = run("check", "--hook", "skills/new/SKILL.md", outside, "--format", "json")
    assert [row["path"] for row in ran.json["skills"]] == ["skills/new", "../outside"]
    assert ran.status == 1


def test_without_a_repository_the_hook_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("check", "--hook")
    assert ran.status == 2
    assert "not in a git repository" in ran.err


def test_a_stored_result_of_the_files_on_disk_is_not_that_of_the_commit(
    run: Run, repo: Repo
) -> None:
    def text(name: str) -> str:
        return f"---\nname: {name}\ndescription: Makes tea. Use when tea is wanted.\n---\nTea.\n"

    names = [f"tea-{number}" for number in range(SHARING_THRESHOLD + 1)]
    files: dict[str, str | None] = {f"many/{name}/SKILL.md": text(name) for name in names}
    repo.write({**files, "many/tea-7/SKILL.md": text("Tea-7")})
    repo.git("add", "-A")
    hook = ("check", "--hook", "many", "--format", "gitlab")
    problems = run(*hook).json
    assert [problem["check_name"] for problem in problems] == ["name-format"]
    # Correct on disk, where the line of the name is another one.
    repo.write({"many/tea-7/SKILL.md": text("tea-7").replace("name", "# A name.\nname", 1)})
    for _ in range(2):
        assert run("check", "many", "--format", "gitlab").json == []
        assert run(*hook).json == problems


def test_a_file_that_is_only_intended_to_be_added_is_not_in_the_commit(
    run: Run, repo: Repo
) -> None:
    repo.write({"skills/new/SKILL.md": WRONG, "skills/tea/notes.md": "Notes.\n", "empty": ""})
    repo.git("add", "--intent-to-add", "skills/new", "skills/tea/notes.md")
    repo.git("add", "empty")
    repo.write({"skills/tea/references/steps.md": "More steps.\n"})
    repo.git("add", "skills/tea/references/steps.md")
    ran = run("check", "--hook", "--format", "json")
    assert [row["path"] for row in ran.json["skills"]] == ["skills/tea"]
    assert ran.status == 0, ran.out
    # What it links to, and nobody committed.
    repo.write({"skills/tea/SKILL.md": f"{LINKED}[Notes](notes.md)\n"})
    repo.git("add", "skills/tea/SKILL.md")
    rules = {
        row["rule"]
        for row in run("check", "--hook", "--format", "json").json["skills"][0]["diagnostics"]
    }
    assert "link-missing" in rules
