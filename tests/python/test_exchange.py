"""Memory handed to others: the buffer protocol, NumPy, DLPack, Arrow. Pointers show that nothing was copied."""

from __future__ import annotations

import array
import ctypes
import gc
import struct

import fastio
import pytest

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def column(dtype: str = "int64", text: bytes = b"1 2 3 4 5 6 7 8 9 10") -> fastio.Column:
    return (fastio.read_floats if dtype[0] == "f" else fastio.read_ints)(text, dtype)


def address(buffer: object) -> int:
    return np.frombuffer(buffer, "u1").ctypes.data


# ---- buffer protocol


@pytest.mark.parametrize("dtype", TYPES)
def test_buffer(dtype: str) -> None:
    view = memoryview(column(dtype))
    assert view.readonly and view.contiguous and view.c_contiguous and view.f_contiguous
    assert view.tolist() == list(range(1, 11))
    assert view.itemsize == np.dtype(dtype).itemsize
    assert np.asarray(view).dtype == np.dtype(dtype)
    assert np.asarray(view).dtype.type is np.dtype(dtype).type
    assert struct.calcsize(view.format) == view.itemsize


def test_buffer_of_slices() -> None:
    read = column()
    stepped = memoryview(read[8:1:-3])
    assert stepped.tolist() == [9, 6, 3] and stepped.strides == (-24,) and not stepped.contiguous
    assert address(read[2:]) == address(read) + 16
    assert memoryview(read[4:4]).tolist() == []
    assert bytes(read[:2]) == array.array("q", [1, 2]).tobytes()


class Py_buffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)), ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)), ("internal", ctypes.c_void_p),
    ]


SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 1, 4, 8, 16 | 8
C_CONTIGUOUS, F_CONTIGUOUS, ANY_CONTIGUOUS = 32 | STRIDES, 64 | STRIDES, 128 | STRIDES


def request(exporter: object, flags: int) -> Py_buffer:
    """What the exporter answers to these flags, already released."""
    view = Py_buffer()
    get = ctypes.pythonapi.PyObject_GetBuffer
    get.argtypes = [ctypes.py_object, ctypes.POINTER(Py_buffer), ctypes.c_int]
    get(exporter, ctypes.byref(view), flags)
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    return view


def test_every_kind_of_request() -> None:
    flat, stepped, matrix = column(), column()[::2], fastio.read_ints(b"1 2 3 4 5 6", shape=(2, 3))
    simple = request(flat, SIMPLE)
    assert (simple.format, bool(simple.shape), bool(simple.strides)) == (None, False, False)
    assert (simple.len, simple.itemsize, simple.readonly, simple.ndim) == (80, 8, 1, 1)
    nd = request(matrix, ND)
    assert (nd.ndim, nd.shape[0], nd.shape[1], bool(nd.strides), nd.format) == (2, 2, 3, False, None)
    full = request(matrix, STRIDES | FORMAT)
    assert (full.strides[0], full.strides[1]) == (24, 8) and full.format in (b"l", b"q")
    assert request(stepped, STRIDES).strides[0] == 16
    for flags in (C_CONTIGUOUS, ANY_CONTIGUOUS):
        assert request(matrix, flags).len == 48
    refused = [(flat, WRITABLE), (stepped, SIMPLE), (stepped, ND), (stepped, C_CONTIGUOUS), (stepped, F_CONTIGUOUS),
               (stepped, ANY_CONTIGUOUS), (matrix, F_CONTIGUOUS)]
    for exporter, flags in refused:
        with pytest.raises(BufferError):
            request(exporter, flags)
    for one_row_or_column in ((1, 6), (6, 1)):
        assert request(fastio.read_ints(b"1 2 3 4 5 6", shape=one_row_or_column), F_CONTIGUOUS).len == 48


# ---- NumPy


@pytest.mark.parametrize("dtype", TYPES)
def test_numpy_without_a_copy(dtype: str) -> None:
    read = column(dtype)
    for made in (np.asarray(read), np.array(read, copy=False), read.to_numpy(), np.asarray(read[:])):
        assert made.dtype == dtype and not made.flags.writeable and made.ctypes.data == address(read)
    copied = read.to_numpy(copy=True)
    assert copied.flags.writeable and copied.ctypes.data != address(read) and copied.tolist() == read.to_list()


