"""The samples of a skill, committed in its folder or saved in the user's state, and their files."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from skillstudio.dryrun.network.choice import NetworkRefused, read_network
from skillstudio.dryrun.network.exchanges import (
    LARGEST_FILE,
    Exchange,
    ExchangesRefused,
    read_exchanges,
    write_exchanges,
)
from skillstudio.dryrun.redaction.guard import refusal
from skillstudio.dryrun.sampling.expecting import split_root
from skillstudio.dryrun.sampling.sample import (
    FOLDER,
    SUFFIX,
    Sample,
    SampleCommit,
    SampleRefused,
    SampleWorkspace,
    operation_folder,
    path_of,
)
from skillstudio.files import state
from skillstudio.files.beneath import open_beneath
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import normalise
from skillstudio.files.saving.writer import write_file
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import ABSENT, Interface, Operation
from skillstudio.schema.diagnostics import schema_diagnostics
from skillstudio.schema.engine import compile_schema
from skillstudio.text.nearest import nearest
from skillstudio.text.node import Document, escape, join_pointer
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span, decode

if TYPE_CHECKING:
    from skillstudio.schema.outcome import Validator

_MOST = 1_000  # Samples of one operation that are listed.
MAX_BYTES = 1 << 20
_TEXT = "tag:yaml.org,2002:str"
KEYS = ("inputs", "arguments", "env", "stdin", "workspace", "fixtures", "net", "expect")
SCHEMA = os.path.join(os.path.dirname(__file__), "schema.json")
_KEY_ADVICE = {
    "exit_code": "write exit",
    "contract": "remove it; the contract is always compared, except in runs that fail",
    "outputs": "write files, which compares every changed file",
    "changes": "write files, which maps each changed path to its content, <any> or <removed>",
}
"""Keys of expectations in earlier versions to what replaces them."""


def list_committed(tree: FileTree, operation: str) -> list[str]:
    """The names of an operation's samples in the skill's folder."""
    return _names(tree, f"{FOLDER}/{operation_folder(operation)}".rstrip("/"))


def list_saved(skill_folder: str, operation: str) -> list[str]:
    """The names of an operation's samples in the user's state."""
    tree = DiskTree(state_folder(skill_folder))
    return _names(tree, operation_folder(operation)) if tree.kind("") == "folder" else []


def all_committed(tree: FileTree) -> list[tuple[str, str]]:
    """Every sample of a skill as operation and name, by path."""
    samples: list[tuple[str, str]] = []
    folders = [FOLDER] if tree.kind(FOLDER) == "folder" else []
    while folders:
        folder = folders.pop()
        operation = folder[len(FOLDER) :].lstrip("/")
        samples += [(operation, name) for name in _names(tree, folder)]
        folders += [
            f"{folder}/{entry.name}" for entry in tree.list(folder) if entry.kind == "folder"
        ]
    return sorted(samples)


def sample_file(operation: str, name: str) -> str:
    """The path of a committed sample in its skill."""
    return "/".join(part for part in (FOLDER, operation, name + SUFFIX) if part)


def find_sample(tree: FileTree, skill_folder: str, operation: str, name: str) -> Sample:
    """Find a sample by name: the skill's own, else the user's. Raises SampleRefused."""
    inside = path_of(operation, name)
    path = f"{FOLDER}/{inside}"
    if tree.kind(path) is not None:
        real = tree.resolve(path)
        if real is None or tree.kind(real) != "file":
            raise SampleRefused(f"{path} is not a file of the skill")
        return _read(tree, real, operation, name, path)
    state = DiskTree(state_folder(skill_folder))
    if state.kind(inside) == "file":
        return _read(state, inside, operation, name, state.path(inside))
    names = [*list_committed(tree, operation), *list_saved(skill_folder, operation)]
    near = nearest(name, names)
    choices = f"use one of {', '.join(names)}" if names else "it has none"
    hint = f"did you mean {near}?" if near else choices
    what = f"the operation {operation}" if operation else "the skill"
    raise SampleRefused(f"{what} has no sample {name}; {hint}")


def sensitive_in(sample: Sample, interface: Interface, operation: Operation) -> tuple[str, ...]:
    """The names in a sample that must not be written down."""
    inputs = sample.inputs if isinstance(sample.inputs, dict) else {}
    sensitive_names = {input_.name for input_ in operation.inputs if input_.sensitive}
    variables = {variable.name for variable in interface.env if variable.sensitive}
    if interface.sensitive:
        whole = () if isinstance(sample.inputs, dict) else ("inputs",) * bool(sample.inputs)
        arguments = ("arguments",) * bool(sample.arguments)
        return (*inputs, *sample.env, *arguments, *whole)
    return (
        *(name for name in inputs if name in sensitive_names),
        *(name for name in sample.env if name in variables),
    )


def refuse_sensitive(sample: Sample, interface: Interface, operation: Operation) -> None:
    """Raise SampleRefused when a sample contains sensitive values."""
    names = sensitive_in(sample, interface, operation)
    if names:
        raise SampleRefused(
            f"{sample.path}: remove the sensitive {', '.join(dict.fromkeys(names))}; samples must "
            "not contain such values, give them with --secret"
        )


def save_committed(skill_folder: str, sample: Sample, text: str | None = None) -> str:
    """Write a sample into the skill's folder; return its path. Raises SampleRefused, also for what
    looks like a credential and is new, and OSError."""
    folder = os.path.realpath(os.path.join(skill_folder, FOLDER))
    skill_root = os.path.realpath(skill_folder)
    inside = path_of(sample.operation, sample.name)
    path = os.path.join(folder, *inside.split("/"))
    if not os.path.realpath(path).startswith(skill_root + os.sep):
        raise SampleRefused(f"{path} leads out of the skill's folder through a link")
    text = write_sample(sample) if text is None else text
    if why := refusal(text, _read_existing(path)):
        raise SampleRefused(f"{FOLDER}/{inside} {why}")
    return _write(path, sample, text)


def _read_existing(path: str) -> str:
    """The text of an existing sample; "" without one."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def save_expectation(skill_folder: str, tree: FileTree, sample: Sample) -> str:
    """Replace the expectation of a sample; return its path. Raises SampleRefused, OSError."""
    old = tree.read(sample.path, MAX_BYTES + 1).decode("utf-8")
    return save_committed(skill_folder, sample, with_expectation(old, sample))


