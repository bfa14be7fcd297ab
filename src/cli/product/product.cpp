// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/product/product.hpp"

#include <algorithm>
#include <complex>
#include <memory>

#include "cli/console/terminal.hpp"
#include "cli/files/npy_header.hpp"
#include "plan/operands.hpp"
#include "tilewright/multiply.hpp"

namespace tw::cli {
namespace {

constexpr std::int64_t strip_bytes = std::int64_t{1} << 20;

/// Memory for one panel.
class Panel {
public:
    Panel(std::int64_t elements, Type type, const char* what) {
        const double bytes = static_cast<double>(elements) * static_cast<double>(size_of(type));
        memory_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
        if (!memory_) fail("no memory for {:.0f} MiB of {}; --memory makes the panels smaller", bytes / 0x1p20, what);
    }
    void* memory() const noexcept { return memory_.get(); }

private:
    std::unique_ptr<std::byte[]> memory_;
};

class Work {
public:
    Work(const Product& product, const Panels& panels, OutputFile& output)
        : p_(product),
          panels_(panels),
          output_(output),
          header_(npy_header_text(type(), p_.m(), p_.n())),
          a_panel_(panels.m * panels.k, type(), "A"),
          b_panel_(panels.k * panels.n, type(), "B"),
          c_panel_(panels.m * panels.n, sum_type(), "C"),
          strip_(strip_elements(), type(), "C's rows") {}

    void run() {
        output_.reserve(static_cast<std::int64_t>(header_.size()) + p_.m() * p_.n() * size());
        output_.write(0, header_);
        for (std::int64_t i = 0; i < p_.m(); i += panels_.m)
            for (std::int64_t j = 0; j < p_.n(); j += panels_.n) make_block(i, j);
    }

private:
    Type type() const { return p_.a.file.type(); }
    std::int64_t size() const { return static_cast<std::int64_t>(size_of(type())); }

    /// Narrow results are summed in f32 and rounded once, when written.
    Type sum_type() const { return size_of(type()) == 2 ? Type::f32 : type(); }

    std::int64_t strip_elements() const { return std::max({strip_bytes / size(), panels_.m, panels_.n}); }

    void make_block(std::int64_t i, std::int64_t j) {
        const Matrix c{c_panel_.memory(), sum_type(), std::min(panels_.m, p_.m() - i), std::min(panels_.n, p_.n() - j),
                       std::min(panels_.n, p_.n() - j)};
        if (p_.c0) read_c0(i, j, c);
        std::complex<double> beta = 0;
        if (p_.c0) beta = {p_.options.beta, p_.options.beta_imag};
        std::int64_t done = 0;
        do {  // also once with k = 0, for beta * C0
            const std::int64_t terms = std::min(panels_.k, p_.k() - done);
            add_terms(i, j, done, terms, beta, c);
            done += terms;
            beta = 1;
        } while (done < p_.k());
        write_block(i, j, c);
    }

    void add_terms(std::int64_t i, std::int64_t j, std::int64_t first, std::int64_t terms, std::complex<double> beta,
                   const Matrix& c) {
        const bool whole_k = terms == p_.k();
        if (!whole_k || a_row_ != i) a_ = p_.a.read(i, first, c.rows, terms, a_panel_.memory()), a_row_ = i;
        if (!whole_k || b_col_ != j) b_ = p_.b.read(first, j, terms, c.cols, b_panel_.memory()), b_col_ = j;
        Options options = p_.options;
        options.beta = beta.real(), options.beta_imag = beta.imag();
        const std::int64_t step = rows_a_call(c.cols, terms);
        for (std::int64_t row = 0; row < c.rows; row += step) {
            const std::int64_t rows = std::min(step, c.rows - row);
            multiply_slice(a_.block(row, 0, rows, terms), c.block(row, 0, rows, c.cols), options);
            done_ += (is_complex(type()) ? 8 : 2) * static_cast<double>(rows) * static_cast<double>(c.cols) *
                     static_cast<double>(terms);
            progress_.show("multiply", done_ / std::max(1.0, p_.flops()));
        }
    }

