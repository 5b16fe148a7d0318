"""For scrapyd-deploy, whose egg carries this checkout: the program, its profiles and its site files.

What is installed from PyPI (pyproject.toml says it all) holds the program alone.
"""

import sys

from setuptools import find_packages, setup

egg = {}
if "bdist_egg" in sys.argv:
    from setuptools.command.bdist_egg import bdist_egg

    class EggOfTheProject(bdist_egg):
        """An egg with the packages beside the program, too, and with this checkout's default profile."""

        def initialize_options(self) -> None:
            super().initialize_options()
            self.distribution.packages += find_packages(include=["settings_profiles", "sites"])
            self.distribution.entry_points["scrapy"] = ["settings = settings_profiles.local"]

    egg = {"bdist_egg": EggOfTheProject}

setup(cmdclass=egg)
