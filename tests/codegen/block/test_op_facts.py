"""What rows say of shared memory and of what is under way agrees with their other slots."""

from __future__ import annotations

from tileir.codegen.block import op_facts
from tileir.codegen.block.rows import ROWS
from tileir.formats.ops.spec import WRITES

BY_NAME = {row.mnemonic: row for row in ROWS}


def kinds(mnemonic: str, slots: str) -> set[str]:
    """The kinds of types that operands or results of a row may have."""
    return {kind for slot in getattr(BY_NAME[mnemonic], slots) for kind in slot.type.kinds}


def test_copies_write_and_are_committed() -> None:
    for copy in op_facts.COPIES:
        assert op_facts.ACCESSES[copy] == {"destination": True}, copy
        assert BY_NAME[copy].effects == WRITES, copy
    for commit in op_facts.COMMITS:
        assert "tiles" not in op_facts.ACCESSES.get(commit, {}), commit
        assert "flight" in kinds(commit, "results"), commit


def test_waits_take_flights() -> None:
    """One that takes none leaves flights what they are: it gives nothing."""
    for wait in (*op_facts.ARRIVALS, *op_facts.ENDS):
        assert ("flight" in kinds(wait, "operands")) == bool(BY_NAME[wait].results), wait
    assert {*op_facts.FOR_ALL} < {*op_facts.ARRIVALS}


def test_results_in_memory_have_an_origin() -> None:
    """A tile in shared memory is of an area, or of the memory of an operand."""
    for row in ROWS:
        if "shared" in kinds(row.mnemonic, "results") and row.mnemonic != "shared_alloc":
            slots = {slot.name: slot.type.kinds for slot in row.operands}
            assert slots[row.same_memory] == ("shared",), row.mnemonic


def test_exchanges_have_one_tile_on_each_side() -> None:
    for exchange in op_facts.EXCHANGES:
        row = BY_NAME[exchange]
        assert len(op_facts.ACCESSES[exchange]) == 1, exchange
        assert row.layout_of in {slot.name for slot in (*row.operands, *row.results)}, exchange
