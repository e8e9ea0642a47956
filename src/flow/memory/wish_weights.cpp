#include "base/signed_bytes.h"
#include "flow/memory/wish_meaning.h"

namespace weft {

// Written by `weft fit wishes`; docs/quality.md says on what.
const WishWeights* wish_weights(std::string_view embedder) {
  // clang-format off
  static const WishWeights fitted{
    "multilingual-e5-small", -6.3571, 0.6542, 1.0903, read_signed_bytes(
    "d3d43b1bc1f023c202ae1da90c3a2315c8fbf43c2ed1a3f8192f0bf0ea0be9771d0d070ce307d91be01a15ff56af1155"
    "20fd0fed1c0112c534f5fce435d4fb1139483a30093b0d09ecebef0202122539c8ece20b17050dea0dd114e2dd0631e7"
    "d9341a07403b3336f3c5c4b0b704ced82c124ff2a12aefd0c1ce26c0dce6f1fcde303007265ef31d1ddef9a9ca2f0634"
    "cbf3210f2509fe622fef1b07d90b4c0bd6f7dbeed4bc0ed8d71b25f41ab407320ad4ef09ebf65414503e56e02e35f024"
    "af322516c932ed02eb1b32d1bee7da235bf711e5bbfd810ae33db4e9defaefcdc2642d12df461b41d2ffefb9e1dc300c"
    "1009d1b509222ebfdf07f5082044e32af0020029bce8e3db01300f0ac0d041a4fa97bacfeb16b5f0aa05f945354e44df"
    "eab332cef8012754e231ed2b2dea04e1e3e0dac310a80b1095080338c8551a08f1d4f7e024f6eced14cef80760b81b29"
    "d1d112bccbc7c73d50e56ef060be2ef1130e6d23c4f4374122aa1658180ad938e804331defb327efc023d4e7924bf723", 3.351994e-02F)
  };
  // clang-format on
  return embedder.find(fitted.embedder) == std::string_view::npos ? nullptr : &fitted;
}

}  // namespace weft
