"""Read what plan, run, sample and preview have in common: skill, operation and inputs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.exit_codes import ISOLATION_MISSING
from skillstudio.cli.operands import SettingsReader, find_operand
from skillstudio.cli.output import CommandRefused, UsageError, refuse_on
from skillstudio.dryrun.network.choice import NetworkRefused, read_network
from skillstudio.dryrun.plan import (
    ANY_NETWORK,
    NOT_REQUESTED,
    IsolationChoice,
    NetworkChoice,
    PlanProblem,
    Roots,
)
from skillstudio.dryrun.planning.make import ResolvedOperation, make_plan, resolve_operation
from skillstudio.dryrun.planning.run_inputs import (
    OperationUnknown,
    PlannedRun,
    RunInputs,
    WorkspaceRefused,
    find_roots,
    this_machine,
)
from skillstudio.dryrun.planning.script_values import accepts_several
from skillstudio.dryrun.sampling.sample import Sample, SampleRefused
from skillstudio.files.disk import DiskTree
from skillstudio.interface.model import ABSENT, Interface, Operation
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.skill.versions.reading import UnreadableManifest, read_skill
from skillstudio.text.strict_json import NotJson, read_json

_HIGHER = {"process": ("copy", "confined", "isolated"), "wasm": ("wasm",)}
_LARGEST = 64 << 20  # Bytes of inputs or of a secret that are read from a file.


class LocalSkill(NamedTuple):
    """A skill on disk with its interface."""

    label: str
    folder: str
    skill: Skill
    interface: Interface  # Unmasked: for what is started, never for what is shown.

    @property
    def only_operation(self) -> str:
        """The name of the operation if there is one only, else ""."""
        names = [operation.name for operation in self.interface.operations]
        return names[0] if len(names) == 1 else ""

    def operation(self, name: str) -> ResolvedOperation:
        """The operation and program of a name. Raises UsageError."""
        with refuse_on(OperationUnknown):
            return resolve_operation(self.skill, self.interface, name)

    def plan(self, operation: str, run_inputs: RunInputs, programs: str = "") -> PlannedRun:
        """The plan of a run on this machine, with a folder of programs first on PATH. Raises
        UsageError for an unknown operation."""
        machine = this_machine(programs)
        with refuse_on(OperationUnknown):
            return make_plan(self.skill, self.interface, operation, run_inputs, machine)

    def place(self, problem: PlanProblem) -> str:
        """The place of a problem in the manifest, "" if it is not known."""
        place = self.interface.place(problem.pointer) if problem.pointer else None
        return f"{self.label}/{place.path}:{place.line}:{place.column}" if place else ""


def open_skill(path: str) -> LocalSkill:
    """The skill at a path on disk. Raises UsageError that names what cannot be read."""
    from skillstudio.manifest.project import project_unmasked

    operand, tree = find_operand(path)
    if not isinstance(tree, DiskTree):
        raise UsageError(f"{path} is not a skill on disk; unpack it or check it out first")
    try:
        skill = read_skill(operand, tree, SettingsReader().of(operand)[0])
    except UnreadableManifest as error:
        raise UsageError("\n".join(error.sentences())) from None
    folder = os.path.abspath(operand.folder)
    return LocalSkill(operand.path, folder, skill, project_unmasked(skill))


def read_roots(local_skill: LocalSkill, options: CommandOptions) -> Roots:
    """The folders of a run. Raises UsageError for folders that no run may use."""
    home = os.path.expanduser("~")
    with refuse_on(WorkspaceRefused):
        return find_roots(
            local_skill.folder, options.workspace, options.repo_root, os.getcwd(), home
        )


def read_sample(local_skill: LocalSkill, operation: str, name: str) -> Sample:
    """A sample by its name, without sensitive values. Raises UsageError."""
    from skillstudio.dryrun.sampling.samples import find_sample, refuse_sensitive

    operations = {candidate.name: candidate for candidate in local_skill.interface.operations}
    of = operations.get(operation) or operations.get("") or Operation(operation)
    try:
        sample = find_sample(local_skill.skill.tree, local_skill.folder, operation, name)
        refuse_sensitive(sample, local_skill.interface, of)
        return sample
    except SampleRefused as error:
        lines = str(error).splitlines()
        message_lines = [
            f"{local_skill.label}/{line}" if line.startswith("samples/") else line for line in lines
        ]
        raise UsageError("\n".join(message_lines)) from None


def read_run_inputs(
    local_skill: LocalSkill, options: CommandOptions, arguments: tuple[str, ...], roots: Roots
) -> RunInputs:
    """The values that the command line gives for one run. Raises UsageError."""
    operation = options.operation or local_skill.only_operation
    sample = read_sample(local_skill, operation, options.sample) if options.sample else None
    return RunInputs(
        roots,
        _input_texts(local_skill, options),
        ABSENT if options.inputs_json is None else _json(options.inputs_json),
        sample.inputs if sample else ABSENT,
        arguments or (sample.arguments if sample else ()),
        {**(sample.env if sample else {}), **read_pairs(options.env, "--env")},
        read_secrets(options.secret),
        getattr(options, "timeout", None),
        stdin=_stdin(options, sample),
        faults=read_faults(local_skill, options),
        network=_network(options, sample),
        network_by="" if getattr(options, "net", ()) or sample is None else "the sample",
        packages=read_packages(getattr(options, "packages", ())),
        anyway=bool(getattr(options, "anyway", False)),
    )


def _input_texts(local_skill: LocalSkill, options: CommandOptions) -> tuple[tuple[str, str], ...]:
    """The values of `-i`, of which those of a list may be repeated. Raises UsageError."""
    pairs = tuple(_pair(text, "-i") for text in options.inputs)
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        resolved_operation = local_skill.operation(options.operation)
        several = accepts_several(
            resolved_operation.operation.inputs, resolved_operation.launch_spec.command
        )
        _by_name((pair for pair in pairs if pair[0] not in several), "-i")
    return pairs


def _network(options: CommandOptions, sample: Sample | None) -> NetworkChoice:
    """The network that the command line gives, else the sample. Raises UsageError."""
    with refuse_on(NetworkRefused):
        network = read_network(getattr(options, "net", ()) or (sample.net if sample else ()))
    if network.mode in ("record", "replay") and sample is None:
        raise UsageError(
            f"--net {network.mode} needs a sample, beside which the responses are stored: name it "
            "with --sample; skillstudio sample SKILL OPERATION --save NAME makes one"
        )
    return network


def _stdin(options: CommandOptions, sample: Sample | None) -> str | None:
    """The text for standard input, from a file, ours, or a sample. Raises UsageError."""
    source = getattr(options, "stdin", None)
    if source is None:
        return sample.stdin if sample else None
    data = sys.stdin.buffer.read(_LARGEST + 1) if source == "-" else _file(source, "--stdin")
    return _decode_text(data, "standard input" if source == "-" else source)


def read_faults(local_skill: LocalSkill, options: CommandOptions) -> tuple[PlanProblem, ...]:
    """The errors of the manifest, which prevent a run without `--anyway`; none for a sample."""
    from skillstudio.dryrun.planning.make import manifest_errors

    anyway = getattr(options, "anyway", None)
    return () if anyway is None else manifest_errors(local_skill.skill, anyway)


def read_pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """`NAME=VALUE` by name. Raises UsageError, also for a name that is given twice."""
    return _by_name((_pair(text, option) for text in texts), option)


def read_secrets(texts: Sequence[str]) -> dict[str, str]:
    """Sensitive values by name, from the sources that `--secret` names. Raises UsageError."""
    return _by_name(map(_secret, texts), "--secret")


def _by_name(pairs: Iterable[tuple[str, str]], option: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise UsageError(f"{option} {name} is given twice")
        values[name] = value
    return values


class IsolationMissing(CommandRefused):
    """The required isolation level is not available on this machine."""

    status = ISOLATION_MISSING


def choose_isolation(
    launch_spec: LaunchSpec, options: CommandOptions, network: NetworkChoice = ANY_NETWORK
) -> IsolationChoice:
    """The isolation level of a run on this machine. Raises IsolationMissing, and UsageError for an
    unknown name."""
    from skillstudio.dryrun.isolation.levels import (
        ISOLATION_LEVELS,
        IsolationUnavailable,
        probe_isolation,
    )

    for name in (options.isolation, options.require_isolation):
        if name is not None and name not in ISOLATION_LEVELS:
            raise unknown("isolation level", name, ISOLATION_LEVELS)
    program = "wasm" if launch_spec.module else "process"
    if options.isolation == "plan" and options.require_isolation in (None, "plan"):
        # Nothing has to be probed to start nothing.
        return IsolationChoice("plan", (), dict.fromkeys(_HIGHER[program], NOT_REQUESTED))
    with refuse_on(IsolationUnavailable, kind=IsolationMissing):
        levels = probe_isolation()
        return levels.choose(options.isolation, options.require_isolation, program, network)


def check_builds(options: CommandOptions) -> None:
    """Raise UsageError for `--allow-builds` without `--with-deps` or `--with`."""
    packages = getattr(options, "packages", ())
    if options.allow_builds and not (options.with_deps or packages):
        raise UsageError(
            "--allow-builds builds packages that --with-deps prepares; give both options"
        )


def read_packages(texts: Sequence[str]) -> tuple[str, ...]:
    """The packages of `--with`, by name and version. Raises UsageError."""
    from skillstudio.text.reading.requirements import parse_requirement

    packages: dict[str, None] = {}
    for text in texts:
        try:
            packages[parse_requirement(text)] = None
        except ValueError as error:
            raise UsageError(
                f"--with {text!a} {error}; name packages only by name and version, as in "
                "--with 'six>=1.16'"
            ) from None
    return tuple(packages)


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"{option} needs NAME=VALUE")
    return name, value


def _json(text: str) -> Any:
    source = "--inputs-json"
    if text.startswith("@"):
        is_piped = text == "@-"
        source = "standard input" if is_piped else text[1:]
        data = sys.stdin.buffer.read(_LARGEST + 1) if is_piped else _file(text[1:], "--inputs-json")
        text = _decode_text(data, source)
    with refuse_on(NotJson, of=f"{source} is not JSON"):
        return read_json(text)


def _secret(text: str) -> tuple[str, str]:
    """A sensitive value by name; it is never in the command line or a message."""
    name, equals, source = text.partition("=")
    if equals and name and source.startswith("@"):
        value = _decode_text(_file(source[1:], f"--secret {name}"), f"--secret {name}")
        # The line end of a one-line file is no part of a token; that of a key is.
        one_line = value.count("\n") == 1 and value.endswith("\n")
        return name, value.removesuffix("\n").removesuffix("\r") if one_line else value
    if equals and name and source.startswith("env:"):
        secret_value = os.environ.get(source[4:])
        if secret_value is None:
            raise UsageError(f"--secret {name}: the variable {source[4:]} is not set")
        return name, secret_value
    name_text = f" {name}" if equals else ""
    raise UsageError(
        f"--secret{name_text} needs NAME=@FILE or NAME=env:VARIABLE; a value in a command line is "
        "visible to every user of the machine"
    )


def _file(path: str, what: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{what}: {path}: {error.strerror or error}") from None
    if len(data) > _LARGEST:
        raise UsageError(f"{what}: {path} has more than {_LARGEST:,} bytes")
    return data


def _decode_text(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not UTF-8 from byte {error.start} on") from None
