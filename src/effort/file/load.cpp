// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A file is not trusted: every field of its header is checked, the length must match the header before anything of that
// size is allocated, both checksums must match, and the numbers that a product depends on must be finite.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "effort/choice/importance.hpp"
#include "effort/file/form.hpp"
#include "effort/file/reader.hpp"
#include "formats/pieces.hpp"

namespace tw {
namespace {

using namespace effort;

/// Null when there is no such layout.
const Format* format_of_header(const FileHeader& h) noexcept {
    return h.layout < formats().size() ? format_of(static_cast<EffortLayout>(h.layout)) : nullptr;
}

void check_header(const Reader& reader, const FileHeader& h) {
    if (std::memcmp(h.title, FileHeader{}.title, 8) != 0) reader.refuse(0, "expected the title \"tweffort\"");
    if (h.format == 1) reader.refuse(8, "the file has format 1, which ranked its rows differently: build it again");
    reader.expect(h.format == 2, 8, "format 2", h.format);
    reader.expect(h.header_bytes == 128, 12, "a header of 128 bytes", h.header_bytes);
    if (h.header_sum != checksum(std::as_bytes(std::span(&h, 1)).first(120)))
        reader.refuse(120, "the header's checksum does not match");
    const Format* format = format_of_header(h);
    reader.expect(format, 16, "a layout from 0 to " + std::to_string(formats().size() - 1), h.layout);
    const auto is_bucket = [&](int bucket) { return h.bucket == static_cast<std::uint32_t>(bucket); };
    reader.expect(std::any_of(format->buckets.begin(), format->buckets.end(), is_bucket), 20,
                  "a bucket that the layout can have", h.bucket);
    reader.expect(h.truncating <= (format->may_truncate ? 1u : 0u), 24, "0, or 1 with buckets", h.truncating);
    reader.expect(h.type >= 1 && h.type <= 3, 28, "a type from 1 to 3", h.type);
    reader.expect(h.outputs >= 1 && h.outputs <= most_outputs, 32, "1 to 2^24 outputs", h.outputs);
    reader.expect(h.inputs >= 1 && h.inputs <= most_inputs, 40, "1 to 2^24 inputs", h.inputs);
    if (const char* refusal = refusal_of_shape(h.outputs, h.inputs, h.experts)) reader.refuse(48, refusal);
    reader.expect(h.exponent >= least_exponent && h.exponent <= most_exponent, 52, "an exponent from -113 to 100",
                  h.exponent);
    reader.expect(h.has_dense <= 1, 56, "0 or 1", h.has_dense);
    reader.expect(h.zero == 0, 60, "0", h.zero);
    reader.expect(h.nothing == 0, 104, "0", h.nothing);
}

/// Expects every number of the array to be in [least, most], so no NaN.
void check_numbers(const Reader& reader, std::int64_t offset, const Memory& array, float least, float most,
                   const char* what) {
    const float* numbers = array.as<float>();
    for (std::size_t n = 0; n < array.size() / sizeof(float); ++n)
        if (!(numbers[n] >= least && numbers[n] <= most))
            reader.refuse(offset + static_cast<std::int64_t>(n * sizeof(float)),
                          std::string("expected a finite number for ") + what);
}

/// Whether the file has the planes that are asked for.
void check_planes(const std::string& path, const EffortLoad& how, const EffortBody& body) {
    const int asked = how.planes;
    const auto refuse = [&](const std::string& why) {
        throw Error({Code::bad_argument, Argument::options, "the planes asked for are not in the file"},
                    path + ": " + why);
    };
    if (asked == 0) return;
    if (asked != 2 && asked != 3) refuse("expected 2 or 3 planes to be asked for, or 0; got " + std::to_string(asked));
    if (body.layout() != EffortLayout::planes)
        refuse(std::string("its layout is ") + name_of(body.layout()) + ", which has no planes to leave out");
    if (asked > body.units()) refuse("it was built without the last plane: build it again from the weights");
    if (how.mapped && asked < body.units())
        refuse("it has a plane more, which can't be left out of a file that is mapped: save the matrix with 2 planes");
}

void allocate(const std::string& path, Memory& memory, std::int64_t bytes) {
    if (!memory.allocate(static_cast<std::size_t>(bytes)))
        throw Error({Code::out_of_memory, Argument::none, "not enough memory for a matrix with an effort dial"},
                    path + ": not enough memory for an array of " + std::to_string(bytes) + " bytes");
}

/// Reads bytes to `to`, or past them when that is null. Returns the checksum with them.
std::uint64_t take(const Reader& reader, std::int64_t at, std::int64_t bytes, std::byte* to, std::uint64_t sum) {
    if (to) {
        const std::span into(to, static_cast<std::size_t>(bytes));
        reader.read(at, into);
        return checksum(into, sum);
    }
    std::byte block[1 << 16];
    for (const std::int64_t end = at + bytes; at < end; at += static_cast<std::int64_t>(sizeof block)) {
        const std::span part =
            std::span(block).first(static_cast<std::size_t>(std::min<std::int64_t>(sizeof block, end - at)));
        reader.read(at, part);
        sum = checksum(part, sum);
    }
    return sum;
}

/// Rows of a matrix that has a plane less than the file: a tile's last array is left out.
std::uint64_t take_rows(const Reader& reader, std::int64_t at, const EffortBody& from, const EffortBody& to,
                        std::uint64_t sum) {
    const Tiling tiling = tiling_of(from);
    std::byte* place = to.rows.data();
    for (int expert = 0; expert < from.experts; ++expert)
        for (std::int64_t t = 0; t < tiling.tiles; ++t) {
            const int width = from.format->width(from, from.outputs - t * tiling.outputs_of_tile);
            const std::int64_t whole = from.format->tile_bytes(from, width), kept = to.format->tile_bytes(to, width);
            sum = take(reader, at, kept, place, sum);
            sum = take(reader, at + kept, whole - kept, nullptr, sum);
            at += whole, place += kept;
        }
    return sum;
}

/// What is left, or gains: of each expert the first numbers, as many as there is room for.
std::uint64_t take_numbers(const std::string& path, const Reader& reader, std::int64_t at, std::int64_t bytes,
                           const Memory& to, int experts, std::uint64_t sum) {
    Memory all;
    allocate(path, all, bytes);
    sum = take(reader, at, bytes, all.data(), sum);
    const auto kept = static_cast<std::int64_t>(to.size()) / experts;
    copy_pieces(to.data(), kept, all.data(), bytes / experts, kept, experts);
    return sum;
}

/// An array of a file that is mapped: all of it or, where `kept` is 0, none. Returns the checksum with its bytes.
std::uint64_t show(const std::shared_ptr<std::byte>& mapping, std::int64_t at, std::int64_t bytes, std::int64_t kept,
                   Memory& to, std::uint64_t sum) {
    std::byte* const data = mapping.get() + at;
    to.show(data, static_cast<std::size_t>(kept), mapping);
    return checksum({data, static_cast<std::size_t>(bytes)}, sum);
}

using Places = std::array<std::int64_t, 5>;  // of the arrays, in their order

std::array<Memory*, 5> arrays_of(EffortBody& body) noexcept {
    return {&body.rows, &body.left, &body.gains, &body.spreads, &body.dense};
}

/// What the header tells of a matrix.
void describe(EffortBody& body, const FileHeader& h) {
    body.format = format_of_header(h), body.bucket = static_cast<int>(h.bucket);
    body.truncating = h.truncating != 0, body.type = static_cast<Type>(h.type);
    body.outputs = h.outputs, body.inputs = h.inputs, body.experts = h.experts, body.exponent = h.exponent;
}

/// Where the arrays begin in a file that is as long as the header and `body` say.
Places places_of_arrays(const Reader& reader, const FileHeader& h, const EffortBody& body) {
    const auto sizes = sizes_in_order(sizes_of(body, h.has_dense != 0));
    Places places{};
    std::int64_t end = 128;
    for (std::size_t a = 0; a < places.size(); ++a) {
        reader.expect(h.sizes[a] == sizes[a], static_cast<std::int64_t>(64 + 8 * a),
                      "an array of " + std::to_string(sizes[a]) + " bytes", h.sizes[a]);
        places[a] = end;
        end += up_to_line(h.sizes[a]);
    }
    reader.expect(reader.size() == end, std::min(reader.size(), end), "a file of " + std::to_string(end) + " bytes",
                  reader.size());
    return places;
}

/// Each array's part that `body` keeps. Returns the checksum of all that the file has.
std::uint64_t take_arrays(const std::string& path, const Reader& reader, const FileHeader& h, const Places& places,
                          const EffortLoad& how, EffortBody& body) {
    EffortBody in_file;
    describe(in_file, h);
    const auto kept = sizes_in_order(sizes_of(body, h.has_dense != 0 && how.keeps_dense));
    const std::shared_ptr<std::byte> mapping = how.mapped ? reader.mapped() : nullptr;
    const std::array<Memory*, 5> arrays = arrays_of(body);
    std::uint64_t sum = checksum_start;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        Memory& array = *arrays[a];
        if (mapping) sum = show(mapping, places[a], h.sizes[a], kept[a], array, sum);
        else {
            allocate(path, array, kept[a]);
            if (kept[a] == h.sizes[a] || kept[a] == 0)
                sum = take(reader, places[a], h.sizes[a], kept[a] > 0 ? array.data() : nullptr, sum);
            else if (a == 0) sum = take_rows(reader, places[a], in_file, body, sum);
            else sum = take_numbers(path, reader, places[a], h.sizes[a], array, body.experts, sum);
        }
        reader.expect_zeros(places[a] + h.sizes[a], up_to_line(h.sizes[a]) - h.sizes[a]);
    }
    return sum;
}

void check_arrays(const Reader& reader, const Places& places, const EffortBody& body) {
    constexpr float most = 0x1p120f;
    check_numbers(reader, places[1], body.left, 0, most, "what is left");
    check_numbers(reader, places[2], body.gains, -most, most, "a gain");
    check_numbers(reader, places[3], body.spreads, 0, most, "a spread");
    if (body.format->flaw)
        if (const Flaw flaw = body.format->flaw(body); flaw.at >= 0)
            reader.refuse(places[0] + flaw.at, std::string("expected ") + flaw.expected);
}

}  // namespace

EffortMatrix load_effort(const std::string& path) { return load_effort(path, {}); }

EffortMatrix load_effort(const std::string& path, const EffortLoad& how) {
    const Reader reader(path);
    FileHeader h;
    reader.read(0, std::as_writable_bytes(std::span(&h, 1)));
    check_header(reader, h);
    auto body = std::make_shared<EffortBody>();
    describe(*body, h);
    const Places places = places_of_arrays(reader, h, *body);
    check_planes(path, how, *body);
    if (how.planes == 2) body->bucket = without_last_plane;
    if (take_arrays(path, reader, h, places, how, *body) != h.arrays_sum)
        reader.refuse(112, "the arrays' checksum does not match");
    check_arrays(reader, places, *body);
    allocate(path, body->importance, sizes_of(*body, false).importance);
    weigh_inputs(*body);
    return EffortMatrix(std::move(body));
}

}  // namespace tw
