"""Tables, JSON and plot of a benchmark run."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from figures import HEAD, Row, cells

Result = dict[str, Any]


def seconds_text(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def spread_text(values: list[float]) -> str:
    """Median, and in brackets the fastest and the slowest."""
    if not values:
        return "-"
    middle = seconds_text(statistics.median(values))
    if len(values) == 1:
        return middle
    return f"{middle} ({seconds_text(min(values))} to {seconds_text(max(values))})"


def median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def items(result: Result) -> float:
    """How many values, lines or bytes a run of the group handles."""
    if result.get("amount"):
        return float(result["amount"])
    if result["unit"] == "bytes":
        return float(result["bytes"])
    for samples in result["modes"].values():
        for peer in samples.values():
            if peer["answer"] and not peer["error"]:
                return float(peer["answer"].split()[0])
    return 0.0


def rate_text(result: Result, seconds: float | None, peer: str) -> str:
    _, _, other = peer.partition("@")
    amount = float(result["sizes"][other]) if other else items(result)
    if not seconds or not amount:
        return "-"
    if result["unit"] == "bytes":
        return f"{amount / seconds / 1e9:.2f} GB/s"
    return f"{amount / seconds / 1e6:.1f} M/s"


def group_rows(result: Result) -> list[list[str]]:
    """One row a peer: label, cores, cold and warm of each mode, the rate of the last mode."""
    modes = result["modes"]
    head = ["", "cores"]
    for mode in modes:
        head += [f"{mode}, cold", f"{mode}, warm"]
    rows = [[*head, "rate"]]
    last = list(modes)[-1]
    for peer, samples in modes[last].items():
        row = [samples["label"], "1" if samples["threads"] else "all"]
        error = next((m[peer]["error"] for m in modes.values() if m[peer]["error"]), "")
        if error:
            rows.append([*row, f"not measured: {error[:100]}"])
            continue
        for mode in modes.values():
            row += [spread_text(mode[peer]["cold"]), spread_text(mode[peer]["warm"])]
        warm = median(samples["warm"]) or median(samples["cold"])
        rows.append([*row, rate_text(result, warm, peer)])
    return rows


def group_table(name: str, result: Result) -> str:
    rows = group_rows(result)
    widths = [
        max((len(row[i]) for row in rows if i < len(row) and len(row) == len(rows[0])), default=0)
        for i in range(len(rows[0]))
    ]
    widths[0] = max(len(row[0]) for row in rows)
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
    size = "" if result.get("amount") else f" ({result['bytes']:,} bytes)"
    return "\n".join([f"== {name}: {result['title']}{size}", *lines])


def markdown_table(rows: list[list[str]]) -> str:
    width = len(rows[0])
    padded = [[*row, *[""] * (width - len(row))] for row in rows]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in padded]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


# ---- what the README shows ----

# work, group, our peer on one core and on all, the others: (label, peer)
README_ROWS = (
    (
        "10 M integers (79 MB) into a column",
        "ints",
        "python:ints_fastio",
        "python:ints_fastio*",
        (
            ("Polars", "python:ints_polars"),
            ("PyArrow", "python:ints_pyarrow"),
            ("DuckDB", "python:ints_duckdb"),
            ("pandas", "python:ints_pandas_c"),
            ("numpy.loadtxt", "python:ints_loadtxt"),
        ),
    ),
    (
        "5 M floats, six decimals (59 MB)",
        "floats6",
        "python:floats_fastio",
        "python:floats_fastio*",
        (
            ("Polars", "python:floats_polars"),
            ("PyArrow", "python:floats_pyarrow"),
            ("DuckDB", "python:floats_duckdb"),
            ("pandas round_trip", "python:floats_pandas_round_trip"),
            ("numpy.loadtxt", "python:floats_loadtxt"),
        ),
    ),
    (
        "5 M floats, 17 digits (97 MB)",
        "floats17",
        "python:floats_fastio",
        "python:floats_fastio*",
        (
            ("Polars", "python:floats_polars"),
            ("PyArrow", "python:floats_pyarrow"),
            ("DuckDB", "python:floats_duckdb"),
            ("pandas round_trip", "python:floats_pandas_round_trip"),
            ("numpy.loadtxt", "python:floats_loadtxt"),
        ),
    ),
    (
        "10 M short lines, all at once",
        "read_lines_short",
        "python:read_lines_fastio",
        "python:read_lines_fastio*",
        (
            ("Polars", "python:read_lines_polars"),
            ("PyArrow", "python:read_lines_pyarrow"),
            ("read().splitlines()", "python:read_lines_splitlines"),
        ),
    ),
    (
        "2 M lines of 100 bytes, one at a time",
        "lines_long",
        "python:lines_fastio_str",
        "",
        (("open()", "python:lines_str"), ("open(), 1 MiB buffer", "python:lines_str_1m")),
    ),
    (
        "counting the lines of 1 GB",
        "count",
        "python:count_fastio",
        "python:count_fastio*",
        (("wc -l", "python:count_wc"), ("StringZilla", "python:count_stringzilla")),
    ),
    (
        "1 GB of ten numeric columns, read_csv",
        "csv_numeric",
        "python:numeric_fastio",
        "python:numeric_fastio*",
        (
            ("Polars", "python:numeric_polars"),
            ("PyArrow", "python:numeric_pyarrow"),
            ("DuckDB", "python:numeric_duckdb"),
        ),
    ),
    (
        "1 GB of numbers, strings and dates, types inferred",
        "csv_mixed",
        "python:mixed_fastio",
        "python:mixed_fastio*",
        (
            ("Polars", "python:mixed_polars"),
            ("PyArrow", "python:mixed_pyarrow"),
            ("DuckDB", "python:mixed_duckdb"),
        ),
    ),
    (
        "1 M rows of six columns between blanks",
        "words",
        "python:words_fastio",
        "python:words_fastio*",
        (
            (r'pandas, sep=r"\s+"', "python:words_pandas_c"),
            ("numpy.loadtxt", "python:words_loadtxt"),
        ),
    ),
    (
        "1 GB of ten numeric columns, write_csv",
        "write_csv",
        "write_python:table_fastio",
        "write_python:table_fastio*",
        (
            ("Polars", "write_python:table_polars"),
            ("PyArrow", "write_python:table_pyarrow"),
        ),
    ),
    (
        "2 M rows of two floats, savetxt",
        "savetxt",
        "write_python:savetxt_fastio",
        "write_python:savetxt_fastio*",
        (("numpy.savetxt", "write_python:savetxt_numpy"),),
    ),
    (
        "10 M integers to a file, C",
        "write_ints_tmpfs",
        "write_fastio:ints",
        "",
        (
            ("std::to_chars + fwrite", "write_usual:ints_to_chars"),
            ("fprintf", "write_usual:ints_fprintf"),
        ),
    ),
    (
        "10 M random doubles to text in memory, C",
        "shortest_bits",
        "write_fastio:bits",
        "",
        (
            ("std::to_chars", "write_usual:bits_to_chars"),
            ('snprintf("%.17g")', "write_usual:bits_snprintf"),
        ),
    ),
    (
        "10 M integers, Lua 5.4",
        "lua_ints",
        "lua5.4:fastio_read_ints",
        "",
        (("file:read('n')", "lua5.4:read_number"),),
    ),
    (
        "10 M integers, LuaJIT",
        "lua_ints",
        "luajit:fastio_read_ints",
        "",
        (("file:read('n')", "luajit:read_number"),),
    ),
    (
        "10 M integers, C and C++",
        "ints_classic",
        "fastio_c:read_ints",
        "",
        (
            ("from_chars", "usual:ints_from_chars"),
            ("strtol", "usual:ints_strtol"),
            ("std::cin, sync off", "usual:ints_cin_nosync"),
            ("fscanf", "usual:ints_fscanf"),
        ),
    ),
)


def readme_table(groups: dict[str, Result]) -> str:
    rows = [
        ["work (Python, unless said)", "fastio, one core", "fastio, all cores", "others, one core"]
    ]
    for work, group, ours, all_cores, others in README_ROWS:
        peers = groups.get(group, {}).get("modes", {}).get("huge", {})

        def warm(peer: str) -> float | None:
            found = peers.get(peer)
            return None if not found or found["error"] else median(found["warm"])

        mine, both = warm(ours), warm(all_cores)
        if mine is None:
            continue
        texts = [
            f"{label} {seconds_text(t)}" for label, peer in others if (t := warm(peer)) is not None
        ]
        rows.append(
            [
                work,
                f"**{seconds_text(mine)}**",
                seconds_text(both) if both else "",
                ", ".join(texts),
            ]
        )
    return markdown_table(rows)


# ---- files ----


def fill(path: Path, marker: str, text: str) -> None:
    """Puts the text between the marker's two comments, if the file has them."""
    begin, end = f"<!-- {marker}: start -->", f"<!-- {marker}: end -->"
    if not path.exists():
        return
    old = path.read_text()
    head, found, rest = old.partition(begin)
    _, closed, tail = rest.partition(end)
    if found and closed:
        path.write_text(f"{head}{begin}\n{text}\n{end}{tail}")


