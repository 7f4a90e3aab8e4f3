"""Faults that tables once had, each with the right answer by hand."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import fastio


@contextmanager
def pipe_of(data: bytes) -> Iterator[int]:
    read_end, write_end = os.pipe()

    def write() -> None:
        with os.fdopen(write_end, "wb") as file:
            try:
                file.write(data)
            except BrokenPipeError:
                pass

    writer = threading.Thread(daemon=True, target=write)
    writer.start()
    try:
        yield read_end
    finally:
        os.close(read_end)
        writer.join()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_null_with_doubled_quotes_leaves_its_neighbours_alone(threads: int) -> None:
    data = b"a,b\n" + b'"x""",keep\nother,"y""z"\n' * 500
    table = fastio.read_csv(data, null_values=['x"'], quoted_null=True, threads=threads, block_size=512)
    assert table["a"].to_list() == [None, "other"] * 500
    assert table["b"].to_list() == ["keep", 'y"z'] * 500


def test_a_long_null_with_doubled_quotes() -> None:
    cell = b'"' + b'x""' * 300_000 + b'"'
    table = fastio.read_csv(b"a,b\n" + cell + b",1\n", null_values=['x"' * 300_000], quoted_null=True)
    assert list(table) == [(None, 1)]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_last_record_larger_than_what_is_looked_ahead(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"a,b\n1," + b"x" * (20 << 20))
    table = fastio.read_csv(path, threads=threads)
    assert len(table) == 1 and len(table["b"][0]) == 20 << 20


def test_a_quote_that_is_never_closed_in_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "open.csv"
    path.write_bytes(b'a,b\n1,2\n3,"' + b"4,5\n" * (5 << 20))
    with pytest.raises(fastio.ParseError) as info:
        fastio.read_csv(path)
    assert (info.value.offset, info.value.lineno, info.value.colno, info.value.record) == (10, 3, 3, 2)


def test_a_file_of_many_blocks(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_bytes(b"a,b\n" + b"".join(b'%d,"x\n%d"\n' % (i, i) for i in range(400_000)))
    assert path.stat().st_size > 5 << 20
    table = fastio.read_csv(path, threads=2)
    assert table["a"].to_list() == list(range(400_000))
    assert table["b"].to_list() == [f"x\n{i}" for i in range(400_000)]


def test_a_range_of_a_pipe_from_which_rows_were_skipped() -> None:
    data = b"a,b\n" + b"".join(b"%02d,%02d\n" % (i, i) for i in range(20))  # a record is 6 bytes
    with pipe_of(data) as fd:
        table = fastio.read_csv(fd, range=(52, 20), skip_rows=1, dtype="int64")
    assert table["a"].to_list() == [8, 9, 10, 11]
    with pipe_of(data) as fd, fastio.open_csv(fd, range=(52, 20), dtype="int64") as reader:
        assert reader.dtypes == {"a": "int64", "b": "int64"}
        assert [row for batch in reader for row in batch] == [(i, i) for i in (8, 9, 10, 11)]


def test_blanks_before_a_number_that_is_escaped_and_respelled() -> None:
    data = b"a;b\n  1\\,5;  12\\,25\n"
    table = fastio.read_csv(data, sep=";", decimal=",", escape="\\", dtype="float64")
    assert list(table) == [(1.5, 12.25)]


def test_batches_of_a_range_that_starts_within_a_long_record() -> None:
    data = b"a\n" + b"x" * 100 + b"\n1\n2\n"
    batches = list(fastio.open_csv(data, range=(10, 1000), batch_bytes=5, dtype="string"))
    assert [row for batch in batches for row in batch] == [("1",), ("2",)]


def test_a_batch_without_rows_settles_no_types() -> None:
    batches = list(fastio.open_csv(b"a\n\n\n\n\n\n1\n2\n", batch_bytes=2))
    assert {batch.dtypes["a"] for batch in batches} == {"int64"}
    assert [row for batch in batches for row in batch] == [(1,), (2,)]


def test_batches_cannot_change_their_types() -> None:
    with pytest.raises(ValueError, match="batches"):
        fastio.open_csv(b"a\n1\n", on_bad="string")


def test_a_bad_cell_is_counted_once() -> None:
    report = fastio.read_csv(b"a\nabc\n0\n1\n", dtype="int64", null_values=["0"], on_bad="null").report
    assert (report.bad_cells, len(report.places)) == (1, 1)


@pytest.mark.parametrize("block_size", [16, None])
def test_the_first_places_are_the_first_in_the_source(block_size: int | None) -> None:
    data = b"a,b\n" + b"x,y\n" * 1000
    report = fastio.read_csv(data, dtype="int64", on_bad="null", block_size=block_size).report
    assert report.bad_cells == 2000
    assert [(p.record, p.field) for p in report.places] == [(i // 2 + 1, i % 2 + 1) for i in range(100)]


def test_a_null_of_blanks() -> None:
    assert list(fastio.read_csv(b"a,b\n1, \n2,3\n", null_values=[" "], dtype="int64")) == [(1, None), (2, 3)]


def test_an_undecodable_cell_comes_before_a_later_ragged_record() -> None:
    data = b"a\n" + b"7\n" * 300 + b"\xff\n" + b"7\n" * 300 + b"1,2\n"
    with pytest.raises(fastio.DecodeError) as info:
        fastio.read_csv(data)
    assert info.value.record == 301


def test_a_callback_is_not_asked_beyond_max_rows() -> None:
    asked: list[list[str]] = []

    def decide(fields: list[str]) -> None:
        asked.append(fields)

    table = fastio.read_csv(b"a,b\n1,2\n3\n4,5\n6\n", on_ragged=decide, max_rows=2, dtype="int64")
    assert list(table) == [(1, 2), (4, 5)]
    assert asked == [["3"]]


def test_rows_by_number_are_rows_that_are_kept() -> None:
    reader = fastio.open_csv(b"a\n1\n2,x\n3\n", on_ragged="skip")
    assert len(reader) == 2 and list(reader[1:]) == [(3,)]
