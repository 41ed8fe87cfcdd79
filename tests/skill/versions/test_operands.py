"""What a person writes for a version, and which files that is."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain

from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileEntry
from skillstudio.skill.versions.comparison import candidates, open_version
from skillstudio.skill.versions.operands import Operand, OperandError, before, resolve
from skillstudio.skill.versions.reading import shown_path

pytestmark = needs_git


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Two skills with three versions each, one of which no tag names."""
    made = Repo(tmp_path_factory.mktemp("operands") / "repo")
    made.commit(
        {"skills/plain/SKILL.md": plain(version="1.0.0"), "other/SKILL.md": plain("other")},
        "plain@1.0.0",
    )
    made.commit({"skills/plain/SKILL.md": plain(version="1.1.0")})
    made.commit({"skills/plain/SKILL.md": plain(version="1.1.0", pattern="^[a-z]*$")})
    made.commit({"skills/plain/SKILL.md": plain(version="2.0.0")}, "v2.0.0")
    return made


@pytest.fixture
def repo(committed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = committed.copied(tmp_path / "repo")
    monkeypatch.chdir(made.root)
    return made


def version(operand: Operand) -> str:
    opened = open_version(operand)
    return opened.version if opened else "absent"


@pytest.mark.parametrize(
    ("text", "path", "ref", "found"),
    [
        ("skills/plain", "skills/plain", "", "2.0.0"),
        ("skills/plain/", "skills/plain", "", "2.0.0"),
        ("skills/plain/SKILL.md", "skills/plain", "", "2.0.0"),
        ("skills", "skills/plain", "", "2.0.0"),
        ("plain", "skills/plain", "", "2.0.0"),
        ("skills/plain@HEAD", "skills/plain", "HEAD", "2.0.0"),
        ("skills/plain@HEAD~3", "skills/plain", "HEAD~3", "1.0.0"),
        ("skills/plain@plain@1.0.0", "skills/plain", "plain@1.0.0", "1.0.0"),
        ("skills/plain@1.0.0", "skills/plain", "plain@1.0.0", "1.0.0"),
        ("skills/plain@2.0.0", "skills/plain", "v2.0.0", "2.0.0"),
        ("plain@1.0.0", "skills/plain", "plain@1.0.0", "1.0.0"),
        ("plain@HEAD~1", "skills/plain", "HEAD~1", "1.1.0"),
        ("HEAD~1:skills/plain", "skills/plain", "HEAD~1", "1.1.0"),
        ("plain@1.0.0:skills/plain", "skills/plain", "plain@1.0.0", "1.0.0"),
        ("main:./skills/plain", "skills/plain", "main", "2.0.0"),
        ("HEAD~1:skills", "skills/plain", "HEAD~1", "1.1.0"),
        ("other@HEAD", "other", "HEAD", "1.0.0"),
        ("other@HEAD@{0}", "other", "HEAD@{0}", "1.0.0"),
    ],
)
def test_a_text_names_a_version(repo: Repo, text: str, path: str, ref: str, found: str) -> None:
    operand = resolve(text)
    assert (operand.path, operand.ref, version(operand)) == (path, ref, found)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("skills/plain@plain@1.0.0", "skills/plain@1.0.0"),
        ("plain@1.0.0", "skills/plain@1.0.0"),
        ("plain@1.0.0:skills/plain", "skills/plain@1.0.0"),
        ("skills/plain@2.0.0", "skills/plain@v2.0.0"),
        ("other@plain@1.0.0", "other@plain@1.0.0"),
        ("other@HEAD@{0}", "other@HEAD@{0}"),
    ],
)
def test_a_label_has_the_name_of_a_tag_once(repo: Repo, text: str, label: str) -> None:
    assert resolve(text).label == label
    assert resolve(label).commit == resolve(text).commit


def test_the_label_of_the_last_tag_has_the_version_alone(repo: Repo) -> None:
    repo.git("tag", "-d", "v2.0.0")
    assert before(resolve("skills/plain")).label == "skills/plain@1.0.0"


