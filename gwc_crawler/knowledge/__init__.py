"""What was learned of a site: a file that people may edit, read whole or refused with its line and key."""

from gwc_crawler.knowledge.checked_json import check_parsed, read_checked
from gwc_crawler.knowledge.form import VERSION, WRAPPER, ends_section
from gwc_crawler.knowledge.model import (
    Continuation,
    Knowledge,
    RecordShape,
    Sureness,
    UrlClass,
    Verdict,
    keep_previous,
    unreadable,
    write_json,
)
from gwc_crawler.knowledge.patterns import (
    ANY_HOST,
    REGEX_MARK,
    PatternError,
    UrlPattern,
    check_patterns,
    glob_of,
    pieces,
    read_pattern,
)
from gwc_crawler.knowledge.selectors import SELECTED, SELECTOR_KINDS, Fault, selector_fault
