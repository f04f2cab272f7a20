"""What measures and proves: a model of the ops, fuzzing, benchmarks, mutants, cuTile's tests."""
