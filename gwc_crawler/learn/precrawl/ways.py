"""Ways that may be: the wider forms of URLs that target pages lead to, until enough of each was looked at.

Pages about what a target belongs to, or is used in, often lead to further targets that no list has. A form of which
hardly a page was looked at says nothing of whether it does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gwc_crawler.learn.precrawl.links import Links
from gwc_crawler.learn.precrawl.url_forms import Form, UrlForms

_LOOKS = 6
"""So many pages of a form: where a third of its pages lead to targets, one of six that does not is rare."""
_LEAST_KNOWN = 20
_LEAST_SOURCES = 3
"""A form is one of so many URLs, to which so many target pages lead."""


def unlooked_ways(
    targets: Collection[str], links: Links, clean: Mapping[str, str], seen: Collection[str]
) -> dict[Form, list[str]]:
    """Return for each form that targets lead to, and that was looked at too little, URLs that bring it to enough.

    Args:
        targets: clean URLs of all that the filters take.
        clean: URL as a link has it → clean URL.
        seen: clean URLs that were looked at, or asked for.
    Cost: each link of the targets that were fetched is met once.
    """
    forms = UrlForms()
    of_form: dict[Form, dict[str, None]] = {}
    for url in dict.fromkeys(clean.values()):
        if url not in targets:
            of_form.setdefault(forms.of(url)[1], {})[url] = None
    form_of = {url: form for form, urls in of_form.items() if len(urls) >= _LEAST_KNOWN for url in urls}
    sources: dict[Form, int] = {}
    for address, page in links.pages.items():
        if address == page.url and clean[page.url] in targets:
            for form in {form for link in page.links if (form := form_of.get(clean[link])) is not None}:
                sources[form] = sources.get(form, 0) + 1
    found: dict[Form, list[str]] = {}
    for form, count in sources.items():
        waiting = [url for url in of_form[form] if url not in seen]
        missing = _LOOKS - (len(of_form[form]) - len(waiting))
        if count >= _LEAST_SOURCES and missing > 0:
            step = max(1.0, len(waiting) / missing)
            found[form] = [waiting[int(place * step)] for place in range(min(missing, len(waiting)))]
    return found
