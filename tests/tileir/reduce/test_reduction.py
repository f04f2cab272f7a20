"""What is left of modules: little, valid, the same with any number of jobs, and never the input."""

from __future__ import annotations

import signal
import sys
import threading

import pytest

import tileir
from tests.lab.planted.verdicts import Disagree, planted
from tileir import BuildError, Bytecode
from tileir.builder import Module, splat
from tileir.predicates import Limits
from tileir.predicates.programs import run_on
from tileir.reduce import NotInterestingError, reduce
from tileir.reduce.search import Progress
from tileir.sampler import sample

from .asking import Asking, Unsteady, errors, has, names_of


@pytest.fixture(scope="module")
def module() -> bytes:
    """A module with several functions, locations and hints."""
    return sample(8, "13.5", ops=40).build()


def loops() -> bytes:
    """A kernel with a sum in nested regions, all of whose values are handed on."""
    module = Module("13.4", producer="somebody")
    module.global_("table", [1.0, 2.0], type="tile<2xf32>")
    module.function("other", []).return_()
    kernel = module.function("kernel_with_a_long_name", ["ptr<f32>", "i32", "f32"])
    pointer, count, number = kernel.parameters
    zero, one = (kernel.constant(splat(n, "i32")) for n in (0, 1))
    loop = kernel.for_(zero, count, one, [number, number])
    with loop.region as (index, a, b):
        branch = kernel.if_(kernel.cmpi(index, one, comparison_predicate="equal",
                                        signedness="signed"), results=["f32"])  # fmt: skip
        with branch.thenRegion:
            kernel.yield_([kernel.addf(kernel.mulf(a, b), number)])
        with branch.elseRegion:
            kernel.yield_([b])
        kernel.continue_([branch.result, a])
    kernel.store_ptr_tko(pointer, loop.results[0], memory_ordering_semantics="weak")
    kernel.return_()
    return module.build()


def test_what_is_not_needed_goes() -> None:
    reduced = reduce(loops(), Asking(has("mulf", "for")))
    left = Bytecode.parse(reduced.data)
    assert sorted(names_of(left)) == ["continue", "for", "mulf", "return"]
    assert (len(left.functions), left.globals, left.producer) == (1, [], None)
    assert str(left.version) == "13.1"
    assert list(map(str, left.functions[0].type.parameters)) == ["tile<i32>", "tile<f32>"]
    assert reduced.after.all_ops == 4
    assert reduced.after.values < reduced.before.values
    assert (reduced.ended, reduced.stable) == ("finished", True)


def test_branches_take_the_place_of_their_op() -> None:
    def sum_of_product(bytecode: Bytecode) -> bool:
        sums = (op for function in bytecode.functions for op in function.walk())
        return any(
            op.name == "addf" and getattr(op.operands["lhs"].owner, "name", "") == "mulf"
            for op in sums
        )

    left = Bytecode.parse(reduce(loops(), Asking(sum_of_product)).data)
    assert names_of(left) == ["mulf", "addf", "return"], "they use a parameter"


def test_candidates_are_valid_and_asked_once(module) -> None:
    asking = Asking(has("load_view_tko"))
    reduce(module, asking)
    assert not any(map(errors, asking.files))
    twice = [data for data in set(asking.files) if asking.files.count(data) > 1]
    assert len(twice) <= 2, "only what is given and what is left are asked once more"


def test_jobs_change_nothing() -> None:
    alone, together = (reduce(loops(), Asking(has("mulf", "for")), jobs=n) for n in (1, 3))
    assert together.data == alone.data
    assert together.trials == alone.trials


@pytest.mark.parametrize("rule", ["same-type", "combined-tiles"])
def test_an_invalid_module_breaks_no_other_rules(rule: str) -> None:
    data = planted(sample(9, "13.5", ops=40), rule)
    assert errors(data) == {rule}
    reduced = reduce(data, Disagree(rule))
    assert reduced.after.all_ops <= 6
    assert errors(reduced.data) == {rule}


