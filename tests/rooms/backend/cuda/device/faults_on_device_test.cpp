// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What befalls a device for real: it has no memory left, it is lost between two products, two processes share it. A
// lost device takes its process with it, so each is lost in a child of its own, which runs this program once more.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "rooms/backend/cuda/on_device.hpp"
#include "tilewright/multiply.hpp"

namespace {

using namespace tw;

constexpr std::int64_t n = 512;
constexpr const char* in_a_child = "TW_TEST_CHILD";

class Faults : public on_device::OnDevice {};

/// Ones by twos: 2 k in every element.
struct Product {
    std::vector<float> a = std::vector<float>(n * n, 1), b = std::vector<float>(n * n, 2), c = a;

    Status run() {
        c.assign(c.size(), -1);
        return try_multiply(View(a.data(), n, n), View(b.data(), n, n), View(c.data(), n, n), {.device = "cuda"});
    }
    bool is_right() const { return c == std::vector<float>(n * n, 2 * n); }
};

pid_t start(const char* test) {
    const pid_t child = fork();
    if (child != 0) return child;
    setenv(in_a_child, "1", 1);
    alarm(120);
    const std::string filter = std::string("--gtest_filter=") + test;
    execl("/proc/self/exe", "test_cuda_ops", filter.c_str(), "--gtest_brief=1", nullptr);
    _exit(90);
}

int exit_code(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

template <class F>
F* driver_call(const char* name) {
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver ? reinterpret_cast<F*>(dlsym(driver, name)) : nullptr;
}

/// Launches a kernel that ends in a trap, and waits for it: every later call on the device fails.
bool lose_the_device() {
    constexpr const char* code =
        ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry lost()\n{\n    trap;\n    ret;\n}\n";
    const auto load = driver_call<decltype(cuModuleLoadData)>("cuModuleLoadData");
    const auto find = driver_call<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
    const auto launch = driver_call<decltype(cuLaunchKernel)>("cuLaunchKernel");
    const auto wait = driver_call<decltype(cuCtxSynchronize)>("cuCtxSynchronize");
    CUmodule module = nullptr;
    CUfunction lost = nullptr;
    return load && find && launch && wait && load(&module, code) == CUDA_SUCCESS &&
           find(&lost, module, "lost") == CUDA_SUCCESS &&
           launch(lost, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS && wait() != CUDA_SUCCESS;
}

TEST_F(Faults, Fault19_ADeviceLostBetweenTwoProductsIsSaid) {
    if (!std::getenv(in_a_child)) {
        EXPECT_EQ(exit_code(start("Faults.Fault19_ADeviceLost*")), 0);
        return;
    }
    Product product;
    ASSERT_TRUE(product.run());
    EXPECT_TRUE(product.is_right());
    ASSERT_TRUE(lose_the_device());
    for (int again = 0; again < 3; ++again) {
        const Status status = product.run();
        EXPECT_EQ(status.code, Code::device_failed) << status.text;
        EXPECT_STRNE(status.text, "");
    }
    EXPECT_TRUE(try_multiply(View(product.a.data(), n, n), View(product.b.data(), n, n), View(product.c.data(), n, n),
                             {.device = "cpu"}));
    EXPECT_TRUE(product.is_right()) << "the host goes on";
}

TEST_F(Faults, Fault19_ADeviceWithoutMemoryEndsInAStatusOrTheRightResult) {
    if (!std::getenv(in_a_child)) {
        EXPECT_EQ(exit_code(start("Faults.Fault19_ADeviceWithout*")), 0);
        return;
    }
    std::vector<void*> taken;
    for (std::size_t bytes = std::size_t{8} << 30; bytes >= 4096;) {
        void* const memory = on_device::cuda().alloc(bytes);
        if (memory) taken.push_back(memory);
        else bytes /= 2;
    }
    Product product;
    const Status refused = product.run();
    if (refused) EXPECT_TRUE(product.is_right());
    else EXPECT_EQ(refused.code, Code::out_of_memory) << refused.text;
    for (void* memory : taken) on_device::cuda().free(memory);
    ASSERT_TRUE(product.run());
    EXPECT_TRUE(product.is_right());
}

TEST_F(Faults, Fault19_TwoProcessesShareADevice) {
    if (!std::getenv(in_a_child)) {
        const pid_t one = start("Faults.Fault19_Two*"), two = start("Faults.Fault19_Two*");
        EXPECT_EQ(exit_code(one), 0);
        EXPECT_EQ(exit_code(two), 0);
        return;
    }
    Product product;
    for (int round = test::is_thinned() ? 48 : 0; round < 50; ++round) {
        ASSERT_TRUE(product.run());
        ASSERT_TRUE(product.is_right());
    }
}

}  // namespace
