// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_mac/device.hpp"

#include "backend/metal/on_mac/sources.hpp"

namespace tw::metal {
namespace {

constexpr long apple7 = 1007;  // MTLGPUFamilyApple7: SIMD-group matrices
constexpr unsigned long msl_3_0 = 3 << 16, msl_3_1 = (3 << 16) + 1;
constexpr unsigned long shared_memory = 0;   // MTLResourceStorageModeShared: the CPU sees it too
constexpr unsigned long command_failed = 5;  // MTLCommandBufferStatusError

constexpr Status no_device{Code::no_device, Argument::options, "Metal finds no GPU on this machine"};
constexpr Status no_kernel{Code::device_failed, Argument::none,
                           "Metal's compiler refuses this kernel; tw info shows its message"};
constexpr Status too_many_threads{Code::unsupported, Argument::options,
                                  "this GPU runs this kernel with fewer threads than it needs"};
constexpr Status gpu_failed{Code::device_failed, Argument::none, "the GPU stopped with an error"};
constexpr Status foreign_memory{Code::bad_argument, Argument::none, "an operand is not in memory allocated by Metal"};

Object string_of(const std::string& text) {
    return selectors().string_with.to<Object>(objc_getClass("NSString"), text.c_str());
}

std::string text_of(Object string) {
    const char* text = string ? selectors().utf8.to<const char*>(string) : nullptr;
    return text ? text : "";
}

std::string sentence_of(Object error) {
    return error ? text_of(selectors().description.to<Object>(error)) : "no reason was given";
}

}  // namespace

Device& Device::only() {
    static Device& device = *new Device;  // never destroyed: buffers may outlive main
    return device;
}

Device::Device() {
    const Pool pool;
    device_ = MTLCreateSystemDefaultDevice();
    if (device_) queue_ = selectors().make_queue.to<Object>(device_);
    if (!queue_) device_ = nullptr;
}

std::string Device::name() {
    const Pool pool;
    return is_there() ? text_of(selectors().name.to<Object>(device_)) : "";
}

Features Device::features() {
    if (!is_there()) return 0;
    const std::lock_guard lock(mutex_);
    const bool matrices = selectors().supports_family.to<bool>(device_, apple7);
    Features found = matrices ? simdgroup_matrices : 0;
    if (matrices && refusal_of("r9_async_pipeline").empty()) found |= async_copy;
    if (matrices && refusal_of("bfloat").empty()) found |= bfloat_type;
    return found;
}

/// Each family is compiled to a separate library, so that an error in one does not affect the others.
Device::Family& Device::family(std::string_view name) {
    if (const auto known = families_.find(name); known != families_.end()) return known->second;
    Family& made = families_[std::string(name)];
    const Selectors& s = selectors();
    const std::string source = whole_source(name);
    Object options = s.create.to<Object>(objc_getClass("MTLCompileOptions")), error = nullptr;
    s.set_loose_math.to<void>(options, false);
    s.set_language.to<void>(options, name == "bfloat" ? msl_3_1 : msl_3_0);
    made.library = s.make_library.to<Object>(device_, string_of(source), options, &error);
    if (!made.library) made.refusal = sentence_of(error);
    s.release.to<void>(options);
    return made;
}

const std::string& Device::refusal_of(const char* name) {
    const std::lock_guard lock(mutex_);
    const Pool pool;
    return family(name).refusal;
}

Object Device::pipeline(Family& family, const char* function) {
    if (const auto known = family.pipelines.find(function); known != family.pipelines.end()) return known->second;
    const Selectors& s = selectors();
    Object made = nullptr, error = nullptr;
    if (Object found = s.make_function.to<Object>(family.library, string_of(function))) {
        made = s.make_pipeline.to<Object>(device_, found, &error);
        s.release.to<void>(found);
    }
    if (!made) family.refusal = sentence_of(error);
    family.pipelines[function] = made;
    return made;
}

bool Device::find(const void* memory, Object& buffer, unsigned long& offset) {
    auto after = buffers_.upper_bound(static_cast<const char*>(memory));
    if (after == buffers_.begin()) return false;
    const auto& [base, lent] = *--after;
    offset = static_cast<unsigned long>(static_cast<const char*>(memory) - base);
    buffer = lent.object;
    return offset < lent.bytes;
}

Status Device::encode(Object encoder, const Dispatch& dispatch) {
    const Selectors& s = selectors();
    Family& compiled = family(dispatch.family);
    if (!compiled.library) return no_kernel;
    Object kernel = pipeline(compiled, dispatch.function);
    if (!kernel) return no_kernel;
    if (s.most_threads.to<unsigned long>(kernel) < std::size_t{dispatch.threads_x} * dispatch.threads_y)
        return too_many_threads;
    s.set_pipeline.to<void>(encoder, kernel);
    for (unsigned long index = 0; index < dispatch.arguments.size(); ++index) {
        const Slot& argument = dispatch.arguments[index];
        if (!argument.data) continue;
        if (argument.is_value) {
            s.set_bytes.to<void>(encoder, argument.data, static_cast<unsigned long>(argument.bytes), index);
            continue;
        }
        Object buffer = nullptr;
        unsigned long offset = 0;
        if (!find(argument.data, buffer, offset)) return foreign_memory;
        s.set_buffer.to<void>(encoder, buffer, offset, index);
    }
    s.dispatch.to<void>(encoder, Size{dispatch.groups_x, dispatch.groups_y, 1},
                        Size{dispatch.threads_x, dispatch.threads_y, 1});
    return {};
}

Status Device::launch(std::span<const Dispatch> dispatches) {
    if (!is_there()) return no_device;
    const std::lock_guard lock(mutex_);
    const Pool pool;
    const Selectors& s = selectors();
    Object commands = s.command_buffer.to<Object>(queue_), encoder = s.encoder.to<Object>(commands);
    Status status;
    for (const Dispatch& dispatch : dispatches)
        if (status) status = encode(encoder, dispatch);
    s.end.to<void>(encoder);
    if (!status) return status;
    return commit(commands);
}

Status Device::commit(Object commands) {
    const Selectors& s = selectors();
    s.commit.to<void>(commands);
    s.wait.to<void>(commands);
    gpu_seconds_ = s.end_time.to<double>(commands) - s.start_time.to<double>(commands);
    return s.status.to<unsigned long>(commands) == command_failed ? gpu_failed : Status{};
}

void* Device::alloc(std::size_t bytes) {
    if (!is_there()) return nullptr;
    const std::lock_guard lock(mutex_);
    const Pool pool;
    Object buffer =
        selectors().make_buffer.to<Object>(device_, static_cast<unsigned long>(bytes ? bytes : 1), shared_memory);
    if (!buffer) return nullptr;
    auto* memory = static_cast<char*>(selectors().contents.to<void*>(buffer));
    buffers_[memory] = {buffer, bytes};
    return memory;
}

void Device::free(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto lent = buffers_.find(static_cast<char*>(memory));
    if (lent == buffers_.end()) return;
    selectors().release.to<void>(lent->second.object);
    buffers_.erase(lent);
}

bool Device::owns(const void* memory) {
    const std::lock_guard lock(mutex_);
    Object buffer = nullptr;
    unsigned long offset = 0;
    return find(memory, buffer, offset);
}

}  // namespace tw::metal
