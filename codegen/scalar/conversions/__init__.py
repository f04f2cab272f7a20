"""Conversions between element types: floats of every width, integers, scale factors."""
