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
_CONFIRMED = ("steps", "rollback")
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
        said = text(value, "skill", key)
        if key in _LISTS:
            said = ", ".join(item for _, item in strings(value, "skill", key))
        if said:
            places.key(f"/metadata/{key}", f"/skill/{key}")
            yield key, said


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
        blocked = _items(terminal, "blocked")
        if blocked:
            yield Term("exec-blocked", blocked, "set")
    for key, (name, covers) in _COVERS.items():
        found = {item: at for at, item in strings(value, "capabilities", key)}
        if found:
            places.key(f"/permissions/{name}", f"/capabilities/{key}")
            for item, at in found.items():
                places.value(f"/permissions/{name}/{token(item)}", at)
            yield Term(name, tuple(found), "allow-list", covers=covers, label=key)
    if dig(value, "capabilities", "secrets_access") is True:
        places.key("/permissions/secrets", "/capabilities/secrets_access")
        yield Term("secrets", True, "switch", label="secrets_access")


def _items(value: Any, *keys: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for _, item in strings(value, *keys) if item))


def _terms(value: Any, places: Places) -> Iterator[Term]:
    provided = tuple(
        name for name in ("knowledge", "recipes") if dig(value, "provides", name) is True
    )
    places.key("/terms/provides", "/provides")
    places.tree("/terms/provides", "/provides")
    yield Term("provides", provided, "set")
    if dig(value, "provides", "executable") is True:
        places.key("/terms/provides-executable", "/provides/executable")
        yield Term("provides-executable", True, "switch", label="executable")
    yield from _set("export", value, ("executable", "exports"), places)
    yield from _features(value, places)
    if "knowledge" in provided or dig(value, "knowledge") is not None:
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
    found = {item: at for at, item in strings(value, *keys) if item}
    return places.set_term(name, found, pointer(*keys))


def _features(value: Any, places: Places) -> Iterator[Term]:
    found = {name: (at, given) for at, name, given in members(value, "features")}
    if not found:
        return
    places.key("/terms/feature", "/features")
    yield Term("feature", tuple(found), "set")
    for name, (at, given) in found.items():
        places.key(f"/terms/feature/{token(name)}", at)
        places.key(f"/terms/feature-default/{token(name)}", f"{at}/default")
        places.key(f"/terms/feature-description/{token(name)}", f"{at}/description")
        on = dig(given, "default") is not False
        yield Term("feature-default", on, "switch", name, detail=True)
        said = text(given, "description") or ""
        yield Term("feature-description", said, "text", name, detail=True)


def _knowledge(value: Any, places: Places) -> Iterator[Term]:
    yield from _set("knowledge-topic", value, ("knowledge", "topics"), places)
    priority = _number(value, "priority", _PRIORITY)
    tokens = _number(value, "max_context_tokens", _CONTEXT_TOKENS)
    places.key("/terms/knowledge-priority", "/knowledge/priority")
    places.key("/terms/knowledge-max-tokens", "/knowledge/max_context_tokens")
    yield Term("knowledge-priority", str(priority), "text")
    yield Term("knowledge-max-tokens", tokens, "order", shown=str(tokens))


def _number(value: Any, key: str, default: int) -> int:
    found = dig(value, "knowledge", key)
    return found if isinstance(found, int) and not isinstance(found, bool) else default


def dependency_terms(value: Any, places: Places) -> Iterator[Term]:
    """Each dependency with its range and features, each suggestion with its text."""
    for dependency in dependencies(value):
        where, id = pointer("dependencies", dependency.id), token(dependency.id)
        places.key(f"/terms/dependency/{id}", where)
        optional = dig(dependency.value, "optional") is True
        shown = "optional" if optional else "required"
        yield Term("dependency", int(not optional), "order", dependency.id, shown=shown)
        try:
            admitted = version_range(dependency.range or "*")
        except RangeFault:
            continue
        places.key(f"/terms/dependency-range/{id}", pointer(*dependency.keys))
        yield Term("dependency-range", admitted, "range", dependency.id, detail=True)
        features = tuple(dict.fromkeys(item for _, item in strings(dependency.value, "features")))
        places.key(f"/terms/dependency-feature/{id}", f"{where}/features")
        yield Term("dependency-feature", features, "set", dependency.id, detail=True)
    for id, said in mapping(value, "suggestions").items():
        if isinstance(said, str):
            places.key(f"/terms/suggestion/{token(id)}", pointer("suggestions", id))
            yield Term("suggestion", said, "text", id)


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
            bound = (key, operator == "<")
            high = bound if high is None else min(high, bound, key=lambda b: (b[0], not b[1]))
    return VersionRange(text, *(low or (None, False)), *(high or (None, False)))


