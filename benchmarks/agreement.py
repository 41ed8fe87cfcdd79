"""Our targets beside the real programs on public skills: `python -m benchmarks.agreement [DIR...]`.

`agentskills` is taken from the peers or from SKILLSTUDIO_SKILLS_REF, `quick_validate.py` from
SKILLSTUDIO_QUICK_VALIDATE; tests/oracles/programs.py says how the clients are named. The skills lie
in `corpus/agent-skills` below SKILLSTUDIO_DATA, and in the folders that are given.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.conformance.real_validators import DATA, corpus, disagreements, program, verdicts
from tests.conformance.test_loaders import listed, lists
from tests.oracles.finders import REPOSITORIES, find, names_of, program_of
from tests.oracles.programs import VARIABLES, ask, at_hand

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate


def clients(folders: list[Path]) -> None:
    """Each client asked about a project with each of the skills."""
    with tempfile.TemporaryDirectory() as name:
        projects = [Path(name) / str(number) for number in range(len(folders))]
        for project, folder in zip(projects, folders, strict=True):
            skill = project / ".agents" / "skills" / folder.name
            skill.mkdir(parents=True)
            shutil.copyfile(folder / "SKILL.md", skill / "SKILL.md")
        for target in VARIABLES:
            if at_hand(target) is None:
                print(f"{target:<16}the real program is not here")
                continue
            answers = ask(target, projects, Path(name) / "home")
            texts = [skills[0]["description"] if skills else None for skills in answers]
            ours = [listed(target, locate(DiskTree(each)).skill) for each in folders]
            theirs = [lists(target, each) for each in texts]
            pairs = zip(folders, ours, theirs, strict=True)
            found = [each for each in pairs if each[1] != each[2]]
            row(target, len(folders), sum(each is not None for each in texts), len(found))
            for folder, own, real in found:
                print(f"  {folder}: the program: {real}; ours: {own}")


def finders() -> None:
    """What moved: repositories in which a program finds other skills than its record says."""
    for target, repositories in REPOSITORIES.items():
        if program_of(target) is None:
            print(f"{target:<16}the real program is not here")
            continue
        moved = 0
        for name, repository in repositories.items():
            with tempfile.TemporaryDirectory() as folder:
                theirs = find(target, repository, Path(folder))
            if theirs != names_of(repository):
                moved += 1
                print(f"  {name}: the program finds {', '.join(sorted(theirs)) or 'nothing'}")
        row(target, len(repositories), len(repositories) - moved, moved)


def row(target: str, total: int, accepted: int, differ: int) -> None:
    print(f"{target:<16}{total:>8}{accepted:>10}{differ:>10}{1 - differ / total:>10.2%}")


def main() -> None:
    given = [Path(each) for each in sys.argv[1:]]
    folders = sorted({*corpus(), *(at.parent for each in given for at in each.rglob("SKILL.md"))})
    if not folders:
        print(f"no public skills at {DATA / 'corpus' / 'agent-skills'}")
        return
    print(f"{'target':<16}{'skills':>8}{'accepted':>10}{'disagree':>10}{'agree':>10}")
    for target in ("skills-ref", "claude-upload"):
        at = program(target)
        if at is None:
            print(f"{target:<16}the real program is not here")
            continue
        found = disagreements(target, at, folders)
        accepted = sum(verdicts(target, at, folders))
        row(target, len(folders), accepted, len(found))
        for each in found:
            says = "accepts" if each.program_accepts else "refuses"
            print(f"  {each.folder}: the program {says}; ours: {each.reason or 'accepts'}")
    clients(folders)
    print("repositories, and plugins")
    finders()


if __name__ == "__main__":
    main()
