"""Compare two versions of a skill: the changes, and the required bump."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.git import GitError
from skillstudio.files.tree import FileTree
from skillstudio.files.workspace import workspace_of
from skillstudio.interface.model import Interface, Place, token
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.installed import attribute_errors
from skillstudio.manifest.locate import locate
from skillstudio.manifest.plugin_skills import PluginSkill, plugin_of
from skillstudio.manifest.project import project
from skillstudio.manifest.scan_patterns import SCRIPTS
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.hashing.content_hash import HashRefused, hash_tree
from skillstudio.skill.lookup import plugin_around
from skillstudio.skill.versions.operands import Operand
from skillstudio.skill.versions.reading import read_skill
from skillstudio.text.versions import is_semver, newest_version, rank_tag

if TYPE_CHECKING:
    from skillstudio.interface.bump import Bump
    from skillstudio.interface.change import Change, Level
    from skillstudio.settings.read import Waiver


class Version(NamedTuple):
    """One version of a skill."""

    operand: Operand
    skill: Skill
    interface: Interface
    version: str  # The version of the manifest, else of the plugin, else of a tag, or "".
    content_hash: str  # `sha256:…` over the files; empty if they cannot be hashed.
    notes: tuple[str, ...] = ()
    versioned_in: str = ""  # The file of the plugin that has the version.
    only_tagged: bool = False  # Whether no file has the version.
    plugin: str = ""  # The name of the plugin, if the version is the plugin's.


class PluginVersions(NamedTuple):
    """The versions of the plugin that a skill was added to or removed from."""

    old: str
    new: str
    file: str


class Comparison(NamedTuple):
    """The result of a comparison. None is a version that does not have the skill."""

    old: Version | None
    new: Version | None
    changes: tuple[Change, ...]
    bump: Bump
    notes: tuple[str, ...] = ()
    unused_waivers: tuple[Waiver, ...] = ()
    content_differs: bool = True  # Whether some file differs, or this is unknown.
    plugin: PluginVersions | None = None  # For an added or removed skill of a plugin.

    @property
    def counts(self) -> dict[Level, int]:
        """Level to the number of changes that are not waived."""
        from skillstudio.interface.change import LEVELS

        level_counts = Counter(change.level for change in self.changes if not change.waived)
        return {level: level_counts[level] for level in LEVELS}


def open_version(operand: Operand, settings: SkillSettings = NO_SETTINGS) -> Version | None:
    """Read an operand's skill; None if there is none. Raises UnreadableManifest, OSError."""
    if operand.tree is None:
        return None
    skill = read_skill(operand, operand.tree, settings)
    interface = project(skill)
    notes = [operand.note] if operand.note else []
    try:
        digests = hash_tree(operand.tree)
    except (HashRefused, OSError) as error:
        content_hash = ""
        notes.append(f"{operand.label} has no content hash: {error}")
    else:
        content_hash = digests.content_hash
        notes += [f"{operand.label}: {warning}" for warning in digests.warnings]
    version, file, owner = interface.version, "", ""
    differs = bool(operand.version and version and version != operand.version)
    plugin = _plugin_of(operand) if differs or not version else None
    # The tag of a plugin has the version of the plugin.
    if differs and (plugin is None or plugin.version != operand.version):
        notes.append(f"{operand.label} declares the version {version}, which differs from its tag")
    if not version and plugin is not None and is_semver(plugin.version):
        version, file, owner = plugin.version, plugin.file, plugin.plugin
    is_tag = not version
    if is_tag:
        from skillstudio.skill.versions.names import names_of

        name_groups = (
            (operand.path,),
            names_of(skill),
            (plugin.plugin,) if plugin else (),
        )
        version = operand.version or newest_version(operand.tags, name_groups)[1]
    details = (version, content_hash, tuple(notes), file, is_tag, owner)
    return Version(operand, skill, interface, *details)


def _plugin_of(operand: Operand) -> PluginSkill | None:
    """The plugin that contains a version of a skill, at the same commit."""
    plugin = None
    if operand.files is not None:
        with suppress(GitError, OSError):
            inside = operand.path.removeprefix(operand.submodule).lstrip("/")
            plugin = plugin_of(operand.files(), inside if inside != "." else "")
    elif operand.folder and not operand.commit:
        plugin = plugin_around(operand.folder)
    return plugin if plugin is not None and plugin.contains_skill else None


