"""A chat model as a GGUF file that a test writes: one layer that takes the mean of all words, so that its hidden state
says which words a prompt holds, whatever their order. Words that mean the same may be given one direction.
"""

import math
import random
import struct

SIZE = 128
STRING, ARRAY, U32, I32, F32, BOOL = 8, 9, 4, 5, 6, 7
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
TEMPLATE = "{% for message in messages %}{{ message.content }}\n{% endfor %}"


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(name, kind, value):
    packed = {STRING: text, U32: lambda one: struct.pack("<I", one), F32: lambda one: struct.pack("<f", one),
              BOOL: lambda one: struct.pack("<?", one)}
    if kind != ARRAY:
        return text(name) + struct.pack("<I", kind) + packed[kind](value)
    of, items = value
    data = b"".join(text(one) if of == STRING else struct.pack("<f" if of == F32 else "<i", one) for one in items)
    return text(name) + struct.pack("<IIQ", ARRAY, of, len(items)) + data


def words_of(groups):
    """Each word as a token and its beginnings, which a tokenizer that joins neighbours goes through."""
    tokens = [("<unk>", UNKNOWN, 0), ("<s>", CONTROL, 0), ("</s>", CONTROL, 0)]
    tokens += [("<0x%02X>" % byte, BYTE, 0) for byte in range(256)]
    known = {}
    for group, words in enumerate(groups, 1):
        for whole in words + ["\u2581" + word for word in words if word.isascii()]:
            for end in range(1, len(whole)):
                known.setdefault(whole[:end], 0)
            known[whole] = group
    tokens += [(piece, NORMAL, group) for piece, group in sorted(known.items())]
    return tokens


def write_bag_model(path, name, groups):
    """`groups`: lists of words; those of one list are one direction, and all others none."""
    tokens = words_of(groups)
    rand = random.Random(7)
    directions = [[0.0] * SIZE] + [[rand.gauss(0, 1) for _ in range(SIZE)] for _ in groups]
    common = [rand.gauss(0, 0.05) for _ in range(SIZE)]
    embeddings = [[a + b for a, b in zip(common, directions[group])] for _, _, group in tokens]
    flat = lambda value, count: struct.pack("<%df" % count, *([value] * count))
    identity = b"".join(struct.pack("<%df" % SIZE, *[float(row == column) for column in range(SIZE)])
                        for row in range(SIZE))
    narrow = 32
    tensors = [("token_embd.weight", [SIZE, len(tokens)],
                b"".join(struct.pack("<%df" % SIZE, *row) for row in embeddings)),
               ("output_norm.weight", [SIZE], flat(1, SIZE))]
    for part, shape, data in (("attn_norm", [SIZE], flat(1, SIZE)), ("attn_q", [SIZE, SIZE], flat(0, SIZE * SIZE)),
                              ("attn_k", [SIZE, SIZE], flat(0, SIZE * SIZE)), ("attn_v", [SIZE, SIZE], identity),
                              ("attn_output", [SIZE, SIZE], identity), ("ffn_norm", [SIZE], flat(1, SIZE)),
                              ("ffn_gate", [SIZE, narrow], flat(0, SIZE * narrow)),
                              ("ffn_up", [SIZE, narrow], flat(0, SIZE * narrow)),
                              ("ffn_down", [narrow, SIZE], flat(0, SIZE * narrow))):
        tensors.append(("blk.0.%s.weight" % part, shape, data))
    entries = [("general.architecture", STRING, "llama"), ("general.name", STRING, name),
               ("llama.context_length", U32, 2048), ("llama.embedding_length", U32, SIZE),
               ("llama.block_count", U32, 1), ("llama.feed_forward_length", U32, narrow),
               ("llama.attention.head_count", U32, 1), ("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
               ("tokenizer.ggml.model", STRING, "llama"),
               ("tokenizer.ggml.tokens", ARRAY, (STRING, [piece for piece, _, _ in tokens])),
               ("tokenizer.ggml.scores", ARRAY, (F32, [math.log(1 + len(piece)) for piece, _, _ in tokens])),
               ("tokenizer.ggml.token_type", ARRAY, (I32, [kind for _, kind, _ in tokens])),
               ("tokenizer.ggml.bos_token_id", U32, 1), ("tokenizer.ggml.eos_token_id", U32, 2),
               ("tokenizer.ggml.add_bos_token", BOOL, False), ("tokenizer.chat_template", STRING, TEMPLATE)]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(entries))
    head += b"".join(entry(*one) for one in entries)
    at = 0
    for tensor, shape, data in tensors:
        head += text(tensor) + struct.pack("<I", len(shape)) + struct.pack("<%dQ" % len(shape), *shape)
        head += struct.pack("<IQ", 0, at)
        at += len(data) + -len(data) % 32
    with open(path, "wb") as file:
        file.write(head + b"\0" * (-len(head) % 32))
        for _, _, data in tensors:
            file.write(data + b"\0" * (-len(data) % 32))
