"""Numbers, lines and tables out of huge text files, fast and exact."""

from ._core import (
    Column,
    DecodeError,
    Error,
    Lines,
    MappedFile,
    ParseError,
    RangeError,
    Reader,
    TruncatedError,
    __version__,
    count_lines,
    floats,
    ints,
    lines,
    load,
    open,
    read_bytes,
    read_floats,
    read_ints,
    read_lines,
)

# Not for `from fastio import *`: open, which would hide the built-in one.
__all__ = [
    "Column",
    "DecodeError",
    "Error",
    "Lines",
    "MappedFile",
    "ParseError",
    "RangeError",
    "Reader",
    "TruncatedError",
    "build_info",
    "count_lines",
    "cpu_names",
    "cpu_select",
    "cpu_selected",
    "floats",
    "format_float",
    "format_int",
    "ints",
    "lines",
    "load",
    "parse_float",
    "parse_int",
    "read_bytes",
    "read_floats",
    "read_ints",
    "read_lines",
    "version",
]


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
    """Names of the generated part, looked up when first asked for."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
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
    return sorted({*globals(), *generated})
