"""Which paths a client may use, and what the others are refused with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.mcp.places import PathRefused, allowed_folders, path_of_uri


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two roots, a folder outside, and links between them."""
    for folder in (
        "one/tea",
        "one/group/oolong",
        "one/a/mate",
        "two/b/mate",
        "two/chai",
        "outside/secret",
    ):
        skill = tmp_path / folder
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(f"---\nname: {skill.name}\ndescription: Tea.\n---\n")
    (tmp_path / "one" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "one" / "across").symlink_to(tmp_path / "two")
    (tmp_path / "one" / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to("one")
    (tmp_path / "one" / "-dash").mkdir()
    return tmp_path


ALLOWED = {
    "the first root": (".", "one", "."),
    "a folder": ("tea", "one", "tea"),
    "a file": ("tea/SKILL.md", "one", "tea/SKILL.md"),
    "the name of a skill's folder": ("oolong", "one", "group/oolong"),
    "an absolute path": ("{}/one/tea", "one", "tea"),
    "an absolute path through a link": ("{}/link/tea", "one", "tea"),
    "a path of the second root": ("{}/two/chai", "two", "chai"),
    "a link into another root": ("across/chai", "two", "chai"),
    "a way out and back": ("../one/tea", "one", "tea"),
    "a name like an option": ("-dash", "one", "./-dash"),
}


@pytest.mark.parametrize(("path", "root", "argument"), ALLOWED.values(), ids=list(ALLOWED))
def test_what_is_in_a_root_may_be_used(
    workspace: Path, path: str, root: str, argument: str
) -> None:
    folders = allowed_folders([str(workspace / "link"), str(workspace / "two")])
    found = folders.place(path.format(workspace))
    assert (Path(found.root), found.argument) == (workspace / root, argument)


REFUSED = {
    "a path outside": ("/etc/passwd", "/etc/passwd is outside of the folders"),
    "one that does not exist": ("/etc/nothing", "/etc/nothing is outside of the folders"),
    "a parent": ("../outside", "outside of the folders that this server may use: "),
    "a link out of the root": ("out", "out is outside of"),
    "a path through such a link": ("out/secret/SKILL.md", "outside of"),
    "a loop of links": ("loop", "there is no file, folder or skill loop"),
    "a misspelled skill": ("oolnog", "no file, folder or skill oolnog; did you mean oolong?"),
    "a misspelled path": ("group/oolnog", "did you mean group/oolong?"),
    "something unknown": ("coffee", "there is no file, folder or skill coffee"),
    "two skills of a name": ("mate", "2 skills are called mate: a/mate, b/mate; name a path"),
    "a null character": ("tea\0", "the path contains a null character"),
}


@pytest.mark.parametrize(("path", "message"), REFUSED.values(), ids=list(REFUSED))
def test_everything_else_is_refused_in_one_sentence(
    workspace: Path, path: str, message: str
) -> None:
    folders = allowed_folders([str(workspace / "one"), str(workspace / "two")])
    with pytest.raises(PathRefused) as refused:
        folders.place(path)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_roots_that_do_not_exist_allow_nothing(tmp_path: Path) -> None:
    assert allowed_folders([str(tmp_path / "a"), str(tmp_path)]).roots == (str(tmp_path),)
    with pytest.raises(PathRefused, match="there is no folder"):
        allowed_folders([str(tmp_path / "a")])


@pytest.mark.skipif(os.name == "nt", reason="paths of Unix")
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c", "/a/b c"),
        ("file://localhost/a", "/a"),
        ("file://elsewhere/a", ""),
        ("https://example.org/a", ""),
    ],
)
def test_the_path_of_a_uri(uri: str, path: str) -> None:
    assert path_of_uri(uri) == path
