import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { ObjectError } from '../../infra/objects/index.ts'
import { deniedSentence, GitAccessDenied } from '../git-transport/index.ts'
import { createBatches, readBatch } from './batch.ts'
import { bytesOf, readJson } from './body.ts'
import type { LfsCaller } from './credentials.ts'
import { CredentialsNeeded, type LfsAccess } from './entrance.ts'
import type { LfsLocks } from './locks.ts'
import type { LfsObjects } from './objects.ts'
import { LfsProblem, lfsForbidden, lfsMismatch, lfsNotFound, lfsProblem } from './problems.ts'
import { rangeOf } from './ranges.ts'
import type { LfsOperation } from './tokens.ts'

export const lfsMediaType = 'application/vnd.git-lfs+json'

export type LfsHttpNeeds = {
  externalUrl: string
  clock: Clock
  objects: LfsObjects
  locks: LfsLocks
  authenticate(authorization: string | undefined, ip: string): Promise<LfsCaller>
  enter(fullPath: string, caller: LfsCaller, operation: LfsOperation): Promise<LfsAccess>
  /** Throws when too many requests without credentials come from one address. */
  throttleAnonymous(ip: string): Promise<void>
  /** Whether git may come by HTTP at all (setting `enabled_git_access_protocol`). */
  httpAllowed(): Promise<boolean>
}

const servicePath = /^\/(.+?)\.git\/(info\/lfs|gitlab-lfs)\/([^?]*)/

type Exchange = {
  request: FastifyRequest
  reply: FastifyReply
  /** The parts of the path that are not fixed, as they came. */
  parts: readonly string[]
  caller: LfsCaller
  /** Lets the caller in to the project of the path. */
  enter(operation: LfsOperation): Promise<LfsAccess>
}

type Endpoint = {
  operationId: string
  method: string
  path: RegExp
  run(exchange: Exchange): Promise<unknown>
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw lfsNotFound()
  }
}

function send(reply: FastifyReply, status: number, body: unknown): void {
  reply
    .code(status)
    .header('Content-Type', lfsMediaType)
    .header('Cache-Control', 'no-store')
    .send(Buffer.from(JSON.stringify(body)))
}

