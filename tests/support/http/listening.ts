import type { AddressInfo, Server } from "node:net";

/** Listens on a free port of this machine while `use` runs. Then it waits for the connections to end. */
export async function withListening<T>(server: Server, use: (port: number) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    await new Promise<void>((resolve) => server.listening ? server.close(() => resolve()) : resolve());
  }
}
