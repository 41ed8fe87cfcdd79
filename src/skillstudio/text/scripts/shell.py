"""Read a shell script line by line: getopts, positional arguments and probable effects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.scripts import effects
from skillstudio.text.scripts.model import (
    NOTHING,
    Script,
    ScriptCommand,
    ScriptOption,
    first_sentence,
    with_default,
)
from skillstudio.text.scripts.usage import PLACEHOLDER_NAME, stated_default, usage_commands

_FUNCTION = lazy_pattern(r"\s*(?:function\s+)?[A-Za-z_][\w-]*\s*\(\)\s*[{(]|\s*function\s+\w")
_HEREDOC = lazy_pattern(r"<<-?\s*(['\"]?)([A-Za-z_]\w*)\1")
_GETOPTS = lazy_pattern(r"""\bgetopts\s+(?:"([^"$`]*)"|'([^']*)'|([\w:?]+))\s+(\w+)""")
_BRANCH = lazy_pattern(r"^(?:\(\s*)?([A-Za-z0-9](?:\s*\|\s*[A-Za-z0-9])*)\s*\)(.*)$")
_ASSIGNMENT = lazy_pattern(
    r"""^\s*(?:local\s+|readonly\s+|export\s+|declare\s+)*([A-Za-z_]\w*)=("[^"]*"|'[^']*'|[^\s;]*)"""
)
_DECLARES = lazy_pattern(r"(?:local|readonly|export|declare|typeset)(?=\s)(?:\s+-\w+)*\s*")
_ONE_ASSIGNED = lazy_pattern(r"""([A-Za-z_]\w*)=("[^"]*"|'[^']*'|[^\s;&|]*)(?=[\s;&|]|$)""")
_BARE_NAME = lazy_pattern(r"[A-Za-z_]\w*(?=[\s;]|$)")
_AFTER_ASSIGNED = lazy_pattern(r"\s*(;(?!;)|&&)\s*|\s+|$")
_LITERAL_VALUE = lazy_pattern(r"[^$`()]*")
_OTHER_VALUE = lazy_pattern(r"\$(?:(\w+)|\{(\w+)\}|\{\w+:?[-=]((?:[^{}]|\$\{\w+\})*)\})")
"""`$D`, `${D}`, `${X:-VALUE}`: a value that may be a literal elsewhere."""
_SET_IF_EMPTY = lazy_pattern(r"\$\{([A-Za-z_]\w*):?=((?:[^{}]|\$\{\w+\})*)\}")
_IF_EMPTY = lazy_pattern(
    r"""(?:if\s+)?(?:\[\[?|test)\s+-z\s+"?\$\{?([A-Za-z_]\w*)(?::?-)?\}?"?\s*(?:\]\]?)?\s*"""
    r"""(?:&&|;\s*then\b|$)\s*(.*)"""
)
"""`[ -z "$x" ] && x=6`, `if [ -z "$x" ]; then`, and what follows."""
_PASSES_ALL = lazy_pattern(r"""([A-Za-z_][\w-]*)\s+"\$@"\s*(?:;?\s*exit\b.*|\|\|.*)?$""")
"""A call of a function with all arguments: `main "$@"`."""
_PLACE = lazy_pattern(r"\$(?:([1-9])\b|\{([1-9])(?![0-9])(:?[-?=])?((?:[^{}]|\$\{\w+\})*)\})")
_NUMBER = lazy_pattern(r"""(\$\{?)([1-9])(?![0-9])""")
_REST = lazy_pattern(r"""\$[@*]|\$\{[@*]""")
_NAMED_PLACE = lazy_pattern(r"""([A-Za-z_]\w*)=(?:"?)\$(?:([1-9])|\{([1-9])[^}]*\})""")
_EMPTY_CHECK = lazy_pattern(
    r"""\$\{([A-Za-z_]\w*):?\?|-z\s+"?\$\{?([A-Za-z_]\w*)|-n\s+"?\$\{?(\w+)\}?"?\s*\]\]?\s*\|\|"""
)
"""Checks for an empty variable: `${x:?}`, `[ -z "$x" ]`, `[ -n "$x" ] ||`."""
_WORDS = lazy_pattern(
    r"(?m)(?:^|[|;&(`])[ \t]*"
    r"(?:(?:then|do|else|if|elif|while|until|exec|command|time|!)[ \t]+)*"
    r"(?:[A-Za-z_]\w*=[^\s(]{0,200}[ \t]+)*"
    r"([A-Za-z_./][\w./-]*)(?![\w./=-])((?:[ \t]+[\w./:=-]+)*)"
)
"""A program in command position, and the plain words after it."""
MAX_USAGE_LINES = 60
_PRINTED_TEXT = lazy_pattern(
    r"""(?:echo|printf|print|err|die|fail|error|log)\b(?:\s+-\w+)*\s+["'](.*)"""
)
LONGEST_USAGE = 300  # Maximum length of a usage line, in characters.
_SHIFT = lazy_pattern(r"(?:^|[;&|]|\bdo\b|\bthen\b)\s*shift\b")
_SHIFT_ALWAYS = lazy_pattern(
    r"""(?:[A-Za-z_]\w*=(?:"[^"]*"|[^\s;&"]+)\s*(?:;|&&)\s*)*"""
    r"""shift(?:\s+([1-9]))?\s*(?:\|\|\s*(?:true|:)\s*)?;?\s*$"""
)
"""A shift on a line of its own, or after assignments."""
_GOES_THROUGH = lazy_pattern(
    r"""\bgetopts\b|^\s*(?:while|until)\b.*\$\{?[#@*1]|"""
    r"""^\s*for\s+\w+\s*(?:;|\bdo\b|$|in\s+"?\$\{?[@*])"""
)
"""The start of a loop over the arguments."""
_SOURCE = lazy_pattern(r"(?:\.|source)\s+\S")
_WRITES = lazy_pattern(r"(?<![0-9&<=>-])>>?\s*(?!&|/dev/|\()[\"$\w./]")
_READS = lazy_pattern(r"(?<![<&])<\s*[\"$\w./]")
_STDIN = lazy_pattern(r"/dev/stdin\b|\$\(\s*cat(?:\s+-)?\s*\)|^\s*(?:cat|jq)\s+-\s*(?:\||$)")
"""What reads the standard input of a script."""
_BUILTINS = frozenset(
    re.findall(
        r"\w+",
        "alias break builtin case cd command continue declare do done echo elif else esac eval "
        "exec exit export false fi for function getopts if in let local printf pwd read readonly "
        "return select set shift shopt source test then time times trap true type typeset ulimit "
        "umask unset until usage wait while",
    )
)
_CASE = lazy_pattern(r"case\s+\"?\$\{?(1(?::?-)?|\w+)\}?\"?\s+in\b")
_LOOP_BRANCH = lazy_pattern(r"\(?\s*(-[\w-]+(?:=\*)?(?:\s*\|\s*-[\w-]+(?:=\*)?)*)\s*\)\s*(.*)")
_FLAG_TEST = lazy_pattern(
    r"""\$\{?([1-9]\b|[@*]|\w{1,60})[^\s"]{0,60}"?\s*==?\s*["']?(--?[A-Za-z][\w-]*)["']?\s*\]"""
)
"""A test of an argument for an option: `[ "$1" = --all ]`."""
_LOOP_VALUE = lazy_pattern(r"([A-Za-z_]\w*)=[\"']?\$\{?2\b")
_ADDED_VALUE = lazy_pattern(
    r"""([A-Za-z_]\w*)(?:\+=\(?\s*|=[\"']?\$\{?\1\b[^;]*?)"""
    r"""[\"']?\s*\$(?:2\b|OPTARG\b|\{(?:2\b|OPTARG\b|\w+#)[^}]*\})[\"']?\s*(?:\)|;|$)"""
)
"""A value added to those before it: `urls+=("$2")`, `urls="$urls $OPTARG"`."""
_NEXT_ARGUMENT = lazy_pattern(r"\$\{?2\b")
_HELP = frozenset({"-h", "--help"})
_USAGE_PROGRAM = lazy_pattern(r"(?i)[^:\n]*\busage\b[^:\n]{0,40}:[\s#]*([\w.-]+)")
_LABELS = lazy_pattern(r"\(?\s*([^()\s;]+(?:\s*\|\s*[^()\s;]+)*)\s*\)\s*(.*)")
_INNER_CASE = lazy_pattern(r"(?:^|[\s;(])case\s.*\sin\b")
_LITERAL = lazy_pattern(r"[A-Za-z0-9][\w.:-]*")
_ENDS = lazy_pattern(r"\b(?:exit|usage|show_?usage|die|fail|return|err\w*|abort|help)\b")
MAX_CASES = 40
MAX_BRANCHES = 400  # The lines of a case that are read.
MAX_ASSIGNMENTS = 100  # The assignments of a line that are read.
LONGEST_BRANCH = 2_000  # Maximum length of a branch, in characters.


