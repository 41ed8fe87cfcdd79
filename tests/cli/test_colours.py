"""When colours are used; what people read is the same in colours as without."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill, offered

from skillstudio.cli.output import Paint, colours_wanted
from skillstudio.cli.verbs import all_verbs

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
    ("new", "--list"),
]
CODES = re.compile(r"\x1b\[[0-9;]*m")
VARYING = re.compile(r"\d+\.\d s|\d{8}T\d{6}-\w+|\d+ ms|[\d-]+T[\d:]+Z")


@pytest.mark.slow
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
    monkeypatch.setattr(Paint, "__init__", lambda self, _: setattr(self, "has_colours", True))
    painted = [run(*words) for words in COMMANDS]
    for words, one, other in zip(COMMANDS, plain, painted, strict=True):
        assert (words, other.status) == (words, one.status)
        told = [VARYING.sub("…", CODES.sub("", each.out)) for each in (one, other)]
        assert told[0] == told[1], words
    uncoloured = {words[0] for words, ran in zip(COMMANDS, painted, strict=True)
                  if "\x1b" not in ran.out}  # fmt: skip
    assert uncoloured <= {"doctor"}


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("variables", "at_terminal", "in_pipe"), [
    ("", True, False),
    ("NO_COLOR=1", False, False),
    ("NO_COLOR=", True, False),
    ("FORCE_COLOR=1", True, True),
    ("FORCE_COLOR=", True, False),
    ("FORCE_COLOR=0", True, False),
    ("CLICOLOR_FORCE=1", True, True),
    ("CLICOLOR_FORCE=0", True, False),
    ("CLICOLOR=0", False, False),
    ("CLICOLOR=1", True, False),
    ("TERM=dumb", False, False),
    ("NO_COLOR=1 FORCE_COLOR=1", False, False),
    ("NO_COLOR=1 CLICOLOR_FORCE=1", False, False),
    ("CLICOLOR=0 FORCE_COLOR=1", True, True),
    ("TERM=dumb FORCE_COLOR=1", True, True),
])  # fmt: skip
def test_the_environment_decides_without_an_option(
    monkeypatch: pytest.MonkeyPatch, variables: str, at_terminal: bool, in_pipe: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for each in variables.split():
        monkeypatch.setenv(*each.split("=", 1))
    found = [colours_wanted(stream, "auto") for stream in (Screen(), io.StringIO())]
    assert found == [at_terminal, in_pipe]
    for stream in (Screen(), io.StringIO()):
        assert colours_wanted(stream, "always")
        assert not colours_wanted(stream, "never")


def test_every_command_has_the_option() -> None:
    for verb in all_verbs().values():
        assert "color" in {each.dest for each in verb.all_arguments()}


def test_the_option_and_files(
    run: Run, skill: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, file = skill("broken", "---\nname: Broken\n---\n"), tmp_path / "out"
    assert "\x1b" not in run("check", folder).out
    assert "\x1b[31merror" in run("check", folder, "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run("check", folder).out
    assert "\x1b[31merror" in coloured
    assert "\x1b" not in run("check", folder, "--color=never").out
    assert "\x1b" not in run("check", folder, "--format", "json").out
    # A file is not a log: only the option colours it.
    run("check", folder, "--output-file", file)
    assert "\x1b" not in file.read_text()
    run("check", folder, "--color", "always", "--output-file", file)
    assert file.read_text() == coloured
    assert run("check", folder, "--color", "sometimes").status == 2
