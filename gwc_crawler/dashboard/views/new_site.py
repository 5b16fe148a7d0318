"""The pages of "New site": an address; the two samples to click on, with the fields; a try on further pages; saving."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import urlencode

from scrapy.settings import BaseSettings

from gwc_crawler.dashboard.queries.drafts import MOST_PAGES, Drafts, SiteDraft, check_name, judge, new_id, pick
from gwc_crawler.dashboard.queries.steering import begin_crawl
from gwc_crawler.dashboard.web.rendering import harmless, texts_of
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Moved, action, page
from gwc_crawler.errors import InputError, LearnError, SiteError
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.items import FieldValue
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.learn.propose.fields import samples_of
from gwc_crawler.learn.propose.guess import FieldProposal
from gwc_crawler.learn.propose.left_out import shape_of
from gwc_crawler.learn.propose.page_reading import ReadPage
from gwc_crawler.learn.propose.site import AS_SECOND, links_of
from gwc_crawler.learn.propose.toml_form import site_text
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.runs.fetching import proposed, write_site_file
from gwc_crawler.sites.site_files import suggest_site_name
from gwc_crawler.sites.validation import SITE_NAME_RULE, is_site_name
from gwc_crawler.wiring.options import sites_directory

# --- An address → a draft with all proposals for it; a draft → its results on further pages ---------------------------


MOST_CLASSES = 12
FURTHER = 5


def begin(settings: BaseSettings, url: str, second: str) -> SiteDraft:
    """Fetch pages and propose a site. Raises InputError: it is no address; SiteError, LearnError as `propose_site`."""
    name, proposal = suggest_site_name(url), proposed(settings, url, second)
    pages, fields = proposal.pages[:MOST_PAGES], [*proposal.fields, *proposal.left_out]
    urls = {url for page in pages for url, _, _ in links_of(page)} | {page.url for page in pages}
    classes = Counter(map(shape_of, urls)).most_common(MOST_CLASSES)
    return SiteDraft(new_id(), name, proposal.entry, "", pages, fields, classes, proposal.keywords)


def tried(draft: SiteDraft) -> tuple[list[tuple[ReadPage, dict[str, object]]], list[str]]:
    """Learn from the samples as a crawl would, and read the further pages: their records, and the warnings."""
    wanted = [one for one in draft.fields if any(one.values)]
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


def _start(visit: DashboardRequest) -> Answer:
    url, second = visit.asked("url"), visit.asked("second")
    return visit.show("new_site/start.html", drafts=_drafts(visit).ids(), url=url, second=second)


def _propose(visit: DashboardRequest) -> Answer:
    url, second = visit.asked("url").strip(), visit.asked("second").strip()
    url = url if "://" in url or not url else f"https://{url}"
    try:
        draft = begin(visit.project.settings, url, second)
    except (InputError, SiteError, LearnError) as error:
        problem = str(error).replace(AS_SECOND, visit.say("as the second page"))
        written = {"url": url[:LONGEST_KEPT], "second": second[:LONGEST_KEPT]}
        return Moved.failed(f"/new?{urlencode(written)}", problem)
    _drafts(visit).keep(draft, [(one, "") for one in draft.pages])
    return Moved(f"/new/{draft.id}")


def _edit(visit: DashboardRequest) -> Answer:
    draft, at = _draft(visit), _page(visit)
    shown = draft.pages[at]
    foreign = harmless(shown.tree, _marked(shown, at, draft))
    rows = [_row(one) for one in draft.fields]
    return visit.show("new_site/edit.html", draft=draft, at=at, foreign=foreign, common=COMMON, rows=rows)


def _clicked(visit: DashboardRequest) -> Answer:
    draft, at = _draft(visit), _page(visit)
    back = f"/new/{draft.id}?page={at + 1}"
    try:
        one = pick(draft, at, visit.number("element", -1), visit.asked("name"), like=visit.asked("how") == "like")
    except InputError as error:
        return Moved.failed(back, error)
    _drafts(visit).keep(draft)
    if one.problem:
        told = "{name} was taken, but can't be learned: {problem}"
        return Moved(back, told, {"name": one.name, "problem": one.problem}, True)
    return Moved(back, "{name} was taken; look at what the other page has", {"name": one.name})


def _change(visit: DashboardRequest) -> Answer:
    draft = _draft(visit)
    back = f"/new/{draft.id}?page={_page(visit) + 1}"
    try:
        _write(draft, visit)
    except InputError as error:
        return Moved.failed(back, error)
    _drafts(visit).keep(draft)
    return Moved(f"/new/{draft.id}/try" if visit.asked("then") == "try" else back, "kept")


def _attempt(visit: DashboardRequest) -> Answer:
    draft = _draft(visit)
    records, problems = tried(draft)
    names = [one.name for one in draft.fields if any(one.values)]
    text = site_text(draft.proposal(), draft.name)
    return visit.show("new_site/try.html", draft=draft, names=names, records=records, problems=problems, text=text)


def _save(visit: DashboardRequest) -> Answer:
    draft = _draft(visit)
    back = f"/new/{draft.id}/try"
    name = visit.asked("name", draft.name).strip()
    if not is_site_name(name):
        return Moved.failed(back, f"{name!r} can't be a site's name ({SITE_NAME_RULE})")
    path = sites_directory(visit.project.settings) / f"{name}.toml"
    try:
        write_site_file(path, site_text(draft.proposal(), name))
    except InputError:
        return Moved.failed(back, f"{path} exists already and stays as it is; choose another name")
    _drafts(visit).drop(draft.id)
    visit.project.look_again()
    told = "{path} is written. Start learns the site first, then crawls it."
    if visit.asked("then") == "crawl":
        begin_crawl(visit.project, name)
        told = "{path} is written; the site is learned now, then crawled."
    return Moved(f"/sites/{name}", told, {"path": str(path)})


def _drop(visit: DashboardRequest) -> Answer:
    _drafts(visit).drop(visit.part("draft"))
    return Moved("/new", "the draft is gone")


def _drafts(visit: DashboardRequest) -> Drafts:
    return Drafts(visit.project.data)


def _draft(visit: DashboardRequest) -> SiteDraft:
    return _drafts(visit).read(visit.part("draft"))


def _page(visit: DashboardRequest) -> int:
    return 1 if visit.asked("page") == "2" else 0


def _marked(shown: ReadPage, at: int, draft: SiteDraft) -> dict[Any, str]:
    names = {squeeze(text): one.name for one in draft.fields for text in texts_of(one.values[at])}
    marked = {}
    for element in shown.forms:
        text = squeeze(shown.text(element)) if element.tag != "img" else shown.picture(element)
        if (name := names.get(text)) and not any(
            shown.text(one) == shown.text(element) for one in element if one in shown.forms
        ):
            marked[element] = name
    return marked


def _row(one: FieldProposal) -> dict[str, Any]:
    value = next((each for each in one.values if each), None)
    shape = "text" if value is None or isinstance(value, str) else "records" if isinstance(value[0], dict) else "list"
    shown = ["\n".join(each) if each and shape == "list" else each or "" for each in one.values]  # type: ignore[arg-type]
    why, colon, particulars = one.why.partition(": ")
    told = {"why": why, "particulars": colon + particulars, "problem": one.problem}
    return {"name": one.name, "shape": shape, "values": shown, **told}


def _write(draft: SiteDraft, visit: DashboardRequest) -> None:
    kept: dict[str, FieldProposal] = {}
    removed = set(visit.form.get("remove", ()))
    for number, one in enumerate(draft.fields):
        if one.name in removed:
            continue
        before = (one.name, list(one.values))
        one.name = visit.asked(f"name{number}", one.name).strip()
        check_name(one.name)
        if one.name in kept:
            raise InputError(f"two fields are called {one.name}; give one another name")
        shape = _row(one)["shape"]
        for at in (0, 1):
            key = f"value{number}_{at}"
            if key in visit.form and shape != "records":
                one.values[at] = _read(visit.asked(key), shape)
        if (one.name, one.values) != before:
            judge(one, draft.pages)
        kept[one.name] = one
    draft.fields = list(kept.values())
    draft.name = visit.asked("site", draft.name).strip() or draft.name
    keywords = visit.asked("keywords", draft.keywords).strip()
    if keywords:
        Keywords.parse(keywords)
    draft.keywords = keywords


def _read(text: str, shape: str) -> FieldValue | None:
    lines = [line.strip() for line in text.replace("\r", "").split("\n") if line.strip()]
    return (lines if shape == "list" else " ".join(lines)) or None


ROUTES = (
    page("/new", _start, menu="New site"),
    action("/new", _propose),
    page("/new/{draft}", _edit),
    action("/new/{draft}/pick", _clicked),
    action("/new/{draft}/fields", _change),
    page("/new/{draft}/try", _attempt),
    action("/new/{draft}/save", _save),
    action("/new/{draft}/drop", _drop),
)
