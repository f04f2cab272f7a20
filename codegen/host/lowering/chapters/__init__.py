"""The lowering of each op that is not element-wise, by groups of ops."""
