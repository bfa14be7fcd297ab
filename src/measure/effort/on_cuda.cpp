// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/effort/on_cuda.hpp"

#include "backend/cuda/backend.hpp"
#include "backend/cuda/device/replays.hpp"
#include "tilewright/error.hpp"
#include "tilewright/status.hpp"

namespace tw::measure {
namespace {

void expect(const Status& status) {
    if (!status) throw Error(status, status.text);
}

const cuda::Replays& replays() {
    const cuda::Replays* found = cuda::replays();
    if (!found) expect({Code::no_device, Argument::none, "the CUDA library is not there, or of another version"});
    return *found;
}

}  // namespace

OnCuda::OnCuda(const std::vector<std::vector<float>>& v, std::size_t outputs)
    : backend_(cuda::backend()), inputs_(v[0].size()) {
    v_ = static_cast<float*>(backend_.alloc(v.size() * inputs_ * sizeof(float)));
    y_ = static_cast<float*>(backend_.alloc(outputs * sizeof(float)));
    if (!v_ || !y_) throw Error({Code::out_of_memory, Argument::none, ""}, "no memory of the CUDA device for vectors");
    void* back = nullptr;
    expect(backend_.async_copies->open(queue_, back));
    for (std::size_t i = 0; i < v.size(); ++i) {
        const auto count = static_cast<std::int64_t>(inputs_);
        const Matrix to{v_ + i * inputs_, Type::f32, 1, count, count},
            from{const_cast<float*>(v[i].data()), Type::f32, 1, count, count};
        expect(backend_.copy(to, from, queue_));
    }
    wait();
}

OnCuda::~OnCuda() { backend_.free(v_), backend_.free(y_); }

void OnCuda::wait() const { expect(backend_.wait(queue_)); }

std::shared_ptr<void> OnCuda::record(const std::function<void()>& work) const {
    expect(replays().record(queue_));
    void* graph = nullptr;
    try {
        work();
    } catch (...) {
        if (replays().end(queue_, graph)) replays().drop(graph);
        throw;
    }
    expect(replays().end(queue_, graph));
    return {graph, replays().drop};
}

void OnCuda::replay(const std::shared_ptr<void>& graph) const { expect(replays().replay(graph.get(), queue_)); }

}  // namespace tw::measure
