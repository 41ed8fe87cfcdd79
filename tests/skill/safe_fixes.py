"""What every safe fix must keep, judged by readers other than our own where there are any."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import yaml
from tests.conformance.test_corpus import trees
from tests.manifest.test_mutations import TABLES, load, mutated

from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.targets import OUTCOMES
from skillstudio.settings.settings import ClientPlace
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.fixing import fix_edits
from skillstudio.skill.visibility import explain_visibility
from skillstudio.text.diagnostic import Diagnostic, Fix
from skillstudio.text.edit import EditRefused, apply
from skillstudio.text.node import split_pointer

WHERE = (".claude/skills", ".agents/skills")
"""Between them, every client that looks in a folder of a project finds a skill."""

FRONT = "---\nname: tea\ndescription: Makes tea. Use it for tea.\n{}---\n# Tea\n"
MANIFEST = 'manifest_version: "1.0"\n'
CARO = """\
[skill]
id = "custom.tea"
name = "Tea"
version = "1.0.0"
description = "Makes tea."
api_version = "1.0"
[provides]
knowledge = false
"""


def front(more: str) -> dict[str, bytes]:
    return {"SKILL.md": FRONT.format(more).encode()}


def described(text: str) -> dict[str, bytes]:
    return {"SKILL.md": f"---\nname: tea\ndescription: {text}\n---\n# Tea\n".encode()}


def caro(more: str, old: str = "", new: str = "") -> dict[str, bytes]:
    return {"skill.toml": (CARO.replace(old, new) + more).encode()}


LONG = "x" * 1100
ODD: dict[str, dict[str, bytes]] = {
    # Values that a fix may lengthen, retype or join with what stands beside them
    "a comment after the description": described("Makes tea # for now"),
    "a long comment after the description": described(f"Makes tea # {LONG}"),
    "a comment with a tag after the description": described("Makes tea # Use <it>"),
    "a suppression after the description": described("Tea. # skillstudio: ignore[body-long]"),
    "a colon in a long description": described(f"Makes tea: {LONG}"),
    "a colon and a tag": described("Makes tea: Use <it>"),
    "a colon on two lines": described("Makes tea: Use it.\n  And more: lines"),
    "quotes in a description": described('"tea" now'),
    "a quote in quotes": described('"say "tea" now"'),
    "a tick": described("`tea` maker"),
    "a colon in another key": front("license: MIT: yes\n"),
    "a colon in metadata": front("metadata:\n  note: a: b\n  c: d\n"),
    "colons and line ends of Windows": {
        "SKILL.md": FRONT.format("license: a: b\nmetadata:\n  n: 1\n")
        .replace("\n", "\r\n")
        .encode()
    },
    # What YAML 1.1 reads otherwise
    "a date": front("license: 2025-01-01\nmetadata:\n  updated: 2025-01-02\n"),
    "a date with an anchor": front("metadata:\n  a: &day 2025-01-01\n  b: *day\n"),
    "yes where a switch is meant": front("disable-model-invocation: yes\nuser-invocable: no\n"),
    "yes where a string is meant": front("compatibility: yes\nmetadata:\n  a: no\n"),
    "yes where a boolean is meant": front(f"{MANIFEST}sensitive: yes\n"),
    "an octal number where a number is meant": front(f"{MANIFEST}execution:\n  timeout: 010\n"),
    "1e1 where a number is meant": front(f"{MANIFEST}execution:\n  timeout: 1e1\n"),
    "1_0 where a number is meant": front(f"{MANIFEST}execution:\n  timeout: 1_0\n"),
    "an octal number in a default": front(
        f"{MANIFEST}inputs:\n  optional:\n    - name: n\n      description: d\n"
        "      schema: {type: integer, default: 010}\n"
    ),
    "octal numbers in metadata": front("metadata:\n  a: 0755\n  b: 0o755\n"),
    "octal numbers at unknown keys": front("mode: 0755\nmask: 0o22\n"),
    "on as a key": front("metadata:\n  on: x\n"),
    "a name of YAML 1.1": {"SKILL.md": b"---\nname: 0o7\ndescription: Makes tea.\n---\n"},
    # Types
    "an anchor on a number": front("metadata:\n  a: &v 1.0\n  b: *v\n"),
    "a tag on a number": front("metadata:\n  a: !!int 5\n  b: !!float 5\n"),
    "nothing in metadata": front("metadata:\n  a:\n  b: ~\n  c: null\n"),
    "a flow mapping": front("metadata: {a: 1, b: true, c: 2020-01-01, d: , e: .nan}\n"),
    "a number as a name": {"SKILL.md": b"---\nname: 123\ndescription: Makes tea.\n---\n"},
    "a boolean as a description": described("true"),
    "zero as compatibility": front("compatibility: 0\n"),
    "a number as a version": front(f"{MANIFEST}version: &v 1.0\nmetadata: {{v: *v}}\n"),
    "a number as a minimum": front(
        f"{MANIFEST}preconditions:\n  commands:\n    - {{cmd: git, min_version: 2.40}}\n"
    ),
    # Tools
    "a list of tools": front("allowed-tools: [Read, Bash(git:*)]\n"),
    "tools with comments": front("allowed-tools:\n  - Read # needed\n  # to look\n  - Grep\n"),
    "a tool with a space": front("allowed-tools:\n  - Bash(git add:*)\n  - my tool\n"),
    "tools by commas and spaces": front("allowed-tools: Read, Grep Glob\n"),
    "tools on lines": front("allowed-tools: Read,\n  Grep\n"),
    "tools that another key refers to": front("allowed-tools: &t [Read]\nmetadata: {b: *t}\n"),
    # Dialects
    "a plain version": front("version: 1.0.0\n"),
    "a plain version as a number": front("version: 1.0\n"),
    "inputs of another tool": front("inputs: some text\nenv: [A]\noutputs: {files: [a.md]}\n"),
    "inputs as a JSON Schema": front(
        "inputs:\n  type: object\n  required: [a]\n  properties: {a: {type: string}}\n"
    ),
    "a manifest without its version": front("env:\n  required:\n    - name: A\n"),
    # Around the frontmatter
    "spaces after the opening": {"SKILL.md": front("")["SKILL.md"].replace(b"---", b"---  ", 1)},
    "a variable without braces": {
        "SKILL.md": front("")["SKILL.md"] + b"Run `cat $CLAUDE_SKILL_DIR/a.txt`.\n"
    },
    # Byte order marks
    "a byte order mark": {"SKILL.md": "\ufeff".encode() + front("")["SKILL.md"]},
    "two byte order marks": {"SKILL.md": "\ufeff\ufeff".encode() + front("")["SKILL.md"]},
    "a byte order mark in TOML": {"skill.toml": "\ufeff".encode() + CARO.encode()},
    # Ids that TOML reads as tables
    "an id": caro('[dependencies]\ncloud.aws = ">=1"\ncloud.gcp = ">=1"\n'),
    "an id on two lines": caro(
        '[dependencies]\ncloud.aws.version = ">=1"\ncloud.aws.optional = true\n'
    ),
    "an id with an inline table": caro('[dependencies]\ncloud.aws = {version = ">=1"}\n'),
    "an id in headers": caro(
        '[dependencies.cloud.aws]\nversion = ">=1"\n[dependencies.cloud.gcp]\nversion = ">=1"\n'
    ),
    "an id that is there in quotes": caro('[dependencies]\ncloud.aws = "1"\n"cloud.aws" = "2"\n'),
    "a suggestion": caro('[suggestions]\ncloud.aws = "With AWS"\n'),
    "types in TOML": caro("", 'name = "Tea"', "name = 0xff"),
}
"""Skills in the folder `tea` that have led, or could lead, a fix past what it may change."""

DAY = "    - {name: day, description: d, schema: {type: string}}\n"
BLOCK = {
    "schema_version": "2.0",
    "id": "tea",
    "version": "1.0.0",
    "capabilities": ["tea-make"],
    "effects": [],
    "operations": {
        "make": {
            "description": "Makes tea.",
            "input": {"cups": {"type": "integer", "default": "5", "description": "How many"}},
            "output": {"description": "Tea"},
            "entrypoints": {"unix": ["make", "{cups}"]},
        }
    },
    "stdout_contract": {"last_line_json": False},
}
OFFERING: dict[str, dict[str, bytes]] = {
    "a file name in other letters": {"skill.md": front("")["SKILL.md"]},
    "values of Claude Code with a slip": front("context: frok\nuser-invokable: true\n"),
    "an agent without its context": front("agent: Explore\n"),
    "two tools in small letters": front("allowed-tools: read grep\n"),
    "a script with CR LF": {
        "SKILL.md": front("")["SKILL.md"],
        "scripts/go.sh": b"#!/bin/sh\r\necho tea\r\n",
    },
    "a sum of money": {
        "SKILL.md": front("argument-hint: file\n")["SKILL.md"] + b"It costs $0.10.\n"
    },
    "commas between arguments": front("arguments: issue, branch\n"),
    "a keyword with a slip": front(
        f"{MANIFEST}inputs:\n  required:\n    - {{name: day, description: d, "
        "schema: {type: string, patern: x}}\n"
    ),
    "an interface with a slip": front(
        f"{MANIFEST}inputs:\n  required:\n{DAY}interface:\n  inputs: [dya]\n"
    ),
    "placeholders with a slip": front(
        f"{MANIFEST}inputs:\n  required:\n{DAY}outputs:\n  files:\n"
        '    - pattern: "{{dya}}.md"\n    - pattern: "{{ day }}.txt"\n'
    ),
    "a manifest outside a block": {
        "SKILL.md": front("")["SKILL.md"] + f"\n{json.dumps(BLOCK)}\n".encode()
    },
    "a default of another type": {
        "SKILL.md": front("")["SKILL.md"]
        + f"```skill-manifest\n{json.dumps(BLOCK)}\n```\n".encode()
    },
    "a licence with a slip": caro("", "[provides]", 'license = "MTI"\n[provides]'),
    "a folder that is not provided": {**caro(""), "knowledge/tea.md": b"Tea\n"},
    "a dependency with a slip": caro('[dependencies]\n"a.b" = {version = "1", optinal = true}\n'),
    "the digest of another file": {
        "manifest.json": json.dumps(
            {
                "schema_version": "1.0.0-draft",
                "id": "tea",
                "name": "tea",
                "version": "1.0.0",
                "entrypoint": "tea.wasm",
                "artifact": "sha256:" + "a" * 64,
                "capabilities": [],
                "signers": ["docs"],
                "inputs_schema": {"type": "object"},
                "outputs_schema": {"type": "object"},
            }
        ).encode(),
        "tea.wasm": b"\0asm\1\0\0\0",
    },
}
"""Skills with faults for which only an unsafe fix is offered, and no table has them."""


class Named(NamedTuple):
    name: str
    tree: FileTree


KEYS = ("license", "compatibility", "allowed-tools", "version", "when_to_use", "env", "on", "x")
TEXTS = (
    "yes", "no", "~", "", "1.10", "0755", "0o7", "1e5", "1_000", "2025-01-01", "a: b", "a # b",
    "`a`", "*a", "&a b", "!!int 5", "&v 1", "*v", "[a, b]", "{a: 1, b: yes}", '"a" b', "it's",
    "- a", "| a", "text", "true", ".nan", "0x1F", "=", "Read, Grep", "a: b\n    c # d",
)  # fmt: skip


def mixed(seed: int) -> Named:
    """A skill with several odd values, which may be at fault in each other's sight."""
    chance = Random(seed)

    def entries(indent: str) -> str:
        keys = chance.sample(KEYS, chance.randint(0, 4))
        return "".join(f"{indent}{key}: {chance.choice(TEXTS)}\n" for key in keys)

    description = chance.choice(("Makes tea.", *TEXTS))
    text = (
        f"---\nname: tea\ndescription: {description}\n{entries('')}metadata:\n{entries('  ')}---\n"
    )
    return Named(text, MemoryTree({"SKILL.md": text.encode()}, "tea"))


