"""`--format junit`: JUnit XML for CI systems."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from skillstudio.cli.annotations import AnnotationLog
from skillstudio.text.safe import safe_text


def lines(log: AnnotationLog) -> Iterator[str]:
    """The document with one suite."""
    suite = Element("testsuite", name="skillstudio")
    cases = list(log.cases())
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(bool(test.failure) for test in cases)))
    suite.set("skipped", str(sum(bool(test.skipped) for test in cases)))
    durations = [test.seconds for test in cases if test.seconds is not None]
    if durations:
        suite.set("time", f"{sum(durations):.3f}")
    for test in cases:
        names = {"classname": test.group, "name": test.name, "file": test.path}
        case = SubElement(suite, "testcase", {key: _xml_text(text) for key, text in names.items()})
        if test.seconds is not None:
            case.set("time", f"{test.seconds:.3f}")
        if test.failure:
            failure = SubElement(case, "failure", message=_xml_text(test.failure))
            if test.kind:
                failure.set("type", test.kind)
            failure.text = _xml_text(test.text)
            if test.errors:
                SubElement(case, "system-err").text = _xml_text(test.errors)
        elif test.skipped:
            SubElement(case, "skipped", message=_xml_text(test.skipped))
        elif test.output:
            SubElement(case, "system-out").text = _xml_text(test.output)
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield tostring(suites, encoding="unicode")


def _xml_text(text: str) -> str:
    """A text without characters that XML forbids."""
    return safe_text(text, keep_newlines=True)
