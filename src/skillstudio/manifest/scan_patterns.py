"""The patterns that `scanning` searches for, as data.

Each takes linear time: what is between two words has a limit and stops where the first word
occurs again.
"""

from __future__ import annotations

from typing import NamedTuple


class ScanPattern(NamedTuple):
    """A pattern of a rule; every match contains one of `marks`, in lower case.

    No mark of a kind of text contains another one.
    """

    rule: str
    marks: tuple[str, ...]
    regex: str
    message: str
    kinds: str = "skill reference script"
    """The texts searched: SKILL.md, the other Markdown files, the scripts."""
    part: str = ""  # `prose` or `comment` of a Markdown text; empty for all of it.


_SHELL = (
    r"(?:sudo[ \t]+(?:-\S+[ \t]+){0,5})?(?:/(?:usr/)?bin/)?"
    r"(?:(?:ba|z|da|k|a)?sh|python3?|node|perl|ruby)\b"
)
_FETCH = r"(?:curl|wget)"
_WEB = r"(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)"
_FILTER = r"(?:\|[ \t]*(?:base64|bunzip2|cat|gunzip|sed|tee|tr|xz|zcat)\b[^|\n]{0,100}){0,2}"
_OVERRIDE = (
    r"(?:ignore|disregard|forget|override)[ \t]+(?:all[ \t]+|any[ \t]+)?(?:of[ \t]+)?"
    r"(?:the[ \t]+|your[ \t]+|my[ \t]+)?(?:previous|prior|above|earlier|preceding)[ \t]+"
    r"(?:instructions?|prompts?|directions|guidelines|rules)\b"
)
_HIDE = (
    r"(?:do not|don't|never)[ \t]+(?:tell|inform|notify|alert|warn)[ \t]+the[ \t]+(?:user|human)"
    r"|without[ \t]+(?:telling|informing|notifying|alerting|asking)[ \t]+the[ \t]+(?:user|human)"
    r"|without[ \t]+the[ \t]+user(?:'s)?[ \t]+(?:knowledge|knowing|consent|noticing)"
)

