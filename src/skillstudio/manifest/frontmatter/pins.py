"""Check the inputs that a proto maps against a skill's manifest: rules 3, 4, 7 and 8."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skillstudio.manifest.author_schema import accepts
from skillstudio.manifest.frontmatter.rules import has_default
from skillstudio.manifest.hook_values import BindingProblem
from skillstudio.manifest.values import dig, mapping, mappings, text
from skillstudio.text.nearest import did_you_mean


def check_binding(manifest: Any, inputs: Mapping[str, object]) -> list[BindingProblem]:
    """Check values against a manifest's plain value.

    Values with `{{` are filled in later and not checked. Messages never contain sensitive values.
    """
    return list(_inputs(manifest, inputs))


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
                if item.get("sensitive") is True and _is_literal(given[name]):
                    message = (
                        f"the sensitive input {name} has its value in the proto; use {{{{…}}}}"
                    )
                    yield BindingProblem("binding-secret-literal", message, name)
            elif group == "required" and not has_default(item):
                message = f"the required input {name} has no value"
                yield BindingProblem("binding-input-unmapped", message, name)
            else:
                used = "its default is used" if has_default(item) else "it has no default"
                message = f"the {group} input {name} has no value; {used}"
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


def _is_literal(value: object) -> bool:
    """Whether a value is written out, not filled in later."""
    return value not in (None, "") and not (isinstance(value, str) and "{{" in value)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
