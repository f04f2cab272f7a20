"""The tree of ops as JSON: what NVIDIA's text says, under the names that it gives to values."""

from __future__ import annotations

import json
import math
import re
from collections import Counter

import numpy as np

from tests.corpus import FIXTURES, NEWEST, OLDEST_AND_NEWEST
from tests.every_fixture import Fixture, every_fixture, no_constant
from tileir import Bytecode
from tileir.builder import Module
from tileir.explain.op_tree import JSON_SCHEMA, LAYOUT, op_tree

VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def tree_of(bytecode: Bytecode | bytes, **options) -> dict:
    if not isinstance(bytecode, Bytecode):
        bytecode = Bytecode.parse(bytecode)
    return json.loads(op_tree(bytecode, **options), parse_constant=no_constant)


def walk(ops: list[dict]):
    for op in ops:
        yield op
        for region in filter(None, op["regions"]):
            yield from walk(region["ops"])


def defined(op: dict) -> str:
    """What stands in front of the op in the text."""
    names = [result["name"] for result in op["results"]]
    if names and "#" in names[0]:
        return f"{names[0].partition('#')[0]}:{len(names)} = {op['name']}"
    return f"{', '.join(names)} = {op['name']}" if names else op["name"]


def operands_of(op: dict) -> list[str]:
    listed = []
    for value in op["operands"].values():
        listed += value if isinstance(value, list) else [value] if value else []
    return listed


@every_fixture(files=OLDEST_AND_NEWEST)
def the_tree_is_that_of_the_text(fixture: Fixture) -> None:
    """Line for line: results, mnemonic, operands. Other tests say that the text is NVIDIA's."""
    version, tree = fixture.bytecode.version, fixture.tree
    assert tree["schema"] == JSON_SCHEMA
    lines = [line.strip() for line in fixture.texts[False].splitlines() if line[:2] == "  "]
    lines = [line for line in lines if line[0] not in "(}"]
    ops = [op for function in tree["functions"] for op in walk(function["ops"])]
    hidden = {"yield", "continue"}
    ops = [op for op in ops if op["name"] not in hidden or operands_of(op)]
    lines = [line for line in lines if line not in hidden]
    assert len(ops) == len(lines)
    for op, line in zip(ops, lines, strict=True):
        missing = version < (13, 2) and op["name"] == "print_tko"
        assert missing or f"{line} ".startswith(f"{defined(op)} ")
        if not op["regions"]:
            read = STRING.sub("", line.partition(" = ")[2] if op["results"] or missing else line)
            assert Counter(VALUE.findall(read)) == Counter(operands_of(op))
        for result in op["results"][-1:]:
            assert op["regions"] or result["type"] in line or result["type"] == "token"


@every_fixture(files=OLDEST_AND_NEWEST)
def the_tree_has_offsets_locations_and_parameters(fixture: Fixture) -> None:
    text = fixture.texts[False]
    functions, kernels = fixture.bytecode.functions, fixture.tree["functions"]
    for function, kernel in zip(functions, kernels, strict=True):
        assert kernel["name"] == function.name
        for op, said in zip(function.walk(), walk(kernel["ops"]), strict=True):
            assert (said["name"], said["offset"]) == (op.name, op.offset)
            assert said["location"] == (op.location_text or None)
            assert len(said["regions"]) == len(op.regions)
        for parameter in kernel["parameters"]:
            assert f"{parameter['name']}: {parameter['type']}" in text


def test_constants_are_the_numbers_that_numpy_has() -> None:
    compared = 0
    for path in NEWEST.values():
        bytecode = Bytecode.parse(path.read_bytes())
        said = [op for f in tree_of(bytecode)["functions"] for op in walk(f["ops"])]
        ops = [op for function in bytecode.functions for op in function.walk()]
        for op, told in zip(ops, said, strict=True):
            if op.name != "constant":
                continue
            value, stated = op.attributes["value"], told["attributes"]["value"]
            if value.type.element.name == "fnv8E5M3FNU":
                assert str(stated.get("value", stated.get("values")[0])).startswith("0x")
                continue
            array = value.array().astype(np.float64 if value.type.element.is_float else np.int64)
            numbers = stated["values"] if "values" in stated else [stated["value"]] * array.size
            assert np.array_equal(np.array(numbers, float), array.ravel(), equal_nan=True)
            assert stated["type"] == str(value.type)
            compared += "values" in stated
    assert compared > 5


def test_numbers_that_json_has_not() -> None:
    kernel = (module := Module()).function("odd")
    for number in (math.inf, -math.inf, math.nan, -0.0):
        kernel.constant(number, result="f32")
    kernel.return_()
    ops = tree_of(module.build())["functions"][0]["ops"]
    numbers = [op["attributes"]["value"]["value"] for op in ops[:-1]]
    assert numbers == ["inf", "-inf", "nan", 0]
    assert math.copysign(1, numbers[3]) == -1


def test_absent_operands_absent_regions_and_enums() -> None:
    tree = tree_of((FIXTURES / "13.4" / "branches.tileirbc").read_bytes())
    ops = [op for function in tree["functions"] for op in walk(function["ops"])]
    regions = [op["regions"] for op in ops if op["name"] == "if"]
    assert regions
    assert all(len(pair) == 2 for pair in regions)
    loads = [op for op in ops if op["name"].startswith("load_")]
    assert {op["attributes"]["memory_ordering_semantics"] for op in loads} == {"weak"}
    assert {op["attributes"]["memory_scope"] for op in loads} == {None}


def test_deep_nesting_is_no_trouble() -> None:
    kernel = (module := Module()).function("deep")
    condition = kernel.constant(True, result="i1")

    def nest(levels: int) -> None:
        for _ in range(levels):
            branch = kernel.if_(condition)
            entered.append(branch.thenRegion)
            entered[-1].__enter__()
        for region in reversed(entered):
            kernel.yield_()
            region.__exit__(None, None, None)

    entered: list = []
    nest(400)
    kernel.return_()
    text = op_tree(Bytecode.parse(module.build()))
    assert text.count('"name": "if"') == 400


def test_one_kernel_alone() -> None:
    bytecode = Bytecode.parse((FIXTURES / "13.4" / "two_entries.tileirbc").read_bytes())
    whole = tree_of(bytecode)["functions"]
    assert len(whole) == 2
    for kernel in whole:
        assert tree_of(bytecode, function=kernel["name"])["functions"] == [kernel]


def test_the_layout_names_every_key() -> None:
    documented = set(re.findall(r"\w+", LAYOUT))
    for path in NEWEST.values():
        tree = tree_of(path.read_bytes())
        keys = {*tree, *(key for kernel in tree["functions"] for key in kernel)}
        keys |= {key for kernel in tree["functions"] for op in walk(kernel["ops"]) for key in op}
        assert keys <= documented
