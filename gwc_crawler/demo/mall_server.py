"""The mall on a socket: pages, robots.txt, its API, and faults on demand."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import Any

from gwc_crawler.demo.mall import Mall, MallPage
from gwc_crawler.demo.mall_plan import BOMB_PATH, ISLAND_WEIGHT, LOOP_PATHS
from gwc_crawler.demo.serving import Faults, PageServer, Request, ServedReply, gzip_bomb, with_etag
from gwc_crawler.items import Extracted
from gwc_crawler.sites.toml_text import toml_string, toml_value

_LOOPS = {"/loop/a": "/loop/b", "/loop/b": "/loop/a", LOOP_PATHS[0]: LOOP_PATHS[1], LOOP_PATHS[1]: LOOP_PATHS[0]}
_BOMBS = frozenset(("/bomb", BOMB_PATH))
_NO_PAGE = b"<html><head><title>404</title></head><body><h1>404 Not Found</h1></body></html>"
_WRONG_CHARSETS = ("iso-8859-2", "utf-16", "big5", "x-unknown")

API = "/api/"
_PRODUCTS = f"{API}products"
A_LIST = 20


class MallServer(PageServer):
    """Serves a mall; a context manager with `.url`, `.hits`, `.log` (see PageServer).

    `faults` may be set at any time; its counters and clock start anew then.
    """

    def __init__(self, mall: Mall, port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(lambda request: with_etag(request, self.reply(request)), port)
        self.mall = mall
        self.faults = faults or Faults()

    @property
    def faults(self) -> Faults:
        return self._faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._faults = faults
        self._since = time.monotonic()
        self._covered = 0
        self._seen: Counter[str] = Counter()

    def reply(self, request: Request) -> ServedReply:
        """Answer, or misbehave."""
        faults, path = self._faults, request.path
        if not faults.covers(path):
            return self._page_reply(request, path)
        self._covered += 1
        self._seen[request.target] += 1
        refusal = self._refusal(faults, request)
        if refusal is not None:
            return refusal
        cut, wrong = self._is_turn(faults.cut_every), self._is_turn(faults.wrong_charset_every)
        return self._page_reply(request, path, delay_seconds=faults.slow_seconds, cut=cut, wrong_charset=wrong)

    def _refusal(self, faults: Faults, request: Request) -> ServedReply | None:
        seen = self._seen[request.target]
        if self._is_turn(faults.reset_every):
            return ServedReply(reset=True, delay_seconds=faults.slow_seconds)
        if request.arrived - self._since < faults.unavailable_seconds or seen <= faults.unavailable_first:
            return self._try_later(503)
        if seen <= faults.too_many_first or self._is_turn(faults.too_many_every):
            return self._try_later(429)
        return None

    def _is_turn(self, every: int) -> bool:
        return every > 0 and self._covered % every == 0

    def _try_later(self, status: int) -> ServedReply:
        wait = (("Retry-After", str(self._faults.retry_after_seconds)),)
        return ServedReply(b"<html><body>Try later</body></html>", "text/html", status, wait, self._faults.slow_seconds)

    def _page_reply(
        self, request: Request, path: str, *, delay_seconds: float = 0.0, cut: bool = False, wrong_charset: bool = False
    ) -> ServedReply:
        if path in _LOOPS:
            return ServedReply(b"", "", 302, (("Location", _LOOPS[path]),), delay_seconds)
        if path in _BOMBS:
            return ServedReply(gzip_bomb(), "text/html", 200, (("Content-Encoding", "gzip"),), delay_seconds)
        told = api_answer(self.mall.records, request.target) if path.startswith(API) else None
        made = MallPage(told, "application/json") if told is not None else self.mall.page(path)
        page = made or MallPage(_NO_PAGE, "text/html", 404)
        content_type = page.content_type
        if wrong_charset:
            content_type = f"text/html; charset={_WRONG_CHARSETS[self._covered % len(_WRONG_CHARSETS)]}"
        location = (("Location", page.location),) if page.location else ()
        body, hrefs = page.body, [LOOP_PATHS[0]] * self._faults.loop + [BOMB_PATH] * self._faults.bomb
        if path == "/" and hrefs:
            anchors = "".join(f"<a href='{href}'>Special offer</a> " for href in hrefs)
            body = body.replace(b"</ul>", b"</ul><p>" + anchors.encode() + b"</p>", 1)
        return ServedReply(body, content_type, page.status, location, delay_seconds, cut)


# --- A site file for the mall, as a person would write it after a look at two products --------------------------------


KEYWORDS = "SKU && (品牌 || Brand)"


def mall_site_toml(mall: Mall, base_url: str = "http://127.0.0.1:8765") -> str:
    """Return the text of a ready site file for *mall*, served at *base_url* (no slash at the end)."""
    pages = min(4000, max(150, mall.size * 5 // 4))
    samples = "\n".join(_sample(base_url, path, mall.records[path]) for path in choose_samples(mall))
    return f"""# The bundled demo mall: `python -m gwc_crawler.demo --seed {mall.seed} --size {mall.size}` serves it.
