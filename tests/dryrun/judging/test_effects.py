"""Declared effects against what was seen: a table that reads like the rules."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.dryrun.judging.declared import (
    Setting,
    declarations,
    has_words,
    program_in,
    table,
)
from skillstudio.dryrun.judging.effects import (
    MOST,
    ObservedEffect,
    RunScope,
    WrittenFile,
    judge_effects,
    observed_effects,
)
from skillstudio.dryrun.plan import PlannedOutput, Roots
from skillstudio.dryrun.report import Event, Observation
from skillstudio.interface.model import Execution, Interface, Operation, Requirement, Term
from skillstudio.manifest.registry import dialects

ROOTS = Roots("/w", "/w/skills/s")
OWN = RunScope(
    *("/w/skills/s", "/w", "/home/u", "/run/tmp"),
    refuses_network=True,
    was_present=lambda path: not path.startswith("/w/new/"),
)


def run(argv: str, refused: str = "") -> Event:
    return Event("exec", argv, refused, argv=tuple(argv.split()))


SEEN: list[tuple[str, list[WrittenFile], list[Event], list[tuple[str, str]]]] = [
    ("a file added", [WrittenFile("/w/out.md", "out.md", "added", "markdown")], [],
     [("fs.write", "added out.md")]),
    ("a database", [WrittenFile("/h/m.db", "~/m.db", "added", "sqlite"),
                    WrittenFile("/h/m.db-wal", "~/m.db-wal", "added", "binary")], [],
     [("db.write", "added ~/m.db"), ("db.write", "added ~/m.db-wal")]),
    ("a database read", [WrittenFile("/h/m.db", "~/m.db", "modified", "sqlite")],
     [Event("read", "/h/m.db")],
     [("db.write", "modified ~/m.db"), ("db.read", "read /h/m.db")]),
    ("a commit",
     [WrittenFile("/w/.git/refs/heads/main", ".git/refs/heads/main", "modified", "text")],
     [run("git commit -m x")],
     [("git.write", "modified .git/refs/heads/main"), ("proc.exec", "started git commit -m x"),
      ("git.write", "started git commit -m x")]),
    ("a look at a repository", [], [run("git -C sub --no-pager log -1")],
     [("proc.exec", "started git -C sub --no-pager log -1"),
      ("git.read", "started git -C sub --no-pager log -1")]),
    ("the version of git", [], [run("git --version")],
     [("proc.exec", "started git --version"), ("git.read", "started git --version")]),
    ("a list of branches", [], [run("git branch"), run("git tag")],
     [("proc.exec", "started git branch"), ("git.read", "started git branch"),
      ("proc.exec", "started git tag"), ("git.read", "started git tag")]),
    ("a branch", [WrittenFile("/w/.git/refs/heads/b", ".git/refs/heads/b", "added", "text")],
     [run("git branch b")],
     [("git.write", "added .git/refs/heads/b"), ("proc.exec", "started git branch b"),
      ("git.write", "started git branch b")]),
    ("a status, which brings the index up to date",
     [WrittenFile("/w/.git/index", ".git/index", "modified", "binary")],
     [run("git status"), run("git branch")],
     [("git.read", "refreshed .git/index"), ("proc.exec", "started git status"),
      ("git.read", "started git status"), ("proc.exec", "started git branch"),
      ("git.read", "started git branch")]),
    ("an index with something else",
     [WrittenFile("/w/.git/index", ".git/index", "modified", "binary"),
      WrittenFile("/w/.git/objects/a", ".git/objects/a", "added", "binary")], [],
     [("git.write", "modified .git/index"), ("git.write", "added .git/objects/a")]),
    ("an index that is gone", [WrittenFile("/w/.git/index", ".git/index", "removed", "binary")], [],
     [("git.write", "removed .git/index")]),
    ("git compares files", [], [Event("read", "/w/a.md", program="git")], []),
    ("git reads elsewhere", [], [Event("read", "/etc/x", program="git")],
     [("fs.read", "read /etc/x")]),
    ("sqlite3 on what stays as it is", [], [run("sqlite3 /w/there.db 'select 1'")],
     [("proc.exec", "started sqlite3 /w/there.db 'select 1'"),
      ("db.read", "started sqlite3 /w/there.db 'select 1'")]),
    ("sqlite3 on what changes", [WrittenFile("/w/there.db", "there.db", "modified", "sqlite")],
     [run("sqlite3 /w/there.db x")],
     [("db.write", "modified there.db"), ("proc.exec", "started sqlite3 /w/there.db x"),
      ("db.write", "started sqlite3 /w/there.db x")]),
    ("a database that is opened and stays as it is", [], [Event("write", "/w/there.db")],
     [("db.read", "opened /w/there.db")]),
    ("a push", [], [run("git push")],
     [("proc.exec", "started git push"), ("git.write", "started git push")]),
    ("a program", [], [run("/usr/bin/curl -s x")], [("proc.exec", "started /usr/bin/curl -s x")]),
    ("a client of a database", [], [run("psql -c x")],
     [("proc.exec", "started psql -c x"), ("db.write", "started psql -c x")]),
    ("a host", [], [Event("connect", "10.1.2.3:443", "ENETUNREACH")],
     [("net.fetch", "connected to 10.1.2.3:443 (refused: no network)")]),
    ("a server of its own", [], [Event("connect", "127.0.0.1:8000")],
     [("net.fetch", "connected to 127.0.0.1:8000")]),
    ("nobody at home", [], [Event("connect", "[::1]:8000", "ECONNREFUSED")],
     [("net.fetch", "connected to [::1]:8000 (failed: connection refused)")]),
    ("a name", [], [Event("resolve", "api.test")],
     [("net.fetch", "looked up api.test")]),
    ("a server of a database", [], [Event("connect", "127.0.0.1:5432")],
     [("db.write", "connected to 127.0.0.1:5432")]),
    ("a service of the machine", [], [Event("connect", "unix:/run/docker.sock", "EACCES")],
     [("ipc.connect", "connected to unix:/run/docker.sock (refused: permission denied)")]),
    ("a file of the workspace", [], [Event("read", "/w/notes.md")],
     [("fs.read", "read /w/notes.md")]),
    ("its own file", [], [Event("read", "/w/skills/s/scripts/run.py")], []),
    ("what it made itself", [WrittenFile("/w/a", "a", "added", "text")], [Event("read", "/w/a")],
     [("fs.write", "added a")]),
    ("a temporary file", [], [Event("write", "/run/tmp/x"), Event("read", "/run/tmp/x")], []),
    ("a file that was gone at the end", [], [Event("write", "/w/x"), Event("remove", "/w/x")],
     [("fs.write", "wrote /w/x (the same content at the end)"),
      ("fs.write", "removed /w/x (the same content at the end)")]),
    ("the record of git, read by something else", [], [Event("read", "/w/.git/HEAD")],
     [("git.read", "read /w/.git/HEAD")]),
    ("the record of git, read by git", [], [Event("read", "/w/.git/HEAD", program="git")], []),
    ("a lock of git", [], [Event("write", "/w/.git/index.lock", program="git")], []),
    ("a hook, written and removed", [], [Event("write", "/w/.git/hooks/x")],
     [("git.write", "wrote /w/.git/hooks/x (the same content at the end)")]),
    ("a server for others", [], [Event("listen", "0.0.0.0:80")],
     [("net.listen", "listened on 0.0.0.0:80")]),
    ("a file that was gone in the home folder", [], [Event("write", "~/x-journal")],
     [("fs.write", "wrote ~/x-journal (the same content at the end)")]),
    ("a folder that is written in", [WrittenFile("~/d/x", "~/d/x", "added", "text")],
     [Event("read", "~/d"), Event("write", "~/d")], [("fs.write", "added ~/d/x")]),
    ("a file of the home folder", [], [Event("read", "~/.netrc")], [("fs.read", "read ~/.netrc")]),
    ("a write outside", [], [Event("write", "/etc/x")], [("fs.write", "wrote /etc/x")]),
    ("a refused write outside", [], [Event("write", "/etc/x", "EROFS")],
     [("fs.write", "wrote /etc/x (refused: read-only)")]),
    ("a power of the system", [], [Event("other", "ptrace", "EPERM")],
     [("sys.call", "called ptrace (refused: not permitted)")]),
    ("a call that nobody knows", [], [Event("other", "system call 5000", "ENOSYS")],
     [("sys.call", "made system call 5000 (refused: not available)")]),
    ("a signal to another program", [], [Event("signal", "process 1")],
     [("sys.call", "sent a signal to process 1")]),
    ("folders of others", [], [Event("list", "/etc"), Event("list", "/"), Event("list", "~")],
     [("fs.read", "listed /etc"), ("fs.read", "listed /"), ("fs.read", "listed ~")]),
    ("folders of its own", [],
     [Event("list", path) for path in ("/w", "/w/d", "/w/skills/s", "~/made", "/run/tmp/x")], []),
    ("a folder that may not be listed", [], [Event("list", "~/.ssh", "ENOENT")],
     [("fs.read", "listed ~/.ssh (failed: no such file)")]),
    ("a file that is read before it is changed", [WrittenFile("/w/a", "a", "modified", "text")],
     [Event("read", "/w/a"), Event("write", "/w/a")],
     [("fs.write", "modified a"), ("fs.read", "read /w/a")]),
    ("a file that is read after it is emptied", [WrittenFile("/w/a", "a", "modified", "text")],
     [Event("write", "/w/a", is_new=True), Event("read", "/w/a")], [("fs.write", "modified a")]),
    ("a file that is read after its end or its permissions are changed",
     [WrittenFile("/w/a", "a", "modified", "text")],
     [Event("write", "/w/a"), Event("read", "/w/a")],
     [("fs.write", "modified a"), ("fs.read", "read /w/a")]),
    ("a file that the run has made and removed", [],
     [Event("write", "/w/new/a"), Event("read", "/w/new/a"), Event("read", "/w/new/b", "ENOENT")],
     [("fs.write", "wrote /w/new/a (the same content at the end)"),
      ("fs.read", "read /w/new/b (failed: no such file)")]),
    ("an index that git refreshed", [WrittenFile("/w/.git/index", ".git/index", "modified", "")],
     [Event("write", "/w/.git/index", program="git")], [("git.read", "refreshed .git/index")]),
    ("an index that something else wrote too",
     [WrittenFile("/w/.git/index", ".git/index", "modified", "")],
     [Event("write", "/w/.git/index", program="git"), Event("write", "/w/.git/index")],
     [("git.write", "modified .git/index")]),
    ("a database that a program of its own opens", [],
     [Event("read", "/w/there.db", program="sqlite3")], []),
    ("a database that is changed back", [],
     [Event("write", "/w/there.db"), Event("write", "/w/there.db-journal")],
     [("db.write", "wrote /w/there.db-journal (the same content at the end)")]),
    ("a database that is only opened", [], [Event("write", "/w/there.db")],
     [("db.read", "opened /w/there.db")]),
    ("a program's own filter", [], [Event("filter", "python3 go.py")],
     [("sys.call", "filtered the system calls of python3 go.py")]),
    ("a filter that would answer calls", [], [Event("filter", "python3 go.py", "EPERM")],
     [("sys.call", "answered the system calls of python3 go.py (refused: not permitted)")]),
]  # fmt: skip


@pytest.mark.parametrize(("what", "written", "events", "expected"), SEEN, ids=[r[0] for r in SEEN])
def test_what_was_seen_shows_an_effect(
    what: str, written: list[WrittenFile], events: list[Event], expected: list[tuple[str, str]]
) -> None:
    found = observed_effects(written, Observation(tuple(events), True), OWN, ["/w/there.db"])
    assert [(each.effect, each.evidence) for each in found] == expected


@pytest.mark.parametrize(
    ("item", "what", "allowed"),
    [
        ("https://api.test:8443", "api.test:8443", True),
        ("https://api.test:8443", "api.test", True),
        ("https://api.test:8443", "api.test:443", False),
        ("https://api.test/v1", "api.test:443", True),
        ("*.api.test", "eu.api.test", True),
        ("10.1.2.3", "10.1.2.3:443", True),
        ("https://api.test:8443", "other.test", False),
    ],
)
def test_a_host_is_asked_for_with_its_scheme_and_port_and_seen_without(
    item: str, what: str, allowed: bool
) -> None:
    asked = Interface("s", permissions=(Term("network", (item,), "allow-list"),))
    setting = Setting("caro-1.0", ROOTS, "/home/u", ())
    assert [one.allows(what) for one in declarations(asked, Operation(""), setting)] == [allowed]


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("git status", "git"),
        ("git", "git"),
        ("'/opt/my tool' x", "/opt/my tool"),
        ("'/opt/it'\"'\"'s' x 'a b'", "/opt/it's"),
        ("./a\\ b", "./a\\"),
        ("'/opt/my tool' 'cut wi…", "'/opt/my"),
        ("", ""),
    ],
)
def test_the_program_of_a_command_that_was_started(line: str, program: str) -> None:
    assert program_in(line) == program


@pytest.mark.parametrize(
    ("asked", "line"), [("./my tool", "'/opt/my tool' x"), ("git", "/usr/bin/git log 'a b'")]
)
def test_a_command_is_asked_for_whatever_signs_its_name_has(asked: str, line: str) -> None:
    told = Interface("s", requirements=(Requirement("command", asked),))
    setting = Setting(FRONT, ROOTS, "/home/u", ())
    (exec_,) = (each for each in declarations(told, Operation(""), setting)
                if each.effect == "proc.exec")  # fmt: skip
    assert exec_.allows(line)
    assert not exec_.allows("'/opt/other tool' x")


def test_where_nothing_arrives_every_try_is_refused() -> None:
    events = Observation((Event("connect", "1.2.3.4:80"),), True)
    assert observed_effects([], events, OWN)[0].is_refused
    assert not observed_effects([], events, OWN._replace(refuses_network=False))[0].is_refused


def terms(*found: tuple[str, str, Any]) -> Interface:
    made = [Term(name, value, "allow-list", key) for name, key, value in found]
    return Interface("s", permissions=tuple(made))


V2 = "skill-manifest-2.0"
FRONT = "frontmatter-1.0"
CARO = "caro-1.0"
BUNDLE = "provenact-1"

ALLOWED: list[tuple[str, str, Interface, Operation, str, str, bool]] = [
    ("an effect by its word", V2, Interface("s"), Operation("o", effects=("net.fetch",)),
     "net.fetch", "x:1", True),
    ("another effect", V2, Interface("s"), Operation("o", effects=("net.fetch",)),
     "fs.write", "/w/x", False),
    ("a declared output", FRONT, Interface("s"), Operation(""), "fs.write", "/w/out/2026.md", True),
    ("below a declared output", FRONT, Interface("s"), Operation(""),
     "fs.write", "/w/out/a/2026.md", False),
    ("a command that is asked for", FRONT,
     Interface("s", requirements=(Requirement("command", "jq"),)), Operation(""),
     "proc.exec", "/usr/bin/jq .", True),
    ("a command that is not", FRONT, Interface("s", requirements=(Requirement("command", "jq"),)),
     Operation(""), "proc.exec", "curl x", False),
    ("a program that every Unix has", FRONT, Interface("s"), Operation(""),
     "proc.exec", "/usr/bin/mktemp -d", True),
    ("the hint of the network", FRONT, Interface("s", execution=Execution(network=True)),
     Operation(""), "net.fetch", "x:1", True),
    ("a home folder", CARO, terms(("fs-read", "", ("~/.aws",))), Operation("o"),
     "fs.read", "/home/u/.aws/config", True),
    ("a folder beside it", CARO, terms(("fs-read", "", ("~/.aws",))), Operation("o"),
     "fs.read", "/home/u/.awsome", False),
    ("the project", CARO, terms(("fs-write", "", ("./out",))), Operation("o"),
     "fs.write", "/w/out/x", True),
    ("the project by its variable", CARO, terms(("fs-read", "", ("$CARO_PROJECT_ROOT",))),
     Operation("o"), "fs.read", "/w/x", True),
    ("the cache", CARO, terms(("fs-write", "", ("$CARO_CACHE/s",))), Operation("o"),
     "fs.write", "/home/u/.cache/caro/s/x", True),
    ("a host below", CARO, terms(("network", "", ("*.example.test",))), Operation("o"),
     "net.fetch", "api.example.test", True),
    ("another host", CARO, terms(("network", "", ("*.example.test",))), Operation("o"),
     "net.fetch", "example.org", False),
    ("any program but one", CARO, terms(("exec-commands", "", ("*",)),
                                        ("exec-blocked", "", ("rm",))), Operation("o"),
     "proc.exec", "rm -rf x", False),
    ("a capability", BUNDLE, terms(("capability", "fs.write", ("/w/data",))), Operation(""),
     "fs.write", "/w/data/x", True),
    ("a capability without a limit", BUNDLE, terms(("capability", "exec", ("*",))), Operation(""),
     "proc.exec", "ls", True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "dialect", "interface", "operation", "effect", "about", "allowed"),
    ALLOWED,
    ids=[row[0] for row in ALLOWED],
)
def test_each_system_declares_in_its_own_words(
    what: str,
    dialect: str,
    interface: Interface,
    operation: Operation,
    effect: str,
    about: str,
    allowed: bool,
) -> None:
    outputs = [PlannedOutput("out/{{day}}.md", "out/*.md", "repo_root")]
    setting = Setting(dialect, ROOTS, "/home/u", outputs if dialect == FRONT else [])
    found = declarations(interface, operation, setting)
    mine = [each for each in found if each.effect == effect]
    assert any(each.allows(about) for each in mine) == allowed


def shows(effect: str, about: str, refused: bool = False) -> ObservedEffect:
    return ObservedEffect(effect, about, f"saw {about}", refused)


VERDICTS: list[
    tuple[str, tuple[str, ...], list[ObservedEffect], bool, list[tuple[str, bool, str, bool]]]
] = [
    ("declared and seen", ("fs.write",), [shows("fs.write", "a")], True,
     [("fs.write", True, "declared-observed", False)]),
    ("declared and not seen", ("proc.exec",), [], True,
     [("proc.exec", True, "declared-not-observed", False)]),
    ("declared and not to be seen", ("proc.exec",), [], False,
     [("proc.exec", True, "not-observable", False)]),
    ("files are always seen", ("fs.write",), [], False,
     [("fs.write", True, "declared-not-observed", False)]),
    ("seen and not declared", (), [shows("net.fetch", "x")], True,
     [("net.fetch", False, "undeclared", True)]),
    ("tried and not declared", (), [shows("net.fetch", "x", True)], True,
     [("net.fetch", False, "blocked", True)]),
    ("tried and declared", ("net.fetch",), [shows("net.fetch", "x", True)], True,
     [("net.fetch", True, "blocked", False)]),
    ("some of it refused", (), [shows("fs.write", "x", True), shows("fs.write", "y")], True,
     [("fs.write", False, "undeclared", True)]),
    ("read or written, and reading is declared", ("db.read",),
     [shows("db.write", "x")._replace(instead="db.read")], True,
     [("db.read", True, "declared-observed", False)]),
    ("read or written, and nothing is declared", (),
     [shows("db.write", "x")._replace(instead="db.read")], True,
     [("db.write", False, "undeclared", True)]),
    ("written, and reading is declared", ("db.read",), [shows("db.write", "x")], True,
     [("db.read", True, "declared-not-observed", False), ("db.write", False, "undeclared", True)]),
    ("what there are no words for", (), [shows("ipc.connect", "x")], True,
     [("ipc.connect", False, "undeclared", False)]),
    ("nothing", (), [], True, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "effects", "found", "traced", "expected"), VERDICTS, ids=[r[0] for r in VERDICTS]
)
def test_a_verdict_on_each_effect(
    what: str,
    effects: tuple[str, ...],
    found: list[ObservedEffect],
    traced: bool,
    expected: list[tuple[str, bool, str, bool]],
) -> None:
    declared = declarations(
        Interface("s"), Operation("o", effects=effects), Setting(V2, ROOTS, "/home/u", [])
    )
    judged = judge_effects(declared, found, V2, traced)
    assert [(each.effect, each.declared, each.verdict, each.is_error) for each in judged] == (
        expected
    )


def test_what_nobody_wrote_down_is_not_missed() -> None:
    declared = declarations(Interface("s"), Operation(""), Setting(FRONT, ROOTS, "/home/u", []))
    assert judge_effects(declared, [], FRONT, True) == ()


def test_what_is_covered_and_what_is_not_are_two_verdicts() -> None:
    declared = declarations(
        terms(("network", "", ("a.test",))), Operation("o"), Setting(CARO, ROOTS, "/home/u", [])
    )
    found = [shows("net.fetch", "a.test"), shows("net.fetch", "b.test")]
    judged = judge_effects(declared, found, CARO, True)
    assert [(each.declared, each.evidence) for each in judged] == [
        (True, ("saw a.test",)),
        (False, ("saw b.test",)),
    ]


def test_evidence_is_cut_and_says_so() -> None:
    [judged] = judge_effects([], [shows("fs.write", str(n)) for n in range(MOST + 5)], V2, True)
    assert len(judged.evidence) == MOST + 1
    assert judged.evidence[-1] == "and 5 more"


def test_of_very_much_evidence_the_programs_are_kept() -> None:
    files = [shows("git.write", str(number)) for number in range(MOST)]
    program = ObservedEffect("git.write", "git commit", "started git commit")
    [judged] = judge_effects([], [*files, program], V2, True)
    assert judged.evidence[:2] == ("started git commit", "saw 0")
    assert judged.evidence[-1] == "and 1 more"
    [judged] = judge_effects([], [*files[1:], program], V2, True)
    assert judged.evidence[-1] == "started git commit"


def test_the_table_names_dialects_and_effects_that_there_are() -> None:
    known = {dialect.id for dialect in dialects()}
    effects = set(table()["effect"])
    for words in table()["words"]:
        assert set(words["dialects"]) <= known
        assert set(words.get("effects", [words.get("effect")])) <= effects
    assert set(table()["ports"].values()) <= effects
    assert has_words(CARO, "net.fetch")
    assert not has_words(FRONT, "db.write")


@pytest.mark.parametrize(("refused", "is_error"), [("", False), ("EPERM", True)])
def test_answering_calls_is_an_error_in_every_dialect(refused: str, is_error: bool) -> None:
    """A filter is a program's own affair, also in a dialect without a word for it."""
    observation = Observation((Event("filter", "python3 go.py", refused),), True)
    judged = judge_effects([], observed_effects([], observation, OWN), "agent-skills", True)
    assert [(each.effect, each.is_error) for each in judged] == [("sys.call", is_error)]


UNDECLARABLE = [
    Event("connect", "unix:/run/docker.sock"),
    Event("connect", "unix:/run/docker.sock", "EACCES"),
    Event("other", "ptrace", "EPERM"),
    Event("other", "system call 5000", "ENOSYS"),
    Event("signal", "process 1"),
]


@pytest.mark.parametrize("event", UNDECLARABLE, ids=lambda event: f"{event.subject}{event.error}")
@pytest.mark.parametrize("dialect", [V2, FRONT, "agent-skills"])
def test_what_no_manifest_can_declare_is_an_error(event: Event, dialect: str) -> None:
    judged = judge_effects(
        [], observed_effects([], Observation((event,), True), OWN), dialect, True
    )
    assert [effect.is_error for effect in judged] == [True]


@pytest.mark.parametrize("place", ["/tmp/x", "/var/tmp/x", "/dev/shm/x"])
def test_a_temporary_file_that_is_prevented_may_be_no_effect(place: str) -> None:
    event = Event("write", place, "EACCES")
    [judged] = judge_effects([], observed_effects([], Observation((event,), True), OWN), V2, True)
    assert (judged.effect, judged.verdict, judged.is_error) == ("fs.write", "prevented", False)
