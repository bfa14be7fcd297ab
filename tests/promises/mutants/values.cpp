// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Values that a kernel may not treat as it likes: zeros, subnormals, Inf, NaN, and the bits of each number.
#include <cmath>
#include <limits>

#include "base/rounding.hpp"
#include "promises/mutants/true_kernel.hpp"
#include "promises/mutants/wrong_kernels.hpp"

namespace tw::mutants {
namespace {

constexpr float least_normal = 0x1p-126f, largest = std::numeric_limits<float>::max();

float flushed(float x) { return std::fabs(x) < least_normal ? std::copysign(0.0f, x) : x; }

struct SkipsZerosOfA : Correct {
    static constexpr const char* name = "skips zeros of A, and with them 0 * Inf";
    static float add(float sum, float x, float y, std::int64_t) { return x == 0 ? sum : sum + x * y; }
};
struct SkipsZerosOfB : Correct {
    static constexpr const char* name = "skips zeros of B, and with them 0 * NaN";
    static float add(float sum, float x, float y, std::int64_t) { return y == 0 ? sum : sum + x * y; }
};
struct FlushesOperands : Correct {
    static constexpr const char* name = "flushes subnormal operands to zero";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) { return flushed(a_of(call)(i, p)); }
};
struct FlushesResults : Correct {
    static constexpr const char* name = "flushes subnormal sums to zero";
    static float after_block(float sum) { return flushed(sum); }
};
struct FlushesC : Correct {
    static constexpr const char* name = "flushes a subnormal C to zero";
    static float read_c(const Call& call, std::int64_t i, std::int64_t j) { return flushed(c_of(call)(i, j)); }
};
struct LosesNaN : Correct {
    static constexpr const char* name = "takes a NaN in A for 0";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        const float x = a_of(call)(i, p);
        return std::isnan(x) ? 0 : x;
    }
};
struct LosesOneNaN : Correct {
    static constexpr const char* name = "takes a NaN for 0 in B's last row alone";
    static float read_b(const Call& call, std::int64_t p, std::int64_t j) {
        const float x = b_of(call)(p, j);
        return std::isnan(x) && p + 1 == call.k() ? 0 : x;
    }
};
struct LosesInfTimesZeroInAnEdge : Correct {
    static constexpr const char* name = "skips zeros in the last partial block of terms";
    static float add(float sum, float x, float y, std::int64_t p) { return p >= BK && x == 0 ? sum : sum + x * y; }
};
struct ClampsInf : Correct {
    static constexpr const char* name = "clamps Inf to the largest number";
    static float after_block(float sum) { return std::isinf(sum) ? std::copysign(largest, sum) : sum; }
};
struct MaxLosesNaN : Correct {
    static constexpr const char* name = "loses a NaN of C in a comparison";
    static float read_c(const Call& call, std::int64_t i, std::int64_t j) {
        return std::fmax(c_of(call)(i, j), -largest);
    }
};
struct SumsInBf16 : Correct {
    static constexpr const char* name = "sums in bf16";
    static float add(float sum, float x, float y, std::int64_t) { return widen(to_bfloat16(sum + x * y)); }
};
struct SumsInTf32 : Correct {
    static constexpr const char* name = "rounds each partial sum to tf32";
    static float after_block(float sum) { return to_tf32(sum); }
};
struct ReadsBf16 : Correct {
    static constexpr const char* name = "rounds A to bf16";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        return widen(to_bfloat16(a_of(call)(i, p)));
    }
};
struct ReadsTf32 : Correct {
    static constexpr const char* name = "rounds B to tf32";
    static float read_b(const Call& call, std::int64_t p, std::int64_t j) { return to_tf32(b_of(call)(p, j)); }
};
struct ReadsF16 : Correct {
    static constexpr const char* name = "rounds A to f16, which ends at 65504";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        return widen(to_float16(a_of(call)(i, p)));
    }
};
struct SplitsInTwo : Correct {
    static constexpr const char* name = "splits A into two parts of bf16 and leaves out the rest";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        const float x = a_of(call)(i, p), upper = widen(to_bfloat16(x));
        return std::isfinite(upper) ? upper + widen(to_bfloat16(x - upper)) : x;
    }
};
struct SplitsWithoutGuard : Correct {
    static constexpr const char* name = "splits A exactly, but not where the first part overflows";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        const float x = a_of(call)(i, p), upper = widen(to_bfloat16(x));
        return upper + (x - upper);
    }
};
struct SignAtOddTerms : Correct {
    static constexpr const char* name = "slips a sign at every 63rd term";
    static float add(float sum, float x, float y, std::int64_t p) { return p % 64 == 63 ? sum - x * y : sum + x * y; }
};
struct LosesTheSmall : Correct {
    static constexpr const char* name = "drops terms below 2^-20 of the sum";
    static float add(float sum, float x, float y, std::int64_t) {
        return std::fabs(x * y) < std::fabs(sum) * 0x1p-20f ? sum : sum + x * y;
    }
};

}  // namespace

Table wrong_in_values() {
    return table<SkipsZerosOfA, SkipsZerosOfB, FlushesOperands, FlushesResults, FlushesC, LosesNaN, LosesOneNaN,
                 LosesInfTimesZeroInAnEdge, ClampsInf, MaxLosesNaN, SumsInBf16, SumsInTf32, ReadsBf16, ReadsTf32,
                 ReadsF16, SplitsInTwo, SplitsWithoutGuard, SignAtOddTerms, LosesTheSmall>;
}

}  // namespace tw::mutants
