// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An Objective-C runtime and a Metal device for Linux, as far as the host code goes: messages are looked up by name in
// a table, sources are compiled by the translator, and a dispatch runs on the machine, checked. A message that the
// table does not have ends the test.
#include "rooms/backend/metal/on_mac/stand_in.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "backend/metal/on_linux/check_file.hpp"
#include "backend/metal/on_linux/machine/executor.hpp"
#include "backend/metal/on_linux/translator/command.hpp"
#include "backend/metal/on_mac/objc.hpp"
#include "base/rounding.hpp"

namespace stand_in {
namespace {

using tw::metal::Size;
using tw::metal_check::Bound;

/// Every object of every class.
struct Thing {
    std::string kind, text;
    std::vector<char> memory;
    const tw::metal_check::Module* module = nullptr;
    Thing* commands = nullptr;
    Thing* pipeline = nullptr;
    Bound bound[31];
    std::vector<char> bytes[31];
    bool loose_math = true, failed = false;
    unsigned long language = 0;
    // Of MPS: a descriptor, a matrix (its buffer is `commands`), a product.
    unsigned long rows = 0, cols = 0, inner = 0, row_bytes = 0, offset = 0;
    unsigned type = 0;
    double alpha = 0, beta = 0;
};

Thing* make(const char* kind, std::string text = "") {
    auto* thing = new Thing;
    thing->kind = kind;
    thing->text = std::move(text);
    return thing;
}

State now;

// The methods, in the order of the Selectors.
Thing* create(Thing* type, void*) { return make(type->text.c_str()); }
void release(Thing* self, void*) {
    if (self->kind == "buffer") --now.buffers;
}
Thing* string_with(Thing*, void*, const char* text) { return make("string", text); }
const char* utf8(Thing* self, void*) { return self->text.c_str(); }
Thing* description(Thing* self, void*) { return make("string", self->text); }
Thing* name(Thing*, void*) { return make("string", "stand-in"); }
bool supports_family(Thing*, void*, long family) { return family <= now.family; }
Thing* make_queue(Thing*, void*) { return make("queue"); }
Thing* make_buffer(Thing*, void*, unsigned long bytes, unsigned long options) {
    if (options != 0) return nullptr;
    Thing* buffer = make("buffer");
    buffer->memory.assign(bytes, '\xff');
    ++now.buffers;
    return buffer;
}
void* contents(Thing* self, void*) { return self->memory.data(); }
Thing* make_library(Thing*, void*, Thing* source, Thing* options, Thing** error) {
    now.compiled.push_back({source->text, options->loose_math, options->language});
    if (!now.refuse.empty() && source->text.find(now.refuse) != std::string::npos) {
        *error = make("error", "illegal string literal in 'asm'");
        return nullptr;
    }
    const tw::metal_check::TemporaryFolder folder;
    const std::string path = folder.path() + "/library.metal";
    tw::metal_check::write_file(path, source->text);
    const auto opened = tw::metal_check::open_file(path, {}, true);
    if (!opened.module) {
        *error = make("error", opened.refusals.empty() ? "?" : opened.refusals[0]);
        return nullptr;
    }
    Thing* library = make("library");
    library->module = opened.module;
    return library;
}
Thing* make_function(Thing* self, void*, Thing* text) {
    for (const auto& kernel : tw::metal_check::program_of(*self->module).kernels)
        if (kernel.name == text->text) {
            Thing* function = make("function", text->text);
            function->module = self->module;
            return function;
        }
    return nullptr;
}
Thing* make_pipeline(Thing*, void*, Thing* function, Thing**) {
    Thing* pipeline = make("pipeline", function->text);
    pipeline->module = function->module;
    return pipeline;
}
unsigned long most_threads(Thing*, void*) { return now.most_threads; }
unsigned long most_threadgroup_memory(Thing*, void*) { return 32768; }
void set_loose_math(Thing* self, void*, bool loose) { self->loose_math = loose; }
void set_language(Thing* self, void*, unsigned long version) { self->language = version; }
Thing* command_buffer(Thing*, void*) { return make("commands"); }
Thing* encoder(Thing* self, void*) {
    Thing* made = make("encoder");
    made->commands = self;
    return made;
}
void set_pipeline(Thing* self, void*, Thing* pipeline) { self->pipeline = pipeline; }
void set_buffer(Thing* self, void*, Thing* buffer, unsigned long offset, unsigned long index) {
    self->bound[index] = {buffer->memory.data() + offset, buffer->memory.size() - offset};
}
void set_bytes(Thing* self, void*, const void* bytes, unsigned long length, unsigned long index) {
    self->bytes[index].assign(static_cast<const char*>(bytes), static_cast<const char*>(bytes) + length);
    self->bound[index] = {self->bytes[index].data(), length};
}
void dispatch(Thing* self, void*, Size groups, Size threads) {
    tw::metal_check::Request request;
    request.module = self->pipeline->module;
    request.kernel = self->pipeline->text;
    request.buffers = self->bound;
    request.threads = {static_cast<std::uint32_t>(threads.width), static_cast<std::uint32_t>(threads.height), 1};
    request.grid = {static_cast<std::uint32_t>(groups.width) * request.threads.x,
                    static_cast<std::uint32_t>(groups.height) * request.threads.y, 1};
    for (const auto& finding : tw::metal_check::execute(request).findings) now.findings.push_back(finding.text);
}
void nothing(Thing*, void*) {}
unsigned long status(Thing*, void*) { return now.gpu_fails ? 5 : 4; }
double start_time(Thing*, void*) { return 1.0; }
double end_time(Thing*, void*) { return 1.5; }

// MetalPerformanceShaders: alloc makes an object of the class, init... fills it.
Thing* alloc(Thing* type, void*) { return make(type->text.c_str()); }
Thing* describe_matrix(Thing*, void*, unsigned long rows, unsigned long cols, unsigned long row_bytes, unsigned type) {
    Thing* made = make("MPSMatrixDescriptor");
    made->rows = rows, made->cols = cols, made->row_bytes = row_bytes, made->type = type;
    return made;
}
Thing* init_matrix(Thing* self, void*, Thing* buffer, unsigned long offset, Thing* described) {
    self->rows = described->rows, self->cols = described->cols;
    self->row_bytes = described->row_bytes, self->type = described->type;
    self->commands = buffer, self->offset = offset;
    return self;
}
Thing* init_product(Thing* self, void*, Thing*, bool left, bool right, unsigned long rows, unsigned long cols,
                    unsigned long inner, double alpha, double beta) {
    if (left || right) return nullptr;
    self->rows = rows, self->cols = cols, self->inner = inner, self->alpha = alpha, self->beta = beta;
    return self;
}
char* element(Thing* matrix, unsigned long i, unsigned long j) {
    const unsigned long size = (matrix->type & 0xff) / 8, at = matrix->offset + i * matrix->row_bytes + j * size;
    if (i >= matrix->rows || j >= matrix->cols || at + size > matrix->commands->memory.size()) std::abort();
    return matrix->commands->memory.data() + at;
}
float value(Thing* matrix, unsigned long i, unsigned long j) {
    if ((matrix->type & 0xff) == 32) return *reinterpret_cast<float*>(element(matrix, i, j));
    return tw::widen(*reinterpret_cast<tw::float16*>(element(matrix, i, j)));
}
void encode_product(Thing* self, void*, Thing*, Thing* a, Thing* b, Thing* c) {
    for (unsigned long i = 0; i < self->rows; ++i)
        for (unsigned long j = 0; j < self->cols; ++j) {
            double sum = 0;
            for (unsigned long q = 0; q < self->inner; ++q)
                sum += static_cast<double>(value(a, i, q)) * static_cast<double>(value(b, q, j));
            const auto out = static_cast<float>(
                self->alpha * sum + (self->beta == 0 ? 0 : self->beta * static_cast<double>(value(c, i, j))));
            if ((c->type & 0xff) == 32) *reinterpret_cast<float*>(element(c, i, j)) = out;
            else *reinterpret_cast<tw::float16*>(element(c, i, j)) = tw::to_float16(out);
        }
}

[[noreturn]] void unknown(Thing* self, const char* selector) {
    std::fprintf(stderr, "stand-in: nobody answers to '%s', least of all a %s\n", selector, self->kind.c_str());
    std::abort();
}

template <class F>
void* address(F* function) {
    return reinterpret_cast<void*>(function);
}

const std::map<std::string, void*>& methods() {
    static const std::map<std::string, void*> all{
        {"new", address(create)},
        {"release", address(release)},
        {"stringWithUTF8String:", address(string_with)},
        {"UTF8String", address(utf8)},
        {"localizedDescription", address(description)},
        {"name", address(name)},
        {"supportsFamily:", address(supports_family)},
        {"newCommandQueue", address(make_queue)},
        {"newBufferWithLength:options:", address(make_buffer)},
        {"contents", address(contents)},
        {"newLibraryWithSource:options:error:", address(make_library)},
        {"newFunctionWithName:", address(make_function)},
        {"newComputePipelineStateWithFunction:error:", address(make_pipeline)},
        {"maxTotalThreadsPerThreadgroup", address(most_threads)},
        {"maxThreadgroupMemoryLength", address(most_threadgroup_memory)},
        {"setFastMathEnabled:", address(set_loose_math)},
        {"setLanguageVersion:", address(set_language)},
        {"commandBuffer", address(command_buffer)},
        {"computeCommandEncoder", address(encoder)},
        {"setComputePipelineState:", address(set_pipeline)},
        {"setBuffer:offset:atIndex:", address(set_buffer)},
        {"setBytes:length:atIndex:", address(set_bytes)},
        {"dispatchThreadgroups:threadsPerThreadgroup:", address(dispatch)},
        {"endEncoding", address(nothing)},
        {"commit", address(nothing)},
        {"waitUntilCompleted", address(nothing)},
        {"status", address(status)},
        {"GPUStartTime", address(start_time)},
        {"GPUEndTime", address(end_time)},
        {"alloc", address(alloc)},
        {"matrixDescriptorWithRows:columns:rowBytes:dataType:", address(describe_matrix)},
        {"initWithBuffer:offset:descriptor:", address(init_matrix)},
        {"initWithDevice:transposeLeft:transposeRight:resultRows:resultColumns:interiorColumns:alpha:beta:",
         address(init_product)},
        {"encodeToCommandBuffer:leftMatrix:rightMatrix:resultMatrix:", address(encode_product)},
    };
    return all;
}

}  // namespace

State& state() { return now; }

}  // namespace stand_in

