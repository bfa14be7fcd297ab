// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tw {

/// What an element of a matrix is. The narrow two are storage: 16 bits that a product widens exactly to f32. The
/// complex two are pairs, the real part first: of f32 (c64) and of f64 (c128), as std::complex has them.
enum class Type : std::uint8_t { f64, f32, f16, bf16, c64, c128 };
inline constexpr Type last_type = Type::c128;

/// IEEE binary16 as stored bits.
struct float16 {
    std::uint16_t bits;
};

/// The upper half of an IEEE binary32, as stored bits.
struct bfloat16 {
    std::uint16_t bits;
};

constexpr bool is_complex(Type type) noexcept { return type == Type::c64 || type == Type::c128; }

/// Of its real and imaginary parts; a real type is its own.
constexpr Type part_of(Type type) noexcept {
    return type == Type::c64 ? Type::f32 : type == Type::c128 ? Type::f64 : type;
}

constexpr std::size_t size_of(Type type) noexcept {
    const Type part = part_of(type);
    const std::size_t size = part == Type::f64 ? 8 : part == Type::f32 ? 4 : 2;
    return is_complex(type) ? 2 * size : size;
}

constexpr const char* name_of(Type type) noexcept {
    switch (type) {
        case Type::f64: return "f64";
        case Type::f32: return "f32";
        case Type::f16: return "f16";
        case Type::bf16: return "bf16";
        case Type::c64: return "c64";
        case Type::c128: return "c128";
    }
    return "?";
}

/// A complex number of two Parts: std::complex, told by its members, because <complex> brings streams and locales with
/// it, which every file that multiplies would read. Other libraries' complex numbers that lie the same way pass, too.
template <class T, class Part>
concept PairOf = sizeof(T) == 2 * sizeof(Part) && std::same_as<typename T::value_type, Part> && requires(const T& z) {
    { z.real() } -> std::convertible_to<Part>;
    { z.imag() } -> std::convertible_to<Part>;
};

template <class T>
struct TypeOf;  // only the six element types below have a Type
template <>
struct TypeOf<double> {
    static constexpr Type value = Type::f64;
};
template <>
struct TypeOf<float> {
    static constexpr Type value = Type::f32;
};
template <>
struct TypeOf<float16> {
    static constexpr Type value = Type::f16;
};
template <>
struct TypeOf<bfloat16> {
    static constexpr Type value = Type::bf16;
};
template <class T>
    requires PairOf<T, float>
struct TypeOf<T> {
    static constexpr Type value = Type::c64;
};
template <class T>
    requires PairOf<T, double>
struct TypeOf<T> {
    static constexpr Type value = Type::c128;
};

template <class T>
inline constexpr Type type_of = TypeOf<std::remove_const_t<T>>::value;

template <class T>
concept Element = requires { TypeOf<std::remove_const_t<T>>::value; };

/// Where memory lives. Host memory is what any CPU thread may read.
enum class Place : std::uint8_t { host, cuda, metal };

constexpr const char* name_of(Place place) noexcept {
    return place == Place::host ? "host" : place == Place::cuda ? "cuda" : "metal";
}

}  // namespace tw
