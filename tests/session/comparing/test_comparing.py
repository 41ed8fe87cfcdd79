"""Two versions of a skill in a workspace: which are compared, waived and bumped, and what fails."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain

from skillstudio.session.buffer import Buffer
from skillstudio.session.comparing.comparing import (
    SAVED_SKILL,
    WORKING_TREE,
    ComparisonRefused,
    ComparisonResult,
    Sides,
    SkillComparer,
    make_bump,
)
from skillstudio.session.drafts import Drafts
from skillstudio.session.session import Session
from skillstudio.session.workspace import Workspace

TIGHT = "^[a-c]+$"
TODAY = "2030-01-31"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A skill with a tagged version, and a further commit that nothing is tagged at."""
    made = Repo(tmp_path / "repo")
    made.commit({"plain/SKILL.md": plain(), "plain/notes.md": "one\n"}, "plain@1.0.0")
    made.commit({"plain/SKILL.md": plain(pattern="^[a-y]+$")})
    return made


@pytest.fixture
def session(repo: Repo, tmp_path: Path) -> Session:
    return Session(Workspace(str(repo.root)), Drafts(str(tmp_path / "drafts")))


@pytest.fixture
def comparing(session: Session) -> SkillComparer:
    return SkillComparer(session.workspace, "plain")


def found(comparing: SkillComparer, unsaved: dict[str, str] | None = None) -> ComparisonResult:
    return comparing.compare(comparing.sides, unsaved or {})


def kinds(outcome: ComparisonResult) -> list[str]:
    return [change.kind for change in outcome.changes]


def skill_file(comparing: SkillComparer) -> str:
    return comparing.workspace.path("plain", "SKILL.md")


pytestmark = needs_git


def test_the_skill_as_it_is_open_is_held_against_its_last_tag(comparing: SkillComparer) -> None:
    outcome = found(comparing)
    assert (outcome.old.label, outcome.old.version) == ("plain@1.0.0", "1.0.0")
    assert (outcome.new.label, outcome.new.version) == ("working tree", "1.0.0")
    assert kinds(outcome) == ["input-pattern-tightened"]
    assert outcome.bump_to == "2.0.0"
    assert outcome.changes[0].witness is not None
    assert outcome.bump is not None
    assert any("still 1.0.0" in each.message for each in outcome.bump.findings)


def test_what_is_unsaved_counts(comparing: SkillComparer) -> None:
    unsaved = {skill_file(comparing): plain(version="2.0.0", pattern=TIGHT)}
    outcome = found(comparing, unsaved)
    assert outcome.new.label == "working tree, unsaved"
    assert outcome.new.version == "2.0.0"
    assert "^[a-c]+$" in str(outcome.changes[0].new)
    assert outcome.bump_to == ""


def test_what_is_unsaved_is_held_against_what_lies_on_disk(
    repo: Repo, comparing: SkillComparer
) -> None:
    comparing.choose("old", SAVED_SKILL)
    assert found(comparing).changes == ()
    outcome = found(comparing, {skill_file(comparing): plain(pattern=TIGHT)})
    assert (outcome.old.label, outcome.new.label) == ("as saved", "working tree, unsaved")
    assert kinds(outcome) == ["input-pattern-tightened"]
    repo.write({"plain/SKILL.md": plain(pattern=TIGHT)})
    assert found(comparing).changes == ()


def test_without_a_tag_of_its_own_it_is_held_against_head(
    repo: Repo, comparing: SkillComparer
) -> None:
    repo.git("tag", "-d", "plain@1.0.0")
    outcome = found(comparing)
    assert outcome.old.label == "HEAD"
    assert outcome.changes == ()
    assert not outcome.content_differs


