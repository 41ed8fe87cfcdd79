/** The commands that start skillstudio in a terminal, always without a shell. */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Command } from "./command";

/** The command of the server's code lens above an operation: a document and the operation. */
export const DRY_RUN = "skillstudio.dryRun";
/** The command of the code lens of the required bump: a document. */
export const COMPARE = "skillstudio.compare";
export const NOT_FOUND =
  "skillstudio is not installed. Install skillstudio[lsp] or uv, or set skillstudio.command.";
/** The type of tasks, in tasks.json, too. */
export const TASK_TYPE = "skillstudio";

const MANIFESTS = ["SKILL.md", "skill.toml", "manifest.json"];
const UNTRUSTED = "skillstudio runs no programs in an untrusted workspace. Trust the workspace first.";
const NO_SKILL = "This file belongs to no skill. Open a file of a skill first.";
const NO_FILE = "Open a file of a skill first.";
const NO_FOLDER = "Open a folder first.";
const SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The program that the jobs use. */
export interface Studio {
  command(): Command | undefined;
  /** The standard output of a command; an error has what it wrote to standard error. */
  query(args: readonly string[]): Promise<string>;
}

interface SkillInput {
  readonly name: string;
  readonly required: boolean;
  readonly sensitive: boolean;
  readonly description?: string;
  readonly schema?: { readonly type?: unknown } | null;
}

interface SkillOperation {
  readonly name: string;
  readonly inputs: readonly SkillInput[];
}

interface SkillTemplate {
  readonly name: string;
  readonly description: string;
  readonly dialect: string;
}

interface CheckTask extends vscode.TaskDefinition {
  readonly command: string;
  readonly args?: readonly string[];
}

export class Jobs implements vscode.TaskProvider {
  constructor(private readonly studio: Studio) {}

  /** Create a skill from a template below a folder, and open its manifest. */
  async createSkill(target?: vscode.Uri): Promise<void> {
    const command = this.choose();
    const parent = command && (await chooseParent(target));
    if (command === undefined || parent === undefined) {
      return;
    }
    let templates: readonly SkillTemplate[];
    try {
      const list = await this.studio.query(["new", "--list", "--format", "json"]);
      ({ templates } = JSON.parse(list) as { templates: SkillTemplate[] });
    } catch (error) {
      return report(`skillstudio cannot list its templates: ${messageOf(error)}`);
    }
    const items = templates.map(({ name, description, dialect }) => ({
      label: name, description: dialect === name ? "" : dialect, detail: description,
    }));
    const template = await vscode.window.showQuickPick(items, {
      title: "New Skill", placeHolder: "Template", matchOnDetail: true,
    });
    const name = template && (await vscode.window.showInputBox({
      title: "New Skill",
      prompt: `Folder of the new skill, relative to ${parent}`,
      placeHolder: "my-skill",
      validateInput: (text) => checkFolder(parent, text),
    }));
    if (!template || !name || isRefused("A template", template.label)) {
      return;
    }
    const folder = path.resolve(parent, name);
    // The terminal asks the questions of the template.
    const args = ["new", template.label, folder];
    if ((await this.run(command, `new ${path.basename(folder)}`, args, parent)) === 0) {
      const manifest = findManifest(folder);
      if (manifest !== undefined) {
        await vscode.window.showTextDocument(
          await vscode.workspace.openTextDocument(vscode.Uri.file(manifest)),
        );
      }
    }
  }

  /** Open the workbench in an editor: for a skill or a folder, else for the workspace. */
  openWorkbench(target?: vscode.Uri): void {
    const command = this.choose();
    if (command === undefined) {
      return;
    }
    const active = fileOf(target ?? activeFile());
    const file = target || (active && findSkill(active)) ? active : undefined;
    const opened = file ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? active;
    if (opened === undefined) {
      return report(NO_FOLDER);
    }
    const terminal = vscode.window.createTerminal({
      name: `skillstudio: ${path.basename(findSkill(opened) ?? opened)}`,
      shellPath: command.program,
      shellArgs: [...command.args, "open", opened],
      cwd: folderOf(opened),
      location: vscode.TerminalLocation.Editor,
      isTransient: true,
    });
    terminal.show();
  }

  /** Dry-run an operation of a skill, with its required inputs. */
  async dryRun(target?: vscode.Uri, operation?: string): Promise<void> {
    await this.runOperation("dry-run", ["run", "--require-isolation", "confined"], target, operation);
  }

  /** Show where an operation of a skill would write its outputs. */
  async previewOutputs(target?: vscode.Uri): Promise<void> {
    await this.runOperation("preview", ["preview"], target);
  }

