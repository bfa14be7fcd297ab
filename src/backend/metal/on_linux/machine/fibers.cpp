// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/machine/fibers.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace tw::metal_check {

#if defined(__x86_64__)

// Pushes the callee-saved registers, stores the stack pointer in *from, loads the other one, and pops its registers.
asm(R"(
.text
.p2align 4
.type tw_metal_check_switch, @function
tw_metal_check_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size tw_metal_check_switch, .-tw_metal_check_switch
)");
extern "C" __attribute__((visibility("hidden"))) void tw_metal_check_switch(void** from, void* to);

void prepare(Context& context, char* stack, std::size_t bytes, void (*entry)()) {
    auto* top = reinterpret_cast<std::uintptr_t*>(stack + bytes);
    *--top = 0;  // a return address, so that the stack is aligned as after a call
    *--top = reinterpret_cast<std::uintptr_t>(entry);
    for (int saved = 0; saved < 6; ++saved) *--top = 0;
    context.stack = top;
}

void switch_to(Context& from, Context& to) { tw_metal_check_switch(&from.stack, to.stack); }

#else

void prepare(Context& context, char* stack, std::size_t bytes, void (*entry)()) {
    getcontext(&context.state);
    context.state.uc_stack.ss_sp = stack;
    context.state.uc_stack.ss_size = bytes;
    context.state.uc_link = nullptr;
    makecontext(&context.state, entry, 0);
}

void switch_to(Context& from, Context& to) { swapcontext(&from.state, &to.state); }

#endif

Stacks::Stacks(std::size_t count) : bytes_(count * bytes_each) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    all_ = static_cast<char*>(memory);
    free_.reserve(count);
    reset();
}

Stacks::~Stacks() { munmap(all_, bytes_); }

void Stacks::reset() noexcept {
    free_.clear();
    for (std::size_t at = bytes_; at > 0; at -= bytes_each) free_.push_back(all_ + at - bytes_each);
}

char* Stacks::take() noexcept {
    char* stack = free_.back();
    free_.pop_back();
    return stack;
}

}  // namespace tw::metal_check
