"""What `copier.yml` may say, and what is refused of it, by name and place."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scaffold.new.building import of, template

from skillstudio.scaffold.new.copier_file import (
    LARGEST,
    TemplateFault,
    read_copier_file,
    read_value,
)
from skillstudio.scaffold.new.template import MISSING, USUAL_EXCLUDE, Question

BOMB = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10) if n else 1}]\n" for n in range(8))


def fault(copier: str) -> str:
    with pytest.raises(TemplateFault) as caught:
        template(copier)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "type", "default"),
    [
        ("q: text", "str", "text"),
        ("q: 3", "int", 3),
        ("q: 3.5", "float", 3.5),
        ("q: yes", "bool", True),
        ("q: [a, b]", "yaml", ["a", "b"]),
        ("q:", "yaml", None),
        ("q: {}", "yaml", MISSING),
        ("q: {type: str}", "str", MISSING),
        ("q: {type: str, default: ''}", "str", ""),
        ("q: {default: 3}", "int", 3),
        ("q: {default: 2025-01-02}", "str", "2025-01-02"),
        ("q: {type: '{{ kind }}', default: 1}", "{{ kind }}", 1),
    ],
)
def test_the_type_of_a_question(text: str, type: str, default: Any) -> None:
    (question,) = template(text).questions
    assert (question.type, question.default) == (type, default)


def test_everything_of_a_question() -> None:
    (question,) = template(
        """
        q:
          type: str
          help: Which?
          default: a
          choices: [a, b]
          validator: "{% if q == 'b' %}no{% endif %}"
          when: "{{ true }}"
          secret: true
          multiselect: true
          multiline: true
          placeholder: ...
        """
    ).questions
    assert question == Question(
        "q", "str", "Which?", "a", ["a", "b"], "{% if q == 'b' %}no{% endif %}", "{{ true }}",
        True, True, True, "...",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("choices", "values"),
    [
        ("[a, b]", ["a", "b"]),
        ("[[A, a], [B, b]]", ["a", "b"]),
        ("{A: a, B: 2}", ["a", 2]),
        ("{A: {value: a, validator: no}}", ["a"]),
        ("'{{ others }}'", None),
    ],
)
def test_the_values_to_choose_from(choices: str, values: list[Any] | None) -> None:
    (question,) = template(f"q: {{type: str, choices: {choices}}}").questions
    assert question.values == values


def test_settings() -> None:
    read = template(
        """
        _skillstudio: {description: A thing., dialect: caro-1.0}
        _subdirectory: inside
        _exclude: ["*.bak"]
        _templates_suffix: .tpl
        _answers_file: .answers
        _envops: {variable_start_string: "[[", variable_end_string: "]]", trim_blocks: true}
        _secret_questions: [q]
        _jinja_extensions: [jinja2.ext.do]
        _tasks: []
        _migrations: [{version: v2, command: rm -rf /}]
        _message_after_copy: Well done
        _min_copier_version: "9"
        _of_the_authors_own: 1
        q: {default: x}
        """
    )
    assert (read.description, read.dialect) == ("A thing.", "caro-1.0")
    assert (read.subdirectory, read.exclude, read.suffix) == ("inside", ("*.bak",), ".tpl")
    assert (read.answers_file, read.extensions) == (".answers", ("jinja2.ext.do",))
    assert read.envops["trim_blocks"] is True
    assert [(each.name, each.secret) for each in read.questions] == [("q", True)]


def test_the_usual_settings() -> None:
    read = template("q: 1")
    assert (read.subdirectory, read.exclude, read.suffix) == ("", USUAL_EXCLUDE, ".jinja")
    assert read.envops == {"keep_trailing_newline": True}
    assert template("_subdirectory: x").exclude == ()


def test_several_documents_are_one() -> None:
    read = template("_exclude: [a]\nq: 1\np: 2\n---\n_exclude: [b]\nq: 3\n")
    assert read.exclude == ("a", "b")
    assert [(each.name, each.default) for each in read.questions] == [("q", 3), ("p", 2)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1\n", "t/copier.yml:2:1: expected"),
        ("a: 1\n b: 2\n", "t/copier.yml:2:3: mapping values"),
        ("- a\n", "t/copier.yml:1:1: not a mapping"),
        ("a: \x00", "t/copier.yml: unacceptable"),
        ("a: !include x.yml", "t/copier.yml:1:4: !include of other files"),
        ("a: 1\n---\n!include x.yml", "t/copier.yml:3:1: !include"),
        ("a: !!python/object/apply:os.system [x]", "1:4: the tag"),
        ("a: !own x", "1:4: the tag !own"),
        ("a: &a [*a]", "nested too deeply, or a recursive alias"),
        ("a: " + "[" * 600, "nested too deeply"),
        (BOMB, "more than 20000 values, counting aliases"),
        ("a: !!timestamp x", "t/copier.yml:1:1"),
        ("? [a]\n: 1\n", "found unhashable key"),
        ("_tasks: [echo x]", "t/copier.yml:1:1: _tasks is not supported: it runs commands"),
        ("q: 1\n_tasks:\n  - x", "t/copier.yml:2:1: _tasks is not"),
        ("_jinja_extensions: [evil.Extension]", "_jinja_extensions is not supported"),
        ("_jinja_extensions: [jinja2.ext.do, e.E]", "_jinja_extensions is not supported"),
        ("_external_data: {a: ../../secrets.yml}", "_external_data is not supported"),
        ("_envops: {finalize: os.system}", "1:21: finalize is not a supported option"),
        ("_envops: {extensions: [x]}", "extensions is not a supported option"),
        ("_envops: {loader: x}", "loader is not a supported option"),
        ("_envops: {trim_blocks: [1]}", "trim_blocks must be a string, true or false"),
        ("_envops: {undefined: os.system}", "undefined must be one of jinja2.Undefined"),
        ("_envops: {variable_start_string: ''}", "variable_start_string is empty"),
        ("_envops: {variable_start_string: '{%'}", "must differ"),
        ("_envops: x", "_envops must be a mapping"),
        ("_exclude: x", "_exclude must be a list"),
        ("_exclude: [1]", "_exclude must be a list of strings"),
        ("_subdirectory: [x]", "_subdirectory must be a string"),
        ("_templates_suffix: 1", "_templates_suffix must be a string"),
        ("_skillstudio: {dialect: 1}", "1:25: dialect must be a string"),
        ("q: {type: integer}", "t/copier.yml:1:11: unknown type 'integer'; use one of"),
        ("q: {choices: 3}", "choices must be a list or a mapping"),
        ("q: {help: [x]}", "help must be a string"),
        ("q: {when: 3}", "when must be a condition"),
        ("a-b: 1", "the question name 'a-b' cannot"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, said: str) -> None:
    assert said in fault(text)


def test_folders_that_are_no_template() -> None:
    for files, said in [
        ({}, "not a template: it does not contain copier.yml"),
        ({"SKILL.md": b""}, "not a template"),
        ({"copier.yml/x": b""}, "cannot be read"),
        ({"copier.yml": b"", "copier.yaml": b""}, "both copier.yml and copier.yaml"),
        ({"copier.yml": b"\xff"}, "t/copier.yml:1:1: not UTF-8"),
        ({"copier.yml": b"#" * (LARGEST + 1)}, "larger than 256 KiB"),
    ]:
        with pytest.raises(TemplateFault, match=r".") as caught:
            of(files)
        assert said in str(caught.value)
    assert of({"copier.yaml": b"q: 1"}).questions[0].name == "q"


def test_a_block_of_text_begins_below_its_mark() -> None:
    read = read_copier_file(b"q:\n  help: x\n  validator: |\n    one\n    two\n", "c")
    assert read.place("q") == (1, 1)
    assert read.place("q", "help") == (2, 9)
    assert read.place("q", "validator") == (4, 1)
    assert read.place("q", "nothing") == (1, 1)


@pytest.mark.parametrize(
    ("text", "value"), [("[a, 1]", ["a", 1]), ("", None), ("{a: 2025-01-01}", {"a": "2025-01-01"})]
)
def test_one_value(text: str, value: Any) -> None:
    assert read_value(text) == value


@pytest.mark.parametrize("text", ["[a", "!own x", "*a", "&a [*a]", "a: b: c", "\x00", "[" * 600])
def test_no_value(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_value(text)
