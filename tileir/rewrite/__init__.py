"""Modules rewritten: passes over their ops, parts taken out, other versions.

The functions take a `Bytecode` or bytes, leave them alone, and return a `Bytecode`. A command each
says what has been done:

    opt.opt(bytecode, ["canonicalise", "dce"])      `tileir opt`
    strip.strip(bytecode, ["debug", "producer"])    `tileir strip`
    extract.extract(bytecode, ["softmax"])          `tileir extract`
    bytecode.to_version("13.1")                     `tileir convert`

A pass is a function that edits a module and returns the number of its changes; `passes.py` lists
them. What is written has only what is used, so that what was removed is gone from the bytes.
"""
