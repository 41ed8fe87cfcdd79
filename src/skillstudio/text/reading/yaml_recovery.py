"""Read a YAML text with broken lines.

Where libyaml stops, a few lines are suspects. For each there are guesses at the intended text:
missing quotes, a colon, a space; failing those, the value is omitted, and finally the line. A guess
never changes the number of characters, so that spans stay valid. The guess with which libyaml gets
furthest is kept. Guesses at quotes are unlimited, because they lose nothing; of the others there
are six.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from skillstudio.text.node import Entry, Fault, Mapping, Missing, Node, Scalar, Sequence
from skillstudio.text.reading.yaml_composer import (
    ESCAPE,
    MISPLACED_TEXT,
    Composer,
    Repairs,
    YamlProblem,
)
from skillstudio.text.reading.yaml_scalars import resolve_plain

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
_LINE_CHARACTER = re.compile(r"[^\r\n]")
_DIRECTIVE = re.compile("(?:\\A|[\r\n\x85\u2028\u2029\ufeff])%")
_INDENT = re.compile("[ ]*(?:-[ ]+)*")
_NO_COLON = "missing colon after this key"
_MOST_ABOVE = 100  # Lines above one in which the text that it continues starts.
MAX_LOSSES = 6
MAX_ROUNDS = 40


def recover(composer: Composer, problem: YamlProblem | None) -> Composer:
    """The best reading of a text that `composer` could not read to its end."""
    losses = 0
    lines = _YamlLines(composer.original)
    for _ in range(MAX_ROUNDS):
        if problem is None or losses >= MAX_LOSSES:
            break
        attempt = _best(composer, problem, lines)
        if attempt is None:
            break
        composer, problem, is_loss = attempt
        losses += is_loss
    composer.faults += composer.repairs.faults
    if problem:
        at = min(problem.index, max(len(composer.original) - 1, 0))
        start, end = lines.content(lines.number(at))
        start = max(min(start, at), 0) + composer.base
        end = max(end + composer.base, start)
        composer.faults.append(Fault(problem.rule, problem.message, start, end))
    for start, _ in composer.repairs.lost_spans:
        _mark_incomplete(composer, start, lines)
    return composer


def _best(
    composer: Composer, problem: YamlProblem, lines: _YamlLines
) -> tuple[Composer, YamlProblem | None, bool] | None:
    best: tuple[Composer, YamlProblem | None, bool] | None = None
    furthest = problem.index
    for repairs, is_loss in _Guesses(composer, problem, lines).all():
        if is_loss and best and not best[2]:
            break
        trial, next_problem = _read_again(composer, repairs)
        if next_problem is None:
            return trial, None, is_loss
        if next_problem.index > furthest or (best is None and is_loss):
            best = trial, next_problem, is_loss
            furthest = max(next_problem.index, furthest)
    return best


def _read_again(before: Composer, repairs: Repairs) -> tuple[Composer, YamlProblem | None]:
    """Read a repaired text, from the last entry that starts on a line before the change.

    The text before that entry is replaced with spaces, and with a line that opens each of the
    blocks that the entry is in, so that offsets stay valid.
    """
    trial = Composer(repairs, before.original, before.base)
    path, at = _find_restart(before, repairs.text)
    if not path:
        return trial, trial.run()
    text, base = repairs.text, before.base
    prefix = ""
    skip_count = 2
    for node, _ in path[:-1]:
        is_mapping = type(node) is Mapping
        prefix += " " * (_column(text, node.start - base) or 0) + ("x:\n" if is_mapping else "-\n")
        skip_count += 2 if is_mapping else 1
    first = _line_start(text, at)
    blank = first - len(prefix) - 1
    if blank < 0:
        return trial, trial.run()
    copies: dict[int, Node] = {}
    inner: Mapping | Sequence | None = None
    for node, index in reversed(path):
        twin: Mapping | Sequence
        if isinstance(node, Mapping):
            twin = Mapping(node.start, node.start, node.entries[:index], flow=False)
            if inner:
                twin.entries.append(Entry(node.entries[index].key, inner))
        else:
            twin = Sequence(node.start, node.start, node.items[:index], flow=False)
            if inner:
                twin.items.append(inner)
        trial.stack.insert(0, twin)
        trial.keys.append(None)
        copies[id(node)] = inner = twin
    end = at + base
    trial.root = trial.stack[0]
    # Equal keys of an open mapping are reported where it ends.
    key_starts = {
        entry.key.start for node, _ in path if type(node) is Mapping for entry in node.entries
    }
    trial.faults = [
        fault
        for fault in before.faults[: before.fault_count]
        if fault.start < end and (fault.rule != "key-duplicate" or fault.start not in key_starts)
    ]
    trial.anchored_nodes = [
        (name, copies.get(id(node), node))
        for name, node in before.anchored_nodes
        if node.start < end
    ]
    trial.anchors = dict(trial.anchored_nodes)
    trial.expansions = [expansion for expansion in before.expansions if expansion[0] < end]
    trial.expanded_size = trial.expansions[-1][1] if trial.expansions else 0
    problem = trial.run(" " * blank + "\n" + prefix + text[first:], skip_count + 1)
    if problem and problem.context is not None and problem.context <= at:
        # libyaml names the dash that starts a list, which may be one of the lines added.
        dashes = {at: path[-1][0].start} if type(path[-1][0]) is Sequence else {}
        place = first - len(prefix)
        for node, _ in path[:-1]:
            place += _column(text, node.start - base) or 0
            dashes[place] = node.start
            place += 3 if type(node) is Mapping else 2
        problem.context = dashes.get(problem.context, problem.context + base) - base
    return trial, problem


def _find_restart(before: Composer, text: str) -> tuple[list[tuple[Mapping | Sequence, int]], int]:
    """The last entry on a line of its own before a change: the way to it, and its offset."""
    base, low, high = before.base, 0, min(len(before.text), len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if text.startswith(before.text[low:middle], low):
            low = middle
        else:
            high = middle - 1
    limit = _line_start(text, low) + base
    node = before.root
    if low == len(text) or not node or _DIRECTIVE.search(text, 0, node.start - base):
        return [], 0
    path: list[tuple[Mapping | Sequence, int]] = []
    best = path, 0
    while isinstance(node, Mapping | Sequence) and not node.flow:
        column = _column(text, node.start - base)
        if isinstance(node, Mapping):
            index = bisect_left(node.entries, limit, key=lambda entry: entry.key.start) - 1
        elif text[node.start - base] != "-":
            break
        else:
            index = bisect_left(node.items, limit, key=lambda item: item.start) - 1
        if column is None or index < 0:
            break
        path = [*path, (node, index)]
        inner = node.entries[index].key if isinstance(node, Mapping) else node.items[index]
        first = _line_start(text, inner.start - base)
        at = first + column
        is_first = at == inner.start - base
        if isinstance(node, Sequence):
            is_first = at < inner.start - base and text[at] == "-"
        if index and is_first and not text[first:at].strip(" "):
            best = path, at
        node = node.entries[index].value if isinstance(node, Mapping) else inner
    return best


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _column(text: str, offset: int) -> int | None:
    """The column of a block that only spaces and dashes precede on its line."""
    first = _line_start(text, offset)
    return offset - first if _INDENT.fullmatch(text, first, offset) else None


def _mark_incomplete(composer: Composer, offset: int, lines: _YamlLines) -> None:
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
                is_empty = isinstance(inner, Scalar) and inner.start == inner.end
                if is_empty and column > key - lines.starts[lines.number(key)]:
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


class _YamlLines:
    """The lines of a text by number, from 0."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(line_break.end() for line_break in _LINE_END.finditer(text))]

    def number(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def span(self, number: int) -> tuple[int, int]:
        start = self.starts[number]
        line_break = _LINE_END.search(self.text, start)
        return start, line_break.start() if line_break else len(self.text)

    def line(self, number: int) -> str:
        return self.text[slice(*self.span(number))]

    def content(self, number: int) -> tuple[int, int]:
        """The span of a line's text without surrounding white space."""
        start, line = self.starts[number], self.line(number)
        return start + len(line) - len(line.lstrip()), start + len(line.rstrip())

    def indent(self, number: int) -> int:
        return self.content(number)[0] - self.starts[number]

    def filled_before(self, number: int) -> int | None:
        """The nearest line above that is neither blank nor a comment."""
        for above in range(number - 1, -1, -1):
            bare = self.line(above).strip()
            if bare and not bare.startswith("#"):
                return above
        return None

    @cached_property
    def outer(self) -> list[int | None]:
        """For each line the nearest filled line above that is indented less."""
        parents: list[int | None] = []
        indents: list[int] = []
        numbers: list[int] = []
        for number, (start, end) in enumerate(pairwise([*self.starts, len(self.text)])):
            line = self.text[start:end]
            bare = line.lstrip()
            indent = len(line) - len(bare)
            open_ = bisect_left(indents, indent)
            parents.append(numbers[open_ - 1] if open_ else None)
            if bare and bare[0] != "#":
                indents[open_:] = [indent]
                numbers[open_:] = [number]
        return parents

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


class _Guesses:
    """Changed texts to try where a reading stopped."""

    def __init__(self, composer: Composer, problem: YamlProblem, lines: _YamlLines) -> None:
        self.repairs = composer.repairs
        self.text = composer.repairs.text
        self.base = composer.base
        self.problem = problem
        self.lines = lines

    def all(self) -> Iterator[tuple[Repairs, bool]]:
        """The changed texts, likeliest first, each with whether it loses something."""
        suspects = self.suspects()
        lossless_repairs = [self.doubled_backslashes(), self.spaces_for_tabs()]
        lossless_repairs += [self.quote_value(number) for number in suspects]
        lossless_repairs.append(self.quoted_continuation())
        lossless_repairs += [self.colon_added(number) for number in suspects]
        if self.problem.message == _NO_COLON and self.problem.context is not None:
            lossless_repairs.append(
                self.indent_continuation(self.lines.number(self.problem.context))
            )
        yield from ((repairs, False) for series in lossless_repairs for repairs in series)
        yield from ((repairs, True) for number in suspects for repairs in self.left_out(number))

    def suspects(self) -> list[int]:
        """The numbers of the lines that may be wrong, likeliest first."""
        problem, lines = self.problem, self.lines
        at = lines.number(min(problem.index, max(len(lines.text) - 1, 0)))
        if not lines.line(at).strip():
            at = lines.filled_before(at) or at
        numbers: list[int | None] = []
        if problem.context is not None and problem.message != MISPLACED_TEXT:
            numbers.append(lines.number(problem.context))
        numbers += [self.open_value(at), at, lines.filled_before(at)]
        return [number for number in dict.fromkeys(numbers) if number is not None]

    def open_value(self, last: int) -> int | None:
        """The nearest line at or above `last` whose value has an unclosed quote or bracket."""
        for number in range(last, max(last - 100, -1), -1):
            if _open(_parts(self.line(number))["value"]):
                return number
        return None

    def line(self, number: int) -> str:
        """A line of the changed text."""
        return self.text[slice(*self.lines.span(number))]

    def fault(
        self, start: int, end: int, message: str, title: str, *edits: tuple[int, int, str]
    ) -> Fault:
        base = self.base
        shifted_edits = tuple((first + base, last + base, text) for first, last, text in edits)
        return Fault("syntax-yaml", message, start + base, end + base, title, shifted_edits)

    def doubled_backslashes(self) -> Iterator[Repairs]:
        if self.problem.message != ESCAPE:
            return
        start = self.problem.context
        if start is None:
            start = self.text.rfind('"', 0, self.problem.index)
        offsets = []
        for escape in _ESCAPE.finditer(self.text, start + 1):
            if escape["end"]:
                break
            if escape["bad"]:
                offsets.append(escape.start())
        if offsets:
            yield self.hide(offsets)

    def hide(self, offsets: list[int]) -> Repairs:
        """The repairs with the characters at some offsets hidden; the offsets ascend."""
        twin = self.repairs.copy()
        if offsets:
            first, end = offsets[0], offsets[-1] + 1
            characters = list(twin.text[first:end])
            for at in offsets:
                twin.hidden_characters.setdefault(at, characters[at - first])
                characters[at - first] = twin.mark
            twin.text = twin.text[:first] + "".join(characters) + twin.text[end:]
        return twin

    def spaces_for_tabs(self) -> Iterator[Repairs]:
        if self.problem.rule != "syntax-yaml" or "\t" not in self.text:
            return
        tabs = [
            at
            for match in _LEADING_TABS.finditer(self.text)
            for at in range(*match.span())
            if self.text[at] == "\t"
        ]
        if tabs:
            twin = self.repairs.copy()
            message = "YAML does not allow tabs for indentation; use spaces"
            edits = [(at, at + 1, "  ") for at in tabs]
            fault = self.fault(tabs[0], tabs[0] + 1, message, "Indent with spaces", *edits)
            twin.faults.append(fault)
            twin.text = _LEADING_TABS.sub(lambda match: " " * len(match.group()), twin.text)
            yield twin

    def quote_value(self, number: int) -> Iterator[Repairs]:
        """The value of a line as a string, if only quotes make it valid."""
        parts = _parts(self.line(number))
        value, at = parts["value"], self.lines.starts[number] + parts.start("value")
        if not value or value[0] == "#":
            return
        is_description = (parts["key"] or "").strip("\"'") == "description"
        is_quoted = value[0] in "\"'"
        text = value
        if not is_description and not is_quoted:
            comment = _COMMENT.search(value)
            text = value[: comment.start()] if comment else value
        needs_quotes = True
        if is_quoted:
            closes = _quote_end(value)
            if closes is None or closes == len(value):
                return
        elif value[0] in "[{":
            closer = "]" if value[0] == "[" else "}"
            is_text = value.startswith("{{") or _has_text_after(text.rstrip(), value[0], closer)
            if not is_text and not is_description:
                return
        elif value[0] in "|>":
            if _BLOCK_HEADER.match(value):
                return
        else:
            is_dash = value[0] in "-?" and value[1:2] in ("", " ", "\t")
            needs_quotes = is_dash or value[0] in "*&!@%`]},"
        offsets = {at} if needs_quotes else set()
        offsets |= {at + colon.start() for colon in _COLON.finditer(text)}
        if is_description or is_quoted:
            offsets |= {at + match.end() - 1 for match in _COMMENT.finditer(text)}
        if offsets:
            yield self.hide(sorted(offsets))

    def quoted_continuation(self) -> Iterator[Repairs]:
        """A colon on a later line of a text: prose if words precede it, else a key."""
        at, lines = self.problem.index, self.lines
        if self.text[at : at + 1] != ":":
            return
        number = lines.number(at)
        start = lines.starts[number]
        above = lines.outer[number]
        if above is None:
            return
        parts = _parts(lines.line(above))
        is_prose = " " in self.text[start:at].strip()
        if parts["value"] and (is_prose or parts["key"] == "description"):
            colons = _COLON.finditer(self.line(number))
            yield self.hide([start + colon.start() for colon in colons])

    def colon_added(self, number: int) -> Iterator[Repairs]:
        """A line that is a key without its colon, or without the space after the colon."""
        start, line, base = self.lines.starts[number], self.line(number), self.base
        bare = _BARE_WORD.match(line)
        if bare:
            twin = self.repairs.copy()
            word, first, last = bare["word"], start + bare.start("word"), start + bare.end("word")
            twin.text = f"{twin.text[: last - 1]}:{twin.text[last:]}"
            twin.keys[first] = (word, last)
            twin.values[last] = Missing(last + base, last + base)
            message = f'"{word}" is not a key; add a colon after it'
            twin.faults.append(self.fault(first, last, message, "Add a colon", (last, last, ":")))
            yield twin
        tight = _NO_SPACE.match(line)
        if tight:
            twin = self.repairs.copy()
            first, last = start + tight.start("value"), start + tight.end("value")
            twin.text = twin.text[:first] + " " * (last - first) + twin.text[last:]
            twin.values[first] = _tight_value(tight["value"], first + base, last + base)
            message = "missing space after the colon"
            edit = (first, first, " ")
            twin.faults.append(self.fault(first - 1, first, message, "Add a space", edit))
            yield twin

    def indent_continuation(self, number: int) -> Iterator[Repairs]:
        """Lines at the left margin that belong to the text above, if they were indented."""
        if not _is_prose(self.line(number)):
            return
        rows = range(number - 1, max(number - _MOST_ABOVE, -1), -1)
        above = next((row for row in rows if self.line(row)[:1].strip()), None)
        if above is None:
            return
        parts = _parts(self.line(above))
        value = parts["value"]
        if parts["key"] is None or not value or value[0] in "[{\"'&*!#":
            return
        last = number
        while last + 1 < len(self.lines.starts) and _is_prose(self.line(last + 1)):
            last += 1
        inner = [self.line(row) for row in range(above + 1, last + 1)]
        is_block = _BLOCK_HEADER.match(value) is not None
        glue = "\n" if is_block and value[0] == "|" else " "
        texts = [line.strip() for line in inner if line.strip()]
        whole = glue.join(texts if is_block else [value, *texts])
        indent = next(
            (line[: len(line) - len(line.lstrip())] for line in inner if line[:1] == " "), "  "
        )
        start, end = self.lines.starts[above] + parts.start("value"), self.lines.span(last)[1]
        slot = self.lines.starts[above] + self.line(above).index(":", parts.end("key")) + 1
        twin = self.blank_out(start, end)
        style = ("literal" if value[0] == "|" else "folded") if is_block else "plain"
        twin.values[slot] = Scalar(start + self.base, end + self.base, whole, style)
        message = "this line continues the text above only if it is indented; indent it"
        edits = [
            (at, at, indent)
            for at in (self.lines.starts[row] for row in range(number, last + 1))
            if self.line(self.lines.number(at)).strip()
        ]
        first, content_end = self.lines.content(number)
        twin.faults.append(self.fault(first, content_end, message, "Indent it", *edits))
        yield twin

    def left_out(self, number: int) -> Iterator[Repairs]:
        """Omit the value, then the lines below it too, then the line."""
        problem, lines, base = self.problem, self.lines, self.base
        start, line = lines.starts[number], self.line(number)
        if not line.strip():
            return
        parts = _parts(line)
        column = parts.end("lead") if parts["key"] else lines.indent(number)
        last = lines.deeper_after(number, column)
        block_end = lines.span(last)[1]
        value_start, value_end = start + parts.start("value"), start + parts.end("value")
        if parts["value"] and (parts["key"] or "-" in parts["lead"]):
            # libyaml puts an empty value after the colon or the dash.
            if parts["key"]:
                slot = line.index(":", parts.end("key")) + 1
            else:
                slot = line.rindex("-", 0, parts.end("lead")) + 1
            left_open = _open(parts["value"]) if problem.rule == "syntax-yaml" else ""
            message = f"unclosed {left_open}" if left_open else problem.message
            options = [value_end]
            if last > number:
                nested_entry = _KEY_OR_ITEM.match(lines.line(number + 1))
                options = [value_end, block_end] if nested_entry else [block_end, value_end]
            for stop in options:
                twin = self.blank_out(value_start, stop)
                missing = Missing(value_start + base, stop + base)
                twin.values[start + slot] = missing
                twin.faults.append(Fault(problem.rule, message, missing.start, value_end + base))
                yield twin
        first, content_end = lines.content(number)
        for stop in dict.fromkeys((block_end, content_end)):
            twin = self.blank_out(first, stop)
            twin.lost_spans.append((first, stop))
            fault = Fault(problem.rule, problem.message, first + base, content_end + base)
            twin.faults.append(fault)
            yield twin

    def blank_out(self, start: int, end: int) -> Repairs:
        twin = self.repairs.copy()
        blank = _LINE_CHARACTER.sub(" ", twin.text[start:end])
        twin.text = twin.text[:start] + blank + twin.text[end:]
        twin.hidden_characters = {
            at: char for at, char in twin.hidden_characters.items() if not start <= at < end
        }
        return twin


def _open(value: str) -> str:
    """What a value leaves open: "quote", "list", "mapping" or ""."""
    if value[:1] in ("'", '"'):
        return "" if _quote_end(value) else "quote"
    if value[:1] == "[" and "]" not in value:
        return "list"
    return "mapping" if value[:1] == "{" and "}" not in value else ""


def _has_text_after(value: str, opener: str, closer: str) -> bool:
    """Whether text follows the bracket that closes a value's first one, as in `[a] [b]`.

    After several items it is no text, as in `[a, b]  - c`, unless in brackets, too.
    """
    depth = 0
    for at, char in enumerate(value):
        depth += (char == opener) - (char == closer)
        if depth == 0:
            rest = value[at:].strip(f"{closer} \t")
            return bool(rest) and ("," not in value[:at] or rest[0] in "[{<")
    return closer in value and value[-1] != closer


def _quote_end(value: str) -> int | None:
    """The end of the quoted string that a value starts with, or None."""
    match = (_DOUBLE if value[0] == '"' else _SINGLE).match(value)
    return match.end() if match else None


def _is_prose(line: str) -> bool:
    """Whether a line at the left margin has several words and no colon."""
    starts_value = line[:1] in "#[]{}&*!|>@`%\"'" or line.startswith(("- ", "-\t", "---", "..."))
    return (
        len(line.split(None, 2)) > 1 and line[0] not in " \t" and not (starts_value or ":" in line)
    )


def _parts(line: str) -> re.Match[str]:
    """The parts of a line; every part may be empty, so there is always a match."""
    return next(_PARTS.finditer(line))


def _tight_value(raw: str, start: int, end: int) -> Node:
    if raw[0] in "\"'" and len(raw) > 1 and raw[-1] == raw[0] and "\\" not in raw:
        inner = raw[1:-1]
        if raw[0] not in inner:
            return Scalar(start, end, inner, "single" if raw[0] == "'" else "double")
    if raw[0].isalnum() and not _COLON.search(raw) and " #" not in raw:
        return Scalar(start, end, resolve_plain(raw), "plain")
    return Missing(start, end)
