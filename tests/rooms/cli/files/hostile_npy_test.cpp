// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Files that were made to break a reader. Each must end in a sentence that names the file and the byte, exit 2, little
// memory, and the old output as it was.
#include <gtest/gtest.h>

#include "cli/files/npy_header.hpp"
#include "rooms/cli/files/hostile_files.hpp"
#include "rooms/cli/files/npy_bytes.hpp"

namespace {

using tw::test::Hostile;
using tw::test::npy_dictionary;
using tw::test::npy_header;
using tw::test::npy_padded;

std::string good() { return tw::test::npy_file<float>("<f4", "(2, 2)", {1, 2, 3, 4}); }

std::string with_dictionary(const std::string& text) { return npy_padded(1, text) + std::string(16, '\0'); }

std::string with_shape(const std::string& shape) { return with_dictionary(npy_dictionary("<f4", false, shape)); }

std::string with_type(const std::string& descr) { return with_dictionary(npy_dictionary(descr, false, "(2, 2)")); }

std::string with_byte(std::size_t at, unsigned char value) {
    std::string bytes = good();
    bytes[at] = static_cast<char>(value);
    return bytes;
}

constexpr std::int64_t descr_at = 20, order_at = 44, shape_at = 60;  // in what npy_dictionary("<f4", false, ..) writes

std::vector<Hostile> beginnings() {
    return {
        {"an empty file", "", 0, "ends within the first 8 bytes"},
        {"one byte", "\x93", 1, "ends within the first 8 bytes"},
        {"the magic alone", "\x93NUMPY", 6, "ends within the first 8 bytes"},
        {"no version", "\x93NUMPY\x01", 7, "ends within the first 8 bytes"},
        {"no length", std::string("\x93NUMPY\x01\0", 8), 8, "ends within the length of its header"},
        {"half a length", std::string("\x93NUMPY\x01\0\x10", 9), 9, "ends within the length of its header"},
        {"half a long length", std::string("\x93NUMPY\x02\0\x10\0", 10), 10, "ends within the length of its header"},
        {"text", "1 2 3\n4 5 6\n", 0, "not an .npy file"},
        {"text of one byte", "x", 0, "not an .npy file"},
        {"an .npz archive", std::string("PK\x03\x04", 4) + std::string(60, '\0'), 0, "zip archive"},
        {"the magic in lower case", with_byte(1, 'n'), 1, "not an .npy file"},
        {"a wrong last letter of the magic", with_byte(5, 'Z'), 5, "not an .npy file"},
        {"nothing but zeros", std::string(4096, '\0'), 0, "not an .npy file"},
        {"terminal control codes for a magic", "\x1b[2J\x1b[1;1H", 0, "'\\x1b[2J\\x1b['"},
        {"version 0", with_byte(6, 0), 6, "version is 0.0"},
        {"version 4", with_byte(6, 4), 6, "version is 4.0"},
        {"version 255", with_byte(6, 255), 6, "version is 255.0"},
        {"version 1.1", with_byte(7, 1), 6, "version is 1.1"},
        // A reader that believes 16 bits of length reads 64 KiB past a file of 77 bytes.
        {"77 bytes that claim a header of 65535", good().substr(0, 8) + "\xff\xff" + good().substr(10, 67), 8,
         "claims a header of 65535 bytes, up to byte 65545, but the file has 77"},
        // A reader that believes 32 bits of length allocates 4.3 GB for a file of 12 bytes.
        {"12 bytes that claim a header of 4 GiB", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12), 8,
         "claims a header of 4294967295 bytes; 65536 is the most"},
        {"a header of 2 GiB in version 3", std::string("\x93NUMPY\x03\0\xff\xff\xff\x7f", 12), 8, "65536 is the most"},
        {"a header of 65537 bytes that is there", npy_header(2, std::string(65537, ' ')), 8, "65536 is the most"},
        {"a header one byte too long for the file", good().substr(0, 127), 8, "up to byte 128, but the file has 127"},
    };
}

