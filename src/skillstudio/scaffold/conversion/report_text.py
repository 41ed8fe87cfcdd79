"""Render a conversion report as text: losses and new values first, similar values on one line.

Every pointer of the report is covered by some line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

from skillstudio.manifest.conversion.leaf_tracker import (
    ChangedLeaf,
    ConversionReport,
    InventedLeaf,
)
from skillstudio.scaffold.conversion.loss_reasons import NO_PLACE

_NOW, _FROM = "now ", "from "
_INDENT = "  "
Path = tuple[str, ...]


def report_lines(report: ConversionReport, most: int | None = None) -> Iterator[str]:
    """The lists as lines, each under a heading with a count.

    `most` limits the reasons of a list and the values of a reason.
    """
    names = _Names(report)
    if report.lost:
        yield f"not converted: {len(report.lost)}"
        yield from _lost(report, names, most)
    if report.invented:
        yield f"added: {len(report.invented)}"
        yield from _invented(report.invented, most)
    if report.changed:
        yield f"changed: {len(report.changed)}"
        yield from _changed(report.changed, names, most)
    yield f"unchanged: {len(report.carried)}"


def _lost(report: ConversionReport, names: _Names, most: int | None) -> Iterator[str]:
    """By reason; values without an equivalent share a heading."""
    groups: dict[str, dict[str, list[str]]] = {}
    for pointer, why in report.lost:
        head, has_no_place, what = why.partition(NO_PLACE)
        head, what = (head + has_no_place.rstrip(), what) if has_no_place else ("", why)
        groups.setdefault(head, {}).setdefault(what, []).append(pointer)
    for head, reasons in groups.items():
        if head:
            yield f"{_INDENT}{head}"
        indent = _INDENT * 2 if head else _INDENT
        for what, pointers in islice(reasons.items(), most):
            yield from _under(what, names.short(pointers), indent, most)
        yield from _left_out(len(reasons), indent, most)


def _invented(invented: Iterable[InventedLeaf], most: int | None) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for each in invented:
        groups.setdefault(each.why, []).append(f"{each.pointer} = {each.what}")
    for why, values in islice(groups.items(), most):
        yield from _under(why, values, _INDENT, most)
    yield from _left_out(len(groups), _INDENT, most)


def _changed(changed: tuple[ChangedLeaf, ...], names: _Names, most: int | None) -> Iterator[str]:
    """Changes by source; values that moved in the same way share a line."""
    there = {target for each in changed for target in _targets(each)}
    moves: dict[tuple[str, str], list[str]] = {}
    ways: dict[tuple[str, str, str], list[str]] = {}
    others: dict[str, list[str]] = {}
    for pointer, how in changed:
        if pointer in there and how.startswith(_FROM):
            continue
        target, _, why = how.removeprefix(_NOW).partition(": ")
        if not how.startswith(_NOW) or ";" in how:
            others.setdefault(how, []).append(pointer)
        elif not why and pointer.rpartition("/")[2] == target.rpartition("/")[2]:
            above, over = pointer.rpartition("/")[0], target.rpartition("/")[0]
            ways.setdefault((above, over, target if above == over else ""), []).append(pointer)
        else:
            moves.setdefault((target, why), []).append(pointer)
    for (above, over, _), pointers in islice(ways.items(), most):
        last = pointers[0].rpartition("/")[2]
        many = len(pointers) > 1
        count = f" ({len(pointers)})" if many else ""
        last = "*" if many else last
        yield f"{_INDENT}{above}/{last} → {over}/{last}{count}"
    yield from _left_out(len(ways), _INDENT, most)
    for (target, why), pointers in islice(moves.items(), most):
        shown = names.short(pointers)
        listed = ", ".join([*shown[:most], *(["…"] if len(shown[:most]) < len(shown) else [])])
        yield f"{_INDENT}{listed} → {target}{why and f': {why}'}"
    yield from _left_out(len(moves), _INDENT, most)
    for how, pointers in islice(others.items(), most):
        yield from _under(how, names.short(pointers), _INDENT, most)
    yield from _left_out(len(others), _INDENT, most)


def _targets(each: ChangedLeaf) -> Iterator[str]:
    """The pointers in the result that a change of a source leaf names."""
    for part in each.how.split("; "):
        if part.startswith(_NOW):
            yield part.removeprefix(_NOW).split(": ")[0]


def _under(head: str, items: list[str], indent: str, most: int | None) -> Iterator[str]:
    """One item on the line of its heading, several below it."""
    if len(items) == 1:
        yield f"{indent}{items[0]}: {head}"
        return
    yield f"{indent}{head}:"
    yield from (f"{indent}{_INDENT}{item}" for item in items[:most])
    yield from _left_out(len(items), indent + _INDENT, most)


def _left_out(total: int, indent: str, most: int | None) -> Iterator[str]:
    """A line with the number of omitted entries."""
    if most is not None and total > most:
        yield f"{indent}… {total - most:,} more; use --all to show everything"


class _Names:
    """Abbreviate pointers of a report: a whole branch by its top, similar ones by a pattern.

    Neither is used if it would cover a pointer of another list.
    """

    def __init__(self, report: ConversionReport) -> None:
        self._report = report

    @cached_property
    def _paths(self) -> list[Path]:
        held = (self._report.changed, self._report.lost)
        pointers = (each.pointer for group in held for each in group)
        return [_path(each) for each in (*self._report.carried, *pointers)]

    @cached_property
    def _sizes(self) -> Counter[Path]:
        return Counter(branch for path in self._paths for branch in _branches(path))

    def short(self, pointers: list[str]) -> list[str]:
        """Short names for some pointers of the report, with counts."""
        if len(pointers) == 1:
            return [_shown(_path(pointers[0]), 1)]
        groups: dict[tuple[int, str, str, str], list[tuple[Path, int]]] = {}
        for top, size in self._tops([_path(pointer) for pointer in pointers]).items():
            like = (len(top), top[0], top[1] if len(top) > 1 else "", top[-1])
            groups.setdefault(like, []).append((top, size))
        found: list[str] = []
        for members in groups.values():
            pattern = tuple(
                each[0] if len(set(each)) == 1 else None
                for each in zip(*(top for top, _ in members), strict=True)
            )
            size = sum(size for _, size in members)
            if len(members) > 1 and size == sum(_fits(path, pattern) for path in self._paths):
                members = [(tuple("*" if each is None else each for each in pattern), size)]
            found += [_shown(top, size) for top, size in members]
        return found

    def _tops(self, paths: list[Path]) -> dict[Path, int]:
        """The highest branches that contain only some paths, with counts."""
        within = Counter(branch for path in paths for branch in _branches(path))
        found: dict[Path, int] = {}
        for path in paths:
            whole = (b for b in _branches(path) if 1 < within[b] == self._sizes[b])
            top = next(whole, path)
            found[top] = found.get(top, 0) + 1
        return found


def _path(pointer: str) -> Path:
    """The document ("" for the default one) and the keys of a pointer."""
    document, sharp, rest = ("", "", pointer)
    if not pointer.startswith("/"):
        document, sharp, rest = pointer.partition("#")
    return (document + sharp, *rest.split("/")[1:])


def _branches(path: Path) -> Iterator[Path]:
    """The prefixes of a path that have a key, the shortest first, and the path itself."""
    yield from (path[:length] for length in range(2, len(path)))
    yield path


def _fits(path: Path, pattern: tuple[str | None, ...]) -> bool:
    """Whether a path matches a pattern or is below a match."""
    return len(path) >= len(pattern) and all(
        want is None or want == had for want, had in zip(pattern, path, strict=False)
    )


def _shown(path: Path, size: int) -> str:
    count = f" ({size})" if size > 1 else ""
    return "/".join(path) + count
