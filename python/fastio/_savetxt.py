"""numpy.savetxt, byte for byte: the core writes what it knows, Python's % the rest."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from ._core import Format, Writer

_SPEC = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?P<letter>[a-zA-Z])"
)
_NOTATIONS: dict[str, Any] = {"e": "scientific", "f": "fixed", "g": "general"}
_BASES = {"d": 10, "i": 10, "u": 10, "x": 16, "o": 8}
_BATCH = 1 << 20  # values that are converted together
_MANY = 4096  # rows that Python formats together


def savetxt(
    fname: Any,
    X: Any,
    fmt: str | Sequence[str] = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """numpy.savetxt, many times as fast: the same keywords, the same bytes.

    fname: a path (which may end in .gz, .bz2, .xz, .zst or .lz4), a file object in text or binary mode, a
        Writer, or any other destination.
    X: an array of one dimension (a value a row) or two, also of complex numbers or with fields.
    fmt: one format for all columns, or one for each: a list, or a single string.
    delimiter: between the values of a row. newline: behind each row.
    header, footer: text before and after, each line of it behind `comments`.
    encoding: of the file; None: UTF-8 for a path, Latin-1 for a binary file object.
    Raises what numpy.savetxt does.
    """
    numpy = import_module("numpy")
    with _opened(fname, encoding) as out:
        job = _Job(numpy, out, numpy.asarray(X), fmt, delimiter, newline)
        if header:
            out.write(comments + header.replace("\n", "\n" + comments) + newline)
        job.run()
        if footer:
            out.write(comments + footer.replace("\n", "\n" + comments) + newline)


# ---- the destination


class _Out:
    """A Writer, and how text becomes bytes there."""

    def __init__(self, writer: Writer, encoding: str) -> None:
        self.writer, self.encoding = writer, encoding

    def write(self, text: str) -> None:
        self.writer.write(text.encode(self.encoding))


class _TextFile:
    """A file object that takes str, or if it does not (TypeError), bytes. What comes is UTF-8."""

    def __init__(self, file: Any, encoding: str) -> None:
        self._file, self._encoding, self._takes_bytes = file, encoding, False
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def write(self, data: bytes) -> int:
        text = self._decoder.decode(data)
        if not self._takes_bytes:
            try:
                self._file.write(text)
            except TypeError:
                self._takes_bytes = True
        if self._takes_bytes:
            self._file.write(text.encode(self._encoding))
        return len(data)


class _Encoded:
    """What comes as UTF-8 goes to a Writer in another encoding."""

    def __init__(self, writer: Writer, encoding: str) -> None:
        self._writer = writer
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._encoder = codecs.getincrementalencoder(encoding)()

    def write(self, data: bytes) -> int:
        self._writer.write(self._encoder.encode(self._decoder.decode(data)))
        return len(data)


def _is_like_ascii(encoding: str) -> bool:
    sample = "".join(map(chr, range(32, 127))) + "\n"
    return sample.encode(encoding) == sample.encode("ascii")


@contextmanager
def _opened(fname: Any, encoding: str | None) -> Iterator[_Out]:
    if isinstance(fname, Writer):
        yield _Out(fname, encoding or "utf-8")
    elif isinstance(fname, (str, os.PathLike)):
        with _file_of(os.fspath(fname), encoding) as out:
            yield out
    elif isinstance(fname, (int, io.RawIOBase, io.BufferedIOBase)) and _is_like_ascii(
        encoding or "latin1"
    ):
        with Writer(fname) as writer:
            yield _Out(writer, encoding or "latin1")
    elif hasattr(fname, "write"):
        with Writer(_TextFile(fname, encoding or "latin1")) as writer:
            yield _Out(writer, "utf-8")
    else:
        raise ValueError("fname must be a string or file handle")


@contextmanager
def _file_of(path: Any, encoding: str | None) -> Iterator[_Out]:
    encoding = encoding or "utf-8"
    name = os.fsdecode(path) if isinstance(path, bytes) else path
    if _is_like_ascii(encoding):
        with Writer(name) as writer:
            yield _Out(writer, encoding)
    else:  # what is formatted here is ASCII
        with Writer(name) as writer, Writer(_Encoded(writer, encoding)) as out:
            yield _Out(out, "utf-8")


# ---- formats


class _Plan(NamedTuple):
    """How a column is written: as what numbers, and in which format; None: as Python does."""

    dtype: str
    format: Format


def _pieces(format: str) -> tuple[list[str], list[re.Match[str]]] | None:
    """The texts around the specifications of a format, and those; None if it has others."""
    texts, specs, at = [""], [], 0
    while at < len(format):
        if format.startswith("%%", at):
            texts[-1] += "%"
            at += 2
        elif format[at] != "%":
            texts[-1] += format[at]
            at += 1
        else:
            match = _SPEC.match(format, at)
            if match is None:
                return None
            specs.append(match)
            texts.append("")
            at = match.end()
    return texts, specs


def _number(digits: str | None, default: int | None) -> int | None:
    """As Python has it: '.' alone is a precision of 0."""
    return default if digits is None else int(digits or 0)


def _layout(spec: re.Match[str]) -> dict[str, Any] | None:
    """Flags and width as words of Format."""
    flags, width = spec["flags"], int(spec["width"] or 0)
    if width > 10_000 or (_number(spec["precision"], 0) or 0) > 10_000:
        return None
    words: dict[str, Any] = {"width": width, "upper": spec["letter"].isupper()}
    words["sign"] = "+" if "+" in flags else " " if " " in flags else "-"
    words["align"] = "left" if "-" in flags else "internal" if "0" in flags else "right"
    return words


def _plan(spec: re.Match[str], dtype: Any) -> _Plan | None:
    """What Python's % does with values of the type."""
    letter, layout, is_alternate = spec["letter"].lower(), _layout(spec), "#" in spec["flags"]
    if layout is None or dtype.kind not in "biuf" or dtype.itemsize > 8:
        return None
    if letter in _NOTATIONS:
        precision = _number(spec["precision"], 6)
        return _Plan("f8", Format(_NOTATIONS[letter], precision, keep_point=is_alternate, **layout))
    if spec["letter"] in "diuxoX" and spec["precision"] is None:
        if dtype.kind in "fb" and letter in "xo":
            return None
        base = _BASES[letter]
        type_ = "u8" if dtype.kind == "u" else "i8"
        return _Plan(type_, Format(base=base, prefix=is_alternate and base != 10, **layout))
    if spec["letter"] == "s" and spec["precision"] is None and not set(spec["flags"]) - {"-"}:
        if dtype.kind in "iu" or dtype.str[1:] == "f8":
            return _Plan(dtype.str[1:] if dtype.kind == "f" else f"{dtype.kind}8", Format(**layout))
    return None


