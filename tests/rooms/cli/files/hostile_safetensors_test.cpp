// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Files that were made to break a reader of tensors. Each must end in a sentence that names the file and the byte, exit
// 2, little memory, and the old output as it was.
#include <gtest/gtest.h>

#include "cli/files/safetensors_header.hpp"
#include "rooms/cli/files/hostile_files.hpp"
#include "rooms/cli/files/npy_bytes.hpp"
#include "rooms/cli/files/safetensors_bytes.hpp"

namespace {

using tw::test::Hostile;
using tw::test::safetensors_entry;
using tw::test::safetensors_file;

const std::string data(16, '\0');

std::string good_json() { return "{" + safetensors_entry("w", "F32", "[2,2]", "[0,16]") + "}"; }

std::string good() { return safetensors_file(good_json(), data); }

std::string with(const std::string& json) { return safetensors_file(json, data); }

/// One tensor named w, of which something is odd. Its values begin at bytes 22, 36 and 57 when they have the usual
/// length.
std::string with_entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return with("{" + safetensors_entry("w", dtype, shape, offsets) + "}");
}

std::string with_length(const std::string& eight_bytes) { return eight_bytes + good().substr(8); }

constexpr std::int64_t dtype_at = 14, shape_at = 28, offsets_at = 42;  // of the keys in what good() writes

std::vector<Hostile> beginnings() {
    const std::string four_gib("\0\0\0\0\1\0\0\0", 8), all_ones(8, '\xff'), sign(std::string(7, '\0') + "\x80");
    return {
        {"an empty file", "", 0, "ends within the 8 bytes"},
        {"one byte", "{", 1, "ends within the 8 bytes"},
        {"seven bytes", good().substr(0, 7), 7, "ends within the 8 bytes"},
        {"a length alone", good().substr(0, 8), 0, "but the file has 8"},
        {"a header of no bytes", std::string(8, '\0'), 0, "a header of no bytes"},
        {"a header of no bytes and data", std::string(24, '\0'), 0, "a header of no bytes"},
        {"a header of 4 GiB", with_length(four_gib), 0, "8388608 is the most"},
        {"a header of 2^64 - 1 bytes", with_length(all_ones), 0,
         "header of 18446744073709551615 bytes; 8388608 is the most"},
        {"a header of 2^63 bytes", with_length(sign), 0, "header of 9223372036854775808 bytes"},
        {"a header one byte longer than the limit", with_length(std::string("\1\0\x80\0\0\0\0\0", 8)), 0,
         "8388608 is the most"},
        {"a header longer than the file", with_length(std::string("\xff\0\0\0\0\0\0\0", 8)), 0,
         "up to byte 263, but the file has"},
        {"a header cut short", good().substr(0, 20), 0, "but the file has 20"},
        {"a list for an object", with("[1]"), 8, "not a .safetensors file: its header begins with '['"},
        {"spaces before the object", with(" " + good_json()), 8, "begins with ' '"},
        {"a mark of byte order", with("\xef\xbb\xbf" + good_json()), 8, "begins with '\\xef'"},
        {"an .npy file", tw::test::npy_file<float>("<f4", "(2, 2)", {1, 2, 3, 4}), 0, "is the most that is read"},
        {"a zip archive", std::string("PK\x03\x04", 4) + std::string(60, '\0'), 0, "is the most that is read"},
        {"control codes for a header", with("\x1b[2J"), 8, "'\\x1b'"},
    };
}

