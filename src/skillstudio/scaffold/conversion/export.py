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
from skillstudio.manifest.conversion.leaf_tracker import (
    ConversionReport,
    LeafTracker,
    UnexplainedLeaf,
)
from skillstudio.manifest.conversion.leaves import Leaf, label_of, papers
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.exclusions import FORBIDDEN_NAME, INNER
from skillstudio.manifest.front_values import is_name
from skillstudio.manifest.locate import LocateResult, locate
from skillstudio.manifest.rulebook import severity_of
from skillstudio.manifest.targets import TargetOutcome, judge, recorded_targets, render_reason
from skillstudio.manifest.values import pointer
from skillstudio.scaffold.conversion import skill_md
from skillstudio.scaffold.conversion.result_tree import CopiedFiles, ResultTree
from skillstudio.scaffold.conversion.source_checks import refuse_unusable
from skillstudio.scaffold.packing.selecting import EMPTY, LeftOut, PackRefused, SelectedFiles
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

_UNQUOTED_VALUE = "value-unquoted"  # The fault of a value that quotes fix.
_CUT = "cut to "
_SHORTENED_NOTE = (
    "the description was shortened, which can change when agents select the skill; review it"
)
_SENTENCE = re.compile(r"[.!?](?=\s)")
_TIE_BREAKERS = ("spec", "skills-ref")  # Targets that decide between two equivalent texts.


class ExportRefused(Exception):
    """The target would reject every copy; the message names the problem to fix."""


class ExportedSkill(NamedTuple):
    """The files of an exported skill and the report."""

    tree: ResultTree
    texts: dict[str, tuple[str | None, str]]
    """Written manifests: path to old text (None for a new file) and new text."""
    report: ConversionReport
    accepting_targets: tuple[str, ...]
    """The targets that accept the copy."""
    notes: tuple[str, ...] = ()
    lost_links: tuple[str, ...] = ()
    """The links that lead to nothing in the copy, but did in the skill."""
    exclusions: tuple[LeftOut, ...] = ()


def export(located_skill: LocateResult, target: str, folder: str) -> ExportedSkill:
    """Make a copy that a target accepts. Raises ExportRefused, SourceUnusable."""
    if target not in recorded_targets():
        raise ExportRefused(
            f"unknown target {target}; choose one of {', '.join(recorded_targets())}"
        )
    whole = located_skill.skill
    selected_files = _select_files(whole, target) if is_upload(target) else None
    if selected_files is not None:
        located_skill = locate(selected_files.tree, located_skill.skill.settings)
    located_skill = _quote_values(located_skill)
    skill = located_skill.skill
    if skill.markdown is None:
        raise ExportRefused("no SKILL.md to export; add one with a name and a description")
    refuse_unusable(located_skill, "exported")
    source = ConversionSource(skill)
    _need_description(source)
    ledger = LeafTracker()
    name = _result_name(source, folder)
    fields = recorded_targets()[target]["fields"]
    strict = "unknown" in fields
    if strict:
        draft = front_draft(source, name, ledger, frozenset(fields["keys"]["is"]))
    else:
        draft = front_draft(source, name, ledger, frozenset(), keep=True)
    _shorten(source, draft, _longest_description(fields["rules"]))
    try:
        text = _with_ids(source, str(draft.value["name"]), ledger)
        if strict:
            spliced_text = skill_md.with_spliced_frontmatter(text, draft.value)
            fresh = skill_md.with_fresh_frontmatter(text, draft.value)
            texts = [fresh] if spliced_text is None else [spliced_text, fresh]
        else:
            texts = [skill_md.with_frontmatter(text, draft.value)]
    except EditRefused as error:
        raise ExportRefused(f"the copy cannot be written: {error}") from None
    markdown = skill.markdown.source
    removed_paths = frozenset({markdown.path} - {skill_md.PATH})
    chosen_text, verdicts = _choose_text(skill, texts, folder, removed_paths, target)
    verdict = verdicts[target]
    if not verdict.is_accepted:
        reasons = "\n".join(map(render_reason, verdict.refusals))
        raise ExportRefused(
            f"{recorded_targets()[target]['title']} would refuse the copy: {reasons}"
        )
    excluded_entries = selected_files.exclusions if selected_files else ()
    whys = {
        path: why for path, why in excluded_entries if why not in (EMPTY, INNER, FORBIDDEN_NAME)
    }
    tree = ResultTree(
        skill.tree, folder, {skill_md.PATH: _encode(chosen_text)}, removed_paths, whys
    )
    report = _report(source, ledger, locate(tree, skill.settings).skill)
    accepting_targets = tuple(id for id, verdict in verdicts.items() if verdict.is_accepted)
    notes = list(repairs(selected_files, "copied")) if selected_files else []
    notes += map(describe_pointer, find_pointers(tree))
    if any(change.how.startswith(_CUT) for change in report.changed_leaves):
        notes.append(_SHORTENED_NOTE)
    broken_links = tuple(lost_links(whole, tree, CopiedFiles(tree)))
    texts_by_path: dict[str, tuple[str | None, str]] = {skill_md.PATH: (markdown.text, chosen_text)}
    return ExportedSkill(
        tree, texts_by_path, report, accepting_targets, tuple(notes), broken_links, excluded_entries
    )


