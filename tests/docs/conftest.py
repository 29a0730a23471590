"""The built site, which several tests look at."""

from __future__ import annotations

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
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    return folder
