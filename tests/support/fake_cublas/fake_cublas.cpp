// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A cuBLAS for machines without a GPU: its functions as the headers declare them, in host memory, by columns, three
// loops. It refuses what cuBLAS refuses, so that a caller who tells a product wrongly is found.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/element.hpp"

namespace {

using tw::Matrix;

constexpr int success = 0, invalid = 7;

bool type_of(int data_type, tw::Type& type) {
    switch (data_type) {
        case 0: return type = tw::Type::f32, true;
        case 1: return type = tw::Type::f64, true;
        case 2: return type = tw::Type::f16, true;
        case 4: return type = tw::Type::c64, true;
        case 5: return type = tw::Type::c128, true;
        case 14: return type = tw::Type::bf16, true;
        default: return false;
    }
}

std::complex<double> scalar(const void* at, tw::Type type) {
    const tw::Type part = tw::part_of(type) == tw::Type::f64 ? tw::Type::f64 : tw::Type::f32;
    const Matrix parts{const_cast<void*>(at), part, 1, 2, 2};
    return {tw::load_element(parts, 0, 0), tw::is_complex(type) ? tw::load_element(parts, 0, 1) : 0};
}

/// op(X), rows x cols, of memory by columns.
Matrix operand(const void* data, tw::Type type, int op, std::int64_t rows, std::int64_t cols, std::int64_t pitch) {
    const Matrix memory{const_cast<void*>(data), type, op ? cols : rows, op ? rows : cols, 1, pitch};
    return op ? memory.transposed() : memory;
}

bool is_sound(int op, std::int64_t rows, std::int64_t cols, std::int64_t pitch, const void* data) {
    return (op == 0 || op == 1) && pitch >= (op ? cols : rows) && data;
}

int multiply(int op_a, int op_b, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha, const void* a,
             int data_type, std::int64_t lda, const void* b, std::int64_t ldb, const void* beta, void* c,
             std::int64_t ldc, int compute) {
    tw::Type type{};
    if (!type_of(data_type, type) || !is_sound(op_a, m, k, lda, a) || !is_sound(op_b, k, n, ldb, b) ||
        !is_sound(0, m, n, ldc, c) || (compute == 70) != (tw::part_of(type) == tw::Type::f64))
        return invalid;
    const Matrix left = operand(a, type, op_a, m, k, lda), right = operand(b, type, op_b, k, n, ldb),
                 to = operand(c, type, 0, m, n, ldc);
    const bool is_wrong = std::getenv("FAKE_CUBLAS_IS_WRONG") != nullptr;
    const std::complex<double> x = scalar(alpha, type), y = scalar(beta, type);
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            std::complex<double> sum = 0;
            for (std::int64_t p = is_wrong ? 1 : 0; p < k; ++p)
                sum += tw::load_complex(left, i, p) * tw::load_complex(right, p, j);
            sum *= x;
            if (y != 0.0) sum += y * tw::load_complex(to, i, j);
            if (tw::is_complex(type)) tw::store_complex(to, i, j, sum);
            else tw::store_element(to, i, j, sum.real());
        }
    return success;
}

const void* later(const void* first, std::int64_t step, int product, int data_type) {
    tw::Type type{};
    if (!type_of(data_type, type)) return first;
    return static_cast<const char*>(first) + step * product * static_cast<std::int64_t>(tw::size_of(type));
}

struct Product {
    int compute, op_a = 0, op_b = 0;
};
struct Layout {
    int type;
    std::uint64_t rows, cols;
    std::int64_t pitch, step = 0;
    std::int32_t count = 1;
};
struct Preference {
    std::size_t workspace = 0;
    std::uint32_t alignment[4] = {256, 256, 256, 256};
};
struct Heuristic {
    unsigned long long algorithm[8];
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

char handle_of_all;  // whoever times with it keeps it to the end

}  // namespace

#define FAKE extern "C" [[gnu::visibility("default")]] int

FAKE create(void** handle) asm("cublasCreate_v2");
FAKE create(void** handle) { return *handle = &handle_of_all, success; }
FAKE destroy(void* handle) asm("cublasDestroy_v2");
FAKE destroy(void* handle) { return handle == &handle_of_all ? success : invalid; }
FAKE get_version(void*, int* version) asm("cublasGetVersion_v2");
FAKE get_version(void*, int* version) { return *version = 130100, success; }
FAKE set_stream(void*, void*) asm("cublasSetStream_v2");
FAKE set_stream(void*, void*) { return success; }
FAKE set_workspace(void*, void* memory, std::size_t bytes) asm("cublasSetWorkspace_v2");
FAKE set_workspace(void*, void* memory, std::size_t bytes) { return memory && bytes ? success : invalid; }

FAKE cublasGemmEx(void*, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int a_type, int lda,
                  const void* b, int, int ldb, const void* beta, void* c, int, int ldc, int compute, int) {
    return multiply(op_a, op_b, m, n, k, alpha, a, a_type, lda, b, ldb, beta, c, ldc, compute);
}

