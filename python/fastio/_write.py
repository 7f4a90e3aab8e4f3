"""What writing needs of Python: formats, tables of every kind, redirection, standard streams."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import _core
from ._core import Column, CsvReader, Error, Format, Reader, Table, Writer

if TYPE_CHECKING:
    from types import TracebackType

    from _typeshed import ReadableBuffer

    from ._core import _Dest, _Errors, _Format, _Progress, _Source, _WriteMode

    _Formats: TypeAlias = _Format | Sequence[_Format] | Mapping[str, _Format]
    _Text: TypeAlias = str | bytes

# ---- formats


def fixed(precision: int | None = None, **words: Any) -> Format:
    """Digits behind the point as %f: `fixed(2)` writes 3.14. `words` are those of Format."""
    return Format("fixed", precision, **words)


def scientific(precision: int | None = None, **words: Any) -> Format:
    """As %e: `scientific(2)` writes 3.14e+00. `words` are those of Format."""
    return Format("scientific", precision, **words)


def general(precision: int | None = None, **words: Any) -> Format:
    """As %g, so many significant digits: `general(3)` writes 3.14. `words` are those of Format."""
    return Format("general", precision, **words)


def hexadecimal(precision: int | None = None, **words: Any) -> Format:
    """As %a: 0x1.8p+1. `words` are those of Format."""
    return Format("hexadecimal", precision, **words)


def integer(base: int = 10, **words: Any) -> Format:
    """Integers in a base of 2 to 36: `integer(16, prefix=True)` writes 0xff. `words` are those of Format."""
    return Format(base=base, **words)


# ---- locks, redirections


class Lock:
    """Of Writer.lock(): other threads wait to write."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def __enter__(self) -> Writer:
        self._writer._acquire()
        return self._writer

    def __exit__(self, *exc_info: object) -> None:
        self._writer._release()


class Redirection:
    """Of Writer.redirect(): the writer's bytes go elsewhere."""

    def __init__(self, writer: Writer, dest: _Dest | None = None, /, **words: Any) -> None:
        self._writer, self._dest, self._words = writer, dest, words
        self._target: Writer | None = None
        self._before: Writer | None = None

    def __enter__(self) -> Writer:
        if self._target is not None:
            raise ValueError("a redirection is used once")
        dest = self._dest
        target = dest if isinstance(dest, Writer) else Writer(dest, **self._words)
        try:
            self._before = self._writer._redirect(target)
        except BaseException:
            if target is not dest:
                target.discard()
            raise
        self._target = target
        return target

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        target = self._target
        if not self._writer.closed:
            self._writer._redirect(self._before)
        if target is not None and self._dest is not None and target is not self._dest:
            target.__exit__(kind, value, traceback)


class Detour:
    """Of Reader.redirect(): the reader reads another source."""

    def __init__(self, reader: Reader[Any], source: _Source) -> None:
        self._reader, self._source = reader, source

    def __enter__(self) -> Reader[Any]:
        self._reader._start_detour(self._source)
        return self._reader

    def __exit__(self, *exc_info: object) -> None:
        self._reader._end_detour()


# ---- whole destinations


_USUAL = {
    "mode": "w",
    "atomic": False,
    "compression": "auto",
    "level": None,
    "encoding": None,
    "errors": "strict",
}


@contextmanager
def _opened(dest: _Dest, threads: int | None = None, **words: Any) -> Iterator[Writer]:
    """A Writer as it is, or one for the time of the call."""
    if isinstance(dest, Writer):
        if given := [word for word, value in words.items() if value != _USUAL[word]]:
            raise ValueError(f"{given[0]} is for what is opened here, not for a Writer")
        yield dest
    elif dest is None:
        raise TypeError(
            "a destination is a path, a file descriptor, a binary file object or a Writer"
        )
    else:
        with Writer(dest, threads=threads, **words) as writer:
            yield writer


