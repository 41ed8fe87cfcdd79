"""Interfaces drawn at random from small pools, so that two of them have much in common."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, TypeVar

from hypothesis import strategies as st

from skillstudio.interface.model import (
    ABSENT,
    Artifact,
    Entrypoint,
    Execution,
    Input,
    Interface,
    Operation,
    Output,
    OutputField,
    Place,
    Requirement,
    Stdout,
    Term,
    Variable,
    VersionRange,
)

T = TypeVar("T")
SECRET = "hunter2"
"""Stands in every value that only sensitive things have."""

SCHEMAS: tuple[Any, ...] = (
    {},
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": ["string", "null"]},
    {"type": "string", "pattern": "^[ab]+$"},
    {"type": "string", "pattern": "^a+$"},
    {"type": "string", "pattern": "^[bc]$", "title": "One letter"},
    {"type": "string", "minLength": 2},
    {"type": "string", "minLength": 1, "maxLength": 3},
    {"type": "integer", "minimum": 1, "maximum": 5},
    {"type": "integer", "minimum": 2, "maximum": 9},
    {"type": "number", "exclusiveMinimum": 1},
    {"enum": ["small", "large"]},
    {"enum": ["small", "huge", 1]},
    {"type": "string", "const": "small"},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "array", "items": {"type": "number"}, "maxItems": 2},
    {"type": "object", "properties": {"a": {"type": "integer"}}},
    {"type": "object", "properties": {"a": {"type": "number"}, "b": {}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
)
SECRETS: tuple[Any, ...] = (
    {"type": "string"},
    {"enum": [SECRET, f"{SECRET}1"]},
    {"type": "string", "const": SECRET, "examples": [SECRET]},
    {"type": "string", "default": f"{SECRET}2"},
    {"type": "array", "items": {"enum": [f"{SECRET}3", 1]}},
    {"type": "object", "properties": {"a": {"const": [SECRET]}}, "required": ["a"]},
    {"anyOf": [{"enum": [f"{SECRET}4"]}, {"type": "integer"}]},
    {"$ref": "#/$defs/one", "$defs": {"one": {"enum": [SECRET, {"b": SECRET}]}}},
    {"type": "string", "x-unknown": SECRET},
)
TEXTS = st.sampled_from(["", "one", "two"])
TERMS = (
    Term("feature", ("a", "b"), "set"),
    Term("feature", ("b", "c"), "set"),
    Term("feature-default", True, "switch", "b", detail=True),
    Term("feature-default", False, "switch", "b", detail=True),
    Term("compatibility", "needs git", "text"),
    Term("compatibility", "needs git 2.40", "text"),
    Term("min-caro-version", (1, 2, 0, 1), "order", shown="1.2.0"),
    Term("min-caro-version", (2, 0, 0, 1), "order", shown="2.0.0"),
    Term("dependency-range", VersionRange(">=1", (1,)), "range", "x", detail=True),
    Term(
        "dependency-range",
        VersionRange(">=1.2 <3", (1, 2), False, (3,), True),
        "range",
        "x",
        detail=True,
    ),
    Term("dependency-range", VersionRange(">=2", (2,)), "range", "x", detail=True),
    Term("platform-os", ("*",), "allow-list"),
    Term("platform-os", ("linux", "macos"), "allow-list"),
    Term("platform-os", ("linux", "windows"), "allow-list"),
)
PERMISSIONS = (
    Term("exec-commands", ("*",), "allow-list"),
    Term("exec-commands", ("git", "ls"), "allow-list"),
    Term("exec-commands", ("git",), "allow-list"),
    Term("fs-read", ("./data",), "allow-list", covers="path"),
    Term("fs-read", ("./data/a", "./b"), "allow-list", covers="path"),
    Term("network", ("*.example.org",), "allow-list", covers="host"),
    Term("network", ("a.example.org",), "allow-list", covers="host"),
    Term("exec-blocked", ("rm",), "set"),
    Term("exec-blocked", ("rm", "dd"), "set"),
    Term("secrets", True, "switch"),
)


def some(pool: Iterable[T], most: int = 3) -> st.SearchStrategy[tuple[T, ...]]:
    """A few different elements of a pool, whose keys differ."""
    return st.lists(st.sampled_from(list(pool)), max_size=most, unique_by=_key).map(tuple)


def inputs(sensitive: bool = False) -> st.SearchStrategy[Input]:
    """An input; a sensitive one has nothing but secrets for values."""
    values = [SECRET, f"{SECRET}5", [SECRET]] if sensitive else [None, 1, "small", ""]
    return st.builds(
        Input,
        st.sampled_from(["topic", "key"] if sensitive else ["topic", "limit", "size", "depth"]),
        st.sampled_from(SECRETS if sensitive else SCHEMAS),
        st.booleans(),
        st.sampled_from([ABSENT, *values]),
        st.just(True) if sensitive else st.booleans(),
        TEXTS,
    )


def operations(secrets: bool = False) -> st.SearchStrategy[Operation]:
    """An operation, with sensitive inputs beside others where there are to be secrets."""
    given = st.lists(inputs(), max_size=3)
    if secrets:
        given = st.builds(list.__add__, given, st.lists(inputs(True), max_size=2))
    return st.builds(
        Operation,
        st.sampled_from(["", "find", "mem.find", "store", "list"]),
        TEXTS,
        given.map(_unique),
        some(
            [
                Output(p)
                for p in ("a/*.md", "a/x.md", "b/{{topic}}.txt", "b/{{key}}", "**", "a/?.md")
            ]
        ),
        some([Artifact("log"), Artifact("log", "stdout"), Artifact("state", "state")]),
        some(
            [
                OutputField("status", "ok | error", {"enum": ["ok", "error"]}),
                OutputField("status", "ok", {"enum": ["ok"]}),
                OutputField("status", "what came of it"),
                OutputField("id", "integer", {"type": "integer"}),
            ]
        ),
        st.sampled_from(
            [None, Stdout(), Stdout(True), Stdout(True, {"type": "object"}), Stdout(True, {})]
        ),
        some(
            [
                Entrypoint("unix", ("sh", "a.sh", "{topic}")),
                Entrypoint("unix", ("bash", "a.sh", "{topic}", "{limit}")),
                Entrypoint("windows", ("a.exe",)),
                Entrypoint("agent", ("Follow a.md",)),
            ]
        ),
        some(["db.read", "db.write", "net.fetch"]),
        some([Term("output-text", "rows", "text"), Term("output-text", "all rows", "text")], 1),
        st.booleans(),
    ).map(_sound)


def _sound(operation: Operation) -> Operation:
    """The same without commands that speak of inputs which are not there."""
    names = {f"{{{given.name}}}" for given in operation.inputs}
    sound = [
        each
        for each in operation.entrypoints
        if all(part in names for part in each.argv if part.startswith("{"))
    ]
    return operation._replace(entrypoints=tuple(sound))


def interfaces(secrets: bool = False) -> st.SearchStrategy[Interface]:
    """An interface of systems that are always the same; with secrets every value may be one."""
    return st.builds(
        Interface,
        st.sampled_from(["worklog", "work-log"]),
        st.just("1.0.0"),
        TEXTS,
        TEXTS,
        st.dictionaries(st.sampled_from(["author", "keywords"]), TEXTS, max_size=2),
        st.just(("frontmatter-1.0", "caro-1.0")),
        st.just(()),
        st.fixed_dictionaries({"caro-1.0": st.sampled_from(["1.0", "1.1", "2.0"])}),
        st.just(True),
        st.lists(operations(secrets), max_size=3).map(_unique),
        some([Variable("A", True), Variable("A", False, True), Variable("B", False)]),
        some(
            [
                Requirement("command", "git"),
                Requirement("command", "git", "2.9"),
                Requirement("command", "git", "2.40", "3"),
                Requirement("file", "run.sh"),
                Requirement("file", "run.sh", base="repo_root"),
                Requirement("file", "run.sh", base="cwd"),
            ]
        ),
        st.one_of(
            st.none(),
            st.builds(
                Execution,
                st.booleans(),
                st.booleans(),
                st.booleans(),
                st.booleans(),
                st.sampled_from([None, 1.0, 30.0]),
            ),
        ),
        st.booleans(),
        some(PERMISSIONS, 4),
        some([Term("inputs", ("topic",), "set"), Term("inputs", ("topic", "limit"), "set")], 1),
        some(TERMS, 4),
        st.just({}),
    )


def pairs(secrets: bool = False) -> st.SearchStrategy[tuple[Interface, Interface]]:
    """Two interfaces, in every other pair of which the effects stand once for all operations."""
    both = st.tuples(interfaces(secrets), interfaces(secrets))
    return st.one_of(both, both.map(lambda pair: (_once(pair[0], 1), _once(pair[1], 2))))


def _once(interface: Interface, line: int) -> Interface:
    """The same with the effects and the output of the first operation for all of them."""
    first = next(iter(interface.operations), Operation(""))
    same = tuple(
        each._replace(effects=first.effects, stdout=first.stdout) for each in interface.operations
    )
    above = ["", *(each.pointer for each in same)]
    return interface._replace(
        operations=same,
        places={
            f"{each}/{what}": Place("SKILL.md", line, column)
            for each in above
            for column, what in enumerate(("effects", "stdout"), 1)
        },
    )


def hidden(interface: Interface) -> Interface:
    """The same with a secret in each schema that is not an input's; every value is sensitive."""
    schema = {"enum": [SECRET, f"{SECRET}6"]}
    return interface._replace(
        sensitive=True,
        operations=tuple(
            each._replace(stdout=Stdout(True, schema)) for each in interface.operations
        ),
        terms=(
            *interface.terms,
            Term("outputs-schema", schema, "schema-out"),
            Term("inputs-schema", schema, "schema-in"),
        ),
    )


