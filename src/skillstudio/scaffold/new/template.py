"""Load the questions, settings and files of a template in Copier's format."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skillstudio.files.left_out import why_not_copied
from skillstudio.files.tree import FileEntry, FileTree
from skillstudio.scaffold.new.copier_file import (
    LARGEST,
    CopierFile,
    TemplateFault,
    read_copier_file,
)
from skillstudio.scaffold.new.renderer import LINE_MARKS, MARKS, marks_of

FILES = ("copier.yml", "copier.yaml")
TYPES = ("bool", "float", "int", "json", "path", "str", "yaml")
USUAL_EXCLUDE = ("copier.yaml", "copier.yml", "~*", "*.py[co]", "__pycache__", ".DS_Store", ".svn")
"""Copier's default exclusions for a template without a subdirectory."""
MAX_FILES = 2_000
MAX_TOTAL = 16 << 20  # Bytes of all files of a template.
MAX_DEPTH = 40

_OPTIONS = (
    *MARKS,
    *LINE_MARKS,
    *("variable_end_string", "block_end_string", "comment_end_string", "newline_sequence"),
    *("autoescape", "keep_trailing_newline", "lstrip_blocks", "optimized", "trim_blocks"),
    "undefined",
)
_UNDEFINED_CLASSES = ("jinja2.Undefined", "jinja2.StrictUndefined")
_HARMLESS = frozenset({"jinja2.ext.do", "jinja2.ext.loopcontrols"})
"""Jinja's own extensions without access outside of a template."""
_REFUSED_SETTINGS = {
    "_tasks": "it runs commands",
    "_jinja_extensions": "it runs Python code",
    "_external_data": "it reads files outside of the template",
}
"""Unsupported keys; `_migrations` only affects updates and is ignored."""
_MIGRATIONS_NOTE = "the template has _migrations, which run commands; skillstudio does not run them"

MISSING: Any = type("Missing", (), {"__repr__": lambda _: "MISSING", "__bool__": lambda _: False})()
"""An absent default; `null` is a valid default."""


@dataclass(frozen=True)
class Question:
    """One question of `copier.yml`. Strings can be templates."""

    name: str
    type: str = ""  # One of TYPES; "" if the default determines it.
    help: str = ""
    default: Any = MISSING
    choices: Any = None
    """A list of values or of [label, value], a mapping of labels to values, or a template."""
    validator: str = ""
    when: str | bool = True
    secret: bool = False
    multiselect: bool = False
    multiline: bool = False
    placeholder: str = ""

    @property
    def values(self) -> list[Any] | None:
        """The values to choose from; None if any value is valid or a template computes them."""
        if isinstance(self.choices, Mapping):
            return [_value(choice) for choice in self.choices.values()]
        if isinstance(self.choices, list):
            return [
                _value(choice[1]) if isinstance(choice, list) and len(choice) == 2 else choice
                for choice in self.choices
            ]
        return None


@dataclass(frozen=True)
class Template:
    """A template in Copier's format."""

    name: str
    tree: FileTree
    origin: str  # `package`, `user`, `path` or `git`.
    location: str  # The folder or URL, for messages.
    config: CopierFile
    questions: tuple[Question, ...]
    description: str = ""
    dialect: str | None = None  # The declared dialect of the skill, or "".
    next: str = ""  # What to do with a new skill, such as which part is an example to replace.
    envops: Mapping[str, Any] = field(default_factory=dict)
    extensions: tuple[str, ...] = ()
    exclude: tuple[str, ...] = USUAL_EXCLUDE
    subdirectory: str = ""
    suffix: str = ".jinja"
    preserves_links: bool = False  # Whether links are kept, not replaced by what they lead to.
    answers_file: str = ".copier-answers.yml"
    commit: str = ""  # Of a template in a git repository; its tag, if it was opened at one.
    ref: str = ""  # The branch, or HEAD, that was named for it and that updates follow.
    skip_if_exists: tuple[str, ...] = ()  # Patterns of files that an update leaves to the author.
    update_notes: tuple[str, ...] = ()  # What an update does not use, and why.


def is_template(tree: FileTree) -> bool:
    """Whether a folder contains a `copier.yml`."""
    return any(tree.kind(name) == "file" for name in FILES)


