/** The brackets that an IPv6 address needs in a URL are put around it, unless they are there. */
export function httpUrl(host: string, port: number): string {
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}
