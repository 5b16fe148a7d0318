"""Which of two candidates that fit is meant: what they rely on, what they say, and what further pages tell of them."""

from gwc_crawler.learn.wrapper.judging.candidates import (
    COUNTED,
    MOST_COST,
    NEAR_LABEL_COST,
    RIGHT_KIND,
    SURE_PAGES,
    Candidate,
    ChosenFinders,
    Ranked,
    is_named,
    is_part_of_address,
    is_right_behind,
    is_right_behind_label,
    is_under_header,
    path_of,
    says_what_pages_are_called,
    voice,
    weight,
)
from gwc_crawler.learn.wrapper.judging.lists import what_is_no_caption, what_parts
from gwc_crawler.learn.wrapper.judging.named import (
    WORD,
    calls,
    has_name,
    has_words,
    letters,
    name_in,
    stem,
    stems,
)
from gwc_crawler.learn.wrapper.judging.shown import what_is_shown
from gwc_crawler.learn.wrapper.judging.varying import what_varies
