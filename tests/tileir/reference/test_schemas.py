"""Schemas of JSON: closed, they allow what the commands print; a validator of others says so."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tests.tileir.batches.inline import make
from tests.tileir.batches.test_report import KERNEL, record
from tests.tileir.newer.made_up import KNOWN, TWISTED, whole
from tests.tileir.predicates.fakes import toolkit
from tests.tileir.read.test_library import GOOD, library
from tests.tileir.resources.elf import elf
from tests.tileir.resources.test_cubin import SECTIONS
from tileir import compile, load
from tileir.__main__ import main
from tileir.batches.records import line_of
from tileir.batches.variants.collected import Collected
from tileir.command_line.command_table import COMMANDS
from tileir.cutile.dumped import Dump
from tileir.reference.parsers import parsers
from tileir.reference.schemas.catalogue import SCHEMAS, schema_of

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is part of tileir[test]")

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
SCALED = FIXTURES / "13.4" / "scaled_copy.tileirbc"
MATMUL = FIXTURES / "13.4" / "matmul.tileirbc"
BROKEN = FIXTURES / "invalid" / "rules" / "same-type.tileirbc"
FLAGS = "integer_flags.tileirbc"
ARRAY = ("--arg", 2, "--arg", 4, "--arg", 4, "--arg", 1)
VARIANT = {**KERNEL, "threads": 128, "main_loop": 7, "spill_loads": 0}
LAUNCH = ("--random", "2x4:f32:7", *ARRAY, "--zeros", "2x4:f32", *ARRAY)


def closed(schema: Any) -> Any:
    """The schema that refuses keys that it does not know, all the way down."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: closed(value) for key, value in schema.items()}
    if "properties" in parts and "type" in parts:
        parts["additionalProperties"] = False
    return parts


