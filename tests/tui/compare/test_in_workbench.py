"""Compare within the workbench: shown, chosen, followed, waived, bumped, undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain
from textual.pilot import Pilot
from textual.widget import Widget

from skillstudio.session.commands.commands import COMMANDS, why_disabled
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.screens.chooser import Chooser

from ..conftest import NARROW_FIRST, SIZES, Open, bench, finish, seen, settled, shown, until

pytestmark = needs_git
TIGHT = "^[a-c]+$"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A skill whose pattern was tightened since its tag."""
    made = Repo(tmp_path / "repo")
    made.commit({"plain/SKILL.md": plain()}, "plain@1.0.0")
    made.write({"plain/SKILL.md": plain(pattern=TIGHT)})
    return made


async def compared(pilot: Pilot[int]) -> str:
    """What is shown once nothing is being compared."""
    while True:
        await settled(pilot)
        compare = bench(pilot).views.compare
        if compare is None or compare.is_settled:
            return shown(pilot)


async def to_compare(pilot: Pilot[int]) -> str:
    await pilot.press("escape", "5")
    return await compared(pilot)


def off(pilot: Pilot[int], id_: str) -> str:
    command = next(each for each in COMMANDS if each.id == id_)
    return why_disabled(command, bench(pilot).facts())


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_five_shows_what_changed_since_the_last_tag(
    open_studio: Open, repo: Repo, size: tuple[int, int]
) -> None:
    async with open_studio(repo.root, size) as pilot:
        screen = await to_compare(pilot)
        assert "plain@1.0.0  →  working tree  1.0.0" in screen
        assert "✗ needs a major bump: 1.0.0 → 2.0.0" in screen
        assert "▲ major" in screen
        assert "for example" in screen
        assert "[5 Compare" in screen


@pytest.mark.slow
async def test_nothing_of_compare_is_loaded_before_it_is_shown(
    open_studio: Open, repo: Repo
) -> None:
    async with open_studio(repo.root) as pilot:
        assert not bench(pilot).query("CompareView")
        await to_compare(pilot)
        assert len(bench(pilot).query("CompareView")) == 1


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_the_terminals_cursor_is_where_the_focus_is(
    open_studio: Open, repo: Repo, size: tuple[int, int]
) -> None:
    async with open_studio(repo.root, size) as pilot:
        places = []
        for keys in (["escape"], ["5"], ["tab"]):
            await pilot.press(*keys)
            await compared(pilot)
            focused = pilot.app.focused
            assert focused is not None
            at = pilot.app.cursor_position
            assert focused.content_region.contains_point(at)
            places.append(at)
        assert len(set(places)) == 3, "each is another place"


@pytest.mark.slow
async def test_its_keys_say_why_they_do_nothing_elsewhere(open_studio: Open, repo: Repo) -> None:
    async with open_studio(repo.root) as pilot:
        for id_ in (
            *("compare.old", "compare.new", "compare.text", "compare.waive", "compare.bump"),
            *("compare.details", "compare.copy"),
        ):
            assert off(pilot, id_) == "the Compare view is not open: press 5"
        await pilot.press("escape", "b")
        await pilot.pause()
        assert "not now: the Compare view is not open" in shown(pilot).replace("\n", " ")


@pytest.mark.slow
async def test_keys_say_why_where_there_is_nothing_to_do(open_studio: Open, repo: Repo) -> None:
    repo.write({"plain/SKILL.md": plain()})
    async with open_studio(repo.root) as pilot:
        assert "no changes" in await to_compare(pilot)
        assert off(pilot, "compare.waive") == "no change is selected"
        assert off(pilot, "compare.bump") == "the version needs no bump"


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_another_old_version_is_chosen_from_the_list(
    open_studio: Open, repo: Repo, size: tuple[int, int]
) -> None:
    repo.commit({"plain/SKILL.md": plain(pattern=TIGHT, version="3.0.0")})
    async with open_studio(repo.root, size) as pilot:
        await to_compare(pilot)
        await pilot.press("o")
        while not isinstance(pilot.app.screen, Chooser):
            await pilot.pause()
        assert "HEAD" in shown(pilot)
        await pilot.press(*"head", "enter")
        screen = await compared(pilot)
        assert "HEAD  3.0.0  →" in screen
        assert "no changes" in screen


