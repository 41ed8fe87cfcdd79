"""The clients themselves, asked which skills of a project they load.

The environment names what is at hand: SKILLSTUDIO_CODEX, SKILLSTUDIO_OPENCODE and
SKILLSTUDIO_COPILOT the executables, SKILLSTUDIO_CLINE_CORE, SKILLSTUDIO_GEMINI_CORE,
SKILLSTUDIO_PI, SKILLSTUDIO_QWEN and SKILLSTUDIO_OPENCLAW the folders of the npm packages
`@cline/core`, `@google/gemini-cli-core`, `@mariozechner/pi-coding-agent`, `@qwen-code/qwen-code`
and `openclaw`, SKILLSTUDIO_HERMES the folder with the files of the PyPI package `hermes-agent`, and
SKILLSTUDIO_NODE the Node.js for the others. They run in bwrap without network, in a home of their
own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

VARIABLES = {
    "codex": "SKILLSTUDIO_CODEX",
    "opencode": "SKILLSTUDIO_OPENCODE",
    "cline": "SKILLSTUDIO_CLINE_CORE",
    "gemini-cli": "SKILLSTUDIO_GEMINI_CORE",
    "pi": "SKILLSTUDIO_PI",
    "qwen": "SKILLSTUDIO_QWEN",
    "openclaw": "SKILLSTUDIO_OPENCLAW",
    "copilot-cli": "SKILLSTUDIO_COPILOT",
    "hermes": "SKILLSTUDIO_HERMES",
}

_OPENCODE = """
import json, subprocess, sys, time, urllib.parse, urllib.request
at = "http://127.0.0.1:4797"
command = [sys.argv[1], "serve", "--port", "4797", "--hostname", "127.0.0.1"]
server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for _ in range(150):
    try:
        urllib.request.urlopen(at + "/path", timeout=5).read()
        break
    except OSError:
        time.sleep(0.2)
found = []
for project in json.load(sys.stdin):
    url = at + "/skill?directory=" + urllib.parse.quote(project)
    found.append([
        {"name": each["name"], "description": each.get("description"), "path": each["location"]}
        for each in json.loads(urllib.request.urlopen(url, timeout=60).read())
        if each["location"] != "<built-in>"
    ])
server.kill()
print(json.dumps(found))
"""
_NODE = """
import fs from "node:fs";
import path from "node:path";
const core = process.argv[1];
const found = [];
for (const project of JSON.parse(fs.readFileSync(0, "utf8"))) found.push(await ask(project));
const data = "\\n" + JSON.stringify(found);
await new Promise((done) => process.stdout.write(data, done));
process.exit(0);
"""
_CLINE = (
    _NODE
    + """
async function ask(project) {
  const cline = await import(core + "/dist/index.js");
  const skills = cline.createSkillsConfigDefinition({ workspacePath: project });
  const watcher = new cline.UnifiedConfigFileWatcher([skills]);
  await watcher.refreshAll();
  return [...watcher.getSnapshot("skill").values()]
    .filter((each) => !each.item.disabled && each.filePath.startsWith(project + "/"))
    .map(({ item, filePath }) => ({
      name: item.name, description: (item.description ?? "").slice(0, 60), path: filePath,
    }));
}
"""
)
_GEMINI = (
    _NODE
    + """
async function ask(project) {
  const gemini = await import(core + "/dist/src/skills/skillLoader.js");
  const found = [];
  for (const root of [".gemini/skills", ".agents/skills"])
    found.push(...(await gemini.loadSkillsFromDir(path.join(project, root))));
  return found.map((each) => ({
    name: each.name, description: each.description.slice(0, 60), path: each.location,
  }));
}
"""
)
_PI = (
    _NODE
    + """
async function ask(project) {
  const pi = await import(core + "/dist/index.js");
  const loader = new pi.DefaultResourceLoader({ cwd: project, agentDir: "/tmp/agent" });
  await loader.reload();
  return loader.getSkills().skills.map((each) => ({
    name: each.name, path: each.filePath,
    description: each.disableModelInvocation ? "" : each.description.slice(0, 60),
  }));
}
"""
)
_QWEN = (
    _NODE
    + """
function exportsManager(file) {
  return /^export \\{[^}]*\\bSkillManager,/m.test(fs.readFileSync(file, "utf8"));
}
async function ask(project) {
  const chunks = fs.readdirSync(path.join(core, "chunks")).filter((name) => name.endsWith(".js"));
  const files = chunks.map((name) => path.join(core, "chunks", name));
  const qwen = await import((globalThis.manager ??= files.find(exportsManager)));
  const manager = new qwen.SkillManager({
    getProjectRoot: () => project, getBareMode: () => false, getActiveExtensions: () => [],
  });
  return (await manager.listSkillsAtLevel("project")).map((each) => ({
    name: each.name, path: each.filePath,
    description: each.disableModelInvocation ? "" : each.description.slice(0, 60),
  }));
}
"""
)
_OPENCLAW = (
    _NODE
    + """
