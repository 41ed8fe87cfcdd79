"""Find scripts that load files from outside the skill, which only the author has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillstudio.manifest.script_prompts import is_kept
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.scripts.model import NotRead
from skillstudio.text.scripts.python import parse_python
from skillstudio.text.source import Source, Span

if TYPE_CHECKING:
    from skillstudio.manifest.named_files import NameCheck

_DEEPEST = 30  # Names and calls that one path is made of.
_CODE = r"(?:\.\./){1,9}[\w./-]{1,200}"
_NODE = lazy_pattern(
    r"(?:^[ \t]*(?:import|export)\b[^\n]{0,200}?\bfrom[ \t]*|^[ \t]*import[ \t]*|\brequire\([ \t]*)"
    rf"([\"'])({_CODE})\1",
    re.MULTILINE,
)
_SHELL = lazy_pattern(
    r"^[ \t]*(source|\.)[ \t]+[\"']?"
    r"\$(?:\{BASH_SOURCE%/\*\}|\(dirname [^)]{1,80}\)|\{?SCRIPT_DIR\}?)"
    rf"[\"']?/({_CODE})",
    re.MULTILINE,
)


def check_imports(check: NameCheck, path: str, source: Source) -> Iterator[Diagnostic]:
    """`import-outside` at the first place where a script leaves the skill to load code."""
    if is_kept(path) or path.rpartition("/")[2] not in check.own_text:
        return
    folder = path.split("/")[:-1]
    place = next(_python(source, path) if path.endswith(".py") else _relative(source, folder), None)
    if place is None:
        return
    outside, span = place
    severity: Severity | None = None
    lack = "which is missing where only the skill is installed; copy it into the skill"
    if check.around is not None and check.around.is_in_plugin(outside):
        severity, lack = "info", "which works only where its plugin is installed"
    elif name := _other_skill(check, outside):
        severity, lack = "info", f"which works only where {name} is installed next to it"
    message = f"the script loads code from {outside}, outside of the skill, {lack}"
    yield Diagnostic("import-outside", message, span, path=path, severity=severity)


def _other_skill(check: NameCheck, path: str) -> str:
    """The name of the skill next to this one that a path leads to, or ""."""
    above, _, rest = path.partition("/")
    name, around = rest.partition("/")[0], check.around
    if above != ".." or name in ("", "..") or around is None or not around.root:
        return ""
    beside = around.place().rpartition("/")[0]
    return name if around.problem(f"{beside}/{name}/SKILL.md".lstrip("/")) is None else ""


def _relative(source: Source, folder: list[str]) -> Iterator[tuple[str, Span]]:
    pattern = _SHELL if source.path.endswith((".sh", ".bash")) else _NODE
    for match in pattern.finditer(source.text):
        parts = _join_parts(folder, match[2].split("/"))
        if parts[:1] == [".."]:
            yield "/".join(parts), Span(*match.span(2))


def _join_parts(folder: list[str], parts: list[str]) -> list[str]:
    """A folder and a path from it, in which `..` are only at the start."""
    joined_parts = list(folder)
    for part in parts:
        if part == ".." and joined_parts and joined_parts[-1] != "..":
            joined_parts.pop()
        elif part not in ("", "."):
            joined_parts.append(part)
    return joined_parts


def _python(source: Source, path: str) -> Iterator[tuple[str, Span]]:
    """The folders outside the skill that a Python script adds to sys.path, in any case."""
    try:
        tree = parse_python(source.text)
    except NotRead:
        return
    paths = _PythonPaths(tree, path.split("/"))
    for node in tree.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func) in _PATH_CALLS and call.args:
            parts = paths.of(call.args[-1])
            if parts is not None and parts[:1] == [".."]:
                # A statement: only spaces are before it on its line.
                start = source.offset(call.lineno, call.col_offset + 1)
                end = source.text.find("\n", start)
                yield "/".join(parts), Span(start, end if end >= 0 else len(source.text))


_PATH_CALLS = ("sys.path.insert", "sys.path.append")
_SAME = ("resolve", "absolute", "expanduser", "as_posix")
_IDENTITY_CALLS = ("str", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath")


class _PythonPaths:
    """The paths, from the skill's folder, that the expressions of a module stand for."""

    def __init__(self, tree: ast.Module, script: list[str]) -> None:
        self._script = script
        self._assignments = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }

    def of(self, node: ast.expr, budget: int = _DEEPEST) -> list[str] | None:
        """The parts of a path; None for one that is not made of the script's own."""
        if budget == 0:
            return None
        if isinstance(node, ast.Name):
            if node.id == "__file__":
                return self._script
            value = self._assignments.get(node.id)
            return self.of(value, budget - 1) if value is not None else None
        if isinstance(node, ast.Attribute) and node.attr == "parent":
            return self._above(node.value, 1, budget)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            parents, number = node.value, node.slice.value
            if not isinstance(parents, ast.Attribute) or parents.attr != "parents":
                return None
            if not isinstance(number, int) or not 0 <= number < _DEEPEST:
                return None
            return self._above(parents.value, number + 1, budget)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return self._below(node.left, [node.right], budget)
        return self._resolve_call(node, budget) if isinstance(node, ast.Call) else None

    def _resolve_call(self, node: ast.Call, budget: int) -> list[str] | None:
        name = ast.unparse(node.func) if len(node.args) < 10 else ""
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME and not node.args:
            return self.of(node.func.value, budget - 1)
        if not node.args:
            return None
        if name in _IDENTITY_CALLS or name.endswith("Path"):
            return self._below(node.args[0], node.args[1:], budget)
        if name == "os.path.dirname":
            return self._above(node.args[0], 1, budget)
        return self._below(node.args[0], node.args[1:], budget) if name == "os.path.join" else None

    def _above(self, node: ast.expr, number: int, budget: int) -> list[str] | None:
        parts = self.of(node, budget - 1)
        return None if parts is None else _join_parts(parts, [".."] * number)

    def _below(self, base: ast.expr, part_nodes: list[ast.expr], budget: int) -> list[str] | None:
        parts = self.of(base, budget - 1)
        for part in part_nodes:
            text = part.value if isinstance(part, ast.Constant) else None
            if parts is None or not isinstance(text, str) or text.startswith("/"):
                return None
            parts = _join_parts(parts, text.split("/"))
        return parts
