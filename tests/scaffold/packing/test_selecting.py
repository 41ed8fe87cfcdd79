"""What is in an archive, what is not and why, and what no archive may hold."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests.scaffold.packing.conftest import Make

from skillstudio.files import archive_entries
from skillstudio.files.disk import DiskTree
from skillstudio.files.ignore import Ignore
from skillstudio.files.left_out import exclusion_rules
from skillstudio.manifest.exclusions import ITSELF, OTHER, PackExclusions
from skillstudio.manifest.registry import tables_of
from skillstudio.scaffold.packing import selecting
from skillstudio.scaffold.packing.selecting import (
    EMPTY,
    PackRefused,
    SelectedFiles,
    select,
)
from skillstudio.skill.hashing.content_hash import read_ignore

POSIX = pytest.mark.skipif(os.name == "nt", reason="links and FIFOs of Unix")


def chosen(tree: DiskTree, links: bool = True, system: str = "agent-skills") -> SelectedFiles:
    return select(tree, PackExclusions(read_ignore(tree), [system], ["out.zip"]), "plain", links)


def chosen_with(tree: DiskTree, ignore: Ignore | None) -> SelectedFiles:
    return select(tree, PackExclusions(ignore), "plain", links=True)


ALWAYS = {
    "version control": [".git/HEAD", ".git", "sub/.git/config", ".hg/x", ".svn/x", ".jj/x"],
    "credentials": [".env", ".env.local", "a/.env", ".envrc", ".netrc", ".git-credentials"],
    "interpreter": ["__pycache__/a.pyc", "a/b.pyc", ".ipynb_checkpoints/a.ipynb"],
    "cache": [".pytest_cache/x", ".mypy_cache/x", ".coverage", "big/CACHEDIR.TAG"],
    "packages": ["node_modules/a/index.js", ".venv/x", "any/pyvenv.cfg"],
    "file manager": [".DS_Store", "a/._b", "__MACOSX/x", "Thumbs.db", "desktop.ini"],
    "editor": ["a~", ".SKILL.md.swp", ".#a", "#a#", ".SKILL.md.0123456789ab.tmp"],
}


@pytest.mark.parametrize(
    ("why", "path"), [(why, path) for why, paths in ALWAYS.items() for path in paths]
)
def test_what_is_never_packed(make: Make, why: str, path: str) -> None:
    """Not even where the author asks for it."""
    found = chosen(make({path: "x", ".skillignore": "!*\n!*/\n"}))
    assert found.paths == (".skillignore", "SKILL.md")
    assert len(found.exclusions) == 1
    assert path.startswith(found.exclusions[0].path.rstrip("/"))
    assert why in found.exclusions[0].reason


@pytest.mark.parametrize(
    "path",
    [
        *(
            ".env.example",
            "env",
            "environment.md",
            "a/.env.template",
            ".gitignore",
            ".github/x.yml",
        ),
        *(
            "build/x",
            "dist/x.js",
            "venv/notes.md",
            "a/evals/x",
            "tests/test_a.py",
            "a.py",
            "cache/x",
        ),
        *("tilde~/x", "pycache/x", "node_modules.md", ".skill/x", "CACHEDIR.TAG", "pyvenv.cfg"),
    ],
)
def test_what_only_looks_like_it_is_packed(make: Make, path: str) -> None:
    assert path in chosen(make({path: "x"})).paths


@pytest.mark.parametrize(
    ("system", "path"), [("agent-skills", "evals/evals.json"), ("caro-1.0", "tests/a.md")]
)
def test_what_a_systems_own_packer_leaves_out_can_be_taken_back(
    make: Make, system: str, path: str
) -> None:
    folder = path.partition("/")[0]
    left = chosen(make({path: "x"}), system=system).exclusions
    assert [each.path for each in left] == [f"{folder}/"]
    assert path in chosen(make({".skillignore": f"!{folder}/\n"}), system=system).paths
    assert path in chosen(make({".skillignore": ""}), system="provenact-1").paths


def test_each_reason_names_the_entry_once(make: Make) -> None:
    found = chosen(
        make(
            {
                ".skillignore": "# mine\n*.log\ndrafts/\n",
                "a.log": "x",
                "drafts/deep/er.md": "x",
                "empty/": "",
                "out.zip": "x",
                "node_modules/a/b/c.js": "x",
            }
        )
    )
    assert found.paths == (".skillignore", "SKILL.md")
    assert {each.path: each.reason for each in found.exclusions} == {
        "a.log": ".skillignore:2",
        "drafts/": ".skillignore:3",
        "empty/": EMPTY,
        "node_modules/": "locally installed packages; list them in a requirements file",
        "out.zip": ITSELF,
    }


def test_the_order_is_that_of_bytes(make: Make) -> None:
    names = ["a/b", "a-b", "a.b", "a0", "B", "é", "z"]
    assert chosen(make(dict.fromkeys(names, "x"))).paths == (
        *("B", "SKILL.md", "a-b", "a.b", "a/b", "a0", "z", "é"),
    )


@POSIX
def test_a_pipe_is_named_and_not_opened(make: Make) -> None:
    tree = make()
    os.mkfifo(tree.path("pipe"))
    assert [tuple(each) for each in chosen(tree).exclusions] == [("pipe", OTHER)]


@POSIX
@pytest.mark.parametrize("target", ["a/file.md", "./a/../a/file.md", "other"])
def test_a_link_within_the_skill_is_kept_or_the_file_takes_its_place(
    make: Make, target: str
) -> None:
    tree = make({"a/file.md": "#!x", "other": "-> a/file.md", "link": f"-> {target}"})
    kept = chosen(tree)
    assert (kept.tree.kind("link"), kept.tree.target("link")) == ("link", target)
    assert kept.replaced_links == ()
    plain = chosen(tree, links=False)
    assert plain.tree.kind("link") == "file"
    assert (plain.tree.read("link"), plain.tree.mode("link")) == (b"#!x", 0o755)
    assert plain.replaced_links == ("link", "other")


@POSIX
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("../secret", "points outside of the skill"),
        ("a/../../plain/SKILL.md", "points outside of the skill"),
        ("/etc/passwd", "is not a path within the skill"),
        ("gone.md", "points to a file that does not exist"),
        ("link", "points to a file that does not exist"),
        ("a\\b", "is not a path within the skill"),
        (".env", "is not packed (local settings and credentials)"),
        ("drafts/one.md", "is not packed (.skillignore:1)"),
        ("through", "is not packed (local settings and credentials)"),
    ],
)
@pytest.mark.parametrize("links", [True, False], ids=["tar", "zip"])
def test_a_link_that_an_archive_cannot_follow_is_refused(
    make: Make, tmp_path: Path, target: str, said: str, links: bool
) -> None:
    """Not even by way of a link may a file get in that is left out."""
    (tmp_path / "secret").write_text("x")
    files = {
        "a/x": "",
        ".env": "x",
        ".skillignore": "drafts/\n",
        "drafts/one.md": "x",
        "through": "-> .env",
    }
    if target != "through":
        del files["through"]
    tree = make({**files, "link": f"-> {target}"})
    with pytest.raises(PackRefused) as refused:
        chosen(tree, links)
    [reason] = [each for each in refused.value.reasons if each.startswith("link ")]
    assert reason.startswith(f"link is a link to {target!r}, which ")
    assert reason.endswith(said)


@POSIX
def test_a_link_to_a_folder_has_no_place_in_a_zip_file(make: Make) -> None:
    tree = make({"a/b.md": "x", "link": "-> a"})
    assert chosen(tree).tree.resolve("link/b.md") == "a/b.md"
    with pytest.raises(PackRefused, match=r"^link is a link to the folder a; .*pack a \.tgz"):
        chosen(tree, links=False)


@POSIX
def test_a_link_in_a_folder_on_the_way_does_not_lead_out(make: Make, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x.md").write_text("x")
    tree = make({"way": "-> ../elsewhere", "link": "-> way/x.md"})
    with pytest.raises(PackRefused) as refused:
        chosen(tree)
    assert len(refused.value.reasons) == 2
    assert all("points outside of the skill" in each for each in refused.value.reasons)


@POSIX
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a:b.md", "do not allow in file names"),
        ("a\\b.md", "do not allow in file names"),
        ("a\nb.md", "do not allow in file names"),
        ("\x1b[2J.md", "do not allow in file names"),
        ("nul", "device on Windows"),
        ("a.", "ends with a dot"),
        ("skill.MD", "are the same file on some systems"),
        (os.fsdecode(b"\xff.md"), "do not allow in file names"),
    ],
)
def test_a_name_that_some_system_cannot_hold_is_refused(make: Make, name: str, said: str) -> None:
    with pytest.raises(PackRefused, match=re.escape(said)):
        chosen(make({name: "x"}))


@POSIX
def test_every_name_is_told_and_what_to_do(make: Make) -> None:
    with pytest.raises(PackRefused) as refused:
        chosen(make({"nul": "x", "a:b": "x", "B.md": "x", "b.md": "x"}))
    assert str(refused.value).split("\n") == [
        "the path 'a:b' contains a character that some systems do not allow in file names",
        "'B.md' and 'b.md' are the same file on some systems",
        "the path 'nul' has the part nul, which is a device on Windows",
        "rename the file, or list it in .skillignore",
    ]


def test_what_cannot_be_read_is_refused_by_its_path(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make({"a/b.md": "x"})

    def denied(self: DiskTree, path: str, limit: int | None = None) -> bytes:
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(DiskTree, "read", denied)
        with pytest.raises(PackRefused, match=r"SKILL\.md cannot be read: Permission denied"):
            chosen_with(tree, None)
    monkeypatch.setattr(DiskTree, "list", denied)
    with pytest.raises(PackRefused, match=r"^the folder cannot be read: Permission denied"):
        chosen_with(tree, None)


def test_what_unpack_would_refuse_is_not_packed(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make({"a/b/c.md": "x" * 5000})
    monkeypatch.setattr(selecting, "MAX_FILE", 4999)
    with pytest.raises(PackRefused, match=r"a/b/c\.md is larger than"):
        chosen(tree)
    monkeypatch.setattr(selecting, "MAX_FILE", archive_entries.MAX_FILE)
    monkeypatch.setattr(selecting, "MAX_TOTAL", 5000)
    with pytest.raises(PackRefused, match=r"the skill is larger than .*\n.*\.skillignore"):
        chosen(tree)
    monkeypatch.setattr(selecting, "MAX_TOTAL", archive_entries.MAX_TOTAL)
    monkeypatch.setattr(selecting, "MAX_ENTRIES", 1)
    with pytest.raises(PackRefused, match="more than 1 files"):
        chosen(tree)
    monkeypatch.setattr(selecting, "MAX_ENTRIES", 2)
    monkeypatch.setattr(selecting, "MAX_DEPTH", 3)
    with pytest.raises(PackRefused, match="too deeply nested"):
        chosen(tree)


def test_a_long_refusal_is_cut(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = make({f"{number:02}.md": "xx" for number in range(40)})
    monkeypatch.setattr(selecting, "MAX_FILE", 1)
    with pytest.raises(PackRefused) as refused:
        chosen(tree)
    lines = str(refused.value).splitlines()
    assert (len(lines), lines[-2]) == (22, "and 21 more")
    assert lines[-1] == "list files that do not belong to the skill in .skillignore"


def test_the_rules_are_all_of_use() -> None:
    """Each has a reason, and names that the engine reads as they are meant."""
    of_dialects = [rule for _, rule in tables_of("pack.toml", "rule")]
    assert of_dialects
    for rule in [*exclusion_rules(), *of_dialects]:
        ignore = Ignore("\n".join(rule["names"]).encode(), "rule")
        assert ignore.warnings == []
        assert rule["reason"].strip()
        assert set(rule) <= {"names", "holds", "reason", "usual", "copies", "compiled"}


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d" * 32 + "\nsize 12345\n"


def test_pointers_of_git_lfs_are_refused(make: Make) -> None:
    tree = make({"assets/b.bin": POINTER, "a.png": POINTER, "SPEC.md": "As in " + POINTER})
    with pytest.raises(PackRefused) as error:
        chosen(tree)
    assert error.value.reasons == [
        "a.png is a Git LFS pointer, not the file; run git lfs pull",
        "assets/b.bin is a Git LFS pointer, not the file; run git lfs pull",
    ]
    assert "or list a file that does not belong to the skill in .skillignore" in str(error.value)
    ignored = make({"assets/b.bin": POINTER, ".skillignore": "assets\na.png\n"})
    assert "assets/b.bin" not in chosen(ignored).paths
