"""Find the arguments of a module that reads `sys.argv` itself, from its usage text and its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from skillstudio.text.scripts.model import NOTHING, ScriptCommand, ScriptOption, Type
from skillstudio.text.scripts.python_keyed import keyed_options
from skillstudio.text.scripts.python_names import Names, called
from skillstudio.text.scripts.usage import UNNAMED, usage_commands

MAX_PLACES = 20
_HELP = frozenset({"-h", "--help", "help", "--version", "-V"})
_TYPES: dict[str, Type] = {"int": "integer", "float": "number"}


def argv_commands(tree: ast.Module, names: Names) -> list[ScriptCommand]:
    """The arguments that the usage text names, else those that the code reads."""
    commands = _commands(tree, names)
    return [command._replace(by_hand=True) for command in commands]


def _commands(tree: ast.Module, names: Names) -> list[ScriptCommand]:
    reader = _ArgvReader(tree, names)
    reader.read()
    flags = list(reader.flags.values())
    # A part of a program may have a usage text of its own.
    usages = [usage_commands(text, flags, "python") for text in _usage_texts(tree)]
    usage = max(usages, key=len, default=[])
    places = reader.places()
    lead = 0 if reader.begins_with_flag else len(reader.found)
    # A usage text shows better than names whether an option has a value.
    named = {flag for command in usage for option in command.options for flag in option.flags}
    for option in keyed_options(tree, names):
        if not named & set(option.flags):
            reader.flags.setdefault(option.name, option)
    if not usage:
        return [ScriptCommand("", "", (*reader.flags.values(), *places), certain=False, lead=lead)]
    if len(usage) > 1:
        return usage
    compared = reader.branches
    lead = usage[0].lead if any(option.flags for option in usage[0].options) else lead
    options = (*_refined(usage[0], places, reader.least, compared), *_further(usage[0], reader))
    return [usage[0]._replace(options=options, lead=lead)]


def _refined(
    usage: ScriptCommand, places: list[ScriptOption], least: int, compared: set[str]
) -> Iterator[ScriptOption]:
    """The arguments of a usage text, with what the code shows: it needs the first `least`."""
    at = 0
    for option in usage.options:
        own = None
        if set(option.flags) & compared:
            # The code has a branch for it, and so another one without it.
            option = option._replace(required=False)
        if not option.flags:
            own = places[at] if at < len(places) else None
            at += 1
        if own is None:
            yield option
            continue
        default = own.default if option.default is NOTHING else option.default
        choices = option.choices or own.choices
        required = option.required or at <= least
        if option.choices[:1] == (option.name,) and not own.name.startswith("arg"):
            option = option._replace(name=own.name)  # `<bar|line>` has no name.
        if option.name == UNNAMED:
            option = option._replace(name=own.name)
        yield option._replace(type=own.type, choices=choices, default=default, required=required)
    names = {option.name for option in usage.options}
    if not any(option.many for option in usage.options if not option.flags):
        for place in places[at:]:
            if place.name in names or re.fullmatch(r"arg\d+", place.name):
                break  # A value of an option, or no argument that the code gives a name.
            yield place._replace(required=False)  # Of a use that the text does not show.


def _further(usage: ScriptCommand, reader: _ArgvReader) -> Iterator[ScriptOption]:
    """The options that only the code names."""
    known = {flag for option in usage.options for flag in option.flags}
    names = {option.name for option in usage.options}
    for option in reader.flags.values():
        if not known & set(option.flags):
            name = f"{option.name}_option" if option.name in names else option.name
            yield option._replace(name=name)


def _usage_texts(tree: ast.Module) -> Iterator[str]:
    """The docstring and texts with a usage; several prints in a row are one text."""
    for node in ast.walk(tree):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if not isinstance(body, list):
                continue
            printed: list[str] = []
            for statement in body:
                text = _printed(statement)
                if text is not None:
                    printed.append(text)
                elif printed:
                    yield "\n".join(printed)
                    printed = []
            if printed:
                yield "\n".join(printed)
    docstring = ast.get_docstring(tree) or ""
    if "usage" in docstring.lower():
        yield docstring
    for node in ast.walk(tree):
        text = _text(node) if isinstance(node, (ast.Constant, ast.JoinedStr)) else None
        if text is not None and "usage:" in text.lower():
            yield text


def _printed(statement: ast.stmt) -> str | None:
    """The text that a statement prints, or ends the program with."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(statement, ast.Raise):
        call = statement.exc
    if not isinstance(call, ast.Call) or called(call.func) not in (
        "print", "write", "exit", "SystemExit", "echo",
    ):  # fmt: skip
        return None
    if not call.args:
        return ""
    return _text(call.args[0])


