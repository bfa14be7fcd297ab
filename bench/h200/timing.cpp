// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "timing.hpp"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "device_data.hpp"

namespace bench {
namespace {

class Clock {
public:
    Clock() { check(cudaEventCreate(&start_), "an event"), check(cudaEventCreate(&stop_), "an event"); }
    ~Clock() { cudaEventDestroy(start_), cudaEventDestroy(stop_); }

    double milliseconds(const std::function<void(int)>& side, int launches, int& next) {
        check(cudaEventRecord(start_), "an event");
        for (int i = 0; i < launches; ++i) side(next++);
        check(cudaEventRecord(stop_), "an event");
        check(cudaEventSynchronize(stop_), "a timed kernel");
        float elapsed = 0;
        check(cudaEventElapsedTime(&elapsed, start_, stop_), "an event");
        return static_cast<double>(elapsed) / launches;
    }

private:
    cudaEvent_t start_{}, stop_{};
};

double median(std::vector<double> x) {
    std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
    return x[x.size() / 2];
}

}  // namespace

std::vector<double> sustained(const std::vector<std::function<void(int)>>& sides, double milliseconds, int turns) {
    Clock clock;
    std::vector<double> result;
    std::vector<std::vector<double>> samples(sides.size());
    for (int turn = 0; turn < turns; ++turn)
        for (std::size_t s = 0; s < sides.size(); ++s) {
            int next = 0;
            clock.milliseconds(sides[s], 2, next);
            const double one = clock.milliseconds(sides[s], 2, next);
            const int launches = std::max(1, static_cast<int>(4 / one));
            for (double spent = 0; spent < milliseconds;) {
                const double sample = clock.milliseconds(sides[s], launches, next);
                samples[s].push_back(sample);
                spent += sample * launches;
            }
        }
    for (const auto& side : samples) result.push_back(median(side));
    return result;
}

double burst(const std::function<void(int)>& side) {
    check(cudaDeviceSynchronize(), "waiting");
    usleep(1000000);
    Clock clock;
    int next = 0;
    side(next++), side(next++);
    std::vector<double> samples;
    for (int i = 0; i < 10; ++i) samples.push_back(clock.milliseconds(side, 1, next));
    return median(samples);
}

}  // namespace bench
