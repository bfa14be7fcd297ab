// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw multiply from files to a file: types, orders, versions, vectors, alpha and beta, and what it refuses. Small whole
// numbers, so that every result is exact.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "base/rounding.hpp"
#include "rooms/cli/files/npy_bytes.hpp"
#include "rooms/cli/run_tw.hpp"

namespace {

using tw::test::Folder;
using tw::test::Ran;
using tw::test::read_file;
using tw::test::run_tw;
using tw::test::write_file;

class MultiplyVerb : public testing::Test {
protected:
    Folder folder;
    const std::string a = folder.path("a.npy"), b = folder.path("b.npy"), c0 = folder.path("c0.npy"),
                      c = folder.path("c.npy");

    Ran multiply(std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"multiply", a, b, "-o", c};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_tw(arguments);
    }

    /// A = 2 x 3, B = 3 x 2, A B = {58, 64, 139, 154}.
    void write_small() const {
        write_file(a, tw::test::npy_file<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6}));
        write_file(b, tw::test::npy_file<float>("<f4", "(3, 2)", {7, 8, 9, 10, 11, 12}));
    }

    void expect_small(const Ran& ran, const std::vector<float>& expected = {58, 64, 139, 154}) const {
        EXPECT_EQ(ran.code, 0) << ran.error;
        EXPECT_EQ(ran.error, "");
        EXPECT_EQ(read_file(c), tw::test::npy_file<float>("<f4", "(2, 2)", expected));
    }

    void expect_refused(const Ran& ran, const std::string& sentence) const {
        EXPECT_EQ(ran.code, 2) << sentence;
        EXPECT_NE(ran.error.find(sentence), std::string::npos) << ran.error;
        EXPECT_EQ(read_file(c), "old") << sentence;
    }
};

TEST_F(MultiplyVerb, WritesWhatNumPyWouldWrite) {
    write_small();
    expect_small(multiply());
}

TEST_F(MultiplyVerb, MultipliesComplexFiles) {
    using C = std::complex<double>;
    const std::vector<C> x{{1, 2}, {3, -1}}, y{{2, 1}, {0, 1}};
    write_file(a, tw::test::npy_file<C>("<c16", "(1, 2)", x));
    write_file(b, tw::test::npy_file<C>("<c16", "(2, 1)", y));
    const auto expect = [&](const std::vector<std::string>& more, C wanted) {
        const Ran ran = multiply(more);
        EXPECT_EQ(ran.code, 0) << ran.error;
        EXPECT_NE(ran.out.find("1 x 1 c128"), std::string::npos) << ran.out;
        EXPECT_EQ(read_file(c), tw::test::npy_file<C>("<c16", "(1, 1)", {wanted})) << ran.out;
    };
    expect({}, x[0] * y[0] + x[1] * y[1]);
    const C conjugate = std::conj(x[0]) * y[0] + std::conj(x[1]) * y[1];
    expect({"--conjugate-a"}, conjugate);
    expect({"--conjugate-a", "--alpha", "1-2i"}, C(1, -2) * conjugate);
    expect({"--conjugate-a", "--alpha", "-i"}, C(0, -1) * conjugate);
    expect({"--conjugate-a", "--alpha", "2.5e+1j"}, C(0, 25) * conjugate);
    write_file(c0, tw::test::npy_file<C>("<c16", "(1, 1)", {{1, 1}}));
    expect({"--conjugate-a", "--c", c0, "--beta", "0+1i"}, conjugate + C(0, 1) * C(1, 1));
}

TEST_F(MultiplyVerb, RefusesWhatComplexFilesHaveNot) {
    write_small();
    write_file(c, "old");
    expect_refused(multiply({"--alpha", "1+1i"}), "alpha and beta of real operands are real");
    expect_refused(multiply({"--alpha", "1+i+"}), "--alpha takes a number");
    write_file(b, tw::test::npy_file<std::complex<float>>("<c8", "(3, 2)", std::vector<std::complex<float>>(6)));
    expect_refused(multiply(), "holds f32 and");
    write_file(a, tw::test::npy_file<std::complex<float>>("<c8", "(2, 3)", std::vector<std::complex<float>>(6)));
    expect_refused(multiply({"--verify"}), "complex products are not verified");
}

