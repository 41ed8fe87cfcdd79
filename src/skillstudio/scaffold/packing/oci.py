"""Write and read a skill as an OCI image layout, a folder that registry tools can push.

Follows the OCI image specification 1.1. Skills with a SKILL.md use the media types of the
proposed "Agent Skills OCI Artifacts" specification; other skills use our own type.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.files.archive import open_archive
from skillstudio.files.archive_entries import MAX_TOTAL, ArchiveRefused, prefix_errors
from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import ListedTree
from skillstudio.interface.model import Interface
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.values import dig, mapping, sequence, text

INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
EMPTY_TYPE = "application/vnd.oci.empty.v1+json"
AGENT_SKILL = "application/vnd.agentskills.skill.v1"
AGENT_SKILL_CONFIG = "application/vnd.agentskills.skill.config.v1+json"
AGENT_SKILL_CONTENT = "application/vnd.agentskills.skill.content.v1.tar+gzip"
OTHER_SKILL = "application/vnd.skillstudio.skill.v1"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"

LAYOUT = "oci-layout"
_LAYOUT_VERSION = "1.0.0"
_INDEX = "index.json"
_BLOBS = "blobs/sha256"
_MAX_JSON = 4 << 20
_TITLE, _NAME = "org.opencontainers.image", "io.agentskills.skill.name"
_SKILL_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_NO_TAG = re.compile(r"[^A-Za-z0-9._-]")
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


class Layout(NamedTuple):
    """The files of a layout and the digest of its manifest."""

    files: dict[str, bytes]
    digest: str


def layout(root: str, layer: bytes, skill: Skill, interface: Interface) -> Layout:
    """The layout of one skill whose files are in `layer`, a .tar.gz. Its digest is reproducible."""
    files: dict[str, bytes] = {}
    # In agent skills, it is in `metadata`.
    version = interface.version or text(_front(skill), "metadata", "version") or ""
    is_agent_skill = skill.front is not None and bool(_SKILL_NAME.fullmatch(root))
    if is_agent_skill:
        config = _blob(files, AGENT_SKILL_CONFIG, _json(_config(root, version, skill, interface)))
        content = _blob(files, AGENT_SKILL_CONTENT, layer)
    else:
        config = _blob(files, EMPTY_TYPE, b"{}")
        content = _blob(files, LAYER, layer)
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "artifactType": AGENT_SKILL if is_agent_skill else OTHER_SKILL,
        "config": config,
        "layers": [content],
        "annotations": _annotations(root, version, is_agent_skill, interface),
    }
    descriptor = _blob(files, MANIFEST_TYPE, _json(manifest))
    descriptor["artifactType"] = manifest["artifactType"]
    # A tag cannot contain the `+` of a version; Helm replaces it in the same way.
    tag = _NO_TAG.sub("_", version).lstrip(".-")[:128] or "latest"
    descriptor["annotations"] = {f"{_TITLE}.ref.name": tag}
    index = {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": [descriptor]}
    files[_INDEX] = _json(index)
    files[LAYOUT] = _json({"imageLayoutVersion": _LAYOUT_VERSION})
    return Layout(files, descriptor["digest"])


def is_layout(path: str) -> bool:
    """Whether a path is a folder with an OCI image layout."""
    return os.path.isfile(os.path.join(path, LAYOUT))


def open_layout(path: str) -> ListedTree:
    """Read the one skill of a layout and verify every digest. Raises ArchiveRefused."""
    with prefix_errors(path):
        tree = DiskTree(path)
        version = text(_read_json(tree, LAYOUT), "imageLayoutVersion")
        if version != _LAYOUT_VERSION:
            raise ArchiveRefused(f"its layout has version {version}, expected {_LAYOUT_VERSION}")
        manifests = sequence(_read_json(tree, _INDEX), "manifests")
        if len(manifests) != 1:
            raise ArchiveRefused(f"it contains {len(manifests)} images; expected 1")
        manifest = _parse_json(_read_blob(tree, manifests[0], _MAX_JSON), "the manifest")
        layers = sequence(manifest, "layers")
        kinds = [text(layer, "mediaType") for layer in layers]
        if len(layers) != 1 or kinds[0] not in (AGENT_SKILL_CONTENT, LAYER):
            kind_names = ", ".join(map(str, kinds)) or "none"
            raise ArchiveRefused(f"its layers do not contain a skill: {kind_names}")
        _read_blob(tree, layers[0], MAX_TOTAL)
        return open_archive(tree.path(_blob_path(layers[0])))


def _front(skill: Skill) -> Any:
    return skill.front.document.value if skill.front else None


def _config(root: str, version: str, skill: Skill, interface: Interface) -> dict[str, Any]:
    """The config blob, which a registry shows without unpacking the skill."""
    value = _front(skill)
    tools = text(value, "allowed-tools")
    fields = {
        "schemaVersion": "1",
        "name": root,
        "version": version,
        "description": interface.description,
        "license": interface.license,
        "compatibility": text(value, "compatibility"),
        "allowedTools": tools.split() if tools else None,
        "metadata": {
            key: entry
            for key, entry in mapping(value, "metadata").items()
            if isinstance(entry, str)
        },
    }
    return {key: field for key, field in fields.items() if field}


def _annotations(
    root: str, version: str, is_agent_skill: bool, interface: Interface
) -> dict[str, str]:
    image_annotations = {
        f"{_TITLE}.title": root,
        f"{_TITLE}.version": version,
        f"{_TITLE}.description": interface.description,
        f"{_TITLE}.licenses": interface.license,
        _NAME: root if is_agent_skill else "",
    }
    return {key: value for key, value in image_annotations.items() if value}


def _blob(files: dict[str, bytes], kind: str, data: bytes) -> dict[str, Any]:
    """Add a blob to the files and return its descriptor."""
    digest = hashlib.sha256(data).hexdigest()
    files[f"{_BLOBS}/{digest}"] = data
    return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data)}


def _json(value: Mapping[str, Any]) -> bytes:
    """Canonical JSON. A lone surrogate is written as an escape."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace")


def _read_json(tree: DiskTree, path: str) -> Any:
    data = tree.read(path, _MAX_JSON + 1)
    if len(data) > _MAX_JSON:
        raise ArchiveRefused(f"its {path} is larger than {_MAX_JSON >> 20} MiB")
    return _parse_json(data, path)


def _parse_json(data: bytes, what: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ArchiveRefused(f"{what} in it is not valid JSON") from None


def _blob_path(descriptor: Any) -> str:
    match = _DIGEST.fullmatch(text(descriptor, "digest") or "")
    if not match:
        raise ArchiveRefused("it contains a digest that is not SHA-256")
    return f"{_BLOBS}/{match[1]}"


def _read_blob(tree: DiskTree, descriptor: Any, limit: int) -> bytes:
    """Read a blob and verify its size and digest against its descriptor."""
    path = _blob_path(descriptor)
    stated_size = dig(descriptor, "size")
    if stated_size != tree.size(path) or stated_size > limit:
        raise ArchiveRefused(f"{path} in it does not have the stated size, or is too large")
    data = tree.read(path, limit)
    if hashlib.sha256(data).hexdigest() != path.rpartition("/")[2]:
        raise ArchiveRefused(f"the digest of {path} in it does not match its name")
    return data
