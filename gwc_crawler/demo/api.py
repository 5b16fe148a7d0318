"""The mall as an API: the JSON that stands under /api/ beside its pages, which never lead there.

/api/ leads to lists of products, these to the next list and to a document for each. Made from the mall's records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from gwc_crawler.items import Extracted

API = "/api/"
PRODUCTS = f"{API}products"
A_LIST = 20


def api_path(path: str) -> str:
    """Where the document of the product at *path* stands.

    >>> api_path("/item/337980.html")
    '/api/products/337980'
    """
    return f"{PRODUCTS}/{path.removeprefix('/item/').removesuffix('.html')}"


def api_record(record: Mapping[str, Extracted]) -> dict[str, Extracted]:
    """A product's record as the API has it: the price is a number."""
    return {**record, "price": str(_amount(record))}


def api_answer(records: Mapping[str, Mapping[str, Extracted]], target: str) -> bytes | None:
    """What the API says at *target*, a path with its query; None: nothing is there."""
    if target == API:
        return _said({"service": "mall", "products_url": f"{PRODUCTS}?page=1"})
    if asked := re.fullmatch(rf"{PRODUCTS}\?page=([1-9]\d{{0,5}})", target):
        return _list(records, int(asked[1]))
    product = f"/item/{target.removeprefix(f'{PRODUCTS}/')}.html"
    return _said(api_document(product, records[product])) if product in records else None


def api_document(path: str, record: Mapping[str, Extracted]) -> dict[str, Any]:
    """A product's document: some members are objects, null or empty, one is HTML."""
    currency = re.sub(r"[\d.,\s]", "", str(record["price"]))
    return {
        **record,
        "price": {"amount": _amount(record), "currency": currency},
        "brand": {"name": record["brand"]},
        "description": f"<p>{escape(str(record['description']))}</p>",
        "links": {"self": api_path(path), "list": f"{PRODUCTS}?page=1"},
    }


def _list(records: Mapping[str, Mapping[str, Extracted]], page: int) -> bytes | None:
    """Products with the addresses of their documents, and that of the next list, relative to this one."""
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
