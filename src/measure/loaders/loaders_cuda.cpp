// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/loaders/loaders_cuda.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "backend/cuda/loading_contest/loaders.hpp"

namespace tw::measure {
namespace {

constexpr int rounds = 21, fills = 32;

/// Device memory for `count` elements of a type as wide as T.
template <class T, Type type>
class Lent {
public:
    Lent(const Backend& backend, std::int64_t count)
        : backend_(backend), count_(count), memory_(backend.alloc(static_cast<std::size_t>(count) * sizeof(T))) {}
    ~Lent() { backend_.free(memory_); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    T* get() const { return static_cast<T*>(memory_); }
    Status take(std::vector<T>& from) const {
        return backend_.copy({memory_, type, 1, count_, count_}, {from.data(), type, 1, count_, count_}, nullptr);
    }
    Status give(std::vector<T>& to) const {
        return backend_.copy({to.data(), type, 1, count_, count_}, {memory_, type, 1, count_, count_}, nullptr);
    }

private:
    const Backend& backend_;
    std::int64_t count_;
    void* memory_;
};

/// The source of a row's tiles, and the launch that loads them.
struct Way {
    cuda::LoaderForm form;
    cuda::LoadersTask task;
};

LoadersRun without_a_run(const char* trouble) {
    LoadersRun run;
    run.rows.push_back({.form = cuda::loader_form_names[0], .trouble = trouble});
    return run;
}

}  // namespace

LoadersRun bench_cuda_loaders(const Backend& backend, const Watch& watch) {
    const cuda::LoadersDoor* door = cuda::loaders();
    if (!door) return without_a_run("this build has no libtilewright_cuda");
    const int blocks = door->blocks(), all_tiles = blocks * fills;
    LoadersRun run{.groups = blocks, .fills = fills};

    std::vector<float> host(static_cast<std::size_t>(all_tiles) * cuda::loaders_tile_floats);
    std::iota(host.begin(), host.end(), 1.0f);
    std::vector<std::uint64_t> results(static_cast<std::size_t>(cuda::loaders_results(blocks)));
    const Lent<float, Type::f32> from(backend, static_cast<std::int64_t>(host.size()));
    const Lent<std::uint64_t, Type::f64> to(backend, static_cast<std::int64_t>(results.size()));
    if (!from.get() || !to.get()) return without_a_run("the device has no memory for it");
    if (const Status bad = from.take(host); !bad) return without_a_run(bad.text);

    std::vector<Way> ways;
    for (const bool cached : {false, true})
        for (const auto form : {cuda::LoaderForm::plain, cuda::LoaderForm::async, cuda::LoaderForm::bulk})
            for (int loaders = 1; loaders <= cuda::most_loaders; ++loaders) {
                run.rows.push_back({.form = cuda::loader_form_names[static_cast<int>(form)],
                                    .from_cache = cached,
                                    .loaders = loaders});
                if (!door->has(form)) run.rows.back().trouble = "this device has no such engine";
                ways.push_back({form, {from.get(), to.get(), cached ? blocks : all_tiles, fills, loaders}});
            }
    for (int round = 0; round < rounds && !watch.is_interrupted(); ++round) {
        watch.say("loading", static_cast<double>(round) / rounds);
        for (std::size_t i = 0; i < ways.size(); ++i) {
            LoadersRow& row = run.rows[i];
            if (!row.trouble.empty()) continue;
            Status status = door->launch(ways[i].form, ways[i].task, blocks);
            if (status) status = backend.wait(nullptr);
            if (status) status = to.give(results);
            if (!status) {
                row.trouble = status.text;
            } else if (round == 0 && !cuda::are_loaded_right(ways[i].task, host, results, blocks)) {
                row.trouble = "threads read other data than the loaders should have loaded";
                row.is_wrong = true;
            } else {
                row.seconds.push_back(cuda::loaders_seconds(results, blocks));
            }
        }
    }
    for (LoadersRow& row : run.rows) std::sort(row.seconds.begin(), row.seconds.end());
    return run;
}

}  // namespace tw::measure
