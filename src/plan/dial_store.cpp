// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Uses the store's record of a product: the kernel's name holds layout and set, the tile holds byte_cost in hundredths
// and the KiB per thread.
#include "plan/dial_store.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "base/remembered.hpp"

namespace tw {
namespace {

constexpr double unit_of_byte_cost = 0.01;
constexpr std::int64_t unit_of_bytes = 1024, most_units = 1 << 20;

constinit Remembered<const Store*> own_records;  // never freed, like tuning_store()

const Store* read_records() noexcept {
    try {
        return new Store(read_store(store_path(), dial_store_key()));
    } catch (const std::exception&) {
        return nullptr;
    }
}

bool is_named(std::string_view name, const DialMatrix& matrix) noexcept {
    const std::string_view layout = name_of(matrix.layout), set = matrix.kernels;
    return name.size() == layout.size() + 1 + set.size() && name.starts_with(layout) && name.ends_with(set);
}

}  // namespace

std::string dial_store_key() { return store_key() + "-effort"; }

DialTuning tuning_in(const Store& store, const DialMatrix& matrix) noexcept {
    for (const Tuned& record : store.records)
        if (record.m == matrix.outputs && record.k == matrix.inputs && record.in == matrix.type &&
            is_named(record.kernel, matrix))
            return {record.tile.m * unit_of_byte_cost, record.tile.n * unit_of_bytes};
    return {};
}

DialTuning stored_tuning(const DialMatrix& matrix) noexcept {
    const Store* found = own_records.get(read_records, [](const Store* late) { delete late; });
    return found ? tuning_in(*found, matrix) : DialTuning{};
}

std::string store_tuning(const std::string& path, const DialMatrix& matrix, const DialTuning& tuning) {
    const auto units = [](double value) {
        return static_cast<int>(std::clamp<double>(std::round(value), 0, most_units));
    };
    const Tuned record{.m = matrix.outputs,
                       .n = 1,
                       .k = matrix.inputs,
                       .in = matrix.type,
                       .out = matrix.type,
                       .accuracy = fp32,
                       .kernel = std::string(name_of(matrix.layout)) + "-" + matrix.kernels,
                       .tile = {units(tuning.byte_cost / unit_of_byte_cost),
                                units(static_cast<double>(tuning.bytes_a_thread) / unit_of_bytes), 0}};
    return add_to_store(path, dial_store_key(), {&record, 1});
}

}  // namespace tw
