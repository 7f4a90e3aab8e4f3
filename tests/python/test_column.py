"""Column as a sequence, as an object, and in a pickle."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import weakref

import fastio
import pytest

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def column(*values: int) -> fastio.Column:
    return fastio.read_ints(" ".join(map(str, values)).encode())


@pytest.mark.parametrize("dtype", INTS)
def test_limits_of_every_type(dtype: str) -> None:
    bits = int(dtype.lstrip("uint"))
    low, high = (0, 2**bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    read = fastio.read_ints(f"{low} {high}".encode(), dtype)
    assert read.to_list() == [low, high]
    assert list(read) == [read[0], read[1]] == [low, high]
    assert (read.dtype, read.nbytes) == (dtype, 2 * bits // 8)
    with pytest.raises(fastio.RangeError):
        fastio.read_ints(f"{high + 1}".encode(), dtype)


def test_floats() -> None:
    read = fastio.read_floats(b"0.1 -0.0 inf nan 1e400")
    assert read[:3].to_list() == [0.1, 0.0, math.inf]
    assert math.copysign(1, read[1]) == -1
    assert math.isnan(read[3]) and read[4] == math.inf
    narrow = fastio.read_floats(b"0.1 16777217", "float32")
    assert narrow.to_list() == [0.10000000149011612, 16777216.0]


def test_index_and_slices_as_a_list_has_them() -> None:
    values = list(range(10, 20))
    read = column(*values)
    for i in range(-10, 10):
        assert read[i] == values[i]
    for i in (10, -11, 2**70, -(2**70)):
        with pytest.raises(IndexError):
            read[i]
    edges = [None, -12, -10, -3, -1, 0, 1, 5, 9, 10, 12]
    for start in edges:
        for stop in edges:
            for step in (None, 1, 2, 3, 11, -1, -2, -11):
                view = read[start:stop:step]
                assert view.to_list() == values[start:stop:step]
                assert len(view) == len(values[start:stop:step])
                assert view[::-2].to_list() == values[start:stop:step][::-2]
    with pytest.raises(TypeError, match="indices must be integers or slices"):
        read["0"]  # type: ignore[call-overload]
    with pytest.raises(ValueError):
        read[::0]


def test_a_slice_is_a_view() -> None:
    read = column(*range(1000))
    assert memoryview(read)[10:20].obj is read
    with_view = read[10:20]
    before = memoryview(with_view).tobytes()
    del read
    gc.collect()
    assert memoryview(with_view).tobytes() == before


def test_is_a_sequence() -> None:
    read = column(3, 1, 3)
    assert 1 in read and 2 not in read and "3" not in read
    assert read.count(3) == 2 and read.count("x") == 0
    assert read.index(3) == 0 and read.index(3, 1) == 2 and read.index(3, -1) == 2
    for arguments in [(2,), (3, 1, 2), (1, 2), (1, 0, -2)]:
        with pytest.raises(ValueError):
            read.index(*arguments)
    assert list(reversed(read)) == [3, 1, 3][::-1]
    match read:
        case [first, *rest]:
            assert (first, rest) == (3, [1, 3])
        case _:
            pytest.fail("no sequence pattern")


def test_iterator() -> None:
    iterator = iter(column(1, 2, 3))
    assert iterator.__length_hint__() == 3
    assert [next(iterator), iterator.__length_hint__(), *iterator, iterator.__length_hint__()] == [1, 2, 2, 3, 0]
    assert next(iterator, None) is None
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(iter(column(1)))


def test_equality() -> None:
    assert column(1, 2) == column(1, 2) != column(1, 3)
    assert column(1, 2) != column(1, 2, 3)
    assert column(1, 2) == fastio.read_ints(b"1 2", "int8") == fastio.read_floats(b"1 2")
    assert column(1, 2, 1, 2)[::2] == column(1, 1) == column(1, 1)[::-1]
    assert fastio.read_floats(b"nan") != fastio.read_floats(b"nan")
    assert column(1) != [1] and not column(1) == (1,)
    assert fastio.read_bytes(b"abc") == b"abc" and b"abc" == fastio.read_bytes(b"abc")
    assert fastio.read_bytes(b"abc") != b"abd" and fastio.read_bytes(b"") == b""
    with pytest.raises(TypeError):
        column(1) < column(2)  # type: ignore[operator]


def test_nulls() -> None:
    read = fastio.read_ints(b"1,NA,,4", sep=",", null_values=["NA", b""])
    assert read.to_list() == [1, None, None, 4] == list(read)
    assert read.null_count == 2
    assert (read[1], read[3]) == (None, 4)
    assert [part.null_count for part in (read[:1], read[1:], read[1:3], read[::3], read[::-2])] == [0, 2, 2, 0, 1]
    assert read == fastio.read_ints(b"1,,NA,4", sep=",", null_values=["NA", ""])
    assert read != column(1, 0, 0, 4)
    with pytest.raises(BufferError, match="missing"):
        memoryview(read)
    assert memoryview(read[3:]).tolist() == [4]
    assert column(1, 2).null_count == 0


def test_null_count_of_long_slices() -> None:
    values = [None if i % 7 in (1, 2) else i for i in range(1000)]
    text = ",".join("" if v is None else str(v) for v in values).encode()
    read = fastio.read_ints(text, sep=",", null_values=("",))
    for start in range(0, 20):
        for stop in (start, 21, 64, 65, 999, 1000):
            assert read[start:stop].null_count == values[start:stop].count(None)


@pytest.mark.parametrize("shape", [(2, 3), (-1, 3)])
def test_matrix(shape: tuple[int, int]) -> None:
    read = fastio.read_ints(b"1 2 3\n4 5 6\n", shape=shape)
    assert read.shape == (2, 3) and len(read) == 6 and read[3] == 4
    assert memoryview(read).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert memoryview(read).shape == (2, 3) and memoryview(read).strides == (24, 8)
    assert read[1:3].shape == (2,)
    assert bytes(read) == bytes(column(1, 2, 3, 4, 5, 6))


def test_shapes() -> None:
    assert fastio.read_ints(b"1 2", shape=(2,)).shape == (2,)
    assert fastio.read_ints(b"1 2", shape=2).shape == (2,)
    assert fastio.read_ints(b"1 2", shape=(-1,)).shape == (2,)
    assert fastio.read_ints(b"", shape=(-1, 4)).shape == (0, 4)
    assert fastio.read_ints(b"", shape=(0, 4)).shape == (0, 4)
    assert fastio.read_floats(b"1 2 3 4", shape=(2, 2)).shape == (2, 2)
    for shape in [(3,), (1, 1), (2, 2), (-1, 2), (0, 3), 0]:
        with pytest.raises(fastio.ParseError):
            fastio.read_ints(b"1 2 3 4 5", shape=shape)  # type: ignore[call-overload]
    for wrong in [(1, 0), (1, -1), (-2,), (1, 2, 3), ()]:
        with pytest.raises(ValueError) as caught:
            fastio.read_ints(b"1", shape=wrong)  # type: ignore[call-overload]
        assert not isinstance(caught.value, fastio.Error)
    for odd in [(1.0,), "1", [1], (True,), True]:
        with pytest.raises(TypeError):
            fastio.read_ints(b"1", shape=odd)  # type: ignore[call-overload]


def test_repr() -> None:
    assert repr(column(1, 2)) == "<fastio.Column int64 length=2 [1, 2]>"
    assert repr(fastio.read_ints(b"")) == "<fastio.Column int64 length=0 []>"
    assert repr(column(*range(6))) == "<fastio.Column int64 length=6 [0, 1, 2, 3, 4, 5]>"
    assert repr(column(*range(100))) == "<fastio.Column int64 length=100 [0, 1, 2, ..., 97, 98, 99]>"


def test_not_hashable_not_made_not_changed() -> None:
    read = column(1)
    with pytest.raises(TypeError):
        hash(read)
    with pytest.raises(TypeError):
        fastio.Column()
    with pytest.raises(TypeError):
        object.__new__(fastio.Column)
    with pytest.raises(TypeError):
        read[0] = 2  # type: ignore[index]
    with pytest.raises(AttributeError):
        read.dtype = "int8"  # type: ignore[misc]
    with pytest.raises(TypeError):
        fastio.Column.x = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        type("Sub", (fastio.Column,), {})


def test_weak_references() -> None:
    read = column(1)
    gone: list[object] = []
    reference = weakref.ref(read, gone.append)
    assert reference() is read
    del read
    gc.collect()
    assert reference() is None and gone == [reference]


COLUMNS = {
    "plain": lambda: column(*range(100)),
    "empty": lambda: column(),
    "floats": lambda: fastio.read_floats(b"0.5 -0.0 1e300 5e-324"),
    "slice": lambda: column(*range(100))[10:20],
    "stepped": lambda: column(*range(100))[90:10:-7],
    "nulls": lambda: fastio.read_ints(b"1,,3," * 9 + b"4", sep=",", null_values=[""])[1:-1],
    "matrix": lambda: fastio.read_floats(b"1 2 3 4 5 6", shape=(2, 3)),
    "bytes": lambda: fastio.read_bytes(b"\0abc\xff"),
    "uint64": lambda: fastio.read_ints(b"18446744073709551615 0", "uint64"),
}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS)
def test_pickle(make, protocol: int) -> None:
    read = make()
    for loaded in (pickle.loads(pickle.dumps(read, protocol)), copy.copy(read), copy.deepcopy(read)):
        assert loaded.to_list() == read.to_list()
        assert (loaded.dtype, loaded.shape, loaded.null_count) == (read.dtype, read.shape, read.null_count)


@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS)
def test_pickle_out_of_band(make) -> None:
    read = make()
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(read, 5, buffer_callback=buffers.append)
    assert buffers and len(data) < 400
    assert pickle.loads(data, buffers=buffers).to_list() == read.to_list()
    # What comes from outside may be writable, and a column is not: it keeps a copy.
    writable = [bytearray(buffer) for buffer in buffers]
    loaded = pickle.loads(data, buffers=writable)
    for buffer in writable:
        buffer[:] = bytes(len(buffer))
    assert loaded.to_list() == read.to_list()


def test_pickle_out_of_band_is_the_memory_itself() -> None:
    numpy = pytest.importorskip("numpy")
    read = column(*range(1000))
    buffers: list[pickle.PickleBuffer] = []
    pickle.dumps(read, 5, buffer_callback=buffers.append)
    assert numpy.frombuffer(buffers[0], "int64").ctypes.data == numpy.asarray(read).ctypes.data


def test_a_damaged_pickle_is_an_error() -> None:
    rebuild, arguments = column(1, 2).__reduce_ex__(2)
    kind, dtype, length, items, data, offsets, validity, dictionary, _decode_errors = arguments
    assert rebuild(kind, dtype, length, items, data, offsets, validity, dictionary) == column(1, 2)
    for damaged in [
        ("int63", length, items, data, offsets, validity),
        (dtype, length + 1, items, data, offsets, validity),
        (dtype, -1, items, data, offsets, validity),
        (dtype, 2**62, items, data, offsets, validity),
        (dtype, length, 3, data, offsets, validity),
        (dtype, length, -1, data, offsets, validity),
        (dtype, length, items, None, offsets, validity),
        (dtype, length, items, data, offsets, b""),
        ("bool", 17, items, b"ab", None, validity),
        ("binary", length, items, data, offsets, validity),
        ("string", length, items, data, None, validity),
        ("string", length, items, data, bytes(8), validity),
        ("string", 1, items, b"abc", (5).to_bytes(8, "little") + (1).to_bytes(8, "little"), validity),
        ("string", 1, items, b"abc", (0).to_bytes(8, "little") + (4).to_bytes(8, "little"), validity),
        ("string", 1, items, b"abc", (2**64 - 9).to_bytes(8, "little") + (1).to_bytes(8, "little"), validity),
        ("dictionary", length, items, data, offsets, validity),
    ]:
        with pytest.raises(ValueError):
            rebuild(kind, *damaged, dictionary)
    for other in (int, fastio.Lines, fastio.MappedFile, None):
        with pytest.raises(ValueError):
            rebuild(other, *arguments[1:])
    for other in (None, 1, column(1), "a"):
        with pytest.raises(ValueError):
            rebuild(kind, "dictionary", 1, 0, bytes(4), None, None, other)