def shuffled(interface: Interface, seed: int) -> Interface:
    """The same with everything that has a name in another order."""
    order = random.Random(seed)

    def mixed(items: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(order.sample(items, len(items)))

    return interface._replace(
        metadata=dict(mixed(tuple(interface.metadata.items()))),
        operations=mixed(
            tuple(
                each._replace(
                    inputs=mixed(each.inputs),
                    outputs=mixed(each.outputs),
                    artifacts=mixed(each.artifacts),
                    fields=mixed(each.fields),
                    entrypoints=mixed(each.entrypoints),
                    effects=mixed(each.effects),
                    terms=mixed(each.terms),
                )
                for each in interface.operations
            )
        ),
        env=mixed(interface.env),
        requirements=mixed(interface.requirements),
        permissions=mixed(interface.permissions),
        terms=mixed(interface.terms),
    )


def _unique(items: list[T]) -> tuple[T, ...]:
    return tuple({_key(each): each for each in items}.values())


def _key(item: Any) -> Any:
    """What no two of a kind may share."""
    if isinstance(item, Term):
        return item.name, item.key
    if isinstance(item, Requirement):
        return item.kind, item.name
    if isinstance(item, Output):
        return item.pattern
    return item.platform if isinstance(item, Entrypoint) else getattr(item, "name", item)
