// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products with vectors and results in a CUDA device's memory, and graphs of such products.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backend/contract.hpp"

namespace tw::measure {

/// Vectors, a result, and a stream of the calling thread, from which work is recorded.
class OnCuda {
public:
    /// Throws tw::Error when the device lacks memory, or fails.
    OnCuda(const std::vector<std::vector<float>>& v, std::size_t outputs);
    OnCuda(const OnCuda&) = delete;
    OnCuda& operator=(const OnCuda&) = delete;
    ~OnCuda();

    const float* v(std::size_t number) const { return v_ + number * inputs_; }
    float* y() const { return y_; }
    void* queue() const { return queue_; }
    void wait() const;

    /// A graph of the work that `work` enqueues.
    std::shared_ptr<void> record(const std::function<void()>& work) const;
    void replay(const std::shared_ptr<void>& graph) const;

private:
    const Backend& backend_;
    std::size_t inputs_;
    float *v_ = nullptr, *y_ = nullptr;
    void* queue_ = nullptr;
};

}  // namespace tw::measure
