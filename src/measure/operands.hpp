// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The matrices of one measured product: made once on the host, the same values for everybody, and a copy of them
// wherever a backend wants its operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/contract.hpp"

namespace tw::measure {

/// What is to be multiplied, by everybody alike.
struct Task {
    std::int64_t m = 0, n = 0, k = 0;
    Type type = Type::f32;
    Accuracy accuracy{};
    int threads = 1;
    bool is_cold = false;  ///< caches are emptied before each timed product

    friend bool operator==(const Task&, const Task&) = default;

    double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
    std::string shape() const;  ///< "1024x1024x1024"
};

/// Bytes that the three matrices take.
double operand_bytes(const Task& task);

class Operands {
public:
    /// Row-major on the host, U(-1, 1) from a fixed seed. Throws std::bad_alloc.
    explicit Operands(const Task& task);
    ~Operands();
    Operands(const Operands&) = delete;
    Operands& operator=(const Operands&) = delete;

    /// Copies A and B to where the backend wants them. Does nothing when that is the host.
    Status place_on(const Backend& backend);

    /// Where the kernels of the backend find them.
    const Matrix& a() const { return on_device_[0].data ? on_device_[0] : host_[0]; }
    const Matrix& b() const { return on_device_[1].data ? on_device_[1] : host_[1]; }
    const Matrix& c() const { return on_device_[2].data ? on_device_[2] : host_[2]; }

    /// Fills C with NaN, so that an element that nobody wrote is found.
    Status poison_result();

    /// C as it is now, on the host.
    Status fetch_result();

    const Matrix& host_a() const { return host_[0]; }
    const Matrix& host_b() const { return host_[1]; }
    const Matrix& host_c() const { return host_[2]; }

private:
    struct Freed {
        void operator()(void* memory) const;
    };
    std::unique_ptr<void, Freed> memory_[3];
    Matrix host_[3], on_device_[3];
    const Backend* backend_ = nullptr;
};

}  // namespace tw::measure
