"""Dominators and loops of functions that are being emitted, compared with their definition."""

from __future__ import annotations

import random

import pytest
from llvmlite import ir

from tileir.codegen.llvm.block_tree import BlockTree


class Emission:
    """Random branches and loops, in the order in which code is emitted."""

    def __init__(self, seed: int) -> None:
        self.random, self.tree = random.Random(seed), BlockTree()
        kind = ir.FunctionType(ir.VoidType(), [])
        self.function = ir.Function(ir.Module(context=ir.Context()), kind, "f")
        self.edges: dict[ir.Block, list[ir.Block]] = {}
        self.around: dict[ir.Block, list[ir.Block]] = {}
        self.open: list[ir.Block] = []
        self.block = self.new()

    def new(self) -> ir.Block:
        block = self.function.append_basic_block()
        self.edges[block], self.around[block] = [], self.open[::-1]
        return block

    def edge(self, target: ir.Block) -> None:
        self.edges[self.block].append(target)
        self.tree.add_edge(self.block, target)

    def code(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            if depth and self.random.random() < 0.5:
                self.branch(depth - 1)
            elif depth:
                self.loop(depth - 1)
            else:
                following = self.new()
                self.edge(following)
                self.block = following

    def branch(self, depth: int) -> None:
        arms, behind = [self.new(), self.new()], self.new()
        for arm in arms:
            self.edge(arm)
        for arm in arms:
            self.block = arm
            self.code(depth)
            self.edge(behind)
        self.block = behind

    def loop(self, depth: int) -> None:
        head = self.new()
        self.tree.enter(head, self.block)
        self.edge(head)
        self.block = head
        self.open.append(head)
        self.around[head] = self.open[::-1]
        body = self.new()
        self.open.pop()
        behind = self.new()
        self.open.append(head)
        self.edge(body)
        self.edge(behind)
        self.block = body
        self.code(depth)
        self.edge(head)
        self.open.pop()
        self.tree.leave(head, behind)
        self.block = behind

    def reached(self, without: ir.Block | None) -> set[ir.Block]:
        entry = self.function.entry_basic_block
        found, stack = set[ir.Block](), [entry]
        while stack:
            block = stack.pop()
            if block is not without and block not in found:
                found.add(block)
                stack += self.edges[block]
        return found


@pytest.mark.parametrize("seed", range(8))
def test_a_block_dominates_what_is_not_reached_without_it(seed: int) -> None:
    emission = Emission(seed)
    emission.code(4)
    for block in emission.edges:
        dominated = set(emission.edges) - emission.reached(without=block)
        assert {it for it in emission.edges if emission.tree.dominates(block, it)} == dominated
        assert list(emission.tree.loops(block)) == emission.around[block]
