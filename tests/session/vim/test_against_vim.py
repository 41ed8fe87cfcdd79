"""The tables of `test_keys` in vim itself: the same text and cursor come out."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.session.vim.test_keys import _KEY, EDITS, MOTIONS

ROWS = [row for row in (*MOTIONS, *EDITS) if "\r" not in row[0] and row[1] != "xu"]
NAMES = {"escape": "\\<Esc>", "enter": "\\<CR>", "backspace": "\\<BS>"}
OPTIONS = "nocp sw=2 et ai nojs startofline ignorecase smartcase wrapscan noswapfile viminfo="


def script(out: Path) -> str:
    lines = [f"set {OPTIONS}", "let g:out = []"]
    for before, keys, _ in ROWS:
        at, text = before.index("|"), before.replace("|", "", 1)
        row, column = text[:at].count("\n") + 1, len(text[:at].rpartition("\n")[2]) + 1
        typed = "".join(
            NAMES[named] if named else {"\\": "\\\\", '"': '\\"', "<": "\\<lt>"}.get(key, key)
            for named, key in _KEY.findall(keys)
        )
        lines += [
            "enew!",
            f"call setline(1, {json.dumps(text.removesuffix(chr(10)).split(chr(10)))})",
            f"call cursor({row}, {column})",
            f'call feedkeys("{typed}", "tx")',
            "call add(g:out, [getline(1, '$'), line('.'), col('.')])",
        ]
    return "\n".join([*lines, f"call writefile([json_encode(g:out)], '{out}')", "qa!"])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")
def test_vim_does_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    (tmp_path / "keys.vim").write_text(script(out))
    command = ["vim", "-u", "NONE", "-N", "-es", "-n", "-S", str(tmp_path / "keys.vim")]
    subprocess.run(command, stdin=subprocess.DEVNULL, timeout=60, check=False, capture_output=True)
    if not out.exists():
        pytest.skip("this vim runs no scripts")
    different = []
    for (before, keys, after), (lines, row, column) in zip(
        ROWS, json.loads(out.read_text()), strict=True
    ):
        text = "\n".join(lines) + "\n" * before.endswith("\n")
        at = sum(len(line) + 1 for line in lines[: row - 1]) + column - 1
        if f"{text[:at]}|{text[at:]}" != after:
            different.append((before, keys, after, f"{text[:at]}|{text[at:]}"))
    assert different == []
