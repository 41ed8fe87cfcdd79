"""A report for people: what is gone and what is new comes first, and values with one fate share
a line. Every pointer of the report is covered by some line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from skillstudio.scaffold.conversion.leaf_tracker import ChangedLeaf, ConversionReport, InventedLeaf
from skillstudio.scaffold.conversion.loss_reasons import NO_PLACE

_NOW, _FROM = "now ", "from "
_INDENT = "  "
Path = tuple[str, ...]


def report_lines(report: ConversionReport) -> Iterator[str]:
    """The lists as lines, each under its heading with the number of its values."""
    names = _Names(report)
    if report.lost:
        yield f"lost: {len(report.lost)}"
        yield from _lost(report, names)
    if report.invented:
        yield f"invented: {len(report.invented)}"
        yield from _invented(report.invented)
    if report.changed:
        yield f"changed: {len(report.changed)}"
        yield from _changed(report.changed, names)
    yield f"carried over as they are: {len(report.carried)}"


def _lost(report: ConversionReport, names: _Names) -> Iterator[str]:
    """By reason; what one system has no place for, under one line that says so."""
    groups: dict[str, dict[str, list[str]]] = {}
    for pointer, why in report.lost:
        head, has_no_place, what = why.partition(NO_PLACE)
        head, what = (head + has_no_place.rstrip(), what) if has_no_place else ("", why)
        groups.setdefault(head, {}).setdefault(what, []).append(pointer)
    for head, reasons in groups.items():
        if head:
            yield f"{_INDENT}{head}"
        for what, pointers in reasons.items():
            yield from _under(what, names.short(pointers), _INDENT * 2 if head else _INDENT)


def _invented(invented: Iterable[InventedLeaf]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for each in invented:
        groups.setdefault(each.why, []).append(f"{each.pointer} = {each.what}")
    for why, values in groups.items():
        yield from _under(why, values, _INDENT)


def _changed(changed: tuple[ChangedLeaf, ...], names: _Names) -> Iterator[str]:
    """Each change from its source's side; values that went the same way as one."""
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
    for (above, over, _), pointers in ways.items():
        last = pointers[0].rpartition("/")[2]
        many = len(pointers) > 1
        count = f" ({len(pointers)})" if many else ""
        last = "*" if many else last
        yield f"{_INDENT}{above}/{last} → {over}/{last}{count}"
    for (target, why), pointers in moves.items():
        yield f"{_INDENT}{', '.join(names.short(pointers))} → {target}{why and f': {why}'}"
    for how, pointers in others.items():
        yield from _under(how, names.short(pointers), _INDENT)


def _targets(each: ChangedLeaf) -> Iterator[str]:
    """The pointers of the result that a change of a source's leaf names."""
    for part in each.how.split("; "):
        if part.startswith(_NOW):
            yield part.removeprefix(_NOW).split(": ")[0]


def _under(head: str, items: list[str], indent: str) -> Iterator[str]:
    """One item on the line of what is said of it, several below it."""
    if len(items) == 1:
        yield f"{indent}{items[0]}: {head}"
        return
    yield f"{indent}{head}:"
    yield from (f"{indent}{_INDENT}{item}" for item in items)


class _Names:
    """Pointers of a report in fewer words: a whole branch by its top, like ones by a pattern.

    Neither is used where it would take in a pointer that had another fate.
    """

    def __init__(self, report: ConversionReport) -> None:
        held = [*report.carried, *(each.pointer for each in report.changed)]
        self._paths = [_path(each) for each in (*held, *(each.pointer for each in report.lost))]
        self._sizes = Counter(branch for path in self._paths for branch in _branches(path))

    def short(self, pointers: list[str]) -> list[str]:
        """What some pointers of the report are called together, with how many they are."""
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
        """The highest branches that hold nothing but some paths, and how many of them."""
        within = Counter(branch for path in paths for branch in _branches(path))
        found: dict[Path, int] = {}
        for path in paths:
            whole = (b for b in _branches(path) if 1 < within[b] == self._sizes[b])
            top = next(whole, path)
            found[top] = found.get(top, 0) + 1
        return found


def _path(pointer: str) -> Path:
    """The document, "" for the one that goes without saying, and the keys of a pointer."""
    document, sharp, rest = ("", "", pointer)
    if not pointer.startswith("/"):
        document, sharp, rest = pointer.partition("#")
    return (document + sharp, *rest.split("/")[1:])


def _branches(path: Path) -> Iterator[Path]:
    """The beginnings of a path that have a key, the shortest first, and itself."""
    yield from (path[:length] for length in range(2, len(path)))
    yield path


def _fits(path: Path, pattern: tuple[str | None, ...]) -> bool:
    """Whether a path is, or lies below, what a pattern names."""
    return len(path) >= len(pattern) and all(
        want is None or want == had for want, had in zip(pattern, path, strict=False)
    )


def _shown(path: Path, size: int) -> str:
    count = f" ({size})" if size > 1 else ""
    return "/".join(path) + count