@pytest.mark.slow
async def test_a_revision_and_a_folder_are_typed(
    open_studio: Open, repo: Repo, tmp_path: Path
) -> None:
    repo.commit({"plain/SKILL.md": plain(version="3.0.0")})
    other = tmp_path / "other"
    other.mkdir()
    (other / "SKILL.md").write_text(plain(version="9.0.0"))
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        for typed, chosen, label in (
            ("revision", "HEAD~1", "HEAD~1  1.0.0  →"),
            ("folder", str(other), "9.0.0"),
        ):
            await pilot.press("o")
            while not isinstance(pilot.app.screen, Chooser):
                await pilot.pause()
            await pilot.press(*typed, "enter")
            await pilot.pause()
            field = pilot.app.screen.query_one("Input")
            field.value = chosen  # type: ignore[attr-defined]
            await pilot.press("enter")
            assert label in await compared(pilot)


@pytest.mark.slow
async def test_the_comparison_follows_the_text(open_studio: Open, repo: Repo) -> None:
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        at = buffer.text.index("version: 1.0.0") + len("version: ")
        buffer.replace([(at, at + 1, "2")], "Type")  # type: ignore[list-item]
        screen = await compared(pilot)
        assert "✓ major bump, as required" in screen
        await pilot.press("ctrl+z")
        assert "✗ needs a major bump: 1.0.0 → 2.0.0" in await compared(pilot)


@pytest.mark.slow
async def test_the_comparison_follows_the_disk(open_studio: Open, repo: Repo) -> None:
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        repo.write({"plain/SKILL.md": plain()})
        file = str(repo.root / "plain" / "SKILL.md")
        bench(pilot).look_at_disk(frozenset({file}))  # type: ignore[attr-defined]
        assert "no changes" in await compared(pilot)


@pytest.mark.slow
async def test_enter_goes_to_the_place_and_five_comes_back(open_studio: Open, repo: Repo) -> None:
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        await pilot.press("enter")
        await settled(pilot)
        found = bench(pilot)
        assert found.views.current_view == "edit"
        assert found.views.editor is not None
        assert found.open.buffer is not None
        here = found.views.editor.cursor_offset
        assert found.open.buffer.text[: here + 200].count("topic") == 1
        assert "for example" in await to_compare(pilot)


