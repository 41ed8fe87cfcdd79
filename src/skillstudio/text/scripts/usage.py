"""Read a usage text: `Usage: tool [-v] [--limit N] FILE...`, and the list of options after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.scripts.model import NOTHING, ScriptCommand, ScriptOption, with_default

LONGEST = 8_000  # Maximum length of a usage text, in characters.
MAX_DEPTH = 12

_HEAD = lazy_pattern(r"(?i)\busage\b\s*(?:\([^)\n]*\))?\s*:+[ \t]*")
_TOKEN = lazy_pattern(
    r"""\"[^\"\n]+\"(?!\S)|'[^'\n]+'(?!\S)|<[^<>\n]+>|\{[^{}\s]+\}|\.\.\.|…|[\[\]()]|[^\s\[\]()<]+(?:<[^<>\n]+>)?"""
)
_PROGRAMS = frozenset(
    {
        "bash", "bun", "deno", "ksh", "node", "npx", "perl", "php", "pipx", "pwsh", "py", "python",
        "python3", "ruby", "sh", "source", "ts-node", "tsx", "uv", "zsh", ".",
    }
)  # fmt: skip
_FLAG = lazy_pattern(r"--?[A-Za-z0-9][\w.-]*")
_VALUE = lazy_pattern(r"<[^<>]+>|\{[^{}]+\}|[A-Z][A-Z0-9_/-]*(?:\.\.\.)?")
_OPTION_LINE = lazy_pattern(
    r"^[ \t#*]{1,16}(-[\w?]|--[\w][\w-]*)(?![\w-])"
    r"((?:(?:[ \t]*[,|/][ \t]*|[ \t]+)(?:-[\w?]|--[\w][\w-]*)\b)*)"
    r"(?:[ =](<[^<>\n]+>|\[[^\]\n]+\]|\{[^}\n]+\}|[A-Z][A-Z0-9_|/-]*\b(?![a-z])))?"
    r"[ \t]*(?:[ \t]{2}|[:\t–—-]|$)[ \t:–—-]*(.*)$"
)  # fmt: skip
_DEFAULT = lazy_pattern(
    r"(?i)[\[(][^\[\]()]{0,60}?\bdefaults?\b(?:[ \t]+(?:is|to)\b)?[ \t]*[:=]?[ \t]*([^\])]+)[\])]"
    r"|[,;.][ \t]*defaults?\b(?:[ \t]+(?:is|to)\b)?[ \t]*[:=]?[ \t]*(\S+?)\.?[ \t]*$"
)
"""`(default: 6)`, `[default 6]`, or at the end `, default 6`."""
_NO_DEFAULT = frozenset(
    {
        "cwd", "empty", "n/a", "no", "none", "nothing", "null", "pwd", "required", "stderr",
        "stdin", "stdout", "unset",
    }
)  # fmt: skip
_COMPUTED_DEFAULT = lazy_pattern(r"[$<>…\0]|^[~-](?![\d.])|[A-Z]_[A-Z]")
"""What a stated default is computed of: variables, the home, an option, the name of a value."""
_CODE = lazy_pattern(r"[ \t]*(?:(?:from|import|const|let|var|def|return|await)\b|\S+\(|\w+ = )")
"""The start of an example of a library, which is no pattern."""
_SUFFIXES = {
    "bash": ("sh", "bash", "zsh", "ksh"), "python": ("py", "pyw"),
    "javascript": ("js", "mjs", "cjs", "ts", "mts", "tsx"),
}  # fmt: skip
_PROSE = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "by", "directly", "for", "if", "is", "it", "of",
        "on", "or", "run", "that", "the", "this", "via", "when", "with", "you", "your",
    }
)  # fmt: skip
"""Words of sentences, which do not name arguments."""
PLACEHOLDER_NAME = "argument"
"""The name of an argument of which a usage text only has an example."""
_ANY = ("options", "option", "flags", "opts", "args", "arguments")
_COMMAND = ("command", "cmd")
_HELP = frozenset({"-h", "--help", "-?", "--version", "-V"})
_INPUT = lazy_pattern(
    r"(?:^|(?<=\s))(?:<<<?-?\s*['\"]?\w+['\"]?|<\s+(?!\S+\s*>)\S+|<(?![^<>\n]*>)\S+)"
)
"""A redirection of standard input."""
_OUTPUT = lazy_pattern(
    r"(?:^|(?<=\s))[0-9&]?>>?(?:&\d|\s*[^\s|>]+)"
    r"|\s\|\s+(?:cat|grep|head|jq|less|more|python3?|sh|bash|sort|tail|tee|wc|xargs)\b[^<>\[\]]*$"
)
"""A redirection of standard output, or what reads it."""
_CODE_AFTER = lazy_pattern(r"""["']\s*(?:[0-9]?>|;)""")
"""The end of a printed text, and the code after it: `" >&2; exit 2`."""
_PIPE = lazy_pattern(
    r"^[ \t#*$]*(?:cat|echo|printf|curl|jq|git|find|grep|head|tail)\b[^|\n]*\|[ \t]*"
)
"""What writes the standard input of the program: `cat FILE | tool`."""
_PIPE_MARK = "\1"  # Marks a pattern after such a program.
_HOLE = "\0"
"""Marks a part of a text that the script computes, such as its own name."""


