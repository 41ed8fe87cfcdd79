"""Find the options that a program collects in an object by their flags, and later reads by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from skillstudio.text.scripts.javascript_tokens import Literals, Token, Tokens, groups, split
from skillstudio.text.scripts.model import NOTHING, ScriptOption

_METHODS = frozenset({"hasOwnProperty", "push", "length", "help", "h", "version", "_", "toString"})
_AFTER_TEST = frozenset({"?", "&&", "||", "??", ")"})


class _KeyedName(NamedTuple):
    """A name that the code reads from the options."""

    key: str
    is_tested: bool  # Whether only its truth counts at this place.
    is_refused: bool  # Whether the program ends without it.
    default: str | int | float | None = None


def keyed_options(
    scopes: Sequence[Tokens], literals: Literals, ends: Callable[[Tokens], bool]
) -> Iterator[ScriptOption]:
    """The options of `args[word.slice(2)] = …`, by what the code reads: `args.out`, `args["out"]`.

    `ends` says whether code ends the program.
    """
    objects = _objects(scopes)
    if not objects:
        return
    may_be_switch = _sets_true(scopes, objects)
    names_by_key: dict[str, list[_KeyedName]] = {}
    for item in _names(scopes, objects, literals, ends):
        if item.key not in _METHODS and re.fullmatch(r"[A-Za-z][\w-]*", item.key):
            names_by_key.setdefault(item.key, []).append(item)
    is_camel = any(token.text == "toUpperCase" for scope in scopes for token in scope)
    for key, items in names_by_key.items():
        flag = re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", key).lower() if is_camel else key
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).replace("-", "_").lower()
        default = next((item.default for item in items if item.default is not None), NOTHING)
        is_switch = may_be_switch and default is NOTHING and all(item.is_tested for item in items)
        yield ScriptOption(
            name,
            (f"--{flag}",),
            "boolean" if is_switch else "string",
            required=not is_switch
            and default is NOTHING
            and any(item.is_refused for item in items),
            default=default,
            switch=is_switch,
        )


def _objects(scopes: Sequence[Tokens]) -> set[str]:
    """The names of objects that are filled under computed keys, and of what functions return so."""
    objects = {
        scope[at - 1].text
        for scope in scopes
        for at, token in enumerate(scope[:-1])
        if _is_computed(token) and at and scope[at - 1].kind == "name"
        and scope[at + 1].text == "="
        and _is_stripped(token.inner, scopes)
    }  # fmt: skip
    if not objects:
        return set()
    makers = set()
    for scope in scopes:
        for at, token in enumerate(scope):
            if token.text != "{" or token.kind != "group":
                continue
            words = {inner.text for part in groups(token.inner) for inner in part}
            if objects & words and "return" in words:
                makers |= _find_function_name(scope[max(at - 6, 0) : at])
    return objects | {
        scope[at - 2].text
        for scope in scopes
        for at, token in enumerate(scope[:-1])
        if token.text in makers and scope[at + 1].text == "(" and at > 1
        and scope[at - 1].text == "=" and scope[at - 2].kind == "name"
    }  # fmt: skip


def _find_function_name(before: Tokens) -> set[str]:
    """The name of a function whose body follows: `function f(…)`, `const f = (…) =>`."""
    for at, token in enumerate(before[:-1]):
        if token.text in ("function", "const", "let", "var") and before[at + 1].kind == "name":
            return {before[at + 1].text}
    return set()


def _is_computed(token: Token) -> bool:
    """Whether a group is a key that is no literal."""
    is_key = token.kind == "group" and token.text == "[" and len(token.inner) > 0
    return is_key and not (len(token.inner) == 1 and token.inner[0].kind in ("string", "number"))


def _is_stripped(inner: Tokens, scopes: Sequence[Tokens]) -> bool:
    """Whether a key is a flag without its hyphens: `word.slice(2)`, or a variable with that."""
    if any(token.text in ("slice", "replace", "substring", "substr") for token in inner):
        return True
    if len(inner) != 1 or inner[0].kind != "name":
        return False
    return any(
        token.text == inner[0].text
        and any(
            part.text in ("slice", "replace", "substring", "substr", "split")
            for part in scope[at + 1 : at + 8]
        )
        for scope in scopes
        for at, token in enumerate(scope)
    )


def _sets_true(scopes: Sequence[Tokens], objects: set[str]) -> bool:
    """Whether a flag without a value is set to true."""
    return any(
        _is_computed(token) and at and scope[at - 1].text in objects
        and "true" in {part.text for part in scope[at + 1 : at + 8]}
        for scope in scopes
        for at, token in enumerate(scope)
    )  # fmt: skip


def _names(
    scopes: Sequence[Tokens],
    objects: set[str],
    literals: Literals,
    ends: Callable[[Tokens], bool],
) -> Iterator[_KeyedName]:
    required_names = _find_required_names(scopes, ends)
    for scope in scopes:
        for at, token in enumerate(scope):
            if token.text not in objects or token.kind != "name":
                continue
            if at and scope[at - 1].text == ".":
                continue
            if at > 1 and scope[at - 1].text == "=" and scope[at - 2].text == "{":
                for key, variable, default in _iter_destructured(scope[at - 2].inner, literals):
                    yield _KeyedName(key, False, variable in required_names, default)
                continue
            key, end = _member(scope, at)
            if not key or (end < len(scope) and scope[end].text == "="):
                continue
            after = scope[end].text if end < len(scope) else ")"
            before = scope[at - 1].text if at else "("
            value = literals.value(scope[end + 1 : end + 2]) if after in ("||", "??") else None
            default = value if isinstance(value, str | int | float) else None
            default = None if isinstance(default, bool) or default == "" else default
            is_tested = (before in ("!", "(", "&&", "||") and after in _AFTER_TEST) or (
                after in ("?", "&&") and default is None
            )
            yield _KeyedName(key, is_tested, key in required_names, default)


def _member(scope: Tokens, at: int) -> tuple[str, int]:
    """The key that follows the name of an object, and the index after it."""
    rest = scope[at + 1 : at + 3]
    if len(rest) == 2 and rest[0].text in (".", "?.") and rest[1].kind == "name":
        is_call = scope[at + 3 : at + 4] and scope[at + 3].text == "("
        return ("" if is_call else rest[1].text), at + 3
    if rest and rest[0].text == "[" and len(rest[0].inner) == 1:
        key = rest[0].inner[0]
        return (key.text if key.kind == "string" else ""), at + 2
    return "", at + 1


def _iter_destructured(
    inner: Tokens, literals: Literals
) -> Iterator[tuple[str, str, str | int | float | None]]:
    """The keys of `{ base, out: file, limit = 3 }`, with the variables and their defaults."""
    for part in split(inner):
        if not part or part[0].kind not in ("name", "string"):
            continue
        is_renamed = len(part) > 2 and part[1].text == ":"
        variable = part[2].text if is_renamed else part[0].text
        equals = next((at for at, token in enumerate(part) if token.text == "="), None)
        value = literals.value(part[equals + 1 :]) if equals is not None else None
        is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
        yield part[0].text, variable, value if is_plain else None


def _find_required_names(scopes: Sequence[Tokens], ends: Callable[[Tokens], bool]) -> set[str]:
    """The names whose absence ends the program: `if (!args.base || !out) { … exit(2) }`."""
    names: set[str] = set()
    for scope in scopes:
        for at, token in enumerate(scope[:-2]):
            if token.text != "if" or scope[at + 1].text != "(":
                continue
            is_block = scope[at + 2].text == "{"
            body = scope[at + 2 : at + 3] if is_block else scope[at + 2 : at + 8]
            test = scope[at + 1].inner
            if not ends(body) or any(mark.text == "&&" for mark in test):
                continue
            for number, mark in enumerate(test[:-1]):
                if mark.text == "!":
                    key, _ = _member(test, number + 1)
                    names.add(key or test[number + 1].text)
    return names
