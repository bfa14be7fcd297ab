// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/on_cuda.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <mutex>
#include <new>
#include <numeric>
#include <vector>

#include "backend/contract.hpp"
#include "backend/cuda/backend.hpp"
#include "backend/effort_contract.hpp"
#include "base/float_mode.hpp"
#include "effort/arrange.hpp"
#include "effort/job.hpp"
#include "plan/dial_store.hpp"

namespace tw::effort {
namespace {

static_assert(sizeof(EffortEntryOnDevice) == sizeof(cpu::EffortEntry));

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "not enough memory of the device"};
constexpr int most_products = 16;

Matrix bytes_at(const void* memory, std::size_t bytes) noexcept {
    const auto words = static_cast<std::int64_t>(bytes / 4);
    return {const_cast<void*>(memory), Type::f32, 1, words, words};
}

/// A body's arrays in the memory of one device; gone with the body.
struct Held {
    const Backend* backend = nullptr;
    int device = 0;
    EffortOnDevice matrix{};
    std::array<void*, 5> arrays{};  // rows, dense, statistics, left, gains

    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
        for (void* array : arrays)
            if (array) backend->free(array);
    }
};

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
    const Tiling tiling = tiling_of(body);
    m.layout = body.layout, m.type = body.type;
    m.outputs = static_cast<int>(body.outputs), m.inputs = static_cast<int>(body.inputs);
    m.units = body.units(), m.bucket = body.bucket, m.experts = body.experts;
    m.masking = !body.truncating;
    m.exponent = body.exponent, m.exponent_of_rows = body.exponent_of_rows();
    m.outputs_of_tile = static_cast<int>(tiling.outputs_of_tile), m.tiles = static_cast<int>(tiling.tiles);
    m.tile_bytes = arranged_tile_bytes(body);
    if (body.dense.size() > 0) m.dense_tiles = static_cast<int>(dense_tiling_of(body).tiles);
    std::int64_t common = 0;
    for (int u = 0; u < m.units; ++u) common = std::gcd(common, bytes_of_unit(body, u));
    for (int u = 0; u < m.units; ++u) m.weights[u] = static_cast<std::uint32_t>(bytes_of_unit(body, u) / common);
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
                if (const Status bad = backend_.copy(bytes_at(place, size), bytes_at(tile.data(), size), nullptr); !bad) return bad;
                if (const Status bad = backend_.wait(nullptr); !bad) return bad;  // the tile is written over
            }
        return {};
    }

    Status array(const Memory& from, void*& to) {
        if (from.size() == 0) return {};
        to = backend_.alloc(from.size());
        if (!to) return no_memory;
        if (const Status bad = backend_.copy(bytes_at(to, from.size()), bytes_at(from.data(), from.size()), nullptr); !bad) return bad;
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
        if (const Status bad = to.tiles(body, m.dense_tiles, arranged_dense_tile_bytes(body), arrange_dense_tile, held.arrays[1]); !bad) return bad;
    const Memory* arrays[] = {&body.statistics, &body.left, &body.gains};
    for (std::size_t i = 0; i < std::size(arrays); ++i)
        if (const Status bad = to.array(*arrays[i], held.arrays[2 + i]); !bad) return bad;
    m.rows = static_cast<const std::byte*>(held.arrays[0]), m.dense = static_cast<const std::byte*>(held.arrays[1]);
    m.statistics = static_cast<const float*>(held.arrays[2]), m.left = static_cast<const float*>(held.arrays[3]);
    m.gains = static_cast<const float*>(held.arrays[4]);
    return {};
}

