// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The macro-kernel of many threads: panels are packed once for all of them, and a free thread takes the next cell of C.
// Threads that work at the same time share panels of A, and pass all of B's once for each row of cells.
//
//        some blocks of k:  panels of B                 1. all threads pack panels
//                        +---------+---------+----+     2. all threads take cells
//                        |         |         |    |     3. the next blocks of k
//                        +---------+---------+----+
//             +--------+ +---------+---------+----+
//             |   A    | | cell 0  | cell 1  |    |     a cell stays in L2 from one block of k to the next
//             +--------+ +---------+---------+----+
#pragma once

#include "backend/cpu/panels/macro_kernel.hpp"

namespace tw::cpu {

/// Room for all panels of so many blocks of k, and for what each thread keeps of its tiles.
std::size_t shared_panels_bytes(const PanelKernel& kernel, const Problem& problem, const Tile& blocks, int threads);

/// The same where each cell of C takes a whole tree of slabs (SlabSteps::pairs): so many nodes of one length, each a
/// block of k, all in panels at once. 0: they are not.
std::size_t shared_panels_bytes_in_slabs(const PanelKernel& kernel, const Problem& problem, const Tile& blocks,
                                         int threads, int nodes);

/// The same bits as one thread's. `blocks` as in run_hierarchy(): what of an operand stays in L2.
Status run_on_shared_panels(const PanelKernel& kernel, const Call& call, const Tile& blocks);

}  // namespace tw::cpu
