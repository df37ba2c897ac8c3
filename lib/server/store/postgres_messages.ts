import { Buffer } from "node:buffer";
import type { Socket } from "node:net";

/** The first byte of a RowDescription, and how many bytes of it follow the name of a column. */
const ROW_DESCRIPTION = "T".charCodeAt(0), AFTER_NAME = 18;

/** A message begins with its kind and its length, which counts itself. */
const HEADER = 5;

/**
 * Closes a connection to PostgreSQL before the driver sees a RowDescription without the columns that it announces. In one that
 * PgBouncer cuts, and goes on with an error of its own, postgres.js 3.4.9 would look for the end of a name for ever.
 */
export function checkMessages(socket: Socket): Socket {
  const { emit } = socket;
  /** The begin of a message whose end has not come. */
  let kept: Buffer | undefined;
  /** How many bytes of another message are still to come. */
  let skips = 0;

  /** Whether a piece completes no message that must not be read. */
  function accept(piece: Buffer): boolean {
    const bytes = kept ? Buffer.concat([kept, piece]) : piece;
    let at = skips;
    while (at + HEADER <= bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      if (bytes[at] === ROW_DESCRIPTION) {
        if (end > bytes.length) break;
        if (!isRowDescription(bytes.subarray(at + HEADER, end))) return false;
      }
      at = end;
    }
    skips = Math.max(0, at - bytes.length);
    kept = at < bytes.length ? bytes.subarray(at) : undefined;
    return true;
  }

  socket.emit = (event: string | symbol, ...values: unknown[]) => {
    if (event !== "data" || accept(values[0] as Buffer)) return Reflect.apply(emit, socket, [event, ...values]);
    socket.destroy(new Error("PostgreSQL sent a message that cannot be read"));
    return true;
  };
  return socket;
}

function isRowDescription(body: Buffer): boolean {
  let at = 2;
  for (let columns = body.length < at ? 0 : body.readUInt16BE(0); columns > 0; columns--) {
    const end = body.indexOf(0, at);
    if (end < 0) return false;
    at = end + 1 + AFTER_NAME;
  }
  return at === body.length;
}
