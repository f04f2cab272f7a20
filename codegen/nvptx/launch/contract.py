"""The launch contract of a kernel: the terms of its launch, settled for one GPU.

`launch_terms` has the terms and their sources. A tile block is executed by one cluster of blocks.
Two blocks of a cluster work together where `split_tiles` can have them do so; otherwise only the
first block of a cluster works, so results are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from tileir.codegen import launch_terms
from tileir.codegen.kernel import KernelIR
from tileir.codegen.launch_terms import DEFAULTS, TERMS, Choice, Term
from tileir.errors import Diagnostic, UnsupportedError
from tileir.gpus import Target, gpus_with
from tileir.read.text_positions import located

COMPILER = "compiler"
"""The source of a term for which there is no option, attribute or hint."""
ENOUGH_REGISTERS = 64
"""Registers of a thread below which a hint for many resident blocks is not followed."""
MOST_REGISTERS = 255
"""The most registers of a thread; ptxas gives them out by eights."""

_FREE = Choice(None, COMPILER)
CLUSTERS = ("cluster_dim", "maxclusterrank", "blocksareclusters")


@dataclass(frozen=True, slots=True)
class Contract:
    """The settled terms of a launch: term -> its value and source.

    In an empty contract all terms are the compiler's choice.
    """

    choices: Mapping[str, Choice] = field(default_factory=dict)

    def __getitem__(self, term: str) -> Any:
        """Return the value of a term; None where the compiler is free."""
        choice = self.choices.get(term)
        return choice.value if choice else DEFAULTS.get(term)

    def by(self, term: str) -> str:
        """Return the source of a term's value."""
        choice = self.choices.get(term)
        return choice.by if choice else COMPILER

    @property
    def blocks(self) -> int:
        """Blocks of a cluster."""
        return prod(self["cluster_dim"])

    @property
    def fixes_clusters(self) -> bool:
        """Whether the PTX fixes the size of clusters; otherwise a launch may choose one."""
        return self.blocks > 1 or self["blocksareclusters"]


def settle(kernel: KernelIR, gpu: Target, options: Mapping[str, object]) -> Contract:
    """Settle the contract of a kernel; UnsupportedError lists all impossible terms."""
    choices: dict[str, Choice] = {}
    problems: list[str] = []
    for term in TERMS:
        try:
            choice = _chosen(term, kernel, gpu, options)
        except ValueError as error:
            problems.append(str(error))
            continue
        if choice and term.name in CLUSTERS and not gpu.has("clusters"):
            # A text may be for several GPUs, an option is for this one.
            if choice.by.startswith("option") and choice.value != DEFAULTS.get(term.name):
                first = gpus_with("clusters")[0]
                problems.append(f"{choice.by}: {gpu.name} has no clusters; GPUs from {first} on do")
            continue
        if choice:
            choices[term.name] = choice
    if "maxclusterrank" in choices and choices.get("cluster_dim", _FREE).by.startswith("hint"):
        del choices["cluster_dim"]  # a hint gives way
    if problem := launch_terms.clash(choices):
        problems.append(problem)
    refuse(kernel, problems)
    return Contract(choices)


def _chosen(
    term: Term, kernel: KernelIR, gpu: Target, options: Mapping[str, object]
) -> Choice | None:
    """Return the choice of the first source that has one; a bad hint counts as none."""
    launch = kernel.bytecode.launch_attributes if kernel.bytecode else None
    own, shared = (launch.entries.get(kernel.symbol, {}), launch.module) if launch else ({}, {})
    for who, names, values in (
        ("option", term.options, options),
        ("attribute", term.attributes, own),
        ("attribute", term.attributes, shared),
    ):
        if choice := launch_terms.said(term, who, names, values):
            return choice
    if term.hint is None or any(name.name in options for name in term.options):
        return None  # there is none, or None lifts it
    hints = kernel.function.hints.entries
    for architecture in (gpu.gpu, "default"):
        given = hints.get(architecture)
        if isinstance(given, dict) and term.hint.name in given:
            try:
                return launch_terms.said(term, "hint", [term.hint], given)
            except ValueError:
                continue
    return None


def refuse(kernel: KernelIR, problems: Iterable[str]) -> None:
    """Raise UnsupportedError with all problems of a kernel's contract, if there are any."""
    diagnostics = [
        Diagnostic("error", "launch-contract", problem, function=kernel.symbol)
        for problem in problems
    ]
    if diagnostics:
        diagnostics = located(diagnostics, kernel.bytecode)
        raise UnsupportedError("the kernel cannot be launched as asked for:", diagnostics)


