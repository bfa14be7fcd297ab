// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One product on several devices that are late with everything: each panel of the operand that all of them need is
// read from the host once, and comes from another device, whatever fails there.
#include "carry/shared_operand.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "carry/panels.hpp"
#include "carry/staging.hpp"
#include "plan/registry.hpp"
#include "rooms/carry/late_device.hpp"
#include "support/random_numbers.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;

constexpr std::size_t ample = std::size_t{1} << 26, ring = 12 * 1024, size_of_float = sizeof(float);

struct Numbers {
    std::vector<float> numbers;
    Matrix view;

    Numbers(std::int64_t rows, std::int64_t cols, unsigned seed)
        : numbers(static_cast<std::size_t>(rows * cols)), view{numbers.data(), Type::f32, rows, cols, cols} {
        std::mt19937 random(seed);
        for (float& number : numbers) number = std::uniform_real_distribution<float>(-1, 1)(random);
    }
    std::size_t bytes() const { return numbers.size() * size_of_float; }
};

const Kernel& naive() {
    for (const Kernel* kernel : find_backend("cpu")->ladder)
        if (std::string_view(kernel->name) == "cpu.r1_naive.f32") return *kernel;
    std::abort();
}

/// C, cut into one part a device: by rows, so that B is shared, or by columns.
class Trial {
public:
    Trial(std::int64_t rows, std::int64_t cols, int devices, bool by_rows)
        : devices_(devices),
          by_rows_(by_rows),
          a_(by_rows ? rows * devices : rows, depth, 1),
          b_(depth, by_rows ? cols : cols * devices, 2),
          c_(a_.view.rows, b_.view.cols, 3) {}

    std::size_t bytes_of_cut() const { return by_rows_ ? a_.bytes() : b_.bytes(); }
    std::size_t bytes_of_shared() const { return by_rows_ ? b_.bytes() : a_.bytes(); }
    const Matrix& shared() const { return by_rows_ ? b_.view : a_.view; }

    std::vector<float> expected() const {
        std::vector<float> result = c_.numbers;
        Matrix c = c_.view;
        c.data = result.data();
        Plan plan;
        plan.problem = {.m = c.rows, .n = c.cols, .k = depth};
        plan.kernel = &naive(), plan.backend = find_backend("cpu");
        Call call{.a = a_.view, .b = b_.view, .c = c, .alpha = 2, .beta = beta};
        EXPECT_TRUE(run_in_place(plan, call));
        return result;
    }

    static void start(test::LateDevice late) {
        late.kernel = &naive();
        late.devices = test::most_late_devices;
        if (late.memory == 0) late.memory = ample;
        late.page_locked = ring;
        test::start(late);
    }

    /// The parts, side by side; `statuses`: of each.
    std::vector<float> run(const Cut& cut, std::vector<Status>& statuses) const {
        std::vector<float> result = c_.numbers;
        Matrix c = c_.view;
        c.data = result.data();
        SharedOperand operand(test::late_links(), devices_, by_rows_);
        statuses.assign(static_cast<std::size_t>(devices_), {});
        const auto serve = [&](int index) {
            EXPECT_TRUE(test::late_backend().select(index));
            const Matrix part = part_of(c, index);
            Plan plan;
            plan.problem = {.m = part.rows, .n = part.cols, .k = depth};
            plan.backend = &test::late_backend(), plan.kernel = plan.backend->ladder[0], plan.device = index;
            const Call call{.a = by_rows_ ? part_of(a_.view, index) : a_.view,
                            .b = by_rows_ ? b_.view : part_of(b_.view, index),
                            .c = part,
                            .alpha = 2,
                            .beta = beta,
                            .threads = 1};
            const Sharing sharing{&operand, index};
            statuses[static_cast<std::size_t>(index)] = run_in_panels(plan, call, cut, sharing);
        };
        std::vector<std::thread> threads;
        for (int index = 0; index < devices_; ++index) threads.emplace_back(serve, index);
        for (std::thread& thread : threads) thread.join();
        EXPECT_TRUE(test::is_idle());
        return result;
    }

    /// Whether a device's part of two results is the same.
    bool agree(const std::vector<float>& x, const std::vector<float>& y, int index) const {
        const Matrix part = part_of(c_.view, index);
        const auto first = static_cast<const float*>(part.data) - c_.numbers.data();
        for (std::int64_t i = 0; i < part.rows; ++i) {
            const auto row = first + i * part.row_step;
            if (!std::equal(x.begin() + row, x.begin() + row + part.cols, y.begin() + row)) return false;
        }
        return true;
    }

