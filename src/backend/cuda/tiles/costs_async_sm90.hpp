// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the times of r9's tiles are reckoned by, as they were measured on an H200.
#pragma once

namespace tw::cuda::sm90 {

/// What a choice of r9 rests on: nanoseconds, and bytes or cycles a nanosecond. Fitted to the times of 11 000 pairs of
/// a shape and a tile on an H200: what it chooses takes 1.04 of the quickest tile's time in the mean.
struct R9Costs {
    double launch, wide_end, level_end, thin_end;  ///< of a call; of a tile of each kind, in the middle and at its end
    double out;                                    ///< of an element of a tile of C
    double old;                                    ///< of one that is read, in those
    double clock;                                  ///< cycles of the unit
    double of_one, of_all;                         ///< bytes from L2, for a multiprocessor and for all together
    double latency, step;                          ///< until a stage is full, over all stages; of a step besides
    double parts;                                  ///< adding them
    double memory;                                 ///< bytes
    double seen;                                   ///< of an end that the next tile does not hide
    double shared;                                 ///< of A's bytes, where all blocks read the same
    /// Of an element of C more, where its rows start anywhere: one by one, by pairs, through boxes.
    double by_one = 0, by_pair = 0, by_box = 0;
    double by_threads = 0;           ///< and where no boxes take it, wherever its rows start
    double between = 2, astray = 1;  ///< rows that begin inside of sectors: as many as come, and as L2 reads
    double of_a = 1;                 ///< of A's rows, which many tiles read
    double by_words = 0;             ///< where tiles too wide for that store words
    double old_behind = 0;           ///< of an old C that a tile reads when its sums are there
    double comes = 0;                ///< of the cycles that TMA takes of shared memory to fill it
};
inline constexpr R9Costs r9_costs{967, 1330, 1180, 1110, .06, 11.9, 1.46, 100, 6430, 842, 52, 1890, 3980, .65, .46};

/// As the tiles of 420 shapes were measured one beside the other: what these choose takes 1.035 of the quickest tile's
/// time in the mean, 1.048 by the costs before. An old C is on its way while the product is made, and costs its bytes
/// alone. Rows of C that start anywhere: 3443 x 1821 x 128 took an H100 17 us by 128 x 256, 37 by 128 x 64.
inline constexpr R9Costs async_r9_costs{.launch = 1210,
                                        .wide_end = 682,
                                        .level_end = 948,
                                        .thin_end = 270,
                                        .out = .0559,
                                        .old = 0,
                                        .clock = 1.45,
                                        .of_one = 101.6,
                                        .of_all = 0,
                                        .latency = 1049,
                                        .step = 32.7,
                                        .parts = 2111,
                                        .memory = 4292,
                                        .seen = 1.06,
                                        .shared = .622,
                                        .by_one = .85,
                                        .by_pair = .373,
                                        .by_box = .05,
                                        .by_threads = .083,
                                        .between = 2.65,
                                        .astray = 1.153,
                                        .of_a = .75,
                                        .by_words = .117,
                                        .old_behind = 1900};
/// By which tiles of 192 rows are weighed against what the costs above choose, as all tiles of 138 shapes were. By
/// these alone large products took 1 to 9 % more (859 x 8192 x 28672 NT 615 and 671 us), so that they choose nothing
/// else.
inline constexpr R9Costs tall_r9_costs{.launch = 1233,
                                       .wide_end = 599,
                                       .level_end = 1201,
                                       .thin_end = 256,
                                       .out = .0712,
                                       .old = 0,
                                       .clock = 2.127,
                                       .of_one = 106.1,
                                       .of_all = 0,
                                       .latency = 960,
                                       .step = 35.3,
                                       .parts = 1755,
                                       .memory = 4554,
                                       .seen = .746,
                                       .shared = .603,
                                       .by_one = .865,
                                       .by_pair = .349,
                                       .by_box = .049,
                                       .by_threads = .0841,
                                       .between = 2.25,
                                       .astray = 1.204,
                                       .of_a = .736,
                                       .by_words = .1217,
                                       .old_behind = 1818,
                                       .comes = 1};
/// Of batches, as 42 of them were measured by all tiles: their products' ends are what counts, and small tiles have
/// many. 192 x 256 x 32, 1279 times, took 98.8 us by thin tiles, 53.2 by 128 x 256.
inline constexpr R9Costs batch_r9_costs{.launch = 2715,
                                        .wide_end = 728,
                                        .level_end = 869,
                                        .thin_end = 247,
                                        .out = .0480,
                                        .old = 0,
                                        .clock = 2.104,
                                        .of_one = 123.0,
                                        .of_all = 0,
                                        .latency = 706,
                                        .step = 29.1,
                                        .parts = 2098,
                                        .memory = 4877,
                                        .seen = .741,
                                        .shared = .579,
                                        .by_one = .610,
                                        .by_pair = .231,
                                        .by_box = .07,
                                        .by_threads = .0789,
                                        .between = 2.58,
                                        .astray = 1.351,
                                        .of_a = .615,
                                        .by_words = .134,
                                        .old_behind = 1901,
                                        .comes = 1};
struct AsyncCosts {
    double of_all, of_all_wide;  ///< bytes from L2, for all multiprocessors together
    double ragged;               ///< of those, where tiles of a few rows are not all whole, and fall out of step
    double row;                  ///< of 128 bytes that comes to a multiprocessor, all the same who has read it
    double pair;                 ///< of a step of two blocks that share B
    double hidden;               ///< of the shorter of the two, the memory's time and that of all steps
    double of_thin;              ///< of the memory's pace, for thin tiles
    double wide_more = 0, a_across = 1;  ///< of a call by wide tiles; of their steps, where A lies across k
    double hot = 0, busy = 0;            ///< of a step more, for each share of the unit's peak above the other
};
inline constexpr AsyncCosts async_costs{12657, 6860, .697, .898, 42.4, .215, .788, 244, .898};
inline constexpr AsyncCosts tall_costs{14090, 7282, .783, .819, 56.4, .275, .938, 246, .990, .467, .361};
inline constexpr AsyncCosts batch_costs{13053, 7321, .828, 1.081, 45.6, .343, .857, 51, .999, .506, .339};

/// Of tf32, as 13 000 times of its tiles of 402 shapes and batches were: what these choose takes 1.03 of the quickest
/// tile's time in the mean, 1.06 by the costs before. They tell tiles apart, and are no prices: copies were left out.
inline constexpr R9Costs tf32_r9_costs{.launch = 71,
                                       .wide_end = 1823,
                                       .level_end = 1157,
                                       .thin_end = 613,
                                       .out = .196,
                                       .old = 0,
                                       .clock = 2.64,
                                       .of_one = 182,
                                       .of_all = 0,
                                       .latency = 1151,
                                       .step = 65.3,
                                       .parts = 2111,
                                       .memory = 10570,
                                       .seen = .398,
                                       .shared = .118,
                                       .by_one = .4,
                                       .by_pair = .0639,
                                       .by_box = .0895,
                                       .by_threads = .151,
                                       .between = 1.85,
                                       .astray = 2.16,
                                       .of_a = .68};
inline constexpr AsyncCosts tf32_costs{14130, 13010, .718, .773, 63.1, .0253, .62, 77};

}  // namespace tw::cuda::sm90
