"""The neutral contract of a skill: inputs, effects and outputs, independent of the dialect.

Every element has a JSON Pointer (RFC 6901) made of names, never of list positions, so that it means
the same in every version: `/operations/search/inputs/limit/schema/maximum`, and without the first
two segments for the only operation, `/inputs/topic`.
"""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, Literal, NamedTuple


class Absent(Enum):
    """The type of `ABSENT`, which differs from JSON null."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT

Comparer = Literal[
    "set", "switch", "order", "range", "allow-list", "schema-in", "schema-out", "text",
    "command", "sequence",
]  # fmt: skip
Covering = Literal["exact", "path", "host", "variable"]

_NOTHING: Mapping[str, Any] = {}
SCHEMA_TERM = "inputs-schema"  # The term of an operation that takes one value with its own schema.
AGENT = "agent"  # The platform of the entrypoint for agents, which starts no program.


class Place(NamedTuple):
    """A place in a file; `path` is relative to the skill's folder, line and column are 1-based."""

    path: str
    line: int
    column: int


class Input(NamedTuple):
    """A value that a caller provides."""

    name: str
    schema: dict[str, Any] | bool  # JSON Schema of the value, without `default`.
    required: bool
    default: Any = ABSENT
    sensitive: bool = False
    description: str = ""

    @property
    def must_be_given(self) -> bool:
        """Whether a call without it fails: a default satisfies a required input."""
        return self.required and self.default is ABSENT

    @property
    def has_used_default(self) -> bool:
        """Whether a call without it gets the default because the input is required."""
        return self.required and self.default is not ABSENT


def properties(schema: Any) -> tuple[Input, ...]:
    """The properties at the top of a schema for one value, as inputs."""
    parts = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(parts, dict):
        return ()
    names = schema.get("required")
    required_names = names if isinstance(names, list) else []
    return tuple(
        Input(
            str(name),
            part,
            name in required_names,
            part.get("default", ABSENT) if isinstance(part, dict) else ABSENT,
        )
        for name, part in parts.items()
        if isinstance(part, dict | bool)
    )


def without_defaulted(schema: Any) -> Any:
    """The same schema without requiring properties at the top that have a default."""
    if not isinstance(schema, dict):
        return schema
    defaulted_names = {
        property_.name for property_ in properties(schema) if property_.has_used_default
    }
    if not defaulted_names:
        return schema
    required_names = [name for name in schema["required"] if name not in defaulted_names]
    rest = {key: value for key, value in schema.items() if key != "required"}
    return {**rest, "required": required_names} if required_names else rest


class Output(NamedTuple):
    """Files that an operation writes."""

    pattern: str  # With `{{input}}` placeholders and `*`, `?`, `**`.
    base: str = ""  # Base folder of the pattern: `repo_root`, `skill_root` or `cwd`.
    description: str = ""


class Artifact(NamedTuple):
    """An output other than files."""

    name: str
    kind: str = "other"  # `stdout`, `state` or `other`.
    description: str = ""


class OutputField(NamedTuple):
    """A field of the value that an operation prints."""

    name: str
    text: str  # As declared: a type, or prose.
    schema: dict[str, Any] | None = None  # The type that the text describes; None if it is prose.


class Stdout(NamedTuple):
    """The contract of standard output."""

    last_line_json: bool = False
    schema: dict[str, Any] | bool | None = None
    reference: str = ""  # URI of a schema that is never fetched.


class Entrypoint(NamedTuple):
    """How an operation is started on one platform."""

    platform: str  # `unix`, `windows`, `agent` or `any`.
    argv: tuple[str, ...]
    refused: str = ""  # Why it cannot be started, such as a missing script.


class Execution(NamedTuple):
    """Execution hints of a manifest."""

    idempotent: bool = False
    destructive: bool = False
    network: bool = False
    interactive: bool = False
    timeout: float | None = None  # Seconds; None if not declared.


class Variable(NamedTuple):
    """An environment variable that the skill reads."""

    name: str
    required: bool
    sensitive: bool = False
    description: str = ""


class Requirement(NamedTuple):
    """A command or file that the host must have."""

    kind: Literal["command", "file"]
    name: str  # The command, or the file's path.
    minimum: str = ""  # Minimum version of the command, as dotted integers; "" is any.
    maximum: str = ""  # Maximum version, as an inclusive prefix.
    base: str = ""


