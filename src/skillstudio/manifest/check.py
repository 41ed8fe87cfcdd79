"""Check the manifests of a skill: syntax, schema, rules, policy and consistency."""

from __future__ import annotations

import contextlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Literal

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.installed import DialectFailed, attribute_errors
from skillstudio.manifest.quoting import keeps_meaning
from skillstudio.manifest.registry import dialects, rules_of, schema_of, validator_of
from skillstudio.manifest.rulebook import level_of, severity_of
from skillstudio.manifest.suppress import suppress
from skillstudio.manifest.target_values import shorten_text
from skillstudio.manifest.targets import documented_keys, older_types
from skillstudio.manifest.todo import check_todos
from skillstudio.schema.messages import format_values
from skillstudio.schema.outcome import SchemaError
from skillstudio.settings.settings import IgnoredRule
from skillstudio.text.diagnostic import Diagnostic, Fix, Rename, Severity, Splice
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.nearest import edit_distance, nearest
from skillstudio.text.node import (
    MOST_REPORTED,
    Document,
    Fault,
    Mapping,
    Missing,
    Scalar,
    resolve,
    split_pointer,
)
from skillstudio.text.node import Sequence as SequenceNode
from skillstudio.text.node import escape as escape_token
from skillstudio.text.source import Span

_SHORT = 7  # Letters of a key up to which two changed ones make it another word.
_MAX_SUGGESTIONS = 100  # Unknown keys for which a known one is searched.
_SURROGATE_ESCAPE = lazy_pattern(r"\\u[dD][89a-fA-F]")
_LONGEST = 400  # Maximum length of a message, which may quote a long value.


def check(
    skill: Skill,
    earlier_diagnostics: Iterable[Diagnostic] = (),
    used: set[IgnoredRule] | None = None,
) -> tuple[Diagnostic, ...]:
    """The problems of a skill in order. Effective ignores of settings are added to `used`."""
    diagnostics = list(earlier_diagnostics)
    if any(manifest.document.faults for manifest in skill.manifests):
        from skillstudio.manifest.half_typed import complete_skill

        skill = complete_skill(skill)
    levels = _Levels(skill)
    documents: set[int] = set()
    for manifest in skill.manifests:
        if id(manifest.document) not in documents:
            documents.add(id(manifest.document))
            diagnostics += _add_origins(_faults(manifest, skill), manifest, levels)
            diagnostics += _add_origins(check_todos(manifest.document), manifest, levels)
            diagnostics += _add_origins(_surrogates(manifest.document), manifest, levels)
        try:
            with attribute_errors(manifest.dialect.distribution, refusals=True):
                diagnostics += _add_origins(_manifest(manifest, skill), manifest, levels)
        except DialectFailed as error:
            failure = Diagnostic("dialect-failed", str(error))
            diagnostics += _add_origins([failure], manifest, levels)
    diagnostics += _check_hints(skill)
    diagnostics += _together(skill)
    diagnostics = suppress(diagnostics, skill, set() if used is None else used)
    active_diagnostics = []
    for diagnostic in diagnostics:
        level = levels[diagnostic.rule, diagnostic.severity, diagnostic.dialect]
        if level != "off":
            if diagnostic.severity != level:
                diagnostic = diagnostic._replace(severity=level)
            message = diagnostic.message
            if len(message) > _LONGEST:
                short = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 4 :]}"
                diagnostic = diagnostic._replace(message=short)
            active_diagnostics.append(diagnostic)
    return tuple(_sort_unique(active_diagnostics))


class _Levels(dict[tuple[str, Severity | None, str], Severity | Literal["off"]]):
    """Severities in a skill's settings, by rule, own severity and dialect of a diagnostic."""

    def __init__(self, skill: Skill) -> None:
        super().__init__()
        self.settings = skill.settings
        self.folders = {dialect.id: dialect.folder for dialect in dialects()}

    def __missing__(self, key: tuple[str, Severity | None, str]) -> Severity | Literal["off"]:
        rule, severity, dialect = key
        level = level_of(rule, severity, self.folders.get(dialect, ""), self.settings)
        self[key] = level
        return level


