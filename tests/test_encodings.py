"""Encodings against Python's own codecs and the system's iconv: every Unicode scalar both ways, and random malformed input.

Where the practices differ, it is said: Windows-1252 follows WHATWG, which maps the five bytes that Python leaves out to
the C1 controls.
"""

from __future__ import annotations

import codecs
import random
import shutil
import subprocess

import pytest

import fastio

SCALARS = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
UNICODE = [
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "utf-32-le",
    "utf-32-be",
    "gb18030",
]
SYSTEM = [
    "shift_jis",
    "euc_jp",
    "iso2022_jp",
    "big5",
    "gbk",
    "euc_kr",
    "johab",
    "koi8_r",
    "koi8_u",
    "cp1251",
    "cp437",
    "cp866",
    "iso8859_2",
    "iso8859_15",
    "tis_620",
    "cp037",
]
needs_iconv = pytest.mark.skipif(
    shutil.which("iconv") is None or fastio.encoding_name("koi8-r") is None, reason="no iconv here"
)


@pytest.mark.parametrize("encoding", UNICODE)
def test_every_scalar(encoding: str) -> None:
    due = SCALARS.encode(encoding)
    assert fastio.transcode(SCALARS, "utf-8", encoding) == due
    assert fastio.transcode(due, encoding) == SCALARS.encode()


@pytest.mark.parametrize("source", UNICODE)
def test_every_scalar_through_utf8(source: str) -> None:
    for target in ("utf-16-be", "utf-32-le", "gb18030"):
        assert fastio.transcode(SCALARS.encode(source), source, target) == SCALARS.encode(target)


def test_every_scalar_in_utf_ebcdic() -> None:
    there = fastio.transcode(SCALARS, "utf-8", "utf-ebcdic")
    assert fastio.transcode(there, "utf-ebcdic") == SCALARS.encode()
    # One byte to U+009F, two to U+03FF, three to U+3FFF, four to U+3FFFF, five beyond.
    limits = (0xA0, 0x400, 0x4000, 0x40000)
    assert len(there) == sum(1 + sum(ord(c) >= limit for limit in limits) for c in SCALARS)


def test_utf_ebcdic_has_code_page_1047_in_single_bytes() -> None:
    letters = "ABCIJRSZabcijrsz0189 .<(+|&!$*);-/,%_>?:#@'=\"{}\\[]^~`"
    due = fastio.transcode(letters, "utf-8", "IBM1047") if fastio.encoding_name("IBM1047") else letters.encode("cp037")
    got = fastio.transcode(letters, "utf-8", "utf-ebcdic")
    if fastio.encoding_name("IBM1047"):
        assert got == due
    assert got[:8] == letters[:8].encode("cp037")  # code pages agree about letters
    assert fastio.transcode("\n", "utf-8", "utf-ebcdic") == b"\x15"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_single_bytes(encoding: str) -> None:
    limit = 128 if encoding == "ascii" else 256
    data = bytes(range(limit))
    assert fastio.transcode(data, encoding) == data.decode(encoding).encode()
    assert fastio.transcode(data.decode(encoding), "utf-8", encoding) == data
    assert fastio.transcode(SCALARS, "utf-8", encoding, errors="skip") == data
    assert fastio.transcode(SCALARS, "utf-8", encoding, errors="replace") == data + b"?" * (len(SCALARS) - limit)


def test_windows_1252() -> None:
    text = "".join(bytes([i]).decode("cp1252", "ignore") or chr(i) for i in range(256))
    data = bytes(range(256))
    assert fastio.transcode(data, "cp1252") == text.encode()
    assert fastio.transcode(text, "utf-8", "cp1252") == data
    kept = fastio.transcode(SCALARS, "utf-8", "cp1252", errors="skip")
    assert sorted(kept) == list(range(256))


# ---- malformed input -----------------------------------------------------------------------------

PIECES = ["a", "b", "\n", "é", "ß", "я", "日", "語", "\ue000", "\ufffd", "😀", "\U0010ffff", "\x80", "\0"]
LIKELY = [0x00, 0x30, 0x41, 0x80, 0x81, 0x8F, 0xBF, 0xC0, 0xC2, 0xD8, 0xDC, 0xE0, 0xED, 0xF0, 0xF4, 0xFE, 0xFF]


def spoiled(chance: random.Random, encoding: str) -> bytes:
    data = bytearray("".join(chance.choices(PIECES, k=chance.randrange(16))).encode(encoding, "ignore"))
    for _ in range(chance.randrange(4)):
        if not data:
            break
        at = chance.randrange(len(data))
        if chance.random() < 0.7:
            data[at] = chance.choice(LIKELY)
        else:
            del data[at]
    if encoding == "gb18030":  # Python waits for four bytes before it judges the third
        data += b"AAAA"
    return bytes(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "gb18030", "ascii"])
