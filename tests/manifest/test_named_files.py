"""What the Markdown of a skill names exists, or is reported once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskSnapshot
from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import Analysis, analyse

RULES = {
    *("link-missing", "link-outside", "anchor-missing", "file-missing"),
    *("symlink-broken", "symlink-outside"),
}
FILES = {
    "references/forms.md": "# Forms\n\n## Fill `<in>`\n\n## A_b & c\n\n## Same\n\n## Same\n",
    "scripts/check.py": "print(1)\n",
    "parsers/pdf.py": "print(1)\n",
    "assets/logo.svg": "<svg/>\n",
}


def head(name: str = "inv", description: str = "Checks invoices. Use for them.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n# Invoices\n\n"


def look(body: str, name: str = "inv", description: str = "Checks invoices.") -> list[str]:
    files = {**FILES, "SKILL.md": head(name, description) + body}
    return problems(analyse(MemoryTree({p: t.encode() for p, t in files.items()}, name)))


def problems(analysis: Analysis) -> list[str]:
    return [
        f"{each.rule} {each.severity}: {each.message}"
        for each in analysis.diagnostics
        if each.rule in RULES
    ]


LINK = "link-missing warning: this link points to a file that does not exist in the skill"
NO_FILE = "file-missing warning: the skill has no file"
ADD = "; add it, or correct the path"
CHECK = "; did you mean scripts/check.py?"
NO_HEADING = "anchor-missing info: this file has no heading for"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("[a](references/form.md)", [f"{LINK}; did you mean references/forms.md?"]),
        ("[a](forms.md)", [f"{LINK}; did you mean references/forms.md?"]),
        ("[a](other.md), [again](other.md)", [LINK]),
        ("[a]\n\n[a]: other.md\n", [LINK]),
        ("[a](<o 1.md>) ![b](none.png)", [LINK, LINK]),
        ("[a]: ./other.md#top", [LINK]),
        (
            "[a](../shared/a.md) and [b](../shared/b.md)",
            [
                "link-outside warning: this link leaves the skill, so it leads nowhere where only "
                "the skill is installed; copy the file into it; so does 1 more link"
            ],
        ),
        ("[a](#invoice)", [f"{NO_HEADING} #invoice; did you mean invoices?"]),
        (
            "[a](references/forms.md#nothing)",
            ["anchor-missing info: references/forms.md has no heading for #nothing"],
        ),
        ("Load `references/errors.md` when it fails.", [f"{NO_FILE} references/errors.md{ADD}"]),
        ("Run `python3 scripts/chek.py a.pdf`.", [f"{NO_FILE} scripts/chek.py{CHECK}"]),
        (
            "```bash\npython3 scripts/x1.py\nbash scripts/x2.sh -v\n```",
            [f"{NO_FILE} scripts/x1.py{ADD}", f"{NO_FILE} scripts/x2.sh{ADD}"],
        ),
        ("```sh\nbash ${CLAUDE_SKILL_DIR}/tools/x1.sh\n```", [f"{NO_FILE} tools/x1.sh{ADD}"]),
        ("```sh\n./scripts/x1.sh\n```", [f"{NO_FILE} scripts/x1.sh{ADD}"]),
        ("Run `{baseDir}/scripts/x1.sh`.", [f"{NO_FILE} scripts/x1.sh{ADD}"]),
        ("Read @references/missing.md first.", [f"{NO_FILE} references/missing.md{ADD}"]),
        ("- `parsers/xml.py` - parses XML", [f"{NO_FILE} parsers/xml.py{ADD}"]),
        (
            "If detailed examples are required, open `resources/more.md`.",
            [f"{NO_FILE} resources/more.md{ADD}"],
        ),
        ("Read `references/x1.md` for examples.", [f"{NO_FILE} references/x1.md{ADD}"]),
        ("See `assets/icon.svg`, `assets/icon.svg`.", [f"{NO_FILE} assets/icon.svg{ADD}"]),
    ],
)  # fmt: skip
def test_a_name_without_a_file(body: str, expected: list[str]) -> None:
    assert look(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "[a](references/forms.md), [b](./references), [c](references/forms.md#forms)",
        "[a](references/forms.md#a_b--c) [b](references/forms.md#same-1)",
        "[a](references/forms.md#fill-in)",
        '<a name="here"></a>[a](#here) [b](#invoices)',
        "[a](https://x.org/a.md) [b](/a.md) [c](mailto:a@b.c) [d](~/a.md) [e](?q=1)",
        "[title](url), [text](path/to/file.md), [a]({path}), [a](<name>.md), `[a](other.md)`",
        "[0](MON/WED/FRI), [plan](plans/20260102-api.md)",
        "```\n[a](other.md)\n```",
        "Save the table to `references/report.md`.",
        "This writes `assets/out.svg`, which the next step reads. Open `assets/out.svg`.",
        "Create `scripts/new1.py` with the content below.",
        "```bash\ncat > scripts/gen.py <<'E'\nE\npython3 scripts/gen.py\n```",
        "```bash\ncp scripts/check.py scripts/mine.py\npython3 scripts/mine.py\n```",
        "```bash\ncurl -o scripts/dl.sh https://x.org\nbash scripts/dl.sh\n```",
        "```bash\npython3 scripts/check.py --output assets/out.svg\n```",
        "`scripts/<name>.py`, `scripts/{x}.py`, `scripts/$X.py`, `references/NAME.md`",
        "`scripts/foo.py`, `scripts/your-script.py`, `scripts/path/to/a1.py`, `scripts/example.py`",
        "`scripts/*.py`, `scripts/`, `references/`, `scripts/check`",
        "`https://x.org/scripts/a1.py`, `/opt/scripts/a1.py`",
        "`~/scripts/a1.py`, `../scripts/a1.py`",
        "In your project, run `python3 scripts/deploy.py`.",
        "The repository root has `scripts/deploy.py`.",
        "`src/app.py`, `tests/test_a.py`, `other-skill/scripts/a1.py`, `templates/base.html`",
        "```\nskill/\n├── scripts/a1.py\n└── references/b1.md\n```",
        "```python\nopen('scripts/a1.py')\n```",
        "```yaml\nrun: python3 scripts/a1.py\n```",
        "A skill may have scripts, for example `scripts/rotate_pdf.py`.",
        "Examples: read `references/rotate.md`. For example, read `references/turn.md`.",
        "Your project may have `resources/views.md`. Open `resources/views/a1.php`.",
        "Use files such as `references/schema1.md`.",
        "If it exists, read `references/local.md`. Read `references/extra.md` (optional).",
        "**`scripts/config.js`**:\n```js\n1\n```",
        "| `references/old1.md` | Removed | not portable |",
        "Run `bash ${CLAUDE_PLUGIN_ROOT}/shared/x.sh`.",
        "Read `references/phaseN.md` of the phase.",
        "A project script (`./scripts/codegen.sh`) makes it.",
        "❌ plain → ✅ [T1](other.md#component)",
    ],
)
def test_what_need_not_exist(body: str) -> None:
    assert look(body) == []


def test_a_skill_about_skills_names_imaginary_files() -> None:
    body = "Put code in `scripts/rotate_pdf.py`. See [forms](FORMS.md)."
    assert look(body, "skill-creator", "Creates skills.") == []
    assert look("Run `python3 scripts/rotate.py`.", "authoring", "Write better skills.") == []


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill in a repository with another skill, and a file for all."""
    (tmp_path / ".git").mkdir()
    for path, text in {
        "skills/inv/SKILL.md": head(),
        "skills/inv/references/a.md": "See [b](../../pay/SKILL.md).\n",
        "skills/pay/SKILL.md": head("pay"),
        "skills/pay/references/rates.md": "1\n",
        "shared/style.md": "# Style\n",
        "scripts/deploy.sh": "echo\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path / "skills" / "inv"


def on_disk(skill: Path, body: str) -> list[str]:
    (skill / "SKILL.md").write_text(head() + body)
    return [each.split(";")[0].split(", ")[0] for each in problems(analyse(DiskSnapshot(skill)))]


LEAVES = "this link leaves the skill"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("[a](../../shared/style.md)", [f"link-outside warning: {LEAVES}"]),
        ("[a](../../shared/none.md)", [LINK.removesuffix(" in the skill")]),
        ("[a](../pay/SKILL.md)", [f"link-outside info: {LEAVES}"]),
        ("[a](../../../above.md)", [f"link-outside warning: {LEAVES}"]),
        ("Run `bash scripts/deploy.sh`.", []),
        ("Read `references/rates.md` of the skill `pay`.", []),
        ("See the skill `pay` and its\n`references/rates.md` first.", []),
        ("Read `references/rates.md`.", [f"{NO_FILE} references/rates.md"]),
        ("Read references/a.md.", [f"link-outside info: {LEAVES}"]),
    ],
)  # fmt: skip
def test_names_in_a_repository(skill: Path, body: str, expected: list[str]) -> None:
    assert on_disk(skill, body) == expected


