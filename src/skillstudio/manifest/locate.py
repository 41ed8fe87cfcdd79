"""Find the manifests of a skill: which files contain one, and in which dialect."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Lookup
from contextlib import suppress
from typing import Any, NamedTuple

from skillstudio.files.around import surroundings
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Dialect, Manifest, Skill
from skillstudio.manifest.installed import DialectFailed
from skillstudio.manifest.registry import base_dialect, dialect_ids, dialects, rules_of, schema_of
from skillstudio.manifest.registry import dialect as dialect_of
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.text.diagnostic import Diagnostic, Fix, RenameFile, Splice
from skillstudio.text.node import (
    Document,
    Entry,
    Mapping,
    Missing,
    Scalar,
    Sequence,
    escape,
    resolve,
)
from skillstudio.text.reading import read
from skillstudio.text.reading.markdown import Markdown, read_markdown
from skillstudio.text.source import BOM, Source, Span, decode

LARGE = 64 * 1024
TOO_LARGE = 1024 * 1024
MAX_PART_FILES = 500
OPENAI_YAML = "agents/openai.yaml"
"""What a skill tells Codex."""
SKIPPED_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", "site-packages",
        ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    }
)  # fmt: skip
"""Folders that belong to no skill. A virtual environment of any name has a `site-packages`."""


class LocateResult(NamedTuple):
    """A skill with its manifests, and the problems of the files themselves."""

    skill: Skill
    diagnostics: list[Diagnostic]


def locate(
    tree: FileTree, settings: SkillSettings = NO_SETTINGS, dialect: str | None = None
) -> LocateResult:
    """Find a skill's manifests; `dialect` overrides detection. Raises OSError for the folder."""
    requested_id = dialect or settings.dialect
    names = [entry.name for entry in tree.list()]
    diagnostics: list[Diagnostic] = []
    manifests: list[Manifest] = []
    markdown: Markdown | None = None
    sources: dict[str, Source | None] = {}
    for carrier in _carriers(requested_id):
        file = carrier[0].file
        case_variants = (other for other in names if other.lower() == file.lower())
        name = file if file in names else next(case_variants, None)
        if name is None:
            continue
        if name != file and name not in sources:
            message = f"the file is named {name}; many agents only look for {file}"
            fix = Fix(f"Rename it to {file}", (RenameFile(name, file),))
            start = Span(0, 0)
            diagnostics.append(
                Diagnostic("skill-file-case", message, start, path=name, fixes=(fix,))
            )
        if name not in sources:
            sources[name] = read_file(tree, name, diagnostics)
        source = sources[name]
        if source is None:
            continue
        if carrier[0].carrier == "file":
            manifests += _from_file(carrier, source, requested_id)
            continue
        if markdown is None:
            markdown = read_markdown(source)
        if carrier[0].carrier == "frontmatter":
            manifests += _from_frontmatter(carrier, markdown, requested_id)
        else:
            manifests += _from_fences(carrier, markdown)
    if markdown is not None:
        diagnostics += _frontmatter_faults(markdown, manifests, requested_id)
    skill = Skill(tree, tree.name, tuple(manifests), markdown, settings)
    parts = [part for manifest in manifests for part in _parts(manifest, tree, diagnostics)]
    return LocateResult(
        skill._replace(manifests=(*manifests, *parts)) if parts else skill, diagnostics
    )


def read_file(tree: FileTree, path: str, diagnostics: list[Diagnostic]) -> Source | None:
    """The text of a manifest file, or None with the reason added to `diagnostics`."""

    def say(rule: str, message: str, span: Span | None = None) -> None:
        diagnostics.append(Diagnostic(rule, message, span, path=path))

    kind = tree.kind(path)
    if kind == "link":
        target = tree.resolve(path)
        if target is not None:
            kind = tree.kind(target)
        elif (fault := _link_fault(tree, path)) is not None:
            say("path-link-outside", fault, Span(0, 0))
            return None
        else:
            kind = "file"
    if kind != "file":
        say("file-unreadable", f"{path} is not a regular file, so it was not opened")
        return None
    try:
        size = tree.size(path)
        data = tree.read(path, TOO_LARGE + 1)
    except OSError as error:
        say("file-unreadable", f"{path} cannot be read: {error.strerror or error}")
        return None
    if max(size, len(data)) > TOO_LARGE:
        say("file-too-large", f"{path} is larger than 1 MiB, so it was not checked")
        return None
    text, wrong = decode(data)
    source = Source(text, path)
    if wrong is not None:
        message = f"{path} is not UTF-8 from here on; save it as UTF-8"
        say("file-not-utf8", message, Span(wrong, wrong + 1))
    if size > LARGE:
        say("file-large", f"{path} is larger than 64 KiB; agents load all of it")
    if text.startswith(BOM):
        diagnostics.append(_byte_order_mark(path, text))
    if "\r" in text and _mixed_line_ends(text):
        say("line-ends-mixed", f"{path} has mixed line endings; use one kind")
    return source


