/** Activation, the commands, and the real server through the bundled extension. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { contributes, version } from "../package.json";
import { load, Range, Uri, Window } from "./vscode";

/** The server to try, as a JSON list of words; without it those tests are skipped. */
const SERVER = JSON.parse(process.env["SKILLSTUDIO_COMMAND"] ?? "[]") as string[];
const needsServer = { skip: SERVER.length === 0 && "SKILLSTUDIO_COMMAND is not set", timeout: 120_000 };
const folder = mkdtempSync(path.join(tmpdir(), "skill studio-"));
after(() => rmSync(folder, { recursive: true }));
const NOWHERE = ["/nowhere/skillstudio"];
const COLON = "---\nname: tea\ndescription: Makes tea: when asked.\n---\nMake tea.\n";
/** A skill with an operation, from the project's examples. */
const MEMORY = path.resolve("../../examples/memory/SKILL.md");
/** A skill on disk; its path has a space. */
const SKILL = write("a skill/SKILL.md", COLON);
const NOTES = write("notes/notes.md", "text");

/** A program that answers questions about a skill with these operations, and is a language server. */
function studio(...operations: object[]): string[] {
  const templates = [{ name: "plain", description: "One file", dialect: "agent-skills" }];
  const initialized = {
    serverInfo: { name: "skillstudio", version: "0.0.7.dev1" },
    capabilities: { executeCommandProvider: { commands: ["skillstudio.compare", "skillstudio.other"] } },
  };
  const program = `
    const [verb] = process.argv.slice(2);
    if (verb !== "lsp") {
      console.log(JSON.stringify(verb === "new" ? ${JSON.stringify({ templates })} : ${JSON.stringify({ operations })}));
      process.exit();
    }
    let text = "";
    process.stdin.on("data", (part) => {
      text += part;
      for (let match; (match = /^Content-Length: (\\d+)\\r\\n\\r\\n/.exec(text)); ) {
        const end = match[0].length + Number(match[1]);
        if (text.length < end) break;
        const { id, method } = JSON.parse(text.slice(match[0].length, end));
        text = text.slice(end);
        if (method === "exit") process.exit();
        if (id === undefined) continue;
        const result = method === "initialize" ? ${JSON.stringify(initialized)} : null;
        const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
        process.stdout.write("Content-Length: " + answer.length + "\\r\\n\\r\\n" + answer);
      }
    });
  `;
  return [process.execPath, write("studio.js", program)];
}

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function activated(window: Window, run: () => Promise<void>, own = version): Promise<void> {
  const extension = load(window);
  const context = {
    subscriptions: [] as { dispose(): void }[],
    extensionPath: folder,
    extension: { packageJSON: { version: own } },
  };
  try {
    await extension.activate(context);
    await run();
  } finally {
    await extension.deactivate();
    context.subscriptions.forEach((subscription) => subscription.dispose());
  }
}

test("the manifest's commands are registered, and no others", async () => {
  const window = new Window();
  await activated(window, async () => {
    const commands = contributes.commands.map(({ command }) => command);
    assert.deepEqual([...window.commands.keys()].sort(), commands.sort());
  });
});

test("menus and the walkthrough name commands that exist", () => {
  const commands = new Set(contributes.commands.map(({ command }) => command));
  const items = Object.values(contributes.menus).flat() as { command?: string; submenu?: string }[];
  for (const { command, submenu } of items) {
    assert.ok(command ? commands.has(command) : contributes.submenus.some(({ id }) => id === submenu));
  }
  for (const { description, media } of contributes.walkthroughs[0]!.steps) {
    for (const [, command] of description.matchAll(/\(command:([^)]+)\)/g)) {
      assert.ok(commands.has(command!), command);
    }
    assert.match(readFileSync(media.markdown, "utf8"), /^## /);
  }
});

test("the server does not start for a workspace without skills, nor does its client load", async () => {
  const window = new Window();
  window.setting.user = NOWHERE;
  await activated(window, async () => {
    window.open(path.join(folder, "README.md"), "# Read me\n");
    window.open(path.join(folder, "manifest.json"), "{}", "json");
    assert.equal(window.status.text, "skillstudio: not started");
    assert.deepEqual(window.errors, []);
    assert.ok(!window.members.has("Diagnostic"));
    window.open(SKILL, COLON);
    await window.until(() => window.status.text === "skillstudio: failed");
    assert.ok(window.members.has("Diagnostic"));
  });
});

