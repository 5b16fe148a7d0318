"""Detect the charset that bytes are really in, and the evidence for it.

The page's own declaration comes first; then the bytes are checked against it, because pages lie. A few bytes that fit
nothing are damage, and become U+FFFD, as in browsers. GB2312 and GBK mean GB18030, which includes both."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise

from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

from gwc_crawler.page import cns11643

# --- Labels that the web knows and Python does not --------------------------------------------------------------------

_LABELS = {
    "cp932": "x_sjis ms932 windows_31j",
    "euc_jp": "x_euc_jp cseucpkdfmtjapanese",
    "gb18030": "x_gbk gb_2312_80 csgb2312 chinese",
    "big5hkscs": "x_x_big5 cn_big5 csbig5",
    "cp949": "windows_949 ks_c_5601_1989 ksc_5601 ksc5601 cseuckr csksc56011987",
    **{f"cp{number}": f"x_cp{number}" for number in range(1250, 1259)},
    "cp874": "windows_874 dos_874",
    "iso8859_6": "iso_8859_6_e iso_8859_6_i csiso88596e csiso88596i",
    "iso8859_8": "iso_8859_8_e iso_8859_8_i csiso88598e csiso88598i logical visual",
    "koi8_r": "koi koi8",
    "koi8_u": "koi8_ru",
    "mac_cyrillic": "x_mac_cyrillic x_mac_ukrainian",
    "mac_roman": "x_mac_roman",
    "utf_8": "unicode_1_1_utf_8 unicode11utf8 unicode20utf8 x_unicode20utf8",
    "euc_tw": "x_euc_tw euctw",
    "iso2022_cn": "iso_2022_cn iso_2022_cn_ext csiso2022cn",
}
"""Codec → labels of the Encoding Standard (whatwg.org, *Names and labels*) that Python lacks, as it asks for them."""

_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}


def _find(name: str) -> codecs.CodecInfo | None:
    label = name.replace("-", "_")
    return codecs.lookup(_CODECS[label]) if label in _CODECS else None


cns11643.register()
codecs.register(_find)

_ESCAPES = (
    ("iso2022_jp_ext", re.compile(rb"\x1b(?:\$[@B]|\([IJ]|\$\(D)")),
    ("iso2022_kr", re.compile(rb"\x1b\$\)C")),
    ("iso2022_cn", re.compile(rb"\x1b\$\)[AEG]")),
)
"""Codec → what switches to its characters; such a page is all ASCII. WHATWG reads the first alone, and of the others
nothing, lest they hide markup: we read them, because nobody runs what is on a page here."""

_ASCII = bytes(range(0x80))
_LONE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
"""Matches a non-ASCII byte between ASCII ones, which UTF-8 never has: text pasted from Windows-1252 looks like this."""
_LONE_EACH = 10
"""Lone bytes per whole character up to which a page keeps the UTF-8 that it declares. In the charset corpus, read as
UTF-8, up to .28 of the sequences are whole in other charsets, .62 or more in damaged UTF-8."""
_HOPELESS = 16  # broken sequences next to the first one that five damaged bytes can't cause: no need to read on

_WIDE_TAGS = {"utf-16-le": re.compile(rb"<\0[!/?a-zA-Z]\0"), "utf-16-be": re.compile(rb"\0<\0[!/?a-zA-Z]")}
"""Match the beginning of a tag. Between two characters it can't occur: U+3C00 and its like are hardly ever written."""

_SAMPLE_RUNS = re.compile(rb"[\x80-\xff][\x40-\xff]*")
"""Matches a non-ASCII byte with the likely rest of its sentence, whole, so that the next match does not begin inside a
character; second bytes of GBK, Big5 and Shift-JIS begin at 0x40."""

_HIGH_RUNS = re.compile(rb"[\x80-\xff]+")
_LONG_RUN = 2.5
"""Mean length of non-ASCII runs that is too long for Western text (single accented letters) under a Latin-1 label."""

_SAMPLE_RUN_COUNT = 120
_SAMPLE_BYTES = 7_680
_FIRST_LOOK = 512
"""Bytes that are looked at first: of the sample, whether they confirm the declaration; around what is no UTF-8."""

_FEW_ERRORS = 0.03
"""Share of undecodable characters a page may have and still be what it declares (cut-off bodies, pasted text), where no
language's commonest characters tell more."""

_SURE_UTF8 = 4
"""Multi-byte characters, all valid, that are no accident: with fewer, the declaration wins over valid UTF-8."""

_PLAUSIBLE = 0.10
"""Least share of a language's commonest characters in text that is really in it. Real pages of the charset corpus have
.2 to .8; bytes read in the wrong charset come to .00 to .06."""

