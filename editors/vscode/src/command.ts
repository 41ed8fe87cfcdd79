/** Choose the program that starts skillstudio. */

import * as path from "node:path";

/** A program with its arguments, before the verb (`lsp`, `explain`, `run`). */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Where it comes from, for people. */
  readonly origin: string;
}

/** What the choice depends on outside of VS Code. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  isExecutable(file: string): boolean;
}

const PACKAGE = "skillstudio[lsp]";
const ENVIRONMENTS = [".venv", "venv"];

/**
 * The setting, else the Python environment of a workspace folder, else the PATH, else uvx;
 * undefined if there is none of them.
 *
 * An untrusted workspace chooses nothing: neither its environment nor a program in its folders is
 * used. The caller leaves out its settings.
 */
export function chooseCommand(
  setting: readonly string[],
  folders: readonly string[],
  isTrusted: boolean,
  machine: Machine,
): Command | undefined {
  const [program, ...args] = setting;
  if (program) {
    return { program, args, origin: "the setting skillstudio.command" };
  }
  const paths = machine.platform === "win32" ? path.win32 : path.posix;
  const suffix = machine.platform === "win32" ? ".exe" : "";
  const bin = machine.platform === "win32" ? "Scripts" : "bin";
  if (isTrusted) {
    for (const folder of folders) {
      for (const name of ENVIRONMENTS) {
        const file = paths.join(folder, name, bin, `skillstudio${suffix}`);
        if (machine.isExecutable(file)) {
          return { program: file, args: [], origin: paths.join(folder, name) };
        }
      }
    }
  }
  // A relative entry of the PATH would be looked up in the folder that is open.
  const searched = pathOf(machine)
    .split(paths.delimiter)
    .filter((entry) => paths.isAbsolute(entry))
    .filter((entry) => isTrusted || !folders.some((folder) => isBelow(entry, folder, paths)));
  const find = (name: string): string | undefined =>
    searched.map((entry) => paths.join(entry, name + suffix)).find((file) => machine.isExecutable(file));
  const installed = find("skillstudio");
  if (installed) {
    return { program: installed, args: [], origin: "the PATH" };
  }
  const uvx = find("uvx");
  return uvx ? { program: uvx, args: ["--from", PACKAGE, "skillstudio"], origin: "uvx" } : undefined;
}

function pathOf(machine: Machine): string {
  // The names of variables have no case on Windows.
  const name = Object.keys(machine.env).find((variable) =>
    machine.platform === "win32" ? variable.toUpperCase() === "PATH" : variable === "PATH",
  );
  return (name && machine.env[name]) || "";
}

function isBelow(entry: string, folder: string, paths: path.PlatformPath): boolean {
  const relative = paths.relative(folder, entry);
  return !relative.startsWith("..") && !paths.isAbsolute(relative);
}
