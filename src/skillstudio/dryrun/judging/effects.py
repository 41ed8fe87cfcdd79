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
_FAILED = {
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
    declared: Iterable[Declaration],
    found: Iterable[ObservedEffect],
    dialect: str,
    traced: bool,
    is_first: Callable[[str], bool] = lambda _evidence: False,
) -> tuple[JudgedEffect, ...]:
    """A verdict on each declared or observed effect, or two: for what a declaration covers and the
    rest. Neither a refused declared effect nor one that the dialect cannot declare is an error. Of
    much evidence, the lines that `is_first` selects are kept."""
    declared = list(declared)
    judged: list[JudgedEffect] = []
    words = {declaration.effect for declaration in declared}
    found = [
        observation._replace(effect=observation.instead)
        if observation.instead in words and observation.effect not in words
        else observation
        for observation in found
    ]
    for effect, about in table()["effect"].items():
        mine = [declaration for declaration in declared if declaration.effect == effect]
        seen = [observation for observation in found if observation.effect == effect]
        allowed = [any(one.allows(observation.about) for one in mine) for observation in seen]
        covered = [
            observation for observation, is_covered in zip(seen, allowed, strict=True) if is_covered
        ]
        rest = [
            observation
            for observation, is_covered in zip(seen, allowed, strict=True)
            if not is_covered
        ]
        if covered:
            verdict = _verdict(covered, "declared-observed")
            judged.append(JudgedEffect(effect, True, verdict, _evidence(covered, is_first)))
        if prevented := [observed for observed in rest if observed.prevented]:
            rest = [observed for observed in rest if not observed.prevented]
            lines = _evidence(prevented, is_first)
            judged.append(JudgedEffect(effect, False, "prevented", lines))
        if rest:
            verdict = _verdict(rest, "undeclared")
            fault = has_words(dialect, effect) or any(observation.serious for observation in rest)
            judged.append(JudgedEffect(effect, False, verdict, _evidence(rest, is_first), fault))
        if not seen and any(not declaration.silent for declaration in mine):
            visible = traced or about["seen_by"] == "files"
            verdict = "declared-not-observed" if visible else "not-observable"
            judged.append(JudgedEffect(effect, True, verdict))
    return tuple(judged)


def _verdict(seen: Sequence[ObservedEffect], done: EffectVerdict) -> EffectVerdict:
    return "blocked" if all(observation.refused for observation in seen) else done


def _evidence(seen: Sequence[ObservedEffect], is_first: Callable[[str], bool]) -> tuple[str, ...]:
    lines = [observation.evidence for observation in seen]
    more = len(lines) - MOST
    if more > 0:
        # Started programs and credentials are more informative than each file.
        lines.sort(key=lambda line: not (line.startswith("started ") or is_first(line)))
    return (*lines[:MOST], f"and {more} more") if more > 0 else tuple(lines)


class ObservedEffect(NamedTuple):
    """One observation of an effect."""

    effect: str
    about: str  # The path, host or command line to match declarations against.
    evidence: str
    refused: bool = False
    instead: str = ""  # Another effect it may be, when the observation does not decide.
    prevented: bool = False  # Whether it may have been scratch, which is no effect.
    serious: bool = False
    """Whether it is an error in dialects that have no word for it, too."""


class WrittenFile(NamedTuple):
    """A file that a run changed."""

    path: str  # Absolute, in the original; `~/…` in the home folder.
    shown: str
    change: str  # `added`, `modified` or `removed`.
    kind: str


class Own(NamedTuple):
    """What belongs to the run itself."""

    skill: str  # The skill's folder: reading its own files is no effect.
    workspace: str  # Changes in it and in the skill are known from the files.
    home: str
    temporary: str
    refuses_network: bool  # Whether nothing that is sent arrives.
    existed: Callable[[str], bool] = lambda _path: True
    """Whether an absolute path was there before the run."""