class _ScriptLine(NamedTuple):
    """A line of the main script; in `plain` comments and single-quoted text are blanked."""

    text: str
    plain: str


def read_shell(text: str) -> Script:
    """Read the arguments and effects of a shell script."""
    lines = text.splitlines() or [""]
    course, functions = _course(lines)
    main = next((call[1] for line in course if (call := _PASSES_ALL.match(line.text))), "")
    if main in functions:
        course, functions = _course(lines, main)
    letters = _letters(course)
    options = _options(letters, course, lines)
    early, start = _early(course)
    has_shift = any(_SHIFT.search(line.plain) for line in course[:start])
    parses_itself = any(
        _SHIFT.search(line.plain) and "OPTIND" not in line.plain
        for line in (course[start:] if letters else course)
    )
    notes = []
    loop = [] if letters else _by_loop(course, lines) or _by_loop(_whole(lines), lines)
    usage = _usage_commands(lines, options or loop, functions)
    usage_names = [place.name for place in usage[0].places] if len(usage) == 1 else []
    usage = [] if letters else usage
    lead, _ = _places(early, [*options, *loop], usage_names, course)
    if parses_itself or loop:
        places, rest = lead, False
    elif letters and has_shift:
        after, rest = _places(course[start:], [*options, *lead], usage_names[len(lead) :], course)
        places = [*lead, *after]
    else:
        places, rest = _places(course, options, usage_names, course)
        lead = places if not letters and _compares_last(course, len(places)) else []
    if parses_itself or loop:
        options = options or loop
        unknown = "there may be others" if options or usage else "they are not known"
        notes.append(f"it parses its arguments itself, so {unknown}")
    elif rest:
        notes.append("it passes on all its arguments, so there may be others")
    sources_files = any(_SOURCE.match(line.text) for line in course)
    # A script without arguments may still pass them to the files it sources.
    is_known = not (rest or parses_itself or loop or sources_files or main in functions)
    certain = bool(letters or places) and is_known
    command = ScriptCommand(
        "",
        _about(lines),
        (*options, *places),
        certain=certain,
        lead=len(lead),
        reads_input=any(_STDIN.search(line.plain) for line in course),
    )
    if not letters:
        tested_options = [*_find_tested_options(course, command.options)]
        certain = certain and not tested_options
        command = command._replace(options=(*tested_options, *command.options), certain=certain)
    commands = [command] if letters else _with_usage(command, usage)
    # What only a usage text names is not surely required.
    if parses_itself or loop or any(len(item.places) > len(places) for item in commands):
        commands = [item._replace(by_hand=True) for item in commands]
    return Script(
        "bash",
        tuple(commands),
        frozenset(_effects(text, functions)),
        tuple(notes),
        program=text.startswith("#!") or bool(letters) or bool(places) or bool(loop),
        speaks_json=any(
            "jq -n" in line or ("printf" in line and "'{" in line and "}\\n'" in line)
            for line in lines
        ),
    )


