"""The rows of tensor copies and of matrix products, and the waits for them."""

from __future__ import annotations

from tileir.formats.ops.control_flow import INDEX
from tileir.formats.ops.spec import (
    DENSE_VIEW,
    NO_MEMORY_EFFECT,
    READS,
    SIDE_EFFECT,
    TILE,
    TOKEN,
    WRITES,
    Attribute,
    Constraint,
    Like,
    Operand,
    Result,
    many,
    optional,
    scalar,
    unit,
)

from .attributes import INTEGER, INTEGERS, TEXT
from .block_row import COMMIT, COPY, WAIT, Memory, Row
from .slots import FLIGHT, MBARRIER, MBARRIER_CHANGED, READ, SHARED, TURN, WRITTEN

_BOXES = (
    Attribute("tensor_map", INTEGER, "The number of the tensor map among the kernel's."),
    Attribute("dimensions", INTEGERS, "Those of the tile, as in the map: innermost first."),
    Attribute("box", INTEGERS, "The elements that one instruction copies along these."),
)

TENSOR_COPIES = (
    Row(
        "copy_tensor",
        "Describe a copy of the tile of a view to shared memory, with zeros beyond its tensor.\n"
        "The hardware makes all of it, by a tensor map; the commit behind it starts it.",
        operands=(
            Operand("view", DENSE_VIEW, "The view."),
            many("index", INDEX, "The index of the tile."),
            Operand("destination", WRITTEN, "A slot of a ring."),
            optional("token", TOKEN, "What comes before."),
        ),
        results=(Result("result_token", TOKEN, doc="That the copy has been made."),),
        attributes=(
            *_BOXES,
            Attribute(
                "conversion",
                TEXT,
                "How elements are converted on the way, if the tile there has others.",
                optional=True,
            ),
            Attribute(
                "multicast",
                INTEGER,
                "If each of the two blocks of a cluster copies half of the tile, and to both: the"
                " dimension along which it is halved.",
                optional=True,
            ),
        ),
        effects=WRITES,
        kind=COPY,
        async_proxy=True,
        format=(
            "{view}[[{index}]], {destination}[ token = {token}] tensor_map = {tensor_map}"
            " dimensions = {dimensions} box = {box}[ conversion = {conversion}]"
            "[ multicast = {multicast}]"
            " : {view:type}, {index:common}, {destination:type}"
        ),
    ),
    Row(
        "commit_copies",
        "One thread starts the copies to these tiles; the slot's mbarrier counts their bytes.",
        operands=(
            many("tiles", SHARED, "Where they go."),
            Operand("barriers", MBARRIER, "The mbarriers of the ring."),
            Operand("turn", TURN, "The slot that is filled."),
            optional("predicate", scalar("i1"), "Whether to copy at all."),
        ),
        results=(Result("flight", FLIGHT, doc="Of tiles of these types."),),
        effects=SIDE_EFFECT,
        by_first_warp=True,
        kind=COMMIT,
        format=(
            "{barriers}[[{turn}]], {tiles}[ if {predicate}]"
            " : {barriers:type}, {turn:type} -> {flight:type}"
        ),
    ),
    Row(
        "wait_copies",
        "Every thread waits for the copies to a slot, those of the round before its turn.\n"
        "The results are the tiles.",
        operands=(
            Operand("flight", FLIGHT, "The copies that are awaited."),
            Operand("barriers", MBARRIER, "The mbarriers of the ring."),
            Operand("turn", TURN, "The slot, when it is its turn again."),
            many("rings", SHARED, "The rings of the tiles."),
        ),
        results=(Result("tiles", SHARED, None, "The tiles.", "many"),),
        effects=SIDE_EFFECT,
        kind=WAIT,
        same_memory="rings",
        for_all=True,
        format=(
            "{flight}, {barriers}, {rings}[[{turn}]] : {flight:type}, {barriers:type}, {turn:type},"
            " {rings:type} -> {tiles:type}"
        ),
    ),
    Row(
        "store_tensor",
        "One thread starts to copy a tile in shared memory to the tile of a view; what is beyond"
        " the tensor's edge is left out.\nThe hardware makes all of it, by a tensor map. Until a"
        " wait_stores, it reads the memory, through the async proxy.",
        operands=(
            Operand("source", READ, "The tile."),
            Operand("view", DENSE_VIEW, "The view."),
            many("index", INDEX, "The index of the tile."),
            optional("token", TOKEN, "What comes before."),
        ),
        results=(Result("result_token", TOKEN, doc="That the tile is being stored."),),
        attributes=_BOXES,
        effects=WRITES,
        async_proxy=True,
        format=(
            "{source}, {view}[[{index}]][ token = {token}] tensor_map = {tensor_map}"
            " dimensions = {dimensions} box = {box}"
            " : {source:type}, {view:type}, {index:common}"
        ),
    ),
    Row(
        "wait_stores",
        "Every thread waits until all tensor copies to global memory that it has started have read"
        " the tiles; if `complete`, until they have written them as well.",
        operands=(many("memory", READ, "The tiles that are stored."),),
        attributes=(unit("complete", "What is stored behind this comes after what was stored."),),
        effects=SIDE_EFFECT,
        format="{memory}[ {complete}] : {memory:type}",
    ),
    Row(
        "mbarrier_init",
        "One thread initialises mbarriers: each phase ends when so many threads have arrived.",
        operands=(Operand("barriers", MBARRIER_CHANGED, "The mbarriers."),),
        attributes=(
            Attribute("arrivals", INTEGER, "How many, if not one.", optional=True),
            unit("cluster", "So many of each of the two blocks of a cluster."),
        ),
        effects=SIDE_EFFECT,
        by_first_warp=True,
        format="{barriers}[ arrivals = {arrivals}][ {cluster}] : {barriers:type}",
    ),
    Row(
        "mbarrier_inval",
        "One thread ends the use of mbarriers.",
        operands=(Operand("barriers", MBARRIER_CHANGED, "The mbarriers."),),
        effects=SIDE_EFFECT,
        by_first_warp=True,
        format="{barriers} : {barriers:type}",
    ),
)

