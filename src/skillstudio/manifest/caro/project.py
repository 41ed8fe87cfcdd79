"""Project skill.toml and its recipes: each recipe is an operation, the rest are terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from skillstudio.interface.model import (
    ABSENT,
    Covering,
    Input,
    Interface,
    Operation,
    Term,
    VersionRange,
    token,
)
from skillstudio.manifest.caro.commands import recipe_commands, refusals, terminal_exec
from skillstudio.manifest.caro.dependencies import dependencies
from skillstudio.manifest.caro.ranges import RangeFault, parse_range
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import Confirmation
from skillstudio.manifest.places import Places
from skillstudio.manifest.values import (
    dig,
    mapping,
    mappings,
    members,
    pointer,
    strings,
    text,
)
from skillstudio.text.versions import SemverKey, semver_key

ALL = ("*",)
LEVELS = {"auto": 0, "prompt": 1, "always": 2}  # Confirmation levels, from least to most careful.
_PARAMETER_TYPES = frozenset(("string", "integer", "number", "boolean", "array", "object"))
_METADATA = ("name", "repository", "documentation")
_LISTS = ("authors", "keywords")
_COVERS: dict[str, tuple[str, Covering]] = {
    "filesystem_read": ("fs-read", "path"),
    "filesystem_write": ("fs-write", "path"),
    "network": ("network", "host"),
    "env_read": ("env-read", "variable"),
}
_COMMANDS = (
    ("steps", "command"),
    ("rollback", "command"),
    ("verification", "check"),
    ("preconditions", "script"),
)
"""The lists of a recipe that contain commands, and the key of the command."""
_CONFIRMED_LISTS = ("steps", "rollback")
_PRIORITY = 50
_CONTEXT_TOKENS = 1000


def project(manifest: Manifest, skill: Skill) -> Interface:
    """The interface of a skill.toml, including its recipe files."""
    value = manifest.document.value
    places = Places(manifest)
    default = text(value, "recipes", "default_confirmation") or "prompt"
    operations: dict[str, Operation] = {}
    for part in skill.manifests:
        if part.part == "recipe" and part.dialect.id == manifest.dialect.id:
            of_recipe = Places(part)
            operation = recipe(part, default, terminal_exec(manifest), of_recipe)
            if operation is not None and operation.name not in operations:
                operations[operation.name] = operation
                places.add(of_recipe)
    version = text(value, "skill", "api_version")
    places.key("/name", "/skill/id")
    places.key("/description", "/skill/description")
    places.key("/license", "/skill/license")
    places.key(f"/manifest_versions/{manifest.dialect.id}", "/skill/api_version")
    terms = [*_terms(value, places), *dependency_terms(value, places)]
    steps = [term for operation in operations.values() for term in operation.terms]
    if default in LEVELS and (not operations or any(term.inherited for term in steps)):
        places.key("/terms/recipe-confirmation/default", "/recipes/default_confirmation")
        terms.append(confirmation(default, "default"))
    return Interface(
        name=text(value, "skill", "id") or "",
        description=text(value, "skill", "description") or "",
        license=text(value, "skill", "license") or "",
        metadata=dict(_metadata(value, places)),
        manifest_versions={manifest.dialect.id: version} if version else {},
        declared=True,
        operations=tuple(operations.values()),
        permissions=tuple(_permissions(value, places)),
        terms=tuple(terms),
        places=places,
    )


def _metadata(value: Any, places: Places) -> Iterator[tuple[str, str]]:
    for key in (*_METADATA, *_LISTS):
        field_text = text(value, "skill", key)
        if key in _LISTS:
            field_text = ", ".join(item for _, item in strings(value, "skill", key))
        if field_text:
            places.key(f"/metadata/{key}", f"/skill/{key}")
            yield key, field_text


def _permissions(value: Any, places: Places) -> Iterator[Term]:
    where = "/capabilities/terminal_exec"
    terminal = dig(value, "capabilities", "terminal_exec")
    if isinstance(terminal, dict) and terminal.get("allowed") is not False:
        commands = _items(terminal, "commands")
        places.key("/permissions/exec-allowed", where)
        places.key("/permissions/exec-commands", f"{where}/commands")
        places.key("/permissions/exec-blocked", f"{where}/blocked")
        yield Term("exec-allowed", True, "switch", label="terminal_exec")
        # An empty list means all programs, and so does a missing one.
        yield Term("exec-commands", commands or ALL, "allow-list", label="terminal_exec.commands")
        blocked_programs = _items(terminal, "blocked")
        if blocked_programs:
            yield Term("exec-blocked", blocked_programs, "set")
    for key, (name, covers) in _COVERS.items():
        entries = {item: at for at, item in strings(value, "capabilities", key)}
        if entries:
            places.key(f"/permissions/{name}", f"/capabilities/{key}")
            for item, at in entries.items():
                places.value(f"/permissions/{name}/{token(item)}", at)
            yield Term(name, tuple(entries), "allow-list", covers=covers, label=key)
    if dig(value, "capabilities", "secrets_access") is True:
        places.key("/permissions/secrets", "/capabilities/secrets_access")
        yield Term("secrets", True, "switch", label="secrets_access")


def _items(value: Any, *keys: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for _, item in strings(value, *keys) if item))


def _terms(value: Any, places: Places) -> Iterator[Term]:
    provided_parts = tuple(
        name for name in ("knowledge", "recipes") if dig(value, "provides", name) is True
    )
    places.key("/terms/provides", "/provides")
    places.tree("/terms/provides", "/provides")
    yield Term("provides", provided_parts, "set")
    if dig(value, "provides", "executable") is True:
        places.key("/terms/provides-executable", "/provides/executable")
        yield Term("provides-executable", True, "switch", label="executable")
    yield from _set("export", value, ("executable", "exports"), places)
    yield from _features(value, places)
    if "knowledge" in provided_parts or dig(value, "knowledge") is not None:
        yield from _knowledge(value, places)
    for name in ("os", "arch"):
        places.key(f"/terms/platform-{name}", f"/platform/{name}")
        # Here too, an empty or missing list means all.
        yield Term(f"platform-{name}", _items(value, "platform", name) or ALL, "allow-list")
    yield from _set("platform-required-tool", value, ("platform", "required_tools"), places)
    optional = ", ".join(sorted(_items(value, "platform", "optional_tools")))
    yield from places.text_term("platform-optional-tool", optional, "/platform/optional_tools")
    least = text(value, "skill", "min_caro_version")
    key = semver_key(least) if least else None
    if least and key is not None:
        places.key("/terms/min-caro-version", "/skill/min_caro_version")
        yield Term("min-caro-version", (*key[:3], int(key[3])), "order", shown=least)


def _set(name: str, value: Any, keys: tuple[str, ...], places: Places) -> Iterator[Term]:
    entries = {item: at for at, item in strings(value, *keys) if item}
    return places.set_term(name, entries, pointer(*keys))


def _features(value: Any, places: Places) -> Iterator[Term]:
    features = {name: (at, feature) for at, name, feature in members(value, "features")}
    if not features:
        return
    places.key("/terms/feature", "/features")
    yield Term("feature", tuple(features), "set")
    for name, (at, feature) in features.items():
        places.key(f"/terms/feature/{token(name)}", at)
        places.key(f"/terms/feature-default/{token(name)}", f"{at}/default")
        places.key(f"/terms/feature-description/{token(name)}", f"{at}/description")
        on = dig(feature, "default") is not False
        yield Term("feature-default", on, "switch", name, detail=True)
        description = text(feature, "description") or ""
        yield Term("feature-description", description, "text", name, detail=True)


def _knowledge(value: Any, places: Places) -> Iterator[Term]:
    yield from _set("knowledge-topic", value, ("knowledge", "topics"), places)
    priority = _number(value, "priority", _PRIORITY)
    tokens = _number(value, "max_context_tokens", _CONTEXT_TOKENS)
    places.key("/terms/knowledge-priority", "/knowledge/priority")
    places.key("/terms/knowledge-max-tokens", "/knowledge/max_context_tokens")
    yield Term("knowledge-priority", str(priority), "text")
    yield Term("knowledge-max-tokens", tokens, "order", shown=str(tokens))


def _number(value: Any, key: str, default: int) -> int:
    number = dig(value, "knowledge", key)
    return number if isinstance(number, int) and not isinstance(number, bool) else default


def dependency_terms(value: Any, places: Places) -> Iterator[Term]:
    """Each dependency with its range and features, each suggestion with its text."""
    for dependency in dependencies(value):
        where, id = pointer("dependencies", dependency.id), token(dependency.id)
        places.key(f"/terms/dependency/{id}", where)
        optional = dig(dependency.value, "optional") is True
        necessity = "optional" if optional else "required"
        yield Term("dependency", int(not optional), "order", dependency.id, shown=necessity)
        try:
            interval = version_range(dependency.range or "*")
        except RangeFault:
            continue
        places.key(f"/terms/dependency-range/{id}", pointer(*dependency.keys))
        yield Term("dependency-range", interval, "range", dependency.id, detail=True)
        features = tuple(dict.fromkeys(item for _, item in strings(dependency.value, "features")))
        places.key(f"/terms/dependency-feature/{id}", f"{where}/features")
        yield Term("dependency-feature", features, "set", dependency.id, detail=True)
    for id, suggestion in mapping(value, "suggestions").items():
        if isinstance(suggestion, str):
            places.key(f"/terms/suggestion/{token(id)}", pointer("suggestions", id))
            yield Term("suggestion", suggestion, "text", id)


def version_range(text: str) -> VersionRange:
    """The interval of a range. Raises RangeFault."""
    low: tuple[tuple[int, ...], bool] | None = None
    high: tuple[tuple[int, ...], bool] | None = None
    for operator, version in parse_range(text).bounds:
        key = _order(version)
        # Of two bounds with the same version the exclusive one is narrower.
        if operator in (">=", ">", "="):
            low = max(low or (key, False), (key, operator == ">"))
        if operator in ("<=", "<", "="):
            upper_bound = (key, operator == "<")
            high = (
                upper_bound
                if high is None
                else min(high, upper_bound, key=lambda b: (b[0], not b[1]))
            )
    return VersionRange(text, *(low or (None, False)), *(high or (None, False)))


def _order(version: SemverKey) -> tuple[int, ...]:
    """A sort key for versions by precedence, made of integers."""
    *numbers, is_release, parts = version
    sort_key = [*numbers, int(is_release)]
    for is_text, number, word in parts:
        sort_key += [2, *(ord(character) for character in word), 0] if is_text else [1, number]
    return tuple(sort_key)


def recipe(
    part: Manifest, default_confirmation: str, terminal: dict[str, Any] | None, places: Places
) -> Operation | None:
    """The operation of one recipe file, or None if it has no id; `terminal` is what the skill may
    run."""
    value = part.document.value
    id = text(value, "id")
    if not id:
        return None
    at = f"/operations/{token(id)}"
    places.value(at, "/id")
    places.key(f"{at}/description", "/description")
    return Operation(
        id,
        text(value, "description") or "",
        inputs=tuple(_recipe_inputs(value, at, places)),
        terms=(
            *_behaviour(value, default_confirmation, terminal, at, places),
            *_needs(value, at, places),
        ),
    )


def _recipe_inputs(value: Any, at: str, places: Places) -> Iterator[Input]:
    seen_names: set[str] = set()
    for where, parameter in mappings(value, "parameters"):
        name = text(parameter, "name")
        if not name or name in seen_names:
            continue
        seen_names.add(name)
        element = f"{at}/inputs/{token(name)}"
        places.tree(element, where)
        places.value(element, f"{where}/name")
        kind = text(parameter, "type") or "string"
        schema: dict[str, Any] = {"type": kind} if kind in _PARAMETER_TYPES else {}
        pattern = text(parameter, "validation")
        places.key(f"{element}/schema", f"{where}/type")
        places.key(f"{element}/schema/type", f"{where}/type")
        if pattern is not None:
            places.key(f"{element}/schema/pattern", f"{where}/validation")
            schema["pattern"] = pattern
        default = parameter.get("default")
        yield Input(
            name,
            schema,
            parameter.get("required") is True,
            ABSENT if default is None else default,
            description=text(parameter, "description") or "",
        )


def _behaviour(
    value: Any, default: str, terminal: dict[str, Any] | None, at: str, places: Places
) -> Iterator[Term]:
    """The commands of a recipe, and what is confirmed; outside of `steps` with the list's name."""
    for part, key_of in _COMMANDS:
        keys = []
        for own_key, where, step in _iter_keyed_items(value, part, key_of):
            key = own_key if part == "steps" else f"{part}: {own_key}"
            keys.append(key)
            places.key(f"{at}/terms/recipe-step/{token(key)}", f"{where}/{key_of}")
            yield Term("recipe-step", text(step, key_of) or "", "command", key)
            if part in _CONFIRMED_LISTS:
                step_confirmation = text(step, "confirmation")
                element = f"{at}/terms/recipe-confirmation/{token(key)}"
                places.key(element, f"{where}/confirmation")
                yield confirmation(
                    level(step_confirmation or default), key, is_inherited=not step_confirmation
                )
        if part == "steps" and len(keys) > 1:
            places.key(f"{at}/terms/recipe-step-order", f"/{part}")
            yield Term("recipe-step-order", tuple(keys), "sequence", detail=True)
    refused_commands = {
        command: where
        for where, command in recipe_commands(value)
        if any(refusals(command, terminal))
    }
    yield from places.set_term("recipe-refused", refused_commands, "/steps", f"{at}/terms")