async function ask(project) {
  const dist = path.join(core, "dist");
  const file = fs.readdirSync(dist).find((name) => name.startsWith("workspace-skill-loader-"));
  const loader = await import(path.join(dist, file));
  const load = Object.values(loader).find((exported) => exported.name === "loadVisibleSkills");
  return load(project, {}).filter(({ skill }) => skill.source === "agents-skills-project").map(
    ({ skill }) => ({
      name: skill.name, path: skill.filePath,
      description: skill.disableModelInvocation ? "" : skill.description.slice(0, 60),
    }),
  );
}
"""
)
_SCRIPTS = {
    "cline": _CLINE, "gemini-cli": _GEMINI, "openclaw": _OPENCLAW, "pi": _PI, "qwen": _QWEN,
}  # fmt: skip
_COPILOT = """
import json, subprocess, sys
found = []
for project in json.load(sys.stdin):
    command = [sys.argv[1], "skill", "list", "--json"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    found.append([
        {"name": each["name"], "description": each["description"], "path": each["path"]}
        for each in json.loads(done.stdout) if each["source"] != "builtin"
    ])
print(json.dumps(found))
"""
_HERMES = """
import json, pathlib, sys
sys.path.insert(0, sys.argv[1])
from agent.prompt_builder import _build_snapshot_entry, _parse_skill_file
from agent.skill_utils import iter_skill_index_files
found = []
for project in json.load(sys.stdin):
    root, skills = pathlib.Path(project, ".agents", "skills"), []
    for file in iter_skill_index_files(root, "SKILL.md"):
        _, front, text = _parse_skill_file(file)
        entry = _build_snapshot_entry(file, root, front, text)
        name = entry["frontmatter_name"]
        skills.append({"name": name, "description": text, "path": str(file)})
    found.append(skills)
print(json.dumps(found))
"""
_PYTHON_SCRIPTS = {"opencode": _OPENCODE, "copilot-cli": _COPILOT, "hermes": _HERMES}


def at_hand(target: str) -> str | None:
    """The program of a target; None without it or without a sandbox to run it in."""
    named = os.environ.get(VARIABLES[target])
    return named if named and Path(named).exists() and shutil.which("bwrap") else None


def ask(target: str, projects: Sequence[Path], home: Path) -> list[list[dict[str, str]]]:
    """The name, description and path of the skills that a client loads in each project."""
    at = at_hand(target)
    assert at is not None
    names = [str(each) for each in projects]
    if target == "codex":
        return _codex(at, names, home)
    if target in _PYTHON_SCRIPTS:
        command = [sys.executable, "-c", _PYTHON_SCRIPTS[target], at]
    else:
        node = os.environ.get("SKILLSTUDIO_NODE", "node")
        command = [node, "--input-type=module", "-e", _SCRIPTS[target], "--", at]
    done = subprocess.run(
        boxed(at, command, home),
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=True,
    )
    return _kept(json.loads(done.stdout.strip().rpartition("\n")[2]))


def boxed(at: str, command: list[str], home: Path) -> list[str]:
    """A command without network that writes only to the folder around `home`, and to its /tmp."""
    variables = {"HOME": str(home), "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    for each in ("CONFIG", "DATA", "CACHE", "STATE"):
        variables[f"XDG_{each}_HOME"] = str(home / each.lower())
    home.mkdir(exist_ok=True)
    program = str(Path(at).parent).partition("/node_modules/")[0]
    box = ["bwrap", "--unshare-net", "--unshare-pid", "--die-with-parent", "--ro-bind", "/", "/"]
    box += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--ro-bind", program, program]
    box += ["--bind", str(home.parent), str(home.parent), "--chdir", str(home)]
    for name, value in variables.items():
        box += ["--setenv", name, value]
    return box + command


def _codex(at: str, projects: list[str], home: Path) -> list[list[dict[str, str]]]:
    server = subprocess.Popen(
        boxed(at, [at, "app-server"], home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    client = {"clientInfo": {"name": "probe", "title": "probe", "version": "1"}}
    _request(server.stdin, server.stdout, 1, "initialize", client)
    print(json.dumps({"method": "initialized"}), file=server.stdin, flush=True)
    asked = {"cwds": projects, "forceReload": True}
    answer = _request(server.stdin, server.stdout, 2, "skills/list", asked)
    server.kill()
    server.wait()
    found = {each["cwd"]: each["skills"] for each in answer["data"]}
    return _kept(
        [[each for each in found[project] if each["scope"] == "repo"] for project in projects]
    )


def _request(to: IO[str], of: IO[str], id: int, method: str, params: Any) -> Any:
    print(json.dumps({"id": id, "method": method, "params": params}), file=to, flush=True)
    for line in of:
        message = json.loads(line)
        if message.get("id") == id:
            return message["result"]
    raise EOFError(f"no answer to {method}")


def _kept(found: list[list[dict[str, Any]]]) -> list[list[dict[str, str]]]:
    keys = ("name", "description", "path")
    return [
        [{key: (each.get(key) or "")[:4096] for key in keys} for each in some] for some in found
    ]
