"""Score verdicts of dry runs against the truth: `python -m tests.dryrun.truth.score [--quick]`.

Prints, for each corpus (or the one that is named: `first`, `independent`), precision and recall of
effects, liars caught and false alarms, for each isolation level with and without observation, and
every wrong verdict. Of the liars it counts those of which the report names what they hide, those
that it does not let pass for another reason, and those that pass in silence. Other words choose
the skills whose names contain them."""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tests.dryrun.truth.corpus import (
    BLOCK,
    CORPORA,
    WASM,
    Case,
    cases,
    compile_all,
    ground,
    remove_left,
    virtual_environment,
    write,
)

LEVELS = ("copy", "confined", "isolated")


class Result(NamedTuple):
    """What the report of a case says."""

    named: tuple[str, ...]  # Effects that were observed.
    ok: bool
    verdict: str
    status: int
    whole: bool  # Whether the report claims to be complete.
    evidence: tuple[str, ...]
    undeclared: tuple[str, ...]  # Effects that are named as used and not declared.


class Score(NamedTuple):
    """Counts over the corpus, and a line for each miss."""

    true: int
    extra: int
    missed: int
    liars: int
    caught: int
    alarms: int
    stated: int  # Misses for which the report says that it did not see everything.
    lines: tuple[str, ...]
    named: int  # Liars whose report names all that they hide.
    silent: tuple[str, ...]  # Liars whose report says that all is as declared.
    alarmed: tuple[str, ...]  # Honest skills whose report does not.

    @property
    def row(self) -> tuple[str, ...]:
        """Precision, recall, liars caught, how, false alarms, misses that the report states."""
        precision = self.true / ((self.true + self.extra) or 1)
        recall = self.true / ((self.true + self.missed) or 1)
        return (f"{precision:.3f}", f"{recall:.3f}", f"{self.caught}/{self.liars}",
                str(self.named), str(self.caught - self.named), str(len(self.silent)),
                str(self.alarms), f"{self.stated}/{len(self.lines)}")  # fmt: skip


def run_case(case: Case, isolation: str, observed: bool, venv: str = "") -> Result:
    """Run a case at a level, in a workspace of its own."""
    from skillstudio.cli.main import main

    path = os.environ["PATH"]
    with tempfile.TemporaryDirectory(prefix="truth-") as folder:
        workspace = Path(folder, "work")
        skill, operation = write(case, workspace)
        level = "wasm" if case.dialect == WASM else isolation
        argv = ["run", str(skill), *operation, "--isolation", level, "--yes", "--format", "json",
                "--trace", "off", "--workspace", str(workspace)]  # fmt: skip
        out = io.StringIO()
        if case.venv:
            os.environ["PATH"] = f"{venv}{os.pathsep}{path}"
        try:
            with contextlib.chdir(workspace), contextlib.redirect_stdout(out), _observed(observed):
                status = main(argv)
        finally:
            os.environ["PATH"] = path
            remove_left(case)
        return _result(status, json.loads(out.getvalue()))


@contextlib.contextmanager
def _observed(observed: bool) -> Any:
    """With `observed` false, as on a system that lets nobody observe."""
    from skillstudio.dryrun.isolation import levels

    this_host = levels.this_host
    if not observed:
        levels.this_host = lambda: this_host()._replace(**UNOBSERVED)
    try:
        yield
    finally:
        levels.this_host = this_host


UNOBSERVED: dict[str, Any] = {"observes": False}


def _result(status: int, found: dict[str, Any]) -> Result:
    seen = [each for each in found["effects"]
            if each["verdict"] in ("declared-observed", "undeclared", "blocked")]  # fmt: skip
    named = tuple(dict.fromkeys(each["effect"] for each in seen))
    evidence = tuple(f"{each['effect']}: {line}" for each in seen for line in each["evidence"])
    evidence += tuple(each["message"] for each in found["problems"] if each["severity"] == "error")
    if found["error"]:
        evidence += (found["error"],)
    whole = found["traced"] and not found["incomplete"]
    undeclared = tuple(each["effect"] for each in seen if not each["declared"])
    return Result(named, found["ok"], found["verdict"], status, whole, evidence, undeclared)


