"""Two runs compared by content: bytes of files and streams, permissions, targets of links."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dryrun.traces.conftest import KEY, PLAN, REPORT, a_trace, a_value

from skillstudio.dryrun.report import RunFileChange
from skillstudio.dryrun.traces.difference import RunDifference, differences
from skillstudio.dryrun.traces.key import Key
from skillstudio.dryrun.traces.reading import Trace, read_trace
from skillstudio.dryrun.traces.store import recorded_text
from skillstudio.present.run_report import difference_lines, same_line

POT = RunFileChange("workspace", "pot.txt", "added", 3, "text", mode="644", content="aa")
LINK = RunFileChange("home", "cup", "added", 3, "link", about="leads to a", content="aa")
OLD = Path(__file__).with_name("recorded_without_content.json")
PRINTED = {"stdout": "aa", "stderr": "bb"}

PAIRS: dict[str, tuple[RunFileChange, RunFileChange, list[str]]] = {
    "the same": (POT, POT, []),
    "bytes": (POT, POT._replace(content="bb"), ["pot.txt: the content differs"]),
    "permissions": (POT, POT._replace(mode="777"), ["pot.txt: permissions 644 before, 777 now"]),
    "both": (
        POT,
        POT._replace(mode="777", content="bb"),
        ["pot.txt: permissions 644 before, 777 now", "pot.txt: the content differs"],
    ),
    "size": (
        POT,
        POT._replace(size=4, content="bb"),
        ["pot.txt: added, text, 3 bytes before, added, text, 4 bytes now"],
    ),
    "permissions that were others before": (
        POT._replace(change="modified", about="permissions 755, were 644", mode="755"),
        POT._replace(change="modified", about="permissions 777, were 644", mode="777"),
        [
            "pot.txt: modified, text, 3 bytes, permissions 755, were 644 before, "
            "modified, text, 3 bytes, permissions 777, were 644 now"
        ],
    ),
    "such permissions, and bytes": (
        POT._replace(change="modified", about="permissions 755, were 644", mode="755"),
        POT._replace(change="modified", mode="644", content="bb"),
        [
            "pot.txt: modified, text, 3 bytes, permissions 755, were 644 before, "
            "modified, text, 3 bytes now",
            "pot.txt: the content differs",
        ],
    ),
    "the target of a link": (
        LINK,
        LINK._replace(about="leads to b", content="bb"),
        ["~/cup: added, link, 3 bytes, leads to a before, added, link, 3 bytes, leads to b now"],
    ),
    "removed": (
        POT,
        POT._replace(change="removed", mode="", content=""),
        ["pot.txt: added, text, 3 bytes before, removed, text, 3 bytes now"],
    ),
}


def traced(change: RunFileChange, **named: Any) -> Trace:
    return a_trace(REPORT._replace(changes=(change,)), printed=PRINTED, **named)


def messages(rows: tuple[RunDifference, ...]) -> list[str]:
    return [row.message for row in rows]


@pytest.mark.parametrize("name", PAIRS)
def test_files_are_compared_by_content(name: str) -> None:
    before, after, expected = PAIRS[name]
    rows = differences(traced(before), traced(after))
    assert messages(rows) == expected
    assert {row.area for row in rows} <= {"files"}


def test_without_values_contents_are_still_compared() -> None:
    rows = differences(
        traced(POT, mode="aggressive"), traced(POT._replace(content="bb"), mode="aggressive")
    )
    [row] = rows
    assert row.message.startswith("‹sensitive› ")
    assert row.message.endswith(": the content differs")


@pytest.mark.parametrize("name", PRINTED)
def test_streams_are_compared(name: str) -> None:
    [row] = differences(a_trace(printed=PRINTED), a_trace(printed={**PRINTED, name: "cc"}))
    titles = {"stdout": "standard output differs", "stderr": "standard error differs"}
    assert (row.area, row.name, row.message) == ("streams", name, titles[name])


UNKNOWN = {
    "another key": (
        traced(POT, key=Key(bytes(32))),
        "the runs were recorded with different keys, so it is unknown whether files and output "
        "have the same content",
    ),
    "no key": (
        traced(POT, key=None),
        "the runs were recorded with different keys, so it is unknown whether files and output "
        "have the same content",
    ),
    "another skill": (
        a_trace(REPORT._replace(plan=PLAN._replace(skill="mate")), printed=PRINTED),
        "the runs are of different skills, so it is unknown whether files and output have the same "
        "content",
    ),
    "an old recording": (
        read_trace(str(OLD)),
        "the content of files and output was not recorded in the second run, so it cannot be "
        "compared; run again to record it",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_cannot_be_compared_is_said_once(name: str) -> None:
    other, message = UNKNOWN[name]
    rows = [row for row in differences(traced(POT), other) if row.area == "content"]
    assert messages(tuple(rows)) == [message]


def test_an_old_recording_never_has_the_same_result() -> None:
    old = read_trace(str(OLD))
    rows = differences(old, old)
    assert [row.area for row in rows] == ["content"]
    assert "in the first run and the second run" in rows[0].message
    line = same_line(rows)
    assert line.text == "no other difference, but contents were not compared"


def test_a_digest_is_a_token_of_the_key() -> None:
    """Whoever has a trace cannot try short contents: neither a digest nor one key fits all."""
    report = REPORT._replace(changes=(POT._replace(content="5e" * 32),))
    values = [a_value(report, key=key, printed=PRINTED) for key in (KEY, Key(bytes(32)))]
    tokens = [value["changes"]["added"][0]["content"] for value in values]
    assert all(token.startswith("hmac-sha256:") for token in tokens)
    assert tokens[0] != tokens[1]
    assert "5e" * 32 not in json.dumps(values)
    assert values[0]["printed"]["stdout"].startswith("hmac-sha256:")


def test_equal_contents_of_two_files_have_different_tokens() -> None:
    changes = (POT, POT._replace(path="cup.txt"))
    added = a_value(REPORT._replace(changes=changes))["changes"]["added"]
    assert added[0]["content"] != added[1]["content"]


def test_recorded_texts_are_shown_as_a_short_diff(tmp_path: Path) -> None:
    texts = {"one": "17x\n", "other": "47x\n"}
    for folder, text in texts.items():
        (tmp_path / folder / "files" / "workspace").mkdir(parents=True)
        (tmp_path / folder / "files" / "workspace" / "pot.txt").write_text(text)
        long = "".join(f"{folder} {number}\n" for number in range(40))
        (tmp_path / folder / "stdout").write_text(long)
    rows = differences(
        traced(POT),
        a_trace(
            REPORT._replace(changes=(POT._replace(content="bb"),)),
            printed={**PRINTED, "stdout": "cc"},
        ),
        *(lambda root, path, name=name: recorded_text(str(tmp_path / name), root, path)
          for name in texts),
    )  # fmt: skip
    assert rows[0].diff.splitlines() == ["--- before", "+++ now", "@@ -1 +1 @@", "-17x", "+47x"]
    assert rows[1].diff.splitlines()[-1] == "… 63 more lines"
    lines = [part.text for part in difference_lines(rows, REPORT, REPORT) if hasattr(part, "text")]
    assert "-17x" in lines
    assert lines[-1] == "different results"


@pytest.mark.parametrize(
    ("root", "path"),
    [("", "stdin"), ("workspace", "../../secret"), ("workspace", "link"), ("home", "a\0b")],
)
def test_only_what_is_recorded_is_read(tmp_path: Path, root: str, path: str) -> None:
    run = tmp_path / "run"
    (run / "files" / "workspace").mkdir(parents=True)
    (tmp_path / "secret").write_text("tea")
    (run / "secret").write_text("tea")
    (run / "files" / "workspace" / "link").symlink_to(tmp_path / "secret")
    assert recorded_text(str(run), root, path) is None
    assert recorded_text("", root, path) is None