    Cut cut() const {
        const Matrix part = part_of(c_.view, 0);
        Cut cut{.m = {part.rows, (part.rows + 127) / 128}, .n = {part.cols, (part.cols + 127) / 128}, .k = {depth}};
        cut.a_slots = static_cast<int>(cut.m.count), cut.b_slots = static_cast<int>(cut.n.count), cut.c_slots = 3;
        return cut;
    }

    static constexpr std::int64_t depth = 24;
    double beta = 0;

private:
    Matrix part_of(const Matrix& m, int index) const {
        const std::int64_t rows = by_rows_ ? m.rows / devices_ : m.rows, cols = by_rows_ ? m.cols : m.cols / devices_;
        return m.block(by_rows_ ? rows * index : 0, by_rows_ ? 0 : cols * index, rows, cols);
    }

    const int devices_;
    const bool by_rows_;
    Numbers a_, b_, c_;
};

TEST(SharedOperand, IsReadFromTheHostOnceAndGivesTheBitsOfOnePiece) {
    for (const int devices : {1, 2, 3, 4})
        for (const bool by_rows : {true, false})
            for (const unsigned seed : {1u, 2u, 3u}) {
                if (!test::has_its_turn(4)) continue;
                const Trial trial(by_rows ? 150 : 600, by_rows ? 600 : 150, devices, by_rows);
                for (const bool is_locked : {false, true}) {
                    Trial::start({.locked = is_locked ? trial.shared().data : nullptr, .seed = seed});
                    std::vector<Status> statuses;
                    EXPECT_EQ(trial.run(trial.cut(), statuses), trial.expected());
                    for (const Status& status : statuses) EXPECT_TRUE(status) << status.text;
                    EXPECT_EQ(test::bytes_from_host(), trial.bytes_of_cut() + trial.bytes_of_shared());
                }
            }
}

TEST(SharedOperand, IsUploadedByEachDeviceThatReachesNoOther) {
    Trial trial(150, 600, 3, true);
    trial.beta = 0.5;
    Trial::start({.linked = false});
    std::vector<Status> statuses;
    EXPECT_EQ(trial.run(trial.cut(), statuses), trial.expected());
    const std::size_t c = trial.expected().size() * size_of_float;
    EXPECT_EQ(test::bytes_from_host(), trial.bytes_of_cut() + 3 * trial.bytes_of_shared() + c);
}

TEST(SharedOperand, GoesAloneWherePanelsTakeEachOthersPlace) {
    const Trial trial(260, 600, 2, true);
    Cut cut = trial.cut();
    cut.b_slots = 2;
    Trial::start({});
    std::vector<Status> statuses;
    EXPECT_EQ(trial.run(cut, statuses), trial.expected());
    EXPECT_GE(test::bytes_from_host(), trial.bytes_of_cut() + 2 * trial.bytes_of_shared());
}

// Whichever call fails on one device, its failure is told, and the others' parts are right.
TEST(SharedOperand, ADeviceThatFailsLeavesTheOthersRight) {
    const Trial trial(150, 400, 3, true);
    const std::vector<float> expected = trial.expected();
    std::vector<Status> statuses;
    for (const int failing : {0, 1, 2}) {
        Trial::start({});
        trial.run(trial.cut(), statuses);
        const int calls = test::calls_for_work(failing);
        ASSERT_GT(calls, 40);
        for (int call = 1; call <= calls; call += call < 30 ? 1 : 7) {
            if (!test::has_its_turn(5)) continue;
            Trial::start({.seed = static_cast<unsigned>(call), .failing_call = call, .failing_device = failing});
            const std::vector<float> result = trial.run(trial.cut(), statuses);
            for (const int index : {0, 1, 2}) {
                const Status& status = statuses[static_cast<std::size_t>(index)];
                if (index == failing && test::calls_for_work(failing) >= call) {  // how often one asks is luck
                    EXPECT_EQ(status.code, Code::device_failed) << call;
                } else {
                    EXPECT_TRUE(status && trial.agree(result, expected, index)) << call << ", " << status.text;
                }
            }
        }
    }
}

TEST(SharedOperand, EveryDeviceTakesEveryPanelOnceAndItsOwnFirst) {
    for (const int devices : {1, 2, 3, 5})
        for (const std::int64_t panels : {1, 2, 4, 7, 10}) {
            SharedOperand operand(test::late_links(), devices, true);
            for (int index = 0; index < devices; ++index) {
                std::set<std::int64_t> seen;
                for (std::int64_t step = 0; step < panels; ++step) {
                    const std::int64_t panel = operand.in_turn(step, panels, index);
                    EXPECT_TRUE(panel >= 0 && panel < panels);
                    if (step % devices == 0 && step + devices <= panels) {
                        EXPECT_EQ(operand.owner_of(panel), index);
                    }
                    seen.insert(panel);
                }
                EXPECT_EQ(static_cast<std::int64_t>(seen.size()), panels);
            }
        }
}

}  // namespace
