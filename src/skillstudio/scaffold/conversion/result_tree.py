"""The files of an exported skill: those of the source with some replaced and some removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillstudio.files.left_out import why_not_copied
from skillstudio.files.tree import FileEntry, FileTree, Kind, Overlay

_NONE: Mapping[str, str] = {}


class ResultTree(Overlay):
    """An overlay that has a new name and hides some files."""

    def __init__(
        self,
        tree: FileTree,
        name: str,
        files: dict[str, bytes],
        removed_paths: frozenset[str],
        exclusions: Mapping[str, str] = _NONE,
    ) -> None:
        super().__init__(tree, files)
        self.name = name
        self.exclusions = exclusions  # Reasons by path of an entry that `tree` lacks.
        self._removed_paths = removed_paths - files.keys()

    def kind(self, path: str) -> Kind | None:
        return None if path in self._removed_paths else super().kind(path)

    def list(self, path: str = "") -> list[FileEntry]:
        inside = f"{path}/" if path else ""
        return [
            entry for entry in super().list(path) if inside + entry.name not in self._removed_paths
        ]

    def resolve(self, path: str) -> str | None:
        return None if path in self._removed_paths else super().resolve(path)


class CopiedFiles(Mapping[str, bytes]):
    """The files of a tree, read on access; a link to a file in the skill is copied as that file."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        exclusions = tree.exclusions if isinstance(tree, ResultTree) else {}
        self.exclusion_reasons: dict[str, str] = dict(
            exclusions
        )  # Reasons by path of an entry that is not copied.
        self.executable: set[str] = set()
        self._paths = dict(self._walk(""))

    def __getitem__(self, path: str) -> bytes:
        target = self._paths[path]
        try:
            return self._tree.read(target)
        except OSError as error:
            raise OSError(error.errno, f"{target} cannot be read: {error.strerror}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def _walk(self, folder: str) -> Iterator[tuple[str, str]]:
        for entry in self._tree.list(folder):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if reason := why_not_copied(f"{entry.name}/" if entry.kind == "folder" else entry.name):
                self.exclusion_reasons[path] = reason
                continue
            if entry.kind == "folder":
                yield from self._walk(path)
                continue
            target = path if entry.kind == "file" else self._target(path, entry.kind)
            if target is not None:
                if self._tree.mode(target) & 0o111:
                    self.executable.add(path)
                yield path, target

    def _target(self, path: str, kind: Kind) -> str | None:
        """The file that a link points to, or None with a reason in `exclusion_reasons`."""
        target = self._tree.resolve(path) if kind == "link" else None
        if kind != "link":
            self.exclusion_reasons[path] = "it is not a regular file"
        elif target is None:
            missing = "points outside of the skill or to a file that does not exist"
            self.exclusion_reasons[path] = f"the link {missing}"
        elif self._tree.kind(target) == "file":
            return target
        else:
            self.exclusion_reasons[path] = "the link does not point to a file"
        return None
