// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r10_split_remainders: a product of doubles or of complex numbers from the remainders of whole numbers, by products of
// int8: 14 to 16 for doubles, 2 x 15 to 2 x 17 for pairs of doubles, 2 x 7 to 2 x 9 for pairs of floats.
//
//    A, B  ->  scaled whole numbers  ->  x mod 256, x mod 255, x mod 253, ...     a plane of int8 for each modulus
//                                             |          |          |
//                                          int8 product, reduced where it is summed: a byte a result
//                                             +----------+----------+-->  C / P = fraction of sum t / p, rounded once
//
// As many products as there are planes, at 28 times the rate of f64's matrix unit; each operand is rounded once, in
// units of its row's norm. Whether that keeps the bound of a plain sum depends on how a row's magnitudes lie beside a
// column's: the device finds that out, takes more moduli, or leaves tiles of C to a kernel of the type's own.
// Needs: sm_90a. Of doubles 14 times 2mnk int8 operations, 2 x 8 + 14 bytes an element of A and B, and 14 + 14 + 8 one
// of C.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/remainders/scratch.cuh"

namespace tw::cuda {
namespace {

/// std::complex<float> may begin at any multiple of 4, where it can't be read at once.
bool starts_at_numbers(const Call& call) noexcept {
    return (a_of(call).address_bits() | b_of(call).address_bits() | c_of(call).address_bits()) % 8 == 0;
}

/// What a type has besides: the kernel for what remainders can't do, whole or for some tiles; and what was measured.
template <class E>
struct Native;
template <>
struct Native<ElementF64> {
    using Number = double;
    static constexpr const Kernel& kernel = r8_dmma_f64;
    static constexpr auto run_where = run_dmma_where;
    static bool can_finish(const Call&) { return true; }
    static constexpr double convert = 9.7e-3, restore = 9e-3;  ///< nanoseconds an element
};
template <>
struct Native<ElementC128> {
    using Number = Complex<double>;
    static constexpr const Kernel& kernel = r8_dmma_complex_c128;
    static constexpr auto run_where = run_dmma_complex_where;
    static bool can_finish(const Call&) { return true; }
    static constexpr double convert = 21e-3, restore = 28e-3;
};
template <>
struct Native<ElementC64> {
    using Number = Complex<float>;
    static constexpr const Kernel& kernel = r7_hierarchical_complex_c64;
    static constexpr auto run_where = run_hierarchical_complex_where;
    static constexpr auto can_finish = starts_at_numbers;
    static constexpr double convert = 9.5e-3, restore = 11e-3;
};

template <class E>
KeptRows<E> kept_rows(const Call& call) {
    const Matrix& b = call.b;
    const auto first = const_cast<std::byte*>(call.packed.panels);
    return call.packed.on_left ? KeptRows<E>(first, call.a.rows, call.a.cols) : KeptRows<E>(first, b.cols, b.rows);
}

template <class E>
Status run_remainders(const Call& call) {
    const std::int64_t m = call.m(), n = call.n(), k = call.k();
    RemaindersScratch own(set_of<E>, call.scratch.data(), m, n, k);
    own.call.a.rows = rows_along_k(call.a);
    own.call.b.rows = rows_along_k(call.b.transposed());
    if (call.packed.panels) {
        const KeptRows<E> then = kept_rows<E>(call);
        RemaindersOperand& one = call.packed.on_left ? own.call.a : own.call.b;
        one.scaled = then.scaled, one.kept = then.planes, one.found_then = then.found;
    }
    Status done;
    for (const auto& pass :
         {measure_rows<E>, convert_rows<E>, write_magnitudes<E>, bound_products, convert_again<E>, multiply_remainders})
        if (done) done = pass(own.call, call.stream);
    if (done) {
        if constexpr (E::PARTS == 1) done = restore(own.call, product_of<double>(call), call.stream);
        else done = restore_complex<E>(own.call, call, call.stream);
    }
    const TileMap native{own.call.out.native, 2 * own.call.out.across, &own.call.found->any_native};
    return done ? Native<E>::run_where(call, native) : done;
}

template <class E>
std::size_t bytes_for(std::int64_t m, std::int64_t n, std::int64_t k) {
    return k > remainders::most_k ? 0 : RemaindersScratch(set_of<E>, nullptr, m, n, k).bytes;
}

/// What it needs and what it would use more of: a large product that finds no memory goes native.
constexpr std::size_t most_needed = std::size_t{1} << 30;
template <class E>
std::size_t scratch_bytes(const Problem& p, const Tile&, int) {
    const std::size_t bytes = std::max(bytes_for<E>(p.m, p.n, p.k), bytes_for<E>(p.n, p.m, p.k));
    return bytes > most_needed ? 0 : bytes;
}
template <class E>
std::size_t scratch_of(const Call& call, const Tile&) {
    return std::max(bytes_for<E>(call.m(), call.n(), call.k()), bytes_for<E>(call.n(), call.m(), call.k()));
}

/// With the elements that a packed operand has kept.
template <class E>
Call with_elements(Call call) {
    const KeptRows<E> then = kept_rows<E>(call);
    Matrix& one = call.packed.on_left ? call.a : call.b;
    one.data = then.elements;
    one.row_step = call.packed.on_left ? call.k() : 1, one.col_step = call.packed.on_left ? 1 : call.k();
    return call;
}

template <class E>
std::size_t kept_bytes(Type, std::int64_t width, std::int64_t k, bool) {
    return KeptRows<E>(nullptr, width, k).bytes;
}

/// The operand is converted as beside one without rows.
template <class E>
Status convert_once(const Matrix& operand, bool on_left, void* stream, std::byte* to) {
    Matrix rows = on_left ? operand : operand.transposed();
    const KeptRows<E> own(to, rows.rows, rows.cols);
    const Matrix elements{own.elements, rows.type, rows.rows, rows.cols, rows.cols};
    const std::int64_t k = rows.cols;
    if (const Status bad = copy(elements, rows, stream); !bad || k > remainders::most_k) return bad;
    RemaindersCall call{};
    call.set = set_of<E>, call.found = own.found;
    call.a.pitch = call.b.pitch = own.pitch;
    call.a.rows.layout = call.b.rows.layout = {0, k, k, 1, 0};
    RemaindersOperand& one = on_left ? call.a : call.b;
    one.rows = rows_along_k(elements), one.rows.is_conj = rows.is_conj;
    one.scaled = own.scaled, one.large = own.large, one.planes = own.planes;
    one.partial_sums = own.partial_sums, one.partial_tops = own.partial_tops;
    const Status measured = measure_rows<E>(call, stream);
    return measured ? convert_rows<E>(call, stream) : measured;
}
/// What failed goes to the settings' scratch.
template <class E>
void keep(const Matrix& operand, bool on_left, const Call& settings, std::byte* to) {
    const Status done = convert_once<E>(operand, on_left, settings.stream, to);
    if (settings.scratch.size() == sizeof done) std::memcpy(settings.scratch.data(), &done, sizeof done);
}
template <class E>
constexpr Packing packing{kept_bytes<E>, keep<E>};

template <class E>
Status run(const Call& asked, const Tile&) {
    const bool is_kept = asked.packed.panels != nullptr;
    const bool turns = is_kept ? asked.packed.is_a != asked.packed.on_left : is_turned(asked);
    Call call = turns ? across(asked) : asked;
    if (is_kept) call = with_elements<E>(call);
    const std::size_t bytes = bytes_for<E>(call.m(), call.n(), call.k());
    if (bytes != 0 && bytes <= call.scratch.size() && Native<E>::can_finish(call)) return run_remainders<E>(call);
    call.reproducible = true;  // the same bits whatever scratch there is
    return Native<E>::kernel.run(call, {});
}

/// As measured on an H100, with the fewest moduli. Whole waves of tiles: a tile is of one plane, and what stands in the
/// open between two shows where k is short.
template <class E>
double nanoseconds(const Problem& p, int threads) {
    if (p.k > remainders::most_k) return Native<E>::kernel.nanoseconds(p, threads) + 1;
    constexpr double operations = 1.55e6, between_tiles = 1300, between_passes = 25e3;
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double at_once = multiprocessors_for_costs();
    constexpr int planes = set_of<E>.least * set_of<E>.planes;
    const auto tiles = static_cast<double>(tiles_over(p.m, RemaindersOutput::rows) * planes *
                                           tiles_over(p.n, RemaindersOutput::columns));
    const double of_tile = 2 * RemaindersOutput::tile_bytes * k * at_once / operations;
    return between_passes + Native<E>::convert * k * (m + n) + Native<E>::restore * m * n +
           std::ceil(tiles / at_once) * (of_tile + between_tiles);
}

template <class E>
constexpr Kernel row(const char* name, const Scheme& scheme, const char* idea) {
    using Number = typename Native<E>::Number;
    constexpr Type type = type_of<HostNumber<Number>>;
    return {.name = name,
            .rung = Rung::split,
            .in = type,
            .out = type,
            .sum = type,
            .scheme = &scheme,
            .needs = feature::sm90a,
            .idea = idea,
            .takes = fits_ints,
            .sum_bound = number_sum_bound<Number>,
            .nanoseconds = nanoseconds<E>,
            .scratch_bytes = scratch_bytes<E>,
            .scratch_of = scratch_of<E>,
            .run = run<E>,
            .packing = &packing<E>};
}

}  // namespace

constinit const Kernel r10_split_remainders_f64 =
    row<ElementF64>("cuda.r10_split_remainders.f64", remainders_of_f64,
                    "f64 from the remainders of scaled whole numbers: an int8 product for each of 14 to 16 moduli");
constinit const Kernel r10_split_remainders_c128 =
    row<ElementC128>("cuda.r10_split_remainders.c128", remainders_of_f64,
                     "c128 from remainders: two int8 products, not four, for each of 15 to 17 moduli");
constinit const Kernel r10_split_remainders_c64 =
    row<ElementC64>("cuda.r10_split_remainders.c64", remainders_of_f32,
                    "c64 from remainders: two int8 products, not four, for each of 7 to 9 moduli");

}  // namespace tw::cuda