def _whole(lines: list[str]) -> list[_ScriptLine]:
    """Every line, for scripts that parse their arguments in a function."""
    plain = _plain("\n".join(lines)).split("\n")
    return [
        _ScriptLine(line.strip(), plain_line) for line, plain_line in zip(lines, plain, strict=True)
    ]


def _usage_commands(
    lines: list[str], options: list[ScriptOption], functions: set[str]
) -> list[ScriptCommand]:
    """The commands of the first usage text: a comment, a here-document, or printed lines."""
    for start, line in enumerate(lines):
        if not re.search(r"(?i)\busage\b[^:(]{0,40}:", line[:LONGEST_USAGE]):
            continue
        if re.search(r"(?i)\bgrep\b[^|;]*\busage", line[:LONGEST_USAGE]):
            continue  # It looks for the usage of another program.
        program = _USAGE_PROGRAM.match("\n".join(lines[start : start + 2])[:LONGEST_USAGE])
        if program and program[1] in functions:
            continue  # It is the usage of a function.
        commands = usage_commands(
            "\n".join(_iter_usage_lines(lines[start : start + MAX_USAGE_LINES])), options, "bash"
        )
        if commands:
            return commands
    return []


def _iter_usage_lines(lines: list[str]) -> Iterator[str]:
    """The text that lines print or comment, up to the first line that does neither."""
    first = lines[0].strip()
    is_comment = first.startswith("#")
    for line in lines:
        bare = line.strip()
        printed_text = _PRINTED_TEXT.match(bare)
        if is_comment:
            if not bare.startswith("#"):
                return
            yield bare.lstrip("#").removeprefix(" ")
        elif printed_text:
            yield re.sub(r"[\"'](?:\s*(?:>&2|1>&2|;.*|\|\|.*))*$", "", printed_text[1]).replace(
                "\\n", "\n"
            )
        elif _PRINTED_TEXT.match(first) or re.fullmatch(
            r"[A-Z_]*(?:EOF|USAGE|HELP|END)[A-Z_]*", bare
        ):
            return
        else:
            yield line


