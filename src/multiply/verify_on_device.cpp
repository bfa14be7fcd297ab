// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sums on the device tell that something is off, and the product is made again: where all of C takes a fraction of a
// millisecond, nothing is won by looking for the element. Whatever the sums can't settle (an Inf or NaN among the
// operands, a kernel that is wrong each time, elements so small that their unit loses bits of them) is settled on the
// host, by copies of the operands: by the same kernel, with the same bits.
#include "multiply/verify_on_device.hpp"

#include <memory>
#include <new>

#include "backend/contract.hpp"
#include "carry/arena.hpp"
#include "carry/execute.hpp"
#include "multiply/freivalds.hpp"
#include "multiply/log.hpp"
#include "multiply/verify.hpp"
#include "plan/losses.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"

namespace tw {
namespace {

constexpr Status no_sums{Code::unsupported, Argument::options,
                         "verification needs operands in host memory, or in that of a CUDA device"};
constexpr Status is_captured{Code::unsupported, Argument::options,
                             "verification waits for the result, and its stream is being captured into a graph"};
constexpr Status no_memory_there{Code::out_of_memory, Argument::none,
                                 "the device has no memory for the sums of the verification"};
constexpr Status no_memory{Code::out_of_memory, Argument::none,
                           "no memory for copies of the operands, by which the verification goes on"};

/// A dense copy's place on the host, by rows or columns as the original is, so that the plan holds for it too.
class HostCopy {
public:
    explicit HostCopy(const Matrix& original) noexcept
        : memory_(new(std::nothrow)
                      std::byte[static_cast<std::size_t>(original.rows * original.cols) * size_of(original.type)]) {
        const bool by_columns = form_of(original) == Form::col_major;
        matrix = {memory_.get(),
                  original.type,
                  original.rows,
                  original.cols,
                  by_columns ? 1 : original.cols,
                  by_columns ? original.rows : 1};
    }
    Matrix matrix;

private:
    std::unique_ptr<std::byte[]> memory_;
};

class Checked {
public:
    Checked(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream,
            const ProductSums& sums) noexcept
        : plan_(plan),
          device_(*plan.backend),
          sums_(sums),
          c_(c),
          stream_(stream),
          a_(a),
          b_(b),
          product_(turned(a, b, c)) {
        product_.alpha = as_taken(plan.options.alpha, c.type), product_.beta = as_taken(plan.options.beta, c.type);
    }

    /// Memory for the sums, for C0, and for the product's scratch: a thread has one block of a stream.
    Status prepare() noexcept {
        const std::size_t of_sums = in_lines(sums_.bytes(product_.c.rows, a_.cols));
        const std::size_t of_c = adds() ? matrix_bytes(c_.type, c_.rows, c_.cols) : 0;
        const std::size_t of_plan = plan_.options.scratch.empty() ? plan_.scratch_bytes() : 0;
        const std::span<std::byte> all = device_.scratch(of_sums + of_c + of_plan, stream_);
        if (all.size() < of_sums + of_c + of_plan) return no_memory_there;
        memory_ = all.first(of_sums);
        Arena arena(all.subspan(of_sums));
        if (adds()) {
            c0_ = arena.row_major(c_.type, c_.rows, c_.cols);
            if (const Status failed = device_.copy(c0_, c_, stream_); !failed) return failed;
        }
        if (of_plan != 0) plan_.options.scratch = arena.rest();
        return sums_.expect(product_, memory_, stream_);
    }

    /// Twice at most. What is off twice by chance's measure, but within the certificate, is that kernel's way: no
    /// fault.
    Status run(Corrections& done) noexcept {
        for (const bool again : {false, true}) {
            if (again && adds())
                if (const Status failed = device_.copy(c_, c0_, stream_); !failed) return failed;
            if (const Status failed = execute(plan_, a_, b_, c_, stream_); !failed) return failed;
            if (again) done.made_again += c_.rows * c_.cols;
            if (const Status failed = look(by_chance()); !failed) return failed;
            if (!found_.off) return {};
            done.whole = !again;
        }
        return look(false);
    }
    bool is_right() const noexcept { return !found_.off && !found_.silent; }

    Status settle_on_the_host(const Plan& second, Corrections& done) noexcept {
        HostCopy a(a_), b(b_), c(c_);
        if (!a.matrix.data || !b.matrix.data || !c.matrix.data) return no_memory;
        Status status = device_.copy(a.matrix, a_, stream_);
        if (status) status = device_.copy(b.matrix, b_, stream_);
        if (status && adds()) status = device_.copy(c.matrix, c0_, stream_);
        if (status) status = device_.wait(stream_);
        if (!status) return status;
        done.whole = false;  // the host's own line tells what was wrong
        status = run_until_right(on_host(plan_), on_host(second), a.matrix, b.matrix, c.matrix, stream_, {});
        if (!status && status.code != Code::verification_failed) return status;
        Status moved = device_.copy(c_, c.matrix, stream_);
        if (moved) moved = device_.wait(stream_);
        return status ? moved : status;
    }

private:
    bool adds() const noexcept { return plan_.options.beta != 0; }

    /// The sums are those of C's shorter lines: what fewer elements are off by chance hides less.
    static SumsOf turned(const Matrix& a, const Matrix& b, const Matrix& c) noexcept {
        return c.cols <= c.rows ? SumsOf{a, b, c} : SumsOf{b.transposed(), a.transposed(), c.transposed()};
    }
    bool by_chance() const noexcept { return plan_.options.verify == Verify::correct; }
    Status look(bool closely) noexcept {
        const std::int64_t k = a_.cols, elements = product_.c.cols;
        const Allowance allowed =
            closely ? allowed_by_chance(c_.type, elements, k, product_.alpha, usual_error(*plan_.kernel, k))
                    : allowed_by_certificate(c_.type, elements, k, product_.alpha, certificate_of(plan_));
        return sums_.compare(product_, allowed, memory_, stream_, found_);
    }
    static Plan on_host(Plan plan) noexcept {
        plan.problem.place = Place::host;
        plan.options.scratch = {};
        return plan;
    }

    Plan plan_;
    const Backend& device_;
    const ProductSums& sums_;
    Matrix c_, c0_{};
    void* stream_;
    Matrix a_, b_;
    SumsOf product_;
    std::span<std::byte> memory_;
    SumsOff found_;
};

}  // namespace

Status can_verify_on_device(const Plan& plan, void* stream) noexcept {
    const Backend& device = *plan.backend;
    if (!sums_of(device.name)) return no_sums;
    if (plan.device >= 0 && device.select)
        if (const Status bad = device.select(plan.device); !bad) return bad;
    return device.captures && device.captures(stream) ? is_captured : Status{};
}

Status run_until_right_on_device(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b,
                                 const Matrix& c, void* stream, const ProductSums& sums, Corrections& done) noexcept {
    Checked checked(plan, a, b, c, stream, sums);
    if (const Status failed = checked.prepare(); !failed) return failed;
    if (const Status failed = checked.run(done); !failed) return failed;
    return checked.is_right() ? Status{} : checked.settle_on_the_host(second, done);
}

Status run_until_right_on_device(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b,
                                 const Matrix& c, void* stream) noexcept {
    Corrections done;
    const Status status = run_until_right_on_device(plan, second, a, b, c, stream, *sums_of(plan.backend->name), done);
    log_corrections(plan, done);
    return status;
}

}  // namespace tw
