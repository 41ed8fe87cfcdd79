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
    own = reader.argv and not reader.library
    note = "it reads process.argv directly, so there may be other arguments"
    if reader.library:
        note = "its arguments are parsed by a library, so there may be others"
    elif own and not any(command.options for command in commands):
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
        (note,) if own or reader.library else (),
        program=text.startswith("#!") or own or bool(reader.library) or main or alone,
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
            for found in subcommand.commands():
                own = tuple(option for option in self.options.values() if option.flags)
                yield found._replace(
                    name=f"{self.name} {found.name}".strip(),
                    options=(*own, *found.options),
                    before=len(own) + found.before,
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
        imported = self._imported()
        modules = ("commander", "@commander-js")
        self.library = next(
            ("commander" for name in modules if name in imported),
            "parseArgs" if self._calls("parseArgs") and self._is_node_parser() else "",
        )

    def _imported(self) -> set[str]:
        """The packages that the program imports or requires."""
        found: set[str] = set()
        for scope in self.scopes:
            for at, token in enumerate(scope[:-1]):
                following = scope[at + 1]
                if token.text in ("require", "import") and following.text == "(":
                    found |= {token.text for token in following.inner[:1]}
                elif token.text in ("from", "import") and following.kind == "string":
                    found.add(following.text)
        return {module.split("/")[0] for module in found}

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
                found = list(root.commands())
            case "parseArgs":
                found = [self._parse_args()]
            case _:
                commands = self._by_argv() if self.argv else [ScriptCommand(certain=False)]
                return [command._replace(by_hand=self.argv) for command in commands]
        if self.library == "parseArgs" or not any(command.options for command in found):
            return self._with_usage(found)
        return found

    def _usage(self, options: Sequence[ScriptOption] = ()) -> list[ScriptCommand]:
        """The commands of the first text with a usage; printed lines in a row are one text."""
        for text in self._texts():
            if "usage" in text.lower():
                found = usage_commands(text, options, "javascript")
                if found:
                    return found
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
                    said = self.literals.value(token.inner)
                    lines += [said if isinstance(said, str) else ""]
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
                    said = self.literals.value(scope[at : at + 4])
                    if isinstance(said, str):
                        yield said

    def _with_usage(self, found: list[ScriptCommand]) -> list[ScriptCommand]:
        """Add the positional arguments that only the usage text names."""
        usage = self._usage(found[0].options if len(found) == 1 else ())
        if not usage or len(found) != 1:
            return usage if len(usage) > 1 else found
        if len(usage) > 1:
            known = found[0].options
            return [_together(command, known) for command in usage]
        return [_together(usage[0], found[0].options)]

    def _parse_args(self) -> ScriptCommand:
        made = _JavaScriptCommand()
        for arguments in self._calls("parseArgs"):
            config = _resolved(arguments, self.literals)
            given = _members(config, self.literals)
            options = _members(given.get("options", ()), self.literals)
            for name, tokens in options.items():
                about = self.literals.value(tokens)
                made.add(_parse_args_option(name, about if isinstance(about, dict) else {}))
            for name, kind in (("string", "string"), ("boolean", "boolean")):
                # The parser of Deno's standard library.
                listed = self.literals.value(given.get(name, ()))
                for option_name in listed if isinstance(listed, list) else []:
                    if isinstance(option_name, str) and not made.options.get(option_name):
                        made.add(_parse_args_option(option_name, {"type": kind}))
        if "positionals" in self.names or "_" in self.names:
            for place in self._places("positionals", 0):
                made.add(place)
        return ScriptCommand("", "", tuple(made.options.values()), certain=False)

    def _by_argv(self) -> list[ScriptCommand]:
        flags = {option.name: option for option in self._flags()}
        keyed = list(keyed_options(self.scopes, self.literals, self._ends))
        places = list(self._places_of_argv())
        usage = self._usage(list(flags.values()))
        # A usage text shows better than names whether an option has a value.
        named = {flag for command in usage for option in command.options for flag in option.flags}
        for option in keyed:
            if not named & set(option.flags):
                flags.setdefault(option.name, option)
        if not usage:
            options = (*flags.values(), *places)
            return [ScriptCommand("", "", options, certain=False, lead=len(places))]
        if len(usage) > 1:
            return usage
        least = sum(place.required for place in places)
        merged = []
        at = 0
        for option in usage[0].options:
            if not option.flags:
                at += 1
                option = option._replace(required=option.required or at <= least)
            merged.append(option)
        has_flags = any(option.flags for option in usage[0].options)
        lead = usage[0].lead if has_flags else len(places)
        command = usage[0]._replace(options=tuple(merged), lead=lead)
        return [_together(command, tuple(flags.values()))]

    def _aliases(self) -> dict[str, int]:
        """Names of the list of arguments, with the index of the first one."""
        found = {"process.argv": 2, "Bun.argv": 2, "Deno.args": 0}
        for name, tokens in self.literals.known.items():
            words = "".join(token.text for token in tokens[:4] if token.kind != "group")
            if words.startswith(("process.argv", "Bun.argv")):
                sliced = any(token.text == "slice" for token in tokens[:5])
                found[name] = 0 if sliced else 2
            elif words.startswith("Deno.args"):
                found[name] = 0
        return found

    def _places_of_argv(self) -> Iterator[ScriptOption]:
        for name, first in self._aliases().items():
            found = list(self._places(name, first))
            if found:
                yield from found
                return

    def _places(self, list_: str, first: int) -> Iterator[ScriptOption]:
        """The arguments that `args[0]` and `const [a, b] = args` read, required if checked."""
        dotted = list_.split(".")
        found: dict[int, str] = {}
        checked = self._checked()
        for scope in self.scopes:
            for at in range(len(scope)):
                end = at + 2 * len(dotted) - 1
                words = [token.text for token in scope[at:end:2]]
                if words != dotted or (at and scope[at - 1].text == "."):
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
                        found.setdefault(number - shift, _assigned(scope, at))
                elif at >= 2 and scope[at - 1].text == "=" and scope[at - 2].text == "[":
                    for index, part in enumerate(_all(scope[at - 2].inner)):
                        if part and part[0].kind == "name" and index >= shift:
                            found.setdefault(index - shift, part[0].text)
        for index in range(max(found, default=-1) + 1):
            name = found.get(index) or f"arg{index + 1}"
            yield ScriptOption(_name(name), required=name in checked)

    def _checked(self) -> set[str]:
        """The variables that the program ends without: `if (!file) { … process.exit(1) }`."""
        found: set[str] = set()
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
                    found |= {
                        test[n + 1].text for n, mark in enumerate(test[:-1]) if mark.text == "!"
                    }
        return found

    def _ends(self, body: Tokens) -> bool:
        """Whether code ends the program."""
        words = {token.text for inner in groups(body) for token in inner}
        return bool(words & {"exit", "throw", "usage", "printUsage", "fail", "die"})

    def _flags(self) -> Iterator[ScriptOption]:
        """Options that the code compares arguments with, or passes to a function of its own."""
        found: dict[str, ScriptOption] = {}
        for scope in self.scopes:
            for at, token in enumerate(scope):
                if token.kind == "string" and _is_flag(token.text):
                    self._compared(scope, at, found)
                elif token.text == "[" and [e.text for e in scope[at + 1 : at + 3]] == [
                    ".", "includes",
                ]:  # fmt: skip
                    # `["-a", "--all"].includes(word)`.
                    flags = [e.text for e in token.inner if e.kind == "string" and _is_flag(e.text)]
                    reach = self._body_after(scope)
                    valued = _reads_next(reach) or self._uses_next(reach)
                    if flags:
                        _add_flag(found, flags, valued, many=_collects_next(reach))
                elif token.text == "(" and at and scope[at - 1].kind == "name":
                    self._called(scope[at - 1].text, token.inner, found)
        yield from found.values()

    def _compared(self, scope: Tokens, at: int, found: dict[str, ScriptOption]) -> None:
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
            reach = reach[: next((n for n, e in enumerate(reach) if e.text in ends), len(reach))]
        else:
            other = next((e.text for e in scope[at + 1 : at + 6] if e.kind == "string"), "")
            flags += [other] if _is_flag(other) else []
            reach = self._body_after(scope)
        valued = _reads_next(reach) or self._uses_next(reach)
        _add_flag(found, flags, valued, many=_collects_next(reach))

    def _uses_next(self, body: Tokens) -> bool:
        """Whether the first statement, or block, uses a variable with the next argument."""
        end = next((at for at, token in enumerate(body) if token.text == ";"), len(body))
        return any(
            token.kind == "name" and _reads_next(self.literals.known.get(token.text, ())[:8])
            for scope in groups(body[:end])
            for token in scope
        )

    def _body_after(self, test: Tokens) -> Tokens:
        """What follows the brackets of a condition."""
        for scope in self.scopes:
            for at, token in enumerate(scope):
                if token.inner is test or (token.kind == "group" and token.inner == test):
                    following = scope[at + 1 : at + 2]
                    is_block = following and following[0].text == "{"
                    return following if is_block else scope[at + 1 : at + 12]
        return ()

    def _called(self, name: str, arguments: Tokens, found: dict[str, ScriptOption]) -> None:
        """`args.includes("--all")`, `args.indexOf("--file")`, `getArg("--file", "x")`."""
        parts = split(arguments)
        first = self.literals.value(parts[0]) if parts else NOTHING
        if not isinstance(first, str) or not _is_flag(first) or name in _LOGS:
            return
        joined = first.endswith("=") and name == "startsWith"
        if name == "startsWith" and not joined:
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
        _add_flag(found, flags, not switch, joined, plain)

    def reads_input(self) -> bool:
        """Whether the code reads `process.stdin`, `/dev/stdin` or descriptor 0."""
        for scope in self.scopes:
            words = [token.text for token in scope]
            for at, token in enumerate(scope):
                if words[at : at + 3 : 2] in _STDINS:
                    following = words[at + 4] if words[at + 3 : at + 4] == ["."] else ""
                    if following not in ("destroy", "fd", "isTTY", "unref"):
                        return True
                if token.text == "(" and words[at - 1 : at] in (["readFileSync"], ["readFile"]):
                    first = (split(token.inner) or [()])[0]
                    if [token.text for token in first] in (["0"], ["/dev/stdin"]):
                        return True
        return False

    def effects(self) -> set[str]:
        """The probable effects, by modules and calls."""
        found: set[str] = set()
        modules = {string.removeprefix("node:") for string in self.strings}
        if "child_process" in modules or {"execSync", "spawnSync"} & self.names:
            found.add("proc.exec")
        if {"http", "https", "axios", "node-fetch", "undici"} & modules or self._calls("fetch"):
            found.add("net.fetch")
        found |= effects.of_names("javascript", self.names)
        return found


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
        assigned = ""
        for at, token in enumerate(items):
            if token.text == ";" or (
                token.kind == "name" and token.text in ("const", "let", "var")
            ):
                current, assigned = start, ""
            if token.kind == "name" and at + 1 < len(items):
                following = items[at + 1].text
                if following == "=":
                    assigned = token.text
                elif following == "." and (at == 0 or items[at - 1].text != "."):
                    current = variables.get(token.text, start)
            if token.kind != "group":
                continue
            name = items[at - 1].text if at and items[at - 1].kind == "name" else ""
            chained = at > 1 and items[at - 2].text == "."
            if token.text == "(" and chained:
                current = self._call(current, name, token.inner, variables, depth)
                if assigned and name == "command":
                    variables[assigned] = current
            elif token.text == "(" and name == "Command" and assigned:
                made = _JavaScriptCommand(self.literals.text((split(token.inner) or [()])[0]))
                if made.name:
                    variables[assigned] = made
                    current = made
            elif depth < 20:
                self.read(token.inner, dict(variables), depth + 1)

    def _call(
        self,
        made: _JavaScriptCommand,
        name: str,
        inner: Tokens,
        variables: dict[str, _JavaScriptCommand],
        depth: int,
    ) -> _JavaScriptCommand:
        parts = split(inner)
        text = self.literals.text(parts[0]) if parts else ""
        match name:
            case "command" if text:
                return self._command(made, text, parts, variables, depth)
            case "option" | "requiredOption" if text:
                made.add(self._of_commander(text, parts, name == "requiredOption"))
            case "argument" if text:
                made.add(self._argument(text, parts))
            case "arguments" if text:
                for word in text.split():
                    made.add(self._argument(word, []))
            case "addOption" | "addArgument":
                self._added(made, inner)
            case "addCommand" if parts and parts[0]:
                below = variables.get(parts[0][0].text)
                if below is not None and below is not made:
                    made.below.append(below)
            case "description" | "summary" if text and made is not self.root:
                made.about = made.about or first_sentence(text)
            case _ if depth < 20:
                self.read(inner, {**variables, "": made}, depth + 1)
        return made

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
        made = _JavaScriptCommand(name)
        parent.below.append(made)
        for word in rest.split():
            made.add(self._argument(word, []))
        if len(parts) > 1:
            said = self.literals.text(parts[1])
            made.about = made.about or first_sentence(said)
        for part in parts[2:] if depth < 20 else ():
            self.read(part, {**variables, "": made}, depth + 1)
        return made

    def _of_commander(self, text: str, parts: list[Tokens], required: bool) -> ScriptOption:
        flags = tuple(re.findall(r"--?[A-Za-z0-9][\w-]*", re.split(r"[<\[]", text)[0]))
        value = re.search(r"([<\[])([^>\]]+)[>\]]", text)
        values = [self.literals.value(part) for part in parts[2:]]
        default = next((e for e in reversed(values) if isinstance(e, (str, int, float))), NOTHING)
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
            required=required and default is NOTHING,
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

    def _added(self, made: _JavaScriptCommand, inner: Tokens) -> None:
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
                made.add(option)


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
    known = {flag: option for option in options for flag in option.flags}
    found: list[ScriptOption] = []
    used: set[str] = set()
    for option in usage.options:
        own = next((known[flag] for flag in option.flags if flag in known), None)
        if own is not None:
            used.add(own.name)
            choices = own.choices or (() if own.switch else option.choices)
            option = own._replace(
                help=own.help or option.help, required=option.required, choices=choices
            )
        found.append(option)
    names = {option.name for option in found}
    found += [option for option in options if option.flags and option.name not in used | names]
    if not usage.places:
        found += [option for option in options if not option.flags and option.name not in names]
    return usage._replace(options=tuple(option for option in found if not _is_help(option)))


def _is_help(option: ScriptOption) -> bool:
    return option.name in ("help", "h", "version") and bool(option.flags)


def _resolved(items: Tokens, literals: Literals) -> Tokens:
    """An object literal, also one with a name."""
    if len(items) >= 1 and items[0].kind == "name" and items[0].text in literals.known:
        return literals.known[items[0].text]
    return items


def _members(items: Tokens, literals: Literals) -> dict[str, Tokens]:
    """The keys of an object literal with the tokens of their values."""
    items = _resolved(items, literals)
    if not items or items[0].kind != "group" or items[0].text != "{":
        return {}
    found: dict[str, Tokens] = {}
    for part in split(items[0].inner):
        if len(part) >= 3 and part[1].text == ":" and part[0].kind in ("name", "string"):
            found[part[0].text] = part[2:]
        elif len(part) == 1 and part[0].kind == "name":
            found[part[0].text] = part
    return found


def _all(items: Tokens) -> list[Tokens]:
    """The parts between commas, with empty ones, as in `[, , file]`."""
    parts: list[list[Token]] = [[]]
    for token in items:
        if token.text == "," and token.kind == "mark":
            parts.append([])
        else:
            parts[-1].append(token)
    return [*parts]


def _assigned(scope: Tokens, at: int) -> str:
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
    found: dict[str, ScriptOption],
    flags: list[str],
    valued: bool,
    joined: bool = False,
    default: Any = NOTHING,
    many: bool = False,
) -> None:
    if _HELP & set(flags):
        return
    name = _name(max(flags, key=len).lstrip("-"))
    known = next((option for option in found.values() if set(option.flags) & set(flags)), None)
    if known is not None:
        if not (known.switch and valued):
            return
        del found[known.name]
    found[name] = ScriptOption(
        name,
        tuple(dict.fromkeys(flags)),
        "string" if valued else "boolean",
        default=default if valued and not isinstance(default, bool) else NOTHING,
        switch=not valued,
        joined=joined,
        many=many,
        repeats=many,
    )


def _is_flag(text: str) -> bool:
    return re.fullmatch(r"-[A-Za-z]|--[a-z][\w-]*=?", text) is not None


def _name(text: str) -> str:
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    return re.sub(r"\W+", "_", spread).strip("_").lower() or "argument"
