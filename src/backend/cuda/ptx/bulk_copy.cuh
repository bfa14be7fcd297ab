// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// TMA, the tensor memory accelerator (sm_90): one thread moves a whole box between global and shared memory. What a box
// has outside the matrix reads as 0 and is not written. `deep`: which matrix of a map of many; without it, the map has
// one.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace tw::cuda::ptx {

/// So many bytes in a row, a multiple of 16 as both addresses are.
__device__ inline void load_bytes(std::uint32_t to, const void* from, int bytes, std::uint32_t barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

__device__ inline void load_box(std::uint32_t to, const CUtensorMap& map, std::uint32_t barrier, int inner, int outer) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
        "[%2];" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(inner), "r"(outer)
        : "memory");
}
__device__ inline void load_box(std::uint32_t to, const CUtensorMap& map, std::uint32_t barrier, int inner, int outer,
                                int deep) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
        "[%2];" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(inner), "r"(outer), "r"(deep)
        : "memory");
}

/// A policy for what is read once: it leaves L2 before anything else does.
__device__ inline std::uint64_t leaves_l2_first() {
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
__device__ inline std::uint64_t stays_as_usual() {
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
__device__ inline void load_bytes(std::uint32_t to, const void* from, int bytes, std::uint32_t barrier,
                                  std::uint64_t policy) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
            "r"(to),
        "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
        : "memory");
}
__device__ inline void load_box(std::uint32_t to, const CUtensorMap& map, std::uint32_t barrier, int inner, int outer,
                                std::uint64_t policy) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(inner), "r"(outer), "l"(policy)
        : "memory");
}

/// Into L2 alone, which is coherent: nothing stale is read where another kernel still writes.
__device__ inline void prefetch_box(const CUtensorMap& map, int inner, int outer) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(inner), "r"(outer)
                 : "memory");
}

__device__ inline void prefetch_box(const CUtensorMap& map, int inner, int outer, int deep) {
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&map), "r"(inner),
                 "r"(outer), "r"(deep)
                 : "memory");
}

/// Into the same place of every block of the cluster that the mask names, and at their barriers.
__device__ inline void load_box_to_all(std::uint32_t to, const CUtensorMap& map, std::uint32_t barrier,
                                       std::uint16_t mask, int inner, int outer) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(inner), "r"(outer), "h"(mask)
        : "memory");
}
__device__ inline void load_box_to_all(std::uint32_t to, const CUtensorMap& map, std::uint32_t barrier,
                                       std::uint16_t mask, int inner, int outer, int deep) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(inner), "r"(outer), "r"(deep), "h"(mask)
        : "memory");
}

__device__ inline void store_box(const CUtensorMap& map, std::uint32_t from, int inner, int outer) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
                 "r"(from), "r"(inner), "r"(outer)
                 : "memory");
}
__device__ inline void store_box(const CUtensorMap& map, std::uint32_t from, int inner, int outer, int deep) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map),
                 "r"(from), "r"(inner), "r"(outer), "r"(deep)
                 : "memory");
}

/// The same for what is not read again soon: L2 lets go of it before what it holds for products.
__device__ inline void stream_box(const CUtensorMap& map, std::uint32_t from, int inner, int outer) {
    asm volatile(
        "{\n.reg .b64 policy;\ncreatepolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%2, %3}], [%1], policy;\n}" ::
            "l"(&map),
        "r"(from), "r"(inner), "r"(outer)
        : "memory");
}

__device__ inline void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// Until all but the `pending` last groups have been read out of shared memory.
template <int pending>
__device__ void wait_for_reads_of_stores() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

/// Until every store is done, and seen.
__device__ inline void wait_for_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

/// Ordinary stores to shared memory, before TMA or the matrix unit reads them.
__device__ inline void publish_to_async_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ inline void prefetch_map(const CUtensorMap& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

}  // namespace tw::cuda::ptx
