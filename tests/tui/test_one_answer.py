"""Chips, the tree, the list of targets, `why` and `check` have one answer for a skill."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run, running
from textual.pilot import Pilot

from skillstudio.tui.widgets.pane import Pane
from skillstudio.tui.widgets.rows import Rows

from .conftest import Open, bench, settled

GOOD = "---\nname: {name}\ndescription: Makes tea. Use it for tea.\n---\nBoil water.\n"
COLON = GOOD.replace("Makes tea.", "Makes: tea.")
HIDDEN = GOOD.replace("---\nBoil", "disable-model-invocation: true\n---\nBoil")
NAMELESS = GOOD.replace("name: {name}\n", "")
SKILLS = {
    "skills/plain": GOOD,
    "skills/colon": COLON,
    "skills/nameless": NAMELESS,
    "skills/linked": GOOD,
    ".claude/skills/claude": GOOD,
    ".claude/skills/hidden": HIDDEN,
    ".claude/skills/deep/below": GOOD,
    ".codex/skills/codex": GOOD,
    ".agents/skills/shared": COLON,
    ".kiro/skills/kiro": GOOD,
    "chosen/plain": GOOD,
    "chosen/colon": COLON,
    "validated/plain": GOOD,
    "plugin/skills/inside": GOOD,
    "plugin/other/outside": GOOD,
}
MISSED = {".claude/skills/deep/below", "plugin/other/outside"}
"""Skills at places of Claude Code in which it does not look."""
SIGNS = {
    "refused": "✗",
    "dropped": "✗",
    "listed without description": "!",
    "loads without": "!",
    "loads": "✓",
    "not found": "○",
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return running(capsys)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with skills at places that targets know, and at others."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    for place, text in SKILLS.items():
        (root / place).mkdir(parents=True)
        (root / place / "SKILL.md").write_text(text.format(name=Path(place).name))
    (root / ".git").mkdir()
    (root / ".claude/skills/linked").symlink_to("../../skills/linked")
    (root / "plugin/.claude-plugin").mkdir()
    (root / "plugin/.claude-plugin/plugin.json").write_text('{"name": "plugin"}')
    (root / "skillstudio.toml").write_text(
        '[[folder]]\npath = "chosen/*"\ntargets = ["cline", "codex"]\n'
        '[[folder]]\npath = "validated/*"\ntargets = ["codex", "spec"]\n'
    )
    monkeypatch.chdir(root)
    return root


def outcomes(rows: Any) -> dict[str, str]:
    return {id: row["outcome"] for id, row in rows.items()}


async def listed(pilot: Pilot[int]) -> list[str]:
    """The lines of the list of targets."""
    await pilot.press("t")
    await pilot.pause()
    if workers := [each for each in pilot.app.workers if each.group == "targets"]:
        await pilot.app.workers.wait_for_complete(workers)
    await pilot.pause()
    lines = [line.plain for line in pilot.app.screen.query_one(Rows).lines]
    await pilot.press("escape")
    await pilot.pause()
    return lines


def numbers(edge: str) -> dict[str, int]:
    """The number of targets behind the signs of the chips."""
    found: Counter[str] = Counter()
    for sign, number, more in re.findall(r"([✗!✓○]) (?:all )?(\S+)( and )?", edge):
        found[sign] += int(number) if number.isdecimal() else 1 + bool(more)
    return dict(found)


@pytest.mark.slow
async def test_all_surfaces_have_one_answer(open_studio: Open, project: Path, run: Run) -> None:
    rows = run("check", ".", "--format", "json").json["skills"]
    checked = {Path(skill["path"]).as_posix(): skill for skill in rows}
    assert checked.keys() == SKILLS.keys()
    # The application replaces standard output.
    whys = {place: run("why", place, "--format", "json").json for place in SKILLS}
    text = run("check", ".").out
    async with open_studio(project, (200, 50)) as pilot:
        for place in SKILLS:
            skill = checked[place]
            answers = outcomes(skill["targets"])
            why = whys[place]
            explained = {row["target"]: row for row in why["targets"]}
            assert {id: explained[id]["outcome"] for id in answers} == answers, place
            selected = why["selected"]
            assert list(answers) == (selected or list(explained)), place
            assert await bench(pilot).open_file(place), place
            await settled(pilot)
            edge = bench(pilot).query_one("#view-pane", Pane)._labels[True].plain
            signs = Counter(SIGNS[each] for each in answers.values() if each in SIGNS)
            rejecting = signs["✗"]
            if selected:
                assert numbers(edge) == dict(signs), (place, edge)
            elif place in MISSED:
                # Its place belongs to a target that looks elsewhere.
                assert edge.startswith("○ claude-code looks elsewhere"), (place, edge)
            else:
                assert edge.startswith("no targets selected"), (place, edge)
                looking = sum(signs.values()) - signs["○"]
                refusal = f"{rejecting} of {looking} that look here would refuse it"
                assert (refusal in edge) == bool(rejecting), (place, edge)
            lines = await listed(pilot)
            own = [row for row in why["targets"] if row["target"] in answers]
            for row in own:
                title = next((line for line in lines if f" {row['title']}  " in line), None)
                if row["outcome"] in SIGNS and (row["outcome"] != "not found" or selected):
                    assert title is not None, (place, row["title"], lines)
                    assert title.split()[0] == SIGNS[row["outcome"]], (place, title)
            elsewhere = [
                row["target"]
                for row in why["targets"]
                if row["outcome"] == "not found" and row["target"] not in selected
            ]
            folded = " ".join(
                lines[next(i for i, x in enumerate(lines) if "Look elsewhere" in x) :]
            )
            assert folded.split()[:3] == ["Look", "elsewhere", str(len(elsewhere))], place
            assert folded.split()[3:] == elsewhere, place
            entry = bench(pilot).session.workspace.skills[place]
            severities = {problem["severity"] for problem in skill["diagnostics"]}
            if not severities & {"error", "warning"}:
                unseen = bool(selected) and set(answers.values()) == {"not found"}
                unseen |= place in MISSED
                assert (entry.status == "elsewhere") == unseen, place
                assert (entry.status == "error") == ("✗" in signs and bool(selected)), place
            missed = {"claude-code": "not found"} if place in MISSED else {}
            assert entry.outcomes == (answers if selected else missed), place
    (line,) = [line for line in text.splitlines() if line.startswith("○")]
    # Settings ask for targets that look elsewhere.
    unseen = {"chosen/plain"}
    assert {Path(word.rstrip(",;")).as_posix() for word in line.split() if "/" in word} == unseen
    # A place belongs to a target that does not look there.
    missed = [line for line in text.splitlines() if "skill-unfound" in line]
    assert [line.partition(":")[0] for line in missed] == [".claude/skills", "plugin"]
    assert ".claude/skills/deep/below" in missed[0]
    assert "plugin/other/outside" in missed[1]
