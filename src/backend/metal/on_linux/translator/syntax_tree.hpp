// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// clang's syntax tree from -ast-dump=json, with the few fields of each node that the dialect check needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

struct Node {
    std::string_view id, kind, name, type, storage, cast;
    std::string_view refers_to, refers_to_kind;  ///< for a use: the declaration's id and kind
    bool is_implicit = false, has_bases = false;
    int line = 0;  ///< of the file that was parsed
    std::size_t last_token = 0, last_token_length = 0;
    std::vector<Node> inner;
};

/// The tree has views into `json`, which must outlive it. A node of kind "" if the text is not a tree.
Node parse_tree(std::string_view json);

}  // namespace tw::metal_check
