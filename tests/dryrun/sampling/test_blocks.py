"""Blocks of commands in Markdown: what is read, what differs, what is written."""

from __future__ import annotations

import pytest

from skillstudio.dryrun.sampling.blocks import (
    BlockRefused,
    block_differences,
    read_blocks,
    with_output,
)
from skillstudio.dryrun.shell import outputs, shell_commands


def page(*lines: str, info: str = "console", indent: str = "") -> str:
    inside = "".join(f"{indent}{line}\n" for line in lines)
    return f"# Notes\n\n{indent}```{info}\n{inside}{indent}```\n\nEnd\n"


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        (page("$ a", "one", "", "two", "$ b"), [("a", "one\n\ntwo\n"), ("b", "")]),
        (page("comment", "$ a"), [("a", "")]),
        (page("$ if a; then", "> b", "> fi", "1"), [("if a; then\nb\nfi", "1\n")]),
        # After the first line of output, a line that starts with > is output.
        (page("$ a", "x", "> y"), [("a", "x\n> y\n")]),
        (page("$ a", "x", indent="  "), [("a", "x\n")]),
        (page("$ a").replace("\n", "\r\n"), [("a", "")]),
        ("---\nname: x\n---\n" + page("$ a"), [("a", "")]),
        (page("$ a", info="console skip"), None),
        (page("$ a", info="sh"), None),
        (page("no command"), None),
        ("> ```console\n> $ a\n> ```\n", None),
    ],
)  # fmt: skip
def test_what_a_block_runs(text: str, commands: list[tuple[str, str]] | None) -> None:
    found = read_blocks(text, "README.md")
    assert [[(e.text, e.expected_output) for e in each.commands] for each in found] == (
        [] if commands is None else [commands]
    )


def test_output_is_compared_with_elisions_and_per_command() -> None:
    (block,) = read_blocks(
        page("$ a", "in [..] ms", "$ b", "...", "end", "$ c", "$ d"), "README.md"
    )
    assert block.line == 3
    found = list(block_differences(block, ["in 3 ms\n", "1\n2\nend\n", "more\n", None]))
    assert [(each.command.text, each.message) for each in found] == [
        ("c", "$ c: output differs"),
        ("d", "$ d: not run, the shell ended before it"),
    ]
    assert "+more" in found[0].diff


@pytest.mark.parametrize("indent", ["", "   "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_what_differs_is_written(indent: str, end: str) -> None:
    text = page("$ a", "[..]", "$ b", "old", "$ c", indent=indent).replace("\n", end)
    (block,) = read_blocks(text, "README.md")
    new = page("$ a", "[..]", "$ b", "new", "", "line", "$ c", "more", indent=indent)
    new = new.replace(f"\n{indent}\n", "\n\n").replace("\n", end)
    assert with_output(text, block, ["one\n", "new\n\nline\n", "more\n"]) == new


@pytest.mark.parametrize("output", ["$ rm x\n", "```\n", "x\n~~~\n", "> y\n"])
def test_output_that_would_change_the_commands_is_refused(output: str) -> None:
    text = page("$ a", "old")
    (block,) = read_blocks(text, "README.md")
    with pytest.raises(BlockRefused, match="would be read as"):
        with_output(text, block, [output])


def test_a_block_that_changed_meanwhile_is_refused() -> None:
    (block,) = read_blocks(page("$ a", "old"), "README.md")
    with pytest.raises(BlockRefused, match="changed during its run"):
        with_output(page("$ b", "old"), block, ["new\n"])


def test_outputs_are_split_at_the_mark() -> None:
    made = shell_commands(["a", "b", "c"])
    printed = f"one\n\n{made.mark} 0\nno end\n{made.mark} 3\n\n{made.mark} 0\nleft"
    assert outputs(printed, made.mark, 3) == (["one\n", "no end\n", ""], [0, 3, 0])
    assert outputs(f"{made.mark} 0\n", made.mark, 2) == (["", None], [0])
    assert made.argv[-3:] == (" a", " b", " c")
