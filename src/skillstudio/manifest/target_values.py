"""Find values of frontmatter that a target does not support, by the rules of its record.

Rules: one of some words ("word"), hooks for some events ("hooks"), names of tools ("tools"), words
separated by spaces ("words"), file patterns ("globs"), a key without another one ("alone"), two
values that exclude each other ("both"). With `near`, only a misspelling of a known word is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.manifest.front_values import tool_uses
from skillstudio.text.diagnostic import Edit, Fix, Rename, Set, Splice
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.nearest import edit_distance, nearest
from skillstudio.text.node import Document, escape
from skillstudio.text.source import Span

KINDS = ("word", "hooks", "tools", "words", "globs", "alone", "both")
_MOST = 1000  # Names judged in one value.
_OPEN = lazy_pattern(r"^(?:[^\[\\]|\\.|\[[^\]]+\])*\[[^\]]*$", re.DOTALL)
"""A pattern with a bracket expression that does not end."""
LONGEST_SHOWN = 60


class ValueFault(NamedTuple):
    """What a target does with a value that it does not support, as a verb phrase, and the fix."""

    text: str
    advice: str
    span: Span | None
    pointer: str
    fixes: tuple[Fix, ...] = ()


def value_faults(
    rule: dict[str, Any], document: Document, is_selected: bool
) -> Iterator[ValueFault]:
    """The violations of one rule; an unknown tool counts only at a selected target, unless it is
    a misspelling, because other targets have other tools."""
    front = document.value
    key, wrong = rule["key"], rule["wrong"]
    value = front.get(key) if isinstance(front, dict) else None
    if value is None:
        return
    if wrong == "word":
        yield from _word(rule, document, value)
    elif wrong == "hooks":
        yield from _hooks(rule, document, value)
    elif wrong in ("words", "globs"):
        yield from _strings(key, wrong, document, value)
    elif wrong == "tools":
        yield from _tools(rule, document, value, not is_selected)
    elif wrong == "alone" and rule["other"] not in front:
        other, needed_value = rule["other"], rule["needed"]
        fix = Fix(f"Add {other}: {needed_value}", (Set(f"/{other}", needed_value),))
        text = f"ignores `{key}` without `{other}: {needed_value}`"
        yield ValueFault(text, f"add it or remove `{key}`", *_at_key(document, key), (fix,))
    elif wrong == "both":
        other = rule["other"]
        if (
            _spell_scalar(value) in rule["values"]
            and _spell_scalar(front.get(other)) in rule["others"]
        ):
            pair = f"`{key}: {_spell_scalar(value)}` and `{other}: {_spell_scalar(front[other])}`"
            yield ValueFault(f"reads {pair}", "remove one of them", *_at_key(document, key))


def shorten_text(text: str) -> str:
    """An author's text, shortened."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _word(rule: dict[str, Any], document: Document, value: Any) -> Iterator[ValueFault]:
    key, values = rule["key"], rule["values"]
    if not isinstance(value, str | int | float):
        return
    word = _spell_scalar(value)
    known_words = {option.lower() for option in values}
    if not word or word in known_words or any(part in word for part in rule.get("parts", ())):
        return
    if rule.get("integers") and word.isascii() and word.isdecimal():
        return
    near = _near(word, values)
    # An author's own agent can be named after a known one, as explorer.
    if rule.get("near") and (near is None or near.lower() in word):
        return
    choices = " or ".join(filter(None, (", ".join(values[:-1]), values[-1])))
    advice = f"did you mean {near}?" if near else rule.get("advice", f"use {choices}")
    node = document.at(f"/{key}")
    yield ValueFault(
        f"does not support `{key}: {shorten_text(str(value).strip())}`",
        advice,
        node.span if node else None,
        f"/{key}",
        _change(near, Set(f"/{key}", near)),
    )


def _hooks(rule: dict[str, Any], document: Document, value: Any) -> Iterator[ValueFault]:
    key, events = rule["key"], rule["values"]
    declared_events = value if isinstance(value, dict) else ()
    for name in islice((str(event) for event in declared_events if event not in events), _MOST):
        pointer = f"/{key}/{escape(name)}"
        text, advice, fixes = unknown_event(name, events, pointer)
        yield ValueFault(text, advice, document.key_span(pointer), pointer, fixes)
    from skillstudio.manifest.plugin_schemas import schema_problems

    for problem in schema_problems(document, "hooks", value, (key,)):
        advice = "add it" if problem.rule == "key-missing" else "correct it"
        text = f"does not support these hooks: {problem.message}"
        yield ValueFault(text, advice, problem.span, problem.pointer, problem.fixes)


