"""The results of samples: for programs, for JUnit and for GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from skillstudio.cli.formats.github import data, property_
from skillstudio.present.samples import SampleResult, sample_counts
from skillstudio.text.safe import safe_text

FORMATS = ("text", "json", "markdown", "junit", "github")


def printed(results: Sequence[SampleResult], format_: str) -> Iterator[str]:
    """The lines of one format for programs."""
    if format_ == "json":
        value = {"samples": [_value(each) for each in results], "summary": sample_counts(results)}
        yield json.dumps(value, ensure_ascii=False, indent=2)
    elif format_ == "junit":
        yield _junit(results)
    else:
        yield from _github(results)


def _value(each: SampleResult) -> dict[str, object]:
    return {
        "skill": each.skill,
        "operation": each.operation,
        "sample": each.sample,
        "path": each.path,
        "outcome": each.outcome,
        "differences": list(each.differs),
        "reason": each.skipped or None,
        "isolation": each.isolation or None,
        "seconds": round(each.seconds, 3),
    }


def _github(results: Sequence[SampleResult]) -> Iterator[str]:
    for each in results:
        for line in each.differs:
            title = property_(each.name)
            yield f"::error file={property_(each.path)},line=1,title={title}::{data(line)}"


def _junit(results: Sequence[SampleResult]) -> str:
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    counts = sample_counts(results)
    suite = Element(
        "testsuite",
        name="skillstudio",
        tests=str(len(results)),
        failures=str(counts["differs"]),
        skipped=str(counts["skipped"]),
        time=f"{sum(each.seconds for each in results):.3f}",
    )
    for each in results:
        case = SubElement(
            suite,
            "testcase",
            classname=_xml(".".join(part for part in (each.skill, each.operation) if part)),
            name=_xml(each.sample),
            file=_xml(each.path),
            time=f"{each.seconds:.3f}",
        )
        if each.differs:
            SubElement(case, "failure", message=_xml(each.differs[0])).text = _xml(
                "\n".join(each.differs)
            )
        elif each.skipped:
            SubElement(case, "skipped", message=_xml(each.skipped))
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites, encoding="unicode")


def _xml(text: str) -> str:
    return safe_text(text, keep_newlines=True)
