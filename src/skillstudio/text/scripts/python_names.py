"""Resolve the imported names, calls and literals of a Python module."""

from __future__ import annotations

import ast
from typing import Any

from skillstudio.text.scripts.model import NOTHING, Type

_TYPES: dict[str, Type] = {
    "int": "integer", "float": "number", "bool": "boolean", "str": "string",
    "INT": "integer", "FLOAT": "number", "BOOL": "boolean", "STRING": "string",
    "IntRange": "integer", "FloatRange": "number",
}  # fmt: skip


_PLAIN_FIELDS = frozenset({
    "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "module",
    "op", "ops", "simple", "type_comment",
})  # fmt: skip
"""The fields with a text, a number, or a node for an operator or a context."""
_NODE_FIELDS = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN_FIELDS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
} | {ast.Constant: ()}
"""The fields of each kind of node that may have nodes."""


class Names:
    """The imports (modules and their members by local name), calls and constants of a module."""

    def __init__(self, tree: ast.Module) -> None:
        self.nodes = _all_nodes(tree)
        """Every node of the module but contexts and operators, those above first."""
        self.modules: dict[str, str] = {}
        self.members: dict[str, str] = {}
        self.calls: set[str] = set()
        self.attributes: set[str] = set()
        self.literals: dict[str, Any] = {}
        """Names that are assigned only one literal value."""
        counts: dict[str, int] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.modules[alias.asname or alias.name.partition(".")[0]] = alias.name
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.members[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Call):
                self.calls.add(called_name(node.func))
            elif isinstance(node, ast.Attribute):
                self.attributes.add(node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                counts[node.id] = counts.get(node.id, 0) + 1
        self.attributes |= {"argv"} if "sys.argv" in self.members.values() else set()
        for statement in tree.body:
            match statement:
                case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                    ast.Name(name), value=ast.expr() as value
                ):
                    literal = _literal(value) if counts.get(name) == 1 else NOTHING
                    if literal is not NOTHING:
                        self.literals[name] = literal

    def takes_in(self, module: str) -> bool:
        """Whether a module, or something of it, is imported."""
        imports = {*self.modules.values(), *self.members.values()}
        return any(f"{name}.".startswith(f"{module}.") for name in imports)

    def resolve(self, node: ast.expr) -> str:
        """The dotted name of an expression: `argparse.ArgumentParser`; "" if unknown."""
        if isinstance(node, ast.Name):
            return self.members.get(node.id) or self.modules.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            above = self.resolve(node.value)
            return f"{above}.{node.attr}" if above else ""
        return ""

    def value(self, node: ast.expr | None) -> Any:
        """The value of a literal, or of a name for one; NOTHING otherwise."""
        if isinstance(node, ast.Name):
            return self.literals.get(node.id, NOTHING)
        if isinstance(node, (ast.JoinedStr, ast.FormattedValue, ast.BinOp)):
            return self._join_parts(node)
        return NOTHING if node is None else _literal(node)

    def _join_parts(self, node: ast.JoinedStr | ast.FormattedValue | ast.BinOp) -> Any:
        """The value of `f"--{name}"` and `"--" + name`."""
        if isinstance(node, ast.FormattedValue):
            is_plain = node.conversion == -1 and node.format_spec is None
            return self.value(node.value) if is_plain else NOTHING
        if isinstance(node, ast.BinOp):
            if not isinstance(node.op, ast.Add):
                return _literal(node)
            parts = [self.value(node.left), self.value(node.right)]
        else:
            parts = [self.value(part) for part in node.values]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else _literal(node)

    def text(self, node: ast.expr | None) -> str:
        """The value of a string expression, "" if unknown."""
        value = self.value(node)
        return " ".join(value.split()) if isinstance(value, str) else ""

    def type(self, node: ast.expr | None, default: Any = NOTHING) -> Type:
        """The type in `type=`, else that of the default."""
        if isinstance(node, ast.Call):
            node = node.func
        if node is not None:
            return _TYPES.get(self.resolve(node).rpartition(".")[2], "string")
        if isinstance(default, bool):
            return "boolean"
        if isinstance(default, int):
            return "integer"
        return "number" if isinstance(default, float) else "string"


def _all_nodes(tree: ast.Module) -> list[ast.AST]:
    """The nodes in the order of `ast.walk`, which takes twice as long."""
    nodes: list[ast.AST] = [tree]
    for node in nodes:
        for name in _NODE_FIELDS[type(node)]:
            value = getattr(node, name, None)
            if isinstance(value, list):
                nodes += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
    return nodes


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    """The keyword arguments of a call."""
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def is_open(call: ast.Call) -> bool:
    """Whether a call has unknown arguments: `*names`, `**options`."""
    has_starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return has_starred or any(keyword.arg is None for keyword in call.keywords)


def called_name(node: ast.expr) -> str:
    """The last part of a called name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _literal(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOTHING
    return value if _is_plain(value) else NOTHING


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(element) for element in value)
    return value is None or isinstance(value, (bool, int, float, str))
