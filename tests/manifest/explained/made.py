"""Examples of rules that need sizes, links, programs, settings or several skills: files to make."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from tests.manifest.caro.test_wasm import module


class Link(NamedTuple):
    """A symbolic link, instead of a file's content."""

    to: str


class Fifo(NamedTuple):
    """A pipe, instead of a file's content."""


class Closed(NamedTuple):
    """A folder that nobody may list, instead of a file's content."""


Content = str | bytes | Link | Fifo | Closed


class Example(NamedTuple):
    """The files of the bad and of the good example, below a folder for each."""

    bad: Mapping[str, Content]
    good: Mapping[str, Content]
    options: tuple[str, ...] = ()
    checked: str = "."
    """What `check` gets; `{}` is `bad` or `good`."""


FRONT = "---\nname: {}\ndescription: {}\n{}---\n{}"
ABOUT = "Does a thing. Use it."
KIB, MIB = 1024, 1024 * 1024
PLUGIN, MARKETPLACE = ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"


def front(more: str = "", body: str = "Do it.\n", name: str = "skill", about: str = ABOUT) -> str:
    return FRONT.format(name, about, more, body)


def contract(more: str) -> str:
    return front(f'manifest_version: "1.0"\n{more}')


LOGO = "Use [the logo](assets/logo.png).\n"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d" * 32 + "\nsize 12345\n"


def both(make: Callable[[Any], Mapping[str, Content]], bad: Any, good: Any, **more: Any) -> Example:
    """An example whose sides differ in one value."""
    return Example(make(bad), make(good), **more)


def one(path: str, content: Content) -> dict[str, Content]:
    return {path: content}


in_skill = partial(one, "skill/SKILL.md")
in_caro = partial(one, "aws/skill.toml")


def caro(
    id: str, more: str = "", version: str = "1.0.0", provides: str = "knowledge = false"
) -> str:
    return (
        f'[skill]\nid = "{id}"\nname = "A"\nversion = "{version}"\ndescription = "Lists."\n'
        f'api_version = "1.0"\n[provides]\n{provides}\n{more}'
    )


def two(first: str, second: str) -> dict[str, Content]:
    """cloud.aws and tool.kubectl in one workspace."""
    return {"cloud/aws/skill.toml": first, "tool/kubectl/skill.toml": second}


def dependency(line: str, other: str) -> Mapping[str, Content]:
    return two(caro("cloud.aws", other), caro("tool.kubectl", f"[dependencies]\n{line}\n"))


def out_of_range(line: str) -> Mapping[str, Content]:
    needs = caro("cloud.aws", f"[dependencies]\n{line}\n")
    return two(needs, caro("tool.kubectl", version="0.1.0"))


EKS = "[features]\neks = {description = 'x', default = false}\n"


def aliases(values: str) -> Mapping[str, Content]:
    return in_skill(front(f"metadata:\n{values}"))


BOMB = "  a: &a [x, x]\n" + "".join(
    f"  {name}: &{name} [*{before}, *{before}]\n"
    for before, name in zip("abcdefghij", "bcdefghijk", strict=True)
)


def here(needs: str, more: Mapping[str, Content]) -> Mapping[str, Content]:
    """A proto and the skill that it binds, which needs something."""
    return {"day.yaml": "skill: skill\n", **in_skill(contract(needs)), **more}


def with_git(version: str) -> Mapping[str, Content]:
    program = f"#!/bin/sh\necho git version {version}\n"
    needs = 'preconditions:\n  commands:\n    - {cmd: git, min_version: "2.40"}\n'
    return here(needs, {"bin/git": program})


def needing(path: str, files: Mapping[str, Content]) -> Mapping[str, Content]:
    return here(f"preconditions:\n  files:\n    - {{path: {path}, base: skill_root}}\n", files)


