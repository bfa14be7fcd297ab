// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product from files to a file, panel by panel.
#pragma once

#include <optional>
#include <string>

#include "cli/ending/exit.hpp"
#include "cli/files/matrix_file.hpp"
#include "cli/files/output_file.hpp"
#include "cli/product/panels.hpp"
#include "tilewright/options.hpp"
#include "tilewright/status.hpp"

namespace tw::cli {

/// A file as one side of a product.
struct Operand {
    MatrixFile file;
    bool transposed = false;
    bool conjugated = false;  ///< if it is complex

    std::int64_t rows() const noexcept { return transposed ? file.cols() : file.rows(); }
    std::int64_t cols() const noexcept { return transposed ? file.rows() : file.cols(); }
    bool is_row_major() const noexcept { return file.is_row_major() != transposed; }
    Matrix read(std::int64_t i, std::int64_t j, std::int64_t row_count, std::int64_t col_count, void* memory) const;
};

struct Product {
    Operand a, b;
    std::optional<MatrixFile> c0;  ///< multiplied by beta
    Options options;

    std::int64_t m() const noexcept { return a.rows(); }
    std::int64_t n() const noexcept { return b.cols(); }
    std::int64_t k() const noexcept { return a.cols(); }
    double flops() const noexcept {
        return (is_complex(a.file.type()) ? 8 : 2) * static_cast<double>(m()) * static_cast<double>(n()) *
               static_cast<double>(k());
    }
};

/// The exit code of tw for a code of the library.
Exit exit_for(Code code);

/// Computes the product into the file, header and all; shows progress. Throws a Stop.
void multiply_files(const Product& product, const Panels& panels, OutputFile& output);

}  // namespace tw::cli
