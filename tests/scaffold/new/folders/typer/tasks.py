"""Keep tasks in a file."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.callback()
def tasks(path: Annotated[str, typer.Option("--file", help="Where the tasks are.")] = "tasks.txt"):
    """Keep tasks in a file."""


@app.command()
def add(title: str, priority: Annotated[int, typer.Option(help="1 is most urgent.")] = 3) -> None:
    """Add a task."""
    with Path("tasks.txt").open("a") as file:
        file.write(f"{priority} {title}\n")


@app.command("list")
def list_tasks(kind: Annotated[str, typer.Option(help="Which tasks.")] = "open") -> None:
    """List the tasks."""
    typer.echo(Path("tasks.txt").read_text())


if __name__ == "__main__":
    app()
