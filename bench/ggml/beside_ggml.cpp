// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// beside_ggml [OUTPUTS INPUTS THREADS ROUNDS VECTORS]: W v and W times 2 to VECTORS (16) vectors by ggml's quantised
// products and by planes, in turns, several equal matrices each, so that none stays in a cache. Times are the longest
// of the threads' own, so that other programs count by the memory alone that they use: medians, and in brackets the
// tenth part's.
#include <dirent.h>
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tilewright/effort.hpp"

ggml_backend_buffer_type_t ggml_backend_cpu_repack_buffer_type(void);

namespace {

constexpr int sizes[] = {1, 2, 4, 8, 16}, most = 16, copies = 4;
constexpr std::int64_t different_rows = 512;  // the others are these again, so that quantising takes seconds

/// Linux's clock of one thread.
double microseconds_of(int thread) {
    timespec t{};
    const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | 6);
    return clock_gettime(clock, &t) == 0 ? static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3
                                         : 0;
}

double longest_time(const std::function<void()>& run) {
    std::map<int, double> began;
    DIR* const threads = opendir("/proc/self/task");
    while (const dirent* entry = readdir(threads))
        if (const int thread = std::atoi(entry->d_name)) began[thread] = microseconds_of(thread);
    closedir(threads);
    run();
    double longest = 0;
    for (const auto& [thread, at] : began) longest = std::max(longest, microseconds_of(thread) - at);
    return longest;
}

struct Contender {
    std::string name;
    double bytes;
    int sizes_taken;  ///< of the table's columns
    std::function<void(int copy, int column)> run;
    std::vector<double> times[std::size(sizes)]{};
};

struct Problem {
    std::int64_t outputs, inputs;
    int threads;
    std::vector<float> weights, v, y;

    Problem(std::int64_t o, std::int64_t i, int t)
        : outputs(o), inputs(i), threads(t), weights(static_cast<std::size_t>(o * i)) {
        std::mt19937 random(7);
        std::normal_distribution<float> normal;
        v.resize(static_cast<std::size_t>(most * i)), y.resize(static_cast<std::size_t>(most * o));
        for (float& x : v) x = normal(random);
        for (std::int64_t n = 0; n < o * i; ++n)
            weights[static_cast<std::size_t>(n)] =
                n < different_rows * i ? normal(random) : weights[static_cast<std::size_t>(n % (different_rows * i))];
    }
};

/// A type of ggml's, in its repacked layout where there is one.
void add_ggml(Problem& p, ggml_backend_t cpu, ggml_type type, std::vector<Contender>& field) {
    ggml_backend_buffer_type_t plain = ggml_backend_get_default_buffer_type(cpu);
    const std::size_t row = ggml_row_size(type, p.inputs);
    std::vector<ggml_tensor*> w;
    bool is_repacked = true;
    for (;;) {
        ggml_context* own = ggml_init({ggml_tensor_overhead() * (copies + 1), nullptr, true});
        w.clear();
        for (int c = 0; c < copies; ++c) w.push_back(ggml_new_tensor_2d(own, type, p.inputs, p.outputs));
        auto* memory =
            ggml_backend_alloc_ctx_tensors_from_buft(own, is_repacked ? ggml_backend_cpu_repack_buffer_type() : plain);
        if (!is_repacked || (memory && w[0]->extra)) break;
        if (memory) ggml_backend_buffer_free(memory);
        is_repacked = false;
    }
    std::vector<char> bytes(row * static_cast<std::size_t>(p.outputs));
    const std::int64_t different = std::min(p.outputs, different_rows);
    if (type == GGML_TYPE_F16)
        ggml_fp32_to_fp16_row(p.weights.data(), reinterpret_cast<ggml_fp16_t*>(bytes.data()), different * p.inputs);
    else ggml_quantize_chunk(type, p.weights.data(), bytes.data(), 0, different, p.inputs, nullptr);
    for (auto n = row * static_cast<std::size_t>(different); n < bytes.size(); n += row)
        std::memcpy(&bytes[n], &bytes[n - row * static_cast<std::size_t>(different)], row);
    for (ggml_tensor* one : w) ggml_backend_tensor_set(one, bytes.data(), 0, bytes.size());
    std::vector<std::vector<ggml_cgraph*>> graphs(std::size(sizes));
    for (std::size_t column = 0; column < std::size(sizes); ++column) {
        ggml_context* own =
            ggml_init({ggml_tensor_overhead() * 64 + ggml_graph_overhead() * (copies + 1), nullptr, true});
        ggml_tensor* x = ggml_new_tensor_2d(own, GGML_TYPE_F32, p.inputs, sizes[column]);
        for (ggml_tensor* one : w) {
            graphs[column].push_back(ggml_new_graph_custom(own, 8, false));
            ggml_build_forward_expand(graphs[column].back(), ggml_mul_mat(own, one, x));
        }
        ggml_backend_alloc_ctx_tensors_from_buft(own, plain);
        ggml_backend_tensor_set(x, p.v.data(), 0, ggml_nbytes(x));
    }
    field.push_back(
        {std::string("ggml ") + ggml_type_name(type) + (is_repacked ? ", repacked" : ""),
         static_cast<double>(bytes.size()), static_cast<int>(std::size(sizes)), [cpu, graphs](int copy, int column) {
             ggml_backend_graph_compute(cpu, graphs[static_cast<std::size_t>(column)][static_cast<std::size_t>(copy)]);
         }});
}