def exchanges_path(sample: Sample) -> str:
    """The path of the file with the recorded responses of a sample, like that of the sample."""
    return sample.path.removesuffix(SUFFIX) + ".net.json"


def read_recorded(skill_folder: str, sample: Sample) -> tuple[Exchange, ...]:
    """The recorded responses of a sample. Raises SampleRefused."""
    path = exchanges_path(sample)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        is_own = os.path.isabs(path)
        fd = os.open(path, flags) if is_own else open_beneath(skill_folder, path, flags)
        with open(fd, "rb") as file:
            return read_exchanges(file.read(2 * LARGEST_FILE + 1), path)
    except OSError as error:
        raise SampleRefused(
            f"{path} cannot be read: {error.strerror or error}; record it with skillstudio run "
            f"SKILL {sample.operation} --sample {sample.name} --net record"
        ) from None
    except ExchangesRefused as error:
        raise SampleRefused(str(error)) from None


def save_recorded(
    skill_folder: str, tree: FileTree, sample: Sample, exchanges: Sequence[Exchange]
) -> str:
    """Write responses beside a sample, which from now on replays them; return the path. They are
    masked, by value and by name, when they are recorded. Raises SampleRefused, OSError."""
    new = sample._replace(net=("replay",))
    if os.path.isabs(sample.path):
        place = sample.path
        if new != sample:
            save_private(skill_folder, new)
    else:
        old = tree.read(sample.path, MAX_BYTES + 1).decode("utf-8")
        place = save_committed(skill_folder, new, _with_key(old, new, "net", "replay"))
    path = exchanges_path(sample._replace(path=place))
    if os.path.islink(path):
        raise SampleRefused(f"{path} is a link; remove it")
    write_file(path, write_exchanges(exchanges))
    return path


def save_private(skill_folder: str, sample: Sample) -> str:
    """Write a sample into the user's state; return its path. Raises SampleRefused, OSError."""
    inside = path_of(sample.operation, sample.name).split("/")
    return _write(os.path.join(state_folder(skill_folder), *inside), sample)


def state_folder(skill_folder: str) -> str:
    """The folder of the user's own samples of a skill, by the skill's real path."""
    key = sha256(os.fsencode(os.path.realpath(skill_folder))).hexdigest()[:32]
    return os.path.join(state.state_folder(), FOLDER, key)


def _write(path: str, sample: Sample, text: str | None = None) -> str:
    text = write_sample(sample) if text is None else text
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_file(path, text.encode("utf-8"))
    return path


def _names(tree: FileTree, folder: str) -> list[str]:
    if folder and tree.kind(folder) != "folder":
        return []
    names = [entry.name for entry in tree.list(folder) if entry.kind in ("file", "link")]
    return [name[: -len(SUFFIX)] for name in names if name.endswith(SUFFIX)][:_MOST]