def test_numpy_keeps_the_memory() -> None:
    made = np.asarray(fastio.read_ints(b" ".join(b"%d" % i for i in range(100_000))))
    gc.collect()
    assert int(made.sum()) == sum(range(100_000))


def test_numpy_shapes_and_steps() -> None:
    matrix = fastio.read_floats(b"1 2 3 4 5 6", shape=(-1, 2))
    assert np.asarray(matrix).tolist() == [[1, 2], [3, 4], [5, 6]] == matrix.to_numpy(copy=True).tolist()
    stepped = column()[::-4]
    assert np.asarray(stepped).tolist() == [10, 6, 2] == stepped.to_numpy(copy=True).tolist()
    assert np.asarray(column("int64", b"")).shape == (0,)


def test_numpy_conversion() -> None:
    read = column()
    assert np.asarray(read, dtype="float32").dtype == "float32"
    assert np.array(read, dtype="int8").tolist() == read.to_list()
    assert read.__array__(copy=True).flags.writeable
    assert read.__array__("int64", copy=False).ctypes.data == address(read)
    with pytest.raises(ValueError, match="copy"):
        read.__array__("int8", copy=False)


def test_numpy_nulls() -> None:
    read = fastio.read_ints(b"1,,3", sep=",", null_values=[""])
    for convert in (np.asarray, lambda c: c.to_numpy(), lambda c: c.to_numpy(copy=True)):
        with pytest.raises(ValueError, match="missing"):
            convert(read)
    assert read.to_numpy(null=-1).tolist() == [1, -1, 3] and read.to_numpy(null=7).flags.writeable
    assert read[::-1].to_numpy(null=-1).tolist() == [3, -1, 1]
    floats = fastio.read_floats(b"1,,3", "float32", sep=",", null_values=[""])
    assert np.isnan(floats.to_numpy(null=float("nan"))[1])
    small = fastio.read_ints(b"1,,3", "uint8", sep=",", null_values=[""])
    for wrong, error in [(256, OverflowError), (-1, OverflowError), (1.5, TypeError), ("x", TypeError)]:
        with pytest.raises(error):
            small.to_numpy(null=wrong)
    assert small.to_numpy(null=255).tolist() == [1, 255, 3]


# ---- DLPack


@pytest.mark.parametrize("dtype", TYPES)
def test_dlpack(dtype: str) -> None:
    read = column(dtype)
    assert read.__dlpack_device__() == (1, 0)
    made = np.from_dlpack(read)
    assert made.dtype == dtype and made.tolist() == read.to_list()
    if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1):  # speaks version 1, which knows read-only
        assert made.ctypes.data == address(read) and not made.flags.writeable
    assert np.from_dlpack(read[::-3]).tolist() == read[::-3].to_list()


def test_dlpack_matrix() -> None:
    matrix = fastio.read_ints(b"1 2 3 4 5 6", shape=(2, 3))
    assert np.from_dlpack(matrix).tolist() == [[1, 2, 3], [4, 5, 6]]


def capsule_name(capsule: object) -> bytes:
    get = ctypes.pythonapi.PyCapsule_GetName
    get.argtypes, get.restype = [ctypes.py_object], ctypes.c_char_p
    return get(capsule)


