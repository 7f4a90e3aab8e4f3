"""Compressed sources and sinks, in C, Python and Lua: archives of every origin, every cut and every flipped bit; what is
written, read back by the reference tools; and the ways by which bytes come: FIFOs, process substitution, slow pipes.

What each reader gives for a given archive stands in vectors/compressed.vec.
"""

from __future__ import annotations

import dataclasses
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import archives
from harness import Config, Driver, Vector
from test_bad_output import EXPECTED
from test_bad_output import run as run_program
from test_examples import good
from test_examples import run as run_example

SOME_LUAS = ["lua5.1", "lua5.4", "luajit"]
LANGUAGES = ["c", "python", *SOME_LUAS]
TEXT = b"1 -22\n333\n4 5 66\n" + b"7 8\n" * 20
NUMBERS = [int(word) for word in TEXT.split()]


@pytest.fixture(scope="session")
def drivers(c_driver: Driver, python_driver: Driver, lua_driver: Callable[[str], Driver]) -> dict[str, Driver]:
    return {"c": c_driver, "python": python_driver, **{lua: lua_driver(lua) for lua in SOME_LUAS}}


def ask(driver: Driver, questions: list[tuple[str, dict[str, Any], bytes]], config: Config) -> list[str]:
    """The answers to (op, options, input)."""
    vectors = [Vector(f"q{i}", op, options, data, 0) for i, (op, options, data) in enumerate(questions)]
    return driver.ask([vector.line() for vector in vectors], config)


def configs_of(language: str) -> list[Config]:
    device = "device" if language == "c" else "object"
    return [Config(), Config(block=7, threads=2), Config(source=device, block=64)]


def each_language(test: Callable[..., None]) -> Callable[..., None]:
    return pytest.mark.parametrize("language", LANGUAGES)(test)


def each_format(test: Callable[..., None]) -> Callable[..., None]:
    return pytest.mark.parametrize("name", sorted(archives.MAKERS))(test)


def answer_of(op: str, options: dict[str, Any], result: Any) -> str:
    return Vector("v", op, options, b"", result).answer().decode().rstrip("\n").split("\t")[1]


def compression_of(name: str) -> str:
    return "gzip" if name == "bgzf" else name


def small_archives(name: str, data: bytes = TEXT) -> list[bytes]:
    """Of several members and frames, stored and compressed."""
    make = archives.MAKERS[name]
    if name == "bgzf":
        return [archives.bgzf(data, 40)]
    if name in archives.BY_NAME_ONLY:
        return [make(data)]
    made = [make(data), make(data[:30]) + make(data[30:])]
    return made + [archives.compress_with(tool, data) for tool, (of, _, _) in archives.TOOLS.items()
                   if of == name and archives.has_tool(tool)]


# ---- Cuts ----------------------------------------------------------------------------------------


def ends_of_members(name: str, archive: bytes) -> set[int]:
    """Where a cut leaves a whole archive behind: the ends of members, and padding."""
    return {cut for cut in range(1, len(archive)) if is_whole(name, archive[:cut])}


def is_whole(name: str, data: bytes) -> bool:
    try:
        archives.decompress(name, data)
    except Exception:
        return False
    return True


@each_language
@each_format
def test_every_cut_is_told(drivers: dict[str, Driver], language: str, name: str) -> None:
    """Never short data without an error: neither of whole sources nor behind the values that came before."""
    options = {"compression": compression_of(name)}
    for archive in small_archives(name):
        slow = name in ("zstd", "lz4")  # a process for each: only where members end is it worth asking
        whole = frozenset[int]() if slow else ends_of_members(name, archive)
        cuts = [cut for cut in range(len(archive)) if cut not in whole]
        if slow:
            cuts = [cut for cut in cuts if not is_whole(name, archive[:cut])] if len(archive) < 400 else cuts[-5:]
        questions = [(op, options, archive[:cut]) for cut in cuts for op in ("read_ints", "iter_lines", "read_bytes")]
        for config in configs_of(language):
            for (op, _, data), answer in zip(questions, ask(drivers[language], questions, config), strict=True):
                assert "error:truncated:" in answer or "error:corrupt:" in answer, (config, op, len(data), answer)
                if op == "iter_lines":
                    check_lines_before(answer)


def check_lines_before(answer: str) -> None:
    given = answer[1 : answer.index("]")].split()
    due = [f"x{line.hex()}" for line in TEXT.splitlines()]
    assert given == due[: len(given)], answer


