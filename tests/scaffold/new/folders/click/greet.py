#!/usr/bin/env python3
from click import argument, command, echo, option


@command()
@argument("name")
@argument("others", nargs=-1)
@option("--times", default=1, show_default=True, help="How often to greet.")
@option("--language", required=True, help="The language to greet in.")
def greet(name: str, others: tuple[str, ...], times: int, language: str) -> None:
    """Greet people in their language."""
    word = {"en": "Hello", "eo": "Saluton"}[language]
    for _ in range(times):
        echo(f"{word}, {', '.join([name, *others])}!")


if __name__ == "__main__":
    greet()
