"""A naive model of reading tables: byte by byte, record by record, with Python's own int, float and datetime.

The reference of test_table_properties.py, written from the contract and from nothing else, as plain as can be.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from harness import Failure, Typed, Vector

sys.set_int_max_str_digits(0)

BLANKS = b" \t"
WHITE_SPACE = b" \t\v\f\r"  # what separates fields if no separator does

@dataclasses.dataclass(frozen=True)
class Dialect:
    sep: str | None = ","
    quote: str | None = '"'
    quote_mode: str = "strict"
    escape: str | None = None
    doublequote: bool = True
    newline: str = "lf"
    comment: str | None = None
    comment_anywhere: bool = False
    trim: bool = False
    trailing_sep: str = "field"
    blank_lines: str = "skip"

    def options(self) -> dict[str, Any]:
        """What differs from the defaults."""
        changed = dataclasses.asdict(self)
        return {key: value for key, value in changed.items() if value != getattr(_DEFAULT, key)}


_DEFAULT = Dialect()


@dataclasses.dataclass(frozen=True)
class Field:
    text: bytes
    quoted: bool
    offset: int  # of the text: behind an opening quote, behind blanks that do not count
    places: tuple[int, ...] = ()  # of each byte of the text, where quotes or escapes stand between them
    raw: bytes = b""  # as it stands, with its quotes and blanks
    raw_offset: int = 0

    def place(self, index: int) -> int:
        return self.places[index] if self.places else self.offset + index


@dataclasses.dataclass
class Record:
    start: int
    end: int  # of its text, in front of the newline
    fields: list[Field]


class Wrong(Exception):
    """An error at a place in the data."""

    def __init__(self, status: str, offset: int, text: bytes, record: int = 0, field: int = 0, name: str = "") -> None:
        self.status, self.offset, self.text = status, offset, text
        self.record, self.field, self.name = record, field, name

    def failure(self, data: bytes) -> Failure:
        line = data.count(b"\n", 0, self.offset) + 1
        column = self.offset - data.rfind(b"\n", 0, self.offset)
        return Failure(self.status, self.offset, line, column, self.text, self.record, self.field, self.name)


# ---- Records -------------------------------------------------------------------------------------


class Splitter:
    """Takes records apart, one byte after the other."""

    def __init__(self, data: bytes, dialect: Dialect, at: int = 0) -> None:
        self.data, self.d, self.at = data, dialect, at
        self.blank_lines = self.comment_lines = 0

    def byte(self, option: str | None) -> bool:
        return option is not None and self.data.startswith(option.encode(), self.at)

    def newline_size(self) -> int:
        """Of the one at this place; 0: none."""
        if self.d.newline == "any":
            return 2 if self.data.startswith(b"\r\n", self.at) else self.data[self.at : self.at + 1] in (b"\n", b"\r")
        if self.d.newline != "lf":
            return self.byte(self.d.newline)
        return 2 if self.data.startswith(b"\r\n", self.at) else self.data.startswith(b"\n", self.at)

    def rest_of_line(self, start: int) -> bytes:
        self.at = start
        while self.at < len(self.data) and not self.newline_size():
            self.at += 1
        return self.data[start : self.at]

    def blank(self) -> bool:
        blanks = WHITE_SPACE if self.d.sep is None else BLANKS
        if self.at >= len(self.data) or self.data[self.at] not in blanks:
            return False
        return not self.byte(self.d.sep) and not self.newline_size()

    def ends_field(self) -> bool:
        if self.at >= len(self.data) or self.newline_size():
            return True
        if self.d.comment_anywhere and self.byte(self.d.comment):
            return True
        return self.blank() if self.d.sep is None else self.byte(self.d.sep)

    def records(self) -> Iterator[Record]:
        while self.at < len(self.data):
            if not self.skip_line_without_record():
                yield self.record()

    def skip_line_without_record(self) -> bool:
        start = self.at
        while self.d.sep is None and self.blank():
            self.at += 1
        if self.at < len(self.data) and self.byte(self.d.comment):
            self.skip_to_newline()
            self.comment_lines += 1
            return True
        if self.d.blank_lines == "skip" and (self.at >= len(self.data) or self.newline_size()):
            self.at += self.newline_size()
            self.blank_lines += 1
            return True
        self.at = start
        return False

    def skip_to_newline(self) -> None:
        while self.at < len(self.data) and not self.newline_size():
            self.at += 1
        self.at += self.newline_size()

    def record(self) -> Record:
        start, fields = self.at, []
        if self.d.sep is None:
            self.words(fields)
            if not fields:  # of a blank line
                fields.append(Field(b"", False, self.at, (), b"", self.at))
        else:
            fields.append(self.field(1))
            while self.byte(self.d.sep):
                self.at += len(self.d.sep.encode())
                fields.append(self.field(len(fields) + 1))
            if self.d.trailing_sep == "ignore" and len(fields) > 1 and fields[-1].text == b"" and not fields[-1].quoted:
                fields.pop()
        end = self.at
        self.skip_to_newline()
        return Record(start, end, fields)

    def words(self, fields: list[Field]) -> None:
        while True:
            while self.blank():
                self.at += 1
            if self.at >= len(self.data) or self.newline_size():
                return
            if self.d.comment_anywhere and self.byte(self.d.comment):
                return
            fields.append(self.field(len(fields) + 1))

    def field(self, number: int) -> Field:
        start = self.at
        while self.d.trim and self.blank():
            self.at += 1
        if self.byte(self.d.quote):
            return self.quoted(number)
        if not self.d.trim:
            self.at = start
        return self.unquoted(number, start)

    def quoted(self, number: int) -> Field:
        opening, text, places = self.at, bytearray(), []
        self.at += 1
        while True:
            if self.at >= len(self.data):
                raise Wrong("bad_quote", opening, self.rest_of_line(opening), field=number)
            if self.byte(self.d.escape) and self.at + 1 < len(self.data):
                self.at += 1
            elif self.byte(self.d.quote):
                self.at += 1
                if not (self.d.doublequote and self.byte(self.d.quote)):
                    break
            text.append(self.data[self.at])
            places.append(self.at)
            self.at += 1
        while self.d.trim and self.d.sep is not None and self.blank():
            self.at += 1
        if not self.ends_field():
            raise Wrong("bad_quote", opening, self.rest_of_line(opening), field=number)
        return Field(bytes(text), True, opening + 1, tuple(places), self.data[opening : self.at], opening)

    def unquoted(self, number: int, raw_start: int) -> Field:
        start, text, places = self.at, bytearray(), []
        solid = 0  # up to here nothing is trimmed
        while not self.ends_field():
            if self.byte(self.d.escape) and self.at + 1 < len(self.data):
                self.at += 1
                solid = len(text) + 1
            elif self.byte(self.d.quote) and self.d.quote_mode == "strict":
                raise Wrong("bad_quote", self.at, self.rest_of_line(self.at), field=number)
            elif self.data[self.at] not in BLANKS:
                solid = len(text) + 1
            text.append(self.data[self.at])
            places.append(self.at)
            self.at += 1
        text = text[:solid] if self.d.trim else text
        return Field(bytes(text), False, start, tuple(places), self.data[raw_start : self.at], raw_start)


# ---- Values --------------------------------------------------------------------------------------

INTEGER_LIMITS = {f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
                  for sign in ("", "u") for bits in (8, 16, 32, 64)}
_INTEGER = re.compile(rb"[+-]?[0-9]+")
_FLOAT = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
_DATE = re.compile(rb"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_CLOCK = rb"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?"
_TIME = re.compile(_CLOCK)
_TIMESTAMP = re.compile(_DATE.pattern + rb"(?:[Tt ]" + _CLOCK + rb"([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?")


def parse(text: bytes, type_name: str) -> Any:
    """The value of the whole text, or None and a status."""
    if type_name in INTEGER_LIMITS:
        return _parse_integer(text, *INTEGER_LIMITS[type_name])
    if type_name == "float64":
        return float(text) if _FLOAT.fullmatch(text) else _bad()
    if type_name == "bool":
        return {b"true": True, b"false": False}[text.lower()] if text.lower() in (b"true", b"false") else _bad()
    if type_name == "date":
        match = _DATE.fullmatch(text)
        return _days(match) if match else _bad()
    if type_name == "time":
        match = _TIME.fullmatch(text)
        return _clock(match.groups()) if match else _bad()
    if type_name.startswith("timestamp"):
        return _parse_timestamp(text, type_name.endswith("UTC]"))
    return text


class Bad(Exception):
    """A text that is not of the type; its status."""


def _bad(status: str = "bad_token") -> Any:
    raise Bad(status)


def _parse_integer(text: bytes, low: int, high: int) -> int:
    if not _INTEGER.fullmatch(text):
        _bad()
    value = int(text)
    return value if low <= value <= high else _bad("out_of_range")


def _days(match: re.Match[bytes]) -> int:
    try:
        day = datetime.date(*map(int, match.groups()[:3]))
    except ValueError:
        _bad()
    return day.toordinal() - datetime.date(1970, 1, 1).toordinal()


def _clock(groups: Iterable[bytes | None]) -> int:
    hour, minute, second, decimals = (group or b"0" for group in groups)
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:
        _bad()
    return (int(hour) * 3600 + int(minute) * 60 + int(second)) * 10**9 + int(decimals.ljust(9, b"0"))


def _parse_timestamp(text: bytes, utc: bool) -> int:
    match = _TIMESTAMP.fullmatch(text)
    if not match:
        _bad()
    zone = match[8]
    value = _days(match) * 86400 * 10**9
    if match[4] is not None:
        value += _clock(match.groups()[3:7])
    if zone is not None and zone.upper() != b"Z":
        digits = zone[1:].replace(b":", b"").ljust(4, b"0")
        hours, minutes = int(digits[:2]), int(digits[2:])
        if hours > 23 or minutes > 59:
            _bad()
        shift = (hours * 60 + minutes) * 60 * 10**9
        value += shift if zone[:1] == b"-" else -shift
    if utc != (zone is not None):
        _bad()
    return value if -(2**63) <= value < 2**63 else _bad("out_of_range")


# ---- Inference -----------------------------------------------------------------------------------

_PLAIN_INTEGER = re.compile(rb"-?(0|[1-9][0-9]*)")
_PLAIN_FLOAT = re.compile(rb"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WORD = re.compile(rb"[+-]?(inf|infinity|nan)", re.IGNORECASE)


def is_of(text: bytes, type_name: str) -> bool:
    try:
        parse(text, type_name)
    except Bad:
        return False
    return True


def kind(text: bytes) -> str:
    if _PLAIN_INTEGER.fullmatch(text):
        value = int(text)
        if text.startswith(b"-"):
            return "negative" if value >= -(2**63) else "big"
        return "natural" if value < 2**63 else "uint64" if value < 2**64 else "big"
    if _PLAIN_FLOAT.fullmatch(text):
        return "float"
    if _WORD.fullmatch(text):
        return "word"
    for name in ("bool", "date", "time", "timestamp[ns]", "timestamp[ns, UTC]"):
        if is_of(text, name):
            return name
    return "text"


def infer(texts: Iterable[bytes], big_ints: str = "string") -> str:
    kinds = {kind(text) for text in texts}
    integers = {"natural", "negative", "uint64", "big"}
    if len(kinds) == 1 and kinds <= {"bool", "date", "time", "timestamp[ns]", "timestamp[ns, UTC]"}:
        return kinds.pop()
    if "float" in kinds and kinds <= integers | {"float", "word"}:
        return "float64"
    if kinds and kinds <= integers:
        return _infer_integer(kinds, big_ints)
    if kinds == {"date", "timestamp[ns]"} and all(is_of(text, "timestamp[ns]") for text in texts):
        return "timestamp[ns]"
    return "string"


def _infer_integer(kinds: set[str], big_ints: str) -> str:
    if kinds <= {"natural", "negative"}:
        return "int64"
    if kinds <= {"natural", "uint64"}:
        return "uint64"
    return "float64" if big_ints == "float" else "string"


# ---- Tables --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Request:
    dialect: Dialect = Dialect()
    header: bool = True
    dtype: str | dict[str, str] | None = None  # of all columns, or by name
    null_values: tuple[str, ...] = ("",)
    quoted_null: bool = False
    on_ragged: str = "error"
    on_bad: str = "error"
    max_rows: int | None = None
    skip_rows: int = 0
    usecols: tuple[int, ...] | None = None

    def options(self) -> dict[str, Any]:
        changed = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)
                   if field.name != "dialect" and getattr(self, field.name) != field.default}
        return {**self.dialect.options(), **changed}

    def vector(self, name: str, data: bytes) -> Vector:
        try:
            table, report = Model(self, data).read()
        except Wrong as wrong:
            return Vector(name, "read_csv", self.options(), data, error=wrong.failure(data))
        return Vector(name, "read_csv", self.options(), data, result=table, report=report)


class Model:
    def __init__(self, request: Request, data: bytes) -> None:
        self.request, self.data = request, data
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Wrong("bad_encoding", 0, data[:2])
        start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self.splitter = Splitter(data, request.dialect, start)
        self.report: dict[str, Any] = {"places": []}
        self.names: list[str] | None = None
        self.rows: list[tuple[int, list[Field | None]]] = []

    def read(self) -> tuple[dict[str, Typed], dict[str, Any]]:
        """A fault in a record counts only if nothing in front of it is wrong."""
        try:
            self.split()
        except Wrong as later:
            self.convert()
            raise later
        columns = self.convert()
        if self.request.max_rows == 0:
            return columns, {}
        self.report["blank_lines"] = self.splitter.blank_lines
        self.report["comment_lines"] = self.splitter.comment_lines
        return columns, self.report

    def split(self) -> None:
        records = self.splitter.records()
        number = -1 if self.request.header else 0
        while self.request.max_rows is None or len(self.rows) < self.request.max_rows or self.names is None:
            number += 1
            try:
                record = next(records, None)
            except Wrong as wrong:
                wrong.record = number
                if self.names and number > 0 and wrong.field <= len(self.names):
                    wrong.name = self.names[wrong.field - 1]
                raise
            if record is None:
                return
            self.take(record, number)

    def take(self, record: Record, number: int) -> None:
        if self.names is None:
            self.name_columns(record)
            if self.request.header:
                return
            if self.request.max_rows == 0:
                return
        if number <= self.request.skip_rows:
            return
        fields: list[Field | None] = list(record.fields)
        if len(fields) != len(self.names):
            fields = self.mend(record, number)
        if fields:
            self.rows.append((number, fields))

    def name_columns(self, record: Record) -> None:
        if not self.request.header:
            self.names = [f"column_{i + 1}" for i in range(len(record.fields))]
            return
        names: list[str] = []
        for i, field in enumerate(record.fields, 1):
            self.check_name(field, i)
        for i, field in enumerate(record.fields, 1):
            name = field.text.decode()
            if not name or name in names:
                raise Wrong("bad_header", field.raw_offset, field.raw, 0, i, name)
            names.append(name)
        self.names = names

    def check_name(self, field: Field, i: int) -> None:
        check_utf8(field, 0, i, "")
        at = field.text.find(b"\r")
        if at >= 0 and not field.quoted and self.request.dialect.newline == "lf":
            raise Wrong("bad_header", field.place(at), b"\r", 0, i)

    def mend(self, record: Record, number: int) -> list[Field | None]:
        wanted, there, policy = len(self.names), len(record.fields), self.request.on_ragged
        place = ("ragged", record.start, self.data.count(b"\n", 0, record.start) + 1, number, there)
        if policy == "skip":
            return self.count("skipped", place, [])
        if policy in ("pad", "fit") and there < wanted:
            return self.count("padded", place, [*record.fields, *[None] * (wanted - there)])
        if policy in ("truncate", "fit") and there > wanted:
            return self.count("truncated", place, list(record.fields[:wanted]))
        raise Wrong("ragged", record.start, self.splitter.rest_of_line(record.start), number, there)

    def count(self, what: str, place: tuple[Any, ...], fields: list[Field | None]) -> list[Field | None]:
        self.report[what] = self.report.get(what, 0) + 1
        self.report["places"].append(place)
        return fields

    # -- columns --

    def is_null(self, field: Field | None) -> bool:
        if field is None:
            return True
        if field.quoted and not self.request.quoted_null:
            return False
        return field.text in [text.encode() for text in self.request.null_values]

    def convert(self) -> dict[str, Typed]:
        names = self.names or []
        wanted = range(len(names)) if self.request.usecols is None else self.request.usecols
        types = {i: self.type_of(i) for i in wanted}
        columns: dict[int, list[Any]] = {i: [] for i in wanted}
        bad: list[tuple[Any, ...]] = []
        for number, fields in self.rows:
            for i in sorted(wanted):
                columns[i].append(self.value(fields[i], number, i, types[i], bad))
        if bad:
            self.report["bad_cells"] = len(bad)
            self.report["places"] = sorted([*self.report["places"], *bad], key=lambda place: place[1])
        return {names[i]: Typed(types[i], columns[i]) for i in wanted}

    def type_of(self, i: int) -> str:
        dtype = self.request.dtype
        given = dtype.get(self.names[i]) if isinstance(dtype, dict) else dtype
        cells = [fields[i] for _, fields in self.rows]
        texts = [cell.text for cell in cells if not self.is_null(cell)]
        return given or infer(texts)

    def value(self, field: Field | None, number: int, i: int, type_name: str, bad: list[tuple[Any, ...]]) -> Any:
        token = strip(field) if field is not None and type_name != "string" and self.request.dtype else field
        if self.is_null(field) or (token is not field and self.is_null(token)):
            return None
        if type_name == "string":
            check_utf8(field, number, i + 1, self.names[i])
            return field.text
        try:
            return parse(token.text, type_name) if token.text else _bad("empty_field")
        except Bad as problem:
            status = str(problem)
        if self.request.on_bad == "null":
            bad.append((status, token.offset, self.data.count(b"\n", 0, token.offset) + 1, number, i + 1))
            return None
        raise Wrong(status, token.offset, token.text, number, i + 1, self.names[i])


def strip(field: Field) -> Field:
    """Blanks around numbers, dates and bools of an explicit type do not count, unless they are quoted."""
    if field.quoted:
        return field
    text = field.text.lstrip(BLANKS)
    return Field(text.rstrip(BLANKS), False, field.offset + len(field.text) - len(text))


_BAD_SEQUENCE = re.compile(rb".[\x80-\xbf]{0,3}", re.DOTALL)  # what an error shows


def check_utf8(field: Field, number: int, position: int, name: str) -> None:
    try:
        field.text.decode()
    except UnicodeDecodeError as error:
        bad = _BAD_SEQUENCE.match(field.text, error.start)[0]
        raise Wrong("bad_encoding", field.place(error.start), bad, number, position, name) from None
