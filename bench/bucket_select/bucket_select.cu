// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Seed 004's question, timed: where does bucketMul's array of sums live, and what does it cost? The same product of
// bucket rows by five ways to add to one of the sums of a bucket.
//
//   nvcc -O3 -std=c++17 -arch=sm_90a bench/bucket_select/bucket_select.cu -o bucket_select && ./bucket_select
//
// A block has 128 buckets, a thread one of them, and takes every gridDim.y-th row; both operands are small numbers, so
// that sums are exact in any order and each way must give the bits of the others.
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int buckets = 4096, rows = 8192, parts = 64, threads = 128, passes = 20;

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

struct Word {
    float v;
    unsigned place;
};

__device__ Word word_at(const unsigned short* words, const float* x, int row, int bucket) {
    const unsigned short bits = words[static_cast<long>(row) * buckets + bucket];
    return {x[row] * __half2float(__ushort_as_half(bits & 0xffe0)), bits & 31u};
}

/// As the seed has it: every sum gets v or 0. `mask` is what the compiler knows of places.
template <int outputs, unsigned mask>
__global__ void by_select(const unsigned short* words, const float* x, float* result) {
    const int bucket = blockIdx.x * threads + threadIdx.x;
    float sums[outputs] = {};
    for (int row = blockIdx.y; row < rows; row += parts) {
        const Word w = word_at(words, x, row, bucket);
        const unsigned place = w.place & mask;
#pragma unroll
        for (unsigned i = 0; i < outputs; ++i) sums[i] += place == i ? w.v : 0;
    }
    for (int i = 0; i < outputs; ++i) atomicAdd(&result[bucket * 32 + i], sums[i]);
}

/// The array by a number that only the run knows.
template <int outputs>
__global__ void by_index(const unsigned short* words, const float* x, float* result) {
    const int bucket = blockIdx.x * threads + threadIdx.x;
    float sums[outputs] = {};
    for (int row = blockIdx.y; row < rows; row += parts) {
        const Word w = word_at(words, x, row, bucket);
        sums[w.place & (outputs - 1)] += w.v;
    }
    for (int i = 0; i < outputs; ++i) atomicAdd(&result[bucket * 32 + i], sums[i]);
}

/// As ours has it: a lane has a column of shared memory.
template <int outputs>
__global__ void by_column(const unsigned short* words, const float* x, float* result) {
    __shared__ float columns[outputs][threads];
    const int bucket = blockIdx.x * threads + threadIdx.x, lane = threadIdx.x;
    for (int i = 0; i < outputs; ++i) columns[i][lane] = 0;
    for (int row = blockIdx.y; row < rows; row += parts) {
        const Word w = word_at(words, x, row, bucket);
        columns[w.place & (outputs - 1)][lane] += w.v;
    }
    for (int i = 0; i < outputs; ++i) atomicAdd(&result[bucket * 32 + i], columns[i][lane]);
}

/// What reading alone takes.
__global__ void one_sum(const unsigned short* words, const float* x, float* result) {
    const int bucket = blockIdx.x * threads + threadIdx.x;
    float sum = 0;
    for (int row = blockIdx.y; row < rows; row += parts) sum += word_at(words, x, row, bucket).v;
    atomicAdd(&result[bucket * 32], sum);
}

struct Way {
    const char* name;
    void (*kernel)(const unsigned short*, const float*, float*);
    int outputs;
    unsigned mask;
};
const Way ways[] = {
    {"reading alone", one_sum, 1, 0},          {"16 selects", by_select<16, 15>, 16, 15},
    {"32 selects", by_select<32, 31>, 32, 31}, {"16 selects, & 7", by_select<16, 7>, 16, 7},
    {"16 by index", by_index<16>, 16, 15},     {"32 by index", by_index<32>, 32, 31},
    {"16 in a column", by_column<16>, 16, 15}, {"32 in a column", by_column<32>, 32, 31},
};

float median_ms(const Way& way, const unsigned short* words, const float* x, float* result) {
    std::vector<float> times;
    cudaEvent_t from, to;
    check(cudaEventCreate(&from)), check(cudaEventCreate(&to));
    for (int pass = 0; pass < passes; ++pass) {
        check(cudaMemset(result, 0, buckets * 32 * sizeof(float)));
        check(cudaEventRecord(from));
        way.kernel<<<dim3(buckets / threads, parts), threads>>>(words, x, result);
        check(cudaEventRecord(to));
        check(cudaEventSynchronize(to));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, from, to));
        times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// Words whose places lie in 0 .. range - 1, of which the last bucket's results are compared with sums on the host.
bool time_all(int range) {
    bool all_right = true;
    std::vector<unsigned short> words(static_cast<std::size_t>(buckets) * rows);
    std::vector<float> x(rows);
    unsigned state = 1;
    const auto next = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
    for (auto& word : words) {
        const __half value = __float2half(static_cast<float>(static_cast<int>(next() % 9) - 4));
        word = static_cast<unsigned short>((__half_as_ushort(value) & 0xffe0) | next() % range);
    }
    for (auto& v : x) v = static_cast<float>(static_cast<int>(next() % 5) - 2);
    unsigned short* device_words;
    float *device_x, *result;
    check(cudaMalloc(&device_words, words.size() * 2)), check(cudaMalloc(&device_x, x.size() * 4));
    check(cudaMalloc(&result, buckets * 32 * sizeof(float)));
    check(cudaMemcpy(device_words, words.data(), words.size() * 2, cudaMemcpyHostToDevice));
    check(cudaMemcpy(device_x, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    std::printf("places 0 to %d\n%-18s %9s %9s %10s %10s %6s\n", range - 1, "sums", "us", "GB/s", "registers",
                "local mem.", "right");
    for (const Way& way : ways) {
        const float ms = median_ms(way, device_words, device_x, result);
        std::vector<float> got(buckets * 32), want(32);
        check(cudaMemcpy(got.data(), result, got.size() * 4, cudaMemcpyDeviceToHost));
        for (int row = 0; row < rows; ++row) {
            const unsigned short bits = words[static_cast<std::size_t>(row) * buckets + buckets - 1];
            want[bits & 31u & way.mask] += x[row] * __half2float(__ushort_as_half(bits & 0xffe0));
        }
        const bool right = std::equal(want.begin(), want.end(), got.end() - 32);
        all_right = all_right && right;
        cudaFuncAttributes has;
        check(cudaFuncGetAttributes(&has, reinterpret_cast<const void*>(way.kernel)));
        std::printf("%-18s %9.1f %9.0f %10d %10zu %6s\n", way.name, ms * 1e3,
                    static_cast<double>(words.size()) * 2e-6 / ms, has.numRegs, has.localSizeBytes,
                    right ? "yes" : "NO");
    }
    cudaFree(device_words), cudaFree(device_x), cudaFree(result);
    return all_right;
}

}  // namespace

int main() {
    bool all_right = true;
    for (const int range : {16, 8, 1}) all_right = time_all(range) && all_right;
    return all_right ? 0 : 1;
}