std::vector<Hostile> texts() {
    const std::string w = safetensors_entry("w", "F32", "[2,2]", "[0,16]");
    const std::string deep = "{\"w\":" + std::string(100000, '[');
    const std::string deep_objects = [] {
        std::string text = "{\"__metadata__\":";
        for (int i = 0; i < 50000; ++i) text += "{\"a\":";
        return text;
    }();
    return {
        {"an object that never closes", with("{"), 9, "not JSON from here on: the end of the header"},
        {"half an entry", with("{" + w.substr(0, 20)), 29, "not JSON from here on"},
        {"something after the object", with("{" + w + "}x"), 65, "not JSON from here on: 'x'"},
        {"a second object", with("{" + w + "}{}"), 65, "not JSON from here on: '{}'"},
        {"a comma too many", with("{" + w + ",}"), 65, "not JSON from here on: '}'"},
        {"no colon", with("{\"w\" {}}"), 13, "not JSON from here on"},
        {"a name without quotes", with("{w:{}}"), 9, "not JSON from here on: 'w:{}}'"},
        {"a comment", with("{/**/" + w + "}"), 9, "not JSON from here on"},
        {"bytes that are no UTF-8", with("{\"\xff\":{}}"), 10, "not JSON from here on: '\\xff"},
        {"half a UTF-8 letter", with("{\"\xc3\":{}}"), 11, "not JSON from here on"},
        {"a line feed in a name", with("{\"a\nb\":{}}"), 11, "not JSON from here on: '\\x0a"},
        {"half a surrogate in a name", with("{\"\\ud800\":{}}"), 16, "not JSON from here on"},
        {"a zero byte behind the object", with("{" + w + "}" + std::string(1, '\0')), 65, "'\\x00'"},
        {"a hundred thousand brackets", with(deep), 13, "expected a tensor's entry, an object, found '[[[["},
        {"fifty thousand braces", with(deep_objects), 29, "expected a text in the metadata, found '{"},
        {"a number for an entry", with("{\"w\":1}"), 13, "expected a tensor's entry, an object, found '1}'"},
        {"null for an entry", with("{\"w\":null}"), 13, "expected a tensor's entry, an object"},
        {"a text for an entry", with("{\"w\":\"F32\"}"), 13, "expected a tensor's entry, an object"},
        {"a number for the metadata", with("{\"__metadata__\":3}"), 24, "expected the metadata, an object of texts"},
        {"a list in the metadata", with("{\"__metadata__\":{\"a\":[]}}"), 29, "expected a text in the metadata"},
        {"metadata twice", with("{\"__metadata__\":{},\"__metadata__\":{}}"), 27, "'__metadata__' comes twice"},
        {"a name twice", with("{" + w + "," + w + "}"), 65, "the name 'w' comes twice"},
        {"a name twice, once with an escape",
         with("{" + w + "," + safetensors_entry("\\u0077", "F32", "[2,2]", "[0,16]") + "}"), 65,
         "the name 'w' comes twice"},
        {"an entry without fields", with("{\"w\":{}}"), 14, "the entry of 'w' lacks dtype"},
        {"no shape", with("{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,16]}}"), 49, "the entry of 'w' lacks shape"},
        {"no data_offsets", with("{\"w\":{\"dtype\":\"F32\",\"shape\":[2,2]}}"), 41,
         "the entry of 'w' lacks data_offsets"},
        {"dtype twice", with("{\"w\":{\"dtype\":\"F32\",\"dtype\":\"F16\"}}"), 28,
         "'dtype' comes twice in the entry of 'w'"},
        {"an unknown field", with("{\"w\":{\"dtype\":\"F32\",\"strides\":[1]}}"), 28, "the field 'strides' is unknown"},
        {"a name that clears the screen", with("{\"\\u001b[2J\":{}}"), 22, "the entry of '\\x1b[2J' lacks dtype"},
    };
}

std::vector<Hostile> values() {
    return {
        {"an unknown type", with_entry("F33", "[2,2]", "[0,16]"), dtype_at,
         "the type 'F33' of 'w' is not one of the format's"},
        {"a type in lower case", with_entry("f32", "[2,2]", "[0,16]"), dtype_at, "the type 'f32'"},
        {"a type without letters", with_entry("", "[2,2]", "[0,16]"), dtype_at, "the type ''"},
        {"a number for a type", with("{\"w\":{\"dtype\":4}}"), 22,
         "expected the type of the elements in quotes, found '4}}'"},
        {"a number for a shape", with_entry("F32", "4", "[0,16]"), 36,
         "expected the shape, a list of dimensions, found '4,"},
        {"a list within the shape", with_entry("F32", "[[2,2]]", "[0,16]"), 37, "expected a dimension, a whole number"},
        {"a negative dimension", with_entry("F32", "[-2,2]", "[0,16]"), 37,
         "expected a dimension, a whole number from 0 on, found '-2,2]"},
        {"a fraction for a dimension", with_entry("F32", "[2.0,2]", "[0,16]"), 37, "found '2.0,2]"},
        {"an exponent in a dimension", with_entry("F32", "[4,1e0]", "[0,16]"), 39, "found '1e0]"},
        {"a text for a dimension", with_entry("F32", "[2,\"2\"]", "[0,16]"), 39, "found '\"2\"]"},
        {"null for a dimension", with_entry("F32", "[2,null]", "[0,16]"), 39, "found 'null]"},
        {"a dimension of 2^63", with_entry("F32", "[9223372036854775808]", "[0,16]"), 37, "does not fit into 63 bits"},
        {"a dimension of 30 digits", with_entry("F32", "[111111111111111111111111111111]", "[0,16]"), 37,
         "a whole number from 0 on"},
        // A product that wraps round to 0 or to 16 must not pass for the size of the data.
        {"2^32 x 2^32 elements", with_entry("F32", "[4294967296,4294967296]", "[0,16]"), shape_at, "beyond any file"},
        {"2^62 x 4 elements plus 4", with_entry("F32", "[4611686018427387905,4]", "[0,16]"), shape_at,
         "beyond any file"},
        {"an overflow that a zero hides", with_entry("F32", "[4294967296,4294967296,0]", "[0,16]"), shape_at,
         "beyond any file"},
        {"bits that overflow and bytes that don't", with_entry("F64", "[288230376151711744]", "[0,16]"), shape_at,
         "beyond any file"},
        {"half a byte", with_entry("F4", "[3]", "[0,1]"), shape_at - 1, "end within a byte"},
        {"a number for data_offsets", with_entry("F32", "[2,2]", "16"), 57,
         "expected data_offsets, a list of two numbers"},
        {"no data_offsets in the list", with_entry("F32", "[2,2]", "[]"), offsets_at, "are 0 numbers"},
        {"one of them", with_entry("F32", "[2,2]", "[16]"), offsets_at, "are 1 numbers"},
        {"three of them", with_entry("F32", "[2,2]", "[0,16,32]"), offsets_at, "are 3 numbers"},
        {"a negative beginning", with_entry("F32", "[2,2]", "[-16,0]"), 58, "a whole number from 0 on, found '-16,0]"},
        {"an end before the beginning", with_entry("F32", "[2,2]", "[16,0]"), offsets_at,
         "ends at byte 0 of the data, before it begins at 16"},
        {"an end of 2^63 - 1", with_entry("U8", "[9223372036854775807]", "[0,9223372036854775807]"), shape_at - 1,
         "beyond any file"},
        {"an end of 2^64 - 1", with_entry("F32", "[2,2]", "[0,18446744073709551615]"), 60, "does not fit into 63 bits"},
        {"fewer bytes than the shape needs", with_entry("F32", "[2,2]", "[0,12]"), offsets_at,
         "has 12 bytes between its data_offsets"},
        {"more bytes than the shape needs", with_entry("F16", "[2,2]", "[0,16]"), offsets_at,
         "has 16 bytes between its data_offsets"},
        {"beyond the end of the file", with_entry("F32", "[4,2]", "[0,32]"), 81,
         "the file ends here, at byte 16 of the data"},
        {"a terabyte promised by 96 bytes", with_entry("F32", "[524288,524288]", "[0,1099511627776]"), 102,
         "but 'w' ends at 1099511627776"},
    };
}

