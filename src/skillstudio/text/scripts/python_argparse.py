"""Find the argparse parsers of a module from the calls that make them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from skillstudio.text.scripts.model import (
    MOST,
    NOTHING,
    OptionGroup,
    ScriptCommand,
    ScriptOption,
    first_sentence,
)
from skillstudio.text.scripts.python_names import Names, called_name, is_open, keywords

_SWITCHES = ("store_true", "store_false")
_OTHER_SWITCHES = ("store_false", "store_const", "append_const")
"""The switches that set their `dest` to another value than true."""
_SILENT = ("help", "version")
_MANY = ("*", "+", "...", "A...")
_COUNTS = {
    "argparse.OPTIONAL": "?", "argparse.ZERO_OR_MORE": "*", "argparse.ONE_OR_MORE": "+",
    "argparse.REMAINDER": "...", "argparse.PARSER": "A...",
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
        self.groups: list[_ExclusiveGroup] = []
        self.has_commands = False
        self.use = 0  # How surely it parses the command line, rather than a part of it.

    def add(self, options: Sequence[ScriptOption]) -> None:
        """Add options, up to the maximum."""
        room = MOST - len(self.options)
        self.certain = self.certain and len(options) <= room
        self.options += options[:room]

    def commands(self) -> Iterator[ScriptCommand]:
        """The parser as a command, or its subcommands with its own options."""
        groups = tuple(OptionGroup(tuple(group.names), group.is_required) for group in self.groups)
        if not self.below:
            options = tuple(self.options)
            yield ScriptCommand(self.name, self.about, options, self.certain, groups=groups)
        for subparser in self.below:
            for command in subparser.commands():
                name = f"{self.name} {command.name}".strip()
                options = (*self.options, *command.options)
                # Options of a parser between the two would come between two names.
                certain = self.certain and command.certain and not (self.options and self.name)
                before = len(self.options) + command.before
                both = (*groups, *command.groups)
                yield ScriptCommand(name, command.about, options, certain, before, both)


class _ExclusiveGroup:
    """A mutually exclusive group, whose options are those of its parser."""

    def __init__(self, parser: _ArgumentParser, is_required: bool) -> None:
        self.parser = parser
        self.is_required = is_required
        self.names: list[str] = []


_ReferenceIndex = dict[str, "_ArgumentParser | _ExclusiveGroup"]
_MAX_UNROLLED = 100_000
_MAX_DEPTH = 20  # The deepest chain of functions that get a parser.


def argparse_commands(tree: ast.Module, names: Names) -> list[ScriptCommand]:
    """The commands of a module's parser; none if there is no parser.

    Of several parsers, it is one with subcommands, else the one that the main function uses.
    """
    reader = _ArgparseReader(names)
    reader.scope(tree.body, {}, loop=False)
    if not reader.parsers:
        return []
    parser = max(reader.parsers, key=lambda parser: (parser.has_commands, parser.use))
    if set(reader.open) - reader.followed_functions or (parser.has_commands and not parser.below):
        parser.certain = False
    return list(islice(parser.commands(), MOST))


class _ArgparseReader:
    """Walks the statements in order and tracks the parsers that names refer to."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.parsers: list[_ArgumentParser] = []  # Without parents and those of subcommands.
        self.attributes: _ReferenceIndex = {}  # `self.parser`, in every method.
        self.functions = {
            node.name: node
            for node in names.nodes
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        assignments = [
            (node.targets[0].id, node.value)
            for node in names.nodes
            if isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        ]
        counts = Counter(name for name, _ in assignments)
        self.assigned_values = {name: value for name, value in assignments if counts[name] == 1}
        self.unrolled_count = 0  # The nodes of loops that were read, for each of their values.
        self.followed_functions: set[str] = set()  # The functions that were followed with a parser.
        self.open: list[str] = []  # The functions that add options to an unknown parser.
        self.within: list[str] = []
        self.classes = {
            node.name
            for node in names.nodes
            if isinstance(node, ast.ClassDef)
            and any(names.resolve(base) == "argparse.ArgumentParser" for base in node.bases)
        }

    def scope(self, body: list[ast.stmt], variables: _ReferenceIndex, loop: bool) -> None:
        """The statements of one scope; `variables` are the names of parsers in it."""
        for statement in body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.within.append(statement.name)
                arguments = getattr(statement, "args", None)
                parameters = (
                    {argument.arg for argument in arguments.args}
                    if arguments is not None
                    else set()
                )
                outer = {name: variables[name] for name in variables if name not in parameters}
                self.scope(statement.body, outer, False)
                self.within.pop()
            elif isinstance(statement, ast.For) and (values := self._turns(statement)) is not None:
                self._unroll(statement, values, variables, loop)
            else:
                self._statement(statement, variables, loop)
                turns = loop or isinstance(
                    statement, (ast.For, ast.While, ast.If, ast.Try, ast.Match)
                )
                for inner in _blocks(statement):
                    self.scope(inner, variables, turns)

    def _turns(self, loop: ast.For) -> list[ast.expr] | None:
        """The values that a loop goes through; None if they are not literals."""
        node = loop.iter
        if isinstance(node, ast.Call) and called_name(node.func) in ("sorted", "list", "tuple"):
            node = node.args[0] if node.args else node
        is_items = isinstance(node, ast.Call) and called_name(node.func) == "items"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value if node.func.attr in ("items", "keys") else node
        if isinstance(node, ast.Name):
            node = self.assigned_values.get(node.id, node)
        values: list[ast.expr] = []
        if isinstance(node, ast.Dict) and all(node.keys):
            pairs = zip(node.keys, node.values, strict=True)
            values = [
                ast.Tuple([key, value], ast.Load()) if is_items else key
                for key, value in pairs
                if key is not None
            ]
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            values = node.elts
        if not values or any(isinstance(value, ast.Starred) for value in values):
            return None
        self.unrolled_count += len(values) * sum(1 for _ in ast.walk(loop))
        return values if self.unrolled_count <= _MAX_UNROLLED else None

    def _unroll(
        self, statement: ast.For, turns: list[ast.expr], variables: _ReferenceIndex, loop: bool
    ) -> None:
        """Read the body of a loop for each of its values."""
        before = self.names.literals
        for value in turns:
            target = statement.target
            targets = target.elts if isinstance(target, ast.Tuple) else [target]
            parts = [value]
            if isinstance(target, ast.Tuple):
                parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            literals = {
                name.id: self.names.value(part)
                for name, part in zip(targets, parts, strict=False)
                if isinstance(name, ast.Name)
            }
            self.names.literals = {**before, **literals}
            self.scope(statement.body, variables, loop)
        self.names.literals = before
        self.scope(statement.orelse, variables, loop)

    def _statement(self, statement: ast.stmt, variables: _ReferenceIndex, loop: bool) -> None:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
            parser = self._find_parser(value, variables, loop)
            if isinstance(target, ast.Name) and parser is not None:
                variables[target.id] = parser
            elif isinstance(target, ast.Attribute) and parser is not None:
                self.attributes[self.names.resolve(target)] = parser
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            parser = self._find_parser(statement.value, variables, loop)
            if isinstance(statement.target, ast.Name) and parser is not None:
                variables[statement.target.id] = parser
        elif isinstance(statement, (ast.Expr, ast.Return)) and statement.value is not None:
            self._find_parser(statement.value, variables, loop)

    def _find_parser(
        self, node: ast.expr, variables: _ReferenceIndex, loop: bool
    ) -> _ArgumentParser | _ExclusiveGroup | None:
        """The parser that an expression evaluates to; its options are added on the way."""
        if isinstance(node, ast.Name):
            return variables.get(node.id)
        if isinstance(node, ast.Attribute):
            # `add = parser.add_argument` is a name for the parser's method.
            if node.attr in _METHODS:
                return self._find_parser(node.value, variables, loop)
            return self.attributes.get(self.names.resolve(node))
        if not isinstance(node, ast.Call):
            return None
        name = self.names.resolve(node.func)
        if name == "argparse.ArgumentParser" or name in self.classes:
            return self._parser(node, variables)
        method = called_name(node.func)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        holder = self._find_parser(owner, variables, loop)
        if holder is None:
            if method == "add_argument":
                self.open += [self.within[-1] if self.within else ""]
            return self._follow_call(node, variables, loop)
        if method == "add_argument_group":
            return holder
        group = holder if isinstance(holder, _ExclusiveGroup) else None
        parser = holder.parser if isinstance(holder, _ExclusiveGroup) else holder
        if method == "add_mutually_exclusive_group":
            group = _ExclusiveGroup(
                parser, self.names.value(keywords(node).get("required")) is True
            )
            parser.groups.append(group)
            return group
        if method == "add_subparsers":
            parser.has_commands = True
            return parser
        if method == "add_parser":
            return self._below(parser, node, variables, loop)
        if method == "add_argument" or isinstance(node.func, ast.Name):
            self._argument(parser, node, loop, group)
        elif method in ("parse_known_args", "parse_known_intermixed_args"):
            parser.certain = False
        elif method in ("parse_args", "parse_intermixed_args"):
            is_main = not self.within or self.within[-1] == "main"
            parser.use = max(parser.use, 1 + is_main + (not node.args))
        return None

    def _follow_call(
        self, call: ast.Call, variables: _ReferenceIndex, loop: bool
    ) -> _ArgumentParser | _ExclusiveGroup | None:
        """Read the function that a call gives a parser, as `add_common(parser)`."""
        function = self.functions.get(called_name(call.func))
        if function is None or len(self.within) > _MAX_DEPTH or function.name in self.within:
            return None
        parameters = [parameter.arg for parameter in function.args.args]
        if isinstance(call.func, ast.Attribute) and parameters[:1] == ["self"]:
            parameters = parameters[1:]
        inner_variables: _ReferenceIndex = {}
        defaults = function.args.defaults
        missing = zip(parameters[len(parameters) - len(defaults) :], defaults, strict=False)
        literals = {name: self.names.value(value) for name, value in missing}
        arguments = [*zip(parameters, call.args, strict=False), *keywords(call).items()]
        for name, value in arguments:
            parser = variables.get(value.id) if isinstance(value, ast.Name) else None
            if isinstance(value, ast.Attribute):
                parser = self.attributes.get(self.names.resolve(value))
            if parser is not None:
                inner_variables[name] = parser
            literals[name] = self.names.value(value)
        if not inner_variables:
            return None
        self.followed_functions.add(function.name)
        self.within.append(function.name)
        before = self.names.literals
        self.names.literals = {**before, **literals}
        self.scope(function.body, inner_variables, loop)
        self.names.literals = before
        self.within.pop()
        return None

    def _parser(self, call: ast.Call, variables: _ReferenceIndex) -> _ArgumentParser:
        arguments = keywords(call)
        parser = _ArgumentParser("", first_sentence(self.names.text(arguments.get("description"))))
        parser.certain = not is_open(call)
        self._add_parents(parser, arguments.get("parents"), variables)
        self.parsers.append(parser)
        return parser

    def _add_parents(
        self, parser: _ArgumentParser, parents: ast.expr | None, variables: _ReferenceIndex
    ) -> None:
        if parents is not None and not isinstance(parents, (ast.List, ast.Tuple)):
            parser.certain = False
        for parent in parents.elts if isinstance(parents, (ast.List, ast.Tuple)) else []:
            above = variables.get(parent.id) if isinstance(parent, ast.Name) else None
            if not isinstance(above, _ArgumentParser):
                parser.certain = False
            else:
                parser.add(above.options)
                parser.groups += above.groups
                parser.certain = parser.certain and above.certain
                if above in self.parsers:
                    self.parsers.remove(above)

    def _below(
        self, parser: _ArgumentParser, call: ast.Call, variables: _ReferenceIndex, loop: bool
    ) -> _ArgumentParser:
        arguments = keywords(call)
        name = self.names.text(call.args[0]) if call.args else ""
        about = self.names.text(arguments.get("help")) or self.names.text(
            arguments.get("description")
        )
        subparser = _ArgumentParser(name, first_sentence(about))
        subparser.certain = bool(name) and not loop and not is_open(call)
        self._add_parents(subparser, arguments.get("parents"), variables)
        if name:
            parser.below.append(subparser)
        else:
            parser.certain = False
        return subparser

    def _argument(
        self,
        parser: _ArgumentParser,
        call: ast.Call,
        loop: bool,
        group: _ExclusiveGroup | None = None,
    ) -> None:
        words = [self.names.value(argument) for argument in call.args]
        flags = tuple(word for word in words if isinstance(word, str))
        if loop or is_open(call) or not flags or len(flags) < len(words):
            parser.certain = False
        if not flags:
            return
        option = self._option(flags, keywords(call))
        if option is not None:
            parser.add([option])
            if group is not None:
                group.names.append(option.name)

    def _option(
        self, flags: tuple[str, ...], arguments: dict[str, ast.expr]
    ) -> ScriptOption | None:
        names = self.names
        action = names.text(arguments.get("action")) or called_name(
            arguments.get("action") or ast.Name("store")
        )
        if action in _SILENT or flags == ("-h", "--help"):
            return None
        by_flag = flags[0].startswith("-")
        default = names.value(arguments.get("default"))
        nargs = arguments.get("nargs")
        count = names.value(nargs)
        if nargs is not None:
            count = _COUNTS.get(names.resolve(nargs), count)
        repeats = action in ("append", "extend")
        many = repeats or count in _MANY or (isinstance(count, int) and count > 1)
        switch = action in _SWITCHES or action in (
            "BooleanOptionalAction", "count", "store_const", "append_const",
        )  # fmt: skip
        longest = next((flag for flag in flags if flag.startswith("--")), flags[0])
        # True passes the flag, so the input has the name of the flag.
        dest = "" if action in _OTHER_SWITCHES else names.text(arguments.get("dest"))
        name = dest or longest.lstrip("-")
        help_ = names.text(arguments.get("help")).replace("%(default)s", str(default))
        if action in _SWITCHES:
            default = False
        choices = names.value(arguments.get("choices"))
        return ScriptOption(
            name=name.replace("-", "_"),
            flags=flags if by_flag else (),
            type="boolean" if switch and action != "count" else names.type(arguments.get("type")),
            required=(
                names.value(arguments.get("required")) is True
                if by_flag
                else count not in ("?", "*", "...") and "default" not in arguments
            ),
            # What is no single value in a text is left to the script.
            default=NOTHING if many or not isinstance(default, str | int | float) else default,
            help=help_,
            choices=tuple(map(str, choices)) if isinstance(choices, (list, tuple)) else (),
            switch=switch,
            many=many,
            repeats=repeats,
            rest=not by_flag and count in ("...", "A..."),
            exactly=count if isinstance(count, int) and count > 1 else 0,
            off=f"--no-{longest[2:]}" if action == "BooleanOptionalAction" else "",
        )


_METHODS = ("add_argument", "add_parser")


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(statement, name, None)
        if isinstance(inner, list):
            yield inner
    for branch in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield branch.body