_K = (
    Attribute("first", INTEGER, "The first element along k, if not 0.", optional=True),
    Attribute(
        "end",
        INTEGER,
        "The end of those along k, if not all of k.",
        optional=True,
    ),
)
_ATOM = Attribute("atom", TEXT, "The instruction, as PTX spells it; `fma` for fused multiply-adds.")
_PAIRED = Attribute(
    "paired",
    TEXT,
    "The dimensions, of m and n, whose lowest sixteen are taken in pairs; k, if lanes take runs.",
    default="",
)
_OPERAND = Memory(("tile", "shared"), READS)
_SUM = Constraint(("tile", "flight"))
_CONVERSIONS = tuple(
    Attribute(
        f"{slot}_conversion",
        TEXT,
        f"How elements of {slot} in memory become those of the atom, if there is a choice.",
        optional=True,
    )
    for slot in ("lhs", "rhs")
)
_SPELLED_CONVERSIONS = "[ lhs_conversion = {lhs_conversion}][ rhs_conversion = {rhs_conversion}]"

PRODUCTS = (
    Row(
        "mma",
        "Multiply two matrices, or batches of them, and add an accumulator.\n"
        "An operand in registers has the layout of the atom; one in shared memory is read, and"
        " converted if the atom has other elements.",
        operands=(
            Operand("lhs", _OPERAND, "The matrices of m by k."),
            Operand("rhs", _OPERAND, "The matrices of k by n."),
            Operand("acc", TILE, "The accumulator, in the layout of the atom."),
        ),
        results=(Result("result", TILE, Like("acc")),),
        attributes=(_ATOM, _PAIRED, *_K, *_CONVERSIONS),
        effects=READS,
        same_type=(("acc", "result"),),
        format=(
            "{lhs}, {rhs}, {acc} atom = {atom}[ paired = {paired}][ first = {first}][ end = {end}]"
            + _SPELLED_CONVERSIONS
            + " : {lhs:type}, {rhs:type}, {acc:type}"
        ),
    ),
    Row(
        "mma_async",
        "Start to multiply two matrices, as mma, by an instruction of whole warpgroups.\n"
        "It reads operands in shared memory through the async proxy.",
        operands=(
            Operand("lhs", _OPERAND, "The matrix of m by k."),
            Operand("rhs", READ, "The matrix of k by n."),
            Operand("acc", _SUM, "The accumulator, in the layout of the atom; a flight chains."),
        ),
        results=(Result("flight", FLIGHT, doc="Of the accumulator."),),
        attributes=(_ATOM, *_K),
        effects=READS,
        async_proxy=True,
        format=(
            "{lhs}, {rhs}, {acc} atom = {atom}[ first = {first}][ end = {end}]"
            " : {lhs:type}, {rhs:type}, {acc:type} -> {flight:type}"
        ),
    ),
    Row(
        "add_columns",
        "Add a product to the columns of an accumulator from the first one on; others stay.",
        operands=(
            Operand("acc", TILE, "The accumulator, in the layout of an atom."),
            Operand("product", TILE, "So many columns, in that layout as well."),
        ),
        results=(Result("result", TILE, Like("acc")),),
        attributes=(Attribute("first", INTEGER, "The first column."),),
        effects=NO_MEMORY_EFFECT,
        same_type=(("acc", "result"),),
        format="{acc}, {product} first = {first} : {acc:type}, {product:type}",
    ),
    Row(
        "mma_init",
        "The flight of an accumulator to which no product adds yet.",
        operands=(Operand("acc", TILE, "The accumulator, in the layout of an atom."),),
        results=(Result("flight", FLIGHT, doc="Of the accumulator."),),
        effects=NO_MEMORY_EFFECT,
        format="{acc} : {acc:type} -> {flight:type}",
    ),
    Row(
        "mma_scaled",
        "As mma, with scales that several neighbours along k have in common.",
        operands=(
            Operand("lhs", _OPERAND, "The matrices of m by k."),
            Operand("rhs", _OPERAND, "The matrices of k by n."),
            Operand("acc", TILE, "The accumulator, in the layout of the atom."),
            Operand("lhs_scale", TILE, "The scales of lhs."),
            Operand("rhs_scale", TILE, "The scales of rhs."),
        ),
        results=(Result("result", TILE, Like("acc")),),
        attributes=(_ATOM, _PAIRED, *_K, *_CONVERSIONS),
        effects=READS,
        same_type=(("acc", "result"),),
        format=(
            "{lhs}, {rhs}, {acc}, {lhs_scale}, {rhs_scale} atom = {atom}[ paired = {paired}]"
            "[ first = {first}][ end = {end}]"
            + _SPELLED_CONVERSIONS
            + " : {lhs:type}, {rhs:type}, {acc:type},"
            " {lhs_scale:type}, {rhs_scale:type}"
        ),
    ),
)

