// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "around.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/element.hpp"
#include "cublas_lt.hpp"
#include "tilewright/batch.hpp"
#include "timing.hpp"

namespace bench {
namespace {

constexpr double turn_ms = 40;

/// The largest difference of `count` elements, as a part of the largest of them.
double difference(const void* x, const void* y, std::int64_t count, tw::Type type) {
    std::vector<unsigned char> mine(static_cast<std::size_t>(count) * size_of(type)), theirs = mine;
    check(cudaMemcpy(mine.data(), x, mine.size(), cudaMemcpyDeviceToHost), "reading C");
    check(cudaMemcpy(theirs.data(), y, theirs.size(), cudaMemcpyDeviceToHost), "reading C");
    const tw::Matrix xm{mine.data(), type, 1, count, count}, ym{theirs.data(), type, 1, count, count};
    double worst = 0, largest = 1e-30;
    for (std::int64_t i = 0; i < count; ++i) {
        const double a = tw::load_element(xm, 0, i), b = tw::load_element(ym, 0, i);
        worst = std::isnan(a) || std::isnan(b) ? HUGE_VAL : std::max(worst, std::abs(a - b));
        largest = std::max(largest, std::abs(b));
    }
    return worst / largest;
}

double allowed(tw::Type type) { return type == tw::Type::f32 ? 1e-5 : 0x1p-7; }

Result timed(const Case& what, const std::string& kernel, bool right, const std::function<void(int)>& mine,
             const std::function<void(int)>& peer) {
    Result result{.what = what, .kernel = kernel, .right = right};
    const std::vector<double> ms = sustained({mine, peer}, turn_ms);
    result.ms = ms[0], result.peer_ms = ms[1];
    print(result);
    return result;
}

/// Operands of one batch, and both sides' C.
struct Products {
    std::int64_t n, count;
    tw::Type type;
    Buffer a, b, mine, theirs, theirs_by_pointers;
    std::vector<void*> a_at, b_at, c_at, all;

