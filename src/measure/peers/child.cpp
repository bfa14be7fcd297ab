// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/child.hpp"

#include <signal.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "measure/basis/clock.hpp"
#include "measure/peers/library.hpp"
#include "measure/peers/messages.hpp"
#include "measure/turns/entrant.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

/// The peer's library, and the operands of the last task.
class Worker {
public:
    Worker(const PeerKind& kind, int threads)
        : library_(open_peer(kind, threads)), backend_(find_backend(kind.device)) {}

    PeerDescription description(const PeerKind& kind) const {
        PeerDescription told;
        keep_text(told.name, kind.name);
        keep_text(told.device, kind.device);
        keep_text(told.version, library_.version);
        keep_text(told.core_type, library_.core_type);
        keep_text(told.file, library_.file);
        keep_text(told.found_by, library_.found_by);
        keep_text(told.trouble, library_.trouble);
        told.multiplies_f32 = static_cast<bool>(library_.f32);
        told.multiplies_f64 = static_cast<bool>(library_.f64);
        told.multiplies_c64 = static_cast<bool>(library_.c64);
        told.multiplies_c128 = static_cast<bool>(library_.c128);
        return told;
    }

    Judgement judge(const Task& task) {
        operands_.reset();
        task_ = task;
        products_.clear();
        operands_ = std::make_unique<Operands>(task);
        if (const Status status = operands_->place_on(*backend_); !status) return {.trouble = status.text};
        for (std::int64_t i = 0; i < task.products; ++i)
            products_.push_back({operands_->a(i), operands_->b(i), operands_->c(i)});
        if (const Status status = operands_->poison_result(); !status) return {.trouble = status.text};
        const double start = now();
        if (!run_once()) return {.trouble = "its call fails"};
        const double taken = now() - start;
        if (const Status status = operands_->fetch_result(); !status) return {.trouble = status.text};
        Judgement judgement = judge_results(*operands_, task.products, promise(task.accuracy, task.type, task.k), 1);
        judgement.seconds = taken;
        return judgement;
    }

    double seconds(int passes) {
        double sum = 0, start = now();
        for (int pass = 0; pass < passes; ++pass) {
            if (task_.is_cold) {
                empty_caches();
                start = now();
            }
            if (!call()) return std::numeric_limits<double>::quiet_NaN();
            if (task_.is_cold) {
                wait();
                sum += now() - start;
            }
        }
        if (task_.is_cold) return sum;
        wait();
        return now() - start;
    }

private:
    /// A batch by the library's batch function if it has one, else product after product.
    bool call() {
        const Type type = task_.type;
        const auto& multiply = type == Type::c64    ? library_.c64
                               : type == Type::c128 ? library_.c128
                               : type == Type::f64  ? library_.f64
                                                    : library_.f32;
        const auto& multiply_batch = type == Type::f64 ? library_.f64_batch : library_.f32_batch;
        const Product& first = products_.front();
        if (multiply_batch && task_.products > 1 && !is_complex(type))
            return multiply_batch(first.a, first.b, first.c, task_.products);
        return multiply && std::all_of(products_.begin(), products_.end(),
                                       [&](const Product& x) { return multiply(x.a, x.b, x.c); });
    }
    bool wait() { return !backend_->wait || backend_->wait(nullptr).is_ok(); }
    bool run_once() { return call() && wait(); }

    struct Product {
        Matrix a, b, c;
    };

    PeerLibrary library_;
    const Backend* backend_;
    Task task_{};
    std::unique_ptr<Operands> operands_;
    std::vector<Product> products_;
};

}  // namespace

void serve_peer(const PeerKind& kind, int threads, int channel) {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    signal(SIGINT, SIG_IGN);  // Ctrl-C is for the parent, which ends us
    Worker worker(kind, threads);
    const PeerDescription told = worker.description(kind);
    if (!send_all(channel, &told, sizeof told) || *told.trouble) _exit(0);
    PeerRequest request;
    while (receive_all(channel, &request, sizeof request, -1)) {
        PeerReply reply;
        try {
            if (request.what == PeerRequest::What::judge) {
                const Judgement judgement = worker.judge(request.task);
                reply.ok = judgement.ok;
                reply.relative_error = judgement.relative_error;
                reply.error_over_bound = judgement.error_over_bound;
                reply.seconds = judgement.seconds;
                keep_text(reply.trouble, judgement.trouble);
            } else {
                reply.seconds = worker.seconds(request.passes);
                reply.ok = true;
            }
        } catch (const std::bad_alloc&) {
            keep_text(reply.trouble, "no memory for the operands");
        }
        if (!send_all(channel, &reply, sizeof reply)) break;
    }
    _exit(0);
}

}  // namespace tw::measure
