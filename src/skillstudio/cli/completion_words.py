"""The words that complete a command line and depend on files: skills, operations, samples, runs.

A completion script asks for them with `skillstudio completion words -- WORD...`. They come from
files that nobody has checked, and the shell puts them into the user's command line: so a word that
a shell would not read as one plain word is left out.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from time import monotonic
from typing import NamedTuple

from skillstudio.cli.arguments import Argument, Verb
from skillstudio.text.lazy_pattern import lazy_pattern

_PLAIN = lazy_pattern(r"[\w@%+:,./][\w@%+=:,./-]*")
_MOST = 1_000  # Words that are offered.
_SEARCH_SECONDS = 0.5  # After which the skills are offered that were found so far.


class TypedLine(NamedTuple):
    """A command line up to the cursor: the complete words after the verb, and the started one."""

    verb: Verb
    words: list[str]
    prefix: str

    def option_at_cursor(self) -> Argument | None:
        """The option whose value is typed, if any."""
        flag = self.words[-1] if self.words else ""
        return next((option for option in self._options() if flag in option.flags), None)

    def positional_words(self) -> list[str]:
        """The complete words that are not options or their values."""
        valued_flags = {flag for option in self._options() for flag in option.flags}
        words = iter(self.words)
        positional = []
        for word in words:
            if word in valued_flags:
                next(words, None)
            elif not word.startswith("-"):
                positional.append(word)
        return positional

    def argument_at_cursor(self) -> Argument | None:
        """The argument whose value is typed; None if there is none."""
        if (option := self.option_at_cursor()) is not None:
            return option
        arguments = [argument for argument in self.verb.all_arguments() if not argument.flags]
        number = len(self.positional_words())
        if number < len(arguments):
            return arguments[number]
        return arguments[-1] if arguments and arguments[-1].is_list else None

    def _options(self) -> list[Argument]:
        return [argument for argument in self.verb.all_arguments() if argument.value]


def complete(
    verbs: Mapping[str, Verb],
    words: Sequence[str],
    known: Callable[[Verb, Argument], Iterable[str]],
) -> list[str]:
    """The words that can take the place of the last one; `known` has those without files."""
    merged = _merge_values(words)
    if len(merged) < 2 or merged[0] not in verbs:
        return []
    line = TypedLine(verbs[merged[0]], merged[1:-1], merged[-1])
    argument = line.argument_at_cursor()
    if argument is None:
        return []
    source = word_source(argument)
    candidates = known(line.verb, argument) or (source(line) if source else ())
    plain = (word for word in candidates if _PLAIN.fullmatch(word))
    return list(islice((word for word in plain if word.startswith(line.prefix)), _MOST))


def word_source(argument: Argument) -> Callable[[TypedLine], Iterable[str]] | None:
    """What lists the values of an argument, if these depend on files."""
    return _SOURCES.get(argument.dest)


def _merge_values(words: Sequence[str]) -> list[str]:
    """The words with `--option=value`, which bash passes as three words, as `--option value`."""
    merged = [word for word in words[:-1] if word != "="]
    last = words[-1] if words else ""
    return [*merged, "" if last == "=" else last]


def _skills(line: TypedLine) -> Iterator[str]:
    """The folders of skills in the workspace whose name is unique, which a command finds by it."""
    from skillstudio.files.disk import DiskTree
    from skillstudio.files.workspace import workspace_of
    from skillstudio.skill.discover import find_skills

    if "/" in line.prefix:
        return
    end = monotonic() + _SEARCH_SECONDS
    tree = DiskTree(workspace_of(os.curdir))
    paths = islice(find_skills(tree, is_cancelled=lambda: monotonic() > end), _MOST)
    counts = Counter(path.rpartition("/")[2] for path in paths if path)
    yield from sorted(name for name, count in counts.items() if count == 1)


def _operations(line: TypedLine) -> Iterable[str]:
    from skillstudio.cli.run_arguments import open_skill
    from skillstudio.dryrun.planning.make import operations

    local_skill = open_skill(line.positional_words()[0])
    return operations(local_skill.skill, local_skill.interface)


def _samples(line: TypedLine) -> Iterable[str]:
    from skillstudio.cli.run_arguments import open_skill
    from skillstudio.dryrun.sampling.samples import list_committed, list_saved

    path, *more = line.positional_words()
    local_skill = open_skill(path)
    name = local_skill.operation(more[0] if more else "").name
    committed = list_committed(local_skill.skill.tree, name)
    return [*committed, *list_saved(local_skill.folder, name)]


def _inputs(line: TypedLine) -> Iterable[str]:
    from skillstudio.cli.run_arguments import open_skill

    path, *more = line.positional_words()
    operation = open_skill(path).operation(more[0] if more else "").operation
    return [f"{value.name}=" for value in operation.inputs if not value.sensitive]


def _runs(_: TypedLine) -> Iterable[str]:
    from skillstudio.dryrun.traces.store import RunStore, default_folder

    return ["last", *(record.run for record in RunStore(default_folder()).all())]


def _templates(_: TypedLine) -> Iterable[str]:
    from skillstudio.scaffold.new.catalogue import list_templates

    return list_templates().templates


def _revisions(_: TypedLine) -> Iterable[str]:
    from skillstudio.files.git import ask_git

    names = ("--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
    return ask_git(os.curdir, "for-each-ref", *names).split("\n")


_SOURCES: Mapping[str, Callable[[TypedLine], Iterable[str]]] = {
    "path": _skills,
    "paths": _skills,
    "versions": _skills,
    "operation": _operations,
    "sample": _samples,
    "inputs": _inputs,
    "run": _runs,
    "runs": _runs,
    "on": _runs,
    "template": _templates,
    "ref": _revisions,
    "changed_since": _revisions,
    "against": _revisions,
}
"""What lists the values of arguments, by the name of the argument."""
