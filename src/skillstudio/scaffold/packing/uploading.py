"""Select the files of a skill for an upload, and repair what an upload does not accept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from urllib.parse import unquote

from skillstudio.files.linked import in_repository
from skillstudio.files.paths import normalise
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.exclusions import FORBIDDEN_NAME, INNER, PackExclusions
from skillstudio.manifest.named_files import NameCheck
from skillstudio.manifest.named_links import CodeSpans, check_links
from skillstudio.manifest.targets import targets
from skillstudio.scaffold.packing.selecting import LeftOut, SelectedFiles, select
from skillstudio.skill.hashing.content_hash import read_ignore
from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.source import Source, decode

_MOST_FILES = 500
_MOST_BYTES = 1 << 20  # Of a file that is searched.
_MAX_NAMES = 5
_MOST_LINES = 20


def is_upload(target: str) -> bool:
    """Whether the copy for a target is uploaded as a whole."""
    return bool(targets()[target]["kind"] == "upload")


def select_upload(
    skill: Skill,
    target: str,
    root: str,
    output_paths: Iterable[str] = (),
    drops_links: bool = False,
) -> SelectedFiles:
    """Select the files for an upload below the folder `root`; `output_paths` are output paths.

    Inner skills are left out, and links to files of the repository are replaced by these; other
    links are refused, or left out if `drops_links`. Raises PackRefused, HashRefused.
    """
    dialects = {manifest.dialect.id for manifest in skill.manifests}
    limits = targets()[target]["limits"]
    exclusions = PackExclusions(read_ignore(skill.tree), dialects, output_paths, limits)
    linked_tree = in_repository(skill.tree)
    selected_files = select(linked_tree, exclusions, root, False, drops_links)
    followed_links = {
        path: where
        for path, where in linked_tree.followed_links.items()
        if selected_files.tree.kind(path) is not None
    }
    return selected_files._replace(followed_links=followed_links)


def repairs(selected_files: SelectedFiles, verb: str) -> Iterator[str]:
    """What is otherwise than in the skill; `verb` is `packed` or `copied`."""
    for path in selected_files.replaced_links:
        yield f"{path} is a link; the file it points to is {verb} instead"
    for path, where in selected_files.followed_links.items():
        yield f"{path} is a link; {where} is {verb} instead"
    for path, reason in selected_files.exclusions:
        if reason == FORBIDDEN_NAME:
            yield f"{path} is not {verb}: {reason}"


def inner_skills(excluded_entries: Iterable[LeftOut], verb: str, command: str) -> Iterator[str]:
    """The inner skills that are left out; `command` has PATH for that of one of them."""
    paths = [entry.path.rstrip("/") for entry in excluded_entries if entry.reason == INNER]
    for path in paths[:_MAX_NAMES]:
        alone = command.replace("PATH", path).replace("NAME", path.rpartition("/")[2])
        yield f"{path} is {INNER} and not {verb}; {alone}"
    if len(paths) > _MAX_NAMES:
        yield f"{len(paths) - _MAX_NAMES} more inner skills are not {verb}"


def lost_links(skill: Skill, copy: FileTree, paths: Iterable[str]) -> list[str]:
    """The links of a copy's Markdown files that lead to nothing there, but did in the skill.

    Also those that lead out of the skill, except to other skills and to files of its plugin. Links
    in code are not read. `paths` are the files of the copy.
    """
    paths = list(paths)
    known_paths = set(paths)
    for path in paths:
        while path := path.rpartition("/")[0]:
            known_paths.add(path)
    check = NameCheck(skill, known_paths)
    documents = (path for path in paths if path.lower().endswith(".md"))
    messages = [
        line
        for path in islice(documents, _MOST_FILES)
        for line in _lost_in(check, known_paths, copy, path)
    ]
    hidden_count = len(messages) - _MOST_LINES
    return (
        [*messages[:_MOST_LINES], f"{hidden_count} more links do"] if hidden_count > 0 else messages
    )


def _lost_in(
    check: NameCheck, known_paths: Collection[str], copy: FileTree, path: str
) -> Iterator[str]:
    source = Source(decode(copy.read(path, _MOST_BYTES))[0], path)
    text = check.read(source, read_markdown(source).body.start)
    for problem in check_links(check, text, check.doubtful_links(text)):
        if problem.rule == "link-outside" and problem.severity is None and problem.span:
            yield f"{path}:{source.position(problem.span.start).line}: {problem.message}"
    code = CodeSpans(source.text)
    for written_target, span in sorted(text.links, key=lambda link: link[1]):
        whole = unquote(written_target.partition("#")[0].partition("?")[0])
        target = normalise(f"{text.folder}/{whole}" if text.folder and whole else whole, True)
        is_lost = target and target not in known_paths and check.problem(target) != "path-missing"
        if is_lost and span.start not in code and text.fence(span.start) is None:
            line = source.position(span.start).line
            yield f"{path}:{line}: the link to {written_target} leads to nothing in the copy"
