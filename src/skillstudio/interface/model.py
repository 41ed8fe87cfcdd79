"""The neutral contract of a skill: what it takes, does and gives, whatever system says so.

Every element has a pointer (RFC 6901) made of names, never of list positions, so that it means
the same in every version: `/operations/search/inputs/limit/schema/maximum`, and without the
first two segments for the one operation without a name, `/inputs/topic`.
"""

# Annotations are values here, not strings: NamedTuple would compile each string at every start.

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, Literal, NamedTuple


class Absent(Enum):
    """The type of `ABSENT`: JSON null is a value, so it cannot say that there is none."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT

Comparer = Literal[
    "set", "switch", "order", "range", "allow-list", "schema-in", "schema-out", "text"
]
Covering = Literal["exact", "path", "host", "variable"]

_NOTHING: Mapping[str, Any] = {}


class Place(NamedTuple):
    """Where something is stated; `path` is relative to the skill's folder, the rest from 1."""

    path: str
    line: int
    column: int


class Input(NamedTuple):
    """A value that a caller gives."""

    name: str
    schema: dict[str, Any] | bool
    """What it accepts, as a JSON Schema without `default`."""
    required: bool
    default: Any = ABSENT
    sensitive: bool = False
    description: str = ""


class Output(NamedTuple):
    """Files that an operation leaves behind."""

    pattern: str
    """With `{{input}}` placeholders and `*`, `?`, `**`."""
    base: str = ""
    """What the pattern is relative to: `repo_root`, `skill_root` or `cwd`."""
    description: str = ""


class Artifact(NamedTuple):
    """Something produced that is no file of a pattern."""

    name: str
    kind: str = "other"
    """`stdout`, `state` or `other`."""
    description: str = ""


class OutputField(NamedTuple):
    """A field of the value that an operation prints."""

    name: str
    text: str
    """As it is declared: a type, or prose."""
    schema: dict[str, Any] | None = None
    """The type that the text names; None where it is prose."""


class Stdout(NamedTuple):
    """What standard output is promised to hold."""

    last_line_json: bool = False
    schema: dict[str, Any] | bool | None = None
    reference: str = ""
    """An address of a schema that is never fetched."""


class Entrypoint(NamedTuple):
    """How an operation is started on one platform."""

    platform: str
    """`unix`, `windows`, `agent` or `any`."""
    argv: tuple[str, ...]


class Execution(NamedTuple):
    """What a manifest says of how a run behaves."""

    idempotent: bool = False
    destructive: bool = False
    network: bool = False
    interactive: bool = False
    timeout: float | None = None
    """Seconds; None is not said."""


class Variable(NamedTuple):
    """A variable of the environment that is read."""

    name: str
    required: bool
    sensitive: bool = False
    description: str = ""


class Requirement(NamedTuple):
    """What the host must have: a command or a file."""

    kind: Literal["command", "file"]
    name: str
    """The command, or the file's path."""
    minimum: str = ""
    """The lowest version of the command, as dotted integers; "" is any."""
    maximum: str = ""
    """The highest, an inclusive prefix."""
    base: str = ""
    """What the file's path is relative to."""


class VersionRange(NamedTuple):
    """A range of versions: an interval with keys that compare by order, and its text."""

    text: str
    low: tuple[int, ...] | None = None
    low_open: bool = False
    high: tuple[int, ...] | None = None
    high_open: bool = False


class Term(NamedTuple):
    """What only one dialect knows, with the comparer that understands it.

    `value` by comparer: set and allow-list a tuple of strings, switch a bool, order a number or a
    tuple of integers, range a VersionRange, schema-in and schema-out a schema or an address,
    text a string. An allow-list that allows everything is `("*",)`.
    """

    name: str
    value: Any
    comparer: Comparer
    key: str = ""
    """Tells terms of one name apart, such as a dependency's id."""
    covers: Covering = "exact"
    """When one item of an allow-list allows another."""
    shown: str = ""
    """The value in the manifest's words, where `value` is only its rank."""
    detail: bool = False
    """Whether it only says more of what another term or element of its key is: that it stands on
    one side alone is then no change of its own."""
    label: str = ""
    """What the manifest calls it, where that is not its name."""
    inherited: bool = False
    """Whether the value stands elsewhere, in a term of the whole skill: a change of what was
    inherited before and after is told there."""


class Operation(NamedTuple):
    """One thing that a skill can be asked to do; the name is "" for the only one of a skill."""

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
    """Whether the manifest says what it takes and gives. Where it does not, the inputs are those
    that its commands speak of, and all else is unknown."""

    @property
    def pointer(self) -> str:
        """Where the operation stands in the interface."""
        return f"/operations/{token(self.name)}" if self.name else ""


class Interface(NamedTuple):
    """The whole contract of one skill at one version."""

    name: str
    version: str = ""
    """As the manifest states it; "" where it does not."""
    description: str = ""
    license: str = ""
    metadata: Mapping[str, str] = _NOTHING
    """What is there for people: authors, keywords, addresses."""
    dialects: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    """Those of the dialects that promise a name and a description, and so no contract."""
    manifest_versions: Mapping[str, str] = _NOTHING
    """Dialect to the version that is asked for."""
    declared: bool = False
    """Whether a manifest promises more than a name and a description."""
    operations: tuple[Operation, ...] = ()
    env: tuple[Variable, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    execution: Execution | None = None
    sensitive: bool = False
    """Whether every value of the skill counts as sensitive."""
    permissions: tuple[Term, ...] = ()
    """What the host is asked to allow."""
    promises: tuple[Term, ...] = ()
    """The restated contract of `interface:`, as sets of names and patterns."""
    terms: tuple[Term, ...] = ()
    places: Mapping[str, Place] = _NOTHING
    """Pointer to where it is stated; what is not here stands where its nearest parent does. The
    same contract is the same wherever it is stated."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interface) and tuple(self._replace(places={})) == tuple(
            other._replace(places={})
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def place(self, pointer: str) -> Place | None:
        """Where an element is stated, or the nearest one that holds it."""
        found = self.places.get(pointer)
        while pointer and found is None:
            pointer = pointer.rpartition("/")[0]
            found = self.places.get(pointer)
        return found


def token(name: str) -> str:
    """A name as a segment of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")
