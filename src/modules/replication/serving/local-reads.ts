import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasCurrent } from '../../../api/index.ts'
import { callerOf } from '../../../infra/git/index.ts'
import { parseStorageKey, type StorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { serveRepositoryRead } from '../../git-transport/index.ts'
import { serveFile } from '../../uploads/index.ts'
import { repositoryOf } from '../copies/copies.ts'
import type { Verdict } from '../protocol/authorize.ts'
import * as store from '../secondary/store.ts'
import type { ReplicaRow } from '../tables.ts'

/** A request and its reply. */
export type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** The copy that may answer: complete, verified, and equal to what the primary has now; null when there is none. */
export async function currentCopy(platform: Platform, { type, id, checksum }: Verdict): Promise<ReplicaRow | null> {
  if (type === null || id === null || checksum === null) return null
  const replica = await store.replicaOf(platform.database.read, type, id)
  const isVerified = replica?.state === 'synced' && replica.verification === 'succeeded'
  return isVerified && replica.checksum === checksum ? replica : null
}

/** Answers a fetch from a copy. @returns false when the copy is gone */
export async function serveFetch(platform: Platform, exchange: Exchange, replica: ReplicaRow): Promise<boolean> {
  const repository = repositoryOf(platform, replica.location ?? '')
  if (!(await repository.exists())) return false
  await serveRepositoryRead(platform, exchange, repository, callerOf(undefined, exchange.request.ip))
  return true
}

/** Sends bytes with a status and headers; none when the client has them already, or asks with HEAD. */
async function send(
  { request, reply }: Exchange,
  headers: Record<string, string>,
  open: () => Promise<NodeJS.ReadableStream>,
  status: number,
) {
  const isKnown = hasCurrent(request, headers.ETag ?? '')
  const content = isKnown || request.method === 'HEAD' ? undefined : await open()
  const { 'Content-Length': length, ...others } = headers
  reply.code(isKnown ? 304 : status).headers(isKnown ? others : { ...others, 'Content-Length': length })
  await reply.send(content)
}

/** Answers a request for an upload from a copy. @returns false when the copy is gone */
export async function serveUpload(platform: Platform, exchange: Exchange, replica: ReplicaRow): Promise<boolean> {
  const { request } = exchange
  const key = parseStorageKey(replica.location ?? '')
  const head = await platform.objects.head(key)
  if (!head) return false
  const name = decodeURIComponent(/\/([^/?]+)\/?(?:\?|$)/.exec(request.url)?.[1] ?? '')
  const file = { name, sizeBytes: head.sizeBytes, sha256: replica.checksum ?? '', key }
  let status = 200
  const setStatus = (changed: number) => {
    status = changed
  }
  const { headers, body } = await serveFile(platform, { request, setStatus }, file, 'web')
  await send(exchange, headers, body as () => Promise<NodeJS.ReadableStream>, status)
  return true
}

/** A manifest or blob that is stored here. */
export type StoredPart = { key: StorageKey; digest: string; mediaType: string }

/** Answers a request for a part of an image from a copy. @returns false when it is gone */
export async function servePart(platform: Platform, exchange: Exchange, part: StoredPart): Promise<boolean> {
  const { objects } = platform
  const head = await objects.head(part.key)
  if (!head) return false
  const etag = `"${part.digest}"`
  const headers = {
    'Docker-Distribution-Api-Version': 'registry/2.0',
    'Docker-Content-Digest': part.digest,
    ETag: etag,
    'Content-Type': part.mediaType,
    'Content-Length': String(head.sizeBytes),
  }
  const open = async () => {
    const opened = await objects.get(part.key)
    if (!opened) throw new Error('a part of an image has vanished')
    return opened.stream
  }
  await send(exchange, headers, open, 200)
  return true
}