PATTERNS = (
    ScanPattern(
        "path-home",
        ("/home/", "/users/", "\\users\\"),
        r"(?:(?<=file://)|(?<![\w.~$}>*/\\-]))(?:/(?:home|Users)/|[A-Za-z]:\\{1,2}Users\\{1,2})"
        # A text that shows how a client names the folder of a project needs no other path.
        r"(?P<user>[^\W\d_][\w.-]{1,31})(?=[/\\])(?![^\n]{0,300}[^\w/]-(?:Users|home)-(?P=user))",
        "this is the home folder of one user; write ~ or a path relative to the skill",
    ),
    ScanPattern(
        "conflict-unresolved",
        ("<<<<<<< ",),
        r"(?m)^<{7} [^\n]{1,200}",
        "this merge conflict is not resolved; keep one side or both, and remove its markers",
        "skill reference",
        "prose",
    ),
    ScanPattern(
        "instruction-injected",
        ("ignore", "disregard", "forget", "override"),
        r"(?i)(?<!not )(?<!never )(?<!n't )(?<!to )(?<!that )(?<!can )(?<!could )(?<!may )"
        rf"\b{_OVERRIDE}",
        "this tells the agent to ignore its instructions; remove it",
        "skill reference",
        "prose",
    ),
    ScanPattern(
        "comment-instruction",
        ("<!--",),
        rf"(?i)\b(?:{_OVERRIDE}|{_HIDE}"
        r"|(?:silently|secretly)[ \t]+(?:run|execute|send|upload|post|read|copy|fetch|add)\b"
        r"|(?:run|execute)[ \t:]+[`'\"]?(?:curl|wget|bash|sh|python3?|node|npx|powershell)[ \t]"
        r"|(?:send|upload|post|forward|leak)\b[^.\n]{0,60}\bhttps?://"
        r"|(?:ai|llm|agents?|assistants?|claude|codex|gemini|copilot)"
        r"[ \t]+(?:must|should|shall|has to|have to)\b)",
        "this comment instructs the agent, unseen by people; remove it, or write it as text",
        "skill",
        "comment",
    ),
    ScanPattern(
        "download-executed",
        ("curl", "wget"),
        rf"\b{_FETCH}[ \t]+(?!\|)(?:(?!curl|wget)(?:\\\r?\n|[^|\n])){{1,400}}{_FILTER}"
        rf"\|[ \t]*{_SHELL}"
        rf"|\b(?:(?:ba|z)?sh[ \t]+-c[ \t]+[\"']?|eval[ \t]+[\"']?)(?:\$\(|`)[ \t]*{_FETCH}[ \t]"
        rf"|(?:\b(?:(?:ba|z)?sh|source)|(?<!\S)\.)[ \t]+<\([ \t]*{_FETCH}[ \t]",
        "this runs what it downloads, unseen; download a fixed version and compare its checksum",
    ),
    ScanPattern(
        "download-executed",
        ("iex", "invoke-expression"),
        rf"(?i)\b{_WEB}\b(?:(?!{_WEB})[^|\n]){{0,300}}\|[ \t]*(?:iex|invoke-expression)\b"
        rf"|\b(?:iex|invoke-expression)\b(?:(?!iex|invoke-exp)[^\n]){{0,60}}\b{_WEB}\b",
        "this runs what it downloads, unseen; download a fixed version and compare its checksum",
    ),
    ScanPattern(
        "code-encoded",
        ("base64", "xxd"),
        r"\b(?:base64[ \t]+(?:-d|-D|-di|--decode)|xxd[ \t]+-r)\b"
        rf"(?:(?!base64|xxd)[^|\n]){{0,200}}\|[ \t]*{_SHELL}"
        r"|\b(?:eval|(?:ba|z)?sh[ \t]+-c)[ \t]+[\"']?(?:\$\(|`)"
        r"(?:(?!\beval|sh[ \t]+-c)[^)\n]){0,300}?"
        r"\b(?:base64[ \t]+(?:-d|-D|-di|--decode)|xxd[ \t]+-r)\b",
        "this decodes text and runs it, so that nobody can read what runs; write the code itself",
        "skill script",
    ),
    ScanPattern(
        "code-encoded",
        ("decode", "unhexlify", "fromhex", "decompress", "atob", "buffer.from", "base64"),
        r"\b(?:exec|eval)[ \t]*\([ \t]*(?:compile[ \t]*\([ \t]*)?"
        r"(?:__import__\([ \t]*[\"']\w{1,20}[\"'][ \t]*\)\.)?(?:\w{1,30}\.){0,3}"
        r"(?:[ab]\d\ddecode|decodebytes|unhexlify|fromhex|decompress)[ \t]*\("
        r"|\b(?:eval|Function)[ \t]*\([ \t]*(?:window\.|globalThis\.)?(?:atob[ \t]*\("
        r"|Buffer\.from[ \t]*\([^)\n]{1,200},[ \t]*[\"'](?:base64|hex)[\"'])"
        r"|(?i:\b(?:iex|invoke-expression)\b(?:(?!iex|invoke-exp)[^\n]){0,120}frombase64string)",
        "this decodes text and runs it, so that nobody can read what runs; write the code itself",
        "skill script",
    ),
    ScanPattern(
        "code-encoded",
        ("powershell", "pwsh"),
        r"(?i)\b(?:powershell|pwsh)(?:\.exe)?\b(?:(?!powershell|pwsh)[^|\n]){0,200}?"
        r"[ \t]-(?:e|ec|enc|encodedcommand)[ \t]+[A-Za-z0-9+/=]{20}",
        "this runs an encoded command, so that nobody can read what runs; write the command itself",
        "skill script",
    ),
    ScanPattern(
        "credential-read",
        (
            *(".ssh", ".aws", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".gnupg"),
            *(".kube", ".docker", ".config", ".pgpass", ".codex", ".claude"),
            *("/etc/shadow", "find-generic-password", "/keychains"),
        ),
        r"(?:[~}/\"']|HOME)[/\\\"' ,]{0,6}\.(?:ssh(?=[/\\\"'\s)])|aws[/\\]credentials\b|netrc\b"
        r"|npmrc\b|pypirc\b|git-credentials\b|gnupg\b|kube[/\\]config\b|docker[/\\]config\.json"
        r"|config[/\\]gcloud\b|pgpass\b|config[/\\]gh[/\\]hosts\.yml|codex[/\\]auth\.json"
        r"|claude[/\\]\.credentials\.json)|/etc/shadow\b|find-generic-password|Library/Keychains",
        "this script names a file with the user's credentials; pass what it needs as an input",
        "script",
    ),
)

EXAMPLE_USER = (
    r"(?i)abc|admin|administrator|agent|alice|app|arch|alpine|bar|baz|bob|build|builder|carol|centos|dave"
    r"|circleci|claude|coder|codespace|codex|daytona|data|debian|default|demo|deploy|deployer|dev"
    r"|developer|docker|eve|fedora|foo|frank|git|gitpod|guest|hadoop|homebrew|jane|jane[.]?doe|jdoe|jenkins"
    r"|joe|john|john[.]?doe|jovyan|kali|linuxbrew|me|mallory|mary|myself|nix|node|nobody|oai|opc|pi|postgres"
    r"|projects?|public|redacted|root|runner|runneradmin|sample|sandbox|shared|somebody|someone|steam|test"
    r"|tester|travis|ubuntu|vagrant|vllm|votrenom|vscode|workspace|www-data|xxx|you"
    r"|.*(?:user|name|your|example|placeholder).*"
)
"""Users of examples, images and services: their home folders are not those of an author."""

SCRIPTS = (
    *(".bash", ".bat", ".cjs", ".cmd", ".cts", ".fish", ".js", ".jsx", ".lua", ".mjs", ".mts"),
    *(".php", ".pl", ".ps1", ".psm1", ".py", ".rb", ".sh", ".ts", ".tsx", ".zsh"),
    *("dockerfile", "justfile", "makefile"),
)
"""The ends of the names of scripts."""
