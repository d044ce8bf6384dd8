import { failure, unavailable } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { deniedSentence } from '../../git-transport/index.ts'
import { type ConfirmedItem, type Read, recall } from '../memory/confirmations.ts'
import * as store from '../secondary/store.ts'
import type { ReplicaRow } from '../tables.ts'
import { readOf } from './authorizing.ts'
import { anonymousCaller } from './callers.ts'
import { localApi } from './local-api.ts'
import { type Exchange, serveFetch, serveUpload } from './local-reads.ts'

/** What a client reads that cannot be answered without the primary. */
export const awaySentences = {
  change: 'This secondary accepts no changes while its primary cannot be reached.',
  read: 'This secondary cannot answer this request while its primary cannot be reached.',
} as const

const retryAfterSeconds = 30
const gitPath = /\/(?:info\/refs|git-upload-pack|git-receive-pack)$/

/** Whether git reads what is answered under a path. */
export const answersGit = (path: string): boolean => gitPath.test(path)

/** Whether a request would leave everything as it is. */
export const changesNothing = ({ method, url }: { method: string; url: string }) =>
  /[?&]service=git-receive-pack(?:&|$)/.test(url)
    ? false
    : ['GET', 'HEAD', 'OPTIONS'].includes(method) || (url.split('?', 1)[0] ?? '').endsWith('/git-upload-pack')

export const awaySentence = (request: { method: string; url: string }) =>
  awaySentences[changesNothing(request) ? 'read' : 'change']

/** Answers that the primary is needed, and cannot be reached. @throws ApiError 503 where the answer is JSON */
export function refuseWithoutPrimary({ request, reply }: Exchange): void {
  const sentence = awaySentence(request)
  if (!answersGit(request.url.split('?', 1)[0] ?? '')) {
    const refusal = failure(503, `503 Service Unavailable - ${sentence}`)
    Object.assign(refusal.headers, unavailable(retryAfterSeconds).headers)
    throw refusal
  }
  reply
    .code(503)
    .headers({ 'Retry-After': String(retryAfterSeconds), 'Cache-Control': 'no-cache' })
    .type('text/plain; charset=utf-8')
    .send(sentence)
}

/** What the primary has confirmed to a caller within the last day, or to everybody; null when nothing. */
async function confirmed(platform: Platform, read: Read): Promise<ConfirmedItem | null> {
  return (await recall(platform, read)) ?? (await recall(platform, { ...read, caller: anonymousCaller(platform) }))
}

/** The last complete copy of an item, which may be older than the item; null when there is none, or it is damaged. */
export async function lastCopy({ database }: Platform, { type, id }: ConfirmedItem): Promise<ReplicaRow | null> {
  const replica = type === null || id === null ? null : await store.replicaOf(database.read, type, id)
  if (!replica || replica.location === null) return null
  const isDamaged = replica.checksum_mismatch || replica.verification === 'failed' || replica.missing_on_primary
  return isDamaged ? null : replica
}

/** Tries to answer without the primary. @returns false when it cannot be */
type Attempt = (platform: Platform, exchange: Exchange) => Promise<boolean>

/** git sends the credentials of an address only when it is asked for them. */
function askForCredentials({ externalUrl }: Platform, { reply }: Exchange): void {
  reply
    .code(401)
    .headers({ 'WWW-Authenticate': 'Basic realm="GitLab"', 'Cache-Control': 'no-cache' })
    .type('text/plain; charset=utf-8')
    .send(deniedSentence(externalUrl))
}

/** Answers a fetch whose right the primary has confirmed. */
export const fetchWithoutPrimary: Attempt = async (platform, exchange) => {
  const item = await confirmed(platform, readOf(platform, exchange.request, 'git_read'))
  if (!item && exchange.request.headers.authorization === undefined) {
    askForCredentials(platform, exchange)
    return true
  }
  const replica = item && (await lastCopy(platform, item))
  return replica !== null && serveFetch(platform, exchange, replica)
}

/** Answers a request for an upload whose right the primary has confirmed. */
export const uploadWithoutPrimary: Attempt = async (platform, exchange) => {
  const item = await confirmed(platform, readOf(platform, exchange.request, 'upload_read'))
  const replica = item && (await lastCopy(platform, item))
  return replica !== null && serveUpload(platform, exchange, replica)
}

/** Shows the status of this server to callers whom the primary has called administrators. */
export const statusWithoutPrimary: Attempt = async (platform, { request, reply }) => {
  if (!(await recall(platform, readOf(platform, request, 'admin')))) return false
  await localApi(platform).handle(request, reply)
  return true
}