def plot(groups: dict[str, Result], path: Path) -> None:
    """Bars of the warm medians (huge pages), a panel a group; the error bars span all runs."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "fastio", "svg.fonttype": "none"}
    import matplotlib.pyplot as plt

    wanted = (
        "ints",
        "floats6",
        "floats17",
        "read_lines_short",
        "lines_long",
        "count",
        "lua_ints",
        "slurp_114m",
        "csv_numeric",
        "csv_mixed",
        "words",
        "loadtxt",
        "write_ints_tmpfs",
        "shortest_bits",
        "write_fixed",
        "write_csv",
        "savetxt",
        "echo",
    )
    shown = [name for name in wanted if name in groups and "huge" in groups[name]["modes"]]
    if not shown:
        return
    rows = (len(shown) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(13, 3.6 * rows), squeeze=False)
    for axis in axes.flat[len(shown) :]:
        axis.set_visible(False)
    for axis, name in zip(axes.flat, shown):
        bars = [
            (p["label"] + ("" if p["threads"] else ", all cores"), p["warm"], "fastio" in peer)
            for peer, p in groups[name]["modes"]["huge"].items()
            if p["warm"] and not p["error"]
        ]
        bars.sort(key=lambda bar: -statistics.median(bar[1]))
        middles = [statistics.median(values) for _, values, _ in bars]
        errors = [
            [m - min(values) for m, (_, values, _) in zip(middles, bars)],
            [max(values) - m for m, (_, values, _) in zip(middles, bars)],
        ]
        colours = ["#d9480f" if ours else "#8c99a6" for _, _, ours in bars]
        axis.barh(
            [label for label, _, _ in bars],
            middles,
            xerr=errors,
            color=colours,
            ecolor="#444",
            capsize=2,
        )
        axis.set_title(groups[name]["title"], fontsize=10)
        axis.tick_params(labelsize=8)
        axis.set_xlabel("seconds (shorter is better)", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def all_tables(groups: dict[str, Result]) -> str:
    parts = []
    for name, result in groups.items():
        if name == "peak":  # its answer is among the figures
            continue
        size = "" if result.get("amount") else f", {result['bytes']:,} bytes"
        head = f"### {result['title']}\n\n`{name}`{size}"
        parts.append(f"{head}\n\n{markdown_table(group_rows(result))}")
    return "\n\n".join(parts)


def write(everything: dict[str, Any], rows: list[Row], directory: Path, root: Path) -> None:
    """JSON and plot into the directory; for docs (a full run) also the tables of the pages."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "performance.json").write_text(json.dumps(everything, indent=1) + "\n")
    plot(everything["groups"], directory / "performance.svg")
    if directory != root / "docs":
        return
    page = directory / "performance.md"
    where = everything["machine"]
    note = "{processor}, {cores} cores, {system}, Python {python}.".format(**where)
    fill(page, "machine", note)
    fill(page, "figures", markdown_table([HEAD, *(cells(row) for row in rows)]))
    fill(page, "tables", all_tables(everything["groups"]))
    fill(root / "README.md", "performance", readme_table(everything["groups"]))