def compare_versions(
    old: Version | None,
    new: Version | None,
    *,
    ruleset: str = "default",
    waivers: Collection[Waiver] = (),
    workspace: str | None = None,
    absent: Operand | None = None,
) -> Comparison:
    """Compare two versions. Waived changes are kept and marked.

    `absent` is the operand that does not have the skill, where the plugin of the other version may
    have a version, too.

    `workspace` is the folder whose protos, recipes and skills are searched for uses of what broke.
    At least one version must exist.
    """
    # Most commands open a version and compare none.
    from skillstudio.interface.compare import compare
    from skillstudio.interface.kinds import KindUnknown
    from skillstudio.manifest.changes import all_kinds

    old, new = _released_as(old, new)
    reasons = {waiver.fingerprint: waiver.reason for waiver in waivers}
    interfaces: tuple[Interface | None, Interface | None]
    interfaces = (old.interface if old else None, new.interface if new else None)
    differs = _differs(old, new)
    if old is not None and new is not None and differs:
        interfaces = _with_script_options(old, new)
    if ruleset == "security" and old is not None and new is not None:
        before, after = interfaces[0] or old.interface, interfaces[1] or new.interface
        interfaces = _with_scripts(old, before), _with_scripts(new, after)
    try:
        all_changes = compare(*interfaces, all_kinds(), ruleset)
    except KindUnknown:
        skills = [version.skill for version in (new, old) if version]
        distributions = [
            manifest.dialect.distribution for skill in skills for manifest in skill.manifests
        ]
        with attribute_errors(next(filter(None, distributions), "")):
            raise
    changes = all_changes
    used: set[str] = set()
    if reasons:
        # A fingerprint takes long, and most skills waive nothing.
        marks = [change.fingerprint for change in all_changes]
        used.update(marks)
        changes = tuple(
            change._replace(waived=reasons[mark]) if mark in reasons else change
            for change, mark in zip(all_changes, marks, strict=True)
        )
    if workspace is not None and old is not None:
        # Imported only if affected files are requested.
        from skillstudio.skill.versions.impact import add_hits
        from skillstudio.skill.versions.names import names_of

        names = names_of(old.skill)
        changes = add_hits(changes, names, old.interface, new.interface if new else None, workspace)
    plugin = _plugin_versions(old, new, absent) if absent is not None else None
    return Comparison(
        old,
        new,
        changes,
        _bump(old, new, changes, differs, plugin),
        tuple(_notes(old, new)),
        tuple(waiver for waiver in waivers if waiver.fingerprint not in used),
        differs,
        plugin,
    )


def _released_as(old: Version | None, new: Version | None) -> tuple[Version | None, Version | None]:
    """Both versions with those of their plugin, if the skill is released with the plugin.

    It is if the older version has a tag of the plugin, or else if the plugin's version changed and
    the skill's did not; a tag of the skill itself takes precedence.
    """
    if old is None or new is None or not (old.interface.version and new.interface.version):
        return old, new
    before, after = _plugin_of(old.operand), _plugin_of(new.operand)
    if before is None or after is None or before.file != after.file:
        return old, new
    if not (is_semver(before.version) and is_semver(after.version)):
        return old, new
    from skillstudio.skill.versions.names import names_of

    skill_names = (old.operand.path, *names_of(old.skill))
    ranks = [
        (*rank_tag(tag, (skill_names, (before.plugin,))), tag)
        for tag in (old.operand.ref, *old.operand.tags)
    ]
    rank, version, _ = min((row for row in ranks if row[1]), default=(2, "", ""))
    if rank == 0:
        return old, new
    by_tag = rank == 1 or (version == before.version != old.interface.version)
    is_raised = old.interface.version == new.interface.version and before.version != after.version
    if not (by_tag or is_raised):
        return old, new
    sides = ((old, before), (new, after))
    versions = [
        side._replace(version=plugin.version, versioned_in=plugin.file, plugin=plugin.plugin)
        for side, plugin in sides
    ]
    return versions[0], versions[1]


def _plugin_versions(
    old: Version | None, new: Version | None, absent: Operand
) -> PluginVersions | None:
    """Both versions of a plugin that has a skill at one side only; None if it has no two."""
    version = new if new is not None else old
    if version is None or not version.versioned_in or (old is not None and new is not None):
        return None
    plugin = _plugin_of(absent)
    if plugin is None or plugin.file != version.versioned_in or not is_semver(plugin.version):
        return None
    versions = (
        (version.version, plugin.version) if new is None else (plugin.version, version.version)
    )
    return PluginVersions(*versions, plugin.file)


