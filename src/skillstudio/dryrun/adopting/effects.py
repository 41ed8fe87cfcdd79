"""Undeclared effects of a run as edits, in the terms of each dialect."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from skillstudio.dryrun.adopting.finding import (
    AdoptFinding,
    Case,
    Trail,
    UndeclaredEffect,
    below,
    is_cut,
    not_declarable,
    suggestion,
)
from skillstudio.dryrun.adopting.generalising import stands_in
from skillstudio.dryrun.adopting.programs import command, program
from skillstudio.dryrun.planning.typed import render_value
from skillstudio.files import paths
from skillstudio.interface.covering import covers
from skillstudio.interface.wording import display_value
from skillstudio.manifest.values import mappings, text
from skillstudio.text.diagnostic import Set

KINDS = {"net.fetch": "net.http", "proc.exec": "exec"}  # Effects that provenact names differently.
_MOST_FILES = 3  # Files of one folder that are listed one by one; more become the folder.
_PLAIN_HTTP = "80"
_TLS = "443"


def undeclared_effects(case: Case) -> Iterator[AdoptFinding]:
    """A finding for each effect that the manifest still does not declare."""
    for effect in case.report.effects:
        if effect.declared:
            continue
        observed_trails = case.trails(effect)
        uncovered_trails = [
            trail for trail in observed_trails if not case.is_declared(effect.effect, trail.about)
        ]
        if observed_trails and not uncovered_trails:
            continue
        missing = UndeclaredEffect(
            case, effect, suggestion(case.dialect, effect.effect), uncovered_trails
        )
        if missing.how.form:
            yield from _with_cut_note(missing)
        else:
            yield missing.cannot(effect.evidence)


def _with_cut_note(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Note on findings for single items when the report does not list all that was observed."""
    for finding in FORMS[missing.how.form](missing):
        whole = finding.id == f"effect:{missing.effect.effect}"
        if is_cut(missing.effect) and finding.edits and not whole:
            sentence = f"{finding.sentence}; the report does not list everything, so run it again"
            yield finding._replace(sentence=sentence)
        else:
            yield finding


