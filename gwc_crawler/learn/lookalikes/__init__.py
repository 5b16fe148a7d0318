"""Find marks of target pages that other categories under the same URL form lack; make the page check of them."""
