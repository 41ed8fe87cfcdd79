"""The journey of `update`: a template in git, a team, a newer version, a conflict."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git

from skillstudio.files.disk import DiskTree
from skillstudio.files.temporary import OLD, beside
from skillstudio.scaffold.new.record import FILE, read_record, write_record

COPIER = "_subdirectory: t\nname: {type: str, default: '{{ _folder_name }}'}\n"
SKILL = "---\nname: {{ name }}\ndescription: Makes tea. Use when asked.\n---\n\n# Tea\n\nBoil.\n"


@pytest.mark.slow
@needs_git
def test_a_skill_follows_the_tags_of_its_template(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    template = tmp_path / "template"
    repo = Repo(template)
    repo.commit({"copier.yml": COPIER, "t/SKILL.md.jinja": SKILL}, "v1")
    address = template.as_uri()
    assert run("new", address, "tea", "--ref", "v1", "--defaults").status == 0
    again = run("update", "tea")
    assert (again.status, again.out) == (0, "tea: up to date with the template template\n")

    changed = SKILL.replace("Boil.", "Boil water.")
    files = {"copier.yml": COPIER + "sort: {type: str}\n", "t/SKILL.md.jinja": changed}
    repo.commit({**files, "t/notes.md": "Notes.\n"}, "v2")

    open_question = run("update", "tea")
    assert open_question.status == 2
    assert "no answer to sort; answer with -D NAME=VALUE" in open_question.err
    shown = run("update", "tea", "-D", "sort=green", "--diff")
    assert shown.status == 0
    assert "-Boil.\n+Boil water.\n" in shown.out
    assert "nothing was written" in shown.out
    assert not (tmp_path / "tea" / "notes.md").exists()

    (tmp_path / "tea" / "SKILL.md").write_text(
        (tmp_path / "tea" / "SKILL.md").read_text().replace("Boil.", "Boil milk.")
    )
    done = run("update", "tea", "-D", "sort=green", "--ref", "v2", "--format", "json")
    assert done.status == 1
    assert done.json["conflicts"] == 1
    assert done.json["written"] is True
    assert {each["path"]: each["outcome"] for each in done.json["files"]} == {
        "SKILL.md": "conflict", "notes.md": "added",
    }  # fmt: skip
    text = (tmp_path / "tea" / "SKILL.md").read_text()
    assert "<<<<<<< yours\nBoil milk.\n=======\nBoil water.\n>>>>>>> template " in text
    left = run("update", "tea")
    assert left.status == 1
    assert "tea: SKILL.md has conflicts of an earlier update; resolve them first" in left.err
    (tmp_path / "tea" / "SKILL.md").write_text(SKILL.replace("{{ name }}", "tea"))
    assert "up to date" in run("update", "tea").out


def test_an_included_template_and_what_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "agent-skills", "tea", "--defaults").status == 0
    assert (
        "_src_path: skillstudio:agent-skills\n_commit: "
        in Path("tea", ".copier-answers.yml").read_text()
    )
    assert "up to date with the template agent-skills" in run("update", "tea").out
    assert "--ref needs a git repository" in run("update", "tea", "--ref", "v1").err
    listed = run("pack", "tea", "--list").out
    assert ".skillignore:1" in "".join(
        each for each in listed.splitlines() if ".copier-answers.yml" in each
    )

    record = Path("tea", ".copier-answers.yml")
    written = record.read_text()
    for source, message in {
        "skillstudio:nothing": "has no template nothing; name another with --template",
        "../../..": "is outside of its repository; name it with --template DIR",
        f"{os.sep}srv{os.sep}x": "is a path on another machine; name it with --template DIR",
        "ext::sh -c id": "unsupported transport ext",
    }.items():
        record.write_text(written.replace("skillstudio:agent-skills", f"'{source}'"))
        refused = run("update", "tea")
        assert refused.status == 2, source
        assert message in refused.err
    record.unlink()
    assert (
        "tea: it has no .copier-answers.yml, so its template is unknown" in run("update", "tea").err
    )


@pytest.mark.slow
@needs_git
def test_the_newest_version_is_taken_and_a_branch_is_followed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    repo = Repo(tmp_path / "template")
    address = repo.root.as_uri()
    repo.commit({"copier.yml": COPIER, "t/SKILL.md.jinja": SKILL, "t/a.md": "1\n"}, "v1.9")
    assert run("new", address, "tea", "--defaults").status == 0
    assert "_commit: v1.9\n" in Path("tea", ".copier-answers.yml").read_text()
    assert run("new", address, "chai", "--defaults", "--ref", "main").status == 0
    assert "  ref: main\n" in Path("chai", ".copier-answers.yml").read_text()
    assert run("update", "tea", "--check").status == 0

    repo.commit({"t/a.md": "2\n"}, "v1.10", "v2.0rc1", "latest")
    repo.commit({"t/a.md": "3\n"})
    news = run("update", "tea", "--check", "--format", "json")
    assert (news.status, news.json["old"], news.json["new"]) == (1, "v1.9", "v1.10")
    assert (news.json["current"], news.json["written"]) == (False, False)
    assert Path("tea", "a.md").read_text() == "1\n"
    assert "(v1.9 → v1.10): 1 changed" in run("update", "tea").out
    assert Path("tea", "a.md").read_text() == "2\n"
    assert run("update", "chai").status == 0
    assert Path("chai", "a.md").read_text() == "3\n"
    assert run("update", "tea", "--ref", "HEAD").status == 0
    assert Path("tea", "a.md").read_text() == "3\n"
    assert "  ref: HEAD\n" in Path("tea", ".copier-answers.yml").read_text()

    # From a branch to a tag, and back to an older one.
    assert run("update", "chai", "--ref", "v1.10").status == 0
    assert Path("chai", "a.md").read_text() == "2\n"
    repo.git("tag", "-d", "v1.10")
    older = run("update", "chai")
    assert older.status == 2
    assert "its newest tag v1.9 is older than v1.10" in older.err
    assert run("update", "chai", "--ref", "v1.9").status == 0
    assert Path("chai", "a.md").read_text() == "1\n"

    missing = run("update", "tea", "--ref", "v7")
    assert (missing.status, "v7" in missing.err) == (2, True)
    repo.root.rename(tmp_path / "moved")
    gone = run("update", "chai")
    assert gone.status == 2
    assert address in gone.err


def write_template(folder: Path, copier: str = COPIER, **files: str) -> None:
    for path, text in {"copier.yml": copier, "t/SKILL.md.jinja": SKILL, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@pytest.fixture
def tea(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A skill from the template of the working directory, whose next version has changes."""
    monkeypatch.chdir(tmp_path)
    write_template(tmp_path / "template", **{"t/a.md": "one\n"})
    assert run("new", "./template", "tea", "--defaults").status == 0
    write_template(tmp_path / "template", **{"t/a.md": "two\n"})
    return tmp_path / "tea"


