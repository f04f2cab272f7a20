"""The launch contract of a kernel: what was said about its launch, settled for one GPU.

`launch_terms` has the terms and who may say them. A tile block is carried out by one cluster of
blocks; of a cluster with several only the first block works, so results are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from tileir.codegen import launch_terms
from tileir.codegen.kernel import Kernel
from tileir.codegen.launch_terms import DEFAULTS, TERMS, Choice, Term
from tileir.errors import Diagnostic, UnsupportedError
from tileir.gpus import Target, gpus_with
from tileir.read.text_positions import located

COMPILER = "compiler"
"""Who chose what nobody said."""
ENOUGH_REGISTERS = 64
"""Registers that a thread keeps when a hint asks for many blocks at a time."""

_CLUSTERS = ("cluster_dim", "maxclusterrank", "blocksareclusters")


@dataclass(frozen=True, slots=True)
class Contract:
    """What is fixed before layouts are chosen: term -> its value and who chose it.

    Of a kernel that nobody settled, all is the compiler's choice.
    """

    choices: Mapping[str, Choice] = field(default_factory=dict)

    def __getitem__(self, term: str) -> Any:
        """The value of a term; None where the compiler is free."""
        choice = self.choices.get(term)
        return choice.value if choice else DEFAULTS.get(term)

    def by(self, term: str) -> str:
        """Who chose it."""
        choice = self.choices.get(term)
        return choice.by if choice else COMPILER

    @property
    def blocks(self) -> int:
        """Blocks of a cluster."""
        return prod(self["cluster_dim"])

    @property
    def fixes_clusters(self) -> bool:
        """Whether the PTX says how large clusters are; otherwise a launch may choose some."""
        return self.blocks > 1 or self["blocksareclusters"]


def settle(kernel: Kernel, gpu: Target, options: Mapping[str, object]) -> Contract:
    """The contract of a kernel; UnsupportedError lists what cannot be."""
    choices: dict[str, Choice] = {}
    wrong: list[str] = []
    for term in TERMS:
        try:
            choice = _chosen(term, kernel, gpu, options)
        except ValueError as error:
            wrong.append(str(error))
            continue
        if choice and term.name in _CLUSTERS and not gpu.has("clusters"):
            # A text is for many GPUs, an option is for this one.
            if choice.by.startswith("option") and choice.value != DEFAULTS.get(term.name):
                first = gpus_with("clusters")[0]
                wrong.append(f"{choice.by}: {gpu.name} has no clusters; GPUs from {first} on do")
            continue
        if choice:
            choices[term.name] = choice
    if problem := launch_terms.clash(choices):
        wrong.append(problem)
    refuse(kernel, wrong)
    return Contract(choices)


def _chosen(
    term: Term, kernel: Kernel, gpu: Target, options: Mapping[str, object]
) -> Choice | None:
    """The first who says something; what is wrong with a hint leaves it unsaid."""
    launch = kernel.bytecode.launch_attributes if kernel.bytecode else None
    own, shared = (launch.entries.get(kernel.symbol, {}), launch.module) if launch else ({}, {})
    for who, names, values in (
        ("option", term.options, options),
        ("attribute", term.attributes, own),
        ("attribute", term.attributes, shared),
    ):
        if choice := launch_terms.said(term, who, names, values):
            return choice
    if term.hint is None:
        return None
    hints = kernel.function.hints.entries
    for architecture in (gpu.gpu, "default"):
        given = hints.get(architecture)
        if isinstance(given, dict) and term.hint.name in given:
            try:
                return launch_terms.said(term, "hint", [term.hint], given)
            except ValueError:
                continue
    return None


def refuse(kernel: Kernel, wrong: Iterable[str]) -> None:
    """Raise UnsupportedError for everything that is wrong with a kernel's contract, if anything."""
    found = [
        Diagnostic("error", "launch-contract", problem, function=kernel.symbol) for problem in wrong
    ]
    if found:
        found = located(found, kernel.bytecode)
        raise UnsupportedError("the kernel cannot be launched as asked for:", found)


def fit_block(kernel: Kernel, gpu: Target, contract: Contract, threads: int) -> Contract:
    """The contract that knows the blocks of a kernel, of so many threads.

    UnsupportedError if an SM cannot hold as many of them as it has to.
    """
    blocks = contract["minnctapersm"]
    most = min(gpu.blocks_per_sm, gpu.threads_per_sm // threads)
    by = contract.by("minnctapersm")
    if by.startswith("hint"):
        most = min(most, gpu.registers_per_sm // (ENOUGH_REGISTERS * threads))
        blocks = max(1, min(blocks, most))
    elif blocks > most:
        holds = f"an SM of {gpu.name} holds {most} of {threads} threads"
        refuse(kernel, [f"{by} asks for {blocks} blocks at a time, but {holds}"])
    choices = {
        **contract.choices,
        "num_warps": Choice(threads // gpu.warp, contract.by("num_warps")),
        "minnctapersm": Choice(blocks, by),
    }
    return Contract(choices)


def check_shared(kernel: Kernel, gpu: Target, contract: Contract, shared: int) -> None:
    """UnsupportedError if blocks have too much shared memory for an SM to hold enough of them."""
    blocks, by = contract["minnctapersm"], contract.by("minnctapersm")
    room = gpu.shared_of_each(blocks)
    if shared > room and not by.startswith("hint"):
        wants = f"each takes {shared} bytes of shared memory, and {gpu.name} has {room} for each"
        refuse(kernel, [f"{by} asks for {blocks} blocks at a time, but {wants}"])


def directives(contract: Contract) -> Iterator[tuple[str, str]]:
    """LLVM's attributes that become the PTX directives of a kernel whose block is known."""
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
    """The PTX ISA version that has the directives."""
    return max(lowest, (9, 0)) if any(c["blocksareclusters"] for c in contracts) else lowest
