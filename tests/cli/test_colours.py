"""What people read is the same in colours as without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill, offered

from skillstudio.cli.output import Paint

WORD = {"word": {"type": "string", "required": True}}
SCRIPT = 'echo "$1" > out.txt\n[ "$1" != bad ] || exit 3\n'
ON = ("--isolation", "copy", "--yes")
COMMANDS = [
    ("run", "tool", "go", *ON, "-i", "word=tea"),
    ("trace", "show", "last"),
    ("trace", "replay", "last", "--yes"),
    ("run", "tool", "go", *ON, "-i", "word=bad"),
    ("run", "tool", "go"),
    ("run", "less", "go", *ON, "-i", "word=tea"),
    ("adopt", "last"),
    ("plan", "tool", "go"),
    ("test", "tool", "--isolation", "copy"),
    ("preview", "tool", "go", "-i", "word=tea"),
    ("check", "tool"),
    ("show", "tool"),
    ("why", "tool"),
    ("doctor",),
    ("targets",),
    ("templates",),
]
CODES = re.compile(r"\x1b\[[0-9;]*m")
VARYING = re.compile(r"\d+\.\d s|\d{8}T\d{6}-\w+|\d+ ms|[\d-]+T[\d:]+Z")


def test_these_are_told_with_the_same_words(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered("copy")
    tool = block_skill(tmp_path / "tool", SCRIPT, inputs=WORD)
    block_skill(tmp_path / "less", SCRIPT, inputs=WORD, effects=["proc.exec"])
    for name, word in (("good", "tea"), ("bad", "bad")):
        sample = tool / "samples" / "go" / f"{name}.yaml"
        sample.parent.mkdir(parents=True, exist_ok=True)
        sample.write_text(f"inputs: {{word: {word}}}\nexpect: {{exit: 0}}\n")
    monkeypatch.chdir(tmp_path)
    plain = [run(*words) for words in COMMANDS]
    assert [plain[at].status for at in (0, 3, 5)] == [0, 1, 1]
    monkeypatch.setattr(Paint, "__init__", lambda self, _: setattr(self, "wanted", True))
    painted = [run(*words) for words in COMMANDS]
    for words, one, other in zip(COMMANDS, plain, painted, strict=True):
        assert (words, other.status) == (words, one.status)
        told = [VARYING.sub("…", CODES.sub("", each.out)) for each in (one, other)]
        assert told[0] == told[1], words
    uncoloured = {words[0] for words, ran in zip(COMMANDS, painted, strict=True)
                  if "\x1b" not in ran.out}  # fmt: skip
    assert uncoloured <= {"doctor"}
