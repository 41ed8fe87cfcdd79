"""The limits of uploads to claude.ai on the files of a skill, each quoted from the upload.

A case is the files of a skill beside a plain SKILL.md, and the reasons for which it is refused.
`->` is a link; a number is so many bytes, or so many files for a path with `*`.
"""

from __future__ import annotations

import re
from pathlib import Path
from time import process_time

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import ListedEntry, ListedTree, MemoryContents
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import judge, recorded_targets

MARKDOWN = "---\nname: probe\ndescription: Does it.\n---\n# Probe\n\nDo it.\n"
INNER = "it contains other skills: "
LINKS = "is a symbolic link"
ODD = "a path contains characters other than ASCII: "
MB = 1 << 20

CASES: dict[str, tuple[dict[str, str | int], list[str]]] = {
    "SKILL.md alone": ({}, []),
    "another SKILL.md": ({"sub/SKILL.md": MARKDOWN}, [INNER + "sub/SKILL.md"]),
    "a SKILL.md far below": ({"a/b/c/SKILL.md": "x"}, [INNER + "a/b/c/SKILL.md"]),
    "five": (
        {f"{name}/SKILL.md": "x" for name in "abcde"},
        [INNER + "a/SKILL.md, b/SKILL.md, c/SKILL.md and 2 more"],
    ),
    "files with similar names": ({"a/SKILL.md.bak": "x", "b/MY-SKILL.md": "x"}, []),
    "200 files": ({"a/*": 199}, []),
    "201 files": ({"a/*": 200}, ["it has 201 files, and at most 200 are accepted"]),
    "1,201 files": ({"a/*": 1200}, ["it has 1,201 files, and at most 200 are accepted"]),
    "30 MB": ({"a.bin": 30 * MB - len(MARKDOWN)}, []),
    "more": (
        {"a.bin": 15 * MB, "b.bin": 15 * MB},
        ["the files of the skill are larger than 30 MB"],
    ),
    "a link to a file": ({"a.md": "x", "b.md": "-> a.md"}, [f"b.md {LINKS}"]),
    "a link to nothing": ({"b.md": "-> a.md"}, [f"b.md {LINKS}"]),
    "a link to a folder": ({"a/b.md": "x", "c": "-> a"}, [f"c {LINKS}"]),
    "two links": ({"b": "-> SKILL.md", "a": "-> b"}, ["a, b are symbolic links"]),
    "Cyrillic": ({"references/каталог.md": "x"}, [ODD + "references/каталог.md"]),
    "an accent": ({"é/a.md": "x"}, [ODD + "é/a.md"]),
    "spaces and brackets": ({"a b (1).md": "x", "[c].md": "x"}, []),
    "a plugin manifest": (
        {".claude-plugin/plugin.json": "{}"},
        ["it contains a plugin manifest, .claude-plugin/plugin.json"],
    ),
    "one of another client": ({".codex-plugin/plugin.json": "{}", "plugin.json": "{}"}, []),
    "hidden files": ({".gitignore": "x", ".github/x.yml": "x"}, []),
    # What `pack` and `export` leave out does not count, and frightens nobody.
    "version control": ({".git/*": 300, ".git/é": "x"}, []),
    "packages": ({"node_modules/*": 300, "node_modules/x/SKILL.md": "x"}, []),
    "a virtual environment": ({"env/pyvenv.cfg": "x", "env/*": 300, "env/a": "-> b"}, []),
    "compiled files": ({"a/__pycache__/*": 300}, []),
    "of a Mac": ({"__MACOSX/*": 300, "._é": "x", ".DS_Store": 31 * MB}, []),
    "evaluations": ({"evals/*": 300}, []),
    "ignored": ({".skillignore": "big/\n*.bin\n", "big/*": 300, "a.bin": 31 * MB}, []),
    "an unreadable ignore file": ({".skillignore": "a/\n" * 30_000, "a/b": "x"}, []),
    # The files of inner skills are left out with these.
    "a large inner skill": (
        {"in/SKILL.md": "x", "in/*": 300, "in/é": "-> x", "in/a.bin": 31 * MB},
        [INNER + "in/SKILL.md"],
    ),
    "everything": (
        {
            "é": "-> x",
            "a/SKILL.md": "x",
            ".claude-plugin/plugin.json": "x",
            "b/*": 300,
            "c": 31 * MB,
        },
        [
            INNER + "a/SKILL.md",
            "it contains a plugin manifest, .claude-plugin/plugin.json",
            f"é {LINKS}",
            ODD + "é",
            "it has 303 files, and at most 200 are accepted",
            "the files of the skill are larger than 30 MB",
        ],
    ),
}


def tree_of(files: dict[str, str | int]) -> ListedTree:
    contents = MemoryContents()
    entries: dict[str, ListedEntry] = {}

    def add(path: str, data: bytes, kind: str = "file", size: int = 0) -> None:
        contents.data[path] = data
        entries[path] = ListedEntry(kind, 0o644, size or len(data), path)  # type: ignore[arg-type]

    add("SKILL.md", MARKDOWN.encode())
    for path, what in files.items():
        if isinstance(what, int):
            count = what if "*" in path else 1
            for number in range(count):
                add(path.replace("*", str(number)), b"x", size=1 if "*" in path else what)
        elif what.startswith("-> "):
            add(path, what.removeprefix("-> ").encode(), "link")
        else:
            add(path, what.encode())
    return ListedTree("probe", entries, contents)


@pytest.mark.parametrize(("files", "reasons"), CASES.values(), ids=CASES)
def test_the_files_of_an_upload(files: dict[str, str | int], reasons: list[str]) -> None:
    verdict = judge(locate(tree_of(files)).skill)["claude-upload"]
    assert [reason.text for reason in verdict.reasons] == reasons
    assert verdict.is_accepted == (not reasons)
    sources = recorded_targets()["claude-upload"]["sources"]
    for reason in verdict.reasons:
        assert reason.fix
        assert all(re.split("[:#]", at)[0] in sources for at in reason.evidence.split("; "))


def test_a_linked_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(MARKDOWN)
    (tmp_path / "SKILL.md").symlink_to("other.md")
    [reason] = judge(locate(DiskTree(tmp_path)).skill)["claude-upload"].reasons
    assert reason.text == "SKILL.md is a symbolic link"


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("a/*", ["it has more than 19,999 files, and at most 200 are accepted"]),
        ("node_modules/*", []),
    ],
)
def test_a_huge_folder_is_judged_with_bounded_work(name: str, reasons: list[str]) -> None:
    tree = tree_of({name: 25_000})
    start = process_time()
    verdict = judge(locate(tree).skill, ids=("claude-upload",))["claude-upload"]
    assert process_time() - start < 3
    assert [reason.text for reason in verdict.reasons] == reasons
