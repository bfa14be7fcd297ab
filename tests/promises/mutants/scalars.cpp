// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// alpha, beta and the C that was there before.
#include <cmath>

#include "promises/mutants/true_kernel.hpp"
#include "promises/mutants/wrong_kernels.hpp"

namespace tw::mutants {
namespace {

struct ForgetsBeta : Correct {
    static constexpr const char* name = "forgets beta";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t, std::int64_t) {
        return alpha(call) * sum;
    }
};
struct TakesBetaForOne : Correct {
    static constexpr const char* name = "adds C whatever beta is, unless 0";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        return beta(call) == 0 ? alpha(call) * sum : alpha(call) * sum + D::read_c(call, i, j);
    }
};
struct ReadsCForBetaZero : Correct {
    static constexpr const char* name = "reads C when beta is 0";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        return alpha(call) * sum + beta(call) * D::read_c(call, i, j);
    }
};
struct ForgetsAlpha : Correct {
    static constexpr const char* name = "forgets alpha";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        return beta(call) == 0 ? sum : sum + beta(call) * D::read_c(call, i, j);
    }
};
struct ForgetsAlphaForBetaZero : Correct {
    static constexpr const char* name = "forgets alpha when beta is 0";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        return beta(call) == 0 ? sum : alpha(call) * sum + beta(call) * D::read_c(call, i, j);
    }
};
struct SwapsScalars : Correct {
    static constexpr const char* name = "takes alpha for beta and beta for alpha";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        return beta(call) == 0 ? alpha(call) * sum : beta(call) * sum + alpha(call) * D::read_c(call, i, j);
    }
};
struct NaNAlphaIsZero : Correct {
    static constexpr const char* name = "takes an alpha of NaN for 0";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        const float scaled = alpha(call) < 0 || alpha(call) > 0 ? alpha(call) * sum : 0;
        return beta(call) == 0 ? scaled : scaled + beta(call) * D::read_c(call, i, j);
    }
};
struct NaNBetaIsZero : Correct {
    static constexpr const char* name = "takes a beta of NaN for 0";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        const bool reads = beta(call) < 0 || beta(call) > 0;
        return reads ? alpha(call) * sum + beta(call) * D::read_c(call, i, j) : alpha(call) * sum;
    }
};
struct AlphaTimesAll : Correct {
    static constexpr const char* name = "multiplies beta * C by alpha too";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        return beta(call) == 0 ? alpha(call) * sum : alpha(call) * (sum + beta(call) * D::read_c(call, i, j));
    }
};
struct AddsCTwice : Correct {
    static constexpr const char* name = "adds beta * C twice";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        const float right = Correct::result<D>(call, sum, i, j);
        return beta(call) == 0 ? right : right + beta(call) * D::read_c(call, i, j);
    }
};
struct AddsCPerBlock : Correct {
    static constexpr const char* name = "adds beta * C once for each block of terms";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        if (beta(call) == 0) return alpha(call) * sum;
        const auto blocks = static_cast<float>(depth_blocks(call.k()));
        return alpha(call) * sum + blocks * beta(call) * D::read_c(call, i, j);
    }
};
struct BetaInTheFirstBlockOnly : Correct {
    static constexpr const char* name = "forgets beta beyond the first block of columns";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        return beta(call) == 0 || j >= BN ? alpha(call) * sum : alpha(call) * sum + beta(call) * D::read_c(call, i, j);
    }
};
struct MinusOneIsOne : Correct {
    static constexpr const char* name = "takes an alpha of -1 for 1";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        Call positive = call;
        if (call.alpha == -1) positive.alpha = 1;
        return Correct::result<D>(positive, sum, i, j);
    }
};
struct SubtractsC : Correct {
    static constexpr const char* name = "subtracts beta * C when beta is negative, twice negated";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        Call positive = call;
        positive.beta = std::fabs(call.beta);
        return Correct::result<D>(positive, sum, i, j);
    }
};

}  // namespace

Table wrong_in_scalars() {
    return table<ForgetsBeta, TakesBetaForOne, ReadsCForBetaZero, ForgetsAlpha, ForgetsAlphaForBetaZero, SwapsScalars,
                 NaNAlphaIsZero, NaNBetaIsZero, AlphaTimesAll, AddsCTwice, AddsCPerBlock, BetaInTheFirstBlockOnly,
                 MinusOneIsOne, SubtractsC>;
}

}  // namespace tw::mutants
