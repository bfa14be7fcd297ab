// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a program that knows BLAS declares what it calls: one routine by all of its names.
#pragma once

#include <cstdint>

template <class T, class Int>
using FortranGemm = void(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*, const Int*,
                         const T*, const Int*, const T*, T*, const Int*);
template <class T, class Int>
using CGemm = void(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
template <class T, class Int>
using FortranGemmt = void(const char*, const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*,
                          const T*, const Int*, const T*, T*, const Int*);
template <class T, class Int>
using CGemmt = void(int, int, int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
template <class T, class Int>
using CBatch = void(int, const int*, const int*, const Int*, const Int*, const Int*, const T*, const T* const*,
                    const Int*, const T* const*, const Int*, const T*, T* const*, const Int*, Int, const Int*);
template <class T, class Int>
using FortranBatch = void(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T* const*,
                          const Int*, const T* const*, const Int*, const T*, T* const*, const Int*, const Int*,
                          const Int*);
template <class T, class Int>
using CStrided = void(int, int, int, Int, Int, Int, T, const T*, Int, Int, const T*, Int, Int, T, T*, Int, Int, Int);
template <class T, class Int>
using FortranStrided = void(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*,
                            const Int*, const Int*, const T*, const Int*, const Int*, const T*, T*, const Int*,
                            const Int*, const Int*);

template <class T, class Int>
using FortranBatch = void(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T* const*,
                          const Int*, const T* const*, const Int*, const T*, T* const*, const Int*, const Int*,
                          const Int*);

extern "C" {
FortranGemm<float, int> sgemm_, scipy_sgemm_;
FortranGemm<double, int> dgemm_, scipy_dgemm_;
FortranGemm<float, std::int64_t> sgemm_64_, scipy_sgemm_64_;
FortranGemm<double, std::int64_t> dgemm_64_, scipy_dgemm_64_;
CGemm<float, int> cblas_sgemm, scipy_cblas_sgemm;
CGemm<double, int> cblas_dgemm, scipy_cblas_dgemm;
CGemm<float, std::int64_t> cblas_sgemm_64, cblas_sgemm64_, scipy_cblas_sgemm64_;
CGemm<double, std::int64_t> cblas_dgemm_64, cblas_dgemm64_, scipy_cblas_dgemm64_;
FortranGemmt<float, int> sgemmt_, sgemmtr_;
FortranGemmt<double, std::int64_t> dgemmt_64_;
CGemmt<float, int> cblas_sgemmt, cblas_sgemmtr;
CGemmt<double, int> cblas_dgemmt;
CBatch<float, int> cblas_sgemm_batch;
CBatch<double, std::int64_t> cblas_dgemm_batch_64;
FortranBatch<double, int> dgemm_batch_;
FortranBatch<float, int> sgemm_batch_;
FortranBatch<double, std::int64_t> dgemm_batch_64_;
CStrided<float, int> cblas_sgemm_batch_strided;
FortranStrided<double, int> dgemm_batch_strided_;
}

enum { RowMajor = 101, ColMajor = 102, NoTrans = 111, Trans = 112, ConjTrans = 113, Upper = 121, Lower = 122 };
