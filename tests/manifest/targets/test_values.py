"""Values and combinations of Claude Code's keys, and forms of `allowed-tools`, by target.

The expected values are those of the documentation that the record names, not of the record.
"""

from __future__ import annotations

import time

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.targets import judge, targets
from skillstudio.settings.settings import SkillSettings
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.text.edit import apply, resolve_edits

RULES = ("value-ignored", "tool-unknown", "skill-unreachable", "allowed-tools-form")


def analysis(front: str, *selected: str) -> Analysis:
    text = f"---\nname: probe\ndescription: Does it.\n{front}\n---\n# Probe\n"
    tree = MemoryTree({"SKILL.md": text.encode()}, "probe")
    return analyse(tree, SkillSettings(targets=selected))


def found(front: str, *selected: str) -> list[tuple[str, str, str]]:
    """The severity, rule and place of each problem that targets cause."""
    checked = analysis(front, *selected)
    text = checked.skill.markdown.source.text if checked.skill.markdown else ""
    return [
        (str(each.severity), each.rule, text[each.span.start : each.span.end] if each.span else "")
        for each in checked.diagnostics
        if each.rule in RULES
    ]


WRONG = [
    ("context: frok", "value-ignored", "frok"),
    ("context: split", "value-ignored", "split"),
    ("context: true", "value-ignored", "true"),
    ("effort: extreme", "value-ignored", "extreme"),
    ("effort: xhihg", "value-ignored", "xhihg"),
    ("shell: zsh", "value-ignored", "zsh"),
    ("model: gtp4", "value-ignored", "gtp4"),
    ("model: gpt-4", "value-ignored", "gpt-4"),
    ("model: sonet", "value-ignored", "sonet"),
    ("user-invocable: flase", "value-ignored", "flase"),
    ("disable-model-invocation: never", "value-ignored", "never"),
    ("disable-model-invocation: 2", "value-ignored", "2"),
    ("context: fork\nbackground: maybe", "value-ignored", "maybe"),
    ("context: fork\nagent: Exlpore", "value-ignored", "Exlpore"),
    ("context: fork\nagent: general_purpose", "value-ignored", "general_purpose"),
    ("agent: Explore", "value-ignored", "agent"),
    ("background: false", "value-ignored", "background"),
    ("hooks:\n  PreTolUse: []", "value-ignored", "PreTolUse"),
    ("hooks:\n  BeforeTool: []", "value-ignored", "BeforeTool"),
    ("hooks: true", "value-ignored", "true"),
    ("hooks:\n  Stop: {}", "value-ignored", "{}"),
    ("hooks:\n  Stop:\n  - matcher: Bash", "value-ignored", "matcher"),
    ("hooks: {Stop: [{hooks: [{type: cmd}]}]}", "value-ignored", "cmd"),
    ("hooks: {Stop: [{hooks: [{type: command, command: a, timeout: soon}]}]}", "value-ignored",
     "soon"),
    ("hooks: {Stop: [{hooks: [{type: http, url: a, headers: {A: 1}}]}]}", "value-ignored", "1"),
    ("arguments: {a: b}", "value-ignored", "{a: b}"),
    ("arguments: issue, branch", "value-ignored", "issue, branch"),
    ("arguments: [issue, [branch]]", "value-ignored", "[branch]"),
    ("paths: {a: b}", "value-ignored", "{a: b}"),
    ("paths: ['*.py', 3]", "value-ignored", "3"),
    ("paths: 'photos [2024/**'", "value-ignored", "'photos [2024/**'"),
    ("allowed-tools: Read Grpe", "tool-unknown", "Grpe"),
    ("allowed-tools: Bahs(git *) Read", "tool-unknown", "Bahs"),
    ("allowed-tools: Webfetch", "tool-unknown", "Webfetch"),
    ("disallowed-tools: [Read, TodoWrites]", "tool-unknown", "TodoWrites"),
    ("allowed-tools: Grpe Bash(Grpe *)", "tool-unknown", "Grpe Bash(Grpe *)"),
    ("user-invocable: false\ndisable-model-invocation: true", "skill-unreachable",
     "user-invocable"),
    ("user-invocable: 'No'\ndisable-model-invocation: ON", "skill-unreachable", "user-invocable"),
]  # fmt: skip


@pytest.mark.parametrize(("front", "rule", "place"), WRONG)
@pytest.mark.parametrize("selected", [(), ("claude-code",), ("codex", "claude-code")])
def test_an_unsupported_value_is_a_warning(
    front: str, rule: str, place: str, selected: tuple[str, ...]
) -> None:
    said = [each for each in found(front, *selected) if "ON" not in front or each[1] == rule]
    assert said == [("warning", rule, place)]


@pytest.mark.parametrize("front", [front for front, _, _ in WRONG])
def test_no_value_is_wrong_where_claude_code_is_not_selected(front: str) -> None:
    assert found(front, "codex") == []


