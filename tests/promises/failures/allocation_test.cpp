// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rule 27: when the i-th request for memory or for a thread is refused, for every i, a product still ends: with the
// right result, or with a status and C as it was.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "base/scratch.hpp"
#include "plan/registry.hpp"
#include "refusals.hpp"
#include "tilewright/batch.hpp"
#include "tilewright/effort.hpp"
#include "tilewright/packed.hpp"
#include "tilewright/tilewright.h"

// clang's runtimes are in the program itself, and what they ask for goes through here, too: before a thread is known to
// them.
#if defined(__clang__) && __has_attribute(disable_sanitizer_instrumentation)
#define UNWATCHED __attribute__((disable_sanitizer_instrumentation))
#else
#define UNWATCHED
#endif

namespace {

thread_local int countdown = -1;  // requests granted before one is refused; negative: all are granted
thread_local int requests = 0;

UNWATCHED bool refuse() {
    ++requests;
    return countdown >= 0 && countdown-- == 0;
}

}  // namespace

extern "C" {
void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_aligned_alloc(std::size_t, std::size_t);
int __real_posix_memalign(void**, std::size_t, std::size_t);
void* __real_mmap(void*, std::size_t, int, int, int, off_t);
int __real_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
int __real_pthread_setspecific(pthread_key_t, const void*);
void* __real__Znwm(std::size_t);
void* __real__Znam(std::size_t);
void* __real__ZnwmRKSt9nothrow_t(std::size_t, const std::nothrow_t&);
void* __real__ZnamRKSt9nothrow_t(std::size_t, const std::nothrow_t&);

UNWATCHED void* __wrap_malloc(std::size_t n) { return refuse() ? nullptr : __real_malloc(n); }
UNWATCHED void* __wrap_calloc(std::size_t n, std::size_t size) { return refuse() ? nullptr : __real_calloc(n, size); }
UNWATCHED void* __wrap_aligned_alloc(std::size_t a, std::size_t n) {
    return refuse() ? nullptr : __real_aligned_alloc(a, n);
}
UNWATCHED int __wrap_posix_memalign(void** p, std::size_t a, std::size_t n) {
    return refuse() ? ENOMEM : __real_posix_memalign(p, a, n);
}
UNWATCHED void* __wrap_mmap(void* p, std::size_t n, int protection, int flags, int file, off_t offset) {
    return refuse() ? MAP_FAILED : __real_mmap(p, n, protection, flags, file, offset);
}
UNWATCHED int __wrap_pthread_create(pthread_t* t, const pthread_attr_t* a, void* (*f)(void*), void* x) {
    return refuse() ? EAGAIN : __real_pthread_create(t, a, f, x);
}
UNWATCHED int __wrap_pthread_setspecific(pthread_key_t key, const void* value) {
    return refuse() ? ENOMEM : __real_pthread_setspecific(key, value);
}
UNWATCHED void* __wrap__Znwm(std::size_t n) { return refuse() ? throw std::bad_alloc() : __real__Znwm(n); }
UNWATCHED void* __wrap__Znam(std::size_t n) { return refuse() ? throw std::bad_alloc() : __real__Znam(n); }
UNWATCHED void* __wrap__ZnwmRKSt9nothrow_t(std::size_t n, const std::nothrow_t& t) {
    return refuse() ? nullptr : __real__ZnwmRKSt9nothrow_t(n, t);
}
UNWATCHED void* __wrap__ZnamRKSt9nothrow_t(std::size_t n, const std::nothrow_t& t) {
    return refuse() ? nullptr : __real__ZnamRKSt9nothrow_t(n, t);
}
}

int tw::test::refuse_request(int i, const std::function<void()>& work) {
    int made = 0;
    std::thread caller([&] {
        requests = 0;
        countdown = i;
        work();
        countdown = -1;
        made = requests;
        tw::release_thread_scratch();
    });
    caller.join();
    return made;
}

