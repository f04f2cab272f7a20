"""Every defect of the block IR at every site of many kernels, and who notices it.

`tests/codegen/block/mutants` has the classes of defects; its test tries one site of each.
"""
