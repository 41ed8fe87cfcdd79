"""Run the shell blocks of the pages: a test does.

A comment on the line before a block in `sh` or `console` says how the block is run:

- `<!-- run: SCENE -->`: in a new folder that a scene of `SCENES` prepares
- `<!-- run -->`: in the folder of the block before it
- `<!-- not run: REASON -->`: not at all, for a reason of `REASONS`

After `run`, `status=1` is the exit status of the commands, `status=0,1` one for each command.
`PATH=skills/tea` replaces the placeholder PATH in the block, and `stdin=y` is what a command reads.
`skip=1:REASON` leaves out the first command, and `file=NAME` writes the block to an executable file
instead. A comment that starts with `<!-- sh` has commands that are not shown.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from console import HERE, IDENTITY, lines_match, run_command, split_steps

import skillstudio

ROOT = Path(__file__).parents[1]
LANGUAGES = ("sh", "console")
OPTIONS = ("status", "skip", "stdin", "file")
REASONS = {
    "usage": "shows the forms of a command, with placeholders in brackets",
    "install": "installs packages from an index",
    "installed": "needs the files of an installation, which test_packaging.py checks",
    "release": "needs a published release",
    "dialect": "needs the dialect of the page; tests/manifest/outside installs one",
    "workbench": "opens the workbench, as the tests of the workbench do",
    "machine": "changes the user's shell, editor or agent",
    "registry": "sends something to a host that does not exist",
    "checkout": "works on a checkout of skillstudio, as its tests do",
    "questions": "asks questions at a terminal, as the tests of the command do",
}
_NOTES = """\
git init -q -b main
mkdir -p notes/scripts notes/samples/save
cat > notes/SKILL.md <<'END'
---
name: notes
description: Saves notes on a topic. Use when the user wants to write something down.
---

# Notes

Call `save` with a topic.

```skill-manifest
{
  "schema_version": "2.0",
  "id": "notes",
  "version": "1.0.0",
  "capabilities": ["notes-save"],
  "effects": ["fs.write", "proc.exec"],
  "operations": {
    "save": {
      "description": "Save a note.",
      "input": {"query": {"type": "string", "required": false, "default": "tea"}},
      "output": {"description": "Whether it was saved", "fields": {"status": "ok | error"}},
      "entrypoints": {"unix": ["sh", "scripts/go.sh", "{query}"]}
    }
  },
  "stdout_contract": {"last_line_json": true}
}
```
END
cat > notes/scripts/go.sh <<'END'
#!/bin/sh
mkdir -p docs
echo "# $1" > docs/notes.md
echo "# $1" > tea.md
echo "a,b" > raw.csv
echo '{"status": "ok"}'
END
chmod +x notes/scripts/go.sh
echo 'inputs: {query: tea}' > notes/samples/save/tea.yaml
mkdir notes/docs
echo "# Old notes" > notes/docs/notes.md
git add .
git commit -q -m "Add a skill"
"""
"""A workspace with a skill whose operation changes files."""
SCENES = {
    "empty": "",
    "examples": 'cp -r "$CHECKOUT/examples" examples',
    "memory": 'mkdir examples && cp -r "$CHECKOUT/examples/memory" examples/memory',
    "skill": "skillstudio new script-tool count-words --defaults",
    "notes": _NOTES,
    "recorded": f"{_NOTES}\nskillstudio run notes save",
    "letter": """\
skillstudio new script-tool count-words --defaults
echo 'How many words are these?' > notes.md
""",
    "runs": f"""{_NOTES}
cp -r "$CHECKOUT/examples" examples
""",
    "archives": """\
skillstudio new script-tool count-words --defaults
(cd "$CHECKOUT/examples" && python3 -m zipfile -c "$OLDPWD/all.zip" memory worklog)
""",
    "undeclared": """\
git init -q -b main
cp -r "$CHECKOUT/examples/analyze-git" analyze-git
sed -i '/cmd: git/,+1d; /idempotent/d' analyze-git/SKILL.md
git add .
git commit -q -m "Add a skill"
! skillstudio run analyze-git scripts/analyze.py --twice -i since=2025-01-01 -i repository=.
""",
    "repository": """\
git init -q -b main
mkdir skills
cp -r "$CHECKOUT/examples/memory" "$CHECKOUT/examples/worklog" skills
sed -i 's/"version": "[^"]*"/"version": "1.0.0"/' skills/memory/SKILL.md
git add .
git commit -q -m "Add two skills"
git tag -a -m "memory 1.0.0" memory@1.0.0
git tag v1.2
git update-ref refs/remotes/origin/main HEAD
sed -i 's/"types": {/"kinds": {/' skills/memory/SKILL.md
mv skills/memory/samples/types skills/memory/samples/kinds
git add .
git commit -q -m "Rename an operation"
""",
    "studio": """\
