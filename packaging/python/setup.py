"""A wheel with the library inside is one of a platform, for any Python 3."""

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.dist import Distribution


class PlatformWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=WithLibrary, cmdclass={"bdist_wheel": PlatformWheel})