def odd() -> Iterator[Named]:
    for name, files in {**ODD, **OFFERING}.items():
        yield Named(name, MemoryTree(files, "tea"))


def tables() -> Iterator[Named]:
    """Every row of the mutation tables."""
    for path in TABLES:
        table = load(path)
        for number, case in enumerate(table["cases"], 1):
            files = {name: text.encode() for name, text in table["files"].items()}
            files[table["path"]] = mutated(table["base"], case)[0].encode()
            yield Named(f"{path.stem}-{number}", MemoryTree(files, table["name"]))


def corpus() -> Iterator[Named]:
    """Every public manifest."""
    for name, tree in trees():
        yield Named(name, tree)


def safe_fixes(analysis: Analysis) -> Iterator[tuple[Diagnostic, Fix]]:
    for diagnostic in analysis.diagnostics:
        for fix in diagnostic.fixes:
            if fix.safe:
                yield diagnostic, fix


LOST = "no longer accepted by "


def fixed_by(analysis: Analysis, diagnostic: Diagnostic, fix: Fix) -> Overlay | None:
    """The skill after one fix; None where the edit is refused, so that nothing changes."""
    source = analysis.source(diagnostic.path)
    assert source is not None
    try:
        splices = fix_edits(analysis, diagnostic, fix)
    except EditRefused:
        return None
    text = apply(source.text, sorted(splices))
    assert text != source.text, "the fix changes nothing"
    return Overlay(analysis.skill.tree, {diagnostic.path: text.encode("utf-8", "surrogatepass")})


