"""The rows of the block IR that Tile IR does not have.

Their names are PTX's words where PTX has one. What a row says holds whatever GPU it is for; only
attributes name instructions.
"""

from __future__ import annotations

from tileir.formats.ops.control_flow import INDEX
from tileir.formats.ops.spec import (
    DENSE_VIEW,
    NO_MEMORY_EFFECT,
    READS,
    READS_WRITES,
    RECURSIVE,
    SIDE_EFFECT,
    TILE,
    TOKEN,
    WRITES,
    Attribute,
    Constraint,
    Elements,
    Like,
    Operand,
    Region,
    Result,
    many,
    optional,
    scalar,
    unit,
)

from .async_rows import PRODUCTS, TENSOR_COPIES, WAITS
from .attributes import INTEGER, INTEGERS, LAYOUT, TEXT, TEXTS
from .block_row import COMMIT, COPY, WAIT, Row
from .role_rows import ROLES
from .slots import (
    ALONG,
    CLUSTERS,
    FLIGHT,
    HANDED_ON,
    MBARRIER,
    NARROW,
    OFFSET,
    PART,
    READ,
    RUN,
    SHARED,
    TURN,
    VECTOR,
    WHOLE,
    WRITTEN,
)

PLACES = (
    Row(
        "shared_alloc",
        "Allocate tiles in shared memory, one behind the other, in each slot of a ring.",
        results=(Result("tiles", SHARED, None, "All with the same number of slots.", "many"),),
        attributes=(OFFSET,),
        effects=NO_MEMORY_EFFECT,
        format="[ offset = {offset}] : {tiles:type}",
        prefix="smem",
    ),
    Row(
        "shared_slot",
        "The tile of a ring in the slot of a turn, `%ring[%turn]`, to be filled.",
        operands=(Operand("ring", SHARED, "A ring."), Operand("turn", TURN, "The slot.")),
        results=(Result("slot", SHARED, doc="Only who fills it by copy_shared may read it."),),
        effects=NO_MEMORY_EFFECT,
        same_memory="ring",
        format="{ring}[[{turn}]] : {ring:type}, {turn:type} -> {slot:type}",
    ),
    Row(
        "shared_view",
        "The same memory seen as a tile of other coordinates.",
        operands=(Operand("source", SHARED, "A tile in shared memory."),),
        results=(Result("result", SHARED, doc="It has no offsets that the source lacks."),),
        attributes=(
            Attribute(
                "first",
                INTEGER,
                "The number of the element of the source that is the first one, if not 0.",
                optional=True,
            ),
        ),
        same_memory="source",
        format="{source}[ first = {first}] : {source:type} -> {result:type}",
    ),
    Row(
        "mbarrier_alloc",
        "Allocate an mbarrier in shared memory for each slot of a ring.",
        results=(Result("barriers", MBARRIER),),
        attributes=(
            Attribute(
                "phase",
                TEXT,
                "`full` until bytes arrive, `empty` until warps have read.",
                default="full",
            ),
            OFFSET,
        ),
        effects=NO_MEMORY_EFFECT,
        format="[ phase = {phase}][ offset = {offset}] : {barriers:type}",
        prefix="{phase}",
    ),
    Row(
        "first_turn",
        "The turn of the first slot.",
        operands=(Operand("ring", SHARED, "A ring."),),
        results=(Result("turn", TURN),),
    ),
    Row(
        "advance",
        "The turn of the next slot; that of the first one comes after that of the last.",
        operands=(Operand("ring", SHARED, "The ring."), Operand("turn", TURN, "The turn before.")),
        results=(Result("next", TURN, Like("turn")),),
        format="{ring}, {turn} : {ring:type}, {turn:type}",
    ),
)

