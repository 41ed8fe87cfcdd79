"""What is told of PowerShell scripts by their param() block."""

from __future__ import annotations

from textwrap import dedent

import pytest

from skillstudio.text.scripts.model import Script, ScriptOption
from skillstudio.text.scripts.powershell import read_powershell

WHOLE = """
    <#
    .SYNOPSIS
    Copies a folder. Slowly.
    .PARAMETER Source
    What to copy,
    with all below it.
    .PARAMETER Kind
    How to copy it
    #>
    [CmdletBinding()]
    param(
        # the folder
        [Parameter(Mandatory, Position = 0)][string]$Source,
        [ValidateSet('fast', "slow")] [string] $Kind = 'fast',  # a, b)
        [Parameter(Mandatory = $false)]
        [int]$Count = 3,
        [double]$Factor = 1.5,
        [string[]]$Names = @('a', 'b'),
        [switch]$Force,
        [bool]$Sure = $true,
        $Where = (Get-Location),
        [string]$Text = "a, (b"
    )
    Copy-Item $Source $Where
    git add .
"""


def read(text: str) -> Script:
    return read_powershell(dedent(text).lstrip("\n"))


def test_param() -> None:
    script = read(WHOLE)
    (command,) = script.commands
    assert command.about == "Copies a folder."
    assert command.certain
    assert list(command.options) == [
        ScriptOption(
            "Source", ("-Source",), required=True, help="What to copy, with all below it."
        ),
        ScriptOption(
            "Kind", ("-Kind",), default="fast", help="How to copy it", choices=("fast", "slow")
        ),
        ScriptOption("Count", ("-Count",), "integer", default=3),
        ScriptOption("Factor", ("-Factor",), "number", default=1.5),
        ScriptOption("Names", ("-Names",), many=True),
        ScriptOption("Force", ("-Force",), "boolean", default=False, switch=True),
        ScriptOption("Sure", ("-Sure",), "boolean", default=True),
        ScriptOption("Where", ("-Where",)),
        ScriptOption("Text", ("-Text",), default="a, (b"),
    ]
    assert script.effects == {"fs.read", "fs.write", "proc.exec", "git.read", "git.write"}


@pytest.mark.parametrize(
    ("text", "names", "certain"),
    [
        ("param($A, $B)", ["A", "B"], True),
        ("PARAM (\n$A\n)", ["A"], True),
        ("param()", [], True),
        ("Write-Output x", [], False),
        ("& python3 x.py @args", [], False),
        ("param($A)\nf $args", ["A"], False),
        ("function f {\n  param($A)\n}", [], False),
        ("param(", [], True),
        ("param($A,,$B)", ["A", "B"], True),
        ("param($A = $(1, (2)), $B)", ["A", "B"], True),
        ("# param($A)\nparam($B)", ["B"], True),
        ("<# param($A) #>\nparam($B)", ["B"], True),
    ],
)
def test_names(text: str, names: list[str], certain: bool) -> None:
    (command,) = read(text).commands
    assert ([each.name for each in command.options], command.certain) == (names, certain)


def test_the_first_comment_says_what_it_does() -> None:
    assert read("# Tells the time. In full.\nparam()\n").commands[0].about == "Tells the time."
    assert read("param()\n# later\n").commands[0].about == ""


def test_json_is_seen() -> None:
    assert read("param()\n@{} | ConvertTo-Json\n").speaks_json
