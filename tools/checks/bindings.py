"""Every public C function is reached from Python and from Lua, or the reason why not stands here."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SWIG = ["bindings/swig/fastio.i", "bindings/swig/errors.i"]
SOURCES = {
    "Python": [*SWIG, "bindings/swig/python.i", "python/src/*.c", "python/src/*.h"],
    "Lua": [*SWIG, "bindings/swig/lua.i", "lua/src/*.c", "lua/src/*.h"],
}

# function: (languages, reason); a reason that no longer holds is a fault too.
BOTH = ("Python", "Lua")
TRANSCODER = "transcode() takes what is in memory; readers, writers and copy() do it in a stream"
SKIPPED: dict[str, tuple[tuple[str, ...], str]] = {
    "fastio_column_export_array": (("Lua",), "Lua has no Arrow library to hand a column to"),
    "fastio_column_export_schema": (("Lua",), "Lua has no Arrow library to hand a column to"),
    "fastio_commit_through": (BOTH, "what fastio_commit falls back on"),
    "fastio_csv_export_stream": (BOTH, "Python's stream calls back into the reader, which needs the GIL; Lua has no Arrow library"),
    "fastio_env_init": (("Lua",), "its defaults are what Lua uses"),
    "fastio_format_f32_as": (("Lua",), "a number of Lua is a double"),
    "fastio_next_f32": (("Python",), "a float of Python is a double"),
    "fastio_next_u64": (("Python",), "Reader.read_int is int64; ints(dtype='uint64') takes many at once"),
    "fastio_parse_array": (BOTH, "read_ints and read_floats do it with data, into a column"),
    "fastio_reserve_more": (BOTH, "what fastio_reserve falls back on: memory to be written in place"),
    "fastio_source_size": (("Lua",), "a hint for progress, which the core reports itself"),
    "fastio_source_stdio": (("Python",), "Python has no FILE"),
    "fastio_table_export_array": (("Lua",), "Lua has no Arrow library to hand a table to"),
    "fastio_table_export_schema": (("Lua",), "Lua has no Arrow library to hand a table to"),
    "fastio_table_export_stream": (("Lua",), "Lua has no Arrow library to hand a table to"),
    "fastio_transcoder_errors": (BOTH, TRANSCODER),
    "fastio_transcoder_free": (BOTH, TRANSCODER),
    "fastio_transcoder_new": (BOTH, TRANSCODER),
    "fastio_transcoder_run": (BOTH, TRANSCODER),
    "fastio_write_bool": (("Python",), "print writes what str() says"),
    "fastio_write_csv_stream": (("Lua",), "Lua has no Arrow library to take a stream from"),
    "fastio_write_date": (BOTH, "dates are text in Lua, and print as str() has them in Python"),
    "fastio_write_f32": (("Lua",), "a number of Lua is a double"),
    "fastio_write_f32_as": (("Lua",), "a number of Lua is a double"),
    "fastio_write_hex": (BOTH, "write(format_hex(data)) does"),
    "fastio_write_pointer": (BOTH, "there are no pointers"),
    "fastio_write_text": (BOTH, "strings know their length"),
    "fastio_write_text_as": (BOTH, "write(format(text, how)) does"),
    "fastio_write_through": (BOTH, "what fastio_write falls back on"),
    "fastio_write_time": (BOTH, "the same of times"),
    "fastio_write_timestamp": (BOTH, "the same of timestamps"),
    "fastio_write_u64": (("Lua",), "write_int takes a format, the default one too"),
    "fastio_writer_buffer": (BOTH, "memory of the caller's that does not grow"),
    "fastio_writer_fileno": (("Lua",), "Lua has no use for a descriptor"),
    "fastio_writer_lock": (("Python",), "its own lock knows the GIL"),
    "fastio_writer_redirect": (("Lua",), "its writers know where their bytes go, callbacks of Lua's too"),
    "fastio_writer_stdio": (BOTH, "Python has no FILE; in Lua a file is a device, whose own buffer is the only one"),
    "fastio_writer_take": (BOTH, "getvalue() and value() copy the bytes into the language's own string"),
    "fastio_writer_unlock": (("Python",), "its own lock knows the GIL"),
}


def public() -> set[str]:
    header = (ROOT / "libfastio/include/fastio.h").read_text(encoding="utf-8")
    return set(re.findall(r"^FASTIO_API [^;(]*?\b(fastio_\w+)\(", header, re.MULTILINE))


def reached(patterns: list[str], declared: set[str]) -> set[str]:
    text = "".join(path.read_text(encoding="utf-8") for pattern in patterns for path in sorted(ROOT.glob(pattern)))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)  # a mention is no use
    named = set(re.findall(r"\bfastio_\w+", text))
    # fastio_parse_##name in a macro: what the macro is used with is spelled out in the cases below it.
    pasted = {prefix + suffix for prefix in re.findall(r"\b(fastio_\w+)##", text) for suffix in re.findall(r"\b[iuf]\d+\b", text)}
    return (named | pasted) & declared


def faults() -> list[str]:
    declared = public()
    assert len(declared) > 50, "the header's declarations were not found"
    found = [f"{name} is skipped, but fastio.h does not declare it" for name in sorted(set(SKIPPED) - declared)]
    for language, patterns in SOURCES.items():
        skipped = {name for name, (languages, _) in SKIPPED.items() if language in languages}
        used = reached(patterns, declared)
        found += [f"{language} does not reach {name}" for name in sorted(declared - used - skipped)]
        found += [f"{language} reaches {name}, which is skipped" for name in sorted(skipped & used)]
    return found


found = faults()
print("\n".join(found))
sys.exit(1 if found else 0)
