"""Find what Claude Code replaces in SKILL.md against its meaning, and variables that nobody sets.

It replaces `$0` to `$9` only if the skill is started with so many words; those with more digits
hardly ever, so only one digit counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from skillstudio.manifest.named_files import MAX_NAMES, SHELLS
from skillstudio.manifest.named_links import CodeSpans
from skillstudio.manifest.targets import documented_keys
from skillstudio.text.diagnostic import Diagnostic, Fix, Splice
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Mapping, resolve
from skillstudio.text.source import Span

if TYPE_CHECKING:
    from skillstudio.manifest.dialect import Skill
    from skillstudio.manifest.named_files import NameCheck, NamingText
    from skillstudio.text.reading.fences import Fence

_MOST = 20
"""Problems of one rule in one text."""
_LINE = 500
"""Characters before and after a place that are searched."""
_ARGUMENT = lazy_pattern(r"\$(?<!\\\$)([0-9])(?!\w)")
_AMOUNT = lazy_pattern(
    r"\$(?<!\\\$)([0-9])(?:[.,]\d[\d.,]*\w{0,3}"
    r"|(?=/[a-z]|[-–—]\$?\d|\+?\s(?:million|billion|thousand|USD|per\b|an?\s(?:day|month|year)))\b)"
)
"""A sum of money that starts with what stands for an argument."""
_PROGRAM = lazy_pattern(
    r"\b(?P<program>[gmn]?awk|perl)\b(?:(?!awk|perl)[^'\n`]){0,200}'(?P<code>[^']{0,2000})'"
)
_SCRIPT = lazy_pattern(
    r"^[ \t]*(?:#!|(?:function[ \t]+)?[\w-]{1,60}[ \t]*\(\)[ \t]*\{)", re.MULTILINE
)
_SCRIPTS = frozenset(["", "bash", "sh", "shell", "zsh"])
"""The info strings of blocks that may be scripts."""
_TEXTS = frozenset(["", "markdown", "md", "mdx", "text", "txt", "plain", "plaintext", "output"])
"""The info strings of blocks that are no code."""
_OWN_MEANING = lazy_pattern(
    r"\b(?:replace\w{0,12}|sub|gsub|regex\w{0,3}|values|where|select|insert|update|delete|query"
    r"|fetch\w{0,5}|placeholders?|parameteri[sz]ed|positional|capture|backreference)\b|= ?\$\d",
    re.IGNORECASE,
)
"""Words around a `$1` that is a parameter of a query, or what a pattern matched."""
_DATABASES = frozenset(["sql", "postgresql", "pgsql", "plpgsql", "perl", "awk"])
"""Languages in which `$1` always means something else."""
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)

_AGENT = "before the agent reads it"

_VARIABLE = lazy_pattern(
    r"\$(?<!\\\$)(?P<open>\{?)(?P<name>(?:CLAUDE_)?(?:SKILL|PLUGIN)S?_"
    r"(?:DIR|ROOT|PATH|FOLDER|HOME|DATA))\b(?P<close>\}?)"
)
_ALONE = lazy_pattern(r"^[ \t]*(\$ARGUMENTS)[ \t]*$", re.MULTILINE)
_OF_PLUGINS = frozenset(["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"])
_KNOWN_VARIABLES = frozenset(["CLAUDE_SKILL_DIR", *_OF_PLUGINS])
"""Variables that Claude Code replaces in braces; docs/en/skills#available-string-substitutions."""

_EXPLAINS = lazy_pattern(
    r"\b(?:is|represents?|means?|points? to|stands for|refers to|replace|substitute|set|resolves?"
    r"|determine|where|wherever|export|defined?)\b|=",
    re.IGNORECASE,
)
"""Words of a sentence that says what a variable is."""


def check_substitutions(check: NameCheck, text: NamingText) -> Iterator[Diagnostic]:
    """`argument-substituted` and `variable-unset` in the body of SKILL.md."""
    arguments = list(_arguments(check.skill, text))
    # Which keys are Claude Code's is read from many files, so it is asked last.
    if arguments and _is_for_claude_code(check.skill):
        yield from arguments[:_MOST]
    yield from _variables(check, text)