def test_versions_are_offered_and_can_be_chosen(repo: Repo, comparing: SkillComparer) -> None:
    choices = {each.label: each.operand for each in comparing.choices("old")}
    assert list(choices) == ["last tag", "working tree", "as saved", "HEAD", "plain@1.0.0"]
    assert comparing.choices("new")[0].operand == WORKING_TREE
    comparing.choose("old", choices["HEAD"])
    comparing.choose("new", choices["plain@1.0.0"])
    outcome = found(comparing)
    assert (outcome.old.label, outcome.new.label) == ("HEAD", "plain@1.0.0")
    assert kinds(outcome) == ["input-pattern-loosened"]


def test_a_revision_can_be_named(comparing: SkillComparer) -> None:
    comparing.choose("old", comparing.at("HEAD~1"))
    assert found(comparing).old.label == "HEAD~1"


def test_a_folder_with_the_skill_is_a_version(comparing: SkillComparer, tmp_path: Path) -> None:
    folder = tmp_path / "repo" / "copies" / "plain"
    shutil.copytree(comparing.folder, folder)
    (folder / "SKILL.md").write_text(plain(pattern=TIGHT))
    choice = next(each for each in comparing.choices("old") if "copies" in each.label)
    comparing.choose("old", choice.operand)
    assert found(comparing).old.label == os.path.join("copies", "plain")


def test_what_was_read_is_kept_until_it_is_forgotten(repo: Repo, comparing: SkillComparer) -> None:
    assert found(comparing).old.label == "plain@1.0.0"
    repo.git("tag", "plain@1.1.0")
    assert found(comparing).old.label == "plain@1.0.0"
    comparing.forget()
    assert found(comparing).old.label == "plain@1.1.0"


def test_outside_git_there_is_no_old_version_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "SKILL.md").write_text(plain("alone"))
    outcome = found(SkillComparer(Workspace(str(tmp_path)), "alone"))
    assert "not in a git repository" in outcome.missing
    assert "skillstudio diff" not in outcome.missing
    assert outcome.new.version == "1.0.0"


def test_a_skill_that_head_does_not_have_is_new(repo: Repo, session: Session) -> None:
    repo.write({"fresh/SKILL.md": plain("fresh")})
    outcome = found(SkillComparer(session.workspace, "fresh"))
    assert outcome.old.label.endswith("missing")
    assert kinds(outcome) == ["skill-added"]


@pytest.mark.parametrize("side", ["old", "new"])
def test_a_manifest_that_does_not_parse_has_its_place(
    repo: Repo, comparing: SkillComparer, side: str
) -> None:
    broken = plain().replace("version: 1.0.0", "version: [1.0.0")
    if side == "new":
        repo.write({"plain/SKILL.md": broken})
    else:
        repo.commit({"plain/SKILL.md": broken}, "plain@1.0.1")
        repo.write({"plain/SKILL.md": plain()})
    outcome = found(comparing)
    assert outcome.comparison is None
    assert {failure.side for failure in outcome.failures} == {side}
    place = outcome.failures[0].place
    assert place is not None
    assert (place.path, place.line > 1) == ("SKILL.md", True)


def test_an_unknown_revision_is_said(comparing: SkillComparer) -> None:
    comparing.choose("old", comparing.at("no-such-tag"))
    failure = found(comparing).failures[0]
    assert failure.side == "old"
    assert "no-such-tag" in failure.message


def test_a_skill_that_is_gone_from_disk_is_said(comparing: SkillComparer) -> None:
    comparing.sides = Sides("/nowhere/at/all", WORKING_TREE)
    assert found(comparing).failures


# Waiving.


def test_a_waived_change_is_kept_with_its_reason_and_asks_for_nothing(
    repo: Repo, comparing: SkillComparer
) -> None:
    (change,) = found(comparing).changes
    file = comparing.waive(change, "nobody sends a z")
    assert file == str(repo.root / "skillstudio.toml")
    outcome = found(comparing)
    assert [each.waived for each in outcome.changes] == ["nobody sends a z"]
    assert outcome.bump_to == "1.0.1", "a patch, because files differ"
    with pytest.raises(ComparisonRefused, match="already waived"):
        comparing.waive(change, "again")


