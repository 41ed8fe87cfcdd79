"""Draft a skill from scripts: operations, inputs, effects and entrypoints, with TODOs for unknowns.

An operation passes the arguments that are required or have a default. In a fixed argument list an
option without a value would be an empty argument, which is not the same as leaving it out, so other
optional arguments and switches are listed in the notes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from itertools import chain, count
from typing import Any, NamedTuple
from unicodedata import normalize

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.hook_values import DraftedOperation
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.registry import dialects
from skillstudio.manifest.todo import TODO
from skillstudio.scaffold.new.copier_file import CopierFile
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.rendering import RenderedSkill
from skillstudio.scaffold.new.scripts.gathering import NoScripts, Note, ScriptFolder, gather
from skillstudio.scaffold.new.template import Question, Template
from skillstudio.text.editing.yaml_writing import write_scalar
from skillstudio.text.safe import safe_text
from skillstudio.text.scripts.model import NOTHING, Script, ScriptCommand, ScriptOption

FOLDER = "scripts"  # The folder of the scripts in the new skill.
_QUESTIONS = (
    Question("name", "str", "Name of the skill and its folder"),
    Question(
        "description",
        "str",
        "What it does and when to use it; agents select skills by this text alone",
        default="",
        placeholder="if empty, a TODO that the check reports",
    ),
)
_FIXED_ARGUMENTS = (
    "an entrypoint passes the same arguments in every call, so it cannot leave out an option; "
    "skillstudio run SKILL SCRIPT -i NAME=VALUE takes all arguments of a script"
)
_WIDTH = 160  # Characters of an object that is written on one line.
_SHELLS = ("sh", "dash", "zsh", "ksh")
_UNIX = {
    "python": ["python3"],
    "javascript": ["node"],
    "powershell": ["pwsh", "-NoProfile", "-File"],
}
_RUNNERS = ("bun", "deno", "tsx", "ts-node")  # Other programs that run JavaScript and TypeScript.
_WINDOWS = {
    "python": ["python"],
    "javascript": ["node"],
    "powershell": ["powershell.exe", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File"],
}


class ScriptInterview(Interview):
    """The questions for a skill drafted from a folder of scripts."""

    def __init__(self, scripts: str, folder: str) -> None:
        """Read the scripts; `folder` is the name of the new folder. Raises NoScripts."""
        location = scripts.rstrip("/" + os.sep) or scripts
        if not os.path.isdir(scripts):
            is_file = os.path.lexists(scripts)
            why = " is a file; choose its folder" if is_file else ": no such folder"
            raise NoScripts(f"{scripts}{why}")
        self.script_folder = gather(DiskTree(scripts), location)
        # Many such folders are called scripts or bin, so show the parent's name.
        name = "/".join(os.path.abspath(scripts).split(os.sep)[-2:])
        template = Template(
            name=f"from {name}",
            tree=MemoryTree({}, name),
            origin="scripts",
            location=location,
            config=CopierFile(location, {}, {}),
            questions=_QUESTIONS,
            dialect=drafted_dialect().id,
        )
        super().__init__(template, folder)

    def draft(self, answers: Mapping[str, Any]) -> RenderedSkill:
        """Draft the skill from the scripts and answers."""
        return draft_skill(self.script_folder, answers["name"], answers["description"].strip())


class ScriptOperation(NamedTuple):
    """An operation and its scripts: one, or one each for two operating systems."""

    name: str
    paths: tuple[str, ...]
    operation: DraftedOperation


def draft_skill(script_folder: ScriptFolder, name: str, description: str = "") -> RenderedSkill:
    """The files of a skill whose operations are the scripts of a folder."""
    operations, notes = draft_operations(script_folder)
    effects = sorted(
        {effect for script in script_folder.programs.values() for effect in script.effects}
    )
    target = drafted_dialect()
    module = hook(target, "draft")
    if module is None:
        raise LookupError(f"{target.id} has `drafts` but no draft.py")
    operations_by_name = {operation.name: operation.operation for operation in operations}
    manifest = module.draft(target, name, effects, operations_by_name)
    remarks = [note.text for note in notes]
    text = _markdown(name, description, manifest, operations_by_name, remarks)
    # A lone surrogate in a script's text becomes its JSON escape.
    skill_md = text.encode("utf-8", "backslashreplace")
    files = {f"{FOLDER}/{path}": data for path, data in script_folder.files.items()}
    executable = frozenset(f"{FOLDER}/{path}" for path in script_folder.executable)
    return RenderedSkill(name, {"SKILL.md": skill_md, **files}, executable, tuple(remarks))


def drafted_dialect() -> Dialect:
    """The dialect of a draft."""
    return next(dialect for dialect in dialects() if dialect.drafts)


def draft_operations(script_folder: ScriptFolder) -> tuple[list[ScriptOperation], list[Note]]:
    """The operations in the order of their scripts, and notes about the files."""
    drafts: dict[str, ScriptOperation] = {}
    notes = list(script_folder.notes)
    alone = len(script_folder.programs) == 1
    for path, script in script_folder.programs.items():
        stem = word(path.rpartition("/")[2].partition(".")[0]) or "run"
        for command in script.commands:
            command_word = word(command.name)
            name = command_word if alone and command_word else f"{stem}-{command_word}".rstrip("-")
            data = script_folder.files[path]
            operation = draft_operation(f"{FOLDER}/{path}", script, command, data, notes)
            earlier_draft = drafts.get(name)
            if earlier_draft is not None and _are_twins(earlier_draft, path, operation):
                # PowerShell is for Windows, the other one for Unix.
                system = "windows" if script.language == "powershell" else "unix"
                earlier_draft.operation.entrypoints[system] = operation.entrypoints[system]
                drafts[name] = earlier_draft._replace(paths=(*earlier_draft.paths, path))
                continue
            name = _free_name(name, path, drafts)
            drafts[name] = ScriptOperation(name, (path,), operation)
    return list(drafts.values()), notes


def _free_name(name: str, path: str, drafts: Mapping[str, ScriptOperation]) -> str:
    """A unique operation name, using the folder, the suffix, or a number."""
    folder, _, file = path.rpartition("/")
    further = [f"{word(folder)}-{name}", f"{name}-{word(file.partition('.')[2])}"]
    numbered_names = (f"{name}-{number}" for number in count(2))
    names = chain((name, *further), numbered_names)
    return next(
        candidate
        for candidate in names
        if candidate not in drafts and candidate == candidate.strip("-")
    )


def _are_twins(earlier_draft: ScriptOperation, path: str, operation: DraftedOperation) -> bool:
    """Whether two scripts differ only by suffix, have the same arguments, and one is PowerShell."""
    paths = (*earlier_draft.paths, path)
    stems = {script_path.rpartition(".")[0] for script_path in paths}
    shells = [script_path.endswith(".ps1") for script_path in paths]
    same = set(earlier_draft.operation.inputs) == set(operation.inputs)
    return len(paths) == 2 and len(stems) == 1 and sum(shells) == 1 and same


def draft_operation(
    inside: str, script: Script, command: ScriptCommand, data: bytes, notes: list[Note]
) -> DraftedOperation:
    """An operation that runs a script of the skill; adds what it leaves out to `notes`."""
    path = inside.removeprefix(f"{FOLDER}/")
    passed_options = [option for option in command.options if _is_given(option, command)]
    for option in command.options:
        option_label = f"{f'{path} {command.name}'.strip()}: {option.flag or option.name}"
        if option not in passed_options:
            what = "a switch" if option.switch else "it is optional and has no default"
            notes.append(Note(path, f"{option_label} is not in the operation: {what}"))
        elif option.many:
            notes.append(Note(path, f"{option_label} accepts several values; only one is passed"))
    command_label = f"{path} {command.name}".strip()
    if len(passed_options) < len(command.options) and all(
        note.text != _FIXED_ARGUMENTS for note in notes
    ):
        notes.append(Note(path, _FIXED_ARGUMENTS))
    if command.reads_input:
        notes.append(
            Note(path, f"{command_label}: it can read standard input, which no manifest declares")
        )
    return DraftedOperation(
        _description(command, passed_options),
        {_input(option): _parameter(option) for option in passed_options},
        _entrypoints(inside, script, command, passed_options, data),
    )


def _description(command: ScriptCommand, passed_options: list[ScriptOption]) -> str:
    about = safe_text(command.about)
    if command.by_hand and not passed_options:
        option_names = ", ".join(option.flag or option.name for option in command.options)
        what = f"{option_names}, or others" if option_names else "its text may name them"
        return f"{TODO}pass the arguments that it needs ({what}). {about}".rstrip()
    return about or f"{TODO}describe what it does and when to call it"


def _is_given(option: ScriptOption, command: ScriptCommand) -> bool:
    """Whether every call passes an option."""
    if option.switch or not (option.required or option.default is not NOTHING):
        return False
    if option.flags:
        return True
    # A positional argument needs all those before it.
    before = command.places[: command.places.index(option)]
    return all(argument.required or argument.default is not NOTHING for argument in before)


def _parameter(option: ScriptOption) -> dict[str, Any]:
    parameter: dict[str, Any] = {"type": option.type, "required": option.required}
    if not option.required:
        parameter["default"] = option.default if option.type != "string" else str(option.default)
    about = option.help or f"{TODO}describe this input"
    if option.choices:
        about = f"{about.removesuffix('.')}; one of: {', '.join(option.choices)}"
    parameter["description"] = safe_text(about)
    return parameter


def _input(option: ScriptOption) -> str:
    """The name of an input: `OutputDir` and `output-dir` become `output_dir`."""
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", option.name)
    name = re.sub(r"\W", "_", spread).lower()
    return name if re.match(r"[a-z_]", name) else f"_{name}"


def _entrypoints(
    inside: str,
    script: Script,
    command: ScriptCommand,
    passed_options: list[ScriptOption],
    data: bytes,
) -> dict[str, list[str]]:
    before = [option for option in command.options[: command.before] if option in passed_options]
    lead = [option for option in command.leading_places if option in passed_options]
    after = [option for option in passed_options if option not in (*before, *lead)]
    words = [*_arguments(before), *command.name.split(), *_arguments(lead), *_arguments(after)]
    shebang = data.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    shell = re.split(r"[/\s]", shebang)[-1] if shebang.startswith("#!") else ""
    unix = _UNIX.get(script.language) or [shell if shell in _SHELLS else "bash"]
    runner = next((runner for runner in _RUNNERS if runner in shebang.split("/")[-1].split()), "")
    unix = [runner] if runner else unix
    entrypoints = {"unix": [*unix, inside, *words]}
    if script.language in _WINDOWS:
        windows = [runner] if runner else _WINDOWS[script.language]
        entrypoints["windows"] = [*windows, inside.replace("/", "\\"), *words]
    return entrypoints


def _arguments(options: list[ScriptOption]) -> list[str]:
    """The options with flags first, then the positional arguments."""
    flag_words = [
        word for option in options if option.flags for word in (option.flag, _place(option))
    ]
    return [*flag_words, *(_place(option) for option in options if not option.flags)]


def _place(option: ScriptOption) -> str:
    return f"{{{_input(option)}}}"


def word(text: str) -> str:
    """A text as a part of the name of an operation: small letters, digits and hyphens."""
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def _markdown(
    name: str,
    description: str,
    manifest: Mapping[str, Any],
    operations: Mapping[str, DraftedOperation],
    notes: list[str],
) -> str:
    about = description or f"{TODO}describe what the skill does and when to use it"
    lines = [
        "---",
        f"name: {write_scalar(name)}",
        f"description: {json.dumps(about, ensure_ascii=False)}",
        "---",
        "",
        f"# {name.replace('-', ' ').capitalize()}",
        "",
        "Call the operations rather than the scripts; their inputs are described in the manifest.",
        "",
        *(f"- `{key}`: {_line(operation.description)}" for key, operation in operations.items()),
        "",
    ]
    if notes:
        lines += ["Not covered by the operations:", ""]
        lines += [*(f"- {_line(note)}" for note in notes), ""]
    return "\n".join([*lines, block_of(manifest)])


def block_of(manifest: Mapping[str, Any]) -> str:
    """A drafted manifest as the fenced block of a SKILL.md."""
    return f"```{drafted_dialect().fence}\n{_laid_out(manifest)}\n```\n"


def _line(text: str) -> str:
    """A text as one line of Markdown without fences and headings."""
    return safe_text(" ".join(text.replace("`", "'").split()))


def _laid_out(value: Any, indent: int = 0) -> str:
    """JSON with short objects and lists on one line."""
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict) or not value:
        return short
    is_flat = not any(isinstance(part, dict) and part for part in value.values())
    if indent > 4 and len(short) <= _WIDTH and is_flat:
        return f"{{ {short[1:-1]} }}"
    pad = " " * (indent + 2)
    items = [
        f"{pad}{json.dumps(key, ensure_ascii=False)}: {_laid_out(part, indent + 2)}"
        for key, part in value.items()
    ]
    return "{\n" + ",\n".join(items) + f"\n{' ' * indent}}}"
