"""Find the arguments of a module that reads `sys.argv` itself, from its usage text and its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from skillstudio.text.scripts.model import NOTHING, ScriptCommand, ScriptOption, Type
from skillstudio.text.scripts.python_keyed import keyed_options
from skillstudio.text.scripts.python_names import Names, called_name
from skillstudio.text.scripts.usage import PLACEHOLDER_NAME, usage_commands

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
    usages = [usage_commands(text, flags, "python") for text in _usage_texts(tree, names)]
    usage = max(usages, key=len, default=[])
    places = reader.places()
    lead = 0 if reader.begins_with_flag else len(reader.places_by_index)
    # A usage text shows better than names whether an option has a value.
    usage_flags = {flag for command in usage for option in command.options for flag in option.flags}
    for option in keyed_options(names):
        if not usage_flags & set(option.flags):
            reader.flags.setdefault(option.name, option)
    if not usage:
        return [ScriptCommand("", "", (*reader.flags.values(), *places), certain=False, lead=lead)]
    if len(usage) > 1:
        return usage
    branches = reader.branches
    lead = usage[0].lead if any(option.flags for option in usage[0].options) else lead
    options = (*_refine(usage[0], places, reader.least, branches), *_further(usage[0], reader))
    return [usage[0]._replace(options=options, lead=lead)]


def _refine(
    usage: ScriptCommand, places: list[ScriptOption], least: int, branches: set[str]
) -> Iterator[ScriptOption]:
    """The arguments of a usage text, with what the code shows: it needs the first `least`."""
    at = 0
    for option in usage.options:
        code_option = None
        if set(option.flags) & branches:
            # The code has a branch for it, and so another one without it.
            option = option._replace(required=False)
        if not option.flags:
            code_option = places[at] if at < len(places) else None
            at += 1
        if code_option is None:
            yield option
            continue
        default = code_option.default if option.default is NOTHING else option.default
        choices = option.choices or code_option.choices
        is_required = option.required or at <= least
        if option.choices[:1] == (option.name,) and not code_option.name.startswith("arg"):
            option = option._replace(name=code_option.name)  # `<bar|line>` has no name.
        if option.name == PLACEHOLDER_NAME:
            option = option._replace(name=code_option.name)
        yield option._replace(
            type=code_option.type, choices=choices, default=default, required=is_required
        )
    names = {option.name for option in usage.options}
    if not any(option.many for option in usage.options if not option.flags):
        for place in places[at:]:
            if place.name in names or re.fullmatch(r"arg\d+", place.name):
                break  # A value of an option, or no argument that the code gives a name.
            yield place._replace(required=False)  # Of a use that the text does not show.


def _further(usage: ScriptCommand, reader: _ArgvReader) -> Iterator[ScriptOption]:
    """The options that only the code names."""
    usage_flags = {flag for option in usage.options for flag in option.flags}
    names = {option.name for option in usage.options}
    for option in reader.flags.values():
        if not usage_flags & set(option.flags):
            name = f"{option.name}_option" if option.name in names else option.name
            yield option._replace(name=name)


def _usage_texts(tree: ast.Module, names: Names) -> Iterator[str]:
    """The docstring and texts with a usage; several prints in a row are one text."""
    for node in names.nodes:
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if not isinstance(body, list):
                continue
            lines: list[str] = []
            for statement in body:
                text = _printed_text(statement)
                if text is not None:
                    lines.append(text)
                elif lines:
                    yield "\n".join(lines)
                    lines = []
            if lines:
                yield "\n".join(lines)
    docstring = ast.get_docstring(tree) or ""
    if "usage" in docstring.lower():
        yield docstring
    for node in names.nodes:
        text = _text(node) if isinstance(node, (ast.Constant, ast.JoinedStr)) else None
        if text is not None and "usage:" in text.lower():
            yield text


def _printed_text(statement: ast.stmt) -> str | None:
    """The text that a statement prints, or ends the program with."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(statement, ast.Raise):
        call = statement.exc
    if not isinstance(call, ast.Call) or called_name(call.func) not in (
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
        self.places_by_index: dict[int, ScriptOption] = {}
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
        self._walk(self.tree, is_guarded=False)
        self._find_choices()

    def places(self) -> list[ScriptOption]:
        """The positional arguments, in order."""
        places = []
        for at in range(min(max(self.places_by_index, default=-1) + 1, MAX_PLACES)):
            option = self.places_by_index.get(at, ScriptOption(f"arg{at + 1}", required=True))
            places.append(option._replace(required=option.required or at < self.least))
        for at in range(len(places) - 1):
            if any(option.required for option in places[at + 1 :]):
                places[at] = places[at]._replace(required=True, default=NOTHING)
        if self.rest and all(option.name != self.rest for option in places):
            places.append(ScriptOption(self.rest, many=True, required=self.least > len(places)))
        return places

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
        if isinstance(node, ast.Call) and called_name(node.func) == "list" and node.args:
            return self._base(node.args[0])
        if isinstance(node, ast.BoolOp):
            bases = [self._base(operand) for operand in node.values]
            return next((base for base in bases if base is not None), None)
        if isinstance(node, ast.IfExp):
            body, other = self._base(node.body), self._base(node.orelse)
            return other if body is None else body
        return None

    def _find_aliases(self) -> None:
        functions = {n.name: n for n in self.names.nodes if isinstance(n, ast.FunctionDef)}
        for _ in range(3):
            for node in self.names.nodes:
                if isinstance(node, ast.Assign) and len(node.targets) == 1:
                    base, target = self._base(node.value), node.targets[0]
                    if base is not None and isinstance(target, ast.Name):
                        self.bases.setdefault(target.id, base)
                elif isinstance(node, ast.Call) and called_name(node.func) in functions:
                    parameters = functions[called_name(node.func)].args.args
                    for parameter, argument in zip(parameters, node.args, strict=False):
                        base = self._base(argument)
                        if base is not None:
                            self.bases.setdefault(parameter.arg, base)

    def _walk(self, node: ast.AST, is_guarded: bool, name: str = "") -> None:
        """Visit the code in order; `is_guarded` where a condition may have checked the number."""
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            self._unpack(node.targets[0].elts, node.value, is_guarded)
            return
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            at = self._index(node.value)
            if at is not None:
                self.variables[name] = at
        elif isinstance(node, (ast.Compare, ast.Call)):
            self._flag(node)
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            self._conditional(node, is_guarded, name)
            return
        if isinstance(node, ast.Try):
            is_guarded = True
        if isinstance(node, ast.BoolOp):
            is_guarded = True
        if isinstance(node, ast.For):
            base = self._base(node.iter)
            if base is not None and isinstance(node.target, ast.Name):
                self._loop(node)
        at = self._place(node)
        if at is not None:
            self._add(at, ScriptOption(name.lower() or f"arg{at + 1}", required=not is_guarded))
            return
        kind = _TYPES.get(called_name(node.func)) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and kind and node.args:
            at = self._place(node.args[0])
            if at is not None:
                option = ScriptOption(name.lower() or f"arg{at + 1}", type=kind)
                self._add(at, option._replace(required=not is_guarded))
                return
        for child in ast.iter_child_nodes(node):
            self._walk(child, is_guarded, name if not isinstance(node, ast.Dict) else "")

    def _unpack(self, targets: list[ast.expr], value: ast.expr, is_guarded: bool) -> None:
        """`a, b = sys.argv[1], sys.argv[2]` and `a, b = sys.argv[1:3]`."""
        names = [target.id if isinstance(target, ast.Name) else "" for target in targets]
        if isinstance(value, ast.Tuple) and len(value.elts) == len(names):
            for name, part in zip(names, value.elts, strict=True):
                self._walk(part, is_guarded, name)
            return
        part = value
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            part = ast.Subscript(value.value, ast.Slice(value.slice.lower, None, None), ast.Load())
        base = self._base(part)
        if base is None or any(isinstance(target, ast.Starred) for target in targets):
            self._walk(value, is_guarded)
            return
        for at, name in enumerate(names, -base if base < 0 else 0):
            if name and at < MAX_PLACES:
                self._add(at, ScriptOption(name.lower(), required=not is_guarded))

    def _conditional(
        self, node: ast.If | ast.While | ast.IfExp, is_guarded: bool, name: str
    ) -> None:
        checks_count = self._count(node.test)
        least = self._count_needed(node.test)
        self._walk(node.test, is_guarded=True, name="")
        if isinstance(node, ast.IfExp):
            self._walk(node.body, True, name)
            self._walk(node.orelse, True, name)
            at = self._index(node.body)
            default = self.names.value(node.orelse)
            if at is not None and at in self.places_by_index and default not in (NOTHING, None):
                self.places_by_index[at] = self.places_by_index[at]._replace(default=default)
            return
        if least is not None and any(_ends(statement) for statement in node.body):
            self.least = max(self.least, least)
        for statement in node.body:
            self._walk(statement, is_guarded or checks_count or least is not None, name)
        for statement in node.orelse:
            self._walk(statement, is_guarded or checks_count, name)

    def _count(self, test: ast.expr) -> bool:
        """Whether a condition depends on the arguments."""
        return any(self._base(node) is not None for node in ast.walk(test))

    def _count_needed(self, test: ast.expr) -> int | None:
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
            if isinstance(left, ast.Call) and called_name(left.func) == "len" and left.args:
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
        old_option = self.places_by_index.get(at)
        if old_option is None:
            self.places_by_index[at] = option
            return
        better = option.name if old_option.name.startswith("arg") else old_option.name
        kind = option.type if old_option.type == "string" else old_option.type
        # One access after a check shows that the argument may be left out.
        is_required = old_option.required and option.required
        self.places_by_index[at] = old_option._replace(name=better, type=kind, required=is_required)

    def _loop(self, node: ast.For) -> None:
        name = node.target.id if isinstance(node.target, ast.Name) else "arg"
        texts = [
            text
            for part in ast.walk(node)
            if isinstance(part, ast.Compare)
            for text in self._texts(part)
        ]
        if not any(text.startswith("-") for text in texts):
            self.rest = name.lower()

    def _texts(self, node: ast.Compare) -> list[str]:
        sides = [node.left, *node.comparators]
        flat = [
            part
            for side in sides
            for part in (side.elts if isinstance(side, (ast.Tuple, ast.List, ast.Set)) else [side])
        ]
        values = [part.value for part in flat if isinstance(part, ast.Constant)]
        return [value for value in values if isinstance(value, str)]

    def _flag(self, node: ast.Compare | ast.Call) -> None:
        """`"--all" in sys.argv`, `arg == "--all"`, `argv.index("--n")`, `startswith("--n=")`."""
        takes_value = is_joined = False
        if isinstance(node, ast.Compare):
            texts = self._texts(node)
            if isinstance(node.ops[0], ast.Eq | ast.In):
                self.branches |= set(texts)
                is_place = any(self._place(part) is not None for part in ast.walk(node))
                flags = [text for text in texts if _is_flag(text) and text not in _HELP]
                self.begins_with_flag = self.begins_with_flag or (is_place and bool(flags))
        else:
            name = called_name(node.func)
            if name not in ("index", "startswith") or not node.args:
                return
            text = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            texts = [text] if isinstance(text, str) else []
            is_joined = name == "startswith" and any(text.endswith("=") for text in texts)
            takes_value = name == "index" or is_joined
            if name == "startswith" and not is_joined:
                return
        self._add_flags([text.rstrip("=") for text in texts], takes_value, is_joined)

    def _add_flags(
        self, texts: list[str], takes_value: bool = False, is_joined: bool = False
    ) -> None:
        """Add an option with the flags among texts."""
        flags = [text for text in texts if _is_flag(text) and text not in _HELP]
        if not flags:
            return
        name = max(flags, key=len).lstrip("-").replace("-", "_")
        old_option = self.flags.get(name)
        option = ScriptOption(
            name,
            tuple(flags),
            "string" if takes_value else "boolean",
            switch=not takes_value,
            is_joined=is_joined,
        )
        if old_option is None or (old_option.switch and takes_value):
            self.flags[name] = option

    def _find_choices(self) -> None:
        """The words that a variable with an argument is compared with, if there are several."""
        texts_by_place: dict[int, list[str]] = {}
        for node in self.names.nodes:
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
                name = node.left.id if isinstance(node.left, ast.Name) else ""
                at = self.variables.get(name, self._place(node.left))
                if at is not None:
                    texts_by_place.setdefault(at, []).extend(self._texts(node))
        for at, texts in texts_by_place.items():
            words = [text for text in dict.fromkeys(texts) if text not in _HELP]
            if at in self.places_by_index and len(words) > 1 and not any(map(_is_flag, words)):
                self.places_by_index[at] = self.places_by_index[at]._replace(choices=tuple(words))
        # `-x VALUE`: the code that handles the flag reads the next argument.
        for node in self.names.nodes:
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
            many = any(called_name(call.func) == "append" and any(map(_reads_next, call.args))
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
        or (isinstance(part, ast.Call) and called_name(part.func) in ("pop", "next"))
        for part in ast.walk(node)
    )


def _is_flag(text: str) -> bool:
    return text.startswith("-") and len(text.lstrip("-")) > 0 and text.lstrip("-")[0].isalpha()


def _ends(statement: ast.stmt) -> bool:
    """Whether a statement ends the program or the function."""
    if isinstance(statement, (ast.Return, ast.Raise)):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and called_name(call.func) in (
        "exit", "_exit", "usage", "print_usage", "fail", "die",
    )  # fmt: skip
