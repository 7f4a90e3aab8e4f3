"""encoding= and errors= of readers and writers, against Python's own codecs."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import fastio
import pytest

TEXT = "name,größe\nKöln,1\n東京,2\n😀,3\n"
BOMS = {"utf-16": "utf-16", "utf-32": "utf-32"}
NAMES = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "gb18030"]
EIGHT_BIT = ["latin-1", "cp1252", "iso8859-1", "cp437", "koi8-r", "iso8859-15"]


def encoded(name: str, order: str = "little") -> bytes:
    """With a byte order mark where the encoding has one, of either order."""
    if name in BOMS and order == "big":
        return b"".join([("\ufeff" + TEXT).encode(f"{name}-be")])
    return TEXT.encode(name)


def sources(data: bytes) -> list[Any]:
    class OneByte:
        def __init__(self) -> None:
            self.file = io.BytesIO(data)

        def read(self, size: int) -> bytes:
            return self.file.read(1)

    return [data, io.BytesIO(data), OneByte()]


# ---- readers


@pytest.mark.parametrize("name", NAMES)
def test_every_reader(name: str) -> None:
    data = TEXT.encode(name)
    lines = TEXT.splitlines()
    for source in range(3):
        assert fastio.read_lines(sources(data)[source], encoding=name).to_list() == lines
        assert list(fastio.lines(sources(data)[source], encoding=name)) == lines
        assert fastio.count_lines(sources(data)[source], encoding=name) == 4
        table = fastio.read_csv(sources(data)[source], encoding=name)
        assert table.names == ["name", "größe"] and table["name"].to_list() == ["Köln", "東京", "😀"]
        assert table["größe"].to_list() == [1, 2, 3]
        batches = fastio.open_csv(sources(data)[source], encoding=name, batch_rows=1)
        assert [row for batch in batches for row in batch] == [("Köln", 1), ("東京", 2), ("😀", 3)]
        assert bytes(fastio.read_bytes(sources(data)[source], encoding=name)) == TEXT.encode()
        assert fastio.read_ints(sources("1 2\n-3".encode(name))[source], encoding=name).to_list() == [1, 2, -3]
        assert fastio.read_floats(sources("1.5 2".encode(name))[source], encoding=name).to_list() == [1.5, 2.0]
        assert list(fastio.ints(sources("1 2".encode(name))[source], encoding=name)) == [1, 2]
        with fastio.open(sources(data)[source], encoding=name) as reader:
            assert reader.read_line() == lines[0] and list(reader.lines()) == lines[1:]
    assert fastio.sniff("a;b\n1;2\n3;4\n".encode(name), encoding=name)["sep"] == ";"


@pytest.mark.parametrize("name", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("order", ["little", "big"])
def test_byte_order_marks(name: str, order: str) -> None:
    data = encoded(name, order)
    assert fastio.read_lines(data).to_list() == TEXT.splitlines()
    assert list(fastio.lines(io.BytesIO(data))) == TEXT.splitlines()
    assert fastio.read_csv(data)["größe"].to_list() == [1, 2, 3]
    assert fastio.read_ints(("1 2".encode(name) if order == "little" else ("\ufeff1 2").encode(name + "-be")) if name in BOMS else b"1 2").to_list() == [1, 2]
    assert bytes(fastio.read_bytes(data)) == data
    assert b"".join(fastio.lines(data, encoding=None, keepends=True)) == data


@pytest.mark.parametrize("name", EIGHT_BIT)
def test_eight_bits(name: str) -> None:
    for byte in range(256):
        try:
            text = bytes([byte]).decode(name)
        except UnicodeDecodeError:
            continue
        if text in "\r\n":
            continue
        assert fastio.read_lines(b"a" + bytes([byte]) + b"b", encoding=name)[0] == f"a{text}b", (name, byte)


def test_names() -> None:
    assert fastio.read_lines(b"K\xf6ln", encoding="Latin_1").to_list() == ["Köln"]
    for wrong in ("no-such", "", "utf-8\0", "\udcff"):
        with pytest.raises(ValueError):
            fastio.read_lines(b"", encoding=wrong)
    for kind in (1, b"utf-8", True):
        with pytest.raises(TypeError, match="encoding"):
            fastio.read_csv(b"a\n", encoding=kind)  # type: ignore[arg-type]
    for wrong in ("", "ignore", "surrogateescape", None, 1):
        with pytest.raises(ValueError, match="errors"):
            fastio.read_csv(b"a\n", errors=wrong)  # type: ignore[arg-type]


# ---- what is not valid

BAD_UTF8 = [b"\x80", b"a\xffb", b"\xc3", b"\xc3(", b"\xe6\x9d", b"\xe6\x9d\n", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xc0\xaf",
            b"\xe0\x80\x80", b"x\xf0\x9fy\xe6z"]


@pytest.mark.parametrize("bad", BAD_UTF8)
def test_bad_utf8(bad: bytes) -> None:
    for before in (b"", b"line\n", b"x" * 70 + b"\n"):
        data = before + bad + b"!\n"
        replaced, skipped = data.decode(errors="replace"), data.decode(errors="ignore")
        for source in range(3):
            lines = fastio.read_lines(sources(data)[source], errors="replace")
            assert lines.to_list() == replaced.split("\n")[:-1]
            assert lines.decode_errors == replaced.count("\ufffd") == lines[:1].decode_errors
            assert pickle.loads(pickle.dumps(lines)).decode_errors == lines.decode_errors
            assert fastio.read_lines(sources(data)[source], errors="skip").to_list() == skipped.split("\n")[:-1]
            stream = fastio.lines(sources(data)[source], errors="replace")
            assert list(stream) == replaced.split("\n")[:-1] and stream.decode_errors == lines.decode_errors
            with pytest.raises(fastio.DecodeError) as caught:
                fastio.read_lines(sources(data)[source])
            with pytest.raises(UnicodeDecodeError) as theirs:
                data.decode()
            assert (caught.value.offset, caught.value.lineno) == (theirs.value.start, before.count(b"\n") + 1)
        table = fastio.read_csv(data, header=False, errors="replace", quote=None)
        assert table.decode_errors == replaced.count("\ufffd") and "".join(table["column_1"]) == replaced.replace("\n", "")
        assert pickle.loads(pickle.dumps(table)).decode_errors == table.decode_errors == table["column_1"].decode_errors
        reader = fastio.open_csv(data, header=False, errors="skip", quote=None)
        assert "".join(s for batch in reader for s in batch["column_1"]) == skipped.replace("\n", "")
        assert reader.decode_errors == replaced.count("\ufffd")
        with fastio.open(data, errors="replace") as lines_of:
            assert list(lines_of.lines()) == replaced.split("\n")[:-1] and lines_of.decode_errors == replaced.count("\ufffd")


def test_python_handlers_of_lines() -> None:
    data = b"caf\xe9\nna\xefve\n"
    for handler in ("surrogateescape", "ignore", "backslashreplace"):
        assert list(fastio.lines(data, errors=handler)) == data.decode(errors=handler).split("\n")[:-1]
    with pytest.raises(ValueError, match="surrogateescape"):
        fastio.lines(data, encoding="utf-16", errors="surrogateescape")
    with pytest.raises(LookupError):
        fastio.lines(data, errors="no-such")


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "ascii"])
def test_where_an_error_is(name: str) -> None:
    """Offsets are those of the file, before it was decoded."""
    bad = {"utf-16-le": b"\x00\xdc", "utf-16-be": b"\xdc\x00", "utf-32-le": b"\x00\xd8\x00\x00", "ascii": b"\x80"}[name]
    before = ("one\n" * 1000 + "ab").encode(name)
    data = before + bad + "\n".encode(name)
    for read in (fastio.read_lines, lambda *a, **k: list(fastio.lines(*a, **k)), fastio.read_csv):
        for source in (data, io.BytesIO(data)):
            with pytest.raises(fastio.DecodeError) as caught:
                read(source, encoding=name)
            assert (caught.value.offset, caught.value.lineno) == (len(before), 1001)
            assert isinstance(caught.value, UnicodeDecodeError) and caught.value.status == "bad_encoding"
    number = ("1\n22\n" + "é").encode("utf-16-le")
    with pytest.raises(fastio.ParseError) as token:
        fastio.read_ints(number, encoding="utf-16-le")
    assert (token.value.offset, token.value.lineno) == (10, 3)


def test_errors_of_several_are_added() -> None:
    assert fastio.read_lines([b"\xff\n", b"a\n", b"\xff\xff\n"], errors="replace").decode_errors == 3
    assert fastio.read_csv([b"a\n\xff\n", b"a\n\xff\n"], errors="replace").decode_errors == 2
    reader = fastio.open_csv([b"a\n\xff\n", b"a\n\xff\n"], errors="replace")
    assert [batch["a"].to_list() for batch in reader] == [["\ufffd"]] * 2 and reader.decode_errors == 2


def test_no_errors() -> None:
    for value in (fastio.read_ints(b"1"), fastio.read_lines(b"a"), fastio.read_csv(b"a\n1\n"), fastio.lines(b"a"), fastio.open(b"a"), fastio.open_csv(b"a\n")):
        assert value.decode_errors == 0


# ---- writers


@pytest.mark.parametrize("name", [*NAMES, "latin-1", "ascii"])
def test_writers(name: str, tmp_path: Path) -> None:
    text = "Köln 1\n東京 2\n😀\n" if name not in ("latin-1", "ascii") else "Koln 1\n" if name == "ascii" else "Köln 1\n"
    path = tmp_path / "out"
    with fastio.open(path, "w", encoding=name) as writer:
        for character in text:
            writer.write(character)
    assert path.read_bytes() == text.encode(name)
    fastio.write_lines(path, text.splitlines(), encoding=name)
    assert path.read_bytes() == text.encode(name)
    fastio.write_csv(path, {"ö" if name != "ascii" else "o": [1, 2]}, encoding=name)
    assert path.read_bytes() == f"{'ö' if name != 'ascii' else 'o'}\n1\n2\n".encode(name)
    fastio.write_ints(path, [1, 2], encoding=name)
    assert path.read_bytes() == "1 2\n".encode(name)
    file = io.BytesIO()
    with fastio.open(file, "w", encoding=name) as writer:
        writer.write(text)
    assert file.getvalue() == text.encode(name)


def test_what_an_encoding_has_not(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with pytest.raises(fastio.DecodeError), fastio.open(path, "w", encoding="latin-1") as writer:
        writer.write("a東b")
        writer.flush()
    for errors, expected in (("replace", b"a?b"), ("skip", b"ab")):
        with fastio.open(path, "w", encoding="latin-1", errors=errors) as writer:
            writer.write("a東b")
        assert path.read_bytes() == expected


def test_copy_of_encodings(tmp_path: Path) -> None:
    source, path = tmp_path / "in", tmp_path / "out"
    source.write_bytes(TEXT.encode("utf-16"))
    fastio.copy(source, path)
    assert path.read_bytes() == source.read_bytes()
    fastio.copy(source, path, source_encoding="utf-16")
    assert path.read_bytes() == TEXT.encode()
    fastio.copy(path, source, encoding="utf-32-be")
    assert source.read_bytes() == TEXT.encode("utf-32-be")
    source.write_bytes(b"a\xffb")
    assert fastio.copy(source, path, source_encoding="utf-8", errors="replace") and path.read_bytes() == "a\ufffdb".encode()
    with pytest.raises(fastio.DecodeError):
        fastio.copy(source, path, source_encoding="utf-8")


def test_functions() -> None:
    assert fastio.transcode("Köln".encode(), "utf-8", "latin-1") == b"K\xf6ln"
    assert fastio.transcode(b"K\xf6ln", "latin-1") == "Köln".encode()
    assert fastio.validate_utf8(TEXT.encode()) and not fastio.validate_utf8(b"\xff")
    assert fastio.count_utf8(TEXT.encode()) == len(TEXT)
    assert fastio.encoding_name("utf_16le") == "UTF-16LE" and fastio.encoding_name("no-such") is None
