"""Greets people."""

from typing import Annotated, Literal

import typer


def main(
    name: str,
    language: Annotated[Literal["en", "de"], typer.Option(help="The language of the greeting.")],
    times: Annotated[int, typer.Option("--times", "-t", help="How often.")] = 1,
    shout: Annotated[bool, typer.Option("--shout/--quiet", help="In capitals.")] = False,
) -> None:
    """Greet somebody by name."""
    greeting = {"en": "Hello", "de": "Hallo"}[language]
    for _ in range(times):
        typer.echo(f"{greeting} {name}".upper() if shout else f"{greeting} {name}")


if __name__ == "__main__":
    typer.run(main)