    /// Rows for each call: a fraction of a second on most machines, so that progress can be shown, but enough rows for
    /// packing and verifying B again in each call to cost little. By the shape alone, since the bits depend on it.
    static std::int64_t rows_a_call(std::int64_t cols, std::int64_t terms) {
        constexpr double flops_a_call = 0x1p33;
        constexpr std::int64_t least = 512;
        const double flops_a_row = 2 * static_cast<double>(std::max<std::int64_t>(1, cols)) *
                                   static_cast<double>(std::max<std::int64_t>(1, terms));
        return std::max(least, static_cast<std::int64_t>(flops_a_call / flops_a_row));
    }

    void multiply_slice(const Matrix& a, const Matrix& c, const Options& options) const {
        const Status status = try_multiply(a, b_, c, options);
        if (!status) throw Stop(exit_for(status.code), explain(status, a, b_, c, options));
    }

    void read_c0(std::int64_t i, std::int64_t j, const Matrix& c) const {
        const bool by_rows = p_.c0->is_row_major();
        const std::int64_t lines = by_rows ? c.rows : c.cols, length = by_rows ? c.cols : c.rows;
        const std::int64_t step = std::max<std::int64_t>(1, strip_elements() / length);
        for (std::int64_t line = 0; line < lines; line += step) {
            const std::int64_t count = std::min(step, lines - line);
            const std::int64_t row = by_rows ? line : 0, col = by_rows ? 0 : line;
            const std::int64_t rows = by_rows ? count : c.rows, cols = by_rows ? c.cols : count;
            convert(c.block(row, col, rows, cols), p_.c0->read(i + row, j + col, rows, cols, strip_.memory()));
        }
    }

    void write_block(std::int64_t i, std::int64_t j, const Matrix& c) {
        const std::int64_t step = std::max<std::int64_t>(1, strip_elements() / c.cols);
        for (std::int64_t row = 0; row < c.rows; row += step) {
            const std::int64_t rows = std::min(step, c.rows - row);
            Matrix strip = c.block(row, 0, rows, c.cols);
            if (c.type != type()) {
                strip = Matrix{strip_.memory(), type(), rows, c.cols, c.cols};
                convert(strip, c.block(row, 0, rows, c.cols));
            }
            write_rows(i + row, j, strip);
        }
    }

    void write_rows(std::int64_t i, std::int64_t j, const Matrix& rows) {
        const auto header = static_cast<std::int64_t>(header_.size());
        const bool whole_rows = rows.cols == p_.n();
        const std::int64_t lines = whole_rows ? 1 : rows.rows,
                           length = (whole_rows ? rows.rows : 1) * rows.cols * size();
        for (std::int64_t line = 0; line < lines; ++line)
            output_.write(header + ((i + line) * p_.n() + j) * size(),
                          {static_cast<const char*>(rows.at(line, 0)), static_cast<std::size_t>(length)});
    }

    const Product& p_;
    const Panels panels_;
    OutputFile& output_;
    const std::string header_;
    Panel a_panel_, b_panel_, c_panel_, strip_;
    Matrix a_{}, b_{};
    std::int64_t a_row_ = -1, b_col_ = -1;  ///< what the panels hold, if they hold all terms
    double done_ = 0;                       ///< flops
    ProgressLine progress_;
};

}  // namespace

Exit exit_for(Code code) {
    switch (code) {
        case Code::verification_failed: return Exit::wrong_result;
        case Code::bad_argument:
        case Code::unsupported:
        case Code::bad_file:
        case Code::no_device: return Exit::bad_input;
        default: return Exit::failed;
    }
}

Matrix Operand::read(std::int64_t i, std::int64_t j, std::int64_t row_count, std::int64_t col_count,
                     void* memory) const {
    Matrix block = transposed ? file.read(j, i, col_count, row_count, memory).transposed()
                              : file.read(i, j, row_count, col_count, memory);
    block.is_conj = conjugated && is_complex(block.type);
    return block;
}

void multiply_files(const Product& product, const Panels& panels, OutputFile& output) {
    Work(product, panels, output).run();
    for (const MatrixFile* file : {&product.a.file, &product.b.file}) file->check_unchanged();
    if (product.c0) product.c0->check_unchanged();
}

}  // namespace tw::cli
