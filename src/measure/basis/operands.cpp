// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/operands.hpp"

#include <cstdlib>
#include <limits>
#include <new>

#include "reference/fill.hpp"

namespace tw::measure {
namespace {

constexpr std::uint64_t seed = 20260;
constexpr std::size_t page = 4096;

}  // namespace

std::string Task::shape() const { return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k); }

double operand_bytes(const Task& t) {
    const auto m = static_cast<double>(t.m), n = static_cast<double>(t.n), k = static_cast<double>(t.k);
    return (m * k + k * n + m * n) * static_cast<double>(size_of(t.type));
}

void Operands::Freed::operator()(void* memory) const { std::free(memory); }

Operands::Operands(const Task& task) : products_(task.products) {
    const std::int64_t shapes[3][2] = {{task.m, task.k}, {task.k, task.n}, {task.m, task.n}};
    for (int i = 0; i < 3; ++i) {
        const std::int64_t rows = shapes[i][0] * products_, cols = shapes[i][1];
        const std::size_t bytes = static_cast<std::size_t>(rows * cols) * size_of(task.type);
        memory_[i].reset(std::aligned_alloc(page, (bytes + page) / page * page));
        if (!memory_[i]) throw std::bad_alloc();
        host_[i] = {memory_[i].get(), task.type, rows, cols, cols};
    }
    for (std::int64_t product = 0; product < products_; ++product)
        reference::fill_operands(host_a(product), host_b(product), reference::Fill::symmetric,
                                 seed + static_cast<std::uint64_t>(product));
    reference::fill_with(host_[2], 0);
}

Operands::~Operands() {
    for (const Matrix& matrix : on_device_)
        if (matrix.data) backend_->free(matrix.data);
}

Status Operands::place_on(const Backend& backend) {
    if (!backend.alloc || backend_ == &backend) return {};
    backend_ = &backend;
    for (int i = 0; i < 3; ++i) {
        Matrix matrix = host_[i];
        matrix.data = backend.alloc(static_cast<std::size_t>(matrix.rows * matrix.cols) * size_of(matrix.type));
        if (!matrix.data) return {Code::out_of_memory, Argument::none, "the device has no memory for the operands"};
        on_device_[i] = matrix;
        if (const Status status = backend.copy(matrix, host_[i], nullptr); !status) return status;
    }
    return backend.wait(nullptr);
}

Status Operands::poison_result() {
    reference::fill_with(host_[2], std::numeric_limits<double>::quiet_NaN());
    if (!on_device_[2].data) return {};
    if (const Status status = backend_->copy(on_device_[2], host_[2], nullptr); !status) return status;
    return backend_->wait(nullptr);
}

Status Operands::fetch_result() {
    if (!on_device_[2].data) return {};
    if (const Status status = backend_->copy(host_[2], on_device_[2], nullptr); !status) return status;
    return backend_->wait(nullptr);
}

}  // namespace tw::measure
