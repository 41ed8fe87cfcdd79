"""What is told of shell scripts, line by line."""

from __future__ import annotations

from textwrap import dedent

import pytest

from skillstudio.text.scripts.model import NOTHING, Script, ScriptOption
from skillstudio.text.scripts.shell import read_shell


def read(text: str) -> Script:
    return read_shell("#!/bin/sh\n" + dedent(text).lstrip("\n"))


def options(text: str) -> dict[str, ScriptOption]:
    return {each.name: each for each in read(text).commands[0].options}


LOOP = """
    # Says hello. To everyone.
    # usage: hello.sh [-n NAME] [-v] -t TIMES GREETING [END]
    #   -n NAME   who is greeted
    #   -t TIMES  how often
    name=World
    end=
    while getopts ":n:t:vh" option; do
      case "$option" in
        n) name="$OPTARG" ;;
        t) times=$OPTARG;;
        v)
          verbose=1
          ;;
        h | x) usage; exit ;;
      esac
    done
    shift $((OPTIND - 1))
    : "${times:?-t is missing}"
    greeting=${1:?what to say}
    end="${2:-!}"
    printf '%s\\n' "$greeting, $name$end" 'costs $3'
"""


def test_getopts() -> None:
    assert read(LOOP).commands[0].about == "Says hello."
    assert list(options(LOOP).values()) == [
        ScriptOption("name", ("-n",), default="World", help="who is greeted"),
        ScriptOption("times", ("-t",), required=True, help="how often"),
        ScriptOption("verbose", ("-v",), "boolean", switch=True),
        ScriptOption("greeting", required=True),
        ScriptOption("end", default="!"),
    ]
    assert read(LOOP).commands[0].certain


@pytest.mark.parametrize("words", ["'n:v' o", '"n:v" o', "n:v o", '":n:v" opt'])
def test_ways_to_write_the_letters(words: str) -> None:
    found = options(f"while getopts {words}; do :; done\n")
    assert [(each.flags, each.switch) for each in found.values()] == [
        (("-n",), False), (("-v",), True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("echo $1", [ScriptOption("arg1", required=True)]),
        ("file=$1", [ScriptOption("file", required=True)]),
        ('file="${1:?usage}"', [ScriptOption("file", required=True)]),
        ('file="${1:-x.txt}"', [ScriptOption("file", default="x.txt")]),
        ('file="${1-}"', [ScriptOption("file")]),
        ('file="${1-}"\n[ -n "$file" ] || exit 2', [ScriptOption("file", required=True)]),
        ('file="${1-}"\nif [ -z "$file" ]; then exit 2; fi', [ScriptOption("file", required=True)]),
        ('file="${1:-$HOME}"', [ScriptOption("file")]),
        (
            "# usage: x.sh FROM TO\ncp $1 $2",
            [ScriptOption("from", required=True), ScriptOption("to", required=True)],
        ),
        ("echo $2", [ScriptOption("arg1", required=True), ScriptOption("arg2", required=True)]),
        ("f() { echo $1; }\nf x", []),
        ("f() {\n  echo $1\n}\nf x", []),
        ("function f {\n  echo $1\n}\nf x", []),
        ("awk '{ print $1 }'", []),
        ("x=\"$(awk '\n $1 { print $2 }')\"", []),
        ("# costs $1", []),
        ("cat <<END\n$1\nEND", []),
        ("cat <<'END'\n$1\nEND\necho $1", [ScriptOption("arg1", required=True)]),
        ("echo \\$1", []),
        ("echo ${10}", []),
        (
            '[[ "$2" == "--all" ]] && all=1\necho $1',
            [ScriptOption("all", ("--all",), "boolean", switch=True),
             ScriptOption("arg1", required=True)],
        ),
        ("echo it\\'s $1", [ScriptOption("arg1", required=True)]),
    ],
)  # fmt: skip
def test_arguments_by_place(text: str, wanted: list[ScriptOption]) -> None:
    assert list(options(text).values()) == wanted


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('exec python3 x.py "$@"', "it passes on all its arguments"),
        ('for f in "${@}"; do :; done', "it passes on all its arguments"),
        ("while [ $# -gt 0 ]; do\n  case $1 in --x) x=1 ;; esac\n  shift\ndone", "parses"),
    ],
)
def test_what_was_not_understood_is_said(text: str, note: str) -> None:
    script = read(text)
    assert not script.commands[0].certain
    assert note in script.notes[0]


def test_a_file_that_is_taken_in_may_take_arguments() -> None:
    assert not read(". ./common.sh\n").commands[0].certain


