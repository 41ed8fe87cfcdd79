"""Determine which targets accept a skill, by the limits in `targets.toml`."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter_readings import (
    FrontmatterReading,
    Readings,
    UnreadableFrontmatter,
    read_as,
)
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Span

_ASCII_NAME = re.compile(r"[a-z0-9-]+")


class TargetVerdict(NamedTuple):
    """Whether a target accepts a skill; if not, the reason and its span in SKILL.md."""

    accepted: bool
    reason: str = ""
    span: Span | None = None


class _No(Exception):
    """Stops at the first reason; `key` is where it is shown."""

    def __init__(self, reason: str, key: str = "", on_key: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.key = key
        self.on_key = on_key


@cache
def targets() -> dict[str, dict[str, Any]]:
    """The tables of `targets.toml` by id."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "targets.toml"), "rb") as file:
        return tomllib.load(file)


def judge(skill: Skill, known: Readings | None = None) -> dict[str, TargetVerdict]:
    """The verdict of every target, by id; `known` keeps the readings of the skill."""
    if skill.markdown is None:
        return dict.fromkeys(targets(), TargetVerdict(False, "has no SKILL.md"))
    file = skill.markdown.source.path
    readings = {} if known is None else known
    return {id: _verdict(target, skill, file, readings) for id, target in targets().items()}


def name_refusals(name: str, folder: str) -> dict[str, str]:
    """The reasons why targets reject a name in a folder."""
    found: dict[str, str] = {}
    for id, target in targets().items():
        if "name" in target:
            try:
                _judge_name(target["name"], name, folder)
            except _No as no:
                found[id] = no.reason
    return found


def refusals(
    verdicts: Mapping[str, TargetVerdict], asked: Iterable[str], skill: Skill
) -> list[Diagnostic]:
    """`target-refused` for each requested target that rejects it; unknown ids are ignored."""
    path = skill.markdown.source.path if skill.markdown is not None else "SKILL.md"
    return [
        Diagnostic(
            "target-refused",
            f"{targets()[id]['title']} rejects this skill: {verdicts[id].reason}",
            verdicts[id].span,
            path=path,
        )
        for id in dict.fromkeys(asked)
        if id in verdicts and not verdicts[id].accepted
    ]


def _verdict(target: dict[str, Any], skill: Skill, file: str, readings: Readings) -> TargetVerdict:
    if file not in target["files"]:
        return TargetVerdict(False, f"the file is named {file}, not SKILL.md")
    reading = read_as(skill, target["opening"], target["yaml"], readings)
    if isinstance(reading, UnreadableFrontmatter):
        return TargetVerdict(False, reading.reason, reading.span)
    try:
        _judge(target, reading, skill.name)
    except _No as no:
        return TargetVerdict(False, no.reason, reading.span(no.key, no.on_key))
    return TargetVerdict(True)


def _judge(target: dict[str, Any], reading: FrontmatterReading, folder: str) -> None:
    allowed = target.get("keys")
    for key in reading.keys:
        if allowed is not None and key not in allowed:
            raise _No(f"it does not allow the key {key}", key, on_key=True)
    for key in target["required"]:
        if key not in reading.keys:
            raise _No(f"the required key {key} is missing")
    if "name" in reading.keys and "name" in target:
        _judge_name(target["name"], reading.text("name"), folder)
    for key in ("description", "compatibility"):
        if key in reading.keys and key in target:
            if target[key].get("nothing") and reading.is_nothing(key):
                continue
            _judge_text(key, target[key], reading.text(key))


def _judge_name(limits: dict[str, Any], name: str | None, folder: str) -> None:
    if name is None:
        raise _No("the name is not a string", "name")
    name = name.strip()
    unicode = limits["letters"] == "unicode"
    if unicode:
        name = unicodedata.normalize("NFKC", name)
        folder = unicodedata.normalize("NFKC", folder)
    if not name:
        if limits["empty"]:
            return
        raise _No("the name is empty", "name")
    if unicode:
        plain = name == name.lower() and all(each.isalnum() or each == "-" for each in name)
    else:
        plain = _ASCII_NAME.fullmatch(name) is not None
    if not plain:
        raise _No(
            "the name contains characters other than lowercase letters, digits and hyphens", "name"
        )
    if name.startswith("-") or name.endswith("-") or "--" in name:
        raise _No("the name has a leading, trailing or double hyphen", "name")
    if len(name) > limits["max"]:
        raise _No(f"the name is longer than {limits['max']} characters", "name")
    if limits["folder"] and name != folder:
        raise _No("the name differs from the folder name", "name")


def _judge_text(key: str, limits: dict[str, Any], text: str | None) -> None:
    if text is None:
        raise _No(f"the {key} is not a string", key)
    if limits.get("strip"):
        text = text.strip()
    if not limits["empty"] and not (text if key == "compatibility" else text.strip()):
        raise _No(f"the {key} is empty", key)
    for character in limits.get("forbidden", ""):
        if character in text:
            raise _No(f"the {key} contains {character}", key)
    if "max" in limits and len(text) > limits["max"]:
        raise _No(f"the {key} is longer than {limits['max']} characters", key)
