"""Rules of ADR-002 and the interface of ADR-003 that the schema cannot express."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillstudio.files.paths import is_absolute, judge_path, normalise
from skillstudio.manifest.author_schema import check_author_schema
from skillstudio.manifest.dialect import Ask, Manifest, Skill
from skillstudio.manifest.finding import at_value, default_on_required, duplicate_names
from skillstudio.manifest.frontmatter.contract import check_interface, check_outputs
from skillstudio.manifest.quoting import quote_fix
from skillstudio.manifest.registry import schema_of
from skillstudio.manifest.values import dig, has_type, mappings, text
from skillstudio.text.diagnostic import CreateFile, Diagnostic, Fix, Set, Splice
from skillstudio.text.node import Document, Mapping, resolve
from skillstudio.text.versions import compare_dotted, is_semver, parse_dotted

SUPPORTED_VERSION = (1, 0)
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SAYS = {
    "path-absolute": "a path must be relative; remove the leading /, ~ or drive",
    "path-outside": "this path leaves its base folder",
    "path-link-outside": "this path goes through a symbolic link that points outside the skill",
    "path-missing": "this file does not exist in the skill",
}


def gate(manifest: Manifest, _skill: Skill) -> list[Diagnostic]:
    """`manifest-version-unsupported`, after which the rest of this dialect is not checked."""
    version = written_version(manifest.document)
    if version is None or version_problem(version) != "manifest-version-unsupported":
        return []
    message = "this version of the manifest format is not supported; use 1.0"
    rule = "manifest-version-unsupported"
    return [at_value(manifest.document, "/manifest_version", rule, message)]


def version_problem(version: str) -> str | None:
    """The rule that a `manifest_version` violates: another major is an error, a minor a warning."""
    parts = parse_dotted(version)
    if parts is None or parts[0] != SUPPORTED_VERSION[0]:
        return "manifest-version-unsupported"
    return "manifest-version-minor" if compare_dotted(parts, SUPPORTED_VERSION) else None


def written_version(document: Document) -> str | None:
    """The `manifest_version` as written, with or without quotes."""
    value = dig(document.value, "manifest_version")
    node = document.at("/manifest_version")
    if has_type(value, "number") and node is not None:
        return document.source.text[node.start : node.end]
    return value if isinstance(value, str) else None


def check(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """The rules that a schema cannot express, in the order of the manifest's fields."""
    document = manifest.document
    value = document.value
    if not isinstance(value, dict):
        return
    yield from _manifest_version(manifest)
    yield from _version(document)
    yield from _inputs(document)
    yield from _env(document)
    yield from _commands(document)
    yield from _files(document, skill)
    yield from check_outputs(document)
    if "interface" in value:
        yield from check_interface(document)


def asks(manifest: Manifest) -> Iterator[Ask]:
    """Commands, network access and output paths, for the policy."""
    value = manifest.document.value
    for pointer, command in mappings(value, "preconditions", "commands"):
        name = text(command, "cmd")
        if name:
            yield Ask("command", name, f"{pointer}/cmd")
    if dig(value, "execution", "network") is True:
        yield Ask("host", "*", "/execution/network")
    for pointer, output in mappings(value, "outputs", "files"):
        pattern = text(output, "pattern")
        if pattern:
            yield Ask("path", pattern, f"{pointer}/pattern")


def _manifest_version(manifest: Manifest) -> Iterator[Diagnostic]:
    document = manifest.document
    version = written_version(document)
    if version is not None:
        if has_type(dig(document.value, "manifest_version"), "number"):
            yield _report_unquoted(document, "/manifest_version")
        elif version_problem(version) == "manifest-version-minor":
            message = "this manifest format is newer than 1.0; its additions are not checked"
            yield at_value(document, "/manifest_version", "manifest-version-minor", message)
        return
    root = resolve(document.root)
    if not isinstance(root, Mapping) or root.entry("manifest_version"):
        return
    known_keys = schema_of(manifest.dialect)["properties"]
    first = next((entry for entry in root.entries if entry.name in known_keys), None)
    if first is None:
        return
    newline = document.source.newline
    add = Splice(first.key.start, first.key.start, f'manifest_version: "1.0"{newline}')
    is_indented = document.source.position(first.key.start).column > 1
    edit = Set("/manifest_version", "1.0") if root.flow or is_indented else add
    yield Diagnostic(
        "manifest-version-missing",
        'fields of a skill manifest without manifest_version: "1.0" are read as a legacy format',
        first.key.span,
        f"/{first.name}",
        # Without the key a runtime validates nothing; with it, it may reject what it accepted.
        (Fix('Add manifest_version: "1.0"', (edit,)),),
    )


