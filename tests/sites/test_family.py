"""A family of sites: which hosts belong to it, and what was learned on one of them, said of another."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gwc_crawler.errors import KnowledgeError
from gwc_crawler.knowledge.model import Knowledge, UrlClass, Verdict
from gwc_crawler.sites.family import member_host, member_knowledge, member_of
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import load_site
from gwc_crawler.urls import same_site

FILE = """
entry = ["https://a.shops.example/start?x=1", "https://a.shops.example/new"]

[[samples]]
url = "https://a.shops.example/p/1"
fields = { title = "Thor", price = "$1" }

[[samples]]
url = "https://a.shops.example/p/2"
fields = { title = "Hulk" }

[crawl]
max_pages = 50

[template]
hosts = ["*.shops.example", "shop-*.stores.example:80*"]

[settings]
DOWNLOAD_DELAY = 0.5
"""


@pytest.fixture
def template(tmp_path: Path) -> Site:
    path = tmp_path / "shops.toml"
    path.write_text(FILE, encoding="utf-8")
    return load_site(path)


def knowledge_with(*targets: UrlClass) -> Knowledge:
    return Knowledge(
        "shops",
        "best",
        targets,
        (UrlClass(r"https://a\.shops\.example/list(/[a-z]+)?", examples=("https://a.shops.example/list",)),),
        4,
        wrapper={
            "version": 1,
            "fields": {},
            "report": {"rules": [{"prefix": "https://a.shops.example/img/", "css": "a.shops > b"}]},
        },
        paging={"reviews": {"regex": r"https://a\.shops\.example/p/[0-9]+/c-[0-9]+", "cut": "/c-([0-9]+)"}},
        evidence={"pages": 7, "examples": ["see https://a.shops.example/p/1"]},
    )


TARGET = UrlClass(
    r"https://a\.shops\.example/p/[0-9]+", 2, ("https://a.shops.example/p/1", "https://a.shops.example/p/27")
)


@pytest.mark.parametrize(
    ("host", "belongs"),
    [
        ("b.shops.example", True),
        ("a.shops.example", False),  # its own
        ("b.c.shops.example", False),
        ("shops.example", False),
        ("b.shops.example.evil", False),
        ("bshops.example", False),
        ("b.shops.example:81", False),
        ("shop-7.stores.example:8080", True),
        ("shop-.stores.example:8080", False),
        ("shop-7.stores.example", False),
        ("shop-7.stores.example:80x", False),
        ("xn--bcher-kva.shops.example", True),
        ("bücher.shops.example", True),
        ("b_c.shops.example", True),
        ("b c.shops.example", False),
        ("stranger?b.shops.example", False),
        ("stranger#b.shops.example", False),
        ("stranger\\b.shops.example", False),
        ("name@b.shops.example", False),
        ("b%2f.shops.example", False),
        ("[b.shops.example", False),
    ],
)
def test_a_pattern_takes_hosts_of_its_form(template: Site, host: str, belongs: bool) -> None:
    assert (member_of(template, host) is not None) is belongs


def test_a_member_has_its_own_name_and_entry_and_the_rest_of_the_file(template: Site) -> None:
    member = member_of(template, "shop-7.stores.example:8080")
    assert member is not None
    assert member.name == "shop-7.stores.example-8080"
    assert member_host(member.name) == "shop-7.stores.example:8080"
    assert member.entry == (
        "https://shop-7.stores.example:8080/start?x=1",
        "https://shop-7.stores.example:8080/new",
    )
    assert member.starts == member.entry, "the samples are pages of the template"
    assert template.starts == (*template.entry, "https://a.shops.example/p/1", "https://a.shops.example/p/2")
    assert (member.field_names, member.template) == (("title", "price"), "shops")
    assert (member.crawl, member.settings) == (template.crawl, template.settings)


def test_each_of_a_family_stays_on_its_host(template: Site) -> None:
    member = member_of(template, "b.shops.example")
    assert member is not None
    assert same_site("https://b.shops.example/x", member.sites)
    assert not same_site("https://a.shops.example/x", member.sites)
    assert not same_site("https://b.shops.example/x", template.sites)


def test_knowledge_speaks_of_the_other_host(template: Site) -> None:
    member = member_of(template, "my-shop.shops.example")
    assert member is not None
    served = member_knowledge(knowledge_with(TARGET), "a.shops.example", member)
    assert served.site == "my-shop.shops.example"
    assert served.targets[0].regex == r"https://my-shop\.shops\.example/p/[0-9]+"
    assert served.targets[0].examples[1] == "https://my-shop.shops.example/p/27"
    assert served.verdict("https://my-shop.shops.example/p/1") is Verdict.TARGET
    assert served.verdict("https://a.shops.example/p/1") is Verdict.NEITHER
    assert served.verdict("https://my-shopxshops.example/p/1") is Verdict.NEITHER, "dots stay dots"
    assert served.verdict("https://my-shop.shops.example/list/new") is Verdict.DIRECTORY
    assert served.continuation("https://my-shop.shops.example/p/1/c-2") is not None
    assert served.wrapper["report"]["rules"] == [{"prefix": "https://my-shop.shops.example/img/", "css": "a.shops > b"}]
    assert served.evidence["examples"] == ["see https://my-shop.shops.example/p/1"]
    assert served.max_weight == 4


@pytest.mark.parametrize(
    "text",
    [
        "https://a.shops.example.org/p/1",
        "https://a.shops.example:8080/p/1",
        "https://aa.shops.example/p/1",
        "https://www.a.shops.example/p/1",
        r"https://a\.shops\.example\.org/p/[0-9]+",
        r"https://a[.]shops[.]example[.]org/",
        "about a.shops.example",
        "http://elsewhere.example/?u=a.shops.example",
    ],
)
def test_other_hosts_stay_as_they_are(template: Site, text: str) -> None:
    knowledge = knowledge_with(TARGET, UrlClass(r"https://a[.]shops[.]example/q/\d+"))
    member = member_of(template, "b.shops.example")
    assert member is not None
    served = member_knowledge(
        Knowledge(**{**fields_of(knowledge), "evidence": {"text": text, "regex": text}}), "a.shops.example", member
    )
    assert (served.evidence["text"], served.evidence["regex"]) == (text, text)
    assert served.targets[1].regex == r"https://b\.shops\.example/q/\d+"


def fields_of(knowledge: Knowledge) -> dict[str, object]:
    return {name: getattr(knowledge, name) for name in Knowledge.__dataclass_fields__}


@pytest.mark.parametrize("regex", [r"https://[a-z]+\.shops\.example/p/[0-9]+", r"https://(a|b)\.shops\.example/.*"])
def test_a_filter_that_does_not_name_the_host_cannot_serve_another(template: Site, regex: str) -> None:
    member = member_of(template, "b.shops.example")
    assert member is not None
    with pytest.raises(KnowledgeError, match=re.escape("does not name the host 'a.shops.example'")):
        member_knowledge(knowledge_with(UrlClass(regex)), "a.shops.example", member)
