# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Eight devices of the host, asked for before jax looks for any."""
import jax

jax.config.update("jax_num_cpu_devices", 8)
