"""`skillstudio completion`: print a completion script made from the table of verbs.

Each script completes commands, options, the values of options and arguments where they are known,
and paths where an argument is one. For words that depend on files, such as the operations of a
skill, it asks `skillstudio completion words`; for others it starts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from shlex import quote

from skillstudio.cli.arguments import Argument, CommandOptions, Verb
from skillstudio.cli.completion_words import complete, word_source
from skillstudio.cli.output import Result, UsageError
from skillstudio.cli.verbs import all_verbs

_BASH = """\
{lists}
_skillstudio() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local verb="${{COMP_WORDS[1]}}"
  local words="" kind="words" each
  # Bash splits --option=value at the sign.
  if [ "$word" = "=" ]; then word=""; before="${{COMP_WORDS[COMP_CWORD-1]}}"
  elif [ "$before" = "=" ]; then before="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words={verbs} kind="both"
  else
    case "$verb $before" in
{values}
    *)
      case "$verb" in
{verb_cases}
      --plain) kind=paths ;;
      esac ;;
    esac
  fi
  COMPREPLY=()
  if [ "$kind" = paths ]; then return; fi
  if [ "$kind" = ask ] || [ "$kind" = ask_paths ]; then
    while IFS= read -r each; do
      COMPREPLY+=("$each")
      if [ "${{each%=}}" != "$each" ]; then compopt -o nospace 2>/dev/null; fi
    done < <(skillstudio completion words -- "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null)
    if [ "$kind" = ask ]; then compopt +o default 2>/dev/null; fi
    return
  fi
  while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen -W "$words" -- "$word")
  if [ "$kind" = words ]; then compopt +o default 2>/dev/null; fi
}}
complete -o default -F _skillstudio skillstudio"""
_ZSH = """\
#compdef skillstudio
{lists}
_skillstudio_ask() {{
  local -a candidates
  candidates=("${{(@f)$(skillstudio completion words -- "${{(@)typed}}" 2>/dev/null)}}")
  candidates=("${{(@)candidates:#}}")
  compadd -S '' -q -a -- candidates
  [ $# -eq 0 ] || _files
}}
_skillstudio() {{
  local -a verbs typed
  if (( CURRENT == 2 )); then
    verbs=(
{verbs}
    )
    _describe -t commands command verbs
    _files
    return
  fi
  shift words
  (( CURRENT-- ))
  typed=("${{(@)words[1,CURRENT]}}")
  case "$words[1]" in
{cases}
  --plain) _files ;;
  esac
}}
if [ "$funcstack[1]" = "_skillstudio" ]; then
  _skillstudio "$@"
else
  compdef _skillstudio skillstudio
fi"""
_FISH = """\
function __skillstudio_in
  set -l words (commandline -opc)
  test (count $words) -ge 2; and contains -- $words[2] $argv
end
function __skillstudio_first
  test (count (commandline -opc)) -eq 1
end
function __skillstudio_ask
  set -l words (commandline -opc) (commandline -ct)
  skillstudio completion words -- $words[2..-1] 2>/dev/null
