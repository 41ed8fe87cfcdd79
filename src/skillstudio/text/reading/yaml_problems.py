"""Translate libyaml's errors into messages for authors."""

from __future__ import annotations

from yaml import MarkedYAMLError

MISPLACED = "unexpected text; check its indentation"
ESCAPE = "unknown escape in double quotes"

_REASONS = (
    ("mapping values are not allowed", "unexpected `: ` here; quote the text if it is one value"),
    ("could not find expected ':'", "missing colon after this key"),
    ("cannot start any token", "a value cannot start with this character; quote it"),
    ("unknown escape", ESCAPE),
    ("unexpected end of stream", "unclosed quote"),
    ("document indicator", "unclosed quote"),
    ("',' or ']'", "unclosed list or missing comma"),
    ("',' or '}'", "unclosed mapping or missing comma"),
    ("expected '-' indicator", "expected a list item: a dash at the same indentation"),
    ("sequence entries are not allowed", "a list item is not allowed here"),
    ("expected comment or line break", "only a comment may follow | or >"),
    ("chomping or indentation", "only a comment may follow | or >"),
    ("expected <block end>", MISPLACED),
    ("expected key", MISPLACED),
)


class YamlProblem(Exception):
    """The place where a text stops being YAML, as offsets into that text, and the reason."""

    def __init__(
        self, message: str, index: int, context: int | None = None, rule: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.index = index
        self.context = context
        self.rule = rule or "syntax-yaml"


def problem_of(error: MarkedYAMLError, length: int) -> YamlProblem:
    """Translate libyaml's error for a text of the given length."""
    problem = f"{error.problem}"
    message = next((ours for theirs, ours in _REASONS if theirs in problem), "")
    mark, context = error.problem_mark, error.context_mark
    index = mark.index if mark else length
    return YamlProblem(
        message or "not valid YAML",
        min(index, length),
        context.index if context else None,
    )
