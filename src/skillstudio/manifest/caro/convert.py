"""Convert a skill to caro-1.0: its identity and permissions. Inputs stay in the old manifest."""

from __future__ import annotations

from skillstudio.interface.model import token
from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.leaves import Leaf
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.todo import TODO
from skillstudio.manifest.values import pointer
from skillstudio.text.versions import is_semver

_NAMESPACE = "custom"  # For skills of nobody else (seed 004, Namespaces).
_FIRST = "0.1.0"


def put(source: ConversionSource, draft: DocumentDraft, target: Dialect, name: str) -> None:
    """Add the tables of a skill.toml."""
    own = source.skill.of(target.id)
    if own is not None:
        for key, value in own.document.value.items():
            draft.copy((key,), value, Leaf(own.path, pointer(key)))
        return
    _identity(source, draft, target, name)
    for kind in ("knowledge", "recipes"):
        is_there = source.skill.tree.kind(kind) == "folder"
        why = f"the skill has {'a' if is_there else 'no'} folder {kind}/"
        draft.invent(("provides", kind), is_there, why)
    draft.invent(("provides", "executable"), False, "the skill declares no WASM module")
    _permissions(source, draft)


def _identity(source: ConversionSource, draft: DocumentDraft, target: Dialect, name: str) -> None:
    named = source.stating("name")
    how = f"an id needs a namespace; {_NAMESPACE} is for skills that are not published"
    draft.carry(("skill", "id"), f"{_NAMESPACE}.{name}", *named, how=how)
    draft.carry(("skill", "name"), source.interface.name or name, *named)
    stating = source.stating("version")
    version = source.text(stating[0]) if stating else ""
    if is_semver(version):
        draft.carry(("skill", "version"), version, *stating)
    else:
        why = f"{version} is not MAJOR.MINOR.PATCH" if version else "the source has no version"
        draft.invent(("skill", "version"), _FIRST, why)
    if source.interface.description.strip():
        described = source.stating("description")
        draft.carry(("skill", "description"), source.interface.description, *described)
    else:
        why = "required by the format; the source has none"
        draft.invent(("skill", "description"), f"{TODO}describe what the skill does", why)
    draft.invent(("skill", "api_version"), target.versions[0], "the version of the format")
    source.copy_stated(draft, ("skill", "license"), "/license")


def _permissions(source: ConversionSource, draft: DocumentDraft) -> None:
    """The programs and variables that the skill needs; anything else is denied."""
    commands = [each.name for each in source.interface.requirements if each.kind == "command"]
    if commands:
        why = "a skill that needs programs runs them"
        draft.invent(("capabilities", "terminal_exec", "allowed"), True, why)
    for index, name in enumerate(dict.fromkeys(commands)):
        found = source.at(f"/requirements/command/{token(name)}")
        keys = ("capabilities", "terminal_exec", "commands", index)
        draft.carry(keys, name, *found[:1], how="a required program may run")
    for index, each in enumerate(source.interface.env):
        found = source.at(f"/env/{token(each.name)}")
        draft.carry(("capabilities", "env_read", index), each.name, *found[:1], how="may be read")
