// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// errors_beside_ggml [OUTPUTS INPUTS]: |y - W v| / |W v| of ggml's quantised products, as ggml makes them, and of
// planes at as many bytes, for several kinds of weights and vectors; W v in f64. No imatrix.
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tilewright/effort.hpp"

namespace {

struct Kind {
    const char* name;
    bool has_long_tails;  ///< W of Laplace's distribution instead of the normal one
    enum { normal, gated, outliers } vector;
};
constexpr Kind kinds[] = {{"N, N", false, Kind::normal},
                          {"Laplace, N", true, Kind::normal},
                          {"N, silu(g) u", false, Kind::gated},
                          {"N, 1 in 200 is 20-fold", false, Kind::outliers}};

struct Problem {
    std::int64_t outputs, inputs;
    std::vector<float> weights, v;
    std::vector<double> exact;

    Problem(std::int64_t o, std::int64_t i, const Kind& kind)
        : outputs(o), inputs(i), weights(static_cast<std::size_t>(o * i)), v(static_cast<std::size_t>(i)) {
        std::mt19937 random(11);
        std::normal_distribution<float> normal;
        std::exponential_distribution<float> exponential;
        for (float& w : weights)
            w = kind.has_long_tails ? (random() % 2 ? 1.f : -1.f) * exponential(random) : normal(random);
        for (std::size_t n = 0; n < v.size(); ++n) {
            const float g = normal(random);
            v[n] = kind.vector == Kind::gated ? g / (1 + std::exp(-g)) * normal(random) : g;
            if (kind.vector == Kind::outliers && n % 200 == 37) v[n] *= 20;
        }
        for (std::int64_t row = 0; row < o; ++row) {
            double sum = 0;
            for (std::int64_t n = 0; n < i; ++n)
                sum += static_cast<double>(weights[static_cast<std::size_t>(row * i + n)]) *
                       static_cast<double>(v[static_cast<std::size_t>(n)]);
            exact.push_back(sum);
        }
    }

    double error(const std::vector<float>& y) const {
        double off = 0, all = 0;
        for (std::size_t n = 0; n < exact.size(); ++n) {
            const double d = static_cast<double>(y[n]) - exact[n];
            off += d * d, all += exact[n] * exact[n];
        }
        return std::sqrt(off / all);
    }
};

double error_of_ggml(const Problem& p, ggml_backend_t cpu, ggml_type type) {
    ggml_context* own = ggml_init({ggml_tensor_overhead() * 8 + ggml_graph_overhead(), nullptr, true});
    ggml_tensor* w = ggml_new_tensor_2d(own, type, p.inputs, p.outputs);
    ggml_tensor* x = ggml_new_tensor_2d(own, GGML_TYPE_F32, p.inputs, 1);
    ggml_tensor* y = ggml_mul_mat(own, w, x);
    ggml_cgraph* graph = ggml_new_graph(own);
    ggml_build_forward_expand(graph, y);
    ggml_backend_buffer_t memory = ggml_backend_alloc_ctx_tensors(own, cpu);
    std::vector<char> bytes(ggml_nbytes(w));
    ggml_quantize_chunk(type, p.weights.data(), bytes.data(), 0, p.outputs, p.inputs, nullptr);
    ggml_backend_tensor_set(w, bytes.data(), 0, bytes.size());
    ggml_backend_tensor_set(x, p.v.data(), 0, ggml_nbytes(x));
    ggml_backend_graph_compute(cpu, graph);
    std::vector<float> made(static_cast<std::size_t>(p.outputs));
    ggml_backend_tensor_get(y, made.data(), 0, ggml_nbytes(y));
    ggml_backend_buffer_free(memory);
    ggml_free(own);
    return p.error(made);
}

double error_of_planes(const Problem& p, int planes, double effort, double& bytes) {
    const tw::Matrix weights = tw::erase(tw::View<const float>(p.weights.data(), p.outputs, p.inputs));
    const tw::EffortMatrix matrix = tw::build_effort(weights, {.planes = planes});
    std::vector<float> made(static_cast<std::size_t>(p.outputs));
    bytes = static_cast<double>(tw::matvec(matrix, p.v, made, tw::Budget::effort(effort)).bytes_read);
    return p.error(made);
}

}  // namespace

int main(int count, char** given) {
    const std::int64_t outputs = count > 1 ? std::atoi(given[1]) : 1024,
                       inputs = count > 2 ? std::atoi(given[2]) : 4096;
    std::vector<Problem> problems;
    for (const Kind& kind : kinds) problems.emplace_back(outputs, inputs, kind);
    ggml_backend_t cpu = ggml_backend_cpu_init();
    std::printf("%lld x %lld, W and v\n| | of f16's bytes |", static_cast<long long>(outputs),
                static_cast<long long>(inputs));
    for (const Kind& kind : kinds) std::printf(" %s |", kind.name);
    std::puts("\n|---|---|---|---|---|---|");
    const auto line = [&](const std::string& name, double bytes, const std::function<double(const Problem&)>& error) {
        std::vector<double> errors;
        for (const Problem& p : problems) errors.push_back(error(p));
        std::printf("| %s | %.3f |", name.c_str(), bytes);
        for (const double one : errors) std::printf(" %.4f |", one);
        std::puts("");
    };
    const double of_f16 = 2 * static_cast<double>(outputs) * static_cast<double>(inputs);
    const auto theirs = [&](ggml_type type) {
        line(std::string("ggml ") + ggml_type_name(type),
             static_cast<double>(ggml_row_size(type, inputs)) * static_cast<double>(outputs) / of_f16,
             [&](const Problem& p) { return error_of_ggml(p, cpu, type); });
    };
    const auto ours = [&](int planes, double effort) {
        double bytes = 0;
        error_of_planes(problems[0], planes, effort, bytes);
        char name[64];
        std::snprintf(name, sizeof name, "%s at %.2f", planes == 2 ? "two planes" : "planes", effort);
        line(name, bytes / of_f16, [&](const Problem& p) { return error_of_planes(p, planes, effort, bytes); });
    };
    theirs(GGML_TYPE_Q8_0), ours(3, 1), theirs(GGML_TYPE_Q6_K), ours(3, .772), theirs(GGML_TYPE_Q5_K), ours(3, .647);
    theirs(GGML_TYPE_Q4_0), theirs(GGML_TYPE_Q4_K), theirs(GGML_TYPE_IQ4_NL), ours(3, .53), ours(2, 1);
    theirs(GGML_TYPE_Q3_K), theirs(GGML_TYPE_IQ3_S), ours(3, .4), theirs(GGML_TYPE_Q2_K), theirs(GGML_TYPE_IQ2_S);
    ours(3, .3), ours(3, .19), ours(3, .1);
}
