import type { RawParameters } from './nested-parameters.ts'

/** What an operation and its subject may know of the request besides its parameters. */
export type RequestInfo = {
  id: string
  method: string
  /** Path and query as they came, undecoded. */
  url: string
  /** The path's parameters, decoded once. */
  path: Record<string, string>
  /** The parameters of the query alone. */
  query?: RawParameters
  /** All parameters as they came: path over body over query. */
  raw: RawParameters
  headers: Record<string, string | string[] | undefined>
  ip: string
  /** Aborted when the client goes away. */
  signal: AbortSignal
}

/** The value of a header that may be sent once. */
export function header(request: Pick<RequestInfo, 'headers'>, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The id that a segment of the path names; 0, which is nobody's, for what is no number and for one beyond all ids. */
export function pathId(text: string | undefined): number {
  const id = /^[+-]?\d+$/.test(text ?? '') ? Number(text) : 0
  return Number.isSafeInteger(id) ? id : 0
}
