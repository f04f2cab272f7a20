"""The verifier: every rule of Tile IR, in one catalogue.

`catalogue` (rules and the ops they are about), `constraints` (what rows ask of any op), a file for
each chapter of the op table, `control_flow` (regions and what ends them), `symbols`, `debug`,
`names`, `hints`, `suspicions` (warnings), `targets` (what GPUs have), `single` (one op by itself),
`body` (the walk through a function) and `module` (`verify`).
"""
