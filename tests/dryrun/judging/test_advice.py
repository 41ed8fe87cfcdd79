"""What a failed run lacked: standard input, the network, a temporary folder, a file."""

from __future__ import annotations

import pytest

from skillstudio.dryrun.judging.advice import FailedRun, failure_advice
from skillstudio.dryrun.plan import NetworkChoice, Roots
from skillstudio.dryrun.report import Event

RUN = FailedRun(
    errors="boom",
    message="boom",
    script="",
    isolation="isolated",
    network=NetworkChoice(),
    is_closed=True,
    events=(),
    has_input=False,
    words=(),
    cwd="/work",
    roots=Roots("/work", "/work/skills/report"),
)
DISK = {"/work/skills/report/numbers.txt", "/work/data/day.csv", "/work/here.txt"}


def rules(run: FailedRun) -> dict[str, str]:
    problems = failure_advice(run, DISK.__contains__, ("bash", "git").__contains__)
    return {problem.rule: problem.message for problem in problems}


def test_nothing_lacked() -> None:
    assert rules(RUN) == {}


@pytest.mark.parametrize(
    ("errors", "script", "has_input", "expected"),
    [
        ("EOFError", "", False, True),
        ("token expired", "if piped: data = sys.stdin.read()", False, False),
        ("no answer", "while read -r line; do :; done < list.txt", False, False),
        ("EOFError: EOF when reading a line", "", False, True),
        ("r.rb:1:in `readline': end of file reached (EOFError)", "", False, True),
        ("no answer", "read -r x || exit 3", False, True),
        ("no answer", 'read -rp "Name? " name', False, True),
        ("no answer", "data = json.load(sys.stdin)", False, True),
        ("no answer", "process.stdin.on('data', f)", False, True),
        ("no answer", "my $line = <STDIN>;", False, True),
        ("EOFError: EOF when reading a line", "", True, False),
        ("boom", "# already read it", False, False),
        ("boom", "spread the word", False, False),
    ],
)
def test_closed_standard_input(errors: str, script: str, has_input: bool, expected: bool) -> None:
    run = RUN._replace(errors=errors, message=errors, script=script, has_input=has_input)
    assert ("stdin-closed" in rules(run)) is expected
    if expected:
        assert "--stdin FILE" in rules(run)["stdin-closed"]


@pytest.mark.parametrize(
    ("events", "network", "is_closed", "expected"),
    [
        ([Event("resolve", "example.com")], NetworkChoice(), True, "--net example.com"),
        (
            [Event("connect", "127.0.0.1:8000", "ECONNREFUSED")],
            NetworkChoice("none"),
            True,
            "--net 127.0.0.1:8000",
        ),
        (
            [Event("connect", "b.org:443", "refused", is_proxied=True)],
            NetworkChoice("hosts", ("a.org",)),
            True,
            "--net a.org --net b.org",
        ),
        ([Event("resolve", "a.org")], NetworkChoice("hosts", ("a.org",)), True, ""),
        ([Event("resolve", "a.org")], NetworkChoice("replay"), True, ""),
        ([Event("resolve", "a.org")], NetworkChoice(), False, ""),
        ([Event("connect", "unix:/run/docker.sock", "EACCES")], NetworkChoice(), True, ""),
    ],
)
def test_closed_network(
    events: list[Event], network: NetworkChoice, is_closed: bool, expected: str
) -> None:
    run = RUN._replace(events=events, network=network, is_closed=is_closed)
    message = rules(run).get("network-closed", "")
    assert message.endswith(expected)
    assert bool(message) is bool(expected)


@pytest.mark.parametrize(
    ("isolation", "errors", "expected"),
    [
        ("confined", "PermissionError: [Errno 13] Permission denied: '/tmp/x.json'", True),
        ("confined", "sh: 1: cannot create /tmp/x: Permission denied", True),
        ("confined", "Error: EACCES: permission denied, open '/var/tmp/x'", True),
        ("confined", "PermissionError: [Errno 13] Permission denied: '/etc/x'", False),
        ("isolated", "PermissionError: [Errno 13] Permission denied: '/tmp/x.json'", False),
    ],
)
def test_temporary_folder_at_confined(isolation: str, errors: str, expected: bool) -> None:
    run = RUN._replace(isolation=isolation, errors=errors)
    assert ("temporary-refused" in rules(run)) is expected


@pytest.mark.parametrize(
    ("cwd", "words", "errors", "expected"),
    [
        ("/work", ["numbers.txt"], "FileNotFoundError: No such file: 'numbers.txt'",
         "pass skills/report/numbers.txt"),
        ("/work/skills/report", ["data/day.csv"], "tar: data/day.csv: No such file or directory",
         "pass ../../data/day.csv"),
        ("/work", ["--in=numbers.txt"], "ENOENT: no such file or directory, open 'numbers.txt'",
         "find the file beside the script, or take its path"),
        ("/work", ["here.txt"], "cat: here.txt: No such file or directory", ""),
        ("/work", ["nowhere.txt"], "cat: nowhere.txt: No such file or directory", ""),
        ("/work", ["numbers.txt"], "numbers.txt is too long", ""),
        ("/work", ["data"], "column data not found in the table", ""),
        ("/work", ["numbers.txt"], "sh: 1: ../numbers.txt/x.sh: No such file", ""),
    ],
)  # fmt: skip
def test_file_relative_to_another_folder(
    cwd: str, words: list[str], errors: str, expected: str
) -> None:
    message = rules(RUN._replace(cwd=cwd, words=words, errors=errors)).get("file-elsewhere", "")
    assert message.endswith(expected)
    assert bool(message) is bool(expected)


IN_SUBPROCESS = '  File "subprocess.py", line 1917, in _execute_child\n'


@pytest.mark.parametrize(
    ("errors", "rule", "expected"),
    [
        ("x.sh: line 3: jq: command not found", "command-missing", "jq is not a program on PATH"),
        ("x.sh: 3: jq: not found", "command-missing", "jq is not a program on PATH"),
        (
            f"{IN_SUBPROCESS}FileNotFoundError: [Errno 2] No such file or directory: 'gh'",
            "command-missing",
            "gh ",
        ),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'gh'", "command-missing", ""),
        ("Error: spawn gh ENOENT", "command-missing", "gh is not"),
        ("FileNotFoundError: No such file or directory: 'a.csv'", "command-missing", ""),
        ("bash: git: command not found", "command-missing", ""),
        ("in os.environ[key]\nKeyError: 'API_KEY'", "variable-missing", "--env API_KEY=VALUE"),
        ("x.sh: line 3: API_KEY: unbound variable", "variable-missing", "--env API_KEY=VALUE"),
        ("KeyError: 'API_KEY'", "variable-missing", ""),
        ("x.sh: line 3: $1: unbound variable", "variable-missing", ""),
    ],
)
def test_programs_and_variables(errors: str, rule: str, expected: str) -> None:
    message = rules(RUN._replace(errors=errors)).get(rule, "")
    assert expected in message
    assert bool(message) is bool(expected)