def fit_block(kernel: KernelIR, gpu: Target, contract: Contract, threads: int) -> Contract:
    """Return the contract of a kernel whose blocks have so many threads.

    UnsupportedError if an SM cannot hold as many of these blocks as the contract asks for.
    """
    blocks = contract["minnctapersm"]
    most = min(gpu.blocks_per_sm, gpu.threads_per_sm // threads)
    by = contract.by("minnctapersm")
    warps = Choice(threads // gpu.warp, contract.by("num_warps"))
    contract = Contract({**contract.choices, "num_warps": warps})
    if by.startswith("hint"):
        most = min(most, gpu.registers_per_sm // (ENOUGH_REGISTERS * threads))
        holds = f"an SM has no room for more of {threads} threads with {ENOUGH_REGISTERS} registers"
        return _at_most(contract, max(most, 1), holds)
    if blocks > most:
        holds = f"an SM of {gpu.name} holds {most} of {threads} threads"
        refuse(kernel, [f"{by} asks for {blocks} blocks at a time, but {holds}"])
    return Contract({**contract.choices, "minnctapersm": Choice(blocks, by)})


def is_hinted(contract: Contract) -> bool:
    """Whether it is a hint that asks for several resident blocks."""
    return contract["minnctapersm"] > 1 and contract.by("minnctapersm").startswith("hint")


def registers_of(gpu: Target, contract: Contract, threads: int) -> int:
    """Return the registers that a thread may have.

    Blocks that a hint asks for do not count: it is followed as far as registers suffice.
    """
    blocks = 1 if is_hinted(contract) else contract["minnctapersm"]
    most = min(gpu.registers_per_sm // (blocks * threads), MOST_REGISTERS) & -8
    return min(most, contract["maxnreg"] or most)


def fit_registers(gpu: Target, contract: Contract, needed: Callable[[int], int]) -> Contract:
    """Return the contract of a kernel that asks in a hint for several resident blocks.

    `needed` returns the registers that a thread needs if there are so many blocks. The hint is
    followed as long as threads have these registers.
    """
    threads, most, why = contract["num_warps"] * gpu.warp, contract["minnctapersm"], ""
    while most > 1:
        registers = min(gpu.registers_per_sm // (most * threads), MOST_REGISTERS) & -8
        if (all_of_them := needed(most)) <= registers:
            break
        most -= 1
        why = f"with more, threads would spill some of {all_of_them} registers"
    return _at_most(contract, most, why)


def _at_most(contract: Contract, most: int, why: str) -> Contract:
    """Return the contract with so many resident blocks at most, and why there are no more."""
    choice = contract.choices["minnctapersm"]
    if choice.value <= most:
        return contract
    asked = choice.asked or choice.value
    return Contract({**contract.choices, "minnctapersm": Choice(most, choice.by, asked, why)})


def check_shared(kernel: KernelIR, gpu: Target, contract: Contract, shared: int) -> None:
    """Raise UnsupportedError if blocks take too much shared memory for as many as asked for."""
    blocks, by = contract["minnctapersm"], contract.by("minnctapersm")
    room = gpu.shared_of_each(blocks)
    if shared > room and not by.startswith("hint"):
        wants = f"each takes {shared} bytes of shared memory, and {gpu.name} has {room} for each"
        refuse(kernel, [f"{by} asks for {blocks} blocks at a time, but {wants}"])


def directives(contract: Contract) -> Iterator[tuple[str, str]]:
    """Return LLVM's attributes for the PTX directives of a kernel, given its settled contract."""
    values = {term.name: contract[term.name] for term in TERMS}
    values["num_warps"] = (32 * values["num_warps"], 1, 1)
    if not contract.fixes_clusters:
        del values["cluster_dim"]
    for term in TERMS:
        value = values.get(term.name)
        if value is True:
            yield term.llvm, ""
        elif value:
            yield term.llvm, ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def lowest_ptx(contracts: Iterable[Contract], lowest: tuple[int, int]) -> tuple[int, int]:
    """Return the PTX ISA version that has the directives: `lowest` or a later one."""
    return max(lowest, (9, 0)) if any(c["blocksareclusters"] for c in contracts) else lowest