def _link_fault(tree: FileTree, path: str) -> str | None:
    """What is wrong with a symbolic link out of the skill; None if it leads to a file of the
    repository, which clients that follow links read."""
    around = surroundings(tree)
    try:
        leads = f"{path} is a symbolic link to {tree.target(path)}"
    except OSError:
        leads = f"{path} is a symbolic link"
    problem: str | None = "path-missing"
    if around is not None and around.root:
        problem = around.problem(f"{around.place()}/{path}".removeprefix("/"))
        if problem is None and not around.is_in_git(path):
            return None
    if problem == "path-missing":
        return f"{leads}, which does not exist or is outside of the skill"
    return f"{leads}, outside of the repository"


def _carriers(requested_id: str | None) -> Iterable[list[Dialect]]:
    """The dialects grouped by carrier, in order; only one group if a dialect is requested."""
    groups: dict[tuple[str, str, str, str], list[Dialect]] = {}
    for dialect in dialects():
        # Keys distinguish dialects of one file, and only dialects of one folder share those keys.
        folder = dialect.folder if dialect.carrier == "file" else ""
        key = (dialect.carrier, dialect.file, dialect.fence, folder)
        groups.setdefault(key, []).append(dialect)
    known_ids = dialect_ids()
    for group in groups.values():
        if requested_id not in known_ids or any(dialect.id == requested_id for dialect in group):
            yield group


def _byte_order_mark(path: str, text: str) -> Diagnostic:
    # If a second mark follows, the first one hides the frontmatter, and the fix may add a dialect.
    safe = not text.startswith(BOM, 1)
    return Diagnostic(
        "byte-order-mark",
        "the file starts with a byte order mark, which strict readers reject; remove it",
        Span(0, 1),
        path=path,
        fixes=(Fix("Remove the byte order mark", (Splice(0, 1, ""),), safe),),
    )


def _mixed_line_ends(text: str) -> bool:
    crlf = text.count("\r\n")
    counts = (crlf, text.count("\n") - crlf, text.count("\r") - crlf)
    return sum(count > 0 for count in counts) > 1


def _from_frontmatter(
    group: list[Dialect], markdown: Markdown, requested_id: str | None
) -> list[Manifest]:
    path = markdown.source.path
    if markdown.frontmatter is None:
        return []
    document = read(markdown.source, "yaml", markdown.frontmatter, markdown.opening)
    whole = _whole(document, group)
    reasons = [
        (dialect, _reason(dialect, whole, requested_id, f"frontmatter of {path}"))
        for dialect in group
    ]
    return [
        Manifest(dialect, document, path, reason=reason) for dialect, reason in reasons if reason
    ]


def _reason(dialect: Dialect, document: Document, requested_id: str | None, where: str) -> str:
    """Why a dialect applies to a document, or "" if it does not."""
    requested_dialect = dialect_of(requested_id) if requested_id else None
    if requested_dialect is not None:
        if requested_dialect is dialect:
            return f"{where}, as requested"
        return where if requested_dialect.extends == dialect.id else ""
    when = dialect.when
    if "any_key" in when or "any_shape" in when:
        first = next((entry for entry in _entries(document) if _is_own(entry, when)), None)
        return f"{where} with the key {first.name}" if first else ""
    if "equals" in when:
        same = all(_says(document, key, value) for key, value in when["equals"].items())
        return f"{where} with {', '.join(when['equals'])}" if same else ""
    if "present" in when:
        has = any(entry.name == when["present"] for entry in _entries(document))
        return f"{where} with the key {when['present']}" if has else ""
    return where


def _is_own(entry: Entry, when: Lookup[str, Any]) -> bool:
    """Whether only one dialect has this key, or this common key with such a value."""
    if entry.name in when.get("any_key", ()):
        return True
    lists = when.get("any_shape", {}).get(entry.name, {})
    value = resolve(entry.value)
    if not lists or not isinstance(value, Mapping):
        return False
    sequences = {
        name: node for name in lists if isinstance(node := resolve(value.get(name)), Sequence)
    }
    items = [
        (resolve(item), lists[name]) for name, node in sequences.items() for item in node.items
    ]
    if items:
        return any(isinstance(item, Mapping) and item.entry(key) for item, key in items)
    return bool(sequences) and all(inner.name in lists for inner in value.entries)


def _entries(document: Document) -> list[Entry]:
    root = resolve(document.root)
    return root.entries if isinstance(root, Mapping) else []


def _says(document: Document, key: str, value: str) -> bool:
    """Whether a key has a value, or the value is being typed."""
    node = resolve(document.at(f"/{escape(key)}"))
    if not isinstance(node, Scalar):
        return False
    if node.value == value or not document.faults:
        return bool(node.value == value)
    from skillstudio.manifest.whole import broken_lines

    is_begun = isinstance(node.value, str) and value.startswith(node.value)
    return is_begun and document.source.position(node.start).line in broken_lines(document)


