#include "ports/embedding/similarity_tables.h"

namespace weft {
namespace {

// Fitted as `calibrate_similarity` does it, on turns of conversations in both languages. Means are signed bytes, two
// hexadecimal digits each, times a step.
constexpr FittedSimilarity kFitted[] = {
    // best cut at a centred cosine of 0.09, balanced accuracy 0.75
    {"multilingual-e5-small", 8.541, 0.0475, 6.742062e-04F,
     "2fddbda164b42b39580f3c2262cdbe3368c7d0a42e06bb3f3951cd27328daec83ead5c3db9b161c1db3052544f37b94dbfceb54c1a612e9c9"
     "9aca44d"
     "5ae60a2056503449ade6b64a0bdc053525b332c4b5bed644b0594cad58d25731a7ae83b1be4a69d450c71cbec91a40b439bcd32c5a4f97d9b"
     "bb63fbc"
     "64d9aabbbae629443c073b30383b3f60aa00f4ccc74ac447602c5ede75c736d53c2d43d09dae3642c09a99f6a5ea3b5cc4c1b826b03dea4fb"
     "7386236"
     "ddd9acacb8b4a62b3ac9fb3fc389a92fbe4b582f08de392c4210962cc439509f8b5de6d80c4cbd165cdf3681aa3f4fa4c748bfc3ba81bdafd"
     "d3c4cbf"
     "c0cc3e9954d4c11bfa1d4099ccb7ce425656b3341edb7450393bc4e5b3c596143fbab3d9305cd8d9421b3f793ae1dd55d1ea15cb41d06a170"
     "d4cbd4a"
     "d0c53346a220183013425347b7b0394ced15c2b7bcc9dab73624b4c53bf31ac5b251beecd550daa31f35b93ae8b458d0bd3f6c851752d030d"
     "5c52b3d"
     "adc942476556e70830ba5a44b7feccb4a83fc0cb3a7d2345",
     7.416593e-04F,
     "4000c5d47de31a36740c2df961eca33154c0cdb8211ab6366138b3343e8fc3d73dbf5f2dc0ba2eafda14527a3756df4bafd7d33c283e09acd"
     "1978e57"
     "5b0e013262343f33c5f2e75710c8201a42e62dbd9bc1d42eb14446ac4dfe4b3cd8bda8b8d63a64f069bceba7ca3b5ac732bdbb3838398bcee"
     "ea148c2"
     "32c0ccebb1bd3b31fd08402bf9152f6ebb14e1e0cc3cc3533d404bd14cc40ccf353837c7ccbd423cb9b89ad793b34d4cafe1de39c1250448d"
     "9137444"
     "f9e4acc1a4dfbf2618eff93cbcb8d022a33e32350ab12b1747eb9124ca3c33a49d42cee2f541b81732e92489dd5842d2c831b5d8c890b1840"
     "f314693"
     "f6be15a556ced333e55439aad297da256267ba2f30e16e48570dbdddadf2b01757c4cddb3a7fc2ce312b204c59c7dd4cdbeee6e242c54b1df"
     "7579546"
     "d0e62d0181410b0823527138bac50933f90cc6d1bfcbe0b24f37bbce651d0bd7b33ab4d7b046bbb22f6ee74cdfac0cd7db2d2588175ad327c"
     "cb9533d"
     "bad03d41581f0b0232994e32ac08ecc6a23cd3be34603c46"},
    // best cut at a centred cosine of 0.09, balanced accuracy 0.76
    {"all-minilm-l6-v2", 6.908, 0.0363, 4.239903e-04F,
     "e7181a08001229dcdde40707050422fa23efda10b714e00e0f0fe81afd080413fd1022f61403ff15feee2a0a02f3d8f12227f5f82a441120f"
     "9fee21d"
     "e40ac73af72ae4ea28c4ba07f02ffaf320ed40f7c5e4e40d01d9ff27e4fb16f60bfad1ce0df79448e9f33b34f70adf3912d5f5f5101fec24e"
     "b205506"
     "385cf318baa111001f16194701fedeebee030a30fbeaf53fd235065c21c1f531261506b91911f51a12a70f0211ebe800f2fc3d10f5e55a01f"
     "220b6fe"
     "b2d6dce10c0706e8e0ecf2d8d10d091042dbf2fdfee10c2c0cfdf3e73a0404397f310ed2eee5dbe340f2c100d4cf16eb23c82223e54612001"
     "b1bedf7"
     "fc120fd2a851fd431b2bfb1dd9e710c494e0efe2f6d1f3f300cceb67eae34209e916f80b1fe5f6e23bdef7dade2ece413db5e0f8df0516c2d"
     "ee80bd1"
     "5419d401bff10feb18cc04e41f1ff03ce5eef20038431bfbe7ebf4efd6df34160fd442f071f2e008e51afe31d115432210fff92dfe0801a20"
     "3cbfae5"
     "e312124dd4feefa0f101f2e4360813fd29fae50a68d8ebfc",
     9.989204e-04F,
     "2b52300bfd0e63fa06cf7f9614d310f3ec0adc07f3f81b39f0fc09192d03c24117042323eeca0517d6d53cdd0011e7271befbe08c2f01527f"
     "fe10204"
     "cc202e0b09ef17f8e61c0ae7f0dab4c208f6fef7d3fe270cd319bb0a0ef4f028db1db522f1e5e405352c101acbcef4dc1311e5a5e9bf00141"
     "2e4d005"
     "1217c3d5b2cd5e00e4051ae5d5df02fdc716ffebdaefe50316c9500d21e0f7f015e425fff21b1ffde7e3e5fb1541f11205d9d4c7213606e21"
     "5cedfe7"
     "d13055e1e60cc0eeffaad92de9f5fae126d9d0f63024b2fbca1c1f0ec4f7fd25353b25f5031482e03c07d800123eb6eff2ed1a68f236c9dd0"
     "9fbf341"
     "282bde19ecdbde12e31b36c1ef09e5dcf35eeecd22b2e12c021b240d062bdbbfcdeb24e605db0823120413db0404fc280909fe1131eb3a1ff"
     "413aa1c"
     "f82127231302f7f6d4bcfc3af1fc0b2cf4db0b00e0b4f4cc08e6f2262af62c08b631e31fde151bb033fc0aecd622b60bca01fcf1f2e8e8083"
     "1fd0ef9"
     "ffde1b0348bf3112fcf5d71429d9dc350f13fe0b2a41e2e3"},
};

}  // namespace

std::span<const FittedSimilarity> fitted_similarities() { return kFitted; }

}  // namespace weft
