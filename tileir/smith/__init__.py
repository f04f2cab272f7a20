"""Random modules that compute: valid, with arguments, and with results that are defined.

    from tileir.smith.forging import smith
    case = smith(7, ops=200, features=["products", "views"])
    case.bytecode.build(), case.grid, case.args

The sampler makes any valid module, of which nothing is known but that it is valid. These programs
end, stay in bounds and do nothing that Tile IR leaves undefined, so every implementation must
compute the same, as exactly as `case.kept` says of each result. A seed gives the same bytes on
every machine. It takes NumPy.
"""
