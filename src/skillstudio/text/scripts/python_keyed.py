"""Find the options that a module collects in a dict by their flags, and later reads by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skillstudio.text.scripts.model import NOTHING, ScriptOption
from skillstudio.text.scripts.python_names import Names, called_name

_STRIPS = frozenset({"lstrip", "removeprefix", "replace", "strip", "split", "partition"})
_NO_OPTIONS = frozenset({"help", "version"})


def keyed_options(names: Names) -> Iterator[ScriptOption]:
    """The options of `args[word[2:]] = …`, by what the code reads: `args["out"]`, `args.get`."""
    dicts = _dicts(names)
    if not dicts:
        return
    options: dict[str, ScriptOption] = {}
    required_keys = {key for node in names.nodes for key in _find_required_keys(node, dicts, names)}
    for node in names.nodes:
        key, default, is_needed = _read(node, dicts, names)
        if not key or key in _NO_OPTIONS:
            continue
        if not key.replace("-", "_").isidentifier():
            continue
        name = key.replace("-", "_")
        option = options.get(name, ScriptOption(name, (f"--{key}",)))
        default = default if option.default is NOTHING else option.default
        is_required = (option.required or is_needed or key in required_keys) and default is NOTHING
        options[name] = option._replace(default=default, required=is_required)
    yield from options.values()


def _dicts(names: Names) -> set[str]:
    """The variables with options by name: filled under a computed key, or returned so."""
    keys = {
        node.targets[0].id
        for node in names.nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _is_stripped(node.value)
    }
    dicts = {
        node.targets[0].value.id
        for node in names.nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Subscript)
        and isinstance(node.targets[0].value, ast.Name)
        and _is_key(node.targets[0].slice, keys)
    }
    makers = {
        function.name
        for function in names.nodes
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Return)
        and any(isinstance(part, ast.Name) and part.id in dicts for part in _parts(node.value))
    }
    return dicts | {
        node.targets[0].id
        for node in names.nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and called_name(node.value.func) in makers
    }


def _parts(value: ast.expr | None) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.Tuple) else [value] if value is not None else []


def _is_key(node: ast.expr, keys: set[str]) -> bool:
    return (isinstance(node, ast.Name) and node.id in keys) or _is_stripped(node)


def _is_stripped(node: ast.expr) -> bool:
    """Whether an expression is a flag without its hyphens: `word[2:]`, `word.lstrip("-")`."""
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice):
            lower = part.slice.lower
            if isinstance(lower, ast.Constant) and lower.value in (1, 2):
                return _is_word(part.value)
        if isinstance(part, ast.Call) and called_name(part.func) in _STRIPS and part.args:
            first = part.args[0]
            value = first.value if isinstance(first, ast.Constant) else None
            if isinstance(value, str) and value and not value.strip("-"):
                return True
    return False


def _is_word(node: ast.expr) -> bool:
    """Whether an expression is one argument rather than the list of them: `argv[i]`, `arg`."""
    if isinstance(node, ast.Attribute):
        return False
    return not (isinstance(node, ast.Name) and node.id in ("argv", "args"))


def _find_required_keys(node: ast.AST, dicts: set[str], names: Names) -> Iterator[str]:
    """The keys without which the program ends: `if "out" not in args: sys.exit(2)`."""
    if not isinstance(node, ast.If) or not any(
        isinstance(part, ast.Raise)
        or (
            isinstance(part, ast.Call)
            and called_name(part.func) in ("exit", "usage", "fail", "die")
        )
        for statement in node.body
        for part in ast.walk(statement)
    ):
        return
    for test in node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]:
        is_absence = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, is_absence = test.operand, True
        if is_absence:
            yield _read(test, dicts, names)[0]


def _read(node: ast.AST, dicts: set[str], names: Names) -> tuple[str, str | int | float, bool]:
    """The key that code reads, its default, and whether the code needs it."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if isinstance(node.value, ast.Name) and node.value.id in dicts:
            return _key(node.slice), NOTHING, True
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        owner = node.func.value
        is_get = node.func.attr in ("get", "pop")
        if is_get and isinstance(owner, ast.Name) and owner.id in dicts:
            default = names.value(node.args[1]) if len(node.args) > 1 else NOTHING
            is_plain = isinstance(default, str | int | float) and not isinstance(default, bool)
            return _key(node.args[0]), default if is_plain else NOTHING, False
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        owner = node.comparators[0]
        if isinstance(owner, ast.Name) and owner.id in dicts:
            return _key(node.left), NOTHING, False
    return "", NOTHING, False


def _key(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
