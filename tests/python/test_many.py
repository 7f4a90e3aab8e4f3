"""Several sources as one, and the paths that a pattern names."""

from __future__ import annotations

import gc
import glob
import gzip
import io
import os
import random
import weakref
from pathlib import Path
from typing import Any

import fastio
import pytest


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    made = []
    for name, text in (("a.csv", "n,s\n1,x\n2,y\n"), ("b.csv", "n,s\n3,z\n"), ("c.csv", "n,s\n4,w\n5,v\n")):
        (tmp_path / name).write_text(text)
        made.append(str(tmp_path / name))
    return made


# ---- columns


def test_numbers_and_lines() -> None:
    assert fastio.read_ints([b"1 2", b"", io.BytesIO(b"3")]).to_list() == [1, 2, 3]
    assert fastio.read_ints((b"1 2", b"3"), "uint8").dtype == "uint8"
    assert fastio.read_floats([b"1.5", b"2"]).to_list() == [1.5, 2.0]
    assert fastio.read_ints([b"1 NA", b"NA 3"], null_values=["NA"]).to_list() == [1, None, None, 3]
    assert fastio.read_ints([b"1 2"]).to_list() == [1, 2]
    lines = fastio.read_lines([b"a\nb", "é\n".encode(), b"", b"c"])
    assert lines.to_list() == ["a", "b", "é", "c"] and isinstance(lines, fastio.Lines)
    assert fastio.read_lines([b"a\n", b"\xff"], encoding=None).to_list() == [b"a", b"\xff"]
    assert fastio.count_lines([b"a\nb", b"", b"c\n"]) == 3
    assert fastio.read_lines([b"#\na\n", b"#\nb\n"], skip_lines=1).to_list() == ["a", "b"]


def test_every_cut_of_a_text_into_files() -> None:
    rng = random.Random(3)
    lines = [b"%d\n" % rng.randrange(-(10**9), 10**9) for _ in range(50)]
    for _ in range(100):
        cuts = sorted(rng.choices(range(51), k=rng.randrange(6)))
        parts = [b"".join(lines[i:j]) for i, j in zip([0, *cuts], [*cuts, 50])]
        assert fastio.read_ints(parts) == fastio.read_ints(b"".join(lines))
        assert fastio.read_lines(parts) == fastio.read_lines(b"".join(lines))


def test_limits_and_shapes() -> None:
    parts = [b"1 2 3", b"4 5 6"]
    for count in range(8):
        assert fastio.read_ints(parts, max_items=count).to_list() == list(range(1, 7))[:count]
        assert fastio.count_lines([b"a\nb\n", b"c\nd"], max_items=count) == min(count, 4)
    assert fastio.read_ints([b"1", b"x"], max_items=1).to_list() == [1]
    matrix = fastio.read_ints(parts, shape=(-1, 2))
    assert matrix.shape == (3, 2) and memoryview(matrix).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert fastio.read_ints(parts, shape=(3, 2)).shape == (3, 2) and fastio.read_ints(parts, shape=6).shape == (6,)
    for wrong in ((-1, 4), (2, 2), 5, (0, 2)):
        with pytest.raises(fastio.ParseError) as caught:
            fastio.read_ints(parts, shape=wrong)
        assert caught.value.status == "bad_shape"
    for words in ({"offset": 1}, {"length": 2}):
        with pytest.raises(ValueError, match="one source"):
            fastio.read_ints(parts, **words)


