"""Start an artifact: a WASI command reads its input as one JSON value."""

from __future__ import annotations

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.manifest.values import dig, text

_COMMAND = "wasi-command"


def launch(manifest: Manifest, _skill: Skill, operation: str) -> LaunchSpec | None:
    """The module of the manifest's entrypoint; library functions cannot be called yet."""
    if operation:
        return None
    value = manifest.document.value
    entrypoint = dig(value, "entrypoint")
    module, refusal = "", ""
    if manifest.dialect.id == "provenact-0":
        module = text(value, "entrypoint", "wasm") or ""
        if not module:
            refusal = "the manifest does not name a file to start"
    elif isinstance(entrypoint, str):
        refusal = (
            f"the entrypoint is the function {entrypoint} of an artifact that the manifest names "
            "by its digest only; a WASI command with a path can be started"
        )
    elif text(value, "entrypoint", "kind") != _COMMAND:
        kind = text(value, "entrypoint", "kind") or "not declared"
        refusal = f"the entrypoint's kind is {kind}; only a {_COMMAND} can be started"
    else:
        module = text(value, "entrypoint", "path") or ""
        if not module:
            refusal = "the entrypoint has no path"
    return LaunchSpec("", module=module, takes="stdin", refusal=refusal)
