"""Control flow, the position in the grid, and loads that a loop makes ahead."""
