// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/mps.hpp"

#include <limits>

#include "backend/metal/backend.hpp"
#include "measure/basis/clock.hpp"

namespace tw::measure {
namespace {

class MpsEntrant : public Entrant {
public:
    MpsEntrant(const Task& task, std::shared_ptr<Operands> operands) : operands_(std::move(operands)) {
        provider = mps_name;
        device = metal::backend().name;
        kernel = "mps MPSMatrixMultiplication";
        char text[40];
        spell(resolve(task.accuracy, task.type), text, sizeof text);
        accuracy = text;
    }

    Judgement judge(const Task& task) override {
        is_cold_ = task.is_cold;
        if (const Status status = operands_->place_on(metal::backend()); !status) return {.trouble = status.text};
        if (const Status status = operands_->poison_result(); !status) return {.trouble = status.text};
        const double start = now();
        if (const Status status = run_once(); !status) return {.trouble = status.text};
        const double taken = now() - start;
        if (const Status status = operands_->fetch_result(); !status) return {.trouble = status.text};
        Judgement judgement =
            judge_results(*operands_, products, promise(task.accuracy, task.type, task.k), task.threads);
        judgement.seconds = taken;
        return judgement;
    }

    double seconds(int passes) override {
        double sum = 0;
        for (int pass = 0; pass < passes; ++pass) {
            if (is_cold_) empty_caches();
            const double start = now();
            if (!run_once()) return std::numeric_limits<double>::quiet_NaN();
            sum += now() - start;
        }
        return sum;
    }

private:
    Status run_once() { return metal::multiply_by_mps(operands_->a(), operands_->b(), operands_->c()); }

    std::shared_ptr<Operands> operands_;
    bool is_cold_ = false;
};

}  // namespace

std::shared_ptr<Entrant> mps_entrant(const Backend& backend, const Task& task,
                                     const std::shared_ptr<Operands>& operands) {
    if (&backend != &metal::backend() || task.type == Type::f64 || *metal::why_no_mps()) return nullptr;
    return std::make_shared<MpsEntrant>(task, operands);
}

}  // namespace tw::measure