test("a program that does not exist is reported with the setting that names it", async () => {
  const window = new Window();
  window.files = [Uri.file("/ws/SKILL.md")];
  window.setting.user = NOWHERE;
  await activated(window, async () => {
    assert.equal(window.status.text, "skillstudio: failed");
    assert.equal(window.errors.length, 1);
    assert.match(window.errors[0]!, /setting skillstudio\.command.*nowhere/s);
  });
});

test("a program that ends at once is reported once, with the last line that it wrote", async () => {
  const window = new Window();
  window.files = [Uri.file("/ws/SKILL.md")];
  const program = "console.error('a warning\\nskillstudio: pygls is not installed'); process.exit(3)";
  window.setting.user = [process.execPath, "-e", program];
  await activated(window, async () => {
    assert.equal(window.status.text, "skillstudio: failed");
    assert.equal(window.status.detail, "skillstudio: pygls is not installed");
    assert.deepEqual(window.errors, [
      "skillstudio (from the setting skillstudio.command) did not start: skillstudio: pygls is not installed",
    ]);
    assert.ok(window.log.some((line) => line.includes("a warning")));
    assert.equal(window.contexts.get("skillstudio.isRunning"), false);
  });
});

test("an untrusted workspace neither chooses the program nor starts one", async () => {
  const window = new Window();
  window.isTrusted = false;
  window.files = [Uri.file("/ws/SKILL.md")];
  window.folders = [folder];
  window.setting = { workspace: ["/ws/evil"], user: NOWHERE };
  await activated(window, async () => {
    assert.match(window.errors.join(), /nowhere/);
    assert.doesNotMatch(window.errors.join() + window.log.join(), /evil/);
    window.open(SKILL, COLON);
    const enabled = contributes.commands.filter((command) => "enablement" in command);
    assert.equal(enabled.length, 6);
    for (const { command, enablement } of enabled) {
      assert.equal(enablement, "isWorkspaceTrusted");
      await window.run(command);
      assert.match(window.errors.at(-1)!, /untrusted workspace/, command);
    }
    const provider = window.providers.get("task skillstudio");
    assert.deepEqual(provider.provideTasks(), []);
    assert.equal(provider.resolveTask({ definition: { type: "skillstudio", command: "check" } }), undefined);
    assert.deepEqual([window.tasks, window.terminals, window.questions], [[], [], []]);
  });
});

test("jobs name what is missing", async () => {
  const window = new Window();
  window.setting.user = studio();
  await activated(window, async () => {
    for (const [command, message] of [
      ["dryRunOperation", "Open a file of a skill first."],
      ["previewOutputs", "Open a file of a skill first."],
      ["compareVersions", "Open a file of a skill first."],
      ["openWorkbench", "Open a folder first."],
      ["checkWorkspace", "Open a folder first."],
    ]) {
      await window.run(`skillstudio.${command}`);
      assert.equal(window.errors.at(-1), message, command);
    }
    window.open(NOTES, "text");
    for (const command of ["dryRunOperation", "previewOutputs", "compareVersions"]) {
      await window.run(`skillstudio.${command}`);
      assert.match(window.errors.at(-1)!, /belongs to no skill/, command);
    }
    await window.run("skillstudio.dryRunOperation", Uri.file(SKILL));
    assert.equal(window.errors.at(-1), "The skill a skill declares no operation.");
    window.setting.user = [process.execPath, "-e", "console.error('SKILL.md: unreadable'); process.exit(2)"];
    await window.run("skillstudio.dryRunOperation", Uri.file(SKILL));
    assert.match(window.errors.at(-1)!, /cannot read .*a skill: SKILL.md: unreadable$/);
    assert.deepEqual(window.tasks, []);
  });
});

