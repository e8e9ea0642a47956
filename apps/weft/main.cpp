#include <cstdio>
#include <exception>

#include "surface/cli/cli.h"

int main(int argc, char** argv) {
  try {
    return weft::cli::run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "weft: a defect: %s\n", failure.what());
    return 1;
  }
}