def _with_usage(command: ScriptCommand, usage: list[ScriptCommand]) -> list[ScriptCommand]:
    """The arguments of the code with the places and options that only the usage names."""
    if len(usage) != 1:
        return [usage_command._replace(about=command.about) for usage_command in usage] or [command]
    command = command._replace(reads_input=command.reads_input or usage[0].reads_input)
    options_by_flag = {flag: option for option in command.options for flag in option.flags}
    options: list[ScriptOption] = []
    places = list(command.places)
    for option in usage[0].options:
        code_option = next(
            (options_by_flag[flag] for flag in option.flags if flag in options_by_flag), None
        )
        if option.flags:
            is_required = option.required or (code_option is not None and code_option.required)
            choices = option.choices if code_option is None or not code_option.switch else ()
            option = (code_option or option)._replace(
                help=option.help or (code_option.help if code_option else "")
            )
            option = option._replace(required=is_required and not option.switch, choices=choices)
        elif places:
            place = places.pop(0)
            default = place.default if option.default is NOTHING else option.default
            is_required = option.required or (place.required and command.certain)
            is_required = is_required and default is NOTHING
            name = place.name if option.name == PLACEHOLDER_NAME else option.name
            choices = option.choices or place.choices
            kind = place.type if option.default is NOTHING else option.type
            option = option._replace(name=name, type=kind, default=default, choices=choices)
            option = option._replace(required=is_required)
        options.append(option)
    if not options:
        return [command]
    flags = {flag for option in options for flag in option.flags}
    options += [
        option for option in command.options if option.flags and not flags & set(option.flags)
    ]
    names = [option.name for option in options]
    if any(option.flags for option in options) and not usage[0].places:
        # `[[ $1 == --dry-run ]]` is the option, not another argument.
        places = [place for place in places if place.required]
    options += [place for place in places if place.name not in names]
    certain = command.certain and [option.name for option in command.options] == names
    lead = max(command.lead, usage[0].lead)
    if command.lead and not any(option.flags for option in usage[0].options):
        lead = len(usage[0].places)
    return [command._replace(options=tuple(options), certain=certain, lead=lead)]


def _find_tested_options(
    course: list[_ScriptLine], options: tuple[ScriptOption, ...]
) -> Iterator[ScriptOption]:
    """The options that tests compare arguments with."""
    flags = {flag for option in options for flag in option.flags}
    for line in course:
        for _, flag in _FLAG_TEST.findall(line.text):
            if flag not in flags and flag not in _HELP:
                flags.add(flag)
                name = flag.lstrip("-").replace("-", "_")
                yield ScriptOption(name, (flag,), "boolean", switch=True)


def _course(lines: list[str], main: str = "") -> tuple[list[_ScriptLine], set[str]]:
    """The lines outside functions, here-documents and comments; the functions' names.

    The body of the function `main`, which gets all arguments, takes the place of its call.
    """
    course: list[_ScriptLine] = []
    body: list[_ScriptLine] = []
    names: set[str] = set()
    until = ""
    indent: str | None = None
    is_called = False
    plain = _plain("\n".join(lines)).split("\n")
    for line, plain_line in zip(lines, plain, strict=True):
        if until:
            until = "" if line.strip() == until else until
            continue
        heredoc = _HEREDOC.search(line)
        if heredoc:
            until = heredoc[2]
        if indent is not None:
            if re.match(rf"{re.escape(indent)}[}})]", line):
                indent = None
            elif is_called and not line.lstrip().startswith("#"):
                body.append(_ScriptLine(line.strip(), plain_line))
            continue
        function = _FUNCTION.match(line)
        if function:
            name = re.sub(r"^function\s+|\W.*$", "", line.strip())
            names.add(name)
            is_called = name == main
            if not re.search(r"[})]\s*(?:#.*)?$", line) or line.rstrip().endswith("()"):
                indent = line[: len(line) - len(line.lstrip())]
            elif is_called:
                start = len(line) - len(line.partition("{")[2])
                inside = slice(start, line.rfind("}"))
                body.append(_ScriptLine(line[inside].strip(" ;"), plain_line[inside].strip()))
            continue
        if not line.lstrip().startswith("#"):
            course.append(_ScriptLine(line.strip(), plain_line))
    at = next((at for at, line in enumerate(course) if _calls(line.text, main)), None)
    if body and at is not None:
        course[at : at + 1] = _dedent_lines(body)
    return course, names


