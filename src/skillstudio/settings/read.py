"""Read and check `skillstudio.toml`, or our table in `pyproject.toml`, with places."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from errno import ELOOP, ENOENT
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from skillstudio import __version__
from skillstudio.files.paths import path_matches
from skillstudio.files.workspace import OUTSIDE, leads_out
from skillstudio.settings.settings import (
    CONFIG,
    NO_SETTINGS,
    EditorSettings,
    IgnoredRule,
    Policy,
    SettingsFile,
    SkillSettings,
    table_of,
)
from skillstudio.text.diagnostic import SEVERITIES, Diagnostic, Fix, Rename, Splice
from skillstudio.text.node import Document, escape
from skillstudio.text.reading import read
from skillstudio.text.source import Position, Source, Span, decode

if TYPE_CHECKING:
    from skillstudio.schema.outcome import Validator

SCHEMA = os.path.join(os.path.dirname(__file__), "schema.json")
_LEVELS = (*SEVERITIES, "off")
_LISTS = ("effects", "capabilities", "commands", "hosts", "paths")
_VERSION_BOUND = re.compile(r"\s*(>=|>|<=|<|==|=)?\s*([0-9.]+)\s*")


class Waiver(NamedTuple):
    """An accepted interface change, by fingerprint."""

    fingerprint: str
    reason: str
    place: Position


class FormerName(Protocol):
    """What became of a name; `new` is "" if there is no other."""

    @property
    def new(self) -> str: ...

    @property
    def text(self) -> str: ...


class FolderSettings(NamedTuple):
    """An entry of `[[folder]]`."""

    path: str
    dialect: str | None
    targets: tuple[str, ...] | None
    place: Position


@dataclass(frozen=True)
class Settings:
    """The content of a settings file, and its problems."""

    document: Document
    """The settings; in `pyproject.toml` its root is the table, and its source the whole file."""
    diagnostics: tuple[Diagnostic, ...] = ()
    everywhere: SkillSettings = NO_SETTINGS
    folders: tuple[FolderSettings, ...] = ()
    waivers: tuple[Waiver, ...] = ()

    @property
    def editor(self) -> EditorSettings:
        """The table `[editor]`."""
        table = _table(self.document.value, "editor")
        return EditorSettings(
            "vim" if table.get("keys") == "vim" else "standard", table.get("mouse") is not False
        )

    def for_skill(self, relative_path: str) -> SkillSettings:
        """The settings for a skill's folder, given relative to the file's folder with `/`."""
        place = "" if relative_path == "." else relative_path
        settings = self.everywhere._replace(place=place, file=self.document.source.path)
        for folder in self.folders:
            if not path_matches(relative_path, folder.path):
                continue
            if folder.dialect is not None:
                settings = settings._replace(dialect=folder.dialect)
            if folder.targets is not None:
                settings = settings._replace(targets=folder.targets)
        return settings

    def unknown_names(
        self,
        rules: Collection[str],
        targets: Callable[[], Collection[str]],
        dialects: Callable[[], Collection[str]],
        former: Callable[[str], FormerName | None] = lambda _: None,
    ) -> Iterator[Diagnostic]:
        """`settings-rule-unknown` and the rules for targets and dialects, for names not in these.

        `former` returns what became of a rule.
        """
        value = self.document.value
        rule_pointers = [(f"/rules/{escape(rule)}", rule) for rule in _table(value, "rules")]
        rule_pointers += [
            (f"/ignore/{index}/rule", item["rule"])
            for index, item in _items(value, "ignore")
            if isinstance(item.get("rule"), str)
        ]
        for pointer, rule in rule_pointers:
            if rule not in rules:
                yield self._unknown("rule", pointer, rule, rules, former(rule))
        tables = [(f"/folder/{index}", table) for index, table in _items(value, "folder")]
        for above, table in [("", value), *tables]:
            if not isinstance(table, dict):
                continue
            dialect = table.get("dialect")
            if isinstance(dialect, str) and dialect not in dialects():
                yield self._unknown("dialect", f"{above}/dialect", dialect, dialects())
            target_names = table.get("targets")
            for index, target in enumerate(target_names if isinstance(target_names, list) else ()):
                if isinstance(target, str) and target not in targets():
                    yield self._unknown("target", f"{above}/targets/{index}", target, targets())

    def _unknown(
        self,
        what: str,
        pointer: str,
        name: str,
        known_names: Collection[str],
        former: FormerName | None = None,
    ) -> Diagnostic:
        from skillstudio.text.nearest import nearest

        node = self.document.at(pointer)
        span = self.document.key_span(pointer) if pointer.startswith("/rules/") else None
        span = span or (node.span if node else None)
        close = former.new if former else nearest(name, known_names)
        text = f"unknown {what} {json.dumps(name, ensure_ascii=False)}"
        fixes: tuple[Fix, ...] = ()
        if former:
            text += f"; {former.text}"
        elif close:
            text += f"; did you mean {close}?"
        if close:
            edit = (
                Rename(pointer, close)
                if pointer.startswith("/rules/")
                else Splice(*(span or (0, 0)), f'"{close}"')
            )
            fixes = (Fix(f"Change to {close}", (edit,)),)
        path = self.document.source.path
        return Diagnostic(f"settings-{what}-unknown", text, span, pointer, fixes, path=path)


def read_settings(source: Source) -> Settings:
    """Read the text of a settings file. Never raises; invalid values are ignored."""
    document = own_part(read(source, "toml", Span(0, len(source.text))))
    value = document.value if isinstance(document.value, dict) else {}
    return Settings(
        document,
        tuple(_diagnostics(document)),
        SkillSettings(
            dialect=_string(value, "dialect"),
            targets=_strings(value, "targets") or (),
            severities={
                rule: level for rule, level in _table(value, "rules").items() if level in _LEVELS
            },
            ignores=tuple(
                IgnoredRule(*pair) for pair in _pairs(document, "ignore", "rule", "path")
            ),
            policy=_policy(document, value),
        ),
        tuple(
            FolderSettings(
                item["path"],
                _string(item, "dialect"),
                _strings(item, "targets"),
                _place(document, f"/folder/{index}/path"),
            )
            for index, item in _items(value, "folder")
            if isinstance(item.get("path"), str)
        ),
        tuple(Waiver(*pair) for pair in _pairs(document, "waive", "fingerprint", "reason")),
    )


def read_settings_file(
    file: SettingsFile, unsaved_text: str | None = None
) -> tuple[Settings, int | None]:
    """Read a file, and the offset of the first byte that is not UTF-8, if any. Raises OSError.

    What a repository links to elsewhere is not read: problems would show lines of it.
    """
    text, wrong = unsaved_text, None
    if text is None:
        if file.origin == "workspace" and leads_out(file.path):
            raise OSError(ELOOP, OUTSIDE, file.display_path)
        try:
            with open(file.path, "rb") as stream:
                text, wrong = decode(stream.read())
        except FileNotFoundError:
            if file.origin == "chosen":
                raise FileNotFoundError(ENOENT, f"{CONFIG} names no file", file.path) from None
            raise
    return read_settings(Source(text, file.display_path)), wrong


def own_part(document: Document) -> Document:
    """The table that has our settings as a document of its own, if the file has others, too."""
    pointer = table_of(document.source.path)
    table = document.at(pointer) if pointer else None
    if table is None:
        return document
    name = document.key_span(pointer)
    return Document(document.source, "toml", document.span, table, document.faults, name)


def _diagnostics(document: Document) -> Iterator[Diagnostic]:
    path = document.source.path
    for fault in document.faults:
        edits = tuple(Splice(*edit) for edit in fault.edits)
        fixes = (Fix(fault.title or "Fix this", edits),) if edits else ()
        span = Span(fault.start, fault.end)
        yield Diagnostic(fault.rule, fault.message, span, "", fixes, path=path)
    schema, validator = _load_schema()
    errors = validator.errors(document.value)
    if errors:
        from skillstudio.schema.diagnostics import schema_diagnostics

        for diagnostic in schema_diagnostics(document, schema, errors):
            yield diagnostic._replace(path=path)
    version_range = _string(document.value, "required-version")
    if version_range is not None and not meets(version_range, __version__):
        node = document.at("/required-version")
        yield Diagnostic(
            "settings-version-required",
            f"these settings require skillstudio {version_range}; this is {__version__}",
            node.span if node else None,
            "/required-version",
            path=path,
        )


@lru_cache(maxsize=1)
def _load_schema() -> tuple[dict[str, Any], Validator]:
    from skillstudio.schema.engine import compile_schema

    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    return schema, compile_schema(schema)


def meets(version_range: str, version: str) -> bool:
    """Whether a version is in a range such as `>=0.1, <2`.

    Versions are dotted numbers; the shorter one is padded with zeros. An invalid range always
    matches.
    """
    have = _numbers(version)
    for part in version_range.split(","):
        match = _VERSION_BOUND.fullmatch(part)
        if not match:
            continue
        sign, limit = match[1] or "==", _numbers(match[2])
        length = max(len(have), len(limit))
        left_side, right = have + [0] * (length - len(have)), limit + [0] * (length - len(limit))
        order = (left_side > right) - (left_side < right)
        if order not in {">=": (0, 1), ">": (1,), "<=": (0, -1), "<": (-1,)}.get(sign, (0,)):
            return False
    return True


def _numbers(version: str) -> list[int]:
    match = re.match(r"[0-9]{1,9}(?:\.[0-9]{1,9})*", version)
    return [int(number) for number in match.group().split(".")] if match else []


def _pairs(
    document: Document, table: str, first: str, second: str
) -> Iterator[tuple[str, str, Position]]:
    """Two strings of each item in an array of tables, and the place of the first one."""
    for index, item in _items(document.value, table):
        first_text, other = _string(item, first), _string(item, second)
        if first_text and other:
            yield first_text, other, _place(document, f"/{table}/{index}/{first}")


def _policy(document: Document, value: dict[str, Any]) -> Policy | None:
    table = value.get("policy")
    if not isinstance(table, dict):
        return None
    # A list that cannot be read grants nothing, so that a typo never widens a policy.
    lists = {
        name: _strings(table, name) or () for name in _LISTS if document.key_span(f"/policy/{name}")
    }
    places = {name: _place(document, f"/policy/{name}") for name in lists}
    return Policy(**lists, places=places, path=document.source.path)


def _place(document: Document, pointer: str) -> Position:
    span = document.key_span(pointer)
    return document.source.position(span.start if span else 0)


def _string(value: Any, name: str) -> str | None:
    member = value.get(name) if isinstance(value, dict) else None
    return member if isinstance(member, str) else None


def _strings(value: dict[str, Any], name: str) -> tuple[str, ...] | None:
    member = value.get(name)
    if not isinstance(member, list):
        return None
    return tuple(item for item in member if isinstance(item, str))


def _table(value: Any, name: str) -> dict[str, Any]:
    member = value.get(name) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def _items(value: Any, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    member = value.get(name) if isinstance(value, dict) else None
    for index, item in enumerate(member if isinstance(member, list) else ()):
        if isinstance(item, dict):
            yield index, item
