// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// clang's syntax tree as -ast-dump=json writes it: of each node the few facts that judging a dialect takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

struct Node {
    std::string_view id, kind, name, type, storage, cast;
    std::string_view refers_to, refers_to_kind;  ///< of a use: the declaration's id and what it is
    bool is_implicit = false, has_bases = false;
    int line = 0;  ///< of the file that was parsed
    std::size_t last_token = 0, last_token_length = 0;
    std::vector<Node> inner;
};

/// Views into `json`, which must outlive the tree. A node of kind "" when the text is no tree.
Node parse_tree(std::string_view json);

}  // namespace tw::metal_check
