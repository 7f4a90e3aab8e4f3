"""fastio.sniff: what is proposed can be pasted and reads the same table; what the csv module writes is recognised."""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastio


def package_files(name: str, pattern: str) -> list[Path]:
    """Those that are installed: not every distribution of a package has them."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return []
    folders = spec.submodule_search_locations if spec is not None else None
    return sorted(Path(folders[0]).glob(pattern)) if folders else []


def expected_rows(table: fastio.Table) -> list[list[Any]]:
    return [list(row) for row in table]


# ---- a proposal is a value -----------------------------------------------------------------------

PROPOSALS: list[tuple[bytes, dict[str, Any]]] = [
    (b"a,b\n1,2\n", {"sep": ",", "header": True, "dtype": {"a": "int64", "b": "int64"}}),
    (b"1\t2024-01-01\n2\t2024-01-02\n", {"sep": "\t", "header": False, "dtype": ["int64", "date"]}),
    (
        b"a;b\n1,5;x\n2,5;y\n",
        {"sep": ";", "header": True, "decimal": ",", "dtype": {"a": "float64", "b": "string"}},
    ),
    (b"a, b\n1, 2\n", {"sep": ",", "header": True, "trim": True, "dtype": {"a": "int64", "b": "int64"}}),
    (b"a,b,\n1,2,\n", {"sep": ",", "header": True, "trailing_sep": "ignore", "dtype": {"a": "int64", "b": "int64"}}),
    (b",b\n1,2\n", {"sep": ",", "header": True, "repair_names": True, "dtype": {"column_1": "int64", "b": "int64"}}),
    (b"# x\n1 2\n", {"sep": None, "header": False, "comment": "#", "dtype": ["int64", "int64"]}),
    (b"c0\nv0\na;b\n", {"sep": ",", "header": True, "dtype": {"c0": "string"}}),
]


@pytest.mark.parametrize("data, due", PROPOSALS)
def test_words(data: bytes, due: dict[str, Any]) -> None:
    dialect = fastio.sniff(data)
    found = dict(dialect)
    types = due["dtype"] if isinstance(due["dtype"], list) else list(due["dtype"].values())
    assert {**found, "dtype": None} == {**due, "dtype": None}
    assert list(found["dtype"].values() if isinstance(found["dtype"], dict) else found["dtype"]) == types
    pasted = eval(repr(dialect), {"Dialect": fastio.Dialect})
    assert dict(pasted) == found
    table = fastio.read_csv(data, dialect=dialect)
    assert list(table.dtypes.values()) == types
    assert expected_rows(table) == expected_rows(fastio.read_csv(data, **dialect))


def test_a_pipe_can_be_sniffed() -> None:
    read, write = os.pipe()
    text = b"A;B\n" + b"".join(b"%d;x\n" % i for i in range(1000))

    def feed() -> None:
        with os.fdopen(write, "wb") as end:
            end.write(text)

    feeder = threading.Thread(daemon=True, target=feed)
    feeder.start()
    try:
        assert fastio.sniff(read)["sep"] == ";"
    finally:
        feeder.join()
        os.close(read)


def test_a_file_object_is_put_back() -> None:
    file = io.BytesIO(b"a|b\n1|2\n")
    dialect = fastio.sniff(file)
    assert file.tell() == 0
    assert expected_rows(fastio.read_csv(file, dialect=dialect)) == [[1, 2]]


def test_nothing_to_sniff() -> None:
    with pytest.raises(EOFError):
        fastio.sniff(b"")


# ---- what Python's csv module writes -------------------------------------------------------------

names = st.lists(st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True), min_size=2, max_size=5, unique=True)
texts = st.text("abcdeXYZ ,;|\t'\"\n", min_size=1, max_size=12).filter(lambda text: text.strip(" \t") == text != "'")


quotings = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC, csv.QUOTE_ALL])


@given(st.data(), names, st.sampled_from(",;\t|"), quotings)
def test_written_tables(data: st.DataObject, header: list[str], separator: str, quoting: Any) -> None:
    """Numbers in the first column, so that there is no doubt what the separator is."""
    row = st.tuples(st.integers(-1000, 1000), *[texts] * (len(header) - 1))
    rows = data.draw(st.lists(row, min_size=3, max_size=12))
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n")
    writer.writerows([header, *rows])
    dialect = fastio.sniff(file.getvalue().encode())
    assert (dialect["sep"], dialect["header"]) == (separator, True)
    table = fastio.read_csv(file.getvalue().encode(), dialect=dialect)
    assert list(table.names) == header
    assert expected_rows(table)[0][0] == rows[0][0]
    assert table.shape == (len(rows), len(header))


# ---- files of packages ---------------------------------------------------------------------------


@pytest.mark.parametrize("path", package_files("numpy._core", "tests/data/*.csv"), ids=lambda path: path.stem)
def test_numpy_validation_sets(path: Path) -> None:
    """Comments among the records, hexadecimal numbers."""
    dialect = fastio.sniff(path)
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    assert (dialect["sep"], dialect["header"]) == (",", True)
    assert list(dialect["dtype"].values()) == ["string", "string", "string", "int64"]
    assert len(fastio.read_csv(path, dialect=dialect)) == len(lines) - 1


@pytest.mark.parametrize("path", package_files("tzdata", "zoneinfo/iso3166.tab"), ids=lambda path: path.stem)
def test_time_zones(path: Path) -> None:
    """Comments above, the last one with the names; all text."""
    dialect = fastio.sniff(path)
    assert (dialect["sep"], dialect["header"], dialect["comment"]) == ("\t", False, "#")
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert expected_rows(fastio.read_csv(path, dialect=dialect)) == [line.split("\t") for line in lines]