git init -q -b main
git remote add origin https://example.org/studio.git
cp -r "$CHECKOUT/examples" examples
git add .
git commit -q -m "Add the examples"
""",
    "draft": """\
mkdir -p skills/tea
printf -- '---\\nname: tea\\ndescription: Makes tea.\\n---\\nBoil water.\\n' > draft.md
""",
    "injected": """\
mkdir my-skill
printf -- '---\\nname: my-skill\\ndescription: Reports on a topic.\\n---\\n\\n' > my-skill/SKILL.md
printf '# Report\\n\\n!`date +%%Y`\\n\\nThe topic:\\n\\n!`echo $ARGUMENTS`\\n' >> my-skill/SKILL.md
""",
    "old": 'cp -r "$CHECKOUT/examples/history/0.1.0/memory" memory',
    "previews": f"""{_NOTES}
skillstudio run notes save
cp -r "$CHECKOUT/examples" examples
cp "$CHECKOUT/editors/vscode/icon.png" picture.png
cp examples/memory/samples/memories.db store.db
printf '# Notes\\n\\nThe kettle is new.\\n' > notes.md
""",
    "template": """\
git init -q -b main "$HOME/house-style"
cp -r "$CHECKOUT/templates/agent-skills/." "$HOME/house-style"
git -C ~/house-style add .
git -C ~/house-style commit -q -m "Add a template"
git -C ~/house-style tag v1.0.0
skillstudio new git+file://$HOME/house-style my-skill --defaults
printf '\\n## Sources\\n\\nName them.\\n' >> ~/house-style/template/SKILL.md.jinja
git -C ~/house-style commit -q -a -m "Ask for sources"
git -C ~/house-style tag v2.0.0
""",
    "plain": "echo hello > SKILL.md",
    "broken": """\
git init -q -b main
mkdir -p skills/release-notes .claude/skills/tidy-notes tools
cat > skills/release-notes/SKILL.md <<'END'
---
name: release-notes
description: Writes release notes: what changed since the last tag. Use before a release.
---

# Release notes

1. Read `git log` since the last tag.
2. TODO: say which headings the notes have.
END
cat > .claude/skills/tidy-notes/SKILL.md <<'END'
---
name: tidy-notes
description: Sorts notes by topic. Use when the user wants to tidy notes.
allowed-tools: Read, Write
---

# Tidy notes

Sort the notes by topic.
END
cat > tools/count.py <<'END'
import argparse

parser = argparse.ArgumentParser(description="Count the words of a file.")
parser.add_argument("file", help="Path of a text file")
with open(parser.parse_args().file, encoding="utf-8") as file:
    print(len(file.read().split()))
END
git add .
git commit -q -m "Add skills"
""",
    "locks": """\
