"""Read themes from YAML files, with the places of their problems."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from skillstudio.text.nearest import did_you_mean
from skillstudio.text.node import Mapping, Node, resolve, to_value
from skillstudio.text.source import Source, Span, decode

Say = Callable[[int, str], None]

COLOURS = (
    "primary", "secondary", "accent", "foreground", "background", "surface", "panel", "boost",
    "error", "warning", "success",
)  # fmt: skip
_TEXTS = (*COLOURS[:3], *COLOURS[-3:])
VARIABLES = frozenset(
    [
        *("frame", "frame-focus", "selection", "selection-quiet", "fault"),
        *("text", "text-muted", "text-disabled", *(f"text-{name}" for name in _TEXTS)),
        *(f"{name}-muted" for name in ("foreground", "background", *_TEXTS)),
        *("foreground-disabled", "primary-background", "secondary-background", "surface-active"),
        *("border", "border-blurred", "ansi-background", "ansi-foreground", "link-style"),
        *(f"block-cursor-{part}" for part in ("background", "foreground", "text-style")),
        *(f"block-cursor-blurred-{part}" for part in ("background", "foreground", "text-style")),
        *(f"input-cursor-{part}" for part in ("background", "foreground", "text-style")),
        *(f"{kind}-selection-background" for kind in ("input", "screen")),
        *(f"{kind}-selection-foreground" for kind in ("input", "screen")),
        *("block-hover-background", "scrollbar", "scrollbar-hover", "scrollbar-active"),
        *("scrollbar-background", "scrollbar-background-hover", "scrollbar-background-active"),
        *("scrollbar-corner-color", "link-color", "link-color-hover", "link-style-hover"),
        *("link-background", "link-background-hover", "footer-item-background"),
        *(f"footer-{part}" for part in ("background", "foreground")),
        *(f"footer-key-{part}" for part in ("background", "foreground")),
        *(f"footer-description-{part}" for part in ("background", "foreground")),
        *("button-foreground", "button-color-foreground", "button-focus-text-style"),
        *(
            f"markdown-h{level}-{part}"
            for level in range(1, 7)
            for part in ("color", "background", "text-style")
        ),
    ]
)
"""The variables of style sheets that a theme may set, besides the shades of its colours."""
REQUIRED_COLOURS = ("primary", "foreground", "background", "error", "warning", "success")
_ANSI = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
_NAMES = frozenset(
    ["ansi_default", *(f"ansi_{name}" for name in _ANSI)]
    + [f"ansi_bright_{name}" for name in _ANSI]
)
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_SHADE = re.compile(r"(.+)-(?:lighten|darken)-[123]")
_VARIABLE_COLOUR = re.compile(
    r"(?:#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|ansi_[a-z_]+|auto|transparent|initial)"
    r"(?: [0-9]{1,3}%)?"
)
_STYLE = re.compile(
    r"(?: ?\b(?:not|none|bold|dim|italic|underline2?|reverse|strike|blink|[bdiurs])\b)+"
)
_FORMS = "#rgb, #rrggbb or an ansi_ name"
_LARGEST = 64 * 1024


class Theme(NamedTuple):
    """A theme. Colours are `#rgb`, `#rrggbb` or `ansi_` names."""

    name: str
    title: str
    dark: bool
    terminal: bool  # Whether it uses the terminal's own sixteen colours.
    colours: dict[str, str]
    variables: dict[str, str]
    path: str
    place: tuple[int, int] = (1, 1)
    """Line and column of the name, from 1."""


class ThemeFault(NamedTuple):
    """A problem of a theme's file; line and column from 1."""

    path: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.message}"


