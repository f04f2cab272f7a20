"""What is seen of a batch on a terminal: names and messages as they are."""

from __future__ import annotations

import io
import sys

import pytest

from tileir.batches.progress import board


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_missing_tool_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    failed = {"ok": False, "target": None, "failure": "ToolError", "message": "no ptxas"}
    failed["warnings"] = []
    with board("resources") as shown:
        for number in range(200):
            shown.show(failed | {"file": f"{number}.mlir"})
        shown.show(failed | {"file": "x.mlir", "failure": "invalid", "message": "it is not valid"})
    assert capsys.readouterr().err.splitlines() == [
        "tileir batch: 0.mlir: no ptxas",
        "tileir batch: x.mlir: it is not valid",
        "tileir batch: 199 more failed for the same reason: no ptxas",
    ]


def test_a_warning_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """A store that does not answer is a warning of each process of a batch."""
    with board("compile") as shown:
        for number in range(3):
            warnings = ["no store", f"{number}.mlir:1:2: warning: x is ignored", "0x1: warning: y"]
            shown.show({"ok": True, "file": f"{number}.mlir", "warnings": warnings})
        shown.show({"ok": True, "file": "n", "warnings": [str(each) for each in range(200)]})
    lines = capsys.readouterr().err.splitlines()
    assert lines[:4] == [
        "tileir batch: 0.mlir: warning: no store",
        "tileir batch: 0.mlir:1:2: warning: x is ignored",
        "tileir batch: 0.mlir: 0x1: warning: y",
        "tileir batch: 1.mlir:1:2: warning: x is ignored",
    ]
    assert [each for each in lines if "no store" in each] == lines[:1]
    assert lines[-2:] == [
        "tileir batch: n: warning: 92",
        "tileir batch: further warnings are not printed",
    ]


def test_what_is_printed_is_neither_markup_nor_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """rich would make a sign of ``:100:``, a colour of ``[red]``, and lines of a long one."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "60")
    name, message = "k/[red]:x:.mlir", f"k/[red]:x:.mlir:100:3: error: {'word ' * 30}end"
    with board("verify") as shown:
        record = {"failure": "x", "file": name, "target": None, "message": message, "warnings": []}
        shown.show(record | {"ok": False})
    assert message in sys.stderr.getvalue()  # type: ignore[attr-defined]