std::vector<Hostile> covers() {
    const auto two = [](const char* first, const char* second) {
        return "{" + safetensors_entry("a", "U8", "[8]", first) + "," + safetensors_entry("b", "U8", "[8]", second) +
               "}";
    };
    return {
        {"one tensor twice in the same place", with(two("[0,8]", "[0,8]")), 91,
         "'b' begins at byte 0 of the data, within 'a'"},
        {"two that overlap", with(two("[0,8]", "[7,15]")), 91,
         "'b' begins at byte 7 of the data, within 'a', which ends at 8"},
        {"two that overlap, the later one first", with(two("[7,15]", "[0,8]")), 39,
         "'a' begins at byte 7 of the data, within 'b'"},
        {"a hole between two", with(two("[0,8]", "[9,17]")) + "x", 91,
         "1 bytes of the data before 'b' belong to no tensor"},
        {"a hole before the first", with("{" + safetensors_entry("w", "U8", "[8]", "[8,16]") + "}"), 39,
         "8 bytes of the data before 'w'"},
        {"one byte too few", good().substr(0, good().size() - 1), 80, "the file ends here, at byte 15 of the data"},
        {"no data at all", good().substr(0, good().size() - 16), 65, "the file ends here, at byte 0 of the data"},
        {"one byte too many", good() + "x", 81, "1 more bytes follow"},
        {"a second file behind the first", good() + good(), 81, "81 more bytes follow"},
        {"data without a tensor", with("{}"), 10, "16 more bytes follow"},
        {"an empty tensor within another",
         with("{" + safetensors_entry("a", "U8", "[16]", "[0,16]") + "," +
              safetensors_entry("b", "U8", "[0]", "[4,4]") + "}"),
         93, "'b' begins at byte 4 of the data, within 'a'"},
    };
}

std::vector<Hostile> all_hostile() { return tw::test::together({beginnings(), texts(), values(), covers()}); }

/// What the parser alone says, as the command asks it.
std::vector<tw::cli::SafeTensor> parse(const std::string& bytes) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    const std::string_view prefix = std::string_view(bytes).substr(0, tw::cli::safetensors_prefix_bytes);
    const std::int64_t end = tw::cli::safetensors_header_end(prefix, size);
    return tw::cli::parse_safetensors_header(std::string_view(bytes).substr(0, static_cast<std::size_t>(end)), size);
}

TEST(HostileSafetensors, ThereAreAtLeastFortyOfThem) { tw::test::expect_so_many(all_hostile(), 40); }

TEST(HostileSafetensors, TheParserNamesTheByte) {
    EXPECT_EQ(parse(good()).front().begin, 65);
    tw::test::expect_faults(all_hostile(), parse);
}

TEST(HostileSafetensors, Fault10_TheCommandRefusesWithASentenceAndLeavesTheOldOutput) {
    const tw::test::Folder folder;
    const std::string fine = folder.path("fine.npy"), bad = folder.path("bad.safetensors"),
                      output = folder.path("c.npy");
    tw::test::write_file(fine, tw::test::npy_file<float>("<f4", "(2, 2)", {1, 2, 3, 4}));
    tw::test::write_file(output, "the old output");
    for (const Hostile& hostile : all_hostile()) {
        SCOPED_TRACE(hostile.name);
        tw::test::write_file(bad, hostile.bytes);
        tw::test::expect_refused(tw::test::run_tw({"multiply", bad, fine, "-o", output}), bad, hostile);
    }
    EXPECT_EQ(tw::test::read_file(output), "the old output");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"bad.safetensors", "c.npy", "fine.npy"}));
}

}  // namespace
