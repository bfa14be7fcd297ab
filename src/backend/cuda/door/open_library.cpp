// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Opens libtilewright_cuda on first use: from the folder that this code was loaded from, or by the linker's own search.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <utility>

#include "backend/cuda/backend.hpp"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/replays.hpp"
#include "backend/cuda/door/no_backend.hpp"
#include "backend/cuda/loading_contest/loaders.hpp"
#include "backend/cuda/split/slabs.hpp"
#include "backend/cuda/sums/product_sums.hpp"
#include "base/own_file.hpp"

namespace tw::cuda {
namespace {

const char* not_found() {
    return "libtilewright_cuda.so was found neither beside this library nor by the dynamic linker";
}
const char* of_another_version() { return "libtilewright_cuda.so is of another version than this library"; }
constexpr Backend missing = no_backend(not_found), strange = no_backend(of_another_version);

constexpr const char* file = "libtilewright_cuda.so";

void* open_library() {
    void* library = nullptr;
    if (const std::string folder = trusted_folder_of(reinterpret_cast<const void*>(&not_found)); !folder.empty())
        library = dlopen((folder + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/// Null when there is none.
void* library() {
    static void* const opened = open_library();
    return opened;
}

/// What stands behind a door of the library; null where there is none, or it is of another version.
template <class Entry>
auto behind(const char* name) -> decltype(std::declval<Entry&>()(0)) {
    const auto entry = library() ? reinterpret_cast<Entry*>(dlsym(library(), name)) : nullptr;
    return entry ? entry(contract_stamp) : nullptr;
}

const Backend& open() {
    if (!library()) return missing;
    const Backend* row = behind<Entry>(entry_name);
    return row ? *row : strange;
}

using PointerGetAttribute = int (*)(void* value, int attribute, std::uint64_t pointer);

/// What the linker says of the libraries that are loaded.
struct Loaded {
    unsigned long long seen;     ///< how many had ever been when the driver was not among them
    unsigned long long now = 0;  ///< how many have: the driver can have come only when it has grown
    bool has_driver = false;
};

/// A child that is forked while another thread is at the linker's tables must not touch them: its lock is held for
/// ever, or a file that it reads is half unmapped. So a fork waits for who looks. Nobody opens a library meanwhile:
/// that would wait for constructors, and those may fork.
constinit std::mutex looking;

[[maybe_unused]] const int fork_waits =
    pthread_atfork([] { looking.lock(); }, [] { looking.unlock(); }, [] { looking.unlock(); });

Loaded loaded_since(unsigned long long seen) noexcept {
    Loaded found{seen};
    const std::lock_guard alone(looking);
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            auto& loaded = *static_cast<Loaded*>(out);
            loaded.now = info->dlpi_adds;
            if (loaded.now == loaded.seen) return 1;
            loaded.has_driver |= info->dlpi_name && std::strstr(info->dlpi_name, "libcuda.so");
            return 0;
        },
        &found);
    return found;
}

/// Some milliseconds, less than a driver needs from its arrival to the first address that it can hand out. Asking for
/// the time costs a third of asking the linker, and no lock.
std::int64_t tick() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

PointerGetAttribute look_for_driver() noexcept {
    static std::atomic<unsigned long long> looked_at{0};
    const Loaded loaded = loaded_since(looked_at.load(std::memory_order_relaxed));
    void* driver = loaded.has_driver ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (driver) return reinterpret_cast<PointerGetAttribute>(dlsym(driver, "cuPointerGetAttribute"));
    looked_at.store(loaded.now, std::memory_order_relaxed);
    return nullptr;
}

/// Null until somebody in this process has opened the driver: until then no address can be a device's. Looked for once
/// a tick.
PointerGetAttribute driver_entry() noexcept {
    static std::atomic<PointerGetAttribute> found{nullptr};
    static std::atomic<std::int64_t> asked_at{-1};
    if (const PointerGetAttribute entry = found.load(std::memory_order_relaxed)) return entry;
    const std::int64_t now = tick();
    if (asked_at.load(std::memory_order_acquire) != now) {
        if (const PointerGetAttribute entry = look_for_driver()) found.store(entry, std::memory_order_relaxed);
        asked_at.store(
            now, std::memory_order_release);  // not before the answer is there: other threads ask in the same tick
    }
    return found.load(std::memory_order_relaxed);
}

}  // namespace

const Backend& backend() noexcept {
    static const Backend& row = open();
    return row;
}

const LoadersDoor* loaders() noexcept { return behind<LoadersEntry>(loaders_entry_name); }
const DeviceLinks* links() noexcept { return behind<LinksEntry>(links_entry_name); }
const ProductSums* product_sums() noexcept { return behind<SumsEntry>(sums_entry_name); }
const SlabProducts* slab_products() noexcept { return behind<SlabsEntry>(slabs_entry_name); }
const Replays* replays() noexcept { return behind<ReplaysEntry>(replays_entry_name); }

bool may_own() noexcept { return driver_entry() != nullptr; }

bool owns(const void* memory) noexcept {
    const PointerGetAttribute attribute = driver_entry();
    if (!attribute || !memory) return false;
    constexpr int memory_type = 2, on_device = 2,
                  success = 0;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_MEMORYTYPE_DEVICE
    unsigned kind = 0;
    return attribute(&kind, memory_type, reinterpret_cast<std::uintptr_t>(memory)) == success && kind == on_device;
}

std::span<const std::byte> allocation(const void* memory) noexcept {
    const PointerGetAttribute attribute = driver_entry();
    constexpr int range_start = 11, range_size = 12, success = 0;  // CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, _RANGE_SIZE
    std::uintptr_t start = 0;
    std::size_t size = 0;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const bool known = attribute && memory && attribute(&start, range_start, address) == success &&
                       attribute(&size, range_size, address) == success;
    return known ? std::span(reinterpret_cast<const std::byte*>(start), size) : std::span<const std::byte>();
}

}  // namespace tw::cuda
