"""A compiled module as bytes: the cache entry, which has all that running it needs."""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass

from tileir.codegen.host.running.kernel_info import KernelInfo
from tileir.launch.stored_values import conforms

_FASTEST_LEVEL = 1
_HEAD = {"object": int, "sum": str, "entries": [dict]}


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The object file of a module, its entries, and the LLVM IR that it was made from.

    The IR is stored rather than generated again on request: compressed it is a tenth of the entry,
    and the bytecode may have been edited since.
    """

    entries: tuple[KernelInfo, ...]
    object_file: bytes
    llvm_ir: str

    def to_bytes(self) -> bytes:
        """Serialise: a line of JSON, the object file, the compressed IR.

        The object file has a checksum of its own, because LLVM crashes on a wrong one.
        """
        text = zlib.compress(self.llvm_ir.encode(), _FASTEST_LEVEL)
        head = {
            "object": len(self.object_file),
            "sum": _sum(self.object_file),
            "entries": [info.to_json() for info in self.entries],
        }
        return json.dumps(head).encode() + b"\n" + self.object_file + text

    @classmethod
    def from_bytes(cls, data: bytes) -> MachineCode:
        """Read what `to_bytes` wrote; ValueError for anything else."""
        start = data.index(b"\n") + 1
        try:
            head = json.loads(data[:start])
            if not conforms(head, _HEAD):
                raise ValueError("no head of machine code")
            entries = tuple(map(KernelInfo.from_json, head["entries"]))
            end = start + head["object"]
            llvm_ir = zlib.decompress(data[end:]).decode()
        except (RecursionError, zlib.error) as error:
            raise ValueError(str(error)) from None
        if _sum(data[start:end]) != head["sum"]:
            raise ValueError("another object file")
        return cls(entries, data[start:end], llvm_ir)


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
