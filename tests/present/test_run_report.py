"""A report of a run, its plan, and two runs compared."""

from __future__ import annotations

import pytest
from tests.dryrun.traces.conftest import PLAN, REPORT

from skillstudio.dryrun.judging.declared import table
from skillstudio.dryrun.plan import RequirementResult
from skillstudio.dryrun.report import (
    FailureReason,
    JudgedContract,
    JudgedEffect,
    JudgedOutput,
    RunEnding,
    RunReport,
)
from skillstudio.dryrun.traces.difference import RunDifference
from skillstudio.present.lines import LONGEST, MOST, StyledLine, laid_out, section
from skillstudio.present.markdown import markdown
from skillstudio.present.outputs import unwritten_note
from skillstudio.present.plan import plan_lines, shown_path
from skillstudio.present.run_report import (
    DEEDS,
    ROWS,
    ReportDetails,
    ReportWords,
    deed_lines,
    difference_lines,
    report_lines,
    report_parts,
    verdict_line,
)

GOOD = REPORT._replace(
    repeat_changes=(),
    effects=(JudgedEffect("fs.write", True, "declared-observed", ("added pot.txt",)),),
)


def text(report: RunReport, details: ReportDetails = "all") -> str:
    lines = laid_out([verdict_line(report), *report_lines(report, details=details)])
    return "\n".join(
        "  " * each.indent + " ".join(part for part in (each.lead, each.text) if part)
        for each in lines
    )


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (RunEnding(0, duration_ms=1234), "exit 0, 1.2 s"),
        (RunEnding(3, duration_ms=0), "exit 3, 0.0 s"),
        (RunEnding(None, "SIGKILL", duration_ms=10), "ended by SIGKILL, 0.0 s"),
        (
            RunEnding(None, "SIGTERM", timed_out=True, duration_ms=3000),
            "timed out · stopped after 3.0 s",
        ),
        (
            RunEnding(None, "SIGTERM", cancelled=True, duration_ms=900),
            "✗ cancelled after 0.9 s",
        ),
        (RunEnding(None, error="the program did not start: no"), "the program did not start: no"),
    ],
)
def test_how_it_ended_is_said(ended: RunEnding, words: str) -> None:
    line = verdict_line(GOOD._replace(ending=ended))
    assert words in line.text
    assert line.style == ("good" if ended.exit_code == 0 else "error")


def test_the_exit_status_that_a_sample_expects_is_no_failure() -> None:
    failed = GOOD._replace(ending=RunEnding(2), reason=FailureReason("no such day"))
    expected = failed._replace(expected_exit=2)
    line = verdict_line(expected)
    assert line.text.startswith("✓ exit 2, as the sample expects, 0.0 s")
    assert line.style == "good"
    reasons = [next(iter(report_lines(each))) for each in (failed, expected)]
    assert [getattr(each, "style", None) for each in reasons] == ["error", ""]
    undeclared = JudgedEffect("net.fetch", False, "undeclared", is_error=True)
    line = verdict_line(expected._replace(effects=(undeclared,)))
    assert line.text.startswith("✗ 1 undeclared effect: net.fetch · exit 2, as the sample expects")
    line = verdict_line(expected._replace(ending=RunEnding(0)))
    assert line.text.startswith("✗ failed · exit 0, the sample expects 2")


@pytest.mark.parametrize(
    ("patterns", "words"),
    [
        (("report.md",), "✓ as declared, 1 declared file not written · exit 0"),
        (("report.md", "log/*"), "✓ as declared, 2 declared files not written · exit 0"),
    ],
)
def test_a_declared_file_that_was_not_written_follows_the_verdict(
    patterns: tuple[str, ...], words: str
) -> None:
    report = GOOD._replace(outputs=tuple(JudgedOutput(each, "missing") for each in patterns))
    verdict, *rows = list(laid_out([verdict_line(report), *report_lines(report)]))
    assert verdict.text.startswith(words)
    assert [(row.text, row.style) for row in rows[: len(patterns)]] == [
        (f"! {each}", "warning") for each in patterns
    ]
    assert ", ".join(patterns) in unwritten_note(report)
    failed = report._replace(ending=RunEnding(1))
    assert verdict_line(failed).text.startswith("✗ failed · exit 1")
    assert unwritten_note(failed) == ""