def test_who_is_at_fault(paths: list[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(b"7\n8 x\n")
    with pytest.raises(fastio.ParseError) as caught:
        fastio.read_ints([b"1", bad, b"y"])
    error = caught.value
    assert (error.path, error.source, error.offset, error.lineno, error.text) == (str(bad), 2, 4, 2, b"x")
    assert str(bad) in str(error)
    with pytest.raises(FileNotFoundError) as missing:
        fastio.read_lines([paths[0], str(tmp_path / "none")])
    assert missing.value.filename == str(tmp_path / "none")
    (tmp_path / "bad.csv").write_text("n,s\n1,x\n2\n")
    for read in (fastio.read_csv, lambda s: [t for t in fastio.open_csv(s)]):
        with pytest.raises(fastio.ParseError) as ragged:
            read([paths[0], str(tmp_path / "bad.csv"), paths[1]])
        assert (ragged.value.path, ragged.value.source, ragged.value.record) == (str(tmp_path / "bad.csv"), 2, 2)


@pytest.mark.parametrize("read", [fastio.read_ints, fastio.read_floats, fastio.read_lines, fastio.count_lines, fastio.read_csv, fastio.open_csv])
def test_what_is_no_list_of_sources(read: Any) -> None:
    for wrong in ([1, 2, 3], [1.5], (0,), [b"1", 5]):
        with pytest.raises(TypeError, match="list of numbers"):
            read(wrong)
    for empty in ([], ()):
        with pytest.raises(ValueError, match="no source"):
            read(empty)
    for nested in ([[b"1"]], [None], [object()], [io.StringIO("1")]):
        with pytest.raises(TypeError):
            read(nested)


@pytest.mark.parametrize("read", [fastio.lines, fastio.ints, fastio.floats, fastio.open, fastio.sniff, fastio.partition, fastio.read_bytes])
def test_one_source_only(read: Any) -> None:
    with pytest.raises(TypeError, match="one source"):
        read([b"1", b"2"])


def test_progress_over_all(paths: list[str]) -> None:
    data = [b"1234567\n" * 50_000] * 4
    seen: list[tuple[int, int | None]] = []
    fastio.read_ints(data, progress=lambda done, total: seen.append((done, total)), block_size=50_000, threads=1)
    assert seen == sorted(seen) and {total for _, total in seen} == {4 * 400_000}  # type: ignore[type-var]
    assert 3 * 400_000 < seen[-1][0] <= 4 * 400_000
    seen.clear()
    fastio.read_ints([data[0], io.BytesIO(data[1])], progress=lambda done, total: seen.append((done, total)), block_size=50_000)
    assert seen and {total for _, total in seen} == {None}

    def stop(done: int, total: int | None) -> None:
        if done > 500_000:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fastio.read_ints(data, progress=stop, block_size=50_000, threads=1)


# ---- tables


def test_tables(paths: list[str]) -> None:
    table = fastio.read_csv(paths)
    assert table["n"].to_list() == [1, 2, 3, 4, 5] and table["s"].to_list() == list("xyzwv")
    assert fastio.read_csv(tuple(paths), max_rows=3)["n"].to_list() == [1, 2, 3]
    named = fastio.read_csv(paths, file_column="file")
    assert named.names == ["file", "n", "s"] and named.dtypes["file"] == "dictionary"
    assert named["file"].to_list() == [paths[0]] * 2 + [paths[1]] + [paths[2]] * 2
    one = fastio.read_csv(paths[1], file_column="file")
    assert (one["file"].to_list(), one["n"].to_list()) == ([paths[1]], [3])
    data = fastio.read_csv([b"a\n1\n", io.BytesIO(b"a\n2\n")], file_column="f")
    assert data["f"].to_list() == ["<source 1>", "<source 2>"]


def test_types_over_all_sources() -> None:
    assert fastio.read_csv([b"a\n1\n", b"a\nx\n"])["a"].to_list() == ["1", "x"]
    assert fastio.read_csv([b"a\n1\n", b"a\n2.5\n"])["a"].to_list() == [1.0, 2.5]
    with pytest.raises(fastio.ParseError) as caught:
        fastio.read_csv([b"a,b\n1,2\n", b"a,c\n1,2\n"])
    assert (caught.value.status, caught.value.source) == ("bad_header", 2)


def test_batches(paths: list[str]) -> None:
    with fastio.open_csv(paths) as reader:
        assert [batch["n"].to_list() for batch in reader] == [[1, 2], [3], [4, 5]]
        assert next(reader, None) is None and reader.path == paths[2]
    with fastio.open_csv(paths, batch_rows=1, file_column="file") as reader:
        assert reader.names == ["file", "n", "s"]
        rows = [(row[0], row[1]) for batch in reader for row in batch]
    assert rows == [(paths[0], 1), (paths[0], 2), (paths[1], 3), (paths[2], 4), (paths[2], 5)]
    for count in range(7):
        with fastio.open_csv(paths, max_rows=count, batch_rows=2) as reader:
            assert [n for batch in reader for n in batch["n"]] == [1, 2, 3, 4, 5][:count]
    with fastio.open_csv(paths) as reader, pytest.raises(TypeError, match="several"):
        len(reader)
    with pytest.raises(ValueError, match="range"):
        fastio.open_csv(paths, range=(0, 3))
    with pytest.raises(ValueError, match="range"):
        fastio.read_csv(paths, range=(0, 3))


def test_batches_have_the_schema_of_the_first() -> None:
    batches = [batch for batch in fastio.open_csv([b"a,b\n1,x\n", b"a,b\n", b"a,b\n2,3\n"])]
    assert [batch.dtypes for batch in batches] == [{"a": "int64", "b": "string"}] * 2
    assert batches[1]["b"].to_list() == ["3"]
    empty = [batch for batch in fastio.open_csv([b"a,b\n", b"a,b\n"])]
    assert [(len(batch), batch.names) for batch in empty] == [(0, ["a", "b"])]
    with fastio.open_csv([b"a\n1\n", b"a\nx\n"]) as reader:
        assert len(next(reader)) == 1
        with pytest.raises(fastio.ParseError) as caught:
            next(reader)
        assert caught.value.source == 2
    for other in (b"a,c\n1,2\n", b"a\n1\n", b"b,a\n1,2\n", b"a,b,c\n1,2,3\n"):
        with fastio.open_csv([b"a,b\n1,2\n", other]) as reader:
            next(reader)
            with pytest.raises(fastio.ParseError) as header:
                next(reader)
            assert (header.value.status, header.value.source) == ("bad_header", 2) and str(header.value).endswith("of the first source")
    picked = [batch for batch in fastio.open_csv([b"a,b\n1,2\n", b"a,b\n3,4\n"], usecols=["b"])]
    assert [batch["b"].to_list() for batch in picked] == [[2], [4]]
    bare = [batch for batch in fastio.open_csv([b"1,2\n", b"3,4\n"], header=False, file_column="f")]
    assert [list(batch) for batch in bare] == [[("<source 1>", 1, 2)], [("<source 2>", 3, 4)]]


def test_ragged_callables_of_several() -> None:
    batches = fastio.open_csv([b"a,b\n1,2\n3\n", b"a,b\n4\n"], on_ragged=lambda fields: [*fields, "0"])
    assert [row for batch in batches for row in batch] == [(1, 2), (3, 0), (4, 0)]


def test_compressed_ones_among_them(tmp_path: Path) -> None:
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"a\n2\n"))
    assert fastio.read_csv([b"a\n1\n", tmp_path / "b.gz"])["a"].to_list() == [1, 2]
    assert fastio.read_ints([b"a\n1", tmp_path / "b.gz"], skip_lines=1).to_list() == [1, 2]
    assert [batch["a"].to_list() for batch in fastio.open_csv([tmp_path / "b.gz", b"a\n1\n"])] == [[2], [1]]


