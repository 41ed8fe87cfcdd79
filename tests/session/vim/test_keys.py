"""Sequences of vim's keys: the text and the cursor before, the keys, and both afterwards.

`|` is before the character that the cursor is on; «escape» and such are named keys.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.session.vim.keys import VimState, press, selection
from skillstudio.text.splicing import apply

_KEY = re.compile("«([^»]+)»|(.)", re.DOTALL)


class Typist:
    """A text with a cursor, which types as the editor does in insert mode."""

    def __init__(self, text: str) -> None:
        self.cursor = text.index("|") if "|" in text else 0
        self.text = text.replace("|", "", 1)
        self.state = VimState()
        self.commands: list[str] = []
        self.said: list[str] = []

    def press(self, keys: str) -> Typist:
        for named, typed in _KEY.findall(keys):
            key = named or typed
            if self.state.mode == "insert" and key != "escape":
                new = "\n" if key == "enter" else key
                self.text = self.text[: self.cursor] + new + self.text[self.cursor :]
                self.cursor += len(new)
                continue
            step = press(self.state, key, self.text, self.cursor)
            self.text = apply(self.text, step.splices)
            self.state, self.cursor = step.state, step.cursor
            self.commands += step.commands
            self.said += [step.say] if step.say else []
        return self

    @property
    def shown(self) -> str:
        return f"{self.text[: self.cursor]}|{self.text[self.cursor :]}"


MOTIONS = [
    ("|one two\n", "l", "o|ne two\n"),
    ("|one two\n", "3l", "one| two\n"),
    ("|one\ntwo\n", "9l", "on|e\ntwo\n"),
    ("on|e\n", "h", "o|ne\n"),
    ("one\n|two\n", "h", "one\n|two\n"),
    ("lo|ng\nx\nlong\n", "jj", "long\nx\nlo|ng\n"),
    ("lon|g\nx\nlonger\n", "2j", "long\nx\nlon|ger\n"),
    ("|long\nlonger\n", "$j", "long\nlonge|r\n"),
    ("one\ntw|o\n", "k", "on|e\ntwo\n"),
    ("|one\n", "j", "|one\n"),
    ("|one\ntwo\n", "5j", "one\n|two\n"),
    ("|one, two\n", "w", "one|, two\n"),
    ("|one, two\n", "2w", "one, |two\n"),
    ("|one,a two\n", "W", "one,a |two\n"),
    ("on|e\n\n  two\n", "w", "one\n|\n  two\n"),
    ("one\n|\n  two\n", "w", "one\n\n  |two\n"),
    ("one tw|o", "w", "one tw|o"),
    ("|one two\n", "e", "on|e two\n"),
    ("on|e two\n", "e", "one tw|o\n"),
    ("one, |two\n", "b", "one|, two\n"),
    ("one,a t|wo\n", "2B", "|one,a two\n"),
    ("one\n\n|two\n", "b", "one\n|\ntwo\n"),
    ("  on|e\n", "0", "|  one\n"),
    ("  on|e\n", "^", "  |one\n"),
    ("|one\n", "$", "on|e\n"),
    ("|one\ntwo\n", "2$", "one\ntw|o\n"),
    ("one\n  |two\nthree\n", "gg", "|one\n  two\nthree\n"),
    ("|one\n  two\n", "G", "one\n  |two\n"),
    ("|one\n  two\nthree", "2G", "one\n  |two\nthree"),
    ("|one two\n", "fo", "one tw|o\n"),
    ("|one two\n", "to", "one t|wo\n"),
    ("one tw|o\n", "Fn", "o|ne two\n"),
    ("one tw|o\n", "Tn", "on|e two\n"),
    ("|a.b.c.d\n", "f.;", "a.b|.c.d\n"),
    ("|a.b.c.d\n", "t.;", "a.|b.c.d\n"),
    ("|a.b.c.d\n", "2f.,", "a|.b.c.d\n"),
    ("|a.b\n", "fx", "|a.b\n"),
    ("|one\ntwo\n\nthree\n", "}", "one\ntwo\n|\nthree\n"),
    ("one\n\ntwo\nthr|ee\n", "{", "one\n|\ntwo\nthree\n"),
    ("one\n|two\n", "{", "|one\ntwo\n"),
    ("|f(a, (b))\n", "%", "f(a, (b)|)\n"),
    ("f(a, (b)|)\n", "%", "f|(a, (b))\n"),
    ("|x = {\n 1 }\n", "%", "x = {\n 1 |}\n"),
    ("|one two one\n", "/one«enter»", "one two |one\n"),
    ("one two |one\n", "/one«enter»n", "one two |one\n"),
    ("|a b a b a\n", "/a«enter»N", "|a b a b a\n"),
    ("|a b a b a\n", "?a«enter»", "a b a b |a\n"),
    ("|One one\n", "/ONE«enter»", "|One one\n"),
    ("|one two\n", "/on«backspace»«backspace»tw«enter»", "one |two\n"),
    ("|one\n  two\n", ":2«enter»", "one\n  |two\n"),
    ("|one\n  two\n", "«enter»", "one\n  |two\n"),
    ("|one two\n", "  ", "on|e two\n"),
]  # fmt: skip
EDITS = [
    ("o|ne\n", "x", "o|e\n"),
    ("on|e\n", "x", "o|n\n"),
    ("|one\n", "2x", "|e\n"),
    ("on|e\n", "X", "o|e\n"),
    ("|one two\n", "dw", "|two\n"),
    ("one |two\nthree\n", "dw", "one| \nthree\n"),
    ("|one two three\n", "d2w", "|three\n"),
    ("|one two three four\n", "2d2w", "|\n"),
    ("o|ne two\n", "de", "o| two\n"),
    ("one t|wo\n", "db", "one |wo\n"),
    ("o|ne two\n", "D", "|o\n"),
    ("o|ne two\n", "d0", "|ne two\n"),
    ("|a.b.c\n", "df.", "|b.c\n"),
    ("|a.b.c\n", "dt.", "|.b.c\n"),
    ("one\n|two\nthree\n", "dd", "one\n|three\n"),
    ("one\ntwo\n|three", "dd", "one\n|two"),
    ("|one\ntwo\nthree\nfour\n", "3dd", "|four\n"),
    ("|one\ntwo\nthree\n", "dj", "|three\n"),
    ("one\n|two\nthree\n", "dG", "|one\n"),
    ("one\ntw|o\nthree\n", "dgg", "|three\n"),
    ("|one\ntwo\n\nthree\n", "d}", "|\nthree\n"),
    ("|one one\n", "d/n«enter»", "|ne one\n"),
    ("|f(a)b\n", "d%", "|b\n"),
    ("a |b c\n", "xp", "a  |bc\n"),
    ("|ab\n", "xp", "b|a\n"),
    ("|one\ntwo\n", "ddp", "two\n|one\n"),
    ("one\n|two\n", "ddP", "|two\none\n"),
    ("|one\ntwo\n", "yyp", "one\n|one\ntwo\n"),
    ("|one\ntwo\n", "yy2p", "one\n|one\none\ntwo\n"),
    ("one\n|two", "yyp", "one\ntwo\n|two"),
    ("|one two\n", "yw$p", "one twoone| \n"),
    ("|one two\n", "cwx«escape»", "|x two\n"),
    ("|one two\n", "c2wx«escape»", "|x\n"),
    ("one| two\n", "cwx«escape»", "one|xtwo\n"),
    ("|a b\n", "cwxy«escape»", "x|y b\n"),
    ("  |one\ntwo\n", "ccx«escape»", "  |x\ntwo\n"),
    ("o|ne two\n", "Cx«escape»", "o|x\n"),
    ("o|ne two\n", "sx«escape»", "o|xe two\n"),
    ("o|ne two\n", "Sx«escape»", "|x\n"),
    ("o|ne\n", "ix«escape»", "o|xne\n"),
    ("o|ne\n", "ax«escape»", "on|xe\n"),
    ("  o|ne\n", "Ix«escape»", "  |xone\n"),
    ("o|ne\n", "Ax«escape»", "one|x\n"),
    ("  o|ne\ntwo\n", "ox«escape»", "  one\n  |x\ntwo\n"),
    ("one\n  t|wo\n", "Ox«escape»", "one\n  |x\n  two\n"),
    ("one|\r\ntwo\r\n", "ox«escape»", "one\r\n|x\r\ntwo\r\n"),
    ("|one\n", "3ix«escape»", "xx|xone\n"),
    ("|one\n", "i«escape»", "|one\n"),
    ("o|ne\n", "rx", "o|xe\n"),
    ("|one\n", "2rx", "x|xe\n"),
    ("|one\n", "9rx", "|one\n"),
    ("o|ne\n", "r«enter»", "o\n|e\n"),
    ("|one\n  two\nthree\n", "J", "one| two\nthree\n"),
    ("|one\ntwo\nthree\n", "3J", "one two| three\n"),
    ("|f(\n)\n", "J", "f(|)\n"),
    ("|oNe\n", "2~", "On|e\n"),
    ("|one\ntwo\n", ">>", "  |one\ntwo\n"),
    ("    |one\ntwo\n", "<<", "  |one\ntwo\n"),
    ("|one\n\ntwo\n", "3>>", "  |one\n\n  two\n"),
    ("|one\ntwo\n", ">j", "  |one\n  two\n"),
    ("one |two three\n", "diw", "one | three\n"),
    ("one t|wo three\n", "daw", "one |three\n"),
    ("one t|wo\n", "daw", "on|e\n"),
    ("one| two\n", "diw", "one|two\n"),
    ("one t|wo,b three\n", "daW", "one |three\n"),
    ('a "b| c" d\n', 'di"', 'a "|" d\n'),
    ('|a "b c" d\n', 'ci"x«escape»', 'a "|x" d\n'),
    ('a "b| c" d\n', 'da"', "a |d\n"),
    ("a 'b\\' |c' d\n", "di'", "a '|' d\n"),
    ("f(a, g(|b))\n", "di(", "f(a, g(|))\n"),
    ("f(a, g(|b))\n", "2di(", "f(|)\n"),
    ("f(a, |b)\n", "da)", "|f\n"),
    ("f(|a)\n", "cibx«escape»", "f(|x)\n"),
    ("x = [|1]\n", "di[", "x = [|]\n"),
    ("x {\n  a|b\n}\n", "di{", "x {\n|}\n"),
    ("x {\n  a|b\n}\n", "ci{c«escape»", "x {\n  |c\n}\n"),
    ("|one\n", "di(", "|one\n"),
    ("one\ntw|o\n\nthree\n", "dip", "|\nthree\n"),
    ("one\ntw|o\n\nthree\n", "dap", "|three\n"),
    ("|one two three\n", "dw.", "|three\n"),
    ("|one two three four\n", "dw2.", "|four\n"),
    ("|one two\n", "cwx«escape»w.", "x |x\n"),
    ("|a\nb\n", "A;«escape»j.", "a;\nb|;\n"),
    ("|a\nb\nc\n", "ox«escape».", "a\nx\n|x\nb\nc\n"),
    ("|a\nb\nc\n", "dd.", "|c\n"),
    ("|abc\n", "xu", "|bc\n"),
    ("|one two\n", "vd", "|ne two\n"),
    ("|one two\n", "vex", "| two\n"),
    ("one t|wo\n", "vby$p", "one twot|w\n"),
    ("|one\ntwo\nthree\n", "Vjd", "|three\n"),
    ("|one\ntwo\n", "Vyjp", "one\ntwo\n|one\n"),
    ("|one two\n", "wyiw0viwp", "tw|o two\n"),
    ("|one two\n", "vecx«escape»", "|x two\n"),
    ("|one\ntwo\n", "Vj>", "  |one\n  two\n"),
    ("  |one\n  two\n", "Vj<", "|one\ntwo\n"),
    ("|one\ntwo\nthree\n", "VjJ", "one| two\nthree\n"),
    ("o|ne two\n", "viwd", "| two\n"),
    ("f(a, |b)\n", "vi(d", "f(|)\n"),
    ("|one\n", "v$rx", "|xxx\n"),
    ("|oNe\n", "vl~", "|One\n"),
    ("a|bc\n", "vlohd", "|\n"),
    ("|one two\n", "2oZ«escape»", "one two\nZ\n|Z\n"),
    ("a\n\nb |c\n", "d{", "a\n|c\n"),
    ("a b\n|c\n", "cbZ«escape»", "a |Z\nc\n"),
    ("  |a\n  b\nc\n", "2d$", "|c\n"),
    ("a \"b|\"\n", 'da"', "|a\n"),
    ("|a b\n", "yiwVp", "|a\n"),
    ("a\nb|c\n", "Vyp", "a\nbc\n|bc\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "keys", "after"), MOTIONS, ids=[f"{k}" for _, k, _ in MOTIONS])
def test_motions_move_the_cursor(before: str, keys: str, after: str) -> None:
    typist = Typist(before).press(keys)
    assert typist.shown == after
    assert typist.text == before.replace("|", "", 1)


@pytest.mark.parametrize(("before", "keys", "after"), EDITS, ids=[f"{k}" for _, k, _ in EDITS])
def test_keys_edit_the_text(before: str, keys: str, after: str) -> None:
    typist = Typist(before).press(keys)
    assert typist.shown == after
    assert typist.state.mode == "normal"
    assert typist.state.keys == ()


@pytest.mark.parametrize(
    ("keys", "commands"),
    [
        (":w«enter»", ["file.save"]),
        (":q«enter»", ["app.quit"]),
        (":wq«enter»", ["file.save", "app.quit"]),
        ("u", ["edit.undo"]),
        ("2u", ["edit.undo", "edit.undo"]),
        ("«ctrl+r»", ["edit.redo"]),
        (":w«escape»", []),
        (":«backspace»", []),
    ],
)
def test_keys_run_commands_of_the_workbench(keys: str, commands: list[str]) -> None:
    typist = Typist("|one\n").press(keys)
    assert typist.commands == commands
    assert typist.state.prompt == ""


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("zz", "z is not available with vim keys"),
        ("gq", "gq is not available with vim keys"),
        ('"a', '" is not available with vim keys'),
        ("dz", "dz is not available with vim keys"),
        ("dix", "dix is not available with vim keys"),
        (":%s/a/b«enter»", ":%s/a/b is not available; use :w, :q, :wq, :x or :NUMBER"),
        (":q!«enter»", ":q! is not available; use :w, :q, :wq, :x or :NUMBER"),
        ("v:", ":: ranges of lines are not available"),
        (".", "there is no change to repeat"),
        ("p", "nothing was deleted or copied yet"),
        ("/zebra«enter»", "not found: zebra"),
        ("n", "no text to search yet"),
    ],
)
def test_what_is_not_there_is_said_and_changes_nothing(keys: str, said: str) -> None:
    typist = Typist("o|ne\n").press(keys)
    assert typist.said[0] == said
    assert typist.text == "one\n"
    assert typist.state.keys == ()


@pytest.mark.parametrize(
    ("keys", "shown", "selected"),
    [
        ("", "NORMAL ▮", None),
        ("2d", "NORMAL ▮ 2d", None),
        ("/on", "NORMAL ▮ /on", None),
        ("i", "INSERT ▏", None),
        ("v", "VISUAL ▮", "n"),
        ("vl", "VISUAL ▮", "ne"),
        ("vh", "VISUAL ▮", "on"),
        ("V", "V-LINE ▮", "one"),
        ("Vj", "V-LINE ▮", "one\ntwo"),
        ("v«escape»", "NORMAL ▮", None),
        ("vV", "V-LINE ▮", "one"),
        ("vv", "NORMAL ▮", None),
        ("2d«escape»", "NORMAL ▮", None),
    ],
)
def test_the_mode_and_the_selection_are_shown(keys: str, shown: str, selected: str | None) -> None:
    typist = Typist("o|ne\ntwo\n").press(keys)
    assert typist.state.status_text == shown
    found = selection(typist.state, typist.text, typist.cursor)
    assert (typist.text[slice(*found)] if found else None) == selected


@given(
    st.text('ab ,(){}"\n\r', max_size=30),
    st.integers(0, 30),
    st.lists(
        st.sampled_from(
            [*"hjklwbeWBE0^$G{}%_dcy><xXDCsSYpPoOaAiIJrfFtT;,.nNgvVu/~2", "escape", "enter"]
        ),
        max_size=12,
    ),
)
def test_no_sequence_of_keys_leaves_the_text(text: str, cursor: int, keys: list[str]) -> None:
    typist = Typist(text)
    typist.cursor = min(cursor, len(text))
    for key in keys:
        typist.press(key if len(key) == 1 else f"«{key}»")
        assert 0 <= typist.cursor <= len(typist.text)
