"""The tools: what each needs, and the command of skillstudio that answers it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from skillstudio.mcp.places import AllowedFolders, AllowedPlace, PathRefused

JSON = "--format=json"
LOWEST_LEVEL = "confined"
"""The lowest isolation level at which a client may run operations."""
_LEVELS = (LOWEST_LEVEL, "isolated", "wasm")
_REVISION = re.compile(r"[\w.+/~^][\w.+/~^-]{0,199}\Z")
_RUN_SECONDS = 600


class ToolCommand(NamedTuple):
    """A command of skillstudio, without the program, and the root to run it in ("": anywhere)."""

    arguments: tuple[str, ...]
    root: str = ""
    stdin: bytes = b""
    seconds: float = 300.0


class Tool(NamedTuple):
    """A tool of the server."""

    name: str
    title: str
    description: str
    properties: Mapping[str, Any]
    required: tuple[str, ...]
    output: str
    """The name of the schema of its results."""
    command: Callable[[AllowedFolders, Mapping[str, Any]], ToolCommand]
    """The command of a call, whose arguments are valid. Raises PathRefused, ValueError."""
    is_run: bool = False  # Whether it starts a skill's program.
    needs_folders: bool = True

    @property
    def input_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }


def _text(description: str, **keywords: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, "minLength": 1, **keywords}


_SKILL = _text("A skill: its folder, absolute or relative to a root, or the name of its folder")
_PATH = _text("A skill, a file in one, or a folder of skills (default: the first root)")
_OPERATION = _text("An operation, or the path of a script in the skill (default: the only one)")
_INPUTS = {"type": "object", "description": "The values of the inputs, by name"}
_SAMPLE = _text("A sample of the operation whose inputs are used; `inputs` overrides them")
_WORKSPACE = _text("The folder to work in (default: the root that contains the skill)")
_VERSION = "a git tag, branch or commit, or a version such as 1.2.0"


def _word(text: str) -> str:
    """A text as a positional argument. Raises ValueError if it is an option."""
    if text[:1] == "-":
        raise ValueError(f"{text} starts with -; only names and paths are accepted")
    return text


def _check(folders: AllowedFolders, arguments: Mapping[str, Any]) -> ToolCommand:
    place = folders.place(arguments.get("path", "."))
    targets = [f"--target={target}" for target in arguments.get("targets", ())]
    strict = ["--strict"] if arguments.get("strict") else []
    return ToolCommand(("check", JSON, *targets, *strict, place.argument), place.root)


def _explain(_: AllowedFolders, arguments: Mapping[str, Any]) -> ToolCommand:
    return ToolCommand(("explain", JSON, _word(arguments["id"])))


def _why(folders: AllowedFolders, arguments: Mapping[str, Any]) -> ToolCommand:
    place = folders.place(arguments["skill"])
    return ToolCommand(("why", JSON, place.argument), place.root)


def _operation(
    verb: str, folders: AllowedFolders, arguments: Mapping[str, Any], *options: str
) -> ToolCommand:
    place = folders.place(arguments["skill"])
    workspace = (
        folders.place(arguments["workspace"])
        if "workspace" in arguments
        else AllowedPlace(place.root, "")
    )
    words = [verb, JSON, f"--workspace={workspace.root}/{workspace.inside}", *options]
    stdin = b""
    if "inputs" in arguments:
        words.append("--inputs-json=@-")
        stdin = json.dumps(arguments["inputs"]).encode()
    if "sample" in arguments:
        words.append(f"--sample={arguments['sample']}")
    words.append(place.argument)
    if "operation" in arguments:
        words.append(_word(arguments["operation"]))
    return ToolCommand(tuple(words), place.root, stdin)


def _plan(folders: AllowedFolders, arguments: Mapping[str, Any]) -> ToolCommand:
    return _operation("plan", folders, arguments)


def _run(folders: AllowedFolders, arguments: Mapping[str, Any]) -> ToolCommand:
    level = [f"--isolation={arguments['isolation']}"] if "isolation" in arguments else []
    seconds = arguments.get("timeout")
    timeout = [f"--timeout={seconds}"] if seconds else []
    command = _operation(
        "run", folders, arguments, f"--require-isolation={LOWEST_LEVEL}", *level, *timeout
    )
    return command._replace(seconds=_RUN_SECONDS + 60)


def _diff(folders: AllowedFolders, arguments: Mapping[str, Any]) -> ToolCommand:
    place = folders.place(arguments["skill"])
    new = _version(place.argument, arguments.get("new", ""))
    if "old_skill" in arguments:
        other = folders.place(arguments["old_skill"])
        if other.root != place.root:
            raise PathRefused("both skills must be in the same root")
        return _compare_versions(place, _version(other.argument, arguments.get("old", "")), new)
    return _compare_versions(
        place, *([_version(place.argument, arguments["old"])] if "old" in arguments else []), new
    )


def _compare_versions(place: AllowedPlace, *versions: str) -> ToolCommand:
    return ToolCommand(("diff", JSON, *versions), place.root)


def _version(path: str, revision: str) -> str:
    if (revision and not _REVISION.match(revision)) or ".." in revision:
        raise ValueError(f"{revision} is not {_VERSION}")
    return f"{path}@{revision}" if revision else path


TOOLS = (
    Tool(
        "check_skill", "Check skills",
        "Check skills for problems: broken manifests, keys and values that agents ignore, missing "
        "files. Each problem has a rule, a place and fixes.",
        {
            "path": _PATH,
            "targets": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "maxItems": 50,
                "description": "Targets that must accept the skills, such as codex or claude-code",
            },
            "strict": {
                "type": "boolean",
                "description": "Also report what the specification of a dialect does not describe",
            },
        },
        (), "check", _check,
    ),
    Tool(
        "explain_rule", "Explain a rule",
        "Explain a rule of check_skill or a kind of change of diff_versions: why it matters, its "
        "source, a bad and a good example.",
        {"id": _text("The id, such as description-unquoted")},
        ("id",), "explain", _explain, needs_folders=False,
    ),
    Tool(
        "which_targets", "Show which targets load a skill",
        "Show which targets (Claude Code, Codex, upload forms, validators …) find, load and accept "
        "a skill, what each ignores or rejects, and how to fix it.",
        {"skill": _SKILL}, ("skill",), "why", _why,
    ),
    Tool(
        "plan_operation", "Plan a run",
        "Show what a run of an operation would start: command line, inputs, requirements, declared "
        "effects and problems. Nothing of the skill is started.",
        {"skill": _SKILL, "operation": _OPERATION, "inputs": _INPUTS, "sample": _SAMPLE,
         "workspace": _WORKSPACE},
        ("skill",), "plan", _plan,
    ),
    Tool(
        "diff_versions", "Compare two versions",
        "Compare two versions of a skill: what changed in its interface, what breaks callers, and "
        "the version bump that is required.",
        {
            "skill": _SKILL,
            "old": _text(f"The old version: {_VERSION} (default: the last tag, else HEAD)"),
            "new": _text(f"The new version: {_VERSION} (default: the files on disk)"),
            "old_skill": _text("The folder or archive of the old version, if it is not `skill`"),
        },
        ("skill",), "diff", _diff,
    ),
    Tool(
        "run_operation", "Dry-run an operation",
        "Run an operation in copies of the workspace and the skill, isolated from the machine, and "
        "compare its effects with those that the manifest declares. The real files do not change.",
        {
            "skill": _SKILL, "operation": _OPERATION, "inputs": _INPUTS, "sample": _SAMPLE,
            "workspace": _WORKSPACE,
            "isolation": {
                "enum": list(_LEVELS),
                "description": "Use exactly this isolation level (default: the strongest one)",
            },
            "timeout": {
                "type": "number", "exclusiveMinimum": 0, "maximum": _RUN_SECONDS,
                "description": "Seconds (default: those of the manifest, else 30)",
            },
        },
        ("skill",), "run", _run, is_run=True,
    ),
)  # fmt: skip