def _select_files(skill: Skill, target: str) -> SelectedFiles:
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
    except UnexplainedLeaf as error:
        raise ExportRefused(f"the result would not read back correctly: {error}") from None


def _why_lost(leaf: Leaf) -> str:
    return f"the copy has no equivalent for {leaf.pointer or 'this'}"


def _quote_values(located_skill: LocateResult) -> LocateResult:
    """The skill with quotes where YAML needs them; unchanged if that would hide other errors."""
    texts: dict[str, bytes] = {}
    for manifest in located_skill.skill.manifests:
        faults = [fault for fault in manifest.document.faults if fault.rule == _UNQUOTED_VALUE]
        other_rules = {fault.rule for fault in manifest.document.faults} - {_UNQUOTED_VALUE}
        if any(severity_of(rule, manifest.dialect.folder) == "error" for rule in other_rules):
            return located_skill
        if manifest.dialect.carrier == "frontmatter" and faults and manifest.path not in texts:
            splices = sorted({Splice(*edit) for fault in faults for edit in fault.edits})
            texts[manifest.path] = apply(manifest.document.source.text, splices).encode()
    if not texts:
        return located_skill
    return locate(Overlay(located_skill.skill.tree, texts), located_skill.skill.settings)


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
    ends = [match.end() for match in _SENTENCE.finditer(whole, 0, most)]
    cut = ends[-1] if ends and ends[-1] * 2 > most else 0
    short = whole[:cut] if cut else whole[: most - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"
    if len(short) > most or len(short) * 2 < most:
        short = whole[: most - 1] + "…"
    leaves = [
        leaf
        for leaf in source.find_identity_leaves("description")
        if source.text(leaf).strip() == whole
    ]
    draft.value["description"] = short
    how = f"{_CUT}{len(short)} of {len(whole)} characters"
    draft.ledger.move(leaves, Leaf(draft.label, "/description"), how)
    key = free_key(draft, "description", whole)
    draft.carry(("metadata", key), whole, *leaves, how="the whole")


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
        name_leaves = set(source.below(label, pointer("id"))) if is_named else set()
        for leaf in source.below(label, ""):
            if leaf not in name_leaves:
                ledger.move([leaf], Leaf(label, leaf.pointer))
    return text


def _choose_text(
    skill: Skill, texts: list[str], folder: str, removed_paths: frozenset[str], target: str
) -> tuple[str, dict[str, TargetOutcome]]:
    """The text that a target accepts, and if possible other targets, with their outcomes."""
    candidates = []
    for number, text in enumerate(texts):
        files = {skill_md.PATH: text.encode("utf-8", "replace")}
        tree = ResultTree(skill.tree, folder, files, removed_paths)
        verdicts = judge(locate(tree, skill.settings).skill)
        accepted_count = sum(verdicts[other].is_accepted for other in _TIE_BREAKERS)
        candidates.append(((verdicts[target].is_accepted, accepted_count, -number), text, verdicts))
    _, text, verdicts = max(candidates, key=lambda candidate: candidate[0])
    return text, verdicts
