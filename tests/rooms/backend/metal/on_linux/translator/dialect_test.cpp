// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What Apple's compiler refuses must be refused here, with the line; what it takes must be taken.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "backend/metal/on_linux/check_file.hpp"
#include "backend/metal/on_linux/translator/command.hpp"

namespace {

constexpr const char* head = "#include <metal_stdlib>\nusing namespace metal;\n";

/// Each stands on the third line of its file and in a kernel of its own.
struct Source {
    const char *name, *text;
};

constexpr Source refused[] = {
    {"address_spaces_mixed",
     "kernel void k(device float* a [[buffer(0)]]) { threadgroup float t[4]; device float* p = t; a[0] = p[0]; }"},
    {"attribute_misspelt",
     "kernel void k(device float* a [[buffer(0)]], uint g [[thread_position_in_gird]]) { a[g] = 1; }"},
    {"attribute_of_wrong_type",
     "kernel void k(device float* a [[buffer(0)]], float g [[thread_position_in_grid]]) { a[0] = g; }"},
    {"component_names_of_opencl", "kernel void k(device float4* a [[buffer(0)]]) { a[0].s0 = 1; }"},
    {"halves_of_opencl", "kernel void k(device float4* a [[buffer(0)]]) { a[0].lo = a[0].hi; }"},
    {"vector_literal_of_opencl", "kernel void k(device float4* a [[buffer(0)]]) { a[0] = (float4)(1, 2, 3, 4); }"},
    {"words_of_opencl", "kernel void k(__global int* a [[buffer(0)]]) { a[0] = 1; }"},
    {"functions_of_opencl", "kernel void k(device int* a [[buffer(0)]]) { a[0] = get_global_id(0); }"},
    {"builtins_of_clang", "kernel void k(device float* a [[buffer(0)]]) { a[0] = __builtin_sqrtf(a[1]); }"},
    {"global_without_constant",
     "const float t[2] = {1, 2}; kernel void k(device float* a [[buffer(0)]]) { a[0] = t[0]; }"},
    {"global_that_changes", "int counter; kernel void k(device int* a [[buffer(0)]]) { a[0] = counter++; }"},
    {"doubles", "kernel void k(device float* a [[buffer(0)]]) { double d = a[0]; a[0] = float(d * 2); }"},
    {"buffer_index_twice",
     "kernel void k(device float* a [[buffer(0)]], device float* b [[buffer(0)]]) { a[0] = b[0]; }"},
    {"buffer_index_too_large", "kernel void k(device float* a [[buffer(31)]]) { a[0] = 1; }"},
    {"exceptions", "kernel void k(device float* a [[buffer(0)]]) { try { a[0] = 1; } catch (...) {} }"},
    {"pointer_to_function",
     "inline int f(int x) { return x; } kernel void k(device int* a [[buffer(0)]]) { int (*p)(int) = f; a[0] = p(1); "
     "}"},
    {"goto_statement", "kernel void k(device int* a [[buffer(0)]]) { goto x; x: a[0] = 1; }"},
    {"helper_takes_bare_pointer",
     "inline float f(float* p) { return p[0]; } kernel void k(device float* a [[buffer(0)]]) { a[0] = f(a); }"},
    {"helper_takes_bare_reference",
     "inline void f(float& p) { p = 1; } kernel void k(device float* a [[buffer(0)]]) { float x = 0; f(x); a[0] = x; "
     "}"},
    {"bare_pointer", "kernel void k(device float* a [[buffer(0)]]) { float* p = a; p[0] = 1; }"},
    {"value_as_parameter", "kernel void k(device float* a [[buffer(0)]], uint n) { a[0] = n; }"},
    {"parameter_without_space", "kernel void k(float* a [[buffer(0)]]) { a[0] = 1; }"},
    {"kernel_that_returns", "kernel int k(device float* a [[buffer(0)]]) { return 1; }"},
    {"kernel_template", "template <typename T> kernel void k(device T* a [[buffer(0)]]) { a[0] = 1; }"},
    {"lambda", "kernel void k(device int* a [[buffer(0)]]) { auto f = [](int x) { return x + 1; }; a[0] = f(1); }"},
    {"method_of_device_object",
     "struct S { float v; float get() const { return v; } }; kernel void k(device S* s [[buffer(0)]], device float* a "
     "[[buffer(1)]]) { a[0] = s[0].get(); }"},
    {"new_and_delete", "kernel void k(device float* a [[buffer(0)]]) { thread float* p = new float[4]; a[0] = p[0]; }"},
    {"printing", "kernel void k(device int* a [[buffer(0)]]) { printf(\"x\"); a[0] = 1; }"},
    {"recursion",
     "inline int f(int n) { return n < 2 ? 1 : n * f(n - 1); } kernel void k(device int* a [[buffer(0)]]) { a[0] = "
     "f(a[0]); }"},
    {"static_variable", "kernel void k(device int* a [[buffer(0)]]) { static int n = 0; a[0] = n++; }"},
    {"standard_header", "\n#include <vector>\nkernel void k(device int* a [[buffer(0)]]) { a[0] = 1; }"},
    {"threadgroup_array_in_branch",
     "kernel void k(device float* a [[buffer(0)]]) { if (a[0] > 0) { threadgroup float t[4]; t[0] = 1; a[0] = t[0]; } "
     "}"},
    {"threadgroup_array_in_helper",
     "inline float f() { threadgroup float t[4]; t[0] = 1; return t[0]; } kernel void k(device float* a [[buffer(0)]]) "
     "{ a[0] = f(); }"},
    {"threadgroup_array_initialised",
     "kernel void k(device float* a [[buffer(0)]]) { threadgroup float t[4] = {1, 2, 3, 4}; a[0] = t[0]; }"},
    {"virtual_function",
     "struct S { virtual float get() { return 1; } }; kernel void k(device float* a [[buffer(0)]]) { S s; a[0] = "
     "s.get(); }"},
    {"derived_class",
     "struct B { float v; }; struct S : B {}; kernel void k(device float* a [[buffer(0)]]) { S s; s.v = 1; a[0] = s.v; "
     "}"},
    {"array_of_variable_length",
     "kernel void k(device int* a [[buffer(0)]]) { int n = a[0]; int v[n]; v[0] = 1; a[0] = v[0]; }"},
    {"write_to_const", "kernel void k(device const float* a [[buffer(0)]]) { a[0] = 1; }"},
    {"write_to_constant", "kernel void k(constant float* a [[buffer(0)]]) { a[0] = 1; }"},
    {"keyword_of_metal_as_name", "kernel void k(device int* a [[buffer(0)]]) { int fragment = 1; a[0] = fragment; }"},
    {"if_with_initialiser", "kernel void k(device int* a [[buffer(0)]]) { if (int n = a[1]; n > 0) a[0] = n; }"},
};

constexpr Source accepted[] = {
    {"half_arithmetic",
     "kernel void k(device half* a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] = a[i] * half(2) + 0.5h; "
     "}"},
    {"single_precision_literals",
     "kernel void k(device float* a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] = a[i] * 0.1; }"},
    {"program_constants",
     "constant float t[2] = {1, 2}; constant constexpr uint N = 4; kernel void k(device float* a [[buffer(0)]]) { a[0] "
     "= t[N & 1]; }"},
    {"kernel_as_attribute",
     "[[kernel]] void k(device float* a [[buffer(0)]], ushort2 g [[thread_position_in_grid]]) { a[g.x] = float(g.y); "
     "}"},
    {"function_constants",
     "constant bool quick [[function_constant(0)]]; kernel void k(device float* a [[buffer(0)]]) { a[0] = quick ? 1.0f "
     ": "
     "2.0f; }"},
    {"function_objects",
     "template <class T> struct F { const device T* p; F(const device T* q) : p(q) {} T at(uint i) const thread { "
     "return p[i]; } }; kernel void k(const device float* a [[buffer(0)]], device float* b [[buffer(1)]]) { F<float> "
     "f(a); b[0] = f.at(1); }"},
    {"names_that_opencl_has_taken",
     "kernel void k(device float* a [[buffer(0)]], uint local [[thread_position_in_threadgroup]]) { uint global = "
     "local; a[global] = 1; }"},
    {"buffers_numbered_by_order",
     "kernel void k(constant ushort& n, device float* a, uint i [[thread_position_in_grid]]) { if (i < n) a[i] = 1; }"},
    {"swizzles_and_vectors",
     "kernel void k(device float4* a [[buffer(0)]]) { float4 v = a[0]; v.xy = v.yx; a[0] = v.wzyx + float4(float2(1, "
     "2), 3, 4); }"},
    {"as_type", "kernel void k(device uint* a [[buffer(0)]]) { a[0] = as_type<uint>(float(a[1])); }"},
};

std::vector<std::string> refusals_of_file(const std::string& bytes) {
    const tw::metal_check::TemporaryFolder folder;
    const std::string path = folder.path() + "/source.metal";
    tw::metal_check::write_file(path, bytes);
    return tw::metal_check::open_file(path, {}, true).refusals;
}

std::vector<std::string> refusals_of(const char* text) { return refusals_of_file(std::string(head) + text + "\n"); }

std::string name_of_source(const testing::TestParamInfo<Source>& info) { return info.param.name; }

class Refused : public testing::TestWithParam<Source> {};

TEST_P(Refused, WithItsLine) {
    const std::vector<std::string> refusals = refusals_of(GetParam().text);
    ASSERT_FALSE(refusals.empty()) << GetParam().text;
    EXPECT_NE(refusals[0].find("source.metal:"), std::string::npos) << refusals[0];
}

INSTANTIATE_TEST_SUITE_P(Dialect, Refused, testing::ValuesIn(refused), name_of_source);

class Accepted : public testing::TestWithParam<Source> {};

TEST_P(Accepted, AsItIs) {
    for (const std::string& refusal : refusals_of(GetParam().text)) ADD_FAILURE() << refusal;
}

INSTANTIATE_TEST_SUITE_P(Dialect, Accepted, testing::ValuesIn(accepted), name_of_source);

TEST(Clang, IsNotAskedAboutAFileThatIsNoText) {
    std::string bytes;
    for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 37 % 256);
    const std::vector<std::string> refusals = refusals_of_file(bytes);
    ASSERT_EQ(refusals.size(), 1u);
    EXPECT_NE(refusals[0].find("source.metal: expected the text of a Metal file"), std::string::npos) << refusals[0];
}

TEST(Clang, IsSaidToBeMissingWhenItIs) {
    setenv("TW_METAL_CLANG", "no-such-compiler", 1);
    const std::vector<std::string> refusals = refusals_of("kernel void k(device float* a [[buffer(0)]]) { a[0] = 1; }");
    unsetenv("TW_METAL_CLANG");
    ASSERT_EQ(refusals.size(), 1u);
    EXPECT_NE(refusals[0].find("clang of version 14 to 19"), std::string::npos);
}

}  // namespace
