"""The starter site file: an address in, a commented TOML text to fill in out. Called by `scrapy new URL`.

What is left empty is a mistake that `load_site` names with its line, so the file itself leads through the filling in.
"""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

from gwc_crawler.errors import InputError
from gwc_crawler.program import advice
from gwc_crawler.urls import host_of, normalize_url

_TEMPLATE = """\
# {host}: fill in what is empty, then see what is learned with: scrapy learn {name}

# Where the crawl starts.
entry = [{entry}]

# Words that the pages you want say outside their links; joined by && || ! ( ), phrases in "quotes". Optional.
# keywords = "ISBN && (Paperback || Hardcover)"

# Two pages whose records you want, as different from each other as they come. Copy each value as it stands on the page,
# in quotes. A field that one page lacks is left out there. Name the fields as you like.
[[samples]]
url = {sample}
[samples.fields]
title = ""
# price = "$11.48"
# authors = ["Billy Tan", "Ryan Stegman"]                               # several values
# reviews = [{{ author = "Ann", text = "Read it in one night." }}]        # records inside the page

[[samples]]
url = ""
[samples.fields]
title = ""

# [types]                 # text, number, price, date, url, file, list or html; text if nothing is said
# price = "price"

# [paging]
# reviews = true          # a list that goes on on further pages; all of it comes into the one record

# [crawl]
# max_pages = 1000        # a limit for a first try

# [settings]              # any setting, for this site only
# DOWNLOAD_DELAY = 0.5
"""


def site_template(url: str, name: str = "") -> str:
    """Return the text of a starter site file for the site of *url*, to be called *name* (else as suggested).

    The crawl is to start at the site's front page; an address below it is taken for the first sample.

    Raises:
        InputError: if *url* is no http(s) address.
    """
    address = _normalized(url)
    front = f"{urlsplit(address).scheme}://{host_of(address)}/"
    sample = "" if address == front else address
    return advice(_TEMPLATE).format(
        host=host_of(address), name=name or suggest_site_name(url), entry=json.dumps(front), sample=json.dumps(sample)
    )


def suggest_site_name(url: str) -> str:
    """Return a name for the site of *url* that can be a site file's.

    >>> suggest_site_name("https://www.books.example.com:8080/p/1")
    'books.example.com-8080'
    """
    host = host_of(_normalized(url)).removeprefix("www.")
    return re.sub(r"[^\w.-]+", "-", host).strip("-")[:64].rstrip(".-")


def _normalized(url: str) -> str:
    address = normalize_url(url)
    if address is None:
        raise InputError(f"{url!r} is no http or https address; copy it from the address bar: https://…/")
    return address