test("an operation runs without a shell, confined, with its required inputs", async () => {
  const window = new Window();
  const cups = { name: "cups", required: true, sensitive: false, schema: { type: "integer" } };
  const inputs = [cups, { ...cups, name: "milk", required: false }, { ...cups, name: "key", sensitive: true }];
  const command = studio({ name: "count; rm -rf /", inputs }, { name: "other", inputs: [] });
  window.setting.user = command;
  await activated(window, async () => {
    const uri = Uri.file(SKILL);
    window.answers = ["count; rm -rf /", "$(3)"];
    await window.run("skillstudio.dryRunOperation", uri);
    const { definition, execution } = window.tasks[0]!;
    assert.equal(execution.process, process.execPath);
    assert.deepEqual(execution.args, [
      command[1], "run", "--require-isolation", "confined", "--no-pager", "--input", "cups=$(3)",
      path.dirname(SKILL), "count; rm -rf /",
    ]);
    // VS Code needs the keys of the definition that the manifest requires.
    assert.equal(definition.command, "run");
    window.answers = ["other"];
    await window.run("skillstudio.previewOutputs", uri);
    assert.deepEqual(window.tasks[1]!.execution.args.slice(1), [
      "preview", "--no-pager", path.dirname(SKILL), "other",
    ]);
    window.answers = ["count; rm -rf /", undefined];
    await window.run("skillstudio.dryRunOperation", uri);
    window.answers = [undefined];
    await window.run("skillstudio.previewOutputs", uri);
    assert.equal(window.tasks.length, 2);
    assert.deepEqual(window.errors, []);
  });
});

test("values that begin with a hyphen are refused", async () => {
  const window = new Window();
  await activated(window, async () => {
    const uri = Uri.file(SKILL);
    window.setting.user = studio({ name: "--yes", inputs: [] });
    await window.run("skillstudio.dryRunOperation", uri);
    assert.equal(window.errors.at(-1), 'An operation must not begin with "-": --yes');
    window.setting.user = studio({
      name: "run", inputs: [{ name: "-x", required: true, sensitive: false }],
    });
    window.answers = ["3"];
    await window.run("skillstudio.previewOutputs", uri);
    assert.equal(window.errors.at(-1), 'The name of an input must not begin with "-": -x');
    window.answers = ["--output-file=/x"];
    await window.run("skillstudio.compareVersions", uri);
    assert.equal(window.errors.at(-1), 'A version must not begin with "-": --output-file=/x');
    window.answers = ["plain", "-x"];
    await window.run("skillstudio.newSkill", Uri.file(folder));
    assert.deepEqual(window.tasks, []);
  });
});

test("versions are compared with the last one, or with one that is entered", async () => {
  const window = new Window();
  window.setting.user = studio();
  await activated(window, async () => {
    const skill = path.dirname(SKILL);
    for (const [answer, versions] of [["", [skill]], ["v1.0", [`${skill}@v1.0`, skill]]] as const) {
      window.answers = [answer];
      await window.run("skillstudio.compareVersions", Uri.file(SKILL));
      assert.deepEqual(window.tasks.at(-1)!.execution.args.slice(1), ["diff", "--no-pager", ...versions]);
    }
    window.answers = [undefined];
    await window.run("skillstudio.compareVersions", Uri.file(SKILL));
    assert.equal(window.tasks.length, 2);
  });
});

test("the workbench opens in an editor: for the skill, else for the workspace", async () => {
  const window = new Window();
  window.setting.user = ["/opt/uvx", "skillstudio"];
  window.folders = [folder];
  await activated(window, async () => {
    window.open(NOTES, "text");
    await window.run("skillstudio.openWorkbench");
    await window.run("skillstudio.openWorkbench", Uri.file(SKILL));
    const [first, second] = window.terminals;
    assert.deepEqual(first.options.shellArgs, ["skillstudio", "open", folder]);
    assert.deepEqual(second.options.shellArgs, ["skillstudio", "open", SKILL]);
    assert.equal(second.options.shellPath, "/opt/uvx");
    assert.equal(second.options.location, 2);
    assert.ok(second.isVisible);
  });
});

