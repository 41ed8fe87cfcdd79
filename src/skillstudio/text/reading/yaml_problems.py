"""Why a text is no YAML, in words for people who do not know how parsers speak."""

from __future__ import annotations

from yaml import MarkedYAMLError

_REASONS = (
    ("mapping values are not allowed", "a colon with a space is not allowed here"),
    ("could not find expected ':'", "a key needs a colon after it"),
    ("cannot start any token", "a value cannot begin with this character; put it in quotes"),
    ("unknown escape", "a backslash in double quotes begins an escape, and this is none"),
    ("unexpected end of stream", "this quote is not closed"),
    ("document indicator", "this quote is not closed"),
    ("',' or ']'", "this list is not closed, or lacks a comma"),
    ("',' or '}'", "this mapping is not closed, or lacks a comma"),
    ("expected '-' indicator", "an item of a list begins with a dash at the same depth"),
    ("sequence entries are not allowed", "a dash begins a list; it cannot stand here"),
    ("expected comment or line break", "nothing but a comment can stand after | or >"),
    ("chomping or indentation", "nothing but a comment can stand after | or >"),
    ("expected <block end>", "this does not fit the lines around it; look at its indentation"),
    ("expected key", "this does not fit the lines around it; look at its indentation"),
)


class YamlProblem(Exception):
    """Where a text stops being YAML: offsets into the text that was read, and why."""

    def __init__(
        self, message: str, index: int, context: int | None = None, rule: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.index = index
        self.context = context
        self.rule = rule or "syntax-yaml"


def problem_of(error: MarkedYAMLError, length: int) -> YamlProblem:
    """What libyaml says of a text of some length, in our words."""
    problem = f"{error.problem}"
    message = next((ours for theirs, ours in _REASONS if theirs in problem), "")
    mark, context = error.problem_mark, error.context_mark
    index = mark.index if mark else length
    return YamlProblem(
        message or "this is not valid YAML",
        min(index, length),
        context.index if context else None,
    )
