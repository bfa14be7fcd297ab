# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The fewest bytes with which a product can be spread over devices."""


def lower_bound(m, n, k, devices, itemsize=4):
    """Bytes that some device must receive, whatever the algorithm, when operands and result are spread evenly and each
    element lies once (Al Daas, Ballard, Grigori, Kumar, Rouse: Tight memory-independent parallel matrix multiplication
    communication lower bounds, SPAA 2022). Its three cases are cuts of one, two and three dimensions."""
    small, middle, large = sorted((m, n, k))
    if small == 0:
        return 0.0
    if devices <= large / middle:
        words = (1 - 1 / devices) * middle * small
    elif devices <= large * middle / small**2:
        words = 2 * (large * middle * small**2 / devices) ** 0.5 - (large + middle) * small / devices
    else:
        words = 3 * (m * n * k / devices) ** (2 / 3) - (m * n + n * k + m * k) / devices
    return words * itemsize
