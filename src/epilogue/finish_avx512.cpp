// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "epilogue/finish_rows.hpp"

namespace tw {

constinit const FinishKernel finish_avx512{finish_rows<8, float>, finish_rows<8, double>};

}  // namespace tw
