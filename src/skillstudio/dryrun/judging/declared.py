"""The output files and effects that a manifest declares, in the terms of its dialect."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from skillstudio.dryrun.plan import PlannedOutput, Roots
from skillstudio.dryrun.report import JudgedOutput
from skillstudio.files.ignore import Glob, GlobError
from skillstudio.files.paths import below
from skillstudio.interface.covering import covers
from skillstudio.interface.model import Interface, Operation
from skillstudio.manifest.registry import tables_of
from skillstudio.resources import toml_table
from skillstudio.text.lazy_pattern import lazy_pattern


class OutputPattern(NamedTuple):
    """A declared pattern, ready for matching."""

    pattern: str
    folder: str  # The folder it is relative to, absolute.
    glob: Glob | None  # None when nothing can match.
    is_glob: bool  # Whether it matches any number of files.

    def matches(self, path: str) -> bool:
        """Whether it matches an absolute path. `*` ends at a `/`, `**` does not."""
        inside = below(path, self.folder)
        if not inside or self.glob is None:
            return False
        return self.glob.matches(inside.replace("\\", "/").encode("utf-8", "surrogateescape"))


def output_patterns(outputs: Sequence[PlannedOutput], roots: Roots) -> list[OutputPattern]:
    """The declared patterns, in order; one with an unknown path matches nothing."""
    patterns = []
    for output in outputs:
        glob = None
        with suppress(GlobError):
            glob = Glob(output.path.encode("utf-8", "surrogateescape")) if output.path else None
        plain = output.path.replace("[*]", "").replace("[?]", "").replace("[[]", "")
        is_glob = any(sign in plain for sign in "*?[")
        patterns.append(OutputPattern(output.pattern, roots.of(output.base), glob, is_glob))
    return patterns


def judge_outputs(
    patterns: Sequence[OutputPattern],
    produced_files: Mapping[str, str],
    declares: bool,
    partial: bool,
) -> tuple[JudgedOutput, ...]:
    """Judge added and modified files, absolute path to shown path; none is undeclared unless the
    dialect `declares` output files. A glob may match nothing; after a `partial` run nothing is
    missing."""
    judged_outputs: list[JudgedOutput] = []
    undeclared_files = dict(produced_files)
    for pattern in patterns:
        paths = {
            path: display_path
            for path, display_path in produced_files.items()
            if pattern.matches(path)
        }
        if paths:
            judged_outputs.append(JudgedOutput(pattern.pattern, "produced", tuple(paths.values())))
        else:
            wrong = not pattern.is_glob and pattern.glob is not None and not partial
            judged_outputs.append(JudgedOutput(pattern.pattern, "missing", is_error=wrong))
        for path in paths:
            undeclared_files.pop(path, None)
    if declares:
        judged_outputs += [
            JudgedOutput("", "undeclared", (shown_path,), True)
            for shown_path in undeclared_files.values()
        ]
    return tuple(judged_outputs)


EVERYTHING = "*"
_HOST_PORT = lazy_pattern(r":[0-9]+$")


class Setting(NamedTuple):
    """What declarations are relative to."""

    dialect: str
    roots: Roots
    home: str
    outputs: Sequence[PlannedOutput]  # With all inputs inserted.


class Declaration(NamedTuple):
    """A declared effect and what it covers."""

    effect: str
    allows: Callable[[str], bool]  # Whether it covers a path, host or command line.
    silent: bool = False  # Whether it is implicit, so that not observing it proves nothing.


def has_words(dialect: str, effect: str) -> bool:
    """Whether a dialect can declare an effect at all."""
    return any(
        effect in words.get("effects", ()) or words.get("effect") == effect
        for words in _words(dialect)
    )


def declares_outputs(dialect: str) -> bool:
    """Whether a dialect declares which files remain."""
    return any(words.get("outputs", False) for words in _words(dialect))


def always_declares(dialect: str) -> bool:
    """Whether a dialect lists effects by their names, so that an empty list says something."""
    return any("effects" in words for words in _words(dialect))


def _words(dialect: str) -> list[dict[str, Any]]:
    return [words for words in table()["words"] if dialect in words["dialects"]]


def declarations(
    interface: Interface, operation: Operation, setting: Setting
) -> Iterator[Declaration]:
    """Everything that is declared for one operation."""
    for words in _words(setting.dialect):
        for effect in operation.effects:
            if effect in words.get("effects", ()):
                yield Declaration(effect, _anything)
        effect = words.get("effect", "")
        if words.get("outputs") and setting.outputs:
            yield Declaration(effect, _of_outputs(setting))
        if words.get("commands"):
            # The skill's own programs are requested by path.
            commands = [
                requirement
                for requirement in interface.requirements
                if requirement.kind == "command"
            ]
            names = [os.path.basename(requirement.name) for requirement in commands]
            yield Declaration(effect, _of_commands(names, ()), silent=not names)
        hint = words.get("execution")
        if hint and interface.execution is not None and getattr(interface.execution, hint):
            yield Declaration(effect, _anything)
        if "permission" in words:
            yield from _permission(interface, words, setting)


def _permission(
    interface: Interface, words: Mapping[str, Any], setting: Setting
) -> Iterator[Declaration]:
    blocked_programs = [
        item
        for term in interface.permissions
        if term.name == words.get("blocked") and isinstance(term.value, tuple)
        for item in term.value
    ]
    for term in interface.permissions:
        if term.name != words["permission"] or term.key != words.get("key", ""):
            continue
        items = [item for item in term.value if isinstance(item, str)]
        effect = words["effect"]
        if words["covers"] == "command":
            yield Declaration(effect, _of_commands(items, blocked_programs))
        elif EVERYTHING in items:
            yield Declaration(effect, _anything)
        elif words["covers"] == "path":
            yield Declaration(effect, _of_paths([resolve_path(path, setting) for path in items]))
        else:
            yield Declaration(effect, _of_hosts(items))


def _anything(_subject: str) -> bool:
    return True


def _of_paths(paths: Sequence[str]) -> Callable[[str], bool]:
    return lambda subject: any(covers(path, subject, "path") for path in paths)


def _of_hosts(addresses: Sequence[str]) -> Callable[[str], bool]:
    """Observed is `host:port` or a name that is looked up, never a scheme."""
    hosts = [address.partition("://")[2].partition("/")[0] or address for address in addresses]
    names = [_HOST_PORT.sub("", host) for host in hosts]
    return lambda subject: any(
        covers(host, subject, "host") for host in (hosts if _HOST_PORT.search(subject) else names)
    )


def _of_commands(
    allowed_programs: Sequence[str], blocked_programs: Sequence[str]
) -> Callable[[str], bool]:
    def allows(subject: str) -> bool:
        name = os.path.basename(program_in(subject))
        is_known = name in allowed_programs or name in table()["basic"]["programs"]
        return name not in blocked_programs and (EVERYTHING in allowed_programs or is_known)

    return allows


def program_in(line: str) -> str:
    """The program of a started command, as it was called; its name may be quoted."""
    first = line.split(" ", 1)[0]
    if "'" in first:
        # A long command is cut off, perhaps inside quotes.
        with suppress(ValueError):
            return shlex.split(line)[0]
    return first


def _of_outputs(setting: Setting) -> Callable[[str], bool]:
    patterns = output_patterns(setting.outputs, setting.roots)
    return lambda subject: any(pattern.matches(subject) for pattern in patterns)


def resolve_path(path: str, setting: Setting) -> str:
    """A path of a manifest as an absolute one."""
    starts = {"~": "~", **table()["places"].get(setting.dialect, {})}
    for start, place in starts.items():
        if path == start or path.startswith(start + "/"):
            at_home = place.startswith("~")
            folder = setting.home + place[1:] if at_home else setting.roots.workspace
            return os.path.normpath(folder + path[len(start) :])
    return os.path.normpath(os.path.join(setting.roots.workspace, path))


@cache
def table() -> dict[str, Any]:
    """The table of effects, with the words and places of all dialects."""
    words = tables_of("effects.toml", "words")
    places = tables_of("effects.toml", "places")
    return {
        **toml_table(__file__, "effects.toml"),
        "words": [{**row, "dialects": dialects} for dialects, row in words],
        "places": {dialect: row for dialects, row in places for dialect in dialects},
    }