TEST_F(MultiplyVerb, SaysWhatItDid) {
    write_small();
    const Ran ran = multiply({"--verify"});
    EXPECT_EQ(ran.out.rfind("'" + c + "': 2 x 2 f32, ", 0), 0u) << ran.out;
    EXPECT_NE(ran.out.find("cpu.r"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find(", verified\n"), std::string::npos) << ran.out;
    EXPECT_EQ(multiply({"--no-verify"}).out.find("verified"), std::string::npos);
}

TEST_F(MultiplyVerb, ReadsEveryVersionAndBothOrders) {
    write_small();
    const std::string elements = tw::test::bytes_of<float>({1, 2, 3, 4, 5, 6});
    const std::string by_columns = tw::test::bytes_of<float>({1, 4, 2, 5, 3, 6});
    for (const int version : {1, 2, 3}) {
        write_file(a, tw::test::npy_padded(version, tw::test::npy_dictionary("<f4", false, "(2, 3)")) + elements);
        expect_small(multiply());
        write_file(a, tw::test::npy_padded(version, tw::test::npy_dictionary("<f4", true, "(2, 3)")) + by_columns);
        expect_small(multiply());
    }
}

TEST_F(MultiplyVerb, ReadsHeadersAsOthersWriteThem) {
    write_small();
    const std::string elements = tw::test::bytes_of<float>({1, 2, 3, 4, 5, 6});
    for (const char* text : {
             "{\"shape\": (2, 3), \"fortran_order\": False, \"descr\": \"<f4\"}",          // other quotes, other order
             "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",                        // no spaces
             "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }          \n",  // Python 2
             "  {\t'descr' : '<f4' ,\r\n'fortran_order' : False , 'shape' : ( 2 , 3 , ) , } \n\n",
         }) {
        write_file(a, tw::test::npy_header(1, text) + elements);  // unaligned elements, too
        expect_small(multiply());
    }
    write_file(a, tw::test::npy_padded(2, tw::test::npy_dictionary("<f4", false, "(2, 3)") + std::string(60000, ' ')) +
                      elements);
    expect_small(multiply());
}

TEST_F(MultiplyVerb, TransposesAndAdds) {
    write_file(a, tw::test::npy_file<float>("<f4", "(3, 2)", {1, 4, 2, 5, 3, 6}));
    write_file(b, tw::test::npy_file<float>("<f4", "(2, 3)", {7, 9, 11, 8, 10, 12}));
    write_file(c0, tw::test::npy_file<float>("<f4", "(2, 2)", {1, 2, 3, 4}));
    expect_small(multiply({"--transpose-a", "--transpose-b"}));
    expect_small(multiply({"--transpose-a", "--transpose-b", "--c", c0}), {59, 66, 142, 158});
    expect_small(multiply({"--transpose-a", "--transpose-b", "--c", c0, "--alpha", "2", "--beta", "-10"}),
                 {106, 108, 248, 268});
    expect_small(multiply({"--transpose-a", "--transpose-b", "--c", c0, "--alpha", "0"}), {1, 2, 3, 4});
    expect_small(multiply({"--transpose-a", "--transpose-b", "--alpha", "-1"}), {-58, -64, -139, -154});
    expect_small(multiply({"--transpose-a", "--transpose-b", "--c", c0, "--slabs", "2"}), {59, 66, 142, 158});
    write_file(c0, tw::test::npy_padded(1, tw::test::npy_dictionary("<f4", true, "(2, 2)")) +
                       tw::test::bytes_of<float>({1, 3, 2, 4}));
    expect_small(multiply({"--transpose-a", "--transpose-b", "--c", c0}), {59, 66, 142, 158});
}

TEST_F(MultiplyVerb, TakesTheOtherTypes) {
    write_file(a, tw::test::npy_file<double>("<f8", "(1, 2)", {1e300, 3}));
    write_file(b, tw::test::npy_file<double>("<f8", "(2, 1)", {1e-300, 4}));
    ASSERT_EQ(multiply().code, 0);
    EXPECT_EQ(tw::test::elements_of<double>(read_file(c))[0], 1e300 * 1e-300 + 12);

    const auto half = [](float x) { return tw::to_float16(x).bits; };
    write_file(a, tw::test::npy_file<std::uint16_t>("<f2", "(2, 2)", {half(1), half(2), half(3), half(0.5f)}));
    write_file(b, tw::test::npy_file<std::uint16_t>("<f2", "(2, 1)", {half(10), half(-4)}));
    ASSERT_EQ(multiply().code, 0);
    EXPECT_EQ(read_file(c), tw::test::npy_file<std::uint16_t>("<f2", "(2, 1)", {half(2), half(28)}));

    const auto brain = [](float x) { return tw::to_bfloat16(x).bits; };
    for (const char* descr : {"<V2", "|V2"}) {
        write_file(a, tw::test::npy_file<std::uint16_t>(descr, "(2, 2)", {brain(1), brain(2), brain(3), brain(0.5f)}));
        write_file(b, tw::test::npy_file<std::uint16_t>(descr, "(2, 1)", {brain(10), brain(-4)}));
        write_file(c0, tw::test::npy_file<std::uint16_t>("<V2", "(2, 1)", {brain(100), brain(200)}));
        ASSERT_EQ(multiply({"--c", c0, "--beta", "2"}).code, 0);
        EXPECT_EQ(read_file(c), tw::test::npy_file<std::uint16_t>("<V2", "(2, 1)", {brain(202), brain(428)}));
    }
}

TEST_F(MultiplyVerb, ReadsVectorsAsNumPyMultipliesThem) {
    write_file(a, tw::test::npy_file<float>("<f4", "(3,)", {1, 2, 3}));
    write_file(b, tw::test::npy_file<float>("<f4", "(3,)", {4, 5, 6}));
    ASSERT_EQ(multiply().code, 0);
    EXPECT_EQ(read_file(c), tw::test::npy_file<float>("<f4", "(1, 1)", {32}));
    ASSERT_EQ(multiply({"--transpose-a", "--transpose-b"}).code, 0);
    EXPECT_EQ(read_file(c), tw::test::npy_file<float>("<f4", "(3, 3)", {4, 5, 6, 8, 10, 12, 12, 15, 18}));
    write_file(a, tw::test::npy_file<float>("<f4", "()", {7}));
    write_file(b, tw::test::npy_file<float>("<f4", "(1, 2)", {1, 2}));
    write_file(c0, tw::test::npy_file<float>("<f4", "(2,)", {1, 1}));
    ASSERT_EQ(multiply({"--c", c0}).code, 0);
    EXPECT_EQ(read_file(c), tw::test::npy_file<float>("<f4", "(1, 2)", {8, 15}));
}

TEST_F(MultiplyVerb, TakesEmptyMatrices) {
    write_file(a, tw::test::npy_file<float>("<f4", "(2, 0)", {}));
    write_file(b, tw::test::npy_file<float>("<f4", "(0, 2)", {}));
    write_file(c0, tw::test::npy_file<float>("<f4", "(2, 2)", {1, 2, 3, 4}));
    expect_small(multiply(), {0, 0, 0, 0});
    expect_small(multiply({"--c", c0, "--beta", "3"}), {3, 6, 9, 12});
    ASSERT_EQ(run_tw({"multiply", b, a, "-o", c}).code, 0);
    EXPECT_EQ(read_file(c), tw::test::npy_file<float>("<f4", "(0, 0)", {}));
}

TEST_F(MultiplyVerb, MayWriteOverItsOperands) {
    write_file(a, tw::test::npy_file<float>("<f4", "(2, 2)", {1, 2, 3, 4}));
    ASSERT_EQ(run_tw({"multiply", a, a, "--c", a, "-o", a}).code, 0);
    EXPECT_EQ(read_file(a), tw::test::npy_file<float>("<f4", "(2, 2)", {8, 12, 18, 26}));
}

TEST_F(MultiplyVerb, VerifyMayBeFollowedByItsWordOrByAnOperand) {
    write_small();
    for (const std::vector<std::string>& words : {std::vector<std::string>{"multiply", "--verify", a, b, "-o", c},
                                                  {"multiply", "--verify", "correct", a, b, "-o", c},
                                                  {"multiply", a, b, "-o", c, "--verify=correct"},
                                                  {"multiply", a, "--verify", "check", b, "-o", c}}) {
        const auto ran = run_tw(words);
        EXPECT_EQ(ran.code, 0) << ran.error;
        EXPECT_NE(ran.out.find(", verified"), std::string::npos) << ran.out;
    }
}

TEST_F(MultiplyVerb, RefusesWhatCannotBeMultiplied) {
    write_small();
    write_file(c, "old");
    write_file(c0, tw::test::npy_file<double>("<f8", "(3, 2)", {1, 2, 3, 4, 5, 6}));
    expect_refused(run_tw({"multiply", a, c0, "-o", c}),
                   "holds f32 and '" + c0 + "' holds f64; a product takes one type");
    expect_refused(run_tw({"multiply", a, b, "-o", c + ".safetensors"}), "the result is written as .npy");
    expect_refused(run_tw({"multiply", a, a, "-o", c}), "A's columns must be as many as B's rows");
    expect_refused(multiply({"--transpose-a"}), "is 3 x 2 when transposed");
    expect_refused(multiply({"--c", b}), "--c must have the product's shape, 2 x 2");
    expect_refused(multiply({"--c", c0}), "a product takes one type");
    expect_refused(multiply({"--alpha", "two"}),
                   "--alpha takes a number, such as 2, -0.5 or, for complex files, 1-0.5i; got 'two'");
    for (const char* option : {"--alpha", "--memory", "--threads", "--accuracy", "--kernel", "--device", "--c"}) {
        const std::string sentence = std::string(option) + " takes a value; got ''";
        expect_refused(multiply({option, ""}), sentence);
        expect_refused(multiply({std::string(option) + "="}), sentence);
    }
    expect_refused(multiply({"--alpha", "1e400"}), "--alpha takes a number");
    expect_refused(multiply({"--beta", "2"}), "--beta requires --c");
    expect_refused(multiply({"--accuracy", "fp31"}), "got 'fp31'");
    expect_refused(multiply({"--accuracy", "-1"}), "got '-1'");
    expect_refused(multiply({"--accuracy", "nan"}), "got 'nan'");
    expect_refused(multiply({"--accuracy", "inf"}), "got 'inf'");
    expect_refused(multiply({"--accuracy", "1e-30"}), "no kernel here keeps that accuracy");
    expect_refused(multiply({"--threads", "-1"}), "--threads takes a whole number from 0");
    expect_refused(multiply({"--threads", "2x"}), "--threads takes a whole number from 0");
    expect_refused(multiply({"--memory", "much"}), "--memory takes a number of bytes");
    expect_refused(multiply({"--memory", "-1G"}), "--memory takes a number of bytes");
    expect_refused(multiply({"--memory", "1M"}), "--memory takes at least 44M");
    expect_refused(multiply({"--kernel", "r99"}),
                   "no rung or kernel of these devices has the name 'r99'; see tw ladder --list");
    expect_refused(multiply({"--kernel", "cpu.r1_naive.f64"}),
                   "no kernel of that name can do this product on this machine");
    expect_refused(multiply({"--slabs", "3"}), "--slabs is 3; expected a power of two up to 1024");
    expect_refused(multiply({"--slabs", "2048"}), "--slabs takes a whole number from 1");
    expect_refused(multiply({"--device", "abacus"}), "--device: expected one of cpu, ");
    expect_refused(multiply({"--verify", "--no-verify"}), "excludes");
    expect_refused(multiply({"--verify=twice"}), "--verify: expected check or correct; got 'twice'");
    expect_refused(run_tw({"multiply", a, "-o", c}), "B is required");
    expect_refused(run_tw({"multiply", a, b}), "--output is required");
    expect_refused(run_tw({"multiply", folder.path("none.npy"), b, "-o", c}), "it can't be opened: No such file");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.npy", "b.npy", "c.npy", "c0.npy"}));
}

TEST_F(MultiplyVerb, RefusesAResultBeyondAnyFile) {
    const std::string wide = "(0, 4611686018427387904)";
    write_file(a, tw::test::npy_file<float>("<f4", "(4611686018427387904, 0)", {}));
    write_file(b, tw::test::npy_file<float>("<f4", wide, {}));
    write_file(c, "old");
    expect_refused(multiply(), "is beyond any file");
}

}  // namespace