def test_every_part_of_a_report_is_told_with_its_evidence() -> None:
    found = text(REPORT)
    for line in (
        "✗ 1 undeclared effect: net.fetch, not idempotent · exit 0, 0.0 s · +1 ~1 -1",
        "  ✗ net.fetch  uses the network: undeclared\n    connected to tea.example:443",
        "  ✓ fs.write   writes files: declared, observed\n    added pot.txt",
        "  ✓ pot.txt: pot.txt  written",
        "  + pot.txt  text, 7 bytes  matches pot.txt",
        "  ~ ~/.cache/x  binary, 1 byte",
        "  - skill: old  text, 3 bytes",
        "Changed by a second run\n  added pot.txt",
        "  It printed too much.",
        "  The network was closed.",
        "Isolation: confined · 1 known gap\n  known gap: It can see the time.\n"
        "  not isolated: bwrap is missing",
        "  bash brew.sh green",
    ):
        assert line in found
    assert "safe" not in found


@pytest.mark.parametrize(
    ("effect", "line", "style"),
    [
        (
            JudgedEffect("fs.read", True, "declared-not-observed"),
            "· fs.read  reads files: declared, not observed in this run",
            "quiet",
        ),
        (
            JudgedEffect("fs.read", True, "not-observable"),
            "· fs.read  reads files: declared; not observable at this isolation level",
            "quiet",
        ),
        (
            JudgedEffect("fs.read", True, "blocked"),
            "i fs.read  reads files: attempted and blocked",
            "",
        ),
        (
            JudgedEffect("fs.read", False, "blocked", (), True),
            "✗ fs.read  reads files: undeclared, attempted and blocked",
            "error",
        ),
        (
            JudgedEffect("fs.read", False, "undeclared"),
            "i fs.read  reads files: observed; this dialect",
            "",
        ),
    ],
)
def test_each_verdict_has_its_words(effect: JudgedEffect, line: str, style: str) -> None:
    lines = list(report_lines(GOOD._replace(effects=(effect,)), details="all"))
    told = lines[[each.text for each in lines].index("Effects: declared vs. observed") + 1]
    assert told.text.startswith(line)
    assert told.style == style


EXEC = ("started sed s/a/b/", "started curl tea.example", "started cut -f1")
FILES = ("added pot.txt", "added ~/.cache/x")
READS = ("read /etc/hosts", "read ~/.ssh/id_rsa (refused: permission denied)")


@pytest.mark.parametrize(
    ("effect", "lines"),
    [
        # Undeclared: always shown, with its first evidence.
        (
            JudgedEffect("net.fetch", False, "undeclared", ("connected to a:443",), True),
            ["✗ Used the network: connected to a:443  undeclared: net.fetch"],
        ),
        (
            JudgedEffect("net.fetch", False, "blocked", ("connected to a:443",), True),
            ["✗ Tried to use the network: connected to a:443  undeclared: net.fetch"],
        ),
        (
            JudgedEffect("fs.read", False, "undeclared", ("read /etc/a",), True),
            ["✗ Read other files: /etc/a  undeclared: fs.read"],
        ),
        # Declared: shown if it matters to a reviewer. Ordinary programs come last.
        (
            JudgedEffect("proc.exec", True, "declared-observed", EXEC),
            ["✓ Started programs: curl tea.example, and 2 more  declared: proc.exec"],
        ),
        (
            JudgedEffect("proc.exec", True, "declared-observed", (*EXEC, "and 7 more")),
            ["✓ Started programs: curl tea.example, and 9 more  declared: proc.exec"],
        ),
        (JudgedEffect("fs.read", True, "declared-observed", ("read /etc/a",)), []),
        (JudgedEffect("net.fetch", True, "declared-not-observed"), []),
        # A file that matches a declared output is not outside of them.
        (JudgedEffect("fs.write", True, "declared-observed", FILES[:1]), []),
        (
            JudgedEffect("fs.write", True, "declared-observed", FILES),
            ["✓ Wrote outside its outputs: added ~/.cache/x  declared: fs.write"],
        ),
        # Reading credentials is shown also when all reading is declared.
        (
            JudgedEffect("fs.read", True, "declared-observed", READS),
            ["✓ Read credentials: ~/.ssh/id_rsa (refused: permission denied)  declared: fs.read"],
        ),
        (
            JudgedEffect("fs.read", False, "undeclared", READS, True),
            [
                "✗ Read credentials: ~/.ssh/id_rsa (refused: permission denied)"
                "  undeclared: fs.read",
                "✗ Read other files: /etc/hosts  undeclared: fs.read",
            ],
        ),
        (
            JudgedEffect("net.listen", False, "undeclared", ("listened on 127.0.0.1:1",)),
            [
                "i Listened on the network: listened on 127.0.0.1:1"
                "  this dialect cannot declare it: net.listen"
            ],
        ),
    ],
)
def test_an_effect_is_one_line_in_the_words_of_a_reviewer(
    effect: JudgedEffect, lines: list[str]
) -> None:
    found = deed_lines(GOOD._replace(effects=(effect,)))
    assert [f"{each.text}  {each.remark}" for each in found] == lines


