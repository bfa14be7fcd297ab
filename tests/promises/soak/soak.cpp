// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// soak CALLS LIBRARY: eight threads mix every kind of call, so many in all: products of all types, checked and
// corrected ones, plans made and destroyed, batches, packed operands, the effort dial, forks, the shared library opened
// and closed, and products on a CUDA device where there is one. Each kind has one right answer, which is compared every
// time. At the end no memory, descriptor or thread may be there that was not there when all had been done a few times.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tilewright/batch.hpp"
#include "tilewright/effort.hpp"
#include "tilewright/packed.hpp"
#include "tilewright/plan.hpp"
#include "tilewright/tilewright.h"

namespace {

constexpr int callers = 8;
const char* library = "libtilewright.so";

using Answer = std::vector<float>;

struct Operands {
    std::int64_t m, n, k;
    std::vector<float> a, b;

    Operands(std::int64_t rows, std::int64_t cols, std::int64_t inner)
        : m(rows), n(cols), k(inner), a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 89) / 64 - 0.6f;
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 97) / 128 - 0.3f;
    }
    tw::View<const float> av() const { return {a.data(), m, k}; }
    tw::View<const float> bv() const { return {b.data(), k, n}; }
    Answer c() const { return Answer(static_cast<std::size_t>(m * n), 0.25f); }
    Answer product(const tw::Options& options) const {
        Answer answer = c();
        tw::multiply(av(), bv(), tw::View(answer.data(), m, n), options);
        return answer;
    }
};

Answer in_f64() {
    const Operands o(60, 50, 40);
    const std::vector<double> a(o.a.begin(), o.a.end()), b(o.b.begin(), o.b.end());
    std::vector<double> c(static_cast<std::size_t>(o.m * o.n));
    tw::multiply(tw::View(a.data(), o.m, o.k), tw::View(b.data(), o.k, o.n), tw::View(c.data(), o.m, o.n));
    Answer answer;
    for (const double x : c) answer.push_back(static_cast<float>(x));
    return answer;
}

Answer in_bf16() {
    const Operands o(60, 50, 40);
    const auto narrow = [](const std::vector<float>& values) {
        std::vector<tw::bfloat16> made;
        for (const float& x : values) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, &x, sizeof bits);
            made.push_back({static_cast<std::uint16_t>(bits >> 16)});
        }
        return made;
    };
    const auto a = narrow(o.a), b = narrow(o.b);
    Answer answer = o.c();
    tw::multiply(tw::View(a.data(), o.m, o.k), tw::View(b.data(), o.k, o.n), tw::View(answer.data(), o.m, o.n));
    return answer;
}

Answer planned() {
    const Operands o(70, 90, 110);
    tw::Plan plan = tw::plan({.m = o.m, .n = o.n, .k = o.k}, {.threads = 2});
    std::vector<std::byte> scratch(plan.scratch_bytes());
    plan.options.scratch = scratch;
    Answer answer = o.c();
    plan.run(o.av(), o.bv(), tw::View(answer.data(), o.m, o.n));
    return answer;
}

Answer planned_in_c() {
    Operands o(33, 65, 129);
    Answer answer = o.c();
    const tw_matrix a = {o.a.data(), TW_F32, o.m, o.k, o.k, 1}, b = {o.b.data(), TW_F32, o.k, o.n, o.n, 1},
                    c = {answer.data(), TW_F32, o.m, o.n, o.n, 1};
    tw_options options = tw_default_options();
    options.verify = TW_VERIFY_CORRECT;
    tw_plan* const plan = tw_plan_create(&a, &b, &c, &options);
    if (!plan || tw_plan_run(plan, &a, &b, &c) != TW_OK) answer.clear();
    tw_plan_destroy(plan);
    return answer;
}

Answer batched() {
    const Operands o(24, 40, 30);
    constexpr std::int64_t size = 20;
    Answer answer(static_cast<std::size_t>(o.m * o.n * size));
    tw::multiply_batch(o.av(), o.bv(), tw::View(answer.data(), o.m, o.n), {.size = size, .c_step = o.m * o.n},
                       {.threads = 3});
    return answer;
}

Answer packed() {
    const Operands o(100, 120, 140);
    const tw::Packed b = tw::pack(o.bv());
    Answer answer = o.c();
    tw::multiply(o.av(), b, tw::View(answer.data(), o.m, o.n));
    return answer;
}

Answer dialled() {
    const Operands weights(96, 1, 64);
    const tw::EffortMatrix matrix = tw::build_effort(
        {const_cast<float*>(weights.a.data()), tw::Type::f32, weights.m, weights.k, weights.k}, {.threads = 2});
    Answer answer(96);
    tw::matvec(matrix, std::span(weights.b), std::span(answer), tw::Budget::effort(0.5));
    return answer;
}

