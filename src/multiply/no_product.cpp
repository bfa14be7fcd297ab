// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/no_product.hpp"

#include "backend/contract.hpp"
#include "base/f32_rounding.hpp"
#include "base/float_mode.hpp"
#include "epilogue/finish.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"

namespace tw {

Status finish_anywhere(const Matrix& c, const Options& options) noexcept {
    if (c.rows == 0 || c.cols == 0) return {};
    const IeeeMode mode;
    const Place place = place_of(c.data);
    std::complex<double> beta{options.beta, options.beta_imag};
    if (part_of(c.type) != Type::f64)  // as kernels take it
        beta = {rounded_to_f32(beta.real()), rounded_to_f32(beta.imag())};
    for (const BackendSource& source : backends())
        if (source.place == place && place != Place::host)
            return source().finish(c, beta.real(), beta.imag(), options.epilogue, options.stream);
    if (is_complex(c.type)) finish_complex(c, beta, options.epilogue);
    else finish(c, beta.real(), options.epilogue);
    return {};
}

Status check_places(const Matrix& a, const Matrix& b, const Matrix& c) noexcept {
    return check_places(a, b, place_of(c.data));
}

Status check_places(const Matrix& a, const Matrix& b, Place place) noexcept {
    constexpr const char* text = "it lives on another device than C";
    if (place_of(a.data) != place) return {Code::bad_argument, Argument::a, text};
    if (place_of(b.data) != place) return {Code::bad_argument, Argument::b, text};
    return {};
}

}  // namespace tw
