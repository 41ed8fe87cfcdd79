"""`skillstudio completion`: print a completion script made from the table of verbs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from shlex import quote

from skillstudio.cli.arguments import Argument, CommandOptions, Verb
from skillstudio.cli.output import Result
from skillstudio.cli.verbs import ALIASES, all_verbs

_BASH = """\
_skillstudio() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" values=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words={verbs}
  else
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
    case "${{COMP_WORDS[1]}} $before" in
{values}
    esac
  fi
  COMPREPLY=()
  if [ -n "$values" ]; then
    words="$values"
  elif [ "$COMP_CWORD" -gt 1 ] && [ "${{word#-}}" = "$word" ]; then
    words="${{words%%-*}}"
  fi
  while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _skillstudio skillstudio"""
_ZSH = """\
#compdef skillstudio
autoload -U +X bashcompinit && bashcompinit
{bash}"""


def run(options: CommandOptions) -> Result:
    if options.shell == "fish":
        return Result(dict, lambda _: _fish())
    bash = "\n".join(_bash())
    return Result(dict, lambda _: [_ZSH.format(bash=bash) if options.shell == "zsh" else bash])


def _verbs() -> Mapping[str, Verb]:
    verbs = all_verbs()
    return verbs | {alias: verbs[name] for alias, name in ALIASES.items()}


def _choices(verb: Verb, argument: Argument) -> tuple[str, ...]:
    return verb.all_formats() if argument.dest == "format" else argument.choices


def _bash() -> Iterator[str]:
    cases, values = [], []
    for name, verb in _verbs().items():
        arguments = list(verb.all_arguments())
        words = chain.from_iterable(
            each.flags or _choices(verb, each)
            for each in sorted(arguments, key=lambda each: bool(each.flags))
        )
        cases.append(f"      {name}) words={quote(' '.join(words))} ;;")
        for each in arguments:
            choices = _choices(verb, each)
            if each.flags and choices:
                pattern = "|".join(f'"{name} {flag}"' for flag in each.flags)
                values.append(f"      {pattern}) values={quote(' '.join(choices))} ;;")
    verbs = quote(" ".join((*_verbs(), "help")))
    yield _BASH.format(verbs=verbs, cases="\n".join(cases), values="\n".join(values))


def _fish() -> Iterator[str]:
    complete = "complete -c skillstudio"
    for name, verb in _verbs().items():
        yield f"{complete} -n __fish_use_subcommand -a {name} -d {quote(verb.summary)}"
        here = f"{complete} -n '__fish_seen_subcommand_from {name}'"
        for each in verb.all_arguments():
            choices = quote(" ".join(_choices(verb, each)))
            if not each.flags:
                if each.choices:
                    yield f"{here} -a {choices}"
                continue
            long = each.flags[-1].removeprefix("--")
            short = f" -s {each.flags[0][1:]}" if len(each.flags) > 1 else ""
            value = " -r" if each.value else ""
            value += f" -f -a {choices}" if choices != "''" else ""
            yield f"{here} -l {long}{short}{value} -d {quote(each.help)}"
