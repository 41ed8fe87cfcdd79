"""Commands of problems: go to, fix, copy and explain one."""

from __future__ import annotations

from skillstudio.present.problems import ProblemHere, in_order, problem_here
from skillstudio.session.session import FixPlan
from skillstudio.text.diagnostic import Diagnostic, Fix, Splice
from skillstudio.text.edit import EditRefused
from skillstudio.text.source import Span
from skillstudio.tui.screens.dialogs import Confirm, ConfirmOption, anyway
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import paragraphs, plain, to_clipboard


async def go(workbench: Workbench, way: int) -> None:
    """Go to the next problem (1) or the previous one (-1): errors, then warnings, then notes.

    What has the focus gets the place: the text or form, else the list of problems. While no skill
    is open, or one without problems, that is the skill to fix first.
    """
    workbench.open.analyse_now()
    skill = workbench.worst_skill
    if skill is not None:
        if await workbench.open_worst(skill):
            workbench.go_to_pane("problems")
        return
    analysis, file = workbench.open.analysis, workbench.open.file
    order = in_order(analysis.diagnostics if analysis else (), file)
    if not order:
        workbench.say("no skill has errors or warnings")
        return
    places = [(problem.path or file, (problem.span or Span(0, 0)).start) for problem in order]
    at = next((n for n, problem in enumerate(order) if problem == workbench.problem), None)
    here = (file, workbench.views.cursor_offset)
    if at is not None and not (workbench.is_in_view or workbench.is_in_problems):
        index = at  # The one that is selected is shown before others.
    elif at is not None and places[at] == here:
        index = (at + way) % len(order)
    elif way < 0:
        index = len(order) - 1
    else:
        worst = [n for n, problem in enumerate(order) if problem.severity == order[0].severity]
        index = next((n for n in worst if places[n] > here), worst[0])
    if workbench.is_in_view:
        await workbench.go_to_problem(order[index])
    else:
        await workbench.show_problem(order[index])
        workbench.go_to_pane("problems")


async def fix(workbench: Workbench) -> None:
    """Apply a fix of the problem that `problem_to_fix` names; if it has several, ask which."""
    if not workbench.views.settle():
        return
    if workbench.skill_to_fix is not None:
        if not await workbench.open_worst(workbench.skill_to_fix):
            return
        workbench.go_to_pane("problems")
    workbench.open.analyse_now()
    diagnostic = workbench.problem_to_fix
    if diagnostic is None:
        workbench.say("no problem has a fix")
        return
    if diagnostic != workbench.problem:
        await workbench.show_problem(diagnostic)
    chosen_fix = diagnostic.fixes[0]
    if len(diagnostic.fixes) > 1:
        options = [
            ConfirmOption(str(number), str(number), plain(candidate.title).plain)
            for number, candidate in enumerate(diagnostic.fixes[:9], 1)
        ]
        dialog = Confirm("Which fix?", paragraphs(diagnostic.message), options)
        answer = await workbench.ask(dialog)
        if answer is None:
            return
        chosen_fix = diagnostic.fixes[int(answer) - 1]
    await _apply(workbench, diagnostic, chosen_fix)


async def _apply(workbench: Workbench, diagnostic: Diagnostic, chosen_fix: Fix) -> None:
    if workbench.open.analysis is None or workbench.open.skill is None:
        return
    try:
        plan = workbench.session.plan(workbench.open.analysis, diagnostic, chosen_fix)
    except EditRefused as refusal:
        workbench.say(f"not applied: {refusal}", bad=True)
        return
    if (plan.new_files or plan.renames) and not await _confirm_plan(workbench, plan):
        return
    elsewhere = plan.splices and diagnostic.path and diagnostic.path != workbench.open.file
    if elsewhere and not await workbench.open_file(workbench.open.skill, diagnostic.path):
        return
    try:
        workbench.session.carry_out(workbench.open.skill, plan, workbench.open.buffer)
    except OSError as error:
        workbench.say(f"not applied: {error.strerror or error}", bad=True)
        return
    new_paths = {file.old: file.new for file in plan.renames}
    if workbench.open.file in new_paths:
        await workbench.open_file(workbench.open.skill, new_paths[workbench.open.file])
    workbench.disk_changed()
    workbench.open.analyse_now()
    workbench.say(f"fixed: {chosen_fix.title}{'; ^z undoes it' * bool(plan.splices)}")


async def _confirm_plan(workbench: Workbench, plan: FixPlan) -> bool:
    lines = [f"create {file.path}" for file in plan.new_files]
    lines += [f"rename {file.old} to {file.new}" for file in plan.renames]
    text = paragraphs("\n".join([*lines, "", "Undo does not revert this."]))
    title = plain(plan.title).plain
    return await workbench.ask(anyway("Change files on disk?", text, title)) == "yes"


async def copy(workbench: Workbench) -> None:
    """Send the selected problem to the terminal's clipboard."""
    diagnostic = workbench.problem
    if diagnostic is None or workbench.open.analysis is None:
        return
    place = workbench.open.analysis.place(diagnostic)[0]
    where = f"{diagnostic.path or workbench.open.file}:{place.line}:{place.column}"
    to_clipboard(workbench, f"{where}: {diagnostic.message} ({diagnostic.rule})", "the problem")


async def explain(workbench: Workbench) -> None:
    """Show what the rule of the selected problem requires, and why; apply the fix if asked."""
    workbench.open.analyse_now()
    diagnostic = workbench.problem
    answer = await explain_rule(workbench, diagnostic.rule, diagnostic) if diagnostic else None
    if answer == "fix":
        await fix(workbench)
    elif answer == "export":
        await workbench.action_run("skill.export")


async def explain_rule(
    workbench: Workbench, rule: str, diagnostic: Diagnostic | None = None
) -> str | None:
    """Explain a rule; `fix` or `export` if that is to be done for the problem."""
    from skillstudio.manifest.rulebook import all_rules
    from skillstudio.present.targets import evidence_lines
    from skillstudio.tui.screens.explain import ExplainScreen

    screen = ExplainScreen(
        all_rules().get(rule),
        diagnostic,
        _here(workbench, diagnostic) if diagnostic is not None else None,
        workbench.at_targets(diagnostic) if diagnostic is not None else "",
        evidence_lines(diagnostic, workbench.answers) if diagnostic is not None else (),
    )
    return await workbench.ask(screen)


def _here(workbench: Workbench, diagnostic: Diagnostic) -> ProblemHere | None:
    """Where a problem of the open skill is, and what its first fix makes of it."""
    analysis, name = workbench.open.analysis, diagnostic.path or workbench.open.file
    source = analysis.source(diagnostic.path) if analysis is not None else None
    if analysis is None or source is None or diagnostic.span is None:
        return None
    splices: tuple[Splice, ...] = ()
    if diagnostic.fixes:
        try:
            splices = workbench.session.plan(analysis, diagnostic, diagnostic.fixes[0]).splices
        except EditRefused:
            splices = ()  # The fix says why when it is applied.
    return problem_here(source, name, diagnostic.span, splices)