def write_ints(
    dest: _Dest,
    values: Any,
    sep: _Text = " ",
    end: _Text = "\n",
    *,
    format: _Format | Sequence[_Format] = None,
    null: _Text | None = None,
    mode: _WriteMode = "w",
    atomic: bool = False,
    compression: str | None = "auto",
    level: int | None = None,
    encoding: str | None = None,
    errors: _Errors = "strict",
    threads: int | None = None,
    progress: _Progress = None,
) -> None:
    """Writes many integers to a destination.

    dest: as for open(dest, "w"), or a Writer, which stays open. mode, atomic, compression,
        level, encoding, errors: as there.
    The others are those of Writer.write_ints.
    """
    with _opened(
        dest,
        threads,
        mode=mode,
        atomic=atomic,
        compression=compression,
        level=level,
        encoding=encoding,
        errors=errors,
    ) as writer:
        writer.write_ints(
            values, sep, end, format=format, null=null, threads=threads, progress=progress
        )


def write_floats(
    dest: _Dest,
    values: Any,
    sep: _Text = " ",
    end: _Text = "\n",
    *,
    format: _Format | Sequence[_Format] = "shortest",
    null: _Text | None = None,
    mode: _WriteMode = "w",
    atomic: bool = False,
    compression: str | None = "auto",
    level: int | None = None,
    encoding: str | None = None,
    errors: _Errors = "strict",
    threads: int | None = None,
    progress: _Progress = None,
) -> None:
    """Writes many floats to a destination.

    dest: as for open(dest, "w"), or a Writer, which stays open. mode, atomic, compression,
        level, encoding, errors: as there.
    The others are those of Writer.write_floats.
    """
    with _opened(
        dest,
        threads,
        mode=mode,
        atomic=atomic,
        compression=compression,
        level=level,
        encoding=encoding,
        errors=errors,
    ) as writer:
        writer.write_floats(
            values, sep, end, format=format, null=null, threads=threads, progress=progress
        )


def write_lines(
    dest: _Dest,
    lines: Iterable[str | ReadableBuffer],
    end: _Text = "\n",
    *,
    mode: _WriteMode = "w",
    atomic: bool = False,
    compression: str | None = "auto",
    level: int | None = None,
    encoding: str | None = None,
    errors: _Errors = "strict",
    threads: int | None = None,
) -> None:
    """Writes lines to a destination.

    dest: as for open(dest, "w"), or a Writer, which stays open. mode, atomic, compression,
        level, encoding, errors: as there.
    The others are those of Writer.write_lines.
    """
    with _opened(
        dest,
        threads,
        mode=mode,
        atomic=atomic,
        compression=compression,
        level=level,
        encoding=encoding,
        errors=errors,
    ) as writer:
        writer.write_lines(lines, end)


def copy(
    source: _Source,
    dest: _Dest,
    length: int | None = None,
    *,
    source_compression: str | None = None,
    source_encoding: str | None = None,
    mode: _WriteMode = "w",
    atomic: bool = False,
    compression: str | None = None,
    level: int | None = None,
    encoding: str | None = None,
    errors: _Errors = "strict",
    threads: int | None = None,
) -> int:
    """Copies the bytes of a source, and returns how many there were.

    source: as for open(source). dest: as for open(dest, "w"), or a Writer, which stays open.
    length: at most so many bytes; None: all. mode, atomic: as for open().
    The bytes are copied as they are, unless asked for otherwise: source_compression ("auto", or a
    name) and source_encoding say what is decoded (to UTF-8), compression ("auto" goes by the
    path's ending), level, threads and encoding what is made of it; errors is of both encodings.
    Then length and the result count what lies between the two.
    Between files the system does it, on some file systems without moving anything.
    Raises an OSError of reading or writing.
    """
    words: dict[str, Any] = {} if compression is None else {"compression": compression}
    if not isinstance(dest, Writer):
        words = {"compression": compression, "errors": errors}  # of a Writer `errors` is the source's alone
    with _opened(
        dest, threads, mode=mode, atomic=atomic, level=level, encoding=encoding, **words
    ) as writer:
        return writer._copy(source, length, source_compression, source_encoding, errors)


