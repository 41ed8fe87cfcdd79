"""Read a Perl script: Getopt::Long, Getopt::Std, `@ARGV`, and its usage text."""

from __future__ import annotations

import re
from dataclasses import replace

from skillstudio.text.scripts.model import (
    NOTHING,
    Script,
    ScriptCommand,
    ScriptOption,
    Type,
    first_sentence,
)
from skillstudio.text.scripts.usage import usage_commands

_GETOPTIONS = re.compile(r"\bGetOptions(?:FromArray)?\s*\((.*?)\)\s*(?:;|or\b|\|\|)", re.DOTALL)
_SPEC = re.compile(r"""["']([A-Za-z?][\w|?-]*)([=:][sif][@%]?(?:\{[^}]*\})?|[!+]|:\d+)?["']""")
_GETOPTS = re.compile(r"""\bgetopts?\s*\(\s*["']([\w:]+)["']""")
_SHIFTED = re.compile(
    r"my\s+\$(\w+)\s*=\s*(?:shift(?:\s*@ARGV|\(@ARGV\))?|\$ARGV\[(\d)\])\s*([^;]*);"
)
_LIST = re.compile(r"my\s*\(([^)]*)\)\s*=\s*@ARGV")
_DEFAULT = re.compile(r"my\s+\$(\w+)\s*=\s*(?:'([^'\n]*)'|\"([^\"$@\n]*)\"|(-?\d+(?:\.\d+)?))\s*;")
_TYPES: dict[str, Type] = {"s": "string", "i": "integer", "f": "number"}
MAX_OPTIONS = 100


def read_perl(text: str) -> Script:
    """Read the arguments of a Perl script."""
    pod = re.search(r"(?ms)^=head1\s+(?:SYNOPSIS|USAGE)\s*\n(.*?)(?=^=|\Z)", text)
    plain = re.sub(r"(?m)(?:^|(?<=\s))#[^\n]*", "", text)
    flags = _flags(plain)
    usage = usage_commands(f"Usage:\n{pod[1].lstrip()}" if pod else text.replace("\\n", "\n"))
    places = _places(plain)
    if len(usage) == 1:
        known = {each.name: each for each in flags}
        options = [known.get(each.name, each) for each in usage[0].options]
        names = {each.name for each in options}
        options += [each for each in flags if each.name not in names]
        if not usage[0].places:
            options += places
    else:
        options = [*flags, *places]
    command = ScriptCommand("", _about(text), tuple(options[:MAX_OPTIONS]), certain=False)
    commands = tuple(usage) if len(usage) > 1 else (command,)
    note = "there may be other arguments" if options else "its arguments are not known"
    return Script("perl", commands, notes=(note,), program=not re.search(r"(?m)^package\s", text))


def _flags(text: str) -> list[ScriptOption]:
    defaults = {
        found[1]: next(each for each in found.groups()[1:] if each is not None)
        for found in _DEFAULT.finditer(text)
    }
    found: list[ScriptOption] = []
    call = _GETOPTIONS.search(text)
    for names, how in _SPEC.findall(call[1]) if call else []:
        words = names.split("|")
        if words[0] in ("help", "h", "?", "man", "version"):
            continue
        flags = tuple(f"-{each}" if len(each) == 1 else f"--{each}" for each in words)
        valued = how[:1] in ("=", ":")
        name = words[0].replace("-", "_")
        found.append(ScriptOption(
            name,
            flags,
            _TYPES.get(how[1:2], "string") if valued else "boolean",
            default=defaults.get(name, NOTHING) if valued else NOTHING,
            switch=not valued,
            many="@" in how,
            repeats="@" in how,
            off=f"--no-{words[0]}" if how == "!" else "",
        ))  # fmt: skip
    letters = _GETOPTS.search(text)
    for letter, colon in re.findall(r"(\w)(:?)", letters[1]) if letters else []:
        if letter != "h":
            kind: Type = "string" if colon else "boolean"
            found.append(ScriptOption(letter, (f"-{letter}",), kind, switch=not colon))
    return found


def _places(text: str) -> list[ScriptOption]:
    top = re.sub(r"(?ms)^sub\s+\w+\s*\{.*?^\}", "", text)
    listed = _LIST.search(top)
    if listed:
        return [ScriptOption(each) for each in re.findall(r"\$(\w+)", listed[1])]
    found: dict[int, ScriptOption] = {}
    for name, index, rest in _SHIFTED.findall(top):
        at = int(index) if index else len(found)
        found[at] = ScriptOption(
            name, required=bool(re.match(r"(?:or|\|\|)\s*(?:die|usage)", rest))
        )
    return [replace(found[at]) for at in sorted(found)]


def _about(text: str) -> str:
    """The text after NAME in the documentation, else of the first comment."""
    named = re.search(r"(?m)^=head1\s+NAME\s*\n\s*(?:\S+\s+-+\s+)?(.+)$", text)
    if named:
        return first_sentence(named[1])
    lines = []
    for line in text.split("\n")[1 if text.startswith("#!") else 0 :]:
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("#").strip())
    return first_sentence("\n".join(lines))
