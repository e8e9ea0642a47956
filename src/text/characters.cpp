#include "text/characters.h"

#include <unicode/uchar.h>

#include "text/utf8.h"

namespace weft {

CharKind kind_beyond_ascii(char32_t c) {
  constexpr std::uint32_t kOfWords = U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK;
  constexpr char32_t kFirstPictograph = 0x2190;  // © and ® before it are signs of text
  if (is_cjk(c)) return CharKind::kCjk;
  if ((U_GET_GC_MASK(static_cast<UChar32>(c)) & kOfWords) != 0) return CharKind::kLetter;
  const bool emoji = c >= kFirstPictograph && u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_EXTENDED_PICTOGRAPHIC);
  return emoji ? CharKind::kEmoji : CharKind::kOther;
}

}  // namespace weft
