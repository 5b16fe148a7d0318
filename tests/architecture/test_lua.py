"""What Lua scripts share with Python stands once: constants and texts come from there, arguments have names."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib.resources import files

import pytest

from gwc_crawler.frontier.admission import LIMIT_KINDS, PageLimits
from gwc_crawler.frontier.redis.wire import LUA as FRONTIER
from gwc_crawler.network.politeness.shared import LUA as POLITENESS
from gwc_crawler.operate.fleet.register import LUA as FLEET
from gwc_crawler.store.redis_server import Lua

each_package = pytest.mark.parametrize("lua", [FRONTIER, POLITENESS, FLEET], ids=lambda lua: lua.package)


def texts(lua: Lua) -> dict[str, str]:
    """File → what stands in it, comments aside."""
    found = {
        path.name.removesuffix(".lua"): path.read_text("utf-8") for path in files(lua.package).joinpath("lua").iterdir()
    }
    return {name: re.sub("--.*", "", text) for name, text in found.items()}


@each_package
def test_every_argument_has_a_name_and_is_used(lua: Lua) -> None:
    written = texts(lua)
    prelude = "".join(written.pop(name) for name in lua.prelude)
    assert written.keys() == lua.arguments.keys()
    assert set(re.findall(r"ARGS\.(\w+)", prelude)) == set(lua.common)
    for name, text in written.items():
        assert set(re.findall(r"ARGS\.(\w+)", text)) - set(lua.common) == set(lua.arguments[name]), name
    assert not re.search(r"ARGV\[\d", prelude + "".join(written.values()))


@each_package
def test_what_scripts_share_with_python_stands_once(lua: Lua) -> None:
    """Each shared constant is used by the scripts, and its text stands nowhere in them."""
    text = "".join(texts(lua).values())
    for name, value in lua.constants.items():
        assert re.search(rf"\b{name}\b", text), f"no script uses {name}"
        assert not re.search(rf"\blocal {name}\b", text)
        if isinstance(value, str):
            assert f"'{value}" not in text


def test_limits_are_in_the_order_of_their_kinds() -> None:
    assert [one.name for one in fields(PageLimits)] == [kind.name for kind in LIMIT_KINDS]
