"""The eight rules for checking a caller's values against a skill's manifest."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from skillstudio.manifest.author_schema import accepts
from skillstudio.manifest.frontmatter.rules import has_default, version_problem
from skillstudio.manifest.hook_values import BindingProblem, FileExists, FindVersion
from skillstudio.manifest.values import dig, mapping, mappings, text
from skillstudio.text.nearest import did_you_mean
from skillstudio.text.versions import compare_dotted, dotted, within

_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+|[0-9]+")


def check_binding(
    manifest: Any,
    inputs: Mapping[str, object],
    env: Collection[str] | None = None,
    find_version: FindVersion | None = None,
    file_exists: FileExists | None = None,
) -> list[BindingProblem]:
    """Check values against a manifest's plain value, None for a skill that does not exist.

    Without the names of the set variables or one of the two functions, these are not checked.
    Values with `{{` are filled in later and not checked either. Messages never contain sensitive
    values.
    """
    if manifest is None:
        return [BindingProblem("binding-skill-missing", "no such skill")]
    version = dig(manifest, "manifest_version")
    if version is not None and version_problem(str(version)) == "manifest-version-unsupported":
        message = f"the skill's manifest_version {version} is not supported; use 1.0"
        return [BindingProblem("manifest-version-unsupported", message)]
    found = list(_inputs(manifest, inputs))
    if find_version is not None:
        found += _commands(manifest, find_version)
    if file_exists is not None:
        found += _files(manifest, file_exists)
    if env is not None:
        found += _env(manifest, env)
    return found


def sensitive_names(manifest: Any) -> frozenset[str]:
    """The inputs and variables whose values must be hidden: rule eight."""
    every = dig(manifest, "sensitive") is True
    return frozenset(
        name
        for key in ("inputs", "env")
        for group in ("required", "optional")
        for _, item in mappings(manifest, key, group)
        if (name := text(item, "name")) and (every or item.get("sensitive") is True)
    )


def _inputs(manifest: Any, given: Mapping[str, object]) -> Iterator[BindingProblem]:
    hidden = sensitive_names(manifest)
    declared: set[str] = set()
    for group in ("required", "optional"):
        for _, item in mappings(manifest, "inputs", group):
            name = text(item, "name")
            if name is None or name in declared:
                continue
            declared.add(name)
            if name in given:
                yield from _value(name, mapping(item, "schema"), given[name], name in hidden)
            elif group == "required":
                message = f"the required input {name} has no value"
                yield BindingProblem("binding-input-unmapped", message, name)
            else:
                used = "its default is used" if has_default(item) else "it has no default"
                message = f"the optional input {name} has no value; {used}"
                yield BindingProblem("binding-input-optional", message, name)
    for name in given:
        if name not in declared:
            advice = did_you_mean(name, declared - given.keys(), quote='"')
            yield BindingProblem("binding-input-unknown", f"unknown input {name}{advice}", name)


def _value(
    name: str, schema: dict[str, Any], value: object, hidden: bool
) -> Iterator[BindingProblem]:
    if not schema or (isinstance(value, str) and "{{" in value) or accepts(schema, value):
        return
    shown = "its value" if hidden else f"the value {_short(value)}"
    yield BindingProblem(
        "binding-input-invalid", f"{shown} does not satisfy the schema of {name}", name
    )


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _commands(manifest: Any, find_version: FindVersion) -> Iterator[BindingProblem]:
    for _, item in mappings(manifest, "preconditions", "commands"):
        command = text(item, "cmd")
        if not command:
            continue
        output = find_version(command)
        if output is None:
            message = f"the command {command} is not on PATH"
            yield BindingProblem("binding-command-missing", message, command)
            continue
        wanted = {
            key: dotted(str(item[key])) for key in ("min_version", "max_version") if key in item
        }
        if not any(wanted.values()):
            continue
        match = _VERSION.search(output)
        version = dotted(match.group()) if match else None
        least, most = wanted.get("min_version"), wanted.get("max_version")
        if version is None:
            message = f"cannot determine the version of {command}"
        elif least and compare_dotted(version, least) < 0:
            message = f"{command} is older than {item['min_version']}"
        elif most and not within(version, most):
            message = f"{command} is newer than {item['max_version']}"
        else:
            continue
        yield BindingProblem("binding-command-missing", message, command)


def _files(manifest: Any, file_exists: FileExists) -> Iterator[BindingProblem]:
    for _, item in mappings(manifest, "preconditions", "files"):
        path = text(item, "path")
        base = text(item, "base") or "skill_root"
        if path and file_exists(base, path) is False:
            message = f"the file {path} does not exist in {base}"
            yield BindingProblem("binding-file-missing", message, path)


def _env(manifest: Any, env: Collection[str]) -> Iterator[BindingProblem]:
    for _, item in mappings(manifest, "env", "required"):
        name = text(item, "name")
        if name and name not in env:
            message = f"the required environment variable {name} is not set"
            yield BindingProblem("binding-env-missing", message, name)
