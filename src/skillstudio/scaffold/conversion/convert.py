"""A skill of one dialect as a skill of another, with a report of every leaf.

What a skill says is read as its interface; what of that the other system can say is written in
its words, and the rest is told as lost. Nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.manifest.agent_skills.rules import is_name
from skillstudio.manifest.dialect import Dialect, Skill
from skillstudio.manifest.locate import Located, locate
from skillstudio.manifest.registry import dialect
from skillstudio.scaffold.conversion.document_draft import DocumentDraft
from skillstudio.scaffold.conversion.frontmatter import front_draft, put_metadata, specified
from skillstudio.scaffold.conversion.leaf_tracker import ConversionReport, LeafTracker, Unexplained
from skillstudio.scaffold.conversion.leaves import label_of, papers
from skillstudio.scaffold.conversion.loss_reasons import why_lost
from skillstudio.scaffold.conversion.result_tree import CopiedFiles, ResultTree
from skillstudio.scaffold.conversion.skill_md import (
    PATH,
    blocks_in,
    too_large,
    with_block,
    with_frontmatter,
    with_id,
    without_blocks,
)
from skillstudio.scaffold.conversion.source import ConversionSource
from skillstudio.scaffold.conversion.source_checks import refuse_unusable
from skillstudio.scaffold.conversion.to_bundle import bundle_text
from skillstudio.scaffold.conversion.to_frontmatter import put_contract
from skillstudio.scaffold.conversion.to_skill_manifest import put_block
from skillstudio.text.edit import EditRefused
from skillstudio.text.source import BOM

TARGETS = ("agent-skills", "frontmatter-1.0", "skill-manifest-2.0", "provenact-bundle")
_BUNDLE = "provenact-bundle"
_DRAFT = "provenact-1"
_FENCES = ("skill-manifest", "router-manifest")
_MOST_FILES = 200
"""So many files are named in a SKILL.md that is written anew."""
_COMMENT = re.compile(r"^\s*#|\s#", re.MULTILINE)


class ConversionRefused(Exception):
    """A skill that cannot be converted so; the text says why and what to do."""


class Converted(NamedTuple):
    """The files of a result and the report of its making."""

    tree: ResultTree
    texts: dict[str, tuple[str | None, str]]
    """The manifests that are written: path to the old text, None where there was none, and the
    new one."""
    report: ConversionReport
    notes: tuple[str, ...] = ()
    """What a person should know beyond the report."""


def convert(located: Located, to: str, folder: str, beside: bool = False) -> Converted:
    """Make a skill of the system `to` that lies in a folder of that name.

    `beside` leaves the manifests that are there where they are. Raises ConversionRefused, and
    `source_checks.SourceUnusable` for a source that cannot be read whole.
    """
    skill = located.skill
    target = dialect(to)
    if target is None or to not in TARGETS:
        raise ConversionRefused(f"no skill is converted to {to}; there are {', '.join(TARGETS)}")
    refuse_unusable(located, "converted")
    if not skill.manifests:
        raise ConversionRefused("there is no manifest to convert")
    _refuse_seconds(skill)
    source = ConversionSource(skill)
    write = _bundle if to == _BUNDLE else _skill_md
    try:
        made = write(source, target, folder, beside)
    except EditRefused as error:
        raise ConversionRefused(f"the result cannot be written: {error}") from None
    held = {each.dialect.id for each in skill.manifests}
    if to in held <= {"agent-skills", to}:
        same = f"it is of {to} already: what is made is a copy"
        made = made._replace(notes=(same, *made.notes))
    return made


def result_name(source: ConversionSource, folder: str) -> str:
    """The name of a skill in a folder: the folder's where it may be one, else the old one's."""
    if is_name(folder):
        return folder
    words = re.findall(r"[a-z0-9]+", source.interface.name.lower()) or ["skill"]
    return "-".join(words)[:64].rstrip("-")


def _refuse_seconds(skill: Skill) -> None:
    for word in _FENCES:
        text = skill.markdown.source.text if skill.markdown is not None else ""
        if len(blocks_in(text, word)) > 1:
            raise ConversionRefused(f"SKILL.md has two {word} blocks; take one out")
    labels = [label_of(each) for each in skill.manifests if each.part == "manifest"]
    if all(word in labels for word in _FENCES):
        raise ConversionRefused("SKILL.md has blocks of both versions; take one out")


def _skill_md(source: ConversionSource, target: Dialect, folder: str, beside: bool) -> Converted:
    skill = source.skill
    old = skill.markdown.source.text if skill.markdown is not None else None
    old_path = skill.markdown.source.path if skill.markdown is not None else PATH
    if beside:
        _refuse_beside(source, target)
    name = result_name(source, folder)
    if beside and source.front is not None:
        name = _own_name(source.front.document.value) or name
    ledger = LeafTracker()
    draft = front_draft(source, name, ledger, specified(), keep=beside)
    if target.id == "frontmatter-1.0":
        put_contract(source, draft, target)
    elif target.id == "agent-skills":
        for leaf in source.stating("version"):
            put_metadata(draft, "version", source.text(leaf), leaf)
    gone = frozenset() if beside else _gone(source, old_path)
    if old is None:
        text = _body(source, name, ResultTree(skill.tree, folder, {}, gone))
        ledger.note(PATH, "the text below the frontmatter", "agents read it; the source has none")
    else:
        text = old.removeprefix(BOM)
    text = _with_blocks(text, source, target, ledger, name, beside)
    mark = BOM if beside and old is not None and old.startswith(BOM) else ""
    text = mark + with_frontmatter(text, draft.value)
    path = old_path if beside else PATH
    if beside:
        _stay(source, ledger, path, {draft.label, target.fence})
    return finished(source, target, ledger, folder, {path: (old, text)}, gone)


def _with_blocks(
    text: str,
    source: ConversionSource,
    target: Dialect,
    ledger: LeafTracker,
    name: str,
    beside: bool,
) -> str:
    """The text with the block that is wanted, and without those that are not."""
    if target.fence and source.manifest(target.id) is not None:
        block = DocumentDraft(target.fence, ledger)
        put_block(source, block, target, name)
        return with_id(text, target.fence, name) if block.holds("id") else text
    if not target.fence:
        unwanted = [] if beside else [fence for word in _FENCES for fence in blocks_in(text, word)]
        return without_blocks(text, unwanted)
    block = DocumentDraft(target.fence, ledger)
    put_block(source, block, target, name)
    old = None if beside else next(iter(blocks_in(text, _FENCES[1])), None)
    return with_block(text, block.value, old)


def _bundle(source: ConversionSource, target: Dialect, folder: str, beside: bool) -> Converted:
    """The one system that is not written into a SKILL.md: from v1 to a bundle."""
    own = source.manifest(_DRAFT)
    if own is None:
        found = ", ".join(source.interface.dialects)
        raise ConversionRefused(f"only {_DRAFT} can be converted to {_BUNDLE}, and this is {found}")
    if beside:
        raise ConversionRefused(f"{own.path} holds the old manifest; name a new folder with -o")
    ledger = LeafTracker()
    text = bundle_text(own, ledger)
    for paper in source.papers:
        if paper.label != own.path:
            for leaf in source.below(paper.label, ""):
                ledger.move([leaf], leaf)
    texts: dict[str, tuple[str | None, str]] = {own.path: (own.document.source.text, text)}
    return finished(source, target, ledger, folder, texts, frozenset())


def finished(
    source: ConversionSource,
    target: Dialect,
    ledger: LeafTracker,
    folder: str,
    texts: dict[str, tuple[str | None, str]],
    gone: frozenset[str],
    whole: bool = False,
) -> Converted:
    """The result as a tree, read again, and the report over all its leaves.

    `whole` takes in the manifests of files that are as they were.
    """
    skill = source.skill
    try:
        files = {path: new.encode() for path, (_, new) in texts.items()}
    except UnicodeEncodeError:
        raise ConversionRefused("a value holds half a surrogate pair, which no file can") from None
    for why in filter(None, (too_large(*each) for each in files.items())):
        raise ConversionRefused(f"the result cannot be written: {why}")
    tree = ResultTree(skill.tree, folder, files, gone)
    after = locate(tree, skill.settings).skill
    new = [each for each in after.manifests if whole or each.path in texts]
    try:
        report = ledger.report(source.papers, papers(new), why_lost(source, target))
    except Unexplained as error:
        raise ConversionRefused(f"the result would not read as it was meant: {error}") from None
    return Converted(tree, texts, report, tuple(_notes(source, gone)))


def _stay(source: ConversionSource, ledger: LeafTracker, path: str, made: set[str]) -> None:
    """The other manifests of a file are as they were."""
    for each in source.skill.manifests:
        label = label_of(each)
        if each.path == path and label not in made:
            for leaf in source.below(label, ""):
                ledger.move([leaf], leaf)


def _refuse_beside(source: ConversionSource, target: Dialect) -> None:
    held = source.manifest(target.id)
    if held is not None:
        raise ConversionRefused(f"{held.path} is of {target.id} already")


def _own_name(front: Any) -> str:
    name = front.get("name") if isinstance(front, dict) else None
    return name if isinstance(name, str) and is_name(name) else ""


def _gone(source: ConversionSource, markdown: str) -> frozenset[str]:
    """The files of the old systems, which the result does without."""
    found = {each.path for each in source.skill.manifests if each.part == "manifest"}
    return frozenset((found | {markdown}) - {PATH})


def _notes(source: ConversionSource, gone: frozenset[str]) -> Iterator[str]:
    for each in source.skill.manifests:
        text = each.document.source.text
        if each.path in gone and each.document.syntax == "toml" and _COMMENT.search(text):
            yield f"the comments of {each.path} are not carried over"


def _body(source: ConversionSource, name: str, tree: FileTree) -> str:
    """A text for agents: what the skill is called, and which files it has."""
    title = source.interface.metadata.get("name") or name
    lines = [f"# {' '.join(title.split())}", ""]
    description = source.interface.description.strip()
    if description:
        lines += [description, ""]
    files = [path for path in CopiedFiles(tree) if not path.startswith(".")][:_MOST_FILES]
    if files:
        lines += ["Files:", "", *(f"- `{path}`" for path in files), ""]
    return "\n" + "\n".join(lines)