class _Group(NamedTuple):
    """Brackets in a usage pattern, with their alternatives."""

    optional: bool
    alternatives: list[list[_Item]]
    many: bool


class _Word(NamedTuple):
    text: str
    many: bool


_Item = _Group | _Word


def usage_commands(
    text: str, options: Sequence[ScriptOption] = (), language: str = ""
) -> list[ScriptCommand]:
    """The commands of a usage text, all of them uncertain; none without a usage.

    `options` are those of the code, which say which flags have a value. A program in another
    language than `language` is not the one whose usage it is.
    """
    plain = [_without_streams(pattern) for pattern in _patterns(text, language)]
    patterns = [_parse(pattern) for pattern, _ in plain]
    if not patterns:
        return []
    reads_input = any(does_read for _, does_read in plain)
    options_by_flag = {flag: option for option in options for flag in option.flags}
    options_by_flag = {**listed_options(text), **options_by_flag}
    first = [
        pattern[0].text if pattern and isinstance(pattern[0], _Word) else "" for pattern in patterns
    ]
    literal = all(map(_is_literal, first)) and len(set(first)) > 1
    listed_commands = _listed_commands(text, patterns[0])
    if literal or listed_commands:
        named_patterns = _name_patterns(patterns)
        commands: dict[str, ScriptCommand] = {}
        for name, items in listed_commands or named_patterns:
            arguments, lead = _options(items, options_by_flag)
            command = ScriptCommand(
                name, "", tuple(arguments), certain=False, reads_input=reads_input, lead=lead or 0
            )
            commands[name] = _merge_commands(commands.get(name), command)
        return list(commands.values())
    read = [_options(items, options_by_flag) for items in patterns]
    option_lists = [arguments for arguments, _ in read]
    lead = min((lead for _, lead in read if lead is not None), default=0)
    # Of several patterns, or examples, the one with the most arguments names them.
    longest = max(
        option_lists, key=lambda options: (len(options), sum(not o.flags for o in options))
    )
    least = min(
        sum(option.required and not option.flags for option in options) for options in option_lists
    )
    merged_options: list[ScriptOption] = []
    for option in longest:
        if not option.flags:
            option = option._replace(required=option.required and least > 0)
            least -= 1
        elif len(option_lists) > 1:
            option = option._replace(required=False)
        merged_options.append(option)
    names = {option.name for option in merged_options}
    for option in (option for options in option_lists for option in options):
        if option.flags and option.name not in names:
            names.add(option.name)
            merged_options.append(option._replace(required=False))
    command = ScriptCommand(
        "", "", tuple(merged_options), certain=False, reads_input=reads_input, lead=lead
    )
    return [command]


def _name_patterns(patterns: Sequence[list[_Item]]) -> list[tuple[str, list[_Item]]]:
    """The name of each pattern's command, of two words if one has several commands below it."""
    names = [[item.text for item in items[:2] if isinstance(item, _Word)] for items in patterns]
    below: dict[str, set[str]] = {}
    for first, *rest in names:
        below.setdefault(first, set()).update(filter(_is_literal, rest))
    is_deep = any(len(inner) > 1 for inner in below.values())
    named_patterns = []
    for words, items in zip(names, patterns, strict=True):
        length = 2 if is_deep and all(map(_is_literal, words)) else 1
        named_patterns.append((" ".join(words[:length]), list(items[len(words[:length]) :])))
    return named_patterns


