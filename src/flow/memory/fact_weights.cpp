#include "base/signed_bytes.h"
#include "flow/memory/fact_meaning.h"

namespace weft {

// Written by `weft fit facts`; docs/quality.md says on what.
const FactWeights* fact_weights(std::string_view embedder) {
  // clang-format off
  static const FactWeights fitted{
    "multilingual-e5-small", {{
    {-1.9494, 0.00, {1.3755, 1.9612, 0.6646, 0.7574, 0.6341, 0.6810, 0.4722, 0.3734, -0.0576, -0.2299, 0.1599, 0.9192, 0.3619, -0.3463, -0.2609, -0.0652, -0.1511, 0.1127, 0.2810, -0.1223}},
    {-3.4588, 0.25, {1.8213, 1.6160, 0.0000, 0.6989, 0.1573, 0.9331, 0.6422, -0.1144, 0.2459, -0.0012, 0.8948, -0.2506, -0.0706, -0.3824, -0.1040, -0.1919, -0.4212, -0.9343, 0.5147, -0.3857}}}},
    read_signed_bytes(
    "dd3513eb02edd5f000f5d41406c423fc42c7fbc71e2d0b0dd9d40aebecf622f6bbfd04e926fdf24cedf9fec5000de4e9"
    "db34c71220ffdd44edfbf802fded7fc8d9d61a12e7d8302d07dd0d07dce7e5e0171e3d16c92914f31be829d711ff1f0a"
    "27ebf50af20c09e8f0f303411a08f712d706e6e60a041bd32d4507db2defadd507e3d510e2dccc13feef07103007d2e2"
    "17dd62c3163844f3dd9b20fb2856f30cf0eb26033901f9de144602cbcd00e557f452ff2411f2d533ff56cfec1d0b1f03"
    "04edd5f45be4c5f73f12e821c3fbc91626dab6ea4d1d030be406542cedeafbe91efbd301f40de504f61fdef0ecf91322"
    "1bf50abfd811f4cbf7dd47c42fddf9eefb1f01dffc2210272dfdee0c03cb39e2c611d8fbd2d30b19044e10f9e40cfd03"
    "e73ec70cf4b313c52af113ec012f05f629040f1ed0fa2ff123e5e5111ef92a57330bd9d8bef706fcdd1a0b9d060315f8"
    "d50a1b2f0325b81441e3f121d429f4d9f80ee900421fec1cf00b0f0ed3e7f42ca3231c0040bdda1409fb16b1262f12df", 1.841595e-02F)
  };
  // clang-format on
  return embedder.find(fitted.embedder) == std::string_view::npos ? nullptr : &fitted;
}

}  // namespace weft
