"""Rules of provenact's three manifests that their schemas cannot express."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from skillstudio.files.paths import is_absolute, judge_path
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import properties
from skillstudio.manifest.branches import judge
from skillstudio.manifest.dialect import Ask, Manifest, Skill
from skillstudio.manifest.finding import at_value, default_on_required
from skillstudio.manifest.secrets import secret_findings
from skillstudio.manifest.values import dig, mappings, strings, text
from skillstudio.text.diagnostic import Diagnostic, Fix, Set
from skillstudio.text.node import Document, Mapping, Missing, Scalar, escape, resolve, to_value

DRAFT = "1.0.0-draft"
SUPPORTED_VERSIONS = ("v0", DRAFT)
ARTIFACT = "skill.wasm"  # The file name of every bundle's artifact.
_PIECE = 1 << 20
SAFE_INTEGER = 2**53 - 1
"""The largest magnitude of integers that every JSON reader represents exactly."""
UNSAFE = "the canonical form cannot represent this number exactly; write it as a string"

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^#]")
_NOT_IN_URI = re.compile(r"[^\x21-\x7e]|[\"<>\\^`{|}]")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*)([^?#]*))?")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::([0-9]*))?")
_MOST_SCHEMA = 1 << 20  # Maximum size of a schema's file.
_FILE_WORDS = {
    "path-absolute": "is a file of this computer; name it relative to the skill, as in file:a.json",
    "path-outside": "leaves the skill's folder",
    "path-link-outside": "goes through a symbolic link that points outside the skill",
    "path-missing": "names a file that does not exist in the skill",
}
_PATH_WORDS = {
    "path-absolute": "is absolute; write it relative to the manifest",
    "path-outside": "leaves the skill's folder",
    "path-link-outside": "goes through a symbolic link that points outside the skill",
    "path-missing": "names no file of the skill; build the file, or correct the path",
}


def gate(manifest: Manifest, _skill: Skill) -> list[Diagnostic]:
    """Stop at an unknown version; only report a draft."""
    if manifest.dialect.id != "provenact-1":
        return []
    node = resolve(manifest.document.at("/schema_version"))
    if node is None or isinstance(node, Missing):
        return []
    rule = "schema-version-unsupported"
    message = (
        f"this schema_version is not supported; use {' or '.join(SUPPORTED_VERSIONS)}, or remove it"
    )
    if to_value(node) == DRAFT:
        rule = "manifest-experimental"
        message = (
            "this version of the format is a draft; runtimes accept it only when configured to"
        )
    return [Diagnostic(rule, message, node.span, "/schema_version")]


def check(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    document = manifest.document
    yield from secret_findings(document)
    yield from _numbers(document)
    if manifest.dialect.id == "provenact-0":
        yield from _v0(document, skill.tree)
        return
    yield from _artifact(manifest, skill.tree)
    yield from _capabilities(document)
    if manifest.dialect.id == "provenact-1":
        yield from _entrypoint(manifest, skill.tree)
        for name in ("inputs_schema", "outputs_schema"):
            yield from _schema(manifest, skill.tree, f"/{name}")


def asks(manifest: Manifest) -> Iterator[Ask]:
    """Requests for the policy: capabilities with their hosts, paths and commands."""
    value = manifest.document.value
    for where, capability in mappings(value, "capabilities"):
        kind, about = text(capability, "kind"), text(capability, "value")
        if kind is not None:
            yield Ask("capability", kind, f"{where}/kind")
        if about is None:
            continue
        host = host_of(about) if kind == "net.http" else None
        if host:
            yield Ask("host", host, f"{where}/value")
        elif kind in ("fs.read", "fs.write"):
            yield Ask("path", about, f"{where}/value")
        elif kind == "exec.safe":
            yield Ask("command", about, f"{where}/value")
    for where, capability in mappings(value, "caps"):
        name = text(capability, "name")
        if name is not None:
            yield Ask("capability", name, f"{where}/name")
        for kind, key in (("host", "domains"), ("path", "paths")):
            for at, item in strings(capability, "constraints", key):
                yield Ask(kind, item, f"{where}{at}")


def _v0(document: Document, tree: FileTree) -> Iterator[Diagnostic]:
    yield from _path(document, tree, "/entrypoint/wasm")
    yield from _path(document, tree, "/supply_chain/sbom")
    for where, _ in strings(document.value, "supply_chain", "signatures"):
        yield from _path(document, tree, where)
    from skillstudio.manifest.author_schema import check_author_schema

    for name in ("inputs", "outputs"):
        schema = dig(document.value, name, "json_schema")
        if isinstance(schema, dict):
            if name == "inputs":
                yield from _defaults(document, "/inputs/json_schema", schema)
            for diagnostic in check_author_schema(document, f"/{name}/json_schema", schema, False):
                # `#/schemas/…` refers to the shared schemas of a pipeline.
                if diagnostic.rule != "schema-invalid" or not diagnostic.pointer.endswith("/$ref"):
                    yield diagnostic


def _numbers(document: Document) -> Iterator[Diagnostic]:
    for where, node in document.walk():
        if isinstance(node, Scalar) and is_unsafe(node.value):
            number_text = document.source.text[node.start : node.end]
            fix = Fix("Write it as a string", (Set(where, number_text),))
            yield Diagnostic("integer-unsafe", UNSAFE, node.span, where, (fix,))


def is_unsafe(value: Any) -> bool:
    """Whether a number is an integer beyond SAFE_INTEGER."""
    return isinstance(value, int) and not -SAFE_INTEGER <= value <= SAFE_INTEGER


def _artifact(manifest: Manifest, tree: FileTree) -> Iterator[Diagnostic]:
    """Compare the digest with the file next to the manifest, if there is one."""
    document = manifest.document
    declared_digest = text(document.value, "artifact")
    if declared_digest is None or not _DIGEST.fullmatch(declared_digest):
        return
    path = artifact_path(manifest, tree)
    if path is None:
        return
    try:
        actual_digest = digest_of(tree, path)
    except OSError as error:
        reason = error.strerror or error
        message = f"{path} cannot be read, so its digest was not checked: {reason}"
        yield at_value(document, "/artifact", "file-unreadable", message)
        return
    if actual_digest != declared_digest:
        message = f"the digest does not match {path}"
        fixes = (Fix(f"Write the digest of {path}", (Set("/artifact", actual_digest),)),)
        yield at_value(document, "/artifact", "artifact-mismatch", message, fixes)


def digest_of(tree: FileTree, path: str) -> str:
    """The SHA-256 of a file."""
    import hashlib

    hasher = hashlib.sha256()
    for piece in tree.chunks(path, _PIECE):
        hasher.update(piece)
    return "sha256:" + hasher.hexdigest()


def artifact_path(manifest: Manifest, tree: FileTree) -> str | None:
    """The artifact's file: what the entrypoint names, else skill.wasm; None where neither is."""
    value = manifest.document.value
    entrypoint_path = text(value, "entrypoint", "path") or text(value, "entrypoint")
    for path in (entrypoint_path if manifest.dialect.id == "provenact-1" else None, ARTIFACT):
        if path is None:
            continue
        verdict = judge_path(tree, path)
        if verdict.problem is None and verdict.path:
            target = tree.resolve(verdict.path)
            if target is not None and tree.kind(target) == "file":
                return target
    return None


