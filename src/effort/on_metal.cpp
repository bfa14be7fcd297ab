// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/on_metal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <new>

#include "backend/metal/backend.hpp"
#include "backend/metal/effort/effort_parameters.h"
#include "backend/metal/on_linux/backend.hpp"
#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "effort/choice/affordable.hpp"
#include "effort/choice/job.hpp"
#include "effort/choice/select.hpp"
#include "formats/buckets.hpp"
#include "formats/planes.hpp"
#include "formats/tiers.hpp"

namespace tw::effort {

struct MetalDevice {
    const char* name;
    const Backend& (*backend)();
    Status (*launch)(std::span<const metal::Dispatch>);
};

namespace {

using metal::uint;
static_assert(sizeof(metal::EffortEntry) == sizeof(EffortEntry));
static_assert(metal::CHUNK == PlanesTile::chunk,
              "planes round v d chunk by chunk: both devices are to give the same bits");

constexpr MetalDevice devices[] = {
    {"metal", metal::backend, metal::launch},
    {"metal-check", metal_check::backend, metal_check::launch},
};

constexpr uint select_threads = 1024, product_threads = metal::CHUNK, sum_threads = 256;
constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "not enough memory of the device"};

std::int64_t chunks_of(std::int64_t inputs) noexcept { return (inputs + metal::CHUNK - 1) / metal::CHUNK; }

/// The arrays of a body where a device reaches them; made when the body is first used there, gone with the body.
struct Copies {
    const Backend* backend = nullptr;
    void* arrays[4] = {};

    Copies() = default;
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;
    ~Copies() {
        for (void* array : arrays)
            if (array) backend->free(array);
    }
};

constexpr Memory EffortBody::* arrays_of_body[] = {&EffortBody::rows, &EffortBody::importance, &EffortBody::left,
                                                   &EffortBody::gains};

/// Null when memory is short, or when the device reaches the body itself.
const Copies* copies_of(const Backend& backend, const EffortBody& body) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (!body.on_device) {
        const auto made = std::make_shared<Copies>();
        made->backend = &backend;
        for (std::size_t i = 0; i < std::size(made->arrays); ++i) {
            const Memory& from = body.*arrays_of_body[i];
            if (from.size() == 0) continue;
            made->arrays[i] = backend.alloc(from.size());
            if (!made->arrays[i]) return nullptr;
            std::memcpy(made->arrays[i], from.data(), from.size());
        }
        body.on_device = made;
    }
    return static_cast<const Copies*>(body.on_device.get());
}

/// One product on its way: the arrays of its expert, and what the kernels write.
struct Desk {
    metal::Slot rows, importance, left, gains;
    std::span<float> v, partial, y;
    std::span<metal::EffortEntry> entries;
    metal::EffortChosen* chosen = nullptr;
};

Status lay_out(const MetalDevice& device, const EffortBody& body, int expert, std::int64_t padded_outputs, Desk& desk) {
    const Backend& backend = device.backend();
    const Copies* copies = backend.alloc ? copies_of(backend, body) : nullptr;
    if (backend.alloc && !copies) return no_memory;
    const auto slot = [&](int array, std::int64_t bytes_of_expert) -> metal::Slot {
        const Memory& memory = body.*arrays_of_body[array];
        const auto* base = copies ? static_cast<const std::byte*>(copies->arrays[array]) : memory.data();
        return {base ? base + expert * bytes_of_expert : nullptr, static_cast<std::size_t>(bytes_of_expert)};
    };
    desk.rows = slot(0, tiling_of(body).bytes);
    desk.importance = slot(1, body.inputs * 4);
    desk.left = slot(2, (body.units() + 1) * body.inputs * 4);
    desk.gains = body.layout() == EffortLayout::planes ? slot(3, body.units() * body.inputs * 4) : desk.importance;

    const auto inputs = static_cast<std::size_t>(body.inputs), outputs = static_cast<std::size_t>(body.outputs);
    const auto sums = static_cast<std::size_t>(chunks_of(body.inputs) * padded_outputs);
    const auto lines = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
    const std::size_t bytes = lines(4 * inputs) + lines(12 * inputs) + lines(sizeof(metal::EffortChosen)) +
                              lines(4 * sums) + lines(4 * outputs);
    const std::span<std::byte> scratch = backend.scratch ? backend.scratch(bytes, nullptr) : thread_scratch(bytes);
    if (scratch.size() < bytes) return no_memory;
    std::byte* at = scratch.data();
    const auto take = [&](auto*& first, std::size_t count) {
        first = reinterpret_cast<std::remove_reference_t<decltype(first)>>(at);
        at += lines(count * sizeof(*first));
        return std::span(first, count);
    };
    float *v = nullptr, *partial = nullptr, *y = nullptr;
    metal::EffortEntry* entries = nullptr;
    desk.v = take(v, inputs);
    desk.entries = take(entries, inputs);
    take(desk.chosen, 1);
    desk.partial = take(partial, sums);
    desk.y = take(y, outputs);
    return {};
}

