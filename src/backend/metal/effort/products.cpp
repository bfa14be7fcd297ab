// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/effort/products.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "backend/metal/effort/effort_parameters.h"
#include "formats/body.hpp"
#include "formats/planes.hpp"
#include "formats/unit_scale.hpp"

namespace tw::metal {
namespace {

static_assert(CHUNK == effort::PlanesTile::chunk, "planes round v d chunk by chunk: all devices give the same bits");

constexpr uint select_threads = 1024, product_threads = CHUNK, sum_threads = 256;

constexpr std::size_t lines(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

std::int64_t chunks_of(const EffortPlaced& m) noexcept { return (m.inputs + std::int64_t{CHUNK} - 1) / CHUNK; }
std::int64_t padded_outputs(const EffortPlaced& m) noexcept { return std::int64_t{m.tiles} * m.outputs_of_tile; }

/// The kernels' scratch: what they write besides the entries and y.
struct Scratch {
    EffortChosen* chosen;
    std::span<float> partial;

    Scratch(const EffortPlaced& m, std::byte* at) noexcept
        : chosen(reinterpret_cast<EffortChosen*>(at)),
          partial(reinterpret_cast<float*>(at + lines(sizeof *chosen)),
                  static_cast<std::size_t>(chunks_of(m) * padded_outputs(m))) {}
};

EffortChoice choice_of(const EffortCall& call, float scale) noexcept {
    const EffortPlaced& m = call.matrix;
    EffortChoice choice{};
    for (int u = 0; u < m.units; ++u) choice.weights[u + 1] = choice.weights[u] + m.weights[u];
    std::copy_n(m.falls, m.units, choice.falls);
    choice.inputs = static_cast<uint>(m.inputs), choice.units = static_cast<uint>(m.units);
    choice.reached = call.reached, choice.affordable = call.affordable;
    choice.everything = call.everything, choice.has_gains = m.gains != nullptr;
    choice.scale = scale;
    choice.entry_scale = m.gains ? scale : std::ldexp(1.f, -m.exponent_of_rows);
    return choice;
}

EffortProduct product_of(const EffortPlaced& m) noexcept {
    const EffortBody& body = *m.body;
    const std::int64_t left = m.outputs - std::int64_t{m.tiles - 1} * m.outputs_of_tile;
    const auto bytes = static_cast<std::uint64_t>(m.tile_bytes);
    return {.inputs = static_cast<uint>(m.inputs),
            .outputs = static_cast<uint>(m.outputs),
            .outputs_of_tile = static_cast<uint>(m.outputs_of_tile),
            .padded_outputs = static_cast<uint>(padded_outputs(m)),
            .width = static_cast<uint>(body.format->width(body, m.outputs_of_tile)),
            .last_width = static_cast<uint>(body.format->width(body, left)),
            .bucket = static_cast<uint>(m.bucket),
            .kept = m.masking ? 0xffffu & ~(static_cast<uint>(m.bucket) - 1) : 0xffffu,
            .value_type = m.type == Type::f32   ? 0u
                          : m.type == Type::f16 ? 1u
                                                : 2u,
            .unused = 0,
            .tile_bytes_low = static_cast<uint>(bytes),
            .tile_bytes_high = static_cast<uint>(bytes >> 32)};
}

template <class T>
Slot slot_of(std::span<T> memory) {
    return {memory.data(), memory.size_bytes()};
}

template <class T>
Slot value_of(const T& value) {
    return {&value, sizeof value, true};
}

/// Choose, multiply chunk by chunk, add up. The arguments must live until the launch is over.
std::array<Dispatch, 3> dispatches_of(const char* family, const EffortCall& call, const EffortChoice& choice,
                                      const EffortProduct& product, const Scratch& scratch) {
    const EffortPlaced& m = call.matrix;
    const auto inputs = static_cast<std::size_t>(m.inputs), units = static_cast<std::size_t>(m.units);
    const auto expert = static_cast<std::size_t>(call.expert_of(0));
    const auto of_expert = [&](const auto* array, std::size_t count) {
        return slot_of(std::span(array ? array + expert * count : nullptr, array ? count : 0));
    };
    const Slot rows = of_expert(m.rows, static_cast<std::size_t>(effort::tiling_of(*m.body).bytes)),
               importance = of_expert(m.importance, inputs), left = of_expert(m.left, (units + 1) * inputs),
               gains = m.gains ? of_expert(m.gains, units * inputs) : importance,
               entries = slot_of(std::span(call.notes.entries, inputs)), chosen{scratch.chosen, sizeof *scratch.chosen};
    return {{{.family = "effort_select",
              .function = "effort_select",
              .arguments = {{slot_of(std::span(call.v, inputs)), importance, left, gains, value_of(choice), entries,
                             chosen}},
              .threads_x = select_threads},
             {.family = family,
              .function = family,
              .arguments = {{rows, entries, value_of(product), chosen, slot_of(scratch.partial)}},
              .groups_x = product.padded_outputs / product.outputs_of_tile,
              .groups_y = static_cast<uint>(chunks_of(m)),
              .threads_x = product_threads},
             {.family = "effort_sum",
              .function = "effort_sum",
              .arguments = {{slot_of(scratch.partial), value_of(product), chosen,
                             slot_of(std::span(call.y, static_cast<std::size_t>(m.outputs)))}},
              .groups_x = (product.outputs + sum_threads - 1) / sum_threads,
              .threads_x = sum_threads}}};
}

}  // namespace

std::size_t effort_scratch(const EffortPlaced& m, int) {
    return lines(sizeof(EffortChosen)) + lines(4 * static_cast<std::size_t>(chunks_of(m) * padded_outputs(m)));
}

/// Each layout has only one kernel, so any estimate does.
double effort_nanoseconds(const EffortProblem& problem) { return static_cast<double>(problem.bytes); }

Status run_effort(const char* family, const EffortCall& call, LaunchAll launch) {
    const EffortPlaced& m = call.matrix;
    const Scratch scratch(m, call.scratch.data());
    const float scale = effort::unit_scale(call.v, m.inputs);
    tw::EffortChosen& told = call.notes.chosen[0];
    if (call.is_chosen) *scratch.chosen = {told.entries, 0, told.fine, 0};
    const EffortChoice choice = choice_of(call, scale);
    const EffortProduct product = product_of(m);
    const auto dispatches = dispatches_of(family, call, choice, product, scratch);
    if (const Status bad = launch(std::span(dispatches).subspan(call.is_chosen ? 1 : 0)); !bad) return bad;
    if (!call.is_chosen)
        told = {scratch.chosen->entries, scratch.chosen->worth, scratch.chosen->fine,
                std::bit_cast<std::uint32_t>(scale),
                m.gains ? std::ldexp(1 / static_cast<double>(scale), -m.exponent) : 1};
    for (int o = 0; o < m.outputs && told.factor != 1; ++o)  // Metal has no f64
        call.y[o] = static_cast<float>(static_cast<double>(call.y[o]) * told.factor);
    return {};
}

}  // namespace tw::metal
