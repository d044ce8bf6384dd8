/**
 * The reason phrase of an HTTP status. An `import` of `node:http` would evaluate all of its exports, and one of them loads
 * Node's HTTP client: 10 ms of a start, and 3 MiB.
 */
export function reasonPhrase(status: number | string): string | undefined {
  return process.getBuiltinModule('node:http').STATUS_CODES[status]
}