MOVES = (
    Row(
        "convert_layout",
        "The same tile in another layout: by renaming registers, selects, and shuffles.\n"
        "Once copies have been chosen, no element changes its warp.",
        operands=(Operand("source", TILE, "The tile."),),
        results=(Result("result", TILE),),
        same_element=(("source", "result"),),
        same_shape=(("source", "result"),),
    ),
    Row(
        "store_shared",
        "Store a tile to shared memory; of threads with copies of an element, one stores it.\n"
        "An element is converted, exactly, where the tile in memory has wider elements.",
        operands=(
            Operand("value", TILE, "The tile."),
            Operand("destination", WRITTEN, "The memory, of the same shape."),
        ),
        attributes=(
            PART,
            unit("matrices", "By stmatrix: the lanes of a warp store rows of 16 bytes together."),
        ),
        effects=WRITES,
        layout_of="value",
        format="{value}, {destination}[ part = {part}][ {matrices}]"
        " : {value:type}, {destination:type}",
    ),
    Row(
        "load_shared",
        "Load a tile from shared memory.\n"
        "With a part, only the elements of that part are loaded; the others are those of `rest`.",
        operands=(
            Operand("source", READ, "The memory."),
            optional("rest", TILE, "The elements of other parts; undefined if it is absent."),
        ),
        results=(Result("result", TILE),),
        attributes=(PART,),
        effects=READS,
        layout_of="result",
        format="{source}[, {rest}][ part = {part}] : {source:type}[, {rest:type}] -> {result:type}",
    ),
    Row(
        "copy_shared",
        "Copy a tile in shared memory to another place, where elements may lie in another order.\n"
        "Each thread copies the elements that it has in the layout `threads`, and converts them if"
        " the tile there has others.",
        operands=(
            Operand("source", READ, "The tile."),
            Operand("destination", WRITTEN, "The memory, of the same shape."),
        ),
        attributes=(
            Attribute("threads", LAYOUT, "Which thread copies which elements."),
            Attribute("conversion", TEXT, "How elements are converted.", optional=True),
        ),
        effects=READS_WRITES,
        format="{source}, {destination} threads = {threads}[ conversion = {conversion}]"
        " : {source:type}, {destination:type}",
    ),
    Row(
        "load_slice",
        "Load the slice at these indices, counted in slices, of a tile in shared memory.\n"
        "An index out of range is wrapped. With a part, as load_shared.",
        operands=(
            Operand("source", READ, "The memory."),
            many("indices", INDEX, "The index of the slice along each dimension."),
            optional("rest", TILE, "The elements of other parts."),
        ),
        results=(Result("result", TILE),),
        attributes=(PART,),
        effects=READS,
        format=(
            "{source}[[{indices}]][, {rest}][ part = {part}] : {source:type}[, {indices:common}]"
            "[, {rest:type}] -> {result:type}"
        ),
    ),
    Row(
        "insert_slice",
        "Replace the slice at these indices by a tile in shared memory; other elements stay.\n"
        "With a part, only elements of that part of the tile in shared memory are replaced.",
        operands=(
            Operand("source", READ, "The slice."),
            Operand("destination", TILE, "The tile."),
            many("indices", INDEX, "The index of the slice along each dimension."),
        ),
        results=(Result("result", TILE, Like("destination")),),
        attributes=(PART,),
        effects=READS,
        same_type=(("destination", "result"),),
        format=(
            "{source}, {destination}[[{indices}]][ part = {part}] : {source:type},"
            " {destination:type}[, {indices:common}]"
        ),
    ),
    Row(
        "copy_async",
        "Start to copy the tile of a view to shared memory, with zeros beyond the tensor's edge.\n"
        "Each thread copies the elements that it has in the layout `threads`; nothing is copied"
        " where the predicate behind `if` is false.",
        operands=(
            Operand("view", DENSE_VIEW, "The view."),
            many("index", INDEX, "The index of the tile."),
            Operand("destination", WRITTEN, "A slot of a ring."),
            optional("predicate", scalar("i1"), "Whether to copy at all."),
            optional("token", TOKEN, "What comes before."),
        ),
        results=(Result("result_token", TOKEN, doc="That the copy has been made."),),
        attributes=(
            Attribute("threads", LAYOUT, "Which thread copies which elements."),
            VECTOR,
            ALONG,
            WHOLE,
            NARROW,
            Attribute("inbounds", INTEGERS, "1 for each dimension that needs no check, else 0."),
            Attribute(
                "short",
                INTEGERS,
                "1 for each dimension in which extent and start fit in 32 bits, signed; else 0.",
                optional=True,
            ),
        ),
        effects=WRITES,
        kind=COPY,
        format=(
            "{view}[[{index}]], {destination}[ if {predicate}][ token = {token}]"
            " threads = {threads} vector = {vector} along = {along}[ {whole}][ {narrow}]"
            " inbounds = {inbounds}[ short = {short}]"
            " : {view:type}, {index:common}, {destination:type}"
        ),
    ),
    Row(
        "gather_async",
        "Start to copy the elements that pointers point to to shared memory; zero where the mask is"
        " false.\nEach thread copies the elements whose pointers it has.",
        operands=(
            Operand("source", TILE, "The pointers."),
            optional("mask", TILE, "Which elements to copy; absent means all."),
            Operand("destination", WRITTEN, "A slot of a ring."),
            optional("predicate", scalar("i1"), "Whether to copy at all."),
            optional("token", TOKEN, "What comes before."),
        ),
        results=(Result("result_token", TOKEN, doc="That the copy has been made."),),
        attributes=(VECTOR, ALONG, RUN),
        effects=WRITES,
        kind=COPY,
        format="{source}[ mask = {mask}], {destination}[ if {predicate}][ token = {token}]"
        " vector = {vector} along = {along} run = {run}"
        " : {source:type}[, {mask:type}], {destination:type}",
    ),
    Row(
        "commit_group",
        "Commit the copies that this thread has started since its last group; there may be none.",
        operands=(many("tiles", SHARED, "Where they go."),),
        results=(Result("flight", FLIGHT, doc="Of tiles of these types."),),
        effects=SIDE_EFFECT,
        kind=COMMIT,
        format="{tiles} : {flight:type}",
    ),
    Row(
        "wait_group",
        "Wait until at most `pending` of this thread's latest groups are under way.\n"
        "The results are the tiles of the group that the flight is of, in the slots"
        " `%rings[%turn]`. What this thread has copied is there; what others have, after a"
        " barrier.",
        operands=(
            Operand("flight", FLIGHT, "The group that is awaited."),
            Operand("turn", TURN, "The slot that it is in."),
            many("rings", SHARED, "The rings of its tiles."),
        ),
        results=(Result("tiles", SHARED, None, "The tiles.", "many"),),
        attributes=(Attribute("pending", INTEGER, "How many groups may stay under way."),),
        effects=SIDE_EFFECT,
        kind=WAIT,
        same_memory="rings",
        format=(
            "{flight}, {rings}[[{turn}]] pending = {pending} : "
            "{flight:type}, {turn:type}, {rings:type} -> {tiles:type}"
        ),
    ),
)