def test_the_rest_of_the_settings_stays_as_it_is(repo: Repo, comparing: SkillComparer) -> None:
    before = '# ours\n[severity]\n"name-missing" = "off"  # for now\n'
    repo.write({"skillstudio.toml": before})
    (change,) = found(comparing).changes
    comparing.waive(change, "agreed")
    assert (repo.root / "skillstudio.toml").read_text().startswith(before)


def test_broken_settings_are_not_written_to(repo: Repo, comparing: SkillComparer) -> None:
    (change,) = found(comparing).changes
    repo.write({"skillstudio.toml": "[severity\n"})
    with pytest.raises(ComparisonRefused, match=r"skillstudio\.toml:1"):
        comparing.waive(change, "agreed")
    assert (repo.root / "skillstudio.toml").read_text() == "[severity\n"


def test_a_waiver_that_matches_nothing_is_noted(repo: Repo, comparing: SkillComparer) -> None:
    repo.write({"skillstudio.toml": '[[waive]]\nfingerprint = "0123456789ab"\nreason = "old"\n'})
    assert "the waiver 0123456789ab (old) matches no change here" in found(comparing).notes


# Bumping.


def test_no_bump_is_told_from_a_version_that_is_not_semantic(
    session: Session, comparing: SkillComparer
) -> None:
    unsaved = {skill_file(comparing): plain(version='"2"')}
    outcome = found(comparing, {skill_file(comparing): plain(version='"2"', pattern=TIGHT)})
    assert outcome.bump_to == ""
    assert "write 2.0.0 in its place" in outcome.no_bump
    with pytest.raises(ComparisonRefused, match="not MAJOR"):
        make_bump(session, "plain", outcome, TODAY)
    assert found(comparing, unsaved).changes == ()


def test_a_skill_without_a_version_is_offered_its_first(
    repo: Repo, comparing: SkillComparer
) -> None:
    bare = plain().replace("version: 1.0.0\n", "")
    repo.commit({"plain/SKILL.md": bare})
    comparing.choose("old", comparing.at("HEAD"))
    assert found(comparing).bump_to == ""
    changed = {skill_file(comparing): bare.replace("[a-z]", "[a-c]")}
    assert found(comparing, changed).bump_to == "0.1.0"


def texts(session: Session) -> dict[str, str]:
    return {os.path.basename(path): buffer.text for path, buffer in session.buffers.items()}


def test_a_bump_is_one_step_in_each_text_and_nothing_on_disk(
    session: Session, comparing: SkillComparer
) -> None:
    manifest = session.open("plain", "SKILL.md")
    before = manifest.text
    files = make_bump(session, "plain", found(comparing), TODAY)
    assert files == ["SKILL.md", "CHANGELOG.md"]
    assert manifest.text == before.replace("version: 1.0.0", "version: 2.0.0")
    assert "2.0.0" in texts(session)["CHANGELOG.md"]
    assert TODAY in texts(session)["CHANGELOG.md"]
    assert not os.path.exists(session.workspace.path("plain", "CHANGELOG.md"))
    assert found(comparing, session.find_unsaved_texts()).bump_to == ""

    session.undo(manifest)
    assert texts(session) == {"SKILL.md": before}
    assert session.dirty() == []
    session.redo(manifest)
    assert "2.0.0" in texts(session)["CHANGELOG.md"]
    assert len(session.dirty()) == 2


def test_what_was_typed_after_a_bump_is_not_undone_with_it(
    session: Session, comparing: SkillComparer
) -> None:
    make_bump(session, "plain", found(comparing), TODAY)
    changelog = session.buffers[session.workspace.path("plain", "CHANGELOG.md")]
    changelog.replace([(0, 0, "My words\n")], "Type")  # type: ignore[list-item]
    session.undo(session.open("plain", "SKILL.md"))
    assert changelog.text.startswith("My words\n")
    assert "2.0.0" in changelog.text