end"""
_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName 'skillstudio' -ScriptBlock {{
    param($wordToComplete, $commandAst, $cursorPosition)
{lists}
    $verbs = [ordered]@{{
{verbs}
    }}
    # A flag with its help and its values: $null for a switch, 'paths', 'ask', or words.
    $options = @{{
{options}
    }}
    $arguments = @{{
{arguments}
    }}
    $before = @($commandAst.CommandElements |
        Where-Object {{ $_.Extent.EndOffset -lt $cursorPosition }} |
        ForEach-Object {{ $_.ToString() }})
    $candidates = [ordered]@{{}}
    $prefix = ''
    if ($before.Count -lt 2) {{
        $candidates = $verbs
    }} elseif ($verbs.Contains($before[1])) {{
        $known = $options[$before[1]]
        $flag = $before[-1]
        if ($wordToComplete -match '^(--[^=]+)=') {{
            $flag = $Matches[1]
            $prefix = "$flag="
        }}
        if ($known.Contains($flag) -and $null -ne $known[$flag][1]) {{
            $values = $known[$flag][1]
        }} elseif ($wordToComplete.StartsWith('-')) {{
            foreach ($each in $known.Keys) {{ $candidates[$each] = $known[$each][0] }}
            $values = @()
        }} else {{
            $values = $arguments[$before[1]]
        }}
        if ($values -eq 'ask') {{
            $line = @($before | Select-Object -Skip 1)
            $line += "$wordToComplete".Substring($prefix.Length)
            $values = @(& skillstudio completion words '--' @line 2>$null)
        }}
        # Without results PowerShell completes paths.
        if ($values -is [string]) {{ return }}
        foreach ($each in $values) {{ $candidates["$prefix$each"] = $each }}
    }}
    foreach ($each in $candidates.Keys) {{
        if ($each.StartsWith($wordToComplete)) {{
            [System.Management.Automation.CompletionResult]::new(
                $each, $each, 'ParameterValue', $candidates[$each])
        }}
    }}
}}"""
_FIRST = {
    "--help": "List the commands",
    "--plain": "List problems and commands, for screen readers",
    "--version": "Print the version",
}
"""The options that need no command."""
_PATHS = ("PATH", "FILE", "DIR", "DEST", "VERSION", "SCRIPT")
"""Words in the placeholders of arguments that are paths."""
_SHARING_THRESHOLD = 12  # From this number of words on a list is written once.


def run(options: CommandOptions) -> Result:
    if options.shell == "words":
        words = complete(_verbs(), options.words, _values)
        return Result(dict, lambda _: words)
    if options.words:
        raise UsageError(f"unexpected argument {options.words[0]}")
    write = _SHELLS[options.shell]
    return Result(dict, lambda _: write(_verbs(), _Lists()))


def _verbs() -> Mapping[str, Verb]:
    verbs = all_verbs()
    return {**verbs, "help": _help(verbs)}


def _help(verbs: Mapping[str, Verb]) -> Verb:
    """`help` as a verb: its argument is a command."""
    topic = Argument("[COMMAND]", "a command", choices=(*verbs, "environment"))
    return Verb("help", "Setup", "Show the help of a command", (topic,), formats=())


def _values(verb: Verb, argument: Argument) -> tuple[str, ...]:
    """The values that an argument accepts; none if they are not known."""
    if argument.choices:
        return argument.choices
    value_source = _VALUE_SOURCES.get(argument.dest)
    return value_source(verb) if value_source else ()


def _targets(verb: Verb) -> tuple[str, ...]:
    from skillstudio.manifest.targets import recorded_targets, targets

    return tuple(targets() if verb.name == "targets" else recorded_targets())


def _dialects(verb: Verb) -> tuple[str, ...]:
    from skillstudio.cli.config import schema_files
    from skillstudio.manifest.registry import dialect_ids

    return (*dialect_ids(), *(schema_files() if verb.name == "config" else ()))


def _rules(verb: Verb) -> tuple[str, ...]:
    from skillstudio.cli.explain import collect_entries
    from skillstudio.manifest.rulebook import rule_names

    return tuple(collect_entries() if verb.name == "explain" else sorted(rule_names()))


_VALUE_SOURCES: Mapping[str, Callable[[Verb], tuple[str, ...]]] = {
    "format": Verb.all_formats,
    "target": _targets,
    "dialect": _dialects,
    "to": _dialects,
    "select": _rules,
    "ignore": _rules,
    "id": _rules,
}
"""The values of arguments that are ids, by the name of the argument."""


def _is_path(argument: Argument) -> bool:
    what = argument.value if argument.flags else argument.spec
    return any(word in what for word in _PATHS)


def _positional(verb: Verb) -> list[Argument]:
    return [argument for argument in verb.all_arguments() if not argument.flags]


def _options(verb: Verb) -> list[Argument]:
    return [argument for argument in verb.all_arguments() if argument.flags]


