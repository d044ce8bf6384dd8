import type { IncomingMessage, Server, ServerResponse } from 'node:http'

// An import of the module would load the client of `fetch` (`infra/net/requests-by-node.ts`).
const { prototype } = process.getBuiltinModule('node:http').IncomingMessage

/**
 * Lets clients with `Expect: 100-continue` send their body when it is first read, and not at once: a request that is refused by its
 * headers is answered before its body is sent (RFC 9110, 10.1.1).
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    message._read = (sizeBytes) => {
      if (!response.headersSent) response.writeContinue()
      message._read = prototype._read
      message._read(sizeBytes)
    }
    server.emit('request', message, response)
  })
}
