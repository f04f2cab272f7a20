"""What measures and proves: a model of the ops, fuzzing, benchmarks, NVIDIA's tests of cuTile."""
