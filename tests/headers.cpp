// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A program that is nothing but the headers that tests share, compiled once (tests/CMakeLists.txt).
int main() {}
