"""Start the operations of a manifest block with the commands of their entrypoints."""

from __future__ import annotations

from typing import Any

from skillstudio.interface.model import token
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import LaunchedProcess, LaunchSpec
from skillstudio.manifest.values import dig, mapping

_ROUTER = "router-manifest-1"
_AGENT = "agent"


def launch(manifest: Manifest, _skill: Skill, operation: str) -> LaunchSpec | None:
    """The commands of one operation, started in the skill's folder."""
    value = manifest.document.value
    is_router = manifest.dialect.id == _ROUTER
    declaration = dig(value, "entrypoints" if is_router else "operations", operation)
    if declaration is None or not operation:
        return None
    entrypoints = mapping(declaration) if is_router else mapping(declaration, "entrypoints")
    at = f"/operations/{token(operation)}/entrypoints"
    return LaunchSpec(
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
    refusal = ""
    if not argv:
        refusal = "the entrypoint is not a list of arguments"
    elif argv[0] == "":
        refusal = "the entrypoint names no program"
    elif len(texts) != len(argv):
        refusal = "an argument of the entrypoint is not a string"
    return LaunchedProcess(texts, pointer, refusal=refusal)


def _procedure(command: Any) -> str:
    if isinstance(command, list):
        return "\n".join(line for line in command if isinstance(line, str))
    return command if isinstance(command, str) else ""
