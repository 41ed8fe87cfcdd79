"""Read the given inputs of a script: by the name of an option, repeated, as a list, as words."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.planning.run_inputs import RunInputs
from skillstudio.dryrun.planning.typed import parse_value, render_value
from skillstudio.interface.model import ABSENT, Input
from skillstudio.text.scripts.model import ScriptCommand, ScriptOption
from skillstudio.text.strict_json import NotJson, read_json

_OPERATORS = frozenset("|&;<>()")
_EXPANSIONS = frozenset("$`*?~#")
"""Characters that a shell would replace; words with them are ambiguous."""


class GivenValues(NamedTuple):
    """The inputs of a caller by their own names, and notes about how they were read."""

    run_inputs: RunInputs
    notes: tuple[str, ...] = ()


def accepts_several(inputs: Sequence[Input], command: ScriptCommand | None) -> frozenset[str]:
    """The names under which several values can be given: inputs with a list, and their flags."""
    names = {item.name for item in inputs if _is_list(item)}
    return frozenset(names | {alias for alias, name in aliases(command).items() if name in names})


def aliases(command: ScriptCommand | None) -> dict[str, str]:
    """Other names of a script's inputs: of `--format`, whose value is `output_format`, `format`.

    A flag with the name of another input, or of two options, is none.
    """
    if command is None:
        return {}
    pairs = {
        (flag.lstrip("-").replace("-", "_"), option.name)
        for option in command.options
        for flag in option.flags
    }
    pairs |= {
        (flag.lstrip("-"), option.name) for option in command.options for flag in option.flags
    }
    names = {option.name for option in command.options}
    counts = Counter(alias for alias, _ in pairs)
    return {
        alias: name for alias, name in pairs if counts[alias] == 1 and alias not in names and alias
    }


def read_given(
    run_inputs: RunInputs, inputs: Sequence[Input], command: ScriptCommand | None
) -> GivenValues:
    """The given inputs with the names of inputs, and several values as one list."""
    inputs_by_name = {item.name: item for item in inputs}
    names_by_alias = {
        alias: name
        for alias, name in aliases(command).items()
        if alias not in inputs_by_name and name in inputs_by_name
    }
    texts: dict[str, list[str]] = {}
    for name, text in run_inputs.texts:
        texts.setdefault(names_by_alias.get(name, name), []).append(text)
    value, sample = (
        _rename_keys(run_inputs.value, names_by_alias),
        _rename_keys(run_inputs.sample, names_by_alias),
    )
    options = {item.name: item for item in command.options} if command is not None else {}
    lists: dict[str, Any] = {}
    single: list[tuple[str, str]] = []
    notes: list[str] = []
    is_object = value is ABSENT or isinstance(value, dict)
    for name, parts in texts.items():
        item = inputs_by_name.get(name)
        may_be_list = item is not None and not item.sensitive and _is_list(item) and is_object
        if not may_be_list or item is None:
            single += [(name, text) for text in parts]
            continue
        values = _values(item, parts, options.get(name), notes)
        if values is None:
            single.append((name, parts[0]))
        else:
            lists[name] = values
    if lists:
        value = {**(value if isinstance(value, dict) else {}), **lists}
    normalized_inputs = run_inputs._replace(texts=tuple(single), value=value, sample=sample)
    return GivenValues(normalized_inputs, tuple(notes))


def _values(
    item: Input, parts: list[str], option: ScriptOption | None, notes: list[str]
) -> list[Any] | None:
    """The values that texts mean; None for one text that is read by its schema."""
    schema = item.schema.get("items", True) if isinstance(item.schema, dict) else True
    if len(parts) > 1:
        return [_parse_text(text, schema) for text in parts]
    if option is None:
        return None
    array = _array(parts[0])
    if array is not None:
        return array
    if not option.rest or "\n" in parts[0]:
        return None
    words = split_words(parts[0])
    if words is None:
        notes.append(
            f"{item.name} is one argument, because a shell would read more than words in it; give "
            f"""the words as a list: -i {item.name}='["…", "…"]'"""
        )
    elif len(words) > 1:
        notes.append(f"{item.name} is split into {len(words)} arguments: {shlex.join(words)}")
        return [*words]
    return None


def split_words(text: str) -> list[str] | None:
    """The words of a command as a shell reads them; None if it would read more than words."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="".join(sorted(_OPERATORS)))
    lexer.whitespace_split = True
    lexer.commenters = ""
    if " " in text.strip() and _EXPANSIONS & set(_drop_quoted_parts(text)):
        return None
    try:
        words = list(lexer)
    except ValueError:
        return None
    if " " in text.strip() and any(word and not set(word) - _OPERATORS for word in words):
        return None
    return words if " " in text.strip() else [text]


def _drop_quoted_parts(text: str) -> str:
    """A text without its parts in single quotes."""
    return "".join(text.split("'")[::2])


def _array(text: str) -> list[Any] | None:
    """The list that a text is as JSON, of texts, numbers and the like."""
    if not text.lstrip().startswith("["):
        return None
    try:
        value = read_json(text)
    except NotJson:
        return None
    is_plain = isinstance(value, list) and not any(isinstance(v, dict | list) for v in value)
    return [v if isinstance(v, str) else render_value(v) for v in value] if is_plain else None


def _parse_text(text: str, schema: Any) -> Any:
    try:
        return parse_value(text, schema) if schema is not True else text
    except NotJson:
        return text


def _rename_keys(value: Any, names_by_alias: Mapping[str, str]) -> Any:
    if not isinstance(value, dict) or not names_by_alias:
        return value
    return {names_by_alias.get(name, name) if names_by_alias.get(name) not in value else name: part
            for name, part in value.items()}  # fmt: skip


def _is_list(item: Input) -> bool:
    kinds = item.schema.get("type") if isinstance(item.schema, dict) else None
    return "array" in (kinds if isinstance(kinds, list) else [kinds])
