% SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
% Copyright 2026 The tilewright authors
% Octave: exact products of whole numbers, then an LU decomposition on the processor's clock; LAPACK's
% blocks are products.
rand("seed", 3);
a = round(16 * rand(120, 80) - 8);
b = round(16 * rand(80, 60) - 8);
exact = zeros(120, 60);
for p = 1:80, exact += a(:, p) .* b(p, :); end
assert(a * b == exact);
assert(single(a) * single(b) == single(exact));
m = rand(900) + 900 * eye(900);
[l, u, p] = lu(m);
assert(norm(p' * l * u - m, 1) <= 1e-12 * norm(m, 1));
times = zeros(1, 5);
for i = 1:5, began = cputime(); [l, u, p] = lu(m); times(i) = cputime() - began; end
printf("right; lu of 900 x 900: %.1f ms\n", 1e3 * median(times));
