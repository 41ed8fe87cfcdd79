"""Paths that follow a file or folder which is moved within its skill."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.links import linking_files, moved_links
from skillstudio.text.splicing import apply

HEAD = "---\nname: tea\ndescription: Makes tea.\n---\n"
MANIFEST = """```skill-manifest
{"schema_version": "2.0", "id": "tea", "operations": {"go": {"entrypoints": {
  "unix": ["sh", "scripts/a.sh"], "windows": ["powershell", "-File", "scripts\\\\a.sh"]}}}}
```
"""
BIG = "x" * 300_000
FILES = ("scripts/a.sh", "scripts/b.py", "references/x.md", "samples/tea.db", "notes.md")


def moved(old: str, new: str, path: str, text: str) -> str:
    """The text of a file after something was moved."""
    head = HEAD if path == "SKILL.md" else ""
    texts = {"SKILL.md": HEAD, **dict.fromkeys(FILES, ""), path: head + text}
    tree = MemoryTree({name: content.encode() for name, content in texts.items()}, "tea")
    skill = locate(tree).skill
    assert path in linking_files(skill)
    splices = moved_links(skill, path, texts[path], old, new)
    return apply(texts[path], splices).removeprefix(head)


SCRIPT = ("scripts/b.py", "scripts/c.py")
SHELL = ("scripts/a.sh", "bin/a.sh")
FOLDER = ("scripts", "tools")


@pytest.mark.parametrize(
    ("move", "path", "text", "after"),
    [
        (SCRIPT, "SKILL.md", "Run [it](scripts/b.py#l1).", "Run [it](scripts/c.py#l1)."),
        (SCRIPT, "SKILL.md", "Run `python scripts/b.py x`.", "Run `python scripts/c.py x`."),
        (SCRIPT, "SKILL.md", "Run ./scripts/b.py, once.", "Run ./scripts/c.py, once."),
        (SCRIPT, "SKILL.md", "`{baseDir}/scripts/b.py`", "`{baseDir}/scripts/c.py`"),
        (SHELL, "SKILL.md", MANIFEST, MANIFEST.replace("scripts", "bin")),
        (FOLDER, "SKILL.md", "See `scripts/`: scripts/b.py.", "See `tools/`: tools/b.py."),
        (("notes.md", "n.md"), "SKILL.md", "Read `notes.md`.", "Read `n.md`."),
        (SCRIPT, "references/x.md", "[it](../scripts/b.py)", "[it](../scripts/c.py)"),
        (SCRIPT, "references/x.md", "Run `scripts/b.py`.", "Run `scripts/c.py`."),
        (
            ("samples/tea.db", "samples/t.db"),
            "samples/go/a.yaml",
            "{from: ../tea.db}",
            "{from: ../t.db}",
        ),
        (SCRIPT, "scripts/a.sh", 'exec "$(dirname "$0")/b.py"', 'exec "$(dirname "$0")/c.py"'),
        (SCRIPT, "scripts/a.sh", "cd $(dirname $0)/b.py", "cd $(dirname $0)/c.py"),
        (
            SCRIPT,
            "scripts/a.ps1",
            "Join-Path $PSScriptRoot 'b.py'",
            "Join-Path $PSScriptRoot 'c.py'",
        ),
        (
            SCRIPT,
            "scripts/d.py",
            'Path(__file__).parent / "b.py"',
            'Path(__file__).parent / "c.py"',
        ),
        (SCRIPT, "scripts/a.sh", "python3 scripts/b.py", "python3 scripts/c.py"),
        # The file itself is moved.
        (
            ("references/x.md", "x.md"),
            "references/x.md",
            "[it](../scripts/b.py)",
            "[it](scripts/b.py)",
        ),
        (
            ("references", "docs"),
            "references/x.md",
            "[x](x.md), `notes.md`",
            "[x](x.md), `notes.md`",
        ),
        (SHELL, "scripts/a.sh", '"$(dirname "$0")/b.py"', '"$(dirname "$0")/../scripts/b.py"'),
        (
            FOLDER,
            "scripts/a.sh",
            '"$(dirname "$0")/b.py" scripts/b.py',
            '"$(dirname "$0")/b.py" tools/b.py',
        ),
        # CRLF and a missing last newline stay.
        (SCRIPT, "SKILL.md", "a\r\nscripts/b.py\r\nb", "a\r\nscripts/c.py\r\nb"),
    ],
)
def test_a_path_follows(move: tuple[str, str], path: str, text: str, after: str) -> None:
    assert moved(*move, path, text) == after


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("SKILL.md", "https://example.com/scripts/b.py /scripts/b.py ~/scripts/b.py"),
        ("SKILL.md", "my/scripts/b.py scripts/b.pyc scripts/b.py.txt $X/scripts/b.py"),
        ("SKILL.md", "The file b.py, the word scripts, and `b.py`."),
        ("scripts/a.sh", "python3 b.py ./b.py ../scripts/b.py"),
        ("scripts/d.py", 'open("b.py")'),
    ],
)
def test_a_path_that_may_name_another_file_stays(path: str, text: str) -> None:
    assert moved(*SCRIPT, path, text) == text


def test_other_skills_and_folders_of_tools_are_left_out() -> None:
    texts = {
        "SKILL.md": HEAD,
        "in/SKILL.md": HEAD,
        "node_modules/a.md": "",
        "big.md": BIG,
    }
    tree = MemoryTree({name: text.encode() for name, text in texts.items()}, "tea")
    assert linking_files(locate(tree).skill) == ["SKILL.md"]
