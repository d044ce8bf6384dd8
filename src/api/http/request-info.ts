import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RawParameters } from '../operation/parameters/nested-parameters.ts'
import type { RequestInfo } from '../operation/request.ts'

/**
 * A request as operations see it. `raw` has all parameters: path over body over query. Pass it on as it is: a copy would create
 * the abort signal, which few operations use.
 */
export class ReceivedRequest implements RequestInfo {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly path: Record<string, string>
  readonly query: RawParameters
  readonly raw: RawParameters
  readonly headers: RequestInfo['headers']
  bytes: Buffer | undefined
  stream: AsyncIterable<Buffer> | undefined
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #abort: AbortController | undefined

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    path: Record<string, string>,
    raw: RawParameters,
    query: RawParameters,
  ) {
    this.id = request.id
    this.method = request.method
    this.url = request.url
    this.path = path
    this.query = query
    this.raw = raw
    this.headers = request.headers
    this.#request = request
    this.#reply = reply
  }

  get ip(): string {
    return this.#request.ip
  }

  get signal(): AbortSignal {
    this.#abort ??= abortedOnClose(this.#reply)
    return this.#abort.signal
  }
}

/** A controller that is aborted when the client closes the connection before it has the whole answer. */
function abortedOnClose({ raw }: FastifyReply): AbortController {
  const abort = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) abort.abort()
  })
  if (raw.closed) abort.abort()
  return abort
}