@pytest.mark.slow_cases("a@b/skill", "a@v2.0.0/skill", "a@b@c", "x@y:z", "b@", "plain@1.0.0")
@pytest.mark.parametrize(
    "folder", ["a@b/skill", "a@v2.0.0/skill", "@b", "b@", "a@b@c", "plain@1.0.0", "a:b/c", "x@y:z"]
)
def test_a_path_may_hold_the_marks_of_a_revision(repo: Repo, folder: str) -> None:
    repo.commit({f"{folder}/SKILL.md": plain("marked", "1.0.0")}, "marked@1.0.0")
    repo.commit({f"{folder}/SKILL.md": plain("marked", "3.0.0")})
    assert version(resolve(folder)) == "3.0.0"
    for ref in ("HEAD", "main"):
        assert (resolve(f"{folder}@{ref}").path, version(resolve(f"{folder}@{ref}"))) == (
            folder,
            "3.0.0",
        )
        assert version(resolve(f"{ref}:{folder}")) == "3.0.0"
    for ref in ("HEAD~1", "1.0.0", "marked@1.0.0"):
        assert version(resolve(f"{folder}@{ref}")) == "1.0.0"
        assert version(resolve(f"{repo.root}/{folder}@{ref}")) == "1.0.0"
    with pytest.raises(OperandError, match="unknown git revision 'nothing'"):
        resolve(f"{folder}@nothing")
    repo.commit({f"{folder}/SKILL.md": None})
    assert version(resolve(f"{folder}@HEAD~1")) == "3.0.0"


def test_so_may_the_folder_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Repo(tmp_path / "a@v1:x" / "repo@2.0.0")
    made.commit({"one/SKILL.md": plain("one")}, "v1")
    made.commit({"one/SKILL.md": plain("one", "2.0.0")})
    monkeypatch.chdir(made.root)
    assert version(resolve(f"{made.root}/one@v1")) == "1.0.0"
    monkeypatch.chdir(tmp_path)
    assert version(resolve("a@v1:x/repo@2.0.0/one@v1")) == "1.0.0"
    assert before(resolve("a@v1:x/repo@2.0.0/one")).ref == "HEAD"


def test_the_root_of_a_repository_is_a_path_like_others(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OperandError, match=r"choose one: HEAD:other, HEAD:skills/plain$"):
        resolve("HEAD:")
    repo.commit({"other/SKILL.md": None, "skills/plain/SKILL.md": None, "SKILL.md": plain("root")})
    for text in ("HEAD:", "HEAD:.", "HEAD:./", "main:", ".@HEAD"):
        operand = resolve(text)
        assert (operand.path, version(operand)) == (".", "1.0.0")
    (repo.root / "below").mkdir()
    monkeypatch.chdir(repo.root / "below")
    for text in ("..", "..@HEAD", "../.@HEAD"):
        assert version(resolve(text)) == "1.0.0"


def test_a_version_that_no_tag_names_is_the_newest_commit_that_states_it(repo: Repo) -> None:
    operand = resolve("plain@1.1.0")
    assert operand.commit == repo.git("rev-parse", "HEAD~1")
    assert operand.version == "1.1.0"


def test_a_tag_of_the_repository_is_not_taken_for_another_version_of_a_skill(repo: Repo) -> None:
    with pytest.raises(OperandError, match=r"of other.*v2\.0\.0 has version 1"):
        resolve("other@2.0.0")
    assert version(resolve("other@v2.0.0")) == "1.0.0"


def test_a_path_that_exists_wins_over_every_other_reading(repo: Repo) -> None:
    for name in ("plain", "plain@1.0.0", "HEAD..main"):
        (repo.root / name).mkdir()
        (repo.root / name / "SKILL.md").write_text(plain(version="7.0.0"))
        assert version(resolve(name)) == "7.0.0"
        assert resolve(name).ref == ""