def _from_fences(group: list[Dialect], markdown: Markdown) -> list[Manifest]:
    dialect = group[0]
    path = markdown.source.path
    if dialect.fence not in markdown.source.text:
        # Most skills have no such block, and to find all fences takes a fifth of a check.
        return []
    for fence in markdown.fences:
        if fence.top_level and fence.info.split()[:1] == [dialect.fence]:
            document = read(markdown.source, dialect.syntax, fence.inner, fence.opening_line)
            if document.faults:
                with suppress(DialectFailed):
                    rules = rules_of(dialect)
                    if hasattr(rules, "reread"):
                        document = rules.reread(document) or document
            reason = f"block {dialect.fence} in {path}"
            return [Manifest(dialect, document, path, reason=reason)]
    return []


def _from_file(group: list[Dialect], source: Source, requested_id: str | None) -> list[Manifest]:
    dialect = group[0]
    document = read(source, dialect.syntax, Span(0, len(source.text)))
    is_requested = any(candidate.id == requested_id for candidate in group)
    whole = _whole(recognisable(document), group)
    if not is_requested and not is_recognised(dialect, whole):
        return []
    if not is_requested and _is_undecided(group, whole):
        names = {entry.name for entry in _entries(whole)}
        likeliest = max(
            group, key=lambda member: len(names & schema_of(member)["properties"].keys())
        )
        return [Manifest(likeliest, document, source.path, reason=f"keys of {source.path}")]
    for candidate in group:
        reason = _reason(candidate, whole, requested_id, source.path)
        if reason:
            return [Manifest(candidate, document, source.path, reason=reason)]
    return []


def _whole(document: Document, group: list[Dialect]) -> Document:
    """The document for dialect detection, in which a half-typed key counts."""
    if not document.faults:
        return document
    from skillstudio.manifest.half_typed import completed_by

    return completed_by(document, [schema_of(dialect) for dialect in group])


def _is_undecided(group: list[Dialect], document: Document) -> bool:
    """Whether the distinguishing key is being typed, so that other keys must decide."""
    deciding_keys = {key for dialect in group for key in dialect.when.get("equals", ())}
    if not document.faults or not deciding_keys:
        return False
    root = resolve(document.root)
    values = [root.get(key) for key in deciding_keys] if isinstance(root, Mapping) else []
    unread = any(isinstance(value, Missing) for value in values)
    return unread or (not any(values) and _begins(document, deciding_keys))


def _begins(document: Document, keys: set[str]) -> bool:
    """Whether a key on a broken line may become one of some keys."""
    from skillstudio.manifest.whole import broken_lines

    lines = broken_lines(document)
    return any(
        document.source.position(entry.key.start).line in lines
        and any(key.startswith(entry.name) for key in keys)
        for entry in _entries(document)
    )


def recognisable(document: Document) -> Document:
    """The document for detection; with both sides of an unresolved merge conflict."""
    if not document.faults:
        return document
    from skillstudio.text.conflict import begins_in_conflict, without_marks

    if begins_in_conflict(document.source.text) is None:
        return document
    text = without_marks(document.source.text)
    source = Source(text, document.source.path)
    return read(source, document.syntax, Span(0, len(text)))


def is_recognised(dialect: Dialect, document: Document) -> bool:
    """Whether a file is a manifest of the dialect rather than of another tool."""
    if not dialect.recognise:
        return True
    keys = {entry.name for entry in _entries(document)}
    return len(keys & set(dialect.recognise["keys"])) >= int(dialect.recognise["at_least"])


def _frontmatter_faults(
    markdown: Markdown, manifests: list[Manifest], requested_id: str | None
) -> list[Diagnostic]:
    """The syntax problems of the frontmatter; a missing one is info if a manifest exists."""
    base = base_dialect()
    elsewhere = bool(manifests) or (requested_id is not None and requested_id != base.id)
    return [
        Diagnostic(
            fault.rule,
            fault.message,
            Span(fault.start, fault.end),
            fixes=(Fix(fault.title, tuple(Splice(*edit) for edit in fault.edits), fault.safe),)
            if fault.edits
            else (),
            path=markdown.source.path,
            dialect=base.id,
            severity="info" if elsewhere and fault.rule == "frontmatter-missing" else None,
        )
        for fault in markdown.faults
    ]


def _parts(manifest: Manifest, tree: FileTree, diagnostics: list[Diagnostic]) -> list[Manifest]:
    manifests: list[Manifest] = []
    for name, part in manifest.dialect.parts.items():
        from skillstudio.files.paths import glob

        globs = _globs(manifest.document, part)
        files = {file for pattern in globs for file in glob(tree, pattern, limit=MAX_PART_FILES)}
        for file in sorted(files):
            source = read_file(tree, file, diagnostics)
            if source is not None:
                document = read(source, part["syntax"], Span(0, len(source.text)))
                reason = f"{name}, referenced by {manifest.path}"
                manifests.append(Manifest(manifest.dialect, document, file, name, reason))
    return manifests


def _globs(document: Document, part: dict[str, Any]) -> list[str]:
    node = document.at(part["glob_from"])
    if node is None or isinstance(node, Missing):
        return list(part["default"])
    from skillstudio.text.node import to_value

    value = to_value(node)
    return (
        [pattern for pattern in value if isinstance(pattern, str)]
        if isinstance(value, list)
        else []
    )