def test_files_of_the_plugin_travel_with_it(skill: Path) -> None:
    plugin = skill.parent.parent / ".claude-plugin"
    plugin.mkdir()
    (plugin / "plugin.json").write_text('{"name": "p"}')
    assert on_disk(skill, "[a](../../shared/style.md)") == [f"link-outside info: {LEAVES}"]
    root = "${CLAUDE_PLUGIN_ROOT}"
    body = f"Run `bash {root}/shared/none.sh`, read `{root}/shared/style.md`."
    assert on_disk(skill, body) == ["file-missing warning: the plugin has no file shared/none.sh"]


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_symbolic_links(skill: Path) -> None:
    os.symlink("nowhere.md", skill / "references" / "dead.md")
    os.symlink("../../shared", skill / "shared")
    assert on_disk(skill, "[a](references/dead.md), [b](shared/style.md)") == [
        "symlink-broken warning: references/dead.md is a symbolic link to nowhere.md",
        "symlink-outside warning: shared is a symbolic link out of the skill",
        LINK,
    ]


@pytest.mark.parametrize(
    "unit",
    [
        *("[a](#x) ", "[a](b.md) ", "](", "[a]: b.md\n", "[a](../b/c.md)\n", "](<"),
        *("](a(", "# a\n", "a\n---\n"),
        *("`scripts/a1.py` ", "scripts/", "scripts/a/", "`references/x", "> scripts/a1.py "),
        *("```bash\npython3 scripts/a1.py\n", "${CLAUDE_SKILL_DIR}/a1.py ", "@references/a1.md "),
        *("`", "{#", "id=", "write ", "python3 -a -a -a ", "<a "),
    ],
)  # fmt: skip
def test_hostile_texts_take_linear_time(unit: str) -> None:
    body = (unit * (200_000 // len(unit))) + "\n[a](#b) `scripts/zz1.py`\n"
    start = time.process_time()
    look(body)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    "about",
    [
        "git clone https://example.com/tea",
        "pip install git+https://example.com/tea.git",
        "See https://github.com/tea/tea.",
    ],
)
def test_a_skill_about_other_software_names_its_scripts(about: str) -> None:
    body = "```bash\npython3 scripts/train.py\n```\n"
    own = {"SKILL.md": head() + body}
    foreign = {"SKILL.md": head() + about + "\n\n" + body}
    with_scripts = {**foreign, "scripts/check.py": ""}
    missing = [f"{NO_FILE} scripts/train.py{ADD}"]
    for files, expected in ((own, missing), (foreign, []), (with_scripts, missing)):
        tree = MemoryTree({path: text.encode() for path, text in files.items()}, "inv")
        assert problems(analyse(tree)) == expected


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("## Resources\n\n- **references/errors.md**: Errors\n- **assets/list.md** - A list\n",
         ["references/errors.md", "assets/list.md"]),
        ("## Reference Files\n\n- `assets/ci.yml` - CI\n- `templates/go.sh`: Go\n",
         ["assets/ci.yml", "templates/go.sh"]),
        ("## Project layout\n\n- `templates/ci.yml` - CI\n- **docs/list.md**: A list\n", []),
        ("## Resources\n\nWrite `templates/ci.yml` and **templates/cd.yml**.\n", []),
        ("## Scripts\n\n- `templates/ci.yml`\n", []),
    ],
)  # fmt: skip
def test_a_list_of_the_skills_own_files(body: str, missing: list[str]) -> None:
    assert look(body) == [f"{NO_FILE} {path}{ADD}" for path in missing]