def options_of(words: str) -> Mapping[str, Content]:
    operation = {
        "description": "Count",
        "input": {"path": {"type": "string", "required": True, "description": "A file"}},
        "output": {"description": "x"},
        "entrypoints": json.loads(f"{{{words}}}"),
    }
    value = {
        "schema_version": "2.0", "id": "skill", "version": "1.0.0", "capabilities": [],
        "effects": [], "operations": {"count": operation},
        "stdout_contract": {"last_line_json": True},
    }  # fmt: skip
    block = f"```skill-manifest\n{json.dumps(value)}\n```\n"
    script = (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--path', required=True)\np.parse_args()\n"
    )
    return {"skill/SKILL.md": front(body=block), "skill/scripts/count.py": script}


def listing(length: int) -> Mapping[str, Content]:
    names = [f"s{number}" for number in range(20)]
    return {
        f".claude/skills/{name}/SKILL.md": front(name=name, about="d" * length) for name in names
    }


def weekly(text: str) -> Mapping[str, Content]:
    return {"skills/report/SKILL.md": front(name="report"), "skills/weekly/SKILL.md": text}


def plugin(text: str) -> Mapping[str, Content]:
    return {
        f"p/{PLUGIN}": text,
        "p/skills/review/SKILL.md": front(name="review"),
        "p/hooks/hooks.json": '{"hooks": {}}',
        "p/hooks/more.json": '{"hooks": {}}',
    }


def plugin_of(more: str) -> Mapping[str, Content]:
    return plugin(f'{{"name": "p"{more}}}')


def loose(components: str) -> Mapping[str, Content]:
    """A marketplace whose entry is not strict, and the plugin that it lists."""
    entry = {"name": "p", "source": "./p", "strict": False, "skills": ["./skills/review"]}
    market = {"name": "acme-skills", "owner": {"name": "A"}, "plugins": [entry]}
    return {MARKETPLACE: json.dumps(market), **plugin_of(components)}


def market(text: str) -> Mapping[str, Content]:
    return one(MARKETPLACE, text)


def policy(effects: str) -> Mapping[str, Content]:
    value = {
        "schema_version": "2.0", "id": "skill", "version": "1.0.0", "capabilities": [],
        "effects": json.loads(effects), "operations": {},
        "stdout_contract": {"last_line_json": True},
    }  # fmt: skip
    block = f"```skill-manifest\n{json.dumps(value)}\n```\n"
    return {"skillstudio.toml": '[policy]\neffects = ["fs.read"]\n', **in_skill(front(body=block))}


def recipe(terminal: str, command: str) -> Mapping[str, Content]:
    allowed = f"[capabilities.terminal_exec]\nallowed = true\n{terminal}\n"
    step = f"steps:\n  - id: one\n    {command}\n    confirmation: auto\n"
    return {
        "aws/skill.toml": caro("cloud.aws", allowed, provides="recipes = true"),
        "aws/recipes/a.yaml": f"id: a\nname: A\ndescription: A\n{step}",
    }


def blocked(command: str) -> Mapping[str, Content]:
    return recipe('blocked = ["rm"]', command)


def allowed(commands: str) -> Mapping[str, Content]:
    return recipe(commands, 'command: "kubectl get pods"')


def wasm(content: bytes, exported: str = "exports = []") -> Mapping[str, Content]:
    table = f'[executable]\nmodule = "bin/skill.wasm"\n{exported}\n'
    return {
        "aws/skill.toml": caro("cloud.aws", table, provides="executable = true"),
        "aws/bin/skill.wasm": content,
    }


GOOD_MODULE = module({"init": (2, 1), "shutdown": (0, 1)})


def skill_id(line: str) -> Mapping[str, Content]:
    rest = (
        '"schema_version": "v0", "version": "0.1.0", "entrypoint": {"wasm": "a.wasm"}, '
        '"description": "Adds", "inputs": {}, "outputs": {}, "caps": [], "limits": {}'
    )
    return {"a/manifest.json": f"{{{line}, {rest}}}", "a/a.wasm": b""}


