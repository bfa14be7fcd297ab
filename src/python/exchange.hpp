// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// DLPack's table of C functions (`__dlpack_c_exchange_api__` on an array's type, from version 1.2 on): an array is
// looked at, and its library's stream asked for, without a capsule and without a line of Python. Only what is used here
// is declared.
#pragma once

#include <cstdint>

namespace tw::python::exchange {

enum Kind : std::int32_t { cpu = 1, cuda = 2 };
enum Code : std::uint8_t { floating = 2, bfloat = 4 };

struct Device {
    std::int32_t kind, number;
};

struct Dtype {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};

struct Tensor {
    void* data;
    Device device;
    std::int32_t dims;
    Dtype dtype;
    std::int64_t* shape;
    std::int64_t* strides;  ///< in elements; null, of older senders: without gaps
    std::uint64_t byte_offset;
};

/// The functions return 0, or -1 with a Python exception set.
struct Table {
    std::uint32_t major, minor;
    Table* older;
    int (*allocate)(Tensor*, void**, void*, void (*)(void*, const char*, const char*));
    int (*managed_from_object)(void* object, void** out);
    int (*managed_to_object)(void* managed, void** object);
    int (*look)(void* object, Tensor* out);  ///< borrowed: as long as the object lives; may be null
    int (*current_stream)(std::int32_t kind, std::int32_t number, void** stream);
};

inline constexpr const char* capsule = "dlpack_exchange_api";

}  // namespace tw::python::exchange