def _without_streams(pattern: str) -> tuple[str, bool]:
    """A pattern without redirections, and whether one of them is of standard input.

    `< FILE` and `> FILE` are for the shell; `<FILE>` is an argument.
    """
    pattern = _CODE_AFTER.split(pattern)[0]
    plain = _OUTPUT.sub(" ", _INPUT.sub(" ", pattern))
    return plain.replace(_PIPE_MARK, " "), _PIPE_MARK in pattern or _INPUT.search(
        pattern
    ) is not None


_ARGUMENTS = lazy_pattern(
    r"((?:[ \t]+[a-z][\w-]*(?![^ \t]))?)((?:[ \t]+(?:[<\[{(-]|[A-Z][A-Z0-9_]+(?![^ \t])).*)?)"
)
"""What follows the name of a command: its second name, and its arguments."""
_COMMANDS = lazy_pattern(r"(?im)^[ \t#*]*(?:sub)?(?:commands|actions|modes)\b[^\n]{0,40}:[ \t]*$")


def _listed_commands(text: str, pattern: list[_Item]) -> list[tuple[str, list[_Item]]]:
    """The commands listed below "Commands:", if the pattern takes a command."""
    takes = any(
        isinstance(item, _Word) and re.search(r"(?i)command|action|mode", item.text)
        for item in pattern
    )
    head = _COMMANDS.search(text[:LONGEST]) if takes else None
    if head is None:
        return []
    lines: list[tuple[str, str, str]] = []
    indent = 0
    for line in text[head.end() : LONGEST].lstrip("\n").split("\n"):
        plain = line.lstrip("#*")
        width = len(plain) - len(plain.lstrip())
        match = re.match(r"[ \t]+([a-z][\w:-]*)((?:[ \t]\S+)*)(?:[ \t]{2,}.*)?$", plain)
        if match is None:
            if lines and plain.strip() and width < indent:
                break  # Groups of commands have blank lines and remarks between them.
            continue
        indent = indent or width
        rest = re.split(r"(?<=[\]>.])[ \t]+(?=[A-Z][a-z]+\b)", match[2])[0]
        parts = _ARGUMENTS.fullmatch(re.split(r"[ \t](?:-|–|—)[ \t]", rest)[0])
        lines.append((match[1], parts[1].strip() if parts else "", parts[2] if parts else ""))
    words = [_parse(f"{name} {second}") for name, second, _ in lines]
    commands = []
    for (name, remaining_items), (_, _, rest) in zip(_name_patterns(words), lines, strict=True):
        # A word after the name that is no second name of it begins a description.
        commands.append((name, [] if remaining_items else _parse(rest)))
    return commands if len(commands) > 1 else []


def _merge_commands(old_command: ScriptCommand | None, other: ScriptCommand) -> ScriptCommand:
    """Two patterns of one command: what is not in both is optional."""
    if old_command is None:
        return other
    names = [{option.name for option in command.options} for command in (old_command, other)]
    both = names[0] & names[1]
    options = {option.name: option for option in (*other.options, *old_command.options)}
    merged_options = [
        option if option.name in both else option._replace(required=False)
        for option in options.values()
    ]
    lead = max(old_command.lead, other.lead)
    return old_command._replace(options=tuple(merged_options), certain=False, groups=(), lead=lead)


def listed_options(text: str) -> dict[str, ScriptOption]:
    """The options that a text lists one a line, by each of their flags."""
    options: dict[str, ScriptOption] = {}
    for line in text[:LONGEST].split("\n"):
        match = _OPTION_LINE.match(f" {line[:300]}")
        if match is None:
            continue
        flags = tuple(_FLAG.findall(f"{match[1]} {match[2]}"))
        if not flags or _HELP & set(flags):
            continue
        option = _make_option(flags, match[3] or "", match[4].replace(_HOLE, "…").strip())
        for flag in flags:
            options.setdefault(flag, option)
    return options


def stated_default(help_: str) -> Any:
    """The default that the description of an option states; NOTHING if it is no literal."""
    match = _DEFAULT.search(help_)
    if match is None:
        return NOTHING
    text = re.split(r"[,;](?=\s)", (match[1] or match[2]).strip())[0]
    value = text.strip("`'\"")
    is_word = value != text or re.fullmatch(r"\S+", value)
    if not value or not is_word or value.lower() in _NO_DEFAULT or _COMPUTED_DEFAULT.search(value):
        return NOTHING
    return value


def _make_option(flags: tuple[str, ...], value: str, help_: str) -> ScriptOption:
    longest = max(flags, key=len)
    choices = _choices(value)
    option = ScriptOption(
        name=longest.lstrip("-").replace("-", "_").replace(".", "_"),
        flags=flags,
        type="string" if value else "boolean",
        help=help_,
        choices=choices,
        switch=not value,
    )
    return with_default(option, stated_default(help_)) if value else option


