"""The sampler: one seed, one file everywhere; all of each version turns up; NVIDIA accepts it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.rebuild import rebuilt, rebuilt_sections
from tests.reencode import encoded
from tests.strategies import modules
from tests.tileir.builder.test_module import described
from tileir import BuildError, Bytecode
from tileir.formats.leaves import EnumValue
from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Operand
from tileir.formats.types import TYPE
from tileir.formats.version import LATEST, SUPPORTED, Version
from tileir.sampler import sample
from tileir.verifier.module import check
from tileir.write.retarget import VersionError

ROOT = Path(__file__).parents[3]
SEEDS = range(14)
SIZE = 100

KNOWN = {
    (0, "13.1", 50): "585e28c125e518d6d06939505cd49109e2a85a5416b7c71bbff6d4347a984e89",
    (1, "13.2", 50): "79a9f6864b30091f72d396fb353a7300fc221d1a71050d545c455083489c5cb6",
    (2, "13.3", 50): "52f813352c5b78d6edd6334cd10044f19b306e450f09611961b79bbdbef0157f",
    (3, "13.4", 50): "b465b487505c8f3fde8f6b07df49be31d1d7c489b3ed5bad8c0b78c453798b42",
    (4, "13.5", 50): "d8470f3378d7791b731b91cdd644c1f70114e88289ae561a1c819cf791cf7eb8",
    (2**70, "13.5", 120): "608997a2960f4f2aba0b28cca64654553ff7d8e77153388c62def05e17652bb8",
    (0, "13.5", 0): "4ad173bbb4d38bcd7bc8118a560ac160a27310ececabf5b303c3c8a402c893f0",
}
"""Arguments and the SHA-256 of the file. Only a change of the sampler or of an old row moves it."""


@cache
def samples(version: Version) -> list[bytes]:
    """The files of the first seeds."""
    return [sample(seed, version, SIZE).build() for seed in SEEDS]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# One seed, one file -----------------------------------------------------------------------------


def test_a_seed_gives_the_same_file_everywhere() -> None:
    assert {key: digest(sample(*key).build()) for key in KNOWN} == KNOWN


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["0", "4294967295"])
def test_hashing_does_not_matter(hash_seed: str) -> None:
    program = (
        "import hashlib\nfrom tileir.sampler import sample\n"
        "for seed in range(4): "
        "print(hashlib.sha256(sample(seed, '13.5', 80).build()).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [digest(sample(seed, "13.5", 80).build()) for seed in range(4)]


def test_seeds_versions_and_sizes_matter() -> None:
    files = {sample(seed, version, 10).build() for seed in range(10) for version in SUPPORTED}
    assert len(files) == 50
    for wanted in (0, 20, 400):
        found = sum(1 for f in sample(5, ops=wanted).functions for _ in f.walk())
        assert wanted <= found <= wanted * 1.2 + 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1,), "seed must be a number from 0 on, found -1"),
        (("7",), "seed must be a number from 0 on, found '7'"),
        ((1, "13.5", -3), "ops must be a number from 0 on, found -3"),
        ((1, "13.5", 2.5), "ops must be a number from 0 on, found 2.5"),
        ((1, "12.9"), "version 12.9 is not one of 13.1 to "),
    ],
)
def test_wrong_arguments(arguments: tuple, message: str) -> None:
    with pytest.raises(BuildError) as caught:
        sample(*arguments)
    assert str(caught.value).startswith(message)


# All of a version -------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_samples_of_a_version(version: Version, named) -> None:
    """Together, because they are dear to make."""
    for check_samples in (
        every_op_and_type_turns_up, they_are_valid_and_read_without_a_word, both_codecs_agree,
    ):  # fmt: skip
        with named(check_samples.__name__.replace("_", " ")):
            check_samples(version)


def every_op_and_type_turns_up(version: Version) -> None:
    """Of all that the version has."""
    ops: set[str] = set()
    types: set[str] = set()
    for data in samples(version):
        bytecode = Bytecode.parse(data)
        types |= {TYPE.arms[tag].name for tag in bytecode.types.tags}
        ops |= {op.name for function in bytecode.functions for op in function.walk()}
    assert ops == {op.mnemonic for op in OPS if op.in_body and op.since <= version}
    assert types == {arm.name for arm in TYPE.arms.values() if arm.since <= version}


@pytest.mark.slow
def test_every_case_and_optional_slot_turns_up() -> None:
    left = set(cases())
    files = (Bytecode.parse(data) for version in SUPPORTED for data in samples(version))
    more = (sample(seed, LATEST, 200) for seed in range(100, 130))
    for bytecode in chain(files, more):
        for function in bytecode.functions:
            for op in function.walk():
                left -= {(f"{op.name}.{name}", bool(v)) for name, v in op.operands.items()}
                for name, value in op.attributes.items():
                    if isinstance(value, bool):
                        left.discard((f"{op.name}.{name}", value))
                    elif isinstance(value, str | None):
                        left.discard((name, value))
        if not left:
            return
    assert not left


def cases() -> Iterator[tuple[str, object]]:
    """Every optional slot as it is there and as it is not, and every case of every enum."""
    for op in OPS:
        for slot in (*op.operands, *op.attributes) if op.in_body else ():
            place = f"{op.mnemonic}.{slot.name}"
            if isinstance(slot, Operand):
                yield from ((place, there) for there in (True, False) if slot.arity == "optional")
            elif slot.node is None:
                yield from ((place, True), (place, False))
            elif isinstance(slot.node, EnumValue):
                names = slot.allowed or tuple(slot.node.enum.by_name)
                yield from ((slot.name, case) for case in names)


def test_modules_have_more_than_ops() -> None:
    found: Counter[str] = Counter()
    for seed in range(30):
        bytecode = sample(seed, "13.5", 30)
        found["producer"] += bytecode.producer is not None
        found["globals"] += len(bytecode.globals)
        for function in bytecode.functions:
            found["functions"] += 1
            found["hints"] += bool(function.hints.entries)
            found["arguments"] += any(function.argument_attributes)
            found["located"] += function.location is not None
            places = [type(op.location).__name__ for op in function.walk()]
            found.update(places)
            found["nested"] += any(op.depth > 1 for op in function.walk())
    for name in ("producer", "globals", "hints", "arguments", "located", "nested"):
        assert found[name] > 5, name
    assert found["functions"] > 45
    assert min(found[kind] for kind in ("SourceLocation", "CallSite", "NoneType")) > 30


# Valid, and read as it was written --------------------------------------------------------------


def they_are_valid_and_read_without_a_word(version: Version) -> None:
    """Nothing is odd about them, and they are written as they were read."""
    for data in samples(version):
        bytecode = Bytecode.parse(data, strict=True).touch(strict=True)
        assert bytecode.version == version
        assert not bytecode.warnings
        check(bytecode)
        assert bytecode.build() == data
        for function, built, _, _ in encoded(bytecode):
            assert built == function.code.data


def both_codecs_agree(version: Version) -> None:
    """The specialised one reads and writes what the reference does."""
    for data in samples(version)[:6]:
        fast, slow = (Bytecode.parse(data, reference=reference) for reference in (False, True))
        for ours, theirs in zip(fast.functions, slow.functions, strict=True):
            assert described(ours.body) == described(theirs.body)
        assert fast.types.tags == slow.types.tags
        assert fast.globals == slow.globals
        assert rebuilt(slow) == data
        for section, built, stop in rebuilt_sections(fast, reference=False):
            assert built == bytes(data[section.payload.offset : stop])


@given(modules(ops=60))
@settings(max_examples=25, deadline=None)
def test_a_module_is_written_as_it_was_read(module: Bytecode) -> None:
    data = module.build()
    again = Bytecode.parse(data, strict=True)
    assert again.build() == data
    for ours, theirs in zip(again.functions, module.functions, strict=True):
        assert described(ours.body) == described(theirs.body)


@given(modules(ops=60))
@settings(max_examples=25, deadline=None)
def test_the_newest_version_says_all_that_older_ones_say(module: Bytecode) -> None:
    newest = module.to_version(LATEST)
    check(newest)
    if any(op.name == "print_tko" for function in module.functions for op in function.walk()):
        return  # the token it has from 13.2 on may have brought the type of it along
    assert newest.to_version(module.version).build() == module.build()


@given(modules(LATEST, ops=12))
@settings(max_examples=25, deadline=None)
def test_an_older_version_says_the_same_or_refuses(module: Bytecode) -> None:
    for version in SUPPORTED[:-1]:
        try:
            older = module.to_version(version)
        except VersionError:
            continue
        check(older)
        assert older.version == version
        assert older.to_version(LATEST).build() == module.build()


# What NVIDIA says -------------------------------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_nvidia_accepts_samples(version: Version, tool, tmp_path: Path) -> None:
    """Its disassembler runs the verifier."""

    def refusal(seed: int) -> str:
        path = tmp_path / f"{seed}.tileirbc"
        path.write_bytes(samples(version)[seed])
        done = tool("tileirdisasm", "-g", path)
        accepted = done.returncode == 0 and b"entry @kernel0" in done.stdout
        return "" if accepted else f"seed {seed}: {done.stderr.decode()[:500]}"

    samples(version)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert not list(filter(None, pool.map(refusal, SEEDS)))
