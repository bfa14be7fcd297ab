// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "python/watch.hpp"

#include <cstdint>
#ifdef __linux__
#include <dlfcn.h>
#endif

namespace tw::python {
namespace {

/// Of torch._C and torch._C._autograd: how many, or whether any, look at what is called. The first four work by keys of
/// torch's dispatcher, for a thread each.
constexpr const char* names[] = {"_len_torch_dispatch_stack",        "_is_any_autocast_enabled",
                                 "_are_functorch_transforms_active", "_is_tracing",
                                 "_is_torch_function_mode_enabled",  "_profiler_enabled"};
constexpr int by_keys = 4, all = 6;
PyObject* watchers[all];

bool does_any_watch(int first, int last) {
    for (int i = first; i < last; ++i) {
        PyObject* answer = watchers[i] ? PyObject_CallNoArgs(watchers[i]) : nullptr;
        const bool nobody = answer && PyObject_Not(answer) == 1;
        Py_XDECREF(answer);
        if (!nobody) return PyErr_Clear(), true;
    }
    return false;
}

/// The keys that a thread's dispatcher takes and leaves out, as torch keeps them.
struct Keys {
    std::uint64_t taken, left_out;
    bool operator==(const Keys&) const = default;
};

/// Null where torch does not tell: everybody is asked each time then.
const Keys* keys_of_this_thread() {
#ifdef __linux__
    void* torch = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
    if (!torch) return nullptr;
    const void* keys = dlsym(torch, "_ZN3c104impl26raw_local_dispatch_key_setE");
    dlclose(torch);
    return static_cast<const Keys*>(keys);
#else
    return nullptr;
#endif
}

/// Asking six functions of Python takes as long as a tenth of a small product. Where a thread's keys are those with
/// which nobody watched the last time, four of them have the same answer.
struct Quiet {
    const Keys* now = keys_of_this_thread();
    Keys then{};
    bool is_known = false;
};

}  // namespace

void find_watchers(PyObject* torch) {
    PyObject* within = PyObject_GetAttrString(torch, "_C");
    PyObject* recorder = within ? PyObject_GetAttrString(within, "_autograd") : nullptr;
    for (int i = 0; recorder && i < all; ++i) {
        PyErr_Clear();
        watchers[i] = PyObject_GetAttrString(i < all - 1 ? within : recorder, names[i]);
    }
    Py_XDECREF(within), Py_XDECREF(recorder);
}

bool is_watched() {
    thread_local Quiet quiet;
    if (!quiet.is_known || *quiet.now != quiet.then) {
        if (does_any_watch(0, by_keys)) return true;
        quiet.is_known = quiet.now != nullptr;
        if (quiet.is_known) quiet.then = *quiet.now;
    }
    return does_any_watch(by_keys, all);
}

}  // namespace tw::python
