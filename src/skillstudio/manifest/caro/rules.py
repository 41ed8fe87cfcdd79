"""Rules of skill.toml that its schema cannot express."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillstudio.files.paths import glob, judge_path
from skillstudio.manifest.caro.dependencies import FIELDS, check_quotes, is_nested
from skillstudio.manifest.caro.ranges import RangeFault, parse_range
from skillstudio.manifest.dialect import Ask, Manifest, Skill
from skillstudio.manifest.finding import at_key, at_value
from skillstudio.manifest.secrets import secret_findings
from skillstudio.manifest.values import dig, has_type, mapping, pointer, sequence, strings, text
from skillstudio.text.diagnostic import Diagnostic, Fix, Rename, Set
from skillstudio.text.nearest import nearest
from skillstudio.text.node import Document

API = (1, 0)
LICENSES = (
    "Apache-2.0",
    "BSD-3-Clause",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "ISC",
    "MIT",
    "MPL-2.0",
)
"""The licenses that are suggested; any of the SPDX list is accepted."""
NAMESPACES = ("core", "cloud", "tool", "lang", "platform", "custom")

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)+")
_API = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?(?:\.[0-9]+)?")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]+[^\s]*")
_PATH = re.compile(r"(?:~|\$CARO_PROJECT_ROOT|\$CARO_CACHE)(?:/[^\0]*)?|(?:\./|/)[^\0]*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
_NAME = rf"{_LABEL}(?:\.{_LABEL})*"
_ADDRESS = r"\[[0-9A-Fa-f:.]+\]"
_HOST = re.compile(rf"(?:\*\.)?{_NAME}|{_ADDRESS}")
_HOST_URL = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*://(?:{_NAME}|{_ADDRESS}):([0-9]{{1,5}})")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:_\*)?")
_DEFAULT_GLOB = "recipes/*.yaml"
_SIGNATURES = {
    "init": 2,
    "shutdown": 0,
    "discover_tools": 4,
    "parse_output": 6,
    "plan_workflow": 6,
}
"""The functions of the skill contract with their number of i32 parameters; all return one i32."""


def gate(manifest: Manifest, _skill: Skill) -> list[Diagnostic]:
    """Stop at another major version, because its rules are unknown."""
    match = _API.fullmatch(text(manifest.document.value, "skill", "api_version") or "")
    if match is None:
        return []
    major, minor = int(match.group(1)), int(match.group(2) or 0)
    at = "/skill/api_version"
    document = manifest.document
    if major != API[0]:
        message = f"api_version {match.group()} is not supported; use 1.0"
        return [at_value(document, at, "api-version-unsupported", message)]
    if minor != API[1]:
        message = f"api_version {match.group()} is newer than 1.0; its additions are not checked"
        return [at_value(document, at, "api-version-minor", message)]
    return []


def check(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """Problems of a skill.toml that its schema does not report."""
    document = manifest.document
    value = document.value
    yield from _identity(document, skill)
    yield from _provides(document, skill)
    yield from _recipe_files(document, skill)
    yield from _executable(document, skill)
    yield from _capabilities(document)
    yield from _dependencies(document)
    yield from secret_findings(document)
    if dig(value, "capabilities", "secrets_access") is True:
        message = "the skill requests access to the keychain and the secret store"
        yield at_value(document, "/capabilities/secrets_access", "secrets-access-asked", message)


def check_part(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """Problems of a recipe that its schema does not report."""
    from skillstudio.manifest.caro.recipes import check_recipe

    yield from check_recipe(manifest, skill)


def asks(manifest: Manifest) -> Iterator[Ask]:
    """The requested permissions; `*` where an empty list means all."""
    value = manifest.document.value
    terminal = dig(value, "capabilities", "terminal_exec")
    if isinstance(terminal, dict) and terminal.get("allowed") is not False:
        where = pointer("capabilities", "terminal_exec")
        yield Ask("capability", "terminal_exec", where)
        commands = sequence(terminal, "commands")
        if not commands:
            yield Ask("command", "*", f"{where}/commands" if "commands" in terminal else where)
        for at, command in strings(value, "capabilities", "terminal_exec", "commands"):
            yield Ask("command", command, at)
    for name, kind in _CAPABILITY_KINDS.items():
        permissions = list(strings(value, "capabilities", name))
        if permissions:
            yield Ask("capability", name, pointer("capabilities", name))
        if kind:
            for at, permission in permissions:
                yield Ask(kind, permission, at)
    if dig(value, "capabilities", "secrets_access") is True:
        yield Ask("capability", "secrets_access", pointer("capabilities", "secrets_access"))


_CAPABILITY_KINDS = {
    "filesystem_read": "path",
    "filesystem_write": "path",
    "network": "host",
    "env_read": "",
}


def _identity(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    value = document.value
    id = text(value, "skill", "id")
    if id and _ID.fullmatch(id):
        yield from _namespace(document, id)
        name = id.rpartition(".")[2]
        if skill.name and name != skill.name:
            message = f"the id ends in {name}, but the folder is named {skill.name}"
            yield at_value(document, "/skill/id", "id-segment-folder", message)
    licence = text(value, "skill", "license")
    if licence is not None:
        yield from _licence(document, licence)
    for key in ("repository", "documentation"):
        url = text(value, "skill", key)
        if url is not None and not _URL.fullmatch(url):
            message = f"{key} must be a complete URL such as https://example.com/skill"
            yield at_value(document, pointer("skill", key), "url-format", message)


def _namespace(document: Document, id: str) -> Iterator[Diagnostic]:
    namespace, _, rest = id.partition(".")
    if namespace == "core":
        message = "the namespace core is reserved for caro's built-in skills"
        yield at_value(document, "/skill/id", "namespace-reserved", message)
    elif namespace not in NAMESPACES:
        near = nearest(namespace, NAMESPACES[1:])
        advice = f"did you mean {near}?" if near else "use custom.* for your own skills"
        fixes = (
            (Fix(f"Write {near}.{rest}", (Set("/skill/id", f"{near}.{rest}"),)),) if near else ()
        )
        message = f"{namespace} is not a known namespace; {advice}"
        yield at_value(document, "/skill/id", "namespace-unknown", message, fixes)


def _licence(document: Document, licence: str) -> Iterator[Diagnostic]:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        canonicalize_license_expression(licence)
    except InvalidLicenseExpression:
        near = nearest(licence, LICENSES)
        advice = f"did you mean {near}?" if near else "join ids of the SPDX list with AND or OR"
        fixes = (Fix(f"Write {near}", (Set("/skill/license", near),)),) if near else ()
        message = f"{licence or 'an empty string'} is not an SPDX license expression; {advice}"
        yield at_value(document, "/skill/license", "license-unknown", message, fixes)


def _provides(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    """Compare `[provides]` with the contents of the folder."""
    provides = mapping(document.value, "provides")
    for name in ("knowledge", "recipes"):
        there = skill.tree.kind(skill.tree.resolve(name) or name) == "folder"
        if provides.get(name) is True and not there:
            message = f"provides.{name} is true, but the folder {name}/ does not exist"
            yield at_value(document, pointer("provides", name), "provides-missing", message)
        elif there:
            yield from _report_undeclared(document, name, f"the folder {name}/ exists")
    if isinstance(dig(document.value, "executable", "module"), str):
        yield from _report_undeclared(document, "executable", "executable.module is set")


def _report_undeclared(document: Document, name: str, there: str) -> Iterator[Diagnostic]:
    provides = dig(document.value, "provides")
    if not isinstance(provides, dict) or provides.get(name) not in (None, False):
        return
    message = f"{there}, but provides.{name} is not true, so caro will not load it"
    fix = Fix(f"Set provides.{name} to true", (Set(pointer("provides", name), True),))
    if name in provides:
        yield at_value(document, pointer("provides", name), "provides-undeclared", message, (fix,))
    else:
        yield at_key(document, "/provides", "provides-undeclared", message, (fix,))


def _recipe_files(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    value = document.value
    if dig(value, "recipes", "files") is None:
        provides_recipes = dig(value, "provides", "recipes") is True
        if provides_recipes and skill.tree.kind("recipes") and not glob(skill.tree, _DEFAULT_GLOB):
            message = f"no file matches {_DEFAULT_GLOB}"
            yield at_value(document, "/provides/recipes", "recipe-glob-empty", message)
        return
    for where, pattern in strings(value, "recipes", "files"):
        verdict = judge_path(skill.tree, pattern)
        if verdict.problem and verdict.problem != "path-missing":
            message = "a recipe glob must be relative to the skill's folder and stay inside it"
            yield at_value(document, where, verdict.problem, message)
        elif not glob(skill.tree, pattern):
            yield at_value(document, where, "recipe-glob-empty", f"no file matches {pattern}")


def _executable(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    value = document.value
    module = dig(value, "executable", "module")
    if module is None:
        if dig(value, "provides", "executable") is True:
            message = "provides.executable is true, so executable.module is required"
            if "executable" in value:
                yield at_key(document, "/executable", "executable-module-required", message)
            else:
                yield at_value(
                    document, "/provides/executable", "executable-module-required", message
                )
        return
    if not isinstance(module, str):
        return
    verdict = judge_path(skill.tree, module)
    path = skill.tree.resolve(verdict.path)
    is_file = path is not None and skill.tree.kind(path) == "file"
    problem = verdict.problem or ("" if is_file else "path-missing")
    if problem or path is None:
        messages = {
            "path-missing": f"the file {module} does not exist",
            "path-link-outside": "the module is a symbolic link that points outside the skill",
        }
        message = messages.get(problem, "the module's path must stay inside the skill's folder")
        yield at_value(document, "/executable/module", problem, message)
        return
    yield from _module(document, skill, path)


def _module(document: Document, skill: Skill, path: str) -> Iterator[Diagnostic]:
    from skillstudio.manifest.wasm import READ_LIMIT, Signature, WasmFault, read_exports

    at = "/executable/module"
    try:
        data = skill.tree.read(path, READ_LIMIT)
        exports = read_exports(data, whole=len(data) < READ_LIMIT)
    except WasmFault as fault:
        yield at_value(document, at, "wasm-invalid", str(fault))
        return
    except OSError as error:
        message = f"the module cannot be read: {error.strerror or error}"
        yield at_value(document, at, "file-unreadable", message)
        return
    declared_exports = {
        name: where for where, name in strings(document.value, "executable", "exports")
    }
    for name, where in {"init": at, "shutdown": at, **declared_exports}.items():
        export = exports.get(name)
        if export is None:
            message = f"the module does not export {name}"
            yield at_value(document, where, "wasm-export-missing", message)
        elif export.kind != "function":
            message = f"the module exports {name} as a {export.kind}, not as a function"
            yield at_value(document, where, "wasm-export-type", message)
        elif name in _SIGNATURES and export.signature is not None:
            contract = Signature(("i32",) * _SIGNATURES[name], ("i32",))
            if export.signature != contract:
                message = f"{name} is {export.signature} in the module, but must be {contract}"
                yield at_value(document, where, "wasm-export-type", message)


def _capabilities(document: Document) -> Iterator[Diagnostic]:
    value = document.value
    for name, fault_of in _FAULTS.items():
        for where, permission in strings(value, "capabilities", name):
            if fault := fault_of(permission):
                yield at_value(document, where, "capability-syntax", fault)
    allowed_commands = {
        command for _, command in strings(value, "capabilities", "terminal_exec", "commands")
    }
    for where, command in strings(value, "capabilities", "terminal_exec", "blocked"):
        if command in allowed_commands:
            message = f"{command} is also in commands; remove it from one of the two lists"
            yield at_value(document, where, "command-allowed-and-blocked", message)
    for name in ("commands", "blocked"):
        for where, command in strings(value, "capabilities", "terminal_exec", name):
            if fault := _command_fault(command):
                yield at_value(document, where, "capability-syntax", fault)


def _path_fault(path: str) -> str:
    if _PATH.fullmatch(path):
        return ""
    return "a path must start with ~, ./, /, $CARO_PROJECT_ROOT or $CARO_CACHE"


def _host_fault(host: str) -> str:
    url = _HOST_URL.fullmatch(host)
    if url:
        return "" if 0 < int(url.group(1)) < 65536 else "the port must be a number from 1 to 65535"
    if _HOST.fullmatch(host):
        return ""
    if "://" in host:
        return "a URL must have only a scheme, host and port, as in https://host:8443"
    if "*" in host:
        return "* may only replace leading subdomains, as in *.example.com"
    return "a host must be example.com, *.example.com or https://example.com:8443"


def _variable_fault(variable: str) -> str:
    if _VARIABLE.fullmatch(variable):
        return ""
    return "a variable must be a name such as HOME, or a prefix such as PREFIX_*"


def _command_fault(command: str) -> str:
    if command.strip() and not any(character.isspace() for character in command):
        return ""
    return "a command must be the name of one program, without arguments"


_FAULTS = {
    "filesystem_read": _path_fault,
    "filesystem_write": _path_fault,
    "network": _host_fault,
    "env_read": _variable_fault,
}


def _dependencies(document: Document) -> Iterator[Diagnostic]:
    for table in ("dependencies", "suggestions"):
        yield from check_quotes(document, table)
        for id, entry in mapping(document.value, table).items():
            has_unquoted_id = isinstance(entry, dict) and (
                table == "suggestions" or is_nested(id, entry)
            )
            if not has_unquoted_id:
                if not _ID.fullmatch(id):
                    message = f"{id or 'an empty string'} is not a valid id; write namespace.name"
                    yield at_key(document, pointer(table, id), "id-format", message)
                if table == "dependencies":
                    yield from _dependency(document, id, entry)


def _dependency(document: Document, id: str, entry: Any) -> Iterator[Diagnostic]:
    if isinstance(entry, str):
        yield from _range(document, entry, "dependencies", id)
        return
    if not isinstance(entry, dict):
        return
    above = ("dependencies", id)
    types = {
        "version": ("string", "a version range must be a string"),
        "optional": ("boolean", "optional must be true or false"),
        "features": ("array", "features must be a list of strings"),
    }
    for key, (kind, message) in types.items():
        if key in entry and not has_type(entry[key], kind):
            yield at_value(document, pointer(*above, key), "value-type", message)
    if "version" not in entry:
        message = f'{id} needs a "version"'
        yield at_key(document, pointer(*above), "key-missing", message)
    elif isinstance(entry["version"], str):
        yield from _range(document, entry["version"], *above, "version")
    for index, feature in enumerate(sequence(entry, "features")):
        if not isinstance(feature, str):
            where = pointer(*above, "features", index)
            yield at_value(document, where, "value-type", "a feature must be a string")
    for key in entry:
        if key not in FIELDS:
            where = pointer(*above, key)
            near = nearest(key, FIELDS)
            advice = f"; did you mean {near}?" if near else ""
            fix = (Fix(f"Rename to {near}", (Rename(where, near),)),) if near else ()
            message = f"unknown dependency key {key}{advice}"
            if key.startswith("x-"):
                yield at_key(document, where, "key-extension", message)
            else:
                unknown = at_key(document, where, "key-unknown", message, fix)
                yield unknown._replace(severity="warning")


def _range(document: Document, text: str, *keys: str) -> Iterator[Diagnostic]:
    try:
        version_range = parse_range(text)
    except RangeFault as fault:
        yield at_value(document, pointer(*keys), "range-invalid", str(fault))
        return
    if version_range.bare:
        version = version_range.bare[0]
        message = f"{version} matches exactly that version; to allow newer ones, write >={version}"
        yield at_value(document, pointer(*keys), "range-bare", message)
