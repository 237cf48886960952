"""The server's files while it runs: copies for visitors to fetch, uploads. In one folder, bounded, gone at the next start.

scratch = Scratch(7860)     # before gradio is imported, which asks for the folder once
scratch.sweep()             # now and then
"""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

SCRATCH_BYTES = 512 * 2**20  # bytes: the runs of some hundred visitors, 0.6 MB each
SCRATCH_FILES = 2000  # however small: each is a folder of its own
UPLOAD_SECONDS = 60.0  # seconds without a byte after which an upload has ended: whole ones are moved to folders of their own
OWN_FOLDER = "kept"


class Scratch:
    """A folder that begins with the port, which one server has at a time: what a killed one left is removed when it starts again. How it ends
    nobody can know before, so that nobody else can make it."""

    def __init__(self, port: int, most: int = SCRATCH_BYTES):
        base = os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir()
        Path(base).mkdir(parents=True, exist_ok=True)
        for left in Path(base).glob(f"specviz-{port}-*"):
            if _own(left):
                shutil.rmtree(left, ignore_errors=True)
        self.folder, self.most = Path(tempfile.mkdtemp(prefix=f"specviz-{port}-", dir=base)), most
        (self.folder / OWN_FOLDER).mkdir(mode=0o700)
        os.environ["GRADIO_TEMP_DIR"] = str(self.folder / "sent")
        tempfile.tempdir = str(self.folder / OWN_FOLDER)  # what this process makes for itself, and removes itself

    def sweep(self) -> None:
        """Remove the oldest copies until the rest is within the bound: what somebody still wants is made anew by another run. And what is
        left of uploads that never ended."""
        for when, _, path in _files(self.folder / "sent"):
            if path.parent == self.folder / "sent" and time.time() - when > UPLOAD_SECONDS:
                path.unlink(missing_ok=True)
        files = sorted(_files(self.folder / "sent"), key=lambda file: file[0])
        left = sum(size for _, size, _ in files)
        for n, (_, size, path) in enumerate(files):
            if left <= self.most and len(files) - n <= SCRATCH_FILES:
                return
            path.unlink(missing_ok=True)
            with suppress(OSError):  # another file is in it
                path.parent.rmdir()
            left -= size

    def remove(self) -> None:
        tempfile.tempdir = None
        shutil.rmtree(self.folder, ignore_errors=True)


def _own(folder: Path) -> bool:
    """Whether it is a folder of this user, and no link to one."""
    return not folder.is_symlink() and folder.is_dir() and (os.name == "nt" or folder.stat().st_uid == os.getuid())


def _files(folder: Path) -> list[tuple[float, int, Path]]:
    """(when it changed, bytes, path) of each file; one that goes meanwhile is left out."""
    files = []
    for place, _, names in os.walk(folder):  # a folder that goes meanwhile is no error to it
        for path in (Path(place, name) for name in names):
            with suppress(OSError):
                stat = path.stat()
                files.append((stat.st_mtime, stat.st_size, path))
    return files
