"""Everything that may be written in more than one way means the same however it is written."""

from __future__ import annotations

from types import MappingProxyType

import pytest

import tileir
from tileir.attributes import EnumAttribute
from tileir.formats.enums import ENUMS, Enum
from tileir.formats.limits import DEFAULT
from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.assembly import IMPLIED
from tileir.formats.version import LATEST
from tileir.text.assembler import assemble
from tileir.text.assembler.source import Source
from tileir.text.printer import disassemble
from tileir.text.printer.values import attribute

KERNEL = """\
entry @k(%arg0: tile<i32>, %arg1: tile<i1>, %arg2: tile<ptr<f32>>) {
  %cst_8_i32 = constant <i32: 8> : tile<i32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<8xf32>
  %0 = addf %cst_1_f32, %cst_1_f32  : tile<8xf32>
  %1:2 = if %arg1 -> (tile<i32>, tile<8xf32>) {
    yield %arg0, %0 : tile<i32>, tile<8xf32>
  } else {
    yield %cst_8_i32, %cst_1_f32 : tile<i32>, tile<8xf32>
  }
  for %loopIdx in (%arg0 to %1#0, step %cst_8_i32) : tile<i32> {
    %tview = make_tensor_view %arg2, shape = [%loopIdx, 8], strides = [%arg0, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[?,1]>
    %assume = assume div_by<16>, %arg0 : tile<i32>
  }
  loop {
    break
  }
  %reduce = reduce %1#1 dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %2 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %2 : tile<f32>
  }
  return
}
"""  # noqa: E501

