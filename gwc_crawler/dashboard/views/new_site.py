"""The pages of "New site": an address; the two samples to click on, with the fields; a try on further pages; saving."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from scrapy.settings import BaseSettings

from gwc_crawler.dashboard.queries.drafts import (
    MOST_PAGES,
    Drafts,
    Field,
    SiteDraft,
    check_name,
    judge,
    new_id,
    pick,
)
from gwc_crawler.dashboard.queries.steering import begin_crawl
from gwc_crawler.dashboard.web.rendering import harmless
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Moved, action, page
from gwc_crawler.errors import InputError, LearnError, SiteError, unwritten
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.items import FieldValue
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.learn.propose.fields import samples_of
from gwc_crawler.learn.propose.guess import FieldProposal
from gwc_crawler.learn.propose.left_out import shape_of
from gwc_crawler.learn.propose.page_reading import ReadPage
from gwc_crawler.learn.propose.site import AS_SECOND, Proposal, links_of, propose_site
from gwc_crawler.learn.propose.toml_form import site_text
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.runs.fetching import page_fetcher
from gwc_crawler.sites.site_files import suggest_site_name
from gwc_crawler.sites.validation import SITE_NAME_RULE, is_site_name
from gwc_crawler.wiring.options import sites_directory

# --- An address → a draft with all proposals for it; a draft → its results on further pages ---------------------------


MOST_CLASSES = 12
FURTHER = 5


def begin(settings: BaseSettings, url: str, second: str) -> SiteDraft:
    """Fetch the needed pages and propose a site.

    Raises:
        InputError: *url* is no address.
        SiteError: it can't be had.
        LearnError: no two pages built alike are found.
    """
    name = suggest_site_name(url)

    async def search() -> Proposal:
        fetcher = page_fetcher(settings, [url, second] if second else [url])
        try:
            return await propose_site(url, fetcher, second)
        finally:
            await fetcher.close()

    proposal = asyncio.run(search())
    pages = proposal.pages[:MOST_PAGES]
    fields = [Field(one.name, list(one.values), one.why, one.problem) for one in (*proposal.fields, *proposal.left_out)]
    classes = classes_of(pages)
    return SiteDraft(new_id(), name, proposal.entry, "", pages, fields, classes, proposal.keywords)


def classes_of(pages: Sequence[ReadPage]) -> list[tuple[str, int]]:
    """Return the shapes of the addresses that pages link to, with their numbers, most first."""
    urls = {url for page in pages for url, _, _ in links_of(page)} | {page.url for page in pages}
    return Counter(map(shape_of, urls)).most_common(MOST_CLASSES)


def tried(draft: SiteDraft) -> tuple[list[tuple[ReadPage, dict[str, object]]], list[str]]:
    """Learn from the samples as a crawl would, and read the further pages: their records, and the warnings."""
    wanted = [FieldProposal(one.name, one.values, one.why) for one in draft.fields if any(one.values)]
    if not wanted:
        return [], ["this draft has no field"]
    more = [(page.url, page.html) for page in draft.pages[2:]]
    try:
        wrapper = learn_wrapper(samples_of(wanted, draft.pages[:2]), more)
    except LearnError as error:
        return [], str(error).splitlines()
    pages = draft.pages[2 : 2 + FURTHER] or draft.pages[:2]
    return [(page, dict(wrapper.extract(page.html, page.url))) for page in pages], list(wrapper.warnings)


LONGEST_KEPT = 1000
"""Characters kept of a written address; it becomes part of one of ours, which must not be too long."""

COMMON = ("title", "price", "image", "author", "date", "description", "body", "reviews", "comments", "tags")


def start(visit: DashboardRequest) -> Answer:
    """Ask for an address."""
    url, second = visit.asked("url"), visit.asked("second")
    return visit.show("new_site/start.html", drafts=_drafts(visit).ids(), url=url, second=second)


def propose(visit: DashboardRequest) -> Answer:
    """Look at the address and make a draft."""
    url, second = visit.asked("url").strip(), visit.asked("second").strip()
    url = url if "://" in url or not url else f"https://{url}"
    try:
        draft = begin(visit.project.settings, url, second)
    except (InputError, SiteError, LearnError) as error:
        problem = str(error).replace(AS_SECOND, visit.say("as the second page"))
        written = {"url": url[:LONGEST_KEPT], "second": second[:LONGEST_KEPT]}
        return Moved(f"/new?{urlencode(written)}", "{problem}", {"problem": problem}, True)
    _drafts(visit).keep(draft, [(one, "") for one in draft.pages])
    return Moved(f"/new/{draft.id}")


def edit(visit: DashboardRequest) -> Answer:
    """Show the fields of a draft, and one of its samples to click on."""
    draft = _draft(visit)
    at = 1 if visit.asked("page") == "2" else 0
    shown = draft.pages[at]
    marked = _marked(shown, at, draft)
    return visit.show(
        "new_site/edit.html",
        draft=draft,
        at=at,
        foreign=harmless(shown.tree, marked),
        common=COMMON,
        rows=[_row(one) for one in draft.fields],
    )


def clicked(visit: DashboardRequest) -> Answer:
    """Take the clicked value for a field."""
    draft = _draft(visit)
    at = 1 if visit.asked("page") == "2" else 0
    back = f"/new/{draft.id}?page={at + 1}"
    try:
        one = pick(draft, at, visit.number("element", -1), visit.asked("name"), like=visit.asked("how") == "like")
    except InputError as error:
        return Moved(back, "{problem}", {"problem": str(error)}, True)
    _drafts(visit).keep(draft)
    if one.problem:
        return Moved(
            back, "{name} was taken, but can't be learned: {problem}", {"name": one.name, "problem": one.problem}, True
        )
    return Moved(back, "{name} was taken; look at what the other page has", {"name": one.name})


def change(visit: DashboardRequest) -> Answer:
    """Save names and values as they were written, removed fields, and the site's own lines."""
    draft = _draft(visit)
    back = f"/new/{draft.id}?page={2 if visit.asked('page') == '2' else 1}"
    try:
        _write(draft, visit)
    except InputError as error:
        return Moved(back, "{problem}", {"problem": str(error)}, True)
    _drafts(visit).keep(draft)
    return Moved(f"/new/{draft.id}/try" if visit.asked("then") == "try" else back, "kept")


