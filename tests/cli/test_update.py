"""The journey of `update`: a template in git, a team, a newer version, a conflict."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git

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
