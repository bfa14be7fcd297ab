// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "rooms/carry/late_device.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "epilogue/finish.hpp"
#include "plan/operands.hpp"
#include "support/random_numbers.hpp"

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

/// One device.
struct Late {
    std::vector<Event> events = std::vector<Event>(AsyncCopies::most_events);
    std::vector<std::byte> memory, page_locked;
    char streams[4]{};  // the default one, there, back, across
    int calls = 0;

    bool has(const void* address) const {
        return !memory.empty() && address >= memory.data() && address < memory.data() + memory.size();
    }
};

struct State {
    std::recursive_mutex lock;
    LateDevice device;
    Kernel kernel;
    const Kernel* ladder[1]{&kernel};
    std::map<void*, std::deque<Operation>> queues;
    Late devices[most_late_devices];
    std::size_t from_host = 0;
    std::mt19937 random;
};
State state;
thread_local int selected = 0;

Late& mine() { return state.devices[selected]; }
void* queue_of(void* stream) { return stream ? stream : mine().streams; }

constexpr Status planted{Code::device_failed, Argument::none, "a failure that the test planted"};

Status counted() {
    const bool fails = ++mine().calls == state.device.failing_call && selected == state.device.failing_device;
    return fails ? planted : Status{};
}

Status enqueue(void* stream, Operation operation) {
    const std::lock_guard hold(state.lock);
    if (const Status bad = counted(); !bad) return bad;
    state.queues[queue_of(stream)].push_back(std::move(operation));
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
    const std::lock_guard hold(state.lock);
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

Event& event_of(int number) { return mine().events[static_cast<std::size_t>(number)]; }

Status record(int event, void* queue) {
    const std::lock_guard hold(state.lock);
    Event& marked = event_of(event);
    const int number = ++marked.marked;
    return enqueue(queue, [&marked, number] { marked.reached = number; });
}

Status follow(void* queue, void* handle) {
    const std::lock_guard hold(state.lock);
    const Event& marked = *static_cast<const Event*>(handle);
    return enqueue(queue, {[&marked, number = marked.marked] { return marked.reached >= number; }, [] {}});
}

bool has_passed(const Event& event) { return event.reached >= event.marked; }

Status copy(const Matrix& to, const Matrix& from, void* stream) {
    return enqueue(stream, [=] {
        const auto is_late = [](const Matrix& m) {
            return std::any_of(std::begin(state.devices), std::end(state.devices),
                               [&](const Late& one) { return one.has(m.data); });
        };
        if (is_late(to) && !is_late(from))
            state.from_host += static_cast<std::size_t>(to.rows * to.cols) * size_of(to.type);
        convert(to, from);
    });
}

const AsyncCopies async_copies{
    .free_bytes = [](void*) { return state.device.memory; },
    .is_page_locked = [](const void* memory) { return memory == state.device.locked; },
    .page_locked_buffer = [](std::size_t) { return std::span(mine().page_locked); },
    .open =
        [](void*& there, void*& back) {
            const std::lock_guard hold(state.lock);
            there = &mine().streams[1], back = &mine().streams[2];
            return counted();
        },
    .record = [](int event, void* queue) { return record(event, queue); },
    .wait_for = [](void* queue, int event) { return follow(queue, &event_of(event)); },
    .has_passed =
        [](int event) {
            const std::lock_guard hold(state.lock);
            for (auto steps = state.random() % 3; steps > 0 && step(); --steps) continue;
            return has_passed(event_of(event));
        },
    .await = [](int event) { return until([=] { return has_passed(event_of(event)); }); },
};

const DeviceLinks links{
    .open =
        [](void*& across) {
            const std::lock_guard hold(state.lock);
            across = &mine().streams[3];
            return counted();
        },
    .handle_of = [](int event) -> void* { return &event_of(event); },
    .follow = [](void* queue, void* handle) { return follow(queue, handle); },
    .reaches = [](int) { return state.device.linked; },
};

const Backend row{
    .name = "late",
    .place = Place::cuda,
    .ladder = state.ladder,
    .feature_names = {},
    .features = []() -> Features { return 0; },
    .devices = [] { return state.device.devices; },
    .absence = [] { return ""; },
    .select =
        [](int device) {
            selected = device;
            return Status{};
        },
    .owns = [](const void*) { return false; },
    .alloc = nullptr,
    .free = nullptr,
    .scratch =
        [](std::size_t bytes, void*) {
            const std::lock_guard hold(state.lock);
            return bytes > state.device.memory ? std::span<std::byte>() : full_of_nan(mine().memory, bytes);
        },
    .copy = [](const Matrix& to, const Matrix& from, void* stream) { return copy(to, from, stream); },
    .finish = [](const Matrix& c, double beta, double, const Epilogue& epilogue,
                 void* stream) { return enqueue(stream, [=] { finish(c, beta, epilogue); }); },
    .wait = [](void* stream) { return until([queue = queue_of(stream)] { return state.queues[queue].empty(); }); },
    .async_copies = &async_copies,
};

}  // namespace

void start(const LateDevice& device) {
    state.device = device;
    state.queues.clear();
    for (Late& one : state.devices) {
        std::fill(one.events.begin(), one.events.end(), Event{});
        full_of_nan(one.page_locked, device.page_locked);
        one.memory.clear();
        one.calls = 0;
    }
    selected = 0;
    state.from_host = 0;
    state.random.seed(device.seed);
    state.kernel = *device.kernel;
    state.kernel.run = run;
}

const Backend& late_backend() { return row; }

const DeviceLinks& late_links() { return links; }

int calls_for_work(int device) { return state.devices[device].calls; }

std::size_t bytes_from_host() { return state.from_host; }

bool is_idle() {
    return std::all_of(state.queues.begin(), state.queues.end(),
                       [](const auto& queue) { return queue.second.empty(); });
}

}  // namespace tw::test
