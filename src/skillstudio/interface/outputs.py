"""Differences of an operation's outputs: new output must have been possible before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar

from skillstudio.files.paths import is_absolute, normalise
from skillstudio.interface.change import Witness
from skillstudio.interface.difference import (
    Difference,
    below,
    changed_fields,
    compare_values,
    moved_names,
)
from skillstudio.interface.model import (
    ABSENT,
    Artifact,
    Input,
    Operation,
    Output,
    OutputField,
    Stdout,
    token,
)
from skillstudio.interface.schemas import Effect, effect, make_undecided, relate
from skillstudio.interface.wording import SENSITIVE, masked_schema
from skillstudio.schema.shape import same

_MOST = 24  # Maximum number of removed or added patterns to compare.
_BASE = "repo_root"
NEVER_FETCHED = "its URI: remote schemas are never fetched"
_PLACEHOLDER_START = "{{"
_Named = TypeVar("_Named", Artifact, OutputField)
_KINSHIP = {"equivalent": 0, "narrowed": 1, "widened": 1}
"""Relations of two patterns that belong together, the closest first."""


def compare_outputs(old: Operation, new: Operation, sensitive: bool) -> Iterator[Difference]:
    """Differences of the files, artifacts, fields and standard output of an operation."""
    yield from _files(old, new, sensitive)
    yield from _artifacts(old, new)
    yield from _fields(old, new, sensitive)
    yield from _stdout(old.stdout or Stdout(), new.stdout or Stdout(), new.name, sensitive)


def _files(old: Operation, new: Operation, sensitive: bool) -> Iterator[Difference]:
    olds = {output.pattern: output for output in old.outputs}
    news = {output.pattern: output for output in new.outputs}
    for pattern in olds.keys() & news.keys():
        yield from _pair(olds[pattern], news[pattern])
    removed_outputs = [output for pattern, output in olds.items() if pattern not in news]
    come = [output for pattern, output in news.items() if pattern not in olds]
    pairs = _pairs(removed_outputs, come, old, new) if removed_outputs and come else []
    for before, after, (action, witness, reason, keyword) in pairs:
        hide = sensitive or _speaks_of_sensitive(before, old) or _speaks_of_sensitive(after, new)
        names = (after.pattern, before.pattern, after.pattern)
        masked_witness = mask_witness(witness, hide)
        difference = Difference("output", "pattern", action, "", *names, reason, masked_witness)
        yield from _pair(before, after, difference._replace(undecided_keyword=keyword))
    paired_ids = {id(output) for before, after, _ in pairs for output in (before, after)}
    removed_patterns, added_patterns = (
        [output.pattern for output in side if id(output) not in paired_ids]
        for side in (removed_outputs, come)
    )
    yield from moved_names("output", "pattern", "/outputs", removed_patterns, added_patterns)


def _pair(old: Output, new: Output, *earlier_differences: Difference) -> Iterator[Difference]:
    """Differences of two outputs after those that are found already."""
    bases = (old.base or _BASE, new.base or _BASE)
    differences = chain(
        earlier_differences,
        compare_values("output", "base", "/base", new.pattern, *bases),
        changed_fields("output", "", new.pattern, old, new, "description"),
    )
    at, was_at = (f"/outputs/{token(output.pattern)}" for output in (new, old))
    return below(at, was_at, differences)


def _pairs(
    removed_outputs: list[Output], come: list[Output], old: Operation, new: Operation
) -> list[tuple[Output, Output, Effect]]:
    """Match old and new patterns alike in both directions: equivalent, contained, the only pair."""
    pairs: list[tuple[Output, Output, Effect]] = []
    before = {input_.name: input_ for input_ in old.inputs}
    after = {input_.name: input_ for input_ in new.inputs}
    removed_outputs, come = list(removed_outputs), list(come)
    if len(removed_outputs) == 1 and len(come) == 1:
        return [
            (removed_outputs[0], come[0], _relation(removed_outputs[0], before, come[0], after))
        ]
    if max(len(removed_outputs), len(come)) > _MOST:
        return []
    table = [
        (left_output, right, _relation(left_output, before, right, after))
        for left_output in removed_outputs
        for right in come
    ]
    table.sort(
        key=lambda row: (_KINSHIP.get(row[2].action, 2), sorted((row[0].pattern, row[1].pattern)))
    )
    for left_output, right, relation in table:
        if relation.action in _KINSHIP and left_output in removed_outputs and right in come:
            pairs.append((left_output, right, relation))
            removed_outputs.remove(left_output)
            come.remove(right)
    if len(removed_outputs) == 1 and len(come) == 1:
        pairs += [row for row in table if row[0] is removed_outputs[0] and row[1] is come[0]]
    return pairs


def _relation(
    old: Output, olds: Mapping[str, Input], new: Output, news: Mapping[str, Input]
) -> Effect:
    from skillstudio.interface.patterns import compare_patterns
    from skillstudio.schema.work import Undecidable

    if _leaves_base(old.pattern) != _leaves_base(new.pattern):
        # Such a path is refused, whatever the inputs are.
        return Effect("changed", None, "")
    try:
        return effect(*compare_patterns(old.pattern, olds, new.pattern, news), is_output=True)
    except Undecidable as error:
        return make_undecided("pattern", error.reason)


def _leaves_base(pattern: str) -> bool:
    return is_absolute(pattern) or normalise(pattern) is None


def _speaks_of_sensitive(output: Output, operation: Operation) -> bool:
    if _PLACEHOLDER_START not in output.pattern:
        return False
    from skillstudio.interface.patterns import names

    input_names = set(names(output.pattern))
    return any(input_.sensitive for input_ in operation.inputs if input_.name in input_names)


def _artifacts(old: Operation, new: Operation) -> Iterator[Difference]:
    def pair(before: Artifact, after: Artifact, at: str) -> Iterator[Difference]:
        return changed_fields("artifact", at, after.name, before, after, "kind", "description")

    return _by_name("artifact", old.artifacts, new.artifacts, pair)


def _fields(old: Operation, new: Operation, sensitive: bool) -> Iterator[Difference]:
    def pair(before: OutputField, after: OutputField, at: str) -> Iterator[Difference]:
        texts = (before.text, after.text)
        if before.schema is None or after.schema is None:
            yield from compare_values("field", "text", at, after.name, *texts)
            return
        loss, gain = relate(before.schema, after.schema, strict=True)
        if before.text != after.text or loss or gain:
            action, witness, reason, keyword = effect(loss, gain, is_output=True)
            masked_witness = mask_witness(witness, sensitive)
            difference = Difference(
                "field", "type", action, at, after.name, *texts, reason, masked_witness
            )
            yield difference._replace(undecided_keyword=keyword)

    return _by_name("field", old.fields, new.fields, pair)


def mask_witness(witness: Witness | None, hide: bool) -> Witness | None:
    """The counterexample, without its value if `hide`."""
    return witness._replace(value=SENSITIVE) if witness and hide else witness


def _stdout(old: Stdout, new: Stdout, name: str, sensitive: bool) -> Iterator[Difference]:
    flags = (old.last_line_json, new.last_line_json)
    yield from compare_values("stdout", "last-line-json", "/stdout", name, *flags)
    place = ("/stdout/schema", name)
    if old.reference != new.reference:
        addresses = (old.reference or ABSENT, new.reference or ABSENT)
        sides = (*place, *addresses, NEVER_FETCHED)
        difference = Difference("stdout", "schema", "reference-changed", *sides)
        yield difference._replace(undecided_keyword="$ref")
    elif old.schema is not None or new.schema is not None:
        before, now = (True if schema is None else schema for schema in (old.schema, new.schema))
        if same(before, now):
            return
        loss, gain = relate(before, now, strict=True)
        action, witness, reason, keyword = effect(loss, gain, is_output=True)
        if sensitive:
            before, now = masked_schema(before), masked_schema(now)
        masked_witness = mask_witness(witness, sensitive)
        difference = Difference(
            "stdout", "schema", action, *place, before, now, reason, masked_witness
        )
        yield difference._replace(undecided_keyword=keyword)


def _by_name(
    surface: str,
    olds: Iterable[_Named],
    news: Iterable[_Named],
    pair: Callable[[_Named, _Named, str], Iterator[Difference]],
) -> Iterator[Difference]:
    before = {old.name: old for old in olds}
    after = {new.name: new for new in news}
    yield from moved_names(surface, surface, f"/{surface}s", before, after)
    for name, old in before.items():
        if name in after and old != after[name]:
            yield from pair(old, after[name], f"/{surface}s/{token(name)}")