# ---- tables

# Rows that are looked at together: enough to make a call of the core worth it, few enough to stay in cache.
_BATCH = 4096
_BATCH_VALUES = 1 << 18
_FAR_SECONDS = 9223372036  # from 1970, which are too many nanoseconds for 64 bits


def write_csv(
    dest: _Dest,
    data: Any,
    *,
    sep: _Text = ",",
    eol: _Text = "\n",
    header: bool | Iterable[str] = True,
    quoting: Literal["minimal", "strings", "all", "never"] = "minimal",
    quote: _Text = '"',
    escape: _Text | None = None,
    null: _Text = "",
    nan: _Text | None = None,
    true: _Text = "true",
    false: _Text = "false",
    format: _Formats = None,
    mode: _WriteMode = "w",
    atomic: bool = False,
    compression: str | None = "auto",
    level: int | None = None,
    encoding: str | None = None,
    errors: _Errors = "strict",
    threads: int | None = None,
    progress: _Progress = None,
) -> None:
    """Writes a table as delimited text.

    dest: as for open(dest, "w"), or a Writer, which stays open. mode, atomic, compression,
        level, encoding, errors: as there.
    data: a Table; a CsvReader (its batches that are still to be read); what has the Arrow
        interface (a DataFrame of Polars or pandas, a pyarrow.Table, a relation of DuckDB, ...),
        batch by batch; a dict of columns (Column, any buffer of numbers, NumPy arrays, lists); a
        NumPy array with fields, or of two dimensions; or an iterable of rows. Values of rows and
        lists are written by their own types: str, int, float, bool, None (missing), bytes, date,
        time, datetime; others as str().
    sep: one or more bytes. eol: what ends each record.
    header: whether the names are the first record, or the names; rows and arrays without names
        have no header unless names are given.
    quoting: "minimal": what would read otherwise; "strings": all strings and names; "all": all
        but missing values; "never": nothing, and what would need it is escaped, or without an
        `escape` an error.
    quote: a byte. escape: a byte to put before quotes instead of doubling them.
    null: a missing value. nan: of floats; None for "nan". true, false: of bools.
    format: a Format (or "shortest", "hexadecimal"), one for each column, or a dict by name.
    threads: None for the environment variable FASTIO_THREADS, else every usable core (one for
        small tables).
    progress: True for a bar, or a callable(done, total) in rows (total None if not known).
    Raises an OSError, ValueError for words and rows that don't fit, TypeError for other data.
    """
    names = None if isinstance(header, bool) else list(header)
    if names is not None and not all(isinstance(name, str) for name in names):
        raise TypeError("header must be a bool or names, which are str")
    words = (sep, eol, quoting, quote, escape, null, nan, true, false)
    job = _Job(words, header is not False, names, format, threads, progress)
    with (
        _opened(
            dest,
            threads,
            mode=mode,
            atomic=atomic,
            compression=compression,
            level=level,
            encoding=encoding,
            errors=errors,
        ) as writer,
        writer.lock(),
        job,
    ):
        job.run(writer, data)