def check_reference(text: NamingText) -> Iterator[Diagnostic]:
    """`variable-unset` for a line of a reference that should be the skill's arguments."""
    for match in islice(_ALONE.finditer(text.source.text), MAX_NAMES):
        if text.fence(match.start(1)) is None:
            message = (
                "Claude Code replaces $ARGUMENTS only in SKILL.md, so the agent reads it here as "
                "it is; write it in SKILL.md"
            )
            span = Span(*match.span(1))
            path = text.source.path
            yield Diagnostic("variable-unset", message, span, path=path, severity="info")
            return


def _is_for_claude_code(skill: Skill) -> bool:
    """Whether Claude Code is a selected target, or the skill has keys of its own."""
    if "claude-code" in skill.settings.targets:
        return True
    return bool(_keys(skill) & (documented_keys(("claude-code",)) - documented_keys(("spec",))))


def _keys(skill: Skill) -> set[str]:
    root = resolve(skill.front.document.root) if skill.front else None
    return {entry.name for entry in root.entries} if isinstance(root, Mapping) else set()


def _arguments(skill: Skill, text: NamingText) -> Iterator[Diagnostic]:
    """What is replaced by mistake: once a program, script or block, and once for all sums."""
    whole, path = text.source.text, text.source.path
    takes_arguments = bool(_keys(skill) & {"argument-hint", "arguments"}) or "$ARGUMENTS" in whole
    programs: dict[int, tuple[Span, str]] = {}
    has_program = "awk" in whole or "perl" in whole
    for program in _PROGRAM.finditer(whole, text.body) if has_program else ():
        if field := _ARGUMENT.search(whole, *program.span("code")):
            programs[field.start()] = Span(*field.span()), f"before {program['program']} reads it"
    scripts: dict[int, int] = {}
    """Where the first script of a block starts, by the block's start."""
    reported_blocks: set[Span] = set()
    for match in islice(_ARGUMENT.finditer(whole, text.body), MAX_NAMES):
        at = match.start()
        fence = text.fence(at)
        block = fence.inner if fence else _line(whole, at)
        if block in reported_blocks:
            continue
        if fence and block.start not in scripts:
            script = _SCRIPT.search(whole, *block)
            scripts[block.start] = script.start() if script else block.end
        is_script = fence is not None and scripts[block.start] < at
        if when := _when(whole, at, fence, is_script, takes_arguments):
            reported_blocks.add(block)
            programs.setdefault(at, (Span(*match.span()), when))
    for _, (span, when) in sorted(programs.items()):
        argument = whole[span.start : span.end]
        move = "" if when == _AGENT else "move the code to a file, or "
        message = f"{_replaces(argument)}, {when}; {move}write \\{argument} for Claude Code only"
        yield Diagnostic("argument-substituted", message, span, path=path)
    yield from _amounts(text)


def _when(whole: str, at: int, fence: Fence | None, is_script: bool, takes_arguments: bool) -> str:
    """When a `$1` of another meaning is replaced; "" if it stands for the skill's argument."""
    language = _language(fence)
    if is_script and language in _SCRIPTS:
        return "before the shell reads it"
    if language in SHELLS or _AMOUNT.match(whole, at):
        return ""
    has_meaning = _OWN_MEANING.search(whole[slice(*_line(whole, at))]) is not None
    if fence is None or language in _TEXTS:
        return _AGENT if has_meaning and not takes_arguments else ""
    is_other = language in _DATABASES or not takes_arguments or has_meaning
    return f"also in {language} code" if is_other else ""


def _language(fence: Fence | None) -> str:
    return fence.info.split(" ")[0].lower() if fence else ""


def _replaces(argument: str, word: str = "") -> str:
    inside = f" in {word}" if word not in ("", argument) else ""
    ordinal = _ORDINALS[int(argument[1:])]
    return f"Claude Code replaces {argument}{inside} with the skill's {ordinal} argument, if any"


