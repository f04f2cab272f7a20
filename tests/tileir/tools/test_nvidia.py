"""Calls of NVIDIA's tools: what takes too long is ended, with all that it has started."""

from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tileir.errors import ToolError
from tileir.tools import nvidia

TILEIRAS = "#!/bin/sh\nexec 3> {fifo}\nsleep 100 &\necho begun >&3\nwait\n"
"""It starts something, as tileiras starts ptxas; both hold the pipe open as long as they live."""
PATIENCE = 60
"""Seconds for the system to do what it is told."""


@pytest.mark.skipif(os.name != "posix", reason="the tool is a script of a shell")
def test_what_tileiras_has_started_ends_with_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pipe ends when nobody has it open any more."""
    fifo, tool = tmp_path / "fifo", tmp_path / "tileiras"
    os.mkfifo(fifo)
    pipe = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    tool.write_text(TILEIRAS.format(fifo=fifo))
    tool.chmod(0o755)
    communicate = subprocess.Popen.communicate

    def late(process: Any, input: Any = None, timeout: float | None = None) -> Any:
        """The time is over when the tool has begun."""
        assert timeout == 8
        assert select.select([pipe], [], [], PATIENCE)[0]
        assert os.read(pipe, 100) == b"begun\n"
        return communicate(process, input, 0.01)

    monkeypatch.setattr(nvidia, "find", lambda name: tool)
    monkeypatch.setattr(subprocess.Popen, "communicate", late)
    with pytest.raises(ToolError, match=r"^tileiras was not done after 8 s, and was ended$"):
        nvidia.compile_by_tileiras(b"", "sm_90", seconds=8)
    assert select.select([pipe], [], [], PATIENCE)[0], "what it has started goes on"
    assert os.read(pipe, 100) == b""
    os.close(pipe)