BOOLEANS = ["true", "false", "yes", "no", "on", "off", "1", "0", "True", "NO", '"true"', '"off"']
MODELS = [
    *("default", "best", "fable", "sonnet", "opus", "haiku", "sonnet[1m]", "opus[1m]", "opusplan"),
    *("inherit", "claude-opus-5", "claude-sonnet-4-5-20250929", "claude-3-7-sonnet-latest"),
    *("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-opus-4-1@20250805", "Sonnet"),
    "arn:aws:bedrock:us-east-2:1:application-inference-profile/x", "anthropic/claude-opus-5",
]  # fmt: skip
EVENTS = """
    SessionStart SessionEnd Setup UserPromptSubmit UserPromptExpansion PreToolUse
    PermissionRequest PermissionDenied PostToolUse PostToolUseFailure PostToolBatch Notification
    MessageDisplay SubagentStart SubagentStop TaskCreated TaskCompleted Stop StopFailure
    TeammateIdle InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged
    WorktreeCreate WorktreeRemove PreCompact PostCompact Elicitation ElicitationResult
"""
TOOLS = """
    Agent Artifact AskUserQuestion Bash CronCreate CronDelete CronList Edit EndConversation
    EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListAgents
    ListMcpResourcesTool LSP Monitor NotebookEdit PowerShell PushNotification Read
    ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup SendMessage SendUserFile
    ShareOnboardingGuide Skill TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate
    TodoWrite ToolSearch WaitForMcpServers WebFetch WebSearch Workflow Write Task BashOutput
    KillShell KillBash MultiEdit
"""
RIGHT = [
    *(f"user-invocable: {each}" for each in BOOLEANS),
    *(f"disable-model-invocation: {each}" for each in BOOLEANS),
    *(f"context: fork\nbackground: {each}" for each in BOOLEANS),
    *(f"effort: {each}" for each in ("low", "medium", "high", "xhigh", "max", "High")),
    *(f"shell: {each}" for each in ("bash", "powershell")),
    *(f"model: {each}" for each in MODELS),
    *(f"context: fork\nagent: {each}" for each in ("Explore", "Plan", "general-purpose", "claude")),
    *(f"context: fork\nagent: {each}" for each in ("explorer", "plane", "my-agent", "a:b")),
    *(f"hooks:\n  {each}: []" for each in EVENTS.split()),
    *(f"allowed-tools: {each}" for each in TOOLS.split()),
    f"disallowed-tools: {' '.join(TOOLS.split())}",
    "allowed-tools: mcp__github mcp__github__* mcp__a__b Skill(deploy *) Agent(Explore) Task(Plan)",
    "allowed-tools: Bash(git add *) Bash(npm run *, ls) Read(~/**) WebFetch(domain:a.b)",
    "allowed-tools: Bash(${CLAUDE_SKILL_DIR}/scripts/render.sh *) PowerShell(Get-ChildItem *)",
    "allowed-tools: Bash(Grpe *)",
    "effort:\nmodel:\ncontext:\nshell:\nhooks:\nallowed-tools:",
    "user-invocable: false\ndisable-model-invocation: false",
    "user-invocable: true\ndisable-model-invocation: true",
    "argument-hint: [issue-number]\narguments: [issue, branch]\npaths: '*.py, a/**'",
    "arguments: issue branch",
    "paths: ['src/**/*.{ts,tsx}', 'a[bc]/*', 'photos \\[2024/**']",
    "hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: a, once: true}]}]}",
    "hooks: {Stop: [{hooks: [{type: prompt, prompt: a}, {type: http, url: b, timeout: 1.5}]}]}",
    "context: fork\nwhen_to_use: a",
]  # fmt: skip


@pytest.mark.parametrize("front", RIGHT)
@pytest.mark.parametrize("selected", [(), ("claude-code",)])
def test_a_documented_value_is_no_problem(front: str, selected: tuple[str, ...]) -> None:
    assert found(front, *selected) == []


@pytest.mark.parametrize("tool", ["bash", "List", "Shell", "Execute", "fetchUrl", "TodoRead"])
def test_a_tool_of_other_clients_is_wrong_only_where_claude_code_is_selected(tool: str) -> None:
    assert found(f"allowed-tools: Read {tool}") == []
    assert found(f"allowed-tools: Read {tool}", "spec") == []
    assert found(f"allowed-tools: Read {tool}", "claude-code") == [
        ("warning", "tool-unknown", tool)
    ]


FORMS = [
    ("Read Grep", {}),
    ("Read, Grep", {"spec": "warning", "mistral-vibe": "warning", "": "info"}),
    ("[Read, Grep]", {"spec": "warning", "": "info"}),
]
READERS = ["", "claude-code", "spec", "mistral-vibe", "codex", "opencode", "claude-upload"]


@pytest.mark.parametrize("target", READERS)
@pytest.mark.parametrize(("value", "severities"), FORMS)
def test_a_form_of_tools_is_judged_by_the_selected_targets(
    target: str, value: str, severities: dict[str, str]
) -> None:
    said = found(f"allowed-tools: {value}", *filter(None, [target]))
    expected = severities.get(target)
    assert said == ([(expected, "allowed-tools-form", value)] if expected else [])


