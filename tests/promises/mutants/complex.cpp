// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Wrong kernels of complex numbers: each is the true one with a mistake in one place.
#include <complex>

#include "backend/contract.hpp"
#include "promises/mutants/wrong_kernels.hpp"

namespace tw::mutants {
namespace {

using C = std::complex<float>;

C alpha(const Call& call) { return {static_cast<float>(call.alpha), static_cast<float>(call.alpha_imag)}; }
C beta(const Call& call) { return {static_cast<float>(call.beta), static_cast<float>(call.beta_imag)}; }

C plain(C x, C y) { return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()}; }
C scaled(C factor, C x) {
    if (factor.imag() == 0) return {factor.real() * x.real(), factor.real() * x.imag()};
    return plain(factor, x);
}

struct True {
    static constexpr const char* name = "the true complex kernel";

    static C a(const Call& call, std::int64_t i, std::int64_t p) { return read(call.a, i, p); }
    static C b(const Call& call, std::int64_t p, std::int64_t j) { return read(call.b, p, j); }
    static C read(const Matrix& m, std::int64_t i, std::int64_t j) {
        const C x = typed<const C>(m)(i, j);
        return m.is_conj ? std::conj(x) : x;
    }
    static C product(C x, C y) { return plain(x, y); }
    static C alpha_of(const Call& call) { return alpha(call); }
    static C beta_of(const Call& call) { return beta(call); }