metal::EffortChoice choice_of(const EffortBody& body, const float* v, const Affordable& allowed) noexcept {
    metal::EffortChoice choice{};
    const UnitWeights weights(body);
    for (int u = 0; u < body.units(); ++u) choice.weights[u + 1] = choice.weights[u] + weights.of_unit[u];
    std::copy_n(body.falls, body.units(), choice.falls);
    choice.inputs = static_cast<uint>(body.inputs), choice.units = static_cast<uint>(body.units());
    choice.reached = weights.reached(allowed.bytes), choice.affordable = weights.within(allowed.bytes);
    choice.everything = allowed.everything, choice.has_gains = body.layout() == EffortLayout::planes;
    choice.scale = unit_scale(v, body.inputs);
    choice.entry_scale = choice.has_gains ? choice.scale : std::ldexp(1.f, -body.exponent_of_rows());
    return choice;
}

metal::EffortProduct product_of(const EffortBody& body) noexcept {
    const Tiling tiling = tiling_of(body);
    const std::int64_t left = body.outputs - (tiling.tiles - 1) * tiling.outputs_of_tile;
    const auto width = [&](std::int64_t outputs) {
        return static_cast<uint>(body.layout() == EffortLayout::buckets ? BucketsTile::buckets_for(outputs, body.bucket)
                                 : body.layout() == EffortLayout::tiers ? TiersTile::buckets_for(outputs)
                                                                        : PlanesTile::quarters_for(outputs));
    };
    const auto bytes = static_cast<std::uint64_t>(tiling.bytes_of_tile);
    return {.inputs = static_cast<uint>(body.inputs),
            .outputs = static_cast<uint>(body.outputs),
            .outputs_of_tile = static_cast<uint>(tiling.outputs_of_tile),
            .padded_outputs = static_cast<uint>(tiling.tiles * tiling.outputs_of_tile),
            .width = width(tiling.outputs_of_tile),
            .last_width = width(left),
            .bucket = static_cast<uint>(body.bucket),
            .kept = body.truncating ? 0xffffu : 0xffffu & ~(static_cast<uint>(body.bucket) - 1),
            .value_type = body.type == Type::f32   ? 0u
                          : body.type == Type::f16 ? 1u
                                                   : 2u,
            .unused = 0,
            .tile_bytes_low = static_cast<uint>(bytes),
            .tile_bytes_high = static_cast<uint>(bytes >> 32)};
}

template <class T>
metal::Slot slot_of(std::span<T> memory) {
    return {memory.data(), memory.size_bytes()};
}

template <class T>
metal::Slot value_of(const T& value) {
    return {&value, sizeof value, true};
}

/// Choose, multiply chunk by chunk, add up. What the arguments refer to must live until the launch is over.
std::array<metal::Dispatch, 3> dispatches_of(const EffortBody& body, const metal::EffortChoice& choice,
                                             const metal::EffortProduct& product, const Desk& desk) {
    const char* family = body.layout() == EffortLayout::buckets ? "effort_buckets"
                         : body.layout() == EffortLayout::tiers ? "effort_tiers"
                                                                : "effort_planes";
    const metal::Slot chosen{desk.chosen, sizeof *desk.chosen};
    return {{{.family = "effort_select",
              .function = "effort_select",
              .arguments = {{slot_of(desk.v), desk.importance, desk.left, desk.gains, value_of(choice),
                             slot_of(desk.entries), chosen}},
              .threads_x = select_threads},
             {.family = family,
              .function = family,
              .arguments = {{desk.rows, slot_of(desk.entries), value_of(product), chosen, slot_of(desk.partial)}},
              .groups_x = product.padded_outputs / product.outputs_of_tile,
              .groups_y = static_cast<uint>(chunks_of(body.inputs)),
              .threads_x = product_threads},
             {.family = "effort_sum",
              .function = "effort_sum",
              .arguments = {{slot_of(desk.partial), value_of(product), chosen, slot_of(desk.y)}},
              .groups_x = (product.outputs + sum_threads - 1) / sum_threads,
              .threads_x = sum_threads}}};
}

