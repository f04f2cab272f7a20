"""What the commands and the verifier say of files of version 13.6, and how they exit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES
from tileir import BytecodeError
from tileir.__main__ import main
from tileir.tileiras.compiler import UNREADABLE, exit_code, known_module

from .made_up import HINTED, KNOWN, TWISTED, stated, whole

VECTOR_ADD = FIXTURES / "13.5" / "vector_add.tileirbc"
NEWER, UNKNOWN = "newer-version", "unknown-content"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Files of 13.6: one with something new, one without, and one that is cut off."""
    made = {
        "new": whole(TWISTED, KNOWN),
        "same": stated(VECTOR_ADD.read_bytes()),
        "cut": whole(KNOWN)[:-1],
    }
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    return {name: tmp_path / name for name in made}


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        (["verify"], (4, 4, 4)),
        (["verify", "--strict"], (4, 4, 4)),
        (["verify", "--assume-version", "13.5"], (3, 0, 3)),
        (["dis"], (0, 0, 4)),
        (["dis", "--json"], (0, 0, 4)),
        (["dis", "--assume-version", "13.5"], (3, 0, 3)),
        (["inspect"], (0, 0, 4)),
        (["inspect", "--assume-version", "13.5"], (3, 0, 3)),
        (["inspect", "--assume-version", "13.7"], (4, 4, 4)),
        (["inspect", "--assume-version", "new"], (2, 2, 2)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_exit_codes(command: list[str], codes: tuple, files: dict[str, Path], capsys) -> None:
    assert tuple(main([*command, str(path)]) for path in files.values()) == codes
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("asked", [["--list"], ["--entry", HINTED], []], ids=" ".join)
def test_no_file_is_said_to_have_no_kernels_if_they_cannot_be_read(
    asked: list[str], tmp_path: Path, capsys
) -> None:
    path = tmp_path / "hinted"
    path.write_bytes(whole(HINTED))
    assert main(["run", str(path), *asked]) == 4
    said = capsys.readouterr()
    assert not said.out
    assert "version 13.6 is newer than 13.5, and not all of it is known: " in said.err


def test_no_file_of_a_newer_version_is_called_valid(files: dict[str, Path], capsys) -> None:
    assert main(["verify", str(files["new"]), str(files["same"])]) == 4
    lines = capsys.readouterr().out.splitlines()
    ends = [line.partition(": ")[2] for line in lines if "known to be" in line]
    assert ends == [
        "not known to be valid, as its version is newer: 3 errors",
        "not known to be valid, as its version is newer: 1 error",
    ]
    assert main(["verify", "--json", *map(str, files.values())]) == 4
    for one in json.loads(capsys.readouterr().out)["files"]:
        assert one["valid"] is False


def test_the_verifier_lists_what_is_unknown_and_checks_the_rest() -> None:
    new = tileir.verify(whole(TWISTED, KNOWN))
    assert [one.rule for one in new] == [NEWER, UNKNOWN, UNKNOWN]
    assert [one.severity for one in new] == ["error"] * 3
    assert [one.offset for one in new][:2] == [8, 0x1D]
    broken = (FIXTURES / "invalid" / "rules" / "same-type.tileirbc").read_bytes()
    assert broken[8:10] == bytes((13, 5))
    assert [one.rule for one in tileir.verify(stated(broken))] == [NEWER, "same-type"]


def test_a_dump_as_json_calls_opaque_bytes_so(files: dict[str, Path], capsys) -> None:
    assert main(["inspect", "--json", str(files["new"])]) == 0
    said = capsys.readouterr()
    leaves = [json.loads(line) for line in said.out.splitlines()]
    assert sum(leaf["length"] for leaf in leaves) == len(files["new"].read_bytes())
    opaque = [leaf for leaf in leaves if leaf["kind"] == "opaque"]
    assert [(leaf["offset"], leaf["length"], leaf["function"]) for leaf in opaque] == [
        (0x1D, 10, "twisted"),
        (opaque[1]["offset"], 3, None),
    ]
    assert said.err.count("warning") == 2


def test_the_text_of_a_newer_file_is_not_assembled(files: dict[str, Path], capsys) -> None:
    assert main(["dis", str(files["same"])]) == 0
    text = capsys.readouterr().out
    source = files["same"].with_suffix(".tileir")
    source.write_text(text)
    assert main(["as", str(source), "-o", str(files["same"].with_suffix(".out"))]) == 3
    assert "<<" in capsys.readouterr().err


def test_cutile_and_others_are_told_that_a_newer_version_is_not_supported() -> None:
    """They write an older one then, of which all is known."""
    with pytest.raises(BytecodeError) as caught:
        known_module(stated(VECTOR_ADD.read_bytes()))
    assert exit_code(caught.value) == UNREADABLE
    assert "expected version 13.1 to 13.5, found 13.6" in str(caught.value)
    assert known_module(VECTOR_ADD.read_bytes()).version == (13, 5)