def _converted(numpy: Any, column: Any, plan: _Plan) -> Any:
    """The values as those numbers, as Python converts them; None if one of them it would not."""
    if column.dtype.kind == "f":
        is_int = plan.dtype != "f8"
        if (is_int or plan.format.align == "internal") and not numpy.isfinite(column).all():
            return None  # no integers; and Python puts zeros before inf and nan
        if is_int and not (numpy.abs(column.astype("f8", copy=False)) < 2.0**63).all():
            return None
    return column.astype(plan.dtype, copy=False)


# ---- rows


class _Job:
    """One call: the array and what stands between its values."""

    def __init__(
        self, numpy: Any, out: _Out, array: Any, fmt: Any, delimiter: str, newline: str
    ) -> None:
        self._numpy, self._out, self._newline = numpy, out, newline
        if array.ndim == 0 or array.ndim > 2:
            raise ValueError(f"Expected 1D or 2D array, got {array.ndim}D array instead")
        self._fields = array.dtype.names if array.ndim == 1 else None
        if array.ndim == 1 and self._fields is None:
            array = array[:, None]
        self._array = array
        self._is_complex = bool(numpy.iscomplexobj(array))
        self._count = len(self._fields) if self._fields is not None else array.shape[1]
        self._format = self._joined(fmt, delimiter)

    def _joined(self, fmt: Any, delimiter: str) -> str:
        """The format of a row."""
        if type(fmt) in (list, tuple):
            if len(fmt) != self._count:
                raise AttributeError(f"fmt has wrong shape.  {fmt!s}")
            return delimiter.join(fmt)
        if not isinstance(fmt, str):
            raise ValueError(f"invalid fmt: {fmt!r}")
        given, wanted = fmt.count("%"), self._count * (2 if self._is_complex else 1)
        if given == 1:
            one = f" ({fmt}+{fmt}j)" if self._is_complex else fmt
            return delimiter.join([one] * self._count)
        if given != wanted:
            raise ValueError(f"fmt has wrong number of % formats:  {fmt}")
        return fmt

    def run(self) -> None:
        found = self._plans()
        step = max(1, _BATCH // max(1, self._count))
        for first in range(0, len(self._array), step):
            rows = self._array[first : first + step]
            if found is None or not self._put(rows, *found):
                self._run_python(rows)

    # ---- by Python

    def _run_python(self, array: Any) -> None:
        for first in range(0, len(array), _MANY):
            rows = array[first : first + _MANY]
            texts: list[str] = []
            try:
                texts.extend(map(self._complex_row if self._is_complex else self._row, rows))
            finally:  # rows before one that fails
                self._out.write("".join(texts))

    def _row(self, row: Any) -> str:
        try:
            return self._format % tuple(row) + self._newline
        except TypeError as error:
            raise TypeError(
                f"Mismatch between array dtype ('{self._array.dtype}') and "
                f"format specifier ('{self._format}')"
            ) from error

    def _complex_row(self, row: Any) -> str:
        parts = tuple(part for number in row for part in (number.real, number.imag))
        return (self._format % parts + self._newline).replace("+-", "-")

    # ---- by the core

    def _columns(self, rows: Any) -> list[Any]:
        if self._fields is not None:
            return [rows[name] for name in self._fields]
        return [rows[:, i] for i in range(self._count)]

    def _plans(self) -> tuple[list[_Plan], str, str] | None:
        """Of each column, with what is between them and behind them; None: there is something else."""
        pieces = _pieces(self._format)
        if self._is_complex or pieces is None or not 0 < self._count == len(pieces[1]):
            return None
        texts, specs = pieces
        columns = self._columns(self._array[:0])
        if texts[0] or len(set(texts[1:-1])) > 1 or any(column.ndim > 1 for column in columns):
            return None
        plans = [_plan(spec, column.dtype) for spec, column in zip(specs, columns)]
        known = [plan for plan in plans if plan is not None]
        between, behind = texts[1] if self._count > 1 else "", texts[-1] + self._newline
        return (known, between, behind) if len(known) == len(plans) else None

    def _put(self, rows: Any, plans: list[_Plan], between: str, behind: str) -> bool:
        """False, and nothing is written, if Python has to do it."""
        if self._fields is None and len({plan.dtype for plan in plans}) == 1:
            strictest = next((plan for plan in plans if plan.format.align == "internal"), plans[0])
            array = _converted(self._numpy, rows, strictest)
        else:
            plans = [_float_plan(plan) for plan in plans]
            array = self._matrix(rows, plans)
        if array is None:
            return False
        formats = [plan.format for plan in plans]
        writer, encoding = self._out.writer, self._out.encoding
        write = writer.write_floats if array.dtype.kind == "f" else writer.write_ints
        sep, end = between.encode(encoding), behind.encode(encoding)
        write(array, sep, end, format=formats[0] if len(set(formats)) == 1 else formats)
        return True

    def _matrix(self, rows: Any, plans: list[_Plan]) -> Any:
        """Columns of several types as one array of floats."""
        array = self._numpy.empty((len(rows), len(plans)))
        for i, (column, plan) in enumerate(zip(self._columns(rows), plans)):
            values = None if plan.format.base != 10 else _converted(self._numpy, column, plan)
            if values is None:
                return None
            if plan.dtype != "f8" and not (abs(values.astype("f8")) <= 2.0**53).all():
                return None
            array[:, i] = values
        return array


def _float_plan(plan: _Plan) -> _Plan:
    """The same text of the same value as a float: an integer is a float without decimals."""
    if plan.dtype == "f8" or plan.format.base != 10:
        return plan
    old = plan.format
    return _Plan(plan.dtype, Format("fixed", 0, sign=old.sign, align=old.align, width=old.width))
