"""List pages under several heads: where rows are the records, every page with the rows is a target."""

from __future__ import annotations

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask

SITE = "http://shop.example"


def row(number: int) -> str:
    return (
        f"<div class='offer'><b class='what'>Offer {number} of the house</b> <i class='who'>Maker {number % 7}</i>"
        f"<span class='price'>${number}.20</span></div>"
    )


def listing(path: str, head: str, numbers: range, links: tuple[str, ...]) -> StoredPage:
    body = "".join(row(number) for number in numbers)
    anchors = "".join(f"<li><a href='{link}'>{link}</a></li>" for link in links)
    html = (
        f"<html><head><title>Offers</title></head><body><div id='top'><p class='claim'>Fine offers</p></div>{head}"
        f"<div class='offers'>{body}</div><ul class='nav'>{anchors}</ul><div id='foot'><p>Bye</p></div></body></html>"
    )
    urls = tuple(SITE + link for link in links)
    return StoredPage(SITE + path, SITE + path, html.encode(), "text/html", "utf-8", 0, 1, True, urls)


def article(path: str) -> StoredPage:
    html = f"<html><body><div id='top'></div><h1>About {path}</h1><p class='text'>{'Words. ' * 60}</p></body></html>"
    return StoredPage(SITE + path, SITE + path, html.encode(), "text/html", "utf-8", 1, 1, False, (f"{SITE}/",))


def test_rows_are_wanted_wherever_they_stand() -> None:
    links = (*(f"/tag/t{n}/" for n in range(12)), *(f"/page/{n}/" for n in range(2, 12)), "/about/", "/help/")
    tags = [
        listing(f"/tag/t{n}/", f"<h3 class='tag'>Offers of <em>t{n}</em></h3><p class='back'>all</p>",
                range(n * 9, n * 9 + 4), links) for n in range(12)
    ]  # fmt: skip
    pages = [listing(f"/page/{n}/", "", range(n * 5, n * 5 + 5), links) for n in range(2, 12)]
    home = listing("/", "", range(5), links)
    rows = [
        [{"what": f"Offer {n} of the house", "who": f"Maker {n % 7}"} for n in range(start, start + 4)]
        for start in (9, 45)
    ]
    task = LearnTask(
        "shop",
        (f"{SITE}/",),
        samples=((f"{SITE}/tag/t1/", {"offers": rows[0]}), (f"{SITE}/tag/t5/", {"offers": rows[1]})),
    )
    knowledge = learn_site(task, [home, *tags, *pages, article("/about/"), article("/help/")])
    verdicts = {page.url: knowledge.verdict(page.url).value for page in (home, *tags, *pages)}
    assert set(verdicts.values()) == {"target"}, verdicts
    assert knowledge.verdict(f"{SITE}/about/") != "target"
    assert knowledge.page_check["fields"] == ["offers"]
