/** Activation, the commands, and the real server through the bundled extension. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { contributes } from "../package.json";
import { load, Range, Uri, Window } from "./vscode";

/** The server to try, as a JSON list of words; without it those tests are skipped. */
const SERVER = JSON.parse(process.env["SKILLSTUDIO_COMMAND"] ?? "[]") as string[];
const needsServer = { skip: SERVER.length === 0 && "SKILLSTUDIO_COMMAND is not set", timeout: 120_000 };
const folder = mkdtempSync(path.join(tmpdir(), "skillstudio-"));
after(() => rmSync(folder, { recursive: true }));
const NOWHERE = ["/nowhere/skillstudio"];
const COLON = "---\nname: tea\ndescription: Makes tea: when asked.\n---\nMake tea.\n";
/** A skill with an operation, from the project's examples. */
const MEMORY = path.resolve("../../examples/memory/SKILL.md");

async function activated(window: Window, run: () => Promise<void>): Promise<void> {
  const extension = load(window);
  const context = { subscriptions: [] as { dispose(): void }[], extensionPath: folder };
  try {
    await extension.activate(context);
    await run();
  } finally {
    await extension.deactivate();
    context.subscriptions.forEach((each) => each.dispose());
  }
}

test("the manifest's commands are registered, and no others", async () => {
  const window = new Window();
  await activated(window, async () => {
    assert.deepEqual([...window.commands.keys()].sort(), contributes.commands.map((each) => each.command).sort());
  });
});

test("the server does not start for a workspace without skills", async () => {
  const window = new Window();
  window.setting.user = NOWHERE;
  await activated(window, async () => {
    window.open(path.join(folder, "README.md"), "# Read me\n");
    window.open(path.join(folder, "manifest.json"), "{}", "json");
    assert.equal(window.status.text, "skillstudio: not started");
    assert.deepEqual(window.errors, []);
  });
});

test("a program that does not exist is reported with the setting that names it", async () => {
  const window = new Window();
  window.found = [Uri.file("/ws/SKILL.md")];
  window.setting.user = NOWHERE;
  await activated(window, async () => {
    assert.equal(window.status.text, "skillstudio: failed");
    assert.equal(window.errors.length, 1);
    assert.match(window.errors[0]!, /setting skillstudio\.command.*nowhere/s);
  });
});

test("a program that ends at once is reported once, and its message is in the output", async () => {
  const window = new Window();
  window.found = [Uri.file("/ws/SKILL.md")];
  window.setting.user = [process.execPath, "-e", "console.error('pygls is missing'); process.exit(3)"];
  await activated(window, async () => {
    await window.until(() => window.status.text === "skillstudio: failed");
    await window.until(() => window.log.some((line) => line.includes("pygls is missing")));
    assert.equal(window.errors.length, 1);
  });
});

test("an untrusted workspace neither chooses the program nor runs operations", async () => {
  const window = new Window();
  window.isTrusted = false;
  window.found = [Uri.file("/ws/SKILL.md")];
  window.setting = { workspace: ["/ws/evil"], user: NOWHERE };
  await activated(window, async () => {
    assert.match(window.errors.join(), /nowhere/);
    assert.doesNotMatch(window.errors.join() + window.log.join(), /evil/);
    window.open("/ws/SKILL.md", COLON);
    window.lenses = [lens("count")];
    await window.run("skillstudio.dryRunOperation");
    assert.equal(window.errors.at(-1), "Operations of an untrusted workspace do not run.");
    assert.deepEqual(window.tasks, []);
  });
});

test("an operation runs without a shell", async () => {
  const window = new Window();
  window.setting.user = ["/opt/uvx", "skillstudio"];
  await activated(window, async () => {
    await window.run("skillstudio.dryRunOperation");
    assert.equal(window.errors.at(-1), "Open the manifest of a skill first.");
    window.open("/ws/notes.md", "text");
    await window.run("skillstudio.dryRunOperation");
    assert.equal(window.errors.at(-1), "This file declares no operation.");
    window.lenses = [lens("count; rm -rf /"), lens("other")];
    window.answer = "count; rm -rf /";
    await window.run("skillstudio.dryRunOperation");
    const { execution } = window.tasks[0]!;
    assert.equal(execution.process, "/opt/uvx");
    assert.deepEqual(execution.args, ["skillstudio", "run", "/ws/notes.md", "count; rm -rf /"]);
    window.lenses = [lens("--yes")];
    await window.run("skillstudio.dryRunOperation");
    assert.match(window.errors.at(-1)!, /cannot be named/);
    assert.equal(window.tasks.length, 1);
  });
});

test("a rule is explained only if it can be the name of one", async () => {
  const window = new Window();
  await activated(window, async () => {
    window.answer = "--help";
    await window.run("skillstudio.explainRule");
    assert.match(window.errors.at(-1)!, /not the name of a rule/);
    window.answer = "name-format";
    await window.run("skillstudio.explainRule");
    assert.deepEqual(window.shown.map(String), ["skillstudio-rule:///name-format.txt"]);
  });
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
    const found = () => window.diagnostics.get(uri.toString()) ?? [];
    await window.until(() => found().length > 0);
    assert.equal(window.status.text, "skillstudio: running");
    const [problem] = found();
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
    await window.until(() => found().length > 0);
    assert.equal(window.status.text, "skillstudio: running");
  });
  assert.equal(window.status.text, "skillstudio: stopped");
  assert.deepEqual(window.errors, []);
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
    const commands = lenses.map((each: any) => each.command).filter((each: any) => each?.command);
    const names = new Set<string>(commands.map((each: any) => each.command));
    assert.deepEqual([...names].sort(), ["skillstudio.dryRun", "skillstudio.targets"]);
    for (const each of commands) {
      await window.run(each.command, ...each.arguments);
    }
    const [first] = window.tasks;
    assert.deepEqual(first!.execution.args, [...SERVER.slice(1), "run", MEMORY, "search"]);
    await window.until(() => window.log.some((line) => line.includes("target")));
  });
  assert.deepEqual(window.errors, []);
});

function lens(operation: string): any {
  return { command: { command: "skillstudio.dryRun", title: "", arguments: ["file:///ws/notes.md", operation] } };
}
