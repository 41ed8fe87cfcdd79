"""Read a Python script by its syntax tree: argparse, typer and its probable effects."""

from __future__ import annotations

import ast
import warnings

from skillstudio.text.scripts import effects
from skillstudio.text.scripts.model import NotRead, Script, ScriptCommand, first_sentence
from skillstudio.text.scripts.python_argparse import argparse_commands
from skillstudio.text.scripts.python_argv import argv_commands
from skillstudio.text.scripts.python_names import Names, called_name, keywords
from skillstudio.text.scripts.python_typer import typer_commands
from skillstudio.text.scripts.usage import usage_commands

_WRITES = frozenset("wax+")
_NO_READING = ("close", "closed", "encoding", "fileno", "isatty", "reconfigure")
_CHANGES = ("insert ", "update ", "delete ", "create ", "drop ", "replace ", "alter ")
_PARSERS = ("typer", "click", "fire", "docopt", "optparse", "getopt", "cyclopts", "absl")
"""Modules that parse arguments in an unsupported way."""


def read_python(text: str) -> Script:
    """Read the arguments and effects of a Python script. Raises NotRead for invalid Python 3."""
    tree = parse_python(text)
    try:
        return _read(tree, text)
    except RecursionError:
        raise NotRead("nested too deeply") from None


def parse_python(text: str) -> ast.Module:
    """The syntax tree of Python 3. Raises NotRead."""
    try:
        with warnings.catch_warnings():
            # Do not show warnings about the script's code in the terminal.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        raise NotRead(f"not valid Python 3: {where}{error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise NotRead("not valid Python 3") from None


def only_defines(text: str) -> bool:
    """Whether a script does nothing when it is started. Raises NotRead."""
    definition_types = (
        ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign,
        ast.AnnAssign, ast.If, ast.Try,
    )  # fmt: skip
    return all(
        isinstance(node, definition_types)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in parse_python(text).body
    )


def _read(tree: ast.Module, text: str) -> Script:
    names = Names(tree)
    commands = argparse_commands(tree, names) or typer_commands(tree, names)
    notes: list[str] = []
    docstring = ast.get_docstring(tree) or ""
    about = first_sentence(docstring)
    own_words = "argv" in names.attributes
    parsers = sorted({module.partition(".")[0] for module in _PARSERS if names.takes_in(module)})
    if commands and not all(command.certain for command in commands):
        notes.append("some of its arguments could not be determined")
    elif not commands and parsers:
        modules = " and ".join(parsers)
        notes.append(f"it parses its arguments with {modules}, so they are not known")
    elif not commands and own_words:
        commands = argv_commands(tree, names)
        notes.append(
            "it reads sys.argv directly, so there may be other arguments"
            if any(command.options for command in commands)
            else "it reads sys.argv directly, so its arguments are not known"
        )
    # Without a parser, arguments may be parsed differently, or in another file.
    if not commands:
        usage = usage_commands(docstring, language="python") if parsers else []
        commands = usage or [ScriptCommand(certain=False)]
    commands = [command if command.about else command._replace(about=about) for command in commands]
    if len(commands) == 1 and _reads_input(names):
        commands = [commands[0]._replace(reads_input=True)]
    main = any(isinstance(node, ast.If) and "__main__" in ast.dump(node.test) for node in tree.body)
    has_arguments = any(command.options for command in commands) or len(commands) > 1
    return Script(
        "python",
        tuple(commands),
        frozenset(_effects(names)),
        tuple(notes),
        program=main or has_arguments or text.startswith("#!"),
        speaks_json="dumps" in names.calls and "print" in names.calls,
    )


def _reads_input(names: Names) -> bool:
    """Whether the code reads `sys.stdin`, rather than asks about it or passes it on."""
    if "stdin" not in names.attributes and "sys.stdin" not in names.members.values():
        return False
    other_uses = {
        node.value
        for node in names.nodes
        if (isinstance(node, ast.Attribute) and node.attr in _NO_READING)
        or (isinstance(node, ast.keyword) and node.arg == "stdin")
    }
    return any(
        isinstance(node, (ast.Attribute, ast.Name))
        and isinstance(node.ctx, ast.Load)
        and node not in other_uses
        and names.resolve(node) == "sys.stdin"
        for node in names.nodes
    )


def _effects(names: Names) -> set[str]:
    imports = {*names.modules.values(), *names.members.values()}
    above = {name.rpartition(".")[0] for name in imports}
    effect_names = effects.of_names(
        "modules", imports | above | {name.partition(".")[0] for name in imports}
    )
    effect_names |= effects.of_names("calls", names.calls)
    for node in names.nodes:
        if isinstance(node, ast.Call):
            effect_names |= _of_call(node)
        elif "db.read" in effect_names and isinstance(node, ast.Constant) and _changes(node.value):
            effect_names.add("db.write")
    return effect_names


def _changes(value: object) -> bool:
    """Whether a text is an SQL statement that changes something."""
    return isinstance(value, str) and value.strip().lower().startswith(_CHANGES)


def _of_call(call: ast.Call) -> set[str]:
    name = called_name(call.func)
    if name == "open":
        # The mode has another position in open(path, "w") and path.open("w").
        at = 1 if isinstance(call.func, ast.Name) else 0
        mode = call.args[at] if len(call.args) > at else keywords(call).get("mode")
        text = mode.value if isinstance(mode, ast.Constant) else ""
        return {"fs.write"} if isinstance(text, str) and _WRITES & set(text) else set()
    if name in ("run", "Popen", "call", "check_call", "check_output") and call.args:
        first = call.args[0]
        items = first.elts if isinstance(first, (ast.List, ast.Tuple)) else []
        words = [node.value for node in items if isinstance(node, ast.Constant)]
        return effects.of_call([word for word in words if isinstance(word, str)])
    return set()