@pytest.mark.parametrize(
    ("key", "selected", "severity", "advice"),
    [
        ("type", (), "info", 'no target documents the key "type"; move it under `metadata`'),
        ("model", ("codex",), "info", 'no selected target documents the key "model"'),
        ("disable-modl-invocation", (), "warning", 'did you mean "disable-model-invocation"?'),
        ("alowed-tools", ("claude-code",), "warning", 'did you mean "allowed-tools"?'),
        ("tools", ("claude-code",), "info", 'documents the key "tools"; did you mean "allowed'),
        ("concept", (), "info", 'no target documents the key "concept"; move it'),
        ("nmae", (), "warning", 'did you mean "name"?'),
        ("licence", (), "warning", 'did you mean "license"?'),
    ],
)
def test_a_key_that_no_target_documents(
    key: str, selected: tuple[str, ...], severity: str, advice: str
) -> None:
    (one,) = (e for e in analysis(f"{key}: a", *selected).diagnostics if e.rule == "key-unknown")
    assert (one.severity, advice in one.message) == (severity, True)


TYPES = ["", "claude-code", "claude-upload", "skill-creator", "mistral-vibe", "roo", "opencode"]
OLD = [
    ("license: yes", {"", "claude-upload", "skill-creator", "mistral-vibe"}),
    ("license: 2025-01-01", {"", "claude-upload", "skill-creator", "mistral-vibe"}),
    ("description: 2025-01-01", set(TYPES) - {"claude-code"}),
    ("description: yes", {"", "claude-upload", "skill-creator", "mistral-vibe"}),
    ("user-invocable: yes", set()),
    ("disable-model-invocation: yes", set()),
    ("argument-hint: 1:30", set()),
    ("version: 2025-01-01", set()),
    # Mistral Vibe turns the values into texts, and the others do not read them.
    ("metadata:\n  released: 2025-01-01\n  reviewed: yes", set()),
]


@pytest.mark.parametrize("target", [*TYPES, "cline", "codex", "gemini-cli", "spec"])
@pytest.mark.parametrize(("front", "readers"), OLD)
def test_a_value_of_yaml_1_1_is_a_problem_where_a_target_reads_it(
    front: str, readers: set[str], target: str
) -> None:
    front = front if front.startswith("description") else f"description: d\n{front}"
    tree = MemoryTree({"SKILL.md": f"---\nname: probe\n{front}\n---\n# P\n".encode()}, "probe")
    checked = analyse(tree, SkillSettings(targets=tuple(filter(None, [target]))))
    said = "value-yaml-1.1" in {each.rule for each in checked.diagnostics}
    extra = {"skill-creator"} if front.startswith("description: ") and "\n" not in front else set()
    assert said is (target in readers | extra)


FIXES = [
    ("context: frok", "context: fork"),
    ("allowed-tools: Read Bahs(git *)  # c", "allowed-tools: Read Bash(git *)  # c"),
    ("hooks:\n  PreTolUse: []", "hooks:\n  PreToolUse: []"),
    ("agent: Explore", "agent: Explore\ncontext: fork"),
    ("disable-modl-invocation: true", "disable-model-invocation: true"),
]


@pytest.mark.parametrize(("wrong", "right"), FIXES)
def test_a_fix_is_offered_but_not_safe(wrong: str, right: str) -> None:
    checked = analysis(wrong)
    ((fix,),) = (each.fixes for each in checked.diagnostics if each.fixes)
    document = checked.skill.manifests[0].document
    text = apply(document.source.text, resolve_edits(document, fix.edits))
    assert not fix.safe
    assert text == document.source.text.replace(wrong, right)


def test_the_outcome_says_what_is_ignored() -> None:
    skill = analysis("context: frok").skill
    outcome = judge(skill)["claude-code"]
    assert outcome.outcome == "loads without"
    assert [each.text for each in outcome.reasons] == ["it does not support `context: frok`"]


def test_only_known_kinds_of_rules_have_a_problem() -> None:
    for target in targets().values():
        for rule in target.get("fields", {}).get("rules", ()):
            assert rule.get("problem", RULES[0]) in RULES


@pytest.mark.slow_cases("repeated")
@pytest.mark.parametrize(
    "front",
    [
        "allowed-tools: " + "x" * 900_000,
        "allowed-tools: " + "Raed " * 150_000,
        "allowed-tools: " + " ".join(f"Tool{'abcdefghij'[n % 10]}{n}x" for n in range(60_000)),
        "model: " + "y" * 900_000,
        "allowed-tools: " + "Read(" * 150_000,
    ],
    ids=["word", "repeated", "many", "model", "open"],
)
def test_a_giant_value_takes_linear_time(front: str) -> None:
    start = time.perf_counter()
    analysis(front, "claude-code")
    assert time.perf_counter() - start < 10
