// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One case is done and judged: within its certificate, nothing else touched, and the same bits once more with other
// threads at other addresses.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "measure/judging/case.hpp"

namespace tw::judging {

struct Outcome {
    bool refused = false;       ///< by a status, with everything as it was
    std::int64_t elements = 0;  ///< judged
    std::string failure;        ///< empty: all is right
};

struct Where {
    std::string_view device{};                   ///< as Options::device
    std::function<void(const Matrix&)> spoil{};  ///< of the tests: what befalls each product's C before it is judged
};

Outcome try_case(const Case& one, const Where& where);

}  // namespace tw::judging
