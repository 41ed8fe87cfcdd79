"""`skillstudio new` on the command line."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import CLEAN, Run

from skillstudio.files import placing
from skillstudio.manifest.targets import targets
from skillstudio.scaffold.new.catalogue import user_folder

ASK = """\
_skillstudio: {description: Asks., dialect: agent-skills}
name: {type: str, help: The name}
words: {type: int, default: 3, choices: {few: 3, many: 9}}
key: {type: str, default: hunter2, secret: true}
"""
SKILL = "---\nname: {{ name }}\ndescription: Says {{ words }} words. Use when said.\n---\nSay.\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def own() -> Path:
    """A template of the user's own, called `asks`."""
    folder = Path(user_folder()) / "asks"
    folder.mkdir(parents=True)
    (folder / "copier.yml").write_text(ASK)
    (folder / "SKILL.md.jinja").write_text(SKILL)
    return folder


RECORD = [".copier-answers.yml", ".skillignore"]


def below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_with_defaults_the_name_is_the_last_part_of_the_path(run: Run, tmp_path: Path) -> None:
    done = run("new", "script-tool", "tools/count-words", "--defaults")
    assert (done.status, done.err) == (0, "")
    assert "    count.py  (" in done.out
    assert ", executable)" in done.out
    assert "1 skill checked, no problems" in done.out
    assert "created tools/count-words; skillstudio tools/count-words opens it" in done.out
    assert "name: count-words\n" in (tmp_path / "tools/count-words/SKILL.md").read_text()
    assert run("check", "tools").status == 0


def test_without_a_template_it_is_a_plain_skill(run: Run) -> None:
    assert run("new", "plain", "--defaults").status == 0
    assert below(Path("plain")) == [*RECORD, "SKILL.md"]


def test_json(run: Run, own: Path) -> None:
    done = run("new", "asks", "made", "--defaults", "-D", "words=9", "--format", "json")
    value = done.json
    size = (Path("made") / "SKILL.md").stat().st_size
    assert value == {
        "path": "made",
        "template": "asks",
        "made": True,
        "answers": {"name": "made", "words": 9, "key": "‹sensitive›"},
        "files": [{"path": "SKILL.md", "size": size, "executable": False}],
        "links": {},
        "notes": [],
        "next": "",
        "dialects": ["agent-skills"],
        "diagnostics": [],
        "targets": {
            id: {"outcome": "not found" if "roots" in each["discovery"] else "loads", "reasons": []}
            for id, each in targets().items()
        },
    }
    assert "hunter2" not in done.out


def test_a_dry_run_writes_nothing(run: Run, tmp_path: Path) -> None:
    done = run("new", "knowledge", "a/b/made", "--defaults", "--dry-run")
    assert done.status == 0
    assert done.out.endswith("nothing was written\n")
    value = run("new", "knowledge", "made", "--defaults", "--dry-run", "--format", "json").json
    assert value["made"] is False
    assert [each["path"] for each in value["files"]] == [
        "SKILL.md", "references/decisions.md", "references/rules.md", "references/terms.md",
    ]  # fmt: skip
    assert below(tmp_path) == []


def test_answers_stand_anywhere_in_the_line(run: Run) -> None:
    words = ["-D", "topic=tea", "knowledge", "--defaults", "made", "-D", "description=Tea. Use it."]
    assert run("new", *words).status == 0
    assert "knowledge about tea." in Path("made/SKILL.md").read_text()
    assert 'description: "Tea. Use it."' in Path("made/SKILL.md").read_text()