_ORDERED = Constraint(("mbarrier", "shared", "token"))

ORDERS = (
    Row(
        "barrier",
        "All threads of the block wait for each other here.\n"
        "It orders accesses before it and after it to the same memory: `pairs` names those that it"
        " alone stands between on some path, with the number of the memory among its operands; or"
        " with `area` and the number of its allocation in the body, from 0.",
        operands=(many("memory", _ORDERED, "What the accesses share."),),
        attributes=(Attribute("pairs", TEXTS, 'As in "0: store_shared before load_shared".'),),
        effects=SIDE_EFFECT,
        format="[ {memory}] pairs = {pairs}[ : {memory:type}]",
    ),
    Row(
        "fence_proxy",
        "What this thread has stored or copied to shared memory comes before reads through the"
        " async proxy that are behind the next barrier.",
        effects=SIDE_EFFECT,
        format="",
    ),
    Row(
        "cluster_barrier",
        "All threads of the cluster that have not ended wait for each other here.",
        effects=SIDE_EFFECT,
        format="",
    ),
    Row(
        "leave_to_first_block",
        "End all blocks of the cluster but the first one, which does all the work.",
        effects=SIDE_EFFECT,
        format="",
    ),
)

_FOLDED = many("operands", TILE, "Tiles of one shape and layout.")
_DIM = Attribute("dim", INTEGER, "The dimension.")
_REVERSE = unit("reverse", "From the end of the dimension to its start.")


def _body(slot: str) -> tuple[Region, ...]:
    """Return the region of an op that combines what is in a slot."""
    region = Region(
        "body",
        f"How two elements of each of the {slot} become one.",
        f"two scalars for each of the {slot}",
        ("yield",),
        takes=(Elements(slot, 2),),
        gives=(("yield", Elements(slot)),),
    )
    return (region,)