def read_theme(source: Source) -> tuple[Theme | None, list[ThemeFault]]:
    """A theme, or None and its problems."""
    from skillstudio.text.reading import read

    document = read(source, "yaml", Span(0, len(source.text)))
    faults: list[ThemeFault] = []

    def say(offset: int, message: str) -> None:
        faults.append(ThemeFault(source.path, *source.position(offset), message))

    for fault in document.faults:
        say(fault.start, fault.message)
    root = resolve(document.root)
    if not isinstance(root, Mapping):
        say(0, "a theme must be a mapping with name, dark and colours")
        return None, faults
    for entry in root.entries:
        value, place = to_value(entry.value), entry.value.start
        match entry.name:
            case "name" | "title" if not isinstance(value, str) or not value:
                say(place, f"{entry.name} must be a string")
            case "name" if not _NAME.fullmatch(value):
                say(place, "use only lowercase letters, digits and hyphens in a theme's name")
            case "name" | "title":
                pass
            case "dark" | "terminal":
                if not isinstance(value, bool):
                    say(place, f"{entry.name} must be true or false")
            case "colours" | "variables":
                _check_colours(entry.name, resolve(entry.value), place, say)
            case _:
                say(entry.key.start, f"unknown key {entry.name!r}")
    values: dict[str, Any] = document.value
    if "name" not in values:
        say(root.start, "name is missing")
    section = root.entry("colours")
    colours = values.get("colours")
    declared_colours = colours if isinstance(colours, dict) else {}
    if missing := [repr(name) for name in REQUIRED_COLOURS if name not in declared_colours]:
        say(section.key.start if section else root.start, f"colours has no {', '.join(missing)}")
    if faults:
        return None, sorted(faults)
    defaults = {"title": values["name"], "dark": True, "terminal": False, "variables": {}}
    name_entry = root.entry("name")
    at = source.position(name_entry.value.start if name_entry else root.start)
    return Theme(**{**defaults, **values, "path": source.path, "place": at}), []


def read_themes(folders: Iterable[str]) -> tuple[dict[str, Theme], list[ThemeFault]]:
    """The themes of the `*.yaml` files of some folders, of which later ones take precedence."""
    themes: dict[str, Theme] = {}
    faults: list[ThemeFault] = []
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))
        except FileNotFoundError:
            continue
        except OSError as error:
            faults.append(ThemeFault(folder, 1, 1, f"cannot be listed: {error.strerror}"))
            continue
        names_here: dict[str, str] = {}
        for name in names:
            if name.endswith((".yaml", ".yml")):
                theme, wrong = read_theme_file(os.path.join(folder, name))
                faults += wrong
                other = names_here.get(theme.name) if theme is not None else None
                if theme is not None and other is not None:
                    message = f"{os.path.basename(other)} has the name {theme.name!r}, too"
                    faults.append(ThemeFault(theme.path, *theme.place, message))
                elif theme is not None:
                    themes[theme.name] = theme
                    names_here[theme.name] = theme.path
    return themes, faults


def read_theme_file(path: str) -> tuple[Theme | None, list[ThemeFault]]:
    """The theme of a file, or None and its problems."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        return None, [ThemeFault(path, 1, 1, f"cannot be read: {error.strerror}")]
    text, bad = decode(data)
    if len(data) > _LARGEST:
        return None, [ThemeFault(path, 1, 1, "larger than 64 KiB")]
    if bad is not None:
        return None, [ThemeFault(path, *Source(text).position(bad), "not UTF-8")]
    return read_theme(Source(text, path))


def _check_colours(section: str, node: Node | None, place: int, say: Say) -> None:
    if not isinstance(node, Mapping):
        say(place, f"{section} must be a mapping from names to colours")
        return
    for entry in node.entries:
        value = to_value(entry.value)
        if not (entry.name in COLOURS if section == "colours" else _is_variable(entry.name)):
            known_names = COLOURS if section == "colours" else VARIABLES
            hint = did_you_mean(entry.name, known_names)
            say(entry.key.start, f"{section} has no {entry.name!r}{hint}")
        elif not isinstance(value, str):
            say(entry.value.start, "a colour must be a string such as '#80a0ff', in quotes")
        elif section == "variables" and "style" in entry.name:
            if not _STYLE.fullmatch(value):
                say(entry.value.start, f"{value!r} is not a style; use bold, underline or none")
        elif section == "variables":
            if not _VARIABLE_COLOUR.fullmatch(value):
                say(entry.value.start, f"{value!r} is not a colour; use {_FORMS}")
        elif not (_HEX.fullmatch(value) or value in _NAMES):
            say(entry.value.start, f"{value!r} is not a colour; use {_FORMS}")


def _is_variable(name: str) -> bool:
    shade = _SHADE.fullmatch(name)
    return name in VARIABLES or (shade is not None and shade[1] in COLOURS)