def _calls(text: str, name: str) -> bool:
    call = _PASSES_ALL.match(text)
    return call is not None and call[1] == name


def _dedent_lines(lines: list[_ScriptLine]) -> list[_ScriptLine]:
    """The lines of a function, those at its top without their indent."""
    widths = [len(line.plain) - len(line.plain.lstrip()) for line in lines if line.plain.strip()]
    least = min(widths, default=0)
    return [line._replace(plain=line.plain[least:]) for line in lines]


def _plain(text: str) -> str:
    """The text with comments and single-quoted text blanked."""
    out: list[str] = []
    # The open contexts: `"`, `'`, or `(` for code within quotes.
    stack: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        inside = stack[-1] if stack else ""
        if inside == "'":
            out.append(character if character in "'\n" else " ")
            if character == "'":
                stack.pop()
        elif character == "\\":
            # An escaped dollar is not an argument.
            out.append("  " if text[at + 1 : at + 2] == "$" else text[at : at + 2])
            at += 1
        elif character == "#" and inside != '"' and (at == 0 or text[at - 1] in " \t\n;"):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            out.append(" " * (end - at))
            at = end - 1
        else:
            out.append(character)
            _open_or_close(stack, inside, character, text[at - 1 : at])
        at += 1
    return "".join(out)


def _open_or_close(stack: list[str], inside: str, character: str, before: str) -> None:
    """Track quotes, and code in brackets within them."""
    if (inside, character) in (('"', '"'), ("(", ")")):
        stack.pop()
    elif (
        character == '"'
        or (character == "'" and inside != '"')
        or (character == "(" and (inside != '"' or before == "$"))
    ):
        stack.append(character)


def _letters(course: list[_ScriptLine]) -> dict[str, bool]:
    """The letters of getopts, and whether each has a value."""
    for line in course:
        match = _GETOPTS.search(line.text)
        if match:
            text = (match[1] or match[2] or match[3] or "").lstrip(":+-")
            return {letter: bool(colon) for letter, colon in re.findall(r"([^\W_])(:?)", text)}
    return {}


def _options(
    letters: dict[str, bool], course: list[_ScriptLine], lines: list[str]
) -> list[ScriptOption]:
    start = next((at for at, line in enumerate(course) if _GETOPTS.search(line.text)), 0)
    before, required_names = (
        _fallbacks(course) | _set(_values(course[:start])),
        _find_required_names(course),
    )
    options = []
    for letter, takes_value in letters.items():
        if takes_value or letter != "h":
            text = _letter_branch(letter, course[start:])
            variable = _variable(text, takes_value)
            option = _option((f"-{letter}",), takes_value, variable, before, required_names, lines)
            if takes_value and _ADDED_VALUE.search(text):
                option = option._replace(many=True, repeats=True, default=NOTHING)
            options.append(option)
    return options


def _option(
    flags: tuple[str, ...],
    takes_value: bool,
    variable: str,
    before: dict[str, str],
    required_names: set[str],
    lines: list[str],
) -> ScriptOption:
    """An option whose value, if any, goes into `variable`; `before` are the defaults."""
    help_text = next(filter(None, (_help(flag, lines) for flag in flags)), "")
    default = (before.get(variable) or stated_default(help_text)) if takes_value else NOTHING
    option = ScriptOption(
        name=variable.lower() or max(flags, key=len).lstrip("-").replace("-", "_"),
        flags=flags,
        type="string" if takes_value else "boolean",
        required=takes_value and variable in required_names and default is NOTHING,
        help=help_text,
        switch=not takes_value,
    )
    return with_default(option, default)


def _by_loop(course: list[_ScriptLine], lines: list[str]) -> list[ScriptOption]:
    """The options that a loop over the arguments parses: `while … case "$1" in --name) …`."""
    texts = [line.text for line in course]
    starts = _cases(course)
    start = next((at for at in starts if _branches(texts[at:])), None)
    if start is None:
        return []
    before, required_names = (
        _fallbacks(course) | _set(_values(course[:start])),
        _find_required_names(course),
    )
    options: list[ScriptOption] = []
    for flags, text in _branches(texts[start:]):
        is_joined = any(flag.endswith("=*") for flag in flags)
        flags = tuple(flag.removesuffix("=*") for flag in flags)
        takes_value = is_joined or _NEXT_ARGUMENT.search(text) is not None
        if _HELP & set(flags) and not takes_value:
            continue
        assignment = _LOOP_VALUE.search(text)
        variable = assignment[1] if assignment else ""
        option = _option(flags, takes_value, variable, before, required_names, lines)
        if takes_value and _ADDED_VALUE.search(text):
            option = option._replace(many=True, repeats=True, default=NOTHING)
        same = next((other for other in options if set(other.flags) & set(flags)), None)
        if same is None:
            options.append(option._replace(is_joined=is_joined))
        elif same.is_joined and not is_joined:
            options[options.index(same)] = option
    return options


