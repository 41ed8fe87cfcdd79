"""Our verdicts on published pairs of schemas, beside the ones that were published with them.

`python schema_pairs.py FILE... [--json OUT] [--draft-07]` reads lists of `original_schema`,
`update_schema` and `compatible` (as in Confluent's schema registry, whose files have trailing
commas), or of `s1`, `s2` and `s1_subschema_of_s2`. The files are read and never copied.
Every counterexample is checked again with the package jsonschema, by the draft that its schema
names; `--draft-07` is the draft of schemas that name none.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.validators import validator_for

from skillstudio.schema.inclusion import Escape, UndecidedVerdict, include

_DETAIL = ("value", "pointer", "keyword", "reason")


class Pair(NamedTuple):
    """Two schemas, and whether the second is said to accept all that the first does."""

    name: str
    old: Any
    new: Any
    is_included: bool
    strict: bool
    """Whether describing a property of an open object counts as a restriction."""


def pairs_of(path: Path) -> Iterator[Pair]:
    """The pairs of a file."""
    text = path.read_text(encoding="utf-8")
    for number, case in enumerate(json.loads(re.sub(r",(\s*[\]}])", r"\1", text))):
        if "s1" in case:
            yield Pair(
                f"{path.stem} {number} {case.get('test', '')}",
                case["s1"],
                case["s2"],
                case["s1_subschema_of_s2"],
                True,
            )
            continue
        name = f"{path.stem} {number} {case['description']}"
        schemas = (case["original_schema"], case["update_schema"])
        # A further policy of these files has its own answer for the same pair; it is counted apart.
        yield Pair(name, *schemas, case["compatible"], True)
        if "compatible_lenient" in case:
            yield Pair(f"{name} (lenient)", *schemas, case["compatible_lenient"], False)


def shown_by(pair: Pair, value: Any, usual: Any) -> bool:
    """Whether jsonschema accepts a value by the old schema and rejects it by the new one."""
    accepts = [
        validator_for(schema, default=usual)(schema).is_valid(value)
        for schema in (pair.old, pair.new)
    ]
    return accepts == [True, False]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--draft-07", action="store_true")
    given = parser.parse_args()
    usual = Draft7Validator if given.draft_07 else Draft202012Validator
    counts: Counter[str] = Counter()
    keywords: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    times: list[float] = []
    for pair in (each for path in given.files for each in pairs_of(path)):
        begin = time.perf_counter()
        found = include(pair.old, pair.new, strict=pair.strict)
        times.append((time.perf_counter() - begin) * 1000)
        row: dict[str, Any] = {"name": pair.name, "old": pair.old, "new": pair.new}
        if isinstance(found, UndecidedVerdict):
            answer = "undecided"
            keywords[found.keyword] += 1
            row.update(keyword=found.keyword, reason=found.reason)
        else:
            answer = "agree" if (found is None) is pair.is_included else "disagree"
        if isinstance(found, Escape):
            row["value"] = found.value
            row["pointer"] = found.pointer
            if not shown_by(pair, found.value, usual):
                answer = "wrong"
        row.update(answer=answer, published=pair.is_included)
        counts[answer] += 1
        rows.append(row)
        if answer != "agree":
            told = {
                key: row[key] for key in ("value", "pointer", "keyword", "reason") if key in row
            }
            print(f"{answer:10} published {pair.is_included!s:5} {pair.name}\n{'':11}{told}")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    times.sort()
    print(f"{len(rows)} answers: {dict(counts)}; undecided by keyword: {dict(keywords)}")
    print(f"ms a pair: median {times[len(times) // 2]:.2f}, longest {times[-1]:.1f}")
    sys.exit(bool(counts["wrong"]))


if __name__ == "__main__":
    main()