def unknown_event(
    name: str, events: Iterable[str], pointer: str
) -> tuple[str, str, tuple[Fix, ...]]:
    """What a target does with hooks for an unknown event at a pointer, the advice and the fix."""
    near = _near(name, events)
    advice = f"did you mean {near}?" if near else "remove it"
    fixes = _change(near, Rename(pointer, near or ""))
    return f"does not have the event `{shorten_text(name)}` for hooks", advice, fixes


def _strings(key: str, wrong: str, document: Document, value: Any) -> Iterator[ValueFault]:
    """A text of several words or patterns, or a list of them."""
    node = document.at(f"/{key}")
    what = "words separated by spaces" if wrong == "words" else "patterns separated by commas"
    if not isinstance(value, str | list):
        text = f"does not support this value of `{key}`"
        yield ValueFault(text, f"write {what}, or a list", node.span if node else None, f"/{key}")
        return
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        pointer = f"/{key}/{index}" if isinstance(value, list) else f"/{key}"
        at = document.at(pointer)
        span = at.span if at else None
        if not isinstance(item, str):
            if wrong == "globs" or isinstance(item, dict | list):
                text = f"does not support this item of `{key}`"
                yield ValueFault(text, "write a string", span, pointer)
        elif wrong == "globs" and _OPEN.search(item):
            text = f"reads a `[` in `{shorten_text(item)}` that nothing closes, and matches no file"
            yield ValueFault(text, "write `\\[` for the character", span, pointer)
        elif wrong == "words" and isinstance(value, str) and "," in item:
            words = " ".join(item.replace(",", " ").split())
            text = f"reads the commas in `{key}` as parts of the names"
            fix = Fix("Separate the names with spaces", (Set(pointer, words),))
            yield ValueFault(text, "separate the names with spaces", span, pointer, (fix,))


def _tools(
    rule: dict[str, Any], document: Document, value: Any, only_misspellings: bool
) -> Iterator[ValueFault]:
    key, values = rule["key"], rule["values"]
    node = document.at(f"/{key}")
    names = dict.fromkeys(name for name, _ in tool_uses(value))
    unknown = [name for name in names if name not in values][:_MOST]
    if small := _in_small_letters(document, key, unknown, values):
        yield small
        return
    for name in unknown:
        if not (name.isascii() and name.isalpha()):
            continue  # A tool of an MCP server, a pattern, a placeholder.
        near = _near(name, values)
        if only_misspellings and (near is None or len(name) < 4 or not name[0].isupper()):
            continue
        span = _place(document, node.span, name) if node else None
        yield ValueFault(
            f"does not have the tool `{shorten_text(name)}`",
            f"did you mean {near}?" if near else "remove it",
            span or (node.span if node else None),
            f"/{key}",
            _change(near, Splice(*span, near)) if near and span else (),
        )


def _in_small_letters(
    document: Document, key: str, unknown: list[str], values: Iterable[str]
) -> ValueFault | None:
    """All unknown tools as one fault if they are several known ones in other letters."""
    known_tools = {tool.lower(): tool for tool in values}
    node = document.at(f"/{key}")
    if len(unknown) < 2 or node is None or any(name not in known_tools for name in unknown):
        return None
    right = [known_tools[name] for name in unknown]
    text = f"does not have the tools {', '.join(f'`{name}`' for name in unknown)}"
    spans = [_place(document, node.span, name) for name in unknown]
    edits = [Splice(*span, tool) for span, tool in zip(spans, right, strict=True) if span]
    fixes = (Fix(f"Change to {', '.join(right)}", tuple(edits)),) if all(spans) else ()
    return ValueFault(text, f"did you mean {', '.join(right)}?", node.span, f"/{key}", fixes)


def _near(word: str, values: Iterable[str]) -> str | None:
    """The known word that differs in one letter, or only in case."""
    near = nearest(word, values) if len(word) <= LONGEST_SHOWN else None
    return near if near and edit_distance(word.lower(), near.lower(), 1) <= 1 else None


def _change(near: str | None, edit: Edit) -> tuple[Fix, ...]:
    return (Fix(f"Change to {near}", (edit,)),) if near else ()


def _at_key(document: Document, key: str) -> tuple[Span | None, str]:
    return document.key_span(f"/{key}"), f"/{key}"


def _spell_scalar(value: Any) -> str:
    """A scalar in lower case as it is written: true, 1, fork."""
    return str(value).strip().lower()


def _place(document: Document, within: Span, name: str) -> Span | None:
    """The only place of a word in a part of the text."""
    text, span = document.source.text, None
    start = text.find(name, within.start, within.end)
    while start >= 0:
        end = start + len(name)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            if span is not None:
                return None
            span = Span(start, end)
        start = text.find(name, end, within.end)
    return span