def test_types_and_numbers_become_small() -> None:
    module = Module()
    kernel = module.function("main", [])
    wide = kernel.constant(splat(12345, "tile<8x64xi64>"))
    kernel.permute(kernel.addi(wide, wide, overflow="no_wrap"), permutation=[1, 0],
                   result="tile<64x8xi64>")  # fmt: skip
    kernel.return_()

    def sum_of_something(bytecode: Bytecode) -> bool:
        ops = [op for function in bytecode.functions for op in function.walk()]
        sums = (op.operands["lhs"].owner for op in ops if op.name == "addi")
        return any(any(number.attributes["value"].data) for number in sums)

    left = Bytecode.parse(reduce(module.build(), Asking(sum_of_something)).data)
    number, total, _ = left.functions[0].ops
    assert str(total.result.type) == "tile<i32>"
    assert number.attributes["value"].value() == 1
    assert total.attributes["overflow"] == "none"


def test_what_does_not_hold_is_not_reduced(module) -> None:
    with pytest.raises(NotInterestingError, match="does not hold that it is there"):
        reduce(module, Asking(has("no such op")))


def test_answers_that_change_are_noticed(module) -> None:
    assert not reduce(module, Unsteady(3)).stable


def test_time_ends_it(module) -> None:
    reduced = reduce(module, Asking(has("load_view_tko")), seconds=1e-9)
    assert reduced.ended == "time"
    assert has("load_view_tko")(Bytecode.parse(reduced.data))


def test_an_interrupt_keeps_what_there_is(module) -> None:
    seen: list[Progress] = []

    def watch(progress: Progress) -> None:
        seen.append(progress)
        if progress.now.all_ops < progress.before.all_ops // 2:
            raise KeyboardInterrupt

    reduced = reduce(module, Asking(has("load_view_tko")), watch=watch)
    assert reduced.ended == "interrupted"
    assert reduced.data == seen[-1].data
    assert reduced.after.all_ops < reduced.before.all_ops


@pytest.mark.skipif(sys.platform == "win32", reason="the command is sleep")
def test_an_interrupt_ends_what_is_asked(module) -> None:
    """Otherwise this takes a thousand seconds."""
    running, ended = threading.Event(), threading.Event()

    class Slow(Asking):
        def holds(self, data: bytes) -> bool:
            if threading.current_thread() is not threading.main_thread():
                running.set()
                try:
                    run_on(data, ["sh", "-c", "exec sleep 1000"], Limits(seconds=1000))
                finally:
                    ended.set()
            return super().holds(data)

    def interrupt() -> None:
        running.wait()
        while not ended.is_set():  # Python forgets an interrupt that comes in a callback of its own
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            ended.wait(5)

    interrupter = threading.Thread(target=interrupt, daemon=True)
    interrupter.start()
    try:
        assert reduce(module, Slow(has("load_view_tko")), jobs=2).ended == "interrupted"
    finally:  # or other tests would be interrupted, too
        ended.set()
        running.set()
        interrupter.join()


def test_newer_versions_are_refused() -> None:
    data = bytearray(loops())
    data[9] = 99
    with pytest.raises(BuildError, match="newer than what can be reduced"):
        reduce(bytes(data), Asking(has("load_view_tko")))


def test_tables_keep_their_order_where_that_matters() -> None:
    """The defect is in the table of types: an entry that nothing uses."""
    text = "entry @f() {\n  %0 = iota : tile<8xi32>\n  %1 = iota : tile<4xi32>\n  return\n}\n"
    bytecode = tileir.assemble(text)
    count = len(bytecode.types)
    bytecode.functions[0].ops[1].erase()
    left = Bytecode.parse(
        reduce(bytecode, Asking(lambda bytecode: len(bytecode.types) == count)).data
    )
    assert len(left.types) == count
    assert names_of(left) == []
