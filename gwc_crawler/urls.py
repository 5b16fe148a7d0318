"""URL arithmetic: one normal form, joining, the dedup key, and what belongs to one site.

Normalised http(s) URLs are all ASCII, equal exactly if they name the same resource by RFC 3986, and a fixed point of
`w3lib.url.safe_url_string`, so a `scrapy.Request` keeps them unchanged."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from struct import Struct
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

try:
    from _md5 import md5  # type: ignore[import-not-found]  # CPython's: for short texts half the time of OpenSSL's
except ImportError:
    from hashlib import md5

if TYPE_CHECKING:
    from tldextract import TLDExtract


KEPT_HOSTS = 10_000  # hosts of which something is remembered that can be found out again
KEPT_URLS = 100_000  # URLs that are remembered so that nothing is done or told twice

DEFAULT_PORTS = {"http": "80", "https": "443"}

_KEY = Struct(">q")
_UNRESERVED = "A-Za-z0-9_~."
_SEGMENT = rf"[{_UNRESERVED.replace('.', '')}!$&()*+,=@-][{_UNRESERVED}!$&()*+,=@-]*"
_PLAIN_PATH = rf"(?:{_SEGMENT}(?:/{_SEGMENT})*/?)?"
_PLAIN_QUERY = rf"(?:\?[{_UNRESERVED}!$&()*+,;=@:/?-]+)?"
_PLAIN_RELATIVE = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*/?{_PLAIN_QUERY}")
_PLAIN_ROOTED = re.compile(rf"/{_PLAIN_PATH}{_PLAIN_QUERY}")
_PLAIN_ABSOLUTE = re.compile(rf"(https?)://([a-z0-9.:-]+)/{_PLAIN_PATH}{_PLAIN_QUERY}")
"""Hrefs that are in normal form already: no escapes, no dot or empty segments, no ';' (urljoin has rules for it)."""

_ASSIGNED = re.compile(r"[\w.%\[\]-]+=", re.ASCII)  # how a pair of a query begins
_PARAMETERS = re.compile(";[^/]*")
_PATH_SAFE = "/!$&'()*+,;=:@%~"
_QUERY_SAFE = "/!$&()*+,;=:@%~?"
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_HOST = re.compile(
    r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*"
)
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_STRIPPED = "".join(map(chr, range(0x21)))
_INNER_WHITE = str.maketrans("", "", "\t\n\r")


def normalize_url(url: str) -> str | None:
    """Bring an absolute http(s) URL into its one normal form; None for anything else.

    Scheme and host in lower case, the host as IDNA without a final dot; user name, password, default port and fragment
    dropped; an empty path is "/", dot segments are resolved, an empty query is dropped. Escapes: unreserved
    characters stand bare, hex digits are upper case, a "%" that starts no escape is "%25", whatever else a URL may not
    hold is escaped as UTF-8. Query keys keep their order. Idempotent.

    Source:
        Berners-Lee, Fielding, Masinter, RFC 3986 (2005), §6.2.2 and §6.2.3. Credentials are dropped besides, so that
        none get into a database or a log.

    >>> normalize_url("HTTP://Bücher.example:80/a/../%7ejoe/?q=a b#top")
    'http://xn--bcher-kva.example/~joe/?q=a%20b'
    """
    if (plain := _PLAIN_ABSOLUTE.fullmatch(url)) and _authority(*plain.groups()) == plain[2]:
        return url
    try:
        parts = urlsplit(url.strip(_STRIPPED).translate(_INNER_WHITE))
    except ValueError:
        return None
    scheme = parts.scheme
    if scheme not in DEFAULT_PORTS or not (authority := _authority(scheme, parts.netloc)):
        return None
    path = _resolve_dots(_escape(parts.path, _PATH_SAFE))
    query = _escape(parts.query, _QUERY_SAFE)
    return f"{scheme}://{authority}{path}{'?' + query if query else ''}"


def join_url(base: str, href: str) -> str | None:
    """Make *href*, found on *base*, absolute and normalised: `normalize_url(urljoin(base, href))`, only cheaper.

    >>> join_url("http://a.example/shop/list.html", "item.html?id=3#reviews")
    'http://a.example/shop/item.html?id=3'
    """
    page = href.partition("#")[0]
    if _PLAIN_ROOTED.fullmatch(page):
        if origin := _origin(base):
            return origin + page
    elif _PLAIN_RELATIVE.fullmatch(page):
        if directory := _directory(base):
            return directory + page
    elif (plain := _PLAIN_ABSOLUTE.fullmatch(page)) and _authority(*plain.groups()) == plain[2]:
        return page
    return _join_slowly(base, href)


@lru_cache(maxsize=32_768)
def url_key(url: str) -> int:
    """Return the exact-dedup key of a normalised URL: the first 64 bits of its MD5 as a signed int (fits SQLite).

    Source:
        MD5-tree (the 16 hex digits of its tree, kept as one number).

    >>> url_key("http://example.com/")
    -6431396076138244110
    """
    number: int = _KEY.unpack_from(md5(url.encode(), usedforsecurity=False).digest())[0]
    return number


def host_of(url: str) -> str:
    """Return "host" or, for a port that isn't the scheme's own, "host:port"; "" if there is none.

    >>> host_of("http://127.0.0.1:8765/shop")
    '127.0.0.1:8765'
    """
    plain = _PLAIN_ABSOLUTE.match(url)
    scheme, netloc = plain.groups() if plain else _split_authority(url)
    return _authority(scheme, netloc) or ""


@lru_cache(maxsize=65_536)
def site_of(url_or_host: str) -> str:
    """Return the site identifier (T-Spider, algorithm 2): the registered domain, or host:port if there is none.

    `news.sina.com.cn` and `finance.sina.com.cn` are one site. IP addresses and single names such as `localhost` are
    told apart by port, since a test machine runs one site on each. The public suffix list is the one packed with
    tldextract; no network is used. For an unknown ending, the last two labels count.
    Pass hosts (`host_of`) rather than URLs in a loop: answers are cached by argument.

    >>> site_of("http://finance.sina.com.cn/stock/")
    'sina.com.cn'
    >>> site_of("localhost:8765")
    'localhost:8765'
    """
    host = host_of(url_or_host if "://" in url_or_host else f"http://{url_or_host}/")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if "." not in name or _IPV4.fullmatch(name) or name.startswith("["):
        return host
    return _suffixes()(name).top_domain_under_public_suffix or ".".join(name.split(".")[-2:])


def is_public_suffix(name: str) -> bool:
    """Say whether anybody may register below *name*, so that no cookie holds for all of it; by the packed list.

    >>> is_public_suffix("co.uk"), is_public_suffix("github.io"), is_public_suffix("shop.co.uk")
    (True, True, False)
    """
    return not _suffixes()(name, include_psl_private_domains=True).domain


def same_site(url: str, sites: Collection[str]) -> bool:
    """Say whether *url* belongs to one of *sites*: site identifiers (see `site_of`), or hosts, which count as they are.

    >>> same_site("http://a.shops.example/", {"shops.example"})
    True
    >>> same_site("http://b.shops.example/", {"a.shops.example"})
    False
    """
    host = host_of(url)
    return host in sites or site_of(host) in sites


def query_separator(query: str) -> str:
    """Return the sign between the pairs of a query: "&"; or ";", where that alone stands between pairs with a key.

    Servers are to take both (HTML 4.01, B.2.2): `?p=order.git;a=log`.

    >>> query_separator("p=order.git;a=log"), query_separator("name=a;b"), query_separator("q=x;y=1&z=2")
    (';', '&', '&')
    """
    pairs = query.split(";")
    return ";" if len(pairs) > 1 and "&" not in query and all(map(_ASSIGNED.match, pairs)) else "&"


def query_parts(query: str) -> list[str]:
    """Cut a raw query into its pairs, as they stand.

    >>> query_parts("id=3&print"), query_parts("p=order.git;a=log")
    (['id=3', 'print'], ['p=order.git', 'a=log'])
    """
    return query.split(query_separator(query))


def drop_query_keys(url: str, keys: Collection[str]) -> str:
    """Take query parameters (session ids, say) out of a normalised URL, also `;jsessionid=…`; the rest keeps its order.

    >>> drop_query_keys("http://a.example/list;sid=1?sid=2&page=3", {"sid"})
    'http://a.example/list?page=3'
    """
    path, _, query = url.partition("?")
    if ";" in path:
        head, *parameters = path.split(";")
        path = head + "".join(_without_key(one, keys) for one in parameters)
    kept = query_separator(query).join(pair for pair in query_parts(query) if pair.partition("=")[0] not in keys)
    return f"{path}?{kept}" if kept else path


def without_query(url: str) -> str:
    """Return a normalised URL without its query and the parameters of its path.

    >>> without_query("http://a.example/list;sid=1/p?page=3")
    'http://a.example/list/p'
    """
    return _PARAMETERS.sub("", url.partition("?")[0])


def replace_segments(url: str, instead: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """Put into a normalised URL what stands *instead* of each path segment that a pattern of `segment_pattern` finds.

    >>> replace_segments("http://a.example/s-1f/list", [(segment_pattern("/s-[0-9a-f]+"), "")])
    'http://a.example/list'
    """
    path, sign, query = url.partition("?")
    for pattern, text in instead:
        path = pattern.sub(text.replace("\\", r"\\"), path)
    return with_path(path + sign + query)


def with_path(url: str) -> str:
    """Put back the "/" of a URL whose path was removed."""
    path, sign, query = url.partition("?")
    return url if path.count("/") > 2 else f"{path}/{sign}{query}"


def segment_pattern(regex: str) -> re.Pattern[str]:
    """Compile the regex of a whole path segment, with the slash before it, to be found inside a URL."""
    return re.compile(rf"(?<=[^/:])(?:{regex})(?=/|$)")


def _without_key(parameter: str, keys: Collection[str]) -> str:
    """Return ";name=value" with the rest, or only the rest (from the next "/") if the name is in *keys*."""
    value, slash, rest = parameter.partition("/")
    return slash + rest if value.partition("=")[0] in keys else ";" + parameter


@lru_cache(maxsize=65_536)
def _authority(scheme: str, netloc: str) -> str | None:
    """Normalise "user:password@Host:port" to "host" or "host:port"; None if it is no valid host."""
    address = netloc.rpartition("@")[2]
    if address.startswith("["):
        host, bracket, port = address.partition("]")
        host = host.lower() + bracket
        if not bracket or (port and not port.startswith(":")):
            return None
        port = port[1:]
    else:
        name, _, port = address.partition(":")
        host = _ascii_host(unquote(name))
        if not _HOST.fullmatch(host):
            return None
    if not port or port.lstrip("0") == DEFAULT_PORTS.get(scheme):
        return host
    if not (port.isascii() and port.isdigit() and len(port.lstrip("0")) < 6 and int(port) < 65_536):
        return None
    return f"{host}:{int(port)}"


def _ascii_host(name: str) -> str:
    if not name.isascii():
        import idna  # loaded when the first such name appears: its tables take longer than a page

        try:
            name = idna.encode(name, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            return ""
    return name.lower().removesuffix(".")


def _escape(text: str, safe: str) -> str:
    """Normalise the escapes of a path or query: needed ones in, needless ones out, hex digits upper case."""
    if not text:
        return ""
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    if "%" in text:
        text = _ESCAPE.sub(_unescape_unreserved, _BAD_PERCENT.sub("%25", text))
    return quote(text, safe=safe)


def _unescape_unreserved(escape: re.Match[str]) -> str:
    text = escape[0].upper()
    character = chr(int(text[1:], 16))
    return character if character.isascii() and (character.isalnum() or character in "-._~") else text


def _resolve_dots(path: str) -> str:
    """Remove "." and ".." segments (RFC 3986 §5.2.4); the path starts with "/" or is empty."""
    if "/." not in path:
        return path or "/"
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


@lru_cache(maxsize=1024)
def _origin(base: str) -> str | None:
    """Return "scheme://host:port" of a base URL, normalised."""
    root = _join_slowly(base, "/")
    return root and root[:-1]


@lru_cache(maxsize=1024)
def _directory(base: str) -> str | None:
    """Return the normalised URL, ending in "/", that plain relative hrefs on *base* are appended to."""
    return _join_slowly(base, ".")


def _join_slowly(base: str, href: str) -> str | None:
    try:
        return normalize_url(urljoin(base, href))
    except ValueError:
        return None


def _split_authority(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url.strip(_STRIPPED))
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc


@cache
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract  # loaded on first use: it brings an HTTP client along that we never let work

    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=False)


# --- What says nothing of a page is taken out of its URL --------------------------------------------------------------
_TRACKERS = "|".join(
    (
        r"utm_[\w-]+|ga_(?:source|medium|campaign|term|content)|_g[al]|_gac\w*",  # Google Analytics
        r"[gd]clid|gclsrc|[gw]braid|gad_(?:source|campaignid)|srsltid",  # Google Ads, Merchant Center
        r"fbclid|fb_(?:action_ids|action_types|source)|igsh(?:id)?|twclid|ttclid|li_fat_id|rdt_cid|epik|ScCid",
        r"msclkid|ys?clid|_openstat|qclid|irclickid|irgwc|zanpid|wickedid",  # other adverts and their brokers
        r"mc_[ce]id|mkt_tok|_hsenc|_hsmi|__hs(?:tc|sc|fp)|hsCtaTracking|hsa_[a-z]+|vero_(?:id|conv)",  # newsletters
        r"oly_(?:anon|enc)_id|__s|_kx|ml_subscriber(?:_hash)?|bsft_\w+|dm_i|_branch_(?:match_id|referrer)",
        r"(?:pk|mtm|piwik|matomo)_(?:campaign|cpn|kwd|keyword|source|medium|content|cid|group|placement|vid)",
        r"s_(?:cid|kwcid)|ef_id|at_(?:campaign|medium|custom\d+)|wt_z?mc|itm_(?:source|medium|campaign|term|content)",
        r"spm(?:_id_from)?",  # Alibaba
    )
)
"""Keys that name a campaign, a click or a visitor, as their makers document them; none that may name a page (`id`,
`ref`, `from`, `source`): these are judged by evidence."""
_DOTTED = r"scm=[\w-]+\.[\w.-]*"  # Alibaba's, too; without dots it may name a kind of repository
_TRACKER = re.compile(rf"(?:amp;)*(?:(?:{_TRACKERS})(?:=|$)|{_DOTTED}$)", re.ASCII | re.IGNORECASE)
_HAS_TRACKER = re.compile(rf"[?&;](?:(?:{_TRACKERS})(?:[=&;]|$)|{_DOTTED})", re.ASCII | re.IGNORECASE)
_NAMED_TRACKER = re.compile(rf"(?<![\w-])(?:{_TRACKERS}|scm)(?==)", re.ASCII | re.IGNORECASE)


class UrlCleaner:
    """Cleans normalised URLs; a clean one stays as it is, so cleaning twice changes nothing.

    Args:
        keys: query keys (and keys of path parameters) that are removed besides those of trackers; `REGEX?key` is
            removed if the URL without its query matches, and means something elsewhere.
        segments: regex of path segments, with their slash → their replacement.
        filters: regexes of URLs; keys of trackers in them stay: they were learned before such keys were known.

    >>> UrlCleaner(["ref"])("http://a.example/p/7?ref=grid&id=3&utm_source=list")
    'http://a.example/p/7?id=3'
    """

    def __init__(
        self, keys: Collection[str] = (), segments: Mapping[str, str] | None = None, filters: Iterable[str] = ()
    ) -> None:
        self._keys = frozenset(key for key in keys if "?" not in key)
        places = (key.rpartition("?") for key in keys if "?" in key)
        self._keys_at = [(re.compile(regex), frozenset((key,))) for regex, _, key in places]
        self._segments = [(segment_pattern(regex), instead) for regex, instead in (segments or {}).items()]
        self._kept = frozenset(name for regex in filters for name in _NAMED_TRACKER.findall(regex))

    def __call__(self, url: str) -> str:
        """Return *url* without what says nothing."""
        if "?" in url and _HAS_TRACKER.search(url):
            url = self._without_trackers(url)
        if self._keys and ("?" in url or ";" in url):
            url = drop_query_keys(url, self._keys)
        for pattern, keys in self._keys_at:
            if ("?" in url or ";" in url) and pattern.fullmatch(without_query(url)):
                url = drop_query_keys(url, keys)
        return replace_segments(url, self._segments) if self._segments else url

    def _without_trackers(self, url: str) -> str:
        path, _, query = url.partition("?")
        pairs = query_parts(query)
        kept = [one for one in pairs if not _TRACKER.match(one) or one.partition("=")[0] in self._kept]
        if len(kept) == len(pairs):
            return url
        rest = query_separator(query).join(kept)
        return self._without_trackers(f"{path}?{rest}" if rest else path)


without_trackers = UrlCleaner()  # takes out what says nothing on any site
