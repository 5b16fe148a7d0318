"""A person's right values for a page → samples of the site file, and the knowledge learned with them; both, or neither.

Used by `scrapy fix` and *Wrong?* in the dashboard. Nothing is fetched or written before `accept_correction`.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from gwc_crawler.crawl.data_files import SITE_FILE_KEY, learning_digest, template_first
from gwc_crawler.crawl.first_records import TextReader, Values
from gwc_crawler.errors import InputError, LearnError, advice, did_you_mean
from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.fields import same_value
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import FieldValue, StoredPage, ValueShape, is_empty
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.texts.context import LearnPage
from gwc_crawler.learn.wrapper.complaints import nowhere, shown, text_around
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample, SamplePages
from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.json_page import is_json
from gwc_crawler.runs.comparison import short, some_targets, some_urls
from gwc_crawler.runs.learning import keep_learned, learn_stored, page_to_learn_from
from gwc_crawler.runs.lookup import Servers, SiteFiles
from gwc_crawler.sites.editing import put_samples, site_with_samples
from gwc_crawler.sites.samples import shape_of, value_fault
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import key_place
from gwc_crawler.spiders.fleet.learning import SharedLearning, together
from gwc_crawler.store.sqlite.stats import KeptPage
from gwc_crawler.urls import normalize_url

Given: TypeAlias = Mapping[str, FieldValue | None]
"""Field → its value; None: the page does not have it."""

CORRECTION = "correction"
"""Key in the evidence of knowledge learned with a correction: the samples for the site file, URL → fields."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction that fits the site file.

    Attributes:
        given: the values that a person says are right.
        read: the values read now; empty if these are no record.
        samples: the changes to the site file: the page, and samples that contradict it.
        others: the present values of the latter.
        site: the site with these samples.
    """

    page: StoredPage
    given: Given
    read: Values
    samples: Mapping[str, Given]
    others: Mapping[str, Given]
    site: Site

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (label, text) lines for a terminal."""
        if not self.read:
            yield "note", "no record is read there now; the page would become a target"
        for url, fields in self.samples.items():
            is_corrected = url == next(iter(self.samples))
            yield "sample", url if is_corrected else f"{url}, which says otherwise"
            for name, value in fields.items():
                before = self.read if is_corrected else self.others[url]
                was = f"{short(before.get(name)) or '–'} → " if name in self.given else ""
                yield name, f"{was}{short(value) or '–'}"

    def doubts(self, told: Sequence[str]) -> Iterator[str]:
        """Yield possible faults of the given values that learning has not *told*."""
        for name, value in self.given.items():
            was = self.read.get(name)
            if isinstance(value, list) and isinstance(was, list) and len(value) == 1 < len(was):
                yield f"field {name!r}: a list of {len(was)} is read today, you gave one"
            if isinstance(value, str):
                sample = _sample(self.page, name, value)
                longer = shown(text_around(value, LearnPage.parse(sample.html, sample.url)))
                if longer and not any(repr(longer) in one for one in told):
                    yield f"field {name!r}: {shown(value)!r} is a part of a longer text: {longer!r}"


def value_of(site: Site, name: str, text: str) -> FieldValue | None:
    """Return the value that a *text* says a field has; "" and [] say none. InputError: none of its form, or by hand."""
    if name in site.fields:
        place = key_place(site, "fields", name)
        raise InputError(
            f"field {name!r} is read by a selector by hand, which wins over samples; correct it in {place}"
        )
    if name not in site.field_names:
        known = f"it has {', '.join(site.field_names)}" if site.field_names else "it has no samples with fields"
        raise InputError(f"{site.name} has no field {name!r} ({did_you_mean(name, site.field_names) or known})")
    if not text.strip():
        return None
    shape = next(shape_of(one.fields[name]) for one in site.samples if name in one.fields)
    if shape is ValueShape.TEXT:
        return _encodable(text.strip())
    value: Any
    try:
        value = json.loads(text)
    except ValueError as error:
        value = text.strip()
        if value[0] in "[{":
            raise InputError(f"field {name!r}: what is given is no JSON ({error}); mend {short(value)}") from error
    if shape is ValueShape.LIST and isinstance(value, str):
        value = [value]
    if value == []:
        return None
    if fault := value_fault(name, value):
        raise InputError(fault)
    if not isinstance(value, list) or shape_of(value) is not shape:
        form = '["first", "second"]' if shape is ValueShape.LIST else '[{"author": "Ann", "text": "…"}]'
        raise InputError(f"field {name!r} has {shape.words}; write it as JSON: {name}='{form}'")
    return _encodable(value)