def secret(more: str) -> Mapping[str, Content]:
    return in_skill(contract(f"inputs:\n  optional:\n    - {{name: a, description: d, {more}}}\n"))


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LINES = "A line of the reference.\n"

MADE: dict[str, Example] = {
    "alias-expansion": both(aliases, BOMB, "  a: [x, x]\n  b: [x, x, x, x]\n"),
    "binding-command-missing": both(
        with_git, "2.34.1", "2.43.0", options=("--here",), checked="day.yaml"
    ),
    "binding-env-missing": Example(
        here("env:\n  required:\n    - {name: NO_DEPLOY_TOKEN, description: d}\n", {}),
        here("env:\n  required:\n    - {name: DEPLOY_TOKEN, description: d}\n", {}),
        ("--here",),
        "day.yaml",
    ),
    "binding-file-missing": both(
        partial(needing, "scripts/analyze.py"),
        {},
        {"skill/scripts/analyze.py": ""},
        options=("--here",),
        checked="day.yaml",
    ),
    "body-long": Example(
        in_skill(front(body=LINES * 900)),
        {
            **in_skill(front(body="See [the reference](references/reference.md).\n")),
            "skill/references/reference.md": LINES * 900,
        },
    ),
    "control-character": both(in_caro, '[skill]\nname = "a\0b"\n', '[skill]\nname = "ab"\n'),
    "dependency-cycle": both(
        partial(dependency, '"cloud.aws" = ">=0.3"'),
        '[dependencies]\n"tool.kubectl" = ">=0.1"\n',
        '[suggests]\n"tool.kubectl" = ">=0.1"\n',
    ),
    "file-compiled": Example(
        {**in_skill(front()), "skill/scripts/__pycache__/count.cpython-311.pyc": "\0"},
        {**in_skill(front()), "skill/scripts/count.py": "print(1)\n"},
    ),
    "file-large": Example(
        in_skill(front(body=LINES * 4 * KIB)),
        {
            **in_skill(front(body="See [the details](references/a.md).\n")),
            "skill/references/a.md": LINES * 4 * KIB,
        },
    ),
    "file-lfs-pointer": Example(
        {**in_skill(front(body=LOGO)), "skill/assets/logo.png": POINTER},
        {**in_skill(front(body=LOGO)), "skill/assets/logo.png": "PNG"},
    ),
    "file-not-utf8": both(
        in_skill, front(about="Café. Use it.").encode("latin-1"), front(about="Café. Use it.")
    ),
    "file-too-large": Example(
        in_skill(front(body="word " * (3 * MIB // 5))),
        {
            **in_skill(front(body="See [a](references/a.md).\n")),
            "skill/references/a.md": "word " * (3 * MIB // 5),
        },
    ),
    "file-unreadable": both(in_skill, Fifo(), front()),
    "file-unsearched": Example(
        {**in_skill(front(body="Run scripts/a.sh.\n")), "skill/scripts/a.sh": "# x\n" * MIB},
        {**in_skill(front(body="Run scripts/a.sh.\n")), "skill/scripts/a.sh": "exec tool@1.2\n"},
        ("--select", "file-unsearched"),
    ),
    "folder-unreadable": Example({"skills": Closed()}, in_skill(front()), checked="."),
    "symlink-broken": Example(
        {**in_skill(front(body="See a.md.\n")), "skill/a.md": Link("nowhere.md")},
        {
            **in_skill(front(body="See a.md and b.md.\n")),
            "skill/a.md": Link("b.md"),
            "skill/b.md": "# B\n",
        },
    ),
    "symlink-outside": Example(
        {
            **in_skill(front(body="See references/a.md.\n")),
            "skill/references": Link("../shared"),
            "shared/a.md": "# A\n",
        },
        {**in_skill(front(body="See references/a.md.\n")), "skill/references/a.md": "# A\n"},
    ),
    "listing-budget": both(listing, 500, 300),
    "nesting-too-deep": both(aliases, f"  a: {'[' * 30_000}\n", "  a: [[1]]\n"),
    "path-link-outside": both(
        partial(needing, "scripts/run.sh"),
        {"skill/scripts": Link("/usr/local/bin")},
        {"skill/scripts/run.sh": "ls\n"},
    ),
    "plugin-components-conflict": both(loose, ', "skills": ["./skills/review"]', ""),
    "requirement-refused": Example(
        {
            **in_skill(front()),
            "skill/requirements.txt": "helper @ git+https://example.com/helper.git\n",
        },
        {**in_skill(front()), "skill/requirements.txt": "helper>=1.2\n"},
        ("--select", "requirement-refused"),
    ),
    "secret-literal": both(
        secret, f"schema: {{type: string, default: {TOKEN}}}", "sensitive: true"
    ),
    "skill-flat": Example(
        {".claude/skills/review.md": front()},
        {".claude/skills/review/SKILL.md": front(name="review")},
    ),
    "settings-folder-unmatched": Example(
        {
            "skill/SKILL.md": front(),
            "skillstudio.toml": "[[folder]]\npath = 'skil'\ntargets = []\n",
        },
        {
            "skill/SKILL.md": front(),
            "skillstudio.toml": "[[folder]]\npath = 'skill'\ntargets = []\n",
        },
    ),
    "settings-in-skill": Example(
        {"skill/SKILL.md": front(), "skill/skillstudio.toml": "", "skillstudio.toml": ""},
        {"skill/SKILL.md": front(), "skillstudio.toml": ""},
    ),
    "skill-unfound": Example(
        {".claude/skills/review/python/SKILL.md": front(name="python")},
        {".claude/skills/review-python/SKILL.md": front(name="review-python")},
    ),
    "skill-name-repeated": both(weekly, front(name="report"), front(name="weekly")),
    "skill-missing": Example({"LICENSE": "MIT\n"}, in_skill(front()), checked="{}"),
    "target-partial": both(
        lambda length: in_skill(front(about="d" * length)),
        1_600,
        1_000,
        options=("--target", "claude-code"),
    ),
    "target-refused": both(
        lambda more: in_skill(front(more)),
        'manifest_version: "1.0"\n',
        'license: MIT\ncompatibility: git\nallowed-tools: Read\nmetadata: {a: "b"}\n',
        options=("--target", "claude-upload"),
    ),
    "wasm-export-type": Example(
        wasm(module({"init": (0, 0), "shutdown": (0, 1)})), wasm(GOOD_MODULE)
    ),
    "wasm-invalid": both(wasm, b"a text\n", GOOD_MODULE),
}
"""The examples that `explain` describes in words."""

Quoted = Callable[[str], Mapping[str, Content]]
QUOTED: dict[str, Quoted] = {
    "command-options-differ": options_of,
    "dependency-feature-missing": lambda line: two(
        caro("cloud.aws", EKS), caro("tool.kubectl", f"[dependencies]\n{line}\n")
    ),
    "dependency-out-of-range": out_of_range,
    "marketplace-name-reserved": market,
    "plugin-hooks-duplicate": lambda text: plugin_of(f", {text}" if text.startswith('"') else ""),
    "plugin-name-format": plugin,
    "plugin-path-form": plugin,
    "plugin-skill-missing": plugin,
    "policy-exceeded": lambda text: policy(text.removeprefix("effects: ")),
    "recipe-command-blocked": blocked,
    "recipe-command-not-allowed": lambda text: allowed(text.partition(" with ")[2]),
    "skill-id-format": lambda text: skill_id(text.strip()),
    "value-format": lambda line: in_caro(caro("cloud.aws").replace('api_version = "1.0"', line)),
    "wasm-export-missing": partial(wasm, GOOD_MODULE),
}
"""The examples that `explain` quotes, before words that start with one of REMARKS."""
REMARKS = (" for ", " next to ", ", where ", " with blocked", ", and ")
