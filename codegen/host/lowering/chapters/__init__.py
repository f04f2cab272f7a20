"""The lowering of each op that is not element-wise, one file for each chapter."""
