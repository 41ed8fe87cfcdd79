#!/usr/bin/env python3
"""Tasks in a text file, one a line."""

from pathlib import Path

import click

KINDS = ["all", "open", "done"]


@click.group()
@click.option("--file", "path", default="tasks.txt", help="The file of the tasks.")
@click.pass_context
def cli(context: click.Context, path: str) -> None:
    """Keep tasks in a text file."""
    context.obj = Path(path)


@cli.command()
@click.argument("title")
@click.option("-p", "--priority", type=int, default=3, help="1 is the most urgent.")
@click.option("--due", metavar="DATE", help="The day until which it must be done.")
@click.pass_obj
def add(file: Path, title: str, priority: int, due: str | None) -> None:
    """Add a task. It is open at first."""
    with file.open("a", encoding="utf-8") as tasks:
        tasks.write(f"open {priority} {title}{f' until {due}' if due else ''}\n")


@cli.command("list")
@click.option("--kind", type=click.Choice(KINDS), default="open", help="Which tasks to list.")
@click.option("--long/--short", default=False, help="With their priority.")
@click.pass_obj
def list_tasks(file: Path, kind: str, long: bool) -> None:
    """List the tasks."""
    for line in file.read_text(encoding="utf-8").splitlines():
        state, priority, title = line.split(" ", 2)
        if kind in ("all", state):
            click.echo(f"{priority} {title}" if long else title)


if __name__ == "__main__":
    cli()
