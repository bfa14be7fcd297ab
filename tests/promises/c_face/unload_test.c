/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
 * Copyright 2026 The tilewright authors
 *
 * Rule 32: the shared library opened, used with threads and closed again, many times over. */
#include <dlfcn.h>
#include <stdio.h>

#include "tilewright/tilewright.h"

int main(int count, char** arguments) {
    static float a[64 * 64], b[64 * 64], c[64 * 64];
    const char* path = count > 1 ? arguments[1] : "libtilewright.so";
    for (int round = 0; round < 1000; ++round) {
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) return printf("%s\n", dlerror()), 1;
        tw_options (*defaults)(void) = (tw_options(*)(void))dlsym(library, "tw_default_options");
        tw_code (*multiply)(const tw_matrix*, const tw_matrix*, const tw_matrix*, const tw_options*) = (tw_code(*)(
            const tw_matrix*, const tw_matrix*, const tw_matrix*, const tw_options*))dlsym(library, "tw_multiply");
        if (!defaults || !multiply) return printf("a symbol is missing\n"), 1;
        tw_options options = defaults();
        options.threads = 3;
        tw_matrix am = {a, TW_F32, 64, 64, 64, 1}, bm = {b, TW_F32, 64, 64, 64, 1}, cm = {c, TW_F32, 64, 64, 64, 1};
        if (multiply(&am, &bm, &cm, &options) != TW_OK) return printf("round %d failed\n", round), 1;
        dlclose(library);
    }
    return 0;
}
