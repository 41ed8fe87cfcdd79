"""Files of a skill that are created, renamed and deleted, and the way back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.session.drafts import Drafts
from skillstudio.session.session import Session
from skillstudio.session.skill_files import FilesRefused, SkillFiles, file_to_open, link_edits
from skillstudio.session.workspace import Workspace
from skillstudio.text.diagnostic import Splice

TEXT = """---
name: tea
description: Makes tea.
---
Run [it](scripts/a.py), then [this](./scripts/a.py#main).
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tea = tmp_path / "skills" / "tea"
    for path, text in {"SKILL.md": TEXT, "scripts/a.py": "a\n", "scripts/b.py": "b\n"}.items():
        (tea / path).parent.mkdir(parents=True, exist_ok=True)
        (tea / path).write_text(text)
    return tea


@pytest.fixture
def session(folder: Path, tmp_path: Path) -> Session:
    workspace = Workspace(str(folder.parent))
    workspace.take(workspace.find())
    for entry in list(workspace.skills.values()):
        workspace.skills[entry.path] = workspace.examine(entry)
    return Session(workspace, Drafts(str(tmp_path / "state" / "drafts")))


@pytest.fixture
def files(session: Session) -> SkillFiles:
    return SkillFiles(session, now=0.0)


def content(folder: Path) -> dict[str, str]:
    """Every file with its text, and every empty folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else "/"
        for path in sorted(folder.rglob("*"))
        if path.is_file() or not any(path.iterdir())
    }


def test_every_change_is_undone_to_the_same_bytes(folder: Path, files: SkillFiles) -> None:
    (folder / "scripts/a.py").chmod(0o755)
    before = content(folder)
    files.create("tea", "docs/deep/new.md")
    files.create("tea", "empty/")
    files.rename("tea", "scripts/a.py", "bin/c.py")
    files.rename("tea", "scripts", "tools")
    files.delete("tea", "tools/b.py")
    files.delete("tea", "bin")
    assert content(folder) == {
        "SKILL.md": TEXT, "docs/deep/new.md": "", "empty": "/", "tools": "/",
    }  # fmt: skip
    said = [done.text for _ in range(6) if (done := files.undo())]
    assert said == [
        "restored bin",
        "restored tools/b.py",
        "renamed tools back to scripts",
        "renamed bin/c.py back to scripts/a.py",
        "removed empty",
        "removed docs/deep/new.md",
    ]
    assert files.undo() is None
    assert content(folder) == before
    assert os.access(folder / "scripts/a.py", os.X_OK)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "enter a name"),
        ("../out.md", "the name points outside of the folder"),
        ("/tmp/out.md", "the name is absolute"),
        ("a//b", "the name has an empty part"),
        ("con", "the name has the part con, which is a device on Windows"),
        ("a:b", "the name contains a character that some systems do not allow in file names"),
        (".git/hooks", "the name has the part .git, whose files version control can run"),
        ("scripts/b.py", "scripts/b.py: it already exists; skillstudio never overwrites files"),
        ("scripts/b.py/c", "scripts/b.py is a file, not a folder"),
        ("out/a", "out is a link; links are not followed"),
    ],
)
def test_names_that_are_refused(folder: Path, files: SkillFiles, name: str, why: str) -> None:
    (folder / "out").symlink_to(folder.parent)
    before = content(folder)
    with pytest.raises(FilesRefused) as refused:
        files.rename("tea", "scripts/a.py", name)
    assert str(refused.value) == why
    with pytest.raises(FilesRefused):
        files.create("tea", name)
    assert content(folder) == before
    assert files.undo() is None


def test_a_skill_keeps_its_manifest(files: SkillFiles) -> None:
    for act in (files.delete, lambda skill, path: files.rename(skill, path, "b.md")):
        with pytest.raises(FilesRefused, match=r"a skill needs its manifest, SKILL\.md"):
            act("tea", "SKILL.md")


def test_a_rename_updates_links_and_its_undo_takes_them_back(
    folder: Path, session: Session, files: SkillFiles
) -> None:
    links = link_edits(session.workspace.analyse("tea"), {}, "scripts", "tools")
    assert links.number == 2
    files.rename("tea", "scripts", "tools", links)
    buffer = session.open("tea", "SKILL.md")
    assert "[it](tools/a.py), then [this](./tools/a.py#main)" in buffer.text
    assert (folder / "SKILL.md").read_text() == TEXT, "links are edited, not saved"
    assert files.undo() is not None
    assert buffer.text == TEXT


def test_a_rename_with_its_paths_is_one_step(
    folder: Path, session: Session, files: SkillFiles
) -> None:
    (folder / "scripts/b.py").write_text('Path(__file__).parent / "a.py"')
    links = link_edits(session.workspace.analyse("tea"), {}, "scripts/a.py", "a.py")
    files.rename("tea", "scripts/a.py", "a.py", links)
    manifest, script = session.open("tea", "SKILL.md"), session.open("tea", "scripts/b.py")
    assert script.text == 'Path(__file__).parent / "../a.py"'
    assert session.changed_with(manifest) == [script], "they are saved together"
    assert files.undoes(manifest)
    assert files.undoes(script)
    files.undo()
    assert not session.dirty()
    assert session.redo(manifest) is None, "the file would not follow"
    assert session.redo(script) is None
    assert not files.undoes(manifest)


def test_links_that_were_edited_since_stay(session: Session, files: SkillFiles) -> None:
    links = link_edits(session.workspace.analyse("tea"), {}, "scripts/a.py", "scripts/c.py")
    files.rename("tea", "scripts/a.py", "scripts/c.py", links)
    buffer = session.open("tea", "SKILL.md")
    buffer.replace([Splice(0, 0, "\n")], "Typing")
    done = files.undo()
    assert done is not None
    assert done.text.endswith("; SKILL.md was edited since: check its paths")
    assert "scripts/c.py" in buffer.text


def test_unsaved_text_follows_its_file(folder: Path, session: Session, files: SkillFiles) -> None:
    buffer = session.open("tea", "scripts/a.py")
    buffer.replace([Splice(0, 0, "new ")], "Typing")
    session.keep_drafts(1.0)
    files.rename("tea", "scripts", "tools")
    session.keep_drafts(2.0)
    assert [draft.path for draft in session.drafts.all()] == [str(folder / "tools/a.py")]
    assert session.open("tea", "tools/a.py") is buffer
    assert files.has_unsaved("tea", "tools")
    files.delete("tea", "tools")
    assert session.drafts.all() == []
    assert not session.dirty()
    files.undo()
    session.keep_drafts(3.0)
    assert session.open("tea", "tools/a.py") is buffer
    assert buffer.text == "new a\n"
    assert [draft.text for draft in session.drafts.all()] == ["new a\n"]


@pytest.mark.parametrize(
    "data", [b"a\r\nb\r\n", b"a\nb", b"\xef\xbb\xbfa\r\n\r\nb", b"", b"a\rb\n"]
)
@pytest.mark.parametrize("path", ["scripts/a.py", "in.py", "linked/a.py"])
def test_bytes_modes_and_links_survive(
    folder: Path, session: Session, files: SkillFiles, data: bytes, path: str
) -> None:
    (folder / "in.py").symlink_to("scripts/a.py")
    (folder / "linked").symlink_to("scripts")
    script = folder / "scripts/a.py"
    script.write_bytes(data)
    script.chmod(0o751)
    top = path.partition("/")[0]
    buffer = session.open("tea", path)
    buffer.replace([Splice(0, 0, "# ")], "Typing")
    session.save(buffer)
    assert script.read_bytes() == b"# " + data
    session.undo(buffer)
    session.save(buffer)
    buffer.replace([Splice(0, 0, "unsaved")], "Typing")

    def state() -> list[object]:
        links = [os.readlink(folder / name) for name in ("in.py", "linked")]
        return [script.read_bytes(), oct(script.stat().st_mode), links]

    before = state()
    assert before == [data, "0o100751", ["scripts/a.py", "scripts"]]
    files.rename("tea", top, "moved")
    files.delete("tea", "moved")
    assert not os.path.lexists(folder / top)
    assert session.dirty() == []
    files.undo()
    files.undo()
    assert state() == before
    assert buffer.text.startswith("unsaved")
    assert session.dirty() == [buffer]


def test_a_pipe_in_a_deleted_folder_blocks_nothing(folder: Path, files: SkillFiles) -> None:
    os.mkfifo(folder / "scripts/pipe")
    files.delete("tea", "scripts")
    assert not (folder / "scripts").exists()
    files.undo()
    assert (folder / "scripts/pipe").is_fifo()


def test_the_trash_is_emptied_after_thirty_days(
    folder: Path, session: Session, files: SkillFiles, tmp_path: Path
) -> None:
    files.delete("tea", "scripts/a.py")
    trash = tmp_path / "state" / "trash"
    assert [path.read_text() for path in trash.rglob("a.py")] == ["a\n"]
    changed = os.stat(next(trash.iterdir())).st_mtime
    for days, left in ((29, 2), (31, 1)):
        SkillFiles(session, changed + days * 86400).delete("tea", "scripts/b.py")
        assert len(list(trash.iterdir())) == left
        (folder / "scripts/b.py").write_text("b\n")


def test_what_is_opened_how(folder: Path) -> None:
    (folder / "in").symlink_to("scripts/a.py")
    (folder / "out").symlink_to(folder.parent.parent)
    (folder / "gone").symlink_to("none")
    os.mkfifo(folder / "pipe")
    for name, data in {
        "logo.png": b"\x89PNG\r\n\x1a\n",
        "latin.txt": "Käse\n".encode("latin-1"),
        "wide.txt": "tea\n".encode("utf-16"),
        "huge.txt": b"tea\n" * (1 << 18) + b"x",
    }.items():
        (folder / name).write_bytes(data)
    tree = DiskTree(folder)
    for path, opened in {
        "in": ("scripts/a.py", True, ""),
        "latin.txt": ("latin.txt", True, ""),
        "wide.txt": ("wide.txt", False, ""),
        "logo.png": ("logo.png", False, ""),
        "huge.txt": ("huge.txt", False, "read-only: larger than 1 MiB"),
    }.items():
        assert file_to_open(tree, path) == opened
    above = os.readlink(folder / "out")
    for path, why in {
        "out": f"out is a link to {above}, which is not in the skill; it is not followed",
        "gone": "gone is a link to none, which is not in the skill; it is not followed",
        "pipe": "pipe is not a file",
        "scripts": "scripts is a folder",
        "none": "none does not exist",
    }.items():
        with pytest.raises(FilesRefused) as refused:
            file_to_open(tree, path)
        assert str(refused.value) == why
