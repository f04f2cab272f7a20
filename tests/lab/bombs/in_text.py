"""Bombs in text, which `tileir.assemble` reads: many lines, long words, aliases of aliases."""

from __future__ import annotations

from collections.abc import Callable

from .bomb import Bomb

Made = Callable[[int], str]


def entry(body: str, parameters: str = "") -> str:
    """A kernel."""
    return f"entry @k({parameters}) {{\n{body}\nreturn\n}}\n"


def lines(line: str, count: int) -> str:
    """A line over and over, `{}` in it being its number."""
    return "\n".join(line.replace("{}", str(i)) for i in range(count))


def nested(before: str, inner: str, after: str) -> Made:
    return lambda n: before * n + inner + after * n


def ifs(n: int) -> str:
    inner = "if %c {\n" * n + "yield\n" + "}\nyield\n" * (n - 1) + "}"
    return entry(inner, "%c: tile<i1>")


def loops(n: int) -> str:
    head = "for %i in (%c to %c, step %c) : tile<i32> {\n"
    return entry(head * n + "continue\n" + "}\ncontinue\n" * (n - 1) + "}", "%c: tile<i32>")


def carried(n: int) -> str:
    """A loop that carries so many values."""
    names = ", ".join(f"%v{i} = %c" for i in range(n))
    types = ", ".join(["tile<i32>"] * n)
    given = ", ".join(f"%v{i}" for i in range(n))
    return entry(
        f"%r:{n} = for %i in (%c to %c, step %c) : tile<i32> iter_values({names}) -> ({types}) {{\n"
        f"continue {given} : {types}\n}}",
        "%c: tile<i32>",
    )


def hinted(value: str) -> str:
    return f"entry @k() optimization_hints=<sm_100 = {{key = {value}}}> {{\nreturn\n}}\n"


def typed(type: str) -> str:
    return f"entry @k(%a: {type}) {{\nreturn\n}}\n"


def constant(value: str, type: str) -> str:
    return entry(f"%c = constant <{value}> : {type}")


def aliases(first: str, next: str) -> Made:
    """A chain of aliases; `{}` is the one before."""

    def made(n: int) -> str:
        chain = [f"#a0 = {first}"]
        chain += [f"#a{i} = {next.replace('{}', f'#a{i - 1}')}" for i in range(1, n)]
        return "\n".join(chain) + "\n" + hinted(f"#a{n - 1}")

    return made


def used_alias(n: int) -> str:
    """One alias of a list of many, used by many kernels."""
    value = ", ".join(["1 : i32"] * n)
    kernels = "".join(
        f"entry @k{i}() optimization_hints=<sm_100 = {{key = #a}}> {{\nreturn\n}}\n"
        for i in range(n)
    )
    return f"#a = [{value}]\n{kernels}"


def used_text(n: int) -> str:
    """One alias of a long text, used by many kernels."""
    kernels = "".join(
        f"entry @k{i}() optimization_hints=<sm_100 = {{key = #a}}> {{\nreturn\n}}\n"
        for i in range(n)
    )
    return f'#a = "{"x" * 50 * n}"\n{kernels}'


def used_type(n: int) -> str:
    shape = "1x" * 200
    return f"!t = !cuda_tile.tile<{shape}i8>\n" + entry(lines("%c{} = constant <i8: 1> : !t", n))


def shared_locations(n: int) -> str:
    """Each location is two of the one before."""
    chain = ['#l0 = loc("f":1:1)']
    chain += [f"#l{i} = loc(callsite(#l{i - 1} at #l{i - 1}))" for i in range(1, n)]
    return entry("").replace("return\n}", f"return loc(#l{n - 1})\n}}") + "\n".join(chain)


def chained_locations(n: int) -> str:
    chain = ['#l0 = loc("f":1:1)']
    chain += [f"#l{i} = loc(callsite(#l{i - 1} at #l0))" for i in range(1, n)]
    return entry("").replace("return\n}", f"return loc(#l{n - 1})\n}}") + "\n".join(chain)