def test_dlpack_versions_and_copies() -> None:
    read = column()
    assert capsule_name(read.__dlpack__()) == b"dltensor"
    assert capsule_name(read.__dlpack__(max_version=(0, 8))) == b"dltensor"
    assert capsule_name(read.__dlpack__(max_version=(1, 0))) == b"dltensor_versioned"
    assert capsule_name(read.__dlpack__(max_version=(2, 5), copy=True)) == b"dltensor_versioned"
    with pytest.raises(BufferError, match="read-only"):
        read.__dlpack__(copy=False)
    read.__dlpack__(max_version=(1, 0), copy=False, dl_device=(1, 0))
    with pytest.raises(BufferError, match="main memory"):
        read.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="stream"):
        read.__dlpack__(stream=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        read.__dlpack__(max_version=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        read.__dlpack__(dl_device="cpu")  # type: ignore[arg-type]
    with pytest.raises(BufferError, match="missing"):
        fastio.read_ints(b"1,", sep=",", null_values=[""]).__dlpack__()


# ---- Arrow


@pytest.mark.parametrize("dtype", TYPES)
def test_arrow_without_a_copy(dtype: str) -> None:
    read = column(dtype)
    made = pa.array(read)
    assert str(made.type) == {"float32": "float", "float64": "double"}.get(dtype, dtype)
    assert made.to_pylist() == read.to_list()
    assert made.buffers()[1].address == address(read)
    made.validate(full=True)
    part = pa.array(read[3:7])
    assert part.to_pylist() == read[3:7].to_list() and part.buffers()[1].address == address(read)
    assert pa.array(read[::-2]).to_pylist() == read[::-2].to_list()


def test_arrow_nulls() -> None:
    values = [None if i % 3 == 1 else i for i in range(100)]
    read = fastio.read_ints(",".join("" if v is None else str(v) for v in values).encode(), sep=",", null_values=[""])
    for part in (slice(None), slice(5, 40), slice(7, 8), slice(90, 3, -7)):
        made = pa.array(read[part])
        made.validate(full=True)
        assert made.to_pylist() == values[part] and made.null_count == read[part].null_count


@pytest.mark.parametrize("encoding", ["utf-8", None])
def test_arrow_lines(encoding: str | None) -> None:
    lines = fastio.read_lines("a\n\nb\u00e9\nccc\ndd".encode(), encoding=encoding)
    for part in (slice(None), slice(1, 4), slice(0, 0), slice(None, None, -2)):
        made = pa.array(lines[part])
        made.validate(full=True)
        assert made.type == (pa.large_binary() if encoding is None else pa.large_string())
        assert made.to_pylist() == lines[part].to_list()
    whole, part = pa.array(lines), pa.array(lines[2:])
    assert [b.address for b in whole.buffers()[1:]] == [b.address for b in part.buffers()[1:]]


def test_arrow_streams() -> None:
    for read in (column(), column()[2:5], column()[::-2], fastio.read_lines(b"a\nb\nc"), fastio.read_lines(b"")):
        made = pa.chunked_array(read)
        assert made.num_chunks == 1 and made.to_pylist() == read.to_list()
        made.validate(full=True)


def test_arrow_keeps_the_memory() -> None:
    made = pa.array(fastio.read_lines(b"\n".join(b"%d" % i for i in range(50_000))))
    gc.collect()
    assert made[49_999].as_py() == "49999"


def test_arrow_capsules_that_nobody_takes() -> None:
    for read in (column(), fastio.read_lines(b"a\nb")):
        for _ in range(10):
            read.__arrow_c_schema__()
            read.__arrow_c_array__(None)
            read.__arrow_c_array__(requested_schema=None)
            read.__arrow_c_stream__()
    column().__dlpack__(max_version=(1, 0))
    column().__dlpack__()


# ---- pandas and Polars


def test_pandas_without_a_copy() -> None:
    pd = pytest.importorskip("pandas")
    read = column("float64")
    series = pd.Series(read.to_numpy(), copy=False)
    assert series.to_numpy().ctypes.data == address(read)
    assert pd.Series(read).tolist() == read.to_list()
    frame = pd.DataFrame({"a": read.to_numpy()}, copy=False)
    assert frame["a"].to_numpy().ctypes.data == address(read)


def test_polars_without_a_copy() -> None:
    pl = pytest.importorskip("polars")
    read = column("int64")
    for series in (pl.Series(read), pl.Series("a", pa.array(read))):
        assert series.dtype == pl.Int64 and series.to_list() == read.to_list()
        assert series.to_numpy(allow_copy=False).ctypes.data == address(read)
    lines = fastio.read_lines(b"a\nbb\n\nccc")
    assert pl.Series(lines).to_list() == lines.to_list()
