"""What a text spells besides ops: types, attributes, numbers, constants, locations, aliases."""
