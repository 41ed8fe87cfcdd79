"""Find the argparse parsers of a module from the calls that make them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

from skillstudio.text.scripts.model import NOTHING, ScriptCommand, ScriptOption, first_sentence
from skillstudio.text.scripts.python_names import Names, called, is_open, keywords

MAX_OPTIONS = 200
MAX_COMMANDS = 200  # Maximum number of options per parser, and of commands per script.

_SWITCHES = {"store_true": False, "store_false": True}
_SILENT = ("help", "version")
_MANY = ("*", "+", "...", "A...")
_COUNTS = {
    "argparse.OPTIONAL": "?", "argparse.ZERO_OR_MORE": "*", "argparse.ONE_OR_MORE": "+",
    "argparse.REMAINDER": "...",
}  # fmt: skip
"""argparse's constants for `nargs`."""


class _ArgumentParser:
    """A parser under construction."""

    def __init__(self, name: str, about: str) -> None:
        self.name = name
        self.about = about
        self.options: list[ScriptOption] = []
        self.certain = True
        self.below: list[_ArgumentParser] = []

    def add(self, options: Sequence[ScriptOption]) -> None:
        """Add options, up to the maximum."""
        left = MAX_OPTIONS - len(self.options)
        self.certain = self.certain and len(options) <= left
        self.options += options[:left]

    def commands(self) -> Iterator[ScriptCommand]:
        """The parser as a command, or its subcommands with its own options."""
        if not self.below:
            yield ScriptCommand(self.name, self.about, tuple(self.options), self.certain)
        for each in self.below:
            for found in each.commands():
                name = f"{self.name} {found.name}".strip()
                options = (*self.options, *found.options)
                # Options of a parser between the two would come between two names.
                certain = self.certain and found.certain and not (self.options and self.name)
                before = len(self.options) + found.before
                yield ScriptCommand(name, found.about, options, certain, before)


_Known = dict[str, _ArgumentParser]


def argparse_commands(tree: ast.Module, names: Names) -> list[ScriptCommand]:
    """The commands of the first parser of a module; none if there is no parser."""
    reader = _ArgparseReader(tree, names)
    reader.scope(tree.body, {}, loop=False)
    return list(islice(reader.first.commands(), MAX_COMMANDS)) if reader.first is not None else []