@each_language
def test_every_cut_of_what_is_recognised(drivers: dict[str, Driver], language: str) -> None:
    """A stump too short to be recognised is no number either."""
    for name in sorted({*archives.MAKERS} - {*archives.BY_NAME_ONLY}):
        archive = archives.MAKERS[name](b"1 2 3\n")
        cuts = [cut for cut in range(1, len(archive)) if name not in ("bgzf",) or cut < len(archive) - 28]
        questions: list[tuple[str, dict[str, Any], bytes]] = [("read_ints", {}, archive[:cut]) for cut in cuts]
        for answer in ask(drivers[language], questions, configs_of(language)[0]):
            assert answer.startswith("error:"), (name, answer)


# ---- Flipped bits --------------------------------------------------------------------------------


@each_language
@each_format
def test_every_flipped_bit(drivers: dict[str, Driver], language: str, name: str) -> None:
    """An error, or the right data, wherever there is a checksum; raw deflate has none, and must just not break."""
    options = {"compression": compression_of(name)}
    right = answer_of("read_ints", options, NUMBERS)
    for archive in small_archives(name)[: 3 if language == "c" else 1]:
        flips = [(at, bit) for at in range(len(archive)) for bit in range(8)]
        if language != "c":
            flips = flips[::5]
        questions = [("read_ints", options, archives.flip(archive, at, bit)) for at, bit in flips]
        for config in configs_of(language)[: 3 if language == "c" else 1]:
            for flip, answer in zip(flips, ask(drivers[language], questions, config), strict=True):
                fine = answer == right or answer.startswith("error:")
                assert fine or name == "deflate", (config, flip, answer)


@each_format
def test_noise(c_driver: Driver, name: str) -> None:
    """Bytes taken out, put in and overwritten: anything but a crash, or a hang."""
    rng = random.Random(name)
    archive = archives.MAKERS[name](TEXT * 3)
    questions = []
    for _ in range(600):
        data = bytearray(archive)
        for _ in range(rng.randrange(1, 4)):
            at, size = rng.randrange(len(data)), rng.randrange(1, 9)
            data[at : at + rng.choice([0, size])] = rng.randbytes(rng.choice([0, size]))
        questions.append((rng.choice(["read_ints", "iter_lines", "count_lines"]), {"compression": compression_of(name)},
                          bytes(data)))
    for config in (Config(threads=2), Config(source="device", block=16)):
        assert len(ask(c_driver, questions, config)) == len(questions)


# ---- What the reference tools make ---------------------------------------------------------------


def large_text() -> bytes:
    rng = random.Random(8)
    return b"".join(b"%d,%d\n" % (rng.randrange(10**6), i) for i in range(60_000))


@each_language
@pytest.mark.parametrize("tool", sorted(archives.TOOLS))
def test_archives_of_the_reference_tools(drivers: dict[str, Driver], language: str, tool: str) -> None:
    if not archives.has_tool(tool):
        pytest.skip(f"{archives.TOOLS[tool][1][0]} is not on this machine")
    text = large_text()
    due = [int(word) for word in text.replace(b",", b" ").split()]
    one = archives.compress_with(tool, text)
    questions = [("read_ints", {"sep": ","}, one), ("read_ints", {"sep": ","}, one + one),
                 ("count_lines", {}, one + archives.compress_with(tool, b"") + one), ("read_ints", {"sep": ","}, one[:-1])]
    right = [answer_of("read_ints", {}, due), answer_of("read_ints", {}, due * 2), "120000"]
    pipe = [Config(source="pipe")] if language in ("c", "python") else []
    for config in [Config(threads=2, block=50_000), *pipe]:
        *answers, cut = ask(drivers[language], questions, config)
        assert answers == right, config
        assert "error:truncated:" in cut or "error:corrupt:" in cut


