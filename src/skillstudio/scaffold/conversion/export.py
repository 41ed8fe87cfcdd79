"""Make a copy of a skill that one target accepts, and report every value.

Keys that the target rejects move under `metadata`; problems that only the author can fix are
reported instead of a copy. Nothing is lost and no text is generated.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from skillstudio.files.lfs import describe_pointer, find_pointers
from skillstudio.files.tree import Overlay
from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.frontmatter import (
    free_key,
    front_draft,
    put_name,
    written_description,
)
from skillstudio.manifest.conversion.leaf_tracker import ConversionReport, LeafTracker, Unexplained
from skillstudio.manifest.conversion.leaves import Leaf, label_of, papers
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.exclusions import INNER, REFUSED
from skillstudio.manifest.front_values import is_name
from skillstudio.manifest.locate import Located, locate
from skillstudio.manifest.rulebook import severity_of
from skillstudio.manifest.targets import TargetOutcome, judge, judging, worded
from skillstudio.manifest.values import pointer
from skillstudio.scaffold.conversion import skill_md
from skillstudio.scaffold.conversion.result_tree import CopiedFiles, ResultTree
from skillstudio.scaffold.conversion.source_checks import refuse_unusable
from skillstudio.scaffold.packing.selecting import EMPTY, LeftOut, PackRefused, Selected
from skillstudio.scaffold.packing.uploading import (
    is_upload,
    lost_links,
    repairs,
    select_upload,
)
from skillstudio.skill.hashing.content_hash import HashRefused
from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import EditRefused
from skillstudio.text.nearest import nearest
from skillstudio.text.source import BOM
from skillstudio.text.splicing import apply

_QUOTED = "value-unquoted"  # The fault of a value that quotes fix.
_CUT = "cut to "
_SHORTENED = (
    "the description was shortened, which can change when agents select the skill; review it"
)
_SENTENCE = re.compile(r"[.!?](?=\s)")
_OTHERS = ("spec", "skills-ref")  # Targets that decide between two equivalent texts.


class ExportRefused(Exception):
    """The target would reject every copy; the message names the problem to fix."""


class Exported(NamedTuple):
    """The files of an exported skill and the report."""

    tree: ResultTree
    texts: dict[str, tuple[str | None, str]]
    """Written manifests: path to old text (None for a new file) and new text."""
    report: ConversionReport
    accepting: tuple[str, ...]
    """The targets that accept the copy."""
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """The links that lead to nothing in the copy, but did in the skill."""
    left: tuple[LeftOut, ...] = ()


def export(located: Located, target: str, folder: str) -> Exported:
    """Make a copy that a target accepts. Raises ExportRefused, SourceUnusable."""
    if target not in judging():
        raise ExportRefused(f"unknown target {target}; choose one of {', '.join(judging())}")
    whole = located.skill
    selected = _selected(whole, target) if is_upload(target) else None
    if selected is not None:
        located = locate(selected.tree, located.skill.settings)
    located = _quoted(located)
    skill = located.skill
    if skill.markdown is None:
        raise ExportRefused("no SKILL.md to export; add one with a name and a description")
    refuse_unusable(located, "exported")
    source = ConversionSource(skill)
    _need_description(source)
    ledger = LeafTracker()
    name = _result_name(source, folder)
    fields = judging()[target]["fields"]
    strict = "unknown" in fields
    if strict:
        draft = front_draft(source, name, ledger, frozenset(fields["keys"]["is"]))
    else:
        draft = front_draft(source, name, ledger, frozenset(), keep=True)
    _shorten(source, draft, _longest_description(fields["rules"]))
    try:
        text = _with_ids(source, str(draft.value["name"]), ledger)
        if strict:
            spliced = skill_md.with_spliced_frontmatter(text, draft.value)
            fresh = skill_md.with_fresh_frontmatter(text, draft.value)
            texts = [fresh] if spliced is None else [spliced, fresh]
        else:
            texts = [skill_md.with_frontmatter(text, draft.value)]
    except EditRefused as error:
        raise ExportRefused(f"the copy cannot be written: {error}") from None
    markdown = skill.markdown.source
    gone = frozenset({markdown.path} - {skill_md.PATH})
    chosen, verdicts = _chosen(skill, texts, folder, gone, target)
    verdict = verdicts[target]
    if not verdict.accepted:
        reasons = "\n".join(map(worded, verdict.refusals))
        raise ExportRefused(f"{judging()[target]['title']} would refuse the copy: {reasons}")
    left = selected.left if selected else ()
    whys = {path: why for path, why in left if why not in (EMPTY, INNER, REFUSED)}
    tree = ResultTree(skill.tree, folder, {skill_md.PATH: _encode(chosen)}, gone, whys)
    report = _report(source, ledger, locate(tree, skill.settings).skill)
    accepting = tuple(id for id, verdict in verdicts.items() if verdict.accepted)
    notes = list(repairs(selected, "copied")) if selected else []
    notes += map(describe_pointer, find_pointers(tree))
    if any(change.how.startswith(_CUT) for change in report.changed):
        notes.append(_SHORTENED)
    lost = tuple(lost_links(whole, tree, CopiedFiles(tree)))
    texts_by_path: dict[str, tuple[str | None, str]] = {skill_md.PATH: (markdown.text, chosen)}
    return Exported(tree, texts_by_path, report, accepting, tuple(notes), lost, left)


def _selected(skill: Skill, target: str) -> Selected:
    """The files for an upload. Raises ExportRefused for what cannot be repaired."""
    try:
        return select_upload(skill, target, skill.name, drops_links=True)
    except (PackRefused, HashRefused) as error:
        raise ExportRefused(str(error)) from None


def _result_name(source: ConversionSource, folder: str) -> str:
    """The folder's name if it is a valid skill name, else one derived from the old name."""
    if is_name(folder):
        return folder
    words = re.findall(r"[a-z0-9]+", source.interface.name.lower()) or ["skill"]
    return "-".join(words)[:64].rstrip("-")