def _version(document: Document) -> Iterator[Diagnostic]:
    version = dig(document.value, "version")
    if has_type(version, "number"):
        yield _report_unquoted(document, "/version")
    elif isinstance(version, str) and not is_semver(version):
        parts = parse_dotted(version)
        better = ".".join(str(part) for part in (*parts, 0, 0)[:3]) if parts else ""
        fix = Fix(f"Change it to {better}", (Set("/version", better),))
        message = "a version must have three numbers, such as 1.0.0 (Semantic Versioning)"
        fixes = (fix,) if parts and len(parts) < 3 else ()
        yield at_value(document, "/version", "version-not-semver", message, fixes)


def _inputs(document: Document) -> Iterator[Diagnostic]:
    yield from duplicate_names(document, iter_items(document.value, "inputs"), "name", "input")
    for group in ("required", "optional"):
        for pointer, declaration in mappings(document.value, "inputs", group):
            schema = declaration.get("schema")
            if isinstance(schema, dict):
                yield from check_author_schema(document, f"{pointer}/schema", schema)
            if group == "required" and has_default(declaration):
                yield default_on_required(document, f"{pointer}/schema/default")
            if group == "optional" and text(declaration, "name") and not has_default(declaration):
                message = "this optional input has no default"
                yield at_value(document, f"{pointer}/name", "input-default-missing", message)


def has_default(declaration: dict[str, Any]) -> bool:
    """Whether an input has a default, which is inside its schema."""
    schema = declaration.get("schema")
    return isinstance(schema, dict) and "default" in schema


def _env(document: Document) -> Iterator[Diagnostic]:
    yield from duplicate_names(document, iter_items(document.value, "env"), "name", "variable")
    for pointer, variable in iter_items(document.value, "env"):
        name = text(variable, "name")
        if name and not _ENV_NAME.fullmatch(name):
            message = "use only letters, digits and _ in the name of a variable"
            yield at_value(document, f"{pointer}/name", "env-name-format", message)


def _commands(document: Document) -> Iterator[Diagnostic]:
    for pointer, command in mappings(document.value, "preconditions", "commands"):
        limits = {}
        for key in ("min_version", "max_version"):
            version = command.get(key)
            if has_type(version, "number"):
                yield _report_unquoted(document, f"{pointer}/{key}")
            elif isinstance(version, str):
                limits[key] = parse_dotted(version)
                if limits[key] is None:
                    message = (
                        "a command's version must be whole numbers joined by dots, such as 2.40"
                    )
                    yield at_value(document, f"{pointer}/{key}", "command-version-format", message)
        least, most = limits.get("min_version"), limits.get("max_version")
        if least and most and compare_dotted(least[: len(most)], most) > 0:
            message = "no version satisfies both min_version and max_version"
            yield at_value(document, f"{pointer}/max_version", "command-range-empty", message)


def _files(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    for pointer, file in mappings(document.value, "preconditions", "files"):
        path = text(file, "path")
        if not path:
            continue
        fixes: tuple[Fix, ...] = ()
        if file.get("base", "skill_root") == "skill_root":
            problem, plain = judge_path(skill.tree, path)
            if problem == "path-missing" and plain and not path.endswith("/"):
                fixes = (Fix(f"Create {plain}", (CreateFile(plain, ""),)),)
        else:
            outside = "path-outside" if normalise(path) is None else None
            problem = "path-absolute" if is_absolute(path) else outside
        if problem:
            yield at_value(document, f"{pointer}/path", problem, _SAYS[problem], fixes)


def iter_items(value: Any, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The required, then the optional items of a list in two groups."""
    for group in ("required", "optional"):
        yield from mappings(value, key, group)


def _report_unquoted(document: Document, pointer: str) -> Diagnostic:
    message = "YAML reads this version as a number; quote it"
    fixes = quote_fix(document, pointer, document.at(pointer))
    return at_value(document, pointer, "version-unquoted", message, fixes)
