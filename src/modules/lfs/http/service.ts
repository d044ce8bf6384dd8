import type { FastifyReply, FastifyRequest } from 'fastify'
import { bytesOf, requestedRange, type Service } from '../../../api/index.ts'
import { type Platform, throttleAnonymousLfs, throttleLfsOf } from '../../../platform/index.ts'
import { decodePath, deniedSentence, GitAccessDenied } from '../../git-transport/index.ts'
import { admitLfs, type LfsAccess } from '../access/admission.ts'
import { identifyLfs, type LfsCaller } from '../access/credentials.ts'
import type { LfsOperation } from '../access/tokens.ts'
import { createLock, listProjectLocks, removeLock, verifyLocks } from '../locks/locks.ts'
import { objectsOfProject, objectsOfSources, openObject, storeObject } from '../objects/objects.ts'
import { LfsProblem, lfsForbidden, lfsMismatch, lfsNotFound, lfsProblem } from '../problems.ts'
import { lfsMediaType } from '../routes.ts'
import type { LfsObjectRow } from '../tables.ts'
import { answerBatch, readBatch } from './batch.ts'
import { readJson } from './body.ts'

const servicePath = /^\/(.+?)\.git\/(info\/lfs|gitlab-lfs)\/([^?]*)/

type Exchange = {
  request: FastifyRequest
  reply: FastifyReply
  /** The variable parts of the path, not decoded. */
  parts: readonly string[]
  /** Admits the caller to the project of the path. */
  admit(operation: LfsOperation): Promise<LfsAccess>
}

type Endpoint = {
  operationId: string
  method: string
  path: RegExp
  run(platform: Platform, exchange: Exchange): Promise<unknown>
}

function send(reply: FastifyReply, status: number, body: unknown): void {
  reply
    .code(status)
    .header('Content-Type', lfsMediaType)
    .header('Cache-Control', 'no-store')
    .send(Buffer.from(JSON.stringify(body)))
}

async function batch(platform: Platform, { request, reply, admit }: Exchange): Promise<void> {
  const wanted = readBatch(await readJson(request.raw, platform.clock))
  const access = await admit(wanted.operation)
  send(reply, 200, await answerBatch(platform, access, wanted, request.headers.authorization))
}

