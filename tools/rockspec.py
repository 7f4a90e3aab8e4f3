"""Write the rockspec's list of sources anew: python3 tools/rockspec.py

LuaRocks' rockspecs cannot list a folder, so the list is text; tools/checks/version.py fails when it is out of date.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROCKSPEC = ROOT / "fastio-scm-1.rockspec"


def sources() -> list[str]:
    """Every C file of the Lua module."""
    files = [*ROOT.glob("lua/src/*.c"), *ROOT.glob("libfastio/src/*/*.c")]
    return ["bindings/swig/generated/fastio_lua_wrap.c", *sorted(str(f.relative_to(ROOT)) for f in files)]


if __name__ == "__main__":
    lines = "".join(f'        "{name}",\n' for name in sources())
    text = ROCKSPEC.read_text(encoding="utf-8")
    text = re.sub(r"(sources = \{\n).*?(^      \})", rf"\g<1>{lines}\2", text, flags=re.MULTILINE | re.DOTALL)
    ROCKSPEC.write_text(text, encoding="utf-8")
