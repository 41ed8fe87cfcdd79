"""A skill of one dialect as a skill of another, with a report of every leaf.

What a skill says is read as its interface; what of that the other system can say is written in
its words, and the rest is told as lost. Nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.frontmatter import front_draft, specified
from skillstudio.manifest.conversion.leaf_tracker import ConversionReport, LeafTracker, Unexplained
from skillstudio.manifest.conversion.leaves import label_of, papers
from skillstudio.manifest.conversion.migration import ConversionRefused
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect, Skill
from skillstudio.manifest.front_values import is_name
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.locate import Located, locate
from skillstudio.manifest.registry import base_dialect, conversion_targets, dialect, dialects
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
from skillstudio.scaffold.conversion.source_checks import refuse_unusable
from skillstudio.text.edit import EditRefused
from skillstudio.text.source import BOM

_MOST_FILES = 200
"""So many files are named in a SKILL.md that is written anew."""
_COMMENT = re.compile(r"^\s*#|\s#", re.MULTILINE)


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
    if target is None or not target.converts:
        known = ", ".join(each.id for each in conversion_targets())
        raise ConversionRefused(f"no skill is converted to {to}; there are {known}")
    refuse_unusable(located, "converted")
    if not skill.manifests:
        raise ConversionRefused("there is no manifest to convert")
    _refuse_seconds(skill)
    source = ConversionSource(skill)
    write = _file if target.carrier == "file" else _skill_md
    try:
        made = write(source, target, folder, beside)
    except EditRefused as error:
        raise ConversionRefused(f"the result cannot be written: {error}") from None
    held = {each.dialect.id for each in skill.manifests}
    if to in held <= {base_dialect().id, to}:
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
    text = skill.markdown.source.text if skill.markdown is not None else ""
    for word in _fences():
        if len(blocks_in(text, word)) > 1:
            raise ConversionRefused(f"SKILL.md has two {word} blocks; take one out")
    blocks = [each.dialect.folder for each in skill.manifests if each.dialect.fence]
    if len(set(blocks)) < len(blocks):
        raise ConversionRefused("SKILL.md has blocks of both versions; take one out")


def _fences(folder: str = "") -> list[str]:
    """The words of all fences, or of those of one folder."""
    return [each.fence for each in dialects() if each.fence and folder in ("", each.folder)]


def _put(source: ConversionSource, draft: DocumentDraft, target: Dialect, name: str) -> None:
    hooks = hook(target, "convert")
    if hooks is None:
        raise ConversionRefused(f"the folder of {target.id} has no convert.py")
    hooks.put(source, draft, target, name)


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
    if target.carrier == "frontmatter":
        _put(source, draft, target, name)
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
        _put(source, block, target, name)
        return with_id(text, target.fence, name) if block.holds("id") else text
    if not target.fence:
        unwanted = (
            [] if beside else [fence for word in _fences() for fence in blocks_in(text, word)]
        )
        return without_blocks(text, unwanted)
    block = DocumentDraft(target.fence, ledger)
    _put(source, block, target, name)
    others = [word for word in _fences(target.folder) if word != target.fence]
    old = [] if beside else [block for word in others for block in blocks_in(text, word)]
    return with_block(text, target.fence, block.value, next(iter(old), None))


def _file(source: ConversionSource, target: Dialect, folder: str, beside: bool) -> Converted:
    """A manifest in a file of its own, which takes the place of one that is there."""
    ledger = LeafTracker()
    own = next((each for each in source.skill.manifests if each.path == target.file), None)
    hooks = hook(target, "convert")
    if hooks is not None and hasattr(hooks, "text"):
        text: str = hooks.text(source, target, ledger)
    else:
        draft = DocumentDraft(target.file, ledger)
        _put(source, draft, target, result_name(source, folder))
        text = _written(draft.value, target.syntax)
    if own is not None and beside:
        raise ConversionRefused(f"{own.path} holds the old manifest; name a new folder with -o")
    markdown = source.skill.markdown
    kept = {target.file, *([markdown.source.path] if markdown is not None else [])}
    gone = frozenset() if beside else _gone(source, target.file) - kept
    for each in source.skill.manifests:
        if each.path not in gone and each.path != target.file:
            for leaf in source.below(label_of(each), ""):
                ledger.stays(leaf, f"stays in {each.path}")
    old = own.document.source.text if own is not None else None
    return finished(source, target, ledger, folder, {target.file: (old, text)}, gone)


def _written(value: dict[str, Any], syntax: str) -> str:
    """The text of a new manifest file. Raises EditRefused for what its syntax cannot hold."""
    try:
        if syntax == "json":
            return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        if syntax == "toml":
            import tomlkit

            return tomlkit.dumps(value)
        import yaml

        return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True))
    except (TypeError, ValueError) as error:
        raise EditRefused(str(error)) from None


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