test("a skill is created in a terminal, and opened if this succeeds", async () => {
  const window = new Window();
  window.setting.user = studio();
  await activated(window, async () => {
    const created = path.join(folder, "skills/new-tea");
    window.answers = ["plain", "skills/new-tea"];
    window.exitCode = 1;
    await window.run("skillstudio.newSkill", Uri.file(folder));
    assert.deepEqual(window.tasks[0]!.execution.args.slice(1), ["new", "plain", created]);
    assert.deepEqual(window.shown, []);
    // The folder that exists now is refused, as is a name that no skill can have.
    write("skills/new-tea/SKILL.md", COLON);
    for (const name of ["skills/new-tea", "New Tea", "", "tea "]) {
      window.answers = ["plain", name];
      await window.run("skillstudio.newSkill", Uri.file(folder));
    }
    assert.equal(window.tasks.length, 1);
    window.exitCode = 0;
    window.folders = [path.join(folder, "skills")];
    window.answers = ["plain", "other"];
    window.runTask = () => void write("skills/other/SKILL.md", COLON);
    await window.run("skillstudio.newSkill");
    assert.deepEqual(window.shown.map(({ fsPath }) => fsPath), [path.join(folder, "skills/other/SKILL.md")]);
  });
});

test("tasks check each folder, and tasks.json can add arguments", async () => {
  const window = new Window();
  window.setting.user = ["/opt/uvx", "skillstudio"];
  window.folders = [folder, path.dirname(SKILL)];
  await activated(window, async () => {
    await window.run("skillstudio.checkWorkspace");
    assert.deepEqual(window.tasks.map(({ execution }) => execution.options.cwd), window.folders);
    for (const { definition, execution, name, problemMatchers } of window.tasks) {
      assert.deepEqual(execution.args, ["skillstudio", "check", "--no-pager"]);
      assert.deepEqual([definition.command, name, problemMatchers], ["check", "check", ["$skillstudio"]]);
    }
    const provider = window.providers.get("task skillstudio");
    const definition = { type: "skillstudio", command: "check", args: ["--target", "codex"] };
    const task = provider.resolveTask({ definition, scope: 2 });
    assert.equal(task.definition, definition);
    assert.deepEqual(task.execution.args.slice(2), ["--no-pager", "--target", "codex"]);
    assert.equal(provider.resolveTask({ definition: { ...definition, command: "run" } }), undefined);
  });
});

test("a rule is explained only if it can be the name of one", async () => {
  const window = new Window();
  await activated(window, async () => {
    window.answers = ["--help", "name-format"];
    await window.run("skillstudio.explainRule");
    assert.match(window.errors.at(-1)!, /not the name of a rule/);
    await window.run("skillstudio.explainRule");
    assert.deepEqual(window.shown.map(String), ["skillstudio-rule:///name-format.txt"]);
  });
});

test("the problem matcher reads the output of check", needsServer, () => {
  write("check/tea/SKILL.md", "---\nname: Tea\ndescription: Use when: asked\nfoo: 1\n---\n");
  write("check/with space/SKILL.md", "---\nname: with space\n---\n");
  const check = (...options: string[]): string => {
    const [program, ...args] = SERVER;
    const words = [...args, "check", "--no-pager", "--strict", ...options];
    return spawnSync(program!, words, { cwd: path.join(folder, "check"), encoding: "utf8" }).stdout;
  };
  const [{ pattern, ...matcher }] = contributes.problemMatchers as [any];
  assert.deepEqual([matcher.name, matcher.owner], ["skillstudio", "skillstudio"]);
  const expression = new RegExp(pattern.regexp);
  const rows = check().split("\n").map((line) => expression.exec(line)).filter((match) => match !== null);
  const { skills } = JSON.parse(check("--format", "json")) as any;
  const problems = skills.flatMap(({ diagnostics }: any) => diagnostics);
  assert.ok(rows.length >= 4);
  assert.equal(rows.length, problems.length);
  const colon = rows.find((row) => row[pattern.code] === "description-unquoted")!;
  assert.deepEqual(
    ["file", "line", "column", "severity"].map((name) => colon[pattern[name]]),
    ["./tea/SKILL.md", "3", "22", "error"],
  );
  assert.match(colon[pattern.message]!, /^unquoted `: `/);
  assert.ok(rows.some((row) => row[pattern.file] === "./with space/SKILL.md"));
});

