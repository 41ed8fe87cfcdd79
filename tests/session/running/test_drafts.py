"""Inputs as fields: what each takes, what typing gives, how it stands, samples in and out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.plan import IsolationChoice, PlanProblem, Roots
from skillstudio.dryrun.planning.make import ResolvedOperation
from skillstudio.dryrun.sampling.sample import Sample
from skillstudio.interface.model import ABSENT, Input, Interface, Operation, Term, Variable
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.session.running.drafts import (
    Exact,
    ReadInputs,
    drafts_of,
    elsewhere,
    make_fields,
    not_on_form,
    read_drafts,
    sample_of,
    update_draft,
)
from skillstudio.session.running.slots import (
    ARGUMENTS,
    NETWORK,
    STDIN,
    TIMEOUT,
    TWICE,
    WHOLE,
    Slot,
    slots,
    takes,
)
from skillstudio.text.safe import safe_text

ROOTS = Roots("/w", "/w/skill")
COPY = IsolationChoice("copy", (), {})


def operation(*inputs: Input, **more: Any) -> Operation:
    return Operation("go", inputs=inputs, **more)


def known(
    *inputs: Input, script: str | None = None, terms: tuple[Term, ...] = (), **interface: Any
) -> tuple[Slot, ...]:
    of = operation(*inputs, terms=terms)
    found = ResolvedOperation("go", of, LaunchSpec("go", script=script), "skill-manifest-2.0")
    return slots(Interface("tea", operations=(of,), **interface), found)


def one(schema: Any, required: bool = True, **more: Any) -> Slot:
    return known(Input("x", schema, required, **more))[0]


def read(drafts: dict[str, Any], *slots_: Slot) -> ReadInputs:
    return read_drafts(slots_, drafts, ROOTS, COPY)


@pytest.mark.parametrize(
    ("schema", "kind", "words"),
    [
        ({"type": "string"}, "line", "a string"),
        ({"type": "string", "pattern": "^a$"}, "line", "a string, pattern ^a$"),
        ({"type": "string", "maxLength": 5000}, "box", "a string"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "line", "a whole number, 1 to 9"),
        ({"type": "number", "minimum": 0}, "line", "a number, at least 0"),
        ({"type": ["string", "null"]}, "line", "a string or null"),
        ({"type": "boolean"}, "switch", "true or false"),
        ({"enum": ["a", 1, None]}, "switch", ""),
        ({"type": "array"}, "box", "a JSON list"),
        ({"type": "object"}, "box", "a JSON object"),
        (True, "box", "JSON"),
        ({"type": "string", "format": "date"}, "line", "a string, format date"),
        ({"type": 7}, "line", ""),
        ({}, "line", ""),
    ],
)
def test_a_schema_has_its_kind_of_field_and_says_what_it_takes(
    schema: Any, kind: str, words: str
) -> None:
    assert one(schema).kind == kind
    assert takes(schema) == words


def test_choices_are_values_and_not_texts() -> None:
    assert [each.value for each in one({"enum": ["1", 1, True, None]}).choices] == [
        "1", 1, True, None,
    ]  # fmt: skip
    assert [each.label for each in one({"enum": ["", 1, None]}).choices] == ['""', "1", "null"]


def test_an_optional_choice_may_be_left_out_and_names_its_default() -> None:
    for schema, default, unset in (
        ({"type": "boolean"}, True, "default: yes"),
        ({"type": "boolean"}, ABSENT, "not set"),
        ({"enum": ["a", "b"]}, "b", "default: b"),
        ({"enum": [1, True]}, True, "default: true"),
    ):
        slot = one(schema, required=False, default=default)
        field = make_fields((slot,), {}, ())[0]
        assert (field.chosen_index, field.unset) == (-1, unset)
        assert [choice.value for choice in field.choices] == schema.get("enum", [True, False])
    assert make_fields((one({"type": "boolean"}, required=True),), {}, ())[0].unset == ""


def test_yes_and_no_are_the_choices_of_a_boolean() -> None:
    slot = one({"type": "boolean"}, required=False)
    assert slot.kind == "switch"
    field = make_fields((slot,), {slot.key: False}, ())[0]
    assert [choice.label for choice in field.choices] == ["yes", "no"]
    assert field.choices[field.chosen_index].label == "no"


def test_true_is_not_one_among_choices() -> None:
    slot = one({"enum": [1, True]})
    assert make_fields((slot,), {slot.key: True}, ())[0].chosen_index == 1


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "boolean"}, {"enum": [1]}, True])
@pytest.mark.parametrize("everything", [True, False])
def test_what_is_sensitive_is_typed_unseen(schema: Any, everything: bool) -> None:
    slot = known(Input("x", schema, True, sensitive=not everything), sensitive=everything)[0]
    assert (slot.kind, slot.choices) == ("secret", ())
    assert slot.absent == "a placeholder is used"


def test_variables_arguments_and_how_it_is_run_have_fields() -> None:
    env = (Variable("LEAF", False), Variable("KEY", True, sensitive=True), Variable("TEA_*", False))
    found = known(Input("x", True, True), env=env, script="scripts/go.sh")
    assert [each.name for each in found] == [
        "x", "$LEAF", "$KEY", "arguments", "standard input", "network", "timeout", "repeat",
    ]  # fmt: skip
    assert [each.kind for each in found[1:3]] == ["line", "secret"]
    assert "arguments" not in [each.name for each in known(Input("x", True, True))]


def test_one_value_without_names_is_one_field_or_one_a_property() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    parts = known(terms=(Term("inputs-schema", schema, "schema-in"),))
    assert (parts[0].key, parts[0].required) == ("input:a", True)
    whole = known(terms=(Term("inputs-schema", {"type": "array"}, "schema-in"),))
    assert (whole[0].key, whole[0].kind) == (WHOLE, "box")
    address = known(terms=(Term("inputs-schema", "https://example.org/s.json", "schema-in"),))
    assert address[0].key == WHOLE


# Drafts.

TEXT, COUNT, ANY = one({"type": "string"}), one({"type": "integer"}), one(True)
FLAG = one({"type": "boolean"})


@pytest.mark.parametrize(
    ("slot", "draft", "texts", "value"),
    [
        (TEXT, "", (), ABSENT),
        (TEXT, "tea", (("x", "tea"),), ABSENT),
        (TEXT, " ", (("x", " "),), ABSENT),
        (TEXT, '""', (), {"x": ""}),
        (COUNT, "012", (("x", "012"),), ABSENT),
        (COUNT, '""', (("x", '""'),), ABSENT),
        (ANY, '{"a": 1', (("x", '{"a": 1'),), ABSENT),
        (FLAG, ABSENT, (), ABSENT),
        (FLAG, False, (), {"x": False}),
        (one({"enum": ["", "5", 5]}), "", (), {"x": ""}),
        (one({"enum": ["", "5", 5]}), "5", (), {"x": "5"}),
        (FLAG, Exact(None, "null"), (), {"x": None}),
    ],
)
def test_a_draft_gives_a_text_a_value_or_nothing(
    slot: Slot, draft: Any, texts: Any, value: Any
) -> None:
    given_ = read({slot.key: draft}, slot).inputs
    assert (given_.texts, given_.value) == (texts, value)


def test_what_is_sensitive_goes_another_way() -> None:
    slot = one({"type": "string"}, sensitive=True)
    given_ = read({slot.key: "hunter2secret"}, slot).inputs
    assert given_.secrets == {"x": "hunter2secret"}
    assert given_.texts == ()


def test_arguments_are_lines_and_variables_are_named() -> None:
    found = known(script="go.sh", env=(Variable("LEAF", False),))
    got = read({ARGUMENTS: "-n\n\na b\n", "variable:LEAF": "green", TWICE: True}, *found)
    assert got.inputs.arguments == ("-n", "", "a b")
    assert got.inputs.env == {"LEAF": "green"}
    assert got.twice


@pytest.mark.parametrize(
    ("text", "given_"),
    [("", None), ("a", "a\n"), ("a\nb", "a\nb\n"), ("a\n", "a\n"), ("\n", "\n")],
)
def test_standard_input_is_a_text_of_whole_lines(text: str, given_: str | None) -> None:
    assert read({STDIN: text}, *known()).inputs.stdin == given_
    assert sample_of(known(), {STDIN: text}, "go", "tea").stdin == given_


@pytest.mark.parametrize("text", ["a\n", "a\nb\n", "a", "\x1b[31m\n", "a\r\n"])
def test_the_standard_input_of_a_sample_stays_the_same(text: str) -> None:
    sample = Sample("s", "go", {}, stdin=text)
    drafts = drafts_of(known(), sample)
    assert sample_of(known(), drafts, "go", "s").stdin == text


@pytest.mark.parametrize(
    ("text", "seconds", "wrong"),
    [("", None, 0), ("1.5", 1.5, 0), (" 2 ", 2.0, 0), ("0", None, 1), ("-1", None, 1),
     ("nan", None, 1), ("inf", None, 1), ("soon", None, 1)],
)  # fmt: skip
def test_a_timeout_is_a_number_of_seconds(text: str, seconds: float | None, wrong: int) -> None:
    got = read({TIMEOUT: text}, *known())
    assert got.inputs.timeout == seconds
    assert len(got.problems) == wrong


@pytest.mark.parametrize(
    ("text", "words", "wrong"),
    [("", (), ""), ("none", ("none",), ""), (" loopback ", ("loopback",), ""),
     ("a.example 127.0.0.1:8000", ("a.example", "127.0.0.1:8000"), ""),
     ("none a.example", (), "cannot be combined"), ("a b!", (), "'b!' is not a host"),
     ("record", (), "record needs a sample")],
)  # fmt: skip
def test_the_network_is_words_as_for_net(text: str, words: tuple[str, ...], wrong: str) -> None:
    got = read({NETWORK: text}, *known())
    assert got.inputs.network.words == words
    assert [wrong in each.message for each in got.problems] == ([True] if wrong else [])
    sample = sample_of(known(), {NETWORK: text}, "go", "tea")
    assert sample.net == words
    assert drafts_of(known(), sample).get(NETWORK, "") == " ".join(words)


def test_one_value_is_read_as_json_and_what_is_none_is_told_at_its_field() -> None:
    slot = known(terms=(Term("inputs-schema", {"type": "array"}, "schema-in"),))[0]
    assert read({WHOLE: "[1]"}, slot).inputs.value == [1]
    got = read({WHOLE: "[1"}, slot)
    assert got.inputs.value is ABSENT
    state = make_fields((slot,), {WHOLE: "[1"}, got.problems)[0].state
    assert state.status == "error"
    assert "not JSON" in state.sentences[0]


# How a field stands.

AT = "/operations/go/inputs/x"


@pytest.mark.parametrize(
    ("draft", "problems", "status", "sentence"),
    [
        ("", (), "default", ""),
        ("", (PlanProblem("input-missing", "x is required", AT),), "missing", "required"),
        ("a", (), "ok", ""),
        ("a", (PlanProblem("input-invalid", "x is no number", AT),), "error", "x is no number"),
        ("a", (PlanProblem("input-schema", "deep", f"{AT}/schema", "warning"),), "warning", "deep"),
        ("a", (PlanProblem("input-invalid", "other", "/operations/go/inputs/xy"),), "ok", ""),
    ],
)
def test_a_field_says_how_it_stands(
    draft: str, problems: tuple[PlanProblem, ...], status: str, sentence: str
) -> None:
    state = make_fields((TEXT,), {TEXT.key: draft}, problems)[0].state
    assert (state.status, " ".join(state.sentences)) == (status, sentence)


def test_a_problem_of_no_field_is_told_elsewhere() -> None:
    here, there = PlanProblem("a", "a", AT), PlanProblem("b", "b", "/requirements/command/x")
    assert elsewhere((TEXT,), (here, there)) == (there,)


def test_true_is_not_one_among_the_choices() -> None:
    slot = one({"enum": [1, True, 0, False]})
    (chosen,) = make_fields((slot,), {slot.key: True}, ())[0].selection
    assert chosen is True


def test_a_text_of_several_lines_gets_a_box() -> None:
    assert make_fields((TEXT,), {TEXT.key: "a\nb"}, ())[0].kind == "box"


# Samples.

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8) | st.sampled_from(['""', "5", "true", "null", "a\nb", "\x1b[2J", "[1]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)  # fmt: skip
SCHEMAS = [
    {"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": ["string", "integer"]},
    {"enum": ["5", 5, True]}, {"type": "array"}, True, {},
]  # fmt: skip


@given(VALUES, st.sampled_from(SCHEMAS))
def test_what_a_sample_puts_into_the_form_is_what_the_form_saves(value: Any, schema: Any) -> None:
    slot = one(schema)
    drafts = drafts_of((slot,), Sample("s", "go", {"x": value}))
    again = sample_of((slot,), drafts, "go", "s").inputs["x"]
    assert (type(again), again) == (type(value), value)


@given(VALUES, st.sampled_from(SCHEMAS))
def test_what_a_sample_puts_into_a_field_steers_no_terminal(value: Any, schema: Any) -> None:
    slot = one(schema)
    draft = drafts_of((slot,), Sample("s", "go", {"x": value}))[slot.key]
    text = draft.text if isinstance(draft, Exact) else draft
    assert slot.choices or not isinstance(text, str) or safe_text(text, keep_newlines=True) == text


def test_a_loaded_value_stays_until_its_text_is_changed() -> None:
    draft = Exact("\x1b", '"\\u001b"')
    assert update_draft(draft, draft.text) is draft
    assert update_draft(draft, "x") == "x"


def test_nothing_sensitive_goes_into_a_sample() -> None:
    found = known(
        Input("key", {"type": "string"}, True, sensitive=True),
        Input("x", {"type": "string"}, True),
        env=(Variable("TOKEN", True, sensitive=True), Variable("LEAF", False)),
    )
    drafts = {
        "input:key": "hunter2secret", "input:x": "a",
        "variable:TOKEN": "hunter3secret", "variable:LEAF": "green",
    }  # fmt: skip
    sample = sample_of(found, drafts, "go", "s")
    assert (sample.inputs, sample.env) == ({"x": "a"}, {"LEAF": "green"})
    loaded = drafts_of(found, Sample("s", "go", {"key": "planted", "x": "b"}, env={"TOKEN": "p"}))
    assert loaded == {"input:x": "b"}


def test_what_no_field_takes_is_named() -> None:
    sample = Sample("s", "go", {"x": 1, "y": 2}, ("a",), {"GONE": "1"})
    assert not_on_form((TEXT,), sample) == ("y", "$GONE", "arguments")
