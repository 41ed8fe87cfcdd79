"""Which programs a shell command starts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.shell import last_program, programs


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("aws s3 ls", ["aws"]),
        ("  aws", ["aws"]),
        ("", []),
        ("# only a comment", []),
        ("aws a # | rm b", ["aws"]),
        (
            "aws a | grep b || rm c && kubectl d; ls & wc",
            ["aws", "grep", "rm", "kubectl", "ls", "wc"],
        ),
        ("aws a\nrm b", ["aws", "rm"]),
        ("aws a \\\n  b", ["aws"]),
        ("A=1 B='x y' aws", ["aws"]),
        ("A=1", []),
        ('"aws" x', ["aws"]),
        ("'a''ws' x", ["aws"]),
        ("a\\ws", ["aws"]),
        ("echo 'a | rm b; c'", ["echo"]),
        ('echo "a | rm b"', ["echo"]),
        ("echo $(rm x)", ["echo", "rm"]),
        ('echo "$(rm x | wc)"', ["echo", "rm", "wc"]),
        ("echo `rm x`", ["echo", "rm"]),
        ("echo $((1 + 2))", ["echo"]),
        ("echo '$(rm x)'", ["echo"]),
        ("A=$(rm x) aws", ["rm", "aws"]),
        ("diff <(aws a) <(rm b)", ["diff", "aws", "rm"]),
        ("aws > out.txt 2>&1", ["aws"]),
        ("> out.txt aws", ["aws"]),
        ("aws &> rm", ["aws"]),
        ("aws <<< rm", ["aws"]),
        ("cat <<EOF | wc\nrm x\nEOF\nls", ["cat", "wc", "ls"]),
        ("(aws a; rm b) && ls", ["aws", "rm", "ls"]),
        ("{ aws a; }", ["aws"]),
        ("if aws a; then rm b; else ls; fi", ["aws", "rm", "ls"]),
        ("for x in rm dd; do aws $x; done", ["aws"]),
        ("while ! aws a; do sleep 1; done", ["aws", "sleep"]),
        ("clean() { rm x; }", ["rm"]),
        ("[[ -f x ]] && aws", ["aws"]),
        ("$TOOL x", [None]),
        ("${TOOL} x", [None]),
        ("{{tool}} x", [None]),
        ("aws {{x}} | wc", ["aws", "wc"]),
        ("aws-{{x}}", [None]),
        ("case $x in a) rm;; esac", [None]),
        ("/usr/bin/aws", ["/usr/bin/aws"]),
        ("echo 'unclosed | rm", ["echo"]),
    ],
)
def test_programs(command: str, found: list[str | None]) -> None:
    assert programs(command) == found


@given(st.text(alphabet="ab '\"\\$(){}`|;&<>#\n=", max_size=60))
def test_any_text_ends(command: str) -> None:
    for program in programs(command):
        assert program is None or set(program) <= set(command)


def test_deep_nesting_is_not_followed_to_the_end() -> None:
    assert programs("$(" * 3000 + "rm" + ")" * 3000)[-1] is None


def test_long_commands_are_read_whole() -> None:
    assert programs("a | " * 20_000) == ["a"] * 20_000


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a | grep b", "grep"),
        ('grep "$(cat p)" f', "grep"),
        ("echo `rm x`", "echo"),
        ("(cd a; rm b)", "rm"),
        ("aws a; $tool b", None),
        ("a=$(aws b)", None),
        ("", None),
    ],
)
def test_the_last_program_outside_of_substitutions(command: str, expected: str | None) -> None:
    assert last_program(command) == expected
