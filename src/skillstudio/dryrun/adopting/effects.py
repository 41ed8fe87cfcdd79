"""Effects that were seen and are not declared, in the words of each dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from skillstudio.dryrun.adopting.capabilities import capability, constraint
from skillstudio.dryrun.adopting.finding import AdoptFinding, Case, below, fix
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
    """A finding for each effect of the run that the manifest does not declare by now."""
    for effect in case.report.effects:
        if effect.declared:
            continue
        found = trails(effect, case.roots, case.home)
        left = [each for each in found if not case.is_declared(effect.effect, each.about)]
        if found and not left:
            continue
        how = suggestion(case.dialect, effect.effect)
        if how.form:
            yield from _noted(FORMS[how.form](case, effect, how, left), effect)
        else:
            yield cannot(effect, how.cannot)


def cannot(effect: JudgedEffect, why: str, lines: Sequence[str] | None = None) -> AdoptFinding:
    """An effect that this manifest has no words for."""
    about = table()["effect"][effect.effect]["about"]
    return AdoptFinding(
        f"effect:{effect.effect}",
        f"It {about} ({effect.effect}), which cannot be said here: {why}",
        tuple(effect.evidence if lines is None else lines),
        cannot=why,
    )


def _noted(found: Iterator[AdoptFinding], effect: JudgedEffect) -> Iterator[AdoptFinding]:
    """What is found, with a word where more was seen than the report keeps."""
    for each in found:
        whole = each.id == f"effect:{effect.effect}"
        if is_cut(effect) and each.fix is not None and not whole:
            sentence = f"{each.sentence}; more was seen than the report keeps, so run it again"
            yield each._replace(sentence=sentence)
        else:
            yield each


def _word(
    _case: Case, effect: JudgedEffect, how: AdoptSuggestion, _: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    about = table()["effect"][effect.effect]["about"]
    tried = "; it tried, and was refused" if effect.verdict == "blocked" else ""
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
        f"Say {key}: true, as the skill {about}",
        effect.evidence,
        fix(f"Say {key}: true", Set(how.at, True)),
        effect.is_error,
    )


def _rest_of_files(
    case: Case, effect: JudgedEffect, how: AdoptSuggestion, left: Sequence[Trail]
) -> Iterator[AdoptFinding]:
    """Files that no pattern could stand for; the others are told with the outputs."""
    told = {
        path
        for output in case.report.outputs
        if output.verdict == "undeclared"
        for path in output.paths
    }
    rest = [each.line for each in left if each.line.partition(" ")[2] not in told]
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
    """What shows the effect and is no start of a program."""
    rest = [each.line for each in left if not each.program]
    if rest and how.cannot:
        yield cannot(effect, how.cannot, rest)


def _sensitive(effect: JudgedEffect, left: Sequence[Trail]) -> AdoptFinding:
    why = "what was seen holds a sensitive value, which is put into no manifest; write it by hand"
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
"""The forms of the table in which an undeclared effect is said."""
