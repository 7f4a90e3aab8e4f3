"""What tables need of Python: their values, their conversions, their looks."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ._core import Column, Table


class Range(NamedTuple):
    """Bytes of a source that begin at a record, from partition; for read_csv(source, range=...)."""

    offset: int
    length: int


class Place(NamedTuple):
    """Where reading left something out or changed it.

    `field` is the 1-based field of a bad cell; of a ragged record, how many fields it has.
    """

    status: str
    offset: int
    lineno: int
    record: int
    field: int


class Report(NamedTuple):
    """What reading a table left out or changed, and the first hundred places."""

    padded: int = 0
    truncated: int = 0
    skipped: int = 0
    replaced: int = 0
    bad_cells: int = 0
    blank_lines: int = 0
    comment_lines: int = 0
    places: list[Place] = []


class Dialect(Mapping[str, Any]):
    """Keywords of read_csv as a value: `read_csv(source, dialect=d)` or `read_csv(source, **d)`.

    Its repr can be pasted. An immutable mapping, which also has the words as attributes.
    """

    __slots__ = ("_words",)
    _words: dict[str, Any]

    def __init__(self, **words: Any) -> None:
        object.__setattr__(self, "_words", words)

    def __getitem__(self, word: str) -> Any:
        return self._words[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def __getattr__(self, word: str) -> Any:
        if not word.startswith("_") and word in self._words:
            return self._words[word]
        raise AttributeError(f"this Dialect says nothing about {word!r}", name=word, obj=self)

    def __setattr__(self, word: str, value: Any) -> None:
        raise AttributeError("a Dialect never changes: make another one with replace()")

    def replace(self, **words: Any) -> Dialect:
        """Another one, with these words in place of its own."""
        return Dialect(**{**self._words, **words})

    def __repr__(self) -> str:
        return f"Dialect({', '.join(f'{word}={value!r}' for word, value in self._words.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _dialect_of, (self._words,)


def _dialect_of(words: dict[str, Any]) -> Dialect:
    return Dialect(**words)


# ---- conversions


def _null_for(table: Table, name: str, null: Any) -> dict[str, Any]:
    """The keyword of Column.to_numpy, if there is something to say."""
    if isinstance(null, Mapping):
        return {"null": null[name]} if name in null else {}
    return {} if null is None else {"null": null}


def to_numpy(table: Table, *, structured: bool = True, null: Any = None) -> Any:
    if isinstance(null, Mapping) and (unknown := set(null) - set(table.names)):
        raise KeyError(f"null names no column of the table: {sorted(unknown)}")
    arrays = {}
    for name, column in table.to_dict().items():
        try:
            arrays[name] = column.to_numpy(**_null_for(table, name, null))
        except ValueError as error:
            raise ValueError(f"column {name!r}: {error}") from error
    if not structured:
        return arrays
    numpy = import_module("numpy")
    rows = numpy.empty(len(table), [(name, array.dtype) for name, array in arrays.items()])
    for name, array in arrays.items():
        rows[name] = array
    return rows


def to_arrow(table: Table) -> Any:
    return import_module("pyarrow").table(table)


def to_polars(table: Table) -> Any:
    return import_module("polars").DataFrame(table)


def to_pandas(table: Table) -> Any:
    pandas = import_module("pandas")
    columns = [_pandas_column(column) for column in table.columns]
    frame = pandas.DataFrame(dict(enumerate(columns)), index=pandas.RangeIndex(len(table)))
    frame.columns = pandas.Index(table.names, dtype=object if not table.names else None)
    return frame


def _pandas_column(column: Column[Any]) -> Any:
    """The column as an array of pandas or NumPy; what is missing is missing there too."""
    numpy, pandas = import_module("numpy"), import_module("pandas")
    dtype, is_holey = column.dtype, column.null_count > 0
    if column.dictionary is not None and column.indices is not None:
        codes = column.indices.to_numpy(null=-1)
        return pandas.Categorical.from_codes(codes, _pandas_column(column.dictionary))
    if dtype == "string":
        return _pandas_strings(column)
    if dtype == "bool" and is_holey:
        return pandas.arrays.BooleanArray(column.to_numpy(null=False), column.is_null().to_numpy())
    if dtype.startswith(("int", "uint")) and is_holey:
        return pandas.arrays.IntegerArray(column.to_numpy(null=0), column.is_null().to_numpy())
    if dtype.startswith("float"):
        return column.to_numpy(null=numpy.nan)
    if dtype == "time":
        return column.to_numpy(null=numpy.timedelta64("NaT"))
    if dtype == "date":
        return column.to_numpy(null=numpy.datetime64("NaT")).astype("datetime64[s]")
    if dtype.startswith("timestamp"):
        array = column.to_numpy(null=numpy.datetime64("NaT"))
        zone = "UTC" if dtype == "timestamp[ns, UTC]" else None
        return pandas.DatetimeIndex(array).tz_localize(zone)
    return column.to_numpy()


def _pandas_strings(column: Column[Any]) -> Any:
    """Of dtype str where pandas has one (from 3 on), else string; without objects if PyArrow is there."""
    pandas = import_module("pandas")
    dtype = pandas.Series([""]).dtype
    if not isinstance(dtype, pandas.StringDtype):
        dtype = pandas.StringDtype()
    try:
        pyarrow = import_module("pyarrow")
    except ImportError:
        return pandas.array(column.to_list(), dtype=dtype)
    return dtype.__from_arrow__(pyarrow.chunked_array(column))


# ---- looks

_EDGE = 5
_SHORT = 10  # rows that are shown in full
_WIDTH = 40  # of a cell


def _shown(table: Table) -> tuple[list[int], bool]:
    """The rows that are shown, and whether there are others between them."""
    if len(table) <= _SHORT:
        return list(range(len(table))), False
    return [*range(_EDGE), *range(len(table) - _EDGE, len(table))], True


def _cell(column: Column[Any], i: int) -> str:
    try:
        value = column[i]
    except ValueError:  # nanoseconds, or a date beyond datetime's
        return str(column[i : i + 1].to_numpy()[0])
    if value is None:
        return "None"
    if column.dtype in ("string", "dictionary"):
        text = str(value)
        return repr(text)[1:-1] if not text.isprintable() else text
    return str(value)


def _cut(text: str, width: int = _WIDTH) -> str:
    return text if len(text) <= width else text[: width - 1] + "\u2026"


def _is_number(column: Column[Any]) -> bool:
    return column.dtype.startswith(("int", "uint", "float"))


def table_repr(table: Table) -> str:
    rows, has_more = _shown(table)
    title = f"<fastio.Table {len(table)} rows x {len(table.names)} columns>"
    blocks = [title]
    for some in _pages(table):
        lines = [[_cut(name) for name, _ in some], [column.dtype for _, column in some]]
        lines += [[_cut(_cell(column, i)) for _, column in some] for i in rows]
        if has_more:
            lines.insert(2 + _EDGE, ["..."] * len(some))
        blocks += _aligned(lines, [_is_number(column) for _, column in some])
    return "\n".join(blocks)


def _pages(table: Table) -> list[list[tuple[str, Column[Any]]]]:
    """The first and last columns, as many as fit on lines of a usual length."""
    pairs = list(zip(table.names, table.columns))
    if len(pairs) <= 16:
        return [pairs] if pairs else []
    return [pairs[:8], pairs[-8:]]


def _aligned(lines: list[list[str]], right: list[bool]) -> list[str]:
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    return [
        "  ".join(
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right)
        ).rstrip()
        for line in lines
    ]


def table_repr_html(table: Table) -> str:
    rows, has_more = _shown(table)
    names = "".join(
        f"<th>{html.escape(name)}<br><small>{html.escape(column.dtype)}</small></th>"
        for name, column in zip(table.names, table.columns)
    )
    body = []
    for number, i in enumerate(rows):
        if has_more and number == _EDGE:
            body.append("<tr>" + "<td>&hellip;</td>" * len(table.names) + "</tr>")
        cells = (f"<td>{html.escape(_cut(_cell(column, i)))}</td>" for column in table.columns)
        body.append("<tr>" + "".join(cells) + "</tr>")
    return (
        f"<table><thead><tr>{names}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        f"<p>{len(table)} rows \u00d7 {len(table.names)} columns</p>"
    )