def observed_effects(
    written: Sequence[WrittenFile], observed: Observation, own: Own, databases: Iterable[str] = ()
) -> list[ObservedEffect]:
    """Everything that shows an effect, file changes first; `databases` are existing ones."""
    known = {file.path for file in written if file.kind == SQLITE} | set(databases)
    found = [*_changes(written, observed, known), *_events(written, observed, own, known)]
    found = [effect._replace(about=_expanded(effect.about, own.home)) for effect in found]
    return list(dict.fromkeys(found))


def _changes(
    written: Sequence[WrittenFile], observed: Observation, databases: set[str]
) -> Iterator[ObservedEffect]:
    refreshed = _refreshed(written, observed)
    for file in written:
        effect, verb = "fs.write", file.change
        if file.path in refreshed:
            effect, verb = "git.read", "refreshed"
        elif _is_git(file.path):
            effect = "git.write"
        elif _is_database(file.path, databases):
            effect = "db.write"
        yield ObservedEffect(effect, file.path, f"{verb} {file.shown}")


def _refreshed(written: Sequence[WrittenFile], observed: Observation) -> set[str]:
    """The index of each repository without any other change: asking for the status refreshes it.
    Nothing else than git has written it, as far as the run was observed."""
    by_others = {
        event.subject
        for event in observed.events
        if event.kind == "write" and event.program != "git"
    }
    repositories: dict[str, list[WrittenFile]] = {}
    for file in written:
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
    written: Sequence[WrittenFile], observed: Observation, own: Own, databases: set[str]
) -> Iterator[ObservedEffect]:
    made = {file.path for file in written}
    # Writing into a folder opens it too, and nothing is read that the run itself has written.
    opened = {file.path for file in written if file.change == "added"}.union(*map(_above, made))
    rewritten: set[str] = set()  # So far.
    used = {event.subject for event in observed.events if event.kind == "write"}
    repository = any(_is_git(path) for path in made - _refreshed(written, observed))
    for event in observed.events:
        if event.kind == "exec":
            yield from _program(event, repository, bool(databases & made))
        elif event.kind == "listen":
            found = _shown_by(event, "net.listen", "listened on")
            yield found._replace(serious=not _is_loopback(event.subject))
        elif event.kind in ("connect", "send", "resolve", "socket"):
            yield _network(event, own)
        elif event.kind == "read":
            if effect := _read(event, own, opened | rewritten, databases):
                yield _shown_by(event, effect, "read")
        elif event.kind == "list":
            # The home folder of a run is empty, that of its user is not.
            is_users = event.subject == "~" or bool(event.refused)
            is_scratch = below(event.subject, own.temporary) is not None
            if is_users or not (is_scratch or _is_inside(event.subject, own)):
                yield _shown_by(event, "fs.read", "listed")
        elif event.kind in ("write", "remove"):
            yield from _write(event, own, made | opened, databases, used)
            if event.is_new and not event.refused:
                rewritten.add(event.subject)
        elif event.kind == "filter":
            # Refused is one that would answer calls in place of the kernel.
            verb = "answered" if event.refused else "filtered"
            call = _shown_by(event, "sys.call", f"{verb} the system calls of")
            yield call._replace(serious=bool(event.refused))
        elif event.kind == "signal":
            yield _shown_by(event, "sys.call", "sent a signal to")._replace(serious=True)
        else:
            # A phrase is no name of a call.
            verb = "made" if " " in event.subject else "called"
            yield _shown_by(event, "sys.call", verb)._replace(serious=True)


def _shown_by(event: Event, effect: str, verb: str, instead: str = "") -> ObservedEffect:
    """What an event shows."""
    # The proxy gives a reason in words, the system a number.
    how = "failed" if event.refused.isupper() else "refused"
    why = f" ({_FAILED.get(event.refused, f'{how}: {event.refused}')})" if event.refused else ""
    line = f"{verb} {event.subject}{why}"
    return ObservedEffect(effect, event.subject, line, bool(event.refused), instead)


