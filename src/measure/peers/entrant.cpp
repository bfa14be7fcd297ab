// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/entrant.hpp"

#include <utility>

#include "measure/roofs/peaks.hpp"

namespace tw::measure {

PeerEntrant::PeerEntrant(std::shared_ptr<PeerProcess> process, const Task& task) : process_(std::move(process)) {
    const PeerDescription& told = process_->description();
    provider = told.name;
    device = told.device;
    kernel = told.name;
    for (const char* word : {told.version, told.core_type})
        if (*word) kernel.append(" ").append(word);
    products = task.products;
    if (products > 1) kernel += batch_mark;
    char text[40];
    spell(resolve(task.accuracy, task.type), text, sizeof text);
    accuracy = text;
    if (device == "cpu") needs = fma_loop(name_of(part_of(task.type))).needs;
}

}  // namespace tw::measure