def _iter_keyed_items(
    value: Any, part: str, key_of: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The items with a command: by id, else by name, else by the command; each key once."""
    seen_keys: set[str] = set()
    for where, step in mappings(value, part):
        if not text(step, key_of):
            continue
        key = text(step, "id") or text(step, "name") or text(step, key_of) or ""
        number = 2
        unique = key
        while unique in seen_keys:
            unique, number = f"{key} ({number})", number + 1
        seen_keys.add(unique)
        yield unique, where, step


def level(word: str) -> Confirmation:
    """A confirmation level; an unknown one asks."""
    return cast(Confirmation, word) if word in LEVELS else "prompt"


def confirmation(confirmation_level: str, key: str, is_inherited: bool = False) -> Term:
    """A confirmation level, one of `LEVELS`."""
    rank = LEVELS[confirmation_level]
    return Term(
        "recipe-confirmation",
        rank,
        "order",
        key,
        shown=confirmation_level,
        detail=True,
        inherited=is_inherited,
    )


def _needs(value: Any, at: str, places: Places) -> Iterator[Term]:
    items_by_check: dict[str, dict[str, str]] = {"command_exists": {}, "env_set": {}}
    for where, precondition in mappings(value, "preconditions"):
        check = text(precondition, "check")
        if check in items_by_check:
            items_by_check[check].update(
                (item, where + below) for below, item in strings(precondition, "args")
            )
    for check, name in (("command_exists", "recipe-command"), ("env_set", "recipe-variable")):
        yield from places.set_term(name, items_by_check[check], "/preconditions", f"{at}/terms")
