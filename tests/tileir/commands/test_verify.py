"""`tileir verify`: what it prints, as text and JSON, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tileir.__main__ import main
from tileir.verifier.catalogue import RULES

VALID = FIXTURES / "13.4" / "vector_add.tileirbc"
RULE = FIXTURES / "invalid" / "rules"
WHO = "{lhs, rhs, result}"
BAD_MAGIC = FIXTURES / "invalid" / "bad_magic.tileirbc"
UNKNOWN = FIXTURES / "invalid" / "unknown_version.tileirbc"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([VALID], 0),
        ([RULE / "same-type.tileirbc"], 1),
        ([RULE / "step.tileirbc"], 0),
        (["--strict", RULE / "step.tileirbc"], 1),
        ([RULE / "tileiras-gate.tileirbc"], 0),
        (["--strict", "--target", "sm_80", RULE / "tileiras-gate.tileirbc"], 1),
        ([BAD_MAGIC], 3),
        ([UNKNOWN], 4),
        ([VALID, RULE / "same-type.tileirbc", BAD_MAGIC, VALID], 3),
        ([], 2),
        (["no such file"], 2),
        (["no such file", VALID], 2),
        (["no such file", BAD_MAGIC], 3),
        ([FIXTURES / "invalid" / "location_out_of_range.tileirbc"], 3),
        ([FIXTURES / "invalid" / "debug_list_too_short.tileirbc"], 3),
        (["--rules", VALID], 2),
        (["--target", "sm_1", VALID], 4),
        (["--explain", "same-type"], 0),
        (["--explain", "no-such-rule"], 2),
        (["--rules"], 0),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else "",
)
def test_exit_codes(arguments: list, code: int, capsys) -> None:
    assert main(["verify", *map(str, arguments)]) == code
    said = capsys.readouterr()
    assert said.out or said.err
    assert "Traceback" not in said.err


def test_text(capsys) -> None:
    path = RULE / "same-type.tileirbc"
    assert main(["verify", str(path), str(VALID)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"{path}: 0x28: error: addf: failed to verify that all of {WHO} have same type [same-type]",
        "    in main",
        "    hint: lhs is tile<f32>, rhs is tile<f16>, result is tile<f32>",
        f"{path}: not valid: 1 error",
        f"{VALID}: valid",
    ]


def test_json(capsys) -> None:
    paths = [RULE / "same-type.tileirbc", VALID, BAD_MAGIC]
    assert main(["verify", "--json", *map(str, paths)]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    wrong, valid, unreadable = document["files"]
    assert [file["file"] for file in document["files"]] == list(map(str, paths))
    assert [file["valid"] for file in document["files"]] == [False, True, False]
    assert "magic" in unreadable["unreadable"]
    assert valid["diagnostics"] == []
    (found,) = wrong["diagnostics"]
    assert (found["rule"], found["op"], found["function"]) == ("same-type", "addf", "main")
    assert (found["offset"], found["location"]) == (0x28, None)


def test_standard_input(monkeypatch, capsys) -> None:
    import io
    import sys

    class Input:
        buffer = io.BytesIO(Path(VALID).read_bytes())

    monkeypatch.setattr(sys, "stdin", Input())
    assert main(["verify", "-"]) == 0
    assert capsys.readouterr().out == "<stdin>: valid\n"


def test_all_rules_are_listed_and_explained(capsys) -> None:
    assert main(["verify", "--rules"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == sorted(RULES)
    for id in listed:
        assert main(["verify", "--explain", id]) == 0
        assert " ".join(capsys.readouterr().out.split()).startswith(
            f"{id} ({RULES[id].severity}) {RULES[id].explanation}"
        )
    assert main(["verify", "--rules", "--json"]) == 0
    assert [rule["rule"] for rule in json.loads(capsys.readouterr().out)["rules"]] == listed
