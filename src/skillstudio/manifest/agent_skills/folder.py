"""Find files of a skill that no text mentions."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.files.tree import FileEntry
from skillstudio.manifest.dialect import Skill
from skillstudio.text.diagnostic import Diagnostic

EXEMPT = frozenset(
    [
        *("agents", "authors", "changelog", "contributing", "evals", "license", "licence"),
        *("notice", "readme", "samples", "security", "skill", "skillstudio", "test", "tests"),
    ]
)
"""Names, without extension, that people and tools find without a mention."""

MAX_ENTRIES = 2_000
MAX_READ = 50
MAX_BYTES = 256 * 1024
_TEXTS = (".md", ".txt", ".json", ".yaml", ".yml", ".toml", ".py", ".sh", ".js", ".ts", ".html")


def check_folder(skill: Skill) -> Iterator[Diagnostic]:
    """`file-unmentioned` for entries next to SKILL.md, unless a manifest file declares them."""
    if skill.markdown is None or any(m.dialect.carrier == "file" for m in skill.manifests):
        return
    try:
        entries = skill.tree.list()
    except OSError:
        # The folder was readable before; the reader of the files reports the error.
        return
    if len(entries) > MAX_ENTRIES:
        return
    asked = [entry for entry in entries if not _is_exempt(entry)]
    text = skill.markdown.source.text
    left = [entry for entry in asked if not _mentions(text, entry, skill)]
    if left:
        said = list(_texts_beside(skill, [entry for entry in asked if entry not in left]))
        left = [entry for entry in left if not any(_mentions(t, entry, skill) for t in said)]
    for entry in left:
        slash = "/" if entry.kind == "folder" else ""
        message = f"nothing mentions {entry.name}{slash}, so agents will not find it"
        yield Diagnostic("file-unmentioned", message, path=skill.markdown.source.path)


def _is_exempt(entry: FileEntry) -> bool:
    name = entry.name
    return name.startswith((".", "__")) or name.partition(".")[0].lower() in EXEMPT


def _mentions(text: str, entry: FileEntry, skill: Skill) -> bool:
    """Whether a text mentions a file or folder, or a file in that folder."""
    if entry.name in text:
        return True
    if entry.kind != "folder":
        stem, dot, _ = entry.name.rpartition(".")
        return bool(dot) and len(stem) > 4 and stem in text
    return any(inner.name in text for inner in _inside(entry, skill))


def _inside(entry: FileEntry, skill: Skill) -> list[FileEntry]:
    try:
        return skill.tree.list(entry.name)[:MAX_ENTRIES]
    except OSError:
        return []


def _texts_beside(skill: Skill, mentioned: list[FileEntry]) -> Iterator[str]:
    """The text files that SKILL.md mentions, up to limits on number and size."""
    paths = []
    for entry in mentioned:
        if entry.kind == "file":
            paths.append((entry.name, entry.size))
        elif entry.kind == "folder":
            paths += [
                (f"{entry.name}/{inner.name}", inner.size)
                for inner in _inside(entry, skill)
                if inner.kind == "file"
            ]
    texts = [path for path, size in paths if path.endswith(_TEXTS) and size <= MAX_BYTES]
    for path in texts[:MAX_READ]:
        try:
            yield skill.tree.read(path, MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
