"""Arguments in usage texts, and scripts that read their arguments themselves."""

from __future__ import annotations

import pytest

from skillstudio.text.scripts.model import ScriptCommand, first_sentence
from skillstudio.text.scripts.reading import read_script
from skillstudio.text.scripts.usage import usage_commands


def shown(commands: list[ScriptCommand] | tuple[ScriptCommand, ...]) -> list[str]:
    """Each command: its name, then its arguments; `!` is required, `*` several, `=` has a value."""
    return [
        " ".join(
            [
                f"{each.name}:",
                *(
                    f"{'/'.join(o.flags) or o.name}{'' if o.switch or not o.flags else '='}"
                    f"{'|'.join(o.choices)}{'!' * o.required}{'*' * o.many}"
                    for o in each.options
                ),
            ]
        )
        for each in commands
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Usage: x.py <folder>", [": folder!"]),
        ("usage: python3 -u scripts/x.py FILE [LIMIT]", [": file! limit"]),
        ("Usage: $0 [-v] [-n NAME] source...", [": -v -n= source!*"]),
        ("Usage: x [input pdf] [output]", [": input_pdf output"]),
        ("Usage: x.sh start|stop", [": commandstart|stop!"]),
        ("Usage: x --out FILE\n  --out FILE  where\n  --all  more", [": --out=! --all"]),
        ("Usage:\n  x add <title>\n  x list", ["add: title!", "list:"]),
        (
            "Usage: x <command>\n\nCommands:\n  add <title>  Add\n  list  List",
            ["add: title!", "list:"],
        ),
        ("Usage:\n    from x import run\n    run()", []),
        ("Usage: x <name> (called by make)", [": name!"]),
        ("Usage: x.sh <file>\n  file - GitHub slug", [": file!"]),
        ("no arguments", []),
        ("usage: x.py <bar|line> < payload.json", [": barbar|line!"]),
        ("usage: x.py FILE > out.txt 2>&1", [": file!"]),
        ("usage: x.py < <file>", [": file!"]),
        ("Usage: x.py FILE | jq .", [": file!"]),
        ("Usage: cat a.json | x.py <kind>", [": kind!"]),
        ("Usage: x.py <ID | URL> [PART]", [": id! part"]),
        ('usage: x.sh <id>" >&2; exit 2; }', [": id!"]),
        ("Usage:\n  Configure as a hook in settings.json:\n", []),
        ("Usage:\n  chmod +x x.sh\n  ./x.sh NAME", [": name!"]),
        ("Usage: x.py start | stop", [": commandstart|stop!"]),
        ("Usage: x.py --list | x.py IN OUT", [": in out --list"]),
        ("Usage: x.py --list or x.py IN", [": in --list"]),
        ("Usage:\n  # Detect\n  x.py IN --list\n\n  # Fill\n  x.py IN OUT", [": in! out --list"]),
        ("# Usage:\n#   x.sh add <title>\n#   x.sh list", ["add: title!", "list:"]),
        ("Usage: x.py IN\n\nRead more of it\nin the manual", [": in!"]),
        # Sentences after the colon are no arguments.
        ("Usage: source this file or run directly with commands", []),
        ("Usage: run it when the build is done", []),
        ("Usage: copy from to", [": from! to!"]),
        ("Usage: source ~/x.sh", [":"]),
        ("Usage: . ./x.sh <name>", [": name!"]),
        # A quoted example is one argument without a name.
        ('Usage: x.sh "SELECT * FROM t" [LIMIT]', [": argument! limit"]),
        ("Usage: x.sh 'a b' 'c d'", [": argument!*"]),
        ('Usage: x.sh "<query>" "name"', [": query! name!"]),
        # The values of an option are no arguments.
        (
            "Usage: x.sh [filter] [--format=table|json|plain]",
            [": filter --format=table|json|plain"],
        ),
        ("Usage: x.sh [--format table|json] [file]", [": --format=table|json file"]),
        ("Usage: x.sh --format (table|json)", [": --format=table|json!"]),
        ("Usage: x.sh [-f=a|--format=a]", [": -f/--format="]),
        # Commands of two words.
        (
            "Usage:\n  x ping\n  x dns list <domain>\n  x dns add <domain> <type>\n"
            "  x ns get <name>",
            ["ping:", "dns list: domain!", "dns add: domain! type!", "ns get: name!"],
        ),
        (
            "Usage: x <command> [args]\n\nCommands:\n  pr list <repo>  List them\n"
            "  pr get <repo> <id> Get one\n\n  # Others\n  wiki   All of it\n\nExamples:\n  pr add",
            ["pr list: repo!", "pr get: repo! id!", "wiki:"],
        ),
        (
            "Usage: x <command>\n\nCommands:\n  add <title> Add one\n\n  show  the list of all",
            ["add: title!", "show:"],
        ),
    ],
)
def test_a_usage_text(text: str, wanted: list[str]) -> None:
    assert shown(usage_commands(text)) == wanted