_OF_SUMS = ("add_columns", "mma_init")
PRODUCT_NAMES = tuple(row.mnemonic for row in PRODUCTS if row.mnemonic not in _OF_SUMS)
"""The rows that multiply matrices."""
WAITS = (
    Row(
        "wait_mma",
        "Wait until at most `pending` of this warpgroup's latest products are under way.\n"
        "The result is that of the oldest one. Until here, it reads its operands in shared memory.",
        operands=(
            Operand("flight", FLIGHT, "The product that is awaited."),
            many("memory", READ, "The operands of it that are in shared memory."),
        ),
        results=(Result("result", TILE),),
        attributes=(Attribute("pending", INTEGER, "How many products may stay under way."),),
        effects=SIDE_EFFECT,
        kind=WAIT,
        format=(
            "{flight}[, {memory}] pending = {pending} : {flight:type}[, {memory:type}]"
            " -> {result:type}"
        ),
    ),
    Row(
        "wait_mma_reads",
        "Wait until at most `pending` of this warpgroup's latest products are under way.\n"
        "Their flights stay flights. What earlier ones have read in shared memory may be filled"
        " again: it is `memory`.",
        operands=(many("memory", READ, "What is not read any more behind this wait."),),
        attributes=(Attribute("pending", INTEGER, "How many products may stay under way."),),
        effects=SIDE_EFFECT,
        kind=WAIT,
        format="[ {memory}] pending = {pending}[ : {memory:type}]",
    ),
    Row(
        "sched_barrier",
        "These values are computed before what comes next: ptxas moves waits up, before what could"
        " be computed while products are under way.",
        operands=(many("values", TILE, "Tiles in registers, of 32 bits an element."),),
        effects=SIDE_EFFECT,
        format="{values} : {values:type}",
    ),
)
