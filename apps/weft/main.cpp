#include <cstdio>
#include <exception>

#include "base/threads.h"
#include "surface/cli/console.h"

int main(int argc, char** argv) {
  weft::LeftThreads::allowed = true;
  try {
    return weft::end_process(weft::cli::run(argc, argv));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "weft: a defect: %s\n", failure.what());
    return 1;
  }
}
