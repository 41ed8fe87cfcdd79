"""Output where the encoding of the terminal or pipe lacks characters that are printed."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from skillstudio.cli.main import main

SKILL = "---\nname: {}\ndescription: Brews tea – ☕. Use it.\nversion: 1.{}.0\n---\nGo.\n"


@pytest.mark.parametrize("encoding", ["iso-8859-1", "cp1252", "cp437", "ascii", "utf-8"])
@pytest.mark.parametrize(
    "words", [["diff", "old", "new"], ["show", "old"], ["check", "."], ["why", "old"], ["nothing"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_no_character_ends_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, words: list[str]
) -> None:
    for number, name in enumerate(("old", "new")):
        (tmp_path / name).mkdir()
        text = SKILL.format(name, number)
        (tmp_path / name / "SKILL.md").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    main(words)
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)  # type: ignore[attr-defined]
    assert "had to stop" not in err
    if words[0] == "diff":
        assert f"new: old (1.0.0) {'→' if encoding == 'utf-8' else '->'} new (1.1.0)" in out
