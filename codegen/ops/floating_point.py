"""Traits of the ops of the chapter Floating Point."""

from __future__ import annotations

from .spec import DIVISION, FUNCTION, NEVER_AGAIN, Family, Traits, element_wise

ROWS = (
    element_wise("absf"),
    element_wise("addf", commutes=True, flops=1),
    element_wise("atan2", FUNCTION, flops=1),
    element_wise("ceil"),
    element_wise("cmpf"),
    element_wise("cos", FUNCTION, flops=1),
    element_wise("cosh", FUNCTION, flops=1),
    element_wise("divf", DIVISION, flops=1),
    element_wise("exp", FUNCTION, flops=1),
    element_wise("exp2", FUNCTION, flops=1),
    element_wise("floor"),
    element_wise("fma", flops=2),
    element_wise("fpowf", FUNCTION, flops=1),
    element_wise("fpowi", FUNCTION, flops=1),
    element_wise("log", FUNCTION, flops=1),
    element_wise("log2", FUNCTION, flops=1),
    element_wise("maxf", commutes=True, flops=1),
    element_wise("minf", commutes=True, flops=1),
    Traits("mmaf", Family.PRODUCT, NEVER_AGAIN),
    Traits("mmaf_scaled", Family.PRODUCT, NEVER_AGAIN),
    element_wise("mulf", commutes=True, flops=1),
    element_wise("negf"),
    element_wise("remf", DIVISION, flops=1),
    element_wise("rsqrt", DIVISION, flops=1),
    element_wise("sin", FUNCTION, flops=1),
    element_wise("sinh", FUNCTION, flops=1),
    element_wise("sqrt", DIVISION, flops=1),
    element_wise("subf", flops=1),
    element_wise("tan", FUNCTION, flops=1),
    element_wise("tanh", FUNCTION, flops=1),
)
