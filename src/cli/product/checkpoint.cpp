// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/product/checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/ending/exit.hpp"
#include "cli/files/open_matrix.hpp"
#include "cli/files/quoted.hpp"

namespace tw::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t longest_index = std::int64_t{64} << 20;

std::vector<std::string> shards_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->path().extension() == ".safetensors") names.push_back(at->path().filename().string());
    if (error) refuse("{}: the folder can't be read: {}", quoted_path(folder), error.message());
    if (names.empty()) refuse("{}: the folder has no .safetensors file", quoted_path(folder));
    std::sort(names.begin(), names.end());
    return names;
}

/// What the index says: the shard of each tensor.
void check_index(const std::string& path, const std::map<std::string, std::string>& shard_of) {
    const InputFile file(path, "the index of a checkpoint");
    if (file.bytes() > longest_index)
        refuse("{}: it has {} bytes; an index of at most {} is read", quoted_path(path), file.bytes(), longest_index);
    const auto index = nlohmann::json::parse(file.read(0, file.bytes()), nullptr, false);
    if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object())
        refuse("{}: expected an object with \"weight_map\", which names a file for each tensor", quoted_path(path));
    for (const auto& [name, shard] : index["weight_map"].items()) {
        const auto found = shard_of.find(name);
        if (!shard.is_string())
            refuse("{}: the shard of {} is not a file's name", quoted_path(path), cli::quoted(name));
        if (found == shard_of.end())
            refuse("{}: no file of the folder has the tensor {}, which should be in {}", quoted_path(path),
                   cli::quoted(name), cli::quoted(shard.get<std::string>()));
        if (found->second != shard.get<std::string>())
            refuse("{}: the tensor {} should be in {}, and is in {}", quoted_path(path), cli::quoted(name),
                   cli::quoted(shard.get<std::string>()), cli::quoted(found->second));
    }
    for (const auto& [name, shard] : shard_of)
        if (!index["weight_map"].contains(name))
            refuse("{}: it does not name the tensor {} of {}", quoted_path(path), cli::quoted(name),
                   cli::quoted(shard));
}

}  // namespace

Checkpoint open_checkpoint(const std::string& folder) {
    Checkpoint all;
    std::map<std::string, std::string> shard_of;
    for (const std::string& name : shards_in(folder)) {
        all.shards.emplace_back((fs::path(folder) / name).string(), "a .safetensors file");
        for (SafeTensor& tensor : safetensors_of(all.shards.back())) {
            const auto [found, is_first] = shard_of.emplace(tensor.name, name);
            if (!is_first)
                refuse("{}: the tensor {} is in {} and in {}", quoted_path(folder), cli::quoted(tensor.name),
                       cli::quoted(found->second), cli::quoted(name));
            all.tensors.push_back({all.shards.size() - 1, std::move(tensor)});
        }
    }
    const fs::path index = fs::path(folder) / "model.safetensors.index.json";
    std::error_code error;
    if (fs::exists(index, error)) check_index(index.string(), shard_of);
    return all;
}

}  // namespace tw::cli
