"""New within the workbench: templates, questions, preview, creation, and every way back."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.manifest.targets import targets
from skillstudio.session.fields import Field
from skillstudio.session.wizard.state import WizardInput, WizardState
from skillstudio.session.wizard.wizard import Wizard
from skillstudio.tui.app import Studio
from skillstudio.tui.screens.dialogs import Confirm, OpenPath, PromptDialog
from skillstudio.tui.screens.new import NewScreen
from skillstudio.tui.widgets.fields.entries import LineEntry
from skillstudio.tui.widgets.fields.list import FieldEditor, FieldList

from ..conftest import GOOD, NARROW_FIRST, Open, bench, settled, shown
from .conftest import NAMED, SKILL, done, own, take, to_questions, to_templates, type_, wizard


def flat(screen: str) -> str:
    """What is shown, with every line that was broken in one."""
    return " ".join(screen.split())


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_wrong_name_seen_at_once_preview_created_opened(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        screen = await to_templates(pilot)
        assert "[Template" in screen
        assert "script-tool" in screen
        await take(pilot, "script-tool")
        screen = await type_(pilot, "My Skill")
        assert "✗ rejected by skill-creator, skills-ref, spec" in screen
        assert "✗ invalid: name" in screen

        screen = await type_(pilot, "commit-helper")
        assert "✗" not in screen
        assert "✓ creates skills/commit-helper" in screen
        await pilot.press("ctrl+n")
        screen = await done(pilot)
        assert "[Preview" in screen
        assert "✓ no problems · creates" in screen
        assert "count.py" in screen
        assert "name: commit-helper" in screen, "SKILL.md is shown first"
        await pilot.press("G")
        screen = await done(pilot)
        assert "✓ check: no problems" in screen
        assert f"accepted by ✓ 6 of {len(targets())} targets" in screen
        assert f"○ {len(targets()) - 6} look elsewhere" in screen
        assert files(skills) == ["alpha/SKILL.md", "beta/SKILL.md"], "nothing is written yet"

        await pilot.press("ctrl+s")
        screen = await done(pilot)
        assert "commit-helper 0.1.0 · SKILL.md" in screen
        assert bench(pilot).open.skill == "commit-helper"
        assert bench(pilot).views.editor is not None
        assert "commit-helper" in bench(pilot).session.workspace.skills
        assert "commit-helper/scripts/count.py" in files(skills)
        await pilot.press("escape")
        assert "✓ commit-helper" in await done(pilot)


@pytest.mark.slow
async def test_a_click_on_a_step_goes_to_it(open_studio: Open, skills: Path) -> None:
    async def click(step: str) -> str:
        row = shown(pilot).splitlines()[1]
        await pilot.click(offset=(row.index(step) + 1, 1))
        return await done(pilot)

    async with open_studio(skills) as pilot:
        await to_templates(pilot)
        for step in ("Questions", "Preview", "Questions", "Preview", "Template", "Template"):
            assert f"{step}]" in await click(step)
        assert files(skills) == ["alpha/SKILL.md", "beta/SKILL.md"]


@pytest.mark.slow
async def test_what_is_unsaved_elsewhere_stays_as_it_is(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "e", "Z")
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        text = buffer.text
        await to_questions(pilot, "agent-skills")
        await pilot.press("ctrl+n")
        await done(pilot)
        await pilot.press("ctrl+s")
        await done(pilot)
        assert (skills / "new-skill" / "SKILL.md").is_file()
        assert bench(pilot).open.skill == "new-skill"
        assert buffer.dirty
        assert buffer.text == text
        assert (skills / "alpha" / "SKILL.md").read_text() == GOOD.format(name="alpha")
        await pilot.press("escape")
        assert "alpha ●" in await done(pilot)


@pytest.mark.slow
async def test_the_new_skill_is_in_the_list_whatever_the_filter_lets_through(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("slash", *"beta", "enter")
        await to_questions(pilot, "agent-skills")
        await pilot.press("ctrl+n")
        await done(pilot)
        await pilot.press("ctrl+s")
        screen = await done(pilot)
        assert "Skills 3" in screen
        assert "new-skill" in screen


@pytest.mark.slow
async def test_escape_goes_back_step_by_step_and_every_answer_is_kept(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await to_questions(pilot, "agent-skills")
        await type_(pilot, "kept-one")
        wizard(pilot).query_one(FieldList).go_to("description")
        await pilot.pause()
        await pilot.press("end", *"XYZ", "ctrl+n")
        assert "[Preview" in await done(pilot)

        await pilot.press("escape")
        screen = await done(pilot)
        assert "[Questions" in screen
        assert "kept-one" in screen
        assert wizard(pilot).wizard.answers["description"].endswith("XYZ")

        await pilot.press("escape")
        assert "[Template" in await done(pilot)
        await take(pilot, "agent-skills")
        assert "kept-one" in await done(pilot)
        assert wizard(pilot).wizard.answers["description"].endswith("XYZ")

        await pilot.press("escape", "escape")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, NewScreen)
        await to_questions(pilot, "agent-skills")
        assert "kept-one" in shown(pilot)
        assert files(skills) == ["alpha/SKILL.md", "beta/SKILL.md"]


@pytest.mark.slow
async def test_a_folder_taken_since_the_preview_is_said_and_left_alone(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        await to_questions(pilot, "agent-skills")
        await pilot.press("ctrl+n")
        await done(pilot)
        (skills / "new-skill").mkdir()
        (skills / "new-skill" / "mine.txt").write_text("mine")
        await pilot.press("ctrl+s")
        screen = await done(pilot)
        assert "✗ nothing was created: " in flat(screen)
        assert "it already exists; skillstudio never overwrites files" in flat(screen)
        assert files(skills / "new-skill") == ["mine.txt"]

        await pilot.press("escape")
        assert "✗ it already exists" in await done(pilot)
        await pilot.press("ctrl+n")
        assert "✗ no preview yet; invalid: the folder" in await done(pilot)
        await type_(pilot, "another")
        await pilot.press("ctrl+n")
        await done(pilot)
        await pilot.press("ctrl+s")
        await done(pilot)
        assert bench(pilot).open.skill == "another"


async def test_a_template_with_a_fault_says_where_it_is_and_cannot_be_taken(
    open_studio: Open, skills: Path
) -> None:
    own("aa-broken", "a: [\n")
    async with open_studio(skills, (80, 24)) as pilot:
        screen = await to_templates(pilot)
        assert "✗ aa-broken" in screen
        assert "cannot be used" in screen
        assert "aa-broken/copier.yml:2:1:" in screen.replace("\n", "").replace(" ", "")
        await pilot.press("enter")
        screen = await done(pilot)
        assert "[Template" in screen
        assert "✗ aa-broken cannot be used" in screen
        await pilot.press("down")
        assert "✗ aa-broken cannot be used; see above" not in await done(pilot)


@pytest.mark.slow
async def test_a_template_mended_meanwhile_is_read_again(open_studio: Open, skills: Path) -> None:
    folder = own("mine", NAMED, **{"SKILL.md.jinja": SKILL + "{{ nope }}\n"})
    async with open_studio(skills) as pilot:
        await to_questions(pilot, "mine")
        await pilot.press("ctrl+n")
        screen = await done(pilot)
        assert "✗ the skill cannot be created" in screen
        assert "SKILL.md.jinja:6:1: 'nope' is undefined" in flat(screen)
        await pilot.press("ctrl+s")
        assert "not now: the preview is not ready" in await done(pilot)
        (folder / "SKILL.md.jinja").write_text(SKILL)
        await pilot.press("escape", "escape")
        await done(pilot)
        await take(pilot, "mine")
        await pilot.press("ctrl+n")
        assert "✓ check: no problems" in await done(pilot)


@pytest.mark.slow
async def test_a_question_that_fails_for_an_answer_keeps_the_form(
    open_studio: Open, skills: Path
) -> None:
    own("mine", NAMED + "n: {type: int, default: 2, validator: '{{ 1 / n }}'}\n", a="x")
    async with open_studio(skills) as pilot:
        await to_questions(pilot, "mine")
        await pilot.press("down", "down")
        screen = await type_(pilot, "0")
        assert "✗ the template cannot be used: " in flat(screen)
        assert "copier.yml:3:39: ZeroDivisionError: division by zero" in flat(screen)
        assert len(wizard(pilot).query(FieldEditor)) == 3
        await type_(pilot, "1")
        assert "ZeroDivisionError" not in await done(pilot)


@pytest.mark.slow
@pytest.mark.usefixtures("only_own")
async def test_without_any_template_one_elsewhere_can_be_named(
    open_studio: Open, skills: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "copier.yml").write_text(NAMED)
    (tmp_path / "elsewhere" / "SKILL.md.jinja").write_text(SKILL)
    async with open_studio(skills) as pilot:
        screen = await to_templates(pilot)
        assert "There is no template here." in screen
        await pilot.press("down")
        for which, wanted in (
            (str(tmp_path / "nowhere"), "✗ no template or folder"),
            (str(tmp_path / "elsewhere"), "[Questions"),
        ):
            await pilot.press("enter")
            while not isinstance(pilot.app.screen, PromptDialog):
                await pilot.pause()
            pilot.app.screen.query_one(Input).value = which
            await pilot.press("enter")
            assert wanted in await done(pilot)


HOSTILE = "[@click=app.quit]x[/] \x1b]52;c;aGk=\x07 \u202eevil"


@pytest.mark.slow
async def test_nothing_of_a_template_is_markup_or_steers_the_terminal(
    open_studio: Open, skills: Path
) -> None:
    unless = "{% if not bad %}["
    quoted = '"[@click=app.quit]x[/] \\e]52;c;aGk=\\a \\u202eevil"'
    own(
        "mine",
        f"_skillstudio: {{dialect: agent-skills, description: {quoted}}}\n"
        'name: {type: str, default: "{{ _folder_name }}"}\n'
        f"line: {{type: str, default: {quoted}, help: {quoted}, placeholder: {quoted}}}\n"
        f"empty: {{type: str, placeholder: {quoted}, default: ''}}\n"
        f"choice: {{type: str, choices: [[{quoted}, a], [b, b]], default: a}}\n"
        f"bad: {{type: str, default: '', validator: {quoted.replace('[', unless, 1)[:-1]}"
        '{% endif %}"}\n'
        f"box: {{type: str, multiline: true, default: {quoted}}}\n",
        **{"SKILL.md.jinja": SKILL, "[b]x[": HOSTILE + "\n"},
    )
    async with open_studio(skills, (120, 60)) as pilot:
        screens = [await to_templates(pilot)]
        await take(pilot, "mine")
        screens.append(await done(pilot))
        for question in ("line", "box", "bad"):
            wizard(pilot).query_one(FieldList).go_to(question)
            await pilot.pause()
            await pilot.press("end", "ctrl+u", "a")
        await pilot.press("ctrl+n")
        screens.append(await done(pilot))
        await pilot.press("down")
        screens.append(await done(pilot))
        for screen in screens:
            assert screen.replace("\n", "").isprintable()
            assert "\u202e" not in screen
        for screen in (screens[0], screens[1], screens[3]):
            assert "[@click=app.quit]x[/] ␛]52;c;aGk=␇ <U+202E>evil" in screen
        assert "[b]x[" in screens[2]


@pytest.mark.slow
async def test_conditions_choices_boxes_and_secrets_by_keys_alone(
    open_studio: Open, skills: Path
) -> None:
    own(
        "mine",
        'name: {type: str, default: "{{ _folder_name }}"}\n'
        "more: {type: bool}\n"
        "some: {type: str, multiselect: true, choices: [a, b, c], default: [a],"
        ' when: "{{ more }}"}\n'
        "one: {type: str, choices: [x, [y, {value: y, validator: not yet}], z], default: x}\n"
        'text: {type: str, multiline: true, default: "l1\\nl2"}\n'
        "key: {type: str, secret: true, default: hush}\n",
        **{"out.jinja": "{{ more }} {{ some }} {{ one }} {{ text }} {{ key }}"},
    )
    async with open_studio(skills, (120, 40)) as pilot:
        screen = await to_questions(pilot, "mine")
        assert "○ required" in screen
        assert "[x] a" not in screen
        assert "○ yes  ○ no" in screen
        await pilot.press("enter", "enter", "space", "enter")
        screen = await done(pilot)
        assert "● yes  ○ no" in screen
        assert "[x] a" in screen, "its condition holds now"
        wizard(pilot).query_one(FieldList).go_to("some")
        await pilot.press("space", "down", "space", "enter")
        screen = await done(pilot)
        assert "[ ] a" in screen
        assert "[x] b" in screen
        await pilot.press("down")
        screen = await done(pilot)
        assert "✗ cannot be y: not yet" in screen
        await pilot.press("down", "tab")
        await pilot.press("enter", "Q", "tab")
        await pilot.press(*"pass")
        screen = await done(pilot)
        assert "hush" not in screen
        assert "pass" not in screen.replace("passed", "")
        await pilot.press("enter")
        await done(pilot)
        preview = wizard(pilot).preview
        assert preview is not None
        assert preview.draft is not None
        assert preview.draft.rendering.files["out"] == b"True ['b'] z l1\nl2\nQ pass"


@pytest.mark.slow
async def test_a_yes_no_question_is_switched_by_one_key_and_by_a_click(
    open_studio: Open, skills: Path
) -> None:
    async def press(*keys: str) -> str:
        await pilot.press(*keys)
        return await done(pilot)

    own("mine", NAMED + "loud: {type: bool, default: false}\nlast: {type: str}\n", a="{{ loud }}")
    async with open_studio(skills, (80, 24)) as pilot:
        await to_questions(pilot, "mine")
        wizard(pilot).query_one(FieldList).go_to("loud")
        typed = wizard(pilot).wizard.answers
        assert "○ yes  ● no" in await done(pilot)
        for key, line, given in (
            ("space", "● yes  ○ no", {"loud": True}),
            ("space", "○ yes  ● no", {"loud": False}),
            ("space", "● yes  ○ no", {"loud": True}),
            ("delete", "○ yes  ● no", {}),
            ("backspace", "○ yes  ● no", {}),
        ):
            assert line in await press(key)
            assert typed == given
        row = next(at for at, line in enumerate(shown(pilot).splitlines()) if "○ yes" in line)
        column = shown(pilot).splitlines()[row].index("yes")
        await pilot.click(offset=(column, row))
        assert "● yes  ○ no" in await done(pilot)
        assert typed == {"loud": True}
        await press("down", "x")
        assert typed == {"loud": True, "last": "x"}


@pytest.mark.slow
async def test_a_check_with_errors_is_asked_about(open_studio: Open, skills: Path) -> None:
    own("mine", NAMED, **{"SKILL.md.jinja": "---\nname: Bad Name\n---\n"})
    async with open_studio(skills) as pilot:
        await to_questions(pilot, "mine")
        await pilot.press("ctrl+n")
        screen = await done(pilot)
        assert "check ✗" in screen
        await pilot.press("G")
        screen = await done(pilot)
        assert screen.index("SKILL.md:2:7") < screen.index(" look elsewhere"), "problems first"
        for answer, made in (("n", False), ("y", True)):
            await pilot.press("ctrl+s")
            while not isinstance(pilot.app.screen, Confirm):
                await pilot.pause()
            assert "The new skill has errors" in shown(pilot)
            await pilot.press(answer)
            await done(pilot)
            assert (skills / "new-skill").exists() is made


class Held(Wizard):
    """A wizard whose looks wait for a gate, as a slow template makes them."""

    def __init__(self, base: str) -> None:
        super().__init__(base)
        self.gate = threading.Event()
        self.looks: list[str] = []

    def look(self, content: WizardInput) -> WizardState:
        self.looks.append(content.where)
        assert self.gate.wait(60)
        return super().look(content)

    def interrupt(self) -> None:
        self.gate.set()
        super().interrupt()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillstudio.tui.commands.skills.Wizard", Held)


async def to_held(pilot: Pilot[int]) -> Held:
    """Choose a template, and come back while it is looked at for the first time."""
    await to_templates(pilot)
    await pilot.press("enter")
    held = bench(pilot).wizard
    assert isinstance(held, Held)
    while not held.looks:
        await pilot.pause()
    return held


@pytest.mark.slow
@pytest.mark.usefixtures("held")
async def test_typing_goes_on_while_a_template_takes_its_time_and_the_last_answers_win(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        held = await to_held(pilot)
        held.gate.set()
        await done(pilot)
        held.gate.clear()
        held.looks.clear()
        await pilot.press("ctrl+u", *"abcdef")
        while "checking the answers…" not in shown(pilot):
            await pilot.pause()
        assert "abcdef" in shown(pilot), "the screen does not wait"
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert "checking the answers for the preview…" in shown(pilot)
        held.gate.set()
        screen = await done(pilot)
        assert "[Preview" in screen
        assert "abcdef/" in screen
        assert held.looks[-1] == "abcdef"
        assert len(held.looks) <= 3


@pytest.mark.usefixtures("held")
async def test_escape_leaves_a_template_that_takes_its_time(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        await to_held(pilot)
        await pilot.press("escape")
        assert "[Template" in await done(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert pilot.app.screen is bench(pilot)


@pytest.mark.slow
async def test_keys_that_come_at_once_count_in_their_order(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await to_questions(pilot, "agent-skills")
        for key in ("x", "y", "ctrl+n"):
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        screen = await done(pilot)
        assert "[Preview" in screen
        assert "xy/" in screen


@pytest.mark.slow
async def test_what_is_pasted_cannot_steer_the_terminal(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await to_questions(pilot, "agent-skills")
        focused = pilot.app.focused
        assert isinstance(focused, Input)
        await pilot.press("ctrl+u")
        pilot.app.post_message(events.Paste("a\x1b[31mb\u202e"))
        screen = await done(pilot)
        assert focused.value == "a␛[31mb<U+202E>", "once"
        assert "✗ its name contains a character that some systems do not allow" in screen


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_the_terminals_cursor_is_where_the_focus_is(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        await to_templates(pilot)
        for keys in (["tab"], ["tab", "enter"], ["tab"], ["ctrl+n"], ["tab"], ["tab"]):
            await pilot.press(*keys)
            await done(pilot)
            focused = pilot.app.focused
            assert focused is not None
            at = pilot.app.cursor_position
            screen = Region(0, 0, *size)
            assert focused.content_region.contains_point(at)
            assert screen.contains_point(at)


@pytest.mark.slow
@pytest.mark.parametrize("colours", [True, False])
async def test_states_are_shown_in_words(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch, colours: bool
) -> None:
    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")
    own("mine", NAMED + "open: {type: str}\nset: {type: str, default: x}\n", a="x")
    (skills / "other").mkdir()
    (skills / "other" / "SKILL.md").write_text(GOOD.format(name="taken"))
    async with open_studio(skills, (80, 24)) as pilot:
        pilot.app.theme = "high-contrast"
        await to_questions(pilot, "mine")
        screen = await type_(pilot, "taken")
        assert "✓ creates skills/taken" in screen
        assert "! other has the same name" in screen
        assert "○ required" in screen
        assert "default" not in screen, "the field has it already"
        assert "▌folder" in screen, "a bar shows the focus"
        screen = await type_(pilot, "other")
        assert "✗ it already exists; skillstudio never overwrites files" in screen


@pytest.mark.slow
@pytest.mark.parametrize("size", [(60, 16), (66, 20), (100, 24)])
async def test_each_step_fits_small_screens(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        assert "agent-skills" in await to_templates(pilot)
        await take(pilot, "recipe")
        for _ in range(4):
            await pilot.press("tab")
            await done(pilot)
            focused = pilot.app.focused
            assert focused is not None
            assert Region(0, 0, *size).contains_region(focused.region)
        await pilot.press("ctrl+n")
        assert "✓ no problems · creates" in await done(pilot)
        await pilot.resize_terminal(40, 10)
        assert "skillstudio needs 60 × 16 characters" in await done(pilot)


@pytest.mark.slow
async def test_the_last_line_shows_the_keys_and_help_lists_them(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        await to_templates(pilot)
        assert shown(pilot).split("\n")[-1].split() == [
            "^n", "next", "esc", "back", "f1", "help",
        ]  # fmt: skip
        await pilot.press("f1")
        while isinstance(pilot.app.screen, NewScreen):
            await pilot.pause()
        assert "The templates for a new skill." in shown(pilot)
        assert "new: Create the skill" in shown(pilot)
        await pilot.press(*"next", "enter")
        assert "[Questions" in await done(pilot)


@pytest.mark.slow
async def test_quitting_asks_about_unsaved_text(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await pilot.press("enter", "e", "Z")
        await settled(pilot)
        await to_templates(pilot)
        await pilot.press("ctrl+q")
        while not isinstance(pilot.app.screen, Confirm):
            await pilot.pause()
        assert "Unsaved changes" in shown(pilot)


@pytest.mark.slow
async def test_beside_a_skill_that_is_open_alone_the_new_one_is_opened_instead(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills / "alpha") as pilot:
        screen = await to_questions(pilot, "agent-skills")
        assert "✓ creates skills/new-skill" in screen
        await pilot.press("ctrl+n")
        await done(pilot)
        await pilot.press("ctrl+s")
        await done(pilot)
        while not (bench(pilot).open.skill == "" and bench(pilot).views.editor):
            await settled(pilot)
        assert bench(pilot).session.workspace.root == str(skills / "new-skill")


async def test_the_welcome_begins_a_skill_too(
    open_studio: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []

    async def on_open_path(_app: Studio, message: OpenPath) -> None:
        opened.append(message.path)

    monkeypatch.setattr(Studio, "on_open_path", on_open_path)
    async with open_studio(None) as pilot:
        assert "New skill from a template" in shown(pilot)
        await pilot.press("n")
        while not isinstance(pilot.app.screen, NewScreen):
            await pilot.pause()
        await done(pilot)
        await pilot.press("enter")
        await done(pilot)
        await pilot.press("ctrl+n")
        await done(pilot)
        await pilot.press("ctrl+s")
        await done(pilot)
        assert opened == [str(tmp_path / "new-skill")]
        assert (tmp_path / "new-skill" / "SKILL.md").is_file()


async def test_nothing_of_the_wizard_is_loaded_before_it_is_shown(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        assert bench(pilot).wizard is None
        await to_templates(pilot)
        interview = wizard(pilot).wizard._interview
        assert interview is None, "nothing is read before a template is taken"


@pytest.mark.slow
async def test_a_long_default_shows_its_beginning_until_somebody_types_in_it(
    open_studio: Open, skills: Path, only_own: None
) -> None:
    default = "{{ _folder_name }} tells of much. " + "word " * 30 + "END"
    own("mine", f"{NAMED}given: {{type: str, default: '{default}'}}\n", **{"SKILL.md.jinja": SKILL})
    async with open_studio(skills) as pilot:
        await to_questions(pilot, "mine")
        screen = await type_(pilot, "tea-lore")
        assert "tea-lore tells of much" in screen
        assert "END" not in screen
        await pilot.press("down", "down")
        assert "END" in await done(pilot)


@pytest.mark.slow
async def test_typing_replaces_a_default_and_adds_to_the_users_own_text(
    open_studio: Open, skills: Path
) -> None:
    own("mine", NAMED + "size: {type: str, default: small}\n", **{"SKILL.md.jinja": SKILL})
    async with open_studio(skills, (80, 24)) as pilot:
        await to_questions(pilot, "mine")
        given = wizard(pilot).wizard.answers
        await pilot.press(*"tea", "enter", *"tea", "tab", *"big")
        await done(pilot)
        assert wizard(pilot).wizard.where == "tea"
        assert given["size"] == "big"
        await pilot.press("up", "down", *"ger")
        await done(pilot)
        assert given["size"] == "bigger"


async def test_a_default_that_follows_another_answer_stays_selected() -> None:
    class Alone(App[None]):
        def compose(self) -> ComposeResult:
            field = Field("name", "name", "line", text="new-skill")
            yield LineEntry(field, field.text, {}, replaces=True)

    async with Alone().run_test() as pilot:
        entry = pilot.app.query_one(LineEntry)
        assert entry.selected_text == "new-skill"
        entry.show_text("tea")
        assert entry.selected_text == "tea"
        await pilot.press("end")
        entry.show_text("teas")
        assert entry.selected_text == "", "the user has moved the cursor"
