"""Small skills whose truth is known by construction, from `behaviours.toml` and, a second corpus,
from the files of `independent`: what each does, what it declares, and whether that is a lie."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

LANGUAGES = {"bash": "bash", "python": "python3", "node": "node", "perl": "perl", "c": "cc",
             "go": "go"}  # fmt: skip
_SUFFIX = {"bash": "sh", "python": "py", "node": "js", "perl": "pl", "c": "c", "go": "go"}
_COMPILED = ("c", "go")
BLOCK, FRONT, CARO, PLAIN = "skill-manifest-2.0", "frontmatter-1.0", "caro-1.0", "agent-skills"
ROUTER, WASM = "router-manifest-1", "provenact-1"
WORDS: dict[str, tuple[str, ...]] = {
    BLOCK: ("fs.read", "fs.write", "proc.exec", "net.fetch", "git.read", "git.write", "db.read",
            "db.write"),
    ROUTER: ("fs.read", "fs.write", "proc.exec", "net.fetch", "git.read", "git.write", "db.read",
             "db.write"),
    FRONT: ("fs.write", "proc.exec", "net.fetch"),
    CARO: ("fs.read", "fs.write", "proc.exec", "net.fetch"),
    PLAIN: (),
    WASM: ("fs.read", "fs.write", "proc.exec", "net.fetch"),
}  # fmt: skip
"""What each dialect can declare at all."""
_OTHERS = ("nothing", "read", "write", "exec", "net", "net-name", "system-file", "same-bytes")
"""Behaviours that are tried in dialects whose declarations name paths, programs and hosts."""
_QUICK = ("nothing", "write-undo", "exec-in-place", "left-out", "git-raw", "net-name")
"""Behaviours of the quick part of the corpus."""
UNDECLARABLE = ("net.listen", "ipc.connect", "sys.call")
"""Effects that have no word in any dialect: a skill that has one always lies."""
CORPORA = ("first", "independent")
INDEPENDENT = Path(__file__).with_name("independent")
LEFT = ("/tmp", "/var/tmp", "/dev/shm")
"""Where programs of the second corpus leave files: `skillstudio-truth-` and their behaviour."""
EXAMPLES = Path(__file__).parents[3] / "examples"


class Case(NamedTuple):
    """A skill, and the truth about it."""

    name: str
    dialect: str
    language: str
    behaviour: dict[str, Any]
    declared: tuple[str, ...]
    lies: bool  # Whether it does something that it could declare and does not.
    does: tuple[str, ...]  # `a|b`: either word is right.
    venv: bool = False
    quick: bool = False

    @property
    def hides(self) -> tuple[frozenset[str], ...]:
        """What it does and declares in none of the words that are right."""
        truth = (frozenset(entry.split("|")) for entry in self.does)
        return tuple(words for words in truth if not words & set(self.declared))


def cases(corpus: str = "first") -> list[Case]:
    """A whole corpus, for the languages of this machine."""
    return _first() if corpus == "first" else _independent()


def independent_table() -> list[dict[str, Any]]:
    """The behaviours of the second corpus."""
    files = sorted(INDEPENDENT.glob("*.toml"))
    return [entry for file in files for entry in tomllib.loads(file.read_text())["behaviour"]]


def _independent() -> list[Case]:
    skills: list[Case] = []
    for behaviour in independent_table():
        languages = [word for word in LANGUAGES if word in behaviour]
        for language in languages:
            if shutil.which(LANGUAGES[language]):
                skills += _variants(behaviour, language, language == languages[0])
    return skills


def _variants(behaviour: dict[str, Any], language: str, first: bool) -> Iterator[Case]:
    """An honest skill and, for each thing that it does, one that does not declare it.

    Of both kinds in the first language alone: in others liars, or what `honest.toml` has.
    """
    honest = behaviour["id"].startswith("honest-")
    does = tuple(behaviour["does"])
    truth = [entry.split("|") for entry in does]
    plain = [words for words in truth if not set(words) & set(UNDECLARABLE)]
    always = (len(plain) < len(truth) and not behaviour.get("harmless")) or "unseen" in behaviour
    declared = tuple(dict.fromkeys(word for words in plain for word in words))
    name = f"{behaviour['id']}-{language}"
    kind = "lies" if always else "honest"
    if always or honest or first:
        yield Case(f"{name}-{kind}", BLOCK, language, behaviour, declared, always, does)
    if always or (honest and not first):
        return
    for words in plain:
        rest = tuple(word for word in declared if word not in words)
        lacks = f"{name}-lacks-{words[0]}"
        yield Case(lacks, BLOCK, language, behaviour, rest, True, does)


def remove_left(case: Case) -> None:
    """Remove the files that a program leaves outside its workspace."""
    for folder in LEFT:
        for file in Path(folder).glob(f"skillstudio-truth-{case.behaviour['id']}*"):
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file, ignore_errors=True)
            else:
                file.unlink(missing_ok=True)


def _first() -> list[Case]:
    table = tomllib.loads(Path(__file__).with_name("behaviours.toml").read_text())["behaviour"]
    found: list[Case] = []
    for behaviour in table:
        languages = [
            each for each in LANGUAGES if each in behaviour and shutil.which(LANGUAGES[each])
        ]
        for language in languages:
            quick = behaviour["id"] in _QUICK and language == languages[-1]
            found += _pair(behaviour, language, BLOCK, quick)
        if behaviour["id"] in _OTHERS:
            for dialect in (FRONT, CARO, PLAIN):
                found += _pair(behaviour, "python", dialect, dialect == FRONT)
            found += _pair(behaviour, "python", ROUTER)
            if "bash" in languages:
                found += _pair(behaviour, "bash", CARO)
    nothing = table[0]
    found += [case._replace(name=f"{case.name}-venv", venv=True, quick=False)
              for behaviour in table if behaviour["id"] in ("nothing", "read", "exec")
              for case in _pair(behaviour, "python", BLOCK)]  # fmt: skip
    found.append(_other("wasm-echo", WASM, nothing, False))
    found.append(_other("wasm-contract", WASM, nothing, True))
    for name in ("missing-output", "undeclared-output", "produced-output"):
        found.append(_other(name, FRONT, nothing, name != "produced-output"))
    for name in ("contract-none", "contract-field", "contract-ok"):
        found.append(_other(name, BLOCK, nothing, name != "contract-ok"))
    return found


def _pair(
    behaviour: dict[str, Any], language: str, dialect: str, quick: bool = False
) -> Iterator[Case]:
    """An honest skill and one that declares one effect too few, where there is one."""
    does = tuple(behaviour["does"])
    words = tuple(w for each in does for w in each.split("|")[:1] if w in WORDS[dialect])
    name = f"{behaviour['id']}-{language}-{dialect.partition('-')[0]}"
    # To listen on other interfaces has no word in any dialect and is an error all the same.
    always = ("net.listen" in does and not behaviour.get("harmless")) or behaviour.get("unseen")
    lies = bool(always)
    yield Case(f"{name}-{'lies' if lies else 'honest'}", dialect, language, behaviour, words, lies,
               does, quick=quick)  # fmt: skip
    if words and not always:
        yield Case(f"{name}-lies", dialect, language, behaviour, words[1:], True, does, quick=quick)


def _other(name: str, dialect: str, behaviour: dict[str, Any], lies: bool) -> Case:
    writes = ("fs.write",) if name in ("undeclared-output", "produced-output") else ()
    return Case(name, dialect, "python", behaviour, (), lies, writes)


def write(case: Case, workspace: Path) -> tuple[Path, list[str]]:
    """Create the workspace and the skill; return the skill and the operation to run."""
    shutil.copytree(ground(), workspace, symlinks=True)
    if case.dialect == WASM:
        skill = workspace / "echo"
        shutil.copytree(EXAMPLES / "echo-json", skill)
        if case.lies:
            file = skill / "manifest.json"
            value = json.loads(file.read_text())
            value["outputs_schema"] = {"type": "object", "required": ["other"]}
            file.write_text(json.dumps(value, indent=2))
        return skill, ["-i", "message=hi"]
    skill = workspace / "skill"
    skill.mkdir()
    inside = case.dialect in (BLOCK, ROUTER)
    argv = _program(case, skill, ".." if inside else ".")
    if inside:
        _block(case, skill, argv)
        return skill, ["go"]
    if case.dialect == CARO:
        return _caro(case, skill, argv, workspace)
    _front(case, skill)
    return skill, [argv[-1]]


def compile_all(chosen: Sequence[Case]) -> None:
    """Compile programs once, before there are several processes."""
    for case in chosen:
        if case.language in _COMPILED:
            _compiled(_code(case).replace("@W@", ".."), case.language)


def _code(case: Case) -> str:
    if case.name == "undeclared-output" or case.name == "produced-output":
        return "open('log.txt', 'w').write('x')"
    if case.name == "contract-field":
        return 'print(\'{"status": "ok"}\')'
    if case.name == "contract-ok":
        return 'print(\'{"status": "ok", "count": 1}\')'
    code: str = case.behaviour[case.language]
    return code


def _program(case: Case, skill: Path, workspace: str) -> list[str]:
    code = _code(case).replace("@W@", workspace)
    if case.language in _COMPILED:
        shutil.copy(_compiled(code, case.language), skill / "go")
        return ["./go"]
    name = f"go.{_SUFFIX[case.language]}"
    program = LANGUAGES[case.language]
    (skill / name).write_text(f"#!/usr/bin/env {program}\n{code}\n")
    (skill / name).chmod(0o755)
    return [program, name]


@cache
def _compiled(code: str, language: str) -> str:
    name = os.path.join(_folder(), f"{language}{os.getpid()}-{abs(hash(code))}")
    if language == "c":
        command = ["cc", "-x", "c", "-w", "-pthread", "-o", name, "-"]
        subprocess.run(command, input=code.encode(), check=True)
    else:
        Path(f"{name}.go").write_text(code)
        environment = os.environ | {"CGO_ENABLED": "0", "GO111MODULE": "off"}
        subprocess.run(["go", "build", "-o", name, f"{name}.go"], check=True, env=environment)
    return name


@cache
def _folder() -> str:
    import atexit
    import tempfile

    folder = tempfile.mkdtemp(prefix="truth-")
    atexit.register(shutil.rmtree, folder, True)
    return folder


@cache
def ground() -> str:
    """The workspace that each case gets a copy of."""
    made = Path(_folder(), "ground")
    (made / "node_modules" / "left-pad").mkdir(parents=True)
    (made / "node_modules" / "left-pad" / "index.js").write_text("module.exports = 1\n")
    (made / "data.txt").write_text("hello\n")
    with sqlite3.connect(made / "notes.db") as database:
        database.execute("create table notes (text)")
    database.close()
    names = ("-c", "user.name=n", "-c", "user.email=n@localhost")
    for words in (["init", "-q"], ["add", "data.txt"], [*names, "commit", "-qm", "begin"]):
        subprocess.run(["git", *words], cwd=made, check=True, capture_output=True)
    return str(made)


def _block(case: Case, skill: Path, argv: Sequence[str]) -> None:
    contract = case.name.startswith("contract")
    fields = {"status": "ok | error", "count": "integer"} if contract else {}
    manifest: dict[str, Any] = {
        "id": skill.name,
        "version": "1.0.0",
        "effects": list(case.declared),
        "stdout_contract": {"last_line_json": contract},
    }
    if case.dialect == ROUTER:
        manifest["entrypoints"] = {"go": {"unix": argv}}
    else:
        operation = {
            "description": "Goes",
            "input": {},
            "output": {"description": "said", "fields": fields},
            "entrypoints": {"unix": argv},
        }
        manifest |= {"schema_version": "2.0", "capabilities": [], "operations": {"go": operation}}
    fence = "router-manifest" if case.dialect == ROUTER else "skill-manifest"
    (skill / "SKILL.md").write_text(
        f"---\nname: {skill.name}\ndescription: Goes. Use when it is to go.\n---\n\n"
        f"```{fence}\n{json.dumps(manifest, indent=2)}\n```\n"
    )


def _front(case: Case, skill: Path) -> None:
    lines = [f"name: {skill.name}", "description: Goes. Use when it is to go."]
    if case.dialect == FRONT:
        lines.insert(0, 'manifest_version: "1.0"')
        files = case.behaviour.get("files", ["data.txt"]) if "fs.write" in case.declared else []
        if case.name in ("missing-output", "produced-output"):
            files = ["log.txt"]
        if files:
            lines += ["outputs:", "  files:", *(f"    - pattern: {each}" for each in files)]
        if case.name == "undeclared-output":
            lines += ["outputs:", "  files:", "    - pattern: other-*.txt"]
        if "proc.exec" in case.declared:
            lines += ["preconditions:", "  commands:"]
            lines += [f"    - cmd: {each}" for each in case.behaviour["commands"]]
        if "net.fetch" in case.declared:
            lines += ["execution:", "  network: true"]
    (skill / "SKILL.md").write_text("---\n" + "\n".join(lines) + "\n---\nText.\n")


def _caro(case: Case, skill: Path, argv: list[str], workspace: Path) -> tuple[Path, list[str]]:
    about = case.behaviour
    can = ["[capabilities]"]
    for word, key, items in (
        ("fs.read", "filesystem_read", about.get("reads", ["/etc/passwd"])),
        (
            "fs.write",
            "filesystem_write",
            [f"./{each}" for each in about.get("files", ["data.txt"])],
        ),
        ("net.fetch", "network", [*about.get("hosts", []), "127.0.0.1"]),
    ):
        if word in case.declared:
            can.append(f"{key} = {json.dumps(items)}")
    # The recipe's own step is a program that the skill names, too.
    commands = [argv[0], *(about.get("commands", []) if "proc.exec" in case.declared else [])]
    can += ["[capabilities.terminal_exec]", "allowed = true", f"commands = {json.dumps(commands)}"]
    (skill / "skill.toml").write_text(
        '[skill]\nid = "tool.doer"\nname = "Doer"\nversion = "1.0.0"\ndescription = "Does it"\n'
        'authors = ["a <a@example.org>"]\nlicense = "MIT"\napi_version = "1.0"\n'
        '[provides]\nrecipes = true\n[recipes]\nfiles = ["recipes/*.yaml"]\n'
        + "\n".join(can)
        + "\n"
    )
    (skill / "recipes").mkdir()
    words = " ".join(each if each == argv[0] else f"skill/{each}" for each in argv)
    (skill / "recipes" / "do.yaml").write_text(
        "id: do\nname: Do it\ndescription: Does it\nparameters: []\nsteps:\n"
        f"  - {{id: do, name: Do, command: {words}, confirmation: auto}}\n"
    )
    return skill, ["do"]


def virtual_environment(folder: Path) -> Path:
    """A virtual environment with a package, as an author has it on PATH."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    (packages / "distutils-precedence.pth").write_text("import json\n")
    (packages / "colour.py").write_text("x = 1\n")
    return folder / "bin"
