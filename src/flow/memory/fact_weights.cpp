#include "base/signed_bytes.h"
#include "flow/memory/fact_meaning.h"

namespace weft {

// Written by `weft fit facts`; docs/quality.md says on what.
const FactWeights* fact_weights(std::string_view embedder) {
  // clang-format off
  static const FactWeights fitted{
    "multilingual-e5-small", {{
    {-1.9006, 0.00,
     {1.5405, 2.0666, 0.6627, 0.8013, 0.7449, 0.7907, 0.4736, 0.3731, -0.0984, -0.2655,
      0.2373, 0.8486, 0.2916, -0.4027, -0.3547, -0.0709, -0.2024, -0.0205, 0.3233, -0.1415}},
    {-3.0938, 0.50,
     {1.9242, 1.8183, 0.0000, 0.7521, 0.2618, 0.9244, 0.6300, -0.0279, 0.2152, -0.0194,
      0.9125, -0.2308, -0.2152, -0.4261, -0.1722, -0.2272, -0.4512, -0.9266, 0.6237, -0.4732}}}},
    read_signed_bytes(
    "dd3315f909eec3e308eada0b02b921f44ac6f0c61433031ae0c60cdeeef21ff6bff804eb26f9e94df2fd15c7f60be2e4"
    "e72ab9131b08e040e502fa0df3ec7fc6d2dd1a0de4dc2f2c0fe80106e4dadae1181f3911cc2411f71de425d91b031c0f"
    "0feefe10f015f8dbebfd153d100bfd16d305e3f2030918e43531fbe32ef8b5d30de5d514e4ddc60cfae00e0e3907ceda"
    "15da60ca1e2e3df6d1a019f62953f804f7f12f0436fdf8e20f3e10c8d20bf05df753ef210fe6cf2e0643d1f518061afd"
    "0ef5def860e9d3f83b0be71ec1f4c42728dfc9e4511af305f207572ae7dbeffc26f4d60ff200e102f608defcf1f31820"
    "13f5fccdcc11ebbcfee459ce4de4f8f0fd1314e5041b07262bf6ef0f0bcc32efca04d300cdd30c1c0b6508f2e908f30a"
    "e93cc31dffa10fd529fd1ce1fe2802f7250f0715e0fc25ef1cdfecff1eef2a422f0de2dbbefbfe00db2c159c06fb19fc"
    "e10d2434f838ba1449dff023c921ead0f90bf1f35c10d616ef0810fcdfe3f430b22a1e0f41c4d2120ff91eaa283717e5", 1.196677e-02F)
  };
  // clang-format on
  return embedder.find(fitted.embedder) == std::string_view::npos ? nullptr : &fitted;
}

}  // namespace weft