def test_malformed(encoding: str) -> None:
    chance = random.Random(encoding)
    for _ in range(4000):
        data = spoiled(chance, encoding)
        if encoding == "utf-8" and data.startswith(codecs.BOM_UTF8):
            continue
        assert fastio.transcode(data, encoding, errors="replace") == data.decode(encoding, "replace").encode(), data
        assert fastio.transcode(data, encoding, errors="skip") == data.decode(encoding, "ignore").encode(), data
        try:
            due = data.decode(encoding).encode()
        except UnicodeDecodeError as caught:
            with pytest.raises(fastio.DecodeError) as ours:
                fastio.transcode(data, encoding)
            assert ours.value.offset == caught.start, data
            text = ours.value.text
            assert text and data.startswith(text, caught.start)
        else:
            assert fastio.transcode(data, encoding) == due


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "shift_jis", "euc_jp", "koi8_r", "cp1251"])
def test_characters_that_are_lacking(encoding: str) -> None:
    if fastio.encoding_name(encoding) is None:
        pytest.skip("no iconv here")
    chance = random.Random(encoding)
    for _ in range(400):
        text = "".join(chance.choices(["a", "b", "é", "я", "日", "😀", "\ufffd"], k=chance.randrange(12)))
        if encoding == "euc_jp" and "é" in text:
            continue  # JIS X 0212 has it, which iconv writes and Python's codec too, but not all
        assert fastio.transcode(text, "utf-8", encoding, errors="replace") == text.encode(encoding, "replace")
        assert fastio.transcode(text, "utf-8", encoding, errors="skip") == text.encode(encoding, "ignore")
        try:
            due = text.encode(encoding)
        except UnicodeEncodeError as caught:
            place = caught.start
            for source in ("utf-8", "utf-16-le", "gb18030"):
                with pytest.raises(fastio.DecodeError) as ours:
                    fastio.transcode(text.encode(source), source, encoding)
                assert ours.value.offset == len(text[:place].encode(source))
                assert ours.value.text == text[place].encode()
        else:
            assert fastio.transcode(text, "utf-8", encoding) == due


# ---- the system's ----------------------------------------------------------------------------------


def iconv(data: bytes, source: str, target: str) -> bytes | None:
    done = subprocess.run(["iconv", "-f", source, "-t", target], input=data, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


@needs_iconv
@pytest.mark.parametrize("encoding", SYSTEM)
def test_against_iconv(encoding: str) -> None:
    name = fastio.encoding_name(encoding)
    assert name is not None
    there = fastio.transcode(SCALARS[1:], "utf-8", encoding, errors="skip")
    kept = fastio.transcode(there, encoding)
    assert len(kept.decode()) >= 200
    assert iconv(kept, "UTF-8", name) == there
    assert iconv(there, name, "UTF-8") == kept
    chance = random.Random(encoding)
    repertoire = kept.decode()
    for _ in range(60):
        text = "".join(chance.choices(repertoire + "ab \n" * 2000, k=chance.randrange(1, 30)))
        data = fastio.transcode(text, "utf-8", encoding)
        assert data == iconv(text.encode(), "UTF-8", name)
        assert fastio.transcode(data, encoding) == text.encode()
        spoilt = bytearray(data)
        spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        due = iconv(bytes(spoilt), name, "UTF-8")
        if due is None:
            with pytest.raises(fastio.DecodeError):
                fastio.transcode(spoilt, encoding)
            fastio.transcode(spoilt, encoding, errors="replace").decode()
        else:
            assert fastio.transcode(spoilt, encoding) == due


@needs_iconv
def test_long_input_in_every_size() -> None:
    text = "日本語 text, some of it ASCII\n" * 3000
    for size in (1, 4095, 16383, 16384, 16385, 32767, 65537, len(text)):
        for encoding in ("shift_jis", "iso2022_jp", "utf-16-le", "gb18030"):
            data = text[:size].encode(encoding)
            assert fastio.transcode(data, encoding) == text[:size].encode()
            assert fastio.transcode(data, encoding, "utf-32-be") == text[:size].encode("utf-32-be")
            assert fastio.transcode(text[:size], "utf-8", encoding) == data


# ---- names and UTF-8 ---------------------------------------------------------------------------------


def test_names() -> None:
    for encoding in UNICODE:
        name = fastio.encoding_name(encoding)
        assert name is not None
        assert codecs.lookup(name).name == codecs.lookup(encoding).name
    assert fastio.encoding_name("UTF-8//TRANSLIT") is None
    assert fastio.encoding_name("") is None
    with pytest.raises(ValueError, match="not known"):
        fastio.transcode(b"", "no-such-encoding")


def test_utf8_functions() -> None:
    assert fastio.validate_utf8(SCALARS)
    assert fastio.count_utf8(SCALARS) == len(SCALARS)
    chance = random.Random(8)
    for _ in range(4000):
        data = spoiled(chance, "utf-8")
        try:
            text = data.decode()
        except UnicodeDecodeError as caught:
            assert not fastio.validate_utf8(data)
            assert fastio.utf8_valid(data) == caught.start
            with pytest.raises(fastio.DecodeError):
                fastio.count_utf8(data)
        else:
            assert fastio.validate_utf8(data)
            assert fastio.utf8_valid(data) == len(data)
            assert fastio.count_utf8(data) == len(text)
