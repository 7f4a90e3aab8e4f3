"""Numbers, lines and tables out of huge text files, fast and exact."""

from ._core import (
    Column,
    CsvReader,
    DecodeError,
    Error,
    Format,
    Lines,
    Locale,
    MappedFile,
    ParseError,
    RangeError,
    Reader,
    Table,
    TruncatedError,
    Writer,
    __version__,
    concat,
    count_lines,
    floats,
    format,
    glob,
    ints,
    lines,
    load,
    open,
    open_csv,
    partition,
    read_bytes,
    read_csv,
    read_floats,
    read_ints,
    read_lines,
    sniff,
)

# Not for `from fastio import *`: open and format, which would hide the built-in ones, and glob, which would hide the
# module.
__all__ = [
    "Column",
    "CsvReader",
    "DecodeError",
    "Dialect",
    "Error",
    "Format",
    "Lines",
    "Locale",
    "MappedFile",
    "ParseError",
    "Place",
    "Range",
    "RangeError",
    "Reader",
    "Report",
    "Table",
    "TruncatedError",
    "Writer",
    "build_info",
    "compression_names",
    "concat",
    "copy",
    "count_lines",
    "count_utf8",
    "cpu_names",
    "cpu_select",
    "cpu_selected",
    "encoding_name",
    "fixed",
    "floats",
    "format_date",
    "format_float",
    "format_hex",
    "format_int",
    "format_time",
    "format_timestamp",
    "general",
    "hexadecimal",
    "integer",
    "ints",
    "lines",
    "load",
    "loadtxt",
    "log",
    "open_csv",
    "parse_date",
    "parse_float",
    "parse_int",
    "parse_time",
    "parse_timestamp",
    "partition",
    "read_bytes",
    "read_csv",
    "read_floats",
    "read_ints",
    "read_lines",
    "savetxt",
    "scientific",
    "sniff",
    "stderr",
    "stdin",
    "stdout",
    "transcode",
    "utf8_valid",
    "validate_utf8",
    "version",
    "write_csv",
    "write_floats",
    "write_ints",
    "write_lines",
]

# Python, imported when first asked for.
_LAZY = {
    "Dialect": "_table",
    "Place": "_table",
    "Range": "_table",
    "Report": "_table",
    "copy": "_write",
    "fixed": "_write",
    "general": "_write",
    "hexadecimal": "_write",
    "integer": "_write",
    "loadtxt": "_loadtxt",
    "savetxt": "_savetxt",
    "scientific": "_write",
    "write_csv": "_write",
    "write_floats": "_write",
    "write_ints": "_write",
    "write_lines": "_write",
}
_MODULES = ("aio",)
_STREAMS = ("log", "stderr", "stdin", "stdout")


def _load_generated():
    """fastio._swig, the generated part: it lives in the same shared object as _core."""
    import sys
    from importlib.machinery import ExtensionFileLoader, ModuleSpec
    from importlib.util import module_from_spec

    from . import _core

    name = __name__ + "._swig"
    if name not in sys.modules:
        spec = ModuleSpec(name, ExtensionFileLoader(name, _core.__file__), origin=_core.__file__)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def __getattr__(name):
    """Names of the generated part and of Python modules, looked up when first asked for."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _LAZY:
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name in _STREAMS:
        from ._write import standard

        value = standard(name)
        globals()[name] = value
        return value
    generated = _load_generated()
    if name == "_swig":
        value = generated
    elif name.startswith("_") or not hasattr(generated, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        value = getattr(generated, name)
    globals()[name] = value
    return value


def __dir__():
    generated = [name for name in dir(_load_generated()) if not name.startswith("_")]
    return sorted({*globals(), *_LAZY, *_MODULES, *_STREAMS, *generated})