def _order(version: SemverKey) -> tuple[int, ...]:
    """A sort key for versions by precedence, made of integers."""
    *numbers, released, parts = version
    found = [*numbers, int(released)]
    for is_text, number, word in parts:
        found += [2, *(ord(character) for character in word), 0] if is_text else [1, number]
    return tuple(found)


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
    seen: set[str] = set()
    for where, given in mappings(value, "parameters"):
        name = text(given, "name")
        if not name or name in seen:
            continue
        seen.add(name)
        element = f"{at}/inputs/{token(name)}"
        places.tree(element, where)
        places.value(element, f"{where}/name")
        kind = text(given, "type") or "string"
        schema: dict[str, Any] = {"type": kind} if kind in _PARAMETER_TYPES else {}
        pattern = text(given, "validation")
        places.key(f"{element}/schema", f"{where}/type")
        places.key(f"{element}/schema/type", f"{where}/type")
        if pattern is not None:
            places.key(f"{element}/schema/pattern", f"{where}/validation")
            schema["pattern"] = pattern
        default = given.get("default")
        yield Input(
            name,
            schema,
            given.get("required") is True,
            ABSENT if default is None else default,
            description=text(given, "description") or "",
        )


def _behaviour(
    value: Any, default: str, terminal: dict[str, Any] | None, at: str, places: Places
) -> Iterator[Term]:
    """The commands of a recipe, and what is confirmed; outside of `steps` with the list's name."""
    for part, key_of in _COMMANDS:
        keys = []
        for own_key, where, step in _keyed(value, part, key_of):
            key = own_key if part == "steps" else f"{part}: {own_key}"
            keys.append(key)
            places.key(f"{at}/terms/recipe-step/{token(key)}", f"{where}/{key_of}")
            yield Term("recipe-step", text(step, key_of) or "", "command", key)
            if part in _CONFIRMED:
                own = text(step, "confirmation")
                element = f"{at}/terms/recipe-confirmation/{token(key)}"
                places.key(element, f"{where}/confirmation")
                yield confirmation(level(own or default), key, inherited=not own)
        if part == "steps" and len(keys) > 1:
            places.key(f"{at}/terms/recipe-step-order", f"/{part}")
            yield Term("recipe-step-order", tuple(keys), "sequence", detail=True)
    refused = {
        command: where
        for where, command in recipe_commands(value)
        if any(refusals(command, terminal))
    }
    yield from places.set_term("recipe-refused", refused, "/steps", f"{at}/terms")


def _keyed(value: Any, part: str, key_of: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The items with a command: by id, else by name, else by the command; each key once."""
    seen: set[str] = set()
    for where, step in mappings(value, part):
        if not text(step, key_of):
            continue
        key = text(step, "id") or text(step, "name") or text(step, key_of) or ""
        number = 2
        unique = key
        while unique in seen:
            unique, number = f"{key} ({number})", number + 1
        seen.add(unique)
        yield unique, where, step


def level(said: str) -> Confirmation:
    """A confirmation level; an unknown one asks."""
    return cast(Confirmation, said) if said in LEVELS else "prompt"


def confirmation(said: str, key: str, inherited: bool = False) -> Term:
    """A confirmation level, one of `LEVELS`."""
    rank = LEVELS[said]
    return Term(
        "recipe-confirmation", rank, "order", key, shown=said, detail=True, inherited=inherited
    )


def _needs(value: Any, at: str, places: Places) -> Iterator[Term]:
    found: dict[str, dict[str, str]] = {"command_exists": {}, "env_set": {}}
    for where, precondition in mappings(value, "preconditions"):
        check = text(precondition, "check")
        if check in found:
            found[check].update(
                (item, where + below) for below, item in strings(precondition, "args")
            )
    for check, name in (("command_exists", "recipe-command"), ("env_set", "recipe-variable")):
        yield from places.set_term(name, found[check], "/preconditions", f"{at}/terms")
