"""Rules about what a kernel computes or moves again and again, or in a dear way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from math import prod

from tileir.codegen.ops import Family, family_of
from tileir.codegen.remarks import Topic
from tileir.ir import Op
from tileir.messages.wording import counted
from tileir.types import Tile

from . import figures
from .evidence import Evidence, Site
from .rule import Candidate, Find, Rule, Sure
from .trials.again import CARRIED, HELD, LOADS, STORES, Held, clobbers, kept
from .trials.arithmetic import (
    APPROXIMATE,
    AS_EXPONENTIAL,
    AS_PRODUCTS,
    BY_CONSTANT,
    DIVISIONS,
    IN_SINGLE,
    UNSIGNED,
    base_of,
    doubles,
    exponent_of,
    is_double,
    is_scaled,
    may_be_approximate,
    taken,
)
from .trials.loops import BEFORE_LOOP, BEHIND_LOOP, innermost_loop, loops_around, sum_of, varying
from .trials.narrowing import (
    OF_FEWER,
    RECIPROCAL_FIRST,
    REDUCED_FIRST,
    divides_by_fewer,
    shared_dims,
    varies,
)
from .trials.order import SILENT

DEAR = (
    *("divf", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "fpowf", "fpowi", "remf"),
    *("sin", "cos", "tan", "tanh", "sinh", "cosh"),
)
"""Functions of one element that take several instructions, or those of a slow unit."""


SHARE = 1 / 10
"""What takes a smaller part of a kernel's time or bytes does not matter."""


BALANCE = 12
"""Issue slots for each byte that a kernel moves with which it computes longer than it waits.

An H100 issues some 9 for threads in the time of a byte: 4 warps of 132 SMs at 1.7 GHz, 3.3 TB/s.
"""


def matters(find: Find) -> Find:
    """Return what finds the ops of others if together they take a good part of their kernel."""

    def found(evidence: Evidence) -> Iterator[Candidate]:
        candidates = list(find(evidence))
        slots = Counter[str]()
        for each in candidates:
            slots[each.site.symbol] += evidence.slots_at(each.site)
        for each in candidates:
            symbol = each.site.symbol
            if slots[symbol] >= SHARE * evidence.instructions.totals[symbol]:
                yield each

    return found


def where(wanted: Callable[[Op], str | None]) -> Find:
    """Return what finds the ops about which there is something to say."""

    def find(evidence: Evidence) -> Iterator[Candidate]:
        for number, op in evidence.copy.ops.items():
            why = wanted(op)
            if why is not None:
                yield Candidate(Site(evidence.copy.functions[number].name, number), why)

    return find


def _is_tile(op: Op) -> bool:
    """Whether the first result of an op has more than one element."""
    kind = op.results[0].type if op.results else None
    return isinstance(kind, Tile) and kind.size > 1


def _summed_reduction(op: Op) -> str | None:
    found = sum_of(op) if op.name == "reduce" else None
    return (
        found
        and f"reduce: each iteration reduces a tile, and {found.added.name} combines the results"
    )


def _of_fewer(op: Op) -> str | None:
    if op.name not in (*DEAR, *DIVISIONS) or not _is_tile(op):
        return None
    shape, full = varies(op.result), op.result.type.shape
    if prod(shape) == prod(full):
        return None
    return f"{op.name}: {prod(full)} results, of which {prod(shape)} differ"


def _divided(op: Op) -> str | None:
    if op.name not in DIVISIONS or not _is_tile(op):
        return None
    return f"{op.name}: {op.result.type.size} divisions of {op.result.type.element}"


def _power(op: Op) -> str | None:
    exponent, base = exponent_of(op), base_of(op)
    if exponent is not None:
        return f"{op.name}: each element to the power of {exponent}"
    return None if base is None else f"{op.name}: {base:.6g} to the power of each element"


def _doubles(evidence: Evidence) -> Iterator[Candidate]:
    by_symbol = {symbol: doubles(each) for symbol, each in evidence.copy.by_symbol.items()}
    for number, op in evidence.copy.ops.items():
        symbol = evidence.copy.functions[number].name
        found = by_symbol[symbol]
        if op not in found or not _on_tiles(op) or op.name == "ftof":
            continue
        numbers, widened = taken(op, found)
        if widened or not numbers:  # to compute by such numbers alone is what they are f64 for
            text = f"{op.name}: in f64, although no tile is that the kernel gets or gives"
            yield Candidate(Site(symbol, number), text)


def _on_tiles(op: Op) -> bool:
    """Whether an op computes with tiles of more than one element of f64."""
    if family_of(op) not in (Family.ELEMENT_WISE, Family.FOLD):
        return False
    values = filter(is_double, (*op.operand_list(), *op.results))
    return any(value.type.size > 1 for value in values)