std::vector<Hostile> texts() {
    const std::string keys = "'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)";
    return {
        {"a header of no bytes", npy_header(1, ""), 10, "expected '{'"},
        {"a header of spaces", npy_header(1, std::string(118, ' ')), 128, "expected '{'"},
        {"a list for a dictionary", with_dictionary("['<f4', False, (2, 2)]"), 10, "expected '{'"},
        {"an empty dictionary", with_dictionary("{}"), 12, "lacks the key 'descr'"},
        {"no closing brace", with_dictionary("{" + keys), 128, "expected ',' or '}'"},
        {"nothing after a comma", with_dictionary("{" + keys + ","), 128, "expected a key in quotes"},
        {"a call for a dictionary", with_dictionary("{" + keys + "}.pop('descr')"), 67,
         "follows the header's closing brace"},
        {"an import after the dictionary", with_dictionary("{" + keys + "}\n__import__('os')"), 68,
         "follows the header"},
        {"a zero byte after the dictionary",
         npy_header(1, "{" + keys + "}" + std::string(1, '\0')) + std::string(16, '\0'), 67, "'\\x00'"},
        {"no descr", with_dictionary("{'fortran_order': False, 'shape': (2, 2)}"), 51, "lacks the key 'descr'"},
        {"no fortran_order", with_dictionary("{'descr': '<f4', 'shape': (2, 2)}"), 43, "lacks the key 'fortran_order'"},
        {"no shape", with_dictionary("{'descr': '<f4', 'fortran_order': False}"), 50, "lacks the key 'shape'"},
        {"descr twice", with_dictionary("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}"),
         27, "'descr' comes twice"},
        {"shape twice", with_dictionary("{" + keys + ", 'shape': (9, 9)}"), 68, "'shape' comes twice"},
        {"an unknown key", with_dictionary("{" + keys + ", 'exec': 'rm'}"), 68, "'exec' is unknown"},
        {"a key in capitals", with_dictionary("{'Descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}"), 11,
         "unknown"},
        {"a key without quotes", with_dictionary("{descr: '<f4', 'fortran_order': False, 'shape': (2, 2)}"), 11,
         "in quotes"},
        {"a key that never closes", with_dictionary("{'descr"), 11, "no closing quote"},
        {"no colon", with_dictionary("{'descr' '<f4', 'fortran_order': False, 'shape': (2, 2)}"), 19, "expected ':'"},
        {"no comma", with_dictionary("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 2)}"), 26,
         "expected ',' or '}'"},
        {"two commas", with_dictionary("{'descr': '<f4',, 'fortran_order': False, 'shape': (2, 2)}"), 26,
         "expected a key"},
        {"an escape in a key", with_dictionary("{'de\\x73cr': '<f4', 'fortran_order': False, 'shape': (2, 2)}"), 11,
         "backslash"},
        {"order as a number", with_dictionary("{'descr': '<f4', 'fortran_order': 1, 'shape': (2, 2)}"), order_at,
         "True or False"},
        {"order in lower case", with_dictionary("{'descr': '<f4', 'fortran_order': false, 'shape': (2, 2)}"), order_at,
         "True or False"},
        {"order with a tail", with_dictionary("{'descr': '<f4', 'fortran_order': Falsey, 'shape': (2, 2)}"), 49,
         "expected ',' or '}'"},
    };
}

std::vector<Hostile> types() {
    return {
        {"an empty type", with_type(""), descr_at, "of type ''"},
        {"a type of one letter", with_type("<"), descr_at, "of type '<'"},
        {"a type without a size", with_type("<f"), descr_at, "of type '<f'"},
        {"a type of a huge size", with_type("<f99999999999999999999"), descr_at, "of type '<f9999"},
        {"a type of size zero", with_type("<f0"), descr_at, "of type '<f0'"},
        {"Python objects", with_type("|O"), descr_at, "Python objects"},
        {"Python objects without a bar", with_type("O"), descr_at, "Python objects"},
        {"big-endian floats", with_type(">f4"), descr_at, "big-endian"},
        {"big-endian doubles", with_type(">f8"), descr_at, "big-endian"},
        {"whole numbers", with_type("<i4"), descr_at, "of type '<i4'"},
        {"bytes", with_type("|i1"), descr_at, "of type '|i1'"},
        {"truth values", with_type("|b1"), descr_at, "of type '|b1'"},
        {"extended complex numbers", with_type("<c32"), descr_at, "of type '<c32'"},
        {"big-endian complex numbers", with_type(">c8"), descr_at, "big-endian"},
        {"characters", with_type("<U16"), descr_at, "of type '<U16'"},
        {"raw bytes of three", with_type("|V3"), descr_at, "of type '|V3'"},
        {"extended doubles", with_type("<f16"), descr_at, "of type '<f16'"},
        {"records", with_dictionary("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (4,)}"), descr_at,
         "records"},
        {"a type that is a number", with_dictionary("{'descr': 4, 'fortran_order': False, 'shape': (2, 2)}"), descr_at,
         "in quotes"},
        {"a type that is None", with_dictionary("{'descr': None, 'fortran_order': False, 'shape': (4,)}"), descr_at,
         "in quotes"},
        {"a type with control codes", with_type("\x1b]0;x\x07"), descr_at, "'\\x1b]0;x\\x07'"},
        {"a type of 200 letters", with_type(std::string(200, 'f')), descr_at, "ffff...'"},
    };
}