def _word(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    effect = missing.effect
    attempt_text = ", or tried to and was refused" if effect.verdict == "blocked" else ""
    sentence = f"Declare the effect {effect.effect}: the skill {missing.about}{attempt_text}"
    edit = missing.how.add(effect.effect)
    yield missing.offer(f"effect:{effect.effect}", sentence, effect.evidence, edit)


def _flag(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    effect = missing.effect
    sentence = f"Set {missing.how.keys[-1]}: true, because the skill {missing.about}"
    edit = Set(missing.how.at, True)
    yield missing.offer(f"effect:{effect.effect}", sentence, effect.evidence, edit)


def _rest_of_files(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Files that no output pattern can match; the others are reported with the outputs."""
    with_outputs = missing.case.undeclared_files
    rest = [
        trail.line
        for trail in missing.uncovered_trails
        if trail.line.partition(" ")[2] not in with_outputs
    ]
    if rest:
        yield missing.cannot(rest)


def _path(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    yield from _sensitive(missing)
    list_name = missing.how.keys[-1]
    for item, about, lines in _path_items(missing):
        id, sentence = (
            f"{missing.effect.effect}:{item}",
            f"Add {display_value(item)} to {list_name}{about}",
        )
        yield missing.offer(id, sentence, lines, missing.how.add(item))


def _path_items(missing: UndeclaredEffect) -> Iterator[tuple[str, str, list[str]]]:
    """The fewest items that cover no more than was observed: item, explanation, evidence. A folder
    replaces many files, or names with an input, unless it is the workspace or the home folder."""
    case = missing.case
    lines_by_path = {
        trail.about: trail.line
        for trail in missing.uncovered_trails
        if trail.is_path and not trail.is_masked
    }
    whole = (case.roots.workspace, case.home, "/")
    wide: dict[str, str] = {}
    for path in lines_by_path:
        folder = os.path.dirname(path)
        siblings = [sibling for sibling in lines_by_path if os.path.dirname(sibling) == folder]
        name = _input_in(case, os.path.basename(path))
        if folder in whole:
            wide[path] = f"; other values of {name} may use another file" if name else ""
        elif name:
            wide[folder] = f": the folder, because file names contain the input {name}"
        elif len(siblings) > _MOST_FILES:
            wide[folder] = f": the folder, because of {len(siblings)} files in it"
        else:
            wide.setdefault(path, "")
    for path, about in wide.items():
        if not any(other != path and covers(other, path, "path") for other in wide):
            lines = [line for file, line in lines_by_path.items() if covers(path, file, "path")]
            yield _spell_path(case, path), about, lines


def _spell_path(case: Case, path: str) -> str:
    """A path as written in `skill.toml`."""
    for start, folder in ((".", case.roots.workspace), ("~", case.home)):
        inside = paths.below(path, folder)
        if inside is not None:
            return f"{start}/{inside}" if inside or start == "." else start
    return path


def _input_in(case: Case, name: str) -> str:
    """An input whose value occurs in a name, else ""."""
    for input_name, value in case.report.plan.inputs.items():
        if (
            input_name
            and not isinstance(value, bool | list | dict)
            and stands_in(render_value(value), name)
        ):
            return input_name
    return ""


def _host(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    yield from _sensitive(missing)
    plain = [trail for trail in missing.uncovered_trails if not trail.is_masked]
    if nameless := [trail.line for trail in plain if not trail.host]:
        yield missing.cannot(nameless)
    for host in dict.fromkeys(trail.host for trail in plain if trail.host):
        lines = [trail.line for trail in plain if trail.host == host]
        sentence = f"Add the host {display_value(host)} to {missing.how.keys[-1]}"
        yield missing.offer(f"host:{host}", sentence, lines, missing.how.add(host))


def _sensitive(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    if lines := [trail.line for trail in missing.uncovered_trails if trail.is_masked]:
        finding = missing.cannot(lines, "it contains a sensitive value; edit the manifest by hand")
        yield finding._replace(id=f"{finding.id}:sensitive")


def _capability(missing: UndeclaredEffect) -> Iterator[AdoptFinding]:
    """Capabilities of provenact version 1, a kind and one value each, or of version 0, with lists
    of limits, of which an existing one is extended."""
    effect, how = missing.effect.effect, missing.how
    kind = KINDS.get(effect, effect)
    limit = "domains" if kind == "net.http" else "paths"
    capabilities = mappings(missing.case.value, *how.keys)
    where = next((at for at, capability in capabilities if text(capability, "name") == kind), None)
    lines_by_value: dict[str, list[str]] = {}
    for trail in missing.uncovered_trails:
        lines_by_value.setdefault(_value(kind, trail), []).append(trail.line)
    rest = lines_by_value.pop("", [])
    for value, lines in lines_by_value.items():
        edit = how.add({"kind": kind, "value": value})
        if how.form == "constraint":
            value = value.partition("://")[2] or value
            new: Any = {"name": kind, "required": True, "constraints": {limit: [value]}}
            edit = how.add(new)
            if where is not None:
                edit = Set(below(where, "constraints", limit, "-"), value)
        request = f"Request the capability {kind} with {display_value(value)}"
        sentence = f"{request}; this changes the manifest's hash"
        yield missing.offer(f"capability:{kind}:{value}", sentence, lines, edit)
    if rest:
        yield not_declarable(f"effect:{effect}", f"The run showed {effect}", rest, how.cannot)


def _value(kind: str, trail: Trail) -> str:
    if trail.is_masked:
        return ""
    if kind == "exec":
        return "true" if trail.program else ""
    if kind != "net.http":
        # Runtimes open folders; a single file cannot be granted.
        return os.path.dirname(trail.about) if trail.is_path else ""
    if not trail.host:
        return ""
    port = trail.about.rpartition(":")[2] if trail.about != trail.host else _TLS
    scheme = "http" if port == _PLAIN_HTTP else "https"
    return f"{scheme}://{trail.host}" + ("" if port in (_PLAIN_HTTP, _TLS) else f":{port}")


FORMS: dict[str, Callable[[UndeclaredEffect], Iterator[AdoptFinding]]] = {
    "word": _word,
    "flag": _flag,
    "rest-of-files": _rest_of_files,
    "path": _path,
    "host": _host,
    "command": command,
    "program": program,
    "capability": _capability,
    "constraint": _capability,
}
"""The forms of adopt.toml for an undeclared effect."""