_RARE = 0.1
"""Share of the non-ASCII bytes that may be damage where a single-byte charset is guessed. On 404 pages of the corpus
without their declarations one to five damaged bytes changed what chardet says of 30; asked so, of 10."""
_TEXTS = re.compile(rb"[^<>\x80-\xff]{0,40}[\x80-\xff][^<>]{0,200}")
_TEXT_COUNT = 60
"""The texts given to chardet. It names 403 of the 404 pages right (with 64 KB of each: 400), in half the time."""
_GUESSED = (
    "utf-8 gb18030 big5 euc-jp shift_jis euc-kr koi8-r koi8-u cp866 cp874 mac-roman mac-cyrillic "
    "cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 "
    "iso8859-1 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-10 "
    "iso8859-13 iso8859-14 iso8859-15 iso8859-16"
)
"""The charsets of browsers: no page is in a code page of DOS but the Russian one."""

_SINGLE_BYTE = re.compile(r"cp\d+|iso8859[-_]\d+|koi8[-_][ru]|mac[-_]\w+|latin[-_]?\d")
_MULTI_BYTE_CP = frozenset({"cp932", "cp936", "cp949", "cp950"})

_PUNCTUATION = "，。、；：？！“”《》（）「」【】·…"
_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公"
    "此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西月话合回特代"
    "内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少"
    "报才结反受目太量再感建务做接必场件计管期市直资命山金指许统区保至队形社便空首页下载登录注册网站版链接搜索价格商品图片评"
    + _PUNCTUATION
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事"
    "成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公"
    "此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西月話合回特代"
    "內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活更別打女變四神總何電數安少"
    "報才結反受目太量再感建務做接必場件計管期市直資命山金指許統區保至隊形社便空首頁下載登錄註冊網站版鏈接搜尋價格商品圖片評"
    + _PUNCTUATION
)
_KANA = frozenset(map(chr, range(0x3041, 0x30FF))) | frozenset("、。「」年月日")
_KOREAN = frozenset("이다는을의에가고하지한로사기도어리은시자나를인스서해그있대수아정들라일만전보부원요니")

_FREQUENT: dict[str, frozenset[str]] = {
    "gb18030": _SIMPLIFIED,
    "big5hkscs": _TRADITIONAL,
    "cp932": _KANA,
    "euc_jp": _KANA,
    "cp949": _KOREAN,
}
_COMMONEST = {**_FREQUENT, "euc_tw": _TRADITIONAL}
"""Also those that are asked for only where they are declared, or nothing else fits."""


@dataclass(frozen=True, slots=True)
class CharsetEvidence:
    """A Python codec, and in words what chose it."""

    codec: str
    why: str


def detect_charset(body: bytes, content_type: str | None = None) -> str:
    """Return the Python codec name of a page's bytes; see `charset_evidence`.

    >>> detect_charset('<meta charset="gb2312"><p>镕基</p>'.encode("gbk"))
    'gb18030'
    """
    return charset_evidence(body, content_type).codec


def charset_evidence(body: bytes, content_type: str | None = None) -> CharsetEvidence:
    """Say in which charset a page's bytes are, and why.

    A byte order mark decides, then UTF-8 with several multi-byte characters, also with a few broken bytes. Else what is
    declared holds if nearly all bytes decode and Chinese, Japanese or Korean text has that language's commonest
    characters. Else the most plausible of the East Asian charsets, else chardet's opinion.

    Source:
        MD5-tree, *Charset* (header, then meta, which wins; GB2312 means GBK); HTML Standard (header, then meta). We ask
        the header first, but one of Latin-1, a server's default, last; and we let the bytes object, because on real
        sites either is wrong often enough to lose whole pages.

    >>> print(charset_evidence("<p>你好，世界</p>".encode(), "text/html; charset=gb2312").why)
    it is valid UTF-8, though the header says gb18030
    """
    bom, _ = read_bom(body[:4])
    if bom:
        return CharsetEvidence(bom, "its byte order mark")
    if b"\x00" in body and (wide := _wide(body)):
        return CharsetEvidence(wide, "of each character's bytes one is NUL")
    declared = _declared(body, content_type)
    if b"\x1b" in body and (hidden := _of_escapes(body)):
        return CharsetEvidence(hidden, "its escape sequences")
    if body.isascii():
        said = f"{next(iter(declared.values()))} says so" if declared else "nothing is declared"
        return CharsetEvidence(next(iter(declared), "utf-8"), f"{said}; all of it is ASCII")
    if utf8 := _utf8(body, declared):
        return CharsetEvidence("utf-8", utf8 + _contradicted(declared, "utf-8"))
    sample = b"\n".join(run[0] for run in islice(_SAMPLE_RUNS.finditer(body), _SAMPLE_RUN_COUNT))[:_SAMPLE_BYTES]
    for codec in declared:
        if _holds(codec, body, sample):
            return CharsetEvidence(codec, f"{declared[codec]} says so, and the bytes agree")
    codec, why = _best_guess(body, sample, list(declared))
    return CharsetEvidence(codec, why + _contradicted(declared, codec))


