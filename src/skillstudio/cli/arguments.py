"""Verbs and their arguments as data, and the parsing of a command line by them.

argparse is not used: its import costs more than the rest of a cold start of `check`, and its
errors cannot suggest what was meant.
"""

# Annotations are objects here, not strings: NamedTuple would compile each string at import.

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import environ
from types import SimpleNamespace
from typing import Any, NamedTuple

from skillstudio.cli.output import UsageError, refuse_on

BUILT_IN = ("text", "json")
"""The formats that every result has."""
COMMENT = (*BUILT_IN, "markdown")
"""The formats of a result that consists of styled lines and tables."""


class Argument(NamedTuple):
    """A positional argument or an option, written as help shows it.

    `PATH`, `[PATH]`, `PATH ...` and `[PATH ...]` are positional, `--fix` is a flag, and
    `-o, --output DIR` an option with a value.
    """

    spec: str
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    repeat: bool = False  # Whether the option may be given several times; its value is a list.
    split: bool = False  # Whether one value of them may list several, separated by commas.
    required: bool = False
    actions: tuple[str, ...] = ()  # The actions of the verb that accept this option; () for all.
    unless: str = ""  # The name of a flag with which this positional argument does not exist.
    parse: Callable[[str], Any] | None = None
    """Convert the text of the value. Raises ValueError with what is expected."""
    name: str = ""  # The attribute of the options (default: the long name).
    env: str = ""
    """The environment variable for its value if the option is not given. It sets a flag unless it
    is empty or 0."""

    @property
    def flags(self) -> tuple[str, ...]:
        """The names of an option, the long one last; none of a positional argument."""
        words = self.spec.replace(",", "").split()
        return tuple(word for word in words if word.startswith("-"))

    @property
    def value(self) -> str:
        """The placeholder of the value in help; "" for a flag."""
        return "" if self.spec.rpartition(" ")[2].startswith("-") else self.spec.split(" ")[-1]

    @property
    def dest(self) -> str:
        if self.name:
            return self.name
        words = self.flags[-1] if self.flags else self.spec.strip("[. ]").lower()
        return words.strip("-").replace("-", "_") + ("s" if self.is_list and not self.flags else "")

    @property
    def is_list(self) -> bool:
        return self.repeat or "..." in self.spec

    @property
    def is_required(self) -> bool:
        return self.required if self.flags else not self.spec.startswith("[")

    def read(self, text: str) -> Any:
        """The value of a text. Raises UsageError."""
        what = self.flags[-1] if self.flags else self.spec.strip("[]. ")
        if self.choices and text not in self.choices:
            raise unknown(f"value for {what}:", text, self.choices)
        try:
            return self.parse(text) if self.parse else text
        except ValueError as error:
            raise UsageError(f"{what} {text}: expected {error}") from None

    def read_all(self, text: str) -> list[Any]:
        """The values of a text for an option that may be repeated. Raises UsageError."""
        words = text.split(",") if self.split else [text]
        return [self.read(word.strip() if self.split else word) for word in words]


EVERYWHERE = (
    Argument("--config FILE", "the settings file (default: the nearest skillstudio.toml, or "
        "pyproject.toml with a table tool.skillstudio)", env="SKILLSTUDIO_CONFIG"),
    Argument("--color WHEN", "use colours", "auto", ("auto", "always", "never")),
    Argument("-h, --help", "show this help"),
)  # fmt: skip
"""The arguments of every verb."""


class Verb(NamedTuple):
    """A command with its arguments, its module and its help."""

    name: str
    group: str
    summary: str  # What it does, in the imperative, without a full stop.
    arguments: tuple[Argument, ...] = ()
    examples: tuple[str, ...] = ()
    about: str = ""  # Further paragraphs of the help.
    fails: str = ""  # What exit status 1 means; "" if it does not occur.
    exits: tuple[int, ...] = ()  # Other exit statuses than 0, 1 and 2.
    formats: tuple[str, ...] = BUILT_IN
    is_annotated: bool = False  # Whether it also has the formats of CI systems, in `formats/`.
    module: str = ""
    """The module of this package with the function `run` (default: the name of the verb)."""
    preset: Mapping[str, Any] = {}  # CommandOptions with a fixed value.
    takes_rest: bool = False  # Whether words after `--` are the arguments of a script.

    @property
    def file(self) -> str:
        return self.module or self.name.replace("-", "_")

    def all_arguments(self) -> Iterator[Argument]:
        """Its own arguments, then those that every verb with results has."""
        for argument in self.arguments:
            only = f"{', '.join(argument.actions)}: " if argument.actions else ""
            yield argument._replace(help=only + argument.help)
        if len(self.formats) > 1:
            yield Argument("--format FORMAT", "output format", self.formats[0])
        if self.formats:
            yield Argument(
                "--output-file FILE", "write the results to FILE, not to standard output"
            )
            yield Argument("--no-pager", "never send long results to $PAGER")
        yield from EVERYWHERE

    def all_formats(self) -> tuple[str, ...]:
        """Its own formats, then those of CI systems: one for each module in `formats/`."""
        if not self.is_annotated:
            return self.formats
        from pkgutil import iter_modules

        from skillstudio.cli import formats

        format_names = sorted(module.name for module in iter_modules(formats.__path__))
        return (*self.formats, *(name for name in format_names if name not in self.formats))


