"""Our targets beside the real validators on public skills: `python -m benchmarks.agreement`.

`agentskills` is taken from the peers or from SKILLSTUDIO_SKILLS_REF, `quick_validate.py` from
SKILLSTUDIO_QUICK_VALIDATE; the skills lie in `corpus/agent-skills` below SKILLSTUDIO_DATA.
"""

from __future__ import annotations

from tests.conformance.real_validators import DATA, corpus, disagreements, program, verdicts


def main() -> None:
    folders = corpus()
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
        share = 1 - len(found) / len(folders)
        print(f"{target:<16}{len(folders):>8}{accepted:>10}{len(found):>10}{share:>10.2%}")
        for each in found:
            says = "accepts" if each.program_accepts else "refuses"
            print(f"  {each.folder}: the program {says}; ours: {each.reason or 'accepts'}")


if __name__ == "__main__":
    main()