def _first_words(verbs: Mapping[str, Verb]) -> Mapping[str, str]:
    """What a command line may start with, besides a path, and its help."""
    return {**{name: verb.summary for name, verb in verbs.items()}, **_FIRST}


class _Lists:
    """The long lists of a script, each of which is written once."""

    def __init__(self) -> None:
        self.names: dict[tuple[str, ...], str] = {}

    def name(self, words: tuple[str, ...]) -> str:
        """The name of the variable for these words; "" for a few."""
        if len(words) < _SHARING_THRESHOLD:
            return ""
        return self.names.setdefault(words, f"_skillstudio_{len(self.names) + 1}")


def _bash(verbs: Mapping[str, Verb], lists: _Lists) -> Iterator[str]:
    def quote_words(words: tuple[str, ...]) -> str:
        name = lists.name(words)
        return f'"${name}"' if name else quote(" ".join(words))

    values, cases = [], []
    for name, verb in verbs.items():
        flags = " ".join(flag for option in _options(verb) for flag in option.flags)
        for option in _options(verb):
            if option.value:
                pattern = "|".join(f'"{name} {flag}"' for flag in option.flags)
                words = _values(verb, option)
                kind = " kind=paths" if not words and _is_path(option) else ""
                kind = " kind=ask" if not words and word_source(option) else kind
                values.append(f"    {pattern}) words={quote_words(words)}{kind} ;;")
        positional_words = tuple(
            word for argument in _positional(verb) for word in _values(verb, argument)
        )
        kind = "paths" if any(map(_is_path, _positional(verb))) else "words"
        kind = "both" if kind == "paths" and positional_words else kind
        if any(map(word_source, _positional(verb))):
            kind, positional_words = "ask_paths" if kind in ("paths", "both") else "ask", ()
        start = f'if [ "${{word#-}}" != "$word" ]; then words={quote(flags)}'
        cases.append(
            f"      {name}) {start}; else words={quote_words(positional_words)} kind={kind}; fi ;;"
        )
    script = _BASH.format(
        lists="\n".join(f"{name}={quote(' '.join(words))}" for words, name in lists.names.items()),
        verbs=quote(" ".join(_first_words(verbs))),
        values="\n".join(values),
        verb_cases="\n".join(cases),
    )
    yield script.lstrip("\n")


def _zsh(verbs: Mapping[str, Verb], lists: _Lists) -> Iterator[str]:
    cases = []
    for name, verb in verbs.items():
        specs = [_zsh_option(verb, option, lists) for option in _options(verb)]
        for number, argument in enumerate(_positional(verb), 1):
            place = "*" if argument.is_list else str(number)
            what = _zsh_text(argument.value or argument.spec)
            specs.append(quote(f"{place}:{what}:") + _zsh_action(
                verb, argument, lists))  # fmt: skip
        cases.append(f"  {name}) _arguments -s -S {' '.join(specs)} ;;")
    yield _ZSH.format(
        lists="\n".join(
            f"typeset -ga {name}=({' '.join(map(quote, words))})"
            for words, name in lists.names.items()
        ),
        verbs="\n".join(
            "      " + quote(f"{word}:{about}") for word, about in _first_words(verbs).items()
        ),
        cases="\n".join(cases),
    )


def _zsh_option(verb: Verb, option: Argument, lists: _Lists) -> str:
    """A specification of `_arguments`."""
    about = f"[{_zsh_text(option.help)}]"
    once = "*" if option.repeat else f"({' '.join(option.flags)})"
    specs = []
    for flag in option.flags:
        if not option.value:
            specs.append(quote(f"{once}{flag}{about}"))
            continue
        sign = "=" if flag.startswith("--") else "+"
        message = f":{_zsh_text(option.value)}:"
        specs.append(
            quote(f"{once}{flag}{sign}{about}{message}") + _zsh_action(verb, option, lists)
        )
    return " ".join(specs)