std::vector<Hostile> shapes() {
    return {
        {"a shape that is a number", with_shape("4"), shape_at, "the shape is a tuple"},
        {"a shape that is a list", with_shape("[2, 2]"), shape_at, "the shape is a tuple"},
        {"a number in parentheses", with_shape("(4)"), 62, "ends with a comma"},
        {"a negative dimension", with_shape("(-1, 4)"), 61, "expected a dimension"},
        {"a negative second dimension", with_shape("(4, -1)"), 64, "expected a dimension"},
        {"a fraction for a dimension", with_shape("(2.0, 2)"), 62, "expected ',' or ')'"},
        {"a dimension in hexadecimal", with_shape("(0x2, 2)"), 62, "expected ',' or ')'"},
        {"a dimension with a leading zero", with_shape("(02, 2)"), 61, "begins with a zero"},
        {"a dimension of 30 digits", with_shape("(111111111111111111111111111111, 2)"), 61, "does not fit"},
        {"a dimension of 2^63", with_shape("(9223372036854775808, 1)"), 61, "does not fit"},
        {"three dimensions", with_shape("(1, 2, 2)"), 67, "more than two dimensions"},
        {"a shape that never closes", npy_header(1, npy_dictionary("<f4", false, "(2, 2").substr(0, 59)), 67,
         "expected a dimension"},
        {"a comma alone", with_shape("(,)"), 61, "expected a dimension"},
        {"a name for a dimension", with_shape("(n, 2)"), 61, "expected a dimension"},
        // A product that wraps round to 0 or to 4 must not pass for the size of the file.
        {"2^32 x 2^32 elements", with_shape("(4294967296, 4294967296)"), shape_at, "beyond any file"},
        {"2^62 x 4 elements plus 4", with_shape("(4611686018427387905, 4)"), shape_at, "beyond any file"},
        {"2^63 - 1 elements", with_shape("(9223372036854775807, 1)"), shape_at, "beyond any file"},
        {"2^61 elements, bytes that wrap", with_shape("(2305843009213693952, 1)"), shape_at, "beyond any file"},
        {"a terabyte promised by 144 bytes", with_shape("(524288, 524288)"), 144,
         "promises 524288 x 524288 f32 elements"},
        {"one element too few", good().substr(0, 140), 140, "the file ends here"},
        {"one byte too few", good().substr(0, 143), 143, "the file ends here"},
        {"no elements at all", good().substr(0, 128), 128, "the file ends here"},
        {"one byte too many", good() + "x", 144, "1 more bytes follow"},
        {"a second file behind the first", good() + good(), 144, "144 more bytes follow"},
        {"an empty shape with elements", with_shape("(0, 5)"), 128, "16 more bytes follow"},
        {"a header without a shape's end in version 2", npy_padded(2, npy_dictionary("<f4", false, "(2, 2")), 69,
         "expected a dimension"},
    };
}

std::vector<Hostile> all_hostile() { return tw::test::together({beginnings(), texts(), types(), shapes()}); }

/// What the parser alone says, as NpyFile asks it.
tw::cli::NpyHeader parse(const std::string& bytes) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    const std::int64_t end =
        tw::cli::npy_header_end(std::string_view(bytes).substr(0, tw::cli::npy_prefix_bytes), size);
    return tw::cli::parse_npy_header(std::string_view(bytes).substr(0, static_cast<std::size_t>(end)), size);
}

TEST(HostileNpy, ThereAreAtLeastSixtyOfThem) { tw::test::expect_so_many(all_hostile(), 60); }

TEST(HostileNpy, TheParserNamesTheByte) {
    EXPECT_EQ(parse(good()).data_offset, 128);
    tw::test::expect_faults(all_hostile(), parse);
}

TEST(HostileNpy, Fault10_TheCommandRefusesWithASentenceAndLeavesTheOldOutput) {
    const tw::test::Folder folder;
    const std::string fine = folder.path("fine.npy"), bad = folder.path("bad.npy"), output = folder.path("c.npy");
    tw::test::write_file(fine, good());
    tw::test::write_file(output, "the old output");
    bool by_turns = false;
    for (const Hostile& hostile : all_hostile()) {
        SCOPED_TRACE(hostile.name);
        tw::test::write_file(bad, hostile.bytes);
        by_turns = !by_turns;
        for (const bool first : {true, false}) {
            // Under a sanitizer a process takes a fifth of a second: there each file is read in one of the two ways.
            if (tw::test::is_sanitized && first != by_turns) continue;
            const auto ran = first ? tw::test::run_tw({"multiply", bad, fine, "-o", output})
                                   : tw::test::run_tw({"multiply", fine, fine, "--c", bad, "-o", output});
            tw::test::expect_refused(ran, bad, hostile);
        }
    }
    EXPECT_EQ(tw::test::read_file(output), "the old output");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"bad.npy", "c.npy", "fine.npy"}));
}

}  // namespace
