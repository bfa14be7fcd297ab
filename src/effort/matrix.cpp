// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/body.hpp"

namespace tw {

EffortMatrix::EffortMatrix(std::shared_ptr<const EffortBody> body) noexcept : body_(std::move(body)) {}

std::int64_t EffortMatrix::outputs() const noexcept { return body_ ? body_->outputs : 0; }
std::int64_t EffortMatrix::inputs() const noexcept { return body_ ? body_->inputs : 0; }
int EffortMatrix::experts() const noexcept { return body_ ? body_->experts : 0; }
EffortLayout EffortMatrix::layout() const noexcept { return body_ ? body_->layout : EffortLayout::planes; }
int EffortMatrix::bucket() const noexcept { return body_ ? body_->bucket : 0; }
Type EffortMatrix::type() const noexcept { return body_ ? body_->type : Type::f32; }
bool EffortMatrix::has_dense() const noexcept { return body_ && body_->dense.size() > 0; }
std::int64_t EffortMatrix::rows() const noexcept { return body_ ? body_->units() * body_->inputs : 0; }
std::int64_t EffortMatrix::fp16_bytes() const noexcept { return 2 * outputs() * inputs(); }

std::int64_t EffortMatrix::bytes() const noexcept {
    std::int64_t of_an_input = 0;
    for (int u = 0; body_ && u < body_->units(); ++u) of_an_input += effort::bytes_of_unit(*body_, u);
    return of_an_input * inputs();
}

std::int64_t EffortMatrix::bytes_held() const noexcept {
    if (!body_) return 0;
    const effort::Memory* all[] = {&body_->rows,  &body_->statistics, &body_->left,
                                   &body_->gains, &body_->spreads,    &body_->dense};
    std::int64_t bytes = 0;
    for (const effort::Memory* memory : all) bytes += static_cast<std::int64_t>(memory->size());
    return bytes;
}

}  // namespace tw