@pytest.mark.parametrize(
    ("text", "reads_input"),
    [
        ("usage: x.py <bar|line> < payload.json", True),
        ("usage: x.py <<EOF", True),
        ("usage: x.py <payload.json", True),
        ("usage: cat a.json | x.py bar", True),
        ("usage: x.py <payload>", False),
        ("usage: x.py < a >", False),
        ("usage: x.py FILE > out.txt", False),
    ],
)
def test_a_usage_text_that_redirects_standard_input(text: str, reads_input: bool) -> None:
    assert [command.reads_input for command in usage_commands(text)] == [reads_input]


@pytest.mark.parametrize(
    ("path", "text", "reads_input"),
    [
        ("x.js", "for await (const part of process.stdin) text += part;", True),
        ("x.js", "process.stdin.on('data', add);", True),
        ("x.js", "const text = readFileSync(0, 'utf8');", True),
        ("x.js", "const text = fs.readFileSync('/dev/stdin');", True),
        ("x.js", "const text = await Bun.stdin.text();", True),
        ("x.js", "if (process.stdin.isTTY) { usage(); }", False),
        ("x.js", "const text = readFileSync(path);", False),
        ("x.sh", '#!/bin/sh\ntext="$(cat)"\n', True),
        ("x.sh", "#!/bin/sh\nwhile read -r x; do :; done < /dev/stdin\n", True),
        ("x.sh", '#!/bin/sh\ntext="$(cat file)"\n', False),
    ],
)
def test_code_that_reads_standard_input(path: str, text: str, reads_input: bool) -> None:
    assert [each.reads_input for each in read_script(path, text.encode()).commands] == [reads_input]


