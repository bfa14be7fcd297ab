// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/cuda_matrix.hpp"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <vector>

#include "backend/cuda/backend.hpp"
#include "effort/choice/affordable.hpp"
#include "formats/arrange.hpp"

namespace tw::effort {
namespace {

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "not enough memory of the device"};

/// The number after the colon; 0 when there is none, -1 when it is no number.
int device_number(std::string_view device) noexcept {
    const std::size_t colon = device.find(':');
    if (colon == std::string_view::npos) return 0;
    int number = -1;
    const auto [end, error] = std::from_chars(device.data() + colon + 1, device.data() + device.size(), number);
    return error == std::errc() && end == device.data() + device.size() ? number : -1;
}

EffortOnDevice description_of(const EffortBody& body) noexcept {
    EffortOnDevice m;
    m.layout = body.layout(), m.type = body.type;
    m.outputs = static_cast<int>(body.outputs), m.inputs = static_cast<int>(body.inputs);
    m.units = body.units(), m.bucket = body.bucket, m.experts = body.experts;
    m.masking = !body.truncating;
    m.exponent = body.exponent, m.exponent_of_rows = body.exponent_of_rows();
    m.outputs_of_tile = static_cast<int>(body.format->device_outputs(body));
    m.inputs_apart = static_cast<int>(arranged_inputs(body));
    for (std::int64_t i = 0; i < body.experts * body.inputs; ++i)
        m.most_importance = std::max(m.most_importance, body.importance_of(0)[i]);
    std::copy_n(body.falls, m.units, m.falls);
    m.tiles = (m.outputs + m.outputs_of_tile - 1) / m.outputs_of_tile;
    m.tile_bytes = body.format->device_tile_bytes(body);
    if (body.dense.size() > 0) m.dense_tiles = static_cast<int>(dense_tiling_of(body).tiles);
    std::copy_n(UnitWeights(body).of_unit, m.units, m.weights);
    return m;
}

class Upload {
public:
    explicit Upload(const Backend& backend) : backend_(backend) {}

    /// Tiles of every expert, one after the other.
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
                if (const Status bad = backend_.copy(bytes_at(place, size), bytes_at(tile.data(), size), nullptr); !bad)
                    return bad;
                if (const Status bad = backend_.wait(nullptr); !bad) return bad;  // the tile is written over
            }
        return {};
    }

    /// Rows of `inputs` numbers, so far apart, with zeros between them.
    Status array(const Memory& from, std::int64_t inputs, std::int64_t apart, void*& to) {
        if (from.size() == 0) return {};
        const auto rows = static_cast<std::int64_t>(from.size() / 4) / inputs;
        std::vector<float> filled_up(static_cast<std::size_t>(rows * apart));
        for (std::int64_t r = 0; r < rows; ++r)
            std::copy_n(from.as<float>() + r * inputs, inputs, filled_up.begin() + r * apart);
        const std::size_t bytes = filled_up.size() * 4;
        to = backend_.alloc(bytes);
        if (!to) return no_memory;
        if (const Status bad = backend_.copy(bytes_at(to, bytes), bytes_at(filled_up.data(), bytes), nullptr); !bad)
            return bad;
        return backend_.wait(nullptr);
    }

private:
    const Backend& backend_;
};

Status upload(const EffortBody& body, Held& held) {
    Upload to(*held.backend);
    EffortOnDevice& m = held.matrix = description_of(body);
    if (const Status bad = to.tiles(body, m.tiles, m.tile_bytes, arrange_tile, held.arrays[0]); !bad) return bad;
    if (m.dense_tiles > 0)
        if (const Status bad =
                to.tiles(body, m.dense_tiles, arranged_dense_tile_bytes(body), arrange_dense_tile, held.arrays[1]);
            !bad)
            return bad;
    const Memory* arrays[] = {&body.importance, &body.gains};
    for (std::size_t i = 0; i < std::size(arrays); ++i)
        if (const Status bad = to.array(*arrays[i], body.inputs, m.inputs_apart, held.arrays[2 + i]); !bad) return bad;
    m.rows = static_cast<const std::byte*>(held.arrays[0]), m.dense = static_cast<const std::byte*>(held.arrays[1]);
    m.importance = static_cast<const float*>(held.arrays[2]), m.gains = static_cast<const float*>(held.arrays[3]);
    return {};
}

}  // namespace

Status held_by(const EffortBody& body, std::string_view device, std::shared_ptr<const Held>& held) {
    const Backend& backend = cuda::backend();
    const int number = device_number(device), devices = backend.devices();
    if (devices == 0) return {Code::no_device, Argument::options, backend.absence()};
    if (number < 0 || number >= devices)
        return {Code::no_device, Argument::options, "there is no CUDA device of that number"};
    if (!backend.effort)
        return {Code::unsupported, Argument::options, "this build's CUDA backend has no kernels for the effort dial"};
    if (body.inputs * 3 > INT32_MAX / 512 || body.outputs > INT32_MAX / 2)
        return {Code::unsupported, Argument::options,
                "the matrix is too large for the effort dial's kernels on a CUDA device"};
    if (const Status bad = backend.select(number); !bad) return bad;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    held = std::static_pointer_cast<const Held>(body.on_cuda);
    if (held && held->device == number) return {};
    if (held) return {Code::unsupported, Argument::options, "the matrix lies on another CUDA device already"};
    const auto made = std::make_shared<Held>();
    made->backend = &backend, made->device = number;
    if (const Status bad = upload(body, *made); !bad) return bad;
    body.on_cuda = held = made;
    return {};
}

}  // namespace tw::effort
