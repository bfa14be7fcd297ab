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
/// Of batches, as 30 of them were measured by all tiles: their products' ends are what counts, and small tiles have
/// many. 192 x 256 x 32, 1279 times, took 98.8 us by thin tiles, 53.2 by 128 x 256.
inline constexpr R9Costs batch_r9_costs{.launch = 1725,
                                        .wide_end = 781,
                                        .level_end = 873,
                                        .thin_end = 313,
                                        .out = .0597,
                                        .old = 0,
                                        .clock = 1.86,
                                        .of_one = 123,
                                        .of_all = 0,
                                        .latency = 853,
                                        .step = 30.8,
                                        .parts = 2343,
                                        .memory = 4600,
                                        .seen = .746,
                                        .shared = .576,
                                        .by_one = .609,
                                        .by_pair = .23,
                                        .by_box = .07,
                                        .by_threads = .0824,
                                        .between = 2.38,
                                        .astray = 1.37,
                                        .of_a = .641,
                                        .by_words = .134,
                                        .old_behind = 1900};
struct AsyncCosts {
    double of_all, of_all_wide;  ///< bytes from L2, for all multiprocessors together
    double ragged;               ///< of those, where tiles of a few rows are not all whole, and fall out of step
    double row;                  ///< of 128 bytes that comes to a multiprocessor, all the same who has read it
    double pair;                 ///< of a step of two blocks that share B
    double hidden;               ///< of the shorter of the two, the memory's time and that of all steps
    double of_thin;              ///< of the memory's pace, for thin tiles
    double wide_more = 0, a_across = 1;  ///< of a call by wide tiles; of their steps, where A lies across k
};
inline constexpr AsyncCosts async_costs{12657, 6860, .697, .898, 42.4, .215, .788, 244, .898};
inline constexpr AsyncCosts batch_costs{12740, 7272, .757, .897, 46, .344, .876};

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
