# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""python -m tilewright is tw."""
from tilewright.command import main

if __name__ == "__main__":
    main()