def correct(files: SiteFiles, address: str, given: Given, *, keep_samples: bool = False) -> Correction | None:
    """Work out the changes that make values right on a stored page; None if they are right already, and no sample
    contradicts them.

    A new sample also has the other values that are read now. A sample that contradicts the corrected value's rule is
    corrected, too.

    Args:
        keep_samples: the other samples are right, whatever is learned.
    Raises:
        InputError: no such page is stored, there is no knowledge, or the site file can't take the change.
        LearnError: a value is not on the page.
    """
    if files.site.template:
        raise template_first(files.site)
    with _shared(files) as shared:
        if shared is not None:
            shared.sync()
    knowledge = files.knowledge()
    page = _stored(files, knowledge, address)
    read = TextReader(knowledge).read(page) or {}
    sample = next((one for one in files.site.samples if one.url in (page.url, page.requested)), None)
    ways = (read, {**given, **(sample.fields if sample else {})})
    wrong = {name: value for name, value in given.items() if not all(same_value(one.get(name), value) for one in ways)}
    if not wrong:
        return None
    kept = {} if sample else {name: value for name, value in read.items() if not is_empty(value)}
    said, by_hand = {**kept, **wrong}, files.site.fields
    own = {name: said[name] for name in files.site.field_names if name in said and name not in by_hand}
    url = sample.url if sample else page.url
    for name, value in wrong.items():
        for told in nowhere(name, SamplePages().views([_sample(page, name, value or "")])[0]):
            raise LearnError(f"{told}; say it as it stands on the page")
    overruled = {} if keep_samples else _overruled(files, url, page, wrong, read, knowledge)
    samples: dict[str, Given] = {url: own, **overruled}
    others = {one.url: one.fields for one in files.site.samples}
    return Correction(page, wrong, read, samples, others, site_with_samples(files.site.path, samples))


def learn_corrected(files: SiteFiles, correction: Correction) -> Knowledge:
    """Learn from the stored pages with a correction; the evidence has its samples, for `accept_correction`.

    Raises InputError: no page is stored; LearnError: the new knowledge does not read the page as the correction says.
    """
    knowledge = learn_stored(correction.site, files.settings, files.knowledge().mode)
    url, read = correction.page.url, TextReader(knowledge).read(correction.page)
    if read is None:
        raise LearnError(f"by what is learned with it, {url} is no target; say in the site file `[learn] also` for it")
    selector = "jmespath" if is_json(correction.page.content_type) else "css"
    for name, value in correction.given.items():
        if not same_value(read.get(name), value):
            raise LearnError(
                f"field {name!r}: what is learned with it reads {_told(read.get(name))} on {url}, not {_told(value)}: "
                f"no rule reads all samples; a selector does: [fields.{name}] {selector} = …"
            )
    warnings = knowledge.evidence.get("warnings", [])
    warnings = [*correction.doubts(warnings), *warnings]
    return replace(knowledge, evidence={**knowledge.evidence, "warnings": warnings, CORRECTION: correction.samples})


def accept_correction(files: SiteFiles, knowledge: Knowledge) -> Site:
    """Write the samples that *knowledge* was learned with into the site file, then the knowledge; return the site.

    Neither is written without room for both. Each is whole at any moment; after an interruption, do the same again.
    Raises InputError: the site file was changed since; StoreError: one of them can't be written.
    """
    path, samples = files.site.path, knowledge.evidence[CORRECTION]
    evidence = {key: value for key, value in knowledge.evidence.items() if key != CORRECTION}
    with _alone(path), _shared(files) as shared:
        site = site_with_samples(path, samples)
        if learning_digest(site) != knowledge.evidence[SITE_FILE_KEY]:
            raise InputError(f"{path} has been changed since this was learned; do the same again")
        if shared is not None:
            shared.take()
        keep_learned(replace(knowledge, evidence=evidence), files.directory, partial(put_samples, path, samples))
        if shared is not None:
            shared.publish()
    return site


