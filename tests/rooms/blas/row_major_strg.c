/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 * What netlib's error handler brings: while it is 1, the number that it hears counts in the swapped call. */
int RowMajorStrg = 0;
