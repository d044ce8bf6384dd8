import { Agent, request } from 'node:http'

export type Call = { method?: string; path: string; body?: unknown; headers?: Record<string, string> }

/** A caller over kept-alive connections that reads answers to the end and fails on a wrong status. */
export type Caller = { call(call: Call, expected?: number): Promise<string>; close(): void }

/** @param connections how many calls may be under way at once */
export function caller(url: string, token: string, connections = 1): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const call = ({ method = 'GET', path, body, headers }: Call, expected = 200) =>
    new Promise<string>((resolve, reject) => {
      const json = body === undefined ? undefined : JSON.stringify(body)
      const sent = request(
        `${url}${path}`,
        {
          method,
          agent,
          headers: {
            'PRIVATE-TOKEN': token,
            ...(json ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) } : {}),
            ...headers,
          },
        },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk) => chunks.push(chunk))
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            if (answer.statusCode === expected) resolve(text)
            else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`))
          })
          answer.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(json)
    })
  return { call, close: () => agent.destroy() }
}
