// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One page that shows what was measured here: no network, no script from elsewhere, nothing that was not measured.
#pragma once

#include <string>
#include <vector>

#include "measure/bandwidth.hpp"
#include "measure/machine.hpp"
#include "measure/peaks.hpp"
#include "measure/roofline.hpp"
#include "measure/row.hpp"

namespace tw::measure {

struct ReportData {
    Machine machine{};
    double clock_hz = 0;
    std::vector<Row> climb{};        ///< of tw ladder
    std::vector<Row> shapes{};       ///< of tw bench, with peers
    std::vector<RooflinePoint> points{};
    std::vector<UnitPeak> units{};
    std::vector<Bandwidth> bandwidths{};
};

/// The whole page. A section without data is absent.
std::string report_page(const ReportData& data);

// Its parts, each a section or "".
std::string climb_section(const ReportData& data);
std::string roofline_section(const ReportData& data);
std::string accuracy_section(const ReportData& data);
std::string shapes_section(const ReportData& data);
std::string machine_section(const ReportData& data);
const char* report_style();
const char* report_script();

/// For text between tags and in quoted attributes.
std::string escaped(const std::string& text);

/// "0.23", "23.4", "1,234": three digits that matter.
std::string in_figures(double value);

}  // namespace tw::measure
