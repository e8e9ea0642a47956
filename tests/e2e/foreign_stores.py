"""Makes stores with the real chromadb and mem0ai in a folder, for test_foreign_stores.py; run by the interpreter of an
environment that has both. No model is needed: vectors are a digest of the text."""

import hashlib
import json
import os
import sys

BASE = sys.argv[1]
os.environ.update(ANONYMIZED_TELEMETRY="False", MEM0_TELEMETRY="False", OPENAI_API_KEY="none",
                  MEM0_DIR=os.path.join(BASE, "home"))

import chromadb  # noqa: E402
import mem0  # noqa: E402
import mem0.utils.factory as factory  # noqa: E402


def vector(text):
    return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:8]]


class Embedder:
    config = None

    def embed(self, text, *_, **__):
        return vector(text)

    def embed_batch(self, texts, *_, **__):
        return [vector(text) for text in texts]


def make_chroma():
    client = chromadb.PersistentClient(path=os.path.join(BASE, "chroma"))
    notes = client.create_collection("notes", embedding_function=None)
    texts = ["The spare tyre is in the attic.", "我的护照在书桌抽屉里。", "The oars are in the cellar.", "To be deleted."]
    notes.add(ids=["a", "b", "c", "d"], documents=texts, embeddings=[vector(text) for text in texts],
              metadatas=[{"created_at": "2023-02-02T00:00:00Z", "n": 3}, {"timestamp": 1700000000}, {"kept": True}, {"x": 1.5}])
    changed = "The oars are in the boat shed."
    notes.update(ids=["c"], documents=[changed], embeddings=[vector(changed)])
    notes.delete(ids=["d"])
    client.create_collection("empty", embedding_function=None)
    client.create_collection("vectors", embedding_function=None).add(ids=["v"], embeddings=[[.1, .2]], metadatas=[{"k": "v"}])
    with open(os.path.join(BASE, "chroma.json"), "w") as file:
        json.dump({key: value for key, value in notes.get().items() if key in ("ids", "documents", "metadatas")}, file)


def make_mem0(provider, settings):
    folder = os.path.join(BASE, "mem0-" + provider)
    os.makedirs(folder)
    memory = mem0.Memory.from_config({
        "vector_store": {"provider": provider, "config": {"collection_name": "mem0", "path": folder, **settings}},
        "history_db_path": os.path.join(folder, "history.db"),
        "llm": {"provider": "openai", "config": {"api_key": "none"}},
        "embedder": {"provider": "openai", "config": {"api_key": "none"}}})
    memory.add("Allergic to walnuts and pecans.", user_id="dora", infer=False)
    moved = memory.add([{"role": "user", "content": "I live in Ghent."}, {"role": "assistant", "content": "Noted."}],
                       user_id="dora", metadata={"topic": "home"}, infer=False)["results"][0]["id"]
    memory.delete(memory.add("Shall be gone.", user_id="dora", infer=False)["results"][0]["id"])
    memory.update(moved, "I live in Bruges.")
    memory.add("我的船叫海鸥。", user_id="emil", infer=False)
    memory.add("Sail plans are kept in the chart room.", agent_id="captain", infer=False)
    with open(os.path.join(BASE, "mem0-%s.json" % provider), "w") as file:
        json.dump(memory.get_all(filters={"user_id": "dora"}), file)


factory.EmbedderFactory.create = classmethod(lambda *_, **__: Embedder())
make_chroma()
make_mem0("chroma", {})
make_mem0("qdrant", {"embedding_model_dims": 8, "on_disk": True})
print(json.dumps({"chromadb": chromadb.__version__, "mem0": mem0.__version__}))
