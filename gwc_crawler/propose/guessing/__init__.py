"""Two pages built alike → guesses: what values stand on them, what they may be called, and what tells it."""

from gwc_crawler.propose.guessing.guess import Clue, FieldProposal
from gwc_crawler.propose.guessing.labels import name_of_class
from gwc_crawler.propose.guessing.page_reading import ReadPage, names_of
from gwc_crawler.propose.guessing.rows import like_this, name_of_rows, value_of