def test_undeclared_effects_and_files_come_first() -> None:
    report = GOOD._replace(
        effects=(
            JudgedEffect("proc.exec", True, "declared-observed", EXEC),
            JudgedEffect("net.listen", False, "undeclared", ("listened on 127.0.0.1:1",)),
            JudgedEffect("git.read", False, "undeclared", ("read .git/config",), True),
        ),
        outputs=(JudgedOutput("", "undeclared", ("a.txt", "b.txt"), True),),
    )
    assert [each.text for each in deed_lines(report)] == [
        "✗ Wrote outside its outputs: wrote a.txt, and 1 more",
        "✗ Read a repository: read .git/config",
        "i Listened on the network: listened on 127.0.0.1:1",
        "✓ Started programs: curl tea.example, and 2 more",
    ]


def test_every_effect_has_words_for_a_reviewer() -> None:
    assert set(DEEDS) == set(table()["effect"])


def test_everything_else_is_counted_and_shown_on_request() -> None:
    folded = text(
        REPORT._replace(repeat_changes=(), variations=(), suspects=()), "counted"
    ).splitlines()
    assert folded == [
        "✗ 1 undeclared effect: net.fetch · exit 0, 0.0 s · +1 ~1 -1",
        "  warning: kind begins with -",
        "What it did",
        "  ✗ Used the network: connected to tea.example:443",
        "Files",
        "  + pot.txt",
        "  ~ ~/.cache/x",
        "  - skill: old",
        "Limits",
        "  It printed too much.",
        "confined (not isolated: bwrap is missing) · 1 known gap · 1 difference from a real run · "
        "1 other effect · a second run · recorded as 20261121T101112-123abcd",
        "Next: skillstudio adopt 20261121T101112-123abcd (updates the manifest), skillstudio "
        "preview --run last (the files)",
    ]
    comment = list(markdown(report_parts(REPORT, details="folded"), "run"))
    at = comment.index(
        next(each for each in comment if each.startswith("<details><summary>confined"))
    )
    assert any("known gap" in each for each in comment[at:])
    assert comment.index("</details>") < len(comment) - 1  # What follows is not folded.


FAILED = GOOD._replace(
    ending=RunEnding(1),
    reason=FailureReason("KeyError: 'x'", "scripts/brew.py", 7, "pour", is_whole=True),
)
TRACEBACK = ["Traceback (most recent call last):", "KeyError: 'x'"]


def test_a_failed_run_says_why_and_where_before_anything_else() -> None:
    printed = [("stdout", ["pouring"]), ("stderr", TRACEBACK)]
    lines = [*report_parts(FAILED, printed)]
    assert [line.text for line in laid_out(lines)][:6] == [
        "✗ failed · exit 1, 0.0 s · +1 ~1 -1",
        "KeyError: 'x'",
        "scripts/brew.py:7 in pour",
        "warning: kind begins with -".partition(": ")[2],
        "stdout",
        "pouring",
    ]


