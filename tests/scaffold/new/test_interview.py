"""Questions as they stand with the answers so far: what a prompt and a wizard show."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scaffold.new.building import interview, walk

from skillstudio.scaffold.new.copier_file import TemplateFault
from skillstudio.scaffold.new.interview import AnswerChoice
from skillstudio.scaffold.new.template import MISSING

LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.mark.parametrize(
    ("type", "given", "answer"),
    [
        ("str", "text", "text"),
        ("str", " ümläut 日本 👩‍💻 ", " ümläut 日本 👩‍💻 "),
        ("str", 3, "3"),
        ("path", "a/b", "a/b"),
        ("int", "42", 42),
        ("int", " -1 ", -1),
        ("int", 2.0, 2),
        ("float", "2.5", 2.5),
        ("bool", "yes", True),
        ("bool", "off", False),
        ("bool", False, False),
        ("json", '{"a": [1]}', {"a": [1]}),
        ("json", "null", None),
        ("yaml", "[a, b]", ["a", "b"]),
        ("yaml", "3", 3),
    ],
)
def test_an_answer_is_read_by_the_type_of_its_question(type: str, given: Any, answer: Any) -> None:
    asked = walk(f"q: {{type: {type}}}", q=given)["q"]
    assert (asked.answer, asked.problems, asked.open) == (answer, (), False)


@pytest.mark.parametrize(
    ("question", "given", "said"),
    [
        ("type: int", "x", "q must be an integer"),
        ("type: int", "2.5", "q must be an integer"),
        ("type: int", 2.5, "q must be an integer"),
        ("type: int", "9" * 5000, "q must be an integer"),
        ("type: float", "x", "q must be a number"),
        ("type: float", "nan", "q must be a finite number"),
        ("type: bool", "perhaps", "q must be yes or no"),
        ("type: json", "{", "q must be JSON"),
        ("type: yaml", "[", "q must be YAML"),
        ("type: yaml", "&a [*a]", "q must be YAML"),
        ("type: str", ["x"], "q must be text"),
        ("type: str", None, "q must be text"),
        ("type: str", "", "q is empty"),
        ("type: str", "  ", "q is empty"),
        ("type: str", "x" * 10_001, "q is longer than 10000 characters"),
        ("type: str", "a\nb", "q contains a line break"),
        ("type: str", "a\x1b[31mb", "q contains the invisible character U+001B"),
        ("type: str", "a\x00b", "q contains the invisible character U+0000"),
        ("type: str", "a\u202eb", "q contains the invisible character U+202E"),
        ("type: str", "a\udc80b", "q contains the invisible character U+DC80"),
        ("type: json", '["\\u0007"]', "q contains the invisible character U+0007"),
        ("type: json", '{"\\u0007": 1}', "q contains the invisible character U+0007"),
        ("{type: str, multiline: true}", "a\x07", "q contains the invisible character U+0007"),
        ("{type: str, choices: [a, b]}", "c", "q must be one of a, b"),
        ("{type: int, choices: [1, 2]}", "3", "q must be one of 1, 2"),
        ("{type: str, choices: {A: {value: a, validator: not now}, B: b}}", "a", "not now"),
        ("{type: str, choices: [a, b], multiselect: true}", "a", "must be a list, such as [a, b]"),
        ("{type: str, choices: [a, b], multiselect: true}", "[a, c]", "q must be one of a, b"),
        ("{type: int, validator: \"{% if q < 3 %}at least 3{% endif %}\"}", "2", "q: at least 3"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_stay(question: str, given: Any, said: str) -> None:
    question = question if question.startswith("{") else f"{{{question}}}"
    asked = walk(f"q: {question}", q=given)["q"]
    assert said in " ".join(asked.sentences)
    assert len(asked.sentences) == 1


@pytest.mark.parametrize(
    ("question", "given", "answer"),
    [
        ("{type: str, default: ''}", "", ""),
        ("{type: str, multiline: true}", "a\n\tb", "a\n\tb"),
        ("{type: str, choices: [[A, a], [B, b]]}", "b", "b"),
        ("{type: int, choices: {one: 1, two: 2}}", "2", 2),
        ("{type: str, choices: [a, b, c], multiselect: true}", "[c, a]", ["a", "c"]),
        ("{type: str, choices: '[a, {{ 1 + 1 }}]'}", "2", "2"),
        ("{type: int, validator: \"{% if q < 3 %}small{% endif %}\"}", "3", 3),
    ],
)  # fmt: skip
def test_an_answer_that_can(question: str, given: Any, answer: Any) -> None:
    asked = walk(f"q: {question}", q=given)["q"]
    assert (asked.sentences, asked.answer) == ([], answer)


def test_a_question_sees_the_answers_before_it() -> None:
    copier = """
        one: {type: str, default: a}
        two: {type: str, default: "{{ one }}b", help: "After {{ one }}", placeholder: "{{ one }}"}
        three:
          type: str
          default: "{{ two }}"
          choices: ["{{ two }}", "{{ one }}"]
          validator: "{% if three == one %}not {{ one }}{% endif %}"
    """
    asked = walk(copier)
    assert [each.answer for each in asked.values()] == ["a", "ab", "ab"]
    asked = walk(copier, one="x")
    assert asked["two"][3:5] == ("After x", "x")
    assert asked["three"].choices == (AnswerChoice("xb", "xb"), AnswerChoice("x", "x"))
    assert asked["three"].default == "xb"
    assert walk(copier, one="x", three="x")["three"].sentences == ["three: not x"]


def test_a_question_whose_condition_fails_takes_its_default() -> None:
    copier = """
        more: {type: bool, default: false}
        how: {type: str, default: much, when: "{{ more }}", validator: "never good"}
        lacking: {type: str, when: "{{ more }}"}
        computed: {type: str, default: "{{ how }}!", when: false}
    """
    asked = walk(copier, how="little")
    assert [each.is_shown for each in asked.values()] == [True, False, False, False]
    assert (asked["how"].answer, asked["how"].problems) == ("much", ())
    assert asked["lacking"].answer is MISSING
    assert asked["computed"].answer == "much!"
    asked = walk(copier, more="yes", how="little", lacking="x")
    assert asked["how"].sentences == ["how: never good"]


def test_what_depends_on_an_answer_that_is_not_there_waits_for_it() -> None:
    copier = "one: {type: str}\ntwo: {type: str, default: '{{ one }}'}\n"
    asked = walk(copier)
    assert [(each.open, each.answer) for each in asked.values()] == [(True, MISSING)] * 2
    assert walk(copier, one="x")["two"].default == "x"
    assert walk(copier, one="")["one"].problems == ("is empty",)


def test_the_name_is_that_of_the_folder() -> None:
    assert walk("name: {type: str}", "made")["name"].default == "made"
    assert walk("skill_name: {type: str}", "made")["skill_name"].default == "made"
    assert walk("name: {type: str, default: '{{ _folder_name }}-x'}")["name"].default == "made-x"
    assert walk("other: {type: str}")["other"].default is MISSING


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("made", []),
        (
            "Made",
            ["name rejected by skill-creator, skills-ref, spec, claude-upload, mistral-vibe, roo: "
             "the name contains characters other than lowercase letters, digits and hyphens"],
        ),
        (
            "other",
            ["name rejected by skills-ref, spec, roo: the name differs from the folder name"],
        ),
        (
            "é",
            ["name rejected by skill-creator, spec, claude-upload, mistral-vibe, roo: the name "
             "contains characters other than lowercase letters, digits and hyphens",
             "name rejected by skills-ref: the name differs from the folder name",
             "name rejected by copilot-cli: the name starts with é"],
        ),
        ("a\x07", ["name contains the invisible character U+0007"]),
    ],
)  # fmt: skip
def test_a_name_says_under_which_target_it_is_not_legal(name: str, said: list[str]) -> None:
    copier = "_skillstudio: {dialect: agent-skills}\nname: {type: str}\n"
    assert walk(copier, "made", name=name)["name"].sentences == said


def test_systems_without_a_markdown_have_names_of_their_own() -> None:
    copier = "_skillstudio: {dialect: caro-1.0}\nname: {type: str}\n"
    assert walk(copier, "made", name="Other_1")["name"].sentences == []
    assert walk("name: {type: str}", "made", name="A Project")["name"].sentences == []
    long = walk("skill_name: {type: str}", "x" * 65)["skill_name"]
    assert "longer than 64 characters" in long.sentences[0]


def test_a_default_that_cannot_stay_is_named_as_one() -> None:
    asked = walk('name: {type: str, default: "A\\eB"}\nword: {type: str, default: "a\\eb"}')
    said = "contains the invisible character U+001B"
    assert asked["word"].sentences == [f"the default of word {said}"]
    assert asked["name"].sentences == [f"name {said}"]


def test_what_copier_has_besides_the_answers() -> None:
    copier = """
        key: {type: str, default: hunter2, secret: true}
        q:
          type: str
          default: >-
            {{ _folder_name }} {{ _copier_conf.answers_file }} {{ _copier_conf.sep }}
            {{ _copier_operation }} {{ _copier_answers | to_json }}
    """
    assert walk(copier)["q"].answer == "made .copier-answers.yml / copy {}"


def test_unset_is_no_default() -> None:
    assert walk("q: {type: str, default: '{{ UNSET }}'}")["q"].default is MISSING


@pytest.mark.parametrize(
    ("copier", "said"),
    [
        ("q:\n  type: str\n  default: '{{ no }}'", "t/copier.yml:3:12: 'no' is undefined"),
        ("q:\n  type: str\n  help: '{% if %}'", "t/copier.yml:3:9: Expected an expression"),
        ("q:\n  type: '{{ 1 }}'", "t/copier.yml:2:9: unknown type '1'; use one of"),
        ("q:\n  type: str\n  when: '{{ x }}'", "t/copier.yml:3:9: 'x' is undefined"),
        ("q:\n  type: int\n  default: x", "t/copier.yml:3:12: the default must be an integer"),
        ("q:\n  type: str\n  choices: '[a'", "t/copier.yml:3:12: choices expected"),
        ("q:\n  type: str\n  choices: 'a'", "t/copier.yml:3:12: choices must be a list"),
        ("q:\n  type: str\n  choices: {A: {x: 1}}", "a choice has no value"),
        ("q:\n  default: a\n  validator: |\n    {% if q %}\n    {{ x }}\n    {% endif %}",
         "t/copier.yml:5:1: 'x' is undefined"),
        ("q:\n  default: a\n  validator: |\n    one\n    {% else %}", "t/copier.yml:5:1:"),
        (f'q:\n  default: "{LOOP}"', "t/copier.yml:2:12: takes longer than"),
    ],
)  # fmt: skip
def test_a_fault_of_the_template_has_its_place(copier: str, said: str) -> None:
    with interview(copier) as opened:
        opened.renderer._seconds = 0.1 if LOOP in copier else 10.0
        with pytest.raises(TemplateFault) as caught:
            opened.walk({})
    assert said in str(caught.value)


def test_a_walk_is_quick_enough_for_every_key() -> None:
    """A few thousandths of a second each; a slow machine gets forty times as much."""
    from time import perf_counter

    copier = "\n".join(
        f"q{n}: {{type: str, default: '{{{{ _folder_name }}}}', validator: '{{{{ q{n}[:0] }}}}'}}"
        for n in range(20)
    )
    with interview(copier) as opened:
        opened.walk({})
        times = []
        for n in range(5):
            start = perf_counter()
            opened.walk({"q0": f"x{n}"})
            times.append(perf_counter() - start)
        assert min(times) < 0.8
