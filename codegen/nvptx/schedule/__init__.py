"""What is decided before PTX is emitted: threads, layouts, atoms, rings, barriers."""