class _Job:
    """One call of write_csv: the words, and how far it is."""

    def __init__(
        self,
        words: tuple[Any, ...],
        has_header: bool,
        names: list[str] | None,
        format: _Formats,
        threads: int | None,
        progress: _Progress,
    ) -> None:
        self._words, self._has_header, self._names = words, has_header, names
        self._format, self._threads = format, threads
        self._progress: Any = progress
        self._bar: Any = None
        self._done = self._total = 0
        self._writer: Writer
        self._formats: Any = None

    def __enter__(self) -> _Job:
        if self._progress is True:  # one bar for all batches
            self._progress = self._bar = import_module("._progress", __package__).bar("rows")
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._bar is not None:
            self._bar.close()

    # ---- to the core

    def _put(self, rows: Any, has_header: bool = False) -> None:
        """A Table, or an Arrow stream in a capsule."""
        threads, progress = self._threads, self._progress
        words = (*self._words, self._formats, threads, progress, self._done, self._total)
        self._done += _core._write_table(self._writer, rows, has_header, words)

    def _start(self, names: Sequence[str] | None, count: int | None) -> None:
        """Names and formats, once the columns are known; the header, if the core can't know it."""
        given = self._names
        if given is not None and count is not None and len(given) != count:
            raise ValueError(f"header has {len(given)} names for {count} columns")
        self._formats = _formats(self._format, given if given is not None else names)
        several = isinstance(self._formats, tuple) and count is not None
        if several and len(self._formats) not in (1, count):
            raise ValueError(f"format has {len(self._formats)} formats for {count} columns")
        shown = given if given is not None else names
        if self._has_header and shown is not None:
            self._put_header(shown)

    def _put_header(self, names: Sequence[str]) -> None:
        formats, self._formats = self._formats, None
        empty = _core._column(())
        self._put(_table(names, [empty] * len(names)), True)
        self._formats = formats

    def _put_columns(self, columns: Sequence[Column[Any]]) -> None:
        self._put(_table([""] * len(columns), columns))

    # ---- kinds of data

    def run(self, writer: Writer, data: Any) -> None:
        self._writer = writer
        if isinstance(data, Table):
            self._start(data.names, len(data.names))
            self._total = len(data)
            self._put(data)
        elif isinstance(data, CsvReader):
            self._start(data.names, len(data.names))
            for batch in data:
                self._put(batch)
        elif _is_pandas(data):
            self._run_pandas(data)
        elif isinstance(data, Mapping):
            self._run_columns([str(name) for name in data], list(data.values()))
        elif hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
            self._run_arrow(data)
        elif _is_array(data):
            self._run_array(data)
        elif isinstance(data, (str, bytes, bytearray)) or not isinstance(data, Iterable):
            raise TypeError(f"write_csv() can't write {type(data).__name__}")
        else:
            self._run_rows(iter(data))

    def _run_arrow(self, data: Any) -> None:
        if hasattr(data, "__arrow_c_stream__"):
            capsule = data.__arrow_c_stream__()
        else:
            capsule = _core._stream_of_array(*data.__arrow_c_array__())
        names = _core._stream_names(capsule)
        if self._names is None:  # the core writes the header, once it knows every type
            self._formats = _formats(self._format, names)
            self._put(capsule, self._has_header)
        else:
            self._start(names, len(names))
            self._put(capsule)

    def _run_pandas(self, frame: Any) -> None:
        """Without the index. With PyArrow as a stream, else (or if that can't be) column by column."""
        names = [str(name) for name in frame.columns]
        self._total = len(frame)
        table = _pandas_arrow(frame, self._names or names)
        if table is not None:
            self._formats = _formats(self._format, self._names or names)
            try:
                return self._put(table.__arrow_c_stream__(), self._has_header)
            except Error as error:
                if error.status != "unsupported":  # it is told before anything is written
                    raise
        if self._words[6] is None:  # NaN is what is missing there
            self._words = (*self._words[:6], self._words[5], *self._words[7:])
        self._run_columns(names, [frame.iloc[:, i] for i in range(len(names))])

    def _run_array(self, data: Any) -> None:
        numpy = import_module("numpy")
        array = data if hasattr(data, "mask") else numpy.asarray(data)
        if array.dtype.names is not None and array.ndim == 1:
            names = list(array.dtype.names)
            self._run_columns(names, [array[name] for name in names])
        elif array.ndim == 2 and array.dtype.names is None:
            self._run_columns(None, [array[:, i] for i in range(array.shape[1])], len(array))
        else:
            raise ValueError(
                f"an array of {array.ndim} dimensions is no table: two, or one with fields"
            )

    def _run_columns(
        self, names: Sequence[str] | None, values: Sequence[Any], rows: int | None = None
    ) -> None:
        columns = [_values(column) for column in values]
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise ValueError(f"the columns have different lengths: {sorted(lengths)}")
        self._total = rows = rows or (lengths.pop() if lengths else 0)
        self._start(names, len(columns))
        step = max(_BATCH, _BATCH_VALUES // max(1, len(columns)) & ~7)  # whole bytes of bits
        for first in range(0, rows, step):
            parts = [column[first : first + step] for column in columns]
            made = [_core._column(part) for part in parts]
            if all(isinstance(column, Column) for column in made):
                self._put_columns(made)
            else:  # values of several types
                self._put_rows(list(zip(*(_objects(part) for part in parts))))

    def _run_rows(self, rows: Iterator[Any]) -> None:
        first = next(rows, None)
        names = getattr(first, "_fields", None)  # of a namedtuple
        count = None if first is None else len(_cells(first, None, 0))
        if first is None and self._names is None:
            return
        self._start(names, count)
        if first is None:
            return
        rows, number = chain((first,), rows), 0
        while some := list(islice(rows, _BATCH)):
            self._put_rows([_cells(row, count, number + i) for i, row in enumerate(some)])
            number += len(some)

    def _put_rows(self, rows: Sequence[Sequence[Any]]) -> None:
        """Rows whose columns have one type each go together, as many as there are of them."""
        while rows:
            some = rows
            while True:
                made = [_core._column(column) for column in zip(*some)]
                fits = min((column for column in made if isinstance(column, int)), default=None)
                if fits is None:
                    break
                some = rows[:fits]
            if made:
                self._put_columns(made)
            else:
                self._writer.write(self._words[1] * len(some))
            rows = rows[len(some) :]


def _table(names: Sequence[str], columns: Sequence[Column[Any]]) -> Table:
    length = len(columns[0]) if columns else 0
    return _core._rebuild_table(tuple(names), tuple(columns), length, None)


def _formats(given: _Formats, names: Sequence[str] | None) -> Any:
    """One format for all columns, or a tuple; a dict is by name."""
    if not isinstance(given, Mapping):
        return given if given is None or isinstance(given, (str, Format)) else tuple(given)
    unknown = set(given) - set(names or ())
    if unknown:
        raise ValueError(f"format names columns that are not there: {sorted(map(str, unknown))}")
    return tuple(given.get(name) for name in names or ())


def _cells(row: Any, count: int | None, number: int) -> Sequence[Any]:
    if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, Iterable):
        raise TypeError(f"row {number} is no sequence of cells, but of type {type(row).__name__}")
    cells = row if isinstance(row, (tuple, list)) else tuple(row)
    if count is not None and len(cells) != count:
        raise ValueError(f"row {number} has {len(cells)} cells, but the first one has {count}")
    return cells


