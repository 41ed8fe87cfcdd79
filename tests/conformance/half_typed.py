"""Every manifest of the repository as it looks while one of its lines is being typed.

A state is a text in which one line is cut short and the lines below it are there. Two values
elsewhere are wrong; in every state an author should still be told so, and told nothing untrue.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.discover import find_skills
from skillstudio.text.node import Document, Mapping, Node, Scalar, Sequence
from skillstudio.text.source import Source

ROOT = Path(__file__).parents[2]
PLANTS = 14
"""So many places of a document, evenly spread, are tried for wrong values."""

Finding = tuple[str, int, int]
"""A rule, a line and a column."""


class Manifest(NamedTuple):
    """A file that carries manifests, and the rest of its skill."""

    name: str
    files: dict[str, bytes]
    folder: str
    path: str
    documents: tuple[tuple[str, Document], ...]
    """Each with the name of its syntax and carrier, in the order of the text."""

    @property
    def source(self) -> Source:
        return self.documents[0][1].source

    def analysed(self, text: str) -> Analysis:
        files = {**self.files, self.path: text.encode()}
        return analyse(MemoryTree(files, self.folder))

    def found(self, text: str) -> dict[Finding, str]:
        """The findings in this file, each with its severity."""
        analysis = self.analysed(text)
        return {
            (each.rule, *analysis.place(each)[0]): each.severity or ""
            for each in analysis.diagnostics
            if each.path == self.path
        }


class Plant(NamedTuple):
    """A wrong value in the place of a right one, and the finding that it gives."""

    start: int
    end: int
    text: str
    finding: Finding


class State(NamedTuple):
    """A half-typed text, what must be found in it, and what was found."""

    manifest: Manifest
    kind: str
    text: str
    line: int
    column: int
    lost: frozenset[Finding]
    """The planted findings that are not there any more."""
    beneath: bool
    """Whether a planted value belongs to the key or header that the line begins."""
    untrue: frozenset[Finding]
    """Errors on other lines that are neither planted nor about syntax."""
    begun: bool
    """Whether anything but space is typed on the line yet."""
    broken: bool
    """Whether the syntax is wrong; where it is right, all that is said of it is true."""


def manifests() -> Iterator[Manifest]:
    """The files of the examples and of the tables of single changes."""
    examples = DiskTree(ROOT / "examples")
    for path in find_skills(examples):
        folder = ROOT / "examples" / path
        files = {
            str(file.relative_to(folder).as_posix()): file.read_bytes()
            for file in sorted(folder.rglob("*"))
            if file.is_file() and "__pycache__" not in file.parts
        }
        yield from _files(path, files, folder.name)
    for table in sorted((ROOT / "tests" / "manifest" / "mutations").glob("*.yaml")):
        base: dict[str, Any] = yaml.safe_load(table.read_text(encoding="utf-8"))
        files = {name: text.encode() for name, text in base["files"].items()}
        files[base["path"]] = base["base"].encode()
        yield from _files(f"{table.stem}, base", files, base["name"])


def _files(name: str, files: dict[str, bytes], folder: str) -> Iterator[Manifest]:
    found: dict[str, dict[int, tuple[str, Document]]] = {}
    for each in analyse(MemoryTree(files, folder)).manifests:
        document = each.document
        kind = {"yaml": "YAML", "json": "JSON", "toml": "TOML"}[document.syntax]
        if each.path == "SKILL.md":
            kind += " block" if document.syntax == "json" else " frontmatter"
        else:
            kind += " file"
        found.setdefault(each.path, {})[document.span.start] = (kind, document)
    for path, documents in found.items():
        yield Manifest(f"{name}: {path}", files, folder, path, tuple(documents.values()))


def plants(manifest: Manifest) -> list[Plant]:
    """Values whose type can be changed with one finding, on their own line, as the result."""
    source = manifest.source
    clean = manifest.found(source.text)
    made = []
    leaves = [
        node
        for _, document in manifest.documents
        for _, node in document.walk()
        if isinstance(node, Scalar)
        and node.start < node.end
        and "\n" not in source.text[node.start : node.end]
    ]
    step = max(len(leaves) / PLANTS, 1.0)
    for number in range(min(PLANTS, len(leaves))):
        leaf = leaves[int(number * step)]
        wrong = "7" if isinstance(leaf.value, str) else '"x"'
        told = manifest.found(f"{source.text[: leaf.start]}{wrong}{source.text[leaf.end :]}")
        new = [finding for finding in told if finding not in clean]
        if [each[1:] for each in new] == [source.position(leaf.start)]:
            made.append(Plant(leaf.start, leaf.end, wrong, new[0]))
    return made


def pairs(manifest: Manifest) -> list[tuple[Plant, Plant]]:
    """Two wrong values at a time whose findings do not hide each other."""
    made = plants(manifest)
    both = []
    for number, first in enumerate(made):
        second = made[(number + len(made) // 2) % len(made)]
        if first.finding[1] == second.finding[1]:
            continue
        found = manifest.found(planted(manifest.source.text, (first, second)))
        if first.finding in found and second.finding in found:
            both.append((first, second))
    return both


def planted(text: str, pair: tuple[Plant, Plant]) -> str:
    for plant in sorted(pair, reverse=True):
        text = text[: plant.start] + plant.text + text[plant.end :]
    return text


def states(manifest: Manifest, step: int = 1) -> Iterator[State]:
    """Every `step`-th prefix of every line, each line with another pair of wrong values."""
    both = pairs(manifest)
    texts = [Source(planted(manifest.source.text, pair)) for pair in both]
    known = [manifest.found(source.text) for source in texts]
    typed = 0
    for kind, document in manifest.documents:
        first = manifest.source.position(document.span.start).line
        last = manifest.source.position(document.span.end - 1).line
        for line in range(first, last + 1):
            choices = [
                number
                for number, pair in enumerate(both)
                if line not in [plant.finding[1] for plant in pair]
            ]
            if not choices:
                continue
            choice = choices[line * 5 % len(choices)]
            source, pair = texts[choice], both[choice]
            beneath = any(_is_beneath(document, line, plant) for plant in pair)
            start, length = source.offset(line, 1), len(source.line(line))
            while typed < length:
                text = source.text[: start + typed] + source.text[start + length :]
                found = manifest.found(text)
                yield State(
                    manifest,
                    kind,
                    text,
                    line,
                    typed + 1,
                    frozenset(plant.finding for plant in pair if plant.finding not in found),
                    beneath,
                    frozenset(
                        each
                        for each, severity in found.items()
                        if severity == "error" and each not in known[choice] and each[1] != line
                        if not each[0].startswith("syntax-")
                    ),
                    bool(text[start : start + typed].strip()),
                    any(each[0].startswith("syntax-") for each in found),
                )
                typed += step
            typed -= length


def _is_beneath(document: Document, line: int, plant: Plant) -> bool:
    """Whether a value lies in what a key or an item on the line opens."""
    position = document.source.position
    node: Node | None = document.root
    while node is not None:
        inside: Node | None = None
        if isinstance(node, Mapping):
            for entry in node.entries:
                if entry.value.start <= plant.start < entry.value.end:
                    inside = entry.value
                    if position(entry.key.start).line == line:
                        return True
        elif isinstance(node, Sequence):
            inside = next((i for i in node.items if i.start <= plant.start < i.end), None)
            if inside is not None and position(inside.start).line == line:
                return True
        node = inside
    return False


class Tally:
    """How many states there were of one kind, and in how many something went wrong."""

    def __init__(self) -> None:
        self.count = self.lost = self.aside = self.lost_aside = self.untrue = 0

    def add(self, state: State) -> None:
        self.count += 1
        self.lost += bool(state.lost)
        self.aside += not state.beneath
        self.lost_aside += bool(state.lost) and not state.beneath
        self.untrue += state.broken and bool(state.untrue)

    @property
    def survival(self) -> float:
        """The share of states with both planted findings."""
        return 1 - self.lost / max(self.count, 1)

    @property
    def survival_aside(self) -> float:
        """The same of the states whose line opens nothing that holds a planted value."""
        return 1 - self.lost_aside / max(self.aside, 1)

    @property
    def truth(self) -> float:
        """The share of states in which broken syntax makes nothing else seem wrong."""
        return 1 - self.untrue / max(self.count, 1)


BEGUN, EMPTY = "line begun", "line empty"


def tallies(step: int) -> dict[tuple[str, str], Tally]:
    """The tally of each syntax with its carrier, and of all; empty lines apart."""
    found: dict[tuple[str, str], Tally] = {}
    for manifest in manifests():
        for state in states(manifest, step):
            for kind in (state.kind, "all"):
                key = kind, BEGUN if state.begun else EMPTY
                found.setdefault(key, Tally()).add(state)
    return dict(sorted(found.items(), key=lambda item: (item[0][1] != BEGUN, item[0])))


def table(found: dict[tuple[str, str], Tally]) -> str:
    """The figures for people."""
    lines = [f"{'':<30}{'states':>8}{'survive':>10}{'aside':>10}{'nothing untrue':>16}"]
    for (kind, progress), each in found.items():
        lines.append(
            f"{kind + ', ' + progress:<30}{each.count:>8}{each.survival:>10.2%}"
            f"{each.survival_aside:>10.2%}{each.truth:>16.2%}"
        )
    return "\n".join(lines)
