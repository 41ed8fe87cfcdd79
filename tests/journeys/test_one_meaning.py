"""One meaning of a manifest in every verb: plan, check, diff and run never contradict each other.

The manifests are those of the tables of mutations and of changes, in every dialect, and made ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.interface.matrix import bump
from tests.manifest.changes import test_pairs as changes
from tests.manifest.test_mutations import TABLES, load, mutated

from skillstudio.dryrun.plan import PlanProblem, Roots
from skillstudio.dryrun.planning.inputs import read_inputs
from skillstudio.dryrun.planning.make import make_plan, manifest_errors, resolve_operation
from skillstudio.dryrun.planning.run_inputs import Machine, OperationUnknown, RunInputs
from skillstudio.files.listed import MemoryTree
from skillstudio.interface.change import Change
from skillstudio.interface.compare import compare
from skillstudio.interface.model import Interface, Operation
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project, project_unmasked
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.sample import samples
from skillstudio.skill.analysis import Analysis, analyse

ROOTS = Roots("/nowhere/workspace", "/nowhere/workspace/skill")
MACHINE = Machine("unix", {"PATH": "/usr/bin:/bin"})
POOL: tuple[Any, ...] = (
    "",
    "a",
    "2025-01-01",
    0,
    1,
    5,
    -1,
    1.5,
    True,
    None,
    [],
    ["a"],
    {},
    {"a": 1},
)

ELSEWHERE = frozenset(
    (
        # What this machine has, and how much it can pass to a program.
        *("requirement-missing", "script-program-missing", "platform-missing"),
        *("capability-outside", "arguments-too-long"),
        # What dry runs cannot do, although a host can.
        *("step-needs-shell", "nothing-to-start", "script-not-executable", "script-no-program"),
    )
)
"""Errors of a plan that are not about the manifest and not about the call."""
OF_THE_CALL = frozenset(
    (
        *("input-unknown", "input-missing", "input-type", "input-secret", "input-text"),
        *("input-invalid", "inputs-form", "secret-unknown", "arguments-unused", "variable-text"),
        *("variable-twice", "output-outside"),
    )
)


class Version(NamedTuple):
    """One version of a skill in memory."""

    analysis: Analysis
    skill: Skill
    interface: Interface


@cache
def version(name: str, files: tuple[tuple[str, str], ...]) -> Version:
    tree = MemoryTree({path: text.encode() for path, text in files}, name)
    skill = locate(tree).skill
    return Version(analyse(tree), skill, project_unmasked(skill))


def errors(of: Version) -> list[str]:
    return [each.rule for each in of.analysis.diagnostics if each.severity == "error"]


def asked(value: Any, faults: tuple[PlanProblem, ...] = ()) -> RunInputs:
    return RunInputs(ROOTS, value=value, faults=faults)


def refusals(of: Version, operation: str, value: Any) -> list[PlanProblem]:
    """Why a plan refuses a call, without what is not about the manifest or the call."""
    found = make_plan(of.skill, of.interface, operation, asked(value), MACHINE).plan.problems
    return [e for e in found if e.severity == "error" and e.rule not in ELSEWHERE]


def calls(operation: Operation) -> Iterator[Any]:
    """Values for an operation: with what it needs, with everything, and with each of the pool."""
    schema = operation.value_schema
    if schema is not None:
        yield {}
        yield from some(schema, 20)
        return
    every = {each.name: value for each in operation.inputs for value in some(each.schema, 1)}
    needed = {each.name: every.get(each.name) for each in operation.inputs if each.must_be_given}
    yield needed
    yield every
    for each in operation.inputs:
        for value in (*some(each.schema, 4), *POOL):
            yield {**needed, each.name: value}


def some(schema: Any, number: int) -> list[Any]:
    if isinstance(schema, str):
        return []
    try:
        return list(islice(samples(schema, number), number))
    except SchemaRefused:
        return []


def accepts(of: Version, operation: Operation, value: Any) -> bool:
    takes = resolve_operation(of.skill, of.interface, operation.name).launch_spec.takes
    found = read_inputs(of.interface, operation, asked(value), takes).problems
    return not any(each.severity == "error" for each in found)


# Two versions


class Pair(NamedTuple):
    name: str
    old: Version
    new: Version


def of_mutations() -> Iterator[Pair]:
    for path in TABLES:
        table = load(path)
        base = written(table, table["base"])
        for number, case in enumerate(table["cases"], 1):
            other = written(table, mutated(table["base"], case)[0])
            yield Pair(f"{path.stem}-{number}-{case['rule']}", base, other)
            yield Pair(f"{path.stem}-{number}-{case['rule']} mended", other, base)


def written(table: Mapping[str, Any], text: str) -> Version:
    return version(table["name"], tuple({**table["files"], table["path"]: text}.items()))


def of_changes() -> Iterator[Pair]:
    for pair in changes.PAIRS:
        old, new = (version(pair.skill, of_pair(pair.skill, each)) for each in (pair.old, pair.new))
        yield Pair(f"{pair.skill}: {pair.name}", old, new)
        yield Pair(f"{pair.skill}: {pair.name}, back", new, old)


def of_pair(skill: str, instead: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(changes.files_of(skill, instead).items())


def breaking(pair: Pair) -> list[Change]:
    found = compare(project(pair.old.skill), project(pair.new.skill), all_kinds())
    # What nobody could decide is for a person to review, and no more is known.
    return [each for each in found if each.level == "major" or each.undecided_keyword]


def contradictions(pair: Pair) -> Iterator[str]:
    """Calls that the old version accepts and the new one refuses, though nothing is breaking."""
    old, new = pair.old, pair.new
    if errors(old) or breaking(pair) or not runs(old):
        return
    others = {each.name: each for each in new.interface.operations}
    for operation in old.interface.operations:
        other = others[operation.name]
        for number, value in enumerate(calls(operation)):
            if not accepts(old, operation, value):
                continue
            if not accepts(new, other, value):
                yield f"{operation.name} {json.dumps(value)}: the new version refuses the inputs"
            elif number < 2 and not (had := planned(old, operation.name, value)):
                refused = [each for each in planned(new, operation.name, value) if each not in had]
                yield from (f"{operation.name} {json.dumps(value)}: {each}" for each in refused)


def runs(of: Version) -> bool:
    """Whether the dialect starts its operations."""
    return all(planned(of, e.name, {}) != ["operation-unknown"] for e in of.interface.operations)


def planned(of: Version, operation: str, value: Any) -> list[str]:
    try:
        return [each.rule for each in refusals(of, operation, value)]
    except OperationUnknown:
        return ["operation-unknown"]


@pytest.mark.slow_cases(
    "agent-skills", "caro", "frontmatter", "changes", "skill-manifest", "caro-recipe"
)
@pytest.mark.parametrize("table", [*(each.stem for each in TABLES), "changes"])
def test_what_plan_accepted_and_refuses_now_is_a_breaking_change(table: str) -> None:
    pairs = of_changes() if table == "changes" else of_mutations()
    chosen = [each for each in pairs if table == "changes" or stem(each) == table]
    assert len(chosen) > 10
    assert [(each.name, found) for each in chosen for found in contradictions(each)] == []


def stem(pair: Pair) -> str:
    return next(
        each.stem
        for each in TABLES
        if pair.name.startswith(f"{each.stem}-1")
        or (
            pair.name.removesuffix(" mended").startswith(f"{each.stem}-")
            and pair.name[len(each.stem) + 1].isdigit()
        )
    )


# One version


def every_version() -> dict[str, Version]:
    found = {pair.name: pair.new for pair in (*of_mutations(), *of_changes())}
    return {name: each for name, each in found.items() if each.interface.operations}


@pytest.mark.slow
def test_what_plan_calls_an_error_of_the_manifest_check_reports() -> None:
    wrong = []
    for name, each in every_version().items():
        for operation in each.interface.operations:
            value = next(calls(operation))
            refused = {*planned(each, operation.name, value)} - {"operation-unknown"}
            if not is_well_made(operation, value):
                refused -= OF_THE_CALL
            if refused and not errors(each):
                wrong.append((name, operation.name, refused))
    assert wrong == []


def is_well_made(operation: Operation, value: Any) -> bool:
    """Whether a call gives all that must be given, each as its own schema accepts it.

    A plan can only refuse it because of something that the manifest itself says.
    """
    if operation.value_schema is not None:
        return False
    return all(some(e.schema, 1) for e in operation.inputs if e.must_be_given) and value is not None


@pytest.mark.slow
def test_what_check_calls_an_error_does_not_pass_plan() -> None:
    wrong = []
    for name, each in every_version().items():
        faults = manifest_errors(each.skill)
        assert bool(faults) is bool(errors(each)), name
        for operation in each.interface.operations[:1]:
            given = asked(next(calls(operation)), faults)
            try:
                plan = make_plan(each.skill, each.interface, operation.name, given, MACHINE).plan
            except OperationUnknown:
                continue
            if errors(each) and plan.runnable:
                wrong.append(name)
    assert wrong == []


SHAPE = ("/inputs", "/input/", "/parameters", "/operations", "/entrypoint", "/steps", "/env")
"""Where a manifest describes a call."""
SILENT: dict[str, str] = {
    "name-duplicate": "The first of two inputs counts, and it did not change.",
    "value-type": "A list that was empty declares as little as one that is no list.",
    "key-missing": "An operation without inputs takes as little as one with empty inputs.",
    "key-unknown": "An unknown key means nothing, and the known ones did not change.",
}
"""Rules whose problem does not change the interface, and why."""


def test_what_check_calls_an_error_of_a_call_diff_ranks() -> None:
    silent: dict[str, str] = {}
    for pair in of_mutations():
        if errors(pair.old):
            continue
        wrong = [
            each
            for each in pair.new.analysis.diagnostics
            if each.severity == "error" and each.pointer.startswith(SHAPE)
        ]
        if wrong and not compare(project(pair.old.skill), project(pair.new.skill), all_kinds()):
            silent.update((each.rule, pair.name) for each in wrong)
    assert silent.keys() == SILENT.keys(), silent


# Made manifests

TYPES = ("string", "integer", "boolean")
VALUES = {"string": "x", "integer": 5, "boolean": True}


class MadeInput(NamedTuple):
    """An input as every dialect can declare it."""

    type: str
    required: bool
    has_default: bool


made_inputs = st.dictionaries(
    st.sampled_from("ab"),
    st.builds(MadeInput, st.sampled_from(TYPES), st.booleans(), st.booleans()),
)
made_terminals = st.sampled_from(
    (
        None,
        {},
        {"allowed": False},
        {"commands": ["echo"]},
        {"commands": ["ls"]},
        {"blocked": ["ls"]},
    )
)
made_commands = st.sampled_from(("echo x", "ls x", "ls y", "rm -r x", "echo {{a}}"))


def frontmatter(inputs: Mapping[str, MadeInput], _terminal: Any, _command: str) -> Version:
    declared: dict[str, list[Any]] = {"required": [], "optional": []}
    for name, each in inputs.items():
        schema: dict[str, Any] = {"type": each.type}
        if each.has_default:
            schema["default"] = VALUES[each.type]
        group = "required" if each.required else "optional"
        declared[group].append({"name": name, "description": "x", "schema": schema})
    head = {"manifest_version": "1.0", "name": "made", "description": "x", "inputs": declared}
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items())
    return version("made", (("SKILL.md", f"---\n{text}---\nText.\n"),))


def block(inputs: Mapping[str, MadeInput], _terminal: Any, command: str) -> Version:
    operation = {
        "description": "Does it.",
        "input": {name: parameter(each) for name, each in inputs.items()},
        "output": {"description": "x"},
        "entrypoints": {"unix": command.replace("{{", "{").replace("}}", "}").split()},
    }
    value = {
        "schema_version": "2.0", "id": "made", "version": "1.0.0", "capabilities": [],
        "effects": [], "operations": {"go": operation}, "stdout_contract": {"last_line_json": True},
    }  # fmt: skip
    head = "---\nname: made\ndescription: Makes it.\n---\n"
    text = f"{head}\n```skill-manifest\n{json.dumps(value)}\n```\n"
    return version("made", (("SKILL.md", text),))


def skill_toml(inputs: Mapping[str, MadeInput], terminal: Any, command: str) -> Version:
    skill = {"id": "custom.made", "name": "M", "version": "1.0.0", "description": "x"}
    head = "".join(f"{key} = {json.dumps(value)}\n" for key, value in skill.items())
    table = "" if terminal is None else "[capabilities.terminal_exec]\n"
    allowed = "".join(f"{key} = {json.dumps(each)}\n" for key, each in (terminal or {}).items())
    more = f'api_version = "1.0"\n[provides]\nrecipes = true\n{table}{allowed}'
    recipe = {
        "id": "go",
        "name": "Go",
        "description": "Goes.",
        "parameters": [{"name": name, **parameter(each)} for name, each in inputs.items()],
        "steps": [{"id": "one", "command": command, "confirmation": "auto"}],
    }
    files = (("skill.toml", f"[skill]\n{head}{more}"), ("recipes/go.yaml", json.dumps(recipe)))
    return version("made", files)


def block_of_the_router(inputs: Mapping[str, MadeInput], _terminal: Any, command: str) -> Version:
    argv = [*command.replace("{{", "{").replace("}}", "}").split(), *(f"{{{e}}}" for e in inputs)]
    value = {"id": "made", "version": "1.0.0", "effects": [], "entrypoints": {"go": {"unix": argv}}}
    head = "---\nname: made\ndescription: Makes it.\n---\n"
    text = f"{head}\n```router-manifest\n{json.dumps(value)}\n```\n"
    return version("made", (("SKILL.md", text),))


def module(inputs: Mapping[str, MadeInput], _terminal: Any, command: str) -> Version:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            name: {"type": e.type, **({"default": VALUES[e.type]} if e.has_default else {})}
            for name, e in inputs.items()
        },
        "required": [name for name, each in inputs.items() if each.required],
    }
    path = f"{command[:2]}.wasm"
    value = {
        "schema_version": "1.0.0-draft", "id": "made", "version": "1.0.0", "signers": [],
        "entrypoint": {"kind": "wasi-command", "path": path}, "capabilities": [],
        "artifact": f"sha256:{sha256(b'').hexdigest()}", "inputs_schema": schema,
        "outputs_schema": {},
    }  # fmt: skip
    files = (("manifest.json", json.dumps(value)), ("ec.wasm", ""), ("ls.wasm", ""))
    return version("made", files)


def parameter(of: MadeInput) -> dict[str, Any]:
    found: dict[str, Any] = {"type": of.type, "required": of.required, "description": "x"}
    return {**found, "default": VALUES[of.type]} if of.has_default else found


sides = st.tuples(made_inputs, made_terminals, made_commands)


MAKERS = (frontmatter, block, skill_toml, block_of_the_router, module)


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
@given(old=sides, new=sides)
def test_made_manifests_mean_the_same_to_every_verb(make: Any, old: Any, new: Any) -> None:
    pair = Pair("made", make(*old), make(*new))
    assert list(contradictions(pair)) == []
    for each in (pair.old, pair.new):
        for operation in each.interface.operations:
            refused = {*planned(each, operation.name, next(calls(operation)))}
            assert not refused - OF_THE_CALL - {"operation-unknown"} or errors(each), refused


# The faults of a review by use, one row each

BARE: Any = ({"a": MadeInput("string", False, False)}, {}, "echo x")
PLAIN: Any = ({"a": MadeInput("string", False, True)}, {}, "echo {{a}}")
REQUIRED: Any = ({"a": MadeInput("string", True, True)}, {}, "echo {{a}}")
FAULTS = {
    # The dialect, the old and the new version, the bump, and the errors of check.
    "what became required gains a default, in the frontmatter": (
        frontmatter, BARE, REQUIRED, "minor", set(),
    ),
    "what became required gains a default, in a block": (block, BARE, REQUIRED, "minor", set()),
    "what became required gains a default, in a recipe": (
        skill_toml, BARE, REQUIRED, "minor", set(),
    ),
    "what became required had its default, in the frontmatter": (
        frontmatter, PLAIN, REQUIRED, "patch", set(),
    ),
    "what became required had its default, in a block": (block, PLAIN, REQUIRED, "patch", set()),
    "what became required had its default, in a recipe": (
        skill_toml, PLAIN, REQUIRED, "patch", set(),
    ),
    "a recipe without terminal_exec runs nothing": (
        skill_toml, ({}, {}, "echo x"), ({}, None, "echo x"), "major",
        {"recipe-command-not-allowed"},
    ),
    "a step that listed removes": (
        skill_toml, ({}, {}, "aws s3 ls x"), ({}, {}, "aws s3 rb --force x"), "major", set(),
    ),
    "a step has one more parameter": (
        skill_toml, ({}, {}, "aws s3 ls x"), ({}, {}, "aws s3 ls y"), "patch", set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_review(fault: str) -> None:
    make, old, new, level, wrong = FAULTS[fault]
    before, after = make(*old), make(*new)
    found = compare(project(before.skill), project(after.skill), all_kinds())
    assert (bump(found), {*errors(after)}) == (level, wrong)
    for operation in after.interface.operations:
        assert bool(planned(after, operation.name, {})) is bool(wrong)


def test_an_id_that_changed_is_breaking_in_each_dialect_that_has_one() -> None:
    found = {}
    for name, old in (
        ("skill-manifest", '"id": "'),
        ("router-manifest", '"id": "'),
        ("provenact", '"id": "'),
        ("provenact-0", '"skill_id": "'),
        ("provenact-bundle", '"name": "'),
        ("caro", '\nid = "'),
        ("agent-skills", "name: "),
    ):
        table = next(load(path) for path in TABLES if path.stem == name)
        assert table["base"].count(old) == 1, name
        pair = Pair(
            name,
            written(table, table["base"]),
            written(table, table["base"].replace(old, f"{old}x")),
        )
        found[name] = [each.kind for each in breaking(pair)]
    ids = ("skill-manifest", "router-manifest")
    assert found == {
        name: ["skill-id-changed" if name in ids else "skill-renamed"] for name in found
    }
