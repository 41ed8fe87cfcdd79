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
    suite.set("failures", str(sum(bool(each.failure) for each in cases)))
    suite.set("skipped", str(sum(bool(each.skipped) for each in cases)))
    timed = [each.seconds for each in cases if each.seconds is not None]
    if timed:
        suite.set("time", f"{sum(timed):.3f}")
    for each in cases:
        names = {"classname": each.group, "name": each.name, "file": each.path}
        case = SubElement(suite, "testcase", {key: _xml_text(text) for key, text in names.items()})
        if each.seconds is not None:
            case.set("time", f"{each.seconds:.3f}")
        if each.failure:
            failure = SubElement(case, "failure", message=_xml_text(each.failure))
            if each.kind:
                failure.set("type", each.kind)
            failure.text = _xml_text(each.text)
            if each.errors:
                SubElement(case, "system-err").text = _xml_text(each.errors)
        elif each.skipped:
            SubElement(case, "skipped", message=_xml_text(each.skipped))
        elif each.output:
            SubElement(case, "system-out").text = _xml_text(each.output)
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield tostring(suites, encoding="unicode")


def _xml_text(text: str) -> str:
    """A text without characters that XML forbids."""
    return safe_text(text, keep_newlines=True)
