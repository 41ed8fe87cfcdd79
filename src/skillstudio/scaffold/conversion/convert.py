"""Convert a skill to another dialect and report every value.

The skill is read as an interface; values without an equivalent are lost. Nothing is guessed.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.frontmatter import front_draft, specified
from skillstudio.manifest.conversion.leaf_tracker import ConversionReport, LeafTracker, Unexplained
from skillstudio.manifest.conversion.leaves import label_of, names_of, papers
from skillstudio.manifest.conversion.migration import ConversionRefused
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect, Skill
from skillstudio.manifest.front_values import is_name
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.locate import Located, locate
from skillstudio.manifest.registry import base_dialect, conversion_targets, dialect, dialects
from skillstudio.manifest.values import dig, text
from skillstudio.scaffold.conversion import skill_md
from skillstudio.scaffold.conversion.report_text import why_lost
from skillstudio.scaffold.conversion.result_tree import CopiedFiles, ResultTree
from skillstudio.scaffold.conversion.source_checks import refuse_unusable
from skillstudio.text.edit import EditRefused
from skillstudio.text.source import BOM
from skillstudio.text.yaml_text import yaml_text

_MOST_FILES = 200  # Files listed in a new SKILL.md.
_COMMENT = re.compile(r"^\s*#|\s#", re.MULTILINE)


class Converted(NamedTuple):
    """The files of a converted skill and the report."""

    tree: ResultTree
    texts: dict[str, tuple[str | None, str]]
    """Written manifests: path to old text (None for a new file) and new text."""
    report: ConversionReport
    notes: tuple[str, ...] = ()
    accepting: tuple[str, ...] = ()
    """The targets that accept an exported copy."""


def convert(located: Located, to: str, folder: str, beside: bool = False) -> Converted:
    """Convert a skill, `beside` its manifests or in place of them.

    Raises ConversionRefused, SourceUnusable.
    """
    skill = located.skill
    target = dialect(to)
    if target is None or not target.converts:
        known = ", ".join(each.id for each in conversion_targets())
        raise ConversionRefused(f"cannot convert to {to}; choose one of {known}")
    refuse_unusable(located, "converted")
    if not skill.manifests:
        raise ConversionRefused("the skill has no manifest to convert")
    text = skill.markdown.source.text if skill.markdown is not None else ""
    for word in _fences():
        if len(skill_md.blocks_in(text, word)) > 1:
            raise ConversionRefused(f"SKILL.md has two {word} blocks; remove one")
    blocks = [each.dialect.folder for each in skill.manifests if each.dialect.fence]
    if len(set(blocks)) < len(blocks):
        raise ConversionRefused("SKILL.md has blocks of both versions; remove one")
    if not beside and _is_copy(skill, target, folder):
        carried = tuple(names_of(papers(skill.manifests)).values())
        notes = (f"it already uses {to}; the result is a copy",)
        tree = ResultTree(skill.tree, folder, {}, frozenset())
        return Converted(tree, {}, ConversionReport(carried), notes)
    source = ConversionSource(skill)
    write = _file if target.carrier == "file" else _skill_md
    try:
        return write(source, target, folder, beside)
    except EditRefused as error:
        raise ConversionRefused(f"the result cannot be written: {error}") from None


def _is_copy(skill: Skill, target: Dialect, folder: str) -> bool:
    """Whether a skill already uses a dialect, under the folder's name, and no other."""
    base = base_dialect().id
    used = {each.dialect.id for each in skill.manifests}
    if target.id == base or target.id not in used or not used <= {base, target.id}:
        return False
    named = [(each, what) for each in skill.manifests for what in ("name", "id")]
    names = {each.text_of(what) for each, what in named if each.place_of(what)}
    return names == {folder} and is_name(folder)


def result_name(source: ConversionSource, folder: str) -> str:
    """The folder's name if it is a valid skill name, else one derived from the old name."""
    if is_name(folder):
        return folder
    words = re.findall(r"[a-z0-9]+", source.interface.name.lower()) or ["skill"]
    return "-".join(words)[:64].rstrip("-")


def _fences(folder: str = "") -> list[str]:
    """The info words of all fences, or of one dialect folder's."""
    return [each.fence for each in dialects() if each.fence and folder in ("", each.folder)]


def _put(source: ConversionSource, draft: DocumentDraft, target: Dialect, name: str) -> None:
    hooks = hook(target, "convert")
    if hooks is None:
        raise ConversionRefused(f"the dialect {target.id} has no convert.py")
    hooks.put(source, draft, target, name)


def _skill_md(source: ConversionSource, target: Dialect, folder: str, beside: bool) -> Converted:
    markdown = source.skill.markdown
    old = markdown.source.text if markdown is not None else None
    old_path = markdown.source.path if markdown is not None else skill_md.PATH
    if beside and (held := source.skill.of(target.id)) is not None:
        raise ConversionRefused(f"{held.path} already uses {target.id}")
    name = result_name(source, folder)
    if beside and source.front is not None:
        own = text(source.front.document.value, "name")
        name = own if own and is_name(own) else name
    ledger = LeafTracker()
    draft = front_draft(source, name, ledger, specified(), keep=beside)
    if target.carrier == "frontmatter":
        _put(source, draft, target, name)
    gone = frozenset() if beside else _gone(source, old_path)
    if old is None:
        made = _body(source, name, ResultTree(source.skill.tree, folder, {}, gone))
        what = "the text below the frontmatter"
        ledger.note(skill_md.PATH, what, "for agents; the source has none")
    else:
        made = old.removeprefix(BOM)
    made = _with_blocks(made, source, target, ledger, name, beside)
    mark = BOM if beside and old is not None and old.startswith(BOM) else ""
    made = mark + skill_md.with_frontmatter(made, draft.value)
    path = old_path if beside else skill_md.PATH
    if beside:
        _stay(source, ledger, path, {draft.label, target.fence})
    return finished(source, target, ledger, folder, {path: (old, made)}, gone)


