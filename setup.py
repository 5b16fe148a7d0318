"""What pyproject.toml can't say: the walk over pages in C, and the egg for scrapyd-deploy.

The extension `gwc_crawler.page._walk` is optional: where there is no compiler, the install goes on without it, and the
Python code does the same in more time. An egg carries this checkout (the program, its profiles and its site files) to
machines of any kind, so it has no compiled code.
"""

import os
import sys

from setuptools import Extension, find_packages, setup


def walks() -> list[Extension]:
    """The extension, over lxml's public headers; GWC_WALK_CFLAGS adds options of the compiler (`make asan`)."""
    try:
        import lxml
        from Cython.Build import cythonize
    except ImportError:
        return []
    options = ["-O2", "-g0", *os.environ.get("GWC_WALK_CFLAGS", "").split()]
    walk = Extension(
        "gwc_crawler.page._walk",
        ["gwc_crawler/page/_walk.pyx"],
        include_dirs=lxml.get_include(),
        extra_compile_args=[] if sys.platform == "win32" else options,
        optional=True,
    )
    return list(cythonize([walk], build_dir="build/cython", language_level=3, quiet=True))


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

setup(cmdclass=egg, ext_modules=[] if egg else walks())
