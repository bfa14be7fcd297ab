// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/npy_file.hpp"

#include <algorithm>

#include "cli/files/npy_header.hpp"

namespace tw::cli {
namespace {

NpyHeader read_header(const InputFile& file) {
    try {
        const std::string prefix = file.read(0, std::min(npy_prefix_bytes, file.bytes()));
        return parse_npy_header(file.read(0, npy_header_end(prefix, file.bytes())), file.bytes());
    } catch (const Fault& fault) {
        file.refuse_at(fault.offset(), fault.what());
    }
}

MatrixFile open_npy(std::string path, Vector vector) {
    InputFile file(std::move(path), "an .npy file");
    const NpyHeader header = read_header(file);
    Stored stored{header.type, header.extent[0], header.extent[1], !header.fortran_order, header.data_offset};
    if (header.dimensions == 1 && vector == Vector::row) std::swap(stored.rows, stored.cols);
    if (header.dimensions < 2) stored.by_rows = stored.cols > 1;
    return {std::move(file), stored};
}

}  // namespace

NpyFile::NpyFile(std::string path, Vector vector) : MatrixFile(open_npy(std::move(path), vector)) {}

}  // namespace tw::cli