@pytest.mark.slow
async def test_a_change_is_waived_with_a_reason(open_studio: Open, repo: Repo) -> None:
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        await pilot.press("W")
        await pilot.pause()
        assert "Why is this acceptable?" in shown(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "a waiver needs a reason" in shown(pilot)
        await pilot.press(*"agreed", "enter")
        screen = await compared(pilot)
        assert "~ waived" in screen
        assert "waived: agreed" in screen
        assert 'reason = "agreed"' in (repo.root / "skillstudio.toml").read_text()
        assert off(pilot, "compare.waive").startswith("the selected change needs no waiver")


@pytest.mark.slow
async def test_a_name_that_means_harm_is_only_text_in_the_question(
    open_studio: Open, repo: Repo
) -> None:
    evil = plain(pattern=TIGHT).replace("name: topic", 'name: "to\\e]52;c;aGk=\\a"')
    repo.commit({"plain/SKILL.md": evil.replace(TIGHT, "^.+$")}, "plain@1.1.0")
    repo.write({"plain/SKILL.md": evil})
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        await pilot.press("W")
        await pilot.pause()
        screen = shown(pilot)
        assert "Why is this acceptable?" in screen
        assert "\x1b" not in screen
        assert "52;c;aGk=" in screen


@pytest.mark.slow
async def test_the_bump_says_why_none_is_made(open_studio: Open, repo: Repo) -> None:
    repo.write({"plain/SKILL.md": plain(pattern=TIGHT, version='"2"')})
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        await pilot.press("b")
        await compared(pilot)
        (notice,) = pilot.app._notifications
        assert notice.message.startswith(
            'version not changed: the version "2" is not MAJOR.MINOR.PATCH'
        )
        assert bench(pilot).session.dirty() == []


@pytest.mark.slow
async def test_the_bump_is_made_saved_by_one_key_and_undone_as_one(
    open_studio: Open, repo: Repo
) -> None:
    file, changelog = repo.root / "plain" / "SKILL.md", repo.root / "plain" / "CHANGELOG.md"
    before = file.read_text()
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        await pilot.press("b")
        screen = await compared(pilot)
        assert "✓ major bump, as required" in screen
        assert "● unsaved" in screen
        assert file.read_text() == before
        await pilot.press("S")
        await compared(pilot)
        assert file.read_text() == before.replace("version: 1.0.0", "version: 2.0.0")
        assert "2.0.0" in changelog.read_text()
        await pilot.press("ctrl+z")
        assert "✗ needs a major bump: 1.0.0 → 2.0.0" in await compared(pilot)
        assert sorted(Path(each.path).name for each in bench(pilot).session.dirty()) == [
            "CHANGELOG.md",
            "SKILL.md",
        ]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["K", "ctrl+s"])
async def test_the_key_of_a_bump_saves_what_the_message_names(
    open_studio: Open, repo: Repo, key: str
) -> None:
    repo.write({"other/SKILL.md": plain()})
    async with open_studio(repo.root) as pilot:
        workbench = bench(pilot)
        other = workbench.session.open("other", "SKILL.md")
        other.replace([Splice(len(other.text), len(other.text), "half")], "typed")
        await workbench.open_file("plain")
        await to_compare(pilot)
        await pilot.press("b")
        await compared(pilot)
        (notice,) = pilot.app._notifications
        text = "2.0.0 written to SKILL.md and CHANGELOG.md (not saved); K saves them"
        assert notice.message == text
        await pilot.press(key)
        await compared(pilot)
        assert workbench.session.dirty() == [other]
        assert [each.message for each in pilot.app._notifications][1:] == [
            "saved SKILL.md, CHANGELOG.md"
        ]
        await pilot.press("K")
        assert workbench.session.dirty() == [other]
        await pilot.press("S")
        await seen(pilot, f"saved {Path('other', 'SKILL.md')}")
        assert workbench.session.dirty() == []


@pytest.mark.slow
async def test_a_note_says_why_it_is_not_waived(open_studio: Open, repo: Repo) -> None:
    waiver = '[[waive]]\nfingerprint = "0123456789ab"\nreason = "agreed"\n'
    repo.write({"skillstudio.toml": waiver})
    async with open_studio(repo.root) as pilot:
        assert "matches no change here" in await to_compare(pilot)
        await pilot.press("G")
        assert off(pilot, "compare.waive").startswith("the selected row is a note")


@pytest.mark.slow
async def test_a_bump_is_not_made_in_another_version(open_studio: Open, repo: Repo) -> None:
    repo.commit({"plain/SKILL.md": plain(pattern=TIGHT)})
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        found = bench(pilot)
        assert found.views.comparison is not None
        assert found.views.compare is not None
        found.views.comparison.choose("new", found.views.comparison.at("HEAD"))
        found.views.compare.refresh_soon()
        await compared(pilot)
        assert off(pilot, "compare.bump") == "the new version is not the open skill"