def breaches(before: Analysis, after: Analysis, faults: list[Diagnostic]) -> list[str]:
    """What fixes of some faults changed that they may not change."""
    found = []
    if before.dialects != after.dialects:
        found.append(f"dialects: {before.dialects} became {after.dialects}")
    for old, new in zip(before.manifests, after.manifests, strict=False):
        at_fault = [_dotted(each.pointer) for each in faults if each.path == old.path]
        for how in (_ours, _independent):
            was, now = how(old), how(new)
            if was is not None and now is None:
                found.append(f"{how.__name__}: {old.path} could be read before")
            elif was is not None and now is not None:
                was, now = (_left(each, at_fault) for each in (was, now))
                if was != now:
                    found.append(f"{how.__name__}: {set(was.items()) ^ set(now.items())}")
        if not new.document.faults:
            found += _disagreements(new)
    lost = _accepting(before) - _accepting(after)
    if lost:
        found.append(f"{LOST}{sorted(lost)}")
    pointers = {each.pointer for each in faults}
    new_errors = Counter(_errors(after)) - Counter(_errors(before))
    beside = {each for each in new_errors if each[1] not in pointers and "." not in each[1]}
    if beside:
        found.append(f"new errors: {sorted(beside)}")
    return found


def _errors(analysis: Analysis) -> list[tuple[str, str]]:
    return [(each.rule, each.pointer) for each in analysis.diagnostics if each.severity == "error"]