def read_template(tree: FileTree, name: str, origin: str, location: str) -> Template:
    """Read the questions and settings of a template. Raises TemplateFault."""
    files = [file for file in FILES if tree.kind(file) is not None]
    if not files:
        raise TemplateFault("not a template: it does not contain copier.yml", location)
    path = f"{location}/{files[0]}"
    if len(files) > 1:
        raise TemplateFault("both copier.yml and copier.yaml exist; remove one", path)
    try:
        data = tree.read(files[0], LARGEST + 1)
    except OSError as error:
        raise TemplateFault(f"cannot be read: {error.strerror or error}", path) from None
    return _TemplateReader(read_copier_file(data, path)).template(tree, name, origin, location)


class _TemplateReader:
    """The settings of one `copier.yml`, with their types checked."""

    def __init__(self, config: CopierFile) -> None:
        self.config = config
        self._fault = config.fault
        self.marks: list[str] = []

    def template(self, tree: FileTree, name: str, origin: str, location: str) -> Template:
        for key, why in _REFUSED_SETTINGS.items():
            value = self.config.values.get(key)
            if key == "_jinja_extensions" and isinstance(value, list):
                value = [extension for extension in value if extension not in _HARMLESS]
            if value:
                raise self._fault(f"{key} is not supported: {why}", key)
        envops = self._envops()
        self.marks = marks_of(envops)
        section = self._setting("_skillstudio", dict, {})
        dialect = section.get("dialect")
        subdirectory = self._setting("_subdirectory", str, "")
        exclude = self._texts("_exclude", () if subdirectory else USUAL_EXCLUDE)
        secret = self._texts("_secret_questions", ())
        return Template(
            name=name,
            tree=tree,
            origin=origin,
            location=location,
            config=self.config,
            questions=tuple(
                self._question(key, value, key in secret)
                for key, value in self.config.values.items()
                if not key.startswith("_")
            ),
            description=self._text(section, "_skillstudio", "description"),
            dialect=None if dialect is None else self._text(section, "_skillstudio", "dialect"),
            next=self._text(section, "_skillstudio", "next"),
            envops=envops,
            extensions=self._texts("_jinja_extensions", ()),
            exclude=exclude,
            subdirectory=subdirectory,
            suffix=self._setting("_templates_suffix", str, ".jinja"),
            preserves_links=self._setting("_preserve_symlinks", bool, False),
            answers_file=self._setting("_answers_file", str, ".copier-answers.yml"),
            skip_if_exists=self._texts("_skip_if_exists", ()),
            update_notes=(_MIGRATIONS_NOTE,) if self.config.values.get("_migrations") else (),
        )

    def _envops(self) -> dict[str, Any]:
        options: dict[str, Any] = {"keep_trailing_newline": True}
        for key, value in self._setting("_envops", dict, {}).items():
            if key not in _OPTIONS:
                raise self._fault(f"{key} is not a supported option", "_envops", key)
            if not isinstance(value, (str, bool)) and value is not None:
                raise self._fault(f"{key} must be a string, true or false", "_envops", key)
            if key == "undefined" and value not in _UNDEFINED_CLASSES:
                class_names = ", ".join(_UNDEFINED_CLASSES)
                raise self._fault(f"undefined must be one of {class_names}", "_envops", key)
            if key in MARKS and not value:
                raise self._fault(f"{key} is empty", "_envops", key)
            options[key] = value
        if len(set(marks_of(options))) < len(MARKS):
            raise self._fault(f"{', '.join(MARKS)} must differ", "_envops")
        return options

    def _question(self, name: str, value: Any, secret: bool) -> Question:
        if not name.isidentifier():
            raise self._fault(f"the question name {name!r} cannot be used in a template", name)
        if not isinstance(value, dict):
            value = {"default": value}
        default = value.get("default", MISSING)
        kind = self._text(value, name, "type")
        has_marks = any(mark in kind for mark in self.marks)
        if kind and kind not in TYPES and not has_marks:
            raise self._fault(f"unknown type {kind!r}; use one of {', '.join(TYPES)}", name, "type")
        choices = value.get("choices")
        if choices is not None and not isinstance(choices, (list, dict, str)):
            raise self._fault("choices must be a list or a mapping", name, "choices")
        when = value.get("when", True)
        if not isinstance(when, (str, bool)):
            raise self._fault("when must be a condition", name, "when")
        return Question(
            name=name,
            # As in Copier, that of the default, else YAML.
            type=kind or (type(default).__name__ if type(default) in _SCALARS else "yaml"),
            help=self._text(value, name, "help"),
            default=default,
            choices=choices or None,
            validator=self._text(value, name, "validator"),
            when=when,
            secret=secret or value.get("secret") is True,
            multiselect=value.get("multiselect") is True,
            multiline=value.get("multiline") is True,
            placeholder=self._text(value, name, "placeholder"),
        )

    def _text(self, value: dict[str, Any], name: str, key: str) -> str:
        text = value.get(key)
        if text is not None and not isinstance(text, str):
            raise self._fault(f"{key} must be a string", name, key)
        return text or ""

    def _setting(self, key: str, kind: type, default: Any) -> Any:
        value = self.config.values.get(key)
        if value is None:
            return default
        if not isinstance(value, kind):
            raise self._fault(f"{key} must be a {_KINDS[kind]}", key)
        return value

    def _texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        elements = self._setting(key, list, default)
        if not all(isinstance(element, str) for element in elements):
            raise self._fault(f"{key} must be a list of strings", key)
        return tuple(elements)


