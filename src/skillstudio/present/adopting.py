"""A finding of a run that `adopt` can write to the manifest."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.dryrun.adopting.finding import AdoptFinding
from skillstudio.present.lines import StyledLine

_EVIDENCE = 5  # Observations that are shown of a finding; JSON has all of them.


def finding_lines(
    finding: AdoptFinding, warning: str = "", verbose: bool = False
) -> Iterator[StyledLine]:
    """The id of a finding, what it changes, why it cannot be declared, and what was observed.

    `warning` is shown before the observations; `verbose` shows all of these.
    """
    most = len(finding.why) if verbose else _EVIDENCE
    yield StyledLine(finding.id, "heading")
    yield StyledLine(f"{finding.sentence}.", indent=1)
    if finding.cannot and finding.cannot not in finding.sentence:
        yield StyledLine(f"cannot be declared: {finding.cannot}", "warning", indent=1)
    if warning:
        yield StyledLine(f"! {warning}", "warning", indent=1)
    yield from (StyledLine(text, "quiet", indent=2) for text in finding.why[:most])
    if len(finding.why) > most:
        yield StyledLine(f"and {len(finding.why) - most} more", "quiet", indent=2)
