"""Traits of the ops of the chapter Floating Point."""

from __future__ import annotations

from .spec import DIVISION, FUNCTION, NEVER_AGAIN, Family, Traits, element_wise

ROWS = (
    element_wise("absf"),
    element_wise("addf", commutes=True),
    element_wise("atan2", FUNCTION),
    element_wise("ceil"),
    element_wise("cmpf"),
    element_wise("cos", FUNCTION),
    element_wise("cosh", FUNCTION),
    element_wise("divf", DIVISION),
    element_wise("exp", FUNCTION),
    element_wise("exp2", FUNCTION),
    element_wise("floor"),
    element_wise("fma"),
    element_wise("fpowf", FUNCTION),
    element_wise("fpowi", FUNCTION),
    element_wise("log", FUNCTION),
    element_wise("log2", FUNCTION),
    element_wise("maxf", commutes=True),
    element_wise("minf", commutes=True),
    Traits("mmaf", Family.PRODUCT, NEVER_AGAIN),
    Traits("mmaf_scaled", Family.PRODUCT, NEVER_AGAIN),
    element_wise("mulf", commutes=True),
    element_wise("negf"),
    element_wise("remf", DIVISION),
    element_wise("rsqrt", DIVISION),
    element_wise("sin", FUNCTION),
    element_wise("sinh", FUNCTION),
    element_wise("sqrt", DIVISION),
    element_wise("subf"),
    element_wise("tan", FUNCTION),
    element_wise("tanh", FUNCTION),
)