def _sort_unique(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    seen_keys = set()
    unique = []
    for diagnostic in diagnostics:
        key = (diagnostic.rule, diagnostic.path, diagnostic.span, diagnostic.message)
        if key not in seen_keys:
            seen_keys.add(key)
            unique.append(diagnostic)
    first = Span(0, 0)
    return sorted(unique, key=lambda problem: (problem.path, problem.span or first, problem.rule))


def _add_origins(
    diagnostics: Iterable[Diagnostic], manifest: Manifest, levels: _Levels
) -> Iterator[Diagnostic]:
    file, dialect_id = manifest.path, manifest.dialect.id
    for rule, message, span, pointer, fixes, severity, path, dialect in diagnostics:
        path, dialect = path or file, dialect or dialect_id
        level = levels[rule, severity, dialect]
        # A comment may still ignore a rule that is off, and is then used.
        severity = severity if level == "off" else level
        # Without `_replace`, which takes three times as long: there may be 100,000 of them.
        yield Diagnostic(rule, message, span, pointer, fixes, severity, path, dialect)


def _faults(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    document = manifest.document
    alone = manifest is skill.front and all(
        other is manifest for other in skill.manifests if other.document is document
    )
    for fault in document.faults[:MOST_REPORTED]:
        pointer = pointer_at(document, fault.start)
        rule = fault.rule
        if rule == "value-unquoted" and pointer == "/description":
            rule = "description-unquoted"
        if rule == "value-yaml-1.1" and alone and not _is_disputed(document, fault, pointer, skill):
            continue
        fixes: tuple[Fix, ...] = ()
        if fault.edits:
            safe = fault.safe
            if safe and fault.rule == "value-yaml-1.1":
                schemas = [
                    schema_of(other.dialect, other.part)
                    for other in skill.manifests
                    if other.document is document
                ]
                safe = keeps_meaning(document, fault, pointer, schemas)
            fixes = (Fix(fault.title, tuple(Splice(*edit) for edit in fault.edits), safe),)
        yield Diagnostic(rule, fault.message, Span(fault.start, fault.end), pointer, fixes)


def _is_disputed(document: Document, fault: Fault, pointer: str, skill: Skill) -> bool:
    """Whether a target reads the key, and its value otherwise than by YAML 1.2."""
    from skillstudio.text.reading.yaml_scalars import older_reading, resolve_plain

    scalar_text = document.source.text[fault.start : fault.end]
    older = older_reading(scalar_text, resolve_plain(scalar_text))
    parts = [str(part) for part in split_pointer(pointer)]
    key = "/".join(parts if parts[:1] == ["metadata"] else parts[:1])
    return older in older_types(skill.settings.targets).get(key, ())


def _surrogates(document: Document) -> Iterator[Diagnostic]:
    """Strings that no encoding can represent, so that they have no canonical form and no digest."""
    if not _SURROGATE_ESCAPE.search(document.source.text, document.span.start, document.span.end):
        return
    message = "this string has half of a surrogate pair, which is no character; remove the escape"
    for where, node in document.walk():
        if isinstance(node, Scalar) and isinstance(node.value, str) and _is_lone(node.value):
            yield Diagnostic("string-surrogate", message, node.span, where)
        for entry in node.entries if isinstance(node, Mapping) else ():
            if _is_lone(entry.name):
                yield Diagnostic("string-surrogate", message, entry.key.span, where)


def _is_lone(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def pointer_at(document: Document, offset: int) -> str:
    """The JSON Pointer of the innermost key or value that holds an offset."""
    node = document.root
    pointer = ""
    while True:
        if isinstance(node, Mapping):
            count = bisect_right(node.entries, offset, key=lambda entry: entry.key.start)
            if not count:
                return pointer
            entry = node.entries[count - 1]
            line_end = document.source.text.find("\n", entry.value.end)
            last = max(entry.value.end, line_end if node is document.root else entry.value.end)
            if offset > last:
                return pointer
            pointer += "/" + escape_token(entry.name)
            node = entry.value
        elif isinstance(node, SequenceNode):
            count = bisect_right(node.items, offset, key=lambda item: item.start)
            if not count or offset > node.items[count - 1].end:
                return pointer
            pointer += f"/{count - 1}"
            node = node.items[count - 1]
        else:
            return pointer


def _manifest(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """Problems of one manifest with its schema and its rules."""
    rules = rules_of(manifest.dialect)
    if manifest.part == "manifest" and hasattr(rules, "gate"):
        refusals = list(rules.gate(manifest, skill))
        yield from refusals
        if any(_is_final(refusal, manifest) for refusal in refusals):
            return
    yield from _schema(manifest, skill)
    if isinstance(resolve(manifest.document.root), Missing):
        return
    if manifest.part == "manifest":
        yield from rules.check(manifest, skill)
        if skill.settings.severities.get("extension-used", "off") != "off":
            from skillstudio.manifest.extensions import check_extensions

            yield from check_extensions(manifest)
        policy = skill.settings.policy
        if policy is not None and hasattr(rules, "asks"):
            from skillstudio.manifest.policy import check_policy

            yield from check_policy(rules.asks(manifest), policy, manifest)
    elif hasattr(rules, "check_part"):
        yield from rules.check_part(manifest, skill)


def _is_final(refusal: Diagnostic, manifest: Manifest) -> bool:
    """Whether a manifest is finally rejected, not only while its version is being typed."""
    document = manifest.document
    if document.faults and refusal.span is not None:
        from skillstudio.manifest.whole import broken_lines

        if document.source.position(refusal.span.start).line in broken_lines(document):
            return False
    return (refusal.severity or severity_of(refusal.rule, manifest.dialect.folder)) == "error"


def _schema(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    document = manifest.document
    if isinstance(resolve(document.root), Missing):
        return
    validator = validator_of(manifest.dialect, manifest.part)
    errors = validator.errors(document.value, MOST_REPORTED)
    beside = _known_beside(manifest, skill) if errors else frozenset()
    errors = [remainder for error in errors if (remainder := _without(error, beside))]
    if errors:
        from skillstudio.schema.diagnostics import schema_diagnostics

        schema_fixes = getattr(rules_of(manifest.dialect), "schema_fixes", None)
        diagnostics: Iterable[Diagnostic] = schema_diagnostics(
            document, schema_of(manifest.dialect, manifest.part), errors[:MOST_REPORTED]
        )
        if manifest.dialect.carrier == "frontmatter" and not manifest.dialect.extends:
            diagnostics = _custom_keys(diagnostics, skill)
        for diagnostic in diagnostics:
            # The dialect may have a fix if the schema suggests none.
            fixes = (
                ()
                if diagnostic.fixes or schema_fixes is None
                else schema_fixes(diagnostic, manifest, skill)
            )
            yield diagnostic._replace(fixes=tuple(fixes)) if fixes else diagnostic


_COLLECTIONS = frozenset(
    ["allowed-tools", "arguments", "disallowed-tools", "hooks", "metadata", "paths", "tools"]
)
"""The documented keys whose values can be lists or mappings."""


def _custom_keys(diagnostics: Iterable[Diagnostic], skill: Skill) -> Iterator[Diagnostic]:
    """Unknown keys of the frontmatter: a warning for a misspelling of one that targets document,
    else a remark, because the author's own tools may read the key."""
    known_keys: frozenset[str] = frozenset()
    for number, diagnostic in enumerate(diagnostics):
        if diagnostic.rule != "key-unknown":
            yield diagnostic
            continue
        if not diagnostic.pointer:  # The number of further keys.
            yield diagnostic._replace(severity="info")
            continue
        key = split_pointer(diagnostic.pointer)[-1]
        edits = [edit for fix in diagnostic.fixes for edit in fix.edits if isinstance(edit, Rename)]
        if any(_is_misspelled(key, edit.name) for edit in edits):
            yield diagnostic
            continue
        known_keys = known_keys or documented_keys(skill.settings.targets)
        near = nearest(key, known_keys) if len(key) > 3 and number < _MAX_SUGGESTIONS else None
        value = skill.front.document.value.get(key) if skill.front is not None else None
        # As `agents`, which lists some, beside `agent`; and stores of skills read `displayName`.
        is_other = isinstance(value, list | dict) and near not in _COLLECTIONS
        is_other = is_other or key == "displayName"
        if near is None or is_other or not _is_misspelled(key, near):
            which, advice = "target", "; move it under `metadata`"
            if longer := min((name for name in known_keys if name.endswith(f"-{key}")), default=""):
                advice = f'; did you mean "{longer}"?'
            if skill.settings.targets:
                which, advice = "selected target", "" if key in documented_keys() else advice
            text = f"no {which} documents the key {format_values([shorten_text(key)])}{advice}"
            yield diagnostic._replace(message=text, severity="info", fixes=())
        else:
            fix = Fix(f'Rename to "{near}"', (Rename(diagnostic.pointer, near),))
            yield diagnostic._replace(
                message=f'{diagnostic.message}; did you mean "{near}"?', fixes=(fix,)
            )


def _is_misspelled(key: str, known_key: str) -> bool:
    """Whether a key is so near to a known one that no other was meant, as `tools` to `hooks`."""
    return len(key) > _SHORT or edit_distance(key.lower(), known_key.lower(), 1) <= 1


def _without(error: SchemaError, known_keys: frozenset[str]) -> SchemaError | None:
    """An error without the top-level keys that another dialect defines; None if none are left."""
    if not known_keys or error.instance or error.keyword != "additionalProperties":
        return error
    unknown = [name for name in error.params if name not in known_keys]
    return error._replace(params=unknown) if unknown else None


def _known_beside(manifest: Manifest, skill: Skill) -> frozenset[str]:
    """Keys of other dialects of the document, whose last one reports unknown keys, and keys that
    selected targets document."""
    same = [other for other in skill.manifests if other.document is manifest.document]
    pointer_groups = (pointers for other in same for pointers in other.dialect.states.values())
    known_keys = {pointer.lstrip("/") for pointers in pointer_groups for pointer in pointers}
    if manifest.dialect.carrier == "frontmatter":
        targets = skill.settings.targets
        # A key for one client does no harm at others that ignore it.
        known_keys |= documented_keys(targets if len(targets) == 1 else ())
    if len(same) < 2:
        return frozenset(known_keys)
    known_keys |= {
        key for other in same for key in schema_of(other.dialect, other.part)["properties"]
    }
    if manifest is not same[-1]:
        root = resolve(manifest.document.root)
        known_keys |= {entry.name for entry in root.entries} if isinstance(root, Mapping) else set()
    return frozenset(known_keys)


def _check_hints(skill: Skill) -> Iterator[Diagnostic]:
    """Problems of a SKILL.md that may be intended for a dialect that was not detected."""
    if skill.markdown is None:
        return
    folders = {manifest.dialect.folder for manifest in skill.manifests}
    text = skill.markdown.source.text
    checked_folders: set[str] = set()
    for dialect in dialects():
        if dialect.folder in checked_folders or not dialect.hint:
            continue
        if dialect.folder in folders or dialect.hint in text:
            checked_folders.add(dialect.folder)
            # The check of its manifests reports a dialect that fails.
            with contextlib.suppress(DialectFailed):
                rules = rules_of(dialect)
                for diagnostic in (
                    rules.locate_checks(skill) if hasattr(rules, "locate_checks") else ()
                ):
                    yield diagnostic._replace(
                        path=diagnostic.path or skill.markdown.source.path,
                        dialect=diagnostic.dialect or dialect.id,
                    )


def _together(skill: Skill) -> Iterator[Diagnostic]:
    """Check that the manifests of one skill agree on its name, version and description."""
    first_values: dict[str, tuple[str, Manifest]] = {}
    for manifest in skill.manifests:
        for what in ("name", "version", "description"):
            pointer = manifest.place_of(what)
            node = resolve(manifest.document.at(pointer)) if pointer else None
            if not isinstance(node, Scalar) or not isinstance(node.value, str):
                continue
            value, first = first_values.setdefault(what, (node.value, manifest))
            if value.strip() != node.value.strip():
                yield Diagnostic(
                    f"{what}-disagrees",
                    f"this {what} differs from the one in {first.path} ({first.dialect.id})",
                    node.span,
                    pointer,
                    path=manifest.path,
                    dialect=manifest.dialect.id,
                )
