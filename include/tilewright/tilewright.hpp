// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/batch.hpp"
#include "tilewright/draw.hpp"
#include "tilewright/effort.hpp"
#include "tilewright/layout.hpp"
#include "tilewright/multiply.hpp"
#include "tilewright/packed.hpp"
#include "tilewright/plan.hpp"
