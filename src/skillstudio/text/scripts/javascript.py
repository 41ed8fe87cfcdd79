"""Read a JavaScript or TypeScript program: commander, `util.parseArgs`, `process.argv`.

The commands are never certain: a tolerant scan of the text may miss an option.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from skillstudio.text.scripts import effects
from skillstudio.text.scripts.javascript_keyed import keyed_options
from skillstudio.text.scripts.javascript_tokens import (
    HOLE,
    Literals,
    Token,
    Tokens,
    groups,
    read_tokens,
    split,
)
from skillstudio.text.scripts.model import (
    NOTHING,
    Script,
    ScriptCommand,
    ScriptOption,
    Type,
    first_sentence,
)
from skillstudio.text.scripts.usage import usage_commands

_HELP = frozenset({"-h", "--help", "help", "--version", "-v", "-V"})
_HEADER = re.compile(r"\A(?:#![^\n]*\n)?(?:\s*(?:['\"]use strict['\"];?))?\s*")
_SWITCHES = re.compile(r"(?i)^(?:has|is|bool|switch|enabled)|flag$|bool$")
_STDINS = (["process", "stdin"], ["Bun", "stdin"], ["Deno", "stdin"])
_LOGS = frozenset({"log", "error", "warn", "info", "write", "push", "describe", "it", "test"})


def read_javascript(text: str) -> Script:
    """Read the arguments and effects of a program."""
    items = read_tokens(text)
    reader = _Reader(items)
    commands = reader.commands()
    about = _about(text)
    if len(commands) == 1 and reader.reads_input():
        commands = [commands[0]._replace(reads_input=True)]
    reads_argv = reader.argv and not reader.library
    note = "it reads process.argv directly, so there may be other arguments"
    if reader.library:
        note = "its arguments are parsed by a library, so there may be others"
    elif reads_argv and not any(command.options for command in commands):
        note = "it reads process.argv directly, so its arguments are not known"
    exports = any(
        token.text == "export" or (token.text == "module" and items[at + 2 : at + 3])
        for at, token in enumerate(items)
        if token.kind == "name" and token.text in ("export", "module")
    )
    main = any(mark in text for mark in ("require.main", "import.meta.main", "import.meta.url"))
    # A page's or a test's script neither loads modules nor uses the process.
    alone = not exports and bool({"require", "process", "import"} & reader.names)
    return Script(
        "javascript",
        tuple(command if command.about else command._replace(about=about) for command in commands),
        frozenset(reader.effects()),
        (note,) if reads_argv or reader.library else (),
        program=text.startswith("#!") or reads_argv or bool(reader.library) or main or alone,
        speaks_json="JSON.stringify" in text and "console.log" in text,
    )


def _about(text: str) -> str:
    """The first sentence of the comment at the top."""
    rest = text[_HEADER.match(text).end() :] if _HEADER.match(text) else text  # type: ignore[union-attr]
    block = re.match(r"/\*+(.*?)\*/", rest, re.DOTALL)
    if block:
        lines = [re.sub(r"^\s*\* ?", "", line) for line in block[1].split("\n")]
        return first_sentence(
            "\n".join(re.sub(r"^@(?:fileoverview|file|description)\s*", "", x) for x in lines)
        )
    lines = []
    for line in rest.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(line.lstrip("/").strip())
    return first_sentence("\n".join(lines))


class _JavaScriptCommand:
    """A command under construction."""

    def __init__(self, name: str = "", about: str = "") -> None:
        self.name = name
        self.about = about
        self.options: dict[str, ScriptOption] = {}
        self.below: list[_JavaScriptCommand] = []

    def add(self, option: ScriptOption) -> None:
        self.options[option.name] = option

    def commands(self) -> Iterator[ScriptCommand]:
        if not self.below:
            # Positional arguments follow the options.
            yield ScriptCommand(self.name, self.about, tuple(self.options.values()), certain=False)
        for subcommand in self.below:
            for command in subcommand.commands():
                flag_options = tuple(option for option in self.options.values() if option.flags)
                yield command._replace(
                    name=f"{self.name} {command.name}".strip(),
                    options=(*flag_options, *command.options),
                    before=len(flag_options) + command.before,
                )


class _Reader:
    """What the code of one program does with its arguments."""

    def __init__(self, items: Tokens) -> None:
        self.items = items
        self.literals = Literals(items)
        self.scopes = list(groups(items))
        strings = {token.text for scope in self.scopes for token in scope if token.kind == "string"}
        names = {token.text for scope in self.scopes for token in scope if token.kind == "name"}
        self.names = names
        self.strings = strings
        self.argv = "argv" in names and bool({"process", "Bun"} & names)
        packages = self._find_packages()
        modules = ("commander", "@commander-js")
        self.library = next(
            ("commander" for name in modules if name in packages),
            "parseArgs" if self._calls("parseArgs") and self._is_node_parser() else "",
        )

    def _find_packages(self) -> set[str]:
        """The packages that the program imports or requires."""
        modules: set[str] = set()
        for scope in self.scopes:
            for at, token in enumerate(scope[:-1]):
                next_token = scope[at + 1]
                if token.text in ("require", "import") and next_token.text == "(":
                    modules |= {token.text for token in next_token.inner[:1]}
                elif token.text in ("from", "import") and next_token.kind == "string":
                    modules.add(next_token.text)
        return {module.split("/")[0] for module in modules}

    def _is_node_parser(self) -> bool:
        return bool({"util", "node:util", "@std/cli", "@std/cli/parse-args"} & self.strings)

    def _calls(self, name: str) -> list[Tokens]:
        """The arguments of each call of a function."""
        return [
            scope[at + 1].inner
            for scope in self.scopes
            for at, token in enumerate(scope[:-1])
            if token.kind == "name" and token.text == name and scope[at + 1].text == "("
        ]

    def commands(self) -> list[ScriptCommand]:
        """The commands of the program."""
        match self.library:
            case "commander":
                root = _JavaScriptCommand()
                _Chains(self, root).read(self.items, {})
                library_commands = list(root.commands())
            case "parseArgs":
                library_commands = [self._parse_args()]
            case _:
                commands = self._by_argv() if self.argv else [ScriptCommand(certain=False)]
                return [command._replace(by_hand=self.argv) for command in commands]
        if self.library == "parseArgs" or not any(command.options for command in library_commands):
            return self._with_usage(library_commands)
        return library_commands

    def _usage(self, options: Sequence[ScriptOption] = ()) -> list[ScriptCommand]:
        """The commands of the first text with a usage; printed lines in a row are one text."""
        for text in self._texts():
            if "usage" in text.lower():
                commands = usage_commands(text, options, "javascript")
                if commands:
                    return commands
        return []

    def _texts(self) -> Iterator[str]:
        for scope in self.scopes:
            lines: list[str] = []
            for at, token in enumerate(scope):
                if (
                    token.text == "("
                    and at
                    and scope[at - 1].text in ("log", "error", "write", "warn")
                ):
                    value = self.literals.value(token.inner)
                    lines += [value if isinstance(value, str) else ""]
                elif token.kind == "group" and token.text == "{" and lines:
                    yield "\n".join(lines)
                    lines = []
            if lines:
                yield "\n".join(lines)
        for scope in self.scopes:
            for at, token in enumerate(scope):
                if token.kind in ("string", "template") and "usage" in token.text.lower():
                    yield token.text
                if token.text == "[" and token.kind == "group":
                    value = self.literals.value(scope[at : at + 4])
                    if isinstance(value, str):
                        yield value

    def _with_usage(self, commands: list[ScriptCommand]) -> list[ScriptCommand]:
        """Add the positional arguments that only the usage text names."""
        usage = self._usage(commands[0].options if len(commands) == 1 else ())
        if not usage or len(commands) != 1:
            return usage if len(usage) > 1 else commands
        if len(usage) > 1:
            options = commands[0].options
            return [_together(command, options) for command in usage]
        return [_together(usage[0], commands[0].options)]

    def _parse_args(self) -> ScriptCommand:
        command = _JavaScriptCommand()
        for arguments in self._calls("parseArgs"):
            config = _resolve_object(arguments, self.literals)
            members = _members(config, self.literals)
            options = _members(members.get("options", ()), self.literals)
            for name, tokens in options.items():
                about = self.literals.value(tokens)
                command.add(_parse_args_option(name, about if isinstance(about, dict) else {}))
            for name, kind in (("string", "string"), ("boolean", "boolean")):
                # The parser of Deno's standard library.
                option_names = self.literals.value(members.get(name, ()))
                for option_name in option_names if isinstance(option_names, list) else []:
                    if isinstance(option_name, str) and not command.options.get(option_name):
                        command.add(_parse_args_option(option_name, {"type": kind}))
        if "positionals" in self.names or "_" in self.names:
            for place in self._places("positionals", 0):
                command.add(place)
        return ScriptCommand("", "", tuple(command.options.values()), certain=False)

    def _by_argv(self) -> list[ScriptCommand]:
        flags = {option.name: option for option in self._flags()}
        computed_options = list(keyed_options(self.scopes, self.literals, self._ends))
        places = list(self._places_of_argv())
        usage = self._usage(list(flags.values()))
        # A usage text shows better than names whether an option has a value.
        usage_flags = {
            flag for command in usage for option in command.options for flag in option.flags
        }
        for option in computed_options:
            if not usage_flags & set(option.flags):
                flags.setdefault(option.name, option)
        if not usage:
            options = (*flags.values(), *places)
            return [ScriptCommand("", "", options, certain=False, lead=len(places))]
        if len(usage) > 1:
            return usage
        least = sum(place.required for place in places)
        usage_options = []
        at = 0
        for option in usage[0].options:
            if not option.flags:
                at += 1
                option = option._replace(required=option.required or at <= least)
            usage_options.append(option)
        has_flags = any(option.flags for option in usage[0].options)
        lead = usage[0].lead if has_flags else len(places)
        command = usage[0]._replace(options=tuple(usage_options), lead=lead)
        return [_together(command, tuple(flags.values()))]

    def _aliases(self) -> dict[str, int]:
        """Names of the list of arguments, with the index of the first one."""
        aliases = {"process.argv": 2, "Bun.argv": 2, "Deno.args": 0}
        for name, tokens in self.literals.constants.items():
            words = "".join(token.text for token in tokens[:4] if token.kind != "group")
            if words.startswith(("process.argv", "Bun.argv")):
                is_sliced = any(token.text == "slice" for token in tokens[:5])
                aliases[name] = 0 if is_sliced else 2
            elif words.startswith("Deno.args"):
                aliases[name] = 0
        return aliases

    def _places_of_argv(self) -> Iterator[ScriptOption]:
        for name, first in self._aliases().items():
            places = list(self._places(name, first))
            if places:
                yield from places
                return

    def _places(self, list_: str, first: int) -> Iterator[ScriptOption]:
        """The arguments that `args[0]` and `const [a, b] = args` read, required if checked."""
        name_parts = list_.split(".")
        names: dict[int, str] = {}
        required_names = self._find_required_names()
        for scope in self.scopes:
            for at in range(len(scope)):
                end = at + 2 * len(name_parts) - 1
                words = [token.text for token in scope[at:end:2]]
                if words != name_parts or (at and scope[at - 1].text == "."):
                    continue
                rest = scope[end : end + 3]
                shift = first
                if len(rest) >= 3 and rest[0].text == "." and rest[1].text == "slice":
                    number = self.literals.value(rest[2].inner)
                    shift = max(first - number, 0) if isinstance(number, int) else first
                    rest = scope[end + 3 : end + 4]
                if rest and rest[0].kind == "group" and rest[0].text == "[":
                    number = self.literals.value(rest[0].inner)
                    if rest[0].inner[:1] and rest[0].inner[0].kind == "name":
                        continue  # The counter of a loop.
                    if isinstance(number, int) and 0 <= number - shift < 20:
                        names.setdefault(number - shift, _find_variable(scope, at))
                elif at >= 2 and scope[at - 1].text == "=" and scope[at - 2].text == "[":
                    for index, part in enumerate(_all(scope[at - 2].inner)):
                        if part and part[0].kind == "name" and index >= shift:
                            names.setdefault(index - shift, part[0].text)
        for index in range(max(names, default=-1) + 1):
            name = names.get(index) or f"arg{index + 1}"
            yield ScriptOption(_name(name), required=name in required_names)

    def _find_required_names(self) -> set[str]:
        """The variables that the program ends without: `if (!file) { … process.exit(1) }`."""
        names: set[str] = set()
        for scope in self.scopes:
            for at, token in enumerate(scope[:-2]):
                if token.text != "if" or scope[at + 1].text != "(":
                    continue
                body = (
                    scope[at + 2 : at + 3] if scope[at + 2].text == "{" else scope[at + 2 : at + 8]
                )
                if self._ends(body):
                    test = scope[at + 1].inner
                    if any(token.text == "&&" for token in test):
                        continue
                    names |= {
                        test[n + 1].text for n, mark in enumerate(test[:-1]) if mark.text == "!"
                    }
        return names

    def _ends(self, body: Tokens) -> bool:
        """Whether code ends the program."""
        words = {token.text for inner in groups(body) for token in inner}
        return bool(words & {"exit", "throw", "usage", "printUsage", "fail", "die"})

    def _flags(self) -> Iterator[ScriptOption]:
        """Options that the code compares arguments with, or passes to a function of its own."""
        options: dict[str, ScriptOption] = {}
        for scope in self.scopes:
            for at, token in enumerate(scope):
                if token.kind == "string" and _is_flag(token.text):
                    self._read_comparison(scope, at, options)
                elif token.text == "[" and [sibling.text for sibling in scope[at + 1 : at + 3]] == [
                    ".", "includes",
                ]:  # fmt: skip
                    # `["-a", "--all"].includes(word)`.
                    flags = [
                        element.text
                        for element in token.inner
                        if element.kind == "string" and _is_flag(element.text)
                    ]
                    reach = self._body_after(scope)
                    takes_value = _reads_next(reach) or self._uses_next(reach)
                    if flags:
                        _add_flag(options, flags, takes_value, many=_collects_next(reach))
                elif token.text == "(" and at and scope[at - 1].kind == "name":
                    self._read_call(scope[at - 1].text, token.inner, options)
        yield from options.values()

    def _read_comparison(self, scope: Tokens, at: int, options: dict[str, ScriptOption]) -> None:
        before = scope[at - 1].text if at else ""
        after = scope[at + 1].text if at + 1 < len(scope) else ""
        if before not in ("===", "==", "case") and after not in ("===", "=="):
            return
        flags = [scope[at].text]
        if before == "case":
            if _is_label(scope, at - 4):
                return  # The label before it has the same code.
            end = at + 2
            while _is_label(scope, end):
                flags.append(scope[end + 1].text)
                end += 3
            flags = [text for text in flags if _is_flag(text)]
            reach = scope[end : end + 40]
            ends = ("break", "case", "default")
            reach = reach[
                : next((n for n, token in enumerate(reach) if token.text in ends), len(reach))
            ]
        else:
            other = next(
                (token.text for token in scope[at + 1 : at + 6] if token.kind == "string"), ""
            )
            flags += [other] if _is_flag(other) else []
            reach = self._body_after(scope)
        takes_value = _reads_next(reach) or self._uses_next(reach)
        _add_flag(options, flags, takes_value, many=_collects_next(reach))

    def _uses_next(self, body: Tokens) -> bool:
        """Whether the first statement, or block, uses a variable with the next argument."""
        end = next((at for at, token in enumerate(body) if token.text == ";"), len(body))
        return any(
            token.kind == "name" and _reads_next(self.literals.constants.get(token.text, ())[:8])
            for scope in groups(body[:end])
            for token in scope
        )

    def _body_after(self, test: Tokens) -> Tokens:
        """What follows the brackets of a condition."""
        for scope in self.scopes:
            for at, token in enumerate(scope):
                if token.inner is test or (token.kind == "group" and token.inner == test):
                    next_tokens = scope[at + 1 : at + 2]
                    is_block = next_tokens and next_tokens[0].text == "{"
                    return next_tokens if is_block else scope[at + 1 : at + 12]
        return ()

    def _read_call(self, name: str, arguments: Tokens, options: dict[str, ScriptOption]) -> None:
        """`args.includes("--all")`, `args.indexOf("--file")`, `getArg("--file", "x")`."""
        parts = split(arguments)
        first = self.literals.value(parts[0]) if parts else NOTHING
        if not isinstance(first, str) or not _is_flag(first) or name in _LOGS:
            return
        is_joined = first.endswith("=") and name == "startsWith"
        if name == "startsWith" and not is_joined:
            return
        if " " in first or HOLE in first:
            return
        switch = name in ("includes", "has", "some") or bool(_SWITCHES.search(name))
        flags = [first.rstrip("=")]
        default = self.literals.value(parts[1]) if len(parts) > 1 else NOTHING
        if isinstance(default, str) and _is_flag(default):
            flags.append(default)
            default = NOTHING
        plain = default if isinstance(default, (str, int, float)) else NOTHING
        _add_flag(options, flags, not switch, is_joined, plain)

    def reads_input(self) -> bool:
        """Whether the code reads `process.stdin`, `/dev/stdin` or descriptor 0."""
        for scope in self.scopes:
            words = [token.text for token in scope]
            for at, token in enumerate(scope):
                if words[at : at + 3 : 2] in _STDINS:
                    member = words[at + 4] if words[at + 3 : at + 4] == ["."] else ""
                    if member not in ("destroy", "fd", "isTTY", "unref"):
                        return True
                if token.text == "(" and words[at - 1 : at] in (["readFileSync"], ["readFile"]):
                    first = (split(token.inner) or [()])[0]
                    if [token.text for token in first] in (["0"], ["/dev/stdin"]):
                        return True
        return False

    def effects(self) -> set[str]:
        """The probable effects, by modules and calls."""
        effect_names: set[str] = set()
        modules = {string.removeprefix("node:") for string in self.strings}
        if "child_process" in modules or {"execSync", "spawnSync"} & self.names:
            effect_names.add("proc.exec")
        if {"http", "https", "axios", "node-fetch", "undici"} & modules or self._calls("fetch"):
            effect_names.add("net.fetch")
        effect_names |= effects.of_names("javascript", self.names)
        return effect_names


class _Chains:
    """Reads chains of calls such as `program.command("add").option("-t, --tag <tag>")`."""

    def __init__(self, reader: _Reader, root: _JavaScriptCommand) -> None:
        self.reader = reader
        self.literals = reader.literals
        self.root = root

    def read(self, items: Tokens, variables: dict[str, _JavaScriptCommand], depth: int = 0) -> None:
        """Read the statements of one scope; `variables` are the commands that names refer to."""
        current = variables.get("", self.root)
        start = current
        variable = ""
        for at, token in enumerate(items):
            if token.text == ";" or (
                token.kind == "name" and token.text in ("const", "let", "var")
            ):
                current, variable = start, ""
            if token.kind == "name" and at + 1 < len(items):
                next_text = items[at + 1].text
                if next_text == "=":
                    variable = token.text
                elif next_text == "." and (at == 0 or items[at - 1].text != "."):
                    current = variables.get(token.text, start)
            if token.kind != "group":
                continue
            name = items[at - 1].text if at and items[at - 1].kind == "name" else ""
            is_chained = at > 1 and items[at - 2].text == "."
            if token.text == "(" and is_chained:
                current = self._call(current, name, token.inner, variables, depth)
                if variable and name == "command":
                    variables[variable] = current
            elif token.text == "(" and name == "Command" and variable:
                command = _JavaScriptCommand(self.literals.text((split(token.inner) or [()])[0]))
                if command.name:
                    variables[variable] = command
                    current = command
            elif depth < 20:
                self.read(token.inner, dict(variables), depth + 1)

    def _call(
        self,
        command: _JavaScriptCommand,
        name: str,
        inner: Tokens,
        variables: dict[str, _JavaScriptCommand],
        depth: int,
    ) -> _JavaScriptCommand:
        parts = split(inner)
        text = self.literals.text(parts[0]) if parts else ""
        match name:
            case "command" if text:
                return self._command(command, text, parts, variables, depth)
            case "option" | "requiredOption" if text:
                command.add(self._of_commander(text, parts, name == "requiredOption"))
            case "argument" if text:
                command.add(self._argument(text, parts))
            case "arguments" if text:
                for word in text.split():
                    command.add(self._argument(word, []))
            case "addOption" | "addArgument":
                self._add_option(command, inner)
            case "addCommand" if parts and parts[0]:
                below = variables.get(parts[0][0].text)
                if below is not None and below is not command:
                    command.below.append(below)
            case "description" | "summary" if text and command is not self.root:
                command.about = command.about or first_sentence(text)
            case _ if depth < 20:
                self.read(inner, {**variables, "": command}, depth + 1)
        return command

    def _command(
        self,
        above: _JavaScriptCommand,
        text: str,
        parts: list[Tokens],
        variables: dict[str, _JavaScriptCommand],
        depth: int,
    ) -> _JavaScriptCommand:
        parent = above if above in variables.values() else self.root
        name, _, rest = text.partition(" ")
        command = _JavaScriptCommand(name)
        parent.below.append(command)
        for word in rest.split():
            command.add(self._argument(word, []))
        if len(parts) > 1:
            description = self.literals.text(parts[1])
            command.about = command.about or first_sentence(description)
        for part in parts[2:] if depth < 20 else ():
            self.read(part, {**variables, "": command}, depth + 1)
        return command

    def _of_commander(self, text: str, parts: list[Tokens], is_required: bool) -> ScriptOption:
        flags = tuple(re.findall(r"--?[A-Za-z0-9][\w-]*", re.split(r"[<\[]", text)[0]))
        value = re.search(r"([<\[])([^>\]]+)[>\]]", text)
        values = [self.literals.value(part) for part in parts[2:]]
        default = next(
            (literal for literal in reversed(values) if isinstance(literal, (str, int, float))),
            NOTHING,
        )
        longest = max(flags, key=len, default=text)
        parser = "".join(token.text for part in parts[2:3] for token in part[:3])
        kind: Type = "string"
        if "parseInt" in parser or (isinstance(default, int) and not isinstance(default, bool)):
            kind = "integer"
        elif "parseFloat" in parser or "Number" in parser or isinstance(default, float):
            kind = "number"
        return ScriptOption(
            name=_name(longest.lstrip("-")),
            flags=flags,
            type=kind if value else "boolean",
            required=is_required and default is NOTHING,
            default=default if value else NOTHING,
            help=self.literals.text(parts[1]) if len(parts) > 1 else "",
            switch=value is None,
            many=bool(value and value[2].endswith("...")),
        )

    def _argument(self, text: str, parts: list[Tokens]) -> ScriptOption:
        plain = text.strip("<>[]")
        default = self.literals.value(parts[2]) if len(parts) > 2 else NOTHING
        return ScriptOption(
            name=_name(plain.removesuffix("...").removeprefix("...").removesuffix("..")),
            required=not text.startswith("[") and default is NOTHING,
            default=default if isinstance(default, (str, int, float)) else NOTHING,
            help=self.literals.text(parts[1]) if len(parts) > 1 else "",
            many=".." in plain,
        )

    def _add_option(self, command: _JavaScriptCommand, inner: Tokens) -> None:
        """`new Option("--size <n>", "…").choices([…]).default(1)`."""
        names = [token.text for token in inner]
        for at, name in enumerate(names[:-1]):
            if name in ("Option", "Argument") and inner[at + 1].text == "(":
                parts = split(inner[at + 1].inner)
                text = self.literals.text(parts[0]) if parts else ""
                if not text:
                    return
                option = (
                    self._of_commander(text, parts, False)
                    if name == "Option"
                    else self._argument(text, parts)
                )
                for key, further in zip(names[at + 2 :], inner[at + 3 :], strict=False):
                    value = self.literals.value(further.inner) if further.kind == "group" else None
                    if key == "choices" and isinstance(value, list):
                        option = option._replace(choices=tuple(map(str, value)))
                    elif key == "default" and isinstance(value, (str, int, float)):
                        option = option._replace(default=value, required=False)
                    elif key == "makeOptionMandatory":
                        option = option._replace(required=option.default is NOTHING)
                command.add(option)


def _parse_args_option(name: str, about: dict[str, Any]) -> ScriptOption:
    short = about.get("short")
    default = about.get("default", NOTHING)
    switch = about.get("type") == "boolean"
    flags = (*((f"-{short}",) if isinstance(short, str) else ()), f"--{name}")
    return ScriptOption(
        name=_name(name),
        flags=flags,
        type="boolean" if switch else "string",
        default=default if isinstance(default, (str, bool)) else NOTHING,
        switch=switch,
        many=about.get("multiple") is True,
        repeats=True,
    )


def _together(usage: ScriptCommand, options: tuple[ScriptOption, ...]) -> ScriptCommand:
    """A usage pattern with what the code shows of its options, and the options it lacks."""
    options_by_flag = {flag: option for option in options for flag in option.flags}
    result: list[ScriptOption] = []
    used: set[str] = set()
    for option in usage.options:
        code_option = next(
            (options_by_flag[flag] for flag in option.flags if flag in options_by_flag), None
        )
        if code_option is not None:
            used.add(code_option.name)
            choices = code_option.choices or (() if code_option.switch else option.choices)
            option = code_option._replace(
                help=code_option.help or option.help, required=option.required, choices=choices
            )
        result.append(option)
    names = {option.name for option in result}
    result += [option for option in options if option.flags and option.name not in used | names]
    if not usage.places:
        result += [option for option in options if not option.flags and option.name not in names]
    return usage._replace(options=tuple(option for option in result if not _is_help(option)))


def _is_help(option: ScriptOption) -> bool:
    return option.name in ("help", "h", "version") and bool(option.flags)


def _resolve_object(items: Tokens, literals: Literals) -> Tokens:
    """An object literal, also one with a name."""
    if len(items) >= 1 and items[0].kind == "name" and items[0].text in literals.constants:
        return literals.constants[items[0].text]
    return items


def _members(items: Tokens, literals: Literals) -> dict[str, Tokens]:
    """The keys of an object literal with the tokens of their values."""
    items = _resolve_object(items, literals)
    if not items or items[0].kind != "group" or items[0].text != "{":
        return {}
    members: dict[str, Tokens] = {}
    for part in split(items[0].inner):
        if len(part) >= 3 and part[1].text == ":" and part[0].kind in ("name", "string"):
            members[part[0].text] = part[2:]
        elif len(part) == 1 and part[0].kind == "name":
            members[part[0].text] = part
    return members


def _all(items: Tokens) -> list[Tokens]:
    """The parts between commas, with empty ones, as in `[, , file]`."""
    parts: list[list[Token]] = [[]]
    for token in items:
        if token.text == "," and token.kind == "mark":
            parts.append([])
        else:
            parts[-1].append(token)
    return [*parts]


def _find_variable(scope: Tokens, at: int) -> str:
    """The variable that a statement assigns an expression to."""
    for back in range(at - 1, max(at - 8, 0), -1):
        if scope[back].text == "=" and scope[back - 1].kind == "name":
            return scope[back - 1].text
        if scope[back].text in (";", "{", "("):
            return ""
    return ""


def _reads_next(items: Tokens) -> bool:
    """Whether code reads the next argument: `args[++i]`, `args[i + 1]`, `args.shift()`."""
    for scope in groups(items):
        for at, token in enumerate(scope):
            if token.text == "[" and token.kind == "group":
                words = {token.text for token in token.inner}
                if words & {"++", "+"}:
                    return True
            if token.text in ("shift", "next") and at and scope[at - 1].text == ".":
                return True
    return False


def _collects_next(items: Tokens) -> bool:
    """Whether code adds the next argument to a list: `urls.push(args[++i])`."""
    return any(
        token.text == "push" and _reads_next(scope[at + 1].inner)
        for scope in groups(items)
        for at, token in enumerate(scope[:-1])
    )


def _is_label(scope: Tokens, at: int) -> bool:
    """Whether `case "…":` starts at an index."""
    label = scope[max(at, 0) : at + 3]
    is_case = at >= 0 and len(label) == 3 and label[0].text == "case" and label[2].text == ":"
    return is_case and label[1].kind == "string"


def _add_flag(
    options: dict[str, ScriptOption],
    flags: list[str],
    takes_value: bool,
    is_joined: bool = False,
    default: Any = NOTHING,
    many: bool = False,
) -> None:
    if _HELP & set(flags):
        return
    name = _name(max(flags, key=len).lstrip("-"))
    old_option = next(
        (option for option in options.values() if set(option.flags) & set(flags)), None
    )
    if old_option is not None:
        if not (old_option.switch and takes_value):
            return
        del options[old_option.name]
    options[name] = ScriptOption(
        name,
        tuple(dict.fromkeys(flags)),
        "string" if takes_value else "boolean",
        default=default if takes_value and not isinstance(default, bool) else NOTHING,
        switch=not takes_value,
        is_joined=is_joined,
        many=many,
        repeats=many,
    )


def _is_flag(text: str) -> bool:
    return re.fullmatch(r"-[A-Za-z]|--[a-z][\w-]*=?", text) is not None


def _name(text: str) -> str:
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    return re.sub(r"\W+", "_", spread).strip("_").lower() or "argument"
