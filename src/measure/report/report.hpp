// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One page with all that was measured here: it needs no network and shows nothing that was not measured.
#pragma once

#include <string>
#include <vector>

#include "measure/basis/machine.hpp"
#include "measure/roofs/bandwidth.hpp"
#include "measure/roofs/peaks.hpp"
#include "measure/roofs/roofline.hpp"
#include "measure/rows/counted.hpp"
#include "measure/rows/row.hpp"

namespace tw::measure {

/// A section of the page; it is left out when its text is empty.
struct Section {
    std::string id, title, text;
};

/// A roof of a device with memory of its own; 0: not known.
struct DeviceRoof {
    std::string name;  ///< "cuda tensor core f16"
    double measured = 0, by_formula = 0;
    bool is_bandwidth = false;
};

struct ReportData {
    Machine machine{};
    double clock_hz = 0;
    std::vector<Row> climb{};        ///< of tw ladder
    std::vector<Counted> counted{};  ///< Metal's rungs, executed: cards of those that no device here has
    std::vector<Row> dial{};         ///< a row for each stop of the accuracy dial
    std::vector<Row> shapes{};       ///< of tw bench, with peers
    std::vector<Row> effort_quality{}, effort_speed{};  ///< of tw effort curve
    std::vector<RooflinePoint> points{};
    std::vector<UnitPeak> units{};
    std::vector<Bandwidth> bandwidths{};
    std::vector<DeviceRoof> device_roofs{};
    std::vector<Section> further{};  ///< of other rooms, between the shapes and the machine
};

/// The whole page, without the sections that have no data.
std::string report_page(const ReportData& data);

/// Error against speed as a separate picture, for a README; "" when it was not measured.
std::string accuracy_picture(const ReportData& data);

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

/// "0.23", "23.4", "1,234": three significant digits.
std::string in_figures(double value);

/// "r7 avx2" for "cpu.r7_hierarchical.f32.avx2", where space is short.
std::string short_name(const std::string& kernel);

}  // namespace tw::measure