void add_planes(Problem& p, int planes, const std::vector<double>& efforts, std::vector<Contender>& field) {
    auto matrices = std::make_shared<std::vector<tw::EffortMatrix>>();
    const tw::Matrix weights = tw::erase(tw::View<const float>(p.weights.data(), p.outputs, p.inputs));
    for (int c = 0; c < copies; ++c) matrices->push_back(tw::build_effort(weights, {.planes = planes}));
    for (const double effort : efforts) {
        const auto run = [&p, matrices, effort](int copy, int column) {
            const int vectors = sizes[column];
            std::vector<tw::EffortReport> reports(static_cast<std::size_t>(vectors));
            const tw::Status status = tw::try_matvec_batch(
                (*matrices)[static_cast<std::size_t>(copy)], {p.v.data(), vectors, p.inputs},
                {p.y.data(), vectors, p.outputs}, tw::Budget::effort(effort), {.threads = p.threads}, reports);
            if (!status) std::abort();
            return reports[0].bytes_read;
        };
        const auto bytes = static_cast<double>(run(0, 0));
        char name[64];
        std::snprintf(name, sizeof name, "%s at %.2f", planes == 2 ? "two planes" : "planes", effort);
        field.push_back({name, bytes, effort == 1 ? static_cast<int>(std::size(sizes)) : 1, run});
    }
}

void print(const Problem& p, std::vector<Contender>& field) {
    std::printf("%lld x %lld, %d threads, us\n| | of f16's bytes |", static_cast<long long>(p.outputs),
                static_cast<long long>(p.inputs), p.threads);
    for (const int size : sizes) std::printf(" %d |", size);
    std::printf("\n|---|---|---|---|---|---|---|\n");
    for (Contender& one : field) {
        std::printf("| %s | %.3f |", one.name.c_str(),
                    one.bytes / (2 * static_cast<double>(p.outputs) * static_cast<double>(p.inputs)));
        for (std::vector<double>& times : one.times) {
            std::sort(times.begin(), times.end());
            if (times.empty()) std::printf(" |");
            else std::printf(" %.0f (%.0f) |", times[times.size() / 2], times[times.size() / 10]);
        }
        std::puts("");
    }
}

}  // namespace

int main(int count, char** given) {
    const auto number = [&](int n, int otherwise) { return n < count ? std::atoi(given[n]) : otherwise; };
    Problem p(number(1, 14336), number(2, 4096), number(3, 1));
    ggml_backend_t cpu = ggml_backend_cpu_init();
    ggml_backend_cpu_set_n_threads(cpu, p.threads);
    std::vector<Contender> field;
    for (const ggml_type type : {GGML_TYPE_F16, GGML_TYPE_Q8_0, GGML_TYPE_Q6_K, GGML_TYPE_Q4_0, GGML_TYPE_Q4_K,
                                 GGML_TYPE_Q3_K, GGML_TYPE_Q2_K})
        add_ggml(p, cpu, type, field);
    const std::size_t of_ggml = field.size();
    add_planes(p, 3, {1, .53, .4, .28, .19, .1, .05}, field);
    add_planes(p, 2, {1, .5}, field);
    const Contender* const first_of_ours = &field[of_ggml];
    const int vectors = number(5, most);
    for (int round = -1; round < number(4, 4); ++round)
        for (Contender& one : field) {
            // OpenMP's threads, which are ggml's, spin on all cores for a while, and whoever comes next shares these.
            if (&one == first_of_ours) std::this_thread::sleep_for(std::chrono::milliseconds(250));
            one.run(copies - 1, 0);  // not timed
            for (int column = 0; column < one.sizes_taken && sizes[column] <= vectors; ++column)
                for (int copy = 0; copy < copies; ++copy) {
                    const double time = longest_time([&] { one.run(copy, column); });
                    if (round >= 0) one.times[column].push_back(time);
                }
        }
    print(p, field);
}
