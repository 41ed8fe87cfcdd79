"""Going through the problems, mending and explaining them."""

from __future__ import annotations

from skillstudio.session.session import FixPlan
from skillstudio.text.diagnostic import Diagnostic, Fix
from skillstudio.text.edit import EditRefused
from skillstudio.text.source import Span
from skillstudio.tui.bench import Bench, content_of
from skillstudio.tui.screens.confirm import Confirm, ConfirmOption
from skillstudio.tui.words import SEVERITY, plain


async def following(bench: Bench) -> None:
    """Go to the next problem after the cursor."""
    await _go(bench, 1)


async def previous(bench: Bench) -> None:
    """Go to the last problem before the cursor."""
    await _go(bench, -1)


async def _go(bench: Bench, way: int) -> None:
    bench.analyse_now()
    found = bench.analysis.diagnostics if bench.analysis else ()
    if not found:
        return
    here = (bench.file, bench.place)
    places = [(each.path or bench.file, (each.span or Span(0, 0)).start) for each in found]
    if way > 0:
        index = next((i for i, place in enumerate(places) if place > here), 0)
    else:
        before = [i for i, place in enumerate(places) if place < here]
        index = before[-1] if before else len(found) - 1
    await jump(bench, found[index])


async def jump(bench: Bench, diagnostic: Diagnostic) -> None:
    """Put the cursor where a problem is, in whichever file."""
    if bench.skill is None:
        return
    elsewhere = diagnostic.path and diagnostic.path != bench.file
    if elsewhere and not await bench.open_file(bench.skill, diagnostic.path):
        return
    if bench.editor is None and not (bench.form is not None and bench.form.go_to(diagnostic)):
        await bench.show_view("edit")
    bench.go_to_pane("view")
    if bench.editor is not None:
        bench.editor.go_to(diagnostic.span.start if diagnostic.span else 0)
    bench.refresh_all()


async def fix(bench: Bench) -> None:
    """Apply a fix of the problem at hand; with several, ask which."""
    if not bench.settle():
        return
    bench.analyse_now()
    diagnostic = bench.problem
    if diagnostic is None or not diagnostic.fixes:
        bench.say("no problem here has a fix")
        return
    chosen = diagnostic.fixes[0]
    if len(diagnostic.fixes) > 1:
        options = [
            ConfirmOption(str(number), str(number), plain(each.title).plain)
            for number, each in enumerate(diagnostic.fixes[:9], 1)
        ]
        answer = await bench.app.push_screen_wait(
            Confirm("Which fix?", content_of(diagnostic.message), options)
        )
        if answer is None:
            return
        chosen = diagnostic.fixes[int(answer) - 1]
    await _apply(bench, diagnostic, chosen)


async def _apply(bench: Bench, diagnostic: Diagnostic, chosen: Fix) -> None:
    if bench.analysis is None or bench.skill is None:
        return
    try:
        plan = bench.session.plan(bench.analysis, diagnostic, chosen)
    except EditRefused as refused:
        bench.say(f"not applied: {refused}", bad=True)
        return
    if plan.touches_disk and not await _agreed(bench, plan):
        return
    elsewhere = plan.splices and diagnostic.path and diagnostic.path != bench.file
    if elsewhere and not await bench.open_file(bench.skill, diagnostic.path):
        return
    try:
        bench.session.carry_out(bench.skill, plan, bench.buffer)
    except OSError as error:
        bench.say(f"not applied: {error.strerror or error}", bad=True)
        return
    moved = {each.old: each.new for each in plan.renamed}
    if bench.file in moved:
        await bench.open_file(bench.skill, moved[bench.file])
    bench.disk_changed()
    bench.analyse_now()
    bench.say(f"{chosen.title}; ctrl+z takes it back" if plan.splices else chosen.title)


async def _agreed(bench: Bench, plan: FixPlan) -> bool:
    lines = [f"create {each.path}" for each in plan.created]
    lines += [f"rename {each.old} to {each.new}" for each in plan.renamed]
    text = content_of("\n".join([*lines, "", "Undo does not take this back."]))
    options = [
        ConfirmOption("no", "n", "Leave it"),
        ConfirmOption("yes", "y", plain(plan.title).plain),
    ]
    return await bench.app.push_screen_wait(Confirm("On disk", text, options)) == "yes"


async def copy(bench: Bench) -> None:
    """Send the problem at hand to the terminal's clipboard."""
    diagnostic = bench.problem
    if diagnostic is None or bench.analysis is None:
        return
    place = bench.analysis.place(diagnostic)[0]
    where = f"{diagnostic.path or bench.file}:{place.line}:{place.column}"
    bench.app.copy_to_clipboard(f"{where}: {diagnostic.message} ({diagnostic.rule})")
    bench.say("sent the problem to the terminal's clipboard (OSC 52)")


async def explain(bench: Bench) -> None:
    """Show what the rule of the problem at hand asks, and why."""
    from skillstudio.manifest.rulebook import all_rules

    diagnostic = bench.problem
    if diagnostic is None:
        return
    rule = all_rules().get(diagnostic.rule)
    glyph, _, _ = SEVERITY[diagnostic.severity or "error"]
    parts = [diagnostic.message]
    if rule is not None:
        parts += [rule.what, f"Why: {rule.why}", f"Source: {rule.source}"]
        parts += [f"Bad:\n{rule.bad}", f"Good:\n{rule.good}"]
    text = content_of("\n\n".join(part.strip() for part in parts))
    options = [ConfirmOption("ok", "q", "Close")]
    await bench.app.push_screen_wait(Confirm(f"{glyph} {diagnostic.rule}", text, options))