test("the real server reports a colon, explains its rule, and restarts", needsServer, async () => {
  const window = new Window();
  window.setting.user = SERVER;
  const skill = path.join(folder, "tea", "SKILL.md");
  mkdirSync(path.dirname(skill));
  writeFileSync(skill, COLON);
  await activated(window, async () => {
    assert.equal(window.status.text, "skillstudio: not started");
    const { uri } = window.open(skill, COLON);
    const problems = () => window.diagnostics.get(uri.toString()) ?? [];
    await window.until(() => problems().length > 0);
    assert.equal(window.status.text, "skillstudio: running");
    assert.equal(window.status.detail, `${version} from ${SERVER[0]} (the setting skillstudio.command)`);
    assert.equal(window.contexts.get("skillstudio.isRunning"), true);
    const [problem] = problems();
    assert.match(problem!.message, /unquoted `: `/);
    assert.deepEqual([problem!.range.start.line, problem!.source], [2, "skillstudio"]);
    window.selection = new Range(2, 0, 2, 99);
    await window.run("skillstudio.explainRule");
    assert.deepEqual(window.shown.map(String), ["skillstudio-rule:///description-unquoted.txt"]);
    const text = await window.providers.get("skillstudio-rule").provideTextDocumentContent(window.shown[0]);
    assert.match(text, /description-unquoted/);
    await window.run("skillstudio.restart");
    window.diagnostics.clear();
    window.fire("onDidOpenTextDocument", window.documents[0]);
    await window.until(() => problems().length > 0);
    assert.equal(window.status.text, "skillstudio: running");
  });
  assert.equal(window.status.text, "skillstudio: stopped");
  assert.deepEqual([window.errors, window.warnings], [[], []]);
});

test("a code lens of the real server runs its operation in a terminal", needsServer, async () => {
  const window = new Window();
  window.setting.user = SERVER;
  await activated(window, async () => {
    const document = window.open(MEMORY, readFileSync(MEMORY, "utf8"));
    await window.until(() => window.providers.has("CodeLens"));
    const lenses = await window.providers.get("CodeLens").provideCodeLenses(document, {
      isCancellationRequested: false, onCancellationRequested: () => undefined,
    });
    const commands = lenses.map((lens: any) => lens.command).filter((command: any) => command?.command);
    const names = new Set<string>(commands.map(({ command }: any) => command));
    assert.ok(names.has("skillstudio.dryRun") && names.has("skillstudio.targets"));
    const lens = commands.find(({ arguments: [, operation] }: any) => operation === "search");
    window.answers = ["green tea"];
    await window.run(lens.command, ...lens.arguments);
    assert.deepEqual(window.tasks[0]!.execution.args, [
      ...SERVER.slice(1), "run", "--require-isolation", "confined", "--no-pager", "--input", "query=green tea",
      path.dirname(MEMORY), "search",
    ]);
    const targets = commands.find(({ command }: any) => command === "skillstudio.targets");
    await window.run(targets.command, ...targets.arguments);
    await window.until(() => window.log.some((line) => line.includes("target")));
  });
  assert.deepEqual(window.errors, []);
});

test("an older server is reported once, with its program and what to do", async () => {
  const window = new Window();
  window.setting.user = studio();
  window.files = [Uri.file(SKILL)];
  await activated(window, async () => {
    assert.equal(window.status.detail, `0.0.7.dev1 from ${process.execPath} (the setting skillstudio.command)`);
    await window.run("skillstudio.restart");
    assert.equal(window.warnings.length, 1);
    for (const part of ["0.0.7.dev1", "9.1.0-beta", process.execPath, "pip install -U 'skillstudio[lsp]'"]) {
      assert.ok(window.warnings[0]!.includes(part), part);
    }
  }, "9.1.0-beta");
  assert.deepEqual(window.errors, []);
});

test("a server of the same minor version is not reported", async () => {
  const window = new Window();
  window.setting.user = studio();
  window.files = [Uri.file(SKILL)];
  await activated(window, async () => {
    assert.equal(window.status.text, "skillstudio: running");
  }, "0.0.9");
  assert.deepEqual([window.warnings, window.errors], [[], []]);
});

test("the lens of a breaking change compares the skill with its last version", async () => {
  const window = new Window();
  window.setting.user = studio();
  window.files = [Uri.file(SKILL)];
  await activated(window, async () => {
    await window.run("skillstudio.compare", Uri.file(SKILL).toString());
    await window.run("skillstudio.other", Uri.file(SKILL).toString());
    assert.equal(window.tasks.length, 1);
    assert.deepEqual(window.tasks[0]!.execution.args.slice(1), ["diff", "--no-pager", path.dirname(SKILL)]);
  });
  assert.deepEqual(window.errors, []);
});
