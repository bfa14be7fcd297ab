// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Operands that are converted to remainders once and kept on the device: the bits of the same product without that,
// whatever the device decides about it.
#include <cmath>
#include <string>
#include <string_view>

#include "rooms/backend/cuda/on_device.hpp"
#include "tilewright/packed.hpp"

namespace on_device {
namespace {

class KeptOnDevice : public OnDevice, public testing::WithParamInterface<Type> {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        for (const Kernel* one : cuda().ladder)
            if (std::string_view(one->name) == kernel() && !runs(*one))
                GTEST_SKIP() << "this device lacks Hopper's instructions";
    }
    std::string kernel() const { return std::string("cuda.r10_split_remainders.") + name_of(GetParam()); }
};

/// Rows of elements spread over so many powers of two: where they are far apart more moduli are taken, or none does.
void spread(Values& of, Type type, std::int64_t count, double powers) {
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> exponent(-powers, powers);
    const Matrix all = of.on_host();
    for (std::int64_t i = 0; i < count; ++i) {
        const double by = std::exp2(std::rint(exponent(engine)));
        if (!is_complex(type)) store_element(all, 0, i, by * load_element(all, 0, i));
        else store_complex(all, 0, i, by * load_complex(all, 0, i));
    }
    of.send();
}

TEST_P(KeptOnDevice, Rule38_HasTheBitsOfItsMatrix) {
    constexpr std::int64_t m = 140, n = 264, k = 150;
    const Type type = GetParam();
    const std::string name = kernel();
    const Options options{.alpha = -1.5, .beta = 0.5, .device = "cuda", .kernel = name};
    for (const double powers : {0., 10., 30., 90.})
        for (int form = 0; form < 16; ++form) {
            if (!has_its_turn(5)) continue;
            Values a(type, m * k, 1), b(type, k * n, 2);
            spread(form & 1 ? a : b, type, form & 1 ? m * k : k * n, powers);
            Matrix left = form & 1 ? a.columns(m, k) : a.rows(m, k), right = form & 2 ? b.columns(k, n) : b.rows(k, n);
            left.is_conj = right.is_conj = is_complex(type) && form % 3 == 0;
            const bool turned = form & 4, is_a = form & 8;
            const auto c = [&](const Values& of) { return turned ? of.columns(m, n) : of.rows(m, n); };
            Packed kept;
            const Form of_c = form % 5 == 0 ? Form::row_major : turned ? Form::col_major : Form::row_major;
            const Status packed = is_a ? try_pack_a(left, kept, options, of_c) : try_pack(right, kept, options, of_c);
            ASSERT_TRUE(packed.is_ok()) << packed.text;
            EXPECT_EQ(kept.kernel_name(), name);
            Values without(type, m * n, 3);
            ASSERT_TRUE(try_multiply(left, right, c(without), options).is_ok());
            without.bring();
            for (int again = 0; again < 2; ++again) {
                Values with(type, m * n, 3);  // the same old C
                const Status done =
                    is_a ? try_multiply(kept, right, c(with), options) : try_multiply(left, kept, c(with), options);
                ASSERT_TRUE(done.is_ok()) << done.text;
                EXPECT_TRUE(with.bring() == without.bring()) << "form " << form << ", spread by 2^" << powers;
            }
        }
}

TEST_P(KeptOnDevice, OnlyWhereItLies) {
    const Type type = GetParam();
    std::vector<double> host(64 * 64 * 2);
    const Matrix here{host.data(), type, 64, 64, 64};
    Packed kept;
    const Status status = try_pack(here, kept, {.device = "cuda"});
    EXPECT_EQ(status.code, Code::unsupported);
    EXPECT_TRUE(kept.is_empty());
}

INSTANTIATE_TEST_SUITE_P(Types, KeptOnDevice, testing::Values(Type::f64, Type::c64, Type::c128),
                         [](const auto& one) { return std::string(name_of(one.param)); });

}  // namespace
}  // namespace on_device
