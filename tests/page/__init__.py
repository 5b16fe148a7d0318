"""Tests of the page stage: bytes in, a read page out."""
