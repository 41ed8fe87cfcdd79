"""Undeclared effects of a run as edits, in the terms of each dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from skillstudio.dryrun.adopting.capabilities import capability, constraint
from skillstudio.dryrun.adopting.finding import AdoptFinding, Case, below, fix, not_declarable
from skillstudio.dryrun.adopting.places import hosts, paths
from skillstudio.dryrun.adopting.programs import command, program
from skillstudio.dryrun.adopting.suggestions import AdoptSuggestion, suggestion
from skillstudio.dryrun.adopting.trails import Trail, is_cut, trails
from skillstudio.dryrun.judging.declared import table
from skillstudio.dryrun.report import JudgedEffect
from skillstudio.interface.wording import shown
from skillstudio.text.diagnostic import Set

Form = Callable[[Case, JudgedEffect, AdoptSuggestion, Sequence[Trail]], Iterator[AdoptFinding]]


def undeclared_effects(case: Case) -> Iterator[AdoptFinding]:
    """A finding for each effect that the manifest still does not declare."""
    for effect in case.report.effects:
        if effect.declared:
            continue
        found = trails(effect, case.roots, case.home)
        left = [each for each in found if not case.is_declared(effect.effect, each.about)]
        if found and not left:
            continue
        how = suggestion(case.dialect, effect.effect)
        if how.form:
            yield from _with_cut_note(FORMS[how.form](case, effect, how, left), effect)
        else:
            yield cannot(effect, how.cannot)


def cannot(effect: JudgedEffect, why: str, lines: Sequence[str] | None = None) -> AdoptFinding:
    """An effect that this dialect cannot declare."""
    about = table()["effect"][effect.effect]["about"]
    evidence = effect.evidence if lines is None else lines
    what = f"The skill {about} ({effect.effect})"
    return not_declarable(f"effect:{effect.effect}", what, evidence, why)


def _with_cut_note(found: Iterator[AdoptFinding], effect: JudgedEffect) -> Iterator[AdoptFinding]:
    """Note on findings for single items when the report does not list all that was observed."""
    for each in found:
        whole = each.id == f"effect:{effect.effect}"
        if is_cut(effect) and each.fix is not None and not whole:
            sentence = f"{each.sentence}; the report does not list everything, so run it again"
            yield each._replace(sentence=sentence)
        else:
            yield each


def _word(
    _case: Case, effect: JudgedEffect, how: AdoptSuggestion, _: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    about = table()["effect"][effect.effect]["about"]
    tried = ", or tried to and was refused" if effect.verdict == "blocked" else ""
    yield AdoptFinding(
        f"effect:{effect.effect}",
        f"Declare the effect {effect.effect}: the skill {about}{tried}",
        effect.evidence,
        fix(f"Declare {effect.effect}", Set(below(how.at, "-"), effect.effect)),
        effect.is_error,
    )


def _flag(
    _case: Case, effect: JudgedEffect, how: AdoptSuggestion, _: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    about = table()["effect"][effect.effect]["about"]
    key = how.at.rpartition("/")[2]
    yield AdoptFinding(
        f"effect:{effect.effect}",
        f"Set {key}: true, because the skill {about}",
        effect.evidence,
        fix(f"Set {key}: true", Set(how.at, True)),
        effect.is_error,
    )


def _rest_of_files(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    """Files that no output pattern can match; the others are reported with the outputs."""
    with_outputs = {
        path
        for output in case.report.outputs
        if output.verdict == "undeclared"
        for path in output.paths
    }
    rest = [each.line for each in left if each.line.partition(" ")[2] not in with_outputs]
    if rest:
        yield cannot(effect, how.cannot, rest)


def _path(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    if any(each.masked for each in left):
        yield _sensitive(effect, left)
    for item, about, lines in paths(case, [each for each in left if not each.masked]):
        list_name = how.at.rpartition("/")[2]
        yield AdoptFinding(
            f"{effect.effect}:{item}",
            f"Add {shown(item)} to {list_name}{about}",
            lines,
            fix(f"Add {item} to {list_name}", Set(below(how.at, "-"), item)),
            effect.is_error,
        )


def _host(
    _case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    if any(each.masked for each in left):
        yield _sensitive(effect, left)
    nameless = [each.line for each in left if not each.host and not each.masked]
    if nameless:
        yield cannot(effect, how.cannot, nameless)
    for host, lines in hosts(left):
        yield AdoptFinding(
            f"host:{host}",
            f"Add the host {shown(host)} to {how.at.rpartition('/')[2]}",
            lines,
            fix(f"Add the host {host}", Set(below(how.at, "-"), host)),
            effect.is_error,
        )


def _command(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    yield from command(case, effect, how, left)
    yield from _other_lines(effect, how, left)


def _program(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    yield from program(case, effect, how, left)
    yield from _other_lines(effect, how, left)


def _other_lines(
    effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    """Evidence of the effect that is not the start of a program."""
    rest = [each.line for each in left if not each.program]
    if rest and how.cannot:
        yield cannot(effect, how.cannot, rest)


def _sensitive(effect: JudgedEffect, left: Sequence[Trail]) -> AdoptFinding:
    why = "it contains a sensitive value; edit the manifest by hand"
    return cannot(effect, why, [each.line for each in left if each.masked])._replace(
        id=f"effect:{effect.effect}:sensitive"
    )


FORMS: dict[str, Form] = {
    "word": _word,
    "flag": _flag,
    "rest-of-files": _rest_of_files,
    "path": _path,
    "host": _host,
    "command": _command,
    "program": _program,
    "capability": capability,
    "constraint": constraint,
}
"""The forms of adopt.toml for an undeclared effect."""
