"""Questions as fields: which kind, what they hold untouched, how their answers stand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.scaffold.new.building import template

from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.fields import Field, answer_of
from skillstudio.session.wizard.fields import fields_of
from skillstudio.session.wizard.state import WHERE, WizardInput, WizardState
from skillstudio.session.wizard.wizard import Wizard


@contextmanager
def wizard(copier: str, base: str, names: dict[str, str] | None = None) -> Iterator[Wizard]:
    made = Wizard(base, names)
    made.take(Interview(template(copier), ""))
    yield made
    made.close()


def fields(copier: str, tmp: Any, where: str = "made", **given: Any) -> dict[str, Field]:
    with wizard(copier, str(tmp)) as opened:
        state = opened.look(WizardInput(where, given))
        assert state.trouble == ""
        return {each.name: each for each in fields_of(state, "here/made")}


@pytest.mark.parametrize(
    ("question", "kind", "text", "chosen"),
    [
        ("{type: str}", "line", "", ()),
        ("{type: str, default: some}", "line", "some", ()),
        ('{type: str, default: "a\\ab"}', "line", "a␇b", ()),
        ('{type: str, default: "a\\nb"}', "box", "a\nb", ()),
        ("{type: str, multiline: true}", "box", "", ()),
        ("{type: str, secret: true, default: hush}", "secret", "", ()),
        ("{type: int, default: 3}", "line", "3", ()),
        ("{type: float, default: 0.5}", "line", "0.5", ()),
        ("{type: bool}", "switch", "", ()),
        ("{type: bool, default: true}", "switch", "true", (True,)),
        ("{type: str, choices: [a, b], default: b}", "one", "b", ("b",)),
        ("{type: str, choices: [a, b], multiselect: true, default: [b]}", "some", '["b"]', ("b",)),
        ("{type: str, multiselect: true, default: [b]}", "line", '["b"]', ()),
        ("{type: yaml, default: {a: 1}}", "line", '{"a": 1}', ()),
        ("{type: yaml, default: plain}", "line", "plain", ()),
        ("{type: json, default: [1, é]}", "line", '[1, "é"]', ()),
    ],
)
def test_each_question_has_its_kind_of_field(
    tmp_path: Any, question: str, kind: str, text: str, chosen: tuple[Any, ...]
) -> None:
    field = fields(f"q: {question}\n", tmp_path)["q"]
    assert (field.kind, field.text) == (kind, text)
    if kind in ("switch", "one", "some"):
        assert field.selection == chosen


def test_yes_and_no_are_choices(tmp_path: Any) -> None:
    field = fields("q: {type: bool}\n", tmp_path)["q"]
    assert [(each.label, each.value) for each in field.choices] == [("yes", True), ("no", False)]


@pytest.mark.parametrize(
    ("question", "given", "status", "sentences"),
    [
        ("{type: str}", {}, "missing", ("required",)),
        ("{type: str, default: x}", {}, "default", ()),
        ("{type: str, default: x}", {"q": "y"}, "ok", ()),
        ("{type: int}", {"q": "many"}, "error", ("must be an integer",)),
        ("{type: str}", {"q": " "}, "error", ("is empty",)),
        (
            "{type: str, validator: '{% if q == \"y\" %}Not y.{% endif %}'}", {"q": "y"},
            "error", ("Not y.",),
        ),
        ("{type: str, choices: [a]}", {"q": "b"}, "error", ("must be one of a",)),
    ],
)  # fmt: skip
def test_each_answer_says_how_it_stands(
    tmp_path: Any, question: str, given: dict[str, Any], status: str, sentences: tuple[str, ...]
) -> None:
    assert fields(f"q: {question}\n", tmp_path, **given)["q"].state == (status, sentences)


def test_the_folder_is_the_first_field_and_says_what_is_made(tmp_path: Any) -> None:
    found = fields("q: 1\n", tmp_path)
    assert list(found) == [WHERE, "q"]
    assert found[WHERE].state == ("ok", ("creates here/made",))
    (tmp_path / "made").mkdir()
    assert fields("q: 1\n", tmp_path)[WHERE].state.status == "error"


def test_a_name_that_is_taken_is_told_at_the_name(tmp_path: Any) -> None:
    copier = 'name: {type: str, default: "{{ _folder_name }}"}\nother: {default: made}\n'
    with wizard(copier, str(tmp_path), {"made": "tools/made"}) as opened:
        _, name, other = fields_of(opened.look(WizardInput("made")), "x")
    assert name.state == ("warning", ("tools/made has the same name",))
    assert other.state.status == "default"


def test_a_question_whose_condition_does_not_hold_has_no_field(tmp_path: Any) -> None:
    copier = 'more: {type: bool, default: false}\nwhat: {type: str, when: "{{ more }}"}\n'
    assert list(fields(copier, tmp_path)) == [WHERE, "more"]
    assert list(fields(copier, tmp_path, more=True)) == [WHERE, "more", "what"]


def test_long_help_is_cut_and_in_one_paragraph(tmp_path: Any) -> None:
    field = fields(f'q: {{type: str, help: "a\\n\\nb {"x" * 5000}"}}\n', tmp_path)["q"]
    assert field.help.startswith("a b xxx")
    assert field.help.endswith("…")
    assert len(field.help) < 700


def test_a_text_as_the_template_has_it_is_no_answer(tmp_path: Any) -> None:
    found = fields("q: {type: str, default: x}\n", tmp_path)
    assert answer_of(found["q"], "x") is MISSING
    assert answer_of(found["q"], "") == ""
    assert answer_of(found["q"], "y") == "y"
    assert answer_of(found[WHERE], "") == ""


def test_nothing_is_told_of_a_template_that_failed(tmp_path: Any) -> None:
    state = WizardState(WizardInput("made"), str(tmp_path / "made"), trouble="why")
    assert [each.name for each in fields_of(state, "x")] == [WHERE]
