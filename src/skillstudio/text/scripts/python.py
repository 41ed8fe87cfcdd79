"""Read a Python script by its syntax tree: argparse, click, and what it seems to do."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from typing import Any

from skillstudio.text.scripts import effects
from skillstudio.text.scripts.model import NOTHING, Command, NotRead, Script, Type

_WRITES = frozenset("wax+")
_CHANGES = ("insert ", "update ", "delete ", "create ", "drop ", "replace ", "alter ")
_PARSERS = ("typer", "fire", "docopt", "optparse", "getopt", "cyclopts", "absl")
"""Modules that read arguments in a way that is not known here."""
_TYPES: dict[str, Type] = {
    "int": "integer", "float": "number", "bool": "boolean", "str": "string",
    "INT": "integer", "FLOAT": "number", "BOOL": "boolean", "STRING": "string",
    "IntRange": "integer", "FloatRange": "number",
}  # fmt: skip


def read_python(text: str) -> Script:
    """What a Python script takes. Raises NotRead where it is no Python of today."""
    try:
        with warnings.catch_warnings():
            # An invalid escape in the script is the author's matter, not the terminal's.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        raise NotRead(f"no Python 3: line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise NotRead("no Python 3 that can be read") from None
    try:
        return _read(tree, text)
    except RecursionError:
        raise NotRead("nested too deeply") from None


def _read(tree: ast.Module, text: str) -> Script:
    from skillstudio.text.scripts.python_argparse import argparse_commands
    from skillstudio.text.scripts.python_click import click_commands

    names = Names(tree)
    commands = argparse_commands(tree, names) or click_commands(tree, names)
    notes: list[str] = []
    about = first_sentence(ast.get_docstring(tree) or "")
    own_words = "argv" in names.attributes
    parsers = sorted({each.partition(".")[0] for each in _PARSERS if names.takes_in(each)})
    if commands and not all(each.certain for each in commands):
        notes.append("not all of its options could be told; there may be others")
    elif not commands and parsers:
        told = " and ".join(parsers)
        notes.append(f"it reads its arguments with {told}, so they are not known")
    elif not commands and own_words:
        notes.append("it reads sys.argv itself, so its arguments are not known")
    # Without a parser its arguments may be taken in another way, or in another file.
    commands = commands or [Command(certain=False)]
    commands = [each if each.about else replace(each, about=about) for each in commands]
    main = any(isinstance(node, ast.If) and "__main__" in ast.dump(node.test) for node in tree.body)
    found = any(each.options for each in commands) or len(commands) > 1
    return Script(
        "python",
        tuple(commands),
        frozenset(_effects(tree, names)),
        tuple(notes),
        program=main or found or text.startswith("#!"),
        speaks_json="dumps" in names.calls and "print" in names.calls,
    )


def first_sentence(text: str) -> str:
    """The first sentence of a docstring or a help text, on one line."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return paragraph.split(". ")[0].removesuffix(".") + "." if paragraph else ""