def test_commands_beside_those_of_a_project() -> None:
    run = "python3 scripts/train.py --best\n"
    assert look(f"```bash\n{run}```\n") == [f"{NO_FILE} scripts/train.py{ADD}"]
    assert look(f"```bash\npython3 -m pytest tests/ -v\n{run}```\n") == []


@pytest.mark.parametrize(
    ("body", "is_quiet"),
    [
        ("```markdown\n# A\n```bash\nls\n```\n[a](docs/a.md)\n```\n", True),
        ("[a](docs/a.md)\n```\n## Diagram\n```mermaid\nx\n```\n", True),
        ("[a](docs/a.md)\n````\n\n```bash\nls\n```\n````\n", True),
        ("````markdown\n```bash\nls\n```\n````\n[a](docs/a.md)\n", False),
        ("```bash\nls\n```\n[a](docs/a.md)\n```bash\nls\n```\n", False),
    ],
)
def test_blocks_that_an_author_meant_otherwise(body: str, is_quiet: bool) -> None:
    assert look(body) == [LINK] * (not is_quiet)


@pytest.mark.parametrize(
    "body",
    [
        "See the seo-audit skill's `references/rates.md`.",
        "Providers: `/media-use` `references/rates.md` § 2.",
        "[guide](./pay-guide.md)\n\n```\n├── pay-guide.md  # for payers\n```\n",
        "- [Component]: [c4-component-name.md](./c4-component-name.md)",
        "Inline ``` marks ``` and ```.\n\n```md\n[a](docs/a.md)\n```\n",
    ],
)
def test_files_of_others_and_of_what_a_step_writes(body: str) -> None:
    assert look(body) == []
    assert look("See this skill's `references/rates.md`.") == [
        f"{NO_FILE} references/rates.md{ADD}"
    ]


def test_paths_may_start_in_a_folder_between(tmp_path: Path) -> None:
    files = {
        "SKILL.md": head() + "[a](guides/pay/pay.md)",
        "guides/pay/pay.md": "[how](steps/how.md)\n",
        "guides/pay/steps/how.md": "Read `references/rates.md`, `references/none.md`.\n",
        "guides/pay/references/rates.md": "1\n",
    }
    tree = MemoryTree({path: text.encode() for path, text in files.items()}, "inv")
    assert problems(analyse(tree)) == [f"{NO_FILE} references/none.md{ADD}"]


def test_scripts_of_a_folder_of_the_project(skill: Path) -> None:
    (skill.parents[1] / "tools/scripts").mkdir(parents=True)
    (skill.parents[1] / "tools/scripts/query.py").write_text("")
    assert on_disk(skill, "Run `python3 scripts/query.py`.") == []
    assert on_disk(skill, "Run `python3 scripts/other.py`.") == [f"{NO_FILE} scripts/other.py"]
