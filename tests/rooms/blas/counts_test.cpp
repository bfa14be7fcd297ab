// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// TW_LOG=counts: which names a program has called, and how often, told when it ends.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "rooms/blas/names.hpp"

extern "C" {
CStrided<double, std::int64_t> cblas_dgemm_batch_strided_64;
FortranStrided<float, std::int64_t> sgemm_batch_strided_64_;
FortranGemmt<float, std::int64_t> sgemmtr_64_;
}

namespace {

/// Products of nothing: they are counted all the same.
template <class T, class Int>
struct Nothing {
    T one = 1, x[1] = {};
    Int none = 0, ld = 1;
    const T* operand[1] = {x};
    T* result[1] = {x};
    const int no_transpose[1] = {NoTrans};

    void run(FortranGemm<T, Int>& f) { f("N", "N", &none, &none, &none, &one, x, &ld, x, &ld, &one, x, &ld); }
    void run(CGemm<T, Int>& f) { f(ColMajor, NoTrans, NoTrans, none, none, none, one, x, ld, x, ld, one, x, ld); }
    void run(FortranGemmt<T, Int>& f) { f("U", "N", "N", &none, &none, &one, x, &ld, x, &ld, &one, x, &ld); }
    void triangle(CGemmt<T, Int>& f) {
        f(ColMajor, Upper, NoTrans, NoTrans, none, none, one, x, ld, x, ld, one, x, ld);
    }
    void run(FortranBatch<T, Int>& f) {
        f("N", "N", &none, &none, &none, &one, operand, &ld, operand, &ld, &one, result, &ld, &none, &ld);
    }
    void run(CBatch<T, Int>& f) {
        f(ColMajor, no_transpose, no_transpose, &none, &none, &none, &one, operand, &ld, operand, &ld, &one, result,
          &ld, none, &ld);
    }
    void run(FortranStrided<T, Int>& f) {
        f("N", "N", &none, &none, &none, &one, x, &ld, &none, x, &ld, &none, &one, x, &ld, &none, &none);
    }
    void run(CStrided<T, Int>& f) {
        f(ColMajor, NoTrans, NoTrans, none, none, none, one, x, ld, none, x, ld, none, one, x, ld, none, none);
    }
};

void call_each() {
    setenv("TW_LOG", "counts", 1);
    Nothing<float, int> s;
    Nothing<double, int> d;
    Nothing<float, std::int64_t> wide_s;
    Nothing<double, std::int64_t> wide_d;
    for (int times = 0; times < 3; ++times) s.run(sgemm_), s.run(scipy_sgemm_);
    wide_s.run(sgemm_64_), wide_s.run(scipy_sgemm_64_);
    s.run(cblas_sgemm), s.run(scipy_cblas_sgemm);
    wide_s.run(cblas_sgemm_64), wide_s.run(cblas_sgemm64_), wide_s.run(scipy_cblas_sgemm64_);
    s.run(sgemmt_), s.triangle(cblas_sgemmt), s.run(sgemmtr_), s.triangle(cblas_sgemmtr), wide_s.run(sgemmtr_64_);
    s.run(sgemm_batch_), s.run(cblas_sgemm_batch), s.run(cblas_sgemm_batch_strided);
    wide_s.run(sgemm_batch_strided_64_);
    d.run(dgemm_), wide_d.run(cblas_dgemm_64), wide_d.run(dgemmt_64_), d.triangle(cblas_dgemmt);
    d.run(dgemm_batch_), wide_d.run(dgemm_batch_64_), wide_d.run(cblas_dgemm_batch_64), d.run(dgemm_batch_strided_);
    wide_d.run(cblas_dgemm_batch_strided_64);
    std::exit(0);
}

// In a process of its own, whose settings nothing has read before.
TEST(BlasCountsDeathTest, TellEachNameByItsLanguageAndItsIntegers) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(call_each(), testing::ExitedWithCode(0),
                "tilewright blas: 6 sgemm_, 2 sgemm_64_, 2 cblas_sgemm, 3 cblas_sgemm_64, 1 sgemmt_, 1 cblas_sgemmt, "
                "1 sgemmtr_, 1 sgemmtr_64_, 1 cblas_sgemmtr, 1 sgemm_batch_, 1 cblas_sgemm_batch, "
                "1 sgemm_batch_strided_64_, 1 cblas_sgemm_batch_strided, 1 dgemm_, 1 cblas_dgemm_64, 1 dgemmt_64_, "
                "1 cblas_dgemmt, 1 dgemm_batch_, 1 dgemm_batch_64_, 1 cblas_dgemm_batch_64, 1 dgemm_batch_strided_, "
                "1 cblas_dgemm_batch_strided_64\n");
}

}  // namespace
