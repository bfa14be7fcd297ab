// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The GPU: its queue, its compiled kernels, its buffers.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "backend/metal/ladder.hpp"
#include "backend/metal/on_mac/objc.hpp"

namespace tw::metal {

class Device {
public:
    /// The system's default GPU. If is_there() is false, why_not() says why.
    static Device& only();

    bool is_there() const noexcept { return device_ != nullptr; }
    const char* why_not() const noexcept { return is_there() ? "" : "Metal finds no GPU on this machine"; }
    std::string name();
    Features features();

    /// Runs them in order, each after the one before has finished writing; waits until the GPU is done.
    Status launch(std::span<const Dispatch> dispatches);
    double last_gpu_seconds() const noexcept { return gpu_seconds_; }

    /// The compiler's message for a family of kernels; "" when it compiled.
    const std::string& refusal_of(const char* family);

    /// C = A B by Apple's MPSMatrixMultiplication, of f32 or f16 in memory from alloc(); waits until it is done.
    Status multiply_by_mps(const Matrix& a, const Matrix& b, const Matrix& c);
    /// Looks the framework up at run time; "" when it is there.
    const char* why_no_mps();

    void* alloc(std::size_t bytes);
    void free(void* memory);
    bool owns(const void* memory);

private:
    Device();

    struct Family {
        Object library = nullptr;
        std::string refusal;
        std::map<std::string, Object, std::less<>> pipelines;
    };
    struct Buffer {
        Object object = nullptr;
        std::size_t bytes = 0;
    };
    Family& family(std::string_view name);
    Object pipeline(Family& family, const char* function);
    bool find(const void* memory, Object& buffer, unsigned long& offset);
    Status encode(Object encoder, const Dispatch& dispatch);
    Status commit(Object commands);

    std::recursive_mutex mutex_;
    Object device_ = nullptr, queue_ = nullptr;
    std::map<std::string, Family, std::less<>> families_;
    std::map<const char*, Buffer> buffers_;  ///< by the address of their memory
    double gpu_seconds_ = 0;
};

}  // namespace tw::metal
