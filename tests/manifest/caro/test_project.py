"""What skill.toml and its recipes promise: operations, permissions, dependencies, platforms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.manifest.projected import changes, interface, kinds, only, spot, term

from skillstudio.interface.model import ABSENT, Input, Interface
from skillstudio.manifest.caro.project import version_range
from skillstudio.manifest.caro.ranges import parse_range, version_key

HEAD = """\
[skill]
id = "tool.x"
name = "X"
version = "1.2.3"
description = "Does x."
api_version = "1.0"
"""
RECIPE = """\
id: deploy
name: Deploy
description: Deploys
parameters:
  - name: cluster
    type: string
    required: true
    description: Which
    validation: "^[a-z]+$"
  - name: count
    type: integer
    default: 3
  - {name: free, type: date}
  - {name: bare}
preconditions:
  - {check: command_exists, args: [kubectl, aws]}
  - {check: env_set, args: [AWS_REGION]}
  - {check: custom, script: "true"}
triggers:
  - keywords: [deploy]
  - intent: ship it
  - context: {has_files: [a]}
steps:
  - {id: one, command: ls, confirmation: auto}
  - {name: two, command: rm}
  - {command: cp, confirmation: always}
"""


def of(text: str = "", recipe: str = "") -> Interface:
    recipes = {"recipes__a_yaml": recipe} if recipe else {}
    return interface("x", skill_toml=HEAD + text, **recipes)


def test_the_skill_itself() -> None:
    found = of(
        'authors = ["a", "b"]\nlicense = "MIT"\nrepository = "https://r.example"\n'
        'keywords = []\nmin_caro_version = "1.1.0-rc.1"\n'
    )
    assert (found.name, found.version, found.license) == ("tool.x", "1.2.3", "MIT")
    assert found.description == "Does x."
    assert found.metadata == {"name": "X", "repository": "https://r.example", "authors": "a, b"}
    assert found.manifest_versions == {"caro-1.0": "1.0"}
    assert found.declared
    assert term(found, "min-caro-version").value == (1, 1, 0, 0)
    assert term(found, "min-caro-version").shown == "1.1.0-rc.1"


def test_a_recipe_is_an_operation() -> None:
    operation = only(of(recipe=RECIPE))
    assert (operation.name, operation.description) == ("deploy", "Deploys")
    assert operation.inputs == (
        Input("cluster", {"type": "string", "pattern": "^[a-z]+$"}, True, description="Which"),
        Input("count", {"type": "integer"}, False, 3),
        Input("free", {}, False, ABSENT),
        Input("bare", {"type": "string"}, False, ABSENT),
    )
    steps = {e.key: e.shown for e in operation.terms if e.name == "recipe-confirmation"}
    assert steps == {"one": "auto", "two": "prompt", "cp": "always"}
    assert term(operation, "recipe-command").value == ("kubectl", "aws")
    assert term(operation, "recipe-variable").value == ("AWS_REGION",)


@pytest.mark.parametrize(
    ("pointer", "mark"),
    [
        ("/operations/deploy", "deploy\n"),
        ("/operations/deploy/inputs/cluster/schema/pattern", "validation"),
        ("/operations/deploy/inputs/count/default", "default: 3"),
        ("/operations/deploy/terms/recipe-command/aws", "aws]"),
        ("/operations/deploy/terms/recipe-confirmation/one", "confirmation: auto"),
    ],
)
def test_places_in_a_recipe(pointer: str, mark: str) -> None:
    assert of(recipe=RECIPE).place(pointer) == spot(RECIPE, mark, "recipes/a.yaml")


CAPABILITIES = """\
[capabilities]
filesystem_read = ["~/.aws", "./"]
[dependencies]
"core.shell" = ">=1.0"
"""


@pytest.mark.parametrize(
    ("pointer", "mark"),
    [
        ("/name", "id ="),
        ("/version", "version ="),
        ("/permissions/fs-read/.~1", '"./"'),
        ("/permissions/fs-read/other", "filesystem_read"),
        ("/terms/dependency/core.shell", '"core.shell"'),
        ("/terms/dependency-range/core.shell", '"core.shell"'),
        ("/manifest_versions/caro-1.0", "api_version"),
    ],
)
def test_places_in_the_manifest(pointer: str, mark: str) -> None:
    text = HEAD + CAPABILITIES
    assert of(CAPABILITIES).place(pointer) == spot(text, mark, "skill.toml")


def test_an_empty_list_means_all_where_the_system_says_so() -> None:
    assert term(of(), "platform-os").value == ("*",)
    assert term(of("[platform]\nos = []\n"), "platform-os").value == ("*",)
    assert term(of('[platform]\nos = ["linux"]\n'), "platform-os").value == ("linux",)
    assert term(of("[capabilities.terminal_exec]\n"), "exec-commands").value == ("*",)
    assert of("[capabilities.terminal_exec]\nallowed = false\n").permissions == ()
    assert of("[capabilities]\nnetwork = []\n").permissions == ()


def capabilities(text: str) -> Interface:
    return of(f"[capabilities]\n{text}\n")


def terminal(text: str) -> Interface:
    return of(f"[capabilities.terminal_exec]\n{text}\n")


def recipe(old: str = "", new: str = "") -> Interface:
    assert old in RECIPE
    return of(recipe=RECIPE.replace(old, new) if old else RECIPE)


def dependency(text: str) -> Interface:
    return of(f'[dependencies]\n"a.b" = {text}\n')


def least(version: str) -> Interface:
    return of(f'min_caro_version = "{version}"\n' if version else "")


BOTH = [
    (
        "provides",
        of("[provides]\nrecipes = true\n"),
        of(),
        "provides-turned-off",
        "provides-turned-on",
    ),
    (
        "executable",
        of("[provides]\nexecutable = true\n"),
        of(),
        "provides-turned-off",
        "provides-executable-on",
    ),
    (
        "export",
        of('[executable]\nexports = ["a", "b"]\n'),
        of('[executable]\nexports = ["a"]\n'),
        "export-removed",
        "export-added",
    ),
    (
        "feature",
        of('[features]\na = {description = "x"}\n'),
        of(),
        "feature-removed",
        "feature-added",
    ),
    (
        "feature default",
        of('[features]\na = {description = "x"}\n'),
        of('[features]\na = {description = "x", default = false}\n'),
        "feature-default-off",
        "feature-default-on",
    ),
    (
        "feature text",
        of('[features]\na = {description = "x"}\n'),
        of('[features]\na = {description = "y"}\n'),
        "feature-description-changed",
        "feature-description-changed",
    ),
    (
        "a step",
        recipe("confirmation: always", "confirmation: prompt"),
        recipe(),
        "recipe-confirmation-strengthened",
        "recipe-confirmation-weakened",
    ),
    (
        "the default of steps, one of which says nothing itself",
        of('[recipes]\ndefault_confirmation = "auto"\n', RECIPE),
        recipe(),
        "recipe-confirmation-strengthened",
        "recipe-confirmation-weakened",
    ),
    (
        "the default without recipes",
        of('[recipes]\ndefault_confirmation = "always"\n'),
        of(),
        "recipe-confirmation-weakened",
        "recipe-confirmation-strengthened",
    ),
    (
        "a step that is gone",
        recipe("  - {name: two, command: rm}\n", ""),
        recipe(),
        "operation-became-destructive recipe-command-refused recipe-step-added",
        "operation-no-longer-destructive recipe-command-allowed recipe-step-removed",
    ),
    (
        "a program",
        recipe("[kubectl, aws]", "[kubectl]"),
        recipe(),
        "recipe-command-added",
        "recipe-command-removed",
    ),
    (
        "a variable",
        recipe("[AWS_REGION]", "[]"),
        recipe(),
        "recipe-variable-added",
        "recipe-variable-removed",
    ),
    (
        "a recipe",
        of(),
        recipe(),
        "operation-added operation-added-destructive",
        "operation-removed",
    ),
    (
        "a topic",
        of('[knowledge]\ntopics = ["a"]\n'),
        of('[knowledge]\ntopics = ["a", "b"]\n'),
        "knowledge-topic-added",
        "knowledge-topic-removed",
    ),
    (
        "priority",
        of("[knowledge]\n"),
        of("[knowledge]\npriority = 51\n"),
        "knowledge-priority-changed",
        "knowledge-priority-changed",
    ),
    (
        "tokens",
        of("[knowledge]\n"),
        of("[knowledge]\nmax_context_tokens = 1001\n"),
        "knowledge-max-tokens-raised",
        "knowledge-max-tokens-lowered",
    ),
    (
        "a program to run",
        terminal('commands = ["a"]'),
        terminal('commands = ["a", "b"]'),
        "capability-exec-command-added",
        "capability-narrowed",
    ),
    (
        "every program to run",
        terminal('commands = ["a"]'),
        terminal("commands = []"),
        "capability-exec-commands-emptied",
        "capability-narrowed",
    ),
    (
        "a blocked program",
        terminal('blocked = ["rm"]'),
        terminal(""),
        "capability-exec-blocked-removed",
        "capability-exec-blocked-added",
    ),
    (
        "files to read",
        capabilities('filesystem_read = ["~/.aws/sso"]'),
        capabilities('filesystem_read = ["~/.aws"]'),
        "capability-fs-read-widened",
        "capability-narrowed",
    ),
    (
        "files to write",
        capabilities(""),
        capabilities('filesystem_write = ["./"]'),
        "capability-fs-write-widened",
        "capability-narrowed",
    ),
    (
        "hosts",
        capabilities('network = ["s3.amazonaws.com"]'),
        capabilities('network = ["*.amazonaws.com"]'),
        "capability-network-widened",
        "capability-narrowed",
    ),
    (
        "a port",
        capabilities('network = ["https://x.example:8443"]'),
        capabilities('network = ["x.example"]'),
        "capability-network-widened",
        "capability-narrowed",
    ),
    (
        "variables",
        capabilities('env_read = ["AWS_REGION"]'),
        capabilities('env_read = ["AWS_*"]'),
        "capability-env-read-widened",
        "capability-narrowed",
    ),
    (
        "secrets",
        capabilities("secrets_access = false"),
        capabilities("secrets_access = true"),
        "capability-secrets-on",
        "capability-narrowed",
    ),
    (
        "a dependency",
        of(),
        dependency('{version = ">=1", features = ["x"]}'),
        "dependency-added",
        "dependency-removed",
    ),
    (
        "its need",
        dependency('">=1"'),
        dependency('{version = ">=1", optional = true}'),
        "dependency-became-optional",
        "dependency-became-required",
    ),
    (
        "its range",
        dependency('">=1.0,<3"'),
        dependency('">=1.5,<3"'),
        "dependency-range-narrowed",
        "dependency-range-widened",
    ),
    (
        "its range moved",
        dependency('">=1.0,<1.5"'),
        dependency('">=1.2,<1.9"'),
        "dependency-range-changed",
        "dependency-range-changed",
    ),
    (
        "its lowest major version",
        dependency('">=1.0"'),
        dependency('">=2.0"'),
        "dependency-major-floor-raised",
        "dependency-range-widened",
    ),
    ("its range written otherwise", dependency('">=1"'), dependency('">= 1.0.0"'), "", ""),
    (
        "a feature of it",
        dependency('{version = "*"}'),
        dependency('{version = "*", features = ["x"]}'),
        "dependency-feature-added",
        "dependency-feature-removed",
    ),
    (
        "a suggestion",
        of('[suggestions]\n"a.b" = "x"\n'),
        of('[suggestions]\n"a.b" = "y"\n'),
        "suggestion-changed",
        "suggestion-changed",
    ),
    (
        "systems",
        of('[platform]\nos = ["linux"]\n'),
        of('[platform]\nos = ["linux", "macos"]\n'),
        "platform-os-added",
        "platform-os-removed",
    ),
    (
        "all systems",
        of('[platform]\nos = ["linux"]\n'),
        of(),
        "platform-os-added",
        "platform-os-removed",
    ),
    (
        "architectures",
        of('[platform]\narch = ["arm"]\n'),
        of(),
        "platform-arch-added",
        "platform-arch-removed",
    ),
    (
        "a tool",
        of('[platform]\nrequired_tools = ["a"]\n'),
        of(),
        "platform-required-tool-removed",
        "platform-required-tool-added",
    ),
    (
        "a tool that is not needed",
        of('[platform]\noptional_tools = ["a", "b"]\n'),
        of(),
        "platform-optional-tool-changed",
        "platform-optional-tool-changed",
    ),
    (
        "the order of tools",
        of('[platform]\noptional_tools = ["a", "b"]\n'),
        of('[platform]\noptional_tools = ["b", "a"]\n'),
        "",
        "",
    ),
    (
        "caro",
        least("1.9.0"),
        least("1.10.0"),
        "min-caro-version-raised",
        "min-caro-version-lowered",
    ),
    ("any caro", least(""), least("1.0.0"), "min-caro-version-raised", "min-caro-version-lowered"),
    (
        "pre-release",
        least("1.0.0-rc.1"),
        least("1.0.0"),
        "min-caro-version-raised",
        "min-caro-version-lowered",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "there", "back"), [each[1:] for each in BOTH], ids=[each[0] for each in BOTH]
)
def test_each_kind_of_this_system_in_both_directions(
    old: Interface, new: Interface, there: str, back: str
) -> None:
    assert sorted(kinds(old, new)) == there.split()
    assert sorted(kinds(new, old)) == back.split()


def test_the_right_to_run_commands() -> None:
    found = kinds(of(), terminal('commands = ["a"]'))
    assert found == ["capability-exec-allowed-on", "capability-exec-command-added"]
    assert kinds(terminal('commands = ["a"]'), of()) == ["capability-narrowed"] * 2


@pytest.mark.parametrize(
    ("version", "kind"),
    [("2.0", "api-version-major-changed"), ("1.1", "api-version-minor-changed")],
)
def test_another_version_of_the_format(version: str, kind: str) -> None:
    new = interface(
        "x", skill_toml=HEAD.replace('api_version = "1.0"', f'api_version = "{version}"')
    )
    assert kinds(of(), new) == [kind]


def test_a_new_optional_dependency_says_so() -> None:
    (added,) = changes(of(), dependency('{version = "*", optional = true}'))
    assert added.message == 'the skill now depends on "a.b" ("optional")'
    assert added.review


parts = st.integers(0, 3).map(str)
versions = st.one_of(
    st.tuples(parts, parts, parts).map(".".join),
    st.tuples(parts, parts).map(".".join),
    st.tuples(parts, st.sampled_from(["a", "a.1", "ab", "1", "2", "a.b"])).map(
        lambda pair: f"1.0.{pair[0]}-{pair[1]}"
    ),
)
operators = st.sampled_from([">=", ">", "<", "<=", ""])
ranges = st.lists(st.tuples(operators, versions).map("".join), min_size=1, max_size=3)


@given(ranges.map(",".join), versions)
def test_an_interval_admits_what_its_range_does(text: str, version: str) -> None:
    try:
        wanted = parse_range(text)
        interval = version_range(text)
    except ValueError:
        return
    at = version_range(f"={version}"[1:]).low
    assert at is not None
    above = (
        interval.low is None or at > interval.low or (at == interval.low and not interval.low_open)
    )
    below = (
        interval.high is None
        or at < interval.high
        or (at == interval.high and not interval.high_open)
    )
    assert (above and below) is wanted.admits(version)


@given(versions, versions)
def test_versions_keep_their_order(one: str, other: str) -> None:
    left, right = version_range(one).low, version_range(other).low
    assert left is not None
    assert right is not None
    keys = version_key(one), version_key(other)
    assert keys[0] is not None
    assert keys[1] is not None
    assert (left < right) is (keys[0] < keys[1])
    assert (left == right) is (keys[0] == keys[1])


@pytest.mark.parametrize(
    "text",
    [
        "[capabilities]\nnetwork = 5\nterminal_exec = 1\nenv_read = [1]\n",
        '[dependencies]\na.b = ">=1"\n"c.d" = 5\n"e.f" = ">>1"\n"g.h" = {}\n',
        "[features]\na = 5\n[platform]\nos = 1\n[knowledge]\npriority = 'x'\ntopics = 1\n",
        "[skill]\nid = 5\n[recipes]\ndefault_confirmation = 5\n",
        "[suggestions]\na.b = 'x'\n",
    ],
)
def test_what_cannot_be_read_is_left_out(text: str) -> None:
    found, bare = of(text), of()
    assert found._replace(name=bare.name, ids=bare.ids, terms=bare.terms) == bare
    assert not {"a.b", "c.d"} & {each.key for each in found.terms}
    assert kinds(found, found) == []


@pytest.mark.parametrize(
    "text",
    [
        "- a\n",
        "id: 5\n",
        "id: a\nparameters: 5\nsteps: [1, {}]\npreconditions: [{check: env_set, args: x}]\n",
        "id: a\nparameters: [1, {name: x}, {name: x}, {type: 5}]\ntriggers: [1, {keywords: 5}]\n",
        "id: a\nsteps: [{command: x, confirmation: maybe}]\n",
    ],
)
def test_a_recipe_that_cannot_be_read_is_left_out(text: str) -> None:
    found = of(recipe=text)
    assert [each.name for each in found.operations] == ["a"] * text.startswith("id: a\n")
    assert kinds(found, found) == []