/** Opens the requested range. @throws LfsProblem 416 */
async function openRange(platform: Platform, { request, reply }: Exchange, row: LfsObjectRow, etag: string) {
  const range = requestedRange(request, { sizeBytes: row.size_bytes, etag })
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${row.size_bytes}`)
    throw lfsProblem('range_not_satisfiable', 416, 'Range not satisfiable')
  }
  const opened = await openObject(platform, row, range ?? undefined)
  if (!opened) throw lfsNotFound()
  if (range) reply.header('Content-Range', `bytes ${range.firstByte}-${range.lastByte}/${row.size_bytes}`)
  reply.code(range ? 206 : 200)
  return opened
}

async function download(platform: Platform, exchange: Exchange): Promise<void> {
  const { reply, parts, admit } = exchange
  const [oid = ''] = parts
  const access = await admit('download')
  const own = await objectsOfProject(platform, access.project, [oid])
  const row = own.get(oid) ?? (await objectsOfSources(platform, access, [oid])).get(oid)
  if (!row) throw lfsNotFound()
  const etag = `"${oid}"`
  const { stream, lengthBytes } = await openRange(platform, exchange, row, etag)
  reply
    .headers({
      'Content-Type': 'application/octet-stream',
      'Content-Length': lengthBytes,
      'Content-Disposition': 'attachment',
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'no-store',
      ETag: etag,
    })
    .send(stream)
}

async function upload(platform: Platform, { request, reply, parts, admit }: Exchange): Promise<void> {
  const [oid = '', size = ''] = parts
  const { project } = await admit('upload')
  const sizeBytes = Number(size)
  const declared = request.headers['content-length']
  if (declared !== undefined && Number(declared) !== sizeBytes) throw lfsMismatch()
  await storeObject(platform, project, { oid, sizeBytes }, bytesOf(request.raw, platform.clock))
  reply.code(200).send()
}

type LockRule = (platform: Platform, access: LfsAccess, body: Record<string, unknown>, id: string) => Promise<unknown>

/** An endpoint of locks that takes JSON and needs the access of uploads. */
const withBody = (operationId: string, path: RegExp, status: number, rule: LockRule): Endpoint => ({
  operationId,
  method: 'POST',
  path,
  async run(platform, { request, reply, parts: [id = ''], admit }) {
    const access = await admit('upload')
    send(reply, status, await rule(platform, access, await readJson(request.raw, platform.clock), id))
  },
})

const endpoints: readonly Endpoint[] = [
  { operationId: 'lfs.batch', method: 'POST', path: /^info\/lfs\/objects\/batch$/, run: batch },
  { operationId: 'lfs.download', method: 'GET', path: /^gitlab-lfs\/objects\/([0-9a-f]{64})$/, run: download },
  {
    operationId: 'lfs.upload',
    method: 'PUT',
    path: /^gitlab-lfs\/objects\/([0-9a-f]{64})\/(\d{1,15})$/,
    run: upload,
  },
  {
    operationId: 'lfs.locks',
    method: 'GET',
    path: /^info\/lfs\/locks$/,
    async run(platform, { request, reply, admit }) {
      const query = Object.fromEntries(new URLSearchParams(request.url.split('?', 2)[1] ?? ''))
      send(reply, 200, await listProjectLocks(platform, await admit('download'), query))
    },
  },
  withBody('lfs.lock', /^info\/lfs\/locks$/, 201, createLock),
  withBody('lfs.verify_locks', /^info\/lfs\/locks\/verify$/, 200, verifyLocks),
  withBody('lfs.unlock', /^info\/lfs\/locks\/([^/]+)\/unlock$/, 200, removeLock),
]

function refuse({ externalUrl }: Platform, reply: FastifyReply, error: unknown): void {
  const documentation_url = `${externalUrl}/help`
  if (error instanceof LfsProblem) return void send(reply, error.status, { ...error.body, documentation_url })
  if (!(error instanceof GitAccessDenied)) throw error
  const challenge = 'Basic realm="GitLab"'
  reply.headers({ 'LFS-Authenticate': challenge, 'WWW-Authenticate': challenge })
  send(reply, 401, { message: deniedSentence(externalUrl), documentation_url })
}

/** Where git is limited to SSH, only tokens that were issued over SSH open the service. @throws LfsProblem 403 */
async function requireProtocol({ settings }: Platform, { grant }: LfsCaller): Promise<void> {
  const { enabled_git_access_protocol: protocol } = await settings.current()
  if (!grant && protocol === 'ssh') throw lfsForbidden('Git access over HTTP is not allowed')
}

async function serve(platform: Platform, request: FastifyRequest, reply: FastifyReply, path: string, rest: string) {
  const found = endpoints.find((one) => one.method === request.method && one.path.test(rest))
  if (!found) throw lfsNotFound()
  request.operationId = found.operationId
  const { authorization } = request.headers
  if (!authorization) await throttleAnonymousLfs(platform, request.ip)
  const caller = await identifyLfs(platform, authorization, request.ip)
  await requireProtocol(platform, caller)
  const { git } = caller
  if (git.kind === 'actor' && git.actor.kind === 'user') {
    request.userId = git.actor.userId
    await throttleLfsOf(platform, git.actor.userId)
  }
  const fullPath = decodePath(path)
  if (fullPath === null) throw lfsNotFound()
  const parts = (found.path.exec(rest) ?? []).slice(1)
  const admit = (operation: LfsOperation) => admitLfs(platform, fullPath, caller, operation)
  await found.run(platform, { request, reply, parts, admit })
}

/** Git LFS over HTTP (contract 22, x.lfs_batch … x.lfs_unlock). */
export function lfsHttp(platform: Platform): Service {
  return {
    async handle(request, reply) {
      const [, path, area, rest] = servicePath.exec(request.url) ?? []
      if (path === undefined) return false
      await serve(platform, request, reply, path, `${area}/${rest}`).catch((error) => refuse(platform, reply, error))
      return true
    },
  }
}