# ---- columns of other libraries


def _is_pandas(data: Any) -> bool:
    return _is_of_pandas(data) and hasattr(data, "columns")


def _is_of_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas"


def _is_array(data: Any) -> bool:
    """An array of NumPy, or a buffer of two dimensions."""
    if isinstance(data, memoryview):
        return data.ndim > 1
    return hasattr(data, "__array_interface__") or hasattr(data, "__array__")


def _pandas_arrow(frame: Any, names: Sequence[str]) -> Any:
    """A pyarrow.Table, if PyArrow is there and makes one."""
    try:
        pyarrow = import_module("pyarrow")
    except ImportError:
        return None
    if len(names) != len(frame.columns):
        raise ValueError(f"header has {len(names)} names for {len(frame.columns)} columns")
    numbered = frame.set_axis(range(len(names)), axis=1)
    try:
        table = pyarrow.Table.from_pandas(numbered, preserve_index=False).rename_columns(names)
    except (pyarrow.ArrowException, TypeError):  # a column of several types
        return None
    # What is stored for an extension type (a number for a period) is not its text.
    has_extension = any(isinstance(kind, pyarrow.BaseExtensionType) for kind in table.schema.types)
    return None if has_extension else table


def _values(column: Any) -> Any:
    """What can be sliced, and asked for its length."""
    if isinstance(column, (Column, list, tuple)):
        return column
    if isinstance(column, (str, bytes, Mapping)):
        raise TypeError(f"a column is a sequence of values, not a {type(column).__name__}")
    if _is_of_pandas(column):
        return _pandas_values(column)
    if hasattr(column, "__array_interface__"):
        return _array_values(column)
    for method in ("to_pylist", "to_list"):  # of PyArrow and Polars
        if hasattr(column, method):
            return getattr(column, method)()
    try:
        view = memoryview(column)
    except TypeError:
        return list(column)
    if view.ndim != 1:
        raise ValueError("a column has one dimension")
    return view


