"""The project speaks of itself alone, and what it ships is in order."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def test_no_place_is_left_unfinished() -> None:
    soft = re.compile(
        r"#.*\b(TODO|FIXME|XXX)\b|raise NotImplementedError|except:|except Exception: *pass"
    )
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if soft.search(line)
    ]
    assert found == []


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.stem != "__init__" and not path.read_text().lstrip().startswith(('"""', 'r"""'))
    ]
    assert silent == []


def test_authors_patterns_meet_no_backtracking_engine() -> None:
    """`re` may match our own patterns only; each is a literal in the source.

    The process in which templates are rendered may take theirs: it is ended after seconds.
    """
    functions = "compile|search|match|fullmatch|sub|findall|finditer|split"
    call = re.compile(rf"\b(re\.(?:{functions})|lazy_pattern)\(\s*(.+)")
    literal = re.compile(r"""[rfb]{0,2}["']|re\.escape\(""")
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in SOURCES
        if path.name not in ("child.py", "lazy_pattern.py")
        for match in call.finditer(path.read_text())
        if not literal.match(match.group(2))
    ]
    assert found == [
        # From a table of ours.
        "src/skillstudio/dryrun/judging/failure.py: re.compile(pattern, re.IGNORECASE if key in "
        "_ANY_CASE else 0)",
        "src/skillstudio/dryrun/testing.py: re.compile(folder.pattern.encode())",
        "src/skillstudio/manifest/scanning.py: re.compile(regex)",  # From a table of ours.
    ]


def test_no_skills_program_is_started() -> None:
    """Only git, the user's own editor and pager, `bd` for its version; never a shell.

    Dry runs are the one room that starts programs of skills, and commands for their versions.

    `renderer.py` starts this very interpreter with one file of ours, in which Jinja renders a
    template under limits: a loop without end could not be stopped in this process.

    `mcp/commands.py` starts skillstudio itself, with the arguments of one command; so does
    `files/watching.py`, to watch a large tree.
    """
    allowed = {
        "files/git.py",
        "files/watching.py",
        "tui/external.py",
        "cli/beads.py",
        "mcp/commands.py",
        "cli/pager.py",
        "scaffold/new/renderer.py",
    }
    found = []
    for path in SOURCES:
        text = path.read_text()
        name = str(path.relative_to(ROOT / "src" / "skillstudio"))
        if "shell=True" in text or "os.system" in text or "os.popen" in text:
            found.append(name)
        starts = re.search(
            r"^\s*(?:import|from) (?:subprocess|pty)\b|os\.(?:exec|spawn)", text, re.M
        )
        if starts and name not in allowed and not name.startswith("dryrun/"):
            found.append(name)
    assert found == []
