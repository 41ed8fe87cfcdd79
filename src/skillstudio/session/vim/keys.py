"""Editing with the keys of vim: what a key does, as a function of the state, text and cursor."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from skillstudio.session.vim import motions
from skillstudio.session.vim.motions import Extent, Target
from skillstudio.text.diagnostic import Splice
from skillstudio.text.splicing import Rounds

Mode = Literal["normal", "insert", "visual", "lines"]
NAMES: dict[Mode, str] = {
    "normal": "NORMAL ▮",
    "insert": "INSERT ▏",
    "visual": "VISUAL ▮",
    "lines": "V-LINE ▮",
}
"""The modes as they are shown, with the shape of the cursor."""

_OPERATORS = frozenset("dcy><")
_ARROWS = ("left", "right", "up", "down", "home", "end")
_MOTIONS = frozenset([*"hjklwbeWBE0^$G{}%_+- ;,nN", "enter", "backspace", *_ARROWS])
_FINDS = frozenset("fFtT")
_OBJECTS = frozenset("wWpbB\"'`()[]{}<>")
_COMMANDS = frozenset("xXDCsSYpPoOaAiIJuvV.~") | {"ctrl+r", "delete"}
_IN_VISUAL = frozenset("xsdcy><pPJ~oDYCSX") | {"delete"}
_INSERTS = frozenset("CsSoOaAiI")
_COUNTED_INSERTS = frozenset("oOaAiI")  # A count repeats what is typed.
_LINE = re.compile(r"[0-9]{1,9}")
_HAVE = ":w, :q, :wq, :x or :NUMBER"


class Register(NamedTuple):
    """The text that was deleted or copied last."""

    text: str = ""
    lines: bool = False


class VimCommand(NamedTuple):
    """A whole command: `2d3w` has the count 6, the operator `d` and the name `w`."""

    name: str
    number: int = 0  # 0 if there is none.
    operator: str = ""
    argument: str = ""  # The character of f, t, F, T and r.


class Insertion(NamedTuple):
    """Where typing started, to find what was typed when it ends."""

    at: int
    size: int  # The length of the text at that time.
    command: VimCommand
    lead: str = ""  # The new line before what is typed, for a count.


class VimState(NamedTuple):
    """The state between two keys."""

    mode: Mode = "normal"
    keys: tuple[str, ...] = ()
    """The keys of a command that is not complete."""
    prompt: str = ""
    """What is typed after `:`, `/` or `?`, with it."""
    anchor: int = 0
    """Where the visual selection starts."""
    register: Register = Register()
    last_find: tuple[str, str] = ("", "")
    """The last of f, t, F and T, and its character."""
    search: tuple[str, bool] = ("", True)
    """The text that is searched, and whether forward."""
    last: tuple[VimCommand, str] | None = None
    """The last change and the text that was typed in it, for `.`."""
    insertion: Insertion | None = None
    column: int | None = None
    """The column that j and k keep."""

    @property
    def status_text(self) -> str:
        """The mode and the pending keys, as they are shown."""
        return " ".join(filter(None, (NAMES[self.mode], self.prompt or "".join(self.keys))))


class VimStep(NamedTuple):
    """What a key does."""

    state: VimState
    cursor: int
    splices: tuple[Splice, ...] = ()
    commands: tuple[str, ...] = ()
    """Ids of commands of the workbench to run then."""
    say: str = ""


def press(state: VimState, key: str, text: str, cursor: int, unit: int = 2) -> VimStep:
    """What a key does; in insert mode only escape is for this function.

    `key` is the typed character or the name of the key, `cursor` the offset of the character that
    the cursor is on, and `unit` the columns of one level of indentation.
    """
    if state.mode == "insert":
        return _leave_insert(state, text, cursor)
    if state.prompt:
        return _in_prompt(state, key, text, cursor, unit)
    if key == "escape":
        return VimStep(state._replace(mode="normal", keys=()), motions.on_character(text, cursor))
    keys = (*state.keys, key)
    if key in (":", "/", "?") and not (state.keys and _is_argument(state.keys)):
        if key == ":" and (state.keys or state.mode != "normal"):
            return _refuse(state, cursor, f"{''.join(keys)}: ranges of lines are not available")
        return VimStep(state._replace(prompt=key), cursor)
    command = _parse(keys, state.mode in ("visual", "lines"))
    if command is None:
        return VimStep(state._replace(keys=keys), cursor)
    if isinstance(command, str):
        return _refuse(state, cursor, command)
    return _do(state._replace(keys=()), command, text, cursor, unit)


def selection(state: VimState, text: str, cursor: int) -> tuple[int, int] | None:
    """The start and end of the visual selection; None if there is none."""
    if state.mode == "visual":
        first, last = sorted((state.anchor, cursor))
        return first, min(last + 1, len(text))
    if state.mode == "lines":
        first, last = sorted((state.anchor, cursor))
        return motions.line_start(text, first), motions.line_end(text, last)
    return None


# Reading keys


def _is_argument(keys: tuple[str, ...]) -> bool:
    """Whether the next key is the character of f, t, F, T or r, or names an object."""
    before = keys[-2] if len(keys) > 1 else ""
    return keys[-1] in _FINDS or keys[-1] == "r" or (keys[-1] in "ia" and before in _OPERATORS)


def _count(keys: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """The count that keys begin with, 0 if there is none, and the other keys."""
    digits = ""
    for key in keys:
        if not (len(key) == 1 and key.isascii() and key.isdecimal()) or (key == "0" and not digits):
            break
        digits += key
    return min(int(digits or "0"), 99_999), keys[len(digits) :]


def _parse(keys: tuple[str, ...], visual: bool) -> VimCommand | str | None:
    """The command of some keys, why there is none, or None if it is not complete."""
    unknown = f"{''.join(keys)} is not available with vim keys"
    count, rest = _count(keys)
    operator = ""
    if rest and rest[0] in _OPERATORS and not visual:
        operator, (second, rest) = rest[0], _count(rest[1:])
        count = max(count, 1) * max(second, 1) if count or second else 0
    if not rest:
        return None
    first, rest = rest[0], rest[1:]
    if operator and first == operator:
        return VimCommand("line", count, operator)
    if first in ("i", "a") and (operator or visual):
        if not rest:
            return None
        return VimCommand(first + rest[0], count, operator) if rest[0] in _OBJECTS else unknown
    if first == "g":
        if not rest:
            return None
        return VimCommand("gg", count, operator) if rest[0] == "g" else unknown
    if first in _FINDS or (first == "r" and not operator):
        if not rest:
            return None
        argument = "\n" if rest[0] == "enter" and first == "r" else rest[0]
        return VimCommand(first, count, operator, argument) if len(argument) == 1 else unknown
    if first in _MOTIONS:
        if first == "%" and count:
            return unknown
        return VimCommand(first, count, operator)
    if operator:
        return unknown
    if visual:
        return VimCommand(first, count) if first in _IN_VISUAL or first in "vV" else unknown
    return VimCommand(first, count) if first in _COMMANDS else unknown


def _refuse(state: VimState, cursor: int, why: str) -> VimStep:
    return VimStep(state._replace(keys=()), cursor, say=why)


# Prompts


def _in_prompt(state: VimState, key: str, text: str, cursor: int, unit: int) -> VimStep:
    if key == "escape" or (key == "backspace" and len(state.prompt) == 1):
        return VimStep(state._replace(prompt="", keys=()), cursor)
    if key == "backspace":
        return VimStep(state._replace(prompt=state.prompt[:-1]), cursor)
    if key != "enter":
        prompt_text = state.prompt + key if len(key) == 1 else state.prompt
        return VimStep(state._replace(prompt=prompt_text), cursor)
    kind, prompt_text = state.prompt[0], state.prompt[1:]
    state = state._replace(prompt="")
    if kind == ":":
        return _command_line(state, prompt_text.strip(), text, cursor)
    state = state._replace(search=(prompt_text or state.search[0], kind == "/"))
    command = _parse((*state.keys, "n"), state.mode in ("visual", "lines"))
    if not isinstance(command, VimCommand):
        return VimStep(state._replace(keys=()), cursor)
    return _do(state._replace(keys=()), command, text, cursor, unit)


def _command_line(state: VimState, prompt_text: str, text: str, cursor: int) -> VimStep:
    if _LINE.fullmatch(prompt_text):
        line = motions.line_number(text, max(int(prompt_text), 1))
        return VimStep(state, motions.first_nonblank(text, line))
    if prompt_text == "$":
        return VimStep(state, motions.first_nonblank(text, motions.last_line(text)))
    commands = {
        "": (),
        "w": ("file.save",),
        "wa": ("file.save-all",),
        "q": ("app.quit",),
        "wq": ("file.save", "app.quit"),
        "x": ("file.save", "app.quit"),
    }.get(prompt_text)
    if commands is None:
        return VimStep(state, cursor, say=f":{prompt_text} is not available; use {_HAVE}")
    return VimStep(state, cursor, commands=commands)


# Doing


def _do(state: VimState, command: VimCommand, text: str, cursor: int, unit: int) -> VimStep:
    cursor = min(cursor, len(text))
    name = command.name
    if state.mode in ("visual", "lines"):
        return _in_visual(state, command, text, cursor, unit)
    if name == ".":
        return _again(state, command, text, cursor, unit)
    if name in ("u", "ctrl+r"):
        id_ = "edit.undo" if name == "u" else "edit.redo"
        return VimStep(state, cursor, commands=(id_,) * max(command.number, 1))
    if name in ("v", "V"):
        mode: Mode = "visual" if name == "v" else "lines"
        return VimStep(state._replace(mode=mode, anchor=cursor), cursor)
    if command.operator:
        return _operate(state, command, text, cursor, unit)
    if name in _MOTIONS or name in _FINDS or name == "gg":
        return _move(state, command, text, cursor)
    if name in _INSERTS:
        return _insert(state, command, text, cursor, unit)
    return _change_text(state, command, text, cursor, unit)


def _motion(
    state: VimState, command: VimCommand, text: str, cursor: int
) -> tuple[VimState, Target | None]:
    """Where a motion leads, and the state with what it remembers."""
    name, times = command.name, max(command.number, 1)
    if name in _FINDS:
        state = state._replace(last_find=(name, command.argument))
        return state, motions.find_in_line(text, cursor, times, name, command.argument)
    if name in (";", ","):
        how, character = state.last_find
        if not how:
            return state, None
        how = how.swapcase() if name == "," else how
        return state, motions.find_in_line(text, cursor, times, how, character, again=True)
    if name in ("n", "N"):
        search_text, forward = state.search
        offset = motions.search(text, cursor, times, search_text, forward == (name == "n"))
        return state, None if offset is None else Target(offset)
    column = state.column if name in ("j", "k", "up", "down") else None
    return state, motions.move(text, cursor, name, command.number, column)


def _move(state: VimState, command: VimCommand, text: str, cursor: int) -> VimStep:
    state, target = _motion(state, command, text, cursor)
    if target is None:
        message = ""
        if command.name in ("n", "N"):
            message = (
                f"not found: {state.search[0]}" if state.search[0] else "no text to search yet"
            )
        return VimStep(state, cursor, say=message)
    return VimStep(state._replace(column=target.column), motions.on_character(text, target.offset))


def _operate(state: VimState, command: VimCommand, text: str, cursor: int, unit: int) -> VimStep:
    """An operator with a motion, an object or, doubled, whole lines."""
    name = command.name
    extent: Extent | None
    if name == "line":
        down = (
            motions.move(text, cursor, "j", command.number - 1, 0) if command.number > 1 else None
        )
        extent = motions.whole_lines(text, cursor, down.offset if down else cursor)
    elif name[0] in "ia" and len(name) == 2:
        extent = motions.text_object(text, cursor, name, command.number)
        cursor = extent.start if extent is not None else cursor
    else:
        if (
            command.operator == "c"
            and name in ("w", "W")
            and not text[cursor : cursor + 1].isspace()
        ):
            end = cursor
            for number in range(max(command.number, 1)):
                # The end of this word, also if it has one character.
                end = motions.word_end(text, end - (number == 0), name == "W")
            state, target = state, Target(max(end, cursor), "inclusive")
        else:
            state, motion_target = _motion(state, command, text, cursor)
            if motion_target is None:
                return _move(state, command, text, cursor)
            target = motion_target
        extent = _extent(text, cursor, target, name)
    if extent is None:
        return VimStep(state, cursor)
    if command.operator == "y" and extent.lines and (name == "gg" or len(name) == 1):
        cursor = min(cursor, motions.on_character(text, target.offset))
        extent = extent._replace(start=motions.line_start(text, extent.start))
    return _apply(state, command, command.operator, extent, text, cursor, unit)


def _extent(text: str, cursor: int, target: Target, name: str) -> Extent:
    first, last = sorted((cursor, target.offset))
    if target.kind == "lines":
        return motions.whole_lines(text, first, last)
    if target.kind == "inclusive":
        return Extent(first, min(last + 1, len(text)))
    start = motions.line_start(text, last)
    is_word = name in ("w", "W") and not text[start:last].strip()
    before = motions.above(text, last)
    if start > first and (is_word or start == last) and before is not None:
        # The operator leaves the line end before the target alone.
        if not is_word and first <= motions.first_nonblank(text, first):
            return motions.whole_lines(text, first, before)
        last = max(motions.line_end(text, before), first)
    return Extent(first, last)


def _apply(
    state: VimState,
    command: VimCommand,
    operator: str,
    extent: Extent,
    text: str,
    cursor: int,
    unit: int,
) -> VimStep:
    """Apply an operator to a part of the text."""
    start, end, lines = extent
    state = state._replace(mode="normal", column=None)
    if operator in "><":
        return _shift(state, command, extent, text, unit)
    if operator == "d" and not lines and _leaves_blank_line(text, extent):
        start, end, lines = motions.whole_lines(text, start, end)
    cut = text[start:end]
    if lines and not cut.endswith(("\n", "\r")):
        cut += _newline(text)
    state = state._replace(register=Register(cut, lines))
    if operator == "y":
        is_here = lines and motions.line_start(text, cursor) == start
        return VimStep(state, cursor if is_here else min(start, motions.on_character(text, start)))
    if operator == "c":
        if lines:
            end -= len(_newline(text)) if text[start:end].endswith(("\n", "\r")) else 0
            start = min(motions.first_nonblank(text, start), end)
        return _start_typing(state, command, text, Splice(start, end, ""), start)
    state = state._replace(last=(command, ""))
    if lines and end == len(text) and start and not text.endswith(("\n", "\r"), start, end):
        # The last line has no line end: the one before it goes.
        start -= 2 if text.startswith("\r\n", start - 2) else 1
    splice = Splice(start, end, "")
    new = text[:start] + text[end:]
    at = min(start, len(new))
    if lines:
        at = at if at < len(new) else motions.last_line(new)
        return VimStep(state, motions.first_nonblank(new, at), (splice,))
    return VimStep(state, motions.on_character(new, at), (splice,))


def _leaves_blank_line(text: str, extent: Extent) -> bool:
    """Whether some lines would become one blank line: then whole lines are deleted."""
    start, end, _ = extent
    before, after = text[motions.line_start(text, start) : start], motions.line_end(text, end)
    is_several = "\n" in text[start:end] or "\r" in text[start:end]
    return is_several and not before.strip() and not text[end:after].strip()


def _shift(state: VimState, command: VimCommand, extent: Extent, text: str, unit: int) -> VimStep:
    """Indent or outdent lines."""
    operator = command.operator or command.name
    levels = max(command.number, 1) if state.mode != "normal" or not command.operator else 1
    line: int | None = motions.line_start(text, extent.start)
    splices = []
    while line is not None and (line < extent.end or line == extent.start):
        if operator == ">" and not motions.is_blank(text, line):
            splices.append(Splice(line, line, " " * unit * levels))
        elif operator == "<":
            blank = motions.first_nonblank(text, line)
            lead = text[line:blank]
            cut = (
                1
                if lead.startswith("\t")
                else min(len(lead) - len(lead.lstrip(" ")), unit * levels)
            )
            splices += [Splice(line, line + cut, "")] if cut else []
        line = motions.below(text, line)
    rounds = Rounds(text)
    rounds.apply(splices)
    at = motions.first_nonblank(rounds.text, motions.line_start(text, extent.start))
    return VimStep(state._replace(last=(command, "")), at, tuple(splices))


# Changes without an operator


def _newline(text: str) -> str:
    end = motions.line_end(text, 0)
    return "\r\n" if text.startswith("\r\n", end) else text[end : end + 1] or "\n"


def _change_text(
    state: VimState, command: VimCommand, text: str, cursor: int, unit: int
) -> VimStep:
    name, times = command.name, max(command.number, 1)
    end = motions.line_end(text, cursor)
    state = state._replace(column=None)
    match name:
        case "x" | "delete":
            extent = Extent(cursor, min(cursor + times, end))
        case "X":
            extent = Extent(max(cursor - times, motions.line_start(text, cursor)), cursor)
        case "D":
            target = motions.move(text, cursor, "$", times, None)
            extent = Extent(cursor, target.offset + 1 if target and end > cursor else cursor)
        case "Y":
            return _operate(state, VimCommand("line", command.number, "y"), text, cursor, unit)
        case "p" | "P":
            return _put(state._replace(last=(command, "")), text, cursor, times, name == "p")
        case "J":
            return _join(state._replace(last=(command, "")), text, cursor, max(times, 2) - 1)
        case "r":
            if cursor + times > end:
                return VimStep(state, cursor)
            new = _newline(text) if command.argument == "\n" else command.argument * times
            at = cursor + len(new) - (command.argument != "\n")
            state = state._replace(last=(command, ""))
            return VimStep(state, at, (Splice(cursor, cursor + times, new),))
        case _:  # ~
            part = text[cursor : min(cursor + times, end)]
            splice = Splice(cursor, cursor + len(part), part.swapcase())
            at = min(cursor + len(part), max(end - 1, cursor))
            return VimStep(state._replace(last=(command, "")), at, (splice,) if part else ())
    if extent.start == extent.end:
        return VimStep(state, cursor)
    return _apply(state, command, "d", extent, text, cursor, unit)


def _put(state: VimState, text: str, cursor: int, times: int, after: bool) -> VimStep:
    """Insert the register after the cursor, or before it."""
    new, lines = state.register
    if not new:
        return VimStep(state, cursor, say="nothing was deleted or copied yet")
    if lines:
        at = motions.line_start(text, cursor)
        new *= times
        if after:
            next_line = motions.below(text, cursor)
            at = len(text) if next_line is None else next_line
            if next_line is None and text and not text.endswith(("\n", "\r")):
                newline = _newline(text)
                splice = Splice(at, at, newline + new.removesuffix("\n").removesuffix("\r"))
                start = at + len(newline)
                return VimStep(state, motions.first_nonblank(text + splice.text, start), (splice,))
        whole = text[:at] + new + text[at:]
        return VimStep(state, motions.first_nonblank(whole, at), (Splice(at, at, new),))
    at = min(cursor + 1, motions.line_end(text, cursor)) if after else cursor
    new *= times
    at_end = at if "\n" in new or "\r" in new else at + len(new) - 1
    return VimStep(state, at_end, (Splice(at, at, new),))


def _join(state: VimState, text: str, cursor: int, times: int) -> VimStep:
    """Join a line with the next ones."""
    rounds, at = Rounds(text), cursor
    for _ in range(times):
        now = rounds.text
        next_line = motions.below(now, cursor)
        if next_line is None:
            break
        end = motions.line_end(now, cursor)
        start = min(motions.first_nonblank(now, next_line), motions.line_end(now, next_line))
        is_apart = end == motions.line_start(now, cursor) or now[end - 1].isspace()
        ends_with = start == motions.line_end(now, next_line) or now[start] == ")"
        rounds.apply([Splice(end, start, "" if is_apart or ends_with else " ")])
        at = end
    new = rounds.text
    return VimStep(state, motions.on_character(new, at), tuple(rounds.splices()))


# Insert mode


def _insert(state: VimState, command: VimCommand, text: str, cursor: int, unit: int) -> VimStep:
    """Start to type."""
    name = command.name
    start, end = motions.line_start(text, cursor), motions.line_end(text, cursor)
    if name == "C":
        return _operate(state, command._replace(name="$", operator="c"), text, cursor, unit)
    if name == "S":
        return _operate(state, command._replace(name="line", operator="c"), text, cursor, unit)
    if name == "s":
        till = min(cursor + max(command.number, 1), end)
        state = state._replace(register=Register(text[cursor:till]))
        return _start_typing(state, command, text, Splice(cursor, till, ""), cursor)
    indent = text[start : motions.first_nonblank(text, cursor)]
    newline = _newline(text)
    if name == "o":
        splice = Splice(end, end, newline + indent)
        return _start_typing(state, command, text, splice, end + len(splice.text), newline + indent)
    if name == "O":
        splice = Splice(start, start, indent + newline)
        return _start_typing(state, command, text, splice, start + len(indent), newline + indent)
    at = {"i": cursor, "a": min(cursor + 1, end), "A": end}.get(
        name, motions.first_nonblank(text, cursor)
    )
    return _start_typing(state, command, text, Splice(at, at, ""), at)


def _start_typing(
    state: VimState, command: VimCommand, text: str, splice: Splice, at: int, lead: str = ""
) -> VimStep:
    """Start to type at an offset of the text after a splice."""
    is_change = splice.start != splice.end or bool(splice.text)
    size = len(text) + len(splice.text) - (splice.end - splice.start)
    state = state._replace(
        mode="insert", keys=(), column=None, insertion=Insertion(at, size, command, lead)
    )
    return VimStep(state, at, (splice,) if is_change else ())


def _leave_insert(state: VimState, text: str, cursor: int) -> VimStep:
    """Escape: repeat what was typed for a count, and remember it."""
    splices: tuple[Splice, ...] = ()
    insertion, start = state.insertion, motions.line_start(text, cursor)
    at = cursor
    if insertion is not None:
        growth = len(text) - insertion.size
        new = (
            text[insertion.at : insertion.at + growth]
            if growth > 0 and cursor == insertion.at + growth
            else ""
        )
        times = insertion.command.number if insertion.command.name in _COUNTED_INSERTS else 0
        if new and times > 1:
            repeated_text = (insertion.lead + new) * (times - 1)
            splices = (Splice(cursor, cursor, repeated_text),)
            at += len(repeated_text)
            start = at - 1 if "\n" not in new else motions.line_start(text, cursor)
        state = state._replace(last=(insertion.command, new))
    state = state._replace(mode="normal", keys=(), insertion=None)
    return VimStep(state, max(at - 1, start) if at > start else at, splices)


def _again(state: VimState, command: VimCommand, text: str, cursor: int, unit: int) -> VimStep:
    """Repeat the last change, with another count if there is one."""
    if state.last is None:
        return VimStep(state, cursor, say="there is no change to repeat")
    change, typed_text = state.last
    if command.number:
        change = change._replace(number=command.number)
    step = _do(state, change, text, cursor, unit)
    if step.state.mode != "insert":
        return step
    rounds = Rounds(text)
    rounds.apply(list(step.splices))
    at = step.cursor
    times = change.number if change.name in _COUNTED_INSERTS and step.state.insertion else 1
    lead = step.state.insertion.lead if step.state.insertion else ""
    inserted_text = typed_text + (lead + typed_text) * (max(times, 1) - 1)
    rounds.apply([Splice(at, at, inserted_text)])
    at += len(inserted_text)
    last = (change, typed_text)
    new_state = step.state._replace(mode="normal", insertion=None, last=last)
    back = at - 1 if at > motions.line_start(rounds.text, at) else at
    return VimStep(new_state, back, tuple(rounds.splices()))


# Visual mode


def _in_visual(state: VimState, command: VimCommand, text: str, cursor: int, unit: int) -> VimStep:
    name = command.name
    if name in ("v", "V"):
        mode: Mode = "visual" if name == "v" else "lines"
        return VimStep(state._replace(mode="normal" if mode == state.mode else mode), cursor)
    if name == "o":
        return VimStep(state._replace(anchor=cursor), state.anchor)
    if len(name) == 2 and name[0] in "ia":
        extent = motions.text_object(text, cursor, name, command.number)
        if extent is None or extent.start == extent.end:
            return VimStep(state, cursor)
        mode = "lines" if extent.lines else state.mode
        last = max(extent.end - 1, extent.start)
        return VimStep(state._replace(anchor=extent.start, mode=mode), last)
    if name in _MOTIONS or name in _FINDS or name == "gg":
        return _move(state, command, text, cursor)
    first, last = sorted((state.anchor, cursor))
    lines = state.mode == "lines" or name in ("D", "X", "Y", "C", "S", ">", "<", "J")
    extent = Extent(first, min(last + 1, len(text)))
    if lines:
        extent = motions.whole_lines(text, first, last)
    normal = state._replace(mode="normal")
    if name == "J":
        number = len(text[extent.start : extent.end].splitlines())
        return _join(normal._replace(last=None), text, first, max(number, 2) - 1)
    if name in ("r", "~"):
        part = text[extent.start : extent.end]
        new = (
            part.swapcase() if name == "~" else re.sub(r"[^\r\n]", lambda _: command.argument, part)
        )
        return VimStep(normal._replace(last=None), extent.start, (Splice(*extent[:2], new),))
    if name in ("p", "P"):
        return _put_over(normal, text, extent)
    operator = {"x": "d", "delete": "d", "X": "d", "D": "d", "s": "c", "S": "c", "C": "c", "Y": "y"}
    step = _apply(normal, command, operator.get(name, name), extent, text, extent.start, unit)
    return step._replace(state=step.state._replace(last=None)) if name not in "cs" else step


def _put_over(state: VimState, text: str, extent: Extent) -> VimStep:
    """Replace the selection by the register, which gets the replaced text."""
    new, lines = state.register
    cut = Register(text[extent.start : extent.end], extent.lines)
    if lines and not extent.lines:
        new = _newline(text) + new
    elif extent.lines and not lines:
        new += _newline(text)
    at = extent.start if lines or "\n" in new else extent.start + max(len(new) - 1, 0)
    state = state._replace(register=cut, last=None)
    return VimStep(state, at, (Splice(extent.start, extent.end, new),))