def _capabilities(document: Document) -> Iterator[Diagnostic]:
    for where, capability in mappings(document.value, "capabilities"):
        kind, value = text(capability, "kind"), text(capability, "value")
        problem = value_problem(kind, value) if kind and value else None
        if problem:
            yield at_value(document, f"{where}/value", "capability-value", problem)


def _entrypoint(manifest: Manifest, tree: FileTree) -> Iterator[Diagnostic]:
    node = resolve(manifest.document.at("/entrypoint"))
    if isinstance(node, Mapping):
        yield from judge(manifest, "/entrypoint", "component")
        yield from _path(manifest.document, tree, "/entrypoint/path")
    else:
        yield from judge(manifest, "/entrypoint", "function")


def _schema(manifest: Manifest, tree: FileTree, where: str) -> Iterator[Diagnostic]:
    """A schema is embedded, a file of the skill, or an absolute URI, which is never fetched."""
    document = manifest.document
    node = resolve(document.at(where))
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        yield from judge(manifest, where, "schema")
        if isinstance(node, Mapping):
            from skillstudio.manifest.author_schema import check_author_schema

            schema = to_value(node)
            yield from check_author_schema(document, where, schema, subset=False)
            if where == "/inputs_schema":
                yield from _defaults(document, where, schema)
    elif not _SCHEME.match(node.value):
        message = "use a schema or an absolute URI such as https://skills.example/input.json"
        yield Diagnostic("schema-uri-relative", message, node.span, where)
    elif _NOT_IN_URI.search(node.value):
        message = "the URI contains an invalid character; percent-encode it"
        yield Diagnostic("value-format", message, node.span, where)
    elif node.value.lower().startswith("file:"):
        for rule, message in _file_problems(tree, node.value):
            yield Diagnostic(rule, message, node.span, where)