def _accepting(analysis: Analysis) -> set[tuple[str, ...]]:
    """Accepting targets, and for each target and place its outcome and all worse ones."""
    found: set[tuple[str, ...]] = {
        ("target", id) for id, each in analysis.targets.items() if each.is_accepted
    }
    for where in WHERE:
        for answer in explain_visibility(
            analysis.skill, ClientPlace(f"{where}/{analysis.skill.name}")
        ):
            known = OUTCOMES.index(answer.outcome) if answer.outcome in OUTCOMES else -1
            found |= {(where, answer.target, each) for each in OUTCOMES[: known + 1]}
    return found


_Leaves = dict[str, str]
"""A value by its path, keys and indexes joined by dots: so an id with a dot and the tables that
TOML makes of it are one path."""


def _dotted(pointer: str) -> str:
    return ".".join(split_pointer(pointer))


def _left(leaves: _Leaves, at_fault: list[str]) -> _Leaves:
    """The leaves that are not at fault, nor below what is."""
    dropped = [each for each in at_fault if each]
    return {
        path: value
        for path, value in leaves.items()
        if not any(path == each or path.startswith(f"{each}.") for each in dropped)
    }


def _ours(manifest: Manifest) -> _Leaves:
    return dict(_flat(manifest.document.value, ""))


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _flat(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from _flat(each, f"{path}.{index}" if path else str(index))
    else:
        yield path, repr(value)


def _independent(manifest: Manifest) -> _Leaves | None:
    """The manifest as the libraries read it that agents have; None where they cannot."""
    document = manifest.document
    text = document.source.text[document.span.start : document.span.end].removeprefix("\ufeff")
    try:
        if document.syntax == "yaml":
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            return dict(_composed(node, "")) if node is not None else {}
        reads = json.loads if document.syntax == "json" else tomllib.loads
        return dict(_flat(reads(text), ""))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _composed(node: Any, path: str) -> Iterator[tuple[str, str]]:
    """The leaves of PyYAML's tree, which knows YAML 1.1: keys as written, values with types."""
    if isinstance(node, yaml.MappingNode) and node.value:
        for key, each in node.value:
            yield from _composed(each, f"{path}.{key.value}" if path else str(key.value))
    elif isinstance(node, yaml.SequenceNode) and node.value:
        for index, each in enumerate(node.value):
            yield from _composed(each, f"{path}.{index}" if path else str(index))
    else:
        yield path, f"{node.tag} {node.value!r}"


def _disagreements(manifest: Manifest) -> list[str]:
    """Where a text without faults is not the same to another reader as to ours."""
    if manifest.document.syntax != "yaml":
        return []
    other = _independent(manifest)
    if other is None:
        return [f"PyYAML cannot read {manifest.path}"]
    texts = {path: value for path, value in _ours(manifest).items() if value[:1] in "'\""}
    return [
        f"{path} is {value} to us and {other.get(path)} to PyYAML"
        for path, value in texts.items()
        if not other.get(path, "").endswith(f" {value}")
    ]
