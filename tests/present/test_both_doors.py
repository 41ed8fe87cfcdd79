"""The command line and the workbench use the same words for the same thing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from tests.commands import Run
from tests.dryrun.skills import block_skill
from tests.dryrun.traces.conftest import KEY, REPORT

from skillstudio.dryrun.isolation.host import Host
from skillstudio.dryrun.isolation.levels import IsolationLevel, IsolationLevels
from skillstudio.dryrun.traces.store import RunStore, default_folder
from skillstudio.dryrun.traces.trace import make_trace
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.present.lines import Part, laid_out
from skillstudio.preview.spans import plain
from skillstudio.session.comparing.comparing import Sides, SkillComparer
from skillstudio.session.comparing.rows import rows_of
from skillstudio.session.previewing.previewing import card_rows, make_card
from skillstudio.session.running.running import Runner
from skillstudio.session.workspace import Workspace
from skillstudio.tui.widgets import problems
from skillstudio.tui.widgets.compare import view as compare
from skillstudio.tui.widgets.run.view import RunView

LEVELS = IsolationLevels(
    (
        IsolationLevel("plan", True, "", ()),
        IsolationLevel("copy", True, "", ("It sees every file of this user.",)),
        IsolationLevel("confined", False, "this kernel has no Landlock", ()),
        IsolationLevel("isolated", False, "bwrap is not installed", ()),
        IsolationLevel("wasm", False, "the extra wasm is not installed", ()),
    ),
    Host(*[None] * len(Host._fields)),  # type: ignore[arg-type]
)
INPUTS = {
    "text": {"type": "string", "required": True, "description": "What to say"},
    "times": {"type": "integer", "required": False, "default": 1},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an old and a new version of the skill `say`."""
    less = {"text": INPUTS["text"]}
    block_skill(tmp_path / "old" / "say", "echo", inputs=INPUTS, effects=["fs.write"])
    block_skill(tmp_path / "new" / "say", "echo", inputs=less, effects=["fs.write", "net.fetch"])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(lines: Iterable[str]) -> list[str]:
    """The lines without their layout."""
    found = [" ".join(each.split()) for each in lines]
    return [each for each in found if each]


def of_parts(parts: Iterable[Part]) -> list[str]:
    return words(f"{each.lead} {each.text} {each.remark}" for each in laid_out(parts))


def of_run_view(view: RunView) -> list[list[Part]]:
    """What the view gives to its widgets."""
    query: Any = view.query_one
    return [list(each.args[0]) for each in query.return_value.show_lines.call_args_list]


def common(lines: Iterable[str]) -> set[str]:
    """The lines without the keys and options that unfold and go on, each in words of its own."""
    ways = (
        " · recorded as ",
        " -v ",
        " run.details ",
        " run.adopt adopts",
        " view.preview ",
        "Next: ",
    )
    return {next((line.partition(way)[0] for way in ways if way in line), line) for line in lines}


@pytest.fixture
def run_view() -> RunView:
    """The view of runs with all its widgets replaced."""
    view: Any = RunView(str)
    view.query_one = MagicMock()
    view.post_message = view.show_mode = MagicMock()
    return view  # type: ignore[no-any-return]


def test_plan(run: Run, folder: Path, run_view: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillstudio.dryrun.isolation.levels.probe_isolation", lambda: LEVELS)
    runner = Runner(Workspace(str(folder)), "new/say", str(folder))
    runner.probe = lambda: LEVELS
    runner.answer("input:text", "tea")
    run_view._runner, run_view.run_state = runner, runner.look(runner.selection())
    run_view._update_view()
    plan, _ = of_run_view(run_view)
    printed = run("plan", "new/say", "go", "-i", "text=tea").out.splitlines()
    assert common(of_parts(plan)) == common(words(printed)[1:])


def test_run_report(run: Run, folder: Path, run_view: Any) -> None:
    RunStore(default_folder()).keep(
        REPORT.run, make_trace(REPORT, "standard", None, KEY), str(folder), {}
    )
    run_view.show_report(REPORT)
    run_view.mode = "result"
    run_view.toggle_details()
    for report, options in zip(of_run_view(run_view), ((), ("-v",)), strict=True):
        lines = common(of_parts(report))
        printed = run("trace", "show", REPORT.run, *options).out.splitlines()
        verdict = next(i for i, line in enumerate(printed) if line.startswith("✗ 1 undeclared"))
        printed[verdict] = printed[verdict].removesuffix("  tea brew")
        assert lines - {""} == common(words(printed[verdict:])) - {""}


def test_comparison(run: Run, folder: Path) -> None:
    comparing = SkillComparer(Workspace(str(folder)), "new/say")
    outcome = comparing.compare(Sides(old=str(folder / "old/say")), {})
    printed = words(run("diff", "-v", "old/say", "new/say").out.splitlines())
    assert words([compare.bump_content(outcome).plain])[0] in printed
    rows = rows_of(outcome)
    assert len(rows) >= 2
    for row in rows:
        first = words(compare.row_content(row).plain.splitlines())[0]
        assert first in printed


def test_card(run: Run, folder: Path) -> None:
    skill = locate(DiskTree(str(folder / "new/say"))).skill
    printed = words(run("preview", "new/say", "--card").out.splitlines())
    for row in card_rows(make_card(skill, None)):
        assert words([f"{row.path} {row.about}"])[0] in printed
        assert set(words(map(plain, row.lines or ()))) <= set(printed)


def test_problems_and_targets(run: Run, folder: Path) -> None:
    path = folder / "new/say/SKILL.md"
    path.write_text(path.read_text().replace("description:", "descripton:"))
    workspace = Workspace(str(folder))
    analysis = workspace.analyse("new/say")
    summary, advice = run("check", "new/say").out.splitlines()[-2:]
    assert advice == "2 can be fixed with: skillstudio fix --unsafe-fixes new/say"
    signs = problems.summary_of(analysis.diagnostics).plain.split()
    named = {"✗": "error", "!": "warning", "i": "info"}
    assert (
        summary == f"1 skill checked, {', '.join(f'{each[1:]} {named[each[0]]}' for each in signs)}"
    )
    comment = words(run("check", "new/say", "--format", "markdown").out.splitlines())
    for line in problems.target_verdicts(analysis.targets):
        lead, by, names = line.plain.partition(" by ")
        assert (f"- **{lead} by** {names}" if by else f"- {lead}") in comment