def test_a_member_of_more_than_four_gib(c_driver: Driver) -> None:
    """Its length in the trailer is one modulo 2**32, which is no reason to stop there."""
    piece, times = b"1234567\n" * (1 << 20), 513
    maker = zlib.compressobj(1, zlib.DEFLATED, -15)
    first = maker.compress(piece) + maker.flush(zlib.Z_FULL_FLUSH)
    check = 0
    for _ in range(times):
        check = zlib.crc32(piece, check)
    size = len(piece) * times
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    archive = head + first * times + b"\x03\0" + struct.pack("<II", check, size & 0xFFFFFFFF)
    assert ask(c_driver, [("count_lines", {}, archive)], Config(threads=2)) == [str(size // 8)]


# ---- What is written -----------------------------------------------------------------------------

LEVELS = {
    "gzip": [0, 1, 6, 9], "bgzf": [1, 9], "zlib": [0, 6, 9], "deflate": [1, 9], "zstd": [-5, 1, 3, 19], "xz": [0, 6],
    "bzip2": [1, 9], "lz4": [0, 1, 9],
}
WRITE_LANGUAGES = ["c", "python", "lua5.1", "lua5.4"]


@pytest.mark.parametrize("language", WRITE_LANGUAGES)
@pytest.mark.parametrize("name", sorted(LEVELS))
def test_what_is_written_is_read_back(language: str, name: str, tmp_path: Path) -> None:
    """By the standard library or the reference tool, which looks at the checksums; and by this library."""
    import fastio

    path = tmp_path / "file"
    runs = [{"LEVEL": str(level)} for level in LEVELS[name]] + [{}]
    if name in ("zstd", "bgzf"):
        runs += [{"THREADS": "2"}, {"THREADS": "3", "LEVEL": "1"}]
    for how in runs:
        for action, size in (("ints", 100_000), ("csv", 30_000), ("pieces", 0), ("pieces", 1), ("copy", 300_000)):
            code = run_program(language, action, path, size, environment={"COMPRESSION": name, **how})
            assert code == (0, ""), (how, action)
            data, due = path.read_bytes(), EXPECTED[action](size)
            assert archives.decompress(name, data) == due, (how, action)
            assert bytes(fastio.read_bytes(path, compression=compression_of(name))) == due
            assert len(data) < max(len(due), 200) or how.get("LEVEL") == "0"
    if name == "bgzf":
        check_blocks(path.read_bytes())


def check_blocks(data: bytes) -> None:
    """Each member tells how long it is; the last one is empty."""
    assert data.endswith(archives.BGZF_END)
    at = 0
    while at < len(data):
        assert data[at : at + 4] == b"\x1f\x8b\x08\x04" and data[at + 12 : at + 16] == b"BC\x02\x00"
        at += struct.unpack_from("<H", data, at + 16)[0] + 1
    assert at == len(data)


ENDINGS = {".gz": "gzip", ".bgz": "bgzf", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2", ".lz4": "lz4", ".csv": ""}


@pytest.mark.parametrize("language", WRITE_LANGUAGES)
def test_the_path_says_how(language: str, tmp_path: Path) -> None:
    for ending, name in ENDINGS.items():
        path = tmp_path / f"x.csv{ending}"
        for action in ("csv", "atomic"):
            size = 1000
            due = EXPECTED["once" if action == "atomic" else action](size)
            assert run_program(language, action, path, size) == (0, ""), ending
            data = path.read_bytes()
            assert (archives.decompress(name, data) if name else data) == due, ending


@pytest.mark.parametrize("language", WRITE_LANGUAGES)
def test_appending_adds_a_member(language: str, tmp_path: Path) -> None:
    for name in ("gzip", "bgzf", "zstd", "xz", "bzip2", "lz4"):
        path = tmp_path / name
        for size in (5, 7):
            assert run_program(language, "append", path, size, environment={"COMPRESSION": name}) == (0, "")
        assert archives.decompress(name, path.read_bytes()) == bytes(12), name


@pytest.mark.parametrize("language", WRITE_LANGUAGES)
def test_encodings_are_written(language: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for encoding in ("utf-16", "utf-16be", "utf-32le", "utf-8-sig", "latin-1", "gb18030"):
        for how in ({}, {"COMPRESSION": "gzip"}):
            assert run_program(language, "csv", path, 5000, environment={"ENCODING": encoding, **how}) == (0, "")
            data = path.read_bytes()
            data = archives.decompress("gzip", data) if how else data
            assert data.decode(encoding) == EXPECTED["csv"](5000).decode(), (encoding, how)


def test_what_one_language_writes_all_others_read(drivers: dict[str, Driver], tmp_path: Path) -> None:
    written = []
    for language in WRITE_LANGUAGES:
        for name in ("gzip", "bgzf", "zstd", "xz", "bzip2", "lz4"):
            path = tmp_path / f"{language}-{name}"
            assert run_program(language, "ints", path, 20_000, environment={"COMPRESSION": name}) == (0, "")
            written.append(path.read_bytes())
    questions: list[tuple[str, dict[str, Any], bytes]] = [("read_ints", {}, data) for data in written]
    right = answer_of("read_ints", {}, [0] * 20_000)
    for language, driver in drivers.items():
        for i, answer in enumerate(ask(driver, questions, Config(threads=2))):
            assert answer == right, (language, i, answer[:100])


@pytest.mark.usefixtures("deadline")
def test_a_flush_lets_a_reader_have_everything() -> None:
    import fastio

    for name in ("gzip", "zlib", "zstd", "lz4"):
        read_end, write_end = os.pipe()
        with fastio.open(write_end, "w", compression=name) as writer:
            lines = fastio.lines(read_end, compression=name)
            for text in ("one", "two", "three" * 1000):
                writer.write(text + "\n")
                writer.flush()
                assert next(lines) == text
        os.close(write_end)
        assert list(lines) == []
        os.close(read_end)


# ---- Reading stops early -------------------------------------------------------------------------


def random_rows(count: int) -> bytes:
    rng = random.Random(5)
    return b"a,b\n" + b"".join(b"%d,%d\n" % (rng.randrange(10**9), rng.randrange(10**9)) for _ in range(count))


@each_language
@pytest.mark.parametrize("name", ["gzip", "bgzf", "zstd", "xz", "lz4"])
def test_reading_stops_early(drivers: dict[str, Driver], language: str, name: str) -> None:
    """What is damaged behind the part that was asked for is never met."""
    text = random_rows(150_000)
    archive = archives.MAKERS[name](text[:100]) + archives.MAKERS[name](text[100:])
    half = len(archive) // 2
    damaged = archive[:half] + bytes(len(archive) - half)
    questions = [("read_csv", {"max_rows": 2}, damaged), ("read_lines", {"max_items": 3}, damaged)]
    for config in (Config(), Config(threads=2)):
        table, lines = ask(drivers[language], questions, config)
        assert table.startswith("2{"), table[:200]
        assert lines == answer_of("read_lines", {}, [line.decode() for line in text.splitlines()[:3]])


@pytest.mark.parametrize("name", ["gzip", "zstd", "bzip2", "xz", "bgzf"])
def test_no_more_of_the_source_is_read(name: str) -> None:
    import fastio

    class Counted:
        def __init__(self, data: bytes) -> None:
            self.data, self.taken = data, 0

        def read(self, size: int) -> bytes:
            piece = self.data[self.taken : self.taken + size]
            self.taken += len(piece)
            return piece

    archive = archives.MAKERS[name](random_rows(500_000))
    for read in (lambda source: fastio.read_csv(source, max_rows=10), lambda source: fastio.read_lines(source, max_items=10),
                 lambda source: next(iter(fastio.lines(source))), lambda source: next(iter(fastio.open_csv(source, batch_rows=10)))):
        source = Counted(archive)
        read(source)
        assert source.taken < len(archive) // 2, name


# ---- The ways by which bytes come ----------------------------------------------------------------

ROWS = b"item,price,count\nnut,0.25,3\nbolt,0.5,4\n"
SUMS = b"2 rows\nprice: 0.75\ncount: 7\n"
FORMS = {name: archives.MAKERS[name](ROWS) for name in ("gzip", "bgzf", "zstd", "xz", "bzip2", "lz4")}
FORMS |= {"plain": ROWS, "utf-16": ROWS.decode().encode("utf-16"), "gzip of utf-32": archives.gzip(ROWS.decode().encode("utf-32"))}


@each_language
def test_files_and_standard_input(language: str, tmp_path: Path) -> None:
    for i, (form, data) in enumerate(FORMS.items()):
        path = tmp_path / f"{i}.csv"  # the name says nothing
        path.write_bytes(data)
        assert good(run_example(language, "column_sums", arguments=[str(path)])) == SUMS, form
        for name in ([], ["-"], ["/dev/stdin"]):
            assert good(run_example(language, "column_sums", data, name)) == SUMS, (form, name)


@each_language
def test_fifos(language: str, tmp_path: Path) -> None:
    for i, (form, data) in enumerate(FORMS.items()):
        path = tmp_path / str(i)
        os.mkfifo(path)
        writer = threading.Thread(daemon=True, target=path.write_bytes, args=(data,))
        writer.start()
        assert good(run_example(language, "column_sums", arguments=[str(path)])) == SUMS, form
        writer.join()


@pytest.mark.skipif(shutil.which("bash") is None, reason="process substitution is bash's")
@each_language
def test_process_substitution(language: str, tmp_path: Path) -> None:
    from test_examples import command

    path = tmp_path / "rows.csv"
    path.write_bytes(ROWS)
    words, environment = command(language, "column_sums")
    for make in ("gzip -c", "zstd -qc", "iconv -f utf-8 -t utf-16", "cat"):
        line = f"{' '.join(words)} <({make} < {path})"
        done = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, timeout=60, check=False)
        assert (done.stdout, done.stderr) == (SUMS, b""), make


def dribble(fd: int, data: bytes, rng: random.Random) -> None:
    """In pieces of all sizes, with pauses."""
    while data:
        size = rng.randrange(1, 400)
        os.write(fd, data[:size])
        data = data[size:]
        if rng.random() < 0.2:
            time.sleep(0.002)
    os.close(fd)


@each_language
def test_slow_pipes(language: str) -> None:
    from test_examples import command

    rows = b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * 7919 % 1000) for i in range(4000))
    due = b"4000 rows\na: %d\nb: %d\n" % (sum(range(4000)), sum(i * 7919 % 1000 for i in range(4000)))
    words, environment = command(language, "column_sums")
    for i, data in enumerate([archives.gzip(rows), archives.compress_with("zstd", rows), rows.decode().encode("utf-16"), rows]):
        read_end, write_end = os.pipe()
        writer = threading.Thread(daemon=True, target=dribble, args=(write_end, data, random.Random(i)))
        writer.start()
        done = subprocess.run(words, stdin=read_end, env=environment, capture_output=True, timeout=120, check=False)
        os.close(read_end)
        writer.join()
        assert (done.stdout, done.stderr) == (due, b"")


@pytest.fixture(params=["pipe", "socket"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """To read from, to write to."""
    if request.param == "pipe":
        pair = os.pipe()
    else:
        near, far = socket.socketpair()
        pair = near.detach(), far.detach()
    yield pair
    for fd in pair:
        try:
            os.close(fd)
        except OSError:
            pass


@pytest.fixture
def deadline() -> Iterator[None]:
    """A minute, for what waits for ever if it is wrong."""

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError("this waits for what was sent")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("deadline")
@pytest.mark.parametrize("form", ["plain", "gzip", "utf-16"])
def test_lines_come_as_they_are_sent(ends: tuple[int, int], form: str) -> None:
    """A line is there before the next one is sent, decompressed and decoded."""
    import fastio

    maker = zlib.compressobj(wbits=31)

    def sent(text: str, is_first: bool) -> bytes:
        if form == "gzip":
            return maker.compress(text.encode()) + maker.flush(zlib.Z_SYNC_FLUSH)
        if form == "utf-16":
            return text.encode("utf-16" if is_first else "utf-16-le")
        return text.encode()

    read_end, write_end = ends
    lines = fastio.lines(read_end)
    for i in range(20):
        text = f"line {i} \u00e4"
        os.write(write_end, sent(text + "\n", i == 0))
        assert next(lines) == text
    os.write(write_end, maker.flush() if form == "gzip" else b"")
    os.close(write_end)
    assert list(lines) == []


# ---- Several files -------------------------------------------------------------------------------


def several(directory: Path) -> list[str]:
    forms = {"a.csv": b"x,y\n1,a\n2,b\n", "b.csv.gz": archives.gzip(b"x,y\n3,c\n"), "c.csv.zst": archives.zstd(b"x,y\n"),
             "d.csv": "x,y\n4,\u00e4\n".encode("utf-16")}
    for name, data in forms.items():
        (directory / name).write_bytes(data)
    return [str(directory / name) for name in forms]


def test_several_files_in_python(tmp_path: Path) -> None:
    import fastio

    paths = several(tmp_path)
    for threads in (1, 2, 5):
        table = fastio.read_csv(paths, file_column="from", threads=threads)
        assert table["x"].to_list() == [1, 2, 3, 4] and table["y"].to_list() == ["a", "b", "c", "\u00e4"]
        assert table["from"].to_list() == [paths[0], paths[0], paths[1], paths[3]]
    assert [str(path) for path in fastio.glob(str(tmp_path / "*.csv"))] == [paths[0], paths[3]]
    (tmp_path / "b.csv.gz").write_bytes(archives.gzip(b"x,y\n3,c\n")[:-1])
    with pytest.raises(fastio.TruncatedError, match="b.csv.gz"):
        fastio.read_csv(paths)


SEVERAL = """
local fastio = require "fastio"
local paths = {arg[1], arg[2], arg[3], arg[4]}
local t = assert(fastio.read_csv(paths, {file_column = "from"}))
assert(#t == 4, #t)
local x, from = t:column("x"), t:column("from")
for i, due in ipairs {1, 2, 3, 4} do assert(x[i] == due) end
assert(from[1] == arg[1] and from[2] == arg[1] and from[3] == arg[2] and from[4] == arg[4])
"""


@pytest.mark.parametrize("lua", SOME_LUAS)
def test_several_files_in_lua(lua_driver: Callable[[str], Driver], lua: str, tmp_path: Path) -> None:
    script = tmp_path / "several.lua"
    script.write_text(SEVERAL)
    done = subprocess.run([lua, script, *several(tmp_path)], env=lua_driver(lua).environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