def candidates(folder: str) -> list[tuple[str, str]]:
    """Label and operand of the working tree, HEAD, tags, and skills of the same name."""
    from skillstudio.files.repository import open_repository
    from skillstudio.skill.versions.history import tag_names, tags_of
    from skillstudio.skill.versions.names import names_of, skills_named

    folder = os.path.abspath(folder)
    names = names_of(locate(DiskTree(folder)).skill)
    choices = [("working tree", folder)]
    try:
        with open_repository(folder) as repository:
            if repository.has("HEAD"):
                name_groups = tag_names(repository, repository.prefix(folder), names)
                refs = ["HEAD", *(tag.ref for tag in tags_of(repository.tags(), name_groups))]
                choices += [(ref, f"{folder}@{ref}") for ref in refs]
    except GitError:
        # Without a repository there are only folders.
        pass
    root = workspace_of(folder)
    real_folder = os.path.realpath(folder)
    for path in skills_named(DiskTree(root), names[0]):
        other = os.path.join(root, *path.split("/")) if path else root
        if os.path.realpath(other) != real_folder:
            choices.append((path or ".", other))
    return choices


def _with_script_options(old: Version, new: Version) -> tuple[Interface, Interface]:
    """The interfaces with the options of the scripts of plain skills."""
    trees = old.operand.tree, new.operand.tree
    interfaces = old.interface, new.interface
    if trees[0] is None or trees[1] is None or any(side.declared for side in interfaces):
        return interfaces
    # Reading scripts needs parsers, which skills with a manifest do without.
    from skillstudio.skill.versions.script_options import with_script_options

    return with_script_options(*interfaces, (trees[0], trees[1]))


def _with_scripts(version: Version, interface: Interface) -> Interface:
    """The interface with the digest of each script, as a changed script changes what runs."""
    tree = version.operand.tree
    scripts: dict[str, str] = {}
    with suppress(HashRefused, OSError):
        files = hash_tree(tree).files if tree is not None else ()
        scripts = {file.path: file.sha256 for file in files if tree and _is_script(tree, file.path)}
    places = {f"/scripts/{token(path)}": Place(path, 1, 1) for path in scripts}
    return interface._replace(scripts=scripts, places={**interface.places, **places})


def _is_script(tree: FileTree, path: str) -> bool:
    """Whether a file is a program: by its suffix, its mode or its first line."""
    is_named = path.lower().endswith((*SCRIPTS, ".wasm"))
    return is_named or bool(tree.mode(path) & 0o111) or tree.read(path, 2) == b"#!"


def _differs(old: Version | None, new: Version | None) -> bool:
    """Whether some file differs; without digests, all bytes are compared."""
    if old is None or new is None:
        return True
    if old.content_hash or new.content_hash:
        return old.content_hash != new.content_hash
    from skillstudio.skill.hashing.same_files import same_files

    before, after = old.operand.tree, new.operand.tree
    return before is None or after is None or not same_files(before, after)


def _bump(
    old: Version | None,
    new: Version | None,
    changes: tuple[Change, ...],
    differs: bool,
    plugin: PluginVersions | None,
) -> Bump:
    from skillstudio.interface.bump import Bump, judge_bump
    from skillstudio.interface.change import LEVELS

    if plugin is not None:
        return judge_bump(plugin.old, plugin.new, changes, differs)
    if old is not None and new is not None:
        bump = judge_bump(old.version, new.version, changes, differs, old.only_tagged)
        # Without a difference from HEAD, all changes since the last release may be committed.
        return bump if differs else bump._replace(no_release=old.operand.no_release)
    levels = {change.level for change in changes if not change.waived}
    required_level: Level = next((level for level in LEVELS if level in levels), "none")
    return Bump("none", required_level, True, "", ())


def _notes(old: Version | None, new: Version | None) -> Iterable[str]:
    for version in (old, new):
        yield from version.notes if version else ()
    if old is None or new is None:
        return
    before, after = old.interface.dialects, new.interface.dialects
    if set(before) != set(after):
        was, now = (", ".join(side) or "none" for side in (before, after))
        yield f"the dialect changed from {was} to {now}; only their interfaces are compared"
    if old.interface.name != new.interface.name:
        yield f"the names differ: {old.interface.name} and {new.interface.name}"
