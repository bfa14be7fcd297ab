// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Uses some of the store's records of products, whose tiles hold MB/s of one thread and of all, hundredths of a GFLOP/s
// and nanoseconds, and for rows of C, by each way, units of 1e-5 nanoseconds.
#include "plan/pace_store.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "base/remembered.hpp"

namespace tw {
namespace {

constexpr const char *reading = "reading", *working = "working";
constexpr double most = 1 << 20;  // of a record's tile
constexpr double a_gigabyte = 1000, a_gigaflop = 100, a_nanosecond = 1e5;

/// Of a way's two records: B's rows are contiguous, or it lies along k.
constexpr struct {
    const char *rows, *along_k;
    RowPace Pace::* pace;
} ways[] = {{"strips_rows", "strips_along_k", &Pace::strips},
            {"panels_rows", "panels_along_k", &Pace::panels},
            {"passing_rows", "passing_along_k", &Pace::passing}};

constinit const Pace none{};
constinit Remembered<const Pace*> own_pace;  // never freed, like tuning_store()

const Pace* read_pace() noexcept {
    try {
        const std::string path = store_path();
        if (path.empty() || access(path.c_str(), F_OK) != 0) return &none;
        const Pace found = pace_in(read_store(path, pace_store_key()));
        return found.is_measured() ? new Pace(found) : &none;
    } catch (const std::exception&) {
        return &none;
    }
}

int whole(double value) { return static_cast<int>(std::clamp(std::round(value), 0.0, most)); }

Tuned record_of(const char* what, double first, double second, double third = 0) {
    return {
        .m = 1, .n = 1, .k = 1, .accuracy = fp32, .kernel = what, .tile = {whole(first), whole(second), whole(third)}};
}

}  // namespace

std::string pace_store_key() { return store_key() + "-pace"; }

Pace pace_in(const Store& store) noexcept {
    Pace found;
    for (const Tuned& record : store.records) {
        const double first = record.tile.m, second = record.tile.n;
        if (record.kernel == reading) found.read = first / a_gigabyte, found.read_together = second / a_gigabyte;
        if (record.kernel == working) found.gflops = first / a_gigaflop, found.start = second;
        for (const auto& way : ways) {
            RowPace& rows = found.*way.pace;
            if (record.kernel == way.rows)
                rows.product = first / a_nanosecond, rows.byte = second / a_nanosecond,
                rows.result_byte = record.tile.k / a_nanosecond;
            if (record.kernel == way.along_k)
                rows.product_along_k = first / a_nanosecond, rows.byte_along_k = second / a_nanosecond;
        }
    }
    return found;
}

std::string store_pace(const std::string& path, const Pace& pace) {
    std::vector<Tuned> records{record_of(reading, pace.read * a_gigabyte, pace.read_together * a_gigabyte),
                               record_of(working, pace.gflops * a_gigaflop, pace.start)};
    for (const auto& way : ways) {
        const RowPace& rows = pace.*way.pace;
        records.push_back(record_of(way.rows, rows.product * a_nanosecond, rows.byte * a_nanosecond,
                                    rows.result_byte * a_nanosecond));
        records.push_back(
            record_of(way.along_k, rows.product_along_k * a_nanosecond, rows.byte_along_k * a_nanosecond));
    }
    return add_to_store(path, pace_store_key(), records);
}

void use_stored_pace() noexcept {
    const Pace* const found = own_pace.get(read_pace, [](const Pace* late) {
        if (late != &none) delete late;
    });
    if (found != &none) set_pace(*found);
}

}  // namespace tw
