// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Parses what the measuring verbs take: devices, shapes, types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/basis/operands.hpp"

namespace tw::cli {

/// The backend that a word names ("cpu", "cuda:1"), with its device selected. Refuses a name that is not here, and
/// lists those that are.
const Backend& parse_device(const std::string& word);

/// The same, where "cuda:*" stands for all devices, and is refused only if there is none.
void check_one_or_all_devices(const std::string& word);

/// The same, of devices that are timed: one that emulates has no speeds to draw or to tune by.
const Backend& parse_timed_device(const std::string& word);

/// Every backend with a device here, except those that emulate it: they are slow and run only when asked for by name.
std::vector<const Backend*> devices_here();

/// Refuses a product whose operands do not fit this machine's memory, before anything is measured.
void check_memory(const measure::Task& task);

/// Every backend of this build, with or without a device.
std::vector<const Backend*> every_backend();

/// Refuses a name that no rung or kernel of these devices has.
void check_kernel_name(const std::string& name, const std::vector<const Backend*>& devices);

/// A side of a matrix: a whole number from 1 to 2^20.
std::int64_t parse_side(std::string_view option, const std::string& word);

/// "MxNxK", or one number for a square; each from 1 to 2^20.
void parse_shape(std::string_view option, const std::string& word, measure::Task& task);

/// "f32" or "f64".
Type parse_type(std::string_view option, const std::string& word);

/// "f32", "f64", "bf16" or "f16".
Type parse_any_type(std::string_view option, const std::string& word);

}  // namespace tw::cli
