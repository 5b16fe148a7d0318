"""The bundled mall: a site with known records, graph and traps, for the quick start and the tests."""