@pytest.mark.parametrize(
    ("reason", "errors", "listed"),
    [
        (FAILED.reason, TRACEBACK, []),
        (FAILED.reason._replace(is_whole=False), ["a note", *TRACEBACK], ["a note", *TRACEBACK]),
        (FailureReason("no such city"), ["no such city"], []),
        (FailureReason("no such city"), ["usage: x", "no such city"], ["usage: x", "no such city"]),
        (FailureReason(), ["a note"], ["a note"]),
    ],
)
def test_standard_error_is_not_repeated_below_the_reason(
    reason: FailureReason, errors: list[str], listed: list[str]
) -> None:
    report = FAILED._replace(reason=reason)
    texts = [line.text for line in laid_out(report_parts(report, [("stderr", errors)]))]
    assert ("stderr" in texts) is bool(listed)
    at = texts.index("stderr") + 1 if listed else 0
    assert texts[at : at + len(listed)] == listed
    whole = [
        line.text for line in laid_out(report_parts(report, [("stderr", errors)], details="all"))
    ]
    at = whole.index("stderr") + 1
    assert whole[at : at + len(errors)] == errors


def test_markdown_folds_up_a_traceback_that_is_not_shown() -> None:
    comment = list(markdown(report_parts(FAILED, [("stderr", TRACEBACK)], details="folded"), "run"))
    start = next(i for i, line in enumerate(comment) if line.startswith("<details><summary>"))
    assert any("Traceback" in line for line in comment[start:])


def test_files_that_are_listed_are_no_deed_of_their_own() -> None:
    wrote = JudgedEffect("fs.write", False, "undeclared", ("added pot.txt",))
    report = GOOD._replace(effects=(wrote,))
    texts = [line.text for line in laid_out(report_lines(report))]
    assert "What it did" not in texts
    assert "+ pot.txt" in texts
    assert "What it did" in [line.text for line in laid_out(report_lines(report, details="all"))]
    report = GOOD._replace(effects=(wrote._replace(is_error=True),))
    assert "What it did" in [line.text for line in laid_out(report_lines(report))]


def test_the_screen_has_what_was_done_before_what_was_printed() -> None:
    printed = [("stdout", ["pouring"])]
    on_screen = [line.text for line in laid_out(report_lines(REPORT, printed, words=ReportWords()))]
    printed_out = [line.text for line in laid_out(report_lines(REPORT, printed))]
    assert on_screen.index("Files") < on_screen.index("stdout")
    assert printed_out.index("stdout") < printed_out.index("What it did")


@pytest.mark.parametrize(
    ("report", "steps"),
    [
        (REPORT, ["adopt 20261121T101112-123abcd", "preview --run last"]),
        (GOOD._replace(variations=()), ["preview --run last", "apply last"]),
        (FAILED, ["preview --run last"]),
        (GOOD._replace(changes=()), []),
    ],
)
def test_the_next_step_is_named(report: RunReport, steps: list[str]) -> None:
    *_, last = laid_out(report_lines(report))
    assert [
        step
        for step in ("adopt 20261121T101112-123abcd", "preview --run last", "apply last")
        if step in last.text
    ] == steps


def test_an_effect_that_is_an_error_shows_more_of_its_evidence() -> None:
    found = tuple(f"read /etc/{number}" for number in range(9))
    shown = text(GOOD._replace(effects=(JudgedEffect("fs.read", False, "undeclared", found),)))
    assert "    read /etc/2\n    … 6 more" in shown
    shown = text(
        GOOD._replace(effects=(JudgedEffect("fs.read", False, "undeclared", found, True),))
    )
    assert "    read /etc/7\n    … 1 more" in shown


def test_a_broken_contract_is_an_error_and_a_kept_one_shows_its_value() -> None:
    assert '✓ satisfied: {"status": "ok"}' in text(REPORT)
    broken = text(REPORT._replace(contract=JudgedContract(False, ("no output",))))
    assert "stdout\n  ◂ no output" in broken
    printed = [("stdout", ["one", "two"])]
    lines = report_lines(REPORT._replace(contract=JudgedContract(False, ("not JSON",))), printed)
    texts = [each.text for each in laid_out(lines)]
    at = texts.index("stdout")
    assert texts[at : at + 4] == ["stdout", "one", "two", "◂ not JSON"]


