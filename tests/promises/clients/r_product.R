# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
# R: %*%, crossprod and a matrix with an NA; then one product on the processor's clock.
set.seed(4)
a <- matrix(sample(-8:8, 90 * 70, TRUE) + 0, 90, 70)
b <- matrix(sample(-8:8, 70 * 110, TRUE) + 0, 70, 110)
exact <- matrix(0, 90, 110)
for (p in 1:70) exact <- exact + outer(a[, p], b[p, ])
stopifnot(identical(a %*% b, exact))
stopifnot(identical(crossprod(t(a), b), exact))
a[3, 4] <- NA
stopifnot(all(is.na((a %*% b)[3, ])), !anyNA((a %*% b)[-3, ]))
x <- matrix(rnorm(800 * 800), 800)
times <- replicate(5, sum(system.time(x %*% x)[c("user.self", "sys.self")]))
cat(sprintf("right; 800 x 800 %%*%% 800 x 800: %.1f ms\n", 1e3 * median(times)))