def attempt(visit: DashboardRequest) -> Answer:
    """Show how the draft does on further pages."""
    draft = _draft(visit)
    records, problems = tried(draft)
    names = [one.name for one in draft.fields if any(one.values)]
    return visit.show(
        "new_site/try.html",
        draft=draft,
        names=names,
        records=records,
        problems=problems,
        text=site_text(_learned(draft), draft.name),
    )


def save(visit: DashboardRequest) -> Answer:
    """Write the site file."""
    draft = _draft(visit)
    back = f"/new/{draft.id}/try"
    name = visit.asked("name", draft.name).strip()
    if not is_site_name(name):
        return Moved(back, "{problem}", {"problem": f"{name!r} can't be a site's name ({SITE_NAME_RULE})"}, True)
    draft.name = name
    path = sites_directory(visit.project.settings) / f"{name}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(site_text(_learned(draft), name))
    except FileExistsError:
        problem = f"{path} exists already and stays as it is; choose another name"
        return Moved(back, "{problem}", {"problem": problem}, True)
    except OSError as error:
        raise unwritten(path, error, "mend the directory (GWC_SITES_DIR)") from error
    _drafts(visit).drop(draft.id)
    visit.project.look_again()
    if visit.asked("then") == "crawl":
        begin_crawl(visit.project, name)
        return Moved(f"/sites/{name}", "{path} is written; the site is learned now, then crawled.", {"path": str(path)})
    return Moved(
        f"/sites/{name}", "{path} is written. Start learns the site first, then crawls it.", {"path": str(path)}
    )


def drop(visit: DashboardRequest) -> Answer:
    """Delete a draft."""
    _drafts(visit).drop(visit.part("draft"))
    return Moved("/new", "the draft is gone")


def _learned(draft: SiteDraft) -> Any:
    proposal = draft.proposal()
    proposal.left_out = [one for one in proposal.fields if one.problem]
    proposal.fields = [one for one in proposal.fields if not one.problem and any(one.values)]
    return proposal


def _drafts(visit: DashboardRequest) -> Drafts:
    return Drafts(visit.project.data)


def _draft(visit: DashboardRequest) -> SiteDraft:
    return _drafts(visit).read(visit.part("draft"))


def _marked(shown: ReadPage, at: int, draft: SiteDraft) -> dict[Any, str]:
    """Return the elements that hold a field's value, the innermost ones."""
    names = {squeeze(text): one.name for one in draft.fields for text in _texts(one.values[at])}
    marked = {}
    for element in shown.forms:
        text = squeeze(shown.text(element)) if element.tag != "img" else shown.view.picture(element)
        if (name := names.get(text)) and not any(
            shown.text(one) == shown.text(element) for one in element if one in shown.forms
        ):
            marked[element] = name
    return marked


def _texts(value: FieldValue | None) -> list[str]:
    if value is None or isinstance(value, str):
        return [value] if value else []
    return [
        text
        for one in value
        for text in ([one] if isinstance(one, str) else [p for p in one.values() if isinstance(p, str)])
    ]


def _row(one: Field) -> dict[str, Any]:
    """Return a field as the table shows it."""
    value = next((each for each in one.values if each), None)
    shape = "text" if value is None or isinstance(value, str) else "records" if isinstance(value[0], dict) else "list"
    shown = [
        "" if each is None else "\n".join(each) if shape == "list" else each  # type: ignore[arg-type]
        for each in one.values
    ]
    why, colon, particulars = one.why.partition(": ")
    return {
        "name": one.name,
        "shape": shape,
        "values": shown,
        "why": why,
        "particulars": colon + particulars,
        "problem": one.problem,
    }


def _write(draft: SiteDraft, visit: DashboardRequest) -> None:
    kept, names = [], set()
    removed = set(visit.form.get("remove", ()))
    for number, one in enumerate(draft.fields):
        if one.name in removed:
            continue
        before = (one.name, list(one.values))
        one.name = visit.asked(f"name{number}", one.name).strip()
        check_name(one.name)
        if one.name in names:
            raise InputError(f"two fields are called {one.name}; give one another name")
        names.add(one.name)
        row = _row(one)
        for at in (0, 1):
            key = f"value{number}_{at}"
            if key in visit.form and row["shape"] != "records":
                one.values[at] = _read(visit.asked(key), row["shape"])
        if (one.name, one.values) != before:
            judge(one, draft.pages)
        kept.append(one)
    draft.fields = kept
    draft.name = visit.asked("site", draft.name).strip() or draft.name
    keywords = visit.asked("keywords", draft.keywords).strip()
    if keywords:
        Keywords.parse(keywords)
    draft.keywords = keywords


def _read(text: str, shape: str) -> FieldValue | None:
    lines = [line.strip() for line in text.replace("\r", "").split("\n") if line.strip()]
    if shape == "list":
        return lines or None
    return " ".join(lines) or None


ROUTES = (
    page("/new", start, menu="New site"),
    action("/new", propose),
    page("/new/{draft}", edit),
    action("/new/{draft}/pick", clicked),
    action("/new/{draft}/fields", change),
    page("/new/{draft}/try", attempt),
    action("/new/{draft}/save", save),
    action("/new/{draft}/drop", drop),
)
