/** The part of VS Code's API that the extension and its language client use, without an editor. */

import Module, { createRequire } from "node:module";
import * as path from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";

type Any = any;

export class EventEmitter {
  private readonly listeners = new Set<(value: Any) => Any>();
  readonly event = (listener: (value: Any) => Any, self?: Any, disposables?: Any[]): Disposable => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    const disposable = new Disposable(() => this.listeners.delete(bound));
    disposables?.push(disposable);
    return disposable;
  };
  fire(value?: Any): void {
    for (const listener of [...this.listeners]) {
      listener(value);
    }
  }
  dispose(): void {
    this.listeners.clear();
  }
}

class Disposable {
  static from(...all: Any[]): Disposable {
    return new Disposable(() => all.forEach((member) => member.dispose()));
  }
  constructor(private readonly end?: () => Any) {}
  dispose(): void {
    this.end?.();
  }
}

export class Uri {
  static file(file: string): Uri {
    return Uri.parse(pathToFileURL(file).href);
  }
  static from(parts: { scheme: string; path: string }): Uri {
    return new Uri(parts.scheme, parts.path);
  }
  static parse(text: string): Uri {
    const url = new URL(text);
    return new Uri(url.protocol.slice(0, -1), decodeURIComponent(url.pathname));
  }
  constructor(readonly scheme: string, readonly path: string) {}
  get fsPath(): string {
    return this.scheme === "file" ? fileURLToPath(this.toString()) : this.path;
  }
  toString(): string {
    return `${this.scheme}://${this.path.split("/").map(encodeURIComponent).join("/")}`;
  }
}

export class Position {
  constructor(readonly line: number, readonly character: number) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...at: Any[]) {
    [this.start, this.end] =
      at.length === 4 ? [new Position(at[0], at[1]), new Position(at[2], at[3])] : [at[0], at[1]];
  }
  intersection(other: Range): Range | undefined {
    const isBefore = (a: Position, b: Position): boolean =>
      a.line < b.line || (a.line === b.line && a.character < b.character);
    return isBefore(this.end, other.start) || isBefore(other.end, this.start) ? undefined : this;
  }
}

class Diagnostic {
  source?: string;
  code?: Any;
  constructor(readonly range: Range, readonly message: string, readonly severity: number) {}
}

class CodeLens {
  constructor(readonly range: Range, readonly command?: Any) {}
}

class CodeActionKind {
  constructor(readonly value = "") {}
  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}
for (const [name, value] of Object.entries({
  Empty: "", QuickFix: "quickfix", Refactor: "refactor", RefactorExtract: "refactor.extract",
  RefactorInline: "refactor.inline", RefactorRewrite: "refactor.rewrite", Source: "source",
  SourceOrganizeImports: "source.organizeImports",
})) {
  (CodeActionKind as Any)[name] = new CodeActionKind(value);
}

class CancellationTokenSource {
  readonly token = { isCancellationRequested: false, onCancellationRequested: new EventEmitter().event };
  cancel(): void {}
  dispose(): void {}
}

class TabInputText {
  constructor(readonly uri: Uri) {}
}

class ProcessExecution {
  constructor(readonly process: string, readonly args: string[], readonly options: Any) {}
}

class Task {
  presentationOptions: Any;
  constructor(
    readonly definition: Any, readonly scope: Any, readonly name: string,
    readonly source: string, readonly execution: ProcessExecution, readonly problemMatchers: Any,
  ) {}
}

/** A window of VS Code: what a test sets, what it sees, and the module `vscode`. */
export class Window {
  isTrusted = true;
  folders: string[] = [];
  setting: { workspace?: Any; user?: Any } = {};
  /** The files of skills in the workspace. */
  files: Uri[] = [];
  /** What the user enters or chooses next, the label of an item; undefined cancels. */
  answers: (string | undefined)[] = [];
  /** The exit status of the next task. */
  exitCode = 0;
  /** What a task does. */
  runTask = (): void => undefined;
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  /** What the window asked for. */
  readonly questions: Any[] = [];
  readonly terminals: Any[] = [];
  readonly contexts = new Map<string, Any>();
  /** The members of the module that were read. */
  readonly members = new Set<string>();
  readonly shown: Uri[] = [];
  readonly tasks: Task[] = [];
  readonly log: string[] = [];
  readonly status: Any = {};
  readonly commands = new Map<string, (...args: Any[]) => Any>();
  readonly providers = new Map<string, Any>();
  readonly documents: Any[] = [];
  readonly diagnostics = new Map<string, Diagnostic[]>();
  readonly changed = new EventEmitter();
  readonly events = new Map<string, EventEmitter>();
  readonly module: Any;
  selection = new Range(0, 0, 0, 0);

