"""Run every verb of the installed skillstudio once, on a copy of the examples.

Used with the lowest and the newest versions of the libraries, and before a release on Linux, macOS
and Windows: a verb that ends with another exit status than the table gives, or prints a traceback,
fails the script.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPENED_BY_OTHERS = {
    "lsp": "needs an editor",
    "serve": "serves until it is interrupted",
    "mcp": "needs an agent",
}
STEPS: list[tuple[str, int]] = [
    ("--version", 0),
    ("--help", 0),
    ("check .", 0),
    ("check . --format json", 0),
    ("check . --format sarif", 0),
    ("check ../broken", 1),
    ("fix ../broken --diff", 1),
    ("check ../broken --fix", 0),
    ("check . --format github", 0),
    ("why greeter", 0),
    ("explain description-unquoted", 0),
    ("show memory --format json", 0),
    ("edit worklog set /description New", 0),
    ("edit memory add-operation scripts/memory.py --name any --diff", 0),
    ("edit worklog rename-input topic subject", 0),
    ("identity memory --digests", 0),
    ("identity memory --format json", 0),
    ("lock memory", 0),
    ("lock memory --check", 0),
    ("new --list", 0),
    ("new script-tool made --defaults", 0),
    ("update made", 0),
    ("new knowledge tea --defaults -D topic=tea", 0),
    ("diff history/0.1.0/memory memory", 1),
    ("check-compat memory memory --format json", 0),
    ("bump memory --against HEAD", 0),
    ("waive 0123456789ab --reason because memory", 0),
    ("migrate history/0.1.0/memory --diff", 0),
    ("export commit-notes --target claude-upload -o exported", 0),
    ("pack memory -o memory.skill", 0),
    ("unpack memory.skill -o unpacked", 0),
    ("index . -o index.json", 0),
    ("plan memory search -i query=tea", 0),
    ("run memory search -i query=tea --isolation copy --yes", 0),
    ("preview memory store --sample fact", 0),
    ("preview memory --card", 0),
    ("preview greeter/SKILL.md", 0),
    ("adopt last", 0),
    ("apply last --check", 0),
    ("trace explore last -c pwd --isolation copy --anyway", 0),
    ("trace list", 0),
    ("test memory", 0),
    ("sample memory search", 0),
    ("targets", 0),
    ("config schema caro-1.0", 0),
    ("config keys", 0),
    ("config themes", 0),
    ("completion bash", 0),
    ("doctor", 0),
]
"""A command line, and the exit status it must end with."""


def main() -> int:
    """Run the table with the interpreter's own skillstudio; return 1 when a step fails."""
    from skillstudio.cli.verbs import ALIASES, all_verbs

    left_out = (
        {*all_verbs(), *ALIASES} - {line.split()[0] for line, _ in STEPS} - set(OPENED_BY_OTHERS)
    )
    failed = [f"no step runs {verb}" for verb in sorted(left_out)]
    # Windows does not delete the read-only files of a repository.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = _workspace(Path(folder))
        for line, wanted in STEPS:
            problem = _problem(line.split(), wanted, place)
            if problem is not None:
                failed.append(f"skillstudio {line}: {problem}")
    for line in failed:
        print(line)
    print(f"{len(STEPS)} commands, {len(failed)} failed")
    return 1 if failed else 0


def _workspace(folder: Path) -> Path:
    """Make a repository with a copy of the examples, and a broken skill beside it."""
    place = folder / "skills"
    shutil.copytree(ROOT / "examples", place)
    (folder / "broken").mkdir()
    text = "---\nname: broken\ndescription: Use when: a colon is to be found.\n---\nText.\n"
    (folder / "broken" / "SKILL.md").write_text(text)
    identity = ["-c", "user.name=smoke", "-c", "user.email=smoke@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "examples"]):
        subprocess.run(["git", *identity, *words], cwd=place, check=True)
    return place


def _problem(words: list[str], wanted: int, place: Path) -> str | None:
    home = place.parent / "home"
    home.mkdir(exist_ok=True)
    names = {"HOME": str(home), "USERPROFILE": str(home), "XDG_STATE_HOME": str(home / "state")}
    done = subprocess.run(
        [sys.executable, "-m", "skillstudio", *words],
        cwd=place,
        env={**os.environ, **names, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    if "Traceback (most recent call last)" in done.stderr:
        return done.stderr.strip()
    if done.returncode != wanted:
        return f"exit status {done.returncode} instead of {wanted}\n{done.stdout}{done.stderr}"
    return None


if __name__ == "__main__":
    sys.exit(main())
