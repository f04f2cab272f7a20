"""Numbers for the fast decoder: single ones, runs of fields in a record, and lists.

Nearly every number of a file is one byte. So a run of them is read with one test that none is
longer, and a list of them stays bytes. If one of them is longer, another function reads the run,
which all records with the same kinds of numbers share.
"""

from __future__ import annotations

from tileir.formats.leaves import Bool, Leaf, SignedVarInt
from tileir.formats.ops.wire import Repeat

from .generator import Generator
from .layout import is_byte, is_plain, is_varint, stored
from .source import Lines


class Run:
    """Consecutive fields that are usually one byte each: name -> leaf.

    `start` is the position of the first one: a variable and an offset in bytes. `alone` has names
    for tuples of a single number.
    """

    def __init__(self, start: tuple[str, int] = ("p", 0)) -> None:
        self.start = start
        self.parts: dict[str, Leaf] = {}
        self.alone: dict[str, str] = {}

    def add(self, name: str, leaf: Leaf) -> str:
        """Add a field at the end; returns its name."""
        self.parts[name] = leaf
        return name


class Runs(Generator):
    """The part of a decoder that reads numbers."""

    @staticmethod
    def _repeat(line: Lines, node: Repeat, stem: str, run: Run, packed: bool) -> str:
        """Add the items of a `Repeat` to a run, and return the expression for the list of them."""
        item = node.subcon
        names = [run.add(line.fresh(stem), item) for _ in range(node.count)]
        if packed and node.count == 1 and item is stored(item) and is_plain(item):
            run.alone[names[0]] = line.fresh(stem)
            return run.alone[names[0]]
        inner = "".join(f"{name}, " for name in names)
        return f"({inner})" if packed else f"[{inner}]"

    def _run(self, line: Lines, run: Run) -> None:
        """Write the code that reads a run, with one test that no field is longer than a byte."""
        base, ahead = run.start
        parts = run.parts
        if not parts:
            if run.start != ("p", 0):
                line(f"p = {base} + {ahead}")
            return
        names = list(parts)
        for index, name in enumerate(names, ahead):
            line(f"{name} = b[{base} + {index}]" if index else f"{name} = b[{base}]")
        end = ahead + len(names)
        first = f"{base} + {ahead}" if ahead else base
        if all(is_byte(leaf) for leaf in parts.values()):
            line(f"p = {base} + {end}")
        else:
            with line.block(f"if {' | '.join(names)} < 128:"):
                line(f"p = {base} + {end}")
                for name, leaf in parts.items():
                    if isinstance(stored(leaf), SignedVarInt):
                        line(f"{name} = SIGNED[{name}]")
                for name, alone in run.alone.items():
                    line(f"{alone} = ALONE[{name}]")
            with line.block("else:"):
                line(f"{', '.join(names)}, p = {self._numbers(list(parts.values()))}(b, {first})")
                for name, alone in run.alone.items():
                    line(f"{alone} = {name},")
        self._check(line, parts)

    def _numbers(self, leaves: list[Leaf]) -> str:
        """Return the name of the function that reads numbers of any length, one after the other."""
        kinds = tuple(
            "byte"
            if is_byte(leaf)
            else f"{'s' if isinstance(stored(leaf), SignedVarInt) else 'u'}{stored(leaf).bits}"
            for leaf in leaves
        )

        def write(line: Lines, name: str) -> None:
            with line.block(f"def {name}(b, p):"):
                names = [line.fresh("n") for _ in leaves]
                for number, leaf in zip(names, leaves, strict=True):
                    self._number(line, leaf, number)
                line(f"return {', '.join(names)}, p")

        return self.functions.function(f"numbers_{'_'.join(kinds)}", ("numbers", kinds), write)

    def _number(self, line: Lines, leaf: Leaf, name: str) -> None:
        """Write the code that reads the number of a small leaf."""
        line(f"{name} = b[p]")
        line("p += 1")
        if is_byte(leaf):
            return
        number = stored(leaf)
        signed = isinstance(number, SignedVarInt)
        with line.block(f"if {name} > 127:"):
            line(f"{name}, p = varint(b, p, {name}, {number.bits})")
            if signed:
                line(f"{name} = {name} >> 1 ^ -({name} & 1)")
        if signed:
            with line.block("else:"):
                line(f"{name} = SIGNED[{name}]")

    def _check(self, line: Lines, parts: dict[str, Leaf]) -> None:
        """Write the code that refuses bytes for which a leaf has an error or a warning."""
        tests = []
        for name, leaf in parts.items():
            if leaf is stored(leaf):
                continue
            plain = self.plain_bytes(leaf)
            if len(plain) == (128 if is_varint(leaf) else 256):
                continue
            if sorted(plain) == list(range(len(plain))):
                tests.append(f"{name} > {len(plain) - 1}")
            else:
                tests.append(f"{name} not in {self.functions.constant('PLAIN', plain)}")
        if tests:
            with line.block(f"if {' or '.join(tests)}:"):
                line("raise Unusual")

    @staticmethod
    def _bytes(line: Lines, item: Leaf, name: str, count: str, packed: bool) -> None:
        """Write the code that reads one-byte numbers as bytes; past the end, a later read fails."""
        kind = "tuple" if packed else "list"
        with line.block(f"if {count} == 1 and b[p] < 128:"):
            line(f"{name} = SINGLE[b[p]]" if packed else f"{name} = [b[p]]")
            line("p += 1")
        with line.block(f"elif {count}:"):
            line(f"{name} = t.data[p:p + {count}]")
            line(f"p += {count}")
            if not isinstance(item, Bool):
                with line.block(f"if not {name}.isascii():"):
                    line(f"{name}, p = varints(b, p - {count}, {count}, {item.bits}, {kind})")
            if not packed:
                line(f"{name} = list({name})")
        with line.block("else:"):
            line(f"{name} = b''" if packed else f"{name} = []")
