"""Render a conversion report as text that covers every pointer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from skillstudio.manifest.conversion.leaf_tracker import ConversionReport

_NO_PLACE = " has no equivalent for "
_NOW, _FROM = "now ", "from "
_INDENT = "  "
Path = tuple[str, ...]


def report_lines(report: ConversionReport, most: int | None = None) -> Iterator[str]:
    """The lists as lines with headings, each with at most `most` reasons of `most` values."""
    names = _Names(report)
    if report.lost_leaves:
        yield f"lost: {len(report.lost_leaves)}"
        yield from _render_losses(report, names, most)
    if report.invented_leaves:
        yield f"added: {len(report.invented_leaves)}"
        values: dict[str, list[str]] = {}
        for leaf in report.invented_leaves:
            values.setdefault(leaf.why, []).append(f"{leaf.pointer} = {leaf.what}")
        yield from _reasons(values, _INDENT, most)
    if report.changed_leaves:
        yield f"changed: {len(report.changed_leaves)}"
        yield from _render_changes(report, names, most)
    yield f"unchanged: {len(report.carried_pointers)}"


def _render_losses(report: ConversionReport, names: _Names, most: int | None) -> Iterator[str]:
    """By reason; values without an equivalent share a heading."""
    groups: dict[str, dict[str, list[str]]] = {}
    for pointer, why in report.lost_leaves:
        head, has_no_place, what = why.partition(_NO_PLACE)
        head, what = (head + has_no_place.rstrip(), what) if has_no_place else ("", why)
        groups.setdefault(head, {}).setdefault(what, []).append(pointer)
    for head, reasons in groups.items():
        if head:
            yield f"{_INDENT}{head}"
        indent = _INDENT * 2 if head else _INDENT
        short = {what: names.short(pointers) for what, pointers in reasons.items()}
        yield from _reasons(short, indent, most)


def _reasons(groups: dict[str, list[str]], indent: str, most: int | None) -> Iterator[str]:
    """Values by reason: one on the line of its reason, several below it."""
    for head, items in islice(groups.items(), most):
        if len(items) == 1:
            yield f"{indent}{items[0]}: {head}"
            continue
        yield f"{indent}{head}:"
        yield from (f"{indent}{_INDENT}{item}" for item in items[:most])
        yield from _left_out(len(items), indent + _INDENT, most)
    yield from _left_out(len(groups), indent, most)


def _render_changes(report: ConversionReport, names: _Names, most: int | None) -> Iterator[str]:
    """Changes by source; values that moved in the same way share a line."""
    move_texts = [how for _, how in report.changed_leaves if _NOW in how]
    parts = (part for how in move_texts for part in (how.split("; ") if ";" in how else (how,)))
    there = {part[len(_NOW) :].partition(": ")[0] for part in parts if part.startswith(_NOW)}
    moves: dict[tuple[str, str], list[str]] = {}
    ways: dict[tuple[str, str, str], list[str]] = {}
    other_changes: dict[str, list[str]] = {}
    for pointer, how in report.changed_leaves:
        if pointer in there and how.startswith(_FROM):
            continue
        if not how.startswith(_NOW) or ";" in how:
            other_changes.setdefault(how, []).append(pointer)
            continue
        target, _, why = how[len(_NOW) :].partition(": ")
        if not why and pointer.rpartition("/")[2] == target.rpartition("/")[2]:
            above, over = pointer.rpartition("/")[0], target.rpartition("/")[0]
            ways.setdefault((above, over, target if above == over else ""), []).append(pointer)
        else:
            moves.setdefault((target, why), []).append(pointer)
    for (above, over, _), pointers in islice(ways.items(), most):
        is_one = len(pointers) == 1
        last = pointers[0].rpartition("/")[2] if is_one else "*"
        count = "" if is_one else f" ({len(pointers)})"
        yield f"{_INDENT}{above}/{last} → {over}/{last}{count}"
    yield from _left_out(len(ways), _INDENT, most)
    for (target, why), pointers in islice(moves.items(), most):
        short_names = names.short(pointers)
        joined_names = ", ".join(
            [*short_names[:most], *(["…"] if short_names[:most] != short_names else [])]
        )
        yield f"{_INDENT}{joined_names} → {target}{why and f': {why}'}"
    yield from _left_out(len(moves), _INDENT, most)
    short = {how: names.short(pointers) for how, pointers in other_changes.items()}
    yield from _reasons(short, _INDENT, most)


def _left_out(total: int, indent: str, most: int | None) -> Iterator[str]:
    if most is not None and total > most:
        yield f"{indent}… {total - most:,} more; use --all to show everything"


class _Names:
    """Abbreviate pointers: a whole branch by its top, similar ones by a pattern.

    Neither is used if it would cover a pointer of another list.
    """

    def __init__(self, report: ConversionReport) -> None:
        self._report = report

    @cached_property
    def _paths(self) -> list[Path]:
        groups = (self._report.changed_leaves, self._report.lost_leaves)
        other_pointers = (leaf.pointer for group in groups for leaf in group)
        return [_path(pointer) for pointer in (*self._report.carried_pointers, *other_pointers)]

    @cached_property
    def _sizes(self) -> Counter[Path]:
        return Counter(branch for path in self._paths for branch in _branches(path))

    def short(self, pointers: list[str]) -> list[str]:
        """Short names for some pointers of the report, with counts."""
        if len(pointers) == 1:
            return [_render_path(_path(pointers[0]), 1)]
        groups: dict[tuple[int, str, str, str], list[tuple[Path, int]]] = {}
        for top, size in self._tops([_path(pointer) for pointer in pointers]).items():
            like = (len(top), top[0], top[1] if len(top) > 1 else "", top[-1])
            groups.setdefault(like, []).append((top, size))
        names: list[str] = []
        for members in groups.values():
            parts = zip(*(top for top, _ in members), strict=True)
            pattern = tuple(column[0] if len(set(column)) == 1 else "*" for column in parts)
            size = sum(size for _, size in members)
            if len(members) > 1 and size == sum(_fits(path, pattern) for path in self._paths):
                members = [(pattern, size)]
            names += [_render_path(top, size) for top, size in members]
        return names

    def _tops(self, paths: list[Path]) -> dict[Path, int]:
        """The highest branches that contain only some paths, with counts."""
        within = Counter(branch for path in paths for branch in _branches(path))
        tops: Counter[Path] = Counter()
        for path in paths:
            whole = (b for b in _branches(path) if 1 < within[b] == self._sizes[b])
            tops[next(whole, path)] += 1
        return tops


def _path(pointer: str) -> Path:
    """The document ("" for the default one) and the keys of a pointer."""
    start, sharp, rest = ("", "", pointer) if pointer[:1] == "/" else pointer.partition("#")
    return (start + sharp, *rest.split("/")[1:])


def _branches(path: Path) -> Iterator[Path]:
    """The branches that contain a path, the highest first: its prefixes that have a key."""
    return (path[:length] for length in range(2, len(path)))


def _fits(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a path matches a pattern or is below a match."""
    return len(path) >= len(pattern) and all(
        want in ("*", had) for want, had in zip(pattern, path, strict=False)
    )


def _render_path(path: Path, size: int) -> str:
    return "/".join(path) + (f" ({size})" if size > 1 else "")