_SCALARS = (bool, int, float, str)
_KINDS: dict[type, str] = {bool: "boolean", dict: "mapping", list: "list", str: "string"}


def _value(choice: Any) -> Any:
    """The value of a choice, which may include a reason why it is disabled."""
    return choice.get("value") if isinstance(choice, Mapping) else choice


class TemplateContents(NamedTuple):
    """Files by path: bytes, and text if it is UTF-8; links that are kept, with their targets."""

    files: dict[str, bytes]
    texts: dict[str, str]
    executable: frozenset[str]
    links: Mapping[str, str]


def read_contents(tree: FileTree, location: str, preserves_links: bool = False) -> TemplateContents:
    """Read all files of a template, also through links within it unless these are kept.

    Raises TemplateFault.
    """
    links: dict[str, str] = {}
    files: dict[str, bytes] = {}
    texts: dict[str, str] = {}
    executable: set[str] = set()
    budget = MAX_TOTAL
    for path in _paths(tree, location, preserves_links):
        try:
            if preserves_links and tree.kind(path) == "link":
                links[path] = tree.target(path)
                continue
            data = tree.read(path, budget + 1)
            if tree.mode(path) & 0o111:
                executable.add(path)
        except OSError as error:
            why = f"cannot be read: {error.strerror or error}"
            raise TemplateFault(why, f"{location}/{path}") from None
        budget -= len(data)
        if budget < 0 or len(files) == MAX_FILES:
            limits = f"{MAX_FILES} files or {MAX_TOTAL >> 20} MiB"
            raise TemplateFault(f"a template of more than {limits}", location)
        files[path] = data
        # Other files are copied, not rendered.
        with suppress(UnicodeDecodeError):
            texts[path] = data.decode("utf-8")
    return TemplateContents(files, texts, frozenset(executable), links)


def _paths(tree: FileTree, location: str, preserves_links: bool) -> list[str]:
    paths: list[str] = []
    stack = [""]
    while stack:
        folder = stack.pop()
        try:
            entries = tree.list(folder)
        except OSError as error:
            why = f"cannot be listed: {error.strerror or error}"
            raise TemplateFault(why, f"{location}/{folder}") from None
        for entry in entries:
            if why_not_copied(f"{entry.name}/" if entry.kind == "folder" else entry.name):
                continue
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.kind == "folder" and path.count("/") < MAX_DEPTH:
                stack.append(path)
            else:
                # Where a link leads is known once the names are rendered.
                if entry.kind != "link" or not preserves_links:
                    _refuse_other(tree, path, entry, f"{location}/{path}")
                paths.append(path)
            if len(paths) + len(stack) > MAX_FILES:
                raise TemplateFault(f"a template of more than {MAX_FILES} files", location)
    return sorted(paths)


def _refuse_other(tree: FileTree, path: str, entry: FileEntry, where: str) -> None:
    """Raise TemplateFault for an entry that is not a file and does not link to one."""
    if entry.kind == "folder":
        raise TemplateFault("a folder nested too deeply", where)
    if entry.kind == "link":
        target = tree.resolve(path)
        if target is None:
            why = "a link that points outside of the template or to a file that does not exist"
            raise TemplateFault(why, where)
        if tree.kind(target) != "file" or why_not_copied(target):
            raise TemplateFault("a link to something other than a file of the template", where)
    elif entry.kind != "file":
        raise TemplateFault("not a file or folder", where)
