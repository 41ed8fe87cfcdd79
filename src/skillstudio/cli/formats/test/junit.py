"""`--format junit`: JUnit XML for CI systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from skillstudio.present.samples import SampleResult, diff_lines, sample_counts
from skillstudio.text.safe import safe_text


def lines(results: Sequence[SampleResult]) -> Iterator[str]:
    """The document with one suite."""
    number = sample_counts(results)
    suite = Element(
        "testsuite",
        name="skillstudio",
        tests=str(len(results)),
        failures=str(number["failed"]),
        skipped=str(number["skipped"]),
        time=f"{sum(each.seconds for each in results):.3f}",
    )
    for each in results:
        case = SubElement(
            suite,
            "testcase",
            classname=xml_text(".".join(part for part in (each.skill, each.operation) if part)),
            name=xml_text(each.sample),
            file=xml_text(each.path),
            time=f"{each.seconds:.3f}",
        )
        if each.differs:
            lines = [
                line
                for difference in each.differs
                for line in (difference.message, *diff_lines(difference))
            ]
            failure = SubElement(case, "failure", message=xml_text(lines[0]))
            failure.text = xml_text("\n".join(lines))
            if each.stderr:
                SubElement(case, "system-err").text = xml_text(each.stderr)
        elif each.skipped:
            SubElement(case, "skipped", message=xml_text(each.skipped))
    yield from document(suite)


def document(suite: Element) -> Iterator[str]:
    """The lines of a document with one suite."""
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield tostring(suites, encoding="unicode")


def xml_text(text: str) -> str:
    """A text without characters that XML forbids."""
    return safe_text(text, keep_newlines=True)
