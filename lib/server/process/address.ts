/** A host and a port as in a URL, with an IPv6 address in brackets. */
export function formatAddress({ hostname, port }: { hostname: string; port: number }): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
