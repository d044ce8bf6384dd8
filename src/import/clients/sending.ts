import { Readable } from 'node:stream'
import { NotBrought, Refused, type Side, Unreachable } from './errors.ts'
import { sendStream } from './sending-streams.ts'

/** How requests wait, and where it is said. */
export type Waiting = {
  wait(ms: number): Promise<void>
  now(): Date
  /** Shows a line to the operator. */
  note(line: string): void
}

/** What a request sends. */
export type Body = string | FormData | Uint8Array<ArrayBuffer> | Readable | undefined

export type Outgoing = {
  side: Side
  url: URL
  method: string
  headers: Record<string, string>
  body?: Body
  /** Whether it may be sent again when it is not known what became of it. */
  repeatable: boolean
}

const mostTries = 5
const firstPauseMs = 1000
const mostLimited = 60
const defaultLimitedMs = 10_000
const longestLimitedMs = 600_000
const unavailable = [502, 503, 504]

/** The time that a `Retry-After` names, in seconds or as a date. */
export function pauseOf(header: string | null, now: Date): number {
  if (header === null || header.trim() === '') return defaultLimitedMs
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now.getTime()
  return Number.isNaN(ms) ? defaultLimitedMs : Math.min(Math.max(ms, firstPauseMs), longestLimitedMs)
}

async function trySending({ url, method, headers, body }: Outgoing): Promise<Response | Error> {
  if (body instanceof Readable) return sendStream({ url, method, headers, body })
  return fetch(url, { method, headers, body: body ?? null, redirect: 'manual' }).catch((error: Error) => error)
}

function reasonOf({ cause, message }: Error): string {
  const { code, message: text } = (cause ?? {}) as NodeJS.ErrnoException
  return code ?? text ?? message
}

/**
 * Sends a request. Waits where the server limits the rate, and tries again where it does not answer.
 * @returns the answer, whatever its status; redirects are not followed
 * @throws Unreachable, and NotBrought for a stream of which a part may have been sent
 */
export async function send(waiting: Waiting, outgoing: Outgoing): Promise<Response> {
  const { side, url, repeatable } = outgoing
  let limited = 0
  for (let tries = 1; ; tries += 1) {
    const answer = await trySending(outgoing)
    const isLast = !repeatable || tries >= mostTries
    if (answer instanceof Error) {
      if (isLast) throw new Unreachable(side, url.origin, reasonOf(answer))
      await waiting.wait(firstPauseMs * 2 ** (tries - 1))
      continue
    }
    if (answer.status === 429 && limited < mostLimited && !(outgoing.body instanceof Readable)) {
      await answer.body?.cancel()
      const pauseMs = pauseOf(answer.headers.get('retry-after'), waiting.now())
      if (limited === 0) waiting.note(limitNote(side, url, pauseMs))
      limited += 1
      tries -= 1
      await waiting.wait(pauseMs)
      continue
    }
    if (!unavailable.includes(answer.status) || isLast) return answer
    await answer.body?.cancel()
    await waiting.wait(firstPauseMs * 2 ** (tries - 1))
  }
}

const limitNote = (side: Side, { pathname }: URL, pauseMs: number) =>
  `${side === 'source' ? 'The source' : 'This server'} limits the rate of requests; waiting ${Math.ceil(pauseMs / 1000)} s (${pathname})`

/** More is not read of an answer that is held in memory. */
const mostBytes = 32 * 1024 * 1024

/** The bytes of an answer. @throws NotBrought for more than the limit, or when the answer breaks off */
export async function bytesOf({ body }: Response, limit = mostBytes): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (!body) return Buffer.alloc(0)
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > limit) throw new NotBrought(`the answer has more than ${limit} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof NotBrought ? error : new NotBrought(`the answer breaks off (${reasonOf(error as Error)})`)
  }
  return Buffer.concat(chunks)
}

/** The JSON of an answer. @throws NotBrought */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = (await bytesOf(response)).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new NotBrought('the answer is not JSON')
  }
}

const longestSaid = 300

/** The error of an answer that is no success. */
export async function refusalOf(side: Side, response: Response): Promise<Refused> {
  const text = await bytesOf(response, 100_000).then(String, () => '')
  return new Refused(side, response.status, saidIn(text).slice(0, longestSaid))
}

function saidIn(text: string): string {
  try {
    const { message, error } = JSON.parse(text)
    const said = message ?? error
    return typeof said === 'string' ? said : JSON.stringify(said ?? '')
  } catch {
    return ''
  }
}