  constructor() {
    const module = withDefaults({
      version: "1.91.0", EventEmitter, Disposable, Uri, Position, Range, Diagnostic, CodeLens,
      CodeActionKind, CancellationTokenSource, TabInputText, ProcessExecution, Task,
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
      DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
      LanguageStatusSeverity: { Information: 0, Warning: 1, Error: 2 },
      LogLevel: { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 },
      TaskRevealKind: { Always: 1 }, TaskScope: { Global: 1, Workspace: 2 },
      TerminalLocation: { Panel: 1, Editor: 2 },
      ViewColumn: { Beside: -2 },
      env: { language: "en", appName: "a test" },
      commands: withDefaults({
        registerCommand: (name: string, run: Any) => {
          if (this.commands.has(name)) {
            throw new Error(`the command ${name} exists`);
          }
          this.commands.set(name, run);
          return new Disposable(() => this.commands.delete(name));
        },
        executeCommand: async (name: string, ...args: Any[]) => {
          if (name === "setContext") {
            this.contexts.set(args[0], args[1]);
          } else {
            this.log.push(name);
          }
        },
      }),
      languages: this.languages(),
      tasks: {
        onDidEndTaskProcess: this.event("onDidEndTaskProcess").event,
        registerTaskProvider: (type: string, provider: Any) => {
          this.providers.set(`task ${type}`, provider);
          return new Disposable();
        },
        executeTask: async (task: Task) => {
          this.tasks.push(task);
          const execution = { task };
          this.runTask();
          // A process can end before its start is reported.
          this.fire("onDidEndTaskProcess", { execution, exitCode: this.exitCode });
          return execution;
        },
      },
      window: this.window(),
      workspace: this.workspace(),
    });
    this.module = new Proxy(module, {
      get: (members, name: string) => {
        this.members.add(name);
        return members[name];
      },
    });
  }

  /** Open a document in an editor. */
  open(file: string, text: string, languageId = "markdown"): Any {
    const uri = Uri.file(file);
    const document = { uri, languageId, version: 1, isDirty: false, getText: () => text };
    this.documents.push(document);
    this.fire("onDidOpenTextDocument", document);
    return document;
  }

  fire(event: string, value?: Any): void {
    this.event(event).fire(value);
  }

  async run(command: string, ...args: Any[]): Promise<Any> {
    const run = this.commands.get(command);
    if (run === undefined) {
      throw new Error(`there is no command ${command}`);
    }
    return run(...args);
  }

