"""loadtxt: numpy.loadtxt's keywords over read_csv. NumPy is imported when it is called."""

from __future__ import annotations

import codecs
import contextlib
import io
import itertools
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._core import MappedFile, ParseError, RangeError, _read_matrix, read_bytes, read_csv

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    _Converters = dict[int, Callable[[str], Any]] | Callable[[str], Any] | None

# What a column is read as if its dtype is not one of fastio's.
_READ_AS = {"bool": "int64", "float16": "float64"}
_NUMBERS = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | {
    "float32",
    "float64",
}
_PLAIN_ENCODINGS = {"utf-8", "utf-8-sig", "ascii"}
# Those of which the core and Python have the same idea, in Python's spelling.
_CORE_ENCODINGS = {"utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "iso8859-1"}


def loadtxt(
    fname: Any,
    dtype: DTypeLike | None = float,
    comments: str | bytes | Iterable[str | bytes] | None = "#",
    delimiter: str | bytes | None = None,
    converters: _Converters = None,
    skiprows: int = 0,
    usecols: int | Sequence[int] | None = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: Any = None,
    compression: str | None = "auto",
    trailing: Literal["error", "ignore", "warn"] = "error",
    max_size: int | None = None,
) -> Any:
    """Numbers (or texts) in rows of equal length as a numpy.ndarray.

    The keywords are numpy.loadtxt's, and so are the results, but for what fastio's documentation
    lists: it refuses what numpy.loadtxt would cut off or guess. `fname` may also be any source of
    the other readers (the data as bytes, a file descriptor, a binary file), compressed or not
    (compression, trailing, max_size: as there).
    """
    import numpy

    wanted = numpy.dtype(float if dtype is None else dtype)
    if wanted.subdtype is not None:
        raise TypeError("dtype must not be a subarray; put it into a structured dtype of one field")
    if ndmin not in (0, 1, 2):
        raise ValueError(f"Illegal value of ndmin keyword: {ndmin}")
    if encoding == "bytes":
        raise ValueError("encoding='bytes' is not supported: converters are called with str")
    rules = _Rules(comments, delimiter, quotechar, _count(skiprows, "skiprows"), max_rows)
    rules.decoding = {"compression": compression, "trailing": trailing, "max_size": max_size}
    columns = _positions(usecols)
    _check_converters(converters)

    with contextlib.ExitStack() as opened:
        source = _source(fname, encoding, rules, opened)
        try:
            array = _read(source, rules, wanted, columns, converters)
        except ParseError as error:
            _drop_advice(error)
            raise
    if array.shape[0] == 0:
        import warnings

        warnings.warn(
            f"loadtxt: input contained no data: {fname!r:.200}", UserWarning, stacklevel=2
        )
    array = _with_ndmin(array, ndmin)
    if like is not None:
        array = numpy.asarray(array, like=like)
    if not unpack:
        return array
    return array.T if wanted.names is None else [array[name] for name in wanted.names]


# ---- arguments ----


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    count = operator.index(value)
    if count < 0:
        raise ValueError(f"{name} must not be negative, but is {count}")
    return count


def _positions(usecols: Any) -> list[int] | None:
    if usecols is None:
        return None
    given = list(usecols) if isinstance(usecols, Iterable) else [usecols]
    for item in given:
        if isinstance(item, bool) or not hasattr(item, "__index__"):
            raise TypeError(
                f"usecols must be an int or a sequence of ints, not {type(item).__name__}"
            )
    return [operator.index(item) for item in given]


def _check_converters(converters: Any) -> None:
    if converters is None or callable(converters):
        return
    if not isinstance(converters, dict):
        raise TypeError(
            "converters must be a dictionary of columns and functions, or a single callable"
        )
    for column, function in converters.items():
        if isinstance(column, bool) or not hasattr(column, "__index__"):
            raise TypeError(f"the keys of the converters dict must be ints, not {column!r}")
        if not callable(function):
            raise TypeError(f"the values of the converters dict must be callable, not {function!r}")


def _text(value: Any, name: str) -> str | None:
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if value is not None and (not isinstance(value, str) or value == ""):
        raise TypeError(f"{name} must be None or a str that is not empty, not {value!r}")
    if value is not None and ("\n" in value or "\r" in value):
        raise TypeError(f"{name} must not be a newline")
    return value


class _Rules:
    """How the text is cut into fields: loadtxt's keywords, checked."""

    def __init__(
        self, comments: Any, delimiter: Any, quotechar: Any, skiprows: int, max_rows: Any
    ) -> None:
        self.delimiter = _text(delimiter, "delimiter")
        self.quote = _text(quotechar, "quotechar")
        if quotechar is not None and (not isinstance(quotechar, str) or len(quotechar) != 1):
            raise TypeError(f"quotechar must be None or a str of one character, not {quotechar!r}")
        self.decoding: dict[str, Any] = {}  # words of the readers
        self.skiprows = skiprows
        self.max_rows = None if max_rows is None else _count(max_rows, "max_rows")
        given = [comments] if isinstance(comments, (str, bytes)) else list(comments or ())
        if "" in given or b"" in given:
            raise ValueError(
                "comments must not be an empty string; comments=None is for none at all"
            )
        self.comments = [text for item in given if (text := _text(item, "comments")) is not None]
        # One byte is the parser's business; anything else is cut off line by line beforehand.
        self.is_plain = len(self.comments) < 2 and all(
            len(text.encode()) == 1 for text in self.comments
        )
        if not self.is_plain and self.quote is not None:
            raise ValueError(
                "quotechar can't go with several comments, or with one that is longer than a byte"
            )
        self._check_distinct()

    def _check_distinct(self) -> None:
        marks = [mark for mark in (self.delimiter, self.quote, *self.comments) if mark is not None]
        if len(set(marks)) < len(marks) and len(set(self.comments)) == len(self.comments):
            raise TypeError("delimiter, comments and quotechar must differ from each other")
        if self.delimiter is None and any(mark.isspace() for mark in marks):
            raise TypeError(
                "comments and quotechar must not be white space, which separates: give a delimiter"
            )

    def keywords(self) -> dict[str, Any]:
        """Those of read_csv."""
        comment = self.comments[0] if self.comments and self.is_plain else None
        return {
            "sep": self.delimiter,
            "quote": self.quote,
            "quote_mode": "literal",
            "comment": comment,
            "comment_anywhere": comment is not None,
            "newline": "any",
            "skip_lines": self.skiprows,
            "max_rows": self.max_rows,
            "header": False,
            "null_values": (),
            **self.decoding,
        }

    def without_comment(self, line: str) -> str:
        for comment in self.comments:
            line = line.partition(comment)[0]
        return line

    def has_data(self, line: str) -> bool:
        text = self.without_comment(line)
        return text != "" if self.delimiter is not None else not (text == "" or text.isspace())


# ---- sources ----


def _source(fname: Any, encoding: str | None, rules: _Rules, opened: contextlib.ExitStack) -> Any:
    """A source of read_csv. Files opened here are closed by `opened`."""
    name = "utf-8" if encoding is None else codecs.lookup(encoding).name
    is_direct = rules.is_plain and name in _PLAIN_ENCODINGS | _CORE_ENCODINGS
    words, rules.decoding = rules.decoding, {"compression": None}
    direct_words = words if name in _PLAIN_ENCODINGS else words | {"encoding": name}
    encoding = encoding or "utf-8-sig"
    if isinstance(
        fname, (str, os.PathLike, bytes, bytearray, memoryview, MappedFile, int)
    ) and not isinstance(fname, bool):
        if is_direct:
            rules.decoding = direct_words
            return fname
        data = io.BytesIO(read_bytes(fname, **words))
        is_path = isinstance(fname, (str, os.PathLike))
        fname = opened.enter_context(io.TextIOWrapper(data, encoding)) if is_path else data
    if hasattr(fname, "read") or hasattr(fname, "readinto"):
        # With max_rows the file is read line by line, if its bytes show where lines end.
        is_whole = rules.max_rows is None or len("\n".encode(encoding.removesuffix("-sig"))) > 1
        if is_whole and not _is_text(fname):
            if is_direct:
                rules.decoding = direct_words
                return fname
            fname = io.StringIO(bytes(read_bytes(fname, **words)).decode(encoding), newline=None)
        if is_whole and rules.is_plain:
            return _Encoded(fname)
    return _joined(_lines(fname, encoding, rules), rules)


def _is_text(file: Any) -> bool:
    return isinstance(file, io.TextIOBase) or (
        hasattr(file, "read") and isinstance(file.read(0), str)
    )


class _Encoded:
    """A text file as a binary file in UTF-8."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._rest = b""

    def read(self, size: int) -> bytes:
        if not self._rest:
            self._rest = self._file.read(max(size // 4, 1)).encode()
        head, self._rest = self._rest[:size], self._rest[size:]
        return head


def _lines(items: Any, encoding: str, rules: _Rules) -> Iterator[str]:
    """The lines of a file or of any iterable, each with its end."""
    try:
        iterator = iter(items)
    except TypeError:
        raise TypeError(
            f"fname must be a path, data, a file or an iterable of lines, not {items!r:.100}"
        ) from None
    for number, item in enumerate(iterator):
        if not isinstance(item, (str, bytes)):
            raise TypeError(f"a line must be str or bytes, not {type(item).__name__}")
        line = item if isinstance(item, str) else item.decode(encoding)
        if number == 0:
            line = line.removeprefix("\ufeff")
        content = _content(line)
        if rules.quote is None and ("\n" in content or "\r" in content):
            raise ValueError(f"an item of fname is more than one line: {line!r:.100}")
        yield line if content != line else line + "\n"


def _content(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _joined(lines: Iterator[str], rules: _Rules) -> bytes:
    """The lines as data for read_csv; with max_rows no more of them are taken than are needed, so
    that one can go on reading behind them. (With quotes a row may be several lines, which only the
    parser can tell: then all are taken.)"""
    taken = list(itertools.islice(lines, rules.skiprows))
    if rules.max_rows is None or rules.quote is not None:
        taken.extend(lines)
    else:
        rows = 0
        while rows < rules.max_rows and (line := next(lines, None)) is not None:
            taken.append(line)
            rows += rules.has_data(_content(line))
    if not rules.is_plain:
        rest = (rules.without_comment(_content(line)) + "\n" for line in taken[rules.skiprows :])
        taken[rules.skiprows :] = rest
    return "".join(taken).encode()


# ---- reading ----


def _read(
    source: Any, rules: _Rules, dtype: Any, usecols: list[int] | None, converters: Any
) -> Any:
    """An array of rows: of one dimension if the dtype is structured, else of two."""
    import numpy

    keywords = rules.keywords()
    slots = None
    if dtype.names is not None:
        slots = [slot.dtype for slot in _slots(numpy.empty(0, dtype))]
        if usecols is not None and len(usecols) != len(slots):
            raise TypeError(
                f"the dtype has {len(slots)} fields, but usecols has {len(usecols)} columns"
            )
    functions = converters
    is_far = any(not 0 <= column < 1000 for column in usecols or ())
    if is_far or isinstance(converters, dict):
        source, width = _with_width(source, keywords)
        if width == 0:
            return _no_rows(dtype, usecols)
        if isinstance(converters, dict):
            functions = _by_position(converters, usecols, width)
        if usecols is not None:
            usecols = _from_the_start(usecols, width, keywords)
    if usecols is not None and "on_ragged" not in keywords:
        # What lies behind the last column wanted may differ from row to row.
        keywords |= {"names": _names(max(usecols, default=0) + 1), "on_ragged": "truncate"}
    elif usecols is None and slots is not None:
        keywords["names"] = _names(len(slots))
    if slots is None and not functions and _read_as(dtype) != "string" and usecols != []:
        return _matrix(source, keywords, dtype, usecols)
    return _table(source, keywords, dtype, slots, usecols, functions)


def _names(count: int) -> list[str]:
    return [f"column_{i + 1}" for i in range(count)]


def _read_as(dtype: Any) -> str:
    name = _READ_AS.get(dtype.name, dtype.name)
    return name if name in _NUMBERS else "string"


def _no_rows(dtype: Any, usecols: list[int] | None) -> Any:
    import numpy

    columns = 1 if usecols is None else len(usecols)
    return numpy.empty((0, columns) if dtype.names is None else 0, dtype)


def _matrix(source: Any, keywords: dict[str, Any], dtype: Any, usecols: list[int] | None) -> Any:
    """All columns at once, into the block of memory that the array keeps: the fast way."""
    import numpy

    chosen = None if usecols is None else list(dict.fromkeys(usecols))
    column = _read_matrix(source, dtype=_read_as(dtype), usecols=chosen, **keywords)
    if column is None or len(column) == 0:
        return _no_rows(dtype, usecols)
    numbers = numpy.asarray(column)
    if usecols is not None and chosen is not None and usecols != chosen:
        numbers = numbers[:, numpy.array([chosen.index(column) for column in usecols])]
    return numbers.astype(dtype, copy=False)


def _table(
    source: Any, keywords: dict[str, Any], dtype: Any, slots: Any, usecols: Any, functions: Any
) -> Any:
    """Column by column."""
    import numpy

    types = _types(dtype, slots, usecols, functions)
    chosen = None if usecols is None else list(dict.fromkeys(usecols)) or [0]
    table = read_csv(source, dtype=types, usecols=chosen, **keywords)
    rows = len(table)
    if rows == 0:
        return _no_rows(dtype, usecols)
    positions = list(range(table.shape[1])) if usecols is None else usecols

    def column(slot: Any, position: int) -> Any:
        values = table.columns[position if chosen is None else chosen.index(position)]
        if values.dtype != "string":
            return numpy.asarray(values)
        function = functions.get(position) if isinstance(functions, dict) else functions
        return _converted(values.to_list(), function, slot, position)

    if slots is None and positions and numpy.dtype(dtype.kind) == dtype and dtype.kind in "USMm":
        # A dtype without a size or a unit gets what its texts need.
        return numpy.stack([column(dtype, position) for position in positions], axis=1)
    array = numpy.empty(rows if slots is not None else (rows, len(positions)), dtype)
    for slot, position in zip(_slots(array), positions):
        slot[...] = column(slot.dtype, position)
    return array


def _slots(array: Any) -> Iterator[Any]:
    """A view for each column of text that goes into an array of rows, in the order of the text."""
    import numpy

    for index in numpy.ndindex(array.shape[1:]):
        part = array[(slice(None),) + index]
        if part.dtype.names is None:
            yield part
        else:
            for name in part.dtype.names:
                yield from _slots(part[name])


def _types(dtype: Any, slots: Any, usecols: Any, functions: Any) -> Any:
    """read_csv's dtype: what a function is called with is text."""
    if callable(functions) or usecols == []:
        return "string"
    texts = dict.fromkeys(functions or (), "string")
    if slots is None:
        return {"*": _read_as(dtype), **texts}
    types: dict[int, str] = {}
    for position, slot in zip(range(len(slots)) if usecols is None else usecols, slots):
        if types.setdefault(position, _read_as(slot)) != _read_as(slot):
            raise ValueError(f"usecols has column {position} twice, with different types")
    return types | texts


# ---- columns counted from the end ----


def _with_width(source: Any, keywords: dict[str, Any]) -> tuple[Any, int]:
    """The source (or its data, if it can be read only once) and the fields of its first row."""
    is_file = isinstance(source, (str, os.PathLike)) and os.path.isfile(source)
    if not is_file and not isinstance(source, (bytes, bytearray, memoryview, MappedFile)):
        source = read_bytes(source)
    first = read_csv(source, **(keywords | {"max_rows": 1, "dtype": "string"}))
    return source, first.shape[1] if len(first) else 0


def _from_the_start(usecols: list[int], width: int, keywords: dict[str, Any]) -> list[int]:
    """usecols without negative ones: those count from the end of each row, however long it is."""
    for column in usecols:
        if not -width <= column < width:
            raise ValueError(f"usecols has {column}, but the first row has {width} columns")
    positions = [column % width for column in usecols]

    def rearranged(fields: list[str]) -> list[str]:
        row = [""] * width
        for column, position in zip(usecols, positions):
            if not -len(fields) <= column < len(fields):
                raise ValueError(
                    f"usecols has {column}, but there is a row of {len(fields)} columns"
                )
            row[position] = fields[column]
        return row

    if min(usecols, default=0) < 0:
        # Where 0 and -2 mean the same column of the first row, they do so in every row.
        keywords["on_ragged"] = rearranged if len(set(positions)) == len(set(usecols)) else "error"
    return positions


def _by_position(
    converters: dict[Any, Any], usecols: list[int] | None, width: int
) -> dict[int, Any]:
    functions = {}
    for key, function in converters.items():
        column = operator.index(key)
        if usecols is None and not -width <= column < width:
            raise ValueError(
                f"converter specified for column {column}, but the first row has {width} columns"
            )
        if -width <= column < width:
            functions[column % width] = function
    chosen = range(width) if usecols is None else {column % width for column in usecols}
    return {column: function for column, function in functions.items() if column in chosen}


# ---- texts to values ----


def _converted(texts: list[str], function: Any, dtype: Any, position: int) -> Any:
    values: list[Any] = texts
    if function is not None:
        values = []
        for text in texts:
            try:
                values.append(function(text))
            except Exception as cause:
                raise _misfit(texts, len(values), dtype, position, cause) from cause
    try:
        return _array(values, dtype)
    except Exception as cause:
        for row, value in enumerate(values):
            try:
                _array([value], dtype)
            except Exception as reason:
                raise _misfit(texts, row, dtype, position, reason) from reason
        raise cause


def _array(values: list[Any], dtype: Any) -> Any:
    import numpy

    if dtype.kind == "S":
        values = [value.encode("latin-1") if isinstance(value, str) else value for value in values]
    elif dtype.kind == "c":
        values = [_complex(value) if isinstance(value, str) else value for value in values]
    elif dtype.kind in "iuf":
        for value in values:
            if isinstance(value, str) and ("_" in value or not value.isascii()):
                raise ValueError("not a number")
    objects = numpy.fromiter(values, object, len(values))
    if dtype.kind not in "US":
        return objects.astype(dtype)
    strings = objects.astype(dtype.kind)
    if dtype != strings.dtype.kind and strings.itemsize > dtype.itemsize:
        raise ValueError(f"longer than {dtype}")
    return strings


def _complex(text: str) -> complex:
    if "_" in text or not text.isascii():
        raise ValueError("not a complex number")
    # NumPy's savetxt has written such signs.
    return complex(re.sub(r"(?<![eE])\+-", "-", text))


def _misfit(texts: list[str], row: int, dtype: Any, position: int, cause: Exception) -> ParseError:
    kind = RangeError if isinstance(cause, OverflowError) else ParseError
    text = texts[row]
    error = kind(
        f"record {row + 1}, column {position + 1}: cannot convert {text!r:.200} to {dtype}: {cause}"
    )
    error.record = row + 1
    error.field = position + 1
    error.text = text.encode()[:64]
    error.status = "bad_token" if kind is ParseError else "out_of_range"
    return error


def _drop_advice(error: ParseError) -> None:
    """read_csv's message ends with keywords of its own that would accept the text."""
    message = str(error)
    if message.endswith(" accept it"):
        error.args = (message.rpartition("; ")[0],)


# ---- the shape of the result ----


def _with_ndmin(array: Any, ndmin: int) -> Any:
    """As NumPy has it: axes of length 1 go, unless ndmin wants them; then one axis is a column."""
    if array.ndim > ndmin:
        array = array.squeeze()
    if array.ndim < ndmin:
        array = array.reshape(-1) if ndmin == 1 else array.reshape(1, -1).T
    return array