UPDATE = ("update", "tea", "--template", "./template")


def test_a_terminal_shows_the_diff_and_asks(
    run: Run, tea: Path, at_terminal: Callable[[str], None]
) -> None:
    at_terminal("n\n")
    refused = run(*UPDATE)
    assert refused.status == 2
    assert "-one\n" in refused.err
    assert "+two\n" in refused.err
    assert refused.err.endswith("skillstudio: nothing was written\n")
    assert (tea / "a.md").read_text() == "one\n"
    at_terminal("")
    assert run(*UPDATE).status == 2
    at_terminal("y\n")
    assert run(*UPDATE).status == 0
    assert (tea / "a.md").read_text() == "two\n"


def test_yes_asks_nothing(run: Run, tea: Path, at_terminal: Callable[[str], None]) -> None:
    at_terminal("")
    assert run(*UPDATE, "--yes").status == 0
    assert (tea / "a.md").read_text() == "two\n"


def test_conflicts_are_listed_with_their_lines(run: Run, tea: Path) -> None:
    (tea / "a.md").write_text("mine\n")
    preview = run(*UPDATE, "--diff", "--format", "json")
    assert (preview.status, preview.json["places"]) == (1, ["a.md:1"])
    assert preview.json["files"][0]["lines"] == [1]
    assert (tea / "a.md").read_text() == "mine\n"
    done = run(*UPDATE)
    assert done.status == 1
    assert "tea/a.md:1: conflict\n" in done.out