    Products(std::int64_t size, std::int64_t products, tw::Type of)
        : n(size),
          count(products),
          type(of),
          a(bytes()),
          b(bytes()),
          mine(bytes()),
          theirs(bytes()),
          theirs_by_pointers(3 * static_cast<std::size_t>(count) * sizeof(void*)) {
        fill(a.get(), static_cast<std::size_t>(count * n * n), type, Values::normal, 1);
        fill(b.get(), static_cast<std::size_t>(count * n * n), type, Values::normal, 2);
        poison(mine.get(), bytes()), poison(theirs.get(), bytes());
        for (const auto& [from, to] : {std::pair{&a, &a_at}, {&b, &b_at}, {&mine, &c_at}})
            for (std::int64_t i = 0; i < count; ++i) to->push_back(at(*from, i));
        for (const Buffer* one :
             {&b, &a, &theirs})  // a row-major product is that of the transposed ones from its other side
            for (std::int64_t i = 0; i < count; ++i) all.push_back(at(*one, i));
        for (auto* one : {&a_at, &b_at, &c_at})
            std::reverse(one->begin(), one->end());  // by no step, as pointers may be
        for (int list = 0; list < 3; ++list) std::reverse(all.begin() + list * count, all.begin() + (list + 1) * count);
        check(cudaMemcpy(theirs_by_pointers.get(), all.data(), all.size() * sizeof(void*), cudaMemcpyHostToDevice),
              "pointers");
    }
    std::size_t bytes() const { return static_cast<std::size_t>(count * n * n) * size_of(type); }
    void* at(const Buffer& of, std::int64_t i) const {
        return static_cast<char*>(of.get()) + i * n * n * static_cast<std::int64_t>(size_of(type));
    }
};

Result measure_batch(const Cublas& cublas, Products& p, bool by_pointers) {
    const std::int64_t step = p.n * p.n;
    const tw::Matrix a{p.a.get(), p.type, p.n, p.n, p.n}, b{p.b.get(), p.type, p.n, p.n, p.n},
        c{p.mine.get(), p.type, p.n, p.n, p.n};
    tw::Batch batch{.size = p.count, .a_step = step, .b_step = step, .c_step = step};
    if (by_pointers) batch.a = p.a_at.data(), batch.b = p.b_at.data(), batch.c = p.c_at.data();
    tw::Status status;
    const auto mine = [&](int) { status = tw::try_multiply_batch(a, b, c, batch, {.device = "cuda"}); };
    const auto peer = [&](int) {
        void* const* const lists = static_cast<void* const*>(p.theirs_by_pointers.get());
        const auto size = static_cast<int>(p.n), count = static_cast<int>(p.count);
        if (by_pointers) cublas.batch_by_pointers(size, lists, lists + count, lists + 2 * count, count, p.type);
        else cublas.batch_by_steps(size, p.b.get(), p.a.get(), p.theirs.get(), count, p.type);
    };
    mine(0), peer(0);
    check(cudaDeviceSynchronize(), "a batch");
    if (!status) std::printf("i: %s\n", status.text);
    const auto size = static_cast<int>(p.n);
    const Case what{.row = "i",
                    .kernel = "",
                    .m = size,
                    .n = size,
                    .k = size,
                    .in = p.type,
                    .out = p.type,
                    .b_k_major = false,
                    .batch = p.count};
    const double worst = difference(p.mine.get(), p.theirs.get(), p.count * step, p.type);
    const std::string name = std::to_string(p.count) + (by_pointers ? " products by pointers" : " products by steps");
    return timed(what, name, status.is_ok() && worst <= allowed(p.type), mine, peer);
}

}  // namespace

std::vector<Result> measure_batches(const Cublas& cublas) {
    std::vector<Result> results;
    for (const tw::Type type : {tw::Type::f32, tw::Type::bf16})
        for (const auto& [n, count] : {std::pair{64, 4096}, {128, 1024}, {256, 256}, {512, 64}}) {
            Products products(n, count, type);
            for (const bool by_pointers : {false, true})
                results.push_back(measure_batch(cublas, products, by_pointers));
        }
    return results;
}

std::vector<Result> measure_epilogues() {
    constexpr int n = 4096;
    constexpr std::size_t bytes = std::size_t{n} * n * 2;
    const tw::Type bf16 = tw::Type::bf16;
    const Buffer a(bytes), b(bytes), bias(n * 2), mine_c(bytes), theirs_c(bytes);
    fill(a.get(), std::size_t{n} * n, bf16, Values::normal, 1);
    fill(b.get(), std::size_t{n} * n, bf16, Values::normal, 2);
    fill(bias.get(), n, bf16, Values::normal, 3);
    std::vector<Result> results;
    for (const auto activation : {tw::Activation::relu, tw::Activation::gelu}) {
        const CublasLt theirs(n, bias.get(), activation);
        tw::Options options{.alpha = 1. / 64, .device = "cuda"};
        options.epilogue = {.bias = bias.get(), .bias_type = bf16, .bias_size = n, .activation = activation};
        tw::Status status;
        const auto mine = [&](int) {
            status = tw::try_multiply({a.get(), bf16, n, n, n}, {b.get(), bf16, n, n, 1, n},
                                      {mine_c.get(), bf16, n, n, n}, options);
        };
        const auto peer = [&](int) { theirs.run(a.get(), b.get(), theirs_c.get(), 1.f / 64); };
        mine(0), peer(0);
        check(cudaDeviceSynchronize(), "an epilogue");
        const double worst = difference(mine_c.get(), theirs_c.get(), std::int64_t{n} * n, bf16);
        const Case what{.row = "i", .kernel = "", .m = n, .n = n, .k = n, .in = bf16, .out = bf16};
        results.push_back(timed(what, activation == tw::Activation::relu ? "bias and ReLU" : "bias and GELU",
                                status.is_ok() && worst <= allowed(bf16), mine, peer));
    }
    return results;
}

}  // namespace bench
