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


PARSED = """\
{before}
while getopts "l:o:" opt; do
  case "$opt" in
    l) level="$OPTARG" ;;
    o) out="$OPTARG" ;;
  esac
done
{after}
"""
IN_A_LOOP = """\
{before}
while [ $# -gt 0 ]; do
  case "$1" in
    -l) level="$2"; shift 2 ;;
    -o) out="$2"; shift 2 ;;
    *) break ;;
  esac
done
{after}
"""
NONE = (NOTHING, NOTHING)


@pytest.mark.parametrize("script", [PARSED, IN_A_LOOP])
@pytest.mark.parametrize(
    ("before", "after", "defaults"),
    [
        ("level=6; out=b", "", (6, "b")),
        ("level=6 out=b", "", (6, "b")),
        ("level=6 && out='b c'  # both", "", (6, "b c")),
        ("local level=6 out='b'", "", (6, "b")),
        ("declare -i level=6", "", (6, NOTHING)),
        ("export out level=6; readonly out=b", "", (6, "b")),
        ("level=6 out=b sort x", "", NONE),  # Only for sort.
        ("level=0.5; out=007", "", (0.5, "007")),
        ("level=-1; out=v1", "", (-1, "v1")),
        ("level=1e3; out=1.", "", ("1e3", "1.")),
        ('D=6 B=b\nlevel=$D\nout="${B}"', "", (6, "b")),
        ('D=6\nE="$D"\nlevel="${LEVEL:-$E}"; out="${OUT:-${D}}"', "", (6, 6)),
        ("D=$(nproc)\nlevel=$D; out=x$D", "", NONE),
        ("D=6\nD=`nproc`\nlevel=$D", "", NONE),
        ("level=6\nlevel=$(nproc)", "", NONE),
        ('out="~/b"; level=$HOME/x', "", NONE),
        (': "${level:=6}" "${out:=b}"', "", (6, "b")),
        ("D=6\n: ${level=$D}", "", (6, NOTHING)),
        ("level=; out=", ': "${level:=6}"\nout="${out:-b}"', (6, "b")),
        ("", '[ -z "$level" ] && level=6\n[[ -z ${out:-} ]] && out=b', (6, "b")),
        ("", 'if [ -z "$level" ]; then\n  level=6\nfi\n', (6, NOTHING)),
        ("", 'if [ -z "$level" ]; then level=6; fi', (6, NOTHING)),
        ("level=3", ': "${level:=6}"', (3, NOTHING)),
        ("", 'echo "writes ${out:-to the screen}"', NONE),  # What people read.
        ("# -l LEVEL  how much (default 6)\n# -o OUT  where [default: b]", "", (6, "b")),
        (
            "# -l LEVEL  how much, default 0.5\n# -o OUT  where (defaults to './b')",
            "",
            (0.5, "./b"),
        ),
        ("# -l LEVEL  how much (1 to 9, default: 6)\nlevel=7", "", (7, NOTHING)),
        ("# -l LEVEL  (default: none)\n# -o OUT  (default: $HOME)", "", NONE),
        ("# -l LEVEL  (default: SKILL_NAME)\n# -o OUT  (default: current folder)", "", NONE),
        ("# -l LEVEL  (default: --other)\n# -o OUT  (default: ~/b)", "", NONE),
    ],
)
def test_the_defaults_of_options(
    script: str, before: str, after: str, defaults: tuple[object, object]
) -> None:
    found = options(script.format(before=before, after=after))
    level, out = found["level"], found["out"]
    assert (level.default, out.default) == defaults
    kinds = {int: "integer", float: "number"}
    for option in (level, out):
        assert option.type == kinds.get(type(option.default), "string")
        assert not option.required


@pytest.mark.parametrize(
    ("text", "defaults"),
    [
        ('n="${1:-6}"', {"n": 6}),
        ('n="${1-6.5}"', {"n": 6.5}),
        ('D=6\nn="${1:-$D}"; m="${2:-${D}}"', {"n": 6, "m": 6}),
        ('head -n "${1:-"10"}"', {"arg1": 10}),
        ('n=$1\n: "${n:=6}"', {"n": 6}),
        ("n=$1\nn=${n:-6}", {"n": 6}),
        ('n=$1\n[ -z "$n" ] && n=6', {"n": 6}),
        ('n="${1:-$(nproc)}"', {"n": NOTHING}),
        ('main() {\n  local a="$1" x="${2:-6}"\n}\nmain "$@"', {"a": NOTHING, "x": 6}),
        ('main() { local x="${1:-6}"; echo $x; }\nmain "$@"; exit $?', {"x": 6}),
        ('f() {\n  local x="${1:-6}"\n}\nf y', {}),
    ],
)
def test_the_defaults_of_places(text: str, defaults: dict[str, object]) -> None:
    assert {name: option.default for name, option in options(f"{text}\n").items()} == defaults


def test_the_options_of_a_function_with_all_arguments() -> None:
    body = "".join(f"  {line}\n" for line in PARSED.format(before="level=6", after="").split("\n"))
    found = options(f'out=b\nmain() {{\n{body}}}\nmain "$@"\n')
    assert {name: option.default for name, option in found.items()} == {"level": 6, "out": "b"}


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