def _choices(value: str) -> tuple[str, ...]:
    """The values in `<a|b>`, `{a,b}` or `a|b`."""
    words = re.split(r"[|,/]", value.strip("<>{}[]"))
    is_plain = all(re.fullmatch(r"[a-z0-9][\w.-]*", word) for word in words)
    return tuple(words) if len(words) > 1 and is_plain and "/" not in value else ()


def _patterns(text: str, language: str = "") -> Iterator[str]:
    """The usage patterns of a text, without the program's name, each on one line."""
    text = text[:LONGEST].replace("`", " ")
    head = _HEAD.search(text)
    if head is None:
        return
    first, *rest = text[head.end() :].split("\n")
    lines = [first] if first.strip() else []
    lines = [re.split(r"[ \t]#", line)[0] for line in lines]
    lines = [part for line in lines for part in _alternatives(line)]
    is_comment = text[: head.start()].rpartition("\n")[2].lstrip().startswith("#")
    has_gap = False
    for line in rest:
        if not is_comment and line.lstrip().startswith("# "):
            continue  # A remark between patterns.
        bare = re.split(r"[ \t]#", line.strip(" \t#*$"))[0].strip()
        if not bare:
            has_gap = bool(lines)
            continue
        if has_gap and _program(bare) != _program(lines[0]):
            break  # Only another pattern of the program belongs to the usage.
        has_gap = False
        if lines and _OPTION_LINE.match(f" {line}"):
            break
        if lines and not line[:1].isspace() and not line.startswith("#"):
            break
        if re.match(r"(?i)(?:options|arguments|examples?|commands|where)\b.*:", bare):
            break
        lines += _alternatives(bare)
    program = ""
    pattern: list[str] = []
    for whole in lines:
        line, pipe_count = _PIPE.subn("", whole)
        words = line.split()
        if _CODE.match(line) or (not program and _is_prose(words)):
            return
        if words[:1] == ["chmod"]:
            continue
        cut = _program_length(words)
        name = words[cut - 1] if cut else ""
        if not program and _is_of_another_language(name, language):
            return
        if program and name != program:
            if not re.match(r"\s*[\[<({|-]", line):
                break
            pattern.append(line)  # A pattern that continues.
            continue
        if program:
            yield " ".join(pattern)
        program = name or " "
        pattern = [" ".join(words[cut:]) + (f" {_PIPE_MARK}" if pipe_count else "")]
    if program:
        yield " ".join(pattern)


def _is_prose(words: Sequence[str]) -> bool:
    """Whether a line is a sentence rather than a pattern: `Configure as a hook in FILE:`."""
    plain = [word.rstrip(",.") for word in words if re.fullmatch(r"[A-Za-z]+[,.]?", word)]
    if len(plain) > 3 and re.fullmatch(r"[A-Z][a-z]+", words[0]):
        return True
    return len([word for word in plain if word in _PROSE]) > 1


def _is_of_another_language(program: str, language: str) -> bool:
    """Whether a program is a script in another language: `render.mjs` for a shell script."""
    suffix = program.rpartition(".")[2]
    is_known = any(suffix in suffixes for suffixes in _SUFFIXES.values())
    return is_known and "." in program and suffix not in _SUFFIXES.get(language, (suffix,))


def _program(line: str) -> str:
    """The name of the program that a pattern starts with."""
    words = line.split()
    length = _program_length(words)
    return words[length - 1] if length else ""


def _alternatives(line: str) -> list[str]:
    """The patterns of a line such as `tool --list | tool FILE`, which names the program again."""
    name = _program(line)
    if not name or name.startswith(("[", "<", "-")):
        return [line]
    parts = re.split(
        rf"[ \t]+(?:\||or|OR)[ \t]+(?=(?:\S+[ \t]+)?{re.escape(name)}(?:[ \t]|$))", line
    )
    return [part for part in parts if part.strip()]


def _program_length(words: Sequence[str]) -> int:
    """How many words name the program: `python3 -m tool`, `uv run tool.py`, `./tool`, `$0`."""
    at = 1 if words[:1] == ["$"] else 0
    while at < len(words) and re.fullmatch(r"[A-Z_]\w*=\S*", words[at]):
        at += 1
    if at >= len(words):
        return at
    if words[at].rpartition("/")[2] not in _PROGRAMS:
        return at + 1
    at += 1
    while at < len(words):
        word = words[at]
        at += 1
        if word == "-m" or word == "run" or word in _PROGRAMS:
            continue
        if word.startswith("-") and "." not in word:
            continue
        return at
    return at


