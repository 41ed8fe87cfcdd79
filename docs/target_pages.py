"""The pages of targets: a table of all (`make docs`), and one page for each (`make site`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skillstudio.manifest.targets import targets

WORDS = tomllib.loads((Path(__file__).parent / "targets.toml").read_text("utf-8"))
KINDS = {"validator": "Specification and validators", "upload": "Uploads", "client": "Clients"}
UNREAD = "Clients, only where they look"
UNLESS = {"null": "null", "false": "null, `false`, 0 or an empty value"}
"""The values that a rule with `unless` accepts."""
WAYS = {
    "run": "the program was run",
    "read": "its source was read",
    "documented": "its maker documents it",
    "quoted": "others quote it",
}
"""How a statement was learned, the surest way first."""


def index_page(note: str) -> str:
    """Return a table of all targets."""
    lines = [
        f"{note}# All targets\n",
        "[Targets](checking.md#targets) explains the outcomes; `skillstudio targets ID` prints a",
        "record, with the evidence for every statement. The evidence is one of:\n",
        *(f"- **{way}**: {meaning}" for way, meaning in WAYS.items()),
    ]
    for title, ids in _groups().items():
        lines += [
            f"\n## {title}\n",
            "| target | name | looks in | longest | evidence | checked |",
            "|---|---|---|---|---|---|",
            *(_index_row(id, targets()[id]) for id in ids),
        ]
    return "\n".join(lines) + "\n"


def _groups() -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {title: [] for title in (*KINDS.values(), UNREAD)}
    for id, target in targets().items():
        groups[KINDS[target["kind"]] if "reading" in target else UNREAD].append(id)
    return groups


def _index_row(id: str, target: dict[str, Any]) -> str:
    roots = target["discovery"].get("roots", {"is": []})["is"]
    project_roots = [root for root in roots if not root.startswith("~/")]
    looks_in = _code(project_roots or roots) or "any folder"
    rules = target.get("fields", {}).get("rules", [])
    lengths = [
        f"`{key}` {min(limits)}"
        for key in ("name", "description")
        if (limits := [rule["max"] for rule in rules if _limits(rule, key)])
    ]
    ways = {_way(statement["at"], target) for _, _, statement in _statements(target)}
    evidence = ", ".join(way for way in WAYS if way in ways)
    checked = target["checked"].replace("-", "&#8209;")  # Not wrapped.
    cells = (f"`{id}`", target["title"], looks_in, ", ".join(lengths), evidence, checked)
    return f"| {' | '.join(map(_cell, cells))} |"


def _limits(rule: dict[str, Any], key: str) -> bool:
    return rule["key"] == key and rule["wrong"] == "long"


def target_page(id: str) -> str:
    """Return what a target reads and refuses, with the evidence."""
    target = targets()[id]
    described = target["described"]
    state = f"as of {described}" if described[0].isdigit() else f"for {described}"
    lines = [
        f"# {target['title']}",
        target["about"],
        f"Target `{id}` ({target['kind']}). This record is {state}; it was compared "
        f"with its sources on {target['checked']}. Check a skill for this target with "
        f"`skillstudio check PATH --target {id}`. The evidence of a statement is a place in one "
        "of the sources below, and [how it was learned](../targets.md).",
    ]
    for part, title in WORDS["parts"].items():
        rows = [
            f"| {_cell(label)} | {_cell(value)} | {_evidence(statement['at'], target)} |"
            for name, label, value, statement in _worded(target)
            if name == part
        ]
        if rows:
            head = "| statement | value | evidence |\n|---|---|---|"
            lines += [f"## {title}", "\n".join([head, *rows])]
    sources = [f"- **{name}**: {_link(source)}" for name, source in target["sources"].items()]
    lines += ["## Sources", "\n".join(sources), "[All targets](../targets.md)"]
    return "\n\n".join(lines) + "\n"


def _statements(target: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The part and the name of each statement of a record."""
    for part in WORDS["parts"]:
        for name, statement in target.get(part, {}).items():
            for rule in statement if isinstance(statement, list) else [statement]:
                yield part, name, rule


def _worded(target: dict[str, Any]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """The part, the label and the value of each statement, and the statement."""
    for part, name, statement in _statements(target):
        values = {key: _value(value) for key, value in statement.items()}
        if name == "rules":
            label = _rule_label(statement, values)
        else:
            label = WORDS["labels"][part][name].format(**values)
        yield part, label, _outcome(name, statement), statement


def _rule_label(rule: dict[str, Any], values: dict[str, str]) -> str:
    """The key of a rule and what is wrong with its value."""
    words = rule.get("values", [""])
    plain = {name: str(rule[name]) for name in ("other", "needed") if name in rule}
    plain |= {"kinds": " or ".join(rule.get("kinds", ())), "count": str(len(words))}
    wrong = WORDS["wrong"][rule["wrong"]].format(**values | plain | {"example": f"`{words[0]}`"})
    wrong += f", together with `{rule['with']}`" if "with" in rule else ""
    if "unless" in rule and rule["wrong"] != "long":
        wrong += f" ({UNLESS[rule['unless']]} is accepted)"
    return f"`{rule['key']}` {wrong}"


def _outcome(name: str, statement: dict[str, Any]) -> str:
    if "is" not in statement:
        outcome = f"**{statement['outcome']}**"
        return ", ".join(filter(None, (outcome, statement.get("effect"))))
    value = statement["is"]
    text = WORDS["ways"].get(name, {}).get(value) if isinstance(value, str) else None
    text = text or _value(value)
    if "window" in statement:
        over = "shortened" if statement["over"] == "shortens" else "left out"
        text += (
            f" {statement['unit']} of a window of {statement['window']}; what exceeds it is {over}"
        )
    elif "keys" in statement:
        text += f" of {_value(statement['keys'])}"
    return text


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return _code(value)
    if isinstance(value, int):
        return f"{value:,}"
    word = WORDS["values"].get(value)
    return word or (value if " " in value or "{" in value else f"`{value}`")


def _code(words: list[Any]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _evidence(places: str, target: dict[str, Any]) -> str:
    """The places in the sources, and how they were learned."""
    return f"{_cell(_text(places))} ({_way(places, target)})"


def _way(places: str, target: dict[str, Any]) -> str:
    names = [re.split("[:#]", place)[0] for place in places.split("; ")]
    ways = " ".join(
        source.rpartition("(")[2] for name in names if (source := target["sources"].get(name))
    )
    return next(way for way in WAYS if way in ways)


def _link(source: str) -> str:
    """A source, in which an address is a link."""
    address = re.match(r"https://[^\s,:]+(?::(?=\S)[^\s,:]+)*", source)
    if address is None:
        return _text(source)
    return f"<{address[0]}>{_text(source[address.end() :])}"


def _text(text: str) -> str:
    """A text that is no Markdown."""
    return re.sub(r"([\\*_\[\]#`])", r"\\\1", text).replace("<", "&lt;")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