def _had(evidence: Evidence) -> Iterator[Candidate]:
    found = {}
    for function in evidence.copy.by_symbol.values():
        found |= Held(function.body.block).found
    for number, op in evidence.copy.ops.items():
        if op in found:
            site = Site(evidence.copy.functions[number].name, number)
            yield Candidate(site, f"{op.name}: {found[op][0].name} before it is of the same tile")


def _invariant(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the loads that a loop repeats, where nothing in it writes to their array."""
    numbers = {op: number for number, op in evidence.copy.ops.items()}
    for symbol, function in evidence.copy.by_symbol.items():
        places = Held(function.body.block).places
        for op, place in places.items():
            loop = innermost_loop(op) if op.name in LOADS else None
            if loop is None or varying(op, loop):
                continue
            inside = [*loop.walk()]
            written = [
                places[each].array for each in inside if each.name in STORES and each in places
            ]
            if any(map(place.may_meet, written)) or any(map(clobbers, inside)):
                continue
            text = f"{op.name}: neither address nor index change in the loop"
            yield Candidate(Site(symbol, numbers[op]), text)


def _to_one(op: Op) -> str | None:
    dims = shared_dims(op)
    if not dims:
        return None
    updates = prod(op.operands["arg"].type.shape[dim] for dim in dims)
    return f"{op.name}: {updates} updates of one place"


def _exact(evidence: Evidence) -> Iterator[Candidate]:
    """Yield exact functions of kernels that keep an SM busy longer than memory does."""
    for symbol in evidence.symbols:
        found = [
            (number, op)
            for number, op in evidence.copy.ops.items()
            if evidence.copy.functions[number].name == symbol
            if may_be_approximate(op) and _is_tile(op) and not divides_by_fewer(op)
        ]
        if not found or not _computes(evidence, symbol):
            continue
        for number, op in found:
            kept = "of subnormal numbers, too" if is_scaled(op) else "each in its exact form"
            text = f"{op.name}: {op.result.type.size} results, {kept}"
            yield Candidate(Site(symbol, number), text)


def _divided_alike(evidence: Evidence) -> Iterator[Candidate]:
    """Yield quotients by what is broadcast, of kernels that compute longer than they wait."""
    for number, op in evidence.copy.ops.items():
        symbol = evidence.copy.functions[number].name
        if divides_by_fewer(op) and _computes(evidence, symbol):
            few = prod(varies(op.operands["rhs"]))
            text = f"divf: {op.result.type.size} quotients by {counted(few, 'divisor')}"
            yield Candidate(Site(symbol, number), text)


def _computes(evidence: Evidence, symbol: str) -> bool:
    """Whether a kernel computes longer than it waits for memory."""
    (launch,) = evidence.at(Site(symbol), Topic.OCCUPANCY)
    slots = evidence.instructions.totals[symbol] * int(str(launch.facts["threads"]))
    return slots >= BALANCE * figures.moved_by(evidence, symbol)


def _kept(evidence: Evidence) -> Iterator[Candidate]:
    numbers = {op: number for number, op in evidence.copy.ops.items()}
    for symbol, function in evidence.copy.by_symbol.items():
        for store, load in kept(function):
            also = " and loads" if load else ""
            text = f"{store.name}: each iteration stores{also} the same tile of memory"
            yield Candidate(Site(symbol, numbers[store]), text)


def _printing(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the prints of loops in which no product waits for them, which is another rule's."""
    for number, op in evidence.copy.ops.items():
        symbol = evidence.copy.functions[number].name
        if op.name == "print_tko" and loops_around(op):
            said = evidence.of(symbol, Topic.OVERLAP)
            if not any("calls" in str(each.facts["reasons"]) for each in said):
                yield Candidate(Site(symbol, number), "print_tko: it is in a loop")


COMPUTING = (
    Rule(
        "invariant-load",
        "a loop loads the same tile again and again",
        "An address and an index that do not change in a loop name the same tile in each "
        "iteration. The compiler leaves the load where it is, because memory may change and the "
        "loop may not run at all.",
        "load it once, before the loop",
        Sure.LIKELY,
        figures.MOVED,
        _invariant,
        (BEFORE_LOOP,),
        2.0,
    ),
    Rule(
        "loaded-again",
        "a tile is loaded that the block has",
        "What a block has loaded or stored is in registers. To load it again takes the way to "
        "the caches, and waits for the store.",
        "use the value that was stored, or loaded first",
        Sure.LIKELY,
        figures.MOVED,
        _had,
        (HELD,),
        1.0,
    ),
    Rule(
        "stored-in-loop",
        "each iteration stores to the same tile of memory",
        "What a loop adds up can stay in registers. Each store and load of it takes the way to "
        "the caches, and an iteration waits for the one before.",
        "carry the tile through the loop, and store it behind the loop",
        Sure.LIKELY,
        figures.MOVED,
        _kept,
        (CARRIED,),
        2.0,
    ),
    Rule(
        "print-in-loop",
        "a loop prints",
        "A print calls a function of the driver, which takes a stack and some hundred "
        "instructions of its own, and keeps the compiler from reordering what is around it.",
        "leave the print away",
        Sure.CERTAIN,
        figures.WORK,
        _printing,
        (SILENT,),
        1.0,
    ),
    Rule(
        "reduction-in-loop",
        "each iteration reduces a tile that could be combined with others first",
        "A reduction across threads takes shuffles, shared memory and a barrier. Where a loop "
        "only adds up what it reduces, it can add up tiles element by element, and reduce their "
        "sum once. Sums of floats are then rounded in another order.",
        "carry a tile through the loop, and reduce it behind the loop",
        Sure.LIKELY,
        figures.WORK,
        matters(where(_summed_reduction)),
        (BEHIND_LOOP,),
        2.0,
    ),
    Rule(
        "f64-between-f32",
        "numbers are f64 in between",
        "Arithmetic of f64 takes twice the time of f32 on GPUs for computing centers, and 64 "
        "times as long on others. A constant, a conversion or a single number that a kernel gets "
        "makes it f64, and what follows from that, too.",
        "compute in f32",
        Sure.MAYBE,
        figures.DOUBLES,
        _doubles,
        (IN_SINGLE,),
        3.0,
    ),
    Rule(
        "integer-division",
        "each element is divided by a number that is not known",
        "GPUs have no instruction that divides whole numbers: 32 bits take some 20 "
        "instructions, 64 bits some 70. By a constant they take three, by a power of two one, if "
        "nothing is negative.",
        "divide once for a block instead of for each element, or by a constant",
        Sure.MAYBE,
        figures.WORK,
        matters(where(_divided)),
        (OF_FEWER, UNSIGNED, BY_CONSTANT),
        1.0,
    ),
    Rule(
        "function-of-broadcast",
        "a function is computed for each element of a broadcast",
        "Exponentials, logarithms, roots and divisions take several instructions, or those of a "
        "slow unit. Of a tile that is a broadcast, they give the same again and again.",
        "compute it first, and broadcast the result",
        Sure.CERTAIN,
        figures.WORK,
        matters(where(_of_fewer)),
        (OF_FEWER,),
        1.0,
    ),
    Rule(
        "atomics-to-one-place",
        "many elements are combined with one place in memory by atomic updates",
        "Atomic updates of one place are made one after the other, by all blocks. A block that "
        "combines its elements first makes one of them. Sums of floats are then rounded in "
        "another order.",
        "reduce the tile, and add the result",
        Sure.LIKELY,
        figures.UPDATES,
        where(_to_one),
        (REDUCED_FIRST,),
        3.0,
    ),
    Rule(
        "power-by-function",
        "a simple power is computed by logarithms",
        "A power of any number to any number is some hundred instructions. A power of a constant "
        "is one exponential. To 5 up to 8 it is three or four products, whose roundings may add up "
        "to more than a power may err by; smaller powers the compiler makes of products itself.",
        "multiply, or use exp2",
        Sure.LIKELY,
        figures.WORK,
        matters(where(_power)),
        (AS_PRODUCTS, AS_EXPONENTIAL),
        1.0,
    ),
    Rule(
        "quotients-by-few",
        "many elements are divided by the same number",
        "A quotient takes five to ten issue slots, or four where a thread divides several elements "
        "by one. With the reciprocal, which is computed once for all elements that have the "
        "divisor, it is one product. It is then rounded twice. It matters where a kernel computes "
        "longer than it waits for memory.",
        "divide 1 by the divisor before it is broadcast, and multiply",
        Sure.MAYBE,
        figures.WORK,
        matters(_divided_alike),
        (RECIPROCAL_FIRST,),
        1.0,
    ),
    Rule(
        "exact-function",
        "each element takes a function in its exact form",
        "A quotient or root that is rounded correctly takes some ten instructions and more, an "
        "approximate one, to two bits or so, two or three. The unit that computes exponentials "
        "knows powers of two alone, and takes subnormal numbers for zero: exp2 with flush_to_zero "
        "is one instruction, exp some ten, and each function that scales such numbers takes three "
        "more. It matters where a kernel computes longer than it "
        "waits for memory.",
        "let it be approximate, or use exp2 with flush_to_zero, if that is enough",
        Sure.MAYBE,
        figures.WORK,
        matters(_exact),
        (APPROXIMATE,),
        0.5,
    ),
)
"""The rules, in the order in which they are listed."""
