"""Judge declared effects against observed ones."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from skillstudio.dryrun.judging.advice import TEMPORARY
from skillstudio.dryrun.judging.declared import Declaration, has_words, table
from skillstudio.dryrun.report import EffectVerdict, Event, JudgedEffect, Observation
from skillstudio.files.paths import below

MOST = 20  # Lines of evidence kept per effect.
SQLITE = "sqlite"
_SQLITE_SIDES = ("-wal", "-shm", "-journal")
_FAILURES = {
    "EACCES": "refused: permission denied",
    "EPERM": "refused: not permitted",
    "ENOSYS": "refused: not available",
    "EROFS": "refused: read-only",
    "ENOENT": "failed: no such file",
    "ENOTDIR": "failed: not a folder",
    "ENETUNREACH": "refused: no network",
    "ENETDOWN": "refused: no network",
    "EHOSTUNREACH": "failed: no route",
    "ECONNREFUSED": "failed: connection refused",
    "ETIMEDOUT": "failed: timed out",
}
"""What an error number means to an author; others are named."""


def judge_effects(
    declarations: Iterable[Declaration],
    observations: Iterable[ObservedEffect],
    dialect: str,
    is_traced: bool,
    is_first: Callable[[str], bool] = lambda _evidence: False,
) -> tuple[JudgedEffect, ...]:
    """A verdict on each declared or observed effect, or two: for what a declaration covers and the
    rest. Neither a refused declared effect nor one that the dialect cannot declare is an error. Of
    much evidence, the lines that `is_first` selects are kept."""
    declarations = list(declarations)
    judged_effects: list[JudgedEffect] = []
    words = {declaration.effect for declaration in declarations}
    observations = [
        observation._replace(effect=observation.instead)
        if observation.instead in words and observation.effect not in words
        else observation
        for observation in observations
    ]
    for effect, about in table()["effect"].items():
        mine = [declaration for declaration in declarations if declaration.effect == effect]
        effect_observations = [
            observation for observation in observations if observation.effect == effect
        ]
        coverage = [
            any(declaration.allows(observation.about) for declaration in mine)
            for observation in effect_observations
        ]
        covered_observations = [
            observation
            for observation, is_covered in zip(effect_observations, coverage, strict=True)
            if is_covered
        ]
        rest = [
            observation
            for observation, is_covered in zip(effect_observations, coverage, strict=True)
            if not is_covered
        ]
        if covered_observations:
            verdict = _verdict(covered_observations, "declared-observed")
            judged_effects.append(
                JudgedEffect(effect, True, verdict, _evidence(covered_observations, is_first))
            )
        if prevented_observations := [
            observation for observation in rest if observation.is_prevented
        ]:
            rest = [observation for observation in rest if not observation.is_prevented]
            lines = _evidence(prevented_observations, is_first)
            judged_effects.append(JudgedEffect(effect, False, "prevented", lines))
        if rest:
            verdict = _verdict(rest, "undeclared")
            fault = has_words(dialect, effect) or any(observation.serious for observation in rest)
            judged_effects.append(
                JudgedEffect(effect, False, verdict, _evidence(rest, is_first), fault)
            )
        if not effect_observations and any(not declaration.silent for declaration in mine):
            visible = is_traced or about["seen_by"] == "files"
            verdict = "declared-not-observed" if visible else "not-observable"
            judged_effects.append(JudgedEffect(effect, True, verdict))
    return tuple(judged_effects)


def _verdict(observations: Sequence[ObservedEffect], verdict: EffectVerdict) -> EffectVerdict:
    return "blocked" if all(observation.is_refused for observation in observations) else verdict


def _evidence(
    observations: Sequence[ObservedEffect], is_first: Callable[[str], bool]
) -> tuple[str, ...]:
    lines = [observation.evidence for observation in observations]
    excess = len(lines) - MOST
    if excess > 0:
        # Started programs and credentials are more informative than each file.
        lines.sort(key=lambda line: not (line.startswith("started ") or is_first(line)))
    return (*lines[:MOST], f"and {excess} more") if excess > 0 else tuple(lines)


class ObservedEffect(NamedTuple):
    """One observation of an effect."""

    effect: str
    about: str  # The path, host or command line to match declarations against.
    evidence: str
    is_refused: bool = False
    instead: str = ""  # Another effect it may be, when the observation does not decide.
    is_prevented: bool = False  # Whether it may have been scratch, which is no effect.
    serious: bool = False
    """Whether it is an error in dialects that have no word for it, too."""


class WrittenFile(NamedTuple):
    """A file that a run changed."""

    path: str  # Absolute, in the original; `~/…` in the home folder.
    display_path: str
    change: str  # `added`, `modified` or `removed`.
    kind: str


class RunScope(NamedTuple):
    """What belongs to the run itself."""

    skill: str  # The skill's folder: reading its own files is no effect.
    workspace: str  # Changes in it and in the skill are known from the files.
    home: str
    temporary: str
    refuses_network: bool  # Whether nothing that is sent arrives.
    was_present: Callable[[str], bool] = lambda _path: True
    """Whether an absolute path was there before the run."""


def observed_effects(
    written_files: Sequence[WrittenFile],
    observation: Observation,
    scope: RunScope,
    databases: Iterable[str] = (),
) -> list[ObservedEffect]:
    """Everything that shows an effect, file changes first; `databases` are existing ones."""
    known_databases = {file.path for file in written_files if file.kind == SQLITE} | set(databases)
    effects = [
        *_changes(written_files, observation, known_databases),
        *_events(written_files, observation, scope, known_databases),
    ]
    effects = [effect._replace(about=_expand_home(effect.about, scope.home)) for effect in effects]
    return list(dict.fromkeys(effects))


def _changes(
    written_files: Sequence[WrittenFile], observation: Observation, databases: set[str]
) -> Iterator[ObservedEffect]:
    refreshed_indexes = _find_refreshed_indexes(written_files, observation)
    for file in written_files:
        effect, verb = "fs.write", file.change
        if file.path in refreshed_indexes:
            effect, verb = "git.read", "refreshed"
        elif _is_git(file.path):
            effect = "git.write"
        elif _is_database(file.path, databases):
            effect = "db.write"
        yield ObservedEffect(effect, file.path, f"{verb} {file.display_path}")


def _find_refreshed_indexes(
    written_files: Sequence[WrittenFile], observation: Observation
) -> set[str]:
    """The index of each repository without any other change: asking for the status refreshes it.
    Nothing else than git has written it, as far as the run was observed."""
    by_others = {
        event.subject
        for event in observation.events
        if event.kind == "write" and event.program != "git"
    }
    repositories: dict[str, list[WrittenFile]] = {}
    for file in written_files:
        if _is_git(file.path):
            repositories.setdefault(file.path.rpartition("/.git")[0], []).append(file)
    return {
        all_[0].path
        for all_ in repositories.values()
        if len(all_) == 1
        and all_[0].path.endswith("/.git/index")
        and all_[0].change == "modified"
        and all_[0].path not in by_others
    }


def _events(
    written_files: Sequence[WrittenFile],
    observation: Observation,
    scope: RunScope,
    databases: set[str],
) -> Iterator[ObservedEffect]:
    written_paths = {file.path for file in written_files}
    # Writing into a folder opens it too, and nothing is read that the run itself has written.
    opened_paths = {file.path for file in written_files if file.change == "added"}.union(
        *map(_above, written_paths)
    )
    rewritten: set[str] = set()  # So far.
    used = {event.subject for event in observation.events if event.kind == "write"}
    repository = any(
        _is_git(path)
        for path in written_paths - _find_refreshed_indexes(written_files, observation)
    )
    for event in observation.events:
        if event.kind == "exec":
            yield from _program(event, repository, bool(databases & written_paths))
        elif event.kind == "listen":
            observed_effect = _shown_by(event, "net.listen", "listened on")
            yield observed_effect._replace(serious=not _is_loopback(event.subject))
        elif event.kind in ("connect", "send", "resolve", "socket"):
            yield _network(event, scope)
        elif event.kind == "read":
            if effect := _read(event, scope, opened_paths | rewritten, databases):
                yield _shown_by(event, effect, "read")
        elif event.kind == "list":
            # The home folder of a run is empty, that of its user is not.
            is_users = event.subject == "~" or bool(event.error)
            is_scratch = below(event.subject, scope.temporary) is not None
            if is_users or not (is_scratch or _is_inside(event.subject, scope)):
                yield _shown_by(event, "fs.read", "listed")
        elif event.kind in ("write", "remove"):
            yield from _write(event, scope, written_paths | opened_paths, databases, used)
            if event.is_new and not event.error:
                rewritten.add(event.subject)
        elif event.kind == "filter":
            # Refused is one that would answer calls in place of the kernel.
            verb = "answered" if event.error else "filtered"
            call = _shown_by(event, "sys.call", f"{verb} the system calls of")
            yield call._replace(serious=bool(event.error))
        elif event.kind == "signal":
            yield _shown_by(event, "sys.call", "sent a signal to")._replace(serious=True)
        else:
            # A phrase is no name of a call.
            verb = "made" if " " in event.subject else "called"
            yield _shown_by(event, "sys.call", verb)._replace(serious=True)


def _shown_by(event: Event, effect: str, verb: str, instead: str = "") -> ObservedEffect:
    """What an event shows."""
    # The proxy gives a reason in words, the system a number.
    how = "failed" if event.error.isupper() else "refused"
    why = f" ({_FAILURES.get(event.error, f'{how}: {event.error}')})" if event.error else ""
    line = f"{verb} {event.subject}{why}"
    return ObservedEffect(effect, event.subject, line, bool(event.error), instead)


def _program(event: Event, repository: bool, database: bool) -> Iterator[ObservedEffect]:
    """A started program, and what it stands for; a changed `repository` or `database` decides what
    some of them did."""
    name = os.path.basename(event.argv[0]) if event.argv else event.subject
    observed_effect = _shown_by(event, "proc.exec", "started")
    if name.startswith("git-"):
        # Git starts its own parts: `git push` runs `git-receive-pack`.
        observed_effect = observed_effect._replace(
            about=shlex.join(["git", name[4:], *event.argv[1:]])
        )
    yield observed_effect
    effect, instead = table()["programs"].get(name, ""), ""
    if effect == "git" or name.startswith("git-"):
        command = _subcommand(event.argv)
        is_reading = command in table()["git"]["reading"] or not command
        listing = command in table()["git"]["listing"] and not repository
        effect = "git.read" if is_reading or listing else "git.write"
    elif effect == "sqlite":
        effect = "db.write" if database else "db.read"
    elif effect == "db.write":
        instead = "db.read"
    if effect:
        yield _shown_by(event, effect, "started", instead)


def _subcommand(argv: Sequence[str]) -> str:
    """The subcommand of git, else ""."""
    words = iter(argv[1:])
    for word in words:
        if word in table()["git"]["valued"]:
            next(words, None)
        elif not word.startswith("-") or word == "--version":
            return word
    return ""


def _network(event: Event, scope: RunScope) -> ObservedEffect:
    port = event.subject.rpartition(":")[2]
    effect = table()["ports"].get(port, "net.fetch")
    if event.subject.startswith("unix:"):
        return _shown_by(event, "ipc.connect", "connected to")._replace(serious=True)
    verbs = {"resolve": "looked up", "send": "sent to", "socket": "requested a"}
    verb = verbs.get(event.kind, "connected to")
    observed_effect = _shown_by(event, effect, verb, "db.read" if effect == "db.write" else "")
    # Without a network, only what the run itself started can be reached.
    is_own = event.is_proxied or (event.kind == "connect" and _is_loopback(event.subject))
    return observed_effect._replace(
        is_refused=observed_effect.is_refused or (scope.refuses_network and not is_own)
    )


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0]
    return host.startswith("127.") or host in ("[::1]", "[::ffff:127.0.0.1]")


def _read(event: Event, scope: RunScope, opened_paths: set[str], databases: set[str]) -> str:
    """The effect of reading a file, else "". Git compares files with its records."""
    path = event.subject
    if event.program == "git" and (_is_git(path) or below(path, scope.workspace) is not None):
        return ""
    if _is_git(path):
        return "" if path in opened_paths else "git.read"
    if _is_database(path, databases):
        # Its command says what it does; it looks at the file before it opens it as a database.
        return "" if event.program == "sqlite3" else "db.read"
    is_own = below(path, scope.skill) is not None or below(path, scope.temporary) is not None
    is_made = not (event.error or scope.was_present(path))
    return "" if is_own or is_made or path in opened_paths else "fs.read"


def _write(
    event: Event, scope: RunScope, known_paths: set[str], databases: set[str], used: set[str]
) -> Iterator[ObservedEffect]:
    """Writes that comparing the copies does not show: outside them, refused ones, and those that
    left everything as it was. A database is opened for writing even when it is only read; its
    journal is among the `used` files when it was written."""
    path = event.subject
    if path in databases and path not in known_paths and not event.error:
        if not any(path + side in used for side in _SQLITE_SIDES):
            yield _shown_by(event, "db.read", "opened")
        return
    if path in known_paths or below(path, scope.temporary) is not None:
        return
    is_git = _is_git(path)
    # What git did there is known from its command and from what changed.
    if event.program == "git" and not event.error and _is_inside(path, scope):
        return
    effect = "git.write" if is_git else "db.write" if _is_database(path, databases) else "fs.write"
    observed_effect = _shown_by(event, effect, "removed" if event.kind == "remove" else "wrote")
    if event.error in ("EACCES", "EPERM", "EROFS") and _is_scratch(path):
        observed_effect = observed_effect._replace(is_prevented=True)
    if not event.error and _is_inside(path, scope):
        observed_effect = observed_effect._replace(
            evidence=f"{observed_effect.evidence} (the same content at the end)"
        )
    yield observed_effect


def _is_scratch(path: str) -> bool:
    return any(below(path, place) is not None for place in TEMPORARY)


def _is_inside(path: str, scope: RunScope) -> bool:
    """Whether changes of a path are known from comparing files."""
    return any(below(path, folder) is not None for folder in (scope.skill, scope.workspace, "~"))


def _above(path: str) -> Iterator[str]:
    """Every parent folder of a path."""
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)


def _expand_home(path: str, home: str) -> str:
    inside = below(path, "~")
    return path if inside is None else f"{home}/{inside}".rstrip("/")


def _is_git(path: str) -> bool:
    return "/.git/" in path or path.endswith("/.git")


def _is_database(path: str, databases: set[str]) -> bool:
    plain = path
    for side in _SQLITE_SIDES:
        plain = plain.removesuffix(side)
    return plain in databases
