"""`skillstudio templates`: what a new skill can begin with, and what each asks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Paint, Parser, colours_wanted, print_json, say
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.scaffold.new.template import Question, Template


def parser() -> Parser:
    made = Parser("templates", "List the templates and their questions: ours, and your own.")
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Print the templates; exit status 1 when one of the user's own has a fault."""
    from skillstudio.scaffold.new.catalogue import list_templates, user_folder

    options = parser().parse_args(arguments)
    listing = list_templates()
    for fault in listing.faults:
        say(safe_text(str(fault)))
    if options.format == "json":
        print_json({"templates": [as_json(each) for each in listing.templates.values()]})
    else:
        paint = Paint(colours_wanted(sys.stdout))
        for each in listing.templates.values():
            _print(each, paint)
        print(f"your own: {safe_text(user_folder())}")
    return PROBLEMS if listing.faults else OK


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


def _print(template: Template, paint: Paint) -> None:
    about = safe_text(template.description)
    kind = f" ({safe_text(template.dialect)})" if template.dialect else ""
    print(f"{paint(safe_text(template.name), 'place')}{kind}: {about}")
    for question in template.questions:
        values = question.values
        choices = f" ({', '.join(safe_text(str(each)) for each in values)})" if values else ""
        print(f"  {safe_text(question.name)}: {safe_text(question.help.strip())}{choices}")