/** Large files beside git over HTTP (contract 22, x.lfs_batch … x.lfs_unlock). */
export function createLfsHttp(needs: LfsHttpNeeds): Service {
  const { externalUrl, clock, objects, locks } = needs
  const answerBatch = createBatches({ objects, externalUrl })
  const documentation_url = `${externalUrl}/help`

  async function batch({ request, reply, enter }: Exchange): Promise<void> {
    const wanted = readBatch(await readJson(request.raw, clock))
    const access = await enter(wanted.operation)
    send(reply, 200, await answerBatch(access, wanted, request.headers.authorization))
  }

  async function download({ request, reply, parts: [oid = ''], enter }: Exchange): Promise<void> {
    const access = await enter('download')
    const row =
      (await objects.ownedBy(access.project, [oid])).get(oid) ?? (await objects.inSources(access, [oid])).get(oid)
    if (!row) throw lfsNotFound()
    const etag = `"${oid}"`
    const range = rangeOf(request.headers, { sizeBytes: row.size_bytes, etag })
    const opened = await objects.open(row, range).catch((error) => {
      if (!(error instanceof ObjectError && error.code === 'range_not_satisfiable')) throw error
      reply.header('Content-Range', `bytes */${row.size_bytes}`)
      throw lfsProblem('range_not_satisfiable', 416, 'Range not satisfiable')
    })
    if (!opened) throw lfsNotFound()
    const { stream, sizeBytes, lengthBytes } = opened
    if (range) {
      const last = range.firstByte + lengthBytes - 1
      reply.header('Content-Range', `bytes ${range.firstByte}-${last}/${sizeBytes}`)
    }
    reply
      .code(range ? 206 : 200)
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

  async function upload({ request, reply, parts: [oid = '', size = ''], enter }: Exchange): Promise<void> {
    const { project } = await enter('upload')
    const sizeBytes = Number(size)
    const declared = request.headers['content-length']
    if (declared !== undefined && Number(declared) !== sizeBytes) throw lfsMismatch()
    await objects.store(project, { oid, sizeBytes }, bytesOf(request.raw, clock))
    reply.code(200).send()
  }

  async function listLocks({ request, reply, enter }: Exchange): Promise<void> {
    const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '')
    send(reply, 200, await locks.list(await enter('download'), Object.fromEntries(query)))
  }

  async function createLock({ request, reply, enter }: Exchange): Promise<void> {
    const access = await enter('upload')
    send(reply, 201, await locks.create(access, await readJson(request.raw, clock)))
  }

  async function verifyLocks({ request, reply, enter }: Exchange): Promise<void> {
    const access = await enter('upload')
    send(reply, 200, await locks.verify(access, await readJson(request.raw, clock)))
  }

  async function unlock({ request, reply, parts: [id = ''], enter }: Exchange): Promise<void> {
    const access = await enter('upload')
    send(reply, 200, await locks.unlock(access, id, await readJson(request.raw, clock)))
  }

  const endpoints: readonly Endpoint[] = [
    { operationId: 'lfs.batch', method: 'POST', path: /^info\/lfs\/objects\/batch$/, run: batch },
    { operationId: 'lfs.download', method: 'GET', path: /^gitlab-lfs\/objects\/([0-9a-f]{64})$/, run: download },
    {
      operationId: 'lfs.upload',
      method: 'PUT',
      path: /^gitlab-lfs\/objects\/([0-9a-f]{64})\/(\d{1,15})$/,
      run: upload,
    },
    { operationId: 'lfs.locks', method: 'GET', path: /^info\/lfs\/locks$/, run: listLocks },
    { operationId: 'lfs.lock', method: 'POST', path: /^info\/lfs\/locks$/, run: createLock },
    { operationId: 'lfs.verify_locks', method: 'POST', path: /^info\/lfs\/locks\/verify$/, run: verifyLocks },
    { operationId: 'lfs.unlock', method: 'POST', path: /^info\/lfs\/locks\/([^/]+)\/unlock$/, run: unlock },
  ]

  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (!request.raw.complete) {
      request.raw.resume()
      // What is left of a large body is not waited for.
      const isLarge = request.method === 'PUT' || (error instanceof LfsProblem && error.status === 413)
      if (isLarge) reply.header('Connection', 'close')
    }
    if (error instanceof LfsProblem) return void send(reply, error.status, { ...error.body, documentation_url })
    if (!(error instanceof GitAccessDenied || error instanceof CredentialsNeeded)) throw error
    const challenge = 'Basic realm="GitLab"'
    reply.headers({ 'LFS-Authenticate': challenge, 'WWW-Authenticate': challenge })
    send(reply, 401, { message: deniedSentence(externalUrl), documentation_url })
  }

  /** Where git goes by SSH alone, objects go by HTTP for those who have come by SSH. */
  async function requireProtocol({ grant }: LfsCaller): Promise<void> {
    if (!grant && !(await needs.httpAllowed())) throw lfsForbidden('Git access over HTTP is not allowed')
  }

  async function serve(request: FastifyRequest, reply: FastifyReply, path: string, rest: string): Promise<void> {
    const found = endpoints.find((one) => one.method === request.method && one.path.test(rest))
    if (!found) throw lfsNotFound()
    request.operationId = found.operationId
    const { authorization } = request.headers
    if (!authorization) await needs.throttleAnonymous(request.ip)
    const caller = await needs.authenticate(authorization, request.ip)
    await requireProtocol(caller)
    const { git } = caller
    if (git.kind === 'actor' && git.actor.kind === 'user') request.userId = git.actor.userId
    const fullPath = decode(path)
    if (fullPath.includes('\0')) throw lfsNotFound()
    const parts = (found.path.exec(rest) ?? []).slice(1)
    const enter = (operation: LfsOperation) => needs.enter(fullPath, caller, operation)
    await found.run({ request, reply, parts, caller, enter })
  }

  return {
    async handle(request, reply) {
      const [, path, place, rest] = servicePath.exec(request.url) ?? []
      if (path === undefined) return false
      await serve(request, reply, path, `${place}/${rest}`).catch((error) => refuse(request, reply, error))
      return true
    },
  }
}
