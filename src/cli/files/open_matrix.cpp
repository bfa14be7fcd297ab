// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/open_matrix.hpp"

#include <algorithm>

#include "cli/ending/exit.hpp"
#include "cli/files/quoted.hpp"
#include "cli/files/safetensors_header.hpp"

namespace tw::cli {
namespace {

constexpr std::string_view ending = ".safetensors";

bool is_matrix(const SafeTensor& tensor) { return tensor.type() && tensor.shape.size() <= 2; }

/// The first few names, for a message.
std::string names_of(const std::vector<SafeTensor>& tensors, bool matrices_only) {
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t count = 0;
    for (const SafeTensor& tensor : tensors) {
        if (matrices_only && !is_matrix(tensor)) continue;
        if (count++ < most) text.append(text.empty() ? "" : ", ").append(quoted(tensor.name));
    }
    return count == 0 ? "none" : count > most ? fmt::format("{} and {} more", text, count - most) : text;
}

const SafeTensor& chosen_of(const std::vector<SafeTensor>& tensors, const std::string& path, const std::string& name) {
    if (name.empty()) {
        const auto matrices = std::count_if(tensors.begin(), tensors.end(), is_matrix);
        if (matrices == 0)
            refuse("{}: it has no matrix and no vector of F32, F16, BF16 or F64; its tensors are: {}",
                   quoted_path(path), names_of(tensors, false));
        if (matrices != 1)
            refuse("{}: which tensor? Write FILE:NAME; its matrices and vectors are: {}", quoted_path(path),
                   names_of(tensors, true));
        return *std::find_if(tensors.begin(), tensors.end(), is_matrix);
    }
    const auto has_the_name = [&](const SafeTensor& tensor) { return tensor.name == name; };
    const auto found = std::find_if(tensors.begin(), tensors.end(), has_the_name);
    if (found == tensors.end())
        refuse("{}: it has no tensor {}; it has: {}", quoted_path(path), quoted(name), names_of(tensors, false));
    return *found;
}

MatrixFile open_safetensors(std::string path, const std::string& name, Vector vector) {
    InputFile file(std::move(path), "a .safetensors file");
    const std::vector<SafeTensor> tensors = safetensors_of(file);
    const SafeTensor& tensor = chosen_of(tensors, file.path(), name);
    if (!tensor.type())
        file.refuse_at(tensor.begin, fmt::format("the tensor {} holds {}; tw multiplies F32, F16, BF16 and F64",
                                                 quoted(tensor.name), quoted(tensor.dtype)));
    if (tensor.shape.size() > 2)
        file.refuse_at(tensor.begin, fmt::format("the tensor {} has {} dimensions; a matrix has two",
                                                 quoted(tensor.name), tensor.shape.size()));
    Stored stored{*tensor.type(), 1, 1, true, tensor.begin};
    if (tensor.shape.size() == 2) stored.rows = tensor.shape[0], stored.cols = tensor.shape[1];
    else if (!tensor.shape.empty()) (vector == Vector::row ? stored.cols : stored.rows) = tensor.shape[0];
    return {std::move(file), stored};
}

}  // namespace

std::vector<SafeTensor> safetensors_of(const InputFile& file) {
    try {
        const std::string prefix = file.read(0, std::min(safetensors_prefix_bytes, file.bytes()));
        return parse_safetensors_header(file.read(0, safetensors_header_end(prefix, file.bytes())), file.bytes());
    } catch (const Fault& fault) {
        file.refuse_at(fault.offset(), fault.what());
    }
}

MatrixFile open_matrix(const std::string& word, Vector vector) {
    if (word.ends_with(ending)) return open_safetensors(word, "", vector);
    const std::size_t named = word.find(std::string(ending) + ":");
    if (named == std::string::npos) return NpyFile(word, vector);
    const std::size_t colon = named + ending.size();
    if (colon + 1 == word.size()) refuse("{}: the tensor's name is missing after the colon", quoted_path(word));
    return open_safetensors(word.substr(0, colon), word.substr(colon + 1), vector);
}

}  // namespace tw::cli
