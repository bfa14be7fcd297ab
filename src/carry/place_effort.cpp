// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "carry/place_effort.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <vector>

#include "formats/arrange.hpp"

namespace tw {
namespace {

using namespace effort;

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "not enough memory of the device"};

/// What kernels need to know of a matrix in the layout it was built in; the pointers to its arrays are set later.
EffortPlaced description_of(const EffortBody& body) noexcept {
    EffortPlaced m;
    m.body = &body;
    m.layout = body.layout(), m.type = body.type;
    m.outputs = static_cast<int>(body.outputs), m.inputs = m.inputs_apart = static_cast<int>(body.inputs);
    m.units = body.units(), m.bucket = body.bucket, m.experts = body.experts;
    m.masking = !body.truncating;
    m.exponent = body.exponent, m.exponent_of_rows = body.exponent_of_rows();
    std::copy_n(body.falls, m.units, m.falls);
    std::copy_n(UnitWeights(body).of_unit, m.units, m.weights);
    const Tiling tiling = tiling_of(body);
    m.outputs_of_tile = static_cast<int>(tiling.outputs_of_tile), m.tiles = static_cast<int>(tiling.tiles);
    m.tile_bytes = tiling.bytes_of_tile;
    if (body.dense.size() > 0) m.dense_tiles = static_cast<int>(dense_tiling_of(body).tiles);
    return m;
}

/// The same for a matrix arranged in a GPU's tiles.
EffortPlaced arranged_description_of(const EffortBody& body) noexcept {
    EffortPlaced m = description_of(body);
    m.inputs_apart = static_cast<int>(arranged_inputs(body));
    m.outputs_of_tile = static_cast<int>(body.format->device_outputs(body));
    m.tiles = (m.outputs + m.outputs_of_tile - 1) / m.outputs_of_tile;
    m.tile_bytes = body.format->device_tile_bytes(body);
    for (std::int64_t i = 0; i < body.experts * body.inputs; ++i)
        m.most_importance = std::max(m.most_importance, body.importance_of(0)[i]);
    return m;
}

/// The body's arrays as they were built.
constexpr Memory EffortBody::* arrays_of_body[] = {&EffortBody::rows, &EffortBody::dense, &EffortBody::importance,
                                                   &EffortBody::gains, &EffortBody::left};

void point_to(const std::array<void*, 5>& arrays, EffortPlaced& m) noexcept {
    m.rows = static_cast<const std::byte*>(arrays[0]), m.dense = static_cast<const std::byte*>(arrays[1]);
    m.importance = static_cast<const float*>(arrays[2]), m.gains = static_cast<const float*>(arrays[3]);
    m.left = static_cast<const float*>(arrays[4]);
}

/// A body's arrays in the memory of one device.
class Arrays {
public:
    explicit Arrays(const Backend& backend) : backend_(backend) {}
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;
    ~Arrays() {
        for (void* array : arrays_)
            if (array) backend_.free(array);
    }

    EffortPlaced matrix;

    Status fill(const EffortBody& body, bool arranged, bool with_dense) {
        if (const Status bad = arranged ? arrange(body, with_dense) : copy(body, with_dense); !bad) return bad;
        point_to(arrays_, matrix);
        return {};
    }

private:
    Status copy(const EffortBody& body, bool with_dense) {
        matrix = description_of(body);
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            const Memory& from = body.*arrays_of_body[i];
            if (from.size() == 0 || (i == 1 && !with_dense)) continue;
            if (const Status bad = bring(from.data(), from.size(), arrays_[i]); !bad) return bad;
        }
        return {};
    }

    Status arrange(const EffortBody& body, bool with_dense) {
        matrix = arranged_description_of(body);
        if (!with_dense) matrix.dense_tiles = 0;
        if (const Status bad = tiles(body, matrix.tiles, matrix.tile_bytes, arrange_tile, arrays_[0]); !bad) return bad;
        if (matrix.dense_tiles > 0)
            if (const Status bad =
                    tiles(body, matrix.dense_tiles, arranged_dense_tile_bytes(body), arrange_dense_tile, arrays_[1]);
                !bad)
                return bad;
        for (const std::size_t i : {std::size_t{2}, std::size_t{3}})
            if (const Status bad = padded(body.*arrays_of_body[i], body.inputs, matrix.inputs_apart, arrays_[i]); !bad)
                return bad;
        return {};
    }

    Status bring(const void* from, std::size_t bytes, void*& to) {
        to = backend_.alloc(bytes);
        return to ? write(to, from, bytes) : no_memory;
    }

    /// Waits, so that the caller may overwrite `from` at once.
    Status write(void* to, const void* from, std::size_t bytes) {
        if (const Status bad = backend_.copy(bytes_at(to, bytes), bytes_at(from, bytes), nullptr); !bad) return bad;
        return backend_.wait(nullptr);
    }

    /// The tiles of every expert, in order.
    template <class Arrange>
    Status tiles(const EffortBody& body, std::int64_t count, std::int64_t bytes, const Arrange& arrange, void*& to) {
        const auto size = static_cast<std::size_t>(bytes);
        to = backend_.alloc(static_cast<std::size_t>(count * body.experts) * size);
        if (!to) return no_memory;
        std::vector<std::byte> tile(size);
        for (int expert = 0; expert < body.experts; ++expert)
            for (std::int64_t t = 0; t < count; ++t) {
                std::fill(tile.begin(), tile.end(), std::byte{});
                arrange(body, expert, t, tile.data());
                auto* place = static_cast<std::byte*>(to) + static_cast<std::size_t>(expert * count + t) * size;
                if (const Status bad = write(place, tile.data(), size); !bad) return bad;
            }
        return {};
    }

    /// Rows of `inputs` numbers, `apart` numbers from one to the next, with zeros between.
    Status padded(const Memory& from, std::int64_t inputs, std::int64_t apart, void*& to) {
        if (from.size() == 0) return {};
        const auto rows = static_cast<std::int64_t>(from.size() / 4) / inputs;
        std::vector<float> filled_up(static_cast<std::size_t>(rows * apart));
        for (std::int64_t r = 0; r < rows; ++r)
            std::copy_n(from.as<float>() + r * inputs, inputs, filled_up.begin() + r * apart);
        return bring(filled_up.data(), filled_up.size() * 4, to);
    }

    const Backend& backend_;
    std::array<void*, 5> arrays_{};  // as arrays_of_body
};

Status find_or_make(const EffortPlan& plan, const EffortBody& body, EffortPlaced& placed) {
    const Backend& backend = *plan.backend;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    for (const Placement& there : body.placements)
        if (there.backend == &backend && there.device == plan.device) {
            placed = static_cast<const Arrays*>(there.arrays.get())->matrix;
            return {};
        }
    const auto made = std::make_shared<Arrays>(backend);
    if (const Status bad = made->fill(body, plan.kernel->arranged, plan.dense != nullptr); !bad) return bad;
    body.placements.push_back({&backend, plan.device, made});
    placed = made->matrix;
    return {};
}

}  // namespace

Status place_effort(const EffortPlan& plan, const EffortBody& body, EffortPlaced& placed) noexcept {
    if (!plan.backend->alloc) {
        placed = description_of(body);
        std::array<void*, 5> arrays;
        for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i] = (body.*arrays_of_body[i]).data();
        point_to(arrays, placed);
        return {};
    }
    if (plan.backend->select)
        if (const Status bad = plan.backend->select(plan.device); !bad) return bad;
    try {
        return find_or_make(plan, body, placed);
    } catch (const std::bad_alloc&) {
        return no_memory;
    }
}

}  // namespace tw
