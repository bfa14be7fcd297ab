# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""16 bits for what travels, where the accuracy asked for pays for them.

A promise of tf32 or bf16 is what one product of operands rounded to 11 or 8 bits keeps: 2v + v^2 and the roundings of a
sum (docs/accuracy.md). So it pays for two roundings, each by v: of both operands, which the kernel then gets as they
travelled, or of partial sums on their way. bf16 reaches as far as f32. Numbers of 11 bits travel as fp16, scaled by
powers of two: for each row of A, each column of B, and for sums both; what that loses is the promise's range term.

All 16-bit numbers travel as integers: XLA moves conversions of floats across collectives, and sends f32 then.
"""
import math
from typing import NamedTuple

import jax.numpy as jnp
from jax import lax


class Wire(NamedTuple):
    name: str
    unit: float  # the largest relative error of rounding to it
    scaled: bool

    @property
    def dtype(self):
        return jnp.dtype(self.name)


FP16, BF16 = Wire("float16", 2.0**-11, True), Wire("bfloat16", 2.0**-8, False)
NAMED = {"tf32": FP16, "fp16": FP16, "bf16": BF16}


def is_number(accuracy):
    try:
        return float(accuracy) > 0
    except ValueError:
        return False


def sums_lose(terms):
    """gamma of docs/accuracy.md, with its constant for short sums."""
    roundings = (max(terms, 32) + 2) * 2.0**-24
    return roundings / (1 - roundings)


def promise(wire, terms):
    return 2 * wire.unit + wire.unit**2 + sums_lose(terms)


def wire_for(accuracy, dtype, terms):
    """What this accuracy lets travel, or None. A number allows no range term, so it gets bf16 or nothing."""
    if dtype in ("float64", "complex64", "complex128"):
        return None
    if is_number(accuracy):
        return BF16 if float(accuracy) >= promise(BF16, terms) else None
    return NAMED.get(accuracy)


def rest(accuracy, wire, terms, parts, legs):
    """The accuracy left to a kernel whose sums are rounded so many times on their way, and added by so many parts. A
    name leaves its range term, too, unless the wire is scaled and takes that: then scaled kernels can't answer."""
    has_range = accuracy in NAMED and not wire.scaled
    if legs == 2:
        return "fp32" if has_range else "fp32_elementwise"
    promised = float(accuracy) if is_number(accuracy) else promise(wire, terms)
    left = (promised - wire.unit - sums_lose(parts)) / (1 + wire.unit)
    return "tf32" if has_range and promise(FP16, terms // parts) <= left else repr(left)


def as_words(x):
    return lax.bitcast_convert_type(x, jnp.uint16) if x.dtype.itemsize == 2 else x


def from_words(words, dtype):
    return lax.bitcast_convert_type(words, dtype) if words.dtype == jnp.uint16 else words


def exponent(x, axis):
    """e with 2^e the first power of two that is above every finite |x| along an axis, within what pow2 can undo."""
    largest = jnp.max(jnp.where(jnp.isfinite(x), jnp.abs(x), 0).astype(jnp.float32), axis, keepdims=True)
    bits = lax.bitcast_convert_type(largest, jnp.int32)
    return jnp.clip((bits >> 23) - 126, -110, 128)


def times_power(x, power):
    """x 2^power for powers up to 2 * 126 either way: in two halves, so that neither goes out of range alone."""
    half = power >> 1
    return x * _pow2(half) * _pow2(power - half)


def _pow2(power):
    return lax.bitcast_convert_type((power + 127) << 23, jnp.float32)


def narrowed(x, wire, e):
    """x for the wire, its largest just below 2^15 when it is scaled."""
    return (times_power(x, 15 - e) if wire.scaled else x).astype(wire.dtype)


def room_for(terms):
    """Bits that a sum of so many products below 1 may need before its point."""
    return math.ceil(math.log2(max(terms, 1)))