def test_without_a_terminal_the_questions_without_an_answer_are_named(run: Run, own: Path) -> None:
    done = run("new", "asks", "made", "-D", "words=3")
    assert (done.status, done.out) == (2, "")
    assert "no answer to name, key; answer with -D NAME=VALUE, or use --defaults" in done.err
    (own / "copier.yml").write_text(ASK + "free: {type: str}\n")
    done = run("new", "asks", "made", "--defaults")
    assert "no answer to free; answer with -D NAME=VALUE\n" in done.err
    done = run("new", "made")
    assert "name a template before the folder, or use --defaults: agent-skills" in done.err
    assert not Path("made").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "missing DEST"),
        (["a", "b", "c"], "unexpected argument c"),
        (["asks", "made", "-D", "words"], "-D words: expected KEY=VALUE"),
        (["asks", "made", "-D", "word=3"], "has no question word; did you mean words?"),
        (["asks", "made", "-D", "zzz=3"], "has no question zzz; its questions: name, words, key"),
        (["asks", "made", "-D", "words=4"], "words must be one of 3, 9"),
        (["asks", "made", "-D", "words=x"], "words must be an integer"),
        (["asks", "made", "-D", "name="], "name is empty"),
        (["asks", "made", "-D", "name=" + "x" * 10_001], "name is longer than 10000 characters"),
        (["asks", "made", "-D", "name=a\x1b]0;b"], "name contains the invisible character U+001B"),
        (["asks", "made", "-D", "name=Made"], "name rejected by skill-creator, skills-ref, spec"),
        (
            ["asks", "Made Up"],
            "name rejected by skill-creator, skills-ref, spec, claude-upload, mistral-vibe, roo",
        ),
        (["asks", ""], "DEST is empty: name a folder"),
        (["asks"], "asks is a template: name the new folder after it"),
        (["script-tool"], "script-tool is a template"),
        (["asks", "there"], "there: it already exists"),
        (["asks", "file"], "file: it already exists"),
        (["asks", "file/x"], "is a file, not a folder"),
        (["asks", "skill/x"], "it is inside the skill"),
        (["asks", "skill/a/b/c"], "it is inside the skill"),
        (["asked", "made"], "no template or folder is called asked; did you mean"),
        (["./there", "made"], "there: not a template: it does not contain copier.yml"),
        (["ext::sh -c touch% mark", "made"], "unsupported transport ext"),
        (["asks", "made", "--ref", "main"], "not a git repository URL"),
        (["asks", "made", "--format", "xml"], "unknown format xml"),
    ],
)
def test_bad_input(run: Run, own: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "skill" / "a").mkdir(parents=True)
    (tmp_path / "skill" / "SKILL.md").write_text(CLEAN.format(name="skill"))
    before = below(tmp_path)
    done = run("new", *arguments, "--defaults")
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "\x1b" not in done.err
    assert below(tmp_path) == before


LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.mark.slow_cases("files9-evil/SKILL.md.jinja:1:1: takes longer than 1 seconds")
@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"copier.yml": "a: ["}, "evil/copier.yml:1:5: "),
        ({"copier.yml": "a: {type: whole}"}, "evil/copier.yml:1:11: unknown type 'whole'"),
        ({"copier.yml": "a: x\n_tasks: [touch mark]"}, "evil/copier.yml:2:1: _tasks is not"),
        ({"copier.yml": "_jinja_extensions: [mark.E]"}, "_jinja_extensions is not supported"),
        ({"copier.yml": "a: !include /etc/passwd"}, "evil/copier.yml:1:4: !include"),
        ({"copier.yml": "_external_data: {x: /etc/passwd}"}, "_external_data is not supported"),
        ({"SKILL.md.jinja": "one\n {% if %}"}, "evil/SKILL.md.jinja:2:2: Expected an expression"),
        ({"SKILL.md.jinja": "{{ ''.__class__ }}"}, "evil/SKILL.md.jinja:1:1: access to attribute"),
        ({"SKILL.md.jinja": "{{ 'a' * 10 ** 10 }}"}, "produces more than 1048576 items"),
        ({"SKILL.md.jinja": LOOP}, "evil/SKILL.md.jinja:1:1: takes longer than 1 seconds"),
        (
            {"SKILL.md.jinja": "{% include '/etc/passwd' %}"},
            "includes '/etc/passwd', which does not exist",
        ),
        ({"{{ '..' }}/{{ '..' }}/mark": ""}, "which points outside of the folder"),
        ({"copier.yml": "a: '/mark'", "{{ a }}": ""}, "renders to '/mark', which is absolute"),
        ({}, "evil: the template renders no files"),
    ],
)
def test_hostile_templates(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], said: str
) -> None:
    monkeypatch.setattr(
        "skillstudio.scaffold.new.renderer.Renderer.__init__.__defaults__", ((), 1, None)
    )
    for path, text in {"copier.yml": "", **files}.items():
        file = tmp_path / "evil" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    done = run("new", "./evil", "made", "--defaults")
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert sorted(os.listdir(tmp_path)) == ["evil"]