class CommandOptions(SimpleNamespace):
    """The values of a command line, by the names of the arguments.

    `from_environment` has the names of those that come from environment variables.
    """


class BadArguments(UsageError):
    """A command line that does not fit the arguments of its verb."""


def unknown(what: str, word: str, known_words: Iterable[str]) -> UsageError:
    """The refusal of an unknown word, with a suggestion."""
    from skillstudio.text.nearest import did_you_mean

    words = list(known_words)
    advice = did_you_mean(word, words, f"; choose from {', '.join(words)}")
    return UsageError(f"unknown {what} {word}{advice}")


def parse(verb: Verb, words: Sequence[str]) -> CommandOptions:
    """Parse the words after a verb. Raises BadArguments."""
    with refuse_on(UsageError, kind=BadArguments):
        return _parse(verb, list(words))


def _parse(verb: Verb, words: list[str]) -> CommandOptions:
    arguments = list(verb.all_arguments())
    options = {flag: argument for argument in arguments for flag in argument.flags}
    values: dict[str, Any] = {argument.dest: _default(argument) for argument in arguments}
    values |= verb.preset
    given_dests: set[str] = set()
    plain: list[str] = []
    rest: tuple[str, ...] = ()
    while words:
        word = words.pop(0)
        if word == "--":
            rest = tuple(words)
            break
        if word[:1] != "-" or word == "-" or word[1].isdigit():
            plain.append(word)
            continue
        text: str | None
        if word[1] == "-":
            flag, equals, value = word.partition("=")
            option, text = _option(flag, options), value if equals else None
        else:
            option, text = _option(word[:2], options), word[2:] or None
        if not option.value:
            if text is not None:
                raise UsageError(f"{option.flags[-1]} does not take a value")
            values[option.dest] = True
        else:
            if text is None:
                if not words or words[0] == "--" or words[0] in options:
                    raise UsageError(f"{option.flags[-1]} needs a value: {option.spec}")
                text = words.pop(0)
            if option.repeat:
                values[option.dest] = [*values[option.dest], *option.read_all(text)]
            else:
                read = _format(verb, text) if option.dest == "format" else option.read(text)
                values[option.dest] = read
        given_dests.add(option.dest)
    if verb.takes_rest:
        values["rest"] = rest
    else:
        plain += rest
    values["from_environment"] = environment_dests = _take_environment(
        arguments, values, given_dests
    )
    if values.get("quiet") and values.get("verbose"):
        raise UsageError("--quiet and --verbose exclude each other; omit one")
    missing = [
        argument
        for argument in arguments
        if argument.required and argument.dest not in given_dests | environment_dests
    ]
    places = [
        argument for argument in arguments if not argument.flags and not values.get(argument.unless)
    ]
    _assign(places, plain, values, missing)
    for argument in arguments:
        if (
            argument.actions
            and argument.dest in given_dests
            and values["action"] not in argument.actions
        ):
            names = " or ".join(argument.actions)
            raise UsageError(f"{argument.flags[-1]} is an option of {verb.name} {names}")
    return CommandOptions(**values)


def _take_environment(
    arguments: Iterable[Argument], values: dict[str, Any], given_dests: set[str]
) -> frozenset[str]:
    """Set what environment variables state and the command line does not; the names of these."""
    environment_dests = set()
    for argument in arguments:
        text = environ.get(argument.env, "").strip() if argument.env else ""
        if not text or argument.dest in given_dests:
            continue
        with refuse_on(UsageError, of=argument.env):
            if not argument.value:
                values[argument.dest] = text != "0"
            elif argument.repeat:
                values[argument.dest] = argument.read_all(text)
            else:
                values[argument.dest] = argument.read(text)
        environment_dests.add(argument.dest)
    return frozenset(environment_dests)


def _default(argument: Argument) -> Any:
    if argument.is_list:
        return list(argument.default or ())
    return False if argument.flags and not argument.value else argument.default


def _option(flag: str, options: Mapping[str, Argument]) -> Argument:
    """The option of a flag. Raises UsageError."""
    if flag in options:
        return options[flag]
    from skillstudio.text.nearest import did_you_mean

    longer = [option for option in options if option.startswith(flag)] if len(flag) > 2 else []
    near = f"; did you mean {' or '.join(longer)}?" if longer else did_you_mean(flag, options)
    raise UsageError(f"unknown option {flag}{near if len(flag) > 2 else ''}")


def _format(verb: Verb, text: str) -> str:
    if text in verb.formats or text in (known_formats := verb.all_formats()):
        return text
    raise unknown("format", text, known_formats)


def _assign(
    arguments: list[Argument], words: list[str], values: dict[str, Any], missing: list[Argument]
) -> None:
    """Assign words to positional arguments, the required ones first. Raises UsageError."""
    required_arguments = [argument for argument in arguments if argument.is_required]
    missing = [*required_arguments[len(words) :], *missing]
    if missing:
        raise UsageError(f"missing {', '.join(argument.spec for argument in missing)}")
    spare = len(words) - len(required_arguments)
    for argument in arguments:
        number = spare + argument.is_required if argument.is_list else 1
        if argument.is_list or argument.is_required or spare > 0:
            parsed_values = [argument.read(word) for word in words[:number]]
            del words[:number]
            spare -= len(parsed_values) - argument.is_required
            if parsed_values:
                values[argument.dest] = parsed_values if argument.is_list else parsed_values[0]
    if words:
        raise UsageError(f"unexpected argument {words[0]}")