def _parse(pattern: str) -> list[_Item]:
    tokens = _TOKEN.findall(pattern.replace("\\", " "))
    items, _ = _sequence(tokens, 0, "", 0)
    return items[0] if len(items) == 1 else [_Group(False, items, False)]


def _sequence(tokens: list[str], at: int, close: str, depth: int) -> tuple[list[list[_Item]], int]:
    """The alternatives up to a closing bracket, and the place after it."""
    alternatives: list[list[_Item]] = [[]]
    while at < len(tokens):
        piece = tokens[at]
        at += 1
        if piece == close:
            return alternatives, at
        if piece == "|":
            alternatives.append([])
        elif piece in "[(" and depth < MAX_DEPTH:
            inner, at = _sequence(tokens, at, "]" if piece == "[" else ")", depth + 1)
            alternatives[-1].append(_Group(piece == "[", inner, False))
        elif piece in ("...", "…"):
            if alternatives[-1]:
                alternatives[-1][-1] = alternatives[-1][-1]._replace(many=True)
        elif piece not in "[]()":
            many = piece.endswith(("...", "…"))
            word = re.sub(r"(?:\.\.\.|…)$", "", piece)
            if not re.fullmatch(r"([\"'])[^<>]*\s[^<>]*\1", word):
                word = word.strip(_HOLE + ",;:'\"")
            if word:
                alternatives[-1].append(_word(word, many))
    return alternatives, at


def _word(text: str, many: bool) -> _Item:
    """A word, which `|` may divide: `start|stop`, `-f|--file`, `--json|--yaml`."""
    parts = text.split("|")
    if text[0] in "\"'" or ("=" in parts[0] and not any(p.startswith("-") for p in parts[1:])):
        return _Word(text, many)  # An example, or `--format=json|text`.
    if "=" in parts[0]:
        # `-f=FILE|--file=FILE` is one option.
        parts = [*(part.partition("=")[0] for part in parts[:-1]), parts[-1]]
        return _Word("|".join(parts), many)
    alternatives = len(parts) > 1 and text[0] not in "<{" and all(parts)
    short = sum(not part.startswith("--") for part in parts)
    if not alternatives or (text[0] == "-" and short == 1 and len(parts) == 2):
        return _Word(text, many)
    return _Group(False, [[_Word(part, False)] for part in parts], many)


def _options(
    items: Sequence[_Item], options_by_flag: dict[str, ScriptOption]
) -> tuple[list[ScriptOption], int | None]:
    """The arguments of a pattern, and all listed ones; how many places come before the flags.

    None if the pattern has no places or no flags.
    """
    arguments = _UsageArguments(options_by_flag)
    arguments.walk(items, is_required=True, many=False)
    for option in options_by_flag.values():
        arguments.add(option)
    options = list(arguments.options.values())
    has_both = len({bool(option.flags) for option in options}) == 2
    lead = arguments.places_before() if arguments.lead is None else arguments.lead
    return options, lead if has_both else None