class Names:
    """What a module takes in, calls, and gives simple names to."""

    def __init__(self, tree: ast.Module) -> None:
        self.modules: dict[str, str] = {}
        """Name here to the module that it stands for."""
        self.members: dict[str, str] = {}
        """Name here to the `module.member` that it stands for."""
        self.calls: set[str] = set()
        self.attributes: set[str] = set()
        self.literals: dict[str, Any] = {}
        """Names that a module gives one literal value to, and no other."""
        given: dict[str, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for each in node.names:
                    self.modules[each.asname or each.name.partition(".")[0]] = each.name
            elif isinstance(node, ast.ImportFrom):
                for each in node.names:
                    self.members[each.asname or each.name] = f"{node.module}.{each.name}"
            elif isinstance(node, ast.Call):
                self.calls.add(called(node.func))
            elif isinstance(node, ast.Attribute):
                self.attributes.add(node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                given[node.id] = given.get(node.id, 0) + 1
        self.attributes |= {"argv"} if "sys.argv" in self.members.values() else set()
        for statement in tree.body:
            name, value = _assigned(statement)
            if name and given.get(name) == 1 and value is not None:
                found = _literal(value)
                if found is not NOTHING:
                    self.literals[name] = found

    def takes_in(self, module: str) -> bool:
        """Whether a module, or something of it, is taken in."""
        taken = {*self.modules.values(), *self.members.values()}
        return any(f"{each}.".startswith(f"{module}.") for each in taken)

    def resolve(self, node: ast.expr) -> str:
        """The dotted name that an expression stands for: `argparse.ArgumentParser`; "" for none."""
        if isinstance(node, ast.Name):
            return self.members.get(node.id) or self.modules.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            above = self.resolve(node.value)
            return f"{above}.{node.attr}" if above else ""
        return ""

    def value(self, node: ast.expr | None) -> Any:
        """The value of a literal, or of a name that stands for one; NOTHING for all else."""
        if isinstance(node, ast.Name):
            return self.literals.get(node.id, NOTHING)
        return NOTHING if node is None else _literal(node)

    def text(self, node: ast.expr | None) -> str:
        """A text, "" where it is none that can be told."""
        found = self.value(node)
        return " ".join(found.split()) if isinstance(found, str) else ""

    def type(self, node: ast.expr | None, default: Any = NOTHING) -> Type:
        """The type that a `type=` names, else that of the default."""
        if isinstance(node, ast.Call):
            node = node.func
        if node is not None:
            return _TYPES.get(self.resolve(node).rpartition(".")[2], "string")
        if isinstance(default, bool):
            return "boolean"
        if isinstance(default, int):
            return "integer"
        return "number" if isinstance(default, float) else "string"


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    """The arguments of a call that are given by name."""
    return {each.arg: each.value for each in call.keywords if each.arg}


def is_open(call: ast.Call) -> bool:
    """Whether a call has arguments that cannot be told: `*names`, `**options`."""
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    return starred or any(each.arg is None for each in call.keywords)


def called(node: ast.expr) -> str:
    """The last part of what is called."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return (target.id, statement.value) if isinstance(target, ast.Name) else ("", None)
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id, statement.value
    return "", None


def _literal(node: ast.expr) -> Any:
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOTHING
    return found if _is_plain(found) else NOTHING


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(each) for each in value)
    return value is None or isinstance(value, (bool, int, float, str))


def _effects(tree: ast.Module, names: Names) -> set[str]:
    taken = {*names.modules.values(), *names.members.values()}
    above = {each.rpartition(".")[0] for each in taken}
    found = effects.of_names("modules", taken | above | {each.partition(".")[0] for each in taken})
    found |= effects.of_names("calls", names.calls)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found |= _of_call(node)
        elif "db.read" in found and isinstance(node, ast.Constant) and _changes(node.value):
            found.add("db.write")
    return found


def _changes(value: object) -> bool:
    """Whether a text is a statement of SQL that changes something."""
    return isinstance(value, str) and value.strip().lower().startswith(_CHANGES)


def _of_call(call: ast.Call) -> set[str]:
    name = called(call.func)
    if name == "open":
        # open(path, "w") and path.open("w") differ by one place.
        at = 1 if isinstance(call.func, ast.Name) else 0
        mode = call.args[at] if len(call.args) > at else keywords(call).get("mode")
        text = mode.value if isinstance(mode, ast.Constant) else ""
        return {"fs.write"} if isinstance(text, str) and _WRITES & set(text) else set()
    if name in ("run", "Popen", "call", "check_call", "check_output") and call.args:
        first = call.args[0]
        items = first.elts if isinstance(first, (ast.List, ast.Tuple)) else []
        words = [each.value for each in items if isinstance(each, ast.Constant)]
        return effects.of_call([word for word in words if isinstance(word, str)])
    return set()
