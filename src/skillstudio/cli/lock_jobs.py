"""Find the lock files that a command line names, and the skills of each."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skillstudio.cli.output import UsageError
from skillstudio.cli.skill_paths import Notes, SkillPath, skill_paths
from skillstudio.files.disk import DiskTree
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, Span, decode

if TYPE_CHECKING:
    from skillstudio.skill.pins.proto import Reference

SKILLS_LOCK = "proto.lock"
ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True)
class Job:
    """One lock file: of a proto, or of skills."""

    path: str
    """The lock file, as it is shown and opened."""
    command: str
    """The command that writes it."""
    source: Source | None
    """The proto."""
    references: tuple[Reference, ...]
    skills: tuple[SkillPath, ...]


def jobs_of(paths: list[str]) -> list[Job]:
    """A job for each lock file. Raises UsageError if one cannot be read or names no skill."""
    given = list(dict.fromkeys(paths)) or _locked_here()
    protos = [path for path in given if _is_proto(path)]
    jobs = [_proto_job(path) for path in protos]
    rest = [path for path in given if path not in protos]
    if rest:
        jobs.append(_skills_job(rest))
    for job in jobs:
        if sum(os.path.realpath(each.path) == os.path.realpath(job.path) for each in jobs) > 1:
            raise UsageError(f"{job.path} is the lock file of two paths; lock them one by one")
    return jobs


def _locked_here() -> list[str]:
    """The protos of this folder that have a lock, and the folder if it has `proto.lock`."""
    names = sorted(os.listdir("."))
    protos = [
        name
        for name in names
        if name.lower().endswith(ENDINGS) and _lock_of(name) in names and _is_proto(name)
    ]
    own = {_lock_of(name) for name in protos}
    return protos + (["."] if not protos or SKILLS_LOCK in set(names) - own else [])


def _lock_of(path: str) -> str:
    return os.path.splitext(path)[0] + ".lock"


def _is_proto(path: str) -> bool:
    from skillstudio.cli.protos import is_proto

    return os.path.isfile(path) and is_proto(path)


def _proto_job(path: str) -> Job:
    from skillstudio.manifest.rulebook import severity_of
    from skillstudio.skill.pins.proto import references
    from skillstudio.text.reading import read

    source = read_source(path)
    document = read(source, "yaml", Span(0, len(source.text)))
    for fault in document.faults:
        if severity_of(fault.rule) == "error":
            raise UsageError(at(source.path, *source.position(fault.start), fault.message))
    found = tuple(references(document))
    if not found:
        raise UsageError(f"{path} names no skill, so there is nothing to lock")
    return Job(_lock_of(source.path), _command([path]), source, found, ())


def _skills_job(paths: list[str]) -> Job:
    notes = Notes()
    skills = tuple(skill_paths(paths, notes))
    missing = [note[1] for note in notes.found if note[0] in ("skill-missing", "folder-unreadable")]
    missing += [f"{shown} is not a proto" for _, shown in notes.protos]
    if missing or not skills:
        raise UsageError("; ".join(missing) or "no skill to lock")
    return Job(SKILLS_LOCK, _command(paths), None, (), skills)


def _command(paths: list[str]) -> str:
    shown = shlex.join(path.replace(os.sep, "/") for path in paths)
    return f"skillstudio lock {safe_text(shown)}"


def read_source(path: str) -> Source:
    """The text of a file. Raises UsageError if it is not UTF-8, OSError."""
    folder, name = os.path.split(path)
    text, wrong = decode(DiskTree(folder or ".").read(name))
    source = Source(text, path.replace(os.sep, "/"))
    if wrong is not None:
        raise UsageError(at(source.path, *source.position(wrong), "not UTF-8 from here on"))
    return source


def roots(job: Job) -> list[str]:
    """The folders in which names are looked up: repositories, else the named folders."""
    from skillstudio.skill.lookup import workspace_of

    if job.source is not None:
        return [workspace_of(os.path.dirname(job.source.path))]
    return sorted({workspace_of(target.disk) for target in job.skills})


def at(path: str, line: int, column: int, message: str) -> str:
    """A message with its place."""
    return f"{path}:{line}:{column}: {message}"
