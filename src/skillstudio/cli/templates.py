"""`skillstudio templates`: list the templates and their questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Paint, Result, say
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.scaffold.new.template import Question, Template


def run(_: CommandOptions) -> Result:
    """List the templates; exit status 1 if one of the user's own has a fault."""
    from skillstudio.scaffold.new.catalogue import list_templates, user_folder

    listing = list_templates()
    say(*map(str, listing.faults))

    def lines(paint: Paint) -> Iterator[str]:
        for each in listing.templates.values():
            yield from _lines(each, paint)
        yield f"your own templates: {safe_text(user_folder())}"

    return Result(
        lambda: {"templates": [as_json(each) for each in listing.templates.values()]},
        lines,
        PROBLEMS if listing.faults else OK,
    )


def as_json(template: Template) -> dict[str, Any]:
    """A template in the shape of `templates --format json`; texts as `copier.yml` has them."""
    return {
        "name": template.name,
        "description": template.description,
        "dialect": template.dialect,
        "questions": [_question(each) for each in template.questions],
    }


def _question(question: Question) -> dict[str, Any]:
    from skillstudio.scaffold.new.template import MISSING

    hidden = question.secret or question.default is MISSING
    return {
        "name": question.name,
        "type": question.type,
        "default": None if hidden else question.default,
        "help": question.help,
        "choices": question.values,
    }


def _lines(template: Template, paint: Paint) -> Iterator[str]:
    about = safe_text(template.description)
    kind = f" ({safe_text(template.dialect)})" if template.dialect else ""
    yield f"{paint(safe_text(template.name), 'place')}{kind}: {about}"
    for question in template.questions:
        values = question.values
        choices = f" ({', '.join(safe_text(str(each)) for each in values)})" if values else ""
        yield f"  {safe_text(question.name)}: {safe_text(question.help.strip())}{choices}"
