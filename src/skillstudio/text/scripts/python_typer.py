"""Find the typer commands of a module from the decorators and signatures of its functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.text.scripts.model import (
    NOTHING,
    ScriptCommand,
    ScriptOption,
    Type,
    first_sentence,
)
from skillstudio.text.scripts.python_names import Names, is_open, keywords

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAKERS = ("typer.Option", "typer.Argument")


class _TyperCommand(NamedTuple):
    app: str
    command: ScriptCommand


def typer_commands(tree: ast.Module, names: Names) -> list[ScriptCommand]:
    """The commands of a module; those of groups with their full names."""
    if not names.takes_in("typer"):
        return []
    enums = _enums(tree, names)
    functions = [node for node in names.nodes if isinstance(node, _Function)]
    run = _run_function(names)
    single = next((function for function in functions if function.name == run), None)
    if single is not None:
        return [_TyperReader(names, enums).command(single, "")]
    above = dict(_apps_below(names))
    callbacks: dict[str, ScriptCommand] = {}
    commands: list[_TyperCommand] = []
    for function in functions:
        for decorator in function.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
            app, _, method = names.resolve(call.func).rpartition(".")
            reader = _TyperReader(names, enums)
            if method == "command":
                explicit_name = names.text(
                    call.args[0] if call.args else keywords(call).get("name")
                )
                name = explicit_name or function.name.lower().replace("_", "-")
                command = reader.command(function, name, names.text(keywords(call).get("help")))
                commands.append(_TyperCommand(app, command))
            elif method == "callback":
                callbacks[app] = reader.command(function, "")
    alone = len(commands) == 1 and not callbacks and not above
    return [
        typer_command.command._replace(name="")
        if alone
        else _qualify_command(typer_command, above, callbacks)
        for typer_command in commands
    ]  # fmt: skip


def _qualify_command(
    typer_command: _TyperCommand,
    above: dict[str, tuple[str, str]],
    callbacks: dict[str, ScriptCommand],
) -> ScriptCommand:
    """A command with the names of its groups and the options of the program before them."""
    words, app, seen_apps = [typer_command.command.name], typer_command.app, set[str]()
    while app in above and app not in seen_apps:
        seen_apps.add(app)
        app, name = above[app]
        words.insert(0, name)
    before = callbacks[app].options if app in callbacks else ()
    inner = any(app in callbacks for app in seen_apps)
    return typer_command.command._replace(
        name=" ".join(filter(None, words)),
        options=(*before, *typer_command.command.options),
        before=len(before),
        certain=typer_command.command.certain and not inner,
    )


def _run_function(names: Names) -> str:
    for node in names.nodes:
        if isinstance(node, ast.Call) and names.resolve(node.func) == "typer.run" and node.args:
            return node.args[0].id if isinstance(node.args[0], ast.Name) else ""
    return ""


def _apps_below(names: Names) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each app that is added to another: its name, and that of the other with the command."""
    for node in names.nodes:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        above, _, method = names.resolve(node.func).rpartition(".")
        if method == "add_typer" and isinstance(node.args[0], ast.Name):
            yield node.args[0].id, (above, names.text(keywords(node).get("name")))


def _enums(tree: ast.Module, names: Names) -> dict[str, tuple[str, ...]]:
    """The values of the enumerations that a module defines."""
    enums = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(
            names.resolve(base).rpartition(".")[2] in ("Enum", "StrEnum") for base in node.bases
        ):
            values = [
                names.text(member.value) for member in node.body if isinstance(member, ast.Assign)
            ]
            enums[node.name] = tuple(filter(None, values))
    return enums


class _TypeHint(NamedTuple):
    """What the annotation of a parameter says."""

    type: Type = "string"
    many: bool = False
    choices: tuple[str, ...] = ()
    maker: ast.Call | None = None  # `typer.Option(…)` in `Annotated`.


