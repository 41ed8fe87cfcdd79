"""Adopt the effects of a run from the preview: findings to choose, applied as one undo step."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import NamedTuple

from skillstudio.dryrun.adopting.choice import AdoptedManifest, adopt
from skillstudio.dryrun.adopting.finding import AdoptFinding, Case
from skillstudio.dryrun.adopting.findings import AdoptRefused, findings, make_case
from skillstudio.dryrun.adopting.programs import make_program_lookup
from skillstudio.dryrun.adopting.since import Since, explain_change, since
from skillstudio.dryrun.planning.run_inputs import this_machine
from skillstudio.dryrun.report import RunReport
from skillstudio.files.tree import FileTree
from skillstudio.manifest.locate import locate
from skillstudio.present import adopting
from skillstudio.preview.spans import Line, line
from skillstudio.settings.settings import SkillSettings
from skillstudio.text.hunks import unified_diff

_MOST = 2_000
_STYLES = {"+": "added", "-": "removed", "@": "marker"}


class AdoptOffer(NamedTuple):
    """The effects of a run that the open manifest could declare."""

    case: Case
    settings: SkillSettings
    findings: tuple[AdoptFinding, ...]
    since: Since | None  # The changes of the skill since the run.

    @property
    def default_ids(self) -> frozenset[str]:
        """The findings chosen by default: those that fix a problem of the run."""
        return frozenset(
            finding.id for finding in self.findings if finding.edits and finding.is_preselected
        )


def make_offer(
    report: RunReport,
    folder: str,
    tree: FileTree,
    settings: SkillSettings,
    unsaved_files: Collection[str] = (),
) -> AdoptOffer:
    """The findings of a run for the open skill in `folder`. Raises AdoptRefused."""
    if report.plan.roots.skill != folder:
        raise AdoptRefused(f"this run is of the skill in {report.plan.roots.skill}")
    home = os.path.realpath(os.path.expanduser("~"))
    try:
        skill = locate(tree, settings).skill
        case = make_case(
            report, skill, home, make_program_lookup(this_machine(), report.plan.roots)
        )
    except AdoptRefused as error:
        raise AdoptRefused(f"{error}; run it again") from None
    except OSError as error:
        raise AdoptRefused(f"the skill cannot be read: {error.strerror or error}") from None
    return AdoptOffer(case, settings, findings(case), since(case, folder, unsaved_files))


def adopt_findings(offer: AdoptOffer, picked_ids: Collection[str]) -> AdoptedManifest:
    """The manifest with the chosen findings, checked and judged again. Raises AdoptRefused."""
    picked_findings = [
        finding for finding in offer.findings if finding.id in picked_ids and finding.edits
    ]
    return adopt(offer.case, picked_findings, offer.settings)


def since_text(offer: AdoptOffer) -> str:
    """A warning that the skill changed since the run; "" if it did not."""
    return f"! the skill {offer.since.summary}" if offer.since is not None else ""


def finding_lines(finding: AdoptFinding, since: Since | None = None) -> Iterator[Line]:
    """A finding, what a change since the run means for it, and what was observed."""
    warning = explain_change(finding, since) if since is not None else ""
    for styled_line in adopting.finding_lines(finding, warning):
        indent = "  " * max(styled_line.indent - 1, 0)
        yield line(
            (
                indent + styled_line.text,
                "strong" if styled_line.style == "heading" else styled_line.style,
            )
        )


def diff_lines(result: AdoptedManifest) -> Iterator[Line]:
    """The diff of the manifest."""
    for text in unified_diff(result.old, result.new, result.path, result.path).split("\n")[2:-1][
        :_MOST
    ]:
        yield line((text, _STYLES.get(text[:1], "")))
