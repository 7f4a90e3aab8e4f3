"""Tables against Python's own csv, int, float and datetime, on inputs that Hypothesis makes up."""

from __future__ import annotations

import csv
import datetime
import io
import pickle
from typing import Any

import fastio
from hypothesis import given
from hypothesis import strategies as st

TEXT = st.text(st.sampled_from("ab ,;\"'\n\r\t#\u00e9\u20ac0") | st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


def written(rows: list[list[str]], **words: Any) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, **words).writerows(rows)
    return file.getvalue().encode()


@given(st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(TEXT, min_size=width, max_size=width), max_size=8)),
       st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n"]), st.integers(1, 3), st.integers(1, 40))
def test_what_csv_writes_is_read(rows: list[list[str]], sep: str, end: str, threads: int, block_size: int) -> None:
    """Quoted fields come back as they were: separators, quotes and newlines within them too."""
    width = len(rows[0]) if rows else 1
    names = [f"c{i}" for i in range(width)]
    data = written([names, *rows], delimiter=sep, lineterminator=end)
    words: dict[str, Any] = {"sep": sep, "dtype": "string"}
    table = fastio.read_csv(data, threads=threads, block_size=block_size, **words)
    assert table.names == names and [list(row) for row in table] == rows
    batches = [batch for batch in fastio.open_csv(data, batch_rows=2, block_size=block_size, **words)]
    assert [list(row) for batch in batches for row in batch] == rows
    ranges = fastio.partition(data, nbytes=block_size, sep=sep)
    parts = [fastio.read_csv(data, range=part, **words) for part in ranges]
    assert [list(row) for part in parts for row in part] == rows
    assert pickle.loads(pickle.dumps(table)) == table


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1) | st.none(), st.floats(allow_nan=False) | st.none(), st.booleans() | st.none(),
                          st.dates() | st.none(), st.times() | st.none(),
                          st.datetimes(datetime.datetime(1677, 9, 22), datetime.datetime(2262, 4, 10)) | st.none()), max_size=20), st.integers(1, 200))
def test_values_come_back(rows: list[tuple[Any, ...]], block_size: int) -> None:
    lines = ["i,f,b,d,t,ts", *(",".join("" if value is None else repr(value) if isinstance(value, float) else str(value) for value in row) for row in rows)]
    dtype = {"i": "int64", "f": "float64", "b": "bool", "d": "date", "t": "time", "ts": "timestamp[ns]"}
    data = "\n".join(lines).encode()
    table = fastio.read_csv(data, dtype=dtype, threads=2, block_size=block_size)
    assert list(table) == rows
    assert [column.to_list() for column in table.columns] == [[row[k] for row in rows] for k in range(6)]
    inferred = fastio.read_csv(data, block_size=block_size, threads=1)
    for name, column in inferred.to_dict().items():
        present = [value for value in table[name] if value is not None]
        if present and (name != "f" or not any(abs(value) == float("inf") for value in present)):
            assert column.to_list() == table[name].to_list(), name


@given(st.lists(st.sampled_from(["1", "", "x", "1.5", "-0", "007", "+1", "true", "2024-01-01", "18446744073709551615", "18446744073709551616",
                                 "9223372036854775808", "1e5", "nan", "NA", "12:30"]), min_size=1, max_size=6), st.integers(1, 9), st.integers(1, 3))
def test_inference_does_not_depend_on_blocks(texts: list[str], block_size: int, threads: int) -> None:
    data = ("a,b\n" + "\n".join(f"{text},z" for text in texts)).encode()
    whole = fastio.read_csv(data)
    for source in (data, io.BytesIO(data)):
        other = fastio.read_csv(source, block_size=block_size, threads=threads)
        assert repr(list(other)) == repr(list(whole)) and other.dtypes == whole.dtypes  # nan is not itself


@given(st.lists(st.lists(st.sampled_from(["", "1", "x", '"q"', '"a,b"']), min_size=1, max_size=4), min_size=1, max_size=10), st.integers(1, 30))
def test_ragged_policies_agree(rows: list[list[str]], block_size: int) -> None:
    """pad, truncate, fit and skip are what a callable can do too."""
    rows = [row for row in rows if row != [""]]
    data = ("a,b\n" + "".join(",".join(row) + "\n" for row in rows)).encode()
    words: dict[str, Any] = {"dtype": "string", "null_values": ["-"], "block_size": block_size}
    fit = fastio.read_csv(data, on_ragged="fit", **words)
    called = fastio.read_csv(data, on_ragged=lambda fields: (fields + ["-"])[:2], **words)
    assert list(fit) == list(called) and len(fit) == len(rows)
    skipped = fastio.read_csv(data, on_ragged="skip", **words)
    dropped = fastio.read_csv(data, on_ragged=lambda fields: None, **words)
    assert list(skipped) == list(dropped) and len(skipped) == sum(len(row) == 2 for row in rows)
    assert skipped.report.skipped == dropped.report.skipped == len(rows) - len(skipped)
    assert fit.report.padded == sum(len(row) < 2 for row in rows) and fit.report.truncated == sum(len(row) > 2 for row in rows)
    assert called.report.replaced == fit.report.padded + fit.report.truncated


@given(st.lists(st.integers(0, 99), max_size=40), st.tuples(*[st.none() | st.integers(-50, 50)] * 2), st.none() | st.integers(-7, 7).filter(bool),
       st.integers(1, 64))
def test_rows_by_number(values: list[int], ends: tuple[Any, Any], step: Any, block_size: int) -> None:
    data = b"a,b\n" + b"".join(b'%d,"x\n"\n' % value for value in values)
    rows = [(value, "x\n") for value in values]
    key = slice(*ends, step)
    reader = fastio.open_csv(data, block_size=block_size, batch_rows=3, dtype={"a": "int64", "b": "string"})
    assert list(reader[key]) == rows[key] == list(fastio.read_csv(data, dtype={"a": "int64", "b": "string"})[key])
    assert len(reader) == len(rows) and [row for batch in reader for row in batch] == rows
