"""Random tables out, against Python's csv.reader and our own: whatever the dialect, threads and sizes of blocks."""

from __future__ import annotations

import csv
import dataclasses
import io
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness import Config, Driver, Typed, Vector, render_table
from test_format_properties import bits_of

CONFIGS = [
    Config(),
    Config(simd="scalar", block=1, sink="device"),
    Config(block=7, threads=3),
    Config(block=64, threads=2, way="stream"),
    Config(block=16, threads=5, sink="file"),
]

TEXTS = st.text(st.one_of(st.sampled_from('",;\t\n\r \'#x1\\|:'), st.characters(codec="utf-8", exclude_characters="\0")),
                max_size=12)
LONG_TEXTS = st.builds(lambda text, n: text * n, TEXTS, st.integers(0, 20))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.one_of(TEXTS, LONG_TEXTS, st.sampled_from(["", "NA", "\ufeff", " x", "x\t"])),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "uint8": st.integers(0, 255),
    "float64": st.floats(allow_nan=False),
    "bool": st.booleans(),
}


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Typed]:
    names = draw(st.lists(TEXTS.filter(bool), min_size=1, max_size=5, unique=True))
    rows = draw(st.integers(0, 30))
    table = {}
    for name in names:
        type_name = draw(st.sampled_from(sorted(VALUES)))
        values = st.lists(st.one_of(VALUES[type_name], st.none()), min_size=rows, max_size=rows)
        table[name] = Typed(type_name, draw(values))
    return table


@st.composite
def dialects(draw: st.DrawFn) -> dict[str, Any]:
    options: dict[str, Any] = {
        "sep": draw(st.sampled_from(",;\t|:")),
        "quote": draw(st.sampled_from("\"'")),
        "quoting": draw(st.sampled_from(["minimal", "strings", "all"])),
        "eol": draw(st.sampled_from(["\n", "\r\n"])),
        "null": draw(st.sampled_from(["", "NA"])),
        "header": draw(st.booleans()),
    }
    if draw(st.integers(0, 2)) == 0:
        options["escape"] = draw(st.sampled_from("\\^"))
    return options


def shown(value: Any, null: str) -> str:
    if value is None:
        return null
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else repr(value)


def exact(column: Typed) -> Typed:
    """With floats by their bits."""
    if column.type != "float64":
        return column
    return Typed(column.type, [None if value is None else bits_of(value) for value in column.values])


def written(driver: Driver, table: dict[str, Typed], options: dict[str, Any]) -> bytes:
    """The same in every configuration."""
    vector = Vector("w", "write_csv", options, render_table({n: exact(c) for n, c in table.items()}).encode())
    answer, *others = (answer for (answer,) in driver.ask_in(CONFIGS, [vector.line()]))
    assert set(others) == {answer}
    assert answer.startswith("x"), answer
    return bytes.fromhex(answer[1:])


@given(tables(), dialects())
def test_csv_reader_reads_it(c_driver: Driver, table: dict[str, Typed], options: dict[str, Any]) -> None:
    text = written(c_driver, table, options)
    columns = [[shown(value, options["null"]) for value in column.values] for column in table.values()]
    rows = [list(row) for row in zip(*columns)]
    if options["header"]:
        rows.insert(0, list(table))
    escape = options.get("escape")
    lines = io.StringIO(text.removeprefix(b"\xef\xbb\xbf").decode(), newline="")
    reader = csv.reader(lines, delimiter=options["sep"], quotechar=options["quote"], escapechar=escape,
                        doublequote=escape is None)
    assert list(reader) == rows


@given(tables(), dialects())
def test_our_reader_reads_it(c_driver: Driver, table: dict[str, Typed], options: dict[str, Any]) -> None:
    if len(table) == 1:
        options["null"] = "NA"  # a record of one empty field has quotes, and so is no missing value
    text = written(c_driver, table, options)
    read: dict[str, Any] = {key: options[key] for key in ("sep", "quote", "header", "escape") if key in options}
    read["null_values"] = [options["null"]]
    read["dtype"] = [column.type for column in table.values()]
    if not options["header"]:
        read["names"] = list(table)
    vector = Vector("r", "read_csv", read, text, result={name: exact(column) for name, column in table.items()})
    assert c_driver.ask([vector.line()]) == [due_answer(vector)]


def due_answer(vector: Vector) -> str:
    return vector.answer().decode().split("\t")[1].rstrip("\n")


@given(st.lists(TEXTS, max_size=30), st.sampled_from(["\n", "\r\n", "", "\0", "--"]))
def test_lines(c_driver: Driver, lines: list[str], end: str) -> None:
    vector = Vector("w", "write_lines", {"end": end}, Typed("string", lines).render().encode(),
                    result="".join(line + end for line in lines))
    for got in c_driver.ask_in(CONFIGS[:3], [vector.line()]):
        assert got == [due_answer(vector)]


@given(st.integers(1, 12), st.integers(1, 12), st.data(), st.sampled_from([" ", ",", "", " -- "]), st.booleans())
def test_arrays(c_driver: Driver, rows: int, columns: int, data: st.DataObject, sep: str, has_nulls: bool) -> None:
    """Rows and columns with missing values, wherever they lie in memory."""
    value = st.one_of(VALUES["float64"], st.none()) if has_nulls else VALUES["float64"]
    values = data.draw(st.lists(value, min_size=rows * columns, max_size=rows * columns))
    texts = ["NA" if value is None else repr(value) for value in values]
    due = "".join(sep.join(texts[row * columns : (row + 1) * columns]) + "\n" for row in range(rows))
    column = Typed("float64", [None if value is None else bits_of(value) for value in values]).render().encode()
    vector = Vector("w", "write_floats", {"shape": (rows, columns), "sep": sep, "null": "NA"}, column, result=due)
    ways = [dataclasses.replace(config, way=way, sink="memory")
            for config in CONFIGS[:3] for way in ("column", "strided", "reversed", "transposed", "each")]
    for way, got in zip(ways, c_driver.ask_in(ways, [vector.line()]), strict=True):
        assert got == [due_answer(vector)], way
