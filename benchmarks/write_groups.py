"""What is compared with what in writing (see groups.py)."""

from __future__ import annotations

from groups import Group, Peer


def usual(job: str, label: str, threads: int = 1) -> Peer:
    return Peer("write_usual", job, label, threads)


def c(job: str, label: str, threads: int = 1) -> Peer:
    return Peer("write_fastio", job, label, threads)


def py(job: str, label: str, threads: int = 1) -> Peer:
    return Peer("write_python", job, label, threads)


def both(job: str, label: str) -> list[Peer]:
    return [py(job, label), py(job, label, threads=0)]


INTS = [
    usual("ints_raw", "write() of the same bytes in 1 MiB blocks"),
    c("ints", "fastio, C, one call a value"),
    c("ints_println", "fastio_println"),
    c("ints_array", "fastio_write_array"),
    c("ints_array", "fastio_write_array", threads=0),
    usual("ints_fprintf", "fprintf"),
    usual("ints_to_chars", "std::to_chars + fwrite"),
]


def shortest(kind: str, what: str) -> Group:
    return Group(
        f"shortest_{kind}",
        f"10 M random doubles {what}, shortest, into memory",
        "bytes_64k",
        "values",
        [
            c(kind, "fastio_format_f64"),
            c(f"{kind}_array", "fastio_write_array"),
            usual(f"{kind}_to_chars", "std::to_chars"),
            usual(f"{kind}_snprintf", 'snprintf("%.17g")'),
        ],
        agree=False,
        amount=10_000_000,
    )


WRITING = [
    *(
        Group(
            f"write_ints_{target}",
            f"10 M sequential integers to a file ({target})",
            "bytes_64k",
            "values",
            INTS,
            target=target,
            amount=10_000_000,
        )
        for target in ("tmpfs", "disk")
    ),
    Group(
        "write_ints_python",
        "10 M sequential integers to a file in Python (tmpfs)",
        "bytes_64k",
        "values",
        [
            *both("ints_fastio", "fastio.write_ints"),
            py("ints_fastio_each", "fastio, write_int each"),
            py("ints_builtin", "file.write(f'{value}\\n')"),
            py("ints_join", "'\\n'.join(map(str, ...))"),
            py("ints_tofile", "numpy.tofile"),
            py("ints_savetxt", "numpy.savetxt"),
        ],
        sessions=1,
        rounds=2,
        target="tmpfs",
        amount=10_000_000,
    ),
    shortest("uniform", "in +-10,000"),
    shortest("bits", "of any bit pattern"),
    Group(
        "write_fixed",
        "10 M doubles in +-1e6 with six decimals to a file (tmpfs)",
        "bytes_64k",
        "values",
        [
            c("fixed", "fastio, C, one call a value"),
            c("fixed_array", "fastio_write_array"),
            c("fixed_array", "fastio_write_array", threads=0),
            usual("fixed_fprintf", 'fprintf("%.6f")'),
            usual("fixed_to_chars", "std::to_chars + fwrite"),
        ],
        target="tmpfs",
        amount=10_000_000,
    ),
    Group(
        "write_hello",
        '100 M times "Hello World\\n" to a file (tmpfs)',
        "bytes_64k",
        "values",
        [
            c("hello", "fastio_write"),
            usual("hello_memcpy", "memcpy into a buffer, write()"),
            usual("hello_fwrite", "fwrite"),
            usual("hello_fwrite_unlocked", "fwrite_unlocked"),
        ],
        target="tmpfs",
        amount=100_000_000,
    ),
    Group(
        "write_csv",
        "1 GB of ten numeric columns to CSV (tmpfs)",
        "csv_numeric_1g",
        "bytes",
        [
            *both("table_fastio", "fastio, own table"),
            *both("table_fastio_arrow", "fastio, Arrow table"),
            *both("table_polars", "Polars"),
            py("table_pyarrow", "PyArrow"),
        ],
        sessions=1,
        rounds=2,
        target="tmpfs",
    ),
    Group(
        "write_csv_small",
        "100 MB of ten numeric columns to CSV, the slower peers (tmpfs)",
        "csv_numeric",
        "bytes",
        [
            *both("table_fastio", "fastio, own table"),
            *both("table_polars", "Polars"),
            *both("table_duckdb", "DuckDB"),
            py("table_pandas", "pandas"),
        ],
        sessions=1,
        target="tmpfs",
    ),
    Group(
        "write_csv_mixed",
        "100 MB of integers, floats, strings and dates to CSV (tmpfs)",
        "csv_mixed",
        "bytes",
        [
            *both("table_fastio", "fastio, own table"),
            *both("table_polars", "Polars"),
            py("table_pyarrow", "PyArrow"),
            py("table_pandas", "pandas"),
        ],
        sessions=1,
        rounds=2,
        target="tmpfs",
    ),
    Group(
        "savetxt",
        "2 M rows of two floats as text (tmpfs)",
        "points",
        "bytes",
        [
            *both("savetxt_fastio", "fastio.savetxt"),
            py("savetxt_numpy", "numpy.savetxt"),
        ],
        sessions=1,
        rounds=2,
        target="tmpfs",
    ),
    Group(
        "echo",
        "10 M records of 8 bytes from standard input to standard output (tmpfs)",
        "records8",
        "bytes",
        [
            c("echo_lines", "fastio, a line at a time"),
            c("echo_batches", "fastio, lines in batches"),
            c("echo_copy", "fastio_copy"),
            usual("echo_read_write", "read, write"),
            usual("echo_fread_fwrite", "fread, fwrite"),
            usual("echo_scanf_printf", "scanf, printf"),
            usual("echo_fgets_puts", "fgets, puts"),
            usual("echo_getchar", "getchar, putchar"),
            usual("echo_getc_unlocked", "getc_unlocked, putc_unlocked"),
        ],
        sessions=1,
        target="tmpfs",
    ),
    Group(
        "crlf",
        "1 GB of lines with CRLF to lines with LF (tmpfs)",
        "crlf_1g",
        "bytes",
        [
            c("crlf_lines", "fastio, lines in batches"),
            usual("crlf_fgets_fputs", "fgets, fputs"),
        ],
        target="tmpfs",
    ),
    Group(
        "locked",
        "5 M lines from many threads to one locked stream (tmpfs)",
        "bytes_64k",
        "lines",
        [
            c("locked", "fastio_print, one thread"),
            c("locked", "fastio_print, two threads", threads=0),
            usual("locked_fprintf", "fprintf, one thread"),
            usual("locked_fprintf", "fprintf, two threads", threads=0),
        ],
        target="tmpfs",
        agree=False,
        amount=5_000_000,
    ),
    Group(
        "lua_write",
        "10 M sequential integers to a file in Lua (tmpfs)",
        "bytes_64k",
        "values",
        [
            peer
            for name, label in (("lua5.4", "Lua 5.4"), ("luajit", "LuaJIT"))
            for peer in (
                Peer(name, "fastio_write_ints", f"{label}, write_ints"),
                Peer(name, "fastio_write_int", f"{label}, write_int each"),
                Peer(name, "write", f"{label}, file:write"),
            )
        ],
        sessions=1,
        rounds=2,
        target="tmpfs",
        amount=10_000_000,
    ),
]
