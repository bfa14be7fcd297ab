// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/translate.hpp"

#include <algorithm>
#include <cstdlib>

#include "backend/metal/on_linux/translator/assembly.hpp"
#include "backend/metal/on_linux/translator/command.hpp"
#include "backend/metal/on_linux/translator/dialect.hpp"
#include "backend/metal/on_linux/translator/foreign_words.hpp"
#include "backend/metal/on_linux/translator/reader.hpp"
#include "base/environment.hpp"

namespace tw::metal_check {
namespace {

constexpr int oldest = 14, newest = 19;

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

#if defined(__x86_64__)
const Words machine_flags{"--target=x86_64-linux-gnu", "-mavx2", "-mfma", "-mf16c"};
#else
const Words machine_flags{"--target=aarch64-linux-gnu"};
#endif

int version_of(const std::string& path, const std::string& folder) {
    const CommandOutput output = run_command({path, "-dumpversion"}, folder);
    return output.exit_code == 0 ? std::atoi(output.out.c_str()) : 0;
}

Clang newest_clang(const std::string& folder) {
    for (int version = newest; version >= oldest; --version) {
        const std::string path = "clang-" + std::to_string(version);
        if (version_of(path, folder) == version) return {path, version};
    }
    const int plain = version_of("clang", folder);
    if (plain >= oldest && plain <= newest) return {"clang", plain};
    return {};
}

/// What clang said, with the files that only we know renamed, a line an error.
void take_diagnostics(const CommandOutput& output, std::vector<std::string>& errors) {
    std::string_view rest = output.err;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        if (line.find("error:") != std::string_view::npos || line.find("warning:") != std::string_view::npos)
            errors.emplace_back(line);
    }
    if (errors.empty()) errors.push_back("clang failed without a message");
}

class Translator {
public:
    Translator(const Clang& clang, const TranslationRequest& request) : clang_(clang), request_(request) {
        language_ = Words{clang.path, "-x", "clcpp", "-cl-std=clc++2021", "-cl-no-stdinc"} + machine_flags +
                    Words{"-cl-single-precision-constant", "-Wno-unknown-attributes", "-Wno-unused-value",
                          "-Wno-unknown-pragmas"};
    }

    Translation run() {
        if (folder_.path().empty()) return refused("no temporary folder could be made");
        std::string source;
        if (!read_file(request_.source, source)) return refused(request_.source + ": can't be read");
        if (source.find('\0') != std::string::npos)
            return refused(request_.source + ": expected the text of a Metal file; it has bytes that are not text");
        done_.errors = foreign_words(source, request_.source);
        if (preprocess() && read() && check() && assemble()) generate();
        return std::move(done_);
    }

private:
    Translation refused(const std::string& sentence) { return {{sentence}, {}}; }
    std::string file(const char* name) const { return folder_.path() + '/' + name; }

    bool succeeds(const Words& command) {
        output_ = run_command(command, folder_.path());
        if (output_.exit_code != 0) take_diagnostics(output_, done_.errors);
        return output_.exit_code == 0;
    }

    bool preprocess() {
        return succeeds(language_ + Words{"-isystem", request_.prelude, "-include", "metal_language"} + request_.flags +
                        Words{"-E", request_.source});
    }

    bool read() {
        Reading reading = read_kernels(output_.out, request_.source, request_.prelude);
        done_.program = std::move(reading.program);
        done_.errors.insert(done_.errors.end(), reading.errors.begin(), reading.errors.end());
        if (done_.errors.empty() && done_.program.kernels.empty())
            done_.errors.push_back(request_.source + ": declares no kernel");
        annotated_ = std::move(reading.annotated);
        return write_file(file("annotated.metal"), annotated_);
    }

    /// The front end's rules first, because its messages are better where both would refuse.
    bool check() {
        // Errors of Apple's compiler are errors here, too; Metal before version 4 is C++14.
        const Words strict{"-Wall",
                           "-Wno-missing-braces",
                           "-Wno-unused-function",
                           "-Wno-unused-variable",
                           "-Wno-pass-failed",
                           "-Werror=pre-c++17-compat",
                           "-fsyntax-only",
                           "-Xclang",
                           "-ast-dump=json"};
        if (!succeeds(language_ + strict + Words{file("annotated.metal")})) return false;
        const std::vector<std::string> found = foreign_constructs(output_.out, annotated_, request_.prelude);
        done_.errors.insert(done_.errors.end(), found.begin(), found.end());
        return done_.errors.empty();
    }

    bool assemble() {
        const Words early{"-w",
                          "-O2",
                          "-Xclang",
                          "-disable-llvm-passes",
                          "-fPIC",
                          "-fno-builtin",
                          "-gline-tables-only",
                          "-ffp-contract=on",
                          "-fsanitize=thread",
                          "-S",
                          "-emit-llvm",
                          file("annotated.metal"),
                          "-o",
                          file("early.ll")};
        std::string assembly;
        if (!succeeds(language_ + early) || !read_file(file("early.ll"), assembly)) return false;
        if (!write_file(file("apart.ll"), set_memory_apart(assembly, done_.program))) return false;
        Words late = Words{clang_.path,        "-x", "ir", "-w", "-O2", "-fPIC", "-fno-vectorize", "-fno-slp-vectorize",
                           "-fno-unroll-loops"} +
                     machine_flags;
        if (request_.checked)
            late = late + Words{"-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
                                "-tsan-instrument-read-before-write=1"};
        if (!succeeds(late + Words{"-S", "-emit-llvm", file("apart.ll"), "-o", file("late.ll")})) return false;
        if (!read_file(file("late.ll"), assembly)) return false;
        return write_file(file("final.ll"),
                          finish_module(assembly, done_.program, request_.symbol, request_.checked, request_.prelude));
    }

    bool generate() {
        const Words code = Words{clang_.path,       "-x", "ir", "-w", "-O1", "-Xclang", "-disable-llvm-passes", "-fPIC",
                                 "-ffp-contract=on"} +
                           machine_flags;
        if (!request_.shared) return succeeds(code + Words{"-c", file("final.ll"), "-o", request_.object});
        return succeeds(code + Words{"-c", file("final.ll"), "-o", file("final.o")}) &&
               succeeds({clang_.path, "-shared", file("final.o"), "-o", request_.object, request_.link_with});
    }

    const Clang& clang_;
    const TranslationRequest& request_;
    TemporaryFolder folder_;
    Words language_;
    std::string annotated_;  ///< preprocessed, with wrappers
    CommandOutput output_;
    Translation done_;
};

}  // namespace

Clang find_clang() {
    const TemporaryFolder folder;
    if (const char* asked = environment("TW_METAL_CLANG")) return {asked, version_of(asked, folder.path())};
    static const Clang found = newest_clang(folder.path());  // to start one takes it 30 ms
    return found;
}

Translation translate(const Clang& clang, const TranslationRequest& request) {
    return Translator(clang, request).run();
}

}  // namespace tw::metal_check