def _text(node: ast.AST | None) -> str | None:
    """A text with marks in place of what is computed; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values
        )
    return None


class _ArgvReader:
    """What the code does with the list of arguments and its aliases."""

    def __init__(self, tree: ast.Module, names: Names) -> None:
        self.tree = tree
        self.names = names
        self.found: dict[int, ScriptOption] = {}
        self.flags: dict[str, ScriptOption] = {}
        self.least = 0
        self.branches: set[str] = set()
        """The flags that an argument is tested to equal, or the arguments to contain."""
        self.begins_with_flag = False  # Whether an argument by its number is compared with a flag.
        self.rest = ""
        self.bases: dict[str, int] = {}
        """An alias of the arguments to the index of the first one: 1 for `sys.argv` itself."""
        self.variables: dict[str, int] = {}  # A variable to the place whose value it has.

    def read(self) -> None:
        self._find_aliases()
        self._walk(self.tree, guarded=False)
        self._find_choices()

    def places(self) -> list[ScriptOption]:
        """The positional arguments, in order."""
        found = []
        for at in range(min(max(self.found, default=-1) + 1, MAX_PLACES)):
            option = self.found.get(at, ScriptOption(f"arg{at + 1}", required=True))
            found.append(option._replace(required=option.required or at < self.least))
        for at in range(len(found) - 1):
            if any(option.required for option in found[at + 1 :]):
                found[at] = found[at]._replace(required=True, default=NOTHING)
        if self.rest and all(option.name != self.rest for option in found):
            found.append(ScriptOption(self.rest, many=True, required=self.least > len(found)))
        return found

    def _base(self, node: ast.AST) -> int | None:
        """The index of the first argument in an expression that is the list of arguments."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = self.names.resolve(node)
            return 1 if name == "sys.argv" else self.bases.get(name)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            base = self._base(node.value)
            lower = node.slice.lower
            at = lower.value if isinstance(lower, ast.Constant) else 0 if lower is None else None
            if base is not None and isinstance(at, int) and node.slice.upper is None:
                return base - at
        if isinstance(node, ast.Call) and called(node.func) == "list" and node.args:
            return self._base(node.args[0])
        if isinstance(node, ast.BoolOp):
            found = [self._base(operand) for operand in node.values]
            return next((base for base in found if base is not None), None)
        if isinstance(node, ast.IfExp):
            body, other = self._base(node.body), self._base(node.orelse)
            return other if body is None else body
        return None

    def _find_aliases(self) -> None:
        functions = {n.name: n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef)}
        for _ in range(3):
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Assign) and len(node.targets) == 1:
                    base, target = self._base(node.value), node.targets[0]
                    if base is not None and isinstance(target, ast.Name):
                        self.bases.setdefault(target.id, base)
                elif isinstance(node, ast.Call) and called(node.func) in functions:
                    parameters = functions[called(node.func)].args.args
                    for parameter, given in zip(parameters, node.args, strict=False):
                        base = self._base(given)
                        if base is not None:
                            self.bases.setdefault(parameter.arg, base)

    def _walk(self, node: ast.AST, guarded: bool, name: str = "") -> None:
        """Visit the code in order; `guarded` where a condition may have checked the number."""
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            self._unpack(node.targets[0].elts, node.value, guarded)
            return
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            at = self._index(node.value)
            if at is not None:
                self.variables[name] = at
        elif isinstance(node, (ast.Compare, ast.Call)):
            self._flag(node)
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            self._conditional(node, guarded, name)
            return
        if isinstance(node, ast.Try):
            guarded = True
        if isinstance(node, ast.BoolOp):
            guarded = True
        if isinstance(node, ast.For):
            base = self._base(node.iter)
            if base is not None and isinstance(node.target, ast.Name):
                self._loop(node)
        at = self._place(node)
        if at is not None:
            self._add(at, ScriptOption(name.lower() or f"arg{at + 1}", required=not guarded))
            return
        kind = _TYPES.get(called(node.func)) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and kind and node.args:
            at = self._place(node.args[0])
            if at is not None:
                option = ScriptOption(name.lower() or f"arg{at + 1}", type=kind)
                self._add(at, option._replace(required=not guarded))
                return
        for child in ast.iter_child_nodes(node):
            self._walk(child, guarded, name if not isinstance(node, ast.Dict) else "")

    def _unpack(self, targets: list[ast.expr], value: ast.expr, guarded: bool) -> None:
        """`a, b = sys.argv[1], sys.argv[2]` and `a, b = sys.argv[1:3]`."""
        names = [target.id if isinstance(target, ast.Name) else "" for target in targets]
        if isinstance(value, ast.Tuple) and len(value.elts) == len(names):
            for name, part in zip(names, value.elts, strict=True):
                self._walk(part, guarded, name)
            return
        part = value
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            part = ast.Subscript(value.value, ast.Slice(value.slice.lower, None, None), ast.Load())
        base = self._base(part)
        if base is None or any(isinstance(target, ast.Starred) for target in targets):
            self._walk(value, guarded)
            return
        for at, name in enumerate(names, -base if base < 0 else 0):
            if name and at < MAX_PLACES:
                self._add(at, ScriptOption(name.lower(), required=not guarded))

    def _conditional(self, node: ast.If | ast.While | ast.IfExp, guarded: bool, name: str) -> None:
        counted = self._count(node.test)
        least = self._needed(node.test)
        self._walk(node.test, guarded=True, name="")
        if isinstance(node, ast.IfExp):
            self._walk(node.body, True, name)
            self._walk(node.orelse, True, name)
            at = self._index(node.body)
            default = self.names.value(node.orelse)
            if at is not None and at in self.found and default not in (NOTHING, None):
                self.found[at] = self.found[at]._replace(default=default)
            return
        if least is not None and any(_ends(statement) for statement in node.body):
            self.least = max(self.least, least)
        for statement in node.body:
            self._walk(statement, guarded or counted or least is not None, name)
        for statement in node.orelse:
            self._walk(statement, guarded or counted, name)

    def _count(self, test: ast.expr) -> bool:
        """Whether a condition depends on the arguments."""
        return any(self._base(node) is not None for node in ast.walk(test))

    def _needed(self, test: ast.expr) -> int | None:
        """How many arguments there are if `len(sys.argv) < 3` and the like is false."""
        for part in test.values if isinstance(test, ast.BoolOp) else [test]:
            if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
                base = self._base(part.operand)
                if base is not None:
                    return 1  # `if not args`, where args are those of the user.
            if not isinstance(part, ast.Compare) or len(part.ops) != 1:
                continue
            left, right = part.left, part.comparators[0]
            base = None
            if isinstance(left, ast.Call) and called(left.func) == "len" and left.args:
                base = self._base(left.args[0])
            number = right.value if isinstance(right, ast.Constant) else None
            if isinstance(right, (ast.Tuple, ast.List, ast.Set)):
                values = [node.value for node in right.elts if isinstance(node, ast.Constant)]
                number = min((value for value in values if isinstance(value, int)), default=None)
            if base is None or not isinstance(number, int):
                continue
            match part.ops[0]:
                case ast.Lt() | ast.NotEq() | ast.NotIn():
                    return number - base
                case ast.LtE() | ast.Eq():
                    return number + 1 - base
        return None

    def _place(self, node: ast.AST) -> int | None:
        """The number of the argument that `sys.argv[1]` means."""
        if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
            return None
        base, at = self._base(node.value), node.slice.value
        if base is None or not isinstance(at, int) or isinstance(at, bool):
            return None
        place = at - base
        return place if 0 <= place < MAX_PLACES else None

    def _index(self, node: ast.AST) -> int | None:
        """The argument inside of an expression such as `Path(sys.argv[1])`."""
        return next((at for part in ast.walk(node) if (at := self._place(part)) is not None), None)

    def _add(self, at: int, option: ScriptOption) -> None:
        known = self.found.get(at)
        if known is None:
            self.found[at] = option
            return
        better = option.name if known.name.startswith("arg") else known.name
        kind = option.type if known.type == "string" else known.type
        # One access after a check shows that the argument may be left out.
        required = known.required and option.required
        self.found[at] = known._replace(name=better, type=kind, required=required)

    def _loop(self, node: ast.For) -> None:
        name = node.target.id if isinstance(node.target, ast.Name) else "arg"
        compared = [
            text
            for part in ast.walk(node)
            if isinstance(part, ast.Compare)
            for text in self._texts(part)
        ]
        if not any(text.startswith("-") for text in compared):
            self.rest = name.lower()

    def _texts(self, node: ast.Compare) -> list[str]:
        sides = [node.left, *node.comparators]
        flat = [
            part
            for side in sides
            for part in (side.elts if isinstance(side, (ast.Tuple, ast.List, ast.Set)) else [side])
        ]
        found = [part.value for part in flat if isinstance(part, ast.Constant)]
        return [value for value in found if isinstance(value, str)]

    def _flag(self, node: ast.Compare | ast.Call) -> None:
        """`"--all" in sys.argv`, `arg == "--all"`, `argv.index("--n")`, `startswith("--n=")`."""
        valued = joined = False
        if isinstance(node, ast.Compare):
            texts = self._texts(node)
            if isinstance(node.ops[0], ast.Eq | ast.In):
                self.branches |= set(texts)
                is_place = any(self._place(part) is not None for part in ast.walk(node))
                flags = [text for text in texts if _is_flag(text) and text not in _HELP]
                self.begins_with_flag = self.begins_with_flag or (is_place and bool(flags))
        else:
            name = called(node.func)
            if name not in ("index", "startswith") or not node.args:
                return
            text = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            texts = [text] if isinstance(text, str) else []
            joined = name == "startswith" and any(text.endswith("=") for text in texts)
            valued = name == "index" or joined
            if name == "startswith" and not joined:
                return
        self._add_flags([text.rstrip("=") for text in texts], valued, joined)

    def _add_flags(self, texts: list[str], valued: bool = False, joined: bool = False) -> None:
        """Add an option with the flags among texts."""
        flags = [text for text in texts if _is_flag(text) and text not in _HELP]
        if not flags:
            return
        name = max(flags, key=len).lstrip("-").replace("-", "_")
        known = self.flags.get(name)
        option = ScriptOption(
            name, tuple(flags), "string" if valued else "boolean", switch=not valued, joined=joined
        )
        if known is None or (known.switch and valued):
            self.flags[name] = option

    def _find_choices(self) -> None:
        """The words that a variable with an argument is compared with, if there are several."""
        found: dict[int, list[str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
                name = node.left.id if isinstance(node.left, ast.Name) else ""
                at = self.variables.get(name, self._place(node.left))
                if at is not None:
                    found.setdefault(at, []).extend(self._texts(node))
        for at, texts in found.items():
            words = [text for text in dict.fromkeys(texts) if text not in _HELP]
            if at in self.found and len(words) > 1 and not any(map(_is_flag, words)):
                self.found[at] = self.found[at]._replace(choices=tuple(words))
        # `-x VALUE`: the code that handles the flag reads the next argument.
        for node in ast.walk(self.tree):
            if isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
                texts = self._texts(node.test)
            elif isinstance(node, ast.match_case):
                values = [pattern.value for pattern in ast.walk(node.pattern)
                          if isinstance(pattern, ast.MatchValue)]  # fmt: skip
                constants = [value.value for value in values if isinstance(value, ast.Constant)]
                texts = [constant for constant in constants if isinstance(constant, str)]
                self._add_flags(texts)
            else:
                continue
            reads = any(map(_reads_next, node.body))
            calls = [inner for part in node.body for inner in ast.walk(part)
                     if isinstance(inner, ast.Call)]  # fmt: skip
            many = any(called(call.func) == "append" and any(map(_reads_next, call.args))
                       for call in calls)  # fmt: skip
            for flag in filter(_is_flag, texts if reads else []):
                name = flag.lstrip("-").replace("-", "_")
                if name in self.flags:
                    self.flags[name] = self.flags[name]._replace(
                        type="string", switch=False, many=many, repeats=many
                    )


def _reads_next(node: ast.AST) -> bool:
    """Whether code reads the next argument: `args[i + 1]`, `args.pop(0)`, `next(words)`."""
    return any(
        (isinstance(part, ast.Subscript) and isinstance(part.slice, ast.BinOp))
        or (isinstance(part, ast.Call) and called(part.func) in ("pop", "next"))
        for part in ast.walk(node)
    )


def _is_flag(text: str) -> bool:
    return text.startswith("-") and len(text.lstrip("-")) > 0 and text.lstrip("-")[0].isalpha()


def _ends(statement: ast.stmt) -> bool:
    """Whether a statement ends the program or the function."""
    if isinstance(statement, (ast.Return, ast.Raise)):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and called(call.func) in (
        "exit", "_exit", "usage", "print_usage", "fail", "die",
    )  # fmt: skip