  /** Wait until a condition is true; it is evaluated after every event of the window. */
  until(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (done()) {
          listening.dispose();
          resolve();
        }
      };
      const listening = this.changed.event(look);
      look();
    });
  }

  private event(name: string): EventEmitter {
    const known = this.events.get(name) ?? new EventEmitter();
    this.events.set(name, known);
    return known;
  }

  private languages(): Any {
    const collection = {
      set: (uri: Uri, diagnostics?: Diagnostic[]) => {
        this.diagnostics.set(uri.toString(), diagnostics ?? []);
        this.changed.fire();
      },
      delete: (uri: Uri) => this.diagnostics.delete(uri.toString()),
      has: (uri: Uri) => this.diagnostics.has(uri.toString()),
      clear: () => this.diagnostics.clear(),
      dispose: () => undefined,
    };
    return withDefaults({
      createDiagnosticCollection: () => collection,
      getDiagnostics: (uri: Uri) => this.diagnostics.get(uri.toString()) ?? [],
      createLanguageStatusItem: () => {
        const changed = this.changed;
        return new Proxy(this.status, {
          get: (item, name) => (name === "dispose" ? () => undefined : item[name]),
          set: (item, name, value) => {
            item[name] = value;
            changed.fire();
            return true;
          },
        });
      },
      match: (selector: Any, document: Any) =>
        [selector].flat().some(
          (filter) =>
            (!filter.scheme || filter.scheme === document.uri.scheme) &&
            (!filter.pattern || /\.(md|json|toml|ya?ml)$/.test(document.uri.path)),
        ) ? 10 : 0,
    }, (name) => (...args: Any[]) => {
      this.providers.set(name.replace(/^register|Provider$/g, ""), args[1]);
      return new Disposable();
    });
  }

  private window(): Any {
    const own = this;
    const choose = async (items: Any[], options: Any): Promise<Any> => {
      own.questions.push(options);
      const answer = own.answers.shift();
      return items.find((item) => (item.label ?? item) === answer);
    };
    const enter = async (options: Any): Promise<string | undefined> => {
      own.questions.push(options);
      const answer = own.answers.shift();
      return answer !== undefined && options.validateInput?.(answer) ? undefined : answer;
    };
    return withEvents(this.event.bind(this), {
      get activeTextEditor() {
        const document = own.documents.at(-1);
        return document && { document, selection: own.selection };
      },
      get visibleTextEditors() {
        return own.documents.map((document) => ({ document, selection: own.selection }));
      },
      tabGroups: {
        get all() {
          return [{ tabs: own.documents.map(({ uri }) => ({ input: new TabInputText(uri) })) }];
        },
        onDidChangeTabs: this.event("onDidChangeTabs").event,
      },
      createOutputChannel: () => withDefaults({
        logLevel: 3, onDidChangeLogLevel: new EventEmitter().event,
        show: () => void this.log.push("output shown"),
      }, () => (line: Any) => {
        this.log.push(String(line));
        this.changed.fire();
      }),
      createTerminal: (options: Any) => {
        const terminal = { options, isVisible: false, show: () => void (terminal.isVisible = true) };
        this.terminals.push(terminal);
        return terminal;
      },
      showWarningMessage: async (text: string) => void this.warnings.push(text),
      showErrorMessage: async (text: string) => void this.errors.push(text),
      showInformationMessage: async (text: string) => {
        this.log.push(text);
        this.changed.fire();
      },
      showQuickPick: choose,
      showInputBox: enter,
      showTextDocument: async (document: Any) => void this.shown.push(document.uri),
    });
  }

  private workspace(): Any {
    const own = this;
    return withEvents(this.event.bind(this), {
      get isTrusted() {
        return own.isTrusted;
      },
      get textDocuments() {
        return own.documents;
      },
      get workspaceFolders() {
        return own.folders.map((folder, index) => ({
          uri: Uri.file(folder), name: path.basename(folder), index,
        }));
      },
      notebookDocuments: [],
      findFiles: async () => this.files,
      saveAll: async () => true,
      getWorkspaceFolder: () => undefined,
      openTextDocument: async (uri: Uri) => ({ uri }),
      createFileSystemWatcher: () => ({
        onDidChange: new EventEmitter().event, onDidCreate: new EventEmitter().event,
        onDidDelete: new EventEmitter().event, dispose: () => undefined,
      }),
      getConfiguration: () => ({
        get: (name: string, fallback?: Any) =>
          (name === "command" ? (own.setting.workspace ?? own.setting.user) : undefined) ?? fallback,
        inspect: () => ({ globalValue: own.setting.user, workspaceValue: own.setting.workspace }),
      }),
      registerTextDocumentContentProvider: (scheme: string, provider: Any) => {
        this.providers.set(scheme, provider);
        return new Disposable();
      },
    });
  }
}

/** An object whose other members are classes (with a capital letter) or functions. */
function withDefaults(own: Any, other: (name: string) => Any = () => () => new Disposable()): Any {
  return new Proxy(own, {
    get: (members, name: string) => {
      if (!(name in members) && typeof name === "string" && name !== "then") {
        members[name] = /^[A-Z]/.test(name) ? class {} : other(name);
      }
      return members[name];
    },
  });
}

function withEvents(event: (name: string) => EventEmitter, own: Any): Any {
  return withDefaults(own, (name) => (name.startsWith("on") ? event(name).event : () => new Disposable()));
}

const require = createRequire(path.resolve("out/a-test.cjs"));

const loader = Module as Any;
const original = loader._load;
let current: Window | undefined;
// The extension loads its language client later, so this stays for the whole test.
loader._load = (name: string, ...rest: Any[]) =>
  name === "vscode" && current ? current.module : original(name, ...rest);

/** Load the bundled extension in a window. */
export function load(window: Window): {
  activate(context: Any): Promise<void>;
  deactivate(): Promise<void>;
} {
  current = window;
  const bundle = path.resolve("dist/extension.js");
  delete require.cache[bundle];
  return require(bundle);
}
