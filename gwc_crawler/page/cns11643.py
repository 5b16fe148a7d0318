"""EUC-TW and ISO-2022-CN as Python codecs, which it lacks: the characters of CNS 11643, planes 1 and 2.

The planes have the characters of Big5, nearly in its order, so the tables are made from Big5's when the first such page
appears. Characters of further planes become U+FFFD."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import cache
from typing import Any

_ROW = 94
_GAP = "\ufffd"

_FIRST_HANZI_ROW = 35
_MOVED_1 = {1836: "耄", 3713: "銬", 4626: "薦", 4732: "彞", 4900: "嚨", 4955: "繳"}
_MOVED_2 = {43: "刉", 138: "攷", 2146: "笻", 2792: "筇", 2893: "莚", 4930: "錥", 5077: "徻", 5365: "螤"}
_MOVED_2 |= {5723: "磿", 6312: "鎀", 6530: "舋", 6644: "鎥", 6787: "瀪", 6904: "鐼", 7589: "鬮", 7645: "爩"}
"""Place in the plane → a character that stands elsewhere in Big5."""
_TWICE = "兀嗀"  # stand twice in Big5, the second time where plane 2 has nothing
_OTHER_FORMS = {"彝": "彞"}

_SYMBOLS = {
    0: (
        "\u3000，、。．・；：？！︰…‥﹐﹑﹒·﹔﹕﹖﹗︱—︲–\ufffd\ufffd\ufffd\ufffd（）︵︶｛｝︷︸〔〕︹︺【】︻"
        "︼《》︽︾〈〉︿﹀「」﹁﹂『』﹃﹄﹙﹚﹛﹜﹝﹞‘’“”〝〞′‵＃＆＊※§〃○●△▲◎☆★"
        "◇◆□■▽▼"
    ),
    1: (
        "㊣℅‾\ufffd＿\ufffd﹉﹊﹍﹎﹋﹌﹟﹠﹡＋－×÷±√＜＞＝≦≧≠∞≒≡﹢﹣﹤﹦﹥∼∩∪⊥∠∟⊿㏒㏑"
        "∫∮∵∴♀♂♁☉↑↓→←↖↗↙↘‖｜／＼∕﹨＄￥〒￠￡％＠℃℉﹩﹪﹫㏕㎜㎝㎞㏎㎡㎎㎏㏄°"
        "兙兛兞兝兡兣"
    ),
    2: ("嗧瓩糎▁▂▃▄▅▆▇█▏▎▍▌▋▊▉┼┴┬┤├▔─│▕┌┐└┘╭╮╰╯═╞╪╡◢◣◥◤╱╲╳"),
    3: (
        "０１２３４５６７８９ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ〡〢〣〤〥〦〧〨〩\ufffd卄\ufffdＡＢＣＤＥＦＧＨＩＪＫＬ"
        "ＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚΑΒΓΔ"
        "ΕΖΗΘΙΚ"
    ),
    4: (
        "ΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψωㄅㄆㄇㄈㄉㄊ"
        "ㄋㄌㄍㄎㄏㄐㄑㄒㄓㄔㄕㄖㄗㄘㄙㄚㄛㄜㄝㄞㄟㄠㄡㄢㄣㄤㄥㄦㄧㄨㄩ˙ˉˊˇˋ"
    ),
    5: ("①②③④⑤⑥⑦⑧⑨⑩⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ"),
    6: ("\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd亠\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd冫\ufffd\ufffd\ufffd\ufffd勹"),
    33: ("␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡"),
}
"""Row of plane 1 → its signs."""

_PAIRS = re.compile(
    rb"\x8e([\xa1-\xb0])([\xa1-\xfe])([\xa1-\xfe])|([\xa1-\xfe])([\xa1-\xfe])|([\x00-\x7f]+)|(.)", re.DOTALL
)
_SHIFTS = re.compile(
    rb"\x1b\$([)*+])([A-Z])|\x1bN(..)|\x1bO(..)|(\x0e)|(\x0f)|(\n)|([^\x1b\x0e\x0f\n]+)|(.)", re.DOTALL
)


def register() -> None:
    """Have Python know `euc_tw` and `iso2022_cn`, for decoding."""
    codecs.register({"euc_tw": _codec("euc_tw", _euc_tw), "iso2022_cn": _codec("iso2022_cn", _iso2022_cn)}.get)


def _codec(name: str, decode: Callable[[bytes], str]) -> codecs.CodecInfo:
    def decoded(body: Any, errors: str = "strict", /) -> tuple[str, int]:
        data = bytes(body)
        text = decode(data)
        if errors == "strict" and _GAP in text:
            raise UnicodeDecodeError(name, data, 0, len(data), "no character of planes 1 and 2")
        return (text.replace(_GAP, "") if errors == "ignore" else text), len(data)

    def encoded(text: str, errors: str = "strict") -> tuple[bytes, int]:
        raise UnicodeEncodeError(name, text, 0, len(text), "only decoding is known")

    return codecs.CodecInfo(encoded, decoded, name=name)


def _euc_tw(body: bytes) -> str:
    out = []
    for found in _PAIRS.finditer(body):
        plane, row, column, first, second, plain, _ = found.groups()
        if plain is not None:
            out.append(plain.decode("ascii"))
        elif first is not None:
            out.append(_sign(1, first[0] - 0xA1, second[0] - 0xA1))
        else:
            out.append(_sign(plane[0] - 0xA0, row[0] - 0xA1, column[0] - 0xA1) if plane else _GAP)
    return "".join(out)


def _iso2022_cn(body: bytes) -> str:
    """Decode ISO-2022-CN (RFC 1922): GB 2312 or plane 1 from SO to SI, plane 2 after ESC N; each line begins anew."""
    out, chosen, shifted = [], "", False
    for found in _SHIFTS.finditer(body):
        place, name, two, _, shift_out, shift_in, line, text, _ = found.groups()
        if name is not None:
            chosen = name.decode() if place == b")" else chosen
        elif two is not None:
            out.append(_sign(2, (two[0] & 0x7F) - 0x21, (two[1] & 0x7F) - 0x21))
        elif shift_out is not None or shift_in is not None or line is not None:
            shifted = shift_out is not None
            out.append("\n" if line else "")
            chosen = "" if line else chosen
        elif text is not None:
            out.append(_shifted(text, chosen) if shifted else text.decode("ascii", "replace"))
        else:
            out.append(_GAP)
    return "".join(out)


def _shifted(text: bytes, chosen: str) -> str:
    high = bytes(byte | 0x80 for byte in text)
    if chosen == "G":
        return _euc_tw(high)
    return high.decode("gb2312", "replace") if chosen == "A" else _GAP


def _sign(plane: int, row: int, column: int) -> str:
    """Return the character at a place, counted from 0; U+FFFD if there is none."""
    if plane not in (1, 2) or row < 0 or not 0 <= column < _ROW:
        return _GAP
    table, place = _plane(plane), row * _ROW + column
    return table[place] if place < len(table) else _GAP


@cache
def _plane(number: int) -> str:
    if number == 2:
        return _in_order(b"\xc9\x40", b"\xf9\xd5", _MOVED_2)
    signs = [_SYMBOLS.get(row, "").ljust(_ROW, _GAP) for row in range(_FIRST_HANZI_ROW)]
    return "".join(signs) + _in_order(b"\xa4\x40", b"\xc6\x7e", _MOVED_1)


def _in_order(first: bytes, last: bytes, moved: dict[int, str]) -> str:
    """Return the characters of Big5 from *first* to *last*, with the *moved* ones in the places of the plane."""
    away = frozenset((*moved.values(), *_OTHER_FORMS, *_TWICE))
    trails = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    codes = (bytes((lead, trail)) for lead in range(first[0], last[0] + 1) for trail in trails)
    signs = (code.decode("big5", "ignore") for code in codes if first <= code <= last)
    table = [sign for sign in signs if sign and sign not in away]
    for place, sign in sorted(moved.items()):
        table.insert(place, sign)
    return "".join(table)
