"""The format of CUDA Tile IR bytecode 13.1 to 13.5, described once, as Construct objects.

Nothing here opens files, decides policy or knows what an op computes. `tileir` gives the records
meaning, `codegen` makes them run; each imports only the ones before it.
"""

if __name__ != "tileir.formats":
    raise ImportError("import this package as tileir.formats")
