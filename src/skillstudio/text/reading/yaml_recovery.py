"""Read a YAML text with broken lines.

Where libyaml stops, a few lines are suspects. For each there are guesses at the intended text:
missing quotes, a colon, a space; failing those, the value is omitted, and finally the line. A guess
never changes the number of characters, so that spans stay valid. The guess with which libyaml gets
furthest is kept. Guesses at quotes are unlimited, because they lose nothing; of the others there
are six.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from skillstudio.text.node import Fault, Mapping, Missing, Node, Scalar, Sequence
from skillstudio.text.reading.yaml_composer import ESCAPE, MISPLACED, Composer, Repairs, YamlProblem
from skillstudio.text.reading.yaml_scalars import resolve_plain

MAX_LOSSES = 6
MAX_ROUNDS = 40


def recover(composer: Composer, problem: YamlProblem | None) -> Composer:
    """The best reading of a text that `composer` could not read to its end."""
    losses = 0
    lines = YamlLines(composer.original)
    for _ in range(MAX_ROUNDS):
        if problem is None or losses >= MAX_LOSSES:
            break
        found = _best(composer, problem, lines)
        if found is None:
            break
        composer, problem, is_loss = found
        losses += is_loss
    composer.faults += composer.repairs.faults
    if problem:
        at = min(problem.index, max(len(composer.original) - 1, 0))
        start, end = lines.content(lines.number(at))
        start = max(min(start, at), 0) + composer.base
        end = max(end + composer.base, start)
        composer.faults.append(Fault(problem.rule, problem.message, start, end))
    for start, _ in composer.repairs.lost:
        _mark_incomplete(composer, start, lines)
    return composer


def _best(
    composer: Composer, problem: YamlProblem, lines: YamlLines
) -> tuple[Composer, YamlProblem | None, bool] | None:
    best: tuple[Composer, YamlProblem | None, bool] | None = None
    furthest = problem.index
    for repairs, is_loss in guesses(composer.repairs, problem, lines, composer.base):
        if is_loss and best and not best[2]:
            break
        trial = Composer(repairs, composer.original, composer.base)
        next_problem = trial.run()
        if next_problem is None:
            return trial, None, is_loss
        if next_problem.index > furthest or (best is None and is_loss):
            best = trial, next_problem, is_loss
            furthest = max(next_problem.index, furthest)
    return best


def _mark_incomplete(composer: Composer, offset: int, lines: YamlLines) -> None:
    """Mark the container of an omitted line as incomplete, according to its indentation."""
    column = lines.indent(lines.number(offset))
    at = offset + composer.base
    node = composer.root
    while isinstance(node, Mapping | Sequence):
        node.incomplete = True
        inner: Node | None = None
        if isinstance(node, Mapping):
            before = [entry for entry in node.entries if entry.key.start < at]
            if before:
                inner = before[-1].value
                key = before[-1].key.start - composer.base
                if _is_empty(inner) and column > key - lines.starts[lines.number(key)]:
                    before[-1].value = Missing(inner.start, inner.end)
        else:
            items = [item for item in node.items if item.start <= at]
            inner = items[-1] if items else None
        if not isinstance(inner, Mapping | Sequence):
            return
        first = inner.start - composer.base
        deeper = column < first - lines.starts[lines.number(first)]
        if deeper and not (inner.flow and at < inner.end):
            return
        node.incomplete = False
        node = inner


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.start == node.end


_LINE = re.compile(r"[^\r\n]*")
_LINE_END = re.compile(r"\r\n|\n|\r")
_PARTS = re.compile(
    r"""(?P<lead>[ \t]*(?:-[ \t]+)*)
    (?:(?P<key>"[^"]*"|'[^']*'|[^\s#"'\[\]{},&*!|>@`%-][^:#]*?|-[^\s:][^:#]*?)[ \t]*:(?=[ \t]|$)
      |(?P<dash>-(?=[ \t]*$))?)
    [ \t]*(?P<value>.*?)[ \t]*$""",
    re.VERBOSE,
)
_KEY_OR_ITEM = re.compile(r"[ \t]*(?:-(?:[ \t]|$)|[^\s#\"'][^:#]*:(?:[ \t]|$))")
_BARE_WORD = re.compile(r"(?P<lead>[ ]*(?:-[ ]+)*)(?P<word>[A-Za-z_][\w.-]+)[ \t]*$", re.ASCII)
_NO_SPACE = re.compile(
    r"(?P<lead>[ ]*(?:-[ ]+)*)(?P<key>[A-Za-z_][\w-]*):(?!//)(?P<value>[^\s:].*?)[ \t]*$", re.ASCII
)
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"')
_SINGLE = re.compile(r"'(?:[^']|'')*'")
_COLON = re.compile(r":(?=[ \t]|$)")
_COMMENT = re.compile(r"[ \t]+#")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$")
_LEADING_TABS = re.compile(r"^[ ]*\t[ \t]*(?=[^\s#])", re.MULTILINE)
_ESCAPE = re.compile(
    r"""\\(?:[0abtnvfre "/\\N_LP\t\r\n]|x[0-9a-fA-F]{2}|u(?!d[89a-f])[0-9a-f]{4}
    |U(?:000[0-9a-f]|0010)[0-9a-f]{4})|(?P<bad>\\)|(?P<end>")""",
    re.VERBOSE | re.IGNORECASE,
)
_FILLED = re.compile(r"[^\r\n]")


class YamlLines:
    """The lines of a text by number, from 0."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(found.end() for found in _LINE_END.finditer(text))]

    def number(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def span(self, number: int) -> tuple[int, int]:
        start = self.starts[number]
        found = _LINE.match(self.text, start)
        return start, found.end() if found else start

    def line(self, number: int) -> str:
        start, end = self.span(number)
        return self.text[start:end]

    def content(self, number: int) -> tuple[int, int]:
        """The span of a line's text without surrounding white space."""
        start, end = self.span(number)
        line = self.text[start:end]
        return start + len(line) - len(line.lstrip()), start + len(line.rstrip())

    def indent(self, number: int) -> int:
        start, _ = self.span(number)
        return self.content(number)[0] - start

    def filled_before(self, number: int) -> int | None:
        """The nearest line above that is neither blank nor a comment."""
        for above in range(number - 1, -1, -1):
            bare = self.line(above).strip()
            if bare and not bare.startswith("#"):
                return above
        return None

    def deeper_after(self, number: int, column: int) -> int:
        """The number of the last line below that is indented further than `column`."""
        last = number
        for below in range(number + 1, len(self.starts)):
            bare = self.line(below).strip()
            if bare and self.indent(below) <= column:
                break
            if bare:
                last = below
        return last


def _suspects(repairs: Repairs, problem: YamlProblem, lines: YamlLines) -> list[int]:
    """The numbers of the lines that may be wrong, likeliest first."""
    at = lines.number(min(problem.index, max(len(lines.text) - 1, 0)))
    if not lines.line(at).strip():
        at = lines.filled_before(at) or at
    found = []
    if problem.context is not None and problem.message != MISPLACED:
        found.append(lines.number(problem.context))
    unclosed = _open_value(repairs, lines, at)
    if unclosed is not None:
        found.append(unclosed)
    found.append(at)
    above = lines.filled_before(at)
    if above is not None:
        found.append(above)
    return list(dict.fromkeys(found))


def _open_value(repairs: Repairs, lines: YamlLines, last: int) -> int | None:
    """The nearest line at or above `last` whose value has an unclosed quote or bracket."""
    for number in range(last, max(last - 100, -1), -1):
        start, end = lines.span(number)
        if _is_open(_parts(repairs.text[start:end])["value"]):
            return number
    return None


def _is_open(value: str) -> bool:
    if value[:1] in ("'", '"'):
        return _quote_end(value) is None
    return (value[:1] == "[" and "]" not in value) or (value[:1] == "{" and "}" not in value)


def _quote_end(value: str) -> int | None:
    """The end of the quoted string that a value starts with, or None."""
    found = (_DOUBLE if value[0] == '"' else _SINGLE).match(value)
    return found.end() if found else None


def _parts(line: str) -> re.Match[str]:
    """The parts of a line; every part may be empty, so there is always a match."""
    return next(_PARTS.finditer(line))


def guesses(
    repairs: Repairs, problem: YamlProblem, lines: YamlLines, base: int
) -> Iterator[tuple[Repairs, bool]]:
    """Changed texts to try, likeliest first, each with whether it loses something."""
    if problem.message == ESCAPE:
        yield from _doubled_backslashes(repairs, problem)
    has_tabs = problem.rule == "syntax-yaml" and "\t" in repairs.text
    if has_tabs and _LEADING_TABS.search(repairs.text):
        yield _spaces_for_tabs(repairs, base), False
    suspects = _suspects(repairs, problem, lines)
    for number in suspects:
        yield from _quoted(repairs, lines, number)
    yield from _quoted_continuation(repairs, problem, lines)
    for number in suspects:
        yield from _colon_added(repairs, lines, number, base)
    for number in suspects:
        yield from _left_out(repairs, problem, lines, number, base)


def _doubled_backslashes(repairs: Repairs, problem: YamlProblem) -> Iterator[tuple[Repairs, bool]]:
    start = (
        repairs.text.rfind('"', 0, problem.index) if problem.context is None else problem.context
    )
    offsets = []
    for found in _ESCAPE.finditer(repairs.text, start + 1):
        if found["end"]:
            break
        if found["bad"]:
            offsets.append(found.start())
    if offsets:
        yield _hide(repairs, offsets), False


def _hide(repairs: Repairs, offsets: list[int]) -> Repairs:
    """The repairs with the characters at some offsets hidden; the offsets ascend."""
    twin = repairs.copy()
    if offsets:
        first, end = offsets[0], offsets[-1] + 1
        characters = list(twin.text[first:end])
        for at in offsets:
            twin.hidden.setdefault(at, characters[at - first])
            characters[at - first] = twin.mark
        twin.text = twin.text[:first] + "".join(characters) + twin.text[end:]
    return twin


def _spaces_for_tabs(repairs: Repairs, base: int) -> Repairs:
    twin = repairs.copy()
    edits = tuple(
        (at + base, at + base + 1, "  ")
        for found in _LEADING_TABS.finditer(twin.text)
        for at in range(found.start(), found.end())
        if twin.text[at] == "\t"
    )
    first = edits[0]
    message = "YAML does not allow tabs for indentation; use spaces"
    title = "Indent with spaces"
    twin.faults.append(Fault("syntax-yaml", message, first[0], first[1], title, edits))
    twin.text = _LEADING_TABS.sub(lambda found: " " * len(found.group()), twin.text)
    return twin


def _quoted(repairs: Repairs, lines: YamlLines, number: int) -> Iterator[tuple[Repairs, bool]]:
    """The value of a line as a string, if only quotes make it valid."""
    start, end = lines.span(number)
    parts = _parts(repairs.text[start:end])
    value, at = parts["value"], start + parts.start("value")
    if not value or value[0] == "#":
        return
    is_description = (parts["key"] or "").strip("\"'") == "description"
    offsets = []
    text = value
    if not is_description and value[0] not in "\"'":
        comment = _COMMENT.search(value)
        text = value[: comment.start()] if comment else value
    if value[0] in "\"'":
        closes = _quote_end(value)
        if closes is None or closes == len(value):
            return
        offsets.append(at)
    elif value[0] in "[{":
        closer = "]" if value[0] == "[" else "}"
        is_text = value.startswith("{{") or (closer in value and text[-1] != closer)
        if not is_text and not is_description:
            return
        offsets.append(at)
    elif value[0] in "|>":
        if _BLOCK_HEADER.match(value):
            return
        offsets.append(at)
    elif value[0] in "*&!@%`]}," or (value[0] in "-?" and value[1:2] in ("", " ", "\t")):
        offsets.append(at)
    offsets += [at + found.start() for found in _COLON.finditer(text)]
    if is_description or value[0] in "\"'":
        offsets += [at + found.end() - 1 for found in _COMMENT.finditer(text)]
    if offsets:
        yield _hide(repairs, sorted(set(offsets))), False


def _quoted_continuation(
    repairs: Repairs, problem: YamlProblem, lines: YamlLines
) -> Iterator[tuple[Repairs, bool]]:
    """A colon on a later line of a text: prose if words precede it, else a key."""
    if problem.index >= len(repairs.text) or repairs.text[problem.index] != ":":
        return
    number = lines.number(problem.index)
    start, end = lines.span(number)
    above = lines.filled_before(number)
    while above is not None and lines.indent(above) >= lines.indent(number):
        above = lines.filled_before(above)
    if above is None:
        return
    parts = _parts(lines.line(above))
    is_prose = " " in repairs.text[start : problem.index].strip()
    if parts["value"] and (is_prose or parts["key"] == "description"):
        line = repairs.text[start:end]
        yield _hide(repairs, [start + found.start() for found in _COLON.finditer(line)]), False


def _colon_added(
    repairs: Repairs, lines: YamlLines, number: int, base: int
) -> Iterator[tuple[Repairs, bool]]:
    """A line that is a key without its colon, or without the space after the colon."""
    start, end = lines.span(number)
    line = repairs.text[start:end]
    bare = _BARE_WORD.match(line)
    if bare:
        twin = repairs.copy()
        word, first, last = bare["word"], start + bare.start("word"), start + bare.end("word")
        twin.text = f"{twin.text[: last - 1]}:{twin.text[last:]}"
        twin.keys[first] = (word, last)
        twin.values[last] = Missing(last + base, last + base)
        message = f'"{word}" is not a key; add a colon after it'
        edits = ((last + base, last + base, ":"),)
        fault = Fault("syntax-yaml", message, first + base, last + base, "Add a colon", edits)
        twin.faults.append(fault)
        yield twin, False
    tight = _NO_SPACE.match(line)
    if tight:
        twin = repairs.copy()
        first, last = start + tight.start("value"), start + tight.end("value")
        twin.text = twin.text[:first] + " " * (last - first) + twin.text[last:]
        twin.values[first] = _tight_value(tight["value"], first + base, last + base)
        message = "missing space after the colon"
        edits = ((first + base, first + base, " "),)
        fault = Fault("syntax-yaml", message, first - 1 + base, first + base, "Add a space", edits)
        twin.faults.append(fault)
        yield twin, False


def _tight_value(raw: str, start: int, end: int) -> Node:
    if raw[0] in "\"'" and len(raw) > 1 and raw[-1] == raw[0] and "\\" not in raw:
        inner = raw[1:-1]
        if raw[0] not in inner:
            return Scalar(start, end, inner, "single" if raw[0] == "'" else "double")
    if raw[0].isalnum() and not _COLON.search(raw) and " #" not in raw:
        return Scalar(start, end, resolve_plain(raw), "plain")
    return Missing(start, end)


def _left_out(
    repairs: Repairs, problem: YamlProblem, lines: YamlLines, number: int, base: int
) -> Iterator[tuple[Repairs, bool]]:
    """Omit the value, then the lines below it too, then the line."""
    start, end = lines.span(number)
    line = repairs.text[start:end]
    if not line.strip():
        return
    parts = _parts(line)
    column = parts.end("lead") if parts["key"] else lines.indent(number)
    last = lines.deeper_after(number, column)
    block_end = lines.span(last)[1]
    value_start, value_end = start + parts.start("value"), start + parts.end("value")
    if parts["value"] and (parts["key"] or "-" in parts["lead"]):
        key_end = start + _value_slot(line, parts)
        message = _value_message(parts["value"], problem)
        options = [value_end]
        if last > number:
            nested = _KEY_OR_ITEM.match(lines.line(number + 1))
            options = [value_end, block_end] if nested else [block_end, value_end]
        for stop in options:
            twin = _blanked(repairs, value_start, stop)
            missing = Missing(value_start + base, stop + base)
            twin.values[key_end] = missing
            twin.faults.append(Fault(problem.rule, message, missing.start, value_end + base))
            yield twin, True
    first, content_end = lines.content(number)
    for stop in dict.fromkeys((block_end, content_end)):
        twin = _blanked(repairs, first, stop)
        twin.lost.append((first, stop))
        fault = Fault(problem.rule, problem.message, first + base, content_end + base)
        twin.faults.append(fault)
        yield twin, True


def _value_slot(line: str, parts: re.Match[str]) -> int:
    """Where libyaml puts the empty value of a line: after the colon or the dash."""
    if parts["key"]:
        return line.index(":", parts.end("key")) + 1
    return line.rindex("-", 0, parts.end("lead")) + 1


def _value_message(value: str, problem: YamlProblem) -> str:
    if problem.rule != "syntax-yaml":
        return problem.message
    if value[0] in "\"'" and _quote_end(value) is None:
        return "unclosed quote"
    if value[0] == "[" and "]" not in value:
        return "unclosed list"
    if value[0] == "{" and "}" not in value:
        return "unclosed mapping"
    return problem.message


def _blanked(repairs: Repairs, start: int, end: int) -> Repairs:
    twin = repairs.copy()
    blank = _FILLED.sub(" ", twin.text[start:end])
    twin.text = twin.text[:start] + blank + twin.text[end:]
    for at in [at for at in twin.hidden if start <= at < end]:
        del twin.hidden[at]
    return twin
