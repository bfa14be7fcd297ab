// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Armadillo: an exact product of whole numbers, then one on the processor's clock.
#include <algorithm>
#include <armadillo>
#include <cstdio>
#include <ctime>
#include <vector>

int main() {
    arma::arma_rng::set_seed(5);
    const arma::imat a = arma::randi<arma::imat>(90, 70, arma::distr_param(-8, 8));
    const arma::imat b = arma::randi<arma::imat>(70, 110, arma::distr_param(-8, 8));
    const arma::imat exact = a * b;
    const arma::mat product = arma::conv_to<arma::mat>::from(a) * arma::conv_to<arma::mat>::from(b);
    const arma::fmat turned = arma::conv_to<arma::fmat>::from(b).t() * arma::conv_to<arma::fmat>::from(a).t();
    if (!arma::all(arma::vectorise(product == arma::conv_to<arma::mat>::from(exact)))) return 1;
    if (!arma::all(arma::vectorise(turned.t() == arma::conv_to<arma::fmat>::from(exact)))) return 1;

    const arma::mat x(800, 800, arma::fill::randn);
    std::vector<double> times;
    for (int i = 0; i < 6; ++i) {
        const std::clock_t started = std::clock();
        const arma::mat y = x * x.t() * x;
        times.push_back(1e3 * static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC);
        if (!y.is_finite()) return 1;
    }
    std::sort(times.begin(), times.end());
    std::printf("right; 800 x 800 * its transpose * itself: %.1f ms\n", times[times.size() / 2]);
}