class _TyperReader:
    """Reads the parameters of functions."""

    def __init__(self, names: Names, enums: dict[str, tuple[str, ...]]) -> None:
        self.names = names
        self.enums = enums

    def command(self, function: _Function, name: str, help_: str = "") -> ScriptCommand:
        """A function as a command."""
        arguments = function.args
        defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + list(
            arguments.defaults
        )
        pairs = [*zip(arguments.args, defaults, strict=True)]
        pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        options = [option for pair in pairs if (option := self._option(*pair)) is not None]
        certain = arguments.vararg is None and arguments.kwarg is None
        about = first_sentence(help_ or ast.get_docstring(function) or "")
        return ScriptCommand(name, about, tuple(options), certain)

    def _option(self, parameter: ast.arg, default: ast.expr | None) -> ScriptOption | None:
        names = self.names
        hint = self._read_hint(parameter.annotation)
        annotation = names.resolve(parameter.annotation) if parameter.annotation else ""
        if annotation.rpartition(".")[2] == "Context":
            return None
        maker, value = hint.maker, default
        if isinstance(default, ast.Call) and names.resolve(default.func) in _MAKERS:
            maker = default
            value = default.args[0] if default.args else keywords(default).get("default")
            flags = [names.value(argument) for argument in default.args[1:]]
        else:
            flags = [names.value(argument) for argument in maker.args] if maker else []
        arguments = keywords(maker) if maker else {}
        has_none = isinstance(value, ast.Constant) and value.value in (None, ...)
        is_required = value is None or (isinstance(value, ast.Constant) and value.value is ...)
        is_required = is_required and "default_factory" not in arguments
        literal = NOTHING if has_none else names.value(value)
        is_option = (
            names.resolve(maker.func) == "typer.Option" if maker else not is_required
        )  # fmt: skip
        texts = [flag for flag in flags if isinstance(flag, str)]
        name = parameter.arg
        kind = hint.type if parameter.annotation else names.type(None, literal)
        switch = is_option and kind == "boolean" and not hint.many
        off = ""
        if is_option:
            pairs = [text for text in texts if text.startswith("-")]
            off = next((pair.partition("/")[2].strip() for pair in pairs if "/" in pair), "")
            texts = [pair.partition("/")[0].strip() for pair in pairs]
            if not texts:
                texts = [f"--{name.replace('_', '-')}"]
                off = f"--no-{name.replace('_', '-')}" if switch else ""
        if maker is not None and is_open(maker):
            texts = texts or [f"--{name}"]
        return ScriptOption(
            name=name.lower(),
            flags=tuple(texts) if is_option else (),
            type=kind,
            required=is_required,
            default=NOTHING if isinstance(literal, (list, tuple)) else literal,
            help=names.text(arguments.get("help")),
            choices=hint.choices,
            switch=switch,
            many=hint.many,
            repeats=hint.many and is_option,
            off=off,
        )

    def _read_hint(self, node: ast.expr | None, depth: int = 0) -> _TypeHint:
        names = self.names
        if node is None or depth > 8:
            return _TypeHint()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self._read_hint(ast.parse(node.value, mode="eval").body, depth + 1)
            except (SyntaxError, ValueError):
                return _TypeHint()
        if isinstance(node, ast.BinOp):
            sides = [
                side
                for side in (node.left, node.right)
                if not (isinstance(side, ast.Constant) and side.value is None)
            ]
            return self._read_hint(sides[0] if sides else None, depth + 1)
        if isinstance(node, ast.Subscript):
            outer = names.resolve(node.value).rpartition(".")[2]
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if outer == "Literal":
                values = [names.value(part) for part in parts]
                return _TypeHint(choices=tuple(map(str, values)))
            inner = self._read_hint(parts[0], depth + 1)
            if outer == "Annotated":
                calls = [part for part in parts[1:] if isinstance(part, ast.Call)]
                maker = next((c for c in calls if names.resolve(c.func) in _MAKERS), None)
                return inner._replace(maker=maker)
            return inner._replace(many=outer.lower() in ("list", "tuple", "set", "sequence"))
        name = names.resolve(node)
        return _TypeHint(names.type(node), choices=self.enums.get(name, ()))
