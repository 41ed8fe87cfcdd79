"""`--format junit`: JUnit XML for CI systems."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from skillstudio.cli.formats.test.junit import document, xml_text
from skillstudio.cli.lists import LISTED
from skillstudio.cli.report import CheckReport
from skillstudio.present.problems import omitted_text


def lines(report: CheckReport) -> Iterator[str]:
    """One case for each problem, which fails unless it is an info, and one for a valid skill."""
    cut = report.cut(LISTED)
    failures = sum(each.severity != "info" for each in cut.diagnostics)
    suite = Element("testsuite", name="skillstudio", failures=str(failures))
    for each in cut.diagnostics:
        case = _case(suite, each.path, f"{each.rule} ({each.line}:{each.column})")
        said = f"{each.path}:{each.line}:{each.column}: {each.severity}: {each.message}"
        if each.severity == "info":
            SubElement(case, "system-out").text = xml_text(said)
        else:
            failure = SubElement(
                case, "failure", message=xml_text(each.message), type=each.severity
            )
            failure.text = xml_text(said)
    for rule, number in cut.omitted.items():
        SubElement(_case(suite, "skillstudio", rule), "system-out").text = omitted_text(
            rule, number
        )
    for skill in report.skills:
        if not skill.diagnostics:
            _case(suite, skill.path, "no problems")
    suite.set("tests", str(len(suite)))
    yield from document(suite)


def _case(suite: Element, path: str, name: str) -> Element:
    return SubElement(
        suite, "testcase", classname=xml_text(path), name=xml_text(name), file=xml_text(path)
    )
