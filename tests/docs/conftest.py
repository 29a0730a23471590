"""The built site, which several tests look at."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS
from tests.unit.cli import environment


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; a warning is a failure."""
    folder = tmp_path_factory.mktemp("site")
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    told = re.search(r"/sphinx-build (-W .*) docs site$", readme, re.MULTILINE)
    assert told, "README.md: no command that builds the site"
    command = [sys.executable, "-m", "sphinx", *told[1].split(), "--keep-going", "-q", str(DOCS), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    return folder