/// Memory for the CPU's own account of a choice.
struct Account {
    Memory memory;
    std::span<std::byte> desk, kept;

    bool allocate(const EffortBody& body) {
        const std::size_t desk_size = (desk_bytes(body) + 63) / 64 * 64;
        if (!memory.allocate(desk_size + kept_bytes(body))) return false;
        desk = memory.bytes().first(desk_size), kept = memory.bytes().subspan(desk_size);
        return true;
    }
};

/// Where the budget is an error: the CPU chooses, and the kernels read what.
void choose_here(const EffortBody& body, Budget budget, const Account& account, const Desk& desk, Job& job) {
    prepare(body, budget, account.desk, account.kept, job);
    std::memcpy(desk.entries.data(), job.entries, static_cast<std::size_t>(job.count) * sizeof *job.entries);
    *desk.chosen = {static_cast<uint>(job.count), 0, job.is_fine, 0};
}

/// The report on what the device chose.
void account_for_choice(const EffortBody& body, const Desk& desk, bool everything, float scale, const Account& account,
                        Job& job) {
    auto* units = reinterpret_cast<std::uint8_t*>(account.desk.data());
    std::fill_n(units, body.inputs, std::uint8_t{0});
    for (const metal::EffortEntry& entry : desk.entries.first(desk.chosen->entries))
        units[entry.input] = static_cast<std::uint8_t>(entry.units);
    const double cutoff =
        everything ? 0 : static_cast<double>(std::bit_cast<float>(desk.chosen->worth)) / static_cast<double>(scale);
    account_for(body, units, cutoff, desk.chosen->fine != 0, account.kept, job);
}

Status run(const MetalDevice& device, const EffortBody& body, int expert, const float* v, float* y, Budget budget,
           EffortReport& report) {
    if (device.backend().devices() == 0) return {Code::no_device, Argument::options, device.backend().absence()};
    const metal::EffortProduct product = product_of(body);
    Desk desk;
    if (const Status status = lay_out(device, body, expert, product.padded_outputs, desk); !status) return status;
    Account account;
    if (!account.allocate(body)) return no_memory;

    Job job{.v = v, .y = y, .expert = expert};
    const Affordable allowed = affordable(body, budget);
    const bool chosen_here = budget.is_error() && !allowed.everything;
    const metal::EffortChoice choice = choice_of(body, v, allowed);
    const auto dispatches = dispatches_of(body, choice, product, desk);
    std::copy_n(v, body.inputs, desk.v.data());
    if (chosen_here) choose_here(body, budget, account, desk, job);
    if (const Status status = device.launch(std::span(dispatches).subspan(chosen_here ? 1 : 0)); !status) return status;
    std::copy_n(desk.y.data(), body.outputs, y);
    if (!chosen_here) account_for_choice(body, desk, allowed.everything, choice.scale, account, job);
    if (body.layout() == EffortLayout::planes)
        for (std::int64_t o = 0; o < body.outputs; ++o)
            y[o] = static_cast<float>(static_cast<double>(y[o]) * job.factor);
    conclude(body, device.name, job);
    report = job.report;
    return {};
}

}  // namespace

const MetalDevice* metal_device(std::string_view name) noexcept {
    for (const MetalDevice& device : devices)
        if (name == device.name) return &device;
    return nullptr;
}

Status run_on_metal(const MetalDevice& device, const Dials& d) noexcept {
    const IeeeMode mode;
    try {
        for (std::int64_t row = 0; row < d.y.rows; ++row) {
            EffortReport report;
            const Status status = run(device, d.body, d.expert_of(row), d.v_of(row), &d.y(row, 0), d.budget, report);
            if (!status) return status;
            d.report(row, report);
        }
        return {};
    } catch (const std::bad_alloc&) {
        return no_memory;
    }
}

}  // namespace tw::effort
