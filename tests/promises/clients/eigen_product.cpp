// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Eigen with its products given to BLAS: an exact product of whole numbers, then one on the processor's clock.
#define EIGEN_USE_BLAS
#include <Eigen/Dense>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

int main() {
    std::srand(6);
    const auto whole = [](int rows, int cols) -> Eigen::MatrixXi {
        return Eigen::MatrixXi::NullaryExpr(rows, cols, [] { return std::rand() % 17 - 8; });
    };
    const Eigen::MatrixXi a = whole(90, 70), b = whole(70, 110), exact = a * b;
    const Eigen::MatrixXd product = a.cast<double>().eval() * b.cast<double>().eval();
    const Eigen::MatrixXf left = a.cast<float>().transpose(), right = b.cast<float>();
    const Eigen::MatrixXf turned = left.transpose() * right;
    if (product != exact.cast<double>() || turned != exact.cast<float>()) return 1;

    const Eigen::MatrixXf x = Eigen::MatrixXf::Random(1000, 1000);
    Eigen::MatrixXf y(1000, 1000);
    std::vector<double> times;
    for (int i = 0; i < 6; ++i) {
        const std::clock_t started = std::clock();
        y.noalias() = x * x;
        times.push_back(1e3 * static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC);
    }
    std::sort(times.begin(), times.end());
    std::printf("right; float 1000 x 1000 * 1000 x 1000: %.1f ms (%g)\n", times[times.size() / 2], double(y(0, 0)) * 0);
}