BY_FLAG = "if (a.startsWith('--')) args[a.slice(2)] = process.argv[++i];"
LOOP = (
    f"const args = {{}};\nfor (let i = 2; i < 9; i++) {{ const a = process.argv[i]; {BY_FLAG} }}\n"
)
PARSE = (
    "function parse(argv) { const o = {}; for (const a of argv) { const key = a.slice(2);\n"
    "if (a) o[key] = true; else o[key] = a; } return o; }\nconst opts = parse(process.argv);\n"
)
WORDS = (
    "import sys\nargs = {}\nargv = sys.argv[1:]\nfor i in range(len(argv)):\n"
    "    if argv[i].startswith('--'):\n        args[argv[i][2:]] = argv[i + 1]\n"
)


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        # Options that are collected by name, as the code reads them.
        ("x.mjs", f"{LOOP}if (!args.base || !args.out) {{ process.exit(2); }}\nuse(args['max-n']);",
         [": --base=! --out=! --max-n="]),
        ("x.mjs", f"{LOOP}const {{ base, out: file, limit = 3 }} = args;\nif (!file) throw 1;",
         [": --base= --out=! --limit="]),
        ("x.mjs", f"{PARSE}const out = opts.out || 'x';\nif (opts.verbose) log();",
         [": --out= --verbose"]),
        ("x.mjs", f"{LOOP}console.log('Usage: x.mjs --base <file> [--all]');\nif (args.all) go();",
         [": --base=! --all"]),
        ("x.mjs", f"{LOOP}go();", [":"]),
        ("x.mjs", "for (let i = 2; i < 9; i++) { const t = process.argv[i];\n"
         "if (t === '--zip') { zip = true; continue; }\nconst val = process.argv[++i];\n"
         "if (t === '--out') out = val; else if (t === '--all') all = true;\n"
         "else if (t === '--k') k = Number(val); }\n",
         [": --zip --out= --all --k="]),
        ("x.py", f"{WORDS}a = args['base']\nb = args.get('out', 'x')\nc = args.get('help')\n",
         [": --base=! --out="]),
        ("x.py", f"{WORDS}if 'base' not in args:\n    sys.exit(2)\nif 'dry-run' in args: pass\n",
         [": --base=! --dry-run="]),
        ("x.py", "import sys\nargs = {}\nargs['a'] = sys.argv[1]\nprint(args['b'])\n", [": arg1!"]),
        # One mode among several is not required, and hides nothing of the others.
        ("x.py", "import sys\nif sys.argv[1] == '--detect':\n    print(sys.argv[2])\nelse:\n"
         "    src, dst = sys.argv[1], sys.argv[2]\n    for pair in sys.argv[3:]: print(pair)\n",
         [": --detect src dst pair*"]),
        ("x.py", "'''Usage: x.py --detect IN'''\nimport sys\nif sys.argv[1] == '--detect':\n"
         "    print(sys.argv[2])\nelse:\n    a = sys.argv[1]\n    out = sys.argv[2]\n",
         [": --detect= a out"]),
        ("x.py", "'''Usage: x.py <bar|line>'''\nimport sys\nshape = sys.argv[1]\n",
         [": shapebar|line!"]),
        ("x.py", "import sys\na, b = sys.argv[1:3]\n", [": a! b!"]),
    ],
)  # fmt: skip
def test_options_that_a_script_collects_itself(path: str, text: str, wanted: list[str]) -> None:
    commands = read_script(path, text.encode()).commands
    assert shown(commands) == wanted
    assert all(command.by_hand for command in commands)


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("x.py", "import sys\nif len(sys.argv) < 3: sys.exit(1)\na = sys.argv[1]\n"
         "b = int(sys.argv[2])\n",
         [": a! b!"]),
        ("x.py", "import sys\na = sys.argv[1] if len(sys.argv) > 1 else 'x'\n", [": a"]),
        ("x.py", "import sys\nverbose = '--verbose' in sys.argv\n", [": --verbose"]),
        ("x.py", "'Usage: x.py [--who all|some] FILE'\nimport sys\nif '--who' in sys.argv: pass\n",
         [": --who=all|some file!"]),
        ("x.py", "'Usage: x.py --all on|off'\nimport sys\nif '--all' in sys.argv: pass\n",
         [": --all commandon|off!"]),
        ("x.py", "import typer\ndef main(name: str, times: int = 1, loud: bool = False): ...\n"
         "typer.run(main)\n", [": name! --times= --loud"]),
        ("x.mjs", "import { parseArgs } from 'node:util';\n"
         "parseArgs({options: {out: {type: 'string', short: 'o'}, all: {type: 'boolean'}}});\n",
         [": -o/--out= --all"]),
        ("x.js", "const { program } = require('commander');\n"
         "program.command('add <title>').option('-t, --tag <tag>', 'a tag');\n"
         "program.command('list');\n", ["add: title! -t/--tag=", "list:"]),
        ("x.js", "const file = process.argv[2];\nif (!file) { process.exit(1); }\n", [": file!"]),
        # Labels that fall through are flags of one option.
        ("x.js", 'const args = process.argv;\nswitch (args[i]) {\ncase "--in": case "-i":\n'
         'case "input": o.in = args[++i]; break;\ncase "-a":\ncase "--all": o.all = true;\n'
         'break;\ncase "-h": case "--help": help();\ndefault: args[++i]; }\n',
         [": --in/-i= -a/--all"]),
        ("x.js", 'const args = process.argv;\n'
         'if (["-i", "--in"].includes(args[i])) o = args[++i];\n'
         'if (!args.includes("-i")) { o = "-"; }\n', [": -i/--in="]),
        ("x.py", 'import sys\nmatch sys.argv[i]:\n    case "--in" | "-i":\n'
         '        path = sys.argv[i + 1]\n    case "--all":\n        every = True\n',
         [": --in/-i= --all"]),
        # Values that are collected are several.
        ("x.py", 'import sys\nargs = sys.argv[1:]\nwhile args:\n    word = args.pop(0)\n'
         '    if word == "--url":\n        urls.append(args.pop(0))\n'
         '    elif word in ("-o", "--out"):\n        out = args.pop(0)\n',
         [": --url=* -o/--out="]),
        ("x.js", 'const args = process.argv;\nswitch (args[i]) {\ncase "--url":\n'
         'o.urls.push(args[++i]);\nbreak; case "--out": o.out = args[++i]; }\n',
         [": --url=* --out="]),
        # The first usage text that is one of the script.
        ("x.sh", '#!/bin/sh\n# Usage: source this file or run it with a command\n'
         'cat <<EOF\nUsage: $0 <command> [args...]\nEOF\ncommand="$1"\nshift\n'
         'case "$command" in\napp-list) f "$@" ;;\napp-get)\n  f\n  ;;\n*) exit 1 ;;\nesac\n',
         [": commandapp-list|app-get!"]),
        ("x.sh", '#!/bin/sh\n# Usage: f <name>\nf() { echo "$1"; }\necho "Usage: x.sh [out]"\n',
         [": out"]),
        ("x.sh", '#!/bin/sh\necho "Done"\necho "Usage:"\necho "  node $HOME/y.mjs --in a.mmd"\n',
         [":"]),
        ("x.sh", '#!/bin/sh\n# Usage: x.sh "SELECT * FROM t"\nQUERY="$1"\n', [": query!"]),
        ("x.sh", '#!/bin/sh\n# Usage: x.sh [--format=a|b]\nwhile [ $# -gt 0 ]; do\ncase "$1" in\n'
         '--format=*) FORMAT="${1#*=}"; shift ;;\nesac\ndone\n', [": --format=a|b"]),
        ("x.py", "'''Usage:\n  x.py dns list <domain>\n  x.py dns add <domain>\n  x.py ping\n'''\n"
         "import sys\nif len(sys.argv) < 3: print('Usage: dns list|add ...')\n",
         ["dns list: domain!", "dns add: domain!", "ping:"]),
        # The words of a case, unless it accepts others.
        ("x.sh", '#!/bin/sh\ncase "$1" in\nup|start) f ;;\ndown) g ;;\n*) usage; exit 2 ;;\nesac\n',
         [": arg1up|start|down!"]),
        ("x.sh", '#!/bin/sh\ncase "$1" in\nup) f ;;\ndown) g ;;\n*) h "$1" ;;\nesac\n',
         [": arg1!"]),
        ("x.sh", '#!/bin/sh\ncase "$1" in\n*.md) f ;;\nall) g ;;\nesac\n', [": arg1!"]),
        ("x.sh", '#!/bin/sh\ncase "${1:-}" in a) f ;; b) g ;; esac\n', [": arg1a|b"]),
        ("x.sh", '#!/bin/sh\ncase "$1" in\n"a b") f ;;\nc) g ;;\nd) h ;;\nesac\n', [": arg1!"]),
        ("x.sh", '#!/bin/sh\ncase "$1" in\na) case $x in\ny) f ;;\nesac ;;\nb) g ;;\nesac\n',
         [": arg1a|b!"]),
        ("x.sh", '#!/bin/sh\n# Usage: x.sh <file> [--all]\nfor a in "$@"; do case "$a" in\n'
         "--all) all=1 ;;\n--size=*) size=${a#*=} ;;\nesac; done\n", [": file! --all --size="]),
    ],
)  # fmt: skip
def test_scripts(path: str, text: str, wanted: list[str]) -> None:
    assert shown(read_script(path, text.encode()).commands) == wanted


