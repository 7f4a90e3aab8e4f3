"""The examples in C, Python and Lua: the same work, the same output, good manners."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import archives
from conftest import LUAS, ROOT, lua_environment, program, python_environment

LANGUAGES = ["c", "python", *LUAS]
NAMES = ["crlf_to_lf", "column_sums", "echo", "rational", "recode"]
# Input that each of them takes, for the tests that don't look at what comes out.
LINES = {"crlf_to_lf": b"one\r\n", "column_sums": b"1,2\n", "echo": b"one\n", "rational": b"1/2\n", "recode": b"one\n"}


def command(language: str, name: str) -> tuple[list[str], dict[str, str] | None]:
    if language == "c":
        return [program(f"examples/{name}")], None
    if language == "python":
        return [sys.executable, str(ROOT / f"examples/{name}.py")], python_environment()
    return [language, str(ROOT / f"examples/{name}.lua")], lua_environment(language)


def run(
    language: str, name: str, data: bytes = b"", arguments: Sequence[str] = (), **options: Any
) -> subprocess.CompletedProcess[bytes]:
    program, environment = command(language, name)
    options = {"stdout": subprocess.PIPE, **options}
    return subprocess.run(
        [*program, *arguments], input=data, env=environment, stderr=subprocess.PIPE, timeout=120, check=False, **options
    )


def good(done: subprocess.CompletedProcess[bytes]) -> bytes:
    assert done.returncode == 0, done.stderr
    return done.stdout


def records(seed: int, size: int) -> bytes:
    """Lines of all lengths with both ends and lone returns, so that some "\\r\\n" lie across the ends of any buffer."""
    rng = random.Random(seed)
    pieces: list[bytes] = []
    total = 0
    while total < size:
        text = b"x" * rng.choice([0, 0, 1, 7, 60, 4095, rng.randrange(200)])
        piece = text + rng.choice([b"\r\n", b"\r\n", b"\n", b"\r", b"\r\r\n", b"\n\r", b"\xff\x00"])
        pieces.append(piece)
        total += len(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("language", LANGUAGES)
def test_records_are_converted_and_counted(language: str, tmp_path: Path) -> None:
    data = records(1, 1_500_000)
    done = run(language, "crlf_to_lf", data)
    assert good(done) == data.replace(b"\r\n", b"\n")
    count = data.count(b"\n") + (not data.endswith(b"\n"))
    assert done.stderr == b"%d records\n" % count
    source, dest = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(data)
    done = run(language, "crlf_to_lf", arguments=[str(source), str(dest)])
    assert (good(done), dest.read_bytes()) == (b"", data.replace(b"\r\n", b"\n"))
    for text in (b"", b"\r", b"\r\n", b"\n", b"a\r", b"a\r\nb\r", b"\r\r\n"):
        assert good(run(language, "crlf_to_lf", text)) == text.replace(b"\r\n", b"\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_returns_and_newlines_may_come_apart(language: str) -> None:
    """Each byte by itself through a pipe, which is read as it comes."""
    program, environment = command(language, "crlf_to_lf")
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, bufsize=0
    ) as process:
        assert process.stdin
        for byte in b"one\r\ntwo\rthree\r\n\r\n\r":
            process.stdin.write(bytes([byte]))
        output, errors = process.communicate(timeout=60)
    assert (output, errors, process.returncode) == (b"one\ntwo\rthree\n\n\r", b"4 records\n", 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_columns_are_summed(language: str, tmp_path: Path) -> None:
    goods = tmp_path / "goods.csv"
    rows = [f'{i},"bolt, {i}",{i / 8},{"" if i % 3 else i}' for i in range(1000)]
    goods.write_text("id,name,price,some\n" + "\n".join(rows) + "\n")
    due = f"1000 rows\nid: {sum(range(1000))}\nprice: {sum(range(1000)) / 8}\nsome: {sum(range(0, 1000, 3))}\n"
    assert good(run(language, "column_sums", arguments=[str(goods)])).decode() == due
    assert good(run(language, "column_sums", goods.read_bytes())).decode() == due
    assert good(run(language, "column_sums", b"a;b\n1;2.5\n-3;0.5\n", ["-", ";"])) == b"2 rows\na: -2\nb: 3.0\n"
    ragged = run(language, "column_sums", b"a,b\n1,2\n3\n")
    assert ragged.returncode == 1
    assert ragged.stdout == b""
    assert b"too few" in ragged.stderr or b"1 field" in ragged.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_echo(language: str) -> None:
    data = b"".join(b"%07d\n" % i for i in range(50_000))
    done = run(language, "echo", data)
    assert (good(done), done.stderr) == (data, b"50000 records\n")
    odd = records(2, 300_000)
    assert good(run(language, "echo", odd)) == odd
    assert good(run(language, "echo", b"")) == b""


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_own_type_prints_and_scans_itself(language: str) -> None:
    assert good(run(language, "rational", b"1/2 1/3\n-1/6 2\n")) == b"4 fractions, sum 8/3 = 2.666667\n"
    assert good(run(language, "rational", b"3/-6 1/2")) == b"2 fractions, sum 0 = 0.000000\n"
    assert good(run(language, "rational", b"")) == b"0 fractions, sum 0 = 0.000000\n"
    for text, reason, token in [
        (b"1/2\n 1//3 5", b"not a fraction", b"1//3"),
        (b"1/2\n x", b"not a fraction", b"x"),
        (b"1/2\n 7/0", b"the denominator is 0", b"7/0"),
    ]:
        done = run(language, "rational", text)
        assert (done.returncode, done.stdout) == (1, b"")
        assert reason in done.stderr
        assert token in done.stderr
        assert any(place in done.stderr for place in (b"line 2, column 2", b":2:2:")), done.stderr


WORDS = "caf\u00e9 \u20ac\r\n\n\u65e5\u672c \U0001f600\nlast"
PACKED = {"x": None, "x.gz": "gzip", "x.bgz": "bgzf", "x.zst": "zstd", "x.xz": "xz", "x.bz2": "bzip2", "x.lz4": "lz4"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_comes_is_recoded(language: str, tmp_path: Path) -> None:
    """Out of every compression and encoding into every other one."""
    encodings = ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "gb18030"]
    for i, (name, compression) in enumerate(PACKED.items()):
        come, goes = encodings[i % len(encodings)], encodings[(i + 2) % len(encodings)]
        data = WORDS.encode(come)
        data = data if compression is None else archives.MAKERS[compression](data)
        source = tmp_path / f"come{i}"
        source.write_bytes(data)
        dest = tmp_path / name
        done = run(language, "recode", arguments=[str(source), str(dest), goes, come])
        assert (good(done), done.stderr) == (b"", b"4 records\n")
        written = dest.read_bytes()
        written = written if compression is None else archives.decompress(compression, written)
        assert written.decode(goes) == WORDS, (name, come, goes)
        assert good(run(language, "recode", data, ["-", "-", "utf-8", come])) == WORDS.encode()
    for mark in ("utf-16", "utf-32", "utf-8", "utf-8-sig"):
        assert good(run(language, "recode", archives.gzip(WORDS.encode(mark)))) == WORDS.encode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_can_not_be_recoded(language: str, tmp_path: Path) -> None:
    dest = tmp_path / "out"
    dest.write_text("old")
    for data, words, reason in [
        (b"ab\nc\xff\n", [], b"not valid"), (archives.gzip(b"ab\n" * 9)[:-1], [], b""), ("\u20ac".encode(), ["latin-1"], b""),
        (b"a", ["no-such-thing"], b""), (b"a", ["utf-8", "no-such-thing"], b""),
        (archives.flip(archives.gzip(b"ab\n" * 9), -5), [], b""),
    ]:
        done = run(language, "recode", data, ["-", str(dest), *words])
        assert done.returncode == 1 and done.stdout == b"" and reason in done.stderr, (data, done)
        assert b"records" not in done.stderr and b"Traceback" not in done.stderr
        assert dest.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_full_device_is_told(language: str, name: str) -> None:
    with open("/dev/full", "wb") as full:
        for data in (LINES[name] * 3, LINES[name] * 100_000):
            done = run(language, name, data, stdout=full)
            assert done.returncode == 1
            assert b"No space left on device" in done.stderr
            assert b"records" not in done.stderr
            assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["crlf_to_lf", "echo", "recode"])
@pytest.mark.parametrize("ignores", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_reads_on(language: str, ignores: bool, name: str) -> None:
    """As with `| head -1`: an end without a word, whether SIGPIPE ends the process or is ignored."""
    program, environment = command(language, name)
    with (
        subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless,
        subprocess.Popen(
            program, stdin=endless.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
            restore_signals=not ignores,
        ) as process,
    ):  # fmt: skip
        assert endless.stdout and process.stdout and process.stderr
        endless.stdout.close()
        assert process.stdout.readline() == b"y\n"
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(timeout=60) in ([141] if ignores or language == "python" else [141, -13])
        assert errors == b""


@pytest.mark.parametrize("name", ["crlf_to_lf", "column_sums", "recode"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_there(language: str, name: str, tmp_path: Path) -> None:
    missing = run(language, name, arguments=[str(tmp_path / "missing")])
    assert (missing.returncode, missing.stdout) == (1, b"")
    assert b"No such file or directory" in missing.stderr
    directory = run(language, name, arguments=[str(tmp_path)])
    assert directory.returncode == 1
    assert b"Is a directory" in directory.stderr
