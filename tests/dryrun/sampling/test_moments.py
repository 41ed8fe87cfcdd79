"""Times near the runs are no part of what is expected, in whatever form; everything else is."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import pytest

from skillstudio.dryrun.sampling import moments as moments_module
from skillstudio.dryrun.sampling.expecting import (
    json_differences,
    json_of_both,
    matching_paths,
    name_of_both,
    text_matches,
    text_of_both,
)
from skillstudio.dryrun.sampling.moments import Clock, clock_of, without_processes

Format = Callable[[datetime], str]
LOCAL = timezone(timedelta(hours=-8), "PST")


def stamp(form: str, zone: timezone | None = UTC) -> Format:
    return lambda moment: moment.astimezone(zone).strftime(form)


FORMS: dict[str, Format] = {
    "ISO": stamp("%Y-%m-%dT%H:%M:%S"),
    "ISO with a space": stamp("%Y-%m-%d %H:%M:%S"),
    "ISO with Z": stamp("%Y-%m-%dT%H:%M:%SZ"),
    "ISO with a fraction": stamp("%Y-%m-%dT%H:%M:%S.%f"),
    "ISO with a fraction and Z": stamp("%Y-%m-%dT%H:%M:%S.%fZ"),
    "ISO with a comma": lambda moment: moment.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3],
    "ISO with an offset": lambda moment: moment.astimezone(LOCAL).isoformat(),
    "ISO without seconds": stamp("%Y-%m-%dT%H:%MZ"),
    "another time zone": stamp("%Y-%m-%d %H:%M", timezone(timedelta(hours=5, minutes=45))),
    "basic": stamp("%Y%m%dT%H%M%SZ"),
    "basic with a hyphen": stamp("%Y%m%d-%H%M%S"),
    "basic with an underscore": stamp("%Y%m%d_%H%M%S"),
    "digits": stamp("%Y%m%d%H%M%S"),
    "date": lambda moment: f"{moment:%a %b} {moment.day:2} {moment:%H:%M:%S %Y}",
    "date with a zone": stamp("%a %b %e %H:%M:%S UTC %Y"),
    "date in English": stamp("%a %d %b %Y %I:%M:%S %p UTC"),
    "RFC 2822": format_datetime,
    "RFC 2822 in another zone": lambda moment: format_datetime(moment.astimezone(LOCAL)),
    "HTTP": stamp("%a, %d %b %Y %H:%M:%S GMT"),
    "a log": stamp("%d/%b/%Y:%H:%M:%S %z"),
    "syslog": lambda moment: f"{moment:%b} {moment.day:2} {moment:%H:%M:%S}",
    "minutes": stamp("%H:%M"),
    "seconds": stamp("%H:%M:%S"),
    "with am and pm": lambda moment: moment.strftime("%I:%M %p").lstrip("0"),
    "local minutes": lambda moment: time.strftime("%H:%M", time.localtime(moment.timestamp())),
    "a day": stamp("%Y-%m-%d"),
    "a day with slashes": stamp("%Y/%m/%d"),
    "an American day": stamp("%m/%d/%Y"),
    "a short American day": stamp("%D"),
    "a European day": stamp("%d.%m.%Y"),
    "a day in words": lambda moment: f"{moment:%A, %B} {moment.day}, {moment.year}",
    "a British day": lambda moment: f"{moment.day} {moment:%B %Y}",
    "a month": stamp("%Y-%m"),
    "a month in words": stamp("%B %Y"),
    "a week": stamp("%G-W%V"),
    "seconds of the epoch": lambda moment: f"{int(moment.timestamp())}",
    "a float": lambda moment: repr(moment.timestamp()),
    "milliseconds": lambda moment: f"{int(moment.timestamp() * 1e3)}",
    "microseconds": lambda moment: f"{int(moment.timestamp() * 1e6)}",
    "nanoseconds": lambda moment: f"{int(moment.timestamp())}{123456789}",
    "a process": lambda moment: f"pid {int(moment.timestamp()) % 4001}",
    "a duration": lambda moment: f"took 0.{moment.microsecond:06}s",
    "a temporary path": lambda moment: f"/tmp/tmp{hash(moment) % 7919:x}/out",
    "an address": lambda moment: f"<object at 0x{hash(moment) & 0xFFFFFFFF:x}>",
}  # fmt: skip
BEGINNINGS = {
    "an hour": datetime(2026, 11, 27, 1, 11, 5, 123456, UTC),
    "midnight": datetime(2026, 11, 26, 23, 31, 5, 123456, UTC),
    "the end of a month": datetime(2026, 11, 30, 23, 25, 58, 123456, UTC),
    "the end of a year": datetime(2026, 12, 31, 23, 40, 59, 123456, UTC),
}
STATIC = "version 10:30 at 2024-05-06 07:08:09, 12/31/1999, 1234567890, port 8080, Mon 3 Feb 2020"


@pytest.fixture(params=["UTC", "Asia/Kolkata"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    moments_module._minutes_of.cache_clear()
    yield request.param
    monkeypatch.undo()
    time.tzset()
    moments_module._minutes_of.cache_clear()


def moments(start: datetime) -> list[datetime]:
    """Ten times in an hour; the second is soon after the first, as the second run is."""
    return [
        start + timedelta(seconds=second, microseconds=second * 997)
        for second in (0, 2, 59, 301, 907, 1200, 1801, 2405, 3000, 3590)
    ]


def clock(times: list[datetime]) -> Clock:
    return Clock(times[0].timestamp() - 1, times[1].timestamp() + 1)


def lines(moment: datetime) -> dict[str, str]:
    return {
        name: f"{STATIC}: [{form(moment)}] written {form(moment)}\n" for name, form in FORMS.items()
    }


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="needs time zones of POSIX")
@pytest.mark.parametrize("start", BEGINNINGS.values(), ids=BEGINNINGS)
def test_what_two_runs_print_matches_the_next_hour(start: datetime, zone: str) -> None:
    times = moments(start)
    printed = list(map(lines, times))
    for name in FORMS:
        expected = text_of_both(*(clock(times).elide_all(text[name]) for text in printed[:2]))
        assert expected.startswith(f"{STATIC}: ["), (name, expected)
        assert expected.endswith("\n"), name
        wrong = [text[name] for text in printed if not text_matches(expected, text[name])]
        assert not wrong, (name, expected)


@pytest.mark.parametrize("start", BEGINNINGS.values(), ids=BEGINNINGS)
def test_what_two_runs_print_as_json_matches_the_next_hour(start: datetime) -> None:
    times = moments(start)
    values: list[dict[str, Any]] = [
        {
            **{name: form(moment) for name, form in FORMS.items() if name != "local minutes"},
            "words": f"made at {moment:%H:%M}",
            "int": int(moment.timestamp()),
            "float": moment.timestamp(),
            "milliseconds as a number": int(moment.timestamp() * 1000),
            "list": [moment.isoformat(), 3],
            "count": 3,
            "version": "10:30",
        }
        for moment in times
    ]
    expected = json_of_both(*values[:2], clock(times).elide_value)
    assert [list(json_differences(expected, value)) for value in values] == [[]] * len(values)
    kinds = {"int": "<int>", "float": "<number>", "ISO": "<date>", "list": ["<date>", 3]}
    literal = {"count": 3, "version": "10:30", "words": "made at [..]"}
    assert {name: expected[name] for name in kinds | literal} == kinds | literal


NAMES = ["a day", "a month", "basic", "basic with a hyphen", "a day with slashes", "digits",
         "seconds of the epoch", "ISO with Z"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("start", BEGINNINGS.values(), ids=BEGINNINGS)
def test_names_of_files_match_the_next_hour(name: str, start: datetime) -> None:
    times = moments(start)
    paths = [f"out/report-{FORMS[name](moment)}.csv" for moment in times]
    clocked = clock(times)
    pattern = name_of_both(*(clocked.elide_name(path) for path in paths[:2]))
    is_nested = name == "a day with slashes"
    assert pattern == ("out/report-*/*/*.csv" if is_nested else "out/report-*.csv")
    assert matching_paths(pattern, paths) == paths


ELIDED = [
    ("written 2026-11-27 01:41:05", "written [..]"),
    ("written 2026-11-27 01:41:05 by me", "written [..] by me"),
    ("at 01:41, or 1:41 AM, or 01:41:05", "at [..], or [..], or [..]"),
    ("due 2026-11-28 02:41:05", "due [..]"),
    ("meet on 2026-11-27 09:00", "meet on [..] 09:00"),
    ("(Fri Nov 27 01:41:05 2026)", "([..])"),
    ("27/Nov/2026:01:41:05 +0000] GET", "[..]] GET"),
    ("log-20261127T014105Z.txt, log-20261127-014105.txt", "log-[..].txt, log-[..].txt"),
    ("{'at': 1795743665.25, 'n': 1}", "{'at': [..], 'n': 1}"),
    ("version 10:30, 01:40:99, 1:2:3, 25:41", "version 10:30, 01:40:99, 1:2:3, 25:41"),
    ("in 2025-11-27, 2026-10-27 and 2026-11-20", "in 2025-11-27, 2026-10-27 and 2026-11-20"),
    ("id 17957436651, 0x1795743665, a1795743665", "id 17957436651, 0x1795743665, a1795743665"),
    ("May 3 items, 11/27 of 1.1.27", "May 3 items, 11/27 of 1.1.27"),
    ("© 2026", "© 2026"),
    ("took 0.12s, waits 2.5s", "took [..], waits 2.5s"),
    ("pid=311, pids 3", "pid=[..], pids 3"),
    ('{"pid": 311, "n": 3}', '{"pid": [..], "n": 3}'),
    ("127.0.0.1:0141", "127.0.0.1:0141"),
]
NOW = datetime(2026, 11, 27, 1, 41, 5, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(("text", "elided"), ELIDED)
def test_times_are_elided_whole(text: str, elided: str) -> None:
    assert Clock(NOW - 2, NOW + 2).elide_all(text) == elided


def test_a_date_that_is_given_is_expected() -> None:
    clocked = Clock(NOW, NOW, "{'day': '2026-11-27'}")
    assert clocked.elide("day 2026-11-27, at 2026-11-27T01:41:05Z and 27 Nov 2026") == (
        "day 2026-11-27, at [..] and [..]"
    )


def test_a_time_that_is_given_is_expected() -> None:
    clocked = Clock(NOW, NOW, "{'at': '2026-11-27T01:41:05Z'}")
    text = "at 2026-11-27T01:41:05Z"
    assert clocked.elide(text) == text


def test_process_numbers_are_any_number() -> None:
    value = {"pid": 3, "runs": [{"ppid": 4, "n": 5}], "pids": [3]}
    assert without_processes(value) == {
        "pid": "<int>",
        "runs": [{"ppid": "<int>", "n": 5}],
        "pids": [3],
    }


def test_a_clock_has_the_first_start_and_now() -> None:
    clocked = clock_of(["2026-11-27T01:41:05Z", ""], "x")
    assert (clocked.start, clocked.given_text) == (NOW, "x")
    assert abs(clocked.end - time.time()) < 60


def zipped(name: str, moment: float) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name, time.gmtime(moment)[:6]), "x")
    return file.getvalue()


def tarred(name: str, moment: float) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.mtime = int(moment)
        archive.addfile(entry)
    return file.getvalue()


BINARY: dict[str, Callable[[float], bytes]] = {
    "gzip": lambda moment: gzip.compress(b"x", mtime=int(moment)),
    "zip": lambda moment: zipped("a", moment),
    "tar": lambda moment: tarred("a", moment),
    "PDF": lambda moment: time.strftime("(D:%Y%m%d%H%M%S)", time.gmtime(moment)).encode(),
}


@pytest.mark.parametrize("name", BINARY)
def test_a_file_with_a_time_has_no_lasting_digest(name: str) -> None:
    clocked = Clock(NOW - 2, NOW + 2)
    assert clocked.is_in(BINARY[name](NOW))
    assert not clocked.is_in(BINARY[name](NOW - 86_400 * 400))


RANDOM = [
    ("id 550e8400-e29b-41d4-a716-446655440000 ok", "id 16fd2706-8baf-433b-82eb-8c7fada847da ok",
     "id [..] ok"),
    ("at http://127.0.0.1:43211/x", "at http://127.0.0.1:51234/x", "at http://127.0.0.1:[..]/x"),
    ("3 files, 12.1 ms, 40 kB, 0.5 s", "3 files, 12.4 ms, 40 kB, 0.7 s",
     "3 files, [..] ms, 40 kB, [..] s"),
    ("set: {'a', 'b', 'c'} of 3", "set: {'a', 'c', 'b'} of 3", "set: {[..]} of 3"),
    ("a\nb\nc\n the end", "b\nc\na\n the end", "...\n the end"),
    ("- a\n- b\n- c\nend", "- b\n- a\n- c\nend", "...\nend"),
    ("id 1\na\nb\nc\nok.\nid 2", "id 3\nc\na\nb\nok.\nid 4", "id [..]\n...\nok.\nid [..]"),
    ("n 1 of (a, (b), c) in 5 s", "n 2 of (c, a, (b)) in 7 s", "n [..] of ([..]) in [..] s"),
    ("a b c d", "b a c d", "[..] c d"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "expected"), RANDOM)
def test_what_is_random_is_elided_by_words(one: str, other: str, expected: str) -> None:
    text_of_all = text_of_both(one + "\n", other + "\n")
    assert text_of_all == expected + "\n"
    assert all(text_matches(text_of_all, text) for text in (one, other))


def test_a_json_list_in_the_order_of_a_hash_table() -> None:
    expected = json_of_both(
        {"words": ["a", "b", "c"], "n": [1, 2]}, {"words": ["a", "c", "b"], "n": [1, 3]}
    )
    assert expected == {"words": ["<string>"] * 3, "n": [1, "<int>"]}


def test_a_key_that_is_a_time_is_not_expected() -> None:
    clocked = Clock(NOW, NOW)
    value = {"days": {"2026-11-27": 3}, "n": 1}
    assert json_of_both(value, value, clocked.elide_value) == {"days": "<any>", "n": 1}
    assert json.dumps(json_of_both(value, value)) == json.dumps(value)


def test_finding_times_takes_no_time_that_grows_with_the_square() -> None:
    text = "2026-11-27 01:41 1795743665 Nov 27 " * 2_000 + "1" * 5_000 + ":" * 5_000
    begun = os.times().user
    Clock(NOW, NOW).elide_all(text)
    assert os.times().user - begun < 2
