// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw effort build FOLDER: every matrix of a checkpoint becomes a file with an effort dial, one after the other, so that
// memory holds one matrix and its layout. What takes no dial is copied as it is. All is written into a folder beside
// the final one, which is renamed at the end: nothing is left half converted.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/files/output_file.hpp"
#include "cli/files/quoted.hpp"
#include "cli/product/checkpoint.hpp"
#include "cli/product/exit_codes.hpp"
#include "cli/verbs/verbs.hpp"
#include "tilewright/effort.hpp"

namespace tw::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_of_the_rest = "rest.safetensors";

/// A folder with another name until it is done; removed if it never is.
class FolderBeside {
public:
    explicit FolderBeside(const std::string& place)
        : place_(fs::path(place).lexically_normal()), beside_(place_.string() + ".part" + std::to_string(getpid())) {
        if (place_.filename().empty())
            place_ = place_.parent_path(), beside_ = place_.string() + ".part" + std::to_string(getpid());
        std::error_code error;
        if (fs::exists(place_, error))
            refuse("{}: it exists already; a checkpoint is converted into a new folder", quoted_path(place));
        if (!fs::create_directory(beside_, error))
            refuse("{}: the folder can't be created: {}", quoted_path(place), error ? error.message() : "it exists");
    }
    ~FolderBeside() {
        std::error_code error;
        if (!is_kept_) fs::remove_all(beside_, error);
    }
    FolderBeside(const FolderBeside&) = delete;
    FolderBeside& operator=(const FolderBeside&) = delete;

    std::string path_of(const std::string& name) const { return (beside_ / name).string(); }

    void keep() {
        std::error_code error;
        fs::rename(beside_, place_, error);
        if (error) fail("{}: the folder can't be put in its place: {}", quoted_path(place_.string()), error.message());
        is_kept_ = true;
    }

private:
    fs::path place_, beside_;
    bool is_kept_ = false;
};

bool takes_a_dial(const SafeTensor& tensor, const std::vector<std::string>& kept) {
    const auto& shape = tensor.shape;
    if (!tensor.type() || *tensor.type() == Type::f64 || shape.size() < 2 || shape.size() > 3) return false;
    if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 1; })) return false;
    return std::none_of(kept.begin(), kept.end(),
                        [&](const std::string& word) { return tensor.name.find(word) != std::string::npos; });
}

/// A tensor's name is a file's name, so it must not lead elsewhere.
void check_name(const InputFile& shard, const SafeTensor& tensor) {
    if (tensor.name.empty() || tensor.name.front() == '.' || tensor.name.find('/') != std::string::npos ||
        tensor.name.size() > 200 || tensor.name.find('\0') != std::string::npos)
        shard.refuse_at(tensor.begin,
                        fmt::format("no file can have the name of the tensor {}", cli::quoted(tensor.name)));
}

struct Totals {
    int matrices = 0;
    std::int64_t values = 0, bytes = 0, held = 0;
};

/// Of three dimensions the first counts experts.
void convert(const InputFile& shard, const SafeTensor& tensor, const EffortBuild& how, const std::string& path,
             Totals& totals) {
    const std::int64_t bytes = tensor.end - tensor.begin;
    const std::unique_ptr<char[]> memory(new (std::nothrow) char[static_cast<std::size_t>(bytes)]);
    if (!memory) fail("no memory for the {} bytes of the tensor {}", bytes, cli::quoted(tensor.name));
    shard.read(tensor.begin, bytes, memory.get());
    const bool has_experts = tensor.shape.size() == 3;
    const std::int64_t experts = has_experts ? tensor.shape[0] : 1, rows = tensor.shape[has_experts],
                       cols = tensor.shape[has_experts + 1u];
    std::vector<Matrix> all;
    for (std::int64_t e = 0; e < experts; ++e)
        all.push_back({memory.get() + e * (bytes / experts), *tensor.type(), rows, cols, cols, 1});
    with_exit_codes([&] {
        EffortMatrix m;
        if (const Status bad = try_build_effort(all, how, m); !bad)
            throw Error(bad, fmt::format("{}: the tensor {}, {} x {}: {}", quoted_path(shard.path()),
                                         cli::quoted(tensor.name), rows, cols, bad.text));
        m.save(path);
        ++totals.matrices, totals.values += experts * rows * cols, totals.bytes += experts * m.bytes(),
            totals.held += m.bytes_held();
    });
}

/// Copies tensors to a .safetensors file of their own.
void copy_rest(const Checkpoint& from, const std::vector<const CheckpointTensor*>& rest, const std::string& path) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    std::int64_t end = 0;
    for (const CheckpointTensor* one : rest) {
        const std::int64_t begin = end;
        end += one->tensor.end - one->tensor.begin;
        header[one->tensor.name] = {
            {"dtype", one->tensor.dtype}, {"shape", one->tensor.shape}, {"data_offsets", {begin, end}}};
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(text.size() >> (8 * i)));
    OutputFile file(path);
    file.write(0, bytes + text);
    auto at = static_cast<std::int64_t>(8 + text.size());
    constexpr std::int64_t block = std::int64_t{16} << 20;
    for (const CheckpointTensor* one : rest)
        for (std::int64_t next = one->tensor.begin; next < one->tensor.end; next += block) {
            const std::string part = from.shards[one->shard].read(next, std::min(block, one->tensor.end - next));
            file.write(at, part), at += static_cast<std::int64_t>(part.size());
        }
    file.keep();
}

}  // namespace

void build_checkpoint(const std::string& folder, const std::string& output, const std::vector<std::string>& kept,
                      const EffortBuild& how) {
    const Checkpoint checkpoint = open_checkpoint(folder);
    std::vector<const CheckpointTensor*> dialled, rest;
    for (const CheckpointTensor& one : checkpoint.tensors) {
        const bool dials = takes_a_dial(one.tensor, kept);
        if (dials) check_name(checkpoint.shards[one.shard], one.tensor);
        (dials ? dialled : rest).push_back(&one);
    }
    if (dialled.empty())
        refuse("{}: none of its {} tensors is a matrix of F32, F16 or BF16", quoted_path(folder),
               checkpoint.tensors.size());
    FolderBeside beside(output);
    Totals totals;
    {
        ProgressLine progress;
        const int parts = static_cast<int>(dialled.size());
        for (const CheckpointTensor* one : dialled) {
            progress.show(one->tensor.name, 0, totals.matrices, parts);
            convert(checkpoint.shards[one->shard], one->tensor, how, beside.path_of(one->tensor.name + ".effort"),
                    totals);
        }
    }
    copy_rest(checkpoint, rest, beside.path_of(file_of_the_rest));
    checkpoint.check_unchanged();
    beside.keep();
    fmt::print(
        "{}: {} matrices of {} weights; effort 1 reads {:.2f} MB, {:.3f} of their 16-bit size; {:.2f} MB in all; {} "
        "other "
        "tensors in {}\n",
        output, totals.matrices, totals.values, static_cast<double>(totals.bytes) * 1e-6,
        static_cast<double>(totals.bytes) / (2 * static_cast<double>(totals.values)),
        static_cast<double>(totals.held) * 1e-6, rest.size(), file_of_the_rest);
}

}  // namespace tw::cli
