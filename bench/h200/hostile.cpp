// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "hostile.hpp"

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "device_data.hpp"
#include "tilewright/multiply.hpp"
#include "timing.hpp"

namespace bench {
namespace {

/// A and B of n x n on the host, B by rows.
struct Input {
    int n;
    std::vector<float> a, b;

    float& a_at(int i, int k) { return a[static_cast<std::size_t>(i) * n + k]; }
    float& b_at(int k, int j) { return b[static_cast<std::size_t>(k) * n + j]; }
};

struct Kind {
    std::string name;
    std::function<void(Input&)> change;
};

std::vector<Kind> kinds() {
    std::vector<Kind> all{{"N(0,1)", [](Input&) {}}};
    for (const int e : {20, 27, 40, 80, 120, -20, -40, -80, -120}) {
        const float by = std::ldexp(1.0f, e);
        const auto column = [by](Input& x) {
            for (int i = 0; i < x.n; ++i) x.a_at(i, 7) *= by;
        };
        const auto against = [](Input& x, bool zero_there) {  // zeros of B against column 7 of A, or against all others
            for (int k = 0; k < x.n; ++k)
                for (int j = 0; j < x.n; ++j)
                    if ((k == 7) == zero_there) x.b_at(k, j) = 0;
        };
        const std::string power = "2^" + std::to_string(e);
        all.push_back({"a column of A by " + power, column});
        all.push_back({"and zeros against it", [=](Input& x) { column(x), against(x, true); }});
        all.push_back({"and zeros against all others", [=](Input& x) { column(x), against(x, false); }});
        all.push_back({"a row of A by " + power, [by](Input& x) {
                           for (int k = 0; k < x.n; ++k) x.a_at(3, k) *= by;
                       }});
        all.push_back({"an element of each by " + power, [by](Input& x) { x.a_at(5, 9) *= by, x.b_at(11, 13) *= by; }});
        all.push_back({"A graded down, B up to " + power, [e](Input& x) {
                           for (int i = 0; i < x.n; ++i)
                               for (int k = 0; k < x.n; ++k) {
                                   const auto graded = static_cast<float>(std::exp2(double(e) * k / x.n));
                                   x.a_at(i, k) /= graded, x.b_at(k, i) *= graded;
                               }
                       }});
    }
    all.push_back({"A of subnormals", [](Input& x) {
                       for (float& each : x.a) each *= 0x1p-135f;
                   }});
    all.push_back({"half of A and B 0", [](Input& x) {
                       for (auto* matrix : {&x.a, &x.b})
                           for (float& each : *matrix) each = std::fmax(each, 0.0f);
                   }});
    all.push_back({"exponents of 2^-30 to 2^30", [](Input& x) {
                       unsigned state = 1;
                       for (auto* matrix : {&x.a, &x.b})
                           for (float& each : *matrix) {
                               state = state * 1664525u + 1013904223u;
                               each = std::ldexp(each, static_cast<int>(state >> 16) % 61 - 30);
                           }
                   }});
    return all;
}

struct OnDevice {
    Buffer a, b, c;
    explicit OnDevice(int n) : a(bytes(n)), b(bytes(n)), c(bytes(n)) {}
    static std::size_t bytes(int n) { return std::size_t{4} * n * n; }
};

void run(const OnDevice& of, int n, const tw::Accuracy& accuracy, bool weights = false) {
    const tw::Matrix a{of.a.get(), tw::Type::f32, n, n, n},
        b{of.b.get(), tw::Type::f32, n, n, weights ? 1 : n, weights ? n : 1}, c{of.c.get(), tw::Type::f32, n, n, n};
    const tw::Status done = tw::try_multiply(a, b, c, {.accuracy = accuracy, .device = "cuda"});
    if (!done) std::printf("%s\n", done.text);
}

double milliseconds(const std::function<void(int)>& side) { return sustained({side}, 60, 1).front(); }

}  // namespace

int hostile_inputs(const Cublas& cublas) {
    constexpr int n = 2048;
    const OnDevice device(n);
    Input normal{n, std::vector<float>(std::size_t{n} * n), std::vector<float>(std::size_t{n} * n)};
    fill(device.a.get(), normal.a.size(), tw::Type::f32, Values::normal, 1);
    fill(device.b.get(), normal.b.size(), tw::Type::f32, Values::normal, 2);
    check(cudaMemcpy(normal.a.data(), device.a.get(), OnDevice::bytes(n), cudaMemcpyDeviceToHost), "reading A");
    check(cudaMemcpy(normal.b.data(), device.b.get(), OnDevice::bytes(n), cudaMemcpyDeviceToHost), "reading B");
    int worse = 0;
    std::printf("%-34s | fp32, SGEMM, of it | largest, SGEMM, of it | tf32, TF32, of it | ms\n", "");
    for (const Kind& kind : kinds()) {
        Input input = normal;
        kind.change(input);
        check(cudaMemcpy(device.a.get(), input.a.data(), OnDevice::bytes(n), cudaMemcpyHostToDevice), "writing A");
        check(cudaMemcpy(device.b.get(), input.b.data(), OnDevice::bytes(n), cudaMemcpyHostToDevice), "writing B");
        const Reference reference(cublas, n, n, n, device.a.get(), device.b.get(), false, tw::Type::f32);
        const auto ours = [&](tw::Accuracy accuracy) {
            poison(device.c.get(), OnDevice::bytes(n));
            run(device, n, accuracy);
            return reference.of(device.c.get(), tw::Type::f32);
        };
        const auto theirs = [&](Compute compute) {
            cublas.product(n, n, n, device.a.get(), device.b.get(), false, device.c.get(), tw::Type::f32, tw::Type::f32,
                           compute);
            return reference.of(device.c.get(), tw::Type::f32);
        };
        const Error f32 = ours(tw::fp32), sgemm = theirs(Compute::f32), tf32 = ours(tw::tf32),
                    peer = theirs(Compute::tf32);
        const double ms = milliseconds([&](int) { run(device, n, tw::fp32); });
        const bool bad = !(f32.frobenius <= 2 * sgemm.frobenius) || !(f32.largest <= 2 * sgemm.largest) ||
                         !(tf32.frobenius <= 2 * peer.frobenius);
        worse += bad;
        std::printf("%-34s | %.2e %.2e %5.2f | %.2e %.2e %5.2f | %.2e %.2e %5.2f | %.3f%s\n", kind.name.c_str(),
                    f32.frobenius, sgemm.frobenius, f32.frobenius / sgemm.frobenius, f32.largest, sgemm.largest,
                    f32.largest / sgemm.largest, tf32.frobenius, peer.frobenius, tf32.frobenius / peer.frobenius, ms,
                    bad ? "  MORE THAN TWICE" : "");
        std::fflush(stdout);
    }
    std::printf("%d of them more than twice cuBLAS's\n", worse);
    return worse;
}

void ordinary_times(const Cublas& cublas) {
    for (const int n : {1024, 2048, 4096, 8192}) {
        const OnDevice device(n);
        for (void* matrix : {device.a.get(), device.b.get()})
            fill(matrix, std::size_t(n) * n, tw::Type::f32, Values::normal, matrix == device.a.get());
        for (const tw::Accuracy& accuracy : {tw::fp32, tw::tf32})
            for (const bool weights : {true, false}) {
                std::printf("%5d %s %s %.4f ms\n", n, accuracy.rule == tw::fp32.rule ? "fp32" : "tf32",
                            weights ? "NT" : "NN", milliseconds([&](int) { run(device, n, accuracy, weights); }));
            }
        const double sgemm = milliseconds([&](int) {
            cublas.product(n, n, n, device.a.get(), device.b.get(), true, device.c.get(), tw::Type::f32, tw::Type::f32);
        });
        std::printf("%5d SGEMM   %.4f ms\n", n, sgemm);
        std::fflush(stdout);
    }
}

}  // namespace bench