/// The matrix where the device has it, after the calling thread has chosen that device.
Status held_by(const EffortBody& body, std::string_view device, std::shared_ptr<const Held>& held) {
    const Backend& backend = cuda::backend();
    const int number = device_number(device), devices = backend.devices();
    if (devices == 0) return {Code::no_device, Argument::options, backend.absence()};
    if (number < 0 || number >= devices) return {Code::no_device, Argument::options, "there is no CUDA device of that number"};
    if (!backend.effort) return {Code::unsupported, Argument::options, "this build's CUDA backend has no kernels for the effort dial"};
    if (body.inputs * 3 > INT32_MAX / 512 || body.outputs > INT32_MAX / 2)
        return {Code::unsupported, Argument::options, "the matrix is too large for the effort dial's kernels on a CUDA device"};
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

constexpr std::size_t lines(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Up to 16 products of one order.
class Order {
public:
    Order(const CudaDials& dials, const Held& held, std::int64_t first, int products)
        : d_(dials), backend_(*held.backend), m_(held.matrix), first_(first), products_(products),
          v_rows_(dials.v.rows == 1 ? 1 : products) {}

    Status run() {
        if (const Status bad = lay_out(); !bad) return bad;
        if (d_.budget.is_error() && !order_.is_dense && !order_.everything)
            if (const Status bad = choose_here(); !bad) return bad;
        if (const Status bad = backend_.effort->run(m_, order_, notes_); !bad) return bad;
        return bring_back();
    }

private:
    const float* v_row(int p) const { return &d_.v(d_.v.rows == 1 ? 0 : first_ + p, 0); }

    Status lay_out() {
        const EffortBody& body = d_.body;
        v_is_there_ = is_on_cuda(d_.v.data), y_is_there_ = is_on_cuda(d_.y.data);
        for (int p = 0; p < products_; ++p) experts_[static_cast<std::size_t>(p)] = d_.chosen.empty() ? 0 : d_.chosen[static_cast<std::size_t>(first_ + p)];
        std::int64_t all = 0, common = bytes_of_unit(body, 0) / m_.weights[0];
        for (int u = 0; u < body.units(); ++u) all += body.inputs * bytes_of_unit(body, u);
        const std::int64_t affordable = d_.budget.is_error() ? all : std::llround(d_.budget.value() * static_cast<double>(all));
        order_.everything = d_.budget.is_error() ? d_.budget.value() <= 0 : affordable >= all;
        order_.reached = static_cast<std::uint32_t>((affordable + common - 1) / common);
        order_.affordable = static_cast<std::uint32_t>(affordable / common);
        const bool has_dense = m_.dense_tiles > 0 && d_.options.dense != DenseSwitch::never;
        const bool is_slower = d_.options.dense == DenseSwitch::when_quicker && !d_.budget.is_error() &&
                               static_cast<double>(affordable) * toll() > static_cast<double>(dense_tiling_of(body).bytes);
        order_.is_dense = has_dense && (d_.densely || order_.everything || is_slower);
        if (d_.budget.is_error() && !order_.everything && !order_.is_dense && v_is_there_)
            return {Code::unsupported, Argument::b, "a budget of error is chosen by the host: the vector has to be in its memory"};

        const std::size_t notes = lines(backend_.effort->scratch_bytes(m_, products_));
        const std::size_t v_bytes = lines(static_cast<std::size_t>(v_rows_ * body.inputs) * 4), y_bytes = lines(static_cast<std::size_t>(products_ * body.outputs) * 4);
        const std::size_t bytes = notes + (v_is_there_ ? 0 : v_bytes) + (y_is_there_ ? 0 : y_bytes);
        const std::span<std::byte> scratch = backend_.scratch(bytes, d_.options.stream);
        if (scratch.size() < bytes) return no_memory;
        notes_ = scratch.first(notes);
        std::byte* at = scratch.data() + notes;
        order_.experts = {experts_.data(), static_cast<std::size_t>(products_)}, order_.stream = d_.options.stream;
        order_.v = v_row(0), order_.v_step = d_.v.rows == 1 ? 0 : d_.v.row_step;
        order_.y = &d_.y(first_, 0), order_.y_step = d_.y.row_step;
        if (!y_is_there_) order_.y = reinterpret_cast<float*>(at), order_.y_step = body.outputs, at += y_bytes;
        if (v_is_there_) return {};
        order_.v = reinterpret_cast<float*>(at), order_.v_step = d_.v.rows == 1 ? 0 : body.inputs;
        const Matrix to{at, Type::f32, v_rows_, body.inputs, body.inputs};
        return backend_.copy(to, {const_cast<float*>(v_row(0)), Type::f32, v_rows_, body.inputs, d_.v.rows == 1 ? body.inputs : d_.v.row_step}, order_.stream);
    }

    /// How much longer a byte of the layout takes than one of the dense copy, where both take as long: on an H200 buckets and tiers of
    /// 14336 x 4096 weights were never as quick, planes at a sixth of the bytes.
    double toll() const {
        const double tuned = tuned_habits({m_.layout, d_.body.outputs, d_.body.inputs, d_.body.type, "cuda"}).toll;
        return tuned > 0 ? tuned : m_.layout == EffortLayout::planes ? 6 : 30;
    }

    /// The CPU's own choice, product by product.
    Status choose_here() {
        const EffortBody& body = d_.body;
        const EffortNotes notes = backend_.effort->notes_in(notes_, m_, products_);
        jobs_.resize(static_cast<std::size_t>(products_));
        if (!desk_.allocate(lines(desk_bytes(body)) + static_cast<std::size_t>(products_) * lines(kept_bytes(body)))) return no_memory;
        std::array<EffortChosenOnDevice, most_products> chosen{};
        for (int p = 0; p < products_; ++p) {
            Job& job = jobs_[static_cast<std::size_t>(p)];
            job = {.v = v_row(p), .y = nullptr, .expert = experts_[static_cast<std::size_t>(p)]};
            prepare(body, d_.budget, desk_.bytes().first(lines(desk_bytes(body))), kept(p), job);
            chosen[static_cast<std::size_t>(p)] = {static_cast<std::uint32_t>(job.count), 0, job.is_fine, 0, job.factor};
            const std::size_t bytes = static_cast<std::size_t>(job.count) * sizeof *job.entries;
            if (bytes == 0) continue;
            if (const Status bad = backend_.copy(bytes_at(notes.entries + p * body.inputs, bytes), bytes_at(job.entries, bytes), order_.stream); !bad) return bad;
        }
        order_.is_chosen = true;
        const std::size_t bytes = static_cast<std::size_t>(products_) * sizeof chosen[0];
        return backend_.copy(bytes_at(notes.chosen, bytes), bytes_at(chosen.data(), bytes), order_.stream);
    }

    std::span<std::byte> kept(int p) const {
        return desk_.bytes().subspan(lines(desk_bytes(d_.body)) + static_cast<std::size_t>(p) * lines(kept_bytes(d_.body)), kept_bytes(d_.body));
    }

    Status bring_back() {
        const EffortBody& body = d_.body;
        if (!y_is_there_) {
            const Matrix from{order_.y, Type::f32, products_, body.outputs, body.outputs};
            if (const Status bad = backend_.copy({&d_.y(first_, 0), Type::f32, products_, body.outputs, d_.y.row_step}, from, order_.stream); !bad) return bad;
        }
        const bool has_reports = !d_.reports.empty(), can_judge = !v_is_there_ && !y_is_there_;
        if (!v_is_there_ || !y_is_there_)
            if (const Status bad = backend_.wait(order_.stream); !bad) return bad;
        for (int p = 0; p < products_ && has_reports; ++p) {
            EffortReport& report = d_.reports[static_cast<std::size_t>(first_ + p)];
            if (!can_judge) report = known_before();
            else if (const Status bad = judge(p, report); !bad) return bad;
        }
        return {};
    }

    EffortReport known_before() const {
        EffortReport report;
        report.rows = d_.body.units() * d_.body.inputs;
        for (int u = 0; u < d_.body.units(); ++u) report.bytes += d_.body.inputs * bytes_of_unit(d_.body, u);
        report.rows_read = order_.everything || order_.is_dense ? report.rows : -1;
        report.bytes_read = order_.everything || order_.is_dense ? report.bytes : -1;
        if (order_.is_dense) report.bytes_read = report.bytes = dense_tiling_of(d_.body).bytes;
        report.dense = order_.is_dense, report.kernels = "cuda";
        report.estimated_error = -1;
        return report;
    }

    Status judge(int p, EffortReport& report) {
        const EffortBody& body = d_.body;
        if (order_.is_dense) {
            report = known_before();
            Job job{.v = v_row(p), .y = &d_.y(first_ + p, 0), .expert = experts_[static_cast<std::size_t>(p)], .is_dense = true, .report = report};
            const float* squares = body.left_of(job.expert);
            for (std::int64_t i = 0; i < body.inputs; ++i)
                job.all += static_cast<double>(job.v[i]) * static_cast<double>(job.v[i]) * static_cast<double>(squares[i]);
            conclude(body, "cuda", job);
            report = job.report;
            return {};
        }
        if (!order_.is_chosen) {
            const EffortNotes notes = backend_.effort->notes_in(notes_, m_, products_);
            if (jobs_.empty()) {
                jobs_.resize(static_cast<std::size_t>(products_));
                if (!desk_.allocate(lines(desk_bytes(body)) + static_cast<std::size_t>(products_) * lines(kept_bytes(body)))) return no_memory;
            }
            EffortChosenOnDevice chosen{};
            if (const Status bad = fetch(&chosen, notes.chosen + p, sizeof chosen); !bad) return bad;
            std::vector<EffortEntryOnDevice> entries(chosen.entries);
            if (const Status bad = fetch(entries.data(), notes.entries + p * body.inputs, entries.size() * sizeof entries[0]); !bad) return bad;
            std::vector<std::uint8_t> units(static_cast<std::size_t>(body.inputs));
            for (const EffortEntryOnDevice& entry : entries) units[entry.input] = static_cast<std::uint8_t>(entry.units);
            Job& job = jobs_[static_cast<std::size_t>(p)];
            job = {.v = v_row(p), .y = nullptr, .expert = experts_[static_cast<std::size_t>(p)]};
            const double cutoff = order_.everything ? 0 : static_cast<double>(std::bit_cast<float>(chosen.worth)) / static_cast<double>(std::bit_cast<float>(chosen.scale));
            account_for(body, units.data(), cutoff, chosen.fine != 0, kept(p), job);
        }
        Job& job = jobs_[static_cast<std::size_t>(p)];
        job.y = &d_.y(first_ + p, 0);
        conclude(body, "cuda", job);
        report = job.report;
        return {};
    }

    Status fetch(void* to, const void* from, std::size_t bytes) {
        if (bytes == 0) return {};
        if (const Status bad = backend_.copy(bytes_at(to, bytes), bytes_at(from, bytes), order_.stream); !bad) return bad;
        return backend_.wait(order_.stream);
    }

    const CudaDials& d_;
    const Backend& backend_;
    const EffortOnDevice& m_;
    std::int64_t first_;
    int products_;
    std::int64_t v_rows_;
    bool v_is_there_ = false, y_is_there_ = false;
    EffortOrder order_{};
    std::array<int, most_products> experts_{};
    std::span<std::byte> notes_{};
    std::vector<Job> jobs_{};
    Memory desk_{};
};

}  // namespace

bool names_cuda(std::string_view device) noexcept { return device == "cuda" || device.starts_with("cuda:"); }

bool is_on_cuda(const void* memory) noexcept { return cuda::owns(memory); }

Status place_on_cuda(const EffortBody& body, std::string_view device) noexcept {
    try {
        std::shared_ptr<const Held> held;
        return held_by(body, device, held);
    } catch (const std::bad_alloc&) {
        return no_memory;
    }
}

Status run_on_cuda(const CudaDials& dials) noexcept {
    const IeeeMode mode;
    try {
        std::shared_ptr<const Held> held;
        if (const Status bad = held_by(dials.body, dials.options.device, held); !bad) return bad;
        for (std::int64_t row = 0; row < dials.y.rows; row += most_products) {
            const int products = static_cast<int>(std::min<std::int64_t>(most_products, dials.y.rows - row));
            if (const Status bad = Order(dials, *held, row, products).run(); !bad) return bad;
        }
        return {};
    } catch (const std::bad_alloc&) {
        return no_memory;
    }
}

}  // namespace tw::effort
