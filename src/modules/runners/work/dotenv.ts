import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { answerToOutage, failure } from '../../../api/index.ts'
import { handled, through } from '../../../infra/streams/index.ts'
import type { PlanLimits } from '../../plan-limits/index.ts'

const invalidFormat = () => failure(400, 'Invalid Format')

const line = /^\s*([A-Za-z0-9_]{1,255})\s*=(.*)$/

async function unpacked(path: string, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  // A few kilobytes may unpack to any size, so that reading ends at the limit.
  const content = through(handled(createReadStream(path)), handled(createGunzip()))
  for await (const piece of content as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > maxBytes) throw invalidFormat()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function textOf(bytes: Buffer): string {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  if (text.includes('\u0000')) throw invalidFormat()
  return text
}

/**
 * Reads the variables of a `dotenv` report: gzip of lines `KEY=value` (contract 04, x.runner_artifacts_upload). Of a repeated
 * key the last line counts.
 * @throws ApiError 400
 */
export async function readDotenv(
  path: string,
  { dotenv_size: maxBytes, dotenv_variables: maxVariables }: Pick<PlanLimits, 'dotenv_size' | 'dotenv_variables'>,
): Promise<{ key: string; value: string }[]> {
  const text = await unpacked(path, maxBytes)
    .then(textOf)
    .catch((error) => {
      throw answerToOutage(error) ?? invalidFormat()
    })
  const found = new Map<string, string>()
  for (const written of text.split(/\r?\n/)) {
    if (written.trim() === '') continue
    const [, key, value = ''] = line.exec(written) ?? []
    if (key === undefined) throw invalidFormat()
    found.set(key, value.trim())
  }
  if (found.size > maxVariables) throw invalidFormat()
  return [...found].map(([key, value]) => ({ key, value }))
}