/// cublasZgemm_v2 is left out: what a library lacks is not called.
#define FAKE_GEMM(name, compute, type)                                                                   \
    FAKE name(void*, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int lda, \
              const void* b, int ldb, const void* beta, void* c, int ldc) asm(#name "_v2");              \
    FAKE name(void*, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int lda, \
              const void* b, int ldb, const void* beta, void* c, int ldc) {                              \
        return multiply(op_a, op_b, m, n, k, alpha, a, type, lda, b, ldb, beta, c, ldc, compute);        \
    }
FAKE_GEMM(cublasSgemm, 68, 0)
FAKE_GEMM(cublasDgemm, 70, 1)
FAKE_GEMM(cublasCgemm, 68, 4)

FAKE cublasGemmStridedBatchedEx(void*, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                                int type, int lda, long long a_step, const void* b, int, int ldb, long long b_step,
                                const void* beta, void* c, int, int ldc, long long c_step, int count, int compute,
                                int) {
    for (int i = 0; i < count; ++i)
        if (const int bad =
                multiply(op_a, op_b, m, n, k, alpha, later(a, a_step, i, type), type, lda, later(b, b_step, i, type),
                         ldb, beta, const_cast<void*>(later(c, c_step, i, type)), ldc, compute))
            return bad;
    return success;
}

FAKE cublasGemmBatchedEx(void*, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* const* a,
                         int type, int lda, const void* const* b, int, int ldb, const void* beta, void* const* c, int,
                         int ldc, int count, int compute, int) {
    if (!a || !b || !c) return invalid;
    for (int i = 0; i < count; ++i)
        if (const int bad = multiply(op_a, op_b, m, n, k, alpha, a[i], type, lda, b[i], ldb, beta, c[i], ldc, compute))
            return bad;
    return success;
}

FAKE cublasLtCreate(void** handle) { return create(handle); }
FAKE cublasLtDestroy(void* handle) { return destroy(handle); }
FAKE cublasLtMatmulDescCreate(void** product, int compute, int) { return *product = new Product{compute}, success; }
FAKE cublasLtMatmulDescDestroy(void* product) { return delete static_cast<Product*>(product), success; }
FAKE cublasLtMatmulDescSetAttribute(void* product, int attribute, const void* value, std::size_t bytes) {
    if (bytes != sizeof(int) || (attribute != 3 && attribute != 4)) return invalid;
    auto* own = static_cast<Product*>(product);
    std::memcpy(attribute == 3 ? &own->op_a : &own->op_b, value, bytes);
    return success;
}
FAKE cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t cols, std::int64_t pitch) {
    if (pitch < static_cast<std::int64_t>(rows)) return invalid;
    return *layout = new Layout{type, rows, cols, pitch}, success;
}
FAKE cublasLtMatrixLayoutDestroy(void* layout) { return delete static_cast<Layout*>(layout), success; }
FAKE cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* value, std::size_t bytes) {
    auto* own = static_cast<Layout*>(layout);
    if (attribute == 5 && bytes == 4) return std::memcpy(&own->count, value, bytes), success;
    if (attribute == 6 && bytes == 8) return std::memcpy(&own->step, value, bytes), success;
    return invalid;
}
FAKE cublasLtMatmulPreferenceCreate(void** preference) { return *preference = new Preference, success; }
FAKE cublasLtMatmulPreferenceDestroy(void* preference) { return delete static_cast<Preference*>(preference), success; }
FAKE cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value, std::size_t bytes) {
    auto* own = static_cast<Preference*>(preference);
    if (attribute == 1 && bytes == 8) return std::memcpy(&own->workspace, value, bytes), success;
    if (attribute >= 5 && attribute <= 8 && bytes == 4)
        return std::memcpy(&own->alignment[attribute - 5], value, bytes), success;
    return invalid;
}

/// Four algorithms: one that works where operands are as aligned as was said, one that does not exist, one that wants
/// more workspace than it is given, and one that works and takes all of it.
FAKE cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void* preference, int most, void* results,
                                    int* found) {
    const auto* own = static_cast<const Preference*>(preference);
    auto* to = static_cast<Heuristic*>(results);
    *found = most < 4 ? most : 4;
    for (int i = 0; i < *found; ++i) {
        to[i] = {};
        to[i].algorithm[0] = static_cast<unsigned long long>(i + 1);
        for (int x = 0; x < 4; ++x) to[i].algorithm[1 + x] = own->alignment[x];
        to[i].state = i == 1 ? 15 : 0;
        to[i].workspace = i < 2 ? 0 : i == 2 ? own->workspace + 1 : own->workspace;
    }
    return success;
}

FAKE cublasLtMatmul(void*, void* product, const void* alpha, const void* a, void* a_layout, const void* b,
                    void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                    const void* algorithm, void*, std::size_t, void*) {
    const auto* own = static_cast<const Product*>(product);
    const auto *la = static_cast<const Layout*>(a_layout), *lb = static_cast<const Layout*>(b_layout),
               *lc = static_cast<const Layout*>(c_layout);
    const auto* chosen = static_cast<const unsigned long long*>(algorithm);
    if (c != d || c_layout != d_layout || chosen[0] == 2 || chosen[0] == 3) return invalid;
    const auto m = static_cast<std::int64_t>(lc->rows), n = static_cast<std::int64_t>(lc->cols);
    const auto k = static_cast<std::int64_t>(own->op_a ? la->rows : la->cols);
    const auto agrees = [](const Layout& one, int op, std::int64_t rows, std::int64_t cols) {
        return static_cast<std::int64_t>(one.rows) == (op ? cols : rows) &&
               static_cast<std::int64_t>(one.cols) == (op ? rows : cols);
    };
    if (!agrees(*la, own->op_a, m, k) || !agrees(*lb, own->op_b, k, n)) return invalid;
    for (int i = 0; i < lc->count; ++i) {
        const void* const at[] = {later(a, la->step, i, la->type), later(b, lb->step, i, la->type),
                                  later(c, lc->step, i, la->type), later(c, lc->step, i, la->type)};
        for (int x = 0; x < 4; ++x)
            if (reinterpret_cast<std::uintptr_t>(at[x]) % chosen[1 + x] != 0) return invalid;
        if (const int bad = multiply(own->op_a, own->op_b, m, n, k, alpha, at[0], la->type, la->pitch, at[1], lb->pitch,
                                     beta, const_cast<void*>(at[2]), lc->pitch, own->compute))
            return bad;
    }
    return success;
}