VARIANTS = {
    "long names": KERNEL.replace("tile<", "!cuda_tile.tile<")
    .replace("!cuda_tile.tile<ptr", "!cuda_tile.tile<!cuda_tile.ptr")
    .replace("tensor_view<", "!cuda_tile.tensor_view<")
    .replace("div_by<16>", "#cuda_tile.div_by<16>"),
    "prefixed ops": "".join(
        line.replace(" = ", " = cuda_tile.", 1) if line.lstrip().startswith("%") else line
        for line in KERNEL.replace("return", "cuda_tile.return")
        .replace("entry", "cuda_tile.entry")
        .splitlines(keepends=True)
    ),
    "a module": f"cuda_tile.module @m {{\n{KERNEL}}}\n",
    "a shell": f"module {{ cuda_tile.module @m {{\n{KERNEL}}} }}\n",
    "aliases before": "!t = tile<8xf32>\n!p = ptr<f32>\n#d = #cuda_tile.div_by<16>\n"
    + KERNEL.replace("tile<8xf32>", "!t").replace("ptr<f32>", "!p").replace("div_by<16>", "#d"),
    "aliases behind": KERNEL.replace("tile<8xf32>", "!t").replace("div_by<16>", "#d")
    + "#d = #cuda_tile.div_by<16>\n!t = !cuda_tile.tile<8xf32>\n",
    "comments": KERNEL.replace("\n", " // expected-error @below {{nothing}}\n"),
    "split markers": f"// RUN: something\n// -----\n\n{KERNEL}\n// -----\n",
    "one line": " ".join(KERNEL.split()),
    "one word a line": "\n".join(KERNEL.split()),
    "much space": KERNEL.replace(" = ", "   =\t").replace(", ", " ,\r\n ").replace(" : ", "  :  "),
    "defaults": KERNEL.replace("%cst_1_f32  :", "%cst_1_f32 rounding<nearest_even> :"),
    "terminators": KERNEL.replace("%arg0 : tile<i32>\n  }", "%arg0 : tile<i32>\n    continue\n  }"),
    "no return": KERNEL.replace("  return\n", ""),
    "locations": KERNEL.replace("tile<8xf32>\n  } else", "tile<8xf32> loc(unknown)\n  } else")
    + 'loc("k.py":1:2)\n#loc1 = loc("k.py":3:4)\n',
    "names": KERNEL.replace("%cst_8_i32", "%eight.$-").replace("%loopIdx", "%7"),
    "numbers": KERNEL.replace("i32: 8", "i32: 0x00000008").replace("1.000000e+00", "1.0"),
    "other numbers": KERNEL.replace("1.000000e+00", "0x3F800000").replace(
        "0.000000e+00 :", "0.0 :"
    ),
    "a byte order mark": f"\ufeff{KERNEL}",
    "quoted symbol": KERNEL.replace("@k", '@"k"'),
    "lists": KERNEL.replace("f32: 1.000000e+00", f"f32: [{', '.join(['1.0'] * 8)}]"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_in_other_words(name: str) -> None:
    assert VARIANTS[name] != KERNEL
    assert disassemble(assemble(VARIANTS[name])) == KERNEL


def test_the_kernel_prints_as_it_is() -> None:
    assert disassemble(assemble(KERNEL)) == KERNEL


def test_older_names_of_ops() -> None:
    aliases = [(alias, spec.mnemonic) for spec in OPS for alias in spec.aliases]
    assert ("pow", "fpowf") in aliases
    text = "entry @f(%a: tile<f32>) {{\n  %0 = {} %a, %a : tile<f32>\n  return\n}}\n"
    printed = disassemble(assemble(text.format("pow")))
    assert "fpowf" in printed
    assert "print_tko" in disassemble(assemble('entry @f() { print "x" -> token }'))


def test_words_in_any_order() -> None:
    text = "entry @f(%a: tile<f32>) {{ %0 = maxf %a, %a {} : tile<f32> return }}"
    one, other = (
        assemble(text.format(words))
        for words in ("propagate_nan flush_to_zero", "flush_to_zero propagate_nan")
    )
    assert one.build() == other.build()
    with pytest.raises(tileir.AssemblyError, match="propagate_nan is there twice"):
        assemble(text.format("propagate_nan propagate_nan"))


def test_a_padding_without_a_mask_is_known_by_its_type() -> None:
    text = (
        "entry @f(%p: tile<ptr<f32>>, %v: tile<f32>) { %0, %1 = load_ptr_tko weak %p, %v : "
        "tile<ptr<f32>>, tile<f32> -> tile<f32>, token return }"
    )
    operands = assemble(text).functions[0].ops[0].operands
    assert operands["mask"] is None
    assert operands["paddingValue"] is not None


def test_strings_and_symbols() -> None:
    message = r'"a\09\\\22\0A\n\t\80 é%"'
    text = rf'entry @"we ird\22\C3\A9" (%c: tile<i1>) {{ assert %c, {message} : tile<i1> return }}'
    bytecode = assemble(text)
    assert bytecode.functions[0].name == 'we ird"é'
    assert bytecode.functions[0].ops[0].attributes["message"] == 'a\t\\"\n\n\t\udc80 é%'


def test_the_producer_is_read_back() -> None:
    for text in (
        "// Producer: me, 1.0\nentry @f() {}",
        'cuda_tile.module @m attributes {producer = "me, 1.0"} { entry @f() {} }',
    ):
        assert assemble(text).producer == "me, 1.0"
    with pytest.raises(tileir.AssemblyError, match=r"the producer needs 13\.3"):
        assemble("// Producer: me\nentry @f() {}", "13.2")


def test_globals() -> None:
    text = """\
global  @a <i32: 1> : tile<1xi32>
global private  constant @b alignment = 64 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
entry @f() {
  %0 = get_global @a : tile<ptr<i32>>
  return
}
"""
    assert disassemble(assemble(text)) == text
    assert disassemble(assemble(text.replace("global  @a", "global public @a"))) == text


def test_hints_and_attributes_of_parameters() -> None:
    text = """\
entry @f(%arg0: tile<i32> {a.b = 1 : i32, a.c = [1, true, "x", {d = 1.500000e+00 : f64}]}, %arg1: tile<i32>) optimization_hints=<default = {}, sm_90 = {num_cta_in_cga = 2, occupancy = 4}> {
  return
}
"""  # noqa: E501
    bytecode = assemble(text)
    assert disassemble(bytecode) == text
    hints = bytecode.functions[0].hints.entries["sm_90"]
    assert {name: (hint.value, str(hint.type)) for name, hint in hints.items()} == {
        "num_cta_in_cga": (2, "i32"),
        "occupancy": (4, "i32"),
    }
    with pytest.raises(tileir.AssemblyError, match=r"attributes of parameters needs 13\.5"):
        assemble(text, "13.4")
    with pytest.raises(tileir.AssemblyError, match="b has no dialect in front"):
        assemble("entry @f(%a: tile<i32> {b = 1}) {}")
    with pytest.raises(tileir.AssemblyError, match="bytecode cannot hold the attribute"):
        assemble("entry @f(%a: tile<i32> {a.b = #other.thing<1>}) {}")


# Launch attributes ----------------------------------------------------------------------------

SHELL = """\
module attributes { nv_tileaa.compute_capability = 90 : i32, tt.num_warps = 4 : i32 } {
  cuda_tile.module @m attributes {tt.num_ctas = 2} {
    cuda_tile.entry @noop() attributes {nvvm.maxnreg = 128, nvvm.blocksareclusters} {
      cuda_tile.return
    } {tt.cluster_dim = array<i32: 2, 1, 1>, tt.num_stages = [1, 2.5, "x", #a.b<c<d>>, @s]}
    cuda_tile.entry @other() {}
  }
}
"""


def test_what_bytecode_cannot_hold_is_kept_beside_it() -> None:
    bytecode = tileir.assemble(SHELL)
    launch = bytecode.launch_attributes
    assert launch.module == {
        "nv_tileaa.compute_capability": 90,
        "tt.num_warps": 4,
        "tt.num_ctas": 2,
    }
    assert launch.entries == {
        "noop": {
            "nvvm.maxnreg": 128,
            "nvvm.blocksareclusters": True,
            "tt.cluster_dim": (2, 1, 1),
            "tt.num_stages": (1, 2.5, "x", "#a.b<c<d>>", "@s"),
        }
    }
    assert launch.of("noop")["tt.num_warps"] == 4
    assert "nvvm.maxnreg" not in launch.of("other")
    assert launch.names == ("m",)
    first, *_, last = list(launch.spelled())[:5]
    assert (first, last) == ("the name of module @m", "nvvm.maxnreg of entry noop")
    assert bool(launch)
    assert isinstance(launch.module, MappingProxyType)
    assert disassemble(bytecode) == "entry @noop() {\n  return\n}\nentry @other() {\n  return\n}\n"
    assert bytecode.to_version("13.1").launch_attributes == launch


def test_bytes_come_without_launch_attributes() -> None:
    parsed = tileir.Bytecode.parse(tileir.assemble(SHELL).build())
    assert not parsed.launch_attributes
    assert dict(parsed.launch_attributes.module) == {}


# Locations ------------------------------------------------------------------------------------

DEBUG = """\
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#program = #cuda_tile.di_subprogram<compileUnit = #unit, file = #file, line = 1, name = "k",
                                    linkageName = "k">
#block = #cuda_tile.di_lexical_block<scope = #program, file = #file, line = 3>
entry @k() {
  %0 = make_token : token loc(#cuda_tile.di_loc<loc("/src/k.py":2:3) in #block>)
  %1 = make_token : token loc(callsite(#inner at #outer))
  %2 = make_token : token loc("/src/k.py":9:9)
  return loc(unknown)
} loc(#outer)
#inner = #cuda_tile.di_loc<#line in #program>
#outer = #cuda_tile.di_loc<#line in #program>
#line = loc("/src/k.py":7:8)
"""


def test_locations_are_where_ops_are_in_source() -> None:
    (kernel,) = assemble(DEBUG).functions
    assert [op.location_text for op in kernel.ops] == [
        "/src/k.py:2:3",
        "/src/k.py:7:8, inlined at /src/k.py:7:8",
        "",
        "",
    ]
    assert str(kernel.location) == "/src/k.py:7:8"
    block = kernel.ops[0].location.scope
    assert (block.line, block.column, block.scope.scope_line) == (3, 0, 0)
    assert block.scope is kernel.location.scope


def test_locations_of_other_functions_are_refused() -> None:
    with pytest.raises(tileir.AssemblyError, match="with the linkageName 'other'"):
        assemble(DEBUG.replace("entry @k", "entry @other"))
    with pytest.raises(tileir.AssemblyError, match="the function has none itself"):
        assemble(DEBUG.replace("} loc(#outer)", "}"))
    with pytest.raises(tileir.AssemblyError, match=r"expected a #cuda_tile\.di_file"):
        assemble(
            DEBUG.replace(
                "program = #cuda_tile.di_subprogram<compileUnit = #unit, file = #file",
                "program = #cuda_tile.di_subprogram<compileUnit = #unit, file = #unit",
            )
        )


@pytest.mark.parametrize("enum", ENUMS, ids=[enum.name for enum in ENUMS])
def test_enums_are_printed_as_they_are_read(enum: Enum) -> None:
    for case in enum.cases:
        printed = attribute(EnumAttribute(enum.name, case.name))
        source = Source(printed, "<text>", LATEST, DEFAULT)
        assert source.attributes.read() == EnumAttribute(enum.name, case.name)
        assert source.reader.at == len(printed)


def test_implied_terminators_can_end_their_regions() -> None:
    for name, implied in IMPLIED.items():
        assert all(implied in region.terminators for region in BY_NAME[name].regions), name


@pytest.mark.parametrize("size", [-(1 << 31), 1 - (1 << 31), (1 << 31) - 2, (1 << 31) - 1])
def test_integers_of_a_list_have_the_range_of_the_format(size: int) -> None:
    text = (
        "entry @f(%a: tile<2xi32>) {{ %0 = permute %a [{}] : tile<2xi32> -> tile<2xi32> return }}"
    )
    with pytest.raises(tileir.AssemblyError) as caught:
        assemble(text.format(size))
    in_range = abs(size + 0.5) < (1 << 31) - 1
    assert ("is not an integer from" not in str(caught.value)) == in_range
