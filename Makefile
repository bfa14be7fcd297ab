# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
#   make run       build tw and watch this machine climb the ladder
#   make test      build everything and run every test
#   make check     what takes more time: the formatting, CUDA's kernels for every architecture, sanitizers on what
#                  reads input (on everything: make test-all), a minute of fuzzing
#   make docs      README and docs as one site with a search, in build/site
#   make test-all  both, and what takes longer: run before a piece of work is called done. TW_BY_TURNS=1 make test-all
#                  does a fifth of the longest parts, another each day
#   make test-models  what needs torch and transformers, some 6 GB in an environment of its own
#
# What is missing is named first, and installed after a yes. YES=1 says yes beforehand.
# The work is done by small scripts in tools/, each of which can be run by itself.

.PHONY: run test check test-all test-models docs clean
.NOTPARALLEL:

run:
	@tools/run

test:
	@tools/test

check:
	@tools/test check

test-all:
	@tools/test all

test-models:
	@tools/test_models

docs:
	@tools/write_site

clean:
	rm -rf build
