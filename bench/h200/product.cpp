// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "product.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "timing.hpp"

namespace bench {
namespace {

/// Operands enough that no launch finds its own in L2.
struct Sets {
    std::vector<Buffer> a, b, c;

    explicit Sets(const Case& w, std::size_t most = 64, std::uint64_t first_seed = 0) {
        const std::size_t in = size_of(w.in), out = size_of(w.out);
        const std::size_t a_count = std::size_t(w.m) * w.k, b_count = std::size_t(w.n) * w.k,
                          c_count = std::size_t(w.m) * w.n;
        constexpr std::size_t twice_the_cache = std::size_t{128} << 20;
        const std::size_t one = a_count * in + b_count * in + c_count * out;
        const std::size_t count = std::min(most, std::clamp<std::size_t>(twice_the_cache / one + 1, 2, 64));
        for (std::size_t s = 0; s < count; ++s) {
            a.emplace_back(a_count * in), b.emplace_back(b_count * in), c.emplace_back(c_count * out);
            fill(a.back().get(), a_count, w.in, w.values, first_seed + 2 * s + 1);
            fill(b.back().get(), b_count, w.in, w.values, first_seed + 2 * s + 2);
        }
    }
    std::size_t size() const { return a.size(); }
};

class Ours {
public:
    explicit Ours(const Case& w) : what_(w) {
        tw::Problem problem{.m = w.m,
                            .n = w.n,
                            .k = w.k,
                            .in = w.in,
                            .out = w.out,
                            .place = tw::Place::cuda,
                            .accuracy = w.accuracy,
                            .b = w.b_k_major ? tw::Form::col_major : tw::Form::row_major};
        tw::Options options{
            .accuracy = w.accuracy, .reproducible = w.reproducible, .device = "cuda", .kernel = what_.kernel};
        status_ = tw::try_plan(problem, options, plan_);
        if (status_ && !(w.tile == tw::Tile{})) plan_.tile = w.tile;
    }
    bool run(const void* a, const void* b, void* c) {
        if (!status_) return false;
        const Case& w = what_;
        const tw::Matrix am{const_cast<void*>(a), w.in, w.m, w.k, w.k};
        const tw::Matrix bm = w.b_k_major ? tw::Matrix{const_cast<void*>(b), w.in, w.k, w.n, 1, w.k}
                                          : tw::Matrix{const_cast<void*>(b), w.in, w.k, w.n, w.n};
        status_ = plan_.try_run(am, bm, {c, w.out, w.m, w.n, w.n});
        return status_.is_ok();
    }
    const char* kernel() const { return status_ || plan_.kernel ? plan_.kernel_name() : "none"; }
    const char* text() const { return status_.text; }

private:
    Case what_;
    tw::Plan plan_;
    tw::Status status_;
};

/// Every element of a product of ones is k, exactly where the output can hold k.
bool ones_are_right(const Case& w, Ours& ours) {
    const std::size_t in = size_of(w.in), out = size_of(w.out), count = std::size_t(w.m) * w.n;
    const Buffer a(std::size_t(w.m) * w.k * in), b(std::size_t(w.n) * w.k * in), c(count * out), k(out);
    fill(a.get(), std::size_t(w.m) * w.k, w.in, Values::ones, 0);
    fill(b.get(), std::size_t(w.n) * w.k, w.in, Values::ones, 0);
    poison(c.get(), count * out);
    if (!ours.run(a.get(), b.get(), c.get())) return false;
    check(cudaDeviceSynchronize(), "a product of ones");
    std::vector<unsigned char> host(count * out);
    check(cudaMemcpy(host.data(), c.get(), host.size(), cudaMemcpyDeviceToHost), "reading C");
    for (std::size_t i = 1; i < count; ++i)
        if (!std::equal(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(out),
                        host.begin() + static_cast<std::ptrdiff_t>(i * out)))
            return false;
    if (out == 4) {
        float first = 0;
        std::copy_n(host.begin(), 4, reinterpret_cast<unsigned char*>(&first));
        return first == static_cast<float>(w.k);
    }
    return true;
}

}  // namespace

Result measure(const Cublas& cublas, const Case& what) {
    Result result{.what = what};
    Ours ours(what);
    const Sets sets(what);
    const std::size_t c_bytes = std::size_t(what.m) * what.n * size_of(what.out);
    const auto peer = [&](int i) {
        const std::size_t s = static_cast<std::size_t>(i) % sets.size();
        cublas.product(what.m, what.n, what.k, sets.a[s].get(), sets.b[s].get(), what.b_k_major, sets.c[s].get(),
                       what.in, what.out, what.peer);
    };
    const auto mine = [&](int i) {
        const std::size_t s = static_cast<std::size_t>(i) % sets.size();
        ours.run(sets.a[s].get(), sets.b[s].get(), sets.c[s].get());
    };
    poison(sets.c[0].get(), c_bytes);
    mine(0);
    check(cudaDeviceSynchronize(), "our product");
    result.kernel = ours.kernel();
    if (*ours.text()) {
        std::printf("%s: %s: %s\n", what.row.c_str(), what.kernel.c_str(), ours.text());
        return result;
    }
    result.right = ones_are_right(what, ours);
    poison(sets.c[0].get(), c_bytes);
    mine(0);
    {
        const Reference reference(cublas, what.m, what.n, what.k, sets.a[0].get(), sets.b[0].get(), what.b_k_major,
                                  what.in);
        result.error = reference.of(sets.c[0].get(), what.out);
        peer(0);
        result.peer_error = reference.of(sets.c[0].get(), what.out);
    }
    if (what.turn_ms > 0) {
        const std::vector<double> ms = sustained({mine, peer}, what.turn_ms);
        result.ms = ms[0], result.peer_ms = ms[1];
    }
    if (what.with_burst) result.burst_ms = burst(mine), result.peer_burst_ms = burst(peer);
    return result;
}

Worst worst_errors(const Cublas& cublas, const Case& what, int seeds) {
    Worst worst;
    const auto keep = [](Error& most, const Error& one) {
        most = {std::max(most.frobenius, one.frobenius), std::max(most.largest, one.largest)};
    };
    Ours ours(what);
    for (int seed = 1; seed <= seeds; ++seed) {
        const Sets sets(what, 1, 1000u * static_cast<unsigned>(seed));
        void *a = sets.a[0].get(), *b = sets.b[0].get(), *c = sets.c[0].get();
        const Reference reference(cublas, what.m, what.n, what.k, a, b, what.b_k_major, what.in);
        poison(c, std::size_t(what.m) * what.n * size_of(what.out));
        worst.ran &= ours.run(a, b, c);
        keep(worst.ours, reference.of(c, what.out));
        cublas.product(what.m, what.n, what.k, a, b, what.b_k_major, c, what.in, what.out, what.peer);
        keep(worst.peer, reference.of(c, what.out));
    }
    return worst;
}

Price price_of_same_bits(const Case& what) {
    Case same = what;
    same.reproducible = true;
    Ours reproducible(same), free(what);
    const Sets sets(what);
    const auto side = [&](Ours& ours) {
        return [&](int i) {
            const std::size_t s = static_cast<std::size_t>(i) % sets.size();
            ours.run(sets.a[s].get(), sets.b[s].get(), sets.c[s].get());
        };
    };
    const std::vector<double> ms = sustained({side(reproducible), side(free)}, what.turn_ms);
    return {ms[0], ms[1]};
}

void print(const Result& r) {
    const Case& w = r.what;
    const bool thin = w.m <= 64 && w.batch == 1;
    const auto rate = [&](double ms) { return thin ? r.terabytes(ms) : r.teraflops(ms); };
    std::printf("%-3s %-44s %5d %5d %5d %s>%s %s %-13s | %7.2f %7.2f %s %5.2fx", w.row.c_str(), r.kernel.c_str(), w.m,
                w.n, w.k, tw::name_of(w.in), tw::name_of(w.out), w.b_k_major ? "NT" : "NN", name_of(w.values),
                rate(r.ms), rate(r.peer_ms), thin ? "TB/s" : "TF", r.ms > 0 ? r.peer_ms / r.ms : 0);
    if (r.burst_ms > 0)
        std::printf(" | burst %7.2f %7.2f %5.2fx", rate(r.burst_ms), rate(r.peer_burst_ms),
                    r.peer_burst_ms / r.burst_ms);
    if (w.row == "i") {  // compared with its peer's result alone
        std::printf(" | %s\n", r.right ? "right" : "WRONG");
        std::fflush(stdout);
        return;
    }
    std::printf(" | error %.2e %.2e, cuBLAS %.2e %.2e | %s\n", r.error.frobenius, r.error.largest,
                r.peer_error.frobenius, r.peer_error.largest, r.right ? "ones right" : "ONES WRONG");
    std::fflush(stdout);
}

std::string json(const std::vector<Result>& results) {
    std::string text = "[\n";
    char line[600];
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Result& r = results[i];
        const Case& w = r.what;
        const struct {
            const char* provider;
            double ms, burst_ms;
            Error error;
        } sides[] = {{"tilewright", r.ms, r.burst_ms, r.error}, {"cublas", r.peer_ms, r.peer_burst_ms, r.peer_error}};
        for (const auto& side : sides) {
            std::snprintf(
                line, sizeof line,
                "  {\"row\": \"%s\", \"provider\": \"%s\", \"kernel\": \"%s\", \"m\": %d, \"n\": %d, \"k\": %d, "
                "\"in\": \"%s\", \"out\": \"%s\", \"values\": \"%s\", \"sustained_ms\": %.5f, \"burst_ms\": %.5f, "
                "\"frobenius\": %.3e, \"largest\": %.3e}%s\n",
                w.row.c_str(), side.provider, &side == sides ? r.kernel.c_str() : "", w.m, w.n, w.k, tw::name_of(w.in),
                tw::name_of(w.out), name_of(w.values), side.ms, side.burst_ms, side.error.frobenius, side.error.largest,
                i + 1 == results.size() && &side != sides ? "" : ",");
            text += line;
        }
    }
    return text + "]\n";
}

}  // namespace bench