def _zsh_action(verb: Verb, argument: Argument, lists: _Lists) -> str:
    words = _values(verb, argument)
    if not words and word_source(argument):
        return "'_skillstudio_ask files'" if _is_path(argument) else "_skillstudio_ask"
    if not words:
        return "_files" if _is_path(argument) else "' '"
    name = lists.name(words)
    return f'"(${name})"' if name else quote(f"({' '.join(words)})")


def _zsh_text(text: str) -> str:
    """A text with the signs of a specification escaped."""
    for sign in "\\:[]":
        text = text.replace(sign, f"\\{sign}")
    return text


def _fish(verbs: Mapping[str, Verb], lists: _Lists) -> Iterator[str]:
    def quote_words(words: tuple[str, ...]) -> str:
        name = lists.name(words)
        return f"'${name}'" if name else quote(" ".join(words))

    complete = "complete -c skillstudio"
    lines = []
    for name, verb in verbs.items():
        lines.append(f"{complete} -n __skillstudio_first -a {name} -d {quote(verb.summary)}")
        here = f"{complete} -n '__skillstudio_in {name}'"
        if not any(map(_is_path, _positional(verb))):
            lines.append(f"{here} -f")
        positional_words = tuple(
            word for argument in _positional(verb) for word in _values(verb, argument)
        )
        if any(map(word_source, _positional(verb))):
            lines.append(f"{here} -a '(__skillstudio_ask)'")
        elif positional_words:
            lines.append(f"{here} -a {quote_words(positional_words)}")
        for option in _options(verb):
            line = f"{here} -d {quote(option.help)}"
            for flag in option.flags:
                line += f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}"
            if option.value:
                words = _values(verb, option)
                line += (
                    f" -x -a {quote_words(words)}"
                    if words
                    else " -x -a '(__skillstudio_ask)'"
                    if word_source(option)
                    else " -r -F"
                    if _is_path(option)
                    else " -x"
                )
            lines.append(line)
    yield _FISH
    for flag, about in _FIRST.items():
        yield f"{complete} -n __skillstudio_first -l {flag[2:]} -d {quote(about)}"
    for words, name in lists.names.items():
        yield f"set -g {name} {' '.join(map(quote, words))}"
    yield from lines


def _powershell(verbs: Mapping[str, Verb], lists: _Lists) -> Iterator[str]:
    def text(value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def array(words: Sequence[str]) -> str:
        return f"@({', '.join(map(text, words))})"

    def quote_words(words: tuple[str, ...], is_path: bool, is_asked: bool) -> str:
        name = lists.name(words)
        if not words and is_asked:
            return "'ask'"
        if not words and is_path:
            return "'paths'"
        return f"${name}" if name else array(words)

    options, arguments = [], []
    for name, verb in verbs.items():
        rows = [
            f"{text(flag)} = {text(option.help)}, "
            + (
                quote_words(_values(verb, option), _is_path(option), bool(word_source(option)))
                if option.value
                else "$null"
            )
            for option in _options(verb)
            for flag in option.flags
        ]
        # PowerShell has no empty ordered hash with a comma; a row a line is read best.
        inside = "".join(f"            {row}\n" for row in rows)
        options.append(f"        {text(name)} = [ordered]@{{\n{inside}        }}")
        positional_words = tuple(
            word for argument in _positional(verb) for word in _values(verb, argument)
        )
        is_path = any(map(_is_path, _positional(verb)))
        is_asked = any(map(word_source, _positional(verb)))
        words = () if is_asked else positional_words
        arguments.append(f"        {text(name)} = {quote_words(words, is_path, is_asked)}")
    yield _POWERSHELL.format(
        lists="\n".join(f"    ${name} = {array(words)}" for words, name in lists.names.items()),
        verbs="\n".join(
            f"        {text(word)} = {text(about)}" for word, about in _first_words(verbs).items()
        ),
        options="\n".join(options),
        arguments="\n".join(arguments),
    )


_SHELLS: Mapping[str, Callable[[Mapping[str, Verb], _Lists], Iterator[str]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
    "powershell": _powershell,
}