def _contradicted(declared: dict[str, str], codec: str) -> str:
    others = [f"{source} says {named}" for named, source in declared.items() if named != codec]
    return f", though {' and '.join(others)}" if others else ""


def decode_bytes(body: bytes, charset: str) -> str:
    """Decode with a Python codec, or with the codec that a label of the web means; errors become U+FFFD."""
    if charset in _WIDE_TAGS:
        # UTF-16 begins anew at tags that stand between two characters: a byte was lost or came in before
        starts = [0]
        for tag in _WIDE_TAGS[charset].finditer(body):
            if (tag.start() - starts[-1]) % 2:
                starts.append(tag.start())
        return "".join(body[start:end].decode(charset, "replace") for start, end in pairwise((*starts, len(body))))
    if charset.startswith("iso2022_jp"):
        # ISO-2022-JP begins anew at each escape and, as RFC 1468 wants it, with ASCII at the end of a line
        parts = body.replace(b"\n", b"\x1b(B\n").split(b"\x1b")
        escaped = [parts[0], *(b"\x1b" + part for part in parts[1:])]
        return "".join(part.decode(charset, "replace") for part in escaped)
    try:
        return to_unicode(body, charset)
    except LookupError:
        return to_unicode(body, resolve_encoding(charset) or "utf-8")


def _declared(body: bytes, content_type: str | None) -> dict[str, str]:
    """Return the declared codecs and their source, each once: the header first, unless it is a default, Latin-1."""
    declared: dict[str, str] = {}
    header = http_content_type_encoding(content_type) if content_type else None
    said = [(header, "the header"), (html_body_declared_encoding(body), "the page's meta")]
    for label, source in reversed(said) if header == "cp1252" else said:
        if label:
            # A page whose meta was readable as ASCII can't be UTF-16 or UTF-32: HTML says it then is UTF-8.
            declared.setdefault("utf-8" if label.startswith(("utf-16", "utf-32")) else label, source)
    return declared


def _wide(body: bytes) -> str | None:
    """Name the UTF-16 or UTF-32 that the places of NULs show; None if they are anywhere, like those of damage."""
    places = [body[first::4].count(0) * 4 for first in range(4)]
    if min(sorted(places)[1:]) > len(body) / 2:
        return "utf-32-le" if places[0] < places[3] else "utf-32-be"
    high, low = places[0] + places[2], places[1] + places[3]
    if max(high, low) < len(body) / 8 or min(high, low) > max(high, low) / 2:
        return None
    return "utf-16-be" if high > low else "utf-16-le"


def _of_escapes(body: bytes) -> str | None:
    """Name the charset that hides in seven bits behind escapes; damage may have put a few other bytes there."""
    if len(body.translate(None, _ASCII)) > len(body) / 40:
        return None
    return next((codec for codec, escape in _ESCAPES if escape.search(body)), None)


