"""The form, key by key, at both sizes: what is typed stands in the text and nothing else moves."""

from __future__ import annotations

from time import process_time

import pytest
from textual.widgets import Input, TextArea

from skillstudio.text.diagnostic import Splice
from skillstudio.tui.widgets.fields.entries import BoxEntry, ChoiceEntry, LineEntry

from .conftest import Harness, Show

SKILL = """---
name: demo
description: Does one thing well.
version: 1.0.0  # kept
inputs:
  required:
    - name: day
      description: A day
      schema:
        type: string
  optional:
    - name: topic
      description: What it is about
      schema:
        type: string
        default: none
    - name: where
      description: The folder
      schema:
        type: string
        default: docs
execution:
  timeout: 0x1E
  network: false
interface:
  inputs: [day, topic]
metadata:
  author: someone
---
# demo
"""

FENCE = """---
name: demo
description: Does one thing well.
---
```skill-manifest
{
  "schema_version": "2.0",
  "id": "demo",
  "version": "0.1.0",
  "capabilities": [],
  "effects": ["db.read", "db.raed"],
  "operations": {},
  "stdout_contract": {"last_line_json": true}
}
```
"""


async def test_typing_in_a_field_changes_its_value_in_the_text(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/name")
        await pilot.press("enter", *"-2", "enter")
        assert app.text == SKILL.replace("name: demo", "name: demo-2", 1)
        assert "demo-2" in app.line("/name")
        assert app.rows.has_focus
        app.buffer.undo()
        await pilot.pause()
        assert app.text == SKILL
        assert "demo-2" not in app.line("/name")


async def test_escape_leaves_a_field_as_it_was(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/name")
        await pilot.press("enter", *"xyz", "escape")
        assert app.text == SKILL
        assert app.rows.has_focus
        assert not app.query(LineEntry)


async def test_tab_keeps_and_goes_on_to_the_next_field(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/name")
        await pilot.press("enter", *"-2", "tab")
        assert isinstance(app.focused, TextArea)
        assert app.focused.text == "Does one thing well."
        await pilot.press("end", *" Yes.", "shift+tab")
        assert isinstance(app.focused, Input)
        assert app.focused.value == "demo-2"
        assert "description: Does one thing well. Yes." in app.text


async def test_an_emptied_optional_field_leaves_the_text(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/version")
        await pilot.press("enter", "ctrl+u", "enter")
        assert "version" not in app.text
        assert "not set" in app.line("/version")


def value(app: Harness, pointer: str) -> str:
    """What the line of a field has beside its label."""
    label, _, shown = app.line(pointer).strip().partition("  ")
    assert label.endswith(pointer.rpartition("/")[2])
    return shown.strip()


async def test_one_key_switches_between_yes_and_no(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/sensitive")
        assert value(app, "/sensitive") == "○ yes  ○ no  ● default: no"
        for key, text, line in (
            ("space", "sensitive: true", "● yes  ○ no  ○ not set"),
            ("enter", "sensitive: false", "○ yes  ● no  ○ not set"),
            ("space", "sensitive: true", "● yes  ○ no  ○ not set"),
            ("space", "sensitive: false", "○ yes  ● no  ○ not set"),
        ):
            await pilot.press(key)
            assert text in app.text
            assert value(app, "/sensitive") == line
        steps = 0
        while app.buffer.undo():
            steps += 1
        assert (steps, app.text) == (4, SKILL)


@pytest.mark.parametrize("key", ["d", "delete", "backspace"])
async def test_one_key_removes_the_answer_of_a_switch(show: Show, key: str) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/execution/network")
        assert value(app, "/execution/network") == "○ yes  ● no  ○ not set"
        await pilot.press(key)
        assert app.text == SKILL.replace("  network: false\n", "")
        assert value(app, "/execution/network") == "○ yes  ○ no  ● not set"


async def test_a_required_switch_cannot_be_unset(show: Show) -> None:
    async with show(FENCE) as (app, pilot):
        app.go("/stdout_contract/last_line_json")
        assert app.line("/stdout_contract/last_line_json").endswith("● yes  ○ no")
        await pilot.press("delete")
        assert app.text == FENCE
        assert "last_line_json is required" in app.said()
        await pilot.press("space")
        assert app.text == FENCE.replace('"last_line_json": true', '"last_line_json": false')


@pytest.mark.parametrize("colours", [True, False])
async def test_a_click_chooses_what_is_clicked(
    show: Show, monkeypatch: pytest.MonkeyPatch, colours: bool
) -> None:
    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")

    async def click(part: str) -> None:
        at = app.form._sheet.index((0, "/sensitive"))
        assert at is not None
        line = app.line("/sensitive")
        y = at - round(app.rows.scroll_offset.y)
        await pilot.click(app.rows, offset=(line.index(part) + 1, y))
        await pilot.pause()

    async with show(SKILL) as (app, pilot):
        app.go("/sensitive")
        for part, text in (("no ", "false"), ("no ", "false"), ("yes", "true"), ("no ", "false")):
            await click(part)
            assert f"sensitive: {text}" in app.text
        await click("not set")
        assert app.text == SKILL
        await click("sensitive")
        assert app.text == SKILL, "a click beside the choices only selects the field"
        assert app.rows.cursor == app.form._sheet.index((0, "/sensitive"))


async def test_a_short_list_is_read_in_its_own_row(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/interface/inputs")
        assert value(app, "/interface/inputs") == "day · topic"
        await pilot.press("enter")
        assert value(app, "/interface/inputs") == "2 items"
        assert app.line("/interface/inputs/0").split() == ["1", "day"]
        app.go("/inputs/optional")
        assert value(app, "/inputs/optional") == "2 items"
        await pilot.press("left")
        assert value(app, "/inputs/optional") == "topic · where"


async def test_an_item_has_the_name_that_it_has_in_the_text(show: Show) -> None:
    async with show(SKILL.replace("name: where", 'name: ""')) as (app, _):
        assert app.line("/inputs/optional/0").split("  ")[-1].strip() == "What it is about"
        assert app.line("/inputs/optional/0").split()[:2] == ["▸", "topic"]
        assert app.line("/inputs/optional/1").split()[:4] == ["▸", "2", "The", "folder"]


async def test_a_number_keeps_its_spelling_until_it_is_changed(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/execution/timeout")
        await pilot.press("enter", "enter")
        assert app.text == SKILL
        await pilot.press("enter", "ctrl+u", *"soon", "enter")
        assert app.text == SKILL
        assert '"soon" is not a number' in app.said()
        await pilot.press("ctrl+u", *"45", "enter")
        assert app.text == SKILL.replace("0x1E", "45")


async def test_an_input_is_added_filled_in_and_removed(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/inputs/optional")
        await pilot.press("a", *"lang", "tab", *"A: language", "enter")
        assert "- name: lang" in app.text.replace('"', "")
        assert "A: language" in app.text
        assert app.line("/inputs/optional/2").split() == ["▾", "lang", "A:", "language"]
        steps = 0
        while app.buffer.undo():
            steps += 1
        await pilot.pause()
        assert (steps, app.text) == (3, SKILL)
        app.go("/inputs/optional/0")
        await pilot.press("d")
        assert app.text == SKILL.replace(
            "    - name: topic\n      description: What it is about\n      schema:\n"
            "        type: string\n        default: none\n", "",
        )  # fmt: skip
        assert app.line("/inputs/optional/0").split() == ["▸", "where", "The", "folder"]


async def test_items_move_with_their_cursor(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/interface/inputs/0")
        await pilot.press("J")
        assert "inputs: [topic, day]" in app.text
        assert "day" in app.rows.lines[app.rows.cursor].plain
        await pilot.press("J")
        assert "this is the last item" in app.said()
        await pilot.press("K")
        assert app.text == SKILL


async def test_a_list_of_texts_takes_another(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/interface/inputs/1")
        await pilot.press("a", "escape")
        assert "topic" in app.rows.lines[app.rows.cursor].plain
        await pilot.press("a", "enter")
        assert app.text == SKILL
        await pilot.press("a", *"where", "enter")
        assert "inputs: [day, topic, where]" in app.text
        assert app.rows.has_focus


async def test_keys_of_a_map_are_added_renamed_and_removed(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/metadata")
        await pilot.press("a", *"team", "enter", *"core", "enter")
        assert "  team: core\n" in app.text.replace('"', "")
        app.go("/metadata/team")
        await pilot.press("r", "ctrl+u", *"group", "enter")
        assert "  group: core\n" in app.text.replace('"', "")
        await pilot.press("a", *"author", "enter")
        assert "the key author already exists" in app.said()
        await pilot.press("escape", "d")
        assert app.text == SKILL


async def test_one_of_a_few_is_picked_from_a_list(show: Show) -> None:
    async with show(FENCE) as (app, pilot):
        app.go("/effects/1")
        assert "✗ " in app.line("/effects/1")
        await pilot.press("enter")
        picker = app.query_one(ChoiceEntry)
        assert "the current value" in picker.lines[0].plain
        assert any("db.write  Writes to a database." in line.plain for line in picker.lines)
        await pilot.press("down", "down", "enter")
        assert app.text == FENCE.replace("db.raed", "db.write")
        await pilot.pause()
        assert "✗" not in app.line("/effects/1")


async def test_a_list_offers_only_what_is_not_in_it(show: Show) -> None:
    async with show(FENCE) as (app, pilot):
        app.go("/effects")
        await pilot.press("a")
        offered = [line.plain.split()[1] for line in app.query_one(ChoiceEntry).lines]
        assert "db.read" not in offered
        assert "net.fetch" in offered
        await pilot.press("enter")
        assert '"effects": ["db.read", "db.raed", "db.write"]' in app.text


async def test_a_new_operation_asks_for_its_name_then_for_what_it_needs(show: Show) -> None:
    async with show(FENCE) as (app, pilot):
        app.go("/operations")
        await pilot.press("a", *"go", "enter")
        assert isinstance(app.focused, LineEntry)
        await pilot.press(*"Goes.", "enter")
        app.go("/operations/go/input")
        await pilot.press("a", *"far", "enter")
        assert isinstance(app.focused, ChoiceEntry)
        await pilot.press("down", "enter")
        assert app.line("/operations/go/description").rstrip().endswith("Goes.")
        assert "integer" in app.line("/operations/go/input/far/type")


async def test_required_fields_stay_and_say_so(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/name")
        await pilot.press("d")
        assert app.text == SKILL
        assert "name is required" in app.said()


async def test_groups_open_and_close(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/inputs")
        many = len(app.rows.lines)
        await pilot.press("left")
        assert "▸ inputs" in app.line("/inputs")
        assert len(app.rows.lines) < many
        await pilot.press("right", "down", "down", "enter")
        assert "▾ day" in app.line("/inputs/required/0")
        await pilot.press("down", "h", "h")
        assert "▸ day" in app.line("/inputs/required/0")


async def test_what_is_wrong_stands_beside_its_field_and_below(show: Show) -> None:
    text = SKILL.replace("name: demo", "name: Demo Skill").replace("name: day", 'name: ""')
    async with show(text) as (app, pilot):
        app.go("/name")
        assert "✗ " in app.line("/name")
        assert "(name-format)" in app.said()
        app.go("/inputs")
        await pilot.press("left")
        assert "✗ 1 inside" in app.line("/inputs")


async def test_a_long_value_is_cut_before_its_problem(show: Show) -> None:
    text = SKILL.replace("Does one thing well.", f"Does: {'one thing ' * 20}")
    async with show(text) as (app, _):
        line = app.line("/description")[: app.rows.width]
        assert "… " in line
        assert "✗ unquoted" in line


async def test_a_missing_key_is_shown_at_its_field(show: Show) -> None:
    async with show("---\nname: demo\n---\n") as (app, pilot):
        assert "✗ " in app.line("/description")
        await pilot.press("down", "enter", *"Does it.", "tab")
        await pilot.pause()
        assert "✗" not in app.line("/description")
        assert "description: Does it." in app.text.replace('"', "")


async def test_an_entry_keeps_what_is_typed_while_the_text_changes(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/name")
        await pilot.press("enter", *"-2")
        at = SKILL.index("1.0.0")
        app.buffer.replace([Splice(at, at + 5, "2.0.0")], "elsewhere")
        await pilot.pause()
        assert isinstance(app.focused, LineEntry)
        assert app.focused.value == "demo-2"
        assert "2.0.0" in app.line("/version")
        await pilot.press("enter")
        assert app.text == SKILL.replace("1.0.0", "2.0.0").replace("name: demo", "name: demo-2", 1)


async def test_a_value_changed_elsewhere_is_not_lost_unasked(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/name")
        await pilot.press("enter", *"-2")
        at = SKILL.index("demo")
        app.buffer.replace([Splice(at, at + 4, "theirs")], "elsewhere")
        await pilot.press("enter")
        assert "name: theirs" in app.text
        assert "was changed in the text" in app.said()
        await pilot.press("enter")
        assert "name: demo-2" in app.text


async def test_what_was_typed_is_kept_when_the_focus_goes(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/name")
        await pilot.press("enter", *"-2")
        app.rows.focus()
        await pilot.pause()
        assert app.text == SKILL.replace("name: demo", "name: demo-2", 1)
        assert not app.query(LineEntry)


async def test_several_lines_are_typed_in_a_box(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/description")
        await pilot.press("enter")
        assert isinstance(app.focused, BoxEntry)
        await pilot.press("enter", *"More.", "tab", "escape")
        found = app.analyse().manifests[0].document.value
        assert found["description"] == "Does one thing well.\nMore."


async def test_a_box_hides_no_other_field(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        app.go("/description")
        before = [line.plain for line in app.rows.lines]
        await pilot.press("enter", *"!")
        await pilot.pause()
        box = app.query_one(BoxEntry).region
        top = app.rows.region.y + before.index(app.line("/description"))
        assert box.y == top
        below = [line.plain for line in app.rows.lines[top - app.rows.region.y + 1 :]]
        hidden, others = below[: box.height - 1], below[box.height - 1 :]
        assert hidden == [""] * (box.height - 1)
        assert others == before[before.index(app.line("/description")) + 1 :]
        version = next(at for at, line in enumerate(app.rows.lines) if "1.0.0" in line.plain)
        await pilot.click(app.rows, (2, version))
        await pilot.pause()
        assert app.analyse().manifests[0].document.value["description"] == "Does one thing well.!"
        row = app.form._row()
        assert row is not None
        assert row.field.pointer == "/version", "not the row that is at its height now"


async def test_a_read_only_text_says_why(show: Show) -> None:
    async with show(SKILL, read_only="a link that leaves the skill") as (app, pilot):
        for key in ("enter", "space", "a", "d"):
            await pilot.press(key)
            assert app.text == SKILL
        app.go("/name")
        await pilot.press("enter")
        assert "a link that leaves the skill" in app.said()


async def test_a_key_that_the_schema_does_not_know_is_shown_and_can_go(show: Show) -> None:
    async with show(SKILL.replace("metadata:", "colour: [red, 1]\nmetadata:")) as (app, pilot):
        app.go("/colour")
        assert '["red", 1]' in app.line("/colour")
        assert "read-only" in app.line("/colour")
        await pilot.press("enter")
        assert "the schema does not define this key" in app.said()
        await pilot.press("d")
        assert app.text == SKILL


async def test_a_broken_text_shows_what_could_be_read(show: Show) -> None:
    broken = SKILL.replace("name: demo", "name: demo\nlicense: 'MIT")
    async with show(broken) as (app, _):
        assert "demo" in app.line("/name")
        assert any("✗" in line.plain for line in app.rows.lines)


@pytest.mark.parametrize("value", ["[/]", "[@click=app.quit]x", "[b]x[/b]", "[link=file:///etc]"])
async def test_markup_in_a_skill_is_text(show: Show, value: str) -> None:
    text = SKILL.replace("  author: someone", f"  '{value}': '{value}'")
    text = text.replace("name: topic", f"name: '{value}'")
    async with show(text) as (app, pilot):
        app.go("/inputs/optional/0")
        assert value in app.line("/inputs/optional/0")
        app.go(f"/metadata/{value.replace('~', '~0').replace('/', '~1')}")
        assert value in app.rows.lines[app.rows.cursor].plain
        assert value in app.said()
        await pilot.press("r")
        assert isinstance(app.focused, LineEntry)
        assert app.focused.value == value
        await pilot.press("escape", "enter", "x", "enter")
        assert f"{value}x" in app.text


async def test_control_characters_are_seen_and_not_edited(show: Show) -> None:
    text = SKILL.replace("author: someone", r'author: "a\e]52;c;eA==\a\u202eb"')
    async with show(text) as (app, pilot):
        app.go("/metadata/author")
        assert "\x1b" not in app.line("/metadata/author")
        assert "␛" in app.line("/metadata/author")
        await pilot.press("enter")
        assert app.rows.has_focus
        assert "invisible characters" in app.said()


async def test_two_manifests_of_a_file_stand_under_their_names(show: Show) -> None:
    async with show(FENCE) as (app, _):
        heads = [line.plain for line in app.rows.lines if line.plain.startswith(" ▾ ")]
        assert "Agent Skills" in heads[0]
        assert any("Skill Manifest v2" in head for head in heads)


async def test_problems_lead_to_their_fields(show: Show) -> None:
    text = SKILL.replace("name: where", 'name: ""')
    async with show(text) as (app, _):
        found = [each for each in app.analyse().diagnostics if "/2" in each.pointer or each.span]
        for each in found:
            assert app.form.go_to(each)
            assert each.span is not None
            assert app.form.offset_here == each.span.start
        empty = next(each for each in found if each.pointer == "/inputs/optional/1/name")
        app.form.go_to(empty)
        assert app.form.here == empty


async def test_places_lead_to_their_fields(show: Show) -> None:
    async with show(SKILL) as (app, _):
        for part, line in (("1.0.0", "version"), ("The folder", "description"), ("day, t", "1")):
            assert app.form.go_to_offset(SKILL.index(part))
            assert app.rows.lines[app.rows.cursor].plain.split()[0].startswith(line)
        assert not app.form.go_to_offset(SKILL.index("# demo"))


async def test_two_hundred_inputs_open_at_once(show: Show) -> None:
    inputs = "".join(
        f"    - name: input_{number}\n      description: Number {number}\n"
        "      schema: {type: string}\n"
        for number in range(200)
    )
    text = f"---\nname: demo\ndescription: x\nversion: 1.0.0\ninputs:\n  required:\n{inputs}---\n"
    async with show(text) as (app, pilot):
        app.analyse()
        started = process_time()
        app.form.load(app.buffer, app.file, app.analyse)
        assert process_time() - started < 0.3
        app.go("/inputs/required/199/name")
        await pilot.press("enter", "x", "enter")
        assert app.text == text.replace("input_199", "input_199x")
        assert len(app.form.children) < 5


async def test_a_narrow_place_is_enough(show: Show) -> None:
    async with show(SKILL) as (app, pilot):
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        app.go("/name")
        await pilot.press("enter", "x", "enter")
        assert "name: demox" in app.text


def test_the_harness_reads_what_is_in_the_buffer() -> None:
    app = Harness(SKILL)
    assert app.analyse().manifests[0].document.source.text == SKILL
