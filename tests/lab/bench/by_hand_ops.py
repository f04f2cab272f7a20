"""The yardstick's ops: what follows the opcode, one function for each op or family of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tileir.formats.ops import BY_NAME

if TYPE_CHECKING:
    from .by_hand import Reader

BY_INDEX = BY_NAME["load_view_tko"].attribute("inbounds").default
"""What old files, which have no such field, mean: no index is known to be in bounds."""


READERS: dict[int, tuple[Callable, int]] = {}
"""Opcode -> function that reads the fields, and the minor version the op exists since."""


def op(*names: str, since: int = 1):
    """Make a function the reader of these ops."""

    def register(function: Callable[[Reader], tuple]):
        for name in names:
            READERS[BY_NAME[name].opcode] = (function, since)
        return function

    return register


@op("absf", "absi", "bitcast", "broadcast", "ceil", "cos", "cosh", "floor", "int_to_ptr", "log",
    "log2", "make_partition_view", "negf", "ptr_to_int", "ptr_to_ptr", "reshape", "sin", "sinh",
    "tan")  # fmt: skip
def unary(r: Reader) -> tuple:
    return r.type(), r.index()


op("pack", "unpack", "make_gather_scatter_view", "make_strided_view", since=3)(unary)
op("memory_fence_alias_tko", since=4)(unary)


@op("andi", "mulhii", "offset", "ori", "fpowf", "remf", "xori")
def binary(r: Reader) -> tuple:
    return r.type(), r.index(), r.index()


op("atan2", since=2)(binary)
op("fpowi", since=4)(binary)


@op("addf", "divf", "mulf", "subf")
def rounded_binary(r: Reader) -> tuple:
    types, flags = r.type(), r.flags(1)
    return types, flags, r.rounding(), flags & 1 != 0, r.index(), r.index()


@op("fma")
def fma(r: Reader) -> tuple:
    types, flags = r.type(), r.flags(1)
    return types, flags, r.rounding(), flags & 1 != 0, r.index(), r.index(), r.index()


@op("sqrt")
def sqrt(r: Reader) -> tuple:
    types, flags = r.type(), r.flags(1)
    return types, flags, r.rounding(), flags & 1 != 0, r.index()


@op("exp2", "rsqrt")
def flushing_unary(r: Reader) -> tuple:
    types, flags = r.type(), r.flags(1)
    return types, flags, flags & 1 != 0, r.index()


@op("maxf", "minf")
def extreme(r: Reader) -> tuple:
    types, flags = r.type(), r.flags(2)
    return types, flags, flags & 1 != 0, flags & 2 != 0, r.index(), r.index()


@op("exp")
def exp(r: Reader) -> tuple:
    return r.type(), r.rounding() if r.minor >= 3 else 5, r.index()


@op("tanh")
def tanh(r: Reader) -> tuple:
    return r.type(), r.rounding() if r.minor >= 2 else 5, r.index()


@op("addi", "muli", "shli", "subi")
def overflowing_binary(r: Reader) -> tuple:
    return r.type(), r.enum(4), r.index(), r.index()


@op("negi")
def negi(r: Reader) -> tuple:
    return r.type(), r.enum(4) if r.minor >= 2 else 0, r.index()


@op("trunci")
def trunci(r: Reader) -> tuple:
    return r.type(), r.enum(4), r.index()


@op("maxi", "mini", "remi", "shri")
def signed_binary(r: Reader) -> tuple:
    return r.type(), r.enum(2), r.index(), r.index()


@op("divi")
def divi(r: Reader) -> tuple:
    return r.type(), r.enum(2), r.rounding(), r.index(), r.index()


@op("cmpf", "cmpi")
def comparison(r: Reader) -> tuple:
    return r.type(), r.enum(6), r.enum(2), r.index(), r.index()


@op("exti")
def exti(r: Reader) -> tuple:
    return r.type(), r.enum(2), r.index()


@op("ftof")
def ftof(r: Reader) -> tuple:
    return r.type(), r.rounding(), r.index()


@op("ftoi")
def ftoi(r: Reader) -> tuple:
    types, flags = r.type(), r.flags(1) if r.minor >= 4 else 0
    return types, flags, r.enum(2), r.rounding(), flags & 1 != 0, r.index()


@op("itof")
def itof(r: Reader) -> tuple:
    return r.type(), r.enum(2), r.rounding(), r.index()


@op("select")
def select(r: Reader) -> tuple:
    return r.type(), r.index(), r.index(), r.index()


@op("mmaf")
def mmaf(r: Reader) -> tuple:
    types, flags = r.type(), r.flags(1) if r.minor >= 3 else 0
    return types, flags, flags & 1 != 0, r.index(), r.index(), r.index()


@op("mmai")
def mmai(r: Reader) -> tuple:
    return r.type(), r.enum(2), r.enum(2), r.index(), r.index(), r.index()


@op("mmaf_scaled", since=3)
def mmaf_scaled(r: Reader) -> tuple:
    return r.type(), r.index(), r.index(), r.index(), r.index(), r.index()


@op("cat")
def cat(r: Reader) -> tuple:
    return r.type(), r.varint(), r.index(), r.index()


@op("permute")
def permute(r: Reader) -> tuple:
    return r.type(), r.integers(), r.index()


@op("constant", "get_global")
def one_index(r: Reader) -> tuple:
    return r.type(), r.index()


@op("iota", "make_token")
def nothing(r: Reader) -> tuple:
    return (r.type(),)


@op("get_num_tile_blocks", "get_tile_block_id")
def three_results(r: Reader) -> tuple:
    return (r.types(3),)


@op("assert")
def assert_(r: Reader) -> tuple:
    return (), r.index(), r.index()


@op("assume")
def assume(r: Reader) -> tuple:
    return r.type(), r.attribute(), r.index()


@op("alloca", since=3)
def alloca(r: Reader) -> tuple:
    types, flags = r.type(), r.flags(1)
    return types, flags, r.varint(), r.varint(), flags & 1 != 0


@op("break", "continue", "extract", "join_tokens", "return", "yield")
def any_operands(r: Reader) -> tuple:
    return r.indices(), r.indices()


op("insert", since=4)(any_operands)


@op("gdc_launch_dependents_tko", "gdc_wait_tko", since=4)
def maybe_a_token(r: Reader) -> tuple:
    return r.type(), r.indices()


@op("get_index_space_shape", "get_tensor_shape")
def shape_of(r: Reader) -> tuple:
    return r.indices(), r.index()


@op("make_tensor_view")
def make_tensor_view(r: Reader) -> tuple:
    return r.indices(), r.index(), r.indices(), r.indices()


@op("print_tko")
def print_tko(r: Reader) -> tuple:
    types, flags = r.indices(), r.flags(1) if r.minor >= 2 else 0
    text, values = r.index(), r.indices()
    return types, flags, text, values, r.value_if(flags & 1)


@op("if")
def if_(r: Reader) -> tuple:
    return r.indices(), r.index(), r.region_list(2)


@op("for")
def for_(r: Reader) -> tuple:
    types, flags = r.indices(), r.flags(1) if r.minor >= 2 else 0
    return types, flags, flags & 1 != 0, r.indices(), r.region_list(1)


@op("loop")
def loop(r: Reader) -> tuple:
    return r.indices(), r.indices(), r.region_list(1)


@op("reduce")
def reduce(r: Reader) -> tuple:
    return r.indices(), r.varint(), r.attribute_list(), r.indices(), r.region_list(1)


@op("scan")
def scan(r: Reader) -> tuple:
    types, dim, reverse = r.indices(), r.varint(), r.byte()
    return types, dim, reverse, r.attribute_list(), r.indices(), r.region_list(1)


@op("atomic_cas_tko")
def atomic_cas(r: Reader) -> tuple:
    types, flags = r.types(2), r.flags(2)
    head = types, flags, r.enum(5), r.enum(3), r.index(), r.index(), r.index()
    return *head, r.value_if(flags & 1), r.value_if(flags & 2)


@op("atomic_rmw_tko")
def atomic_rmw(r: Reader) -> tuple:
    types, flags = r.types(2), r.flags(2)
    head = types, flags, r.enum(5), r.enum(3), r.enum(10), r.index(), r.index()
    return *head, r.value_if(flags & 1), r.value_if(flags & 2)


def access(r: Reader, types: tuple, bits: int) -> tuple[tuple, int]:
    flags = r.flags(bits)
    ordering, scope = r.enum(5), r.scope_if(flags & 1)
    return (types, flags, ordering, scope, r.dictionary() if flags & 2 else None), flags


@op("load_ptr_tko")
def load_ptr(r: Reader) -> tuple:
    head, flags = access(r, r.types(2), 5)
    source, mask = r.index(), r.value_if(flags & 4)
    return *head, source, mask, r.value_if(flags & 8), r.value_if(flags & 16)


@op("store_ptr_tko")
def store_ptr(r: Reader) -> tuple:
    head, flags = access(r, r.type(), 4)
    return *head, r.index(), r.index(), r.value_if(flags & 4), r.value_if(flags & 8)


@op("load_view_tko")
def load_view(r: Reader) -> tuple:
    head, flags = access(r, r.indices(), 3)
    inbounds = r.bools() if r.minor >= 4 else BY_INDEX
    return *head, inbounds, r.index(), r.indices(), r.value_if(flags & 4)


@op("store_view_tko")
def store_view(r: Reader) -> tuple:
    head, flags = access(r, r.indices(), 3)
    inbounds = r.bools() if r.minor >= 4 else BY_INDEX
    return *head, inbounds, r.index(), r.index(), r.indices(), r.value_if(flags & 4)


@op("atomic_red_view_tko", since=3)
def atomic_red_view(r: Reader) -> tuple:
    types, flags = r.indices(), r.flags(1)
    head = types, flags, r.enum(5), r.enum(3), r.enum(10)
    inbounds = r.bools() if r.minor >= 5 else BY_INDEX
    return *head, inbounds, r.index(), r.indices(), r.index(), r.value_if(flags & 1)


@op("multimem_load_reduce_view_tko", since=5)
def multimem_load_reduce(r: Reader) -> tuple:
    types, flags = r.indices(), r.flags(2)
    head = types, flags, r.enum(5), r.scope_if(flags & 1), r.enum(8), r.bools()
    return *head, r.index(), r.indices(), r.value_if(flags & 2)


@op("multimem_reduce_view_tko", since=5)
def multimem_reduce(r: Reader) -> tuple:
    types, flags = r.indices(), r.flags(1)
    head = types, flags, r.enum(5), r.enum(3), r.enum(8), r.bools()
    return *head, r.index(), r.index(), r.indices(), r.value_if(flags & 1)


@op("multimem_store_view_tko", since=5)
def multimem_store(r: Reader) -> tuple:
    types, flags = r.indices(), r.flags(2)
    head = types, flags, r.enum(5), r.scope_if(flags & 1), r.bools()
    return *head, r.index(), r.index(), r.indices(), r.value_if(flags & 2)