class _UsageArguments:
    """The arguments found so far, by name."""

    def __init__(self, options_by_flag: dict[str, ScriptOption]) -> None:
        self.options_by_flag = options_by_flag
        self.options: dict[str, ScriptOption] = {}
        self.lead: int | None = None  # The number of places before the first flag.

    def places_before(self) -> int:
        """The number of places so far, without one that takes the rest of the line."""
        return sum(not option.flags and not option.rest for option in self.options.values())

    def add(self, option: ScriptOption) -> None:
        before = self.options.get(option.name)
        if before is None:
            self.options[option.name] = option
        elif not before.flags and not option.flags:
            # A place that occurs twice takes several values.
            self.options[option.name] = before._replace(many=True)

    def walk(self, items: Sequence[_Item], is_required: bool, many: bool) -> None:
        at = 0
        while at < len(items):
            item = items[at]
            at += 1
            if isinstance(item, _Group):
                self._group(item, is_required, many)
                continue
            if item.text.startswith("-") and item.text not in ("-", "--"):
                next_item = items[at] if at < len(items) else None
                at += self._flag(item.text, next_item, is_required)
            else:
                self._place(item, is_required, many)

    def _group(self, group: _Group, is_required: bool, many: bool) -> None:
        words = [alternative[0] for alternative in group.alternatives if len(alternative) == 1]
        only = group.alternatives[0] if len(group.alternatives) == 1 else []
        plain = [item.text for item in only if isinstance(item, _Word) and item.text[0] not in "-<"]
        if len(plain) == len(only) > 1:
            # `[input pdf]` is one argument, and `(called by make)` a remark.
            if not group.optional:
                return
            self._place(
                _Word("_".join(plain), only[-1].many), is_required and not group.optional, many
            )
            return
        texts = [word.text for word in words if isinstance(word, _Word)]
        if len(group.alternatives) > 1:
            if len(texts) == len(group.alternatives) and all(map(_is_literal, texts)):
                name = "command" if is_required and not group.optional else texts[0]
                self.add(ScriptOption(_name(name), required=is_required and not group.optional,
                    choices=tuple(texts)))  # fmt: skip
                return
            for alternative in group.alternatives:
                # `-o FILE | --output FILE` is one option with two flags.
                self.walk(alternative, False, many or group.many)
            return
        self.walk(group.alternatives[0], is_required and not group.optional, many or group.many)

    def _flag(self, text: str, next_item: _Item | None, is_required: bool) -> int:
        """Add an option; return how many of the following items are its value."""
        text, equals, value = text.partition("=")
        flags = [flag for flag in re.split(r"[,/|]", text) if _FLAG.fullmatch(flag)]
        if not flags or _HELP & set(flags):
            return 0
        self.lead = self.places_before() if self.lead is None else self.lead
        listed_option = next(
            (self.options_by_flag[flag] for flag in flags if flag in self.options_by_flag), None
        )
        item_count = 0
        # In brackets, what follows a flag is its value: `[--format json|text]`.
        is_switch = listed_option is not None and listed_option.switch and is_required
        if not equals and isinstance(next_item, _Group) and not is_switch:
            texts = _alternative_words(next_item)
            if texts:
                value, item_count = "|".join(texts), 1
        if not equals and isinstance(next_item, _Word):
            if _VALUE.fullmatch(next_item.text):
                value, item_count = next_item.text, 1
            elif listed_option is not None and not listed_option.switch:
                item_count = 1
        # `--ttl=SECONDS` says how the value is written.
        option = listed_option or _make_option(tuple(flags), value, "")._replace(
            is_joined=bool(equals and value)
        )
        if listed_option is not None and value:
            kind = "string" if listed_option.switch else listed_option.type
            choices = listed_option.choices or _choices(value)
            option = listed_option._replace(switch=False, type=kind, choices=choices)
        self.add(option._replace(required=is_required and not option.switch))
        return item_count

    def _place(self, word: _Word, is_required: bool, many: bool) -> None:
        text = word.text
        if text.strip("[]<>").lower() in _ANY:
            if not text.lower().strip("[]<>").startswith("arg") and self.lead is None:
                self.lead = self.places_before()
            return
        if not re.search(r"[A-Za-z]", text) or text in ("--", "-"):
            return
        choices = _choices(text) if text[0] in "<{" else ()
        name, has_many = _name(text), word.many or many
        self.add(ScriptOption(
            name, required=is_required, choices=choices, many=has_many,
            rest=has_many and name in _COMMAND,
        ))  # fmt: skip


def _alternative_words(group: _Group) -> list[str]:
    """The words of `json|text` or `(json|text)`; none if it is anything else."""
    if len(group.alternatives) == 1 and len(group.alternatives[0]) == 1:
        inner = group.alternatives[0][0]
        return _alternative_words(inner) if isinstance(inner, _Group) else []
    words = [alternative[0] for alternative in group.alternatives if len(alternative) == 1]
    texts = [word.text for word in words if isinstance(word, _Word) and _is_literal(word.text)]
    return texts if len(texts) == len(group.alternatives) and not group.optional else []


def _is_literal(text: str) -> bool:
    return re.fullmatch(r"[a-z][\w-]*", text) is not None


def _name(text: str) -> str:
    if re.match(r"[\"'].*\s", text):
        return PLACEHOLDER_NAME
    plain = text.strip("<>{}[]'\"").split("|")[0].split("=")[0]
    spread = re.sub(
        r"(?<=[a-z0-9])(?=[A-Z])", "_", plain.split(".")[0] if plain[:1] != "." else plain
    )
    return re.sub(r"\W+", "_", spread).strip("_").lower() or PLACEHOLDER_NAME
