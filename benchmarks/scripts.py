"""Run scripts of public skills by their forms: `python -m benchmarks.scripts REPOSITORY...`.

Each repository is a checked-out folder, named OWNER+NAME. Of each, four scripts are drawn by the
hash of their paths, of different skills and languages where possible. Every required input of the
form gets the value that `skillstudio sample` generates; nothing else is typed. The table in
`scripts.md` says what was typed and what happened. A script passes if it starts and comes to its
own work, or to its own error about a missing file, module, program or network; a usage error fails.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from skillstudio.cli.run_arguments import open_skill
from skillstudio.dryrun.sampling.sample import generate
from skillstudio.files.disk import DiskTree
from skillstudio.skill.discover import find_skills
from skillstudio.skill.programs import find_programs

STUDIO = str(Path(sys.executable).parent / "skillstudio")
TABLE = Path(__file__).parent / "scripts.md"
EACH, TIMEOUT, SEED = 4, 20, "2026-11-23"
USAGE = re.compile(
    r"(?im)^\s*usage:|unrecognized arguments|arguments are required|invalid choice|no such option|"
    r"expected (?:one|at least one|\d+) argument|unknown (?:option|argument|flag|command|arg)|"
    r"missing (?:required )?(?:argument|option)|list index out of range"
)
ENVIRONMENT = re.compile(
    r"No module named|Cannot find (?:module|package)|is not on this machine|command not found|"
    r"not installed|pip install|npm install"
)
FILE = re.compile(r"(?i)no such file|not found|does not exist|ENOENT|not a directory|cannot open")
NETWORK = re.compile(r"(?i)network|getaddrinfo|resolve host|connection|ENOTFOUND|api[ _]key|token")


class Drawn(NamedTuple):
    """A script of a repository; `operation` is its path, with its first command."""

    repository: str
    skill: str
    operation: str
    language: str


def drawn(repository: Path) -> list[Drawn]:
    tree = DiskTree(str(repository))
    found = []
    for skill in filter(None, find_skills(tree)):
        for program in find_programs(DiskTree(str(repository / skill))):
            language = program.script.language if program.script is not None else ""
            found.append(Drawn(repository.name, skill, program.operations[0], language))
    found.sort(key=lambda each: sha256(f"{SEED}{each}".encode()).hexdigest())
    chosen: list[Drawn] = []
    while found and len(chosen) < EACH:
        skills = Counter(each.skill for each in chosen)
        languages = Counter(each.language for each in chosen)
        best = min(found, key=lambda each: (skills[each.skill], languages[each.language]))
        chosen.append(best)
        found.remove(best)
    return chosen


def typed(folder: str, operation: str) -> list[str]:
    """What the required fields of the form get."""
    found = open_skill(folder).operation(operation)
    given = dict(generate(found.operation))
    command = found.launch_spec.command
    for group in command.groups if command is not None else ():
        if group.required and not set(group.names) & set(given):
            given[group.names[0]] = group.names[0]
    return [f"{name}={value}" for name, value in given.items()]


def verdict(output: str, status: int) -> tuple[bool, str]:
    """Whether the script came to its own work, and what happened."""
    ends = [line.strip() for line in output.split("\n") if line.strip()]
    last = next((e for e in reversed(ends) if re.search(r"(?i)error|not found|cannot|fail", e)), "")
    last = last or (ends[-1] if ends else "")
    if status == 0:
        return True, "done"
    if status == 124:
        return True, "ran until the timeout"
    if USAGE.search(output) and not ENVIRONMENT.search(output):
        return False, f"usage error: {last}"
    for what, pattern in (("environment", ENVIRONMENT), ("file", FILE), ("network", NETWORK)):
        if pattern.search(output):
            return True, f"{what}: {last}"
    return True, f"its own end: {last}"


def run(each: Drawn, root: Path, workspace: str) -> tuple[bool, str, str]:
    folder = str(root / each.skill)
    try:
        given = typed(folder, each.operation)
    except Exception as error:
        return False, "", f"no form: {error}"
    command = [STUDIO, "run", folder, each.operation, "--timeout", str(TIMEOUT), "--trace", "off"]
    command += ["--workspace", workspace, "--yes", *(w for g in given for w in ("-i", g))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    printed = re.search(r"(?ms)^End of std.*?(?=^\S(?!nd of)|\Z)", ended.stdout)
    problems = re.findall(r"(?m)^\s+error: (.*)$", ended.stdout)
    streams = "\n".join(re.findall(r"(?ms)^End of std\w+\n(.*?)(?=^\S|\Z)", ended.stdout))
    code = re.search(r"exit (\d+), ", ended.stdout)
    if printed is None and problems:
        text = "; ".join(problems)
        return False, " ".join(given), f"not started: {text}"
    if code is None and ended.returncode not in (0, 124):
        return False, " ".join(given), f"not run: {ended.stderr.strip()}"
    passed, said = verdict(streams, int(code[1]) if code else ended.returncode)
    return passed, " ".join(map(shlex.quote, given)), said


def main() -> int:
    roots = [Path(each) for each in sys.argv[1:]]
    if not roots or not all(each.is_dir() for each in roots):
        print("name the folders of the repositories", file=sys.stderr)
        return 2
    lines, passes, total = [], 0, 0
    with tempfile.TemporaryDirectory() as workspace:
        os.environ["XDG_STATE_HOME"] = workspace + ".state"
        for root in roots:
            for each in drawn(root):
                passed, given, said = run(each, root, workspace)
                total += 1
                passes += passed
                script = f"{each.skill}/{each.operation}"
                repository = each.repository.replace("+", "/")
                result = "yes" if passed else "**no**"
                values = given or "nothing"
                cells = (repository, script, each.language, values, said[:140], result)
                lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
                print(lines[-1], flush=True)
    head = [
        "# Scripts of public skills, run by their forms",
        "",
        f"Written by `python -m benchmarks.scripts`: {passes} of {total} came to their own "
        "work, or to their own",
        "error about a missing file, module, program or network. Only required inputs were given,",
        "with the values that `skillstudio sample` generates.",
        "",
        "| repository | script | language | typed | what happened | passed |",
        "|---|---|---|---|---|---|",
    ]
    TABLE.write_text("\n".join([*head, *lines, ""]))
    print(f"{passes} of {total}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
