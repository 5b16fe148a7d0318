"""Files that may be in an egg: a path leads into that zip file as if it were a directory.

scrapyd runs the project out of an egg, which carries the package `sites`: site files, and what was learned of them.
"""

from __future__ import annotations

from errno import EFBIG, ENODEV
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from zipfile import ZipFile

LARGEST_BYTES = 64 * 1024 * 1024
"""No site file or knowledge is larger; what is, is something else."""


def read_file(path: Path) -> bytes:
    """Return the content of the file at *path*.

    Raises:
        OSError: as `Path.read_bytes`; also for a pipe or a device, which may never end, and a file too large.
    """
    egg = _egg_of(path)
    if egg is None:
        mode = path.stat().st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            raise OSError(ENODEV, "Not a regular file", str(path))
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise OSError(EFBIG, f"Larger than {LARGEST_BYTES} bytes", str(path))
        return content
    with ZipFile(egg) as archive:
        try:
            return archive.read(path.relative_to(egg).as_posix())
        except KeyError:
            raise FileNotFoundError(f"{path}: not in the egg") from None


def is_file(path: Path) -> bool:
    """Return whether there is a file at *path*."""
    return path.is_file() or path in files_in(path.parent)


def files_in(directory: Path) -> list[Path]:
    """Return the files in *directory*, by name; none if there is no such directory."""
    egg = _egg_of(directory)
    if egg is None:
        return sorted(path for path in directory.glob("*") if path.is_file())
    with ZipFile(egg) as archive:
        paths = [egg / name for name in archive.namelist() if not name.endswith("/")]
    return sorted(path for path in paths if path.parent == directory)


def _egg_of(path: Path) -> Path | None:
    """The egg that *path* leads into; None where it leads to a place in the file system."""
    return next((parent for parent in path.parents if parent.suffix == ".egg" and parent.is_file()), None)
