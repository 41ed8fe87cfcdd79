"""Build the system call filter as a BPF program; `calls.toml` has the class of each call, and
`call_numbers.json` its numbers."""

from __future__ import annotations

import errno
import functools
import json
import os
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from skillstudio.resources import toml_table

FilteredLevel = Literal["copy", "confined", "isolated"]

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05
_JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY = 0x15, 0x35, 0x45
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # Offsets into `struct seccomp_data`.
_ALLOW, _KILL, _REFUSE, _STOP = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FF00000

PROCESSORS = ("x86_64", "aarch64")
"""Those with a filter, in the order of their numbers in `call_numbers.json`."""
_CONDITION = ("argument", "mask", "any_of", "equal", "other_than")
_PLAIN = {"kind": "plain"}

Line = tuple[int, int, int, int]
"""Operation, lines to skip if true, lines to skip if false, operand."""
Rule = dict[str, Any]
"""What becomes of a call under a condition: its `error` when it is refused, else 0, and what the
tracer records of it."""


class NoFilter(ValueError):
    """The processor is not in the table: a sentence for the user."""


def table() -> dict[str, Any]:
    """The classes of calls and the known processors."""
    return toml_table(__file__, "calls.toml")


@functools.cache
def call_numbers() -> dict[str, Sequence[int]]:
    """Each system call with its number on x86_64 and aarch64; -1 where it has none. The file is
    written by `python -m benchmarks.call_numbers`."""
    # It is long, and JSON is read twenty times as fast as TOML.
    with open(os.path.join(os.path.dirname(__file__), "call_numbers.json"), "rb") as file:
        numbers: dict[str, Sequence[int]] = json.load(file)["numbers"]
    return numbers


@functools.cache
def classed_calls() -> frozenset[str]:
    """The calls that are a program's own, refused or observed."""
    tables = table()
    rules = (*tables["deny"], *tables["observe"])
    own_calls = (call for calls in tables["own"].values() for call in calls)
    return frozenset((*own_calls, *(call for rule in rules for call in rule["calls"])))


@functools.cache
def program(isolation: FilteredLevel, is_traced: bool, machine: str) -> bytes:
    """The filter as bytes. With `is_traced`, calls that are refused or observed stop for the
    tracer; without one the kernel refuses the first and makes the others. Raises NoFilter."""
    lines = _lines(isolation, is_traced, machine)
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


@functools.cache
def make_tracer_policy(isolation: FilteredLevel, machine: str) -> dict[str, Any]:
    """What the tracer has to know at a level: the tokens of the processor, the rules of calls by
    number, the numbers of a program's own calls, quiet folders. A filter of the program may stop
    calls too, so the tracer decides by this alone."""
    tables = table()
    at = PROCESSORS.index(machine)
    arch = tables["arch"][machine]
    calls: dict[int, dict[str, Any]] = {}
    own_numbers: list[int] = []
    for name, numbers in call_numbers().items():
        number = numbers[at]
        if rules := _rules(isolation).get(name):
            calls[number] = {"name": name, "rules": rules}
        elif name in classed_calls():
            own_numbers.append(number)
    return {
        "arch": arch["token"],
        "foreign": arch["foreign_bit"],
        "refuses_foreign": isolation != "copy",
        "network": isolation == "isolated",
        "calls": calls,
        "own": frozenset(own_numbers),
        "quiet": tuple(map(os.fsencode, tables["quiet"])),
    }


@functools.cache
def _rules(isolation: str) -> Mapping[str, Sequence[Rule]]:
    """The rules of each call at a level; the first whose condition holds decides. What is refused
    comes first, because a call may meet both conditions."""
    observing_rules = _observing_rules(isolation)
    rules: dict[str, list[Rule]] = {}
    for deny in table()["deny"]:
        for call in deny["calls"] if isolation in deny["levels"] else ():
            rules.setdefault(call, []).append(_refusing_rule(deny, observing_rules.get(call, ())))
    if isolation == "copy":
        for deny in table()["deny"]:
            is_named = isolation not in deny["levels"] and "unnamed" not in deny
            for call in deny["calls"] if is_named else ():
                if call not in observing_rules:
                    rules.setdefault(call, []).append({**_PLAIN, **_condition_of(deny), "error": 0})
    for call, observed_rules in observing_rules.items():
        rules.setdefault(call, []).extend(observed_rules)
    return rules


