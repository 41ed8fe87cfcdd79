"""Find options that a text passes to a script of the skill and that the script does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from skillstudio.manifest.named_files import SHELLS
from skillstudio.manifest.named_links import CodeSpans
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.nearest import nearest
from skillstudio.text.scripts.model import NotRead, Script
from skillstudio.text.scripts.reading import LARGEST, read_script
from skillstudio.text.source import Span

if TYPE_CHECKING:
    from skillstudio.manifest.named_files import NameCheck, NamedPath, NamingText

_MOST = 20
"""Problems of one text."""
_LONGEST = 2_000
"""Characters of a command after its script."""
_RUNS = re.compile(
    r"(?:\b(?:python[\d.]*|uv run(?: python[\d.]*)?|bash|sh|zsh|node|bun(?: run)?|tsx|deno run)"
    r"(?: -{1,2}[\w-]+){0,3}[ \t]+|(?:^|[;&|(\n`]|\$ )[ \t]*)[\"']?"
    r"(?:\./|[\w./-]{1,200}/|\$\{?(?:CLAUDE_)?SKILL_DIR\}?/|\{baseDir\}/)?$"
)
_END = re.compile(r"(?<!\\)\r?\n|[|;`]|&&|[ \t]--(?=[ \t])|[ \t]#|[<>$]\(")
_OPTION = re.compile(r"(?<=[ \t\n])--[A-Za-z][\w-]*(?=[=\s`\"'\])]|$)")
_OTHER_PARSERS = re.compile(
    r"\bsys\.argv|parse_known_args|REMAINDER|\bparents\s*=|\b(?:click|typer|fire|docopt)\b"
    r"|import_module|\bexec\(|__import__"
)
"""What lets a script with argparse take options that are not written in it."""
_PARSER = re.compile(r"\b(\w{1,60})[ \t]*=[ \t]*[\w.]{0,80}(?:ArgumentParser|add_parser)\(")
_ALWAYS = frozenset(["--help", "--version"])


def check_options(
    check: NameCheck, text: NamingText, mentions: list[NamedPath]
) -> Iterator[Diagnostic]:
    """`option-unknown` at the first place of each option that a script does not have."""
    whole, code = text.source.text, CodeSpans(text.source.text)
    data_of = cache(lambda path: _read(check, path))
    flags_of = cache(lambda path: _flags(path, data_of(path)))
    reported_options: set[tuple[str, str]] = set()
    for name in sorted(mentions):
        end = name.span.end + (whole[name.span.end : name.span.end + 1] in ("'", '"'))
        if whole[end : end + 1] not in (" ", "\t"):
            continue
        stop = _END.search(whole, end, end + _LONGEST)
        for option in _OPTION.finditer(whole, end, stop.start() if stop else end + _LONGEST):
            flag = option.group()
            # To read a script, and to find the blocks of a text, takes long.
            if (name.path, flag) in reported_options or flag.encode() in data_of(name.path):
                continue
            if not _is_command(name, text, code):
                break
            flags = flags_of(name.path)
            if flags is None or _has(flags, flag):
                continue
            reported_options.add((name.path, flag))
            shorter = (stem for stem in sorted(flags) if len(stem) > 4 and flag.startswith(stem))
            near = next(shorter, None) or nearest(flag, flags)
            advice = f"; did you mean {near}?" if near else "; add it, or correct the command"
            message = f"{name.path} has no option {flag}{advice}"
            span = Span(*option.span())
            yield Diagnostic("option-unknown", message, span, path=text.source.path)
            if len(reported_options) == _MOST:
                return


def _is_command(name: NamedPath, text: NamingText, code: CodeSpans) -> bool:
    """Whether a program, or the shell, starts the file here."""
    whole = text.source.text
    if _RUNS.search(whole, max(name.start - 300, 0), name.start) is None:
        return False
    if (fence := text.fence(name.start)) is not None:
        return fence.info.split(" ")[0].lower() in SHELLS | {""}
    return code.around(name.start) is not None


def _has(flags: frozenset[str], flag: str) -> bool:
    """Whether flags have one, or one that it abbreviates."""
    return flag in flags or any(known_flag.startswith(flag) for known_flag in flags)


def _read(check: NameCheck, path: str) -> bytes:
    try:
        return check.skill.tree.read(path, LARGEST + 1)
    except OSError:
        return b""


def _flags(path: str, data: bytes) -> frozenset[str] | None:
    """The options of a script; None if it may take others."""
    try:
        script = read_script(path, data)
    except NotRead:
        return None
    return _known_flags(script, data.decode("utf-8", "replace"))


def _known_flags(script: Script, source: str) -> frozenset[str] | None:
    if script.language != "python" or "argparse" not in source or _OTHER_PARSERS.search(source):
        return None
    if not script.commands or not all(command.certain for command in script.commands):
        return None
    options = [option for command in script.commands for option in command.options]
    if any(option.rest for option in options) or _is_passed_on(source):
        return None
    flags = {flag for option in options for flag in (*option.flags, option.off) if flag}
    # What the source has as a text may be added in a way that is not read.
    return frozenset({*flags, *_ALWAYS, *re.findall(r"--[A-Za-z][\w-]*", source)})


def _is_passed_on(source: str) -> bool:
    """Whether a function that is not in the script gets a parser, and may add options to it."""
    parsers = "|".join(sorted(set(_PARSER.findall(source)))[:_MOST])
    if not parsers:
        return False
    calls = re.finditer(rf"\b(\w{{1,80}})\([^()\n]{{0,200}}\b(?:{parsers})\b[ \t]*[,)]", source)
    return any(f"def {name}(" not in source for name in {call[1] for call in calls})