# Two products and what stands on their pages; the rest is learned.
entry = ["{base_url}/"]
keywords = {toml_string(KEYWORDS)}

{samples}
[learn]
pages = {pages}

[crawl]
# Follow up to two pages that seem to lead nowhere: behind them lie islands of products.
max_weight = {ISLAND_WEIGHT}
"""


def api_site_toml(mall: Mall, base_url: str = "http://127.0.0.1:8765") -> str:
    """Return the text of a ready site file for the API of *mall*."""
    samples = (_sample(base_url, api_path(one), api_record(mall.records[one])) for one in choose_samples(mall))
    head = "# The API of the bundled demo mall: two of its documents, and what they say; the rest is learned.\n"
    return head + f'entry = ["{base_url}{API}"]\n\n' + "\n".join(samples)


def choose_samples(mall: Mall) -> tuple[str, str]:
    """Two products: a Chinese one with discount and warranty, an English one without; both with tags and reviews."""
    records = mall.records
    shown = [path for lists in mall.plan.lists.values() for path in lists[:12] if path in records]
    good = [path for path in shown if _is_rich(records[path])]
    rich = [*good, *(path for path in records if _is_rich(records[path]))]
    full = [path for path in rich if records[path]["discount"] and records[path]["warranty"]]
    bare = [path for path in good if not records[path]["discount"] and not records[path]["warranty"]]
    first = next(path for path in [*full, *good] if mall.form(path).codec == "utf-8")
    english = {path for path in good if str(records[path]["price"]).startswith("$")}
    second = next(path for path in [*bare, *good] if path in english)
    return first, second


def _is_rich(record: Mapping[str, Extracted]) -> bool:
    return all(isinstance(value := record[name], list) and len(value) >= 2 for name in ("tags", "reviews"))


def _sample(base_url: str, path: str, record: Mapping[str, Extracted]) -> str:
    lines = ["[[samples]]", f"url = {toml_string(base_url + path)}", "[samples.fields]"]
    said = {
        name: value if isinstance(value, list) else str(value) for name, value in record.items() if value is not None
    }
    lines += [f"{name} = {toml_value(value)}" for name, value in said.items()]
    return "\n".join(lines) + "\n"


# --- The API: /api/ leads to lists of products, these to the next list and to a document for each ---------------------


def api_path(path: str) -> str:
    """Return the address of the document of the product at *path*.

    >>> api_path("/item/337980.html")
    '/api/products/337980'
    """
    return f"{_PRODUCTS}/{path.removeprefix('/item/').removesuffix('.html')}"


def api_record(record: Mapping[str, Extracted]) -> dict[str, Extracted]:
    """Return a product's record as the API has it: the price is a number."""
    return {**record, "price": str(_amount(record))}


def api_answer(records: Mapping[str, Mapping[str, Extracted]], target: str) -> bytes | None:
    """Return the API's answer at *target*, a path with its query; None: there is none."""
    if target == API:
        return _said({"service": "mall", "products_url": f"{_PRODUCTS}?page=1"})
    if asked := re.fullmatch(rf"{_PRODUCTS}\?page=([1-9]\d{{0,5}})", target):
        return _list(records, int(asked[1]))
    product = f"/item/{target.removeprefix(f'{_PRODUCTS}/')}.html"
    return _said(api_document(product, records[product])) if product in records else None


def api_document(path: str, record: Mapping[str, Extracted]) -> dict[str, Any]:
    """Return a product's document: some members are objects, null or empty, one is HTML."""
    currency = re.sub(r"[\d.,\s]", "", str(record["price"]))
    return {
        **record,
        "price": {"amount": _amount(record), "currency": currency},
        "brand": {"name": record["brand"]},
        "description": f"<p>{escape(str(record['description']))}</p>",
        "links": {"self": api_path(path), "list": f"{_PRODUCTS}?page=1"},
    }


def _list(records: Mapping[str, Mapping[str, Extracted]], page: int) -> bytes | None:
    shown = list(records.items())[(page - 1) * A_LIST :]
    if not shown:
        return None
    results = [{"title": record["title"], "url": api_path(path)} for path, record in shown[:A_LIST]]
    further = f"?page={page + 1}" if len(shown) > A_LIST else None
    return _said({"count": len(records), "results": results, "next": further})


def _amount(record: Mapping[str, Extracted]) -> float:
    return float(re.sub(r"[^\d.]", "", str(record["price"])))


def _said(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