def _amounts(text: NamingText) -> Iterator[Diagnostic]:
    """One problem for the sums of money outside of commands."""
    whole = text.source.text
    sums = [
        match
        for match in islice(_AMOUNT.finditer(whole, text.body), MAX_NAMES)
        if _language(text.fence(match.start())) not in SHELLS | _DATABASES
    ]
    if not sums:
        return
    first, *other_sums = sums
    argument = f"${first[1]}"
    suffix = f", and so on for {len(other_sums)} more sums" if other_sums else ""
    suffix = ", and so on for 1 more sum" if len(other_sums) == 1 else suffix
    message = (
        f"{_replaces(argument, _word(whole, first))}{suffix}; write \\{argument} for Claude Code"
    )
    splices = tuple(Splice(match.start(), match.start(), "\\") for match in sums)
    # Not safe: other readers keep the backslash in code.
    fix = Fix(r"Write \$", splices)
    span = Span(first.start(), first.end())
    yield Diagnostic("argument-substituted", message, span, "", (fix,), path=text.source.path)


def _word(whole: str, match: re.Match[str]) -> str:
    """The sum as the author wrote it."""
    end = match.end()
    while end < match.end() + 20 and whole[end : end + 1].strip(" \t\r\n|*`)<\"'"):
        end += 1
    return whole[match.start() : end].rstrip(".,:;")


def _line(whole: str, offset: int) -> Span:
    """The line of an offset, cut if it is long."""
    low = max(offset - _LINE, 0)
    end = whole.find("\n", offset, offset + _LINE)
    return Span(max(whole.rfind("\n", low, offset) + 1, low), end if end >= 0 else offset + _LINE)


def _variables(check: NameCheck, text: NamingText) -> Iterator[Diagnostic]:
    """`variable-unset` at the first place of each variable in a command."""
    whole = text.source.text
    code = CodeSpans(whole)
    is_defined = cache(lambda name: _is_defined(name, text))
    reported_names: set[str] = set()
    for match in islice(_VARIABLE.finditer(whole, text.body), MAX_NAMES):
        name = match["name"]
        if name in reported_names or not _is_in_command(match, text, code) or is_defined(name):
            continue
        if advice := _unset(check, match):
            reported_names.add(name)
            span = Span(*match.span())
            yield Diagnostic(
                "variable-unset", advice[0], span, "", advice[1], path=check.markdown_path
            )


def _is_in_command(match: re.Match[str], text: NamingText, code: CodeSpans) -> bool:
    whole = text.source.text
    if (fence := text.fence(match.start())) is not None:
        return _language(fence) in SHELLS | {""}
    span = code.around(match.start())
    # A code span that is only the variable, or only a path, names it.
    return span is not None and " " in whole[span.start : match.start()]


def _unset(check: NameCheck, match: re.Match[str]) -> tuple[str, tuple[Fix, ...]] | None:
    """What is wrong with a variable and its fixes; None if it has a value."""
    name = match["name"]
    if check.is_about_skills:
        return None
    if name in _OF_PLUGINS:
        if check.is_about_plugins or check.around is None:
            return None
        if not check.around.has_plugins:
            advice = "use ${CLAUDE_SKILL_DIR} for the skill's own files"
            return f"{name} has no value: the skill is in no plugin; {advice}", ()
    if name in _KNOWN_VARIABLES:
        if match["open"]:
            return None
        fix = Fix("Add braces", (Splice(*match.span(), f"${{{name}}}"),), True)
        return f"Claude Code replaces {name} only in braces; write ${{{name}}}", (fix,)
    right = "${CLAUDE_SKILL_DIR} at Claude Code, or a path relative to SKILL.md"
    return f"no agent sets {name}; write {right}, or say in the text what it is", ()


def _is_defined(name: str, text: NamingText) -> bool:
    """Whether a text sets a variable, or says in a sentence what it is."""
    whole = text.source.text
    places = re.finditer(rf"(?P<sign>\$\{{?|\{{)?\b{name}\b(?P<next>\}}?`?/?)", whole)
    for match in islice(places, MAX_NAMES):
        after = whole[match.end() : match.end() + 1]
        if match["sign"] is None and (after in ("=", ":") or text.fence(match.start()) is None):
            return True
        if text.fence(match.start()) is None and not match["next"].endswith("/"):
            line = whole[slice(*_line(whole, match.start()))]
            if _EXPLAINS.search(line):
                return True
    return False
