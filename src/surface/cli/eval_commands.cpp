#include "surface/cli/commands.h"

namespace weft::cli {
int eval_segment(const Globals& g, const SegmentOptions&) { return report(unavailable("not there yet"), g.json); }
int eval_recall(const Globals& g, const RecallOptions&) { return report(unavailable("not there yet"), g.json); }
int calibrate(const Globals& g, const CalibrateOptions&) { return report(unavailable("not there yet"), g.json); }
int bench(const Globals& g, const BenchOptions&) { return report(unavailable("not there yet"), g.json); }
}  // namespace weft::cli
