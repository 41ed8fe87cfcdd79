"""The version tuple of a skill (ADR-003)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.skill.hashing.content_hash import TreeHash, hash_tree
from skillstudio.skill.hashing.sanitise import sanitise_value
from skillstudio.skill.lookup import Stated, stated_names, stated_version
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.versions import TagNames, is_semver, newest_version

if TYPE_CHECKING:
    from skillstudio.files.repository import Tag

NIX_STORE = "/nix/store"

Purpose = Literal["nix", "dev", "replay", "pin"]
PRIMARY: dict[Purpose, tuple[str, ...]] = {
    "nix": ("nix_store_path",),
    "dev": ("content_hash",),
    "replay": ("nix_store_path", "content_hash"),
    "pin": ("content_hash", "version"),
}
"""ADR-003, "Identity Selection by Context": the first of these that a skill has."""

_URL = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]*://)(?:[^/?#]*@)?([^?#]*)")
_SCP = lazy_pattern(r"(?:[^/\\:]*@)?(\[[^\]]+\]|[^/\\:@]{2,}):(?!:)/*(.+)", re.DOTALL)


class Origin(NamedTuple):
    """The origin of a skill according to git; empty strings if unknown."""

    ref: str = ""  # `git+URL#name` without user, password and query.
    rev: str = ""
    """The newest commit that changed the skill; later commits do not change its version."""
    dirty: tuple[str, ...] = ()
    """Files of the skill with uncommitted changes, relative to the skill."""
    tag: str = ""  # The tag at HEAD with a version of the skill.
    version: str = ""
    note: str = ""


class Identity(NamedTuple):
    """All identifying fields of one version of a skill."""

    name: str
    digests: TreeHash
    nix_store_path: str
    source: Origin
    version: Stated
    deployed_at: str
    notes: tuple[str, ...]

    @property
    def version_tuple(self) -> dict[str, str | None]:
        """The version tuple in the order of ADR-003; null for unknown fields."""
        return {
            "nix_store_path": self.nix_store_path or None,
            "source_ref": self.source.ref or None,
            "source_rev": self.source.rev or None,
            "content_hash": self.digests.content_hash,
            "version": self.version.version or None,
            "deployed_at": self.deployed_at or None,
        }

    def primary(self, purpose: Purpose) -> tuple[str, str] | None:
        """The field that identifies the skill for a purpose, and its value; else None."""
        version_tuple = self.version_tuple
        return next(
            ((field, value) for field in PRIMARY[purpose] if (value := version_tuple[field])), None
        )

    def as_json(self, share: bool = False) -> dict[str, Any]:
        """All fields; with `share`, without personal paths."""
        value = {
            "name": self.name,
            "skill_version": self.version_tuple,
            "tree_sha256": self.digests.tree_sha256,
            "version_from": self.version.where or None,
            "dirty": list(self.source.dirty),
            "notes": list(self.notes),
        }
        return dict(sanitise_value(value)) if share else value


def identify(
    skill: Skill, folder: str, deployed_at: str = "", store: str = NIX_STORE, commit: str = ""
) -> Identity:
    """The version tuple of a skill in `folder`, or in that folder at a `commit`.

    The folder of a skill in an archive is "". `deployed_at` is the deployment time, if the caller
    knows it (see `parse_time`). Raises content_hash.HashRefused if the files have no hash.
    """
    digests = hash_tree(skill.tree)
    names = (*stated_names(skill), skill.name)
    source = Origin(note="no source: the skill is in an archive")
    if folder:
        source = source_of(folder, tuple(dict.fromkeys(names)), commit)
    version = stated_version(skill)
    notes = [*digests.warnings, *([source.note] if source.note else [])]
    if not version.version and source.version:
        dirty_note = ", with uncommitted changes" if source.dirty else ""
        at = commit[:12] or "HEAD"
        version = Stated(source.version, f"tag {source.tag} at {at}{dirty_note}")
    elif version.version and not is_semver(version.version):
        notes.append(f"the version {version.version} is not a semantic version")
    store_path = nix_store_path(folder, store) if folder and not commit else ""
    return Identity(names[0], digests, store_path, source, version, deployed_at, tuple(notes))


def nix_store_path(folder: str, store: str = NIX_STORE) -> str:
    """The resolved folder if it is in the Nix store, else ""."""
    real = os.path.realpath(folder)
    return real if real.startswith(store.rstrip("/") + "/") else ""


def source_of(folder: str, names: tuple[str, ...], commit: str = "") -> Origin:
    """The git origin of a skill's folder, now or at a `commit`, with the first name."""
    from skillstudio.files.git import GitError
    from skillstudio.files.repository import open_repository

    try:
        with open_repository(folder) as repository:
            path = repository.prefix(folder)
            commits = repository.history(path, commit or "HEAD", limit=1)
            if not commits:
                return Origin(note="no source: no commit contains the skill")
            repository.require_folder(commit or "HEAD", path)
            head = commit or repository.commit("HEAD")
            tag, version = _tag_at_head(repository.tags(), head, ((path,), names))
            inside = path + "/" if path else ""
            configuration = repository.configuration()
            dirty_paths = [] if commit else repository.dirty(path, configuration)
            dirty = tuple(file.removeprefix(inside) for file in dirty_paths)
            ref = f"{source_url(repository.remote(configuration), repository.root)}#{names[0]}"
            return Origin(ref, commits[0], dirty, tag, version)
    except GitError as error:
        return Origin(note=f"no source: {error}")


def _tag_at_head(tags: Iterable[Tag], head: str, names: TagNames) -> tuple[str, str]:
    """The tag of a commit with a version of the skill, and the version."""
    # A bare 1.0.0 may be the tag of anything.
    tag_names = (tag.name for tag in tags if tag.commit == head and not is_semver(tag.name))
    return newest_version(tag_names, names)


def source_url(remote: str, root: str) -> str:
    """The `git+URL` of a repository: its remote, else the local folder.

    User, password, query and fragment are removed, because any of them may be a secret.
    """
    url = _URL.match(remote)
    if url:
        scheme = url[1] if url[1].lower().startswith("git+") else f"git+{url[1]}"
        return scheme + url[2]
    scp = _SCP.fullmatch(remote)
    if scp:
        return f"git+ssh://{scp[1]}/{scp[2]}"
    # A remote such as `ext::…` is a command, not a URL.
    return _file_url(os.path.join(root, remote) if remote and "::" not in remote else root)


def _file_url(path: str) -> str:
    from urllib.parse import quote

    plain = os.path.normpath(path).replace(os.sep, "/")
    rooted_path = plain if plain.startswith("/") else f"/{plain}"
    return f"git+file://{quote(rooted_path, safe='/:@!$&()*+,;=~', errors='surrogateescape')}"


def parse_time(text: str) -> str:
    """Convert an ISO 8601 date and time with a time zone to UTC, in seconds. Raises ValueError."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
        utc = moment.astimezone(UTC).replace(microsecond=0, tzinfo=None)
    except (ValueError, OverflowError):
        raise ValueError("not an ISO 8601 date and time") from None
    if moment.tzinfo is None:
        raise ValueError("the time zone is missing")
    return f"{utc.isoformat()}Z"