@pytest.mark.parametrize(
    ("again", "repeated", "told"),
    [
        (None, (), []),
        ((), (), [StyledLine("✓ nothing", "good", 1)]),
        (("added a",), (), [StyledLine("added a", "", 1)]),
        (("added a",), ("added a",), [StyledLine("added a", "error", 1)]),
    ],
)
def test_a_second_run_is_told_where_there_was_one(
    again: tuple[str, ...] | None, repeated: tuple[str, ...], told: list[StyledLine]
) -> None:
    report = GOOD._replace(again=again, repeat_changes=repeated, variations=())
    lines = list(report_lines(report, details="all"))
    texts = [each.text for each in lines]
    assert ("Changed by a second run" in texts) is bool(told)
    if told:
        at = texts.index("Changed by a second run") + 1
        assert lines[at : at + len(told)] == told


def test_a_part_has_a_bound_in_both_ways() -> None:
    lines = list(section("many", [StyledLine("x" * (LONGEST + 1))] * (MOST + 5)))
    assert len(lines) == MOST + 2
    assert lines[-1].text == "… 5 more; --format json lists all"
    (cut,) = laid_out([StyledLine("x" * (LONGEST + 1))])
    assert cut.text.endswith("… (2,001 characters)")
    assert list(section("none", [])) == []


def test_a_plan_is_told_in_its_parts() -> None:
    lines = laid_out(plan_lines(PLAN, "/home/ann/skills"))
    found = "\n".join(" ".join((each.lead, each.text, each.remark)).strip() for each in lines)
    for line in (
        "Problems\nwarning: kind begins with - [input-dash]",
        "unix     bash brew.sh green",
        '"green"',
        "  not set, an empty argument",
        "pot.txt  repo_root",
        "not isolated: bwrap is missing",
        "the current folder (the run changes a copy)",
        "Timeout\n12.5 s",
        "a note",
    ):
        assert line in found


@pytest.mark.parametrize(
    ("path", "cwd", "words"),
    [("/a/b", "/a/b", "the current folder"), ("/a/b/c", "/a/b", "c"), ("/a/bc", "/a/b", "/a/bc"),
     ("/x", "/", "x"), ("/", "/a", "/")],
)  # fmt: skip
def test_a_path_is_told_from_the_current_folder(path: str, cwd: str, words: str) -> None:
    assert shown_path(path, cwd) == words


# Two runs.


def test_each_thing_has_its_heading_and_causes_come_first() -> None:
    rows = [RunDifference("inputs", "cups", 2, 3, "cups: 2 before, \x1b[31m3 now")]
    rows += [
        RunDifference("files", str(each), None, "", f"{each}: new") for each in range(ROWS + 5)
    ]
    lines = [each.text for each in laid_out(difference_lines(rows, REPORT, GOOD))]
    assert lines[0].startswith("before  20")
    assert lines[2:6] == [
        "Run with: inputs",
        "cups: 2 before, ␛[31m3 now",
        "Result: files",
        "0: new",
    ]
    assert lines[-2:] == ["… 5 more; --format json lists all", "different results"]
    assert len(lines) == ROWS + 7


@pytest.mark.parametrize(
    ("rows", "words"),
    [((), "same inputs, same results"),
     ((RunDifference("inputs", "a", 1, 2, "a"),), "same results")],
)  # fmt: skip
def test_runs_with_the_same_result_say_so(rows: tuple[RunDifference, ...], words: str) -> None:
    *_, last = difference_lines(rows, REPORT, REPORT)
    assert last == StyledLine(words, "good")


def test_requirements_that_are_met_are_one_line_unless_all_details_are_asked_for() -> None:
    old = RequirementResult("command", "git", "too-old", "2.39.5", "at least 2.40")
    plan = PLAN._replace(requirements=(*PLAN.requirements, old))

    def lines(details: bool) -> list[str]:
        rows = list(laid_out(plan_lines(plan, "/home/ann/skills", details=details)))
        at = next(i for i, row in enumerate(rows) if row.text == "Requires")
        return [f"{row.text}|{row.remark}" for row in rows[at : at + 3]]

    assert lines(False)[:2] == ["Requires|1 of 2 met", "git  at least 2.40  too old: 2.39.5|"]
    assert lines(True)[0] == "Requires|"
    assert [row.split()[0] for row in lines(True)[1:]] == ["bash", "git"]