def _with_blocks(
    text: str,
    source: ConversionSource,
    target: Dialect,
    ledger: LeafTracker,
    name: str,
    beside: bool,
) -> str:
    """The text with the target's block and without those of other dialects."""
    if not target.fence:
        words = [] if beside else _fences()
        fences = [fence for word in words for fence in skill_md.blocks_in(text, word)]
        return skill_md.without_blocks(text, fences)
    block = DocumentDraft(target.fence, ledger)
    _put(source, block, target, name)
    if (own := source.skill.of(target.id)) is not None:
        is_named = not block.holds("id") or dig(own.document.value, "id") == name
        return text if is_named else skill_md.with_id(text, target.fence, name)
    words = [] if beside else [each for each in _fences(target.folder) if each != target.fence]
    old = (fence for word in words for fence in skill_md.blocks_in(text, word))
    return skill_md.with_block(text, target.fence, block.value, next(old, None))


def _file(source: ConversionSource, target: Dialect, folder: str, beside: bool) -> Converted:
    ledger = LeafTracker()
    own = next((each for each in source.skill.manifests if each.path == target.file), None)
    hooks = hook(target, "convert")
    if hooks is not None and hasattr(hooks, "text"):
        written: str = hooks.text(source, target, ledger)
    else:
        draft = DocumentDraft(target.file, ledger)
        _put(source, draft, target, result_name(source, folder))
        written = _written(draft.value, target.syntax)
    if own is not None and beside:
        why = "contains the old manifest; choose a new folder with -o"
        raise ConversionRefused(f"{own.path} {why}")
    markdown = source.skill.markdown
    kept = {target.file, markdown.source.path if markdown is not None else target.file}
    gone = frozenset() if beside else _gone(source, target.file) - kept
    for each in source.skill.manifests:
        if each.path not in gone and each.path != target.file:
            for leaf in source.below(label_of(each), ""):
                ledger.stays(leaf, f"stays in {each.path}")
    old = own.document.source.text if own is not None else None
    return finished(source, target, ledger, folder, {target.file: (old, written)}, gone)


def _written(value: dict[str, Any], syntax: str) -> str:
    """The text of a new manifest file. Raises EditRefused for values its syntax cannot express."""
    try:
        if syntax == "json":
            return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        if syntax == "toml":
            import tomlkit

            return tomlkit.dumps(value)
        return yaml_text(value)
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
    """The result, re-read to verify it; `whole` reports manifests in unchanged files, too."""
    skill = source.skill
    try:
        files = {path: new.encode() for path, (_, new) in texts.items()}
    except UnicodeEncodeError:
        why = "a value contains a lone surrogate, which cannot be written as UTF-8"
        raise ConversionRefused(why) from None
    for why in filter(None, (skill_md.too_large(*each) for each in files.items())):
        raise ConversionRefused(f"the result cannot be written: {why}")
    tree = ResultTree(skill.tree, folder, files, gone)
    after = locate(tree, skill.settings).skill
    new = [each for each in after.manifests if whole or each.path in texts]
    try:
        report = ledger.report(source.papers, papers(new), why_lost(source, target))
    except Unexplained as error:
        raise ConversionRefused(f"the result would not read back correctly: {error}") from None
    notes = tuple(
        f"the comments of {each.path} are not copied"
        for each in skill.manifests
        if each.path in gone and each.document.syntax == "toml"
        if _COMMENT.search(each.document.source.text)
    )
    return Converted(tree, texts, report, notes)


def _stay(source: ConversionSource, ledger: LeafTracker, path: str, made: set[str]) -> None:
    """Record the other manifests of a file as unchanged."""
    for each in source.skill.manifests:
        label = label_of(each)
        if each.path == path and label not in made:
            ledger.keep(source.below(label, ""))


def _gone(source: ConversionSource, markdown: str) -> frozenset[str]:
    """The files of the old dialects, which the result does not need."""
    found = {each.path for each in source.skill.manifests if each.part == "manifest"}
    return frozenset((found | {markdown}) - {skill_md.PATH})


def _body(source: ConversionSource, name: str, tree: FileTree) -> str:
    """A minimal body for agents: title, description and files."""
    title = source.interface.metadata.get("name") or name
    lines = [f"# {' '.join(title.split())}", ""]
    if description := source.interface.description.strip():
        lines += [description, ""]
    files = [path for path in CopiedFiles(tree) if not path.startswith(".")][:_MOST_FILES]
    if files:
        lines += ["Files:", "", *(f"- `{path}`" for path in files), ""]
    return "\n" + "\n".join(lines)