@pytest.mark.slow
def test_what_the_check_refuses_is_not_made_unless_asked_for(
    run: Run, own: Path, tmp_path: Path
) -> None:
    (own / "SKILL.md.jinja").write_text("---\nname: {{ name }}\n---\n")
    done = run("new", "asks", "made", "--defaults")
    assert done.status == 1
    assert "error key-missing" in done.out
    assert "nothing was created because of 1 error; --anyway creates the skill" in done.err
    assert below(tmp_path) == []
    value = run("new", "asks", "made", "--defaults", "--format", "json").json
    assert (value["made"], value["diagnostics"][0]["rule"]) == (False, "key-missing")
    done = run("new", "asks", "made", "--defaults", "--anyway")
    assert done.status == 0
    assert below(tmp_path) == ["made", *(f"made/{each}" for each in RECORD), "made/SKILL.md"]


def test_a_template_of_something_else_makes_no_skill(run: Run, own: Path, tmp_path: Path) -> None:
    (own / "SKILL.md.jinja").rename(own / "README.md.jinja")
    done = run("new", "asks", "made", "--defaults")
    assert done.status == 1
    assert "error skill-missing: made would not be a skill" in done.out
    assert below(tmp_path) == []
    value = run("new", "asks", "made", "--defaults", "--anyway", "--format", "json").json
    assert value["made"] is True
    assert [each["rule"] for each in value["diagnostics"]] == ["skill-missing"]


def test_the_settings_of_the_place_hold(run: Run, own: Path, tmp_path: Path) -> None:
    (tmp_path / "skillstudio.toml").write_text('targets = ["skill-creator"]\n')
    (own / "SKILL.md.jinja").write_text(
        "---\nname: {{ name }}\ndescription: Says. Use it.\ncompatibility: All.\n---\nSay.\n"
    )
    done = run("new", "asks", "made", "--defaults")
    assert done.status == 1
    assert "target-refused" in done.out
    assert "not accepted by skill-creator; skillstudio why made explains" in done.out


def test_a_disk_that_is_full_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: str, data: bytes, executable: bool) -> None:
        if path.endswith(".py"):
            raise OSError(28, "No space left on device")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)

    monkeypatch.setattr(placing, "_write", write)
    done = run("new", "script-tool", "a/made", "--defaults")
    assert done.status == 1
    assert "No space left on device; nothing was created" in done.err
    assert "made a/made" not in done.out
    assert below(tmp_path) == []


