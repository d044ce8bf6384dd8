import type { IncomingMessage } from 'node:http'
import { requestTimeout } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { lfsBadRequest, lfsProblem } from '../problems.ts'

/** Enough for a request with a hundred objects. */
const maximumBytes = 256 * 1024
const bodyMs = 60_000

const types = ['application/vnd.git-lfs+json', 'application/json']

async function collect(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > maximumBytes) throw lfsProblem('too_large', 413, 'The request is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parse(bytes: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8') || '{}')
  } catch {
    throw lfsBadRequest('The request is no JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw lfsBadRequest('The request is invalid')
  return value as Record<string, unknown>
}

/**
 * Reads a JSON request into memory.
 * @throws LfsProblem 400, 413, 415; ApiError 408 when it does not arrive in time
 */
export async function readJson(message: IncomingMessage, clock: Clock): Promise<Record<string, unknown>> {
  const type = message.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type)) throw lfsProblem('unsupported_media_type', 415, `The request must be ${types[0]}`)
  const timer = clock.setTimer(() => message.destroy(requestTimeout()), bodyMs)
  try {
    return parse(await collect(message))
  } finally {
    timer.cancel()
  }
}
