// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "rooms/carry/late_device.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "epilogue/finish.hpp"
#include "plan/operands.hpp"

namespace tw::test {
namespace {

struct Event {
    int marked = 0, reached = 0;  // how many marks were asked for, and how many came
};

/// Something in a queue: ready, then done.
struct Operation {
    std::function<bool()> ready;
    std::function<void()> work;
};

struct State {
    LateDevice device;
    Kernel kernel;
    const Kernel* ladder[1]{&kernel};
    std::map<void*, std::deque<Operation>> queues;
    std::vector<Event> events = std::vector<Event>(AsyncCopies::most_events);
    std::vector<std::byte> memory, page_locked;
    std::mt19937 random;
    int calls = 0;
};
State state;

constexpr Status planted{Code::device_failed, Argument::none, "a failure that the test planted"};

Status counted() { return ++state.calls == state.device.failing_call ? planted : Status{}; }

Status enqueue(void* queue, Operation operation) {
    if (const Status bad = counted(); !bad) return bad;
    state.queues[queue].push_back(std::move(operation));
    return {};
}

Status enqueue(void* queue, std::function<void()> work) {
    return enqueue(queue, Operation{[] { return true; }, std::move(work)});
}

/// One operation of any queue whose turn it may be; false when there is none.
bool step() {
    std::vector<std::deque<Operation>*> ready;
    for (auto& [name, queue] : state.queues)
        if (!queue.empty() && queue.front().ready()) ready.push_back(&queue);
    if (ready.empty()) return false;
    auto& queue = *ready[state.random() % ready.size()];
    const Operation operation = std::move(queue.front());
    queue.pop_front();
    operation.work();
    return true;
}

Status until(const std::function<bool()>& there) {
    while (!there())
        if (!step()) return {Code::device_failed, Argument::none, "the queues wait for each other for ever"};
    return counted();
}

std::span<std::byte> full_of_nan(std::vector<std::byte>& memory, std::size_t bytes) {
    memory.assign(bytes, std::byte{0xff});
    return memory;
}

Status run(const Call& call, const Tile& tile) {
    return enqueue(call.stream, [call, tile] {
        if (!state.device.kernel->run(call, tile)) std::abort();
    });
}

Status record(int event, void* queue) {
    Event& marked = state.events[static_cast<std::size_t>(event)];
    const int number = ++marked.marked;
    return enqueue(queue, [&marked, number] { marked.reached = number; });
}

Status wait_for(void* queue, int event) {
    const Event& marked = state.events[static_cast<std::size_t>(event)];
    return enqueue(queue, {[&marked, number = marked.marked] { return marked.reached >= number; }, [] {}});
}

bool has_passed(int event) {
    const Event& marked = state.events[static_cast<std::size_t>(event)];
    return marked.reached >= marked.marked;
}

const AsyncCopies async_copies{
    .free_bytes = [](void*) { return state.device.memory; },
    .is_page_locked = [](const void* memory) { return memory == state.device.locked; },
    .page_locked_buffer = [](std::size_t) { return std::span(state.page_locked); },
    .open =
        [](void*& there, void*& back) {
            static char names[2];
            there = &names[0], back = &names[1];
            return counted();
        },
    .record = [](int event, void* queue) { return record(event, queue); },
    .wait_for = [](void* queue, int event) { return wait_for(queue, event); },
    .has_passed =
        [](int event) {
            for (auto steps = state.random() % 3; steps > 0 && step(); --steps) continue;
            return has_passed(event);
        },
    .await = [](int event) { return until([=] { return has_passed(event); }); },
};

const Backend row{
    .name = "late",
    .place = Place::cuda,
    .ladder = state.ladder,
    .feature_names = {},
    .features = []() -> Features { return 0; },
    .devices = [] { return 1; },
    .absence = [] { return ""; },
    .select = nullptr,
    .owns = [](const void*) { return false; },
    .alloc = nullptr,
    .free = nullptr,
    .scratch =
        [](std::size_t bytes, void*) {
            return bytes > state.device.memory ? std::span<std::byte>() : full_of_nan(state.memory, bytes);
        },
    .copy = [](const Matrix& to, const Matrix& from,
               void* stream) { return enqueue(stream, [=] { convert(to, from); }); },
    .finish = [](const Matrix& c, double beta, const Epilogue& epilogue,
                 void* stream) { return enqueue(stream, [=] { finish(c, beta, epilogue); }); },
    .wait = [](void* stream) { return until([=] { return state.queues[stream].empty(); }); },
    .async_copies = &async_copies,
};

}  // namespace

void start(const LateDevice& device) {
    state.device = device;
    state.queues.clear();
    std::fill(state.events.begin(), state.events.end(), Event{});
    full_of_nan(state.page_locked, device.page_locked);
    state.random.seed(device.seed);
    state.calls = 0;
    state.kernel = *device.kernel;
    state.kernel.run = run;
}

const Backend& late_backend() { return row; }

int calls_for_work() { return state.calls; }

bool is_idle() {
    return std::all_of(state.queues.begin(), state.queues.end(),
                       [](const auto& queue) { return queue.second.empty(); });
}

}  // namespace tw::test
