import { hasCurrent, type RequestedRange, requestedRange } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { sendEmpty } from '../http/answers.ts'
import { grants, onRepository } from '../http/challenge.ts'
import type { RepositoryExchange } from '../http/endpoint.ts'
import { registryProblem } from '../http/problems.ts'
import { blobKey, type Digest, parseDigest } from './digest.ts'
import { type LinkedBlob, linkedBlob, renewLink } from './store.ts'
import { countPulled } from './traffic.ts'

/** How long an address of the object store is valid to which a client is redirected. */
const redirectSeconds = 20 * 60

/** A grace period is begun again when it began longer ago than this, or than a part of itself. */
const renewalMs = 60_000

/** The digest that the path names. @throws RegistryProblem 400 */
export function requireDigest(text: string): Digest {
  const digest = parseDigest(text)
  if (!digest) throw registryProblem('DIGEST_INVALID', { detail: { digest: text } })
  return digest
}

export const blobUnknown = (digest: string) => registryProblem('BLOB_UNKNOWN', { detail: { digest } })

/** The blob that the path names. @throws RegistryProblem 400, 404 */
async function requestedBlob({ database }: Platform, { reference, place }: RepositoryExchange) {
  const digest = requireDigest(reference)
  const blob = place.repository && (await linkedBlob(database.read, place.repository.id, digest))
  if (!blob) throw blobUnknown(digest)
  return { digest, blob, etag: `"${digest}"` }
}

const headersOf = (digest: Digest, etag: string) => ({
  'Docker-Content-Digest': digest,
  ETag: etag,
  'Accept-Ranges': 'bytes',
  'Cache-Control': 'max-age=31536000',
})

async function redirect({ objects, config }: Platform, { reply }: RepositoryExchange, digest: Digest) {
  if (!config.registryRedirect) return false
  const url = await objects.urlOf(blobKey(digest), {
    expiresSeconds: redirectSeconds,
    contentType: 'application/octet-stream',
  })
  if (url === null) return false
  // The address is a secret, and expires.
  sendEmpty(reply, 307, { Location: url, 'Docker-Content-Digest': digest, 'Cache-Control': 'no-store' })
  return true
}

async function sendContent(
  platform: Platform,
  { request, reply }: RepositoryExchange,
  { digest, blob, range }: { digest: Digest; blob: LinkedBlob; range: RequestedRange | null },
): Promise<void> {
  const opened = await platform.objects.get(blobKey(digest), range ? { range } : {})
  if (!opened) {
    request.log.error({ digest }, 'the content of a blob is missing')
    throw blobUnknown(digest)
  }
  countPulled(platform, opened.lengthBytes)
  if (range) reply.header('Content-Range', `bytes ${range.firstByte}-${range.lastByte}/${blob.size_bytes}`)
  reply
    .code(range ? 206 : 200)
    .headers({ 'Content-Type': 'application/octet-stream', 'Content-Length': opened.lengthBytes })
    .send(opened.stream)
}

/** GET of a blob (contract 02, x.v2_blob_get). */
export async function getBlob(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const { request, reply } = exchange
  const { digest, blob, etag } = await requestedBlob(platform, exchange)
  const headers = headersOf(digest, etag)
  if (hasCurrent(request, etag)) return sendEmpty(reply, 304, headers)
  const range = requestedRange(request, { sizeBytes: blob.size_bytes, etag })
  if (range === 'unsatisfiable') {
    throw registryProblem('RANGE_INVALID', { headers: { 'Content-Range': `bytes */${blob.size_bytes}` } })
  }
  if (await redirect(platform, exchange, digest)) return
  reply.headers(headers)
  await sendContent(platform, exchange, { digest, blob, range })
}

/** Whether a client that pushes asks, who relies on the blob from now on. */
const isPushing = ({ token, name }: RepositoryExchange) => grants(token, onRepository(name, ['push']))

/**
 * Begins the grace period of a blob again (contract 02 R10), unless it has just begun: clients ask for every layer.
 * @throws RegistryProblem 404 when the blob was collected meanwhile
 */
async function renew({ database, clock, config }: Platform, repositoryId: number, blob: LinkedBlob): Promise<void> {
  const ageMs = clock.now().getTime() - Date.parse(blob.used_at)
  if (ageMs < Math.min(renewalMs, config.registryGcGraceMs / 100)) return
  const isThere = await database.write((tx) => renewLink(tx, repositoryId, blob.id, now(clock)))
  if (!isThere) throw blobUnknown(blob.digest)
}

/** HEAD of a blob (contract 02, x.v2_blob_head). */
export async function headBlob(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const { request, reply, place } = exchange
  const { digest, blob, etag } = await requestedBlob(platform, exchange)
  if (place.repository && isPushing(exchange)) await renew(platform, place.repository.id, blob)
  const headers = headersOf(digest, etag)
  if (hasCurrent(request, etag)) return sendEmpty(reply, 304, headers)
  sendEmpty(reply, 200, {
    ...headers,
    'Content-Type': 'application/octet-stream',
    'Content-Length': blob.size_bytes,
  })
}