def _utf8(body: bytes, declared: dict[str, str]) -> str:
    """Say in which way the bytes are UTF-8, all or all but a few; "" where they are not. The end may be cut off."""
    claimed = not declared or "utf-8" in declared
    try:
        (text, read), why = codecs.utf_8_decode(body), "it is valid UTF-8"
    except UnicodeDecodeError as error:
        around = body[max(0, error.start - _FIRST_LOOK // 2) : error.start + _FIRST_LOOK // 2]
        lone_each = _LONE_EACH if "utf-8" in declared else 1
        if not (_is_damaged_utf8(around, lone_each, _HOPELESS) and _is_damaged_utf8(body, lone_each)):
            return ""
        (text, read), why = codecs.utf_8_decode(body, "replace"), "it is UTF-8 but for a few bytes"
    surplus = read - len(text)
    return why if surplus >= (1 if claimed else 2 * _SURE_UTF8) else ""


def _is_damaged_utf8(body: bytes, lone_each: int, hopeless: int = 0) -> bool:
    """Say whether more is whole than broken, with *lone_each* pasted bytes for each whole character."""
    text, read = codecs.utf_8_decode(body, "replace")
    broken = text.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    whole = len(text) - broken - (read - len(body[:read].translate(None, _ASCII)))
    lone = len(_LONE.findall(body))
    return broken < hopeless or (whole > broken - lone and (read - len(text)) * lone_each >= lone)


def _holds(codec: str, body: bytes, sample: bytes) -> bool:
    """Say whether the bytes can be in the declared charset."""
    if codec in _COMMONEST:
        if _plausibility(codec, sample[:_FIRST_LOOK]) >= _PLAUSIBLE:
            return True
        others = _most_plausible(sample)[1]  # on a short page five broken bytes may cost more than all hits bring
        if _plausibility(codec, sample, error_cost=0) >= _PLAUSIBLE > others:
            return True
        return _plausibility(codec, sample) >= others and _error_share(decode_bytes(body, codec)) <= _FEW_ERRORS
    if codec == "cp1252" and len(body.translate(None, _ASCII)) > _LONG_RUN * len(_HIGH_RUNS.findall(body)):
        return False
    if _SINGLE_BYTE.fullmatch(codec) and codec not in _MULTI_BYTE_CP:
        return _most_plausible(sample)[1] < 2 * _PLAUSIBLE  # every byte decodes: ask for better claims instead
    return _error_share(decode_bytes(body, codec)) <= _FEW_ERRORS


def _best_guess(body: bytes, sample: bytes, declared: list[str]) -> tuple[str, str]:
    """Choose where nothing is declared, or nothing declared can be true; also says why."""
    codec, plausibility = _most_plausible(sample)
    least = max(_PLAUSIBLE, 2 * plausibility)
    if plausibility < 2 * _PLAUSIBLE and _plausibility("euc_tw", sample[: 4 * _FIRST_LOOK]) >= least:  # takes 1 ms
        return "euc_tw", _COMMON
    if plausibility >= _PLAUSIBLE:
        return codec, _COMMON
    with suppress(UnicodeDecodeError):  # of two short Chinese words nothing more can be said
        sample.decode("gb2312")
        if _error_share(decode_bytes(body, "gb18030")) <= _RARE:
            return "gb18030", "all its bytes are pairs of GB 2312"
    if (named := _by_chardet(body)) and _error_share(decode_bytes(body, named)) <= _RARE:
        return named, "chardet names it"
    lonely = 2 * len(_LONE.findall(body)) >= len(body.translate(None, _ASCII))
    left = [*declared, "utf-8", "cp1252" if lonely else "gb18030"]
    fewest = min(left, key=lambda name: _error_share(decode_bytes(body, name)))
    return fewest, "nothing fits; in it the fewest bytes can't be read"


_COMMON = "read in it the text has its language's commonest characters"


def _most_plausible(sample: bytes) -> tuple[str, float]:
    ranked = [(codec, _plausibility(codec, sample)) for codec in _FREQUENT]
    return max(ranked, key=lambda pair: pair[1])


def _plausibility(codec: str, sample: bytes, error_cost: int = 3) -> float:
    """Return the share of a charset's commonest characters among the non-ASCII ones, less what errors cost."""
    text = "".join(character for character in sample.decode(codec, "replace") if character > "\x7f")
    if not text:
        return 0.0
    frequent = _COMMONEST[codec]
    hits = sum(character in frequent for character in text)
    return (hits - 1 - error_cost * text.count("\ufffd")) / len(text)  # one hit may be luck


def _by_chardet(body: bytes) -> str | None:
    """Ask chardet, which requires everything to be decodable: once more without rare bytes, maybe damage."""
    texts = b"\n".join(text[0] for text in islice(_TEXTS.finditer(body), _TEXT_COUNT))
    named = _named(texts)
    if named in _FREQUENT:
        return named
    # without the non-ASCII bytes that are seldom on the page, a tenth of all at most
    counts = sorted((texts.count(byte), byte) for byte in range(0x80, 0x100))
    sums = accumulate(count for count, _ in counts)
    most = _RARE * sum(count for count, _ in counts)
    rare = {byte for (_, byte), so_far in zip(counts, sums, strict=True) if so_far <= most}
    whole = _named(texts.translate(bytes(0x20 if byte in rare else byte for byte in range(0x100))))
    return whole if whole and 0 < _error_share(decode_bytes(texts, whole)) <= _RARE else named


def _named(body: bytes) -> str | None:
    from chardet import detect  # loaded when the first such page appears: its models take longer than a page

    encoding = detect(body, include_encodings=_GUESSED.split())["encoding"]
    return resolve_encoding(encoding) if encoding else None


def _error_share(text: str) -> float:
    """Return the share of characters that could not be decoded among the non-ASCII ones."""
    errors = text.count("\ufffd")
    return errors / sum(character > "\x7f" for character in text) if errors else 0.0
