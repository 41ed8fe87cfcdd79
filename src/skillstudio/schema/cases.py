"""Expand schemas that must accept or reject one value into cases without alternatives.

A case consists of types and single keywords, each satisfied or violated. Every value that satisfies
the schemas satisfies a case, and the reverse. Subschemas for parts of a value stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from skillstudio.schema.keywords import ANNOTATIONS, BOUNDS, SIZES, walk_schema
from skillstudio.schema.references import Targets, definitions_of
from skillstudio.schema.shape import KINDS, Schema, same, value_key, walk_value
from skillstudio.schema.work import Work

_CASE_STEPS = 100
_LITERAL_STEPS = 20
_OPTION_STEPS = 8
"""The cost of a case, and of a schema and an alternative in it, in steps of an automaton."""
_KINDS = frozenset(KINDS)
_UNEVALUATED_KEYWORDS = ("unevaluatedProperties", "unevaluatedItems")
_NOT_EXPANDED = "it depends on all other keywords of the schema"


class Unknown(Exception):
    """No value was found, although there may be some."""

    def __init__(self, keyword: str, reason: str) -> None:
        super().__init__(reason)
        self.keyword = keyword
        self.reason = reason


class Literal(NamedTuple):
    """A schema that a value must satisfy, or violate if not `holds`."""

    schema: Schema
    holds: bool
    side: int  # Which of the two whole schemas its references lead into.

    @property
    def keywords(self) -> dict[str, Any]:
        return self.schema if isinstance(self.schema, dict) else {}

    def negate(self) -> Literal:
        return self._replace(holds=not self.holds)

    def of(self, schema: Schema, holds: bool = True) -> Literal:
        """Another schema of the same whole; violated if one of both is."""
        return Literal(schema, holds is self.holds, self.side)


Term = tuple[Literal, ...]
"""Schemas for one value, all of which must be satisfied or violated as they say."""


class Rest(NamedTuple):
    """The properties that a schema does not name, or some of them."""

    names: frozenset[str]  # Not these ones,
    without: tuple[str, ...]  # none that match one of these patterns,
    pattern: str | None  # and only those that match this one.


class Atom(NamedTuple):
    """One keyword of a case, satisfied or violated, with what its value means."""

    keyword: str
    value: Any
    holds: bool = True
    side: int = 0
    inner: Literal | None = None  # The schema for parts of the value, with its sign.


class Option(NamedTuple):
    """One of several alternatives."""

    kinds: frozenset[str]
    literals: Term = ()
    atoms: tuple[Atom, ...] = ()


class SchemaCase:
    """Schemas being expanded; when done, `kinds` and `atoms` are what is left of them."""

    __slots__ = ("atoms", "choices", "kinds", "pending_literals", "seen_keys")

    def __init__(self) -> None:
        self.kinds = _KINDS
        self.atoms: list[Atom] = []
        self.seen_keys: set[tuple[Hashable, bool]] = set()
        self.pending_literals: list[Literal] = []
        self.choices: list[list[Option]] = []

    def copy(self) -> SchemaCase:
        other = SchemaCase()
        other.kinds, other.atoms, other.seen_keys = self.kinds, self.atoms[:], set(self.seen_keys)
        other.pending_literals, other.choices = self.pending_literals[:], self.choices[:]
        return other

    def take(self, option: Option) -> None:
        self.kinds &= option.kinds
        self.atoms += option.atoms
        self.pending_literals += option.literals


class Cases:
    """Expands the schemas of up to two wholes."""

    def __init__(self, wholes: Sequence[Schema], work: Work) -> None:
        self._work = work
        self._targets = [Targets(whole) for whole in wholes]
        self._is_embedded = [_has_resources(whole) for whole in wholes]
        definitions = [definitions_of(whole) for whole in wholes]
        self._are_same = same(definitions[0], definitions[-1]) and all(
            is_definition(part["$ref"])
            for part in walk_value(definitions[0])
            if isinstance(part, dict) and "$ref" in part
        )
        self._keys: dict[tuple[int, int], tuple[Any, int]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._derived_schemas: dict[Hashable, tuple[Any, Schema]] = {}

    def key(self, literal: Literal) -> tuple[Hashable, bool]:
        """Equal for literals that mean the same as they are written."""
        return self._number(literal.schema, literal.side), literal.holds

    def _number(self, part: Any, side: int) -> int:
        entry = self._keys.get((id(part), side))
        if entry is None:
            key: Hashable
            if isinstance(part, dict):
                key = frozenset(
                    (name, self._number(value, side))
                    for name, value in part.items()
                    if name not in ANNOTATIONS or isinstance(value, dict | bool)
                )
                if "$ref" in part and not (self._are_same and is_definition(part["$ref"])):
                    key = (side, key)
            elif isinstance(part, list):
                key = tuple(self._number(value, side) for value in part)
            else:
                key = (isinstance(part, bool), part)
            number = self._numbers.setdefault((type(part) is dict, key), len(self._numbers))
            if not isinstance(part, dict | list):
                return number  # Its identity may be that of another value soon.
            entry = self._keys[id(part), side] = (part, number)
        return entry[1]

    def derive(self, origin: Any, what: Hashable, make: Callable[[], Schema]) -> Schema:
        """A schema derived from another, always the same one."""
        key = (id(origin), what)
        if key not in self._derived_schemas:
            self._derived_schemas[key] = (origin, make())
        return self._derived_schemas[key][1]

    def of(self, term: Term, kinds: frozenset[str] = _KINDS) -> Iterator[SchemaCase]:
        """The cases of a term. Raises Unknown and Undecidable."""
        first = SchemaCase()
        first.kinds = kinds
        first.pending_literals = list(term)
        stack = [first]
        while stack:
            case = stack.pop()
            self._work.spend(_CASE_STEPS)
            if not self._settle(case):
                continue
            if not case.choices:
                yield case
                continue
            at = min(range(len(case.choices)), key=lambda index: len(case.choices[index]))
            options = case.choices.pop(at)
            for option in reversed(options):
                other = case.copy()
                other.take(option)
                stack.append(other)

    def _settle(self, case: SchemaCase) -> bool:
        """Expand everything that leaves no choice; False for a contradiction."""
        while True:
            while case.pending_literals:
                literal = case.pending_literals.pop()
                key = self.key(literal)
                if key in case.seen_keys:
                    continue
                if (key[0], not key[1]) in case.seen_keys:
                    return False
                case.seen_keys.add(key)
                self._work.spend(_LITERAL_STEPS)
                if not self._expand(literal, case):
                    return False
            has_changed = False
            choices, case.choices = case.choices, []
            for options in choices:
                open_options = self._open(options, case)
                if open_options is None:
                    continue
                if not open_options:
                    return False
                if len(open_options) == 1:
                    case.take(open_options[0])
                    has_changed = True
                else:
                    case.choices.append(open_options)
            if not case.kinds:
                return False
            if not has_changed and not case.pending_literals:
                return True

    def _open(self, options: list[Option], case: SchemaCase) -> list[Option] | None:
        """The options that are still possible; None if one is satisfied already."""
        open_options = []
        self._work.spend(_OPTION_STEPS * len(options))
        for option in options:
            keys = [self.key(literal) for literal in option.literals]
            if not option.atoms and case.kinds <= option.kinds and case.seen_keys.issuperset(keys):
                return None
            is_denied = any((number, not holds) in case.seen_keys for number, holds in keys)
            if case.kinds & option.kinds and not is_denied:
                open_options.append(option)
        return open_options

    def _expand(self, literal: Literal, case: SchemaCase) -> bool:
        schema = literal.schema
        if isinstance(schema, bool):
            return schema is literal.holds
        if literal.holds:
            for keyword in schema:
                case.kinds &= self._satisfy(literal, keyword, case)
            return bool(case.kinds)
        options = [option for keyword in schema for option in self._violate(literal, keyword)]
        case.choices.append(options)
        return bool(options)

    # Keywords that combine schemas

    def _satisfy(self, literal: Literal, keyword: str, case: SchemaCase) -> frozenset[str]:
        """Add a keyword that must be satisfied to a case; the types that it leaves."""
        schema = literal.keywords
        value = schema[keyword]
        if keyword == "type":
            kinds, atoms = _types(value)
            case.atoms += atoms
            return kinds
        if keyword == "allOf":
            case.pending_literals += [literal.of(part) for part in value]
        elif keyword in ("$ref", "$dynamicRef"):
            case.pending_literals.append(self._target(literal, keyword))
        elif keyword == "not":
            case.pending_literals.append(literal.of(value, False))
        elif keyword in ("anyOf", "oneOf"):
            values = _collect_values(value)
            if values is not None:
                case.atoms.append(Atom("enum", values, True, literal.side))
            else:
                # Each branch of oneOf is met together with all others, denied.
                self._work.spend(len(value) ** 2 if keyword == "oneOf" else len(value))
                case.choices.append([Option(_KINDS, term) for term in _choices(literal, keyword)])
        elif keyword == "if":
            if schema.keys().isdisjoint(("then", "else")):
                return _KINDS
            then_term = (literal.of(value), literal.of(schema.get("then", True)))
            else_term = (literal.of(value, False), literal.of(schema.get("else", True)))
            case.choices.append([Option(_KINDS, then_term), Option(_KINDS, else_term)])
        elif keyword == "dependentRequired":
            for name, required_names in value.items():
                needs = tuple(
                    Atom("required", property_name) for property_name in (name, *required_names)
                )
                case.choices.append(_with_or_without(name, Option(_OBJECT, (), needs)))
        elif keyword == "dependentSchemas":
            for name, part in value.items():
                option = Option(_OBJECT, (literal.of(part),), (Atom("required", name),))
                case.choices.append(_with_or_without(name, option))
        elif keyword in _UNEVALUATED_KEYWORDS:
            raise Unknown(keyword, _NOT_EXPANDED)
        elif keyword in _KIND_OF or keyword in ("enum", "const"):
            case.atoms += self._atoms(literal, keyword)
        return _KINDS

    def _violate(self, literal: Literal, keyword: str) -> Iterator[Option]:
        """The ways to violate a keyword."""
        schema = literal.keywords
        value = schema[keyword]
        if keyword == "type":
            yield from _other_types(value)
        elif keyword == "allOf":
            yield from (Option(_KINDS, (literal.of(part),)) for part in value)
        elif keyword in ("$ref", "$dynamicRef"):
            yield Option(_KINDS, (self._target(literal, keyword),))
        elif keyword == "not":
            yield Option(_KINDS, (literal.of(value, False),))
        elif keyword in ("anyOf", "oneOf") and (values := _collect_values(value)) is not None:
            yield Option(_KINDS, (), (Atom("enum", values, False, literal.side),))
        elif keyword == "anyOf":
            yield Option(_KINDS, tuple(literal.of(part) for part in value))
        elif keyword == "oneOf":
            self._work.spend(len(value) ** 2)
            yield Option(_KINDS, tuple(literal.of(part) for part in value))
            for pair in combinations(value, 2):
                yield Option(_KINDS, tuple(literal.of(part, False) for part in pair))
        elif keyword == "if":
            for branch, holds in (("then", False), ("else", True)):
                if schema.get(branch, True) is not True:
                    yield Option(_KINDS, (literal.of(value, holds), literal.of(schema[branch])))
        elif keyword == "dependentRequired":
            for name, required_names in value.items():
                for other in required_names:
                    atoms = (Atom("required", name), Atom("required", other, False))
                    yield Option(_OBJECT, (), atoms)
        elif keyword == "dependentSchemas":
            for name, part in value.items():
                yield Option(_OBJECT, (literal.of(part),), (Atom("required", name),))
        elif keyword in _UNEVALUATED_KEYWORDS:
            raise Unknown(keyword, _NOT_EXPANDED)
        elif keyword in ("enum", "const"):
            yield Option(_KINDS, (), tuple(self._atoms(literal, keyword)))
        elif keyword in _KIND_OF:
            kinds = _ONLY[_KIND_OF[keyword]]
            yield from (Option(kinds, (), (atom,)) for atom in self._atoms(literal, keyword))

    def _target(self, literal: Literal, keyword: str) -> Literal:
        target = self._targets[literal.side].any_of(literal.keywords[keyword])
        if target is None or keyword != "$ref" or self._is_embedded[literal.side]:
            raise Unknown(keyword, "the reference leads out of what can be compared")
        return literal.of(target)

    # Keywords for one type

    def _atoms(self, literal: Literal, keyword: str) -> Iterator[Atom]:
        """A keyword as atoms: all of them satisfy it, each of them violates it."""
        schema, holds, side = literal.keywords, literal.holds, literal.side
        value = schema[keyword]
        if keyword == "required":
            yield from (Atom("required", name, holds, side) for name in value)
        elif keyword == "properties":
            for name, part in value.items():
                yield Atom("property", name, holds, side, literal.of(part))
        elif keyword == "patternProperties":
            for pattern, part in value.items():
                rest = Rest(frozenset(), (), pattern)
                yield Atom("rest", rest, holds, side, literal.of(part))
        elif keyword == "additionalProperties":
            names = frozenset(schema.get("properties", ()))
            rest = Rest(names, tuple(schema.get("patternProperties", ())), None)
            yield Atom("rest", rest, holds, side, literal.of(value))
        elif keyword == "propertyNames":
            yield Atom("name", None, holds, side, literal.of(value))
        elif keyword == "prefixItems":
            for index, part in enumerate(value):
                yield Atom("item", index, holds, side, literal.of(part))
        elif keyword == "items":
            yield Atom("items", len(schema.get("prefixItems", ())), holds, side, literal.of(value))
        elif keyword == "contains":
            low, high = schema.get("minContains", 1), schema.get("maxContains")
            inner = Literal(value, True, side)
            if holds:
                yield Atom("count", (0, int(low), high), True, side, inner)
                return
            if low:
                yield Atom("count", (0, 0, int(low) - 1), True, side, inner)
            if high is not None:
                yield Atom("count", (0, int(high) + 1, None), True, side, inner)
        elif keyword == "const":
            yield Atom("enum", [value], holds, side)
        elif keyword == "uniqueItems":
            if value:
                yield Atom(keyword, value, holds, side)
        elif keyword not in ("minContains", "maxContains"):
            yield Atom(keyword, value, holds, side)


_ONLY = {kind: frozenset((kind,)) for kind in KINDS}
_OBJECT = _ONLY["object"]
_KIND_OF = {
    **dict.fromkeys((*BOUNDS, "multipleOf"), "number"),
    **dict.fromkeys(("pattern", "format", "minLength", "maxLength"), "string"),
    **dict.fromkeys(SIZES[2:4], "array"),
    **dict.fromkeys(("items", "prefixItems", "contains", "minContains", "maxContains"), "array"),
    "uniqueItems": "array",
    **dict.fromkeys(SIZES[4:], "object"),
    **dict.fromkeys(("properties", "patternProperties", "additionalProperties"), "object"),
    **dict.fromkeys(("required", "propertyNames"), "object"),
    **dict.fromkeys(("dependentRequired", "dependentSchemas"), "object"),
}
"""The only type of value that a keyword can reject."""
KIND_OF_ATOM = {
    **_KIND_OF,
    "integer": "number",
    **dict.fromkeys(("item", "items", "count"), "array"),
    **dict.fromkeys(("property", "rest", "name"), "object"),
}


def _collect_values(parts: Sequence[Schema]) -> list[Any] | None:
    """The values of branches that only list values, each in one branch; None for others."""
    values: list[Any] = []
    for part in parts:
        keywords = [] if isinstance(part, bool) else [key for key in part if key not in ANNOTATIONS]
        if isinstance(part, bool) or keywords not in (["const"], ["enum"]):
            return None
        values += part["enum"] if keywords == ["enum"] else [part["const"]]
    return values if len(set(map(value_key, values))) == len(values) else None


def _choices(literal: Literal, keyword: str) -> Iterator[Term]:
    parts = literal.keywords[keyword]
    for index, part in enumerate(parts):
        if keyword == "anyOf":
            yield (literal.of(part),)
        else:
            other_parts = (other for place, other in enumerate(parts) if place != index)
            yield (literal.of(part), *(literal.of(other, False) for other in other_parts))


def _types(value: Any) -> tuple[frozenset[str], list[Atom]]:
    names = [value] if isinstance(value, str) else value
    kinds = frozenset("number" if name == "integer" else name for name in names)
    is_whole = "integer" in names and "number" not in names
    return kinds, [Atom("integer", None)] if is_whole else []


def _other_types(value: Any) -> Iterator[Option]:
    kinds, whole = _types(value)
    yield Option(_KINDS - kinds)
    if whole:
        yield Option(_ONLY["number"], (), (Atom("integer", None, False),))


def _with_or_without(name: str, option: Option) -> list[Option]:
    """For objects with a property another option."""
    without = Option(_OBJECT, (), (Atom("required", name, False),))
    return [Option(_KINDS - _OBJECT), without, option]


def _has_resources(whole: Schema) -> bool:
    """Whether a part of a schema has a base of its own for references."""
    return any(path and isinstance(part.get("$id"), str) for path, part in walk_schema(whole))


def is_definition(reference: Any) -> bool:
    """Whether a reference leads to a definition of the whole schema."""
    return isinstance(reference, str) and reference.startswith(("#/$defs/", "#/definitions/"))
