import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { mayAccess } from "./permissions.ts";

/** How many descriptors the start of a thread takes: six on Deno 2.9 and seven on Node 24, with some to spare. */
const DESCRIPTORS_OF_THREAD = 16;

/**
 * Descriptors that are kept back for the start of a thread. Clients may take all others, and Deno ends the process if it cannot start a
 * thread for want of a descriptor.
 */
export class DescriptorReserve {
  #kept: number[] = [];

  /** Takes the descriptors, unless they are kept already. Returns false, and keeps none, if not all of them are free. */
  fill(): boolean {
    // Without the permission to open the file, nothing can be kept, and nothing is known to be missing.
    if (!mayAccess("read", devNull)) return true;
    try {
      while (this.#kept.length < DESCRIPTORS_OF_THREAD) this.#kept.push(openSync(devNull, "r"));
      return true;
    } catch {
      this.release();
      return false;
    }
  }

  /** Gives the descriptors back. The caller must start the thread at once, before the process accepts a connection. */
  release(): void {
    for (const descriptor of this.#kept) closeSync(descriptor);
    this.#kept = [];
  }
}
