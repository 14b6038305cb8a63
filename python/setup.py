# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs libraries that the project's CMake has built (utils/make_wheel.py)."""

from setuptools import Distribution, setup


class BinaryDistribution(Distribution):
    """One wheel for each platform and Python: it holds compiled code."""

    def has_ext_modules(self):
        return True


setup(distclass=BinaryDistribution)