extern "C" {
void* stand_in_method(stand_in::Thing* self, const char* selector) {
    const auto found = stand_in::methods().find(selector);
    if (!self || found == stand_in::methods().end()) stand_in::unknown(self, selector);
    return found->second;
}
void* sel_registerName(const char* name) { return const_cast<char*>(name); }
void* objc_getClass(const char* name) {
    if (std::strncmp(name, "MPS", 3) == 0 && !stand_in::now.has_mps) return nullptr;
    return stand_in::make("class", name);
}
void* objc_autoreleasePoolPush() { return nullptr; }
void objc_autoreleasePoolPop(void*) {}
void* MTLCreateSystemDefaultDevice() { return stand_in::make("device"); }
}

// A message keeps its arguments where the caller put them: find the method, jump there.
#if defined(__x86_64__)
asm(R"(
.text
.globl objc_msgSend
.type objc_msgSend, @function
objc_msgSend:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    subq $24, %rsp
    movsd %xmm0, (%rsp)
    movsd %xmm1, 8(%rsp)
    call stand_in_method@PLT
    movsd (%rsp), %xmm0
    movsd 8(%rsp), %xmm1
    addq $24, %rsp
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    jmp *%rax
.size objc_msgSend, .-objc_msgSend
)");
#else
asm(R"(
.text
.globl objc_msgSend
.type objc_msgSend, @function
objc_msgSend:
    stp x0, x1, [sp, #-96]!
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp d0, d1, [sp, #64]
    str x30, [sp, #80]
    bl stand_in_method
    mov x16, x0
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldp d0, d1, [sp, #64]
    ldr x30, [sp, #80]
    ldp x0, x1, [sp], #96
    br x16
.size objc_msgSend, .-objc_msgSend
)");
#endif