  /** Compare a skill with one of its earlier versions. */
  async compareVersions(target?: vscode.Uri): Promise<void> {
    const command = this.choose();
    const folder = command && requireSkill(target);
    if (command === undefined || folder === undefined) {
      return;
    }
    const version = await vscode.window.showInputBox({
      title: "Compare Versions",
      prompt: "Old version: a tag, a branch or a commit. Empty: the last version tag, else HEAD",
    });
    if (version !== undefined && !isRefused("A version", version)) {
      await this.compare(command, folder, version.trim());
    }
  }

  /** Compare the skill of a document with its last version. */
  async compareWithLastVersion(target: vscode.Uri): Promise<void> {
    const command = this.choose();
    const folder = command && requireSkill(target);
    if (command !== undefined && folder !== undefined) {
      await this.compare(command, folder, "");
    }
  }

  /** Check all skills of each folder of the workspace. */
  async checkWorkspace(): Promise<void> {
    if (this.choose() === undefined) {
      return;
    }
    const tasks = this.provideTasks();
    if (tasks.length === 0) {
      return report(NO_FOLDER);
    }
    await vscode.workspace.saveAll(false);
    for (const task of tasks) {
      await vscode.tasks.executeTask(task);
    }
  }

  provideTasks(): vscode.Task[] {
    const command = vscode.workspace.isTrusted ? this.studio.command() : undefined;
    const folders = vscode.workspace.workspaceFolders ?? [];
    return command
      ? folders.map((folder) => checkTask(command, { type: TASK_TYPE, command: "check" }, folder))
      : [];
  }

  resolveTask(task: vscode.Task): vscode.Task | undefined {
    const command = vscode.workspace.isTrusted ? this.studio.command() : undefined;
    const definition = task.definition as CheckTask;
    if (command === undefined || definition.command !== "check") {
      return undefined;
    }
    // VS Code identifies the task by this very definition.
    return checkTask(command, definition, task.scope ?? vscode.TaskScope.Workspace);
  }

  /** The command, unless it must not or cannot be started, which is reported. */
  private choose(): Command | undefined {
    const command = vscode.workspace.isTrusted ? this.studio.command() : undefined;
    if (command === undefined) {
      report(vscode.workspace.isTrusted ? NOT_FOUND : UNTRUSTED);
    }
    return command;
  }

  private async runOperation(
    title: string, verb: readonly string[], target?: vscode.Uri, operation?: string,
  ): Promise<void> {
    const command = this.choose();
    const folder = command && requireSkill(target);
    if (command === undefined || folder === undefined) {
      return;
    }
    await saveSkill(folder);
    let operations: readonly SkillOperation[];
    try {
      const skill = await this.studio.query(["show", folder, "--all", "--format", "json"]);
      ({ operations } = JSON.parse(skill) as { operations: SkillOperation[] });
    } catch (error) {
      return report(`skillstudio cannot read ${folder}: ${messageOf(error)}`);
    }
    if (operations.length === 0) {
      return report(`The skill ${path.basename(folder)} declares no operation.`);
    }
    const names = operations.map(({ name }) => name);
    const chosen =
      operation ??
      (names.length > 1
        ? await vscode.window.showQuickPick(names, { title, placeHolder: "Operation" })
        : names[0]);
    if (chosen === undefined || isRefused("An operation", chosen)) {
      return;
    }
    const inputs = operations.find(({ name }) => name === chosen)?.inputs ?? [];
    const values = await askInputs(chosen, inputs);
    if (values !== undefined) {
      const args = [...verb, "--no-pager", ...values, folder, chosen];
      await this.run(command, `${title} ${chosen}`, args, folder);
    }
  }

  private async compare(command: Command, folder: string, version: string): Promise<void> {
    await saveSkill(folder);
    const versions = version ? [`${folder}@${version}`, folder] : [folder];
    const name = path.basename(folder);
    await this.run(command, `compare ${name}`, ["diff", "--no-pager", ...versions], folder);
  }

  /** Run a command in a terminal; its exit status, or undefined if it was closed. */
  private async run(
    command: Command, name: string, args: readonly string[], cwd: string,
  ): Promise<number | undefined> {
    const scope = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(cwd));
    const [verb, ...rest] = args;
    const task = new vscode.Task(
      { type: TASK_TYPE, command: verb, args: rest },
      scope ?? vscode.TaskScope.Workspace,
      name,
      "skillstudio",
      new vscode.ProcessExecution(command.program, [...command.args, ...args], { cwd }),
      [],
    );
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, focus: true };
    let finish: (exitCode: number | undefined) => void;
    const finished = new Promise<number | undefined>((resolve) => (finish = resolve));
    let execution: vscode.TaskExecution | undefined;
    const ended: vscode.TaskProcessEndEvent[] = [];
    const settle = (): void => {
      const event = ended.find((candidate) => candidate.execution === execution);
      if (event) {
        finish(event.exitCode);
      }
    };
    const listener = vscode.tasks.onDidEndTaskProcess((event) => {
      ended.push(event);
      settle();
    });
    try {
      execution = await vscode.tasks.executeTask(task);
      settle();
      return await finished;
    } finally {
      listener.dispose();
    }
  }
}