    template <class D>
    static C sum(const Call& call, std::int64_t i, std::int64_t j) {
        C total = 0;
        for (std::int64_t p = 0; p < call.k(); ++p) total += D::product(D::a(call, i, p), D::b(call, p, j));
        return total;
    }
    template <class D>
    static C result(const Call& call, C sum, C old) {
        const C factor = D::beta_of(call);
        const C of_product = scaled(D::alpha_of(call), sum);
        return factor == C(0) ? of_product : of_product + scaled(factor, old);
    }
    static C written(C value) { return value; }
};

struct LosesTheSignOfTheSecondProduct : True {
    static constexpr const char* name = "adds the product of the imaginary parts";
    static C product(C x, C y) {
        return {x.real() * y.real() + x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
    }
};
struct LosesASignInTheImaginaryPart : True {
    static constexpr const char* name = "subtracts one product of the imaginary part";
    static C product(C x, C y) {
        return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() - x.imag() * y.real()};
    }
};
struct ForgetsConjOfA : True {
    static constexpr const char* name = "forgets that A is a conjugate";
    static C a(const Call& call, std::int64_t i, std::int64_t p) { return typed<const C>(call.a)(i, p); }
};
struct ForgetsConjOfB : True {
    static constexpr const char* name = "forgets that B is a conjugate";
    static C b(const Call& call, std::int64_t p, std::int64_t j) { return typed<const C>(call.b)(p, j); }
};
struct TakesConjOfBForThatOfA : True {
    static constexpr const char* name = "conjugates A where B is a conjugate, and B where A is";
    static C a(const Call& call, std::int64_t i, std::int64_t p) {
        const C x = typed<const C>(call.a)(i, p);
        return call.b.is_conj ? std::conj(x) : x;
    }
    static C b(const Call& call, std::int64_t p, std::int64_t j) {
        const C x = typed<const C>(call.b)(p, j);
        return call.a.is_conj ? std::conj(x) : x;
    }
};
struct ConjugatesTheResult : True {
    static constexpr const char* name = "conjugates the result where both operands are conjugates, once more";
    template <class D>
    static C result(const Call& call, C sum, C old) {
        const C right = True::result<D>(call, sum, old);
        return call.a.is_conj && call.b.is_conj ? std::conj(right) : right;
    }
};
/// Three products for four: (ar + ai)(br + bi) - ar br - ai bi loses an imaginary part that is small beside them.
struct MultipliesThreeTimes : True {
    static constexpr const char* name = "three products, whose imaginary part cancels";
    template <class D>
    static C sum(const Call& call, std::int64_t i, std::int64_t j) {
        float real = 0, imaginary = 0, both = 0;
        for (std::int64_t p = 0; p < call.k(); ++p) {
            const C x = D::a(call, i, p), y = D::b(call, p, j);
            real += x.real() * y.real(), imaginary += x.imag() * y.imag();
            both += (x.real() + x.imag()) * (y.real() + y.imag());
        }
        return {real - imaginary, both - real - imaginary};
    }
};
/// The same with the products' sums taken element by element: it cancels in each.
struct MultipliesThreeTimesEach : True {
    static constexpr const char* name = "three products for each element";
    static C product(C x, C y) {
        const float real = x.real() * y.real(), imaginary = x.imag() * y.imag();
        return {real - imaginary, (x.real() + x.imag()) * (y.real() + y.imag()) - real - imaginary};
    }
};
struct ForgetsTheImaginaryAlpha : True {
    static constexpr const char* name = "forgets alpha's imaginary part";
    static C alpha_of(const Call& call) { return alpha(call).real(); }
};
struct ForgetsTheImaginaryBeta : True {
    static constexpr const char* name = "forgets beta's imaginary part";
    static C beta_of(const Call& call) { return beta(call).real(); }
};
struct ConjugatesAlpha : True {
    static constexpr const char* name = "conjugates alpha";
    static C alpha_of(const Call& call) { return std::conj(alpha(call)); }
};
struct ConjugatesBeta : True {
    static constexpr const char* name = "conjugates beta";
    static C beta_of(const Call& call) { return std::conj(beta(call)); }
};
struct ConjugatesC : True {
    static constexpr const char* name = "conjugates what C held";
    template <class D>
    static C result(const Call& call, C sum, C old) {
        return True::result<D>(call, sum, std::conj(old));
    }
};
struct TakesAnImaginaryBetaForZero : True {
    static constexpr const char* name = "forgets C where beta's real part is 0";
    static C beta_of(const Call& call) { return beta(call).real() == 0 ? C(0) : beta(call); }
};
struct ExchangesParts : True {
    static constexpr const char* name = "writes the imaginary part first";
    static C written(C value) { return {value.imag(), value.real()}; }
};
struct ForgetsTheImaginaryPart : True {
    static constexpr const char* name = "writes real parts alone";
    static C written(C value) { return value.real(); }
};
struct SkipsZeros : True {
    static constexpr const char* name = "skips the products of an imaginary part that is 0";
    static C product(C x, C y) {
        if (x.imag() == 0) return {x.real() * y.real(), x.real() * y.imag()};
        return plain(x, y);
    }
};
struct FindsInfinities : True {
    static constexpr const char* name = "looks for infinities where a part is NaN";
    static C product(C x, C y) { return x * y; }
};
struct LosesTheLastTerm : True {
    static constexpr const char* name = "loses the last term of the imaginary part";
    template <class D>
    static C sum(const Call& call, std::int64_t i, std::int64_t j) {
        const std::int64_t last = call.k() - 1;
        const C whole = True::sum<D>(call, i, j), term = D::product(D::a(call, i, last), D::b(call, last, j));
        return {whole.real(), whole.imag() - term.imag()};
    }
};

template <class D>
Status run(const Call& call, const Tile&) {
    const auto c = typed<C>(call.c);
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j) {
            const C sum = D::template sum<D>(call, i, j);
            const C old = D::beta_of(call) == C(0) ? C(0) : c(i, j);
            c(i, j) = D::written(D::template result<D>(call, sum, old));
        }
    return {};
}

template <class D>
constexpr Kernel complex_row{
    .name = D::name,
    .rung = Rung::naive,
    .in = Type::c64,
    .out = Type::c64,
    .sum = Type::c64,
    .scheme = &plain_f32,
    .idea = "one result at a time",
    .sum_bound = [](std::int64_t k) { return gamma(static_cast<double>(2 * k) + 4, unit_f32); },
    .nanoseconds = [](const Problem&, int) { return 1.0; },
    .run = run<D>,
};

template <class... Ds>
constexpr const Kernel* complex_table[] = {&complex_row<Ds>...};

}  // namespace

const Kernel& true_complex() { return complex_row<True>; }

Table wrong_in_complex() {
    return complex_table<LosesTheSignOfTheSecondProduct, LosesASignInTheImaginaryPart, ForgetsConjOfA, ForgetsConjOfB,
                         TakesConjOfBForThatOfA, ConjugatesTheResult, MultipliesThreeTimes, MultipliesThreeTimesEach,
                         ForgetsTheImaginaryAlpha, ForgetsTheImaginaryBeta, ConjugatesAlpha, ConjugatesBeta,
                         ConjugatesC, TakesAnImaginaryBetaForZero, ExchangesParts, ForgetsTheImaginaryPart, SkipsZeros,
                         FindsInfinities, LosesTheLastTerm>;
}

}  // namespace tw::mutants