def backwards(n: int) -> str:
    """A chain of locations whose first is the last."""
    chain = ['#l0 = loc("f":1:1)']
    chain += [f"#l{i} = loc(callsite(#l{i - 1} at #l0))" for i in range(1, n)]
    return (
        "\n".join(reversed(chain))
        + "\n"
        + entry("").replace("return\n}", f"return loc(#l{n - 1})\n}}")
    )


def circle(n: int) -> str:
    chain = [f"#a{i} = [#a{(i + 1) % n}]" for i in range(n)]
    return "\n".join(chain) + "\n" + hinted("#a0")


def alike_names(n: int) -> str:
    """Values of names that are much alike, and a misspelled one."""
    name = "x" * 60
    values = lines(f"%{name}{{}} = constant <i8: 1> : tile<i8>", n)
    return entry(values + "\n" + lines(f'print "%", %{name}_{{}} : tile<i8>', 90))


def alike_aliases(n: int) -> str:
    return lines("#alias{} = 1 : i32", n) + "\n" + hinted("#aliaz")


def long_lines(n: int) -> str:
    """Errors in one line."""
    return entry("bad_op " * n)


def errors(n: int) -> str:
    return entry(lines("%{} = nothing %a : tile<i8>", n))


def unknown_values(n: int) -> str:
    return entry(lines("%r{} = addi %u{}, %v{} : tile<i8>", n))


def message_of_long_types(n: int) -> str:
    return entry(lines(f"%r{{}} = addi %a, %a : tile<{'1x' * 100}f32>", n), "%a: tile<i8>")


def redefinitions(n: int) -> str:
    return "entry @k() {\nreturn\n}\n" * n


def packs(n: int) -> str:
    """One op of so many results, each used."""
    types = ", ".join(["tile<i8>"] * n)
    given = ", ".join(["%a"] * n)
    side = f"{{\nyield {given} : {types}\n}}"
    return entry(
        f"%r:{n} = if %c -> ({types}) {side} else {side}\n"
        + "\n".join(f"%u{i} = addi %r#{i}, %a : tile<i8>" for i in range(n)),
        "%c: tile<i1>, %a: tile<i8>",
    )


def claimed_results(n: int) -> str:
    return entry(f"%r:{n}0000000 = constant <i8: 1> : tile<i8>")


def dense(n: int) -> str:
    size = 1 << (n - 1).bit_length()
    return constant(f"i8: [{', '.join(['1'] * size)}]", f"tile<{size}xi8>")


def dense_bytes(n: int) -> str:
    size = 1 << (n - 1).bit_length()
    return constant(f'i8: "0x{"05" * (size - 1)}06"', f"tile<{size}xi8>")


def splats(n: int) -> str:
    return entry(lines("%c{} = constant <i8: 1> : tile<16777216xi8>", n))


def splats_of_bits(n: int) -> str:
    return entry(lines("%c{} = constant <i1: true> : tile<16777216xi1>", n))


def dense_mismatch(n: int) -> str:
    """Few elements for very large tiles."""
    return entry(lines("%c{} = constant <i8: [1, 2]> : tile<16777216xi8>", n))


def deep_dense(n: int) -> str:
    return constant(f"i8: {'[' * n}1{']' * n}", f"tile<{'1x' * min(n, 250)}i8>")


def assumptions(n: int) -> str:
    chain = ["%v0 = assume div_by<1>, %a : tile<i8>"]
    chain += [f"%v{i} = assume div_by<1>, %v{i - 1} : tile<i8>" for i in range(1, n)]
    return entry("\n".join(chain), "%a: tile<i8>")


def long_global(n: int) -> str:
    name = "g" * 1000
    return f"global @{name} <i8: [1]> : tile<1xi8>\n" + entry(
        lines(f"%g{{}} = get_global @{name} : tile<ptr<i8>>", n)
    )


def modules(n: int) -> str:
    return "module @m {\n" * n + "entry @k() {\nreturn\n}\n" + "}\n" * n