def _observing_rules(isolation: str) -> dict[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for observe in table()["observe"]:
        if isolation in observe.get("levels", (isolation,)):
            rule = {key: observe[key] for key in observe if key not in ("calls", "levels")}
            for call in observe["calls"]:
                rules.setdefault(call, []).append({**rule, "error": 0})
    return rules


def _refusing_rule(deny: Rule, observing_rules: Sequence[Rule]) -> Rule:
    """The rule of a refused call, which is recorded as it is where it is made. What is recorded of
    a descriptor says nothing of other uses of the call."""
    observing_rule = next(
        (rule for rule in observing_rules if rule["kind"] != "descriptor"), _PLAIN
    )
    about = {key: observing_rule[key] for key in observing_rule if key not in _CONDITION}
    unnamed_mark = {"unnamed": True} if deny.get("unnamed") else {}
    return {**about, **_condition_of(deny), **unnamed_mark, "error": getattr(errno, deny["error"])}


def _condition_of(rule: Rule) -> Rule:
    return {key: rule[key] for key in _CONDITION if key in rule}


def _lines(isolation: str, is_traced: bool, machine: str) -> list[Line]:
    tables = table()
    if machine not in tables["arch"]:
        processors = " and ".join(sorted(tables["arch"]))
        raise NoFilter(f"no system call filter for processor {machine}, only for {processors}")
    arch = tables["arch"][machine]
    foreign: Line = (_RETURN, 0, 0, _STOP if is_traced else _KILL)
    lines: list[Line] = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQUAL, 1, 0, arch["token"]),
        foreign,
        (_LOAD, 0, 0, _NUMBER),
    ]
    if arch["foreign_bit"]:
        lines += [(_JUMP_AT_LEAST, 0, 1, arch["foreign_bit"]), foreign]
    return [*lines, *_search(_ranges(isolation, is_traced, PROCESSORS.index(machine)))]


def _ranges(isolation: str, is_traced: bool, column: int) -> list[tuple[int, list[Line]]]:
    """The lines that decide on each number, for the first number of each range that shares them."""
    numbers = {call_numbers()[call][column]: call for call in classed_calls() & set(call_numbers())}
    numbers.pop(-1, None)
    unknown: list[Line] = [(_RETURN, 0, 0, _STOP if is_traced else _REFUSE | errno.ENOSYS)]
    ranges: list[tuple[int, list[Line]]] = []
    for number in range(max(numbers) + 2):
        call = numbers.get(number)
        lines = unknown if call is None else _decision(_rules(isolation).get(call, ()), is_traced)
        if not ranges or ranges[-1][1] != lines:
            ranges.append((number, lines))
    return ranges


def _search(ranges: Sequence[tuple[int, list[Line]]]) -> list[Line]:
    """A binary search for the range of the loaded number."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below = _search(ranges[:middle])
    # Only this jump may be longer than 255 lines.
    over: Line = (_JUMP, 0, 0, len(below))
    test: Line = (_JUMP_AT_LEAST, 0, 1, ranges[middle][0])
    return [test, over, *below, *_search(ranges[middle:])]


def _decision(rules: Sequence[Rule], is_traced: bool) -> list[Line]:
    """The lines of a call with these rules, which end in any case."""
    lines: list[Line] = []
    for rule in rules:
        if is_traced:
            end: Line = (_RETURN, 0, 0, _STOP)
        elif rule["error"]:
            end = (_RETURN, 0, 0, _REFUSE | rule["error"])
        else:
            continue
        lines += _condition(rule, end)
        if "argument" not in rule:
            return lines
    return [*lines, (_RETURN, 0, 0, _ALLOW)]


def _condition(rule: Rule, end: Line) -> list[Line]:
    """`end` where the condition of a rule applies, else nothing."""
    if "argument" not in rule:
        return [end]
    lines: list[Line] = [(_LOAD, 0, 0, _ARGUMENTS + 8 * rule["argument"])]
    if "mask" in rule:
        lines.append((_AND, 0, 0, rule["mask"]))
    if "any_of" in rule:
        lines += [(_JUMP_ANY, 0, 1, rule["any_of"]), end]
    for value in rule.get("equal", ()):
        lines += [(_JUMP_EQUAL, 0, 1, value), end]
    if excluded_values := rule.get("other_than"):
        lines += [
            (_JUMP_EQUAL, len(excluded_values) - number, 0, value)
            for number, value in enumerate(excluded_values)
        ]
        lines.append(end)
    return lines