def test_paths_and_names_start_from_the_workspace(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    root = str(repo.root)
    for text in ("skills/plain@1.0.0", "plain@1.0.0", "plain@1.0.0:skills/plain"):
        assert version(resolve(text, root)) == "1.0.0"
    assert version(resolve(f"{root}/skills/plain@1.0.0")) == "1.0.0"


def test_a_skill_that_was_not_there_yet_is_absent(repo: Repo) -> None:
    repo.commit({"late/SKILL.md": plain("late")})
    for text in ("late@HEAD~1", "HEAD~1:late", "late@v2.0.0"):
        operand = resolve(text)
        assert operand.tree is None
        assert open_version(operand) is None


def test_a_skill_that_is_gone_is_found_in_the_past(repo: Repo) -> None:
    repo.commit({"other/SKILL.md": None})
    assert resolve("other@HEAD").tree is None
    for text in ("other@HEAD~1", "HEAD~1:other", "other@1.0.0"):
        assert version(resolve(text)) == "1.0.0"


def test_a_path_finds_its_skill_where_it_lay_then(repo: Repo) -> None:
    (repo.root / "moved").mkdir()
    repo.git("mv", "skills/plain", "moved/plain")
    repo.commit({})
    for text in ("moved/plain@HEAD~1", "moved/plain@v2.0.0"):
        operand = resolve(text)
        assert (operand.path, version(operand)) == ("skills/plain", "2.0.0")
        assert operand.note == f"at {operand.ref} it is in skills/plain"
    for text in ("moved/plain@plain@1.0.0", "moved/plain@1.0.0"):
        assert (resolve(text).path, version(resolve(text))) == ("skills/plain", "1.0.0")


def test_the_last_tag_is_found_from_where_the_skill_lies_now(repo: Repo) -> None:
    repo.git("tag", "-d", "v2.0.0")
    repo.git("mv", "skills/plain", "moved")
    for commit in (False, True):
        if commit:
            repo.commit({})
        old = before(resolve("moved"))
        assert (old.ref, old.path, version(old)) == ("plain@1.0.0", "skills/plain", "1.0.0")
        assert old.note == "at plain@1.0.0 it is in skills/plain"
    repo.git("tag", "-d", "plain@1.0.0")
    assert version(before(resolve("moved"))) == "2.0.0"
    repo.git("tag", "v1.9.0", "HEAD~1")
    assert (before(resolve("moved")).ref, before(resolve("moved")).path) == (
        "v1.9.0",
        "skills/plain",
    )


def test_a_copy_is_not_taken_for_the_skill_that_it_was_made_of(repo: Repo) -> None:
    repo.commit({"copy/SKILL.md": plain(version="2.0.0")})
    operand = resolve("copy@HEAD~1")
    assert operand.tree is None
    assert operand.note == "at HEAD~1 no skill is in copy or named plain"


def test_a_name_finds_its_skill_where_it_lay_then(repo: Repo) -> None:
    repo.git("mv", "skills/plain", "moved")
    repo.commit({})
    operand = resolve("plain@HEAD~1")
    assert (operand.path, version(operand)) == ("skills/plain", "2.0.0")
    assert operand.note == "at HEAD~1 it is in skills/plain"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty string is not a skill"),
        ("nowhere", "nowhere is not a file or folder, and no skill in .* is named nowhere; use a"),
        ("main", "main is not a file or folder, .* main is a revision; .* PATH@main"),
        ("nowhere@HEAD", "no skill is named nowhere, neither in the working tree nor at HEAD"),
        ("no/where@HEAD", "no/where is not a folder"),
        ("plain@unknown", "unknown git revision 'unknown'"),
        ("plain@9.9.9", "version 9.9.9 of skills/plain not found: no tag"),
        ("plain@--output=x", "unknown git revision"),
        ("plain@", "plain@ is incomplete after the @; write PATH@REF or PATH@1.2.0"),
        ("@", "@ is incomplete after the @"),
        ("@{", "@{ is not a folder, and no skill in .* is named @{"),
        ("plain@@{u}", "unknown git revision '@{u}'"),
        (":plain", ":plain is not a folder"),
        ("unknown:skills/plain", "unknown git revision 'unknown'"),
        ("HEAD:no/where", "no/where does not exist at HEAD or in its history"),
        ("HEAD:../outside", "outside of the repository"),
        ("HEAD:a/../../b", "leaves the repository"),
        (".", r"\. contains several skills; choose one: \./a/twice, \./b, "),
        ("twice", "2 skills are named twice: a/twice and b; use a path instead"),
        ("twice@HEAD", "2 skills are named twice: a/twice and b"),
        ("empty", "empty does not contain a skill: no SKILL.md"),
        ("notes.txt", "is not a skill, a file of a skill or an archive"),
        ("broken.zip", "broken.zip"),
        ("x\0y", "not a folder|not a file or folder"),
        ("$(touch here)@HEAD", r"no skill is named \$\(touch here\)"),
        ("plain@$(touch here)", "unknown git revision"),
        ("a\nb@HEAD", "no skill is named a"),
    ],
)
def test_what_cannot_be_found_says_what_to_write(repo: Repo, text: str, said: str) -> None:
    repo.write(
        {
            "a/twice/SKILL.md": plain("twice"),
            "b/SKILL.md": plain("twice"),
            "empty/readme.txt": "x",
            "notes.txt": "x",
            "broken.zip": "PK\x03\x04 not really",
        }
    )
    with pytest.raises(OperandError, match=re.compile(said, re.DOTALL)):
        resolve(text)
    assert not (repo.root / "here").exists()


def test_a_folder_that_cannot_be_listed_is_not_called_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(tree: DiskTree, path: str = "") -> list[FileEntry]:
        raise PermissionError(13, "Permission denied", path)

    (tmp_path / "closed").mkdir()
    monkeypatch.setattr(DiskTree, "list", closed)
    with pytest.raises(OperandError, match=r"closed cannot be read: Permission denied$"):
        resolve(str(tmp_path / "closed"))


