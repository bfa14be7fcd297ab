// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/check_file.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "backend/metal/on_linux/machine/executor.hpp"
#include "backend/metal/on_linux/translator/command.hpp"
#include "backend/metal/on_linux/translator/translate.hpp"
#include "base/environment.hpp"
#include "base/own_file.hpp"

namespace tw::metal_check {
namespace {

constexpr const char* no_clang =
    "a clang of version 14 to 19 is needed to read Metal files, and none was found: install one (Debian: apt install "
    "clang) or name it in TW_METAL_CLANG";
constexpr const char* privileged =
    "Metal files are not translated in a program that runs with more rights than its caller: clang is found by PATH";

bool write_prelude(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    for (const PreludeFile* file = prelude_files; file->name; ++file)
        if (!write_file(folder + '/' + file->name, file->text)) return false;
    return true;
}

}  // namespace

OpenedFile open_file(const std::string& path, const std::vector<std::string>& flags, bool checked) {
    OpenedFile opened;
    if (is_privileged()) {
        opened.refusals.push_back(privileged);
        return opened;
    }
    const Clang clang = find_clang();
    if (clang.path.empty() || clang.version == 0) {
        opened.refusals.push_back(no_clang);
        return opened;
    }
    opened.clang = clang.path + " (version " + std::to_string(clang.version) + ')';
    const TemporaryFolder folder;
    if (folder.path().empty() || !write_prelude(folder.path() + "/prelude")) {
        opened.refusals.push_back("no temporary folder could be made for what clang reads and writes");
        return opened;
    }
    TranslationRequest request;
    request.source = path;
    request.prelude = folder.path() + "/prelude";
    request.symbol = "tw_metal_module";
    request.object = folder.path() + "/kernels.so";
    request.checked = checked;
    request.shared = true;
    request.link_with = file_of(reinterpret_cast<const void*>(&open_file));
    request.flags = flags;
    opened.refusals = translate(clang, request).errors;
    if (!opened.refusals.empty()) return opened;
    void* library = dlopen(request.object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) opened.module = static_cast<const Module*>(dlsym(library, request.symbol.c_str()));
    if (!opened.module) {
        const char* why = dlerror();
        opened.refusals.push_back(std::string("the translated kernels can't be opened: ") +
                                  (why ? why : "no table in them"));
    }
    return opened;
}

void check_file(const FileRequest& wanted, FileOutcome& out) {
    OpenedFile opened = open_file(wanted.path, wanted.flags, wanted.checked);
    out.clang = opened.clang;
    out.refusals = std::move(opened.refusals);
    if (!opened.module) return;
    for (const KernelText& kernel : program_of(*opened.module).kernels) out.kernels.push_back(kernel.name);
    std::vector<Bound> buffers;
    for (const FileRequest::Buffer& buffer : wanted.buffers)
        buffers.push_back({buffer.data, buffer.element * buffer.count});
    Request request;
    request.module = opened.module;
    request.kernel = wanted.kernel;
    request.buffers = buffers;
    request.threadgroup_bytes = wanted.threadgroup_bytes;
    request.grid = {wanted.grid[0], wanted.grid[1], wanted.grid[2]};
    request.threads = {wanted.threads[0], wanted.threads[1], wanted.threads[2]};
    request.checked = wanted.checked;
    request.seed = wanted.seed;
    request.cores = wanted.cores;
    out.outcome = execute(request);
}

}  // namespace tw::metal_check
