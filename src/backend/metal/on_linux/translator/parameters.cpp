// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/parameters.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace tw::metal_check {
namespace {

constexpr unsigned most_buffers = 31;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The size of the smallest scalar in a type; 2 bytes for unknown types.
unsigned granule_of(std::string_view type) {
    std::string base(type);
    for (const char* word :
         {"const", "volatile", "__global", "__constant", "constant", "__local", "*", "&", " ", "metal::"})
        for (std::size_t at; (at = base.find(word)) != std::string::npos;)
            base.erase(at, std::string_view(word).size());
    while (!base.empty() && base.back() >= '2' && base.back() <= '4') base.pop_back();
    for (const char* name : {"char", "uchar", "bool", "int8_t", "uint8_t"})
        if (base == name) return 1;
    for (const char* name : {"float", "int", "uint", "long", "ulong", "size_t", "int32_t", "uint32_t"})
        if (base == name) return 4;
    return base.starts_with("__msl_atomic") ? 4 : 2;
}

}  // namespace

void Parameters::add(const std::vector<Token>& words, const std::vector<Attribute>& attributes) {
    Parameter p;
    p.name = words.back().text;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (i > 0 && words[i].is_word() && words[i - 1].is_word()) p.type += ' ';
        p.type += words[i].text;
    }
    const Token& at = words.back();
    const std::string what = "kernel " + kernel_.name + ": parameter '" + p.name + "'";
    const bool points = p.type.ends_with('*') || p.type.ends_with('&');
    p.constant = words[0].text == "constant" || contains(p.type, "__constant") || contains(p.type, "constant ");
    p.read_only = p.constant || contains(p.type, "const");
    p.granule = granule_of(p.type);
    if (attributes.size() > 1) refuse(at, what + " has more than one attribute");
    const Attribute attribute = attributes.empty() ? Attribute{} : attributes[0];
    if (attribute.name.empty() || attribute.name == "buffer") {
        p.index = attribute.index >= 0 ? static_cast<unsigned>(attribute.index) : next_buffer_;
        next_buffer_ = p.index + 1;
        if (!points)
            refuse(at, what +
                           " is passed by value: it needs an attribute such as [[thread_position_in_grid]], or to "
                           "be a constant reference");
        else if (!contains(p.type, "__global") && !p.constant)
            refuse(at, what + " must be a pointer or reference to device or constant memory");
        if (p.index >= most_buffers) refuse(at, what + ": there are 31 buffers, numbered 0 to 30");
    } else if (attribute.name == "__local") {  // [[threadgroup(n)]], after the preprocessor
        p.binding = Binding::threadgroup;
        p.index = static_cast<unsigned>(std::max(attribute.index, 0L));
        if (!points || !contains(p.type, "__local")) refuse(at, what + " must be a pointer to threadgroup memory");
        if (p.index >= 8) refuse(at, what + ": threadgroup memory has indices 0 to 7 here");
    } else {
        const auto known = std::find(std::begin(built_ins), std::end(built_ins), attribute.name);
        p.binding = Binding::built_in;
        p.index = static_cast<unsigned>(known - std::begin(built_ins));
        if (known == std::end(built_ins))
            refuse(*attribute.at, what + " has the attribute [[" + std::string(attribute.name) +
                                      "]], which compute kernels do not have");
        else check_built_in(at, what, p);
    }
    if (p.binding != Binding::built_in && !taken_.insert({static_cast<int>(p.binding), p.index}).second)
        refuse(at, what + " takes index " + std::to_string(p.index) + ", which another parameter has");
    kernel_.parameters.push_back(std::move(p));
}

void Parameters::check_built_in(const Token& at, const std::string& what, const Parameter& p) {
    static constexpr std::array vectors{"uint", "uint2", "uint3", "ushort", "ushort2", "ushort3"};
    const bool scalar_only = p.index >= 6 && p.index <= 10;
    const std::string_view type = p.type;
    const bool fits = std::find(vectors.begin(), vectors.end(), type) != vectors.end() &&
                      !(scalar_only && (type.ends_with('2') || type.ends_with('3')));
    if (!fits)
        refuse(at, what + " is a " + p.type + ": [[" + built_ins[p.index] + "]] is a uint or ushort" +
                       (scalar_only ? "" : ", or a vector of 2 or 3 of them"));
}

}  // namespace tw::metal_check