def _read(tree: FileTree, path: str, operation: str, name: str, display_path: str) -> Sample:
    try:
        return read_sample(tree.read(path, MAX_BYTES + 1), operation, name, display_path)
    except OSError as error:
        raise SampleRefused(f"{display_path} cannot be read: {error.strerror or error}") from None


def read_sample(data: bytes, operation: str, name: str, path: str) -> Sample:
    """Read a sample. Raises SampleRefused with a line `path:line:column: …` per problem."""
    if len(data) > MAX_BYTES:
        raise SampleRefused(
            f"{path}: has {len(data):,} bytes, more than the {MAX_BYTES:,} of a sample"
        )
    text, wrong = decode(data)
    source = Source(text, path)
    if wrong is not None:
        raise SampleRefused(_at(source, wrong, "not UTF-8"))
    document = read(source, "yaml", Span(0, len(text)))
    faults = [_at(source, fault.start, fault.message) for fault in document.faults]
    faults = faults or list(_faults(document))
    if faults:
        raise SampleRefused("\n".join(faults))
    value = document.value
    return Sample(
        name,
        operation,
        value.get("inputs", ABSENT),
        tuple(value.get("arguments") or ()),
        dict(value.get("env") or {}),
        dict(value.get("expect") or {}),
        path,
        _workspace(value.get("workspace")),
        value.get("stdin"),
        dict(value.get("fixtures") or {}),
        _net(value),
    )


def write_sample(sample: Sample) -> str:
    """The text of a sample's file, verified by reading it back."""
    value: dict[str, Any] = {"inputs": {} if sample.inputs is ABSENT else sample.inputs}
    if sample.arguments:
        value["arguments"] = list(sample.arguments)
    if sample.env:
        value["env"] = dict(sample.env)
    if sample.stdin is not None:
        value["stdin"] = sample.stdin
    if sample.workspace != SampleWorkspace():
        folder, git, commits = sample.workspace
        folder_entry: dict[str, Any] = {"folder": folder} if folder else {}
        history = {"commits": [_commit_value(commit) for commit in commits]} if commits else {}
        value["workspace"] = {**folder_entry, "git": True, **history} if git else folder
    if sample.fixtures:
        value["fixtures"] = dict(sample.fixtures)
    if sample.net:
        value["net"] = sample.net[0] if len(sample.net) == 1 else list(sample.net)
    if sample.expect:
        value["expect"] = dict(sample.expect)
    # Writer and reader disagree about some plain texts, such as `0o7` or `1_000`.
    for is_quoted in (False, True):
        text = _dump_yaml(value, is_quoted)
        if _reads_as(text, value):
            return text
    raise SampleRefused("the values cannot be written as YAML that reads the same")


def with_expectation(text: str, sample: Sample) -> str:
    """Replace the expectation in a sample's text and keep every other line, including comments;
    rewrite all of it where that fails, as for a mapping in braces."""
    return _with_key(text, sample, "expect", dict(sample.expect))


def expectation_line(text: str, place: Sequence[str | int], first: int = 0) -> int:
    """The line, from 1, of a value that a sample's text expects: in a block its line `first`, from
    0; of a value that is not expected yet its place's nearest parent."""
    source = Source(text, "")
    document = read(source, "yaml", Span(0, len(text)))
    keys = ["expect", *place]
    while keys:
        pointer = join_pointer(keys)
        start, node = document.start(pointer, on_key=True), document.at(pointer)
        if start is not None and node is not None:
            is_block = len(keys) == len(place) + 1 and text[node.start : node.start + 1] in "|>"
            return source.position(start).line + (first + 1 if is_block else 0)
        keys.pop()
    return 1


def _with_key(text: str, sample: Sample, changed_key: str, value: Any) -> str:
    source = Source(text, sample.path)
    document = read(source, "yaml", Span(0, len(text)))
    block = _dump_yaml({changed_key: value})
    start, end = len(text), len(text)
    key = document.key_span(f"/{changed_key}")
    if key is not None:
        start = key.start
        later = [span.start for name in KEYS if (span := document.key_span(f"/{name}"))]
        end = min((offset for offset in later if offset > start), default=len(text))
        lines = text[start:end].splitlines(keepends=True)
        while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith("#")):
            end -= len(lines.pop())  # It belongs to the next key.
    before = text[:start] if not text[:start] or text[:start].endswith("\n") else f"{text}\n"
    new_text = before + block + text[end:]
    try:
        parsed_sample = read_sample(new_text.encode(), sample.operation, sample.name, sample.path)
    except SampleRefused:
        return write_sample(sample)
    return new_text if parsed_sample == sample else write_sample(sample)


