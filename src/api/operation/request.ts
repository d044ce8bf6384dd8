import type { RawParameters } from './parameters/nested-parameters.ts'

/** What operations and subjects can read of a request besides its parameters. */
export type RequestInfo = {
  id: string
  method: string
  /** Path and query, undecoded. */
  url: string
  /** The path's parameters, decoded once. */
  path: Record<string, string>
  /** The parameters of the query alone. */
  query?: RawParameters
  /** All parameters as they came: path over body over query. */
  raw: RawParameters
  /** The body of operations with `bytes`. */
  bytes?: Buffer | undefined
  /** The body of operations with `stream`; its reader sets the limit. */
  stream?: AsyncIterable<Buffer> | undefined
  headers: Record<string, string | string[] | undefined>
  ip: string
  /** Aborted when the client goes away. */
  signal: AbortSignal
}

/** The value of a header; the first one when it was sent several times. */
export function header(request: Pick<RequestInfo, 'headers'>, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The body of an operation with `stream`. */
export function streamOf({ stream }: RequestInfo): AsyncIterable<Buffer> {
  if (!stream) throw new Error('the operation does not declare `stream`')
  return stream
}