def test_an_interrupted_question_makes_nothing(
    run: Run, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("skillstudio.cli.new._can_ask", lambda: True)
    monkeypatch.setattr("builtins.input", interrupted)
    done = run("new", "asks", "made")
    assert (done.status, done.out) == (130, "")
    assert below(tmp_path) == []


def test_answers_at_a_terminal(run: Run, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A choice by its number, a secret that is not echoed, a default by an empty line."""
    (own / "copier.yml").write_text(ASK + "more: {type: bool, default: true}\n")
    lines = iter(["", "2", "no"])
    monkeypatch.setattr("skillstudio.cli.new._can_ask", lambda: True)
    monkeypatch.setattr("builtins.input", lambda: next(lines))
    monkeypatch.setattr("getpass.getpass", lambda prompt: "open sesame")
    done = run("new", "asks", "made", "--format", "json")
    assert done.json["answers"] == {
        "name": "made", "words": 9, "key": "‹sensitive›", "more": False,
    }  # fmt: skip
    assert "  2. many\n" in done.err
    assert "hunter2" not in done.out + done.err
    assert "sesame" not in done.out + done.err
    assert list(lines) == []


def test_the_file_of_answers_is_ours(run: Run, own: Path) -> None:
    (own / "{{ _copier_conf.answers_file }}.jinja").write_text("{{ _copier_answers|to_json }}")
    done = run("new", "asks", "made", "--defaults")
    assert (done.status, done.err) == (0, "")
    assert below(Path("made")) == [*RECORD, "SKILL.md"]
    text = Path("made", RECORD[0]).read_text()
    assert text.startswith("# Written for `skillstudio update`")
    assert "_src_path: asks\nname: made\nwords: " in text
    # The answers to sensitive questions are not recorded.
    assert "key:" not in text
    assert "hunter2" not in text


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_template_in_a_git_repository(run: Run, own: Path, tmp_path: Path) -> None:
    from tests.repositories import Repo

    repo = Repo(tmp_path / "repo")
    repo.commit({path.name: path.read_text() for path in own.iterdir()})
    url = f"file://{tmp_path / 'repo'}"
    done = run("new", url, "made", "--defaults", "--format", "json")
    assert (done.status, done.json["template"]) == (0, "repo")
    assert below(Path("made")) == [*RECORD, "SKILL.md"]
    assert f"_src_path: {url}\n_commit: {repo.git('rev-parse', 'HEAD')}\n" in (
        Path("made", RECORD[0]).read_text()
    )


def test_templates_as_json(run: Run, own: Path) -> None:
    done = run("new", "--list", "--format", "json")
    assert (done.status, set(done.json)) == (0, {"templates"})
    listed: dict[str, Any] = {each["name"]: each for each in done.json["templates"]}
    assert list(listed) == sorted(listed)
    assert listed["asks"] == {
        "name": "asks",
        "description": "Asks.",
        "dialect": "agent-skills",
        "questions": [
            {"name": "name", "type": "str", "default": None, "help": "The name", "choices": None},
            {"name": "words", "type": "int", "default": 3, "help": "", "choices": [3, 9]},
            {"name": "key", "type": "str", "default": None, "help": "", "choices": None},
        ],
    }
    assert listed["script-tool"]["dialect"] == "skill-manifest-2.0"
    assert "hunter2" not in done.out


def test_templates_as_text(run: Run, own: Path) -> None:
    done = run("new", "--list")
    assert done.status == 0
    assert "asks (agent-skills): Asks.\n  name: The name\n  words:  (3, 9)\n" in done.out
    assert done.out.endswith(f"your own templates: {user_folder()}\n")
    (own / "copier.yml").write_text("a: [")
    done = run("new", "--list")
    assert done.status == 1
    assert "asks/copier.yml:1:5:" in done.err
    assert "script-tool" in done.out


def test_one_template_is_listed_by_its_name_or_folder(run: Run, own: Path) -> None:
    for name in ("asks", str(own)):
        done = run("new", "--list", name)
        assert (done.status, done.out.count("\n"), done.err) == (0, 4, "")
        assert done.out.startswith("asks (agent-skills): Asks.\n")
    [template] = run("new", "--list", "asks", "--format", "json").json["templates"]
    assert template["name"] == "asks"
    assert "did you mean asks?" in run("new", "--list", "ask").err
    assert "unexpected argument more" in run("new", "--list", "asks", "more").err
    (own / "copier.yml").write_text("a: [")
    assert run("new", "--list", "asks").status == 2


def test_listing_templates_renders_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("skillstudio.scaffold.new.renderer.Renderer._new_process", refuse)
    assert run("new", "--list").status == 0