def _net(value: dict[str, Any]) -> tuple[str, ...]:
    hosts = value.get("net", ())
    return (hosts,) if isinstance(hosts, str) else tuple(hosts)


def _workspace(value: Any) -> SampleWorkspace:
    if isinstance(value, str):
        return SampleWorkspace(value)
    if isinstance(value, dict):
        commits = (
            SampleCommit(
                commit.get("author", ""), commit.get("date", ""), dict(commit.get("files") or {})
            )
            for commit in value.get("commits") or ()
        )
        folder, git = value.get("folder") or "", bool(value.get("git"))
        return SampleWorkspace(folder, git, tuple(commits))
    return SampleWorkspace()


def _commit_value(commit: SampleCommit) -> dict[str, Any]:
    value = {"author": commit.author, "date": commit.date, "files": dict(commit.files)}
    return {key: part for key, part in value.items() if part}


def _dump_yaml(value: Any, is_quoted: bool = False) -> str:
    from yaml import SafeDumper, ScalarNode, dump

    class Dumper(SafeDumper):
        """Writes strings of several lines as blocks; every string in quotes if `is_quoted`."""

    def string(dumper: SafeDumper, text: str) -> ScalarNode:
        block = "|" if "\n" in text else None
        return dumper.represent_scalar(_TEXT, text, style='"' if is_quoted else block)

    Dumper.add_representer(str, string)
    yaml_text: str = dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=100)
    return yaml_text


def _reads_as(text: str, value: Any) -> bool:
    document = read(Source(text, ""), "yaml", Span(0, len(text)))
    return not document.faults and json.dumps(document.value) == json.dumps(value)


def _faults(document: Document) -> Iterator[str]:
    source = document.source

    def at(pointer: str, message: str) -> str:
        node = document.at(pointer)
        span = document.key_span(pointer) or (node.span if node is not None else None)
        return _at(source, span.start if span else 0, message)

    schema, validator = _load_schema()
    if errors := validator.errors(document.value):
        for diagnostic in schema_diagnostics(document, schema, errors):
            advice = _KEY_ADVICE.get(diagnostic.pointer.removeprefix("/expect/"))
            hint = f"; {advice}" if advice and diagnostic.pointer.startswith("/expect/") else ""
            yield _at(
                source,
                diagnostic.span.start if diagnostic.span else 0,
                f"{diagnostic.message}{hint}",
            )
        return
    value = document.value
    folder, git, commits = _workspace(value.get("workspace"))
    if normalise(folder or ".") is None:
        yield at("/workspace", f"workspace {folder} is outside the skill's folder")
    if commits and not git:
        yield at("/workspace/commits", "only a repository has commits; add git: true")
    for number, commit in enumerate(commits):
        for path in commit.files:
            if normalise(path) in (None, "", ".") or ".git" in path.split("/"):
                pointer = f"/workspace/commits/{number}/files/{escape(path)}"
                yield at(pointer, f"the path {path} of a commit is outside the workspace")
    try:
        if "record" in _net(value):
            yield at(
                "/net", "record is for run --net; a sample has none, loopback, replay or hosts"
            )
        read_network(_net(value), "net")
    except NetworkRefused as error:
        yield at("/net", str(error))
    for path, content in (value.get("fixtures") or {}).items():
        pointer = f"/fixtures/{escape(path)}"
        root, inside = split_root(path)
        if root in ("skill", "tmp"):
            yield at(pointer, f"a fixture is a file of the workspace or of home:, not of {root}:")
        elif normalise(inside) in (None, "", "."):
            yield at(pointer, f"the path {path} of a fixture is outside the {root}")
        if isinstance(content, dict) and "sha256" in content:
            yield at(pointer, "a fixture must be text or {from: PATH}")
    if not _is_json(value["inputs"]):
        yield at("/inputs", "the inputs contain a value that JSON cannot represent")


@lru_cache(maxsize=1)
def _load_schema() -> tuple[Any, Validator]:
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    return schema, compile_schema(schema)


def _is_json(value: Any) -> bool:
    parts = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            parts += part.values()
        elif isinstance(part, list):
            parts += part
        elif isinstance(part, float) and not math.isfinite(part):
            return False
    return True


def _at(source: Source, offset: int, message: str) -> str:
    line, column = source.position(offset)
    return f"{source.path}:{line}:{column}: {message}"
