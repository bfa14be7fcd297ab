// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Operands as TMA wants them, without a device: how much scratch their copies take, whether C's rows suit it, and a
// driver that does not know it.
#include "backend/cuda/operands/aligned.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "backend/cuda/async/job.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

namespace {

using namespace tw;
using cuda::AsRead;

class AlignedOperands : public test::OnFakeRuntime {
protected:
    /// In a device's memory, which nobody reads.
    static Matrix lying(Type type, std::int64_t rows, std::int64_t cols, Form form) {
        Matrix m{reinterpret_cast<void*>(0x10000), type, rows, cols};
        m.row_step = form == Form::row_major ? cols : form == Form::col_major ? 1 : 2 * cols;
        m.col_step = form == Form::row_major ? 1 : form == Form::col_major ? rows : 2;
        return m;
    }
    std::vector<std::byte> scratch_ = std::vector<std::byte>(std::size_t{8} << 20);
};

constexpr Form forms[] = {Form::row_major, Form::col_major, Form::strided};

/// Exactly what is said of them is enough, a byte less is not, and what is planned by forms alone is no less.
TEST_F(AlignedOperands, TakeTheScratchThatIsSaidOfThem) {
    for (const Type type : {Type::f32, Type::f16, Type::bf16})
        for (const AsRead how : {AsRead::b_across, AsRead::both_across})
            for (const Form a : forms)
                for (const Form b : forms)
                    for (const std::int64_t m : {40, 41, 136})
                        for (const std::int64_t n : {48, 50, 144})
                            for (const std::int64_t k : {64, 66, 67, 2048, 2049}) {
                                SCOPED_TRACE(testing::Message()
                                             << name_of(type) << ' ' << m << ' ' << n << ' ' << k << ", forms "
                                             << int(a) << int(b) << ", as read " << int(how));
                                Call call{.a = lying(type, m, k, a),
                                          .b = lying(type, k, n, b),
                                          .c = {nullptr, type, m, n, n}};
                                const std::size_t bytes = cuda::aligned_bytes_of(call, how);
                                const Problem problem{.m = m, .n = n, .k = k, .in = type, .a = a, .b = b};
                                ASSERT_GE(cuda::aligned_bytes(problem, how), bytes);
                                ASSERT_LE(bytes, scratch_.size());
                                cuda::AlignedRows of_a{}, of_b{};
                                bool possible = false;
                                call.scratch = std::span(scratch_).first(bytes);
                                EXPECT_TRUE(cuda::align_operands(call, how, of_a, of_b, possible));
                                ASSERT_TRUE(possible);
                                for (const cuda::AlignedRows& rows : {of_a, of_b})
                                    EXPECT_EQ(rows.step * static_cast<std::int64_t>(size_of(type)) % 16, 0);
                                if (bytes == 0) continue;
                                call.scratch = call.scratch.first(bytes - 1);
                                EXPECT_TRUE(cuda::align_operands(call, how, of_a, of_b, possible));
                                ASSERT_FALSE(possible);
                            }
}

TEST_F(AlignedOperands, CIsWrittenInWholeSixteenBytesOrByThreads) {
    struct Case {
        std::int64_t address, n, row_step, col_step;
        bool by_group, by_box;
    };
    for (const auto& [address, n, row_step, col_step, by_group, by_box] : {Case{0x1000, 64, 64, 1, true, true},
                                                                           {0x1000, 60, 64, 1, true, false},
                                                                           {0x1008, 64, 64, 1, false, false},
                                                                           {0x1000, 64, 66, 1, false, false},
                                                                           {0x1000, 64, 128, 2, false, false}}) {
        const Matrix c{reinterpret_cast<void*>(address), Type::f16, 64, n, row_step, col_step};
        const Call call{.a = {nullptr, Type::f16, 64, 8, 8}, .b = {nullptr, Type::f16, 8, n, n}, .c = c};
        cuda::Job job{.call = call};
        job.mapped.c.first = reinterpret_cast<void*>(address);
        EXPECT_EQ(cuda::goes_by_group(call, job.mapped.c), by_group) << address << ' ' << n << ' ' << row_step;
        EXPECT_EQ(cuda::goes_by_box(job), by_box) << address << ' ' << n << ' ' << row_step;
    }
}

/// A driver's answer is kept for good, so each is asked for in a program of its own.
TEST_F(AlignedOperands, ADriverThatHasNoMapsIsToldSo) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const auto& [is_found, has_entry] : {std::pair{true, true}, {false, true}, {true, false}, {false, false}})
        EXPECT_EXIT(
            {
                test::driver_answers(is_found, has_entry);
                CUtensorMap map{};
                const Status status = cuda::describe(map, {.data = nullptr,
                                                           .type = Type::f16,
                                                           .inner = 64,
                                                           .outer = 64,
                                                           .row_bytes = 128,
                                                           .box_inner = 64,
                                                           .box_outer = 16});
                std::_Exit(status.is_ok() == (is_found && has_entry) ? 0 : 1);
            },
            testing::ExitedWithCode(0), "")
            << is_found << has_entry;
}

}  // namespace