def _defaults(document: Document, where: str, schema: Any) -> Iterator[Diagnostic]:
    """`default-on-required` at the inputs whose default makes `required` useless."""
    for input_ in properties(schema):
        if input_.has_used_default:
            at = f"{where}/properties/{escape(input_.name)}/default"
            yield default_on_required(document, at)


def _file_problems(tree: FileTree, reference: str) -> Iterator[tuple[str, str]]:
    """The rules that a `file:` reference and the files that it leads to violate."""
    from urllib.parse import unquote

    from skillstudio.schema.keywords import walk_schema
    from skillstudio.text.strict_json import read_json

    stack = [("", reference)]
    checked_paths: set[str] = set()
    while stack:
        above, reference = stack.pop()
        path = reference.partition("#")[0]
        if path.lower().startswith("file:"):
            path = path[len("file:") :]
        subject = f"{above} refers to {reference}, which" if above else "the schema"
        if _SCHEME.match(reference) and not reference.lower().startswith("file:"):
            message = f"{subject} is remote; remote schemas are never fetched"
            yield "schema-ref-remote", message
            continue
        if not is_absolute(path):
            path = posixpath.join(posixpath.dirname(above), unquote(path).replace("\0", "�"))
        problem, plain = judge_path(tree, path)
        if problem:
            yield problem, f"{subject} {_FILE_WORDS[problem]}"
            continue
        if plain in checked_paths:
            continue
        checked_paths.add(plain)
        try:
            schema = read_json(
                tree.read(tree.resolve(plain) or plain, _MOST_SCHEMA).decode("utf-8")
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            yield "schema-invalid", f"{plain} is not a JSON file that can be read: {reason}"
            continue
        references = (part.get("$ref") for _, part in walk_schema(schema))
        next_references = [
            other for other in references if isinstance(other, str) and other[:1] != "#"
        ]
        stack += [(plain, other) for other in reversed(dict.fromkeys(next_references))]


def _path(document: Document, tree: FileTree, where: str) -> Iterator[Diagnostic]:
    """A path must name a file of the skill."""
    node = resolve(document.at(where))
    path = node.value if isinstance(node, Scalar) else None
    problem = path_problem(tree, path) if isinstance(path, str) else None
    if problem is not None:
        words = _PATH_WORDS.get(problem, "cannot be used")
        yield at_value(document, where, problem, f"the path {path} {words}")


def path_problem(tree: FileTree, path: str) -> str | None:
    """The rule that a path violates, if it names no file of the skill; addresses are not paths."""
    if not path or "://" in path:
        return None
    problem, plain = judge_path(tree, path)
    if problem is None and tree.kind(tree.resolve(plain) or "") != "file":
        return "path-missing"
    return problem


def value_problem(kind: str, value: str) -> str | None:
    """The problem of a capability's value, as a message, or None."""
    if kind in ("fs.read", "fs.write"):
        return _path_problem(value)
    if kind == "net.http":
        return _url_problem(value)
    if kind == "env" and not _VARIABLE.fullmatch(value):
        return "use only uppercase letters, digits and _ in the name of an environment variable"
    if kind == "exec" and value != "true":
        return 'the value of exec must be "true"; exec.safe names one program'
    if not value.strip():
        return f"{kind} needs a value"
    return None


def host_of(value: str) -> str | None:
    """The host of an absolute URL, without its port."""
    url = _URL.match(value)
    host = _HOST.fullmatch(url[2]) if url and url[2] else None
    return host[1].lower() if host else None


def _path_problem(path: str) -> str | None:
    if not path.startswith("/"):
        return "the path must be absolute: start it with /"
    segments = path[1:].split("/")
    if "." in segments or ".." in segments:
        return "the path must not contain . or .. segments"
    if "" in segments and path != "/":
        return "the path must not contain empty segments or end with /"
    if "\0" in path or "\\" in path:
        return "the path must not contain a backslash or NUL"
    return None


def _url_problem(value: str) -> str | None:
    url = _URL.match(value)
    if url is None or url[2] is None:
        return "the value must be an absolute URL, such as https://api.example/v1"
    if url[1].lower() not in ("http", "https"):
        return "the URL must start with https:// or http://"
    host = _HOST.fullmatch(url[2])
    if host is None:
        return "the URL needs a host, without a wildcard or user name"
    if host[2] is not None and not 0 < int(host[2] or "0") < 65536:
        return "the port of the URL must be a number from 1 to 65535"
    if "%" in url[3] or "\\" in url[3]:
        return "the path of the URL must not contain percent escapes or backslashes"
    if any(character.isspace() or ord(character) < 32 for character in value):
        return "the URL must not contain spaces"
    return None
