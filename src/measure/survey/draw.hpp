// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which shapes a survey measures: drawn by a seed, the same on every machine.
#pragma once

#include <string>
#include <vector>

#include "measure/survey/families.hpp"

namespace tw::measure {

/// Draws `count` shapes, divided among the kinds and then among the families by their weights, and shuffles them, so
/// that any part is a survey, too.
std::vector<Case> draw(std::uint64_t seed, std::int64_t count, const std::vector<const Kind*>& kinds,
                       const Limits& limits);

/// The layers of Llama-3 8B and 70B with 1 to 512 tokens, weights N x K and K x N.
std::vector<Case> decoding(const std::vector<const Kind*>& kinds, const Limits& limits);

/// Part `number` of `parts`, from 1 on: every parts-th shape.
std::vector<Case> shard(const std::vector<Case>& all, int number, int parts);

}  // namespace tw::measure
