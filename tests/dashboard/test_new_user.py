"""Somebody new, who clicks or types and nothing else: an address, a crawl, records; what is wrong said right once."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer
from tests.conftest import Project
from tests.dashboard.windows import Window, begin_dashboard
from tests.eval.corpora import CorporaAbsent
from tests.eval.crawls import address_of, crawl_tasks, sample_pages, served_corpus
from tests.terminal import Terminal

ENDED_MS = 180_000
SIZE = 30


@pytest.fixture
def mall() -> Iterator[MallServer]:
    """The bundled mall, small."""
    with MallServer(Mall(1, SIZE)) as server:
        yield server


def brands(mall: MallServer) -> dict[str, Any]:
    """The brands of all things, by path."""
    return {path: record["brand"] for path, record in mall.mall.records.items()}


def stored(project: Project, field: str) -> dict[str, str]:
    """Path of each record → what is stored of a field of `site`."""
    found = project.rows(f"SELECT url, {field} FROM records_site", name="site")  # noqa: S608
    return {address_of(url): value for url, value in found}


def click_through(
    window: Window, project: Project, urls: Sequence[str], field: str, wrong: str, right: Mapping[str, str]
) -> None:
    """Make a site of an address, and a second one; crawl it with something *wrong* for a field; say once what is right.

    Args:
        wrong: what is clicked on the first page, as a selector.
        right: address of a record → what a person sees there.
    """
    shown = window.page
    window.press("New site", role="link")
    for name, url in zip(("url", "second"), urls, strict=False):
        if name == "second":
            shown.locator("details summary").click()
        shown.fill(f"[name={name}]", url)
    window.press("Propose a site file")
    shown.locator("#foreign").wait_for()
    if (boxes := shown.locator(f"fieldset:has(input[value={field}]) [name=remove]")).count():
        boxes.first.check()
        window.press("Keep changes")
        window.told("kept")
    shown.locator("#foreign").locator(wrong).first.click()
    shown.fill("#pick [name=name]", field)
    window.press("This value")
    window.told(f"{field} was taken")
    window.press("Keep, and try on further pages")
    shown.fill("[name=name]", "site")
    window.press("Save, and crawl")
    shown.get_by_text("ended well").first.wait_for(timeout=ENDED_MS)
    before = stored(project, field)
    assert sum(before.get(address) == value for address, value in right.items()) < len(right) / 2
    window.press("Records", role="link")
    shows = shown.get_by_role("link", name="Show", exact=True).all()
    addresses = [address_of(parse_qs(urlsplit(one.get_attribute("href")).query)["url"][0]) for one in shows]
    at, address = next((n, one) for n, one in enumerate(addresses) if one in right and before[one] != right[one])
    shows[at].click()
    shown.locator(f"h3:has-text('{field}')").get_by_role("link", name="Wrong?").click()
    shown.locator("#foreign").get_by_text(right[address], exact=True).last.click()
    window.press("This value")
    window.shows("The site file gets these samples:")
    assert stored(project, field) == before
    window.press("Apply it")
    reading = shown.locator("section", has_text="Read the stored pages again")
    reading.get_by_text("ended well").wait_for(timeout=ENDED_MS)
    assert window.sins == []


@pytest.fixture
def window(browser: Any, project: Project) -> Iterator[Window]:
    """A browser that looks at the dashboard of an empty project."""
    address = begin_dashboard(project)
    with browser.new_context() as context:
        shown = Window(context.new_page(), address.partition("/?")[0])
        shown.page.goto(address)
        yield shown


def test_by_clicking_alone(project: Project, mall: MallServer, window: Window) -> None:
    """In *New site* the name of each thing is clicked for its brand; in *Records* its brand is clicked once."""
    true = {path: str(brand) for path, brand in brands(mall).items()}
    click_through(window, project, [f"{mall.url}/"], "brand", ".heading", true)
    assert stored(project, "brand") == brands(mall)


DEVELOPMENT = (
    ("quotes/author", "born_date", "born_location"),
    ("cloudchem/product", "title", "short_description"),
)
"""Task, the field that is corrected, and the one that is clicked for it at first."""


@pytest.mark.slow
@pytest.mark.parametrize(("task", "field", "other"), DEVELOPMENT)
def test_by_clicking_alone_on_sites_of_others(
    project: Project, window: Window, task: str, field: str, other: str
) -> None:
    try:
        pages = {address_of(page.url): page.truth for page in crawl_tasks()[task].pages}
        samples = sample_pages(crawl_tasks()[task], None)
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    with served_corpus(task.partition("/")[0]) as home:
        urls = [urlsplit(one.url)._replace(scheme="http", netloc=urlsplit(home).netloc).geturl() for one in samples]
        wrong = f"text={json.dumps(samples[0].truth[other], ensure_ascii=False)}"
        click_through(window, project, urls, field, wrong, {one: truth[field] for one, truth in pages.items()})
    found = stored(project, field)
    right = sum(found.get(address) == truth[field] for address, truth in pages.items())
    assert right >= 0.97 * len(pages)


def test_by_keyboard_alone(project: Project, mall: MallServer) -> None:
    """The same in a terminal: `new`, the site file mended wrongly, `learn`, `crawl`, `fix`."""
    assert Terminal(project, "new", f"{mall.url}/", "--name", "site").to_the_end()[0] == 0
    path = project.directory / "sites" / "site.toml"
    said = [one["fields"] for one in tomllib.loads(path.read_text("utf-8"))["samples"]]
    text = path.read_text("utf-8")
    for fields in said:
        text = text.replace(f'brand = "{fields["brand"]}"', f'brand = "{fields["title"]}"')
    path.write_text(text, "utf-8")
    for command in ("learn", "crawl"):
        code, told = Terminal(project, command, "site", *["--yes"] * (command == "learn")).to_the_end()
        assert code == 0, told
    before, true = stored(project, "brand"), brands(mall)
    assert len(before) == SIZE
    wrong = next(path for path in before if before[path] != true[path])
    terminal = Terminal(project, "fix", "site", f"{mall.url}{wrong}", f"brand={true[wrong]}")
    terminal.until(b"Accept? [Y/n] ")
    terminal.answer(b"\n")
    code, told = terminal.to_the_end()
    assert code == 0, told
    assert stored(project, "brand") == true