LOOP_OF = 'for a in "$@"; do case "$a" in --all) all=1 ;; esac; done\n'
SHIFTED = 'while [ $# -gt 0 ]; do\ncase "$1" in\n--all) all=1 ;;\nesac\nshift\ndone\n'


@pytest.mark.parametrize(
    ("path", "text", "leading"),
    [
        # Places that are read by their number come before the flags.
        ("x.sh", 'a=$1\n[[ "$2" == "--all" ]] && all=1\n', ["a"]),
        ("x.sh", 'a="${1:?}"\nb="${2:-x}"\n[ "${3:-}" = --all ] && all=1\n', ["a", "b"]),
        ("x.sh", f"a=$1\n{LOOP_OF}", ["a"]),
        ("x.sh", f'a="${{1:-x}}"\n{SHIFTED}', ["a"]),
        ("x.sh", f"a=$1; b=$2; shift 2\n{SHIFTED}", ["a", "b"]),
        ("x.sh", f"a=$1\nshift\nb=$1\nshift || true\n{SHIFTED}", ["a", "b"]),
        ("x.sh", "a=$1\nshift\nwhile getopts xy: o; do :; done\n", ["a"]),
        ("x.sh", f"# Usage: x.sh <a> [b]\na=$1\nshift\n{SHIFTED}", ["a", "b"]),
        ("x.py", "import sys\na = sys.argv[1]\nall = '--all' in sys.argv\n", ["a"]),
        ("x.js", "const a = process.argv[2];\nuse(process.argv.includes('--all'));\n", ["a"]),
        # A usage text shows the order.
        ("x.sh", f"# Usage: x.sh <a> [--all]\n{SHIFTED}", ["a"]),
        ("x.sh", f"# Usage: x.sh [--all] <a>\n{SHIFTED}", []),
        ("x.sh", f"# Usage: x.sh [options] <a>\n{SHIFTED}", []),
        ("x.sh", f"# Usage: x.sh <a> <command>... [--all]\n{SHIFTED}", ["a"]),
        # Options come first where they are parsed before the places are read.
        ("x.sh", 'if [ "$1" = --all ]; then\n  all=1\n  shift\nfi\na=$1\n', []),
        ("x.sh", 'if [ "$1" = --all ]; then a=$2; else a=$1; fi\n', []),
        ("x.sh", f"{SHIFTED}a=$1\n", []),
        ("x.sh", 'a=$1\ncase "$a" in\n--all) all=1 ;;\nesac\nshift\n', []),
        ("x.sh", "while getopts ab: o; do :; done\nshift $((OPTIND - 1))\na=$1\n", []),
        ("x.py", "import sys\nif sys.argv[1] == '--all': pass\nelse: a = sys.argv[1]\n",
         []),
    ],
)  # fmt: skip
def test_places_before_flags(path: str, text: str, leading: list[str]) -> None:
    text = f"#!/bin/bash\n{text}" if path == "x.sh" else text
    (command,) = read_script(path, text.encode()).commands
    assert [each.name for each in command.leading_places] == leading


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Copyright 2026 A.\n\nDoes it. More.", "Does it."),
        ("SPDX-License-Identifier: MIT\n\nDoes it", "Does it."),
        ("Licensed under the MIT License.", ""),
        ("-*- coding: utf-8 -*-", ""),
        ("x.py - Does it.", "Does it."),
        ("Usage: x FILE", ""),
        ("All rights reserved.", ""),
    ],
)
def test_a_licence_is_no_description(text: str, wanted: str) -> None:
    assert first_sentence(text) == wanted
