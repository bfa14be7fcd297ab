// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One item a line, with fields separated by tabs; a parameter belongs to the kernel above it.
#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {
namespace {

std::string field(unsigned number) { return '\t' + std::to_string(number); }

class Fields {
public:
    explicit Fields(std::string_view line) : rest_(line) {}

    std::string text() {
        const std::size_t end = rest_.find('\t');
        std::string found(rest_.substr(0, end));
        rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
        return found;
    }
    unsigned number() {
        unsigned value = 0;
        for (const char digit : text()) value = value * 10 + static_cast<unsigned>(digit - '0');
        return value;
    }

private:
    std::string_view rest_;
};

}  // namespace

std::string write_program(const Program& program) {
    std::string text;
    for (const KernelText& kernel : program.kernels) {
        text += "kernel\t" + kernel.name + '\n';
        for (const Parameter& p : kernel.parameters)
            text += "parameter" + field(static_cast<unsigned>(p.binding)) + field(p.index) + field(p.granule) +
                    field(p.read_only) + field(p.constant) + '\t' + p.name + '\t' + p.type + '\n';
    }
    for (const FunctionConstant& c : program.constants)
        text += "constant" + field(c.index) + '\t' + c.name + '\t' + c.type + '\n';
    for (const Variable& v : program.variables)
        text += "variable" + field(v.granule) + '\t' + v.name + '\t' + v.kernel + '\n';
    for (const std::string& site : program.sites) text += "site\t" + site + '\n';
    return text;
}

Program read_program(std::string_view text) {
    Program program;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        Fields line(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        const std::string kind = line.text();
        if (kind == "kernel") {
            program.kernels.push_back({line.text(), {}});
        } else if (kind == "parameter" && !program.kernels.empty()) {
            Parameter p;
            p.binding = static_cast<Binding>(line.number());
            p.index = line.number();
            p.granule = line.number();
            p.read_only = line.number() != 0;
            p.constant = line.number() != 0;
            p.name = line.text();
            p.type = line.text();
            program.kernels.back().parameters.push_back(p);
        } else if (kind == "constant") {
            FunctionConstant c;
            c.index = line.number();
            c.name = line.text();
            c.type = line.text();
            program.constants.push_back(c);
        } else if (kind == "variable") {
            Variable v;
            v.granule = line.number();
            v.name = line.text();
            v.kernel = line.text();
            program.variables.push_back(v);
        } else if (kind == "site") {
            program.sites.push_back(line.text());
        }
    }
    return program;
}

}  // namespace tw::metal_check