class _ArgparseReader:
    """Walks the statements in order and tracks the parsers that names refer to."""

    def __init__(self, tree: ast.Module, names: Names) -> None:
        self.names = names
        self.first: _ArgumentParser | None = None
        self.classes = {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            and any(names.resolve(base) == "argparse.ArgumentParser" for base in node.bases)
        }

    def scope(self, body: list[ast.stmt], known: _Known, loop: bool) -> None:
        """The statements of one scope; `known` are the names of parsers in it."""
        for statement in body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.scope(statement.body, dict(known), False)
            else:
                self._statement(statement, known, loop)
                turns = loop or isinstance(
                    statement, (ast.For, ast.While, ast.If, ast.Try, ast.Match)
                )
                for inner in _blocks(statement):
                    self.scope(inner, known, turns)

    def _statement(self, statement: ast.stmt, known: _Known, loop: bool) -> None:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
            found = self._made(value, known, loop)
            if isinstance(target, ast.Name) and found is not None:
                known[target.id] = found
        elif isinstance(statement, (ast.Expr, ast.Return)) and statement.value is not None:
            self._made(statement.value, known, loop)

    def _made(self, node: ast.expr, known: _Known, loop: bool) -> _ArgumentParser | None:
        """The parser that an expression evaluates to; its options are added on the way."""
        if isinstance(node, ast.Name):
            return known.get(node.id)
        if isinstance(node, ast.Attribute):
            # `add = parser.add_argument` is a name for the parser's method.
            return self._made(node.value, known, loop) if node.attr in _METHODS else None
        if not isinstance(node, ast.Call):
            return None
        name = self.names.resolve(node.func)
        if name == "argparse.ArgumentParser" or name in self.classes:
            return self._parser(node, known)
        method = called(node.func)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        parser = self._made(owner, known, loop)
        if parser is None:
            if method == "add_argument" and self.first is not None:
                self.first.certain = False
            return None
        if method in ("add_argument_group", "add_mutually_exclusive_group", "add_subparsers"):
            return parser
        if method == "add_parser":
            return self._below(parser, node, loop)
        if method == "add_argument" or isinstance(node.func, ast.Name):
            self._argument(parser, node, loop)
        elif method in ("parse_known_args", "parse_known_intermixed_args"):
            parser.certain = False
        return None

    def _parser(self, call: ast.Call, known: _Known) -> _ArgumentParser:
        given = keywords(call)
        made = _ArgumentParser("", first_sentence(self.names.text(given.get("description"))))
        made.certain = not is_open(call)
        parents = given.get("parents")
        for each in parents.elts if isinstance(parents, (ast.List, ast.Tuple)) else []:
            above = known.get(each.id) if isinstance(each, ast.Name) else None
            if above is None:
                made.certain = False
            else:
                made.add(above.options)
                if self.first is above:
                    self.first = None
        if self.first is None:
            self.first = made
        return made

    def _below(self, parser: _ArgumentParser, call: ast.Call, loop: bool) -> _ArgumentParser:
        given = keywords(call)
        name = self.names.text(call.args[0]) if call.args else ""
        about = self.names.text(given.get("help")) or self.names.text(given.get("description"))
        made = _ArgumentParser(name, first_sentence(about))
        made.certain = bool(name) and not loop and not is_open(call) and "parents" not in given
        if name:
            parser.below.append(made)
        else:
            parser.certain = False
        return made

    def _argument(self, parser: _ArgumentParser, call: ast.Call, loop: bool) -> None:
        words = [self.names.value(each) for each in call.args]
        flags = tuple(each for each in words if isinstance(each, str))
        if loop or is_open(call) or not flags or len(flags) < len(words):
            parser.certain = False
        if not flags:
            return
        option = self._option(flags, keywords(call))
        if option is not None:
            parser.add([option])

    def _option(self, flags: tuple[str, ...], given: dict[str, ast.expr]) -> ScriptOption | None:
        names = self.names
        action = names.text(given.get("action")) or called(given.get("action") or ast.Name("store"))
        if action in _SILENT or flags == ("-h", "--help"):
            return None
        by_flag = flags[0].startswith("-")
        default = names.value(given.get("default"))
        nargs = given.get("nargs")
        count = names.value(nargs)
        if nargs is not None:
            count = _COUNTS.get(names.resolve(nargs), count)
        many = count in _MANY or (isinstance(count, int) and count > 1)
        switch = action in _SWITCHES or action in (
            "BooleanOptionalAction", "count", "store_const", "append_const",
        )  # fmt: skip
        if action in _SWITCHES and default is NOTHING:
            default = _SWITCHES[action]
        longest = next((each for each in flags if each.startswith("--")), flags[0])
        name = names.text(given.get("dest")) or longest.lstrip("-")
        choices = names.value(given.get("choices"))
        return ScriptOption(
            name=name.replace("-", "_"),
            flags=flags if by_flag else (),
            type="boolean" if switch and action != "count" else names.type(given.get("type")),
            required=(
                names.value(given.get("required")) is True
                if by_flag
                else count not in ("?", "*", "...") and "default" not in given
            ),
            default=NOTHING if default is None or ("default" in given and many) else default,
            help=names.text(given.get("help")).replace("%(default)s", str(default)),
            choices=tuple(map(str, choices)) if isinstance(choices, (list, tuple)) else (),
            switch=switch,
            many=many or action in ("append", "extend"),
        )


_METHODS = ("add_argument", "add_parser")


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(statement, name, None)
        if isinstance(inner, list):
            yield inner
    for each in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield each.body
