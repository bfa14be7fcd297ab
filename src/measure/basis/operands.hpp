// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The matrices of one measured product: made once on the host, with the same values for all entrants, and copied to the
// memory that a backend wants its operands in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/contract.hpp"

namespace tw::measure {

/// The product that all entrants compute.
struct Task {
    std::int64_t m = 0, n = 0, k = 0;  ///< of one product
    std::int64_t products = 1;         ///< more than one: a batch, contiguous in memory
    Type type = Type::f32;
    Accuracy accuracy{};
    int threads = 1;
    bool is_cold = false;  ///< caches are emptied before each timed product

    friend bool operator==(const Task&, const Task&) = default;

    /// Flops of one product: a complex one has four real ones, and adds them up.
    double flops() const {
        return (is_complex(type) ? 8.0 : 2.0) * static_cast<double>(m) * static_cast<double>(n) *
               static_cast<double>(k);
    }
    std::string shape() const;  ///< "1024x1024x1024"
};

/// Bytes that the three matrices of one product take.
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

    /// The operands of a product, in the backend's memory.
    Matrix a(std::int64_t product = 0) const { return one(on_device_[0].data ? on_device_ : host_, 0, product); }
    Matrix b(std::int64_t product = 0) const { return one(on_device_[1].data ? on_device_ : host_, 1, product); }
    Matrix c(std::int64_t product = 0) const { return one(on_device_[2].data ? on_device_ : host_, 2, product); }

    /// Fills C with NaN, so that an element that was not written is found.
    Status poison_result();

    /// Copies every C to the host.
    Status fetch_result();

    Matrix host_a(std::int64_t product = 0) const { return one(host_, 0, product); }
    Matrix host_b(std::int64_t product = 0) const { return one(host_, 1, product); }
    Matrix host_c(std::int64_t product = 0) const { return one(host_, 2, product); }
    std::int64_t products() const { return products_; }

private:
    struct Freed {
        void operator()(void* memory) const;
    };
    Matrix one(const Matrix (&all)[3], int which, std::int64_t product) const {
        const std::int64_t rows = all[which].rows / products_;
        return all[which].block(product * rows, 0, rows, all[which].cols);
    }

    std::int64_t products_;
    std::unique_ptr<void, Freed> memory_[3];
    Matrix host_[3], on_device_[3];  ///< of all products, one below the other
    const Backend* backend_ = nullptr;
};

}  // namespace tw::measure
