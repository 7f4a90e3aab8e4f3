"""What is compared with what where the input is compressed or in another encoding (see groups.py)."""

from __future__ import annotations

from groups import Group, Peer, both, c, py

TEXTS = {"ascii": "ASCII", "latin": "Latin", "cjk": "CJK", "emoji": "emoji"}


def usual(job: str, label: str) -> Peer:
    return Peer("input_usual", job, label)


def ours(job: str, label: str) -> Peer:
    return Peer("input_fastio", job, label)


INFLATE = [
    usual("inflate_zlib", "zlib alone"),
    usual("inflate_isal", "ISA-L alone"),
    usual("inflate_libdeflate", "libdeflate alone"),
]


def parallel(name: str, title: str) -> Group:
    return Group(
        f"read_{name}",
        f"10 M sequential integers in {title}",
        name,
        "values",
        [c("read_ints"), c("read_ints", threads=0), *both("ints_fastio", "fastio, Python")],
        rounds=5,
        amount=10_000_000,
    )


INPUT = [
    Group(
        "read_ints_gz",
        "10 M sequential integers in gzip",
        "ints_gz",
        "values",
        [
            *INFLATE,
            c("read_ints"),
            c("read_ints", threads=0),
            *both("ints_fastio", "fastio, Python"),
            py("ints_pandas_c", "pandas, C engine"),
            py("ints_gzip_builtin", "list(map(int, gzip.open()))"),
        ],
        agree=False,
        rounds=4,
        amount=10_000_000,
    ),
    parallel("ints_bgzf", "BGZF"),
    parallel("ints_zst", "zstd of many frames"),
    Group(
        "csv_utf16",
        "100 MB of integers, floats, strings and dates, in UTF-8 and in UTF-16",
        "csv_mixed",
        "bytes",
        [
            c("mixed"),
            c("mixed", threads=0),
            c("mixed", "fastio, C, UTF-16", data="csv_mixed_utf16"),
            c("mixed", "fastio, C, UTF-16", threads=0, data="csv_mixed_utf16"),
        ],
        agree=False,
        rounds=5,
    ),
    *(
        Group(
            f"validate_{text}",
            f"Is it UTF-8? 256 KiB of {title} in cache, 400 times",
            f"text_{text}",
            "bytes",
            [ours("valid", "fastio_utf8_valid"), usual("copy", "memcpy")],
            times=400,
            rounds=9,
        )
        for text, title in TEXTS.items()
    ),
    *(
        Group(
            f"to_utf16_{text}",
            f"UTF-8 to UTF-16LE, 256 KiB of {title} in cache, 400 times",
            f"text_{text}",
            "bytes",
            [ours("to_utf16", "fastio_transcoder_run"), usual("to_utf16", "iconv()")],
            times=400,
        )
        for text, title in TEXTS.items()
    ),
    *(
        Group(
            f"from_utf16_{text}",
            f"UTF-16LE to UTF-8, 256 KiB of UTF-8's {title} in cache, 400 times",
            f"text_{text}_utf16",
            "bytes",
            [ours("from_utf16", "fastio_transcoder_run"), usual("from_utf16", "iconv()")],
            times=400,
        )
        for text, title in TEXTS.items()
    ),
    Group(
        "recode_file",
        "400 MB from file to file, UTF-8 to UTF-16LE (tmpfs)",
        "text_400m",
        "bytes",
        [ours("file_to_utf16", "fastio_copy"), usual("iconv_command", "iconv command")],
        sessions=1,
        target="tmpfs",
    ),
    Group(
        "csv_stream_gz",
        "20 GB of ten numeric columns, gzip through a pipe, batch by batch",
        "csv_stream_gz",
        "bytes",
        both("stream_fastio_pipe", "fastio.open_csv, pipe"),
        sessions=1,
        rounds=0,
        times=200,
        agree=False,
        quick=False,
    ),
]