@pytest.mark.parametrize(
    ("text", "effects"),
    [
        ("echo x", set()),
        ("cd /tmp\nset -e", set()),
        ("cat x", {"proc.exec", "fs.read"}),
        ("x=$(git log)", {"proc.exec", "git.read"}),
        ("LC_ALL=C git push", {"proc.exec", "git.read", "git.write", "net.fetch"}),
        ("if curl -s x; then :; fi", {"proc.exec", "net.fetch"}),
        ("echo x > file", {"fs.write"}),
        ("echo x >> $file", {"fs.write"}),
        ("echo x >&2", set()),
        ("echo x >/dev/null", set()),
        ("while read -r x; do :; done < file", {"fs.read"}),
        ("rm -rf x | tee y", {"proc.exec", "fs.write"}),
        ("f() { :; }\nf", set()),
        ("# rm x", set()),
        ("python3 x.py", {"proc.exec"}),
        ("npm install --silent x", {"proc.exec", "net.fetch"}),
        ("npm run build", {"proc.exec"}),
        ("npx -y x", {"proc.exec", "net.fetch"}),
        ("pip install x", {"proc.exec", "net.fetch"}),
        ("pip list", {"proc.exec"}),
        ("python3 -m pip install x", {"proc.exec", "net.fetch"}),
        ("uv pip install x", {"proc.exec", "net.fetch"}),
        ("uv pip list", {"proc.exec"}),
        ("uv run install", {"proc.exec"}),
        ("sudo apt-get -y install x", {"proc.exec", "net.fetch"}),
        ("git -q commit -m push", {"proc.exec", "git.read", "git.write"}),
    ],
)
def test_effects(text: str, effects: set[str]) -> None:
    assert read(text).effects == effects


def test_a_file_of_functions_is_no_program() -> None:
    assert not read_shell("f() {\n  echo $1\n}\n").program
    assert read_shell("echo $1\n").program


def test_no_default_is_invented() -> None:
    text = 'x="$(date)"\nwhile getopts x: o; do case $o in x) x=$OPTARG;; esac; done\n'
    assert options(text)["x"].default is NOTHING


def test_what_goes_through_its_arguments_itself_says_so_once() -> None:
    loop = 'set -- "$@"\nwhile [ $# -gt 0 ]; do\n  echo "$1"\n  shift\ndone\n'
    assert read(loop).notes == ("it parses its arguments itself, so they are not known",)
    assert read('exec other "$@"\n').notes == (
        "it passes on all its arguments, so there may be others",
    )


LONG = """
    # Deploys.
    stage=test
    usage() { echo "usage: deploy [--stage NAME]"; }
    #   -s, --stage NAME  where to
    while [[ $# -gt 0 ]]; do
      case "$1" in
        -s|--stage) stage="$2"; shift 2 ;;
        --tag)
          TAG=$2
          shift 2
          ;;
        --key-file) read_key "${2}"; shift 2;;
        --dry-run) dry=1; shift ;;
        -h | --help) usage; exit 0 ;;
        --) shift; break ;;
        -*) exit 2 ;;
        *) files+=("$1"); shift ;;
      esac
    done
    [ -n "$TAG" ] || exit 2
    case "$mode" in --no) echo "$2" ;; esac
"""


@pytest.mark.parametrize(
    ("branch", "is_list"),
    [
        ('--url) urls+=("$2"); shift 2 ;;', True),
        ('--url)\n  URLS+=( "${2}" )\n  shift 2\n  ;;', True),
        ('-u | --url) urls+=("${2:?}"); shift 2 ;;', True),
        ('--url=*) urls+=("${1#*=}"); shift ;;', True),
        ('--url) urls="$urls $2"; shift 2 ;;', True),
        ('--url) urls="${urls:+$urls }$2"; shift 2 ;;', True),
        ('--url) urls+=" $2"; shift 2 ;;', True),
        ('--url) urls="$2"; shift 2 ;;', False),
        ('--url) args+=(--url "$2"); shift 2 ;;', False),
        ('--url) urls="$base/$2"; shift 2 ;;', False),
    ],
)
def test_values_that_a_loop_adds_to_a_list(branch: str, is_list: bool) -> None:
    script = f'while [ $# -gt 0 ]; do\ncase "$1" in\n{branch}\nesac\ndone\n'
    (option,) = read(script).commands[0].options
    assert (option.many, option.repeats, option.switch) == (is_list, is_list, False)


@pytest.mark.parametrize(
    ("branch", "is_list"),
    [
        ('u) urls+=("$OPTARG") ;;', True),
        ('u)\n  urls="$urls ${OPTARG}"\n  ;;', True),
        ("u) urls=$OPTARG ;;", False),
    ],
)
def test_values_that_getopts_adds_to_a_list(branch: str, is_list: bool) -> None:
    script = f'while getopts u: o; do\ncase "$o" in\n{branch}\nesac\ndone\n'
    (option,) = read(script).commands[0].options
    assert (option.many, option.repeats) == (is_list, is_list)


def test_options_that_a_loop_tells_apart() -> None:
    script = read(LONG)
    assert list(script.commands[0].options) == [
        ScriptOption("stage", ("-s", "--stage"), default="test", help="where to"),
        ScriptOption("tag", ("--tag",), required=True),
        ScriptOption("key_file", ("--key-file",)),
        ScriptOption("dry_run", ("--dry-run",), "boolean", switch=True),
    ]
    assert not script.commands[0].certain
    assert script.notes == ("it parses its arguments itself, so there may be others",)
