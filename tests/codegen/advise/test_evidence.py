"""What ops cost: a fold with its region, and no op with what belongs to none."""

from __future__ import annotations

import tileir
from tests.codegen.advise.test_computing import HEAD, ONE, SPREAD, STORE, SUM
from tileir.codegen.advise.evidence import Settings, Site, evidence_of
from tileir.codegen.advise.numbered import Original

FOLD = f"{ONE}%v = {SUM.format('%t')}{SPREAD}%st = {STORE.format('%r')}\n"


def test_a_fold_costs_what_its_ops_do_wherever_one_without_a_location_is() -> None:
    copy = Original(tileir.assemble(f"{HEAD}{FOLD}return }} }}")).copy()
    found = evidence_of(copy, Settings("sm_90", ptxas=False))
    ((number, fold),) = [(n, op) for n, op in copy.ops.items() if op.name == "reduce"]
    slots = found.instructions.slots
    of_none = slots["k", None]
    inside = [n for n, op in copy.ops.items() if op is fold or op.parent is fold.regions[0].block]
    assert of_none
    assert found.slots_at(Site("k", number)) == sum(slots["k", n] for n in inside)
    end = fold.regions[0].block.ops[-1]
    assert not slots["k", inside[-1]]
    end.location = None
    assert found.slots_at(Site("k", number)) == sum(slots["k", n] for n in inside)
    assert found.slots_at(Site("k")) == of_none