def test_an_entry_goes_on_top_of_a_changelog(
    repo: Repo, session: Session, comparing: SkillComparer
) -> None:
    repo.write({"plain/CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\n- First.\n"})
    make_bump(session, "plain", found(comparing), TODAY)
    text = texts(session)["CHANGELOG.md"]
    assert text.index("2.0.0") < text.index("## 1.0.0\n\n- First.\n")


def test_a_bump_of_a_text_that_changed_meanwhile_is_refused(
    session: Session, comparing: SkillComparer
) -> None:
    outcome = found(comparing)
    buffer = session.open("plain", "SKILL.md")
    buffer.replace([(0, 0, "x")], "Type")  # type: ignore[list-item]
    with pytest.raises(ComparisonRefused, match="compare again"):
        make_bump(session, "plain", outcome, TODAY)
    assert set(texts(session)) == {"SKILL.md"}


def test_a_bump_of_a_read_only_text_is_refused_and_changes_nothing(
    session: Session, comparing: SkillComparer
) -> None:
    path = skill_file(comparing)
    with open(path, "rb") as file:
        session.buffers[path] = Buffer(path, file.read(), read_only="locked")
    with pytest.raises(ComparisonRefused, match="read-only: locked"):
        make_bump(session, "plain", found(comparing), TODAY)
    assert set(texts(session)) == {"SKILL.md"}


def test_nothing_is_bumped_where_nothing_is_asked_for(
    session: Session, comparing: SkillComparer
) -> None:
    comparing.choose("old", comparing.at("HEAD"))
    with pytest.raises(ComparisonRefused, match="no bump is required"):
        make_bump(session, "plain", found(comparing), TODAY)


def test_a_change_of_git_is_noticed_once_something_was_read(
    repo: Repo, comparing: SkillComparer
) -> None:
    assert not comparing.is_outdated
    assert found(comparing).old.label == "plain@1.0.0"
    assert not comparing.is_outdated
    repo.git("tag", "plain@1.1.0")
    assert comparing.is_outdated
    comparing.forget()
    assert not comparing.is_outdated
    assert found(comparing).old.label == "plain@1.1.0"


def test_a_repository_that_begins_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "late" / "plain").mkdir(parents=True)
    (tmp_path / "late" / "plain" / "SKILL.md").write_text(plain())
    comparing = SkillComparer(Workspace(str(tmp_path / "late" / "plain")), "")
    assert "not in a git repository" in found(comparing).missing
    Repo(tmp_path / "late")
    assert comparing.is_outdated
    comparing.forget()
    assert "no commits" in found(comparing).missing


def test_a_chosen_version_stays_and_its_removal_is_reported(
    repo: Repo, comparing: SkillComparer
) -> None:
    repo.git("tag", "v1")
    comparing.choose("old", comparing.at("v1"))
    assert found(comparing).old.label == "v1"
    repo.git("tag", "plain@9.0.0")
    comparing.forget()
    assert found(comparing).old.label == "v1"
    repo.git("tag", "-d", "v1")
    comparing.forget()
    outcome = found(comparing)
    assert (outcome.old.label, outcome.bump) == ("v1", None)
    assert [each.message for each in outcome.failures] == ["unknown git revision 'v1'"]


def test_no_bump_is_judged_without_the_skill_in_both_versions(repo: Repo, session: Session) -> None:
    repo.write({"fresh/SKILL.md": plain("fresh")})
    comparing = SkillComparer(session.workspace, "fresh")
    outcome = found(comparing)
    assert (outcome.bump, outcome.absent_in) == (None, "HEAD")
    repo.commit({})
    comparing.forget()
    outcome = found(comparing)
    assert outcome.bump is not None
    assert outcome.absent_in == ""
