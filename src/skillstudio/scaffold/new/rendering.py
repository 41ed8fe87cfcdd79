"""Render a template with all answers into the files of a new skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.files.ignore import Ignore, IgnoreRefused
from skillstudio.files.left_out import why_not_copied
from skillstudio.files.listed import MemoryTree
from skillstudio.files.placing import path_fault, tree_fault
from skillstudio.scaffold.new.copier_file import CopierPosition, TemplateFault
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.renderer import RenderFailure, RenderItem

_START = CopierPosition(1, 1)
_NO_LINKS: Mapping[str, str] = {}


class RenderedSkill(NamedTuple):
    """Rendered files by path, and the executable ones."""

    name: str
    files: dict[str, bytes]
    executable: frozenset[str]
    notes: tuple[str, ...] = ()  # Template files that are excluded, and why.
    links: Mapping[str, str] = _NO_LINKS  # Symbolic links by path, with their targets.
    next: str = ""  # What to do with the new skill, from the template.
    left_paths: frozenset[str] = frozenset()  # Files that an update leaves to the author.

    @property
    def tree(self) -> MemoryTree:
        """The files as a tree."""
        return MemoryTree(self.files, self.name, self.executable, self.links)


def render(interview: Interview, answers: Mapping[str, Any]) -> RenderedSkill:
    """Render the contents and paths of all files. Raises RendererMissing, TemplateFault."""
    return _Rendering(interview, answers).run()


class _Rendering:
    def __init__(self, interview: Interview, answers: Mapping[str, Any]) -> None:
        self.interview = interview
        self.template = interview.template
        self.context = {**interview.context(answers), "_copier_phase": "render"}
        self.notes: list[str] = []

    def run(self) -> RenderedSkill:
        sources: dict[str, str] = {}
        names = self._names(self._sources())
        ignore = self._patterns("_exclude", self.template.exclude)
        left_patterns = self._patterns("_skip_if_exists", self.template.skip_if_exists)
        for source, path in names.items():
            if path is None or ignore.hides(path):
                continue
            where = f"{self.template.location}/{source}"
            if path == self.template.answers_file:
                continue  # `create` writes its own.
            if fault := path_fault(path):
                raise TemplateFault(f"its name renders to {path!r}, which {fault}", where)
            if why_not_copied(path):
                continue
            if path in sources:
                raise TemplateFault(f"it renders to {path}, and so does {sources[path]}", where)
            sources[path] = source
        if fault := tree_fault(sources):
            raise TemplateFault(fault, self.template.location)
        if not sources:
            raise TemplateFault("the template renders no files", self.template.location)
        executable = self.interview.contents.executable
        links = {path: source for path, source in sources.items() if source in self._links}
        rendered_skill = RenderedSkill(
            self.interview.folder,
            self._files({path: source for path, source in sources.items() if path not in links}),
            frozenset(path for path, source in sources.items() if source in executable),
            tuple(self.notes),
            {path: self._target(source) for path, source in links.items()},
            next=self.template.next,
            left_paths=frozenset(filter(left_patterns.hides, sources)),
        )
        tree = rendered_skill.tree
        for path, source in links.items():
            if tree.resolve(path) is None:
                raise TemplateFault(
                    f"a link to {rendered_skill.links[path]}, which is outside of the rendered "
                    "files or not one of them",
                    f"{self.template.location}/{source}",
                )
        return rendered_skill

    @property
    def _links(self) -> Mapping[str, str]:
        return self.interview.contents.links

    def _target(self, source: str) -> str:
        """The target of a link, rendered if the link's name has the suffix, as Copier does."""
        target, suffix = self._links[source], self.template.suffix
        if not suffix or not source.endswith(suffix):
            return target
        (text,) = self.interview.renderer.render(self.context, [RenderItem("text", target)])
        if isinstance(text, RenderFailure):
            raise TemplateFault(f"its target: {text.message}", f"{self.template.location}/{source}")
        return text

    def _sources(self) -> dict[str, str]:
        """Files to render: path in the template to path in its subdirectory."""
        below = self._text(self.template.subdirectory, "_subdirectory").rstrip("/")
        below = "" if below == "." else below
        if below and (fault := path_fault(below)):
            raise self.template.config.fault(f"_subdirectory {fault}", "_subdirectory")
        start = f"{below}/" if below else ""
        suffix = self.template.suffix
        files = {**self.interview.contents.files, **self._links}
        return {
            path: path[len(start) :]
            for path in files
            if path.startswith(start) and not (suffix and path + suffix in files)
        }

    def _names(self, sources: Mapping[str, str]) -> dict[str, str | None]:
        """The rendered path of each source; None if a part of it is empty."""
        suffix = self.template.suffix
        stems = {
            source: path[: -len(suffix)] if suffix and path.endswith(suffix) else path
            for source, path in sources.items()
        }
        parts = {part: None for stem in stems.values() for part in stem.split("/")}
        items = [RenderItem("text", part) for part in parts]
        by_part = dict(zip(parts, self.interview.renderer.render(self.context, items), strict=True))
        names: dict[str, str | None] = {}
        for source, stem in stems.items():
            path_parts: list[str] = []
            for part in stem.split("/"):
                name = by_part[part]
                if isinstance(name, RenderFailure):
                    path = f"{self.template.location}/{source}"
                    raise TemplateFault(f"its name: {name.message}", path)
                path_parts.append(name)
                if not name:
                    break
            names[source] = "/".join(path_parts) if all(path_parts) else None
        return names

    def _files(self, sources: Mapping[str, str]) -> dict[str, bytes]:
        contents = self.interview.contents
        suffix = self.template.suffix
        template_sources = [
            s for s in sources.values() if s.endswith(suffix) and s in contents.texts
        ]
        for source in sources.values():
            if suffix and source.endswith(suffix) and source not in contents.texts:
                raise TemplateFault("not UTF-8", f"{self.template.location}/{source}", _START)
        items = [RenderItem("file", source) for source in template_sources]
        replies = self.interview.renderer.render(self.context, items)
        by_source = dict(zip(template_sources, replies, strict=True))
        files: dict[str, bytes] = {}
        for path, source in sources.items():
            text = by_source.get(source)
            if isinstance(text, RenderFailure):
                where = f"{self.template.location}/{source}"
                failure = text if text.name or text.line is None else text._replace(name=source)
                raise self.interview.fault_of(failure, where, _START)
            if text is None:
                files[path] = contents.files[source]
            else:
                files[path] = text.encode("utf-8", "replace")
        return files

    def _patterns(self, key: str, patterns: Sequence[str]) -> Ignore:
        lines = [self._text(pattern, key) for pattern in patterns]
        try:
            return Ignore("\n".join(lines).encode("utf-8", "replace"), key)
        except IgnoreRefused as error:
            raise self.template.config.fault(str(error), key) from None

    def _text(self, text: str, key: str) -> str:
        (reply,) = self.interview.renderer.render(self.context, [RenderItem("text", text)])
        if isinstance(reply, RenderFailure):
            place = self.template.config.place(key, "default")
            raise self.interview.fault_of(reply, self.template.config.path, place)
        return reply