Answer forked() {
    const Operands o(90, 90, 90);
    const Answer right = o.product({.threads = 3});
    const pid_t child = fork();
    if (child == 0) _exit(o.product({.threads = 3}) == right ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0 ? right : Answer{};
}

Answer opened() {
    Operands o(40, 40, 40);
    Answer answer = o.c();
    void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!opened) return {};
    const auto multiply = reinterpret_cast<decltype(&tw_multiply)>(dlsym(opened, "tw_multiply"));
    const tw_matrix a = {o.a.data(), TW_F32, o.m, o.k, o.k, 1}, b = {o.b.data(), TW_F32, o.k, o.n, o.n, 1},
                    c = {answer.data(), TW_F32, o.m, o.n, o.n, 1};
    if (!multiply || multiply(&a, &b, &c, nullptr) != TW_OK) answer.clear();
    dlclose(opened);
    return answer;
}

/// No answer where there is no device.
Answer on_a_device(tw::Options options) {
    const Operands o(130, 150, 170);
    Answer answer = o.c();
    options.device = "cuda";
    const tw::Status status = tw::try_multiply(o.av(), o.bv(), tw::View(answer.data(), o.m, o.n), options);
    if (status.code == tw::Code::no_device) return {};
    return status ? answer : Answer(1);
}

struct Kind {
    const char* name;
    Answer (*answer)();
};

constexpr Kind kinds[] = {
    {"f32", [] { return Operands(130, 150, 170).product({.beta = 1, .threads = 3}); }},
    {"f32 small", [] { return Operands(3, 5, 7).product({}); }},
    {"reproducible", [] { return Operands(50, 60, 300).product({.reproducible = true, .threads = 2}); }},
    {"slabs", [] { return Operands(50, 60, 300).product({.slabs = 4}); }},
    {"verify", [] { return Operands(80, 80, 80).product({.verify = true}); }},
    {"correct", [] { return Operands(80, 80, 80).product({.beta = 0.5, .verify = tw::Verify::correct}); }},
    {"epilogue", [] { return Operands(60, 70, 80).product({.epilogue = tw::relu()}); }},
    {"cpu-check", [] { return Operands(40, 40, 40).product({.accuracy = tw::bf16, .device = "cpu-check"}); }},
    {"f64", in_f64},
    {"bf16", in_bf16},
    {"a plan", planned},
    {"a plan in C", planned_in_c},
    {"a batch", batched},
    {"packed", packed},
    {"the dial", dialled},
    {"a fork", forked},
    {"the library opened again", opened},
    {"a device", [] { return on_a_device({.beta = 1}); }},
    {"a device, corrected", [] { return on_a_device({.verify = tw::Verify::correct}); }},
};
constexpr std::size_t of_devices = 2;  // the last ones

Answer answers[std::size(kinds)];
std::size_t kinds_here = std::size(kinds);
std::atomic<bool> enough{false};
std::atomic<long> calls{0}, wrong{0};

void call_on(int caller) {
    for (std::size_t i = static_cast<std::size_t>(caller); !enough; ++i) {
        const std::size_t kind = i % kinds_here;
        ++calls;
        if (kinds[kind].answer() == answers[kind]) continue;
        ++wrong;
        std::printf("%s: an answer differs from the first one\n", kinds[kind].name);
    }
}

struct Level {
    long kibibytes = 0, descriptors = 0, threads = 0;
};

long entries(const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

Level level() {
    long all = 0, resident = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return {resident * sysconf(_SC_PAGESIZE) / 1024, entries("/proc/self/fd"), entries("/proc/self/task")};
}

/// The highest of each until so many calls were made: what is there for a moment is there at either time.
Level highest_until(long made) {
    Level most;
    while (calls < made) {
        const Level now = level();
        most.kibibytes = std::max(most.kibibytes, now.kibibytes);
        most.descriptors = std::max(most.descriptors, now.descriptors);
        most.threads = std::max(most.threads, now.threads);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return most;
}

bool has_grown(const Level& early, const Level& late) {
    constexpr long one_more_arena = 1024;  // KiB: an allocator's own, beside the percent
    return late.kibibytes > early.kibibytes + early.kibibytes / 100 + one_more_arena ||
           late.descriptors > early.descriptors || late.threads > early.threads;
}

}  // namespace

int main(int count, char** arguments) {
    const long asked = count > 1 ? std::atol(arguments[1]) : 10000;
    if (count > 2) library = arguments[2];
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
        answers[i] = kinds[i].answer();
        if (answers[i].empty() && i == std::size(kinds) - of_devices) {
            kinds_here = i;
            break;
        }
        if (answers[i].empty()) return std::printf("%s: there is no answer\n", kinds[i].name), 1;
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < callers; ++i) threads.emplace_back(call_on, i);
    highest_until(asked / 4);  // every thread has done everything a few times
    const Level early = highest_until(asked / 2);
    highest_until(asked * 3 / 4);
    const Level late = highest_until(asked);
    enough = true;
    for (std::thread& thread : threads) thread.join();
    std::printf("%ld calls of %zu kinds, %ld wrong; memory %ld, then %ld KiB; descriptors %ld, %ld; threads %ld, %ld\n",
                calls.load(), kinds_here, wrong.load(), early.kibibytes, late.kibibytes, early.descriptors,
                late.descriptors, early.threads, late.threads);
    return wrong != 0 || has_grown(early, late);
}