function checkTask(
  command: Command, definition: CheckTask, scope: vscode.WorkspaceFolder | vscode.TaskScope,
): vscode.Task {
  const folder = typeof scope === "object" ? scope : vscode.workspace.workspaceFolders?.[0];
  const args = [...command.args, "check", "--no-pager", ...(definition.args ?? [])];
  const options = folder ? { cwd: folder.uri.fsPath } : {};
  const task = new vscode.Task(
    definition, scope, "check", "skillstudio",
    new vscode.ProcessExecution(command.program, args, options), ["$skillstudio"],
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  return task;
}

/** Ask for the required inputs; options for skillstudio, or undefined if a question is cancelled. */
async function askInputs(
  operation: string, inputs: readonly SkillInput[],
): Promise<string[] | undefined> {
  const options: string[] = [];
  // A sensitive value on a command line is visible to other programs.
  for (const input of inputs.filter(({ required, sensitive }) => required && !sensitive)) {
    const type = typeof input.schema?.type === "string" ? input.schema.type : "JSON";
    const value = await vscode.window.showInputBox({
      title: `${operation}: ${input.name}`,
      prompt: input.description || `Value of the input ${input.name}`,
      placeHolder: type,
      ignoreFocusOut: true,
    });
    if (value === undefined || isRefused("The name of an input", input.name)) {
      return undefined;
    }
    options.push("--input", `${input.name}=${value}`);
  }
  return options;
}

async function chooseParent(target?: vscode.Uri): Promise<string | undefined> {
  if (target?.scheme === "file") {
    return folderOf(target.fsPath);
  }
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) {
    const picked = await vscode.window.showWorkspaceFolderPick({ placeHolder: "Folder of the skill" });
    return picked?.uri.fsPath;
  }
  if (folders[0] !== undefined) {
    return folders[0].uri.fsPath;
  }
  const opened = await vscode.window.showOpenDialog({
    canSelectFiles: false, canSelectFolders: true, title: "Folder for the new skill",
    openLabel: "Create Skill Here",
  });
  return opened?.[0]?.fsPath;
}

/** What is wrong with the folder of a new skill; undefined if nothing is. */
export function checkFolder(parent: string, text: string): string | undefined {
  const folder = path.resolve(parent, text);
  return !SKILL_NAME.test(path.basename(folder)) || text.trim() !== text || text.startsWith("-")
    ? "Use lowercase letters, digits and hyphens for the name of the folder."
    : fs.existsSync(folder)
      ? "This folder exists, and skillstudio never overwrites files. Enter another name."
      : undefined;
}

function activeFile(): vscode.Uri | undefined {
  return vscode.window.activeTextEditor?.document.uri;
}

function fileOf(uri: vscode.Uri | undefined): string | undefined {
  return uri?.scheme === "file" ? uri.fsPath : undefined;
}

function folderOf(file: string): string {
  return isFolder(file) ? file : path.dirname(file);
}

function isFolder(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function findManifest(folder: string): string | undefined {
  return MANIFESTS.map((name) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

/** The nearest folder with a manifest, at or above a file; undefined if there is none. */
function findSkill(file: string): string | undefined {
  let folder = folderOf(file);
  while (findManifest(folder) === undefined) {
    const parent = path.dirname(folder);
    if (parent === folder) {
      return undefined;
    }
    folder = parent;
  }
  return folder;
}

/** The folder of the skill of a file, or of the active one; reports that there is none. */
function requireSkill(target?: vscode.Uri): string | undefined {
  const file = fileOf(target ?? activeFile());
  const folder = file && findSkill(file);
  if (!folder) {
    report(file ? NO_SKILL : NO_FILE);
    return undefined;
  }
  return folder;
}

/** Save the open files of a skill: skillstudio reads them from disk. */
async function saveSkill(folder: string): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    const file = fileOf(document.uri);
    if (document.isDirty && file && !path.relative(folder, file).startsWith("..")) {
      await document.save();
    }
  }
}

/** Whether a value would be read as an option; this is reported. */
function isRefused(kind: string, value: string): boolean {
  if (value.startsWith("-")) {
    report(`${kind} must not begin with "-": ${value}`);
    return true;
  }
  return false;
}

function report(message: string): void {
  void vscode.window.showErrorMessage(message);
}

/** The message of an error, in one line. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1) ?? "";
}
