"""A new skill before it is made: the folder, the answers, the preview, and creation."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.scaffold.new.building import template

from skillstudio.scaffold.new.catalogue import user_folder
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.wizard.fields import summary
from skillstudio.session.wizard.state import WHERE, WizardInput, WizardState
from skillstudio.session.wizard.wizard import MAX_QUESTIONS, Wizard, base_for, list_offers

NAMED = """
_skillstudio: {dialect: agent-skills}
name: {type: str, default: "{{ _folder_name }}"}
"""
SKILL = "---\nname: {{ name }}\ndescription: Does it. Use when asked.\n---\n# It\n"
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
Take = Callable[..., Wizard]


@pytest.fixture
def take(tmp_path: Path) -> Iterator[Take]:
    """A wizard in `tmp_path` with a template of a `copier.yml` and files."""
    opened: list[Wizard] = []

    def made(copier: str = NAMED, names: dict[str, str] | None = None, **files: str) -> Wizard:
        wizard = Wizard(str(tmp_path), names)
        opened.append(wizard)
        wizard.take(Interview(template(copier, **(files or {"SKILL.md.jinja": SKILL})), ""))
        return wizard

    yield made
    for wizard in opened:
        wizard.close()


def look(wizard: Wizard, where: str = "made", **given: Any) -> WizardState:
    return wizard.look(WizardInput(where, given))


def own(name: str, text: str) -> None:
    folder = Path(user_folder()) / name
    folder.mkdir(parents=True)
    (folder / "copier.yml").write_text(text)


def test_templates_are_offered_by_name_and_those_with_a_fault_say_where_it_is() -> None:
    own("mine", "q: 1\n")
    own("broken", "a: [\n")
    own("bad-type", "a: {type: colour}\n")
    offers = {each.name: each for each in list_offers()}
    assert list(offers) == sorted(offers)
    assert {"agent-skills", "mine", "broken", "bad-type"} <= set(offers)
    assert offers["mine"].template is not None
    assert offers["broken"].template is None
    assert "broken/copier.yml:2:1: " in offers["broken"].fault
    assert "bad-type/copier.yml:1:11: unknown type 'colour'" in offers["bad-type"].fault


def test_a_free_name_is_offered_for_the_folder(tmp_path: Path) -> None:
    assert Wizard(str(tmp_path)).where == "new-skill"
    (tmp_path / "new-skill").mkdir()
    (tmp_path / "new-skill-2").write_text("")
    assert Wizard(str(tmp_path)).where == "new-skill-3"


def test_new_skills_lie_beside_the_skill_that_is_open(tmp_path: Path) -> None:
    inner = tmp_path / "skills" / "one" / "docs"
    inner.mkdir(parents=True)
    (tmp_path / "skills" / "one" / "SKILL.md").write_text("---\nname: one\n---\n")
    assert base_for(str(tmp_path / "skills")) == str(tmp_path / "skills")
    assert base_for(str(tmp_path / "skills" / "one")) == str(tmp_path / "skills")
    assert base_for(str(inner)) == str(tmp_path / "skills")


@pytest.mark.parametrize(
    ("where", "fault"),
    [
        ("fresh", ""),
        ("deep/er/fresh", ""),
        ("", "enter a name for a new folder"),
        ("  ", "enter a name for a new folder"),
        ("there", "it already exists; skillstudio never overwrites files"),
        ("there/", "it already exists; skillstudio never overwrites files"),
        (".", "it already exists; skillstudio never overwrites files"),
        ("file", "it already exists; skillstudio never overwrites files"),
        ("file/below", "is a file, not a folder"),
        ("skill/inside", "choose a folder outside of it"),
        ("a\0b", "contains a NUL"),
        ("con", "a device on Windows"),
        ("x" * 300, "longer than 255 bytes"),
        ("tail.", "ends with a dot"),
    ],
)
def test_the_folder_is_looked_at_while_it_is_typed(
    take: Take, tmp_path: Path, where: str, fault: str
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill" / "SKILL.md").write_text("---\nname: skill\n---\n")
    state = look(take("a: 1\n"), where)
    assert fault in state.where_fault
    assert bool(state.where_fault) is bool(fault)
    assert (WHERE in state.problem_fields) is bool(fault)


def test_the_name_follows_the_folder_until_it_is_given(take: Take) -> None:
    wizard = take()
    assert look(wizard, "one").questions[0].answer == "one"
    assert look(wizard, "two/deeper").questions[0].answer == "deeper"
    state = look(wizard, "one", name="other")
    assert state.questions[0].answer == "other"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("My Skill", "rejected by skill-creator, "),
        ("UPPER", "rejected by skill-creator, "),
        ("a--b", "leading, trailing or double hyphen"),
        ("good-name", ""),
    ],
)
def test_a_name_that_a_target_refuses_is_told_with_the_target(
    take: Take, name: str, said: str
) -> None:
    state = look(take(), name)
    problems = " ".join(state.questions[0].problems)
    assert said in problems
    assert state.ready is (not said)
    assert (summary(state) == "invalid: name") is bool(said)


def test_a_name_that_another_skill_has_is_told_and_allowed(take: Take) -> None:
    wizard = take(names={"worklog": "tools/worklog"})
    assert look(wizard, "worklog").namesake == "tools/worklog"
    assert look(wizard, "worklog").ready
    assert look(wizard, "other").namesake == ""


def test_a_question_without_an_answer_is_still_to_do(take: Take) -> None:
    wizard = take("a: {type: str}\nb: {type: int, default: 1}\nc: {type: str, when: false}\n")
    state = look(wizard)
    assert state.problem_fields == ["a"]
    assert [each.name for each in state.visible_questions] == ["a", "b"]
    assert look(wizard, a="x", b="y").problem_fields == ["b"]
    assert look(wizard, a="x", b="2").ready


def test_what_is_left_to_do_is_told_in_few_words(take: Take) -> None:
    wizard = take("".join(f"q{number}: {{type: str}}\n" for number in range(5)))
    assert summary(look(wizard, "")) == "required: the folder, q0, q1 and 3 more"


def test_answers_are_kept_for_each_template(take: Take) -> None:
    wizard = take("a: {type: str}\n")
    wizard.answer("a", "kept")
    wizard.answer(WHERE, "somewhere")
    other = replace(template("b: {type: str}\n"), location="another")
    wizard.take(Interview(other, ""))
    assert wizard.content == WizardInput("somewhere", {})
    wizard.answer("b", "x")
    wizard.answer("b", MISSING)
    wizard.take(Interview(template("a: {type: str}\n"), ""))
    assert wizard.content == WizardInput("somewhere", {"a": "kept"})


def test_the_preview_is_checked_and_nothing_is_written(take: Take, tmp_path: Path) -> None:
    wizard = take()
    preview = wizard.draw(look(wizard))
    assert preview.draft is not None
    assert preview.draft.analysis.diagnostics == ()
    assert preview.draft.rendering.files["SKILL.md"].startswith(b"---\nname: made\n")
    assert list(tmp_path.iterdir()) == []


def test_the_settings_of_the_place_hold_for_the_check(take: Take, tmp_path: Path) -> None:
    wizard = take(**{"SKILL.md.jinja": SKILL + "[gone](gone.md)\n"})
    first = wizard.draw(look(wizard)).draft
    assert first is not None
    (found,) = first.analysis.diagnostics
    (tmp_path / "skillstudio.toml").write_text(f'[rules]\n{found.rule} = "off"\n')
    second = wizard.draw(look(wizard)).draft
    assert second is not None
    assert second.analysis.diagnostics == ()


def test_it_is_made_where_it_was_said(take: Take, tmp_path: Path) -> None:
    wizard = take()
    preview = wizard.draw(look(wizard, "deep/made"))
    assert wizard.create(preview) == ""
    folder = tmp_path / "deep" / "made"
    assert (folder / "SKILL.md").read_text().startswith("---\nname: made\n")
    written = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert preview.draft is not None
    assert preview.draft.rendering.files == written, "the preview has every file"
    assert ".copier-answers.yml" in written


def test_a_folder_taken_since_the_preview_is_left_alone(take: Take, tmp_path: Path) -> None:
    wizard = take()
    preview = wizard.draw(look(wizard))
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "SKILL.md").write_text("mine")
    assert "it already exists" in wizard.create(preview)
    assert (tmp_path / "made" / "SKILL.md").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_is_protected_is_told(take: Take, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "read-only" in look(take(), "locked/made").where_fault


@pytest.mark.parametrize(
    ("copier", "files", "said"),
    [
        (NAMED, {"SKILL.md.jinja": "a\n{{ nope }}\n"}, "t/SKILL.md.jinja:2:1: "),
        (NAMED, {"SKILL.md.jinja": "{% if %}"}, "t/SKILL.md.jinja:1:1: "),
        (NAMED, {"{{ '..' }}__x": "a"}, "points outside of the folder"),
        ("a: 1\n", {}, "renders no files"),
    ],
)
def test_a_template_that_cannot_be_rendered_says_why_at_its_place(
    take: Take, copier: str, files: dict[str, str], said: str
) -> None:
    wizard = take(copier)
    wizard.take(Interview(template(copier, **files), ""))
    preview = wizard.draw(look(wizard))
    assert preview.draft is None
    assert said in preview.trouble
    assert said in wizard.create(preview)


def test_a_question_that_cannot_be_asked_says_why_at_its_place(take: Take) -> None:
    state = look(take('a: {type: int, default: "{{ 1 / 0 }}"}\n'))
    assert state.trouble.startswith("t/copier.yml:1:25: ")
    assert not state.ready


def test_too_many_questions_are_none_for_a_screen(tmp_path: Path) -> None:
    copier = "".join(f"q{number}: 1\n" for number in range(MAX_QUESTIONS + 1))
    begun = Wizard(str(tmp_path)).begin(template(copier))
    assert begun.interview is None
    assert f"{MAX_QUESTIONS + 1} questions are too many" in begun.trouble


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("no-such", "no template or folder is called no-such"),
        ("ext::sh -c id", "use https, ssh or file"),
        ("-x", "looks like an option"),
    ],
)
def test_a_template_elsewhere_that_is_none_says_why(tmp_path: Path, which: str, said: str) -> None:
    assert said in Wizard(str(tmp_path)).begin(which).trouble


def test_a_template_elsewhere_is_read_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "copier.yml").write_text("q: 1\n")
    begun = Wizard(str(tmp_path)).begin(str(tmp_path))
    assert begun.trouble == ""
    assert begun.interview is not None
    assert [each.name for each in begun.interview.template.questions] == ["q"]


def test_an_endless_template_ends_when_it_is_interrupted_and_the_next_look_works(
    take: Take,
) -> None:
    validator = f"{{% if a == 'y' %}}{ENDLESS}{{% endif %}}"
    wizard = take(f'a: {{type: str, default: x, validator: "{validator}"}}\n')
    found: list[WizardState] = []
    thread = threading.Thread(target=lambda: found.append(look(wizard, a="y")))
    thread.start()
    while thread.is_alive():
        wizard.interrupt()
        thread.join(0.05)
    assert found[0].trouble
    assert look(wizard, a="z").ready


def test_letting_go_of_an_endless_template_leaves_no_process(take: Take) -> None:
    wizard = take(f'a: {{type: str, default: "{ENDLESS}"}}\n')
    interview = wizard._interview
    assert interview is not None
    thread = threading.Thread(target=lambda: look(wizard))
    thread.start()
    while thread.is_alive():
        wizard.interrupt()
        wizard.close()
        thread.join(0.05)
    assert interview.renderer._process is None
    assert wizard.template is None
    assert "no template is chosen" in look(wizard).trouble


@pytest.mark.parametrize(
    ("where", "shown"),
    [("made", "{base}/made"), ("a/b", "{base}/a/b"), ("../made", "{above}/made"), ("/x", "/x")],
)
def test_a_destination_is_shown_from_the_folder_it_is_in(
    tmp_path: Path, where: str, shown: str
) -> None:
    wizard = Wizard(str(tmp_path))
    assert wizard.place(wizard.destination(where)) == shown.format(
        base=tmp_path.name, above=tmp_path.parent
    )
