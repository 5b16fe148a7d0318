"""The mall's API: lists lead to each other and to a document for each product; its site file has right values."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from gwc_crawler.demo.__main__ import main
from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import API, MallServer, api_answer, api_path, api_record
from tests.demo.test_mall_server import Answer

MALL = Mall(seed=1, size=45)
RECORDS = MALL.records


def test_from_the_entry_each_document_is_reached_once() -> None:
    target, found = json.loads(api_answer(RECORDS, API) or b"")["products_url"], []
    while target:
        listed = json.loads(api_answer(RECORDS, target) or b"")
        found += [one["url"] for one in listed["results"]]
        target = listed["next"] and target.partition("?")[0] + listed["next"]
    assert found == [api_path(path) for path in RECORDS]
    for url, record in zip(found, RECORDS.values(), strict=True):
        document = json.loads(api_answer(RECORDS, url) or b"")
        assert (document["sku"], str(document["price"]["amount"])) == (record["sku"], api_record(record)["price"])


def test_what_the_api_does_not_have_is_a_404() -> None:
    with MallServer(MALL) as server:
        wrong = ("/api/products", "/api/products?page=0", "/api/products?page=99", "/api/products/1", "/api/x")
        assert {Answer(server, target).status for target in wrong} == {404}
        assert Answer(server, API).headers["Content-Type"] == "application/json"


def test_the_command_writes_the_site_file_of_the_api(tmp_path: Path) -> None:
    path = tmp_path / "mall_api.toml"
    assert main(["--write-site", str(path), "--api", "--port", "8801", "--size", "45"]) == 0
    site = tomllib.loads(path.read_text(encoding="utf-8"))
    assert site["entry"] == ["http://127.0.0.1:8801/api/"]
    for sample in site["samples"]:
        url = sample["url"].removeprefix("http://127.0.0.1:8801")
        record = next(api_record(one) for at, one in RECORDS.items() if api_path(at) == url)
        assert sample["fields"] == {name: value for name, value in record.items() if value is not None}
