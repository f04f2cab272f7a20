"""The text of floating-point numbers, as NVIDIA's disassembler writes it.

It prints six decimals if reading them gives the number back, otherwise as many digits as always
suffice, otherwise the bits. The digits are not the nearest ones: LLVM's conversion first truncates
the binary number to about the digits wanted, and then rounds half up. So a number may miss its
short form although correct rounding would give it; therefore this module repeats LLVM's steps.
"""

from __future__ import annotations

from functools import lru_cache

from tileir.ir.floats import FORMATS, Format

SHORT = 6
"""Significant digits of the short form, which has as many decimals."""


@lru_cache(maxsize=4096)
def float_text(name: str, bits: int, width: int) -> str:
    """Return the text of a number: `bits` in the format `name`, which has `width` bits."""
    pattern = f"0x{bits:0{(width + 3) // 4}X}"
    form = FORMATS.get(name)
    if form is None or not _finite(form, bits):
        return pattern
    sign = "-" if form.signed and bits >> (form.exponent + form.fraction) & 1 else ""
    mantissa, exponent, lowest = _number(form, bits)
    if not mantissa:
        return sign + _scientific("0", 0)
    digits, tens = _decimal(mantissa, exponent, SHORT)
    if _reads_back(form, mantissa, exponent, lowest, int(digits), tens):
        return sign + _scientific(digits, tens)
    enough = 2 + (form.fraction + 1) * 59 // 196
    text = _shortest(*_decimal(mantissa, exponent, enough), enough)
    return sign + text if "." in text else pattern


def _finite(form: Format, bits: int) -> bool:
    fraction = bits & (1 << form.fraction) - 1
    largest = bits >> form.fraction & (1 << form.exponent) - 1 == (1 << form.exponent) - 1
    if form.special == "ieee":
        return not largest
    return form.special != "nan" or not largest or fraction != (1 << form.fraction) - 1


def _number(form: Format, bits: int) -> tuple[int, int, bool]:
    """Return mantissa and exponent of two, and whether the exponent is the lowest."""
    fraction = bits & (1 << form.fraction) - 1
    exponent = bits >> form.fraction & (1 << form.exponent) - 1
    if exponent == 0 and form.fraction:
        return fraction, 1 - form.bias - form.fraction, True
    mantissa = (1 << form.fraction) + fraction
    return mantissa, exponent - form.bias - form.fraction, exponent <= 1


def _decimal(mantissa: int, exponent: int, digits: int) -> tuple[str, int]:
    """Return mantissa * 2^exponent as at most `digits` digits times a power of ten."""
    zeros = (mantissa & -mantissa).bit_length() - 1
    mantissa, exponent = mantissa >> zeros, exponent + zeros
    value = mantissa << exponent if exponent >= 0 else mantissa * 5**-exponent
    tens = min(exponent, 0)
    # As LLVM: log2(10) is about 196/59, and surplus digits are truncated before rounding.
    surplus = value.bit_length() - (digits * 196 + 58) // 59
    cut = surplus * 59 // 196 if surplus > 0 else 0
    value, tens = value // 10**cut, tens + cut
    text = str(value)
    if len(text) > digits:
        tens += len(text) - digits
        text = str(int(text[:digits]) + (text[digits] >= "5"))
    kept = text.rstrip("0")
    return kept, tens + len(text) - len(kept)


def _scientific(digits: str, tens: int) -> str:
    power = tens + len(digits) - 1
    return f"{digits[0]}.{digits[1:].ljust(SHORT, '0')}e{'-' if power < 0 else '+'}{abs(power):02}"


def _shortest(digits: str, tens: int, precision: int) -> str:
    """Return plain digits where that is short, otherwise ``d.dddE-8``; integers have no point."""
    power = tens + len(digits) - 1
    if tens >= 0:
        scientific = tens > 3 or len(digits) + tens > precision
    else:
        scientific = power < 0 and power < -3
    if scientific:
        return f"{digits[0]}.{digits[1:] or '0'}E{'-' if power < 0 else '+'}{abs(power)}"
    if tens >= 0:
        return digits + "0" * tens
    if power >= 0:
        return f"{digits[: power + 1]}.{digits[power + 1 :]}"
    return f"0.{'0' * (-power - 1)}{digits}"


def _reads_back(
    form: Format, mantissa: int, exponent: int, lowest: bool, digits: int, tens: int
) -> bool:
    """Whether reading the decimal number, which rounds it, gives mantissa * 2^exponent."""
    # All numbers are in quarters of a unit in the last place, times 10^-tens if tens < 0.
    two = exponent - 2
    text = digits * 10 ** max(tens, 0) * 2 ** max(-two, 0)
    unit = 10 ** max(-tens, 0) * 2 ** max(two, 0)
    below = 1 if mantissa == 1 << form.fraction and not lowest else 2
    above = text - (4 * mantissa + 2) * unit
    under = (4 * mantissa - below) * unit - text
    even = mantissa % 2 == 0
    return (above < 0 or (above == 0 and even)) and (under < 0 or (under == 0 and even))
