"""Dates, times and timestamps against Python's datetime, which knows neither nanoseconds nor these limits."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastio

EPOCH = dt.datetime(1970, 1, 1)
LEAST, MOST = -(2**63), 2**63 - 1

decimals = st.from_regex(r"\.[0-9]{1,9}", fullmatch=True) | st.just("")
offsets = st.tuples(st.sampled_from("+-"), st.integers(0, 23), st.integers(0, 59), st.sampled_from([":", "", None]))


def fraction(text: str) -> int:
    """Nanoseconds of decimals such as .5."""
    return int(text[1:].ljust(9, "0")) if text else 0


def since_epoch(moment: dt.datetime) -> int:
    return int((moment - EPOCH) / dt.timedelta(microseconds=1)) * 1000


@given(st.dates())
def test_dates(date: dt.date) -> None:
    days = date.toordinal() - dt.date(1970, 1, 1).toordinal()
    assert fastio.parse_date(date.isoformat()) == days
    assert fastio.format_date(days) == date.isoformat()


@given(st.times().map(lambda time: time.replace(microsecond=0)), decimals)
def test_times(time: dt.time, tail: str) -> None:
    nanoseconds = (time.hour * 3600 + time.minute * 60 + time.second) * 10**9 + fraction(tail)
    assert fastio.parse_time(time.isoformat() + tail) == nanoseconds
    written = fastio.format_time(nanoseconds)
    assert fastio.parse_time(written) == nanoseconds
    assert re.fullmatch(r"\d\d:\d\d:\d\d(\.(\d{3}){1,3})?", written) and not written.endswith(".000")
    assert written[:8] == time.isoformat()


@given(
    st.datetimes(dt.datetime(1677, 9, 20), dt.datetime(2262, 4, 13)).map(lambda moment: moment.replace(microsecond=0)),
    decimals,
    st.sampled_from("Tt "),
    st.sampled_from(["", "Z", "z"]) | offsets,
)
def test_timestamps(moment: dt.datetime, tail: str, between: str, zone: str | tuple[str, int, int, str | None]) -> None:
    text = f"{moment.date()}{between}{moment.time()}{tail}"
    seconds = 0
    if isinstance(zone, tuple):
        sign, hours, minutes, colon = zone
        text += f"{sign}{hours:02}" + ("" if colon is None else f"{colon}{minutes:02}")
        seconds = (hours * 3600 + (0 if colon is None else minutes * 60)) * (-1 if sign == "-" else 1)
    else:
        text += zone
    due = since_epoch(moment) - seconds * 10**9 + fraction(tail)
    if LEAST <= due <= MOST:
        assert fastio.parse_timestamp(text) == (due, bool(zone))
        written = fastio.format_timestamp(due, bool(zone))
        assert fastio.parse_timestamp(written) == (due, bool(zone))
    else:
        with pytest.raises(fastio.RangeError):
            fastio.parse_timestamp(text)


@given(st.integers(LEAST, MOST), st.booleans())
def test_every_moment_comes_back(value: int, has_zone: bool) -> None:
    text = fastio.format_timestamp(value, has_zone)
    assert fastio.parse_timestamp(text) == (value, has_zone)
    moment = EPOCH + dt.timedelta(seconds=value // 10**9)
    assert text.startswith(moment.isoformat())


@given(st.from_regex(r"[0-9]{4}-[0-1][0-9]-[0-3][0-9]", fullmatch=True))
def test_days_of_the_calendar(text: str) -> None:
    try:
        due: int | None = (dt.date.fromisoformat(text) - EPOCH.date()).days
    except ValueError:
        due = None
    if due is None:
        with pytest.raises(fastio.ParseError):
            fastio.parse_date(text)
    else:
        assert fastio.parse_date(text) == due


def test_limits() -> None:
    assert fastio.format_timestamp(LEAST) == "1677-09-21T00:12:43.145224192"
    assert fastio.format_timestamp(MOST, has_zone=True) == "2262-04-11T23:47:16.854775807Z"
    assert fastio.format_timestamp(*fastio.parse_timestamp("2024-02-29 23:59:59.5+01:00")) == "2024-02-29T22:59:59.500Z"
    for value in (MOST + 1, 2**64 - 1):
        with pytest.raises(ValueError):
            fastio.format_timestamp(value)
    for days in (-719163, 2932897, 2**31, 2**32, -(2**63), 2**63):
        with pytest.raises(ValueError):
            fastio.format_date(days)
    for nanoseconds in (-1, 86400 * 10**9, 2**63):
        with pytest.raises(ValueError):
            fastio.format_time(nanoseconds)
    with pytest.raises(OverflowError):
        fastio.format_timestamp(LEAST - 1)


def test_errors() -> None:
    with pytest.raises(fastio.ParseError) as caught:
        fastio.parse_date("2023-02-29")
    assert (caught.value.offset, caught.value.text, caught.value.status) == (8, b"2023-02-29", "bad_token")
    with pytest.raises(fastio.ParseError):
        fastio.parse_time("24:00")
    with pytest.raises(TypeError):
        fastio.parse_date(20240229)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        fastio.format_date(1.5)  # type: ignore[arg-type]
