"""The lines of docs/deploy.md for a static Space and for Pages, as far as they go without a network: the site is built, committed, and
opened below the name of a repository, as Pages has it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ...products import some
from ..files import files_of
from .conftest import decode, follow

ROOT = Path(__file__).parents[3]
DEPLOY = (ROOT / "docs" / "deploy.md").read_text("utf-8")
PLACES = ("A static Space", "Pages")


def lines(place: str) -> list[str]:
    [block] = re.findall(rf"^## {place}\n+```sh\n(.*?)```", DEPLOY, re.MULTILINE | re.DOTALL)
    return block.splitlines()


@pytest.mark.parametrize("place", PLACES)
def test_it_takes_five_lines_at_most_and_only_the_last_needs_a_network(place):
    pushes = [line.startswith("git push") for line in lines(place)]
    assert len(pushes) <= 5 and pushes == [False] * (len(pushes) - 1) + [True]


@pytest.mark.parametrize("place", some(PLACES, "Pages"))
@pytest.mark.skipif(not shutil.which("git"), reason="the lines that are tried run git, which is not here")
def test_the_lines_make_a_site_that_decodes_below_the_name_of_a_repository(watched, tmp_path, place):
    site = tmp_path / "host" / "name"
    script = "\n".join(["set -e", f"cd {ROOT}", *lines(place)[:-1]]).replace("../site", str(site))
    if not shutil.which("git-lfs"):
        script = re.sub(r"git lfs [^&]*&& ", "", script)
    script = script.replace("python -m", f"{sys.executable} -m")
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    path = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    done = subprocess.run(["sh", "-c", script], env=path | who, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    committed = subprocess.run(["git", "ls-files"], cwd=site, env=path, capture_output=True, text=True, check=True).stdout.split()
    assert {"index.html", "README.md", ".nojekyll", "engine/specviz.wasm", "traces/opening.jsonl.gz"} <= set(committed)
    card = (site / "README.md").read_text("utf-8")
    assert ("](https://huggingface.co/spaces/NAME/specviz)" in card) == (place == "A static Space")
    with files_of(site.parent) as address:
        watched.emulate_media(reduced_motion="reduce")
        follow(watched, f"{address}name/")
        decode(watched)