TOGETHER = (
    Row(
        "fold",
        "Fold elements of a dimension that are in one thread, or in one warp.\n"
        "`over` numbers bits of the coordinate, in the order in which they are folded; each is one"
        " of registers or lanes. What remains of the dimension is numbered by the other bits; it is"
        " gone if there are none. All threads that took part have the same result.",
        operands=(_FOLDED,),
        results=(Result("results", TILE, None, "The folded tiles.", "many"),),
        attributes=(
            _DIM,
            Attribute("over", INTEGERS, "The bits that are folded."),
            unit("ordered", "The body does not commute: earlier elements come first."),
        ),
        regions=_body("operands"),
        effects=RECURSIVE,
        format="",
    ),
    Row(
        "scan_warp",
        "Scan what is in one thread, and the sums of threads over the lanes of a warp.\n"
        "The first half of the results are the operands, scanned in each thread; in the second"
        " half, each thread's elements are one, scanned over lanes.",
        operands=(_FOLDED,),
        results=(Result("results", TILE, None, "Scanned tiles, then sums.", "many"),),
        attributes=(_DIM, _REVERSE),
        regions=_body("operands"),
        effects=RECURSIVE,
        format="",
    ),
    Row(
        "scan_across",
        "Finish a scan: add the sums of the threads, and of the warps, that come before.",
        operands=(
            many("operands", TILE, "The results of scan_warp."),
            many("warps", TILE, "The sums of all warps, in every thread; none for one warp."),
        ),
        results=(Result("results", TILE, None, "The scanned tiles.", "many"),),
        attributes=(_DIM, _REVERSE),
        regions=_body("results"),
        effects=RECURSIVE,
        format="",
    ),
)

_BOUND = scalar("i1", "i8", "i16", "i32", "i64")

CONTROL = (
    Row(
        "pipelined_for",
        "A `for` that works for an iteration `ahead` of the current one, too.\n"
        "If there is a first iteration, the prologue runs for the first `ahead` ones. Its"
        " arguments are the iteration's index (`%startIdx`), whether there is such an iteration"
        " (`%startExists`), and the values of `aheadValues` (`%startArg`); it yields their next"
        " values and then the *delayed* ones. The body's arguments are its index, the values of"
        " `initValues`, the index of the iteration that is `ahead` (`%aheadIdx`), whether there is"
        " one (`%aheadExists`), the values of `aheadValues` (`%aheadArg`), and the delayed ones"
        " that were made for this iteration (`%delayed`). It continues with the next values of all"
        " of them.",
        operands=(
            Operand("lowerBound", _BOUND, "The first index."),
            Operand("upperBound", _BOUND, "The end."),
            Operand("step", _BOUND, "The step."),
            many("initValues", HANDED_ON, "Carried values of the first iteration."),
            many("aheadValues", HANDED_ON, "Values that the iteration that is ahead hands on."),
        ),
        results=(Result("results", HANDED_ON, Like("initValues"), "As in `for`.", "many"),),
        attributes=(
            unit("unsignedCmp", "Whether bounds are unsigned."),
            Attribute("ahead", INTEGER, "How many iterations are under way."),
        ),
        regions=(
            Region(
                "body", "The iteration.", terminators=("continue",), gives=(("continue", None),)
            ),
            Region(
                "prologue",
                "The work ahead of the first iterations.",
                terminators=("yield",),
                gives=(("yield", None),),
            ),
        ),
        effects=RECURSIVE,
        format="",
    ),
)

FRAME = (
    Row(
        "heap_alloc",
        "One thread allocates memory on the device's heap and stores its address; if there is none"
        " left, the launch fails.",
        operands=(Operand("destination", WRITTEN, "Where the address goes: one i64."),),
        attributes=(Attribute("bytes", INTEGER, "The size."), CLUSTERS),
        effects=SIDE_EFFECT,
        format="{destination} bytes = {bytes}[ {clusters}] : {destination:type}",
    ),
    Row(
        "heap_free",
        "One thread frees memory of the heap.",
        operands=(Operand("address", scalar("i64"), "What heap_alloc has given."),),
        effects=SIDE_EFFECT,
        format="{address} : {address:type}",
    ),
    Row(
        "print_elements",
        "One thread prints the elements of a tile in shared memory, one by one, in brackets.",
        operands=(Operand("source", READ, "The tile, or a part of it."),),
        attributes=(Attribute("conversion", TEXT, "The conversion, as in printf."), PART),
        effects=SIDE_EFFECT,
        format="{source} conversion = {conversion}[ part = {part}] : {source:type}",
    ),
)

ROWS = (
    *PLACES,
    *MOVES,
    *TENSOR_COPIES,
    *ORDERS,
    *PRODUCTS,
    *WAITS,
    *TOGETHER,
    *CONTROL,
    *ROLES,
    *FRAME,
)