def _array_values(array: Any) -> Any:
    """Numbers and bools as they are, dates and timestamps as a Column, anything else as a list."""
    if array.ndim != 1:
        raise ValueError("a column has one dimension")
    if hasattr(array, "mask"):  # a masked array: None for what is masked
        mask = import_module("numpy").ma.getmaskarray(array)
        values = _objects(_array_values(array.data))
        return [None if missing else value for missing, value in zip(mask.tolist(), values)]
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
        return array
    if array.dtype.kind == "M":
        return _dates(array)
    return array.tolist() if array.dtype.kind != "m" else [_missing_or_text(x) for x in array]


def _missing_or_text(value: Any) -> str | None:
    return str(value) if value == value else None


def _dates(array: Any) -> Any:
    """datetime64: whole days and more as dates, else as timestamps; NaT is missing."""
    numpy = import_module("numpy")
    unit = numpy.datetime_data(array.dtype)[0]
    if unit in ("Y", "M", "W", "D", "generic"):
        return _core._temporal(array.astype("datetime64[D]").view("int64"), "date")
    seconds = array.astype("datetime64[s]").view("int64")[~numpy.isnat(array)]
    is_near = len(seconds) == 0 or abs(seconds).max() < _FAR_SECONDS
    if unit == "ns" or (is_near and unit not in ("ps", "fs", "as")):
        return _core._temporal(array.astype("datetime64[ns]").view("int64"), "timestamp[ns]")
    texts = numpy.datetime_as_string(array.astype("datetime64[s]") if unit in "hm" else array).tolist()
    return [None if missing else text for text, missing in zip(texts, numpy.isnat(array).tolist())]


def _pandas_values(series: Any) -> Any:
    numpy = import_module("numpy")
    if isinstance(series.dtype, numpy.dtype) and series.dtype.kind in "biufM":
        return _array_values(series.to_numpy())
    return series.astype(object).where(series.notna(), None).tolist()


def _objects(part: Any) -> Any:
    if isinstance(part, Column):
        return part.to_list()
    return part.tolist() if hasattr(part, "tolist") else part


# ---- standard streams

_made: dict[str, Any] = {}


def _flush_at_exit() -> None:
    """What fails is told as the interpreter tells it of sys.stdout, with the exit code 120."""
    for name in ("stdout", "stderr", "log"):
        writer = _made.get(name)
        if writer is None:
            continue
        try:
            writer._flush_last()
        except BaseException as error:
            sys.stdout = _Failed(sys.stdout, error)


class _Failed:
    """In the place of sys.stdout, which the interpreter flushes at the end: so it learns of the failure."""

    closed = False

    def __init__(self, stream: Any, error: BaseException) -> None:
        self._stream, self._error = stream, error

    def flush(self) -> None:
        if self._stream is not None and not self._stream.closed:
            self._stream.flush()
        raise self._error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def standard(name: str) -> Any:
    """fastio.stdin, stdout, stderr or log: made when first asked for."""
    import atexit

    if name not in _made:
        if name == "stdin":
            _made[name] = _core.open("-")
            return _made[name]
        if not any(key != "stdin" for key in _made):
            atexit.register(_flush_at_exit)
        if name == "stdout":
            _made[name] = Writer("-")
        elif name == "stderr":
            _made[name] = Writer(2, buffering="none")
        else:
            _made[name] = Writer(2, buffering="line", locked=True)
    return _made[name]