@pytest.mark.slow
async def test_v_shows_the_texts_in_one_column_or_two(open_studio: Open, repo: Repo) -> None:
    async with open_studio(repo.root, (140, 36)) as pilot:
        two = await to_compare(pilot)
        assert "~ SKILL.md  changed  -1 +1" in two
        assert any(line.count("pattern:") == 2 for line in two.split("\n"))
        await pilot.press("v")
        one = await compared(pilot)
        assert not any(line.count("pattern:") == 2 for line in one.split("\n"))
        await pilot.press("v")
        two = await compared(pilot)
        assert any(line.count("pattern:") == 2 for line in two.split("\n"))


@pytest.mark.slow
async def test_all_facts_of_a_change_are_shown_in_place_of_the_texts(
    open_studio: Open, repo: Repo
) -> None:
    async with open_studio(repo.root) as pilot:
        assert "fingerprint" not in await to_compare(pilot)
        await pilot.press("i")
        screen = await compared(pilot)
        assert "fingerprint" in screen
        assert "SKILL.md  changed" not in screen
        await pilot.press("i")
        assert "SKILL.md  changed" in await compared(pilot)


@pytest.mark.slow
async def test_the_comparison_is_copied_as_markdown(
    open_studio: Open, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_studio(repo.root) as pilot:
        copied: list[str] = []
        monkeypatch.setattr(pilot.app, "copy_to_clipboard", copied.append)
        await to_compare(pilot)
        await pilot.press("m")
        await seen(pilot, "characters of Markdown")
        (text,) = copied
        assert "needs a major bump" in text
        assert "input-pattern-tightened" in text


@pytest.mark.slow
async def test_the_texts_are_at_the_place_of_the_selected_change(
    open_studio: Open, repo: Repo
) -> None:
    long = plain(pattern=TIGHT) + "\n".join(f"line {n}" for n in range(300))
    repo.commit({"plain/SKILL.md": long}, "plain@1.1.0")
    repo.write({"plain/SKILL.md": long.replace("line 280", "LINE 280").replace(TIGHT, "^[a-b]+$")})
    async with open_studio(repo.root, (80, 24)) as pilot:
        screen = await to_compare(pilot)
        assert "pattern:" in screen
        assert "LINE 280" not in screen


@pytest.mark.slow
async def test_another_skill_is_compared_when_it_is_opened(open_studio: Open, repo: Repo) -> None:
    repo.commit({"other/SKILL.md": plain("other")}, "other@1.0.0")
    async with open_studio(repo.root) as pilot:
        await bench(pilot).open_file("plain")
        await to_compare(pilot)
        await bench(pilot).open_file("other")
        screen = await compared(pilot)
        assert "other@1.0.0  →" in screen
        assert "no changes" in screen


@pytest.mark.slow
async def test_the_next_problem_is_shown_in_the_text(open_studio: Open, repo: Repo) -> None:
    repo.write({"plain/SKILL.md": plain().replace("name: plain", "name: Other")})
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        await pilot.press("f8")
        await settled(pilot)
        assert bench(pilot).views.current_view == "edit"


@pytest.mark.slow
async def test_a_skill_outside_git_offers_to_choose(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills / "alpha", (80, 24)) as pilot:
        screen = await to_compare(pilot)
        assert screen.count("no older version to compare with") == 1
        assert "not in a git repository" in " ".join(screen.split())
        assert "o chooses a tag, a folder or an archive" in screen


@pytest.mark.slow
async def test_a_manifest_that_does_not_parse_leads_to_its_place(
    open_studio: Open, repo: Repo
) -> None:
    repo.write({"plain/SKILL.md": plain().replace("version: 1.0.0", "version: [1.0.0")})
    async with open_studio(repo.root) as pilot:
        assert "✗ new: " in await to_compare(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert bench(pilot).views.current_view == "edit"


@pytest.mark.slow
async def test_the_tab_shows_the_bump_and_follows_the_text(open_studio: Open, repo: Repo) -> None:
    async with open_studio(repo.root) as pilot:
        await to_compare(pilot)
        assert "[5 Compare ▲ major" in shown(pilot)
        await pilot.press("1")
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        assert "5 Compare ▲ major" in shown(pilot)
        buffer.replace([Splice(0, len(buffer.text), plain())], "typed")
        await seen(pilot, "5 Compare ✓")


@pytest.mark.slow
async def test_without_an_old_version_the_view_says_what_it_is_for(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills / "alpha") as pilot:
        screen = await to_compare(pilot)
        assert "Compare shows what a new version breaks" in screen
        assert "o chooses a tag, a folder or an archive" in screen


@pytest.mark.slow
async def test_the_texts_have_the_width_of_the_panes_beside_them(
    open_studio: Open, repo: Repo
) -> None:
    async with open_studio(repo.root, (230, 40)) as pilot:
        sides = [await until_mounted(pilot, f"#{pane}-pane") for pane in ("side", "card")]
        await to_compare(pilot)
        assert [bool(side.region) for side in sides] == [False, False]
        bench(pilot).go_to_pane("side")
        await until(pilot, lambda: [bool(side.region) for side in sides] == [True, False])
        assert bench(pilot).focused in sides[0].query("*")
        await pilot.press("4")
        await until(pilot, lambda: all(side.region for side in sides))


async def until_mounted(pilot: Pilot[int], selector: str) -> Widget:
    await until(pilot, lambda: bool(bench(pilot).query(selector)))
    return bench(pilot).query_one(selector)


@pytest.mark.slow
async def test_a_tag_made_elsewhere_is_the_new_base_without_a_key(
    open_studio: Open, repo: Repo
) -> None:
    async with open_studio(repo.root, (170, 40), watch=True) as pilot:
        assert "plain@1.0.0  →" in await to_compare(pilot)
        repo.git("commit", "-q", "-a", "-m", "tight")
        repo.git("tag", "plain@1.1.0")
        screen = await seen(pilot, "plain@1.1.0  1.0.0  →", "[5 Compare ✓]")
        assert "✓ no bump needed" in screen
        await pilot.press("1")
        await seen(pilot, "Since plain@1.1.0  nothing changed")


@pytest.mark.slow
async def test_the_tab_of_the_hidden_comparison_follows_git(open_studio: Open, repo: Repo) -> None:
    async with open_studio(repo.root, watch=True) as pilot:
        await to_compare(pilot)
        await pilot.press("1")
        await seen(pilot, "5 Compare ▲ major")
        repo.git("commit", "-q", "-a", "-m", "tight")
        repo.git("tag", "plain@1.1.0")
        await seen(pilot, "[1 Edit ✗1]", "5 Compare ✓")


@pytest.mark.slow
async def test_git_is_read_again_at_the_latest_when_the_view_is_shown(
    open_studio: Open, repo: Repo
) -> None:
    async with open_studio(repo.root) as pilot:
        assert "plain@1.0.0  →" in await to_compare(pilot)
        await pilot.press("1")
        repo.git("tag", "plain@1.1.0")
        assert "plain@1.1.0  1.0.0  →" in await to_compare(pilot)


@pytest.mark.slow
async def test_a_linked_work_tree_and_a_repository_above_are_followed(
    open_studio: Open, repo: Repo, tmp_path: Path
) -> None:
    repo.commit({"plain/SKILL.md": plain(pattern=TIGHT)})
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "side", str(linked))
    async with open_studio(linked / "plain", watch=True) as pilot:
        assert "plain@1.0.0  →" in await to_compare(pilot)
        repo.git("tag", "plain@1.1.0")
        assert "✓ no bump needed" in await seen(pilot, "plain@1.1.0  1.0.0  →")
        repo.git("pack-refs", "--all")
        repo.git("tag", "-d", "plain@1.1.0")
        await seen(pilot, "plain@1.0.0  →")


@pytest.mark.slow
async def test_a_skill_that_is_committed_after_it_was_opened_is_no_longer_missing(
    open_studio: Open, tmp_path: Path
) -> None:
    root = tmp_path / "late"
    (root / "plain").mkdir(parents=True)
    (root / "plain" / "SKILL.md").write_text(plain())
    async with open_studio(root, watch=True) as pilot:
        await to_compare(pilot)
        await seen(pilot, "not in a git repository")
        repo = Repo(root)
        await seen(pilot, "the repository has no commits")
        repo.write({"other.txt": "x"})
        repo.git("add", "other.txt")
        repo.git("commit", "-q", "-m", "other")
        screen = await seen(pilot, "HEAD: missing  →")
        assert "cannot be compared: HEAD does not have this skill" in screen
        assert "no bump needed" not in screen
        assert "[5 Compare] ✓" not in screen
        repo.commit({}, "plain@1.0.0")
        await seen(pilot, "plain@1.0.0  →", "no changes")
        repo.write({"plain/SKILL.md": plain(pattern=TIGHT)})
        await seen(pilot, "✗ needs a major bump: 1.0.0 → 2.0.0")


@pytest.mark.slow
async def test_a_chosen_version_stays_chosen_and_its_removal_is_reported(
    open_studio: Open, repo: Repo
) -> None:
    repo.git("tag", "v1")
    async with open_studio(repo.root, watch=True) as pilot:
        await to_compare(pilot)
        views = bench(pilot).views
        assert views.comparison is not None
        assert views.compare is not None
        views.comparison.choose("old", views.comparison.at("v1"))
        views.compare.refresh_soon()
        await seen(pilot, "v1  1.0.0  →")
        repo.git("tag", "plain@1.1.0")
        await until(pilot, lambda: not views.is_git_outdated)
        assert "v1  1.0.0  →" in await compared(pilot)
        repo.git("tag", "-d", "v1")
        screen = await seen(pilot, "unknown git revision 'v1'")
        assert "v1  →" in screen
        assert "no bump needed" not in screen


@pytest.mark.slow
async def test_nothing_is_started_while_git_stays_the_same(
    open_studio: Open, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_studio(repo.root, watch=True) as pilot:
        await to_compare(pilot)
        looks = 0
        outdated = type(bench(pilot).views).is_git_outdated.fget  # type: ignore[attr-defined]

        def counted(views: object) -> bool:
            nonlocal looks
            looks += 1
            return bool(outdated(views))

        monkeypatch.setattr(type(bench(pilot).views), "is_git_outdated", property(counted))

        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("a program is started")

        monkeypatch.setattr("subprocess.Popen.__init__", refuse)
        await until(pilot, lambda: looks > 2)
        assert "plain@1.0.0  →" in await finish(pilot)


@pytest.mark.slow
async def test_the_filter_of_changed_skills_follows_git(open_studio: Open, repo: Repo) -> None:
    repo.write({"other/SKILL.md": plain("other")})
    async with open_studio(repo.root, watch=True) as pilot:
        workbench = bench(pilot)
        await pilot.press("escape", "/", *"since:HEAD", "enter")
        await seen(pilot, "s Skills 2 of 2")
        repo.git("add", "other")
        repo.git("commit", "-q", "-m", "other")
        await seen(pilot, "s Skills 1 of 2")
        assert workbench.session.workspace.changed_skills == {"plain"}


@pytest.mark.slow
async def test_saving_all_names_the_files(open_studio: Open, repo: Repo) -> None:
    names = [f"more{number}" for number in range(7)]
    repo.write({f"{name}/SKILL.md": plain(name) for name in names})
    async with open_studio(repo.root) as pilot:
        session = bench(pilot).session
        for name in names:
            buffer = session.open(name, "SKILL.md")
            buffer.replace([Splice(len(buffer.text), len(buffer.text), "half")], "typed")
        await pilot.press("escape", "S")
        await settled(pilot)
        files = ", ".join(str(Path(name, "SKILL.md")) for name in names[:5])
        assert [each.message for each in pilot.app._notifications] == [
            f"saved 7 files: {files} and 2 more"
        ]
