"""The single lines of the run view: what is run and how, the state, the tabs, the keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from textual.content import Content

from skillstudio.dryrun.report import RunReport
from skillstudio.present.plan import isolation_text, name_of
from skillstudio.session.running.state import RunState
from skillstudio.tui.widgets.compare.lines import KeyHint
from skillstudio.tui.widgets.run.active_run import ActiveRun
from skillstudio.tui.words import joined, plain

Mode = Literal["plan", "result", "output"]
MODES: tuple[Mode, ...] = ("plan", "result", "output")
"""What stands beside the inputs, in the order in which one key leads through them."""
_NAMES = {"plan": "Plan", "result": "Result", "output": "Output"}
Keys = Callable[[str], str]
"""The key of a command as it is shown; empty where it has none."""


def head(run_state: RunState | None) -> Content:
    """The skill, the operation, and the isolation level with how much of it is not held."""
    if run_state is None or run_state.plan is None:
        return Content.styled("Run", "bold")
    style = "$text-warning" if run_state.plan.isolation.id in ("plan", "copy") else "$text-success"
    isolation = isolation_text(run_state.plan.isolation)
    return joined(plain(name_of(run_state.plan), "bold"), "  ", plain(isolation, style))


def state(run_state: RunState | None, going: ActiveRun | None, failure: str, key: Keys) -> Content:
    """What goes on, what went wrong, what is in the way, or that it can be run."""
    if going is not None:
        cancel = key("run.cancel")
        hint = f" · {cancel} ends it" if cancel and not going.cancel.is_set() else ""
        return plain(f"▶ {going.status}{hint}", "$text-primary")
    if failure:
        return plain(f"✗ {failure}", "$text-error")
    if run_state is None:
        return Content.styled("planning…", "dim")
    if run_state.why_not:
        return plain(f"✗ Can't run yet: {run_state.why_not}", "$text-error")
    asks = " · needs your consent" if run_state.plan and run_state.plan.confirm else ""
    return plain(f"✓ ready: {key('run.start')} runs it{asks}", "$text-success")


def tabs(here: Mode, report: RunReport | None) -> Content:
    """What can be shown beside the inputs, and how the last run was."""
    parts = []
    for each in MODES:
        mark = ""
        if each == "result" and report is not None:
            mark = " ✓" if report.ok else " ✗"
        text = f"{_NAMES[each]}{mark}"
        style = "bold $text-primary" if each == here else "dim"
        parts.append(Content.styled(f"[{text}]" if each == here else f" {text} ", style))
    return Content(" ").join(parts)


def keys(
    is_under_way: bool, is_ready: bool, is_again: bool, is_one: bool, key: Keys
) -> Iterator[KeyHint]:
    """What the keys do: while a run goes on, and else. `is_one` is for a skill with nothing else
    to run."""
    if is_under_way:
        yield KeyHint(key("run.cancel"), "end it")
        yield KeyHint(key("run.show"), "tabs")
        return
    yield KeyHint(key("run.start"), "run again" if is_again else "run", not is_ready)
    yield KeyHint(key("run.inputs"), "inputs")
    yield KeyHint(key("run.operation"), "operation", is_one)
    yield KeyHint(key("run.sample"), "sample")
    yield KeyHint(key("run.isolation"), "isolation")
    yield KeyHint(key("run.show"), "tabs")
    yield KeyHint(key("run.history"), "history")
    yield KeyHint(key("run.compare"), "versus", not is_again)
