// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "rooms/backend/cuda/fake_runtime.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "backend/cuda/device/draft.hpp"

namespace tw::test {
namespace {

int made = 0, failing_call = 0, live = 0, launched = 0;
cudaError_t failing_error = cudaSuccess;
bool capturing = false, of_host = false;
unsigned long long captures = 0;
Chip device_now;
bool finds_driver_entry = true, has_driver_entry = true;

/// A graph's hold on something: there is one graph, and it is destroyed by the test.
struct Held {
    void* thing;
    cudaHostFn_t let_go;
};
std::vector<Held> held;
Held created{};

/// What the call that is being made returns, apart from what it does.
cudaError_t next() { return ++made == failing_call ? failing_error : cudaSuccess; }

int encode_nothing() { return 0; }

void* allocated(std::size_t bytes) {
    ++live;
    return std::calloc(bytes, 1);
}

cudaError_t freed(void* memory) {
    std::free(memory);
    --live;
    return next();
}

template <class Work>
cudaError_t attempt(Work work) {
    const cudaError_t error = next();
    if (error == cudaSuccess) work();
    return error;
}

const cuda::Calls table{
    .driver_version = [](int* version) { return attempt([=] { *version = 13000; }); },
    .device_count = [](int* count) { return attempt([=] { *count = 1; }); },
    .get_device = [](int* device) { return attempt([=] { *device = 0; }); },
    .set_device = [](int) { return next(); },
    .device_attribute =
        [](int* value, cudaDeviceAttr which, int) {
            return attempt([=] {
                *value = which == cudaDevAttrComputeCapabilityMajor   ? device_now.major
                         : which == cudaDevAttrComputeCapabilityMinor ? device_now.minor
                         : which == cudaDevAttrMultiProcessorCount    ? device_now.multiprocessors
                         : which == cudaDevAttrClockRate              ? device_now.clock_khz
                         : which == cudaDevAttrMemoryClockRate        ? device_now.memory_clock_khz
                         : which == cudaDevAttrGlobalMemoryBusWidth   ? device_now.bus_bits
                                                                      : 0;
            });
        },
    .last_error = [] { return cudaSuccess; },
    .alloc = [](void** memory, std::size_t bytes) { return attempt([=] { *memory = allocated(bytes); }); },
    .free = [](void* memory) { return freed(memory); },
    .copy = [](void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t) { return next(); },
    .copy_rows = [](void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, cudaMemcpyKind,
                    cudaStream_t) { return next(); },
    .clear = [](void*, int, std::size_t, cudaStream_t) { return next(); },
    .memory_left = [](std::size_t* left,
                      std::size_t* all) { return attempt([=] { *left = *all = std::size_t{1} << 30; }); },
    .pointer_attributes =
        [](cudaPointerAttributes* attributes, const void*) {
            return attempt([=] {
                *attributes = {}, attributes->type = of_host ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice;
            });
        },
    .wait_stream = [](cudaStream_t) { return next(); },
    .is_capturing =
        [](cudaStream_t, cudaStreamCaptureStatus* status) {
            return attempt([=] { *status = capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone; });
        },
    .capture_info =
        [](cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph) {
            return attempt([=] {
                *status = capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
                if (capturing) *id = captures, *graph = reinterpret_cast<cudaGraph_t>(&held);
            });
        },
    .exchange_capture_mode = [](cudaStreamCaptureMode*) { return cudaSuccess; },
    .create_user_object =
        [](cudaUserObject_t* object, void* thing, cudaHostFn_t let_go, unsigned, unsigned) {
            return attempt([=] { created = {thing, let_go}, *object = reinterpret_cast<cudaUserObject_t>(&created); });
        },
    .release_user_object =
        [](cudaUserObject_t, unsigned) {
            created.let_go(created.thing);
            return cudaSuccess;
        },
    .retain_user_object = [](cudaGraph_t, cudaUserObject_t, unsigned,
                             unsigned) { return attempt([] { held.push_back(created); }); },
    .create_stream = [](cudaStream_t* stream,
                        unsigned) { return attempt([=] { *stream = static_cast<cudaStream_t>(allocated(1)); }); },
    .destroy_stream = [](cudaStream_t stream) { return freed(stream); },
    .follow = [](cudaStream_t, cudaEvent_t, unsigned) { return next(); },
    .create_event = [](cudaEvent_t* event,
                       unsigned) { return attempt([=] { *event = static_cast<cudaEvent_t>(allocated(1)); }); },
    .destroy_event = [](cudaEvent_t event) { return freed(event); },
    .mark = [](cudaEvent_t, cudaStream_t) { return next(); },
    .ask_event = [](cudaEvent_t) { return next(); },
    .wait_event = [](cudaEvent_t) { return next(); },
    .alloc_locked = [](void** memory, std::size_t bytes,
                       unsigned) { return attempt([=] { *memory = allocated(bytes); }); },
    .free_locked = [](void* memory) { return freed(memory); },
    .kernel_attribute = [](const void*, cudaFuncAttribute, int) { return next(); },
    .clusters_that_fit = [](int* count, const void*,
                            const cudaLaunchConfig_t*) { return attempt([=] { *count = 66; }); },
    .launch = [](const cudaLaunchConfig_t*, const void*, void**) { return attempt([] { ++launched; }); },
    .driver_entry =
        [](const char*, void** entry, unsigned, unsigned long long, cudaDriverEntryPointQueryResult* answer) {
            return attempt([=] {
                *entry = has_driver_entry ? reinterpret_cast<void*>(encode_nothing) : nullptr;
                *answer = finds_driver_entry ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
            });
        },
};

}  // namespace

void fail_call(int failing, cudaError_t error) noexcept {
    made = launched = 0, failing_call = failing, failing_error = error;
}
int calls_made() noexcept { return made; }
int launches() noexcept { return launched; }
int live_allocations() noexcept { return live; }
void capture(bool on) noexcept { capturing = on, captures += on; }
void memory_is_the_hosts(bool is_so) noexcept { of_host = is_so; }
void driver_answers(bool is_found, bool has_entry) noexcept {
    finds_driver_entry = is_found, has_driver_entry = has_entry;
}
void pretend(const Chip& chip) noexcept { device_now = chip; }
void destroy_graphs() {
    for (const Held& one : held) one.let_go(one.thing);
    held.clear();
}
void use_fake_runtime() noexcept { cuda::replace_calls(&table); }

}  // namespace tw::test

bool tw::cuda::has_kernels() noexcept { return tw::test::device_now.has_kernels; }