def _find_required_names(course: list[_ScriptLine]) -> set[str]:
    """The variables that the script ends without; a check may also set a default."""
    names: set[str] = set()
    for at, line in enumerate(course):
        checks = _EMPTY_CHECK.findall(line.text)
        names.update(colon for colon, _, _ in checks if colon)
        if not checks:
            continue
        body = [line.text]
        for inner in course[at + 1 : at + 6]:
            if re.match(r"(?:fi|else|elif)\b", inner.text) or not re.search(
                r"\bthen\b|\{\s*$|\[", line.text
            ):
                break
            body.append(inner.text)
        if re.search(r"\b(?:exit|usage|die|fail|return|err\w*|abort)\b", "\n".join(body)):
            names.update(empty or full for colon, empty, full in checks if not colon)
    return names


def _set(values: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _values(course: list[_ScriptLine]) -> dict[str, str]:
    """The variables with a literal value, and the value."""
    values: dict[str, str] = {}
    for line in course:
        for name, text in _assignments(line.text):
            value = _literal(text, values)
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
        for name, text in _SET_IF_EMPTY.findall(line.text):
            value = _literal(text, values)
            if value is not None and not values.get(name):
                values[name] = value
    return values


def _assignments(text: str) -> Iterator[tuple[str, str]]:
    """The assignments at the start of a line, without those for one command: `LANG=C sort`."""
    group: list[tuple[str, str]] = []
    at, declares = 0, False
    for _ in range(MAX_ASSIGNMENTS):
        if declaration := _DECLARES.match(text, at):
            at, declares = declaration.end(), True
        assignment = _ONE_ASSIGNED.match(text, at)
        word = assignment or (_BARE_NAME.match(text, at) if declares else None)
        if assignment is not None:
            group.append((assignment[1], assignment[2]))
        end = _AFTER_ASSIGNED.match(text, word.end()) if word else None
        if end is None:
            break
        at = end.end()
        if end[1]:
            yield from group
            group, declares = [], False
    if declares or at >= len(text) or text[at] == "#":
        yield from group


def _literal(text: str, values: dict[str, str]) -> str | None:
    """The literal value of a word, which may be another variable's; None if it is computed."""
    value = text.strip("\"'")
    for _ in range(4):
        if _LITERAL_VALUE.fullmatch(value) or text[:1] == "'":
            return None if value[:1] == "~" else value  # A list of arguments has no home.
        other = _OTHER_VALUE.fullmatch(value)
        if other is None:
            return None
        name = other[1] or other[2]
        value = values.get(name, "$") if name else other[3].strip("\"'")
    return None


def _fallbacks(course: list[_ScriptLine]) -> dict[str, str]:
    """The values that variables get if they are empty: `: "${x:=6}"`, `[ -z "$x" ] && x=6`."""
    fallbacks: dict[str, str] = {}
    values = _values(course)
    for at, line in enumerate(course):
        pairs = _SET_IF_EMPTY.findall(line.text)
        for name, text in _assignments(line.text):
            if text.lstrip('"').startswith((f"${{{name}:-", f"${{{name}-")):
                pairs.append((name, text))
        if empty := _IF_EMPTY.match(line.text):
            then = empty[2] or (course[at + 1].text if at + 1 < len(course) else "")
            then = re.sub(r"^then\b\s*|;\s*fi\s*$", "", then)
            pairs += [pair for pair in _assignments(then) if pair[0] == empty[1]]
        for name, text in pairs:
            value = _literal(text, values)
            if value:
                fallbacks.setdefault(name, value)
    return fallbacks


def _letter_branch(letter: str, course: list[_ScriptLine]) -> str:
    """The code of the branches of a letter."""
    inside = False
    texts: list[str] = []
    for line in course:
        branch = _BRANCH.match(line.text)
        text = line.text
        if branch:
            inside = letter in re.split(r"\s*\|\s*", branch[1])
            text = branch[2]
        if inside:
            texts.append(text.strip())
            if ";;" in text:
                inside = False
    return "\n".join(texts)


def _variable(branch: str, takes_value: bool) -> str:
    """The variable that a branch sets."""
    for line in branch.split("\n"):
        for name, value in _ASSIGNMENT.findall(line):
            if not takes_value or "OPTARG" in value:
                return str(name)
    return ""


def _help(flag: str, lines: list[str]) -> str:
    """The description of an option in the usage text."""
    word = re.escape(flag)
    for line in lines:
        if flag not in line or "OPTARG" in line:
            continue
        plain = " ".join(line[:500].split()).lstrip(" #\"'|")
        match = re.match(rf"""(?:echo |printf )?["']?[ ]?{word}\b[,\s]*(\S.*)""", plain)
        if match and ")" not in match[1].split(" ")[0]:
            description = re.sub(
                r"^(?:--\S+[,:\s]*)?(?:<[^>]*>|[A-Z][A-Z_]*\b)?[,:\s]*", "", match[1]
            )
            return description.removesuffix("\\n").strip(" \"'")
    return ""


def _early(course: list[_ScriptLine]) -> tuple[list[_ScriptLine], int]:
    """The lines that assign the first arguments before the script goes through the others.

    A shift between them is added to their numbers. Also the index of the first other line.
    """
    early: list[_ScriptLine] = []
    flags = _flag_variables(course)
    shifts = last_number = 0
    for at, line in enumerate(course):
        is_always = not line.plain[:1].isspace()
        if _GOES_THROUGH.search(line.plain):
            return early, at
        plain = _renumber_places(line.plain, shifts)
        assignment = _NAMED_PLACE.search(plain) if is_always and _ASSIGNMENT.match(plain) else None
        number = int(assignment[2] or assignment[3]) if assignment else 0
        if assignment and assignment[1] not in flags and number <= last_number + 1:
            last_number = max(last_number, number)
            early.append(line._replace(plain=plain))
        if _SHIFT.search(line.plain):
            shift = _SHIFT_ALWAYS.match(line.plain) if is_always else None
            if shift is None:
                return early, at
            shifts += int(shift[1] or 1)
    return early, len(course)


def _flag_variables(course: list[_ScriptLine]) -> set[str]:
    """The variables that are compared with flags: `case "$word" in --all)`."""
    names = {name for line in course for name, _ in _FLAG_TEST.findall(line.text)}
    for at in _cases(course):
        case = _CASE.search(course[at].text)
        branches = _branches([line.text for line in course[at:]])
        if case and any(not _HELP & set(flags) for flags, _ in branches):
            names.add(case[1])
    return names


def _renumber_places(text: str, shifts: int) -> str:
    """A line whose arguments have the numbers from before earlier shifts."""
    return _NUMBER.sub(lambda number: f"{number[1]}{int(number[2]) + shifts}", text)


def _compares_last(course: list[_ScriptLine], places: int) -> bool:
    """Whether every argument that is compared with a flag comes after all these places."""
    numbers = [name for line in course for name, _ in _FLAG_TEST.findall(line.text)]
    return all(int(number) > places for number in numbers if number.isdigit())


def _places(
    course: list[_ScriptLine],
    options: list[ScriptOption],
    usage_names: list[str],
    scope: list[_ScriptLine],
) -> tuple[list[ScriptOption], bool]:
    """The positional arguments, named as `usage_names`, and whether all arguments are passed on.

    `scope` are all lines, which check and compare the variables.
    """
    places_by_number: dict[int, ScriptOption] = {}
    rest = False
    names: dict[int, str] = {}
    values = _values(scope)
    fallbacks = {name.lower(): value for name, value in _fallbacks(scope).items()}
    for line in course:
        for name, plain, braced_number in _NAMED_PLACE.findall(line.plain):
            names.setdefault(int(plain or braced_number), name.lower())
        indent = len(line.plain) - len(line.plain.lstrip())
        for place in _PLACE.finditer(line.plain):
            if _FLAG_TEST.match(line.text, max(place.start() - indent, 0)):
                continue  # It is a flag.
            plain, braced_number, how, fallback = place.groups(default="")
            at = int(plain or braced_number)
            old_option = places_by_number.get(at)
            is_required = how in ("?", ":?") or (
                not how and (old_option is None or old_option.required)
            )
            default = NOTHING
            if how in ("-", ":-", "=", ":="):
                default = _literal(fallback, values) or NOTHING
            if old_option is None or default is not NOTHING or how in ("?", ":?"):
                places_by_number[at] = ScriptOption(
                    f"arg{at}", required=is_required, default=default
                )
        rest = rest or (bool(_REST.search(line.text)) and "getopts" not in line.text)
    used_names = {option.name for option in options}
    choices = _choices(scope)
    required_names = {name.lower() for name in _find_required_names(scope)}
    places = []
    for at in range(1, max(places_by_number, default=0) + 1):
        option = places_by_number.get(at, ScriptOption(f"arg{at}", required=True))
        name = names.get(at) or (usage_names[at - 1] if len(usage_names) >= at else option.name)
        name = f"{name}_argument" if name in used_names else name
        used_names.add(name)
        default = option.default
        if default is NOTHING:
            default = fallbacks.get(names.get(at, ""), NOTHING)
        is_required = (option.required or name in required_names) and default is NOTHING
        words = choices.get(str(at)) or choices.get(names.get(at, ""), ())
        option = ScriptOption(name, required=is_required, choices=words)
        places.append(with_default(option, default))
    return places, rest


def _cases(course: list[_ScriptLine]) -> list[int]:
    """The indexes of lines with `case … in`, up to the maximum."""
    starts = (at for at, line in enumerate(course) if _CASE.search(line.text))
    return list(islice(starts, MAX_CASES))


def _choices(course: list[_ScriptLine]) -> dict[str, tuple[str, ...]]:
    """The words of `case "$1" in start) …`, by the number or the variable, if others end it."""
    choices: dict[str, tuple[str, ...]] = {}
    for at in _cases(course):
        case = _CASE.search(course[at].text)
        if case is None:
            continue
        texts = [line.text for line in course[at : at + MAX_BRANCHES]]
        texts[0] = texts[0][case.end() :].strip()
        texts = [part for text in texts for part in re.split(r"(?<=;;)\s*", text) if part]
        words: list[str] = []
        rest = ""
        for labels, text in _labels(texts):
            if labels == ["*"]:
                rest = text
            else:
                words += labels
        words = [word for word in words if word not in ("", *_HELP, "help")]
        is_closed = not rest or _ENDS.search(rest)
        if len(words) > 1 and is_closed and all(map(_LITERAL.fullmatch, words)):
            choices[case[1].lower().rstrip(":?-")] = tuple(words)
    return choices


def _labels(lines: list[str]) -> Iterator[tuple[list[str], str]]:
    """The labels of each branch of a case with its text up to `;;`."""
    labels: list[str] | None = None
    text = ""
    depth = 0
    for line in lines:
        if re.match(r"esac\b", line):
            depth -= 1
            if depth < 0:
                return
        branch = _LABELS.match(line) if labels is None and not depth else None
        if branch:
            labels = [label.strip(" \"'") for label in branch[1].split("|")]
            text = branch[2]
        elif labels is not None:
            text += f"\n{line}"
        elif not depth and line:
            yield ["?"], ""  # Not understood, such as `"two words")`.
        depth += _INNER_CASE.search(line) is not None
        if ";;" in line and labels is not None and not depth:
            yield labels, text
            labels = None


def _about(lines: list[str]) -> str:
    """The text of the first comment, up to the usage."""
    comment_lines: list[str] = []
    for line in lines[1:] if lines and lines[0].startswith("#!") else lines:
        text = line.strip()
        if not text.startswith("#"):
            if comment_lines or text:
                break
            continue
        text = text.lstrip("#").strip()
        if re.match(r"(?i)usage\b|shellcheck\b|-\w\b", text) or (not text and comment_lines):
            break
        comment_lines.append(text)
    return first_sentence(" ".join(comment_lines))


def _effects(text: str, functions: set[str]) -> set[str]:
    effect_names: set[str] = set()
    plain = _plain(text)
    for program, words in _WORDS.findall(plain):
        if program not in _BUILTINS and program not in functions and "=" not in program:
            effect_names |= effects.of_call([program, *words.split()])
    if _WRITES.search(plain):
        effect_names.add("fs.write")
    if _READS.search(plain):
        effect_names.add("fs.read")
    return effect_names


def _branches(lines: list[str]) -> list[tuple[tuple[str, ...], str]]:
    """The flags of each branch with its text up to `;;`."""
    branches: list[tuple[tuple[str, ...], str]] = []
    inside = False
    for line in lines:
        branch = _LOOP_BRANCH.match(line)
        if branch:
            flags = tuple(re.split(r"\s*\|\s*", branch[1]))
            inside = any(flag.strip("-") for flag in flags)
            if inside:
                branches.append((flags, branch[2]))
        elif inside:
            flags, text = branches[-1]
            inside = len(text) < LONGEST_BRANCH
            branches[-1] = (flags, f"{text}\n{line}")
        if ";;" in line:
            inside = False
        if re.match(r"esac\b", line):
            break
    return branches
