"""Each rule has a file that breaks it and nothing else, and NVIDIA's tool answers as we do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.every_fixture import Fixture, every_fixture
from tileir import Bytecode, verify
from tileir.verifier.catalogue import CHECKS, RULES, SUSPICIONS
from tileir.verifier.document import PATH, document
from tileir.verifier.module import check

BROKEN = sorted((FIXTURES / "invalid" / "rules").glob("*.tileirbc"))
TARGETS = {"tileiras-gate": "sm_80"}

UNREACHABLE = {
    "constant-value": "the bytes of a constant have no type but that of the result",
    "dominance": "a value number that is not visible cannot be read",
    "malformed-item": "functions and globals of a file are never malformed",
    "malformed-op": "ops of a file are never malformed",
    "newer-version": "files of newer versions are no fixtures: tests/tileir/newer makes them",
    "other-dialect": "bytecode has the ops and types of Tile IR only",
    "parameters": "the parameters of a file's body come from its signature",
    "scalar-identity": "there is no scalar f4E2M1FN for the region to take",
    "unknown-content": "only files of newer versions have any",
    "version": "an op or result that the version lacks cannot be read",
}
"""Rules that no fixture can break, most because reading it fails: `test_verify` has those."""

OTHER_WORDS = {
    "dense-elements": "a reader's error",
    "function-scope": "they print the scope with all its fields",
    "header-tag": "a reader's error, with its offset",
    "op-scope": "they print the scope with all its fields",
    "terminator": "they print the last op",
    "view-of": "their line is cut where it was recorded",
    "packed-view": "their line is cut where it was recorded",
}
"""Rules whose message cannot be that of NVIDIA's tool, word for word."""


def facts(path: Path) -> dict:
    """What is known about a file."""
    return json.loads(path.with_suffix(".json").read_text())


def test_every_rule_has_a_file_or_a_reason() -> None:
    assert {path.stem for path in BROKEN} | UNREACHABLE.keys() == RULES.keys()
    assert not UNREACHABLE.keys() & {path.stem for path in BROKEN}


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_a_file_breaks_its_rule_and_no_other(path: Path) -> None:
    found = verify(path.read_bytes(), TARGETS.get(path.stem))
    assert [finding.rule for finding in found] == [path.stem]
    assert [f"{finding} [{finding.rule}]" for finding in found] == facts(path)["diagnostics"]
    assert found[0].severity == facts(path)["severity"] == RULES[path.stem].severity
    assert found[0].hint or RULES[path.stem].explanation
    (strict,) = verify(path.read_bytes(), TARGETS.get(path.stem), strict=True)
    assert strict.severity == "error"


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_it_is_said_in_nvidias_words(path: Path) -> None:
    """Compared with what was recorded, so that it needs no tool."""
    (finding,) = verify(path.read_bytes(), TARGETS.get(path.stem))
    theirs = facts(path)["nvidia"]
    if finding.severity == "warning":
        assert theirs == "accepted"
    else:
        assert theirs not in ("accepted", "crashed", "not recorded")
        if path.stem not in OTHER_WORDS:
            said = re.sub(r"^'cuda_tile\.[\w$]+' op ", "", theirs).strip()
            assert finding.message == said


@pytest.mark.oracle
@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_nvidia_agrees(path: Path, tool) -> None:
    preview = ["--preview=simt"] if Bytecode.parse(path.read_bytes()).version.preview else []
    done = tool("tileirdisasm", *preview, path)
    assert done.returncode == (3 if RULES[path.stem].severity == "error" else 0)
    if done.returncode:
        line = done.stderr.decode(errors="replace").splitlines()[0].removeprefix("error: ")
        assert line.startswith(facts(path)["nvidia"])


@every_fixture
def a_valid_file_is_valid(fixture: Fixture) -> None:
    check(fixture.parse())
    assert not [one for one in verify(fixture.bytecode) if one.severity == "error"]


def test_the_catalogue_is_fresh(update: bool) -> None:
    if update:
        PATH.write_text(document(), encoding="utf-8", newline="\n")
    assert PATH.read_text(encoding="utf-8") == document(), "run with --update"


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_rules_explain_themselves(rule) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id)
    assert rule.severity in ("error", "warning")
    assert 40 <= len(rule.explanation) <= 700
    assert rule.explanation.endswith(".")


def test_rules_about_ops_are_asked() -> None:
    asked = {
        rule.id for table in (CHECKS, SUSPICIONS) for rows in table.values() for rule, _ in rows
    }
    assert asked == {rule.id for rule in RULES.values() if rule.ops}


def test_read_from_bytes_or_from_a_file_that_is_open() -> None:
    data = BROKEN[0].read_bytes()
    assert verify(data) == verify(Bytecode.parse(data))
