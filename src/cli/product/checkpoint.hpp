// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A folder of .safetensors files, the shards of one model: which tensors there are, and where.
#pragma once

#include <string>
#include <vector>

#include "cli/files/input_file.hpp"
#include "cli/files/safetensors_header.hpp"

namespace tw::cli {

struct CheckpointTensor {
    std::size_t shard;
    SafeTensor tensor;
};

struct Checkpoint {
    std::vector<InputFile> shards;  ///< in the order of their names
    std::vector<CheckpointTensor> tensors;

    void check_unchanged() const {
        for (const InputFile& shard : shards) shard.check_unchanged(0);
    }
};

/// Reads the headers of all .safetensors files of the folder. A name that comes twice is refused; where there is an
/// index (model.safetensors.index.json), so is what differs from it. Throws a Stop.
Checkpoint open_checkpoint(const std::string& folder);

}  // namespace tw::cli
