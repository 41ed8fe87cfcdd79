"""A run: how it ended, and its effects, outputs and files compared with what is declared."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple, cast

from skillstudio.dryrun.credentials import is_credential
from skillstudio.dryrun.judging.declared import table
from skillstudio.dryrun.plan import NOT_REQUESTED, PlanProblem
from skillstudio.dryrun.report import (
    JudgedEffect,
    JudgedOutput,
    RunFileChange,
    RunReport,
    output_path,
)
from skillstudio.dryrun.traces.difference import DID, RunDifference
from skillstudio.files.paths import make_relative
from skillstudio.present.lines import (
    LineStyle,
    Part,
    StyledLine,
    count,
    omission_line,
    section,
    shorten,
)
from skillstudio.present.plan import (
    isolation_lines,
    name_of,
    problem_line,
    step_text,
)
from skillstudio.text.lazy_pattern import lazy_pattern

ReportDetails = Literal["counted", "all", "folded"]
"""How much of what is not wrong a report shows: counts, everything, or what Markdown folds up."""
GLYPHS = {"added": "+", "modified": "~", "removed": "-"}
ROWS = 40  # Files, or differences of one kind, that are listed.
_FIRST = 160  # Characters of the line of evidence of an effect.
_EVIDENCE = 8  # Lines of evidence of one effect that is an error, and of any other:
_EVIDENCE_OF_OTHERS = 3
_EFFECTS: dict[str, tuple[str, str, LineStyle]] = {
    "declared-observed": ("✓", "declared, observed", "good"),
    "declared-not-observed": ("·", "declared, not observed in this run", "quiet"),
    "undeclared": ("i", "observed; this dialect cannot declare it", ""),
    "blocked": ("i", "attempted and blocked", ""),
    "prevented": (
        "!",
        "prevented in a temporary folder; unknown whether it would have stayed",
        "warning",
    ),
    "not-observable": ("·", "declared; not observable at this isolation level", "quiet"),
}
_VERDICTS: dict[str, tuple[str, LineStyle]] = {
    "as declared": ("✓", "good"),
    "nothing declared": ("i", ""),
    "not fully observed": ("!", "warning"),
}
_WRONG = {"undeclared": "undeclared", "blocked": "undeclared, attempted and blocked"}
_OUTPUTS = {
    "produced": "written",
    "missing": "declared, not written in this run",
    "undeclared": "undeclared",
}
_ROOTS = {"home": "~/", "skill": "skill: ", "workspace": ""}
_LONGEST_REASON = 400  # Characters of the reason of a failure.
_FILES = 5  # Changed files that are listed where the rest is folded.
PrintedOutput = Sequence[tuple[str, Sequence[str]]]
"""The last lines of each stream, by its name."""


class ReportWords(NamedTuple):
    """How to go on from the parts of a report, and its order."""

    unfold: str = ""  # Shows what is folded,
    folds: bool = False  # and folds it again.
    open: str = ""  # Opens the line that failed.
    adopt: str = ""
    preview: str = ""
    advice: str = "--format json lists all"  # Shows the other files.
    output_first: bool = False  # Whether what was printed comes before what the program did.
    cwd: str = ""  # The folder that places are relative to; "" for the skill.
    is_recorded: bool = True  # Whether commands find the run.

    @property
    def offers(self) -> tuple[str, ...]:
        """How to go on, as written at the end of a line."""
        return tuple(filter(None, (self.unfold, self.open, self.adopt, self.preview)))


COMMANDS = ReportWords("-v shows everything", advice="-v lists all", output_first=True)
"""For the command line, whose reader has asked for what the program prints."""


class Deed(NamedTuple):
    """What an effect means to a reviewer."""

    did: str
    attempt: str  # When every attempt was blocked.
    is_key: bool  # Whether it is shown although it is declared.


CREDENTIALS = Deed("Read credentials", "Tried to read credentials", True)
DEEDS: dict[str, Deed] = {
    "fs.write": Deed("Wrote outside its outputs", "Tried to write outside its outputs", True),
    "net.fetch": Deed("Used the network", "Tried to use the network", True),
    "net.listen": Deed("Listened on the network", "Tried to listen on the network", True),
    "proc.exec": Deed("Started programs", "Tried to start programs", True),
    "git.write": Deed("Changed a repository", "Tried to change a repository", True),
    "db.write": Deed("Changed a database", "Tried to change a database", True),
    "ipc.connect": Deed(
        "Used a service of this machine", "Tried to use a service of this machine", True
    ),
    "sys.call": Deed("Made unusual system calls", "Tried unusual system calls", True),
    "fs.read": Deed("Read other files", "Tried to read other files", False),
    "git.read": Deed("Read a repository", "Tried to read a repository", False),
    "db.read": Deed("Read a database", "Tried to read a database", False),
}
"""Each effect, the most important first; reading credentials has words of its own."""
_DEED_PREFIXES = {
    "proc.exec": "started ",
    "fs.read": "read ",
    "sys.call": "made ",
}  # What the deed says already.
_MORE_COUNT = lazy_pattern(r"and (\d+) more")


def verdict_line(report: RunReport) -> StyledLine:
    """Whether a run did what is declared, how it ended, and how many files it changed."""
    if not report.run and report.ending.exit_code is None:
        return StyledLine(f"✗ not run: {report.ending.error}", "error")
    parts = [verdict_text(report), ended_text(report)]
    parts += [counts_text(report)] if report.changes else []
    sign, style = verdict_sign(report)
    # How it ended says the verdict, too.
    is_said = report.ending.cancelled or (bool(report.expected_exit) and sign in "✓i")
    text = " · ".join(parts[is_said:])
    return StyledLine(f"{sign} {text}", style)


def verdict_sign(report: RunReport) -> tuple[str, LineStyle]:
    """The sign of a verdict, and its style: only a run that is fully observed earns a ✓."""
    sign, style = _VERDICTS.get(report.verdict, ("✗", "error"))
    if report.ok and report.expected_exit and sign == "i":
        return "✓", "good"
    return sign, style


def unwritten(report: RunReport) -> tuple[str, ...]:
    """The declared files that a run did not write, though it ended well and it is no fault."""
    if report.ending.exit_code != 0 or report.ending.timed_out or report.ending.cancelled:
        return ()
    return tuple(
        output.pattern
        for output in report.outputs
        if output.verdict == "missing" and not output.is_error
    )


def unwritten_text(report: RunReport) -> str:
    """How many declared files a run did not write; "" if it wrote all."""
    number = len(unwritten(report))
    return f"{count(number, 'declared file')} not written" if number else ""


def verdict_text(report: RunReport) -> str:
    """What is wrong with a run, or that it did what is declared."""
    end = report.ending
    if end.cancelled:
        return "cancelled"
    faults = (
        ["timed out"]
        if end.timed_out
        else ["failed"]
        if end.exit_code != report.expected_exit
        else []
    )
    effects = [effect.effect for effect in report.effects if effect.is_error]
    if effects:
        faults.append(f"{count(len(effects), 'undeclared effect')}: {', '.join(effects)}")
    stray = sum(output.is_error and output.verdict == "undeclared" for output in report.outputs)
    missing = sum(output.is_error and output.verdict == "missing" for output in report.outputs)
    faults += [count(stray, "undeclared file")] if stray else []
    faults += [count(missing, "missing output")] if missing else []
    faults += ["stdout contract not satisfied"] if not report.contract.ok else []
    faults += ["not idempotent"] if report.repeat_changes else []
    faults += ["observation incomplete"] if report.incomplete else []
    note = "" if faults else unwritten_text(report)
    return ", ".join(faults or filter(None, [report.verdict, note]))


def ended_text(report: RunReport) -> str:
    """How the processes ended, and after how long."""
    end = report.ending
    took = f"{end.duration_ms / 1000:.1f} s"
    if end.cancelled:
        return f"cancelled after {took}"
    if end.timed_out:
        return f"stopped after {took}: the timeout is {report.plan.timeout:g} s"
    if end.error:
        return end.error
    if end.signal:
        return f"ended by {end.signal}, {took}"
    expectation = ""
    if (code := report.expected_exit) and end.exit_code == code:
        expectation = ", as the sample expects"
    elif code:
        expectation = f", the sample expects {code}"
    return f"exit {end.exit_code}{expectation}, {took}"


def counts_text(report: RunReport) -> str:
    """How many files a run added, modified and removed."""
    words: list[str] = [change.change for change in report.changes]
    return " ".join(f"{glyph}{words.count(word)}" for word, glyph in GLYPHS.items())


def undeclared_files(report: RunReport) -> frozenset[tuple[str, str]]:
    """Root and path of each changed file that should be declared and is not."""
    stray = {
        path
        for output in report.outputs
        if output.is_error and output.verdict == "undeclared"
        for path in output.paths
    }
    return frozenset(
        (change.root, change.path) for change in report.changes if output_path(change) in stray
    )


def report_parts(
    report: RunReport,
    stream_lines: PrintedOutput = (),
    place: Callable[[PlanProblem], str] = lambda _: "",
    details: ReportDetails = "counted",
    words: ReportWords = COMMANDS,
) -> Iterator[Part]:
    """A whole report, named after what ran."""
    name = name_of(report.plan)
    if details == "folded":
        yield StyledLine(name, "title")
        yield verdict_line(report)
    else:
        yield verdict_line(report)._replace(remark=name)
    yield from report_lines(report, stream_lines, place, details, words)


def report_lines(
    report: RunReport,
    stream_lines: PrintedOutput = (),
    place: Callable[[PlanProblem], str] = lambda _: "",
    details: ReportDetails = "counted",
    words: ReportWords = COMMANDS,
) -> Iterator[Part]:
    """What follows the verdict: why, what the program printed, what it did, with one line of
    evidence each, and its files. Everything else is `details`. `stream_lines` has the last lines of
    each stream by its name; `place` gives `path:line:column` of a problem."""
    yield from reason_lines(report, words)
    unwritten_patterns = unwritten(report)
    yield from (StyledLine(f"! {pattern}", "warning", 1, remark="declared, not written")
                for pattern in unwritten_patterns[:_FILES])  # fmt: skip
    if len(unwritten_patterns) > _FILES:
        yield omission_line(len(unwritten_patterns) - _FILES, 1, words.unfold or words.advice)
    for problem in report.plan.problems:
        yield problem_line(problem, place(problem))._replace(indent=1)
    if report.ending.exit_code is None and not report.run:
        isolation = report.plan.isolation
        if details == "all" or isolation.id == "plan":
            yield from isolation_lines(isolation, report.ending.error, with_gaps=details == "all")
        return
    output = list(_stream_parts(report, stream_lines, details == "all"))
    yield from output if words.output_first else ()
    adopt = words.adopt if _can_adopt(report) else ""
    deeds = deed_lines(report, is_listed=details == "all")
    yield from section("What it did", deeds, adopt)
    missing = [
        judged_output
        for judged_output in report.outputs
        if judged_output.is_error and judged_output.verdict == "missing"
    ]
    yield from section("Missing output files", map(_output, missing), most=ROWS)
    if details != "all":
        yield from _files(report, words)
    if report.repeat_changes:
        yield from section("Changed by a second run", _again(report))
    yield from section("Different after another run", _style_lines(report.variations, "warning"))
    leftovers = [StyledLine(f"$TMPDIR/{path}", "quiet") for path in report.leftover_files]
    yield from section("Left in the temporary folder", leftovers, most=ROWS)
    yield from section("Possible credentials", _style_lines(report.suspects, "warning"))
    incomplete = [f"✗ {reason}" for reason in report.incomplete]
    yield from section("Observation incomplete", _style_lines(incomplete, "error"))
    yield from section("Limits", _style_lines(report.ending.limits, "warning"))
    yield from () if words.output_first else output
    also = list(_counts(report))
    if report.reason.is_whole and any(name == "stderr" for name, _ in stream_lines):
        also.append("standard error")
    if report.run and words.output_first and words.is_recorded:
        on = f" on the result of {report.on}" if report.on else ""
        also.append(f"recorded as {report.run}{on}")
    line = StyledLine(" · ".join(also), "quiet", remark=words.unfold)
    if details == "all":
        yield from _details(report)
        yield line if words.folds else line._replace(remark="")
    elif details == "folded":
        yield line._replace(style="folded", remark="")
        yield from (part._replace(indent=part.indent + 1) for part in _details(report))
        whole = _stream_parts(report, stream_lines, True)
        yield from (
            part._replace(indent=part.indent + 1) for part in whole if report.reason.is_whole
        )
    else:
        yield line
    if words.output_first and words.is_recorded and (step := _next_step(report)):
        yield StyledLine(step, "quiet")


def reason_lines(report: RunReport, words: ReportWords) -> Iterator[StyledLine]:
    """Why the program failed, and the line of the skill."""
    reason = report.reason
    if not reason.message:
        return
    is_expected = bool(report.expected_exit) and report.ok
    yield StyledLine(shorten(reason.message, _LONGEST_REASON), "" if is_expected else "error", 1)
    if reason.path:
        inside = f" in {reason.function}" if reason.function else ""
        place = reason.place
        if words.cwd:
            place = make_relative(os.path.join(report.plan.roots.skill, place), words.cwd)
        yield StyledLine(f"{place}{inside}", "", 1, remark=words.open)


def _stream_parts(report: RunReport, stream_lines: PrintedOutput, is_whole: bool) -> Iterator[Part]:
    """The last lines of each stream, but no traceback whose message and place are known already;
    what the contract lacks comes after the last line."""
    faults = [StyledLine(f"◂ {problem}", "error") for problem in report.contract.problems]
    is_kept = report.contract.ok and report.contract.value is not None
    streams = {name: list(lines) for name, lines in stream_lines}
    if faults:
        streams = {"stdout": [], **streams}
    for name, lines in streams.items():
        is_known = (name == "stderr" and report.reason.is_whole) or lines == [report.reason.message]
        if is_known and not is_whole and not (faults and name == "stdout"):
            continue
        stream_faults = faults if name == "stdout" else []
        remark = "✓ satisfies the contract" if name == "stdout" and is_kept else ""
        yield from section(name, [*_style_lines(lines, "code"), *stream_faults], remark)


def _files(report: RunReport, words: ReportWords) -> Iterator[Part]:
    """The changed files, those that are not declared first."""
    stray = undeclared_files(report)
    rows = sorted(report.changes, key=lambda change: (change.root, change.path) not in stray)
    counts = "  ".join(part for part in (counts_text(report), words.preview) if part)
    lines = [_file(change, (change.root, change.path) in stray) for change in rows]
    yield from section("Files", lines, counts, most=_FILES, advice=words.advice)


def _file(change: RunFileChange, is_stray: bool) -> StyledLine:
    about = ", ".join(part for part in (count(change.size, "byte"), change.about) if part)
    if is_stray:
        about += ", not declared"
    text = f"{GLYPHS[change.change]} {_ROOTS[change.root]}{change.path}"
    return StyledLine(text, "error" if is_stray else "", remark=about)


def _can_adopt(report: RunReport) -> bool:
    return any(effect.is_error for effect in report.effects) or any(
        output.is_error for output in report.outputs
    )


def _next_step(report: RunReport) -> str:
    """The commands that go on from a recorded run."""
    steps = []
    if _can_adopt(report):
        steps.append(f"skillstudio adopt {report.run} (updates the manifest)")
    if report.changes:
        steps.append("skillstudio preview --run last (the files)")
        if report.ok:
            steps.append("skillstudio apply last (writes them)")
    return f"Next: {', '.join(steps)}" if steps else ""


def deed_lines(report: RunReport, is_listed: bool = True) -> Iterator[StyledLine]:
    """What a run did, in the words of a reviewer: undeclared first, one line of evidence each; with
    `is_listed` also what the list of changed files says, if it is no fault."""
    rows = []
    order = [CREDENTIALS, *DEEDS.values()]
    change_texts = {f"{change.change} {output_path(change)}" for change in report.changes}
    for effect, deed, evidence in _deeds(report):
        is_repeat = effect.effect == "fs.write" and change_texts.issuperset(evidence)
        if is_repeat and not effect.is_error and not is_listed:
            continue
        rank = 0 if effect.is_error else 2 if effect.declared else 1
        rows.append((rank, order.index(deed), _deed_line(effect, deed, evidence)))
    yield from (line for _, _, line in sorted(rows, key=lambda row: row[:2]))


def _deeds(report: RunReport) -> Iterator[tuple[JudgedEffect, Deed, Sequence[str]]]:
    """The effects that are not folded, with what each means."""
    inside = {
        f"{change.change} {output_path(change)}" for change in report.changes if change.pattern
    }
    stray = {
        f"wrote {path}": None
        for judged_output in report.outputs
        if judged_output.is_error and judged_output.verdict == "undeclared"
        for path in judged_output.paths
    }
    for effect in report.effects:
        if effect.verdict not in ("declared-observed", "undeclared", "blocked", "prevented"):
            continue
        deed = DEEDS[effect.effect]
        evidence: Sequence[str] = effect.evidence
        if effect.effect == "fs.read":
            secret = [line for line in evidence if is_credential(line)]
            evidence = [line for line in evidence if line not in secret]
            if secret:
                yield effect, CREDENTIALS, secret
        elif effect.effect == "fs.write" and effect.declared:
            evidence = [line for line in evidence if line not in inside]
        for line in evidence if effect.effect == "fs.write" else ():
            stray.pop(f"wrote {line.partition(' ')[2]}", None)
        is_shown = effect.is_error or deed.is_key
        if is_shown and (evidence or (effect.is_error and not effect.evidence)):
            yield effect, deed, evidence
    if stray:
        output = JudgedEffect("outputs", False, "undeclared", is_error=True)
        yield output, DEEDS["fs.write"], list(stray)


def _deed_line(effect: JudgedEffect, deed: Deed, evidence: Sequence[str]) -> StyledLine:
    words = deed.attempt if effect.verdict in ("blocked", "prevented") else deed.did
    glyph, style, why = "✓", "good", "declared"
    if effect.is_error:
        glyph, style, why = "✗", "error", "undeclared"
    elif effect.verdict == "prevented":
        glyph, style, why = "!", "warning", "it may have been temporary"
    elif not effect.declared:
        glyph, style, why = "i", "", "this dialect cannot declare it"
    if effect.effect == "proc.exec":
        evidence = sorted(evidence, key=_is_basic)
    number = len(evidence) - 1
    if match := _MORE_COUNT.fullmatch(evidence[-1] if evidence else ""):
        number += int(match[1]) - 1
    first = evidence[0].removeprefix(_DEED_PREFIXES.get(effect.effect, "")) if evidence else ""
    more_text = f", and {number:,} more" if number > 0 else ""
    text = f"{glyph} {words}{': ' if first else ''}{shorten(first, _FIRST)}{more_text}"
    return StyledLine(text, cast("LineStyle", style), remark=f"{why}: {effect.effect}")


def _is_basic(evidence: str) -> bool:
    """Whether a line of evidence names a program of every Unix, or how many others there are."""
    words = evidence.partition(" ")[2].split(" ")
    is_basic = words[0].rpartition("/")[2] in table()["basic"]["programs"]
    return is_basic or bool(_MORE_COUNT.fullmatch(evidence))


def _counts(report: RunReport) -> Iterator[str]:
    """The isolation level, and what is folded as counts."""
    isolation = report.plan.isolation
    levels: dict[str, list[str]] = {}
    for level, reason in isolation.reasons.items():
        if reason != NOT_REQUESTED:
            levels.setdefault(reason, []).append(level)
    why = [f"not {' or '.join(names)}: {reason}" for reason, names in levels.items()]
    yield f"{isolation.id} ({'; '.join(why)})" if why else isolation.id
    if gaps := len(report.plan.isolation.known_gaps):
        yield count(gaps, "known gap")
    if report.differences:
        yield f"{count(len(report.differences), 'difference')} from a real run"
    verdicts = [effect.verdict for effect in report.effects]
    listed_effects = {effect.effect for effect, _, _ in _deeds(report)}
    observed_effects = {
        effect.effect
        for effect in report.effects
        if effect.verdict in ("declared-observed", "undeclared", "blocked")
    }
    if other_count := len(observed_effects - listed_effects):
        yield count(other_count, "other effect")
    if unseen := verdicts.count("declared-not-observed"):
        yield f"{count(unseen, 'declared effect')} not observed"
    if hidden_count := verdicts.count("not-observable"):
        yield f"{count(hidden_count, 'declared effect')} not observable"
    if report.again is not None and not report.repeat_changes:
        yield "a second run"


def _details(report: RunReport) -> Iterator[Part]:
    """The sections that are folded."""
    yield from section("Effects: declared vs. observed", _effects(report.effects))
    if report.contract.ok and report.contract.value is not None:
        value = json.dumps(report.contract.value, ensure_ascii=False)
        yield from section("stdout contract", [StyledLine(f"✓ satisfied: {value}", "good")])
    yield from section("Output files", map(_output, report.outputs), most=ROWS)
    yield from section("Changes", map(_change, report.changes), most=ROWS)
    if not report.repeat_changes:
        yield from section("Changed by a second run", _again(report))
    yield from section("How this differs from a real run", _style_lines(report.differences))
    yield from isolation_lines(report.plan.isolation)
    started_programs = {
        step.argv[0] for step in report.plan.steps if step.argv and step.mocked is None
    }
    programs = [
        StyledLine(f"{requirement.name} is {requirement.found}", "quiet")
        for requirement in report.plan.requirements
        if requirement.name in started_programs and requirement.found
    ]
    yield from section("Started", [*_style_lines(map(step_text, report.plan.steps)), *programs])


def _style_lines(texts: Iterable[str], style: LineStyle = "") -> Iterator[StyledLine]:
    return (StyledLine(text, style) for text in texts)


def _effects(effects: Sequence[JudgedEffect]) -> Iterator[Part]:
    width = max((len(effect.effect) for effect in effects), default=0)
    for effect in sorted(effects, key=lambda judged_effect: not judged_effect.is_error):
        glyph, words, style = _EFFECTS[effect.verdict]
        if effect.is_error:
            glyph, words, style = "✗", _WRONG.get(effect.verdict, words), "error"
        about = table()["effect"][effect.effect]["about"]
        yield StyledLine(f"{glyph} {effect.effect:<{width}}  {about}: {words}", style)
        most = _EVIDENCE if effect.is_error else _EVIDENCE_OF_OTHERS
        yield from (StyledLine(line, "", 1) for line in effect.evidence[:most])
        if len(effect.evidence) > most:
            yield omission_line(len(effect.evidence) - most, 1)


def _again(report: RunReport) -> Iterator[StyledLine]:
    """What a second run on the result of the first one changed; an idempotent one must not."""
    yield from _style_lines(
        report.again or report.repeat_changes, "error" if report.repeat_changes else ""
    )
    if report.again == ():
        yield StyledLine("✓ nothing", "good")


def _output(output: JudgedOutput) -> StyledLine:
    paths = ", ".join(output.paths)
    about = f"{output.pattern}: {paths}" if output.pattern and paths else output.pattern or paths
    glyph = "✗" if output.is_error else "✓" if output.verdict == "produced" else "·"
    style: LineStyle = "error" if output.is_error else ""
    return StyledLine(f"{glyph} {about}  {_OUTPUTS[output.verdict]}", style)


def _change(change: RunFileChange) -> StyledLine:
    parts = [change.kind, count(change.size, "byte"), change.about]
    about = ", ".join(part for part in parts if part)
    pattern = f"  matches {change.pattern}" if change.pattern else ""
    path = f"{_ROOTS[change.root]}{change.path}"
    return StyledLine(f"{GLYPHS[change.change]} {path}  {about}{pattern}")


# Two runs.


def difference_lines(
    rows: Sequence[RunDifference], before: RunReport, after: RunReport
) -> Iterator[Part]:
    """In what two runs differ: what they were run with, then what they did."""
    yield StyledLine(f"before  {before.run}  {ended_text(before)}")
    yield StyledLine(f"now     {after.run}  {ended_text(after)}")
    for area, several in groupby(rows, key=lambda row: row.area):
        title = f"Result: {area}" if area in DID else f"Run with: {area}"
        style: LineStyle = "warning" if area in DID else ""
        yield from section(title, _difference_rows(several, style), most=ROWS)
    yield same_line(rows)


def _difference_rows(rows: Iterable[RunDifference], style: LineStyle) -> Iterator[StyledLine]:
    """Differences, each with its diff."""
    for row in rows:
        yield StyledLine(row.message, style)
        yield from (StyledLine(line, "code", 1) for line in row.diff.splitlines())


def same_line(rows: Sequence[RunDifference]) -> StyledLine:
    """Whether two runs had the same result."""
    areas = {row.area for row in rows if row.area in DID}
    if areas == {"content"}:
        return StyledLine("no other difference, but contents were not compared", "warning")
    if areas:
        return StyledLine("different results", "error")
    return StyledLine("same results" if rows else "same inputs, same results", "good")
