"""Labels that the web knows and Python does not: WHATWG's other names, and EUC-TW and ISO-2022-CN, which have no codec.

Whoever imports this has Python know them, so that any `decode` of a stored page works, and w3lib finds them in pages.
"""

from __future__ import annotations

import codecs

from gwc_crawler.page.charset import cns11643

_LABELS = {
    "cp932": "x_sjis ms932 windows_31j",
    "euc_jp": "x_euc_jp cseucpkdfmtjapanese",
    "gb18030": "x_gbk gb_2312_80 csgb2312 chinese",
    "big5hkscs": "x_x_big5 cn_big5 csbig5",
    "cp949": "windows_949 ks_c_5601_1989 ksc_5601 ksc5601 cseuckr csksc56011987",
    "cp1250": "x_cp1250",
    "cp1251": "x_cp1251",
    "cp1252": "x_cp1252",
    "cp1253": "x_cp1253",
    "cp1254": "x_cp1254",
    "cp1255": "x_cp1255",
    "cp1256": "x_cp1256",
    "cp1257": "x_cp1257",
    "cp1258": "x_cp1258",
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
