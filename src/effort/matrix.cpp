// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/file/form.hpp"

namespace tw {

EffortMatrix::EffortMatrix(std::shared_ptr<const EffortBody> body) noexcept : body_(std::move(body)) {}

std::int64_t EffortMatrix::outputs() const noexcept { return body_ ? body_->outputs : 0; }
std::int64_t EffortMatrix::inputs() const noexcept { return body_ ? body_->inputs : 0; }
int EffortMatrix::experts() const noexcept { return body_ ? body_->experts : 0; }
EffortLayout EffortMatrix::layout() const noexcept { return body_ ? body_->layout() : EffortLayout::planes; }
int EffortMatrix::bucket() const noexcept { return body_ && planes() == 0 ? body_->bucket : 0; }
int EffortMatrix::planes() const noexcept { return body_ && layout() == EffortLayout::planes ? body_->units() : 0; }
Type EffortMatrix::type() const noexcept { return body_ ? body_->type : Type::f32; }
bool EffortMatrix::has_dense() const noexcept { return body_ && body_->dense.size() > 0; }
std::int64_t EffortMatrix::rows() const noexcept { return body_ ? body_->units() * body_->inputs : 0; }
std::int64_t EffortMatrix::fp16_bytes() const noexcept { return 2 * outputs() * inputs(); }

std::int64_t EffortMatrix::bytes() const noexcept { return body_ ? effort::bytes_of_all(*body_) : 0; }

std::int64_t EffortMatrix::bytes_held() const noexcept {
    if (!body_) return 0;
    std::int64_t bytes = 0;
    for (const effort::Memory* memory : effort::arrays_of(*body_)) bytes += static_cast<std::int64_t>(memory->size());
    return bytes;
}

}  // namespace tw