mkdir skills
cp -r "$CHECKOUT/examples/worklog" "$CHECKOUT/examples/memory" skills
printf 'steps:\\n  - skill: worklog\\n    inputs: {session_date: "2025-12-23"}\\n' > day.yaml
""",
}
"""What a block needs, as the commands that prepare it in an empty folder."""
_BLOCK = re.compile(
    r"^(?:<!-- (?P<comment>(?:not )?run\b[^>]*?) -->\n)?"
    r"(?:````.*?^````$"  # An example of a block.
    r"| *```(?P<language>\S*)\n(?P<text>.*?)^ *```$"
    r"|<!-- sh\n(?P<hidden>.*?)^-->$)",
    re.MULTILINE | re.DOTALL,
)
_COMMAND = re.compile(r"^(?:\$|skillstudio|git|pip|npm|npx|uv|uvx|make|cd) ", re.MULTILINE)
_DRY_RUN = re.compile(r"skillstudio (?:run|test|trace) ")
_TRACEBACK = re.compile(r"Traceback \(most recent|This is a bug in skillstudio")


@dataclass(frozen=True)
class ShellBlock:
    """Commands of a page, and what their comment says."""

    page: str
    line: int
    language: str
    text: str
    comment: str | None = None
    scene: str = ""
    reason: str = ""
    is_first: bool = False
    """Whether no block before it on the page is run."""
    options: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def runs(self) -> bool:
        return self.language in LANGUAGES and not self.reason

    @property
    def skipped_reason(self) -> str:
        """Why some of the commands are not run."""
        return self.options.get("skip", "").partition(":")[2]

    @property
    def starts_programs(self) -> bool:
        """Whether the block or its scene runs the program of a skill."""
        return self.runs and _DRY_RUN.search(self.text + SCENES.get(self.scene, "")) is not None

    def steps(self) -> list[tuple[str, list[str]]]:
        """Each command, with the lines of output that the page shows below it."""
        text = self.text
        for name, value in self.options.items():
            if name.isupper():
                text = re.sub(rf"(?<![\w$-]){name}(?![\w-])", value, text)
        if self.language == "console":
            return list(split_steps(text))
        return [(command, []) for command in _split_commands(text)]


def find_blocks(page: str, text: str) -> Iterator[ShellBlock]:
    """Each block of a page that has commands."""
    is_first = True
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, max(map(match.start, ("hidden", "text"))))
        if match["hidden"] is not None:
            # Part of the block before it.
            yield ShellBlock(page, line, "hidden", match["hidden"])
        elif match["language"] in (*LANGUAGES, "") or _has_commands(match):
            comment = match["comment"] or ""
            rest = re.sub("^(not )?run:? *", "", comment)
            block = ShellBlock(page, line, match["language"], match["text"], match["comment"])
            if comment.startswith("not run"):
                yield replace(block, reason=rest or "no reason")
            else:
                words = shlex.split(rest)
                scene = next((word for word in words[:1] if "=" not in word), "")
                options = dict(word.split("=", 1) for word in words if "=" in word)
                yield replace(block, scene=scene, options=options, is_first=is_first)
                is_first = is_first and not comment


def _has_commands(match: re.Match[str]) -> bool:
    return match["language"] == "text" and _COMMAND.search(match["text"]) is not None


def find_faults(block: ShellBlock) -> Iterator[str]:
    """What is wrong with a block or its comment, without running it."""
    if block.language == "":
        yield f"{block.place}: name the language of the block: sh, console or text"
    if block.language == "hidden":
        return
    if block.comment is None:
        yield f"{block.place}: say how the block is run, or why not; docs/blocks.py describes it"
    for reason in (block.reason, block.skipped_reason):
        if reason and reason not in REASONS:
            yield f"{block.place}: {reason} is no reason of docs/blocks.py"
    unknown_options = [name for name in block.options if not name.isupper() and name not in OPTIONS]
    if unknown_options:
        yield f"{block.place}: {', '.join(unknown_options)} is no option of docs/blocks.py"
    statuses = block.options.get("status", "0").split(",")
    if block.runs and len(statuses) not in (1, len(block.steps())):
        yield f"{block.place}: {len(statuses)} statuses for {len(block.steps())} commands"
    if block.scene and block.scene not in SCENES:
        yield f"{block.place}: {block.scene} is no scene of docs/blocks.py"
    if block.is_first and block.runs and not block.scene:
        yield f"{block.place}: name a scene for the first block of the page that is run"


def run_blocks(blocks: list[ShellBlock], folder: Path) -> Iterator[str]:
    """Run blocks of a page one after another; return what does not work."""
    binaries, home = folder / "bin", folder / "home"
    binaries.mkdir()
    home.mkdir()
    program = binaries / "skillstudio"
    source = Path(skillstudio.__file__).parents[1]
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={source} exec {sys.executable} -m skillstudio "$@"\n', "utf-8"
    )
    program.chmod(0o755)
    environment = {
        "HOME": str(home),
        "PATH": f"{binaries}:{os.defpath}",
        "CHECKOUT": str(ROOT),
        "COLUMNS": "96",
        **IDENTITY,
    }
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        with contextlib.chdir(folder):
            for number, block in enumerate(blocks):
                if block.reason:
                    continue
                if block.scene:
                    work = folder / f"work-{number}"
                    work.mkdir()
                    os.chdir(work)
                    for command in _split_commands(SCENES[block.scene]):
                        yield from _check(f"scene {block.scene}", command, [], 0, folder)
                yield from _run_block(block, folder)
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run_block(block: ShellBlock, folder: Path) -> Iterator[str]:
    options = block.options
    if name := options.get("file"):
        file = Path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text, "utf-8")
        file.chmod(0o755)
        return
    statuses = [int(status) for status in options.get("status", "0").split(",")]
    skipped = options.get("skip", "").partition(":")[0].split(",")
    for number, (command, output) in enumerate(block.steps()):
        if str(number + 1) not in skipped:
            status = statuses[number] if len(statuses) > 1 else statuses[0]
            yield from _check(block.place, command, output, status, folder, options.get("stdin"))


def _check(
    place: str,
    command: str,
    output: list[str],
    status: int,
    folder: Path,
    stdin: str | None = None,
) -> Iterator[str]:
    """Run a command; return how it differs from what the page says."""
    actual, lines = run_command(command, folder, stdin)
    text = "\n".join(lines)
    if actual != status:
        yield f"{place}: exit status {actual}, not {status}: {command}\n{text}"
    elif _TRACEBACK.search(text):
        yield f"{place}: {command}\n{text}"
    elif output and not lines_match(output, lines):
        yield f"{place}: the output differs: {command}\n{text}"


def _split_commands(text: str) -> Iterator[str]:
    """Each command of a script, with its continued lines and here-document."""
    lines = iter(text.splitlines())
    for line in lines:
        command = [line]
        while command[-1].endswith("\\"):
            command.append(next(lines))
        if here := HERE.search(line):
            while command[-1] != here[1]:
                command.append(next(lines))
        if line.strip() and not line.lstrip().startswith("#"):
            yield "\n".join(command)