def test_nothing_is_kept_open(tmp_path: Path, paths: list[str]) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = open_files()
    for _ in range(20):
        fastio.read_csv(paths)
        fastio.read_lines(paths)
        with fastio.open_csv(paths) as reader:
            next(reader)
        for wrong in ([*paths, "/no/such"], [*paths, b"\xff,\n"]):
            with pytest.raises((OSError, fastio.Error)):
                fastio.read_csv(wrong)

    class Source(io.BytesIO):
        pass

    source = Source(b"a\n1\n")
    reference = weakref.ref(source)
    fastio.read_csv([source, b"a\n1\n"])
    source.seek(0)
    assert [len(batch) for batch in fastio.open_csv([source, b"a\n1\n"], header=False)] == [2, 2]
    del source
    gc.collect()
    assert reference() is None
    assert open_files() == before


# ---- glob


def test_glob(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".hidden.txt", "c.csv", "é.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "d.txt").write_text("")
    for pattern in ("*.txt", "?.txt", "[ab].txt", "*/*.txt", "*", ".*.txt", "c.csv"):
        expected = sorted(glob.glob(str(tmp_path / pattern)), key=os.fsencode)
        assert fastio.glob(str(tmp_path / pattern)) == expected, pattern
        assert fastio.glob(tmp_path / pattern) == expected
    with pytest.raises(FileNotFoundError) as caught:
        fastio.glob(str(tmp_path / "*.none"))
    assert caught.value.filename == str(tmp_path / "*.none")
    for wrong in (1, None, ["*"]):
        with pytest.raises(TypeError):
            fastio.glob(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        fastio.glob("a\0b")
    with open(os.fsencode(tmp_path) + b"/\xff.bin", "wb"):
        pass
    assert fastio.glob(tmp_path / "*.bin") == [str(tmp_path) + "/\udcff.bin"]
