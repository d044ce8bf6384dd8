import { openOutbound } from '../../../infra/net/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { outboundPolicy } from '../../projects/index.ts'
import { keyOfArchive, type Owner } from '../owner.ts'

export const uploadMethods = ['PUT', 'POST'] as const

/** Where an archive is sent instead of being stored. */
export type Upload = { url: string; method: (typeof uploadMethods)[number] }

const sealingContext = ({ kind, id }: Owner) => `transfer_exports:${kind}:${id}:upload`

/** An address is a secret: it may have credentials. */
export async function sealedUpload({ secrets }: Platform, owner: Owner, upload: Upload): Promise<string> {
  return (await secrets.sealer()).seal(JSON.stringify(upload), sealingContext(owner))
}

/** @throws SealError */
export async function openedUpload({ secrets }: Platform, owner: Owner, sealed: string): Promise<Upload> {
  return JSON.parse((await secrets.sealer()).open(sealed, sealingContext(owner)))
}

/** How long the sending of an archive may take (contract 25, States). */
const sendingMs = 10 * 60_000

/** Sends a stored archive. @throws Error when it cannot be sent, or is refused */
export async function sendArchive(
  { objects, settings }: Platform,
  secret: string,
  { url, method }: Upload,
  signal: AbortSignal,
): Promise<void> {
  const opened = await objects.get(keyOfArchive(secret))
  if (!opened) throw new Error('the archive is missing')
  const { stream, sizeBytes } = opened
  try {
    const answer = await openOutbound({
      ...{ method, url: new URL(url), signal, timeoutMs: sendingMs },
      policy: outboundPolicy(await settings.current()),
      headers: { 'Content-Type': 'application/gzip' },
      body: { stream, sizeBytes },
    })
    answer.stream.destroy()
    if (answer.status < 200 || answer.status > 299) throw new Error(`the receiver has answered with ${answer.status}`)
  } finally {
    stream.destroy()
  }
}
