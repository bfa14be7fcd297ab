// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/all_devices.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/threads.hpp"
#include "carry/cut.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"

namespace tw {
namespace {

constexpr int most_devices = 64;

constexpr Status no_backend{Code::no_device, Argument::options, "no backend of this build has that name"};
constexpr Status no_devices{Code::no_device, Argument::options, "the backend finds no device on this machine"};
constexpr Status one_devices_own{Code::bad_argument, Argument::options,
                                 "a stream and scratch are one device's: expected none where all devices multiply"};
constexpr Status on_one_already{Code::unsupported, Argument::options,
                                "operands of the host are cut over all devices; these lie in a device's memory"};

/// What the threads of one product share.
class FirstFailure {
public:
    void note(const Status& status) noexcept {
        const std::lock_guard hold(lock_);
        if (!status && first_) first_ = status;
    }
    const Status& status() const noexcept { return first_; }

private:
    std::mutex lock_;
    Status first_{};
};

Matrix rows_or_columns(const Matrix& m, bool rows, std::int64_t begin, std::int64_t size) noexcept {
    return rows ? m.block(begin, 0, size, m.cols) : m.block(0, begin, m.rows, size);
}

}  // namespace

int shares_of(const Matrix& c, bool by_rows, int devices) noexcept {
    const Pieces whole{.extent = by_rows ? c.rows : c.cols};
    return static_cast<int>(std::clamp<std::int64_t>(whole.most(), 1, std::clamp(devices, 1, most_devices)));
}

Share share_of(const Matrix& a, const Matrix& b, const Matrix& c, const Epilogue& epilogue, bool by_rows, int shares,
               int index) noexcept {
    const Pieces pieces{.extent = by_rows ? c.rows : c.cols, .count = shares};
    const std::int64_t begin = pieces.begin(index), size = pieces.size(index);
    Share share{.a = by_rows ? rows_or_columns(a, true, begin, size) : a,
                .b = by_rows ? b : rows_or_columns(b, false, begin, size),
                .c = rows_or_columns(c, by_rows, begin, size),
                .epilogue = epilogue};
    if (epilogue.residual.data) share.epilogue.residual = rows_or_columns(epilogue.residual, by_rows, begin, size);
    if (epilogue.bias && !by_rows) {
        const auto skipped = begin * static_cast<std::int64_t>(size_of(epilogue.bias_type));
        share.epilogue.bias = static_cast<const std::byte*>(epilogue.bias) + skipped;
        share.epilogue.bias_size = size;
    }
    return share;
}

Status multiply_on_devices(std::string_view backend, int devices, const Matrix& a, const Matrix& b, const Matrix& c,
                           const Options& options, MultiplyOnOne multiply_on_one) noexcept {
    const bool by_rows = cuts_rows(c, options.reproducible);
    const int shares = shares_of(c, by_rows, devices);
    const int threads = options.threads > 0 ? options.threads : default_threads();
    FirstFailure failure;
    const auto run = [&](int index) noexcept {
        const Share share = share_of(a, b, c, options.epilogue, by_rows, shares, index);
        char device[64];
        std::snprintf(device, sizeof device, "%.*s:%d", static_cast<int>(backend.size()), backend.data(), index);
        Options one = options;
        one.device = device;
        one.epilogue = share.epilogue;
        one.threads = std::max(1, threads / shares);  // they gather panels side by side
        failure.note(multiply_on_one(share.a, share.b, share.c, one));
    };
    // The calling thread takes the first part: what a device keeps for a thread is there for its next product.
    std::thread others[most_devices];
    for (int index = 1; index < shares; ++index) {
        try {
            others[index] = std::thread(run, index);
        } catch (const std::system_error&) {
            run(index);
        }
    }
    run(0);
    for (std::thread& other : others)
        if (other.joinable()) other.join();
    return failure.status();
}

Status multiply_on_all_devices(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (options.stream || !options.scratch.empty()) return one_devices_own;
    for (const Matrix* operand : {&a, &b, &c})
        if (place_of(operand->data) != Place::host) return on_one_already;
    const Backend* const backend = find_backend(backend_part(options.device));
    if (!backend) return no_backend;
    if (backend->devices() == 0) return no_devices;
    return multiply_on_devices(backend->name, backend->devices(), a, b, c, options, try_multiply);
}

}  // namespace tw
