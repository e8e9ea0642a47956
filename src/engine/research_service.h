#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/agent.h"
#include "weft/request.h"
#include "weft/research.h"
#include "weft/result.h"

namespace weft {

class ResearchService {
 public:
  virtual ~ResearchService() = default;
  virtual Result<ResearchReport> start(const RequestContext& request, const ResearchTask& task) = 0;
  virtual Result<ResearchReport> resume(const RequestContext& request, const std::string& id) = 0;
  virtual Result<ResearchReport> stop(const RequestContext& request, const std::string& id) = 0;
  virtual Result<ResearchReport> show(const RequestContext& request, const std::string& id) = 0;
  virtual Result<std::vector<ResearchReport>> list(const RequestContext& request, std::size_t limit,
                                                   const std::string& after) = 0;
  virtual Result<std::vector<BusEvent>> events(const RequestContext& request, const std::string& id,
                                               std::uint64_t since, std::chrono::milliseconds wait) = 0;
};

}  // namespace weft