def bomb(kind: str, name: str, made: Made, size: int = 4000) -> Bomb:
    return Bomb(kind, name, made, size)


BOMBS = [
    bomb("nesting", "ifs in a text", ifs, 700),
    bomb("nesting", "ifs in a text, too deep", ifs, 20_000),
    bomb("nesting", "loops in a text", loops, 700),
    bomb("nesting", "modules", modules, 700),
    bomb("nesting", "modules, too deep", modules, 20_000),
    bomb("nesting", "lists", lambda n: hinted("[" * n + "]" * n), 20_000),
    bomb("nesting", "open lists", lambda n: hinted("[" * n), 20_000),
    bomb("nesting", "dictionaries", lambda n: hinted("{a = " * n + "1" + "}" * n), 20_000),
    bomb("nesting", "open dictionaries", lambda n: hinted("{a = " * n), 20_000),
    bomb("nesting", "pointers", lambda n: typed("ptr<" * n + "i8" + ">" * n), 20_000),
    bomb("nesting", "open pointers", lambda n: typed("ptr<" * n), 20_000),
    bomb("nesting", "open parentheses", lambda n: entry("(" * n), 20_000),
    bomb("nesting", "open braces", lambda n: entry("{" * n), 20_000),
    bomb("nesting", "dense lists", deep_dense, 20_000),
    bomb("nesting", "calls in a location", lambda n: entry("").replace(
        "return\n}", f"return loc({'callsite(' * n}unknown{' at unknown)' * n})\n}}"), 5000),
    bomb("nesting", "fused locations", lambda n: entry("").replace(
        "return\n}", f"return loc({'fused[' * n}unknown{']' * n})\n}}"), 5000),
    bomb("counts", "ops of a text",
         lambda n: entry(lines("%c{} = constant <i8: 1> : tile<i8>", n))),
    bomb("counts", "kernels of a text", lambda n: lines("entry @k{}() {\nreturn\n}", n), 2000),
    bomb("counts", "globals of a text", lambda n: lines(
        "global @g{} <i8: [1]> : tile<1xi8>", n) + "\n" + entry(""), 2000),
    bomb("counts", "parameters of a text", lambda n: entry("", ", ".join(
        f"%a{i}: tile<i8>" for i in range(n)))),
    bomb("counts", "values carried", carried, 2000),
    bomb("counts", "results of one op", packs, 2000),
    bomb("counts", "claimed results", claimed_results, 1000),
    bomb("counts", "unused aliases", lambda n: lines("#a{} = 1 : i32", n) + "\n" + entry("")),
    bomb("counts", "unused types", lambda n: lines("!t{} = i32", n) + "\n" + entry("")),
    bomb("counts", "unused locations", lambda n: lines('#l{} = loc("f":{}:1)', n)+"\n"+entry("")),
    bomb("counts", "numbers of a list", lambda n: hinted(f"[{', '.join(['1'] * n)}]"), 20_000),
    bomb("counts", "entries of a dictionary", lambda n: hinted(
        "{" + ", ".join(f"a{i} = 1" for i in range(n)) + "}"), 8000),
    bomb("counts", "architectures of a text", lambda n: (
        f"entry @k() optimization_hints=<{', '.join(f'a{i} = {{b = 1}}' for i in range(n))}> "
        "{\nreturn\n}\n")),
    bomb("counts", "errors", errors),
    bomb("counts", "unknown values", unknown_values),
    bomb("counts", "errors in a line", long_lines, 20_000),
    bomb("counts", "redefinitions", redefinitions),
    bomb("lengths", "name", lambda n: entry("").replace("@k", "@" + "k" * n), 200_000),
    bomb("lengths", "quoted name",
         lambda n: entry("").replace("@k", f'@"{chr(92)}0A' + "k" * n + '"'), 200_000),
    bomb("lengths", "name of a value", lambda n: entry(
        f"%{'v' * n} = constant <i8: 1> : tile<i8>"), 200_000),
    bomb("lengths", "mnemonic", lambda n: entry("o" * n), 200_000),
    bomb("lengths", "text", lambda n: hinted(f'"{"x" * n}"'), 200_000),
    bomb("lengths", "escapes", lambda n: hinted('"' + "\\0A" * n + '"'), 60_000),
    bomb("lengths", "open text", lambda n: hinted('"' + "x" * n), 200_000),
    bomb("lengths", "open texts", lambda n: hinted('"\n' * n), 60_000),
    bomb("lengths", "backslashes", lambda n: hinted('"' + "\\" * n), 200_000),
    bomb("lengths", "comment", lambda n: "//" + "x" * n + "\n" + entry(""), 200_000),
    bomb("lengths", "comments", lambda n: "//\n" * n + entry(""), 60_000),
    bomb("lengths", "blanks", lambda n: " " * n + entry(""), 200_000),
    bomb("lengths", "lines", lambda n: "\n" * n + entry(""), 200_000),
    bomb("lengths", "slashes", lambda n: entry("/ " * n), 60_000),
    bomb("lengths", "digits", lambda n: hinted("9" * n), 100_000),
    bomb("lengths", "hexadecimal digits", lambda n: hinted("0x" + "9" * n), 100_000),
    bomb("lengths", "digits of a float", lambda n: constant(
        f"f32: {'9' * n}.0", "tile<f32>"), 100_000),
    bomb("lengths", "exponent", lambda n: constant(f"f32: 1.0e{'9' * n}", "tile<f32>"), 100_000),
    bomb("lengths", "exponent of a billion", lambda n: constant(
        "f64: 1.0e999999999", "tile<f64>"), 1),
    bomb("lengths", "digits of an extent", lambda n: typed(f"tile<{'9' * n}xi8>"), 100_000),
    bomb("lengths", "digits of a line", lambda n: entry("").replace(
        "return\n}", f'return loc("f":{"9" * n}:1)\n}}'), 100_000),
    bomb("lengths", "digits of a result", lambda n: entry(
        f"%r:{'9' * n} = constant <i8: 1> : tile<i8>"), 100_000),
    bomb("lengths", "shape", lambda n: typed(f"tile<{'1x' * n}i8>"), 50_000),
    bomb("lengths", "shape of a view", lambda n: typed(
        f"tensor_view<{'1x' * n}i8, strides=[{','.join(['1'] * n)}]>"), 20_000),
    bomb("constants", "dense numbers", dense, 30_000),
    bomb("constants", "dense bytes", dense_bytes, 100_000),
    bomb("constants", "splats of 2^24", splats, 2000),
    bomb("constants", "splats of 2^24 bits", splats_of_bits, 2000),
    bomb("constants", "too few for 2^24", dense_mismatch, 2000),
    bomb("attributes", "aliases in aliases", aliases("[1]", "[{}]")),
    bomb("attributes", "aliases that double", aliases("[1]", "[{}, {}]"), 100),
    bomb("attributes", "aliases of texts that double", aliases('["xxxxxxxx"]', "[{}, {}]"), 100),
    bomb("attributes", "dictionaries that double", aliases("{a = 1}", "{a = {}, b = {}}"), 100),
    bomb("attributes", "aliases in a circle", circle),
    bomb("attributes", "assumptions of a text", assumptions),
    bomb("sharing", "an alias of many", used_alias, 1000),
    bomb("sharing", "an alias of a long text", used_text, 1000),
    bomb("types", "an alias of a long type", used_type, 1000),
    bomb("types", "messages about long types", message_of_long_types, 500),
    bomb("locations", "locations that double", shared_locations, 1000),
    bomb("locations", "locations in locations", chained_locations, 450),
    bomb("locations", "locations in locations, too deep", chained_locations),
    bomb("locations", "locations backwards", backwards, 450),
    bomb("names", "values alike", alike_names),
    bomb("names", "aliases alike", alike_aliases),
    bomb("names", "a long global", long_global, 100),
]  # fmt: skip
