"""The results of samples: for people, for programs, for JUnit and for GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillstudio.cli.formats.github import data, property_
from skillstudio.cli.output import Colour, Paint
from skillstudio.text.safe import safe_text

FORMATS = ("text", "json", "junit", "github")


class Tested(NamedTuple):
    """What came of one sample."""

    skill: str
    operation: str
    sample: str
    path: str
    """Of its file, as the user knows it."""
    differs: tuple[str, ...] = ()
    """In what it did otherwise, a sentence each."""
    skipped: str = ""
    """Why nothing was run."""
    updated: bool = False
    seconds: float = 0.0
    isolation: str = ""

    @property
    def name(self) -> str:
        return " ".join(each for each in (self.skill, self.operation, self.sample) if each)

    @property
    def outcome(self) -> str:
        """`same`, `differs`, `skipped` or `updated`."""
        if self.differs:
            return "differs"
        if self.skipped:
            return "skipped"
        return "updated" if self.updated else "same"


def printed(results: Sequence[Tested], format_: str, paint: Paint) -> Iterator[str]:
    """The lines of one format."""
    if format_ == "json":
        value = {"samples": [_value(each) for each in results], "summary": _counts(results)}
        yield json.dumps(value, ensure_ascii=False, indent=2)
    elif format_ == "junit":
        yield _junit(results)
    elif format_ == "github":
        yield from _github(results)
    else:
        yield from _text(results, paint)


def _text(results: Sequence[Tested], paint: Paint) -> Iterator[str]:
    colours: dict[str, Colour] = {
        "differs": "error",
        "same": "good",
        "updated": "good",
        "skipped": "quiet",
    }
    for each in results:
        outcome = paint(f"{each.outcome:<8}", colours[each.outcome])
        took = f"  {each.seconds:.1f} s" if each.seconds else ""
        why = f"  {safe_text(each.skipped)}" if each.skipped else ""
        yield f"{outcome}{safe_text(each.name)}{took}{why}"
        yield from (f"        {safe_text(line)}" for line in each.differs)
    counts = _counts(results)
    if not results:
        yield "no sample is committed here; skillstudio sample PATH OPERATION --save NAME makes one"
    else:
        yield ", ".join(f"{number} {word}" for word, number in counts.items() if number)


def _value(each: Tested) -> dict[str, object]:
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


def _counts(results: Sequence[Tested]) -> dict[str, int]:
    words = ("same", "updated", "differs", "skipped")
    return {word: sum(1 for each in results if each.outcome == word) for word in words}


def _github(results: Sequence[Tested]) -> Iterator[str]:
    for each in results:
        for line in each.differs:
            title = property_(each.name)
            yield f"::error file={property_(each.path)},line=1,title={title}::{data(line)}"


def _junit(results: Sequence[Tested]) -> str:
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    counts = _counts(results)
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
