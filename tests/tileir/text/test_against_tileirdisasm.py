"""What we write NVIDIA's own disassembler reads; what we refuse it refuses too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import INVALID, OLDEST_AND_NEWEST, name_of
from tests.tileir.same_meaning import targets
from tileir import Bytecode, VersionError

pytestmark = pytest.mark.oracle


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", OLDEST_AND_NEWEST, ids=name_of)
def test_other_versions_read_the_same(path: Path, tool, tmp_path: Path) -> None:
    """Re-targeted files are accepted and print, source locations included, what their source does.

    To the letter: its reader fills in the defaults of older versions before anything is printed.
    """
    bytecode = Bytecode.parse(path.read_bytes())
    text = tool("tileirdisasm", "-g", path).stdout
    assert text
    for version in targets(bytecode.version):
        if version == bytecode.version:
            continue
        try:
            other = bytecode.to_version(version)
        except VersionError:
            continue
        file = tmp_path / f"{version}.tileirbc"
        file.write_bytes(other.data)
        done = tool("tileirdisasm", "-g", file)
        assert done.returncode == 0, done.stderr
        assert done.stdout == text


@pytest.mark.parametrize("path", INVALID, ids=name_of)
def test_nvidia_refuses_the_invalid_files_too(path: Path, tool) -> None:
    done = tool("tileirdisasm", path)
    stricter = {"deep_attribute", "deep_regions"}
    assert (done.returncode != 0) or path.stem in stricter
