"""Start the operations of a manifest block with the commands of their entrypoints."""

from __future__ import annotations

from typing import Any

from skillstudio.interface.model import token
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import LaunchedProcess, Launching
from skillstudio.manifest.values import dig, mapping

_ROUTER = "router-manifest-1"
_AGENT = "agent"


def launch(manifest: Manifest, _skill: Skill, operation: str) -> Launching | None:
    """The commands of one operation, started in the skill's folder."""
    value = manifest.document.value
    is_router = manifest.dialect.id == _ROUTER
    held = dig(value, "entrypoints" if is_router else "operations", operation)
    if held is None or not operation:
        return None
    entrypoints = mapping(held) if is_router else mapping(held, "entrypoints")
    at = f"/operations/{token(operation)}/entrypoints"
    return Launching(
        operation,
        {
            platform: (_process(command, f"{at}/{token(platform)}"),)
            for platform, command in entrypoints.items()
            if platform != _AGENT
        },
        procedure=_procedure(entrypoints.get(_AGENT)),
    )


def _process(command: Any, pointer: str) -> LaunchedProcess:
    argv = command if isinstance(command, list) else []
    texts = tuple(argument for argument in argv if isinstance(argument, str))
    refused = ""
    if not argv:
        refused = "the entrypoint is not a list of arguments"
    elif argv[0] == "":
        refused = "the entrypoint names no program"
    elif len(texts) != len(argv):
        refused = "an argument of the entrypoint is not a string"
    return LaunchedProcess(texts, pointer, refused=refused)


def _procedure(command: Any) -> str:
    if isinstance(command, list):
        return "\n".join(line for line in command if isinstance(line, str))
    return command if isinstance(command, str) else ""
