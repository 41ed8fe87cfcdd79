"""Our updates beside Copier's: `python -m benchmarks.update_histories COPIER [HISTORY]`.

COPIER is the program `copier`. Each history is a template in a git repository with the tags v1 and
v2, a skill created from v1, edits of its author, and an update to v2. The words:

updated   the files of the skill are those of the history, with the texts of both sides
kept      the author's texts are in the skill; the new version's are not
conflict  both are there, with markers or in a second file
lost      a text of the author is nowhere in the skill (it may be in its git history)
failed    the program changed nothing and ended with an error
differs   both are there, in other files than the history names

The table is written to update_histories.md. The exit status is 1 if ours differs from a history.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.repositories import IDENTITY
from tests.scaffold.new.histories import HISTORIES, SKILL, Files, History, Link, Program

_ANSWERS = {"{{ _copier_conf.answers_file }}.jinja": "{{ _copier_answers|to_nice_yaml }}\n"}
_OURS = [sys.executable, "-m", "skillstudio"]
_ENDINGS = (".rej", ".new")
HERE = Path(__file__).parent
HEAD = """# Updates beside Copier's

Written by `python -m benchmarks.update_histories COPIER`, with Copier {version} and its defaults.
The words are explained in update_histories.py; `lost` means that a text of the author is nowhere in
the files of the skill, though it may be in its git history.

"""


def main(copier: str, name: str = "") -> None:
    """Print the table, and write it if it is of all histories."""
    failed = False
    rows = ["| history | ours | copier |", "|---|---|---|"]
    for title, history in HISTORIES.items():
        if name not in title:
            continue
        ours = _try(history, None)
        theirs = _try(history, copier)
        failed |= ours != history.verdict
        rows.append(f"| {title} | {ours} | {theirs} |")
        print(rows[-1], flush=True)
    if not name:
        version = _run([copier, "--version"], HERE).stdout.split()[-1]
        head = HEAD.format(version=version)
        Path(HERE, "update_histories.md").write_text(head + "\n".join([*rows, ""]))
    sys.exit(failed)


def _try(history: History, copier: str | None) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        template = folder / "template"
        _make_template(history, template)
        skill = folder / "skills" / "tea"
        skill.parent.mkdir()
        first, second = ("v2", "v1") if history.setting == "downgrade" else ("v1", "v2")
        second = first if history.setting == "same" else second
        data = [f"-D{key}={value}" for key, value in history.answers.items()]
        new_data = [f"-D{key}={value}" for key, value in history.new_answers.items()]
        if copier is None:
            start = [*_OURS, "new", template.as_uri(), str(skill), "--defaults", "--ref", first]
        else:
            data = [word.replace("-D", "--data=", 1) for word in data]
            new_data = [word.replace("-D", "--data=", 1) for word in new_data]
            start = [copier, "copy", "--trust", "--defaults", "--vcs-ref", first, *data,
                     f"git+{template.as_uri()}", str(skill)]  # fmt: skip
        if copier is None:
            start += data
        created = _run(start, folder)
        if created.returncode:
            return f"not created: {created.stderr.strip()[-200:]}"
        if history.setting != "no git":
            _git(skill, "init", "-q", "-b", "main")
            _commit(skill)
        _write(history.edits, skill)
        if history.setting not in ("no git", "dirty"):
            _commit(skill)
        before = _snapshot(skill)
        if copier is None:
            update = [*_OURS, "update", str(skill), "--defaults", "--ref", second, *new_data]
        else:
            update = [copier, "update", "--trust", "--defaults", "--vcs-ref", second, *new_data,
                      str(skill)]  # fmt: skip
        done = _run(update, folder)
        if os.environ.get("VERBOSE"):
            print(done.returncode, done.stdout, done.stderr, _snapshot(skill))
        verdict = _judge(history, skill, before, done.returncode)
        if copier is None and (done.returncode == 1) != (verdict == "conflict"):
            return f"{verdict}, with exit status {done.returncode}"
        return verdict


def _judge(history: History, skill: Path, before: dict[str, bytes], status: int) -> str:
    after = _snapshot(skill)
    everything = b"\n".join(after.values())
    # A file that the author deleted must not come back, and a link must stay one.
    undone = [
        path
        for path, content in history.edits.items()
        if (content is None and path in after)
        or (isinstance(content, Link) and not (skill / path).is_symlink())
    ]
    if any(text not in everything for text in history.mine) or undone:
        return f"lost ({', '.join(undone)})" if undone else "lost"
    if status and after == before:
        return "failed"
    is_marked = b"<<<<<<< " in everything or any(path.endswith(_ENDINGS) for path in after)
    is_marked |= any(".new/" in path for path in after)
    if is_marked:
        return "conflict"
    is_wanted = all(after.get(path) == _bytes(content) for path, content in history.result.items())
    if is_wanted and all(_is_same_mode(skill / path, c) for path, c in history.result.items()):
        return history.verdict
    return "kept" if any(text not in everything for text in history.theirs) else "differs"


def _bytes(content: object) -> bytes | None:
    return content.encode() if isinstance(content, str) else content  # type: ignore[return-value]


def _is_same_mode(path: Path, content: object) -> bool:
    return not isinstance(content, Program) or bool(path.stat().st_mode & 0o100)


def _make_template(history: History, template: Path) -> None:
    template.mkdir()
    _git(template, "init", "-q", "-b", "main")
    _write({"copier.yml": history.ask}, template)
    _write({"SKILL.md.jinja": SKILL, **_ANSWERS, **history.old}, template / "t")
    _commit(template, "v1")
    _write({"copier.yml": history.new_ask or history.ask}, template)
    _write(history.new, template / "t")
    _commit(template, "v2")


def _write(files: Files, folder: Path) -> None:
    for path, content in files.items():
        file = folder / path
        if file.is_symlink() or content is None:
            file.unlink()
        if content is None:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            file.unlink(missing_ok=True)
            file.symlink_to(content)
            continue
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        if isinstance(content, Program):
            file.chmod(0o755)


def _snapshot(skill: Path) -> dict[str, bytes]:
    return dict(_files(skill))


def _files(skill: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(skill.rglob("*")):
        inside = path.relative_to(skill)
        if inside.parts[0] in (".git", ".copier-answers.yml", ".skillignore"):
            continue
        if path.is_symlink():
            yield inside.as_posix(), os.readlink(path).encode()
        elif path.is_file():
            yield inside.as_posix(), path.read_bytes()


def _commit(folder: Path, tag: str = "") -> None:
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "--allow-empty", "-m", "change")
    if tag:
        _git(folder, "tag", tag)


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), "-c", "core.autocrlf=false", *words], check=True,
                   env=os.environ | IDENTITY)  # fmt: skip


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
        stdin=subprocess.DEVNULL, env=os.environ | IDENTITY,
    )  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