class VersionRange(NamedTuple):
    """A range of versions: its interval of comparable keys, and its text."""

    text: str
    low: tuple[int, ...] | None = None
    low_open: bool = False
    high: tuple[int, ...] | None = None
    high_open: bool = False


class Term(NamedTuple):
    """An element that only one dialect has, with the comparer that understands it.

    `value` by comparer: set, sequence and allow-list a tuple of strings, switch a bool, order a
    number or a tuple of integers, range a VersionRange, schema-in and schema-out a schema or a URI,
    text and command a string. An allow-list that allows everything is `("*",)`.
    """

    name: str
    value: Any
    comparer: Comparer
    key: str = ""  # Distinguishes terms of one name, for example by a dependency's id.
    covers: Covering = "exact"  # When one item of an allow-list allows another.
    shown: str = ""  # The value in the manifest's words, if `value` is only its rank.
    detail: bool = False
    """Whether it only adds detail to another element with the same key: it is then not reported
    separately when that element is added or removed."""
    label: str = ""  # The manifest's name of the term, if it differs.
    inherited: bool = False
    """Whether the value comes from a term of the whole skill, where a change of it is reported."""


class Operation(NamedTuple):
    """One operation of a skill; the name is "" for the only one."""

    name: str
    description: str = ""
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    fields: tuple[OutputField, ...] = ()
    stdout: Stdout | None = None
    entrypoints: tuple[Entrypoint, ...] = ()
    effects: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    declared: bool = True
    """Whether the manifest declares inputs and outputs. If not, only the inputs used by its
    commands are known."""

    @property
    def pointer(self) -> str:
        """JSON Pointer of the operation."""
        return f"/operations/{token(self.name)}" if self.name else ""

    @property
    def value_schema(self) -> dict[str, Any] | bool | str | None:
        """The schema of the one value that the operation takes; None if it takes named inputs."""
        return next((term.value for term in self.terms if term.name == SCHEMA_TERM), None)

    @property
    def named_inputs(self) -> tuple[Input, ...]:
        """The inputs, and the properties of the one value that the operation takes."""
        return (*self.inputs, *properties(self.value_schema))

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the inputs, and of the properties of the one value."""
        return tuple(input_.name for input_ in self.named_inputs)

    @property
    def commands(self) -> Mapping[str, str | tuple[str, ...]]:
        """Every command that the manifest states, by its pointer from the operation."""
        commands: dict[str, str | tuple[str, ...]] = {
            f"/entrypoints/{token(entrypoint.platform)}": entrypoint.argv
            for entrypoint in self.entrypoints
            if entrypoint.platform != AGENT
        }
        for term in self.terms:
            if term.comparer == "command":
                commands[f"/terms/{token(term.name)}/{token(term.key)}"] = term.value
        return commands


class Interface(NamedTuple):
    """The whole contract of one skill at one version."""

    name: str
    version: str = ""
    description: str = ""
    license: str = ""
    metadata: Mapping[str, str] = _NOTHING  # Information for people: authors, keywords, URLs.
    dialects: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    """Those of the dialects that promise a name and a description, and so no contract."""
    manifest_versions: Mapping[str, str] = _NOTHING
    """Dialect to the declared version of the manifest format."""
    declared: bool = False  # Whether a manifest declares more than a name and a description.
    operations: tuple[Operation, ...] = ()
    env: tuple[Variable, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    execution: Execution | None = None
    sensitive: bool = False
    permissions: tuple[Term, ...] = ()
    promises: tuple[Term, ...] = ()
    """The restated contract of `interface:`, as sets of names and patterns."""
    terms: tuple[Term, ...] = ()
    scripts: Mapping[str, str] = _NOTHING
    """Path of each script to its digest, where scripts are compared, too."""
    ids: Mapping[str, str] = _NOTHING  # Dialect to the id by which its hosts know the skill.
    places: Mapping[str, Place] = _NOTHING
    """Pointer to its place in a file; a missing pointer has the place of its nearest parent. Places
    do not affect equality."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interface) and tuple(self._replace(places={})) == tuple(
            other._replace(places={})
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def place(self, pointer: str) -> Place | None:
        """The place of an element or of its nearest parent."""
        place = self.places.get(pointer)
        while pointer and place is None:
            pointer = pointer.rpartition("/")[0]
            place = self.places.get(pointer)
        return place


def token(name: str) -> str:
    """A name as a segment of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")