def test_a_conflict_of_bytes_is_named_without_marks(run: Run, tea: Path) -> None:
    (tea / "a.md").write_bytes(b"\0mine")
    done = run(*UPDATE)
    assert done.status == 1
    advice = "of a conflict without a line, take what you need from the .new beside it"
    assert done.out.endswith(f"tea/a.md: conflict\n{advice}\n")
    assert (tea / "a.md.new").read_text() == "two\n"


def keep(path: Path, text: str) -> Path:
    """Keep a text of a file as an update does that is killed before its last steps."""
    kept = Path(beside(str(path)) + OLD)
    kept.write_text(text)
    return kept


def test_what_a_killed_update_kept_is_cleared_after_its_last_step(run: Run, tea: Path) -> None:
    record = (tea / FILE).read_text()
    (tea / "a.md").write_text("mine\n")
    assert run(*UPDATE).status == 1
    keep(tea / "a.md", "mine\n")
    keep(tea / FILE, record)
    ran = run(*UPDATE)
    assert ran.status == 1
    assert "tea/a.md:1: conflict\n" in ran.out
    assert "up to date" not in ran.out
    assert not list(tea.glob(".skillstudio-*"))


def test_a_kept_text_that_is_in_no_file_stays(run: Run, tea: Path) -> None:
    kept = keep(tea / "a.md", "what nobody else has\n")
    ran = run(*UPDATE)
    assert ran.status == 1
    assert f"a.md: a killed update kept its former text in {kept.name}; keep what you" in ran.err
    assert (tea / "a.md").read_text() == "one\n"
    kept.unlink()
    assert run(*UPDATE).status == 0


def test_a_new_question_is_a_change(run: Run, tea: Path) -> None:
    write_template(tea.parent / "template", COPIER + "sort: {type: str}\n")
    news = run(*UPDATE, "--check")
    assert news.status == 1
    assert "the template has changes: it now asks for sort" in news.err


def _refused_templates() -> dict[str, tuple[str, str]]:
    return {
        "damaged": ("a: [", "template/copier.yml:1:"),
        "tasks": (COPIER + "_tasks: [touch ran]\n", "_tasks is not supported: it runs commands"),
        "a name that leads out": (
            COPIER + "out: {default: ../out}\n",
            "which points outside of the folder",
        ),
        "a repository's folder": (COPIER + "out: {default: .git/hooks/x}\n", "has the part .git"),
    }


@pytest.mark.parametrize(
    ("copier", "message"), _refused_templates().values(), ids=list(_refused_templates())
)
def test_a_template_that_is_refused(run: Run, tea: Path, copier: str, message: str) -> None:
    write_template(tea.parent / "template", copier, **{"t/{{ out }}": "x"})
    if "out:" not in copier:
        (tea.parent / "template" / "t" / "{{ out }}").unlink()
    refused = run(*UPDATE, "--defaults")
    assert refused.status == 2
    assert message in refused.err
    assert (tea / "a.md").read_text() == "one\n"
    assert {path.name for path in tea.parent.iterdir()} == {"template", "tea"}


def test_a_record_that_is_refused(run: Run, tea: Path) -> None:
    record = read_record(DiskTree(str(tea)))
    outside = tea.parent / "outside"
    outside.write_text("one\n")
    files = {**(record.files or {}), "../outside": b"one\n"}
    (tea / FILE).write_bytes(write_record(record._replace(files=files)))
    refused = run(*UPDATE)
    assert refused.status == 2
    assert "names a file whose path points outside of the folder: '../outside'" in refused.err
    assert outside.read_text() == "one\n"
    answers = {**record.answers, "name": ["no", "text"], "unknown": 1}
    (tea / FILE).write_bytes(write_record(record._replace(answers=answers)))
    edited = run(*UPDATE)
    assert "Traceback" not in edited.err
    assert "the template no longer asks for unknown" in edited.err or edited.status == 2
    (tea.parent / "template").rename(tea.parent / "moved")
    moved = run("update", "tea", "--template", "./template")
    assert (moved.status, "./template" in moved.err) == (2, True)


def test_a_folder_of_several_skills(run: Run, tea: Path) -> None:
    assert run("new", "./template", "chai", "--defaults").status == 0
    refused = run("update", ".")
    assert refused.status == 2
    assert "contains 2 skills; name one: " in refused.err
    both = run("update", "tea", "chai")
    assert (both.status, "chai" in both.err) == (2, True)