def test_without_a_repository_a_revision_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "SKILL.md").write_text(plain())
    with pytest.raises(OperandError, match="not in a git repository"):
        resolve(f"{folder}@HEAD")
    with pytest.raises(OperandError, match=r"no older version.*skillstudio diff OLD NEW"):
        before(resolve(str(folder)))


def test_without_git_a_revision_is_refused(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OperandError, match="git is not installed"):
        resolve("skills/plain@HEAD")
    assert version(resolve("skills/plain")) == "2.0.0"


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["plain@2.0.1"], "plain@2.0.1"),
        (["plain@2.0.1", "v3.0.0"], "plain@2.0.1"),
        (["other@9.0.0", "plain@nightly"], "v2.0.0"),
        (["v2.1.0"], "v2.1.0"),
        (["2.1.0"], "2.1.0"),
        ([], "v2.0.0"),
    ],
)
def test_the_old_side_is_the_last_tag_of_the_skill(
    repo: Repo, tags: list[str], expected: str
) -> None:
    repo.git("tag", "-d", "plain@1.0.0")
    repo.commit({"skills/plain/notes.md": "x"}, *tags)
    assert before(resolve("plain")).ref == expected


def test_a_tag_of_another_branch_is_not_the_old_side(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "next")
    repo.commit({"skills/plain/SKILL.md": plain(version="3.0.0")}, "plain@3.0.0")
    repo.git("checkout", "-q", "main")
    assert before(resolve("plain")).ref == "plain@1.0.0"


def test_without_a_tag_the_old_side_is_head(repo: Repo) -> None:
    repo.git("tag", "-d", "v2.0.0", "plain@1.0.0")
    operand = before(resolve("plain"))
    assert (operand.ref, operand.commit) == ("HEAD", repo.git("rev-parse", "HEAD"))


def test_without_a_commit_there_is_no_old_side(tmp_path: Path) -> None:
    made = Repo(tmp_path / "new")
    made.write({"SKILL.md": plain()})
    with pytest.raises(OperandError, match="no older version"):
        before(resolve(str(made.root)))


def pack(repo: Repo, name: str, files: dict[str, str]) -> None:
    with zipfile.ZipFile(repo.root / name, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


@pytest.mark.parametrize("name", ["one.zip", "one.skill"])
@pytest.mark.parametrize("top", ["", "plain/"])
def test_an_archive_is_a_version(repo: Repo, name: str, top: str) -> None:
    pack(repo, name, {f"{top}SKILL.md": plain(version="3.2.1")})
    assert version(resolve(name)) == "3.2.1"


def test_a_folder_of_an_archive_follows_a_colon(repo: Repo) -> None:
    pack(repo, "two.zip", {"a/SKILL.md": plain(version="1.2.3"), "b/SKILL.md": plain("b")})
    assert version(resolve("two.zip:a")) == "1.2.3"
    for text, said in {
        "two.zip": "two.zip contains several skills; choose one: two.zip:a, two.zip:b$",
        "two.zip:c": "does not contain a folder c",
        "two.zip@HEAD": "an archive, which contains only one version",
    }.items():
        with pytest.raises(OperandError, match=said):
            resolve(text)


def test_a_version_in_a_commit_is_shown_as_git_names_it(repo: Repo) -> None:
    assert shown_path(resolve("plain@1.0.0"), "SKILL.md") == "plain@1.0.0:skills/plain/SKILL.md"
    assert shown_path(resolve("plain"), "SKILL.md") == "skills/plain/SKILL.md"


def test_candidates_name_versions_that_can_be_resolved(repo: Repo) -> None:
    repo.write({"copy/SKILL.md": plain(version="0.9.0")})
    found = candidates(str(repo.root / "skills" / "plain"))
    labels = [label for label, _ in found]
    assert labels == ["working tree", "HEAD", "plain@1.0.0", "v2.0.0", "copy"]
    versions = [version(resolve(operand)) for _, operand in found]
    assert versions == ["2.0.0", "2.0.0", "1.0.0", "2.0.0", "0.9.0"]


def test_nothing_is_written(repo: Repo) -> None:
    seen = repo.seen()
    for text in ("plain@1.1.0", "HEAD~2:skills/plain", "plain"):
        open_version(resolve(text))
    assert repo.seen() == seen
    assert repo.git("status", "--porcelain") == ""
    assert os.getcwd() == str(repo.root.resolve())
