"""Find what the clock of a run put into a text: times near now in any common form, and measured
durations. An expectation has elisions in their place, each over the whole time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, NamedTuple

from skillstudio.dryrun.sampling.expecting import ANY_PART, DATE

_MARGIN = 60.0  # Seconds before and after the runs in which a time is still near.
_DAY = 86_400.0
_QUARTER = 15  # Minutes: the offset of every time zone is a multiple.
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_WEEKDAY = re.compile(r"(?<![A-Za-z])(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\.?,? *$", re.I)
_TIME = re.compile(
    r"(?<![\d:.])(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?: ?([AaPp])\.?[Mm]\b\.?)?(?![\d:])"
)
_AFTER_DATE = re.compile(
    r"(?:[T _:,.-]{0,2}| at )(\d\d?)(?:([-.:h]?)(\d\d))(?:\2(\d\d)(?:[.,]\d+)?)?"
    r"(?: ?([AaPp])\.?[Mm]\b\.?)?(?![\d:])"
)
_ZONE = re.compile(
    r" ?(?:Z(?![A-Za-z0-9])|(?P<offset>[+-]\d\d:?\d\d)(?!\d)|(?:UTC|GMT|[A-Z]{1,4}T)(?![A-Za-z])"
    r"(?:[+-]\d\d?(?::?\d\d)?)?|[+-]\d\d(?![\d]))(?: ?\([A-Z]{2,5}\)|\[[\w/+-]+\])?"
)
_YEAR = re.compile(r" (\d{4})(?![\d.:-])")
_BETWEEN = re.compile(r"(?:[T _:,.-]{0,3}| at | on )")
_EPOCH = re.compile(r"(?<![A-Za-z0-9.])(\d{19}|\d{16}|\d{13}|\d{10}(?:\.\d+)?)(?![A-Za-z0-9])")
_PID = re.compile(r"""(?i)(?<![a-z])(p?pid[ :=#"']{0,4})\d+(?![\w.])""")
_TOOK = re.compile(
    r"(?i)\b((?:took|elapsed|duration|finished in|done in|completed in|in)(?:[ :=]{1,3}))"
    r"\d+(?:\.\d+ ?(?:s|sec|secs|seconds|m?s|[µμu]s|ns)|(?:\.\d+)? ?(?:ms|[µμu]s|ns))\b"
)
_PROCESSES = ("pid", "ppid")
_TAR_TIME = re.compile(rb"(?<=\0)([0-7]{11})(?=[\0 ])")
_MOST = 1 << 20  # Bytes of a file that are searched.


class TimeSpan(NamedTuple):
    """A time in a text."""

    start: int
    end: int


class Clock(NamedTuple):
    """When the runs were, and what was given to them, in which a time is no accident."""

    start: float  # Seconds since 1970.
    end: float
    given_text: str = ""

    def elide(self, text: str) -> str:
        """The text with an elision in place of each time near the runs."""
        return self._replace_moments(text, lambda _: ANY_PART)

    def elide_name(self, path: str) -> str:
        """The path of a file as a glob, without times near the runs."""
        return self._replace_moments(path, lambda moment: "/".join("*" for _ in moment.split("/")))

    def _replace_moments(self, text: str, of: Callable[[str], str]) -> str:
        parts: list[str] = []
        at = 0
        for start, end in self._moments(text):
            parts += (text[at:start], of(text[start:end]))
            at = end
        return "".join((*parts, text[at:]))

    def elide_all(self, text: str) -> str:
        """The text also without process numbers and measured durations."""
        text = self.elide(text)
        text = _PID.sub(lambda match: f"{match[1]}{ANY_PART}", text)
        return _TOOK.sub(lambda match: f"{match[1]}{ANY_PART}", text)

    def elide_value(self, value: Any) -> Any:
        """A JSON string or number, or what to expect instead."""
        if isinstance(value, str):
            text = self.elide_all(value)
            return "<date>" if text == ANY_PART and DATE.fullmatch(value) else text
        if isinstance(value, int | float) and not isinstance(value, bool):
            is_near = any(True for _ in self._epochs(repr(value)))
            return ("<int>" if isinstance(value, int) else "<number>") if is_near else value
        return value

    def is_in(self, data: bytes) -> bool:
        """Whether a file that is recorded by its digest contains a time near the runs, also in the
        header of an archive."""
        text = data[:_MOST].decode("latin-1")
        return (
            self.elide(text) != text
            or (
                data.startswith(b"\x1f\x8b") and self._is_epoch(int.from_bytes(data[4:8], "little"))
            )
            or any(self._is_zip_time(match.end(), data) for match in re.finditer(b"PK\3\4", data))
            or any(self._is_epoch(int(match[1], 8)) for match in _TAR_TIME.finditer(data[:_MOST]))
        )

    def _is_zip_time(self, at: int, data: bytes) -> bool:
        day = int.from_bytes(data[at + 8 : at + 10], "little")
        return self._is_day(1980 + (day >> 9), day >> 5 & 15, day & 31)

    def _is_epoch(self, seconds: float) -> bool:
        return self.start - _DAY <= seconds <= self.end + _DAY

    def _days(self) -> frozenset[date]:
        """Yesterday, today and tomorrow, in any time zone."""
        return _days_of(self.start, self.end)

    def _is_day(self, year: int, month: int, day: int) -> bool:
        return any(
            (known_day.year, known_day.month, known_day.day) == (year, month, day)
            for known_day in self._days()
        )

    def _moments(self, text: str) -> Iterator[TimeSpan]:
        """The times near the runs, in order."""
        dates = sorted(self._dates(text))
        spans: list[TimeSpan] = []
        at = 0
        for start, end in dates:
            if start < at:
                continue
            spans += self._times(text, at, start)
            whole = self._end_of_date(text, end)
            if text[start:whole] in self.given_text:
                at = whole
                continue
            end = whole
            weekday = _WEEKDAY.search(text, at, start)
            begins = weekday.start() if weekday else start
            spans.append(TimeSpan(begins, end))
            at = end
        spans += self._times(text, at, len(text))
        yield from _join_spans(text, sorted((*spans, *self._epochs(text))))

    def _end_of_date(self, text: str, end: int) -> int:
        """The end of the time, zone and year after a date that is near."""
        match = _AFTER_DATE.match(text, end)
        if match is None or int(match[1]) > 23 or int(match[3]) > 59:
            return end
        if match[4] is None and not self._is_minute(int(match[3])):
            return end
        return self._end_of_time(text, match.end())

    def _end_of_time(self, text: str, end: int) -> int:
        zone = _ZONE.match(text, end)
        end = zone.end() if zone else end
        year = _YEAR.match(text, end)
        years = {day.year for day in self._days()}
        return year.end() if year and int(year[1]) in years else end

    def _is_minute(self, minute: int) -> bool:
        """Whether a minute of an hour is near in some time zone."""
        first, last = int((self.start - _MARGIN) // 60), int((self.end + _MARGIN) // 60)
        return any(minute % _QUARTER == number % _QUARTER for number in range(first, last + 1))

    def _times(self, text: str, start: int, end: int) -> Iterator[TimeSpan]:
        """The times near the runs that have no date before them."""
        for match in _TIME.finditer(text[start:end]):
            hour, minute = int(match[1]), int(match[2])
            if match[4]:
                hour = hour % 12 + 12 * (match[4] in "pP")
            zone = _ZONE.match(text, start + match.end())
            offset = zone["offset"] if zone else None
            if int(match[3] or 0) <= 60 and self._is_near(hour, minute, offset):
                yield TimeSpan(start + match.start(), self._end_of_time(text, start + match.end()))

    def _is_near(self, hour: int, minute: int, offset: str | None) -> bool:
        """Whether the time of a day is near in UTC, in the local time zone, or at an offset."""
        if hour > 23 or minute > 59 or (offset and int(offset[1:3]) > 23):
            return False
        zones: list[timezone | None] = [UTC, None]
        if offset:
            minutes = int(offset[1:3]) * 60 + int(offset[-2:])
            zones.append(timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes)))
        return any((hour, minute) in _minutes_of(self.start, self.end, zone) for zone in zones)

    def _epochs(self, text: str) -> Iterator[TimeSpan]:
        for match in _EPOCH.finditer(text):
            digits = match[1].partition(".")[0]
            if self._is_epoch(int(digits) / 10 ** (len(digits) - 10)):
                yield TimeSpan(*match.span())

    def _dates(self, text: str) -> Iterator[TimeSpan]:
        """The dates near the runs."""
        days = self._days()
        for pattern, read in _DATES:
            for match in pattern.finditer(text):
                if any(read(match, day) for day in days):
                    yield TimeSpan(*match.span())


@lru_cache(8)
def _days_of(start: float, end: float) -> frozenset[date]:
    first, last = (datetime.fromtimestamp(moment, UTC).date() for moment in (start, end))
    return frozenset(first + timedelta(days) for days in range(-1, (last - first).days + 2))


@lru_cache(64)
def _minutes_of(start: float, end: float, zone: timezone | None) -> frozenset[tuple[int, int]]:
    """The hours and minutes near the runs in a time zone, by default the local one."""
    numbers = range(int(start - _MARGIN) // 60, int(end + _MARGIN) // 60 + 1)
    moments = (datetime.fromtimestamp(number * 60, UTC).astimezone(zone) for number in numbers)
    return frozenset((moment.hour, moment.minute) for moment in moments)


def without_processes(value: Any) -> Any:
    """An expected JSON value that has no process numbers, which may be equal in two runs that are
    isolated, and differ elsewhere."""
    if isinstance(value, dict):
        return {
            key: "<int>" if key in _PROCESSES and isinstance(item, int) else without_processes(item)
            for key, item in value.items()
        }
    return list(map(without_processes, value)) if isinstance(value, list) else value


def clock_of(starts: list[str], given_text: str) -> Clock:
    """The clock of runs that started at these times (RFC 3339) and have ended now."""
    now = time.time()
    seconds = [datetime.fromisoformat(start).timestamp() for start in starts if start]
    return Clock(min((*seconds, now)), now, given_text)


def _join_spans(text: str, spans: list[TimeSpan]) -> Iterator[TimeSpan]:
    """The spans, those with nothing but separators between them as one."""
    current: TimeSpan | None = None
    for span in spans:
        if current is not None and span.start < current.end:
            current = TimeSpan(current.start, max(current.end, span.end))
        elif current is not None and _BETWEEN.fullmatch(text, current.end, span.start):
            current = TimeSpan(current.start, span.end)
        else:
            if current is not None:
                yield current
            current = span
    if current is not None:
        yield current


def _is(year: str | None, month: int, number: str, day: date) -> bool:
    return (month, int(number)) == (day.month, day.day) and year in (None, f"{day.year}")


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


_Reader = Callable[["re.Match[str]", date], bool]
_DATES: list[tuple[re.Pattern[str], _Reader]] = [
    (
        re.compile(r"(?<!\d)(\d{4})([-/._:])(\d\d?)\2(\d\d?)(?!\d)"),
        lambda match, day: _is(match[1], int(match[3]), match[4], day),
    ),
    (
        re.compile(r"(?<![A-Za-z0-9])(\d{4})(\d\d)(\d\d)(?=\D|$|\d{4}(?:\d\d)?(?!\d))"),
        lambda match, day: _is(match[1], int(match[2]), match[3], day),
    ),
    (
        re.compile(
            rf"(?<![A-Za-z0-9])(\d\d?)(?:st|nd|rd|th)?(?:[-/ .]| of )?({_MONTH})(?![A-Za-z])"
            r"(?:[-/ ,]{1,2}(\d{4})(?!\d))?"
        ),
        lambda match, day: _is(match[3], _month(match[2]), match[1], day),
    ),
    (
        re.compile(
            rf"(?<![A-Za-z])({_MONTH}) {{1,2}}(\d\d?)(?:st|nd|rd|th)?"
            r"(?:,? (\d{4})(?![\d:]))?(?!\d)"
        ),
        lambda match, day: _is(match[3], _month(match[1]), match[2], day),
    ),
    (
        re.compile(rf"(?<![A-Za-z])({_MONTH})[ -](\d{{4}})(?!\d)"),
        lambda match, day: (int(match[2]), _month(match[1])) == (day.year, day.month),
    ),
    (
        re.compile(r"(?<![\d.])(\d\d?)([-/.])(\d\d?)\2(\d{4}|\d\d)(?![\d.])"),
        lambda match, day: (
            (
                match[4] in (f"{day.year}", f"{day.year % 100:02}")
                and sorted((int(match[1]), int(match[3]))) == sorted((day.month, day.day))
            )
            or (match[1], int(match[3]), int(match[4]))
            == (f"{day.year % 100:02}", day.month, day.day)
        ),
    ),
    (
        re.compile(r"(?<![\d.])(\d{4})[-/._](\d\d)(?![\d])(?![-/._:]\d)"),
        lambda match, day: (int(match[1]), int(match[2])) == (day.year, day.month),
    ),
    (
        re.compile(r"(?<![A-Za-z0-9.])(\d{4})(\d\d)(?![A-Za-z0-9])"),
        lambda match, day: (int(match[1]), int(match[2])) == (day.year, day.month),
    ),
    (
        re.compile(r"(?<![\d.])(\d{4})-?W(\d\d)(?:-?(\d))?(?![\dA-Za-z])"),
        lambda match, day: (int(match[1]), int(match[2])) == tuple(day.isocalendar())[:2],
    ),
    (
        re.compile(r"(?<![\d.])(\d{4})-(\d{3})(?!\d)"),
        lambda match, day: (int(match[1]), int(match[2])) == (day.year, day.timetuple().tm_yday),
    ),
]
"""Forms of a date, and whether one is a day."""
