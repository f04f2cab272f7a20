"""What goes wrong in an emulated kernel: one exception, and the kinds there are."""

from __future__ import annotations

KINDS = {
    "syntax": "the text is no PTX that the emulator reads",
    "unknown": "an instruction, operand or symbol that no row of the table describes",
    "launch": "arguments or grid do not fit the launch plan",
    "bounds": "an access outside the memory it is meant for",
    "alignment": "an address that is no multiple of the bytes accessed",
    "poison": "a register or a byte that nothing has written is read",
    "race": "two threads touch the same bytes, one writes, and nothing orders them",
    "barrier": "threads meet at a barrier in a way that PTX leaves undefined",
    "warp": "an exchange between lanes of which one does not take part",
    "heap": "memory of the heap is given back wrongly, or not at all",
    "deadlock": "no thread can go on, and not all have ended",
    "livelock": "more steps than the limit",
    "trap": "the kernel ended itself",
    "assert": "the kernel called __assertfail, which ends it",
}


class EmulationError(Exception):
    """`kind` is one of KINDS; line (1-based, in the PTX), block and threads where known.

    `address` is the address of the first thread named, `output` what was printed before.
    """

    def __init__(
        self, kind: str, message: str, *, line: int | None = None, text: str = "",
        block: tuple[int, int, int] | None = None, threads: tuple[int, ...] = (),
        address: int | None = None, schedule: str = "",
    ) -> None:  # fmt: skip
        assert kind in KINDS
        self.kind, self.line, self.block, self.threads = kind, line, block, threads
        self.address, self.schedule = address, schedule
        self.output = ""
        place = [f"PTX line {line}: {text}"] if line is not None else []
        if block is not None:
            more = ", ..." if len(threads) > 8 else ""
            listed = ", ".join(map(str, threads[:8])) + more
            place.append(f"block {block}, thread{'s' if len(threads) > 1 else ''} {listed}")
        place += [f"schedule {schedule}"] if schedule else []
        super().__init__("\n  ".join([f"{kind}: {message}", *place]))
