import type { Readable, Writable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerToOutage } from '../../../api/index.ts'
import { callerOf, GitError, type Repository } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, refsAt } from '../../../platform/repositories/index.ts'
import type { GitAccess, GitService } from '../access/admission.ts'
import { type GitCaller, isAnonymous, jobOf, nameOf } from '../access/callers.ts'
import { maxInputSizeBytes, pushGateOf } from '../push-gate.ts'
import { bodyOf, RequestTooLarge, refuseBody } from './body.ts'

/** A request and its reply. */
export type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** An exchange whose caller has been admitted. */
type Admitted = Exchange & { access: GitAccess; caller: GitCaller }

type Work = (output: Writable, signal: AbortSignal) => Promise<unknown>

const incomplete = "400 Bad request: the body is not a complete request of git's protocol"

/** Answers a failed transfer; after the first byte only the connection can be closed. */
function fail({ log }: Platform, { raw, request }: FastifyReply, error: unknown, input?: Readable, aborted = false) {
  const code = error instanceof GitError ? error.code : undefined
  if (code !== 'aborted' && code !== 'protocol_error' && !aborted) {
    log.warn({ err: error, request_id: request.id }, 'git transfer failed')
  }
  if (raw.headersSent || raw.destroyed) raw.destroy()
  else if (input?.errored instanceof RequestTooLarge) refuseBody(raw, 413, '413 Request Entity Too Large')
  else if (input?.errored) refuseBody(raw, 400, '400 Bad request: the body could not be decompressed')
  else if (code === 'protocol_error') refuseBody(raw, 400, incomplete)
  else if (input && code === 'timeout' && !input.readableEnded) refuseBody(raw, 408, '408 Request Timeout')
  else if (answerToOutage(error)?.status === 507) refuseBody(raw, 507, '507 Insufficient Storage')
  else raw.writeHead(503, { 'Content-Type': 'text/plain', 'Retry-After': '30' }).end('503 Service Unavailable')
}

/** Sends git's output. The headers go out with the first byte, so that an earlier failure can have its own status. */
async function stream(platform: Platform, reply: FastifyReply, contentType: string, work: Work, input?: Readable) {
  reply.hijack()
  const { raw } = reply
  const abort = new AbortController()
  raw.once('close', () => abort.abort())
  raw.setHeader('Content-Type', contentType)
  raw.setHeader('Cache-Control', 'no-cache, max-age=0, must-revalidate')
  raw.setHeader('X-Content-Type-Options', 'nosniff')
  raw.setHeader('X-Request-Id', reply.request.id)
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  await work(raw, abort.signal).catch((error) => fail(platform, reply, error, input, abort.signal.aborted))
}

/**
 * The options of git that depend on the client. A job also fetches the ref of its pipeline (contract 04). From a public
 * project it does so without credentials: git sends those of an address only after a 401.
 */
function clientOf({ request, caller, access }: Admitted) {
  const protocol = request.headers['git-protocol']
  const { row, project } = access
  const mayBeJob = isAnonymous(caller) || jobOf(caller)?.projectId === project?.id
  const opensPipelines = row.kind === 'project' && project !== null && mayBeJob
  return {
    protocol: typeof protocol === 'string' ? protocol : undefined,
    caller: callerOf(nameOf(caller), request.ip),
    ...(opensPipelines ? { shownRefs: 'refs/pipelines' as const } : {}),
  }
}

/** Sends the refs of a repository (x.git_info_refs). */
export async function advertise(platform: Platform, admitted: Admitted, service: GitService): Promise<void> {
  const repository = await openRow(platform, admitted.access.row)
  const pack = service === 'git-upload-pack' ? 'upload-pack' : 'receive-pack'
  const currentRefs = () => refsAt(platform, admitted.access.row, repository)
  const options = { service: pack, currentRefs, ...clientOf(admitted) } as const
  const work: Work = (output, signal) => repository.advertise({ ...options, signal }, output)
  await stream(platform, admitted.reply, `application/x-${service}-advertisement`, work)
}

/** Answers a fetch (x.git_upload_pack). */
export async function fetch(platform: Platform, admitted: Admitted): Promise<void> {
  const { request, reply, access } = admitted
  const repository = await openRow(platform, access.row)
  const input = bodyOf(request.raw, false)
  const currentRefs = () => refsAt(platform, access.row, repository)
  const work: Work = (output, signal) =>
    repository.uploadPack({ stateless: true, signal, currentRefs, ...clientOf(admitted) }, input, output)
  await stream(platform, reply, 'application/x-git-upload-pack-result', work, input)
}

/** Answers a fetch, or sends the refs for it, from a repository to a caller whose right was decided elsewhere. */
export async function serveRepositoryRead(
  platform: Platform,
  { request, reply }: Exchange,
  repository: Repository,
  caller: string | undefined,
): Promise<void> {
  const protocol = request.headers['git-protocol']
  const client = { protocol: typeof protocol === 'string' ? protocol : undefined, ...(caller ? { caller } : {}) }
  if (request.method === 'GET') {
    const work: Work = (output, signal) => repository.advertise({ service: 'upload-pack', signal, ...client }, output)
    return stream(platform, reply, 'application/x-git-upload-pack-advertisement', work)
  }
  const input = bodyOf(request.raw, false)
  const work: Work = (output, signal) => repository.uploadPack({ stateless: true, signal, ...client }, input, output)
  await stream(platform, reply, 'application/x-git-upload-pack-result', work, input)
}

/** Answers a push (x.git_receive_pack). */
export async function push(platform: Platform, admitted: Admitted): Promise<void> {
  const { request, reply, access, caller } = admitted
  const repository = await openRow(platform, access.row)
  const limit = await maxInputSizeBytes(platform)
  const remoteUrl = (fullPath: string) => `${platform.externalUrl}/${fullPath}.git`
  const { gateFor, finish } = pushGateOf(platform, access, caller, remoteUrl)
  const input = bodyOf(request.raw, true)
  const work: Work = (output, signal) => {
    const transfer = { stateless: true, signal, ...clientOf(admitted) }
    const options = { ...transfer, gate: gateFor(repository), maxInputSizeBytes: limit }
    return repository.receivePack(options, input, output).finally(finish)
  }
  await stream(platform, reply, 'application/x-git-receive-pack-result', work, input)
}
