import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Operation } from '../../../api/index.ts'
import { collectAnswer, type OpenedAnswer, openOutbound } from '../../../infra/net/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { outboundPolicy } from '../../projects/index.ts'
import { type Call, type Source, type SourceAnswer, SourceFailed, SourceRefused } from './source.ts'

/** For an answer that is read into memory. */
const answerMs = 30_000
const answerBytes = 16 * 1024 * 1024
/** For a file, whose transfer may be long, and for a transfer in which nothing comes. */
const fileMs = 3_600_000
const idleMs = 600_000

type Remote = { url: string; token: string; signal: AbortSignal }

/** The request that performs an operation: parameters of the path in it, the others in the query or in the body. */
function requestOf(base: string, { path, method }: Operation, call: Call) {
  const rest = { ...call } as Record<string, Call[string]>
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name] ?? '')
    delete rest[name]
    return encodeURIComponent(value)
  })
  const url = new URL(`${base}/api/v4${filled}`)
  if (method === 'POST') return { method, url, body: JSON.stringify(rest) } as const
  for (const [name, value] of Object.entries(rest)) url.searchParams.set(name, String(value))
  return { method: 'GET', url, body: '' } as const
}

/** Ends a transfer in which nothing comes for a while. */
function endingIdle(stream: Readable): Readable {
  const end = () => stream.destroy(new SourceFailed('The source instance stopped to answer'))
  if ('setTimeout' in stream) (stream as IncomingMessage).setTimeout(idleMs, end)
  return stream
}

/** A server that is reached by HTTP. Redirects are not followed: they may lead elsewhere. */
export function remoteSource(platform: Platform, { url: base, token, signal }: Remote): Source {
  async function send(operation: Operation, call: Call, timeoutMs: number): Promise<OpenedAnswer> {
    const { body, ...request } = requestOf(base, operation, call)
    const headers = {
      'PRIVATE-TOKEN': token,
      'User-Agent': 'Fennec',
      ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
    }
    const policy = outboundPolicy(await platform.settings.current())
    return openOutbound({ ...request, body, headers, policy, timeoutMs, signal }).catch((error) => {
      signal.throwIfAborted()
      throw new SourceFailed('The source instance does not answer', { cause: error })
    })
  }

  return {
    async ask(operation, call): Promise<SourceAnswer> {
      const { status, stream } = await send(operation, call, answerMs)
      const bytes = await collectAnswer(stream, { maximumBytes: answerBytes }).catch((error) => {
        signal.throwIfAborted()
        throw new SourceFailed('The source instance does not answer in time and size', { cause: error })
      })
      try {
        return { status, body: JSON.parse(bytes.toString()) }
      } catch {
        if (status >= 400) return { status, body: null }
        throw new SourceFailed('The source instance answers with what is not JSON')
      }
    },
    async open(operation, call): Promise<Readable> {
      const { status, stream } = await send(operation, call, fileMs)
      if (status === 200) return endingIdle(stream)
      stream.destroy()
      throw new SourceRefused(status)
    },
  }
}
