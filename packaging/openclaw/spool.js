// Turns that the server could not take yet. They wait in a file, so that neither side's restart loses them.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const kMostBytes = 4 * 1024 * 1024;

/** A file of turns, oldest first. Only its owner may read it. One process uses it at a time, one call after another. */
export class Spool {
  constructor(file) {
    this.file = file;
  }

  /** All waiting turns; lines that a crash cut off are left out. */
  async read() {
    let text;
    try {
      text = await readFile(this.file, "utf8");
    } catch (error) {
      if (error.code === "ENOENT") return [];
      throw error;
    }
    return text.split("\n").flatMap((line) => {
      try {
        return line ? [JSON.parse(line)] : [];
      } catch {
        return [];
      }
    });
  }

  /** Puts these turns in the place of the file's. Gives how many of the oldest had no room. */
  async write(turns) {
    const lines = turns.map((turn) => JSON.stringify(turn) + "\n");
    let bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    let dropped = 0;
    while (bytes > kMostBytes) bytes -= Buffer.byteLength(lines[dropped++]);
    if (dropped === lines.length) {
      await rm(this.file, { force: true });
      return dropped;
    }
    await mkdir(path.dirname(this.file), { recursive: true, mode: 0o700 });
    await writeFile(this.file + ".new", lines.slice(dropped).join(""), { mode: 0o600 });
    await rename(this.file + ".new", this.file);
    return dropped;
  }
}
