import type { Platform } from '../../../platform/index.ts'
import { digestAlgorithms } from '../blobs/digest.ts'
import { mountBlob } from '../blobs/mount.ts'
import { requireDigest } from '../blobs/read.ts'
import { sendEmpty } from '../http/answers.ts'
import type { RepositoryExchange } from '../http/endpoint.ts'
import { registryProblem } from '../http/problems.ts'
import { finishUpload, uploadWhole } from './finish.ts'
import { receiveChunk, uploadHeaders } from './receive.ts'
import { beginUpload, dropUpload, keepUpload, requestedUpload, uploadUnknown } from './sessions.ts'

function sendCreated({ reply, name }: RepositoryExchange, digest: string): void {
  sendEmpty(reply, 201, { Location: `/v2/${name}/blobs/${digest}`, 'Docker-Content-Digest': digest })
}

function checkAlgorithm(name: string | null): void {
  if (name === null || (digestAlgorithms as readonly string[]).includes(name)) return
  throw registryProblem('DIGEST_INVALID', { detail: { 'digest-algorithm': name } })
}

/** POST of an upload: mounts a blob, uploads it at once, or opens a session (contract 02, x.v2_upload_start). */
export async function startUpload(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const { query, reply, name, place } = exchange
  if (query.has('mount')) {
    const mounted = await mountBlob(platform, exchange)
    if (mounted) return sendCreated(exchange, mounted)
  } else {
    const digest = query.get('digest')
    if (digest !== null) {
      await uploadWhole(platform, exchange, requireDigest(digest))
      return sendCreated(exchange, digest)
    }
    checkAlgorithm(query.get('digest-algorithm'))
  }
  sendEmpty(reply, 202, uploadHeaders(name, await beginUpload(platform, place)))
}

/** GET of an upload (contract 02, x.v2_upload_status). */
export async function getUpload(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const upload = await requestedUpload(platform, exchange)
  await keepUpload(platform, upload)
  sendEmpty(exchange.reply, 204, uploadHeaders(exchange.name, upload))
}

/** PATCH of an upload: appends a chunk (contract 02, x.v2_upload_patch). */
export async function patchUpload(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const upload = await receiveChunk(platform, exchange, await requestedUpload(platform, exchange))
  sendEmpty(exchange.reply, 202, uploadHeaders(exchange.name, upload))
}

/** PUT of an upload: appends the last chunk, if any, and finishes (contract 02, x.v2_upload_put). */
export async function putUpload(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  const begun = await requestedUpload(platform, exchange)
  const digest = requireDigest(exchange.query.get('digest') ?? '')
  await finishUpload(platform, exchange, begun, digest)
  sendCreated(exchange, digest)
}

/** DELETE of an upload (contract 02, x.v2_upload_cancel). */
export async function cancelUpload(platform: Platform, exchange: RepositoryExchange): Promise<void> {
  if (!(await dropUpload(platform, await requestedUpload(platform, exchange)))) throw uploadUnknown()
  sendEmpty(exchange.reply, 204)
}
