"""The commands of `tileir`: the module of each, and what `tileir --help` says of it."""

from __future__ import annotations

GROUPS = {
    "read and write": {
        "inspect": ("tileir.commands.inspect", "explain every byte of a file"),
        "dis": ("tileir.commands.disassemble", "print it as text"),
        "as": ("tileir.commands.assemble", "read text, write bytecode"),
        "verify": ("tileir.commands.verify", "say everything that is wrong with files"),
        "stats": ("tileir.stats.command", "what is in a module: ops, types, work, versions"),
        "diff": ("tileir.diff.command", "what differs between two modules, by structure"),
        "report": ("tileir.report.command", "a page for browsers: a file and its kernels, linked"),
        "tilelib": ("tileir.commands.tilelib", "list and extract what is in a tile library"),
    },
    "change": {
        "opt": ("tileir.rewrite.opt_command", "run passes over a module"),
        "strip": ("tileir.rewrite.strip_command", "remove what kernels do not need to run"),
        "convert": ("tileir.rewrite.convert_command", "write a module in another version"),
        "extract": ("tileir.rewrite.extract_command", "write some functions of a module alone"),
    },
    "run": {
        "run": ("tileir.commands.run", "run a kernel, on the CPU, a GPU or an emulator of one"),
        "cutile": ("tileir.cutile.program", "run a program of NVIDIA's cuTile, without a GPU too"),
        "dump": ("tileir.cutile.dump_command", "write the bytecode of a cuTile program's kernels"),
    },
    "compile": {
        "compile": ("tileir.commands.compile", "lower to LLVM IR or PTX"),
        "remarks": ("tileir.commands.remarks", "what makes kernels fast or slow on a GPU, and why"),
        "advise": ("tileir.advise.command", "what would make kernels faster on a GPU, tried out"),
        "resources": ("tileir.resources.command", "registers, memory, occupancy; a baseline"),
        "package": ("tileir.tilepack.command", "compile for several GPUs into one file"),
        "cache": ("tileir.commands.cache", "what has been compiled and is kept on disk"),
        "tileiras": ("tileir.commands.tileiras", "a launcher in the place of NVIDIA's tileiras"),
    },
    "many modules": {
        "batch": ("tileir.batches.command", "one thing done with many modules, on many machines"),
    },
    "find faults": {
        "smith": ("tileir.smith.command", "make random modules that compute"),
        "mutate": ("tileir.mutation.command", "change a module at random, so that it stays valid"),
        "reduce": ("tileir.reduce.command", "make a file small while something holds of it"),
        "bisect": ("tileir.bisect.command", "the release or stage at which an answer changes"),
    },
    "other": {
        "samples": ("tileir.samples.command", "kernels and programs to try tileir on"),
        "serve": ("tileir.serve.command", "answer requests of another program"),
        "playground": ("tileir.playground.command", "write a page that runs tileir in a browser"),
        "lsp": ("tileir.lsp.command", "serve editors of Tile IR text"),
        "schema": ("tileir.reference.schema_command", "the JSON Schema of what a command prints"),
        "completion": ("tileir.reference.completion_command", "a shell's script for its Tab key"),
        "guide": ("tileir.reference.guide_command", "a page about tileir for agents"),
        "doctor": ("tileir.commands.doctor", "what this machine has and can do"),
    },
}
"""What people are after -> command -> (module, summary), as `tileir --help` lists them."""


COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}
"""Command -> (module, summary). A module is imported when its command is used."""