namespace {

using tw::test::refuse_request;
constexpr std::int64_t size = 150;

/// How many of the requests the product can't do without.
int refuse_each_request(const tw::Options& options) {
    const float right = static_cast<float>(2 * size + options.beta * 5);
    const std::vector<float> a(size * size, 1), b(size * size, 2);
    int needed = 0;
    for (int i = 0, made = 1; i < made; ++i) {  // a call that is refused early makes fewer: on, until none is refused
        tw::Status status;
        std::vector<float> c(size * size, 5);
        made = 1 + refuse_request(i, [&] {
                   status = tw::try_multiply(tw::View(a.data(), size, size), tw::View(b.data(), size, size),
                                             tw::View(c.data(), size, size), options);
               });
        if (status) EXPECT_EQ(c, std::vector<float>(size * size, right)) << "request " << i;
        else {
            EXPECT_EQ(status.code, tw::Code::out_of_memory) << status.text;
            EXPECT_EQ(c, std::vector<float>(size * size, 5)) << "request " << i << " left C half written";
            ++needed;
        }
        if (i >= 1000) return ADD_FAILURE() << "it asks without end", needed;
    }
    return needed;
}

TEST(Failures, Rule27_Fault01_EveryRefusedRequestEndsInAStatusOrTheRightResult) {
    const tw::Backend& cpu = *tw::find_backend("cpu");
    for (const tw::Kernel* kernel : cpu.ladder) {
        if (kernel->in != tw::Type::f32 || (kernel->needs & ~cpu.features())) continue;
        refuse_each_request({.kernel = kernel->name});
        refuse_each_request({.beta = 1, .threads = 5, .kernel = kernel->name});
        refuse_each_request({.beta = 1, .verify = true, .threads = 3, .kernel = kernel->name});
    }
}

// What can't be remembered can't be checked: such a product is refused, not done unverified.
TEST(Failures, Rule27_Fault01_VerifyingNeedsTheOldCWhereItIsAdded) {
    const int without = refuse_each_request({.verify = true, .threads = 1, .kernel = "r1_naive"}),
              with = refuse_each_request({.beta = 1, .verify = true, .threads = 1, .kernel = "r1_naive"});
    EXPECT_GT(without, 0);
    EXPECT_GT(with, without);
}

/// The same for eight products of 64 x 64 ones by twos: `call` must end in a status and C as it was, or in the right C.
/// Returns how many of the requests it can't do without.
template <class Call>
int refuse_each_request_of(const Call& call) {
    constexpr std::size_t n = 64;
    const std::vector<float> a(n * n * 8, 1), b(n * n, 2);
    int most = 0, needed = 0;
    for (int i = 0, made = 1; i < made; ++i) {
        tw::Status status;
        std::vector<float> c(n * n * 8, 5);
        most = refuse_request(
            i, [&] { status = call(tw::View(a.data(), n, n), tw::View(b.data(), n, n), tw::View(c.data(), n, n)); });
        EXPECT_EQ(c, std::vector<float>(c.size(), status ? 128 : 5)) << "request " << i << ": " << status.text;
        made = 1 + most, needed += !status;
        if (i >= 1000) return ADD_FAILURE() << "it asks without end", needed;
    }
    EXPECT_GT(most, 0) << "there was no request to refuse";
    return needed;
}

TEST(Failures, Rule27_ABatchIsDoneOrLeftAsItWas) {
    for (const int threads : {1, 3}) {
        const int needed = refuse_each_request_of([&](const auto& a, const auto& b, const auto& c) {
            return tw::try_multiply_batch(a, b, c, {.size = 8, .a_step = 64 * 64, .c_step = 64 * 64},
                                          {.threads = threads, .kernel = "r7_hierarchical"});
        });
        EXPECT_EQ(needed, 0) << "what is refused for all workers is asked for once more, for one";
    }
}

TEST(Failures, Rule27_PackingEndsInAStatusOrAPackedOperand) {
    refuse_each_request_of([](const auto& a, const auto& b, const auto& c) {
        tw::Packed packed;
        if (const tw::Status status = tw::try_pack(erase(b), packed, {.threads = 2}); !status) return status;
        const tw::Matrix tall{erase(a).data, tw::Type::f32, 512, 64, 64}, to{c.data, tw::Type::f32, 512, 64, 64};
        return tw::try_multiply(tall, packed, to, {.threads = 2});
    });
}

TEST(Failures, Rule27_TheDialEndsInAStatusOrTheRightResult) {
    constexpr std::int64_t outputs = 700, inputs = 90, vectors = 2;
    std::vector<float> weights(outputs * inputs), v(vectors * inputs);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i * i % 17) - 8;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 7) - 2;
    const tw::Matrix matrix{weights.data(), tw::Type::f32, outputs, inputs, inputs};
    for (const tw::EffortLayout layout :
         {tw::EffortLayout::buckets, tw::EffortLayout::tiers, tw::EffortLayout::planes}) {
        const tw::EffortMatrix m = tw::build_effort(matrix, {.layout = layout});
        for (const double effort : {.4, 1.}) {
            std::vector<float> right(vectors * outputs);
            const auto product = [&](std::vector<float>& y) {
                return tw::try_matvec_batch(m, {v.data(), vectors, inputs}, {y.data(), vectors, outputs},
                                            tw::Budget::effort(effort), {}, {});
            };
            ASSERT_TRUE(product(right));
            int needed = 0;
            for (int i = 0, made = 1; i < made; ++i) {
                tw::Status status;
                std::vector<float> y(right.size());
                made = 1 + refuse_request(i, [&] { status = product(y); });
                ASSERT_LT(i, 1000);
                needed += !status;
                if (status) EXPECT_EQ(y, right) << "request " << i;
                else EXPECT_EQ(status.code, tw::Code::out_of_memory) << status.text;
            }
            if (effort < 1) {
                EXPECT_GT(needed, 0);
            }
        }
    }
}

TEST(Failures, Rule26_NothingIsThrownAcrossTheCFace) {
    float x[4] = {1, 2, 3, 4}, c[4] = {};
    tw_matrix a = {x, TW_F32, 2, 2, 2, 1}, out = {c, TW_F32, 2, 2, 2, 1};
    a.rows = 3;
    for (int i = 0; i < 40; ++i) {
        countdown = i;
        const tw_code code = tw_multiply(&a, &a, &out, nullptr);
        countdown = -1;
        EXPECT_EQ(code, TW_BAD_ARGUMENT);
        EXPECT_NE(*tw_last_error(), '\0');
    }
    a.rows = 2;
    for (int i = 0; i < 3; ++i) {
        countdown = i;
        tw_plan* plan = tw_plan_create(&a, &a, &out, nullptr);
        countdown = -1;
        tw_plan_destroy(plan);
    }
}

}  // namespace
