"""What is compared with what: the groups of the benchmark, as data.

A peer is one way to do a job; `threads` 1 runs it pinned to one core, 0 on all. A group's peers run
in turn, A B C A B C.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    tool: str  # the worker program: usual, fastio_c, python, lua5.4, luajit
    job: str  # what it is told to do
    label: str  # how the tables call it
    threads: int = 1
    data: str = ""  # another file than the group's

    @property
    def id(self) -> str:
        cores = "" if self.threads else "*"
        return f"{self.tool}:{self.job}{cores}" + (f"@{self.data}" if self.data else "")


@dataclass(frozen=True)
class Group:
    name: str
    title: str
    data: str
    unit: str  # of the rate: values, lines or bytes
    peers: list[Peer] = field(default_factory=list)
    sessions: int = 2  # how often all workers are started anew: that many cold samples
    rounds: int = 3  # warm runs of each worker in a session
    evict: bool = False  # drop the file from the page cache before every run
    quick: bool = True  # part of a --quick run
    times: int = 1  # how often a run goes through the file
    agree: bool = True  # all peers give the same answer about the same file
    target: str = ""  # where its peers write to: tmpfs or disk
    amount: int = 0  # of values that a run writes, if the file does not tell


def usual(job: str, label: str) -> Peer:
    return Peer("usual", job, label)


def c(job: str, label: str = "fastio, C", threads: int = 1, data: str = "") -> Peer:
    return Peer("fastio_c", job, label, threads, data)


def py(job: str, label: str, threads: int = 1, data: str = "") -> Peer:
    return Peer("python", job, label, threads, data)


def both(job: str, label: str) -> list[Peer]:
    return [py(job, label), py(job, label, threads=0)]


READ = usual("read_blocks", "read() in 1 MiB blocks")


def columnar(kind: str, ours: str) -> list[Peer]:
    """The peers that read a file of numbers into a column."""
    return [
        READ,
        c(ours),
        c(ours, threads=0),
        *both(f"{kind}_fastio", "fastio, Python"),
        py(f"{kind}_pandas_c", "pandas, C engine"),
        *([py("floats_pandas_round_trip", "pandas, round_trip")] if kind == "floats" else []),
        py(f"{kind}_pandas_pyarrow", "pandas, pyarrow engine"),
        *both(f"{kind}_polars", "Polars"),
        *both(f"{kind}_pyarrow", "PyArrow"),
        *both(f"{kind}_duckdb", "DuckDB"),
        py(f"{kind}_loadtxt", "numpy.loadtxt"),
        py(f"{kind}_fromfile", "numpy.fromfile"),
    ]


def classic(kind: str, ours: str, strto: str, builtin: str) -> list[Peer]:
    """The ways that C, C++ and Python programs usually read a file of numbers."""
    return [
        c(ours),
        usual(f"{kind}_from_chars", "fread + std::from_chars"),
        usual(f"{kind}_{strto}", f"fread + {strto}"),
        usual(f"{kind}_getline", f"getline + {strto}"),
        usual(f"{kind}_fscanf", "fscanf"),
        usual(f"{kind}_ifstream", "ifstream >>"),
        usual(f"{kind}_stringstream", "stringstream << rdbuf, >>"),
        usual(f"{kind}_cin", "std::cin >>"),
        usual(f"{kind}_cin_nosync", "std::cin >>, sync off"),
        py(f"{kind}_builtin", f"list(map({builtin}, file))"),
    ]


def lua(name: str) -> list[Peer]:
    label = "LuaJIT" if name == "luajit" else "Lua 5.4"
    return [
        Peer(name, "read_number", f"{label}, file:read('n')"),
        Peer(name, "fastio_ints", f"{label}, fastio.ints"),
        Peer(name, "fastio_read_ints", f"{label}, fastio.read_ints"),
    ]


def lua_lines(name: str) -> list[Peer]:
    label = "LuaJIT" if name == "luajit" else "Lua 5.4"
    return [
        Peer(name, "lines", f"{label}, io.lines"),
        Peer(name, "fastio_lines", f"{label}, fastio.lines"),
    ]


LINES = [
    py("lines_str", "open()"),
    py("lines_str_1m", "open(buffering=1 MiB)"),
    py("lines_fastio_str", "fastio.lines"),
    py("lines_bytes", "open('rb')"),
    py("lines_bytes_1m", "open('rb', buffering=1 MiB)"),
    py("lines_fastio_bytes", "fastio.lines, bytes"),
    py("lines_stringzilla", "StringZilla split_iter"),
    *lua_lines("lua5.4"),
    *lua_lines("luajit"),
    usual("lines_getline_c", "C, getline"),
    usual("lines_getline_cpp", "C++, std::getline"),
    c("next_line", "C, fastio_next_line"),
    c("next_lines", "C, fastio_next_lines"),
]

READ_LINES = [
    *both("read_lines_fastio", "fastio.read_lines"),
    py("read_lines_splitlines", "open().read().splitlines()"),
    py("read_lines_splitlines_bytes", "open('rb').read().splitlines()"),
    py("read_lines_stringzilla", "StringZilla splitlines"),
    *both("read_lines_pyarrow", "PyArrow, one string column"),
    *both("read_lines_polars", "Polars, one string column"),
]

COUNT = [
    READ,
    c("count_lines"),
    c("count_lines", threads=0),
    *both("count_fastio", "fastio, Python"),
    py("count_wc", "wc -l"),
    py("count_stringzilla", "StringZilla count"),
    py("count_blocks", "read(1 MiB), bytes.count"),
]

SLURP = [
    usual("slurp_read_huge", "read() into fresh huge pages"),
    c("read_all"),
    py("slurp_fastio", "fastio.read_bytes"),
    usual("slurp_read", "malloc + read()"),
    usual("slurp_fread", "malloc + fread"),
    usual("slurp_vector_read", "vector + ifstream.read"),
    usual("slurp_tellg_read", "string(tellg) + read"),
    usual("slurp_append_blocks", "string.append by blocks"),
    usual("slurp_stringstream", "stringstream << rdbuf"),
    usual("slurp_getline_nul", "getline(in, s, '\\0')"),
    usual("slurp_istreambuf_iterator", "istreambuf_iterator"),
    usual("slurp_mmap", "mmap, one look at each page"),
    py("slurp_open", "Python open().read()"),
    py("slurp_path", "Path.read_bytes()"),
    py("slurp_fromfile", "numpy.fromfile"),
]

TABLE_PEERS = [("polars", "Polars"), ("pyarrow", "PyArrow"), ("duckdb", "DuckDB, to Arrow")]


def table_peers(kind: str) -> list[Peer]:
    return [peer for name, label in TABLE_PEERS for peer in both(f"{kind}_{name}", label)]


def lua_tables(name: str) -> list[Peer]:
    label = "LuaJIT" if name == "luajit" else "Lua 5.4"
    return [
        Peer(name, "fastio_read_csv", f"{label}, fastio.read_csv"),
        Peer(name, "split", f"{label}, io.lines, gmatch, tonumber, 10 MB", data="csv_stream_small"),
    ]


TABLES = [
    Group(
        "csv_numeric",
        "1 GB of ten numeric columns",
        "csv_numeric_1g",
        "bytes",
        [
            READ,
            *(c("numeric", "fastio, C", threads) for threads in (1, 0)),
            *both("numeric_fastio", "fastio, Python"),
            *both("numeric_inferred_fastio", "fastio, Python, types inferred"),
            *table_peers("numeric"),
        ],
        sessions=1,
        rounds=2,
    ),
    Group(
        "csv_mixed",
        "1 GB of integers, floats, strings and dates, types inferred",
        "csv_mixed_1g",
        "bytes",
        [
            READ,
            *(c("mixed", "fastio, C", threads) for threads in (1, 0)),
            *both("mixed_fastio", "fastio, Python"),
            *table_peers("mixed"),
        ],
        sessions=1,
        rounds=2,
    ),
    Group(
        "csv_numeric_small",
        "100 MB of ten numeric columns, the slower peers",
        "csv_numeric",
        "bytes",
        [
            c("numeric"),
            *both("numeric_fastio", "fastio, Python"),
            *both("numeric_polars", "Polars"),
            py("numeric_pandas_c", "pandas, C engine"),
            py("numeric_pandas_pyarrow", "pandas, pyarrow engine"),
            py("numeric_loadtxt", "numpy.loadtxt"),
            py("numeric_builtin", "csv.reader, int and float, 10 MB", data="csv_stream_small"),
        ],
        sessions=1,
        rounds=4,
    ),
    Group(
        "csv_mixed_small",
        "100 MB of integers, floats, strings and dates, the slower peers",
        "csv_mixed",
        "bytes",
        [
            c("mixed"),
            *both("mixed_fastio", "fastio, Python"),
            *both("mixed_polars", "Polars"),
            py("mixed_pandas_c", "pandas, C engine"),
        ],
        sessions=1,
        rounds=2,
    ),
    Group(
        "loadtxt",
        "2 M rows of two floats as an array",
        "points",
        "bytes",
        [
            *both("loadtxt_fastio", "fastio.loadtxt"),
            py("loadtxt_numpy", "numpy.loadtxt"),
            py("loadtxt_pandas", "pandas, C engine, to_numpy"),
        ],
    ),
    Group(
        "words",
        "1 M rows of six columns between runs of blanks",
        "words",
        "bytes",
        [
            c("words"),
            *both("words_fastio", "fastio, Python"),
            py("words_pandas_c", 'pandas, sep=r"\\s+"'),
            py("words_loadtxt", "numpy.loadtxt"),
        ],
    ),
    Group(
        "usecols",
        "2 of 20 numeric columns",
        "csv_wide",
        "bytes",
        [
            *both("wide_fastio", "fastio, all 20"),
            *both("usecols_fastio", "fastio, 2 of 20"),
            *table_peers("usecols"),
        ],
        agree=False,  # all 20 columns have another sum than two of them
    ),
    Group(
        "csv_count",
        "1 GB of mixed columns: counting the records, cutting between them",
        "csv_mixed_1g",
        "bytes",
        [
            READ,
            *both("count_rows_fastio", "fastio, len(open_csv)"),
            *both("partition_fastio", "fastio.partition into 16"),
            *both("count_rows_polars", "Polars, scan_csv, len"),
            *both("count_rows_duckdb", "DuckDB, count(*)"),
            py("count_rows_builtin", "csv.reader, 100 MB", data="csv_mixed"),
        ],
        sessions=1,
        rounds=2,
        agree=False,
    ),
    Group(
        "csv_lua",
        "100 MB of ten numeric columns in Lua",
        "csv_numeric",
        "bytes",
        [*lua_tables("lua5.4"), *lua_tables("luajit")],
        sessions=1,
        rounds=2,
    ),
    Group(
        "csv_stream",
        "10 GB of ten numeric columns through a pipe, batch by batch",
        "csv_stream",
        "bytes",
        [
            *both("stream_fastio_pipe", "fastio.open_csv, pipe"),
            py("stream_fastio_object", "fastio.open_csv, file object"),
        ],
        sessions=1,
        rounds=0,
        times=100,
        agree=False,
    ),
]

GROUPS = [
    # Short turns: memory that one worker frees is at hand for the next only for a moment (see
    # docs/performance.md), so that each kind of file has a group to itself.
    Group(
        "gigabyte",
        "1 GB of sequential integers into a column",
        "ints_1g",
        "bytes",
        [
            READ,
            usual("fresh_memory", "touching fresh memory for 112 M int64"),
            *(c("read_ints", "fastio, C", threads) for threads in (1, 0)),
            *both("ints_fastio", "fastio, Python"),
        ],
        rounds=4,
    ),
    Group(
        "gigabyte_random",
        "1 GB of integers of 1 to 19 digits into a column",
        "random_ints_1g",
        "bytes",
        [
            *(c("read_ints", "fastio, C", threads) for threads in (1, 0)),
            c("read_ints", "fastio, C: 1 GB of sequential integers", data="ints_1g"),
        ],
        rounds=4,
    ),
    *(
        Group(
            f"gigabyte_{data}",
            f"1 GB of floats of {what} into a column",
            f"{data}_1g",
            "bytes",
            [c("read_floats", "fastio, C", threads) for threads in (1, 0)],
            rounds=4,
        )
        for data, what in (("floats6", "six decimals"), ("floats17", "17 digits"))
    ),
    Group(
        "ints",
        "10 M sequential integers into a column",
        "ints",
        "values",
        columnar("ints", "read_ints"),
    ),
    Group(
        "ints_peers_1g",
        "1 GB of sequential integers, the fastest peers",
        "ints_1g",
        "bytes",
        [
            *both("ints_fastio", "fastio, Python"),
            *both("ints_polars", "Polars"),
            *both("ints_pyarrow", "PyArrow"),
            *both("ints_duckdb", "DuckDB"),
        ],
        sessions=1,
        rounds=2,
        quick=False,
    ),
    Group(
        "ints_random",
        "10 M integers of 1 to 19 digits with signs",
        "random_ints",
        "values",
        columnar("ints", "read_ints"),
        sessions=1,
        quick=False,
    ),
    Group(
        "ints_classic",
        "10 M sequential integers, the usual ways",
        "ints",
        "values",
        classic("ints", "read_ints", "strtol", "int"),
        sessions=1,
        rounds=2,
        quick=False,
    ),
    Group(
        "floats6",
        "5 M floats of six decimals into a column",
        "floats6",
        "values",
        columnar("floats", "read_floats"),
    ),
    Group(
        "floats17",
        "5 M floats of 17 digits into a column",
        "floats17",
        "values",
        columnar("floats", "read_floats"),
    ),
    Group(
        "floats_classic",
        "5 M floats of 17 digits, the usual ways",
        "floats17",
        "values",
        classic("floats", "read_floats", "strtod", "float"),
        sessions=1,
        rounds=2,
        quick=False,
    ),
    *(
        Group(
            f"memory_{data}",
            title,
            data,
            "values",
            [
                c(f"memory_{kind}", "fastio_parse_array"),
                *([usual("memory_fast_float", "fast_float")] if kind == "floats" else []),
                usual(f"memory_from_chars_{kind[:-1]}", "std::from_chars"),
                usual(f"memory_{strto}", strto),
            ],
            rounds=5,
        )
        for data, kind, strto, title in (
            ("ints", "ints", "strtol", "10 M sequential integers in memory"),
            ("random_ints", "ints", "strtol", "10 M integers of 1 to 19 digits in memory"),
            ("floats6", "floats", "strtod", "5 M floats of six decimals in memory"),
            ("floats17", "floats", "strtod", "5 M floats of 17 digits in memory"),
        )
    ),
    Group("count", "Counting the lines of 1 GB of integers", "ints_1g", "bytes", COUNT, rounds=4),
    Group(
        "count_log",
        "Counting the lines of 1.2 GB of a log",
        "log_1g",
        "bytes",
        COUNT,
        sessions=1,
        quick=False,
    ),
    Group(
        "lines_short", "10 M short lines, one at a time", "short_lines", "lines", LINES, rounds=2
    ),
    Group("lines_long", "2 M lines of 100 bytes, one at a time", "long_lines", "lines", LINES),
    Group("read_lines_short", "10 M short lines at once", "short_lines", "lines", READ_LINES),
    Group("read_lines_long", "2 M lines of 100 bytes at once", "long_lines", "lines", READ_LINES),
    Group(
        "read_lines_log",
        "200 MB of a log at once",
        "log",
        "lines",
        READ_LINES,
        sessions=1,
        quick=False,
    ),
    Group(
        "lua_ints",
        "10 M sequential integers in Lua",
        "ints",
        "values",
        [*lua("lua5.4"), *lua("luajit")],
    ),
    Group(
        "luajit_sum",
        "The sum of 10 M integers in LuaJIT",
        "ints",
        "values",
        [
            Peer("luajit", "fastio_pointer_sum", "column through its pointer"),
            Peer("luajit", "ffi_sum", "plain FFI array"),
        ],
        rounds=7,
    ),
    Group("slurp_64k", "Slurping 64 KB", "bytes_64k", "bytes", SLURP),
    Group("slurp_114m", "Slurping 114 MB", "bytes_114m", "bytes", SLURP),
    Group(
        "slurp_2g", "Slurping 2 GB", "bytes_2g", "bytes", SLURP, sessions=1, rounds=2, quick=False
    ),
    Group(
        "disk",
        "10 M sequential integers, not in the page cache",
        "ints",
        "values",
        [
            READ,
            c("read_ints"),
            c("read_ints", threads=0),
            py("ints_fastio", "fastio, Python"),
            py("ints_pandas_c", "pandas, C engine"),
            py("ints_polars", "Polars"),
            py("ints_loadtxt", "numpy.loadtxt"),
        ],
        sessions=1,
        rounds=3,
        evict=True,
        quick=False,
    ),
    Group(
        "import",
        "Starting Python and importing a module",
        "ints",
        "starts",
        [
            py("start_python", "python -c pass"),
            py("start_import_csv", "python -c 'import csv'"),
            py("start_import_fastio", "python -c 'import fastio'"),
        ],
        sessions=1,
        rounds=20,
    ),
    Group(
        "peak",
        "Memory beyond the column while reading 1 GB of integers",
        "ints_1g",
        "bytes",
        [
            c("peak_ints"),
            c("peak_ints", threads=0),
            *both("peak_fastio_ints", "fastio, Python"),
        ],
        sessions=1,
        rounds=0,
        agree=False,
    ),
    *TABLES,
]
