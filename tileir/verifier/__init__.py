"""The verifier: every rule of Tile IR, in one catalogue.

`catalogue` has the rules and the ops they are about, `constraints` the rules that follow from the
rows of the op table. `rules/` has a file for each chapter of the op table, and `control_flow`
(regions and terminators), `symbols`, `debug`, `names`, `hints`, `suspicions` (warnings) and
`targets` (features of GPUs). `single` checks one op by itself, `body` walks through a function,
and `module` is `verify`.
"""
