import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request that a receiver got. */
export type ReceivedRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** A server to which the server under test sends requests. */
export type Receiver = AsyncDisposable & {
  /** `http://127.0.0.1:…` */
  url: string
  /** What came, the oldest first. */
  received: ReceivedRequest[]
  /** Answers requests; 200 with the body `ok` unless told. */
  answer: (response: ServerResponse, request: IncomingMessage) => void
  /** Forgets what came, and answers as at the start. */
  reset(): void
  stop(): Promise<void>
}

const accept: Receiver['answer'] = (response) => void response.writeHead(200, { 'X-Seen': 'yes' }).end('ok')

/** Starts a receiver on a free port of this machine. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    receiver.received.push({ method, url, headers, body: await text(request).catch(() => '') })
    response.on('error', () => {})
    receiver.answer(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  async function stop(): Promise<void> {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: accept,
    reset() {
      receiver.received.length = 0
      receiver.answer = accept
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
  return receiver
}