def names_in(schema: Any) -> Iterator[str]:
    """The names of all keys of records in a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict) and "type" in schema:
            yield from schema["properties"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for each in schema:
            yield from names_in(each)


def keys_of(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        yield from tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for each in tree:
            yield from keys_of(each)


def printed(*arguments: object, data: bytes | None = None) -> list[Any]:
    """What a command prints: one document, or one a line."""
    done = call(main, *arguments, data=data)
    assert done.stdout, done.stderr
    try:
        return [json.loads(done.stdout)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in done.stdout.splitlines()]


def of_inspect(folder: Path) -> Iterator[Any]:
    yield from printed("inspect", "--json", VECTOR_ADD)
    yield from printed("inspect", "--json", BROKEN, FIXTURES / "13.5" / FLAGS)


def of_dis(folder: Path) -> Iterator[Any]:
    names = ("13.5/module_globals", "13.1/loop_sum", "13.4/vector_add", "13.5/dense_constants")
    files = [FIXTURES / f"{name}.tileirbc" for name in names]
    yield from printed("dis", "--json", *files, *sorted((FIXTURES / "preview").glob("*.tileirbc")))
    path = folder / "newer.tileirbc"
    path.write_bytes(whole(TWISTED, KNOWN))
    yield from printed("dis", "--json", path)


def of_as(folder: Path) -> Iterator[Any]:
    yield from printed("as", "--json", "-", "-o", folder / "a", data=b"entry @k( {\n  addg\n}\n")
    yield from printed("as", "--json", folder / "absent")


def of_verify(folder: Path) -> Iterator[Any]:
    yield from printed("verify", "--json", VECTOR_ADD, BROKEN, folder / "absent")
    yield from printed("verify", "--json", "-", data=b"addg")
    yield from printed("verify", "--json", "--rules")


def of_stats(folder: Path) -> Iterator[Any]:
    files = [FIXTURES / "13.1" / "matmul.tileirbc", FIXTURES / "13.4" / "gather_rows.tileirbc"]
    yield from printed("stats", "--json", *files)


def of_diff(folder: Path) -> Iterator[Any]:
    two = FIXTURES / "13.1" / FLAGS, FIXTURES / "13.4" / FLAGS
    yield from printed("diff", "--json", *two)
    yield from printed("diff", "--json", VECTOR_ADD, SCALED)
    yield from printed("diff", "--json", "--ptx", "sm_80", VECTOR_ADD, SCALED)


def of_report(folder: Path) -> Iterator[Any]:
    two = FIXTURES / "13.1" / FLAGS, FIXTURES / "13.4" / FLAGS
    yield from printed("report", "--json", *two)
    yield from printed("report", "--json", BROKEN)
    launch = ("--grid", 1, *("--array", "zeros:64x64:f16") * 3)
    yield from printed("report", "--json", "--target", "sm_90", MATMUL, *launch)


def of_tilelib(folder: Path) -> Iterator[Any]:
    path = folder / "made.tilelib"
    path.write_bytes(library(*GOOD))
    yield from printed("tilelib", "--json", path)


def of_opt(folder: Path) -> Iterator[Any]:
    yield from printed("opt", "-O", "--json", VECTOR_ADD, "-o", folder / "a")
    yield from printed("opt", "--list", "--json")
    yield from printed("opt", "--rules", "--json")


def of_strip(folder: Path) -> Iterator[Any]:
    yield from printed("strip", "--all", "--json", VECTOR_ADD, "-o", folder / "a")


def of_convert(folder: Path) -> Iterator[Any]:
    for name in ("gather_rows", "vector_add"):
        path = FIXTURES / "13.4" / f"{name}.tileirbc"
        yield from printed("convert", "--to-version", "13.2", "--json", path, "-o", folder / "a")


def of_extract(folder: Path) -> Iterator[Any]:
    given = ("--function", "vector_add", "--json", VECTOR_ADD, "-o", folder / "a")
    yield from printed("extract", *given)


def of_run(folder: Path) -> Iterator[Any]:
    case = folder / "s.tileirbc"
    printed("smith", "--seed", 7, "--ops", 20, "--json", "-o", case)
    yield from printed("run", "--json", case, "--launch", case.with_suffix(".json"))
    yield from printed("run", "--json", SCALED, *LAUNCH, "--print", "all", "--time", 1)
    shapes = ("16x16:f16", "16x16:f16", "16x16:f16")
    arrays = [word for shape in shapes for word in ("--array", f"zeros:{shape}")]
    matmul = FIXTURES / "13.4" / "matmul.tileirbc"
    yield from printed("run", "--json", matmul, *arrays, "--count")
    yield from printed("run", "--json", SCALED, *LAUNCH, "--emulate", "sm_80", "--count")
    yield from printed("run", "--json", SCALED, "--list")
    yield from printed("run", "--json", SCALED)
    outside = ("--arg", 9, "--arg", 9, "--arg", 9, "--arg", 1)
    given = ("--random", "2x4:f32:7", *ARRAY, "--zeros", "2x4:f32", *outside)
    yield from printed("run", "--json", SCALED, *given, "--check", "memory")
    yield from printed("run", "--json", SCALED, *given, "--emulate", "sm_80")


def of_dump(folder: Path) -> Iterator[Any]:
    """The list that the command prints, of kernels that no program has made."""
    for grid in ((1, 1, 1), (2, 1, 1)):
        dump = Dump(folder / "dump")
        dump.write(VECTOR_ADD.read_bytes())
        dump.loaded(VECTOR_ADD.read_bytes(), {"vector_add": 7})
        dump.launched(7, grid)
        (folder / "dump" / "other.tileirbc").write_bytes(SCALED.read_bytes())
        yield dump.write_list()


def of_compile(folder: Path) -> Iterator[Any]:
    yield from printed("compile", "--emit", "plan", "--target", "sm_80", VECTOR_ADD)
    matmul = FIXTURES / "13.4" / "matmul.tileirbc"
    yield from printed("compile", "--emit", "plan", "--target", "sm_90", matmul)


def of_remarks(folder: Path) -> Iterator[Any]:
    yield from printed("remarks", "--no-ptxas", "--target", "sm_80", "--json", VECTOR_ADD)
    yield from printed("remarks", "--topics", "--json")


def of_advise(folder: Path) -> Iterator[Any]:
    given = ("--no-ptxas", "--target", "sm_80", "--grid", "1", "--json")
    yield from printed("advise", *given, VECTOR_ADD, folder / "none")
    yield from printed("advise", "--rules", "--json")


def of_resources(folder: Path) -> Iterator[Any]:
    cubin, baseline = folder / "made.cubin", folder / "baseline.json"
    cubin.write_bytes(elf(SECTIONS))
    given = ("resources", "--json", "--no-instructions", cubin)
    call(main, *given, "--baseline", baseline, "--update")
    tree = json.loads(baseline.read_text())
    (first, *_) = tree["kernels"].values()
    first["registers"] -= 1
    first["stack"] += 8
    baseline.write_text(json.dumps(tree))
    yield from printed(*given, "--baseline", baseline)


def of_package(folder: Path) -> Iterator[Any]:
    path = folder / "k.tilepack"
    call(main, "package", VECTOR_ADD, "--target", "sm_80", "-o", path)
    yield from printed("package", "--list", "--json", path)


def of_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(folder / "cache"))
    compile(load(VECTOR_ADD), "sm_80")
    (folder / "cache" / ("0" * 64)).write_bytes(b"nothing")
    toolkit(folder / "cache" / "toolkits" / "13.1.80", tileiras="exit 0")
    (listed,) = printed("cache", "list", "--json")
    yield listed
    _share(folder, monkeypatch)
    yield from printed("cache", "list", "--shared", "--json")
    yield from printed("cache", "show", "--json", listed["compilations"][0]["id"])


def of_batch(folder: Path) -> Iterator[Any]:
    """A summary, one of variants, records, and the report on these beside a baseline."""
    inline = "--executor", f"{make.__module__}:{make.__name__}"
    manifests = folder / "a.jsonl", folder / "b.jsonl"
    given = ("compile", *inline, "--target", "sm_80", "--json")
    yield from printed("batch", *given, "-m", manifests[0], VECTOR_ADD)
    for path, failure in zip(manifests, ("", "time"), strict=True):
        lines = [record("a"), record("b", failure), record("c", "" if failure else "time")]
        lines += [record("d", kernel={"registers": len(failure), "stack": 9 - len(failure)})]
        with open(path, "ab") as file:
            file.write(b"".join(map(line_of, lines)))
        yield from map(json.loads, path.read_bytes().splitlines())
    yield from printed("batch", "report", "--json", manifests[1], "--baseline", manifests[0])
    found = Collected()
    for each in ({"num_warps": 4}, {"num_warps": 8}):
        chosen = {"variants": ["num_warps"], **each}
        taken = {"kernels": [], "target": "sm_90", "resources": [VARIANT]}
        failure = "" if each["num_warps"] == 4 else "occupancy"
        found.add(record("a", failure, verb="compile", options=chosen, result=taken))
    (summary,) = printed("batch", "verify", *inline, "--json", VECTOR_ADD)
    yield {**summary, "variants": found.as_json()}


def of_smith(folder: Path) -> Iterator[Any]:
    given = ("--count", 2, "--ops", 10, "--json", "-o", folder / "s")
    yield from printed("smith", *given)


def of_mutate(folder: Path) -> Iterator[Any]:
    yield from printed("mutate", VECTOR_ADD, "--count", 2, "--json", "-o", folder / "m")


def of_reduce(folder: Path) -> Iterator[Any]:
    given = ("--says", "addf", "--of", "dis", "--json", "-o", folder / "r")
    yield from printed("reduce", FIXTURES / "13.1" / "loop_sum.tileirbc", *given)


def of_bisect(folder: Path) -> Iterator[Any]:
    for name, script in (("13.1.80", "exit 0"), ("13.2.51", "echo error: no >&2; exit 5")):
        toolkit(folder / "kits" / name, tileiras=script)
    given = ("bisect", "--toolkits", folder / "kits", "--json")
    yield from printed(*given, "--list")
    yield from printed(*given, FIXTURES / "13.1" / "vector_add.tileirbc", "--says", "no")


def of_samples(folder: Path) -> Iterator[Any]:
    yield from printed("samples", "--json")
    yield from printed("samples", "--json", "-o", folder / "samples")


def _share(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEIR_CACHE_SHARED", (folder / "shared").as_uri())


def of_doctor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    _share(folder, monkeypatch)
    yield from printed("doctor", "--json")


UNSEEN = {
    "compile": {"asked"},  # of hints that are not followed
    "doctor": {"capability", "memory"},  # of GPUs
    "package": {"cubin"},  # which ptxas makes
}
"""Command -> keys that none of these outputs has, for lack of what they are about."""


@pytest.mark.parametrize("name", SCHEMAS)
def test_outputs_are_as_the_schema_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "bisect" and sys.platform == "win32":
        pytest.skip("its tools are scripts of sh")
    schema = schema_of(name)
    validator = jsonschema.Draft202012Validator
    validator.check_schema(schema)
    strict = validator(closed(schema))
    make: Callable[..., Iterator[Any]] = globals()[f"of_{name}"]
    more = {"monkeypatch": monkeypatch} if name in ("cache", "doctor") else {}
    outputs = list(make(tmp_path, **more))
    assert outputs
    for output in outputs:
        if problem := jsonschema.exceptions.best_match(strict.iter_errors(output)):
            pytest.fail(f"{problem.json_path}: {problem.message[:500]}")
    assert set(names_in(schema)) - set(keys_of(outputs)) == UNSEEN.get(name, set())
    assert not validator(schema).is_valid({"schema": 77})


def test_every_command_that_prints_json_has_a_schema() -> None:
    """`compile` has its plans, which are an --emit; `cache` and `batch` have verbs with --json."""
    options = {name: parser._option_string_actions for name, parser in parsers().items()}
    printing = {name for name, given in options.items() if "--json" in given}
    assert printing | {"compile", "cache", "batch"} == set(SCHEMAS)
    assert list(SCHEMAS) == [name for name in COMMANDS if name in SCHEMAS]


def test_the_command() -> None:
    one = call(main, "schema", "verify")
    assert (one.returncode, one.stderr) == (0, "")
    assert json.loads(one.stdout) == schema_of("verify")
    assert json.loads(call(main, "schema", "--all").stdout).keys() == SCHEMAS.keys()
    listed = call(main, "schema").stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(SCHEMAS)
    wrong = call(main, "schema", "verfy")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean verify?" in wrong.stderr
    assert call(main, "schema", "--all", "verify").returncode == 2