def judge(pairs: Sequence[tuple[Case, Result]]) -> Score:
    """Compare results with the truth."""
    true = extra = missed = liars = caught = alarms = stated = 0
    lines: list[str] = []
    named = 0
    silent: list[str] = []
    alarmed: list[str] = []
    for case, result in pairs:
        truth = [set(each.split("|")) for each in case.does]
        hit = [each for each in truth if each & set(result.named)]
        wrong = [name for name in result.named if not any(name in each for each in truth)]
        lost = [each for each in truth if each not in hit]
        true, extra, missed = true + len(hit), extra + len(wrong), missed + len(lost)
        liars += case.lies
        alarm = not case.lies and not result.ok
        alarms += alarm
        is_silent = result.ok and result.verdict != "not fully observed"
        caught += case.lies and not is_silent
        if case.lies and is_silent:
            silent.append(case.name)
        elif case.lies:
            hides = case.hides
            named += bool(hides) and all(words & set(result.undeclared) for words in hides)
        alarmed += [case.name] * alarm
        notes = [f"not {'|'.join(sorted(each))}" for each in lost]
        notes += [f"wrongly {name}" for name in wrong]
        notes += ["liar not caught"] * (case.lies and is_silent) + ["false alarm"] * alarm
        if (result.status == 0) != result.ok:
            notes.append(f"exit status {result.status} and ok {result.ok}")
        if notes:
            stated += not result.whole
            said = "; ".join(result.evidence[:4])
            lines.append(f"{case.name}: {', '.join(notes)} ({result.verdict}) {said[:300]}")
    return Score(true, extra, missed, liars, caught, alarms, stated, tuple(lines),
                 named, tuple(silent), tuple(alarmed))  # fmt: skip


def score(isolation: str, observed: bool, chosen: Sequence[Case], workers: int = 2) -> Score:
    """Run a part of the corpus at a level."""
    ground()  # Before there are several processes.
    if workers > 1:
        compile_all([case for case in chosen if case.dialect == BLOCK])
    with tempfile.TemporaryDirectory(prefix="truth-venv-") as folder:
        venv = str(virtual_environment(Path(folder, "venv"))) if any(c.venv for c in chosen) else ""
        run = partial(run_case, isolation=isolation, observed=observed, venv=venv)
        if workers == 1:
            results = [run(case) for case in chosen]
        else:
            # Programs of one behaviour leave files of the same name.
            groups = [
                list(group) for _, group in groupby(chosen, lambda case: case.behaviour["id"])
            ]
            with multiprocessing.get_context("fork").Pool(workers) as pool:
                rows = pool.imap(partial(_run_all, run), groups)
                results = [result for row in rows for result in row]
    return judge(list(zip(chosen, results, strict=True)))


def _run_all(run: Callable[[Case], Result], group: Sequence[Case]) -> list[Result]:
    return [run(case) for case in group]


HEAD = ("level", "observed", "precision", "recall", "liars caught", "named", "otherwise", "silent",
        "false alarms", "misses stated")  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Print the table and every miss of each corpus."""
    corpora = [corpus for corpus in CORPORA if corpus in arguments] or list(CORPORA)
    for corpus in corpora:
        _print_corpus(corpus, [word for word in arguments if word not in CORPORA])
    return 0


def _print_corpus(corpus: str, arguments: Sequence[str]) -> None:
    from skillstudio.dryrun.isolation.levels import probe_isolation

    chosen = [case for case in cases(corpus) if case.quick or "--quick" not in arguments]
    names = [word for word in arguments if not word.startswith("--")]
    chosen = [case for case in chosen if not names or any(name in case.name for name in names)]
    print(f"{corpus}: {len(chosen)} skills, {sum(case.lies for case in chosen)} liars")
    if not chosen:
        return
    rows = [HEAD]
    for observed in (True, False) if "--observed" not in arguments else (True,):
        for isolation in LEVELS:
            if not probe_isolation().level(isolation).available:
                print(f"{isolation}: {probe_isolation().level(isolation).reason}")
                continue
            result = score(isolation, observed, chosen)
            rows.append((isolation, "yes" if observed else "no", *result.row))
            if observed or "--all" in arguments:
                print(f"\n{isolation}:", *result.lines, sep="\n  ")
                print(f"{isolation}, silent liars:", *result.silent, sep="\n  ")
                print(f"{isolation}, false alarms:", *result.alarmed, sep="\n  ", flush=True)
    print()
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