def _encode(text: str) -> bytes:
    """The bytes of the new SKILL.md. Raises ExportRefused."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        why = "a value contains a lone surrogate, which cannot be written as UTF-8"
        raise ExportRefused(why) from None
    if why := skill_md.too_large(skill_md.PATH, content):
        raise ExportRefused(f"the result cannot be written: {why}")
    return content


def _report(source: ConversionSource, ledger: LeafTracker, copy: Skill) -> ConversionReport:
    """The report of the copy as it reads. Raises ExportRefused."""
    try:
        return ledger.report(source.papers, papers(copy.manifests), _why_lost)
    except Unexplained as error:
        raise ExportRefused(f"the result would not read back correctly: {error}") from None


def _why_lost(leaf: Leaf) -> str:
    return f"the copy has no equivalent for {leaf.pointer or 'this'}"


def _quoted(located: Located) -> Located:
    """The skill with quotes where YAML needs them; unchanged if that would hide other errors."""
    texts: dict[str, bytes] = {}
    for manifest in located.skill.manifests:
        faults = [fault for fault in manifest.document.faults if fault.rule == _QUOTED]
        others = {fault.rule for fault in manifest.document.faults} - {_QUOTED}
        if any(severity_of(rule, manifest.dialect.folder) == "error" for rule in others):
            return located
        if manifest.dialect.carrier == "frontmatter" and faults and manifest.path not in texts:
            splices = sorted({Splice(*edit) for fault in faults for edit in fault.edits})
            texts[manifest.path] = apply(manifest.document.source.text, splices).encode()
    if not texts:
        return located
    return locate(Overlay(located.skill.tree, texts), located.skill.settings)


def _need_description(source: ConversionSource) -> None:
    if source.interface.description.strip() or written_description(source)[0].strip():
        return
    front = source.front.document.value if source.front is not None else {}
    near = nearest("description", [key for key in front if key != "description"])
    hint = f"; did you mean `description` instead of `{near}`?" if near else ""
    raise ExportRefused(f"the skill has no description; add one{hint}")


def _longest_description(rules: list[dict[str, Any]]) -> int:
    """The length beyond which the target refuses or drops the skill; 0 without such a limit."""
    for rule in rules:
        if (rule["key"], rule["wrong"]) == ("description", "long"):
            return int(rule["max"]) if rule["outcome"] in ("refused", "dropped") else 0
    return 0


def _shorten(source: ConversionSource, draft: DocumentDraft, most: int) -> None:
    """Cut a description that is too long after a sentence, and keep all of it under `metadata`."""
    whole = draft.value["description"].strip()
    if not most or len(whole) <= most:
        return
    ends = [found.end() for found in _SENTENCE.finditer(whole, 0, most)]
    cut = ends[-1] if ends and ends[-1] * 2 > most else 0
    short = whole[:cut] if cut else whole[: most - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"
    if len(short) > most or len(short) * 2 < most:
        short = whole[: most - 1] + "…"
    stated = [e for e in source.stating("description") if source.text(e).strip() == whole]
    draft.value["description"] = short
    how = f"{_CUT}{len(short)} of {len(whole)} characters"
    draft.ledger.move(stated, Leaf(draft.label, "/description"), how)
    key = free_key(draft, "description", whole)
    draft.carry(("metadata", key), whole, *stated, how="the whole")


def _with_ids(source: ConversionSource, name: str, ledger: LeafTracker) -> str:
    """The text of SKILL.md with the copy's name as `id` of its blocks."""
    skill = source.skill
    text = skill.markdown.source.text.removeprefix(BOM) if skill.markdown is not None else ""
    for manifest in skill.manifests:
        if manifest.dialect.carrier == "frontmatter":
            continue
        label = label_of(manifest)
        block = DocumentDraft(label, ledger)
        is_named = manifest.dialect.carrier == "fence" and "id" in manifest.document.value
        if is_named and skill_md.blocks_in(text, manifest.dialect.fence):
            put_name(source, block, ("id",), name)
            text = skill_md.with_id(text, manifest.dialect.fence, name)
        put = set(source.below(label, pointer("id"))) if is_named else set()
        for leaf in source.below(label, ""):
            if leaf not in put:
                ledger.move([leaf], Leaf(label, leaf.pointer))
    return text


def _chosen(
    skill: Skill, texts: list[str], folder: str, gone: frozenset[str], target: str
) -> tuple[str, dict[str, TargetOutcome]]:
    """The text that a target accepts, and if possible other targets, with their outcomes."""
    ranked = []
    for number, text in enumerate(texts):
        files = {skill_md.PATH: text.encode("utf-8", "replace")}
        tree = ResultTree(skill.tree, folder, files, gone)
        verdicts = judge(locate(tree, skill.settings).skill)
        others = sum(verdicts[other].accepted for other in _OTHERS)
        ranked.append(((verdicts[target].accepted, others, -number), text, verdicts))
    _, text, verdicts = max(ranked, key=lambda each: each[0])
    return text, verdicts