def _program(event: Event, repository: bool, database: bool) -> Iterator[ObservedEffect]:
    """A started program, and what it stands for; a changed `repository` or `database` decides what
    some of them did."""
    name = os.path.basename(event.argv[0]) if event.argv else event.subject
    started = _shown_by(event, "proc.exec", "started")
    if name.startswith("git-"):
        # Git starts its own parts: `git push` runs `git-receive-pack`.
        started = started._replace(about=shlex.join(["git", name[4:], *event.argv[1:]]))
    yield started
    effect, instead = table()["programs"].get(name, ""), ""
    if effect == "git" or name.startswith("git-"):
        command = _subcommand(event.argv)
        reading = command in table()["git"]["reading"] or not command
        listing = command in table()["git"]["listing"] and not repository
        effect = "git.read" if reading or listing else "git.write"
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


def _network(event: Event, own: Own) -> ObservedEffect:
    port = event.subject.rpartition(":")[2]
    effect = table()["ports"].get(port, "net.fetch")
    if event.subject.startswith("unix:"):
        return _shown_by(event, "ipc.connect", "connected to")._replace(serious=True)
    verbs = {"resolve": "looked up", "send": "sent to", "socket": "requested a"}
    verb = verbs.get(event.kind, "connected to")
    found = _shown_by(event, effect, verb, "db.read" if effect == "db.write" else "")
    # Without a network, only what the run itself started can be reached.
    is_own = event.is_proxied or (event.kind == "connect" and _is_loopback(event.subject))
    return found._replace(refused=found.refused or (own.refuses_network and not is_own))


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0]
    return host.startswith("127.") or host in ("[::1]", "[::ffff:127.0.0.1]")


def _read(event: Event, own: Own, opened: set[str], databases: set[str]) -> str:
    """The effect of reading a file, else "". Git compares files with its records."""
    path = event.subject
    if event.program == "git" and (_is_git(path) or below(path, own.workspace) is not None):
        return ""
    if _is_git(path):
        return "" if path in opened else "git.read"
    if _is_database(path, databases):
        # Its command says what it does; it looks at the file before it opens it as a database.
        return "" if event.program == "sqlite3" else "db.read"
    is_own = below(path, own.skill) is not None or below(path, own.temporary) is not None
    is_made = not (event.refused or own.existed(path))
    return "" if is_own or is_made or path in opened else "fs.read"


def _write(
    event: Event, own: Own, made: set[str], databases: set[str], used: set[str]
) -> Iterator[ObservedEffect]:
    """Writes that comparing the copies does not show: outside them, refused ones, and those that
    left everything as it was. A database is opened for writing even when it is only read; its
    journal is among the `used` files when it was written."""
    path = event.subject
    if path in databases and path not in made and not event.refused:
        if not any(path + side in used for side in _SQLITE_SIDES):
            yield _shown_by(event, "db.read", "opened")
        return
    if path in made or below(path, own.temporary) is not None:
        return
    is_git = _is_git(path)
    # What git did there is known from its command and from what changed.
    if event.program == "git" and not event.refused and _is_inside(path, own):
        return
    effect = "git.write" if is_git else "db.write" if _is_database(path, databases) else "fs.write"
    found = _shown_by(event, effect, "removed" if event.kind == "remove" else "wrote")
    if event.refused in ("EACCES", "EPERM", "EROFS") and _is_scratch(path):
        found = found._replace(prevented=True)
    if not event.refused and _is_inside(path, own):
        found = found._replace(evidence=f"{found.evidence} (the same content at the end)")
    yield found


def _is_scratch(path: str) -> bool:
    return any(below(path, place) is not None for place in TEMPORARY)


def _is_inside(path: str, own: Own) -> bool:
    """Whether changes of a path are known from comparing files."""
    return any(below(path, folder) is not None for folder in (own.skill, own.workspace, "~"))


def _above(path: str) -> Iterator[str]:
    """Every parent folder of a path."""
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)


def _expanded(path: str, home: str) -> str:
    inside = below(path, "~")
    return path if inside is None else f"{home}/{inside}".rstrip("/")


def _is_git(path: str) -> bool:
    return "/.git/" in path or path.endswith("/.git")


def _is_database(path: str, databases: set[str]) -> bool:
    plain = path
    for side in _SQLITE_SIDES:
        plain = plain.removesuffix(side)
    return plain in databases
