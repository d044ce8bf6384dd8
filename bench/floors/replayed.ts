/**
 * The floor for what git's own client takes of a read: the answers of another server, which is asked once for each of them. They are sent
 * from memory, so what is left is the client.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

const [port = '0', origin = ''] = process.argv.slice(2)

type Answer = { status: number; headers: [string, string][]; body: Buffer }
const answers = new Map<string, Answer>()

/** What `fetch` has taken away or adds itself. */
const ofConnection = /^(host|connection|content-length|transfer-encoding|content-encoding|accept-encoding|keep-alive)$/

async function ask({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  const sent = Object.entries(headers).filter(([name]) => !ofConnection.test(name) || name === 'content-encoding')
  const answer = await fetch(new URL(url, origin), {
    method,
    headers: sent.map(([name, value]) => [name, String(value)]),
    ...(method === 'POST' && { body: new Uint8Array(body) }),
  })
  return {
    status: answer.status,
    headers: [...answer.headers].filter(([name]) => !ofConnection.test(name)),
    body: Buffer.from(await answer.arrayBuffer()),
  }
}

/** Requests with the same key have the same answer. */
function keyOf({ method, url, headers }: IncomingMessage, body: Buffer): string {
  const { authorization, 'git-protocol': protocol, 'content-encoding': encoding } = headers
  const digest = createHash('sha256').update(body).digest('hex')
  return JSON.stringify([method, url, authorization, protocol, encoding, digest])
}

const server = createServer(async (request, response) => {
  if (request.url === '/') {
    response.end('ready')
    return
  }
  const body = await buffer(request)
  const key = keyOf(request, body)
  const answer = answers.get(key) ?? (await ask(request, body))
  answers.set(key, answer)
  response.writeHead(answer.status, answer.headers.flat()).end(answer.body)
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
