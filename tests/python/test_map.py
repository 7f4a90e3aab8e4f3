"""MappedFile: a file as memory."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import weakref
from pathlib import Path

import fastio
import pytest

DATA = bytes(range(256)) * 40 + b"needle" + bytes(1000) + b"needle, needle"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.write_bytes(DATA)
    return path


def test_is_a_buffer_and_a_sequence(path: Path) -> None:
    with fastio.load(path) as mapped:
        assert len(mapped) == len(DATA) and mapped.is_mapped and mapped.path == str(path)
        assert bytes(mapped) == DATA
        view = memoryview(mapped)
        assert view.readonly and view.format == "B" and view[5:9] == DATA[5:9]
        view.release()
        assert (mapped[0], mapped[-1], mapped[300]) == (DATA[0], DATA[-1], DATA[300])
        for part in (slice(None), slice(10, 20), slice(-5, None), slice(50, 10, -3), slice(9, 3), slice(None, None, 1000)):
            assert mapped[part] == DATA[part]
        for wrong, error in [(len(DATA), IndexError), (-len(DATA) - 1, IndexError), ("0", TypeError)]:
            with pytest.raises(error):
                mapped[wrong]  # type: ignore[call-overload]


def test_searching_is_as_bytes_do_it(path: Path) -> None:
    with fastio.load(path) as mapped:
        for sub in (b"needle", b"needles", b"", b"\0", 0, 255, DATA[-20:], DATA, DATA + b"x", bytearray(b"le, ")):
            for bounds in [(), (1,), (10000,), (None, 20000), (10246, 10252), (10247, 10252), (-6,), (-10, -1), (20000,), (5, 2)]:
                for method in ("find", "rfind", "count"):
                    assert getattr(mapped, method)(sub, *bounds) == getattr(DATA, method)(sub, *bounds), (method, sub, bounds)
        assert b"needle" in mapped and b"needles" not in mapped and 7 in mapped
        for wrong, error in [(256, ValueError), (-1, ValueError), ("x", TypeError), (None, TypeError)]:
            with pytest.raises(error):
                mapped.find(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            mapped.find()  # type: ignore[call-arg]


def test_as_a_source(path: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    numbers.write_bytes(b"1 2 3\n4 x\n")
    with fastio.load(numbers) as mapped:
        assert fastio.count_lines(mapped) == 2
        with pytest.raises(fastio.ParseError) as caught:
            fastio.read_ints(mapped)
        assert (caught.value.path, caught.value.offset) == (str(numbers), 8)
        iterator = fastio.lines(mapped)
        assert next(iterator) == "1 2 3"
        with pytest.raises(BufferError, match="in use"):
            mapped.close()
        iterator.close()


def test_parts_and_advice(path: Path) -> None:
    for offset, length in [(0, 10), (1, 5000), (4096, None), (4097, 3), (len(DATA), 5), (10**9, None), (3, 0)]:
        end = None if length is None else offset + length
        with fastio.load(path, offset=offset, length=length) as mapped:
            assert bytes(mapped) == DATA[offset:end]
    for advice in ("normal", "sequential", "random", "willneed"):
        with fastio.load(path, advice=advice, populate=True, huge=True) as mapped:
            mapped.advise(advice)
            mapped.advise(advice, 100, 5)
            mapped.advise(advice, offset=10**9, length=10**9)
            assert mapped[:] == DATA
            with pytest.raises(ValueError, match="advice"):
                mapped.advise("often")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="advice"):
        fastio.load(path, advice="often")  # type: ignore[arg-type]
    for keyword in ("offset", "length"):
        with pytest.raises(ValueError):
            fastio.load(path, **{keyword: -1})  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            fastio.load(path, **{keyword: True})  # type: ignore[arg-type]


def test_closing(path: Path) -> None:
    mapped = fastio.load(path)
    view = memoryview(mapped)
    with pytest.raises(BufferError, match="in use"):
        mapped.close()
    with pytest.raises(BufferError):
        mapped.__exit__(None, None, None)
    assert not mapped.closed and view[0] == DATA[0]
    view.release()
    mapped.close()
    mapped.close()
    assert mapped.closed and repr(mapped) == f"<fastio.MappedFile {str(path)!r} closed>"
    for use in (lambda: len(mapped), lambda: mapped[0], lambda: mapped[:], lambda: memoryview(mapped), lambda: mapped.find(b""),
                lambda: b"" in mapped, lambda: mapped.is_mapped, mapped.__enter__, lambda: mapped.advise("normal"),
                lambda: fastio.read_ints(mapped), lambda: fastio.lines(mapped)):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_a_view_keeps_it(path: Path) -> None:
    mapped = fastio.load(path)
    reference = weakref.ref(mapped)
    view = memoryview(mapped)
    del mapped
    gc.collect()
    assert reference() is not None and bytes(view) == DATA
    del view
    gc.collect()
    assert reference() is None


def test_what_cannot_be_mapped(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    with fastio.load(empty) as mapped:
        assert (len(mapped), mapped[:], mapped.find(b""), mapped.find(b"x")) == (0, b"", 0, -1)
        assert fastio.read_ints(mapped).to_list() == []
    with fastio.load("/proc/self/status") as mapped:
        assert mapped[:5] == b"Name:" and not mapped.is_mapped
    read_end, write_end = os.pipe()
    os.write(write_end, b"through a pipe")
    os.close(write_end)
    with fastio.load(read_end) as mapped:
        assert (mapped[:], mapped.path, mapped.is_mapped) == (b"through a pipe", f"<fd {read_end}>", False)
    os.close(read_end)


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        fastio.load(tmp_path / "none")
    assert caught.value.filename == str(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        fastio.load(tmp_path)
    for wrong in (b"data", bytearray(b""), True, 1.5, None):
        with pytest.raises(TypeError):
            fastio.load(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        fastio.load("a\0b")
    with pytest.raises(OSError):
        fastio.load(10**6)


def test_objects(path: Path) -> None:
    with fastio.load(path) as mapped:
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(mapped)
        with pytest.raises(TypeError):
            fastio.MappedFile()
        with pytest.raises(TypeError):
            mapped[0] = 1  # type: ignore[index]


TRUNCATED = """
import os, sys, fastio
path = sys.argv[1]
with open(path, "wb") as file:
    file.write(b"1 " * 500_000)
mapped = fastio.load(path, guard=True)
assert mapped[:4] == b"1 1 "
os.truncate(path, 4096)
for use in (lambda: mapped[500_000], lambda: mapped[400_000:], lambda: mapped.find(b"x"), lambda: memoryview(mapped),
            lambda: fastio.read_ints(mapped)):
    try:
        use()
    except fastio.TruncatedError as error:
        assert error.path == path
    else:
        raise SystemExit("no error")
print("ok")
"""


def test_the_guard_turns_a_lost_page_into_an_error(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", TRUNCATED, str(tmp_path / "shrinking")], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "ok\n"), run.stderr
