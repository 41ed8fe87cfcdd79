/** Which program starts skillstudio. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseCommand, type Machine } from "../src/command";

const UVX = ["--from", "skillstudio[lsp]", "skillstudio"];

interface Case {
  name: string;
  setting?: string[];
  files?: string[];
  path?: string;
  windows?: boolean;
  untrusted?: boolean;
  folders?: string[];
  expected: string[] | undefined;
}

const everything = ["/ws/.venv/bin/skillstudio", "/usr/bin/skillstudio", "/usr/bin/uvx"];
const cases: Case[] = [
  { name: "nothing", expected: undefined },
  { name: "the setting before all", setting: ["/opt/s", "-x"], files: everything, expected: ["/opt/s", "-x"] },
  { name: "the environment before the PATH", files: everything, expected: [everything[0]!] },
  { name: "the environment venv", files: ["/ws/venv/bin/skillstudio"], expected: ["/ws/venv/bin/skillstudio"] },
  {
    name: "the environment of the second folder", folders: ["/one", "/two"],
    files: ["/two/.venv/bin/skillstudio"], expected: ["/two/.venv/bin/skillstudio"],
  },
  { name: "the PATH before uvx", files: everything.slice(1), expected: ["/usr/bin/skillstudio"] },
  { name: "uvx", files: ["/usr/bin/uvx"], expected: ["/usr/bin/uvx", ...UVX] },
  {
    name: "the first folder of the PATH", path: "/a:/usr/bin", files: ["/a/skillstudio", "/usr/bin/skillstudio"],
    expected: ["/a/skillstudio"],
  },
  { name: "no relative folder of the PATH", path: ".::bin", files: ["skillstudio", "bin/skillstudio"], expected: undefined },
  { name: "untrusted: no environment", untrusted: true, files: everything, expected: ["/usr/bin/skillstudio"] },
  {
    name: "untrusted: no program in the workspace", untrusted: true, path: "/ws/.venv/bin:/ws/tools:/usr/bin",
    files: ["/ws/.venv/bin/skillstudio", "/ws/tools/uvx", "/usr/bin/uvx"], expected: ["/usr/bin/uvx", ...UVX],
  },
  {
    name: "untrusted: a folder with a similar name is another", untrusted: true, path: "/ws-tools",
    files: ["/ws-tools/skillstudio"], expected: ["/ws-tools/skillstudio"],
  },
  {
    name: "Windows", windows: true, path: "C:\\bin", folders: ["C:\\ws"],
    files: ["C:\\ws\\.venv\\Scripts\\skillstudio.exe"], expected: ["C:\\ws\\.venv\\Scripts\\skillstudio.exe"],
  },
  {
    name: "Windows: the PATH", windows: true, path: "rel;C:\\bin", folders: ["C:\\ws"],
    files: ["C:\\bin\\skillstudio.exe"], expected: ["C:\\bin\\skillstudio.exe"],
  },
  {
    name: "Windows, untrusted", windows: true, untrusted: true, path: "C:\\ws\\bin", folders: ["c:\\WS"],
    files: ["C:\\ws\\bin\\skillstudio.exe"], expected: undefined,
  },
];

for (const example of cases) {
  test(example.name, () => {
    const machine: Machine = {
      platform: example.windows ? "win32" : "linux",
      env: { [example.windows ? "Path" : "PATH"]: example.path ?? "/usr/bin" },
      isExecutable: (file) => (example.files ?? []).includes(file),
    };
    const chosen = chooseCommand(example.setting ?? [], example.folders ?? ["/ws"], !example.untrusted, machine);
    assert.deepEqual(chosen && [chosen.program, ...chosen.args], example.expected);
  });
}