def _told(value: Any) -> str:
    return "nothing" if is_empty(value) else repr(shown(value))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Be the only correction that writes in a site file's directory: of two at once one would be lost."""
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


@contextmanager
def _shared(files: SiteFiles) -> Iterator[SharedLearning | None]:
    shared = together(files.site, files.settings)
    try:
        yield shared
    finally:
        if shared is not None:
            shared.drop()
            shared.close()


def _encodable(value: FieldValue) -> FieldValue:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InputError(f"the value {value!r} is no Unicode text; write it in the terminal's own encoding") from None
    return value


def _stored(files: SiteFiles, knowledge: Knowledge, address: str) -> StoredPage:
    url = normalize_url(address)
    if url is None:
        raise InputError(f"{address!r} is no http or https address; copy it from the record: https://…")
    for one in dict.fromkeys((knowledge.clean(url), url)):
        if (page := page_to_learn_from(files, one)) is not None:
            return page
    with ExitStack() as stack:
        known = some_urls(files, Servers(stack))
    near, name = "" if url in known else did_you_mean(url, known), files.site.name
    helps = f"{near or ''} crawl it first: scrapy queue {name} add {url}, then scrapy crawl {name}".lstrip()
    raise InputError(f"of {url} no page is stored with its HTML (GWC_KEEP_HTML); {advice(helps)}")


def _overruled(
    files: SiteFiles, url: str, page: StoredPage, wrong: Given, read: Values, knowledge: Knowledge
) -> dict[str, dict[str, FieldValue | None]]:
    """Return the samples besides *url* that contradict the corrected values, with the values that these teach.

    Only if the rule from the corrected page alone finds a value on each of them; or on some, and the rest is as wrong
    as these: then the rest gets no value. A value that is only cut otherwise stays."""
    others = [(one, page_to_learn_from(files, one.url)) for one in files.site.samples if one.url != url]
    more = [_sample(kept, "", "") for kept in some_targets(files, knowledge)]
    found: dict[str, dict[str, FieldValue | None]] = {}
    for name, value in wrong.items():
        if value is None:
            continue
        theirs = {one.url: _sample(kept, name, one.fields[name]) for one, kept in others if kept and name in one.fields}
        mine = _sample(page, name, value)
        alone = learn_wrapper([mine], more)
        reads_it = same_value(alone.extract(mine.html, mine.url).get(name), mine.fields[name])
        if not reads_it or _go_together([mine, *theirs.values()], more, name):
            continue
        taught = {at: alone.extract(one.html, one.url).get(name) for at, one in theirs.items()}
        lacking = [at for at, said in taught.items() if is_empty(said)]
        otherwise = [at for at, said in taught.items() if not same_value(said, theirs[at].fields[name])]
        beside = [theirs[at] for at in otherwise if at not in lacking]
        was = read.get(name)
        if isinstance(value, str) and isinstance(was, str) and was and (value in was or was in value):
            lacking, otherwise = [], [one.url for one in beside]
        if all(_is_as_wrong(theirs[at], beside, more, name) for at in lacking):
            for at in otherwise:
                found.setdefault(at, {})[name] = None if at in lacking else taught[at]
    return found


def _is_as_wrong(sample: Sample, others: Sequence[Sample], more: Sequence[Sample], name: str) -> bool:
    """Tell whether a sample's value is not on its page, or stands in the place of the wrong ones of *others*."""
    try:
        learn_wrapper([sample])
    except LearnError:
        return True
    return bool(others) and _go_together([sample, *others], more, name)


def _sample(page: StoredPage | KeptPage, name: str, value: FieldValue) -> Sample:
    charset = detect_charset(page.html, page.content_type)
    return Sample(page.url, page.html.decode(charset or "utf-8", errors="replace"), {name: value})


def _go_together(samples: Sequence[Sample], more: Sequence[Sample], name: str) -> bool:
    """Say whether the learned rule reads each sample as given, in one way: a second is for another layout."""
    try:
        rule = learn_wrapper(samples, more).rules[name]
    except LearnError:
        return False
    first = replace(rule, locators=rule.locators[:1]) if isinstance(rule, BestRule) else rule
    return all(same_value(first.read(PageView.parse(one.html, one.url)), one.fields[name]) for one in samples)
