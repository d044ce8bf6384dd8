import type { Readable, Writable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Service } from '../../api/index.ts'
import { callerOf, GitError } from '../../infra/git/index.ts'
import type { Repositories } from '../repositories/index.ts'
import { type GitAccess, type GitRefusal, type GitService, type gitAccess, sentences } from './access.ts'
import { bodyOf, refuseBody, refuseIdle, refuseProtocol } from './body.ts'
import { nameOf } from './caller-names.ts'
import { GitAccessDenied, type GitCaller, type gitAuthentication } from './credentials.ts'
import { pushGateOf } from './push-gate.ts'

export type GitHttpNeeds = {
  externalUrl: string
  identify: ReturnType<typeof gitAuthentication>
  admit: ReturnType<typeof gitAccess>
  repositories: Repositories
  /** Throws when too many requests without credentials come from one address. */
  throttleAnonymous(ip: string): Promise<void>
  /** What the pusher's refused sentences begin with (contract 01). */
  messagePrefix: string
  /** Largest pack that is taken, in bytes; null for any. */
  maxInputSizeBytes(): Promise<number | null>
  /** Whether git may come by HTTP at all (setting `enabled_git_access_protocol`). */
  httpAllowed(): Promise<boolean>
  log: Logger
}

const transportPath = /^\/(.+?)\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/
const plainPath = /^\/((?!api\/)[^?]+?)\/info\/refs$/
const services: readonly string[] = ['git-upload-pack', 'git-receive-pack']

function decodePath(path: string): string | null {
  try {
    const text = decodeURIComponent(path)
    return text.includes('\u0000') ? null : text
  } catch {
    return null
  }
}

function sendText(reply: FastifyReply, status: number, text: string, headers: Record<string, string> = {}): void {
  reply
    .headers({ 'Cache-Control': 'no-cache', ...headers })
    .code(status)
    .type('text/plain; charset=utf-8')
    .send(text)
}

/** What whoever comes without good credentials is told (contract 22, B in the table of the transport). */
export function deniedSentence(externalUrl: string): string {
  return (
    'HTTP Basic: Access denied. If a password was provided for Git authentication, the password was incorrect or ' +
    "you're required to use a token instead of a password. If a token was provided, it was either incorrect, expired, " +
    `or improperly scoped. See ${externalUrl}/help/topics/git/troubleshooting_git.md` +
    '#error-on-git-fetch-http-basic-access-denied'
  )
}

/** Git over HTTP (contract 22, x.git_info_refs, x.git_upload_pack, x.git_receive_pack, x.git_redirect). */
export function createGitHttp(needs: GitHttpNeeds): Service {
  const { externalUrl, identify, admit, repositories, log } = needs
  const remoteUrl = (fullPath: string) => `${externalUrl}/${fullPath}.git`
  const denied = deniedSentence(externalUrl)

  function refuse(reply: FastifyReply, refusal: GitRefusal): void {
    if (refusal.kind === 'credentials') sendText(reply, 401, denied, { 'WWW-Authenticate': 'Basic realm="GitLab"' })
    else if (refusal.kind === 'not_found') sendText(reply, 404, sentences.notFound)
    else if (refusal.kind === 'unprocessable') sendText(reply, 422, refusal.sentence)
    else sendText(reply, 403, refusal.sentence)
  }

  /** Answers with what git writes; the head goes out with the first byte, so that a failure before it can be told. */
  async function stream(
    reply: FastifyReply,
    contentType: string,
    work: (output: Writable, signal: AbortSignal) => Promise<unknown>,
    input?: Readable,
  ): Promise<void> {
    reply.hijack()
    const { raw } = reply
    const abort = new AbortController()
    raw.once('close', () => abort.abort())
    raw.setHeader('Content-Type', contentType)
    raw.setHeader('Cache-Control', 'no-cache, max-age=0, must-revalidate')
    raw.setHeader('X-Content-Type-Options', 'nosniff')
    raw.setHeader('X-Request-Id', reply.request.id)
    try {
      await work(raw, abort.signal)
    } catch (error) {
      const code = error instanceof GitError ? error.code : undefined
      if (code !== 'aborted' && code !== 'protocol_error' && !abort.signal.aborted)
        log.warn({ err: error, request_id: reply.request.id }, 'git transfer failed')
      if (raw.headersSent || raw.destroyed) raw.destroy()
      else if (input?.errored) refuseBody(raw, input.errored)
      else if (code === 'protocol_error') refuseProtocol(raw)
      else if (input && code === 'timeout' && !input.readableEnded) refuseIdle(raw)
      else raw.writeHead(503, { 'Content-Type': 'text/plain', 'Retry-After': '30' }).end('503 Service Unavailable')
    }
  }

  function protocolOf(request: FastifyRequest): string | undefined {
    const value = request.headers['git-protocol']
    return typeof value === 'string' ? value : undefined
  }

  async function advertise(
    request: FastifyRequest,
    reply: FastifyReply,
    access: GitAccess,
    caller: GitCaller,
    service: GitService,
  ) {
    const repository = await repositories.open(access.row)
    await stream(reply, `application/x-${service}-advertisement`, (output, signal) =>
      repository.advertise(
        {
          service: service === 'git-upload-pack' ? 'upload-pack' : 'receive-pack',
          protocol: protocolOf(request),
          signal,
          caller: callerOf(nameOf(caller), request.ip),
        },
        output,
      ),
    )
  }

  async function fetch(request: FastifyRequest, reply: FastifyReply, access: GitAccess, who: GitCaller) {
    const repository = await repositories.open(access.row)
    const input = bodyOf(request.raw, false)
    const caller = callerOf(nameOf(who), request.ip)
    const work = (output: Writable, signal: AbortSignal) =>
      repository.uploadPack({ stateless: true, protocol: protocolOf(request), signal, caller }, input, output)
    await stream(reply, 'application/x-git-upload-pack-result', work, input)
  }

  async function push(request: FastifyRequest, reply: FastifyReply, access: GitAccess, who: GitCaller) {
    const repository = await repositories.open(access.row)
    const maxInputSizeBytes = (await needs.maxInputSizeBytes()) ?? undefined
    const { gateFor, finish } = pushGateOf(access, who, { ...needs, remoteUrl })
    const input = bodyOf(request.raw, true)
    const caller = callerOf(nameOf(who), request.ip)
    const work = (output: Writable, signal: AbortSignal) => {
      const options = { protocol: protocolOf(request), signal, caller, gate: gateFor(repository), maxInputSizeBytes }
      return repository.receivePack({ stateless: true, ...options }, input, output).finally(finish)
    }
    await stream(reply, 'application/x-git-receive-pack-result', work, input)
  }

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    fullPath: string,
    service: GitService,
    isAdvertisement: boolean,
  ) {
    if (!(await needs.httpAllowed())) return sendText(reply, 403, 'Git access over HTTP is not allowed')
    const caller = await identify(request.headers.authorization, request.ip)
    const access = await admit(fullPath, caller, service)
    if ('kind' in access) return refuse(reply, access)
    if (caller.kind === 'actor' && caller.actor.kind === 'user') request.userId = caller.actor.userId
    if (isAdvertisement) await advertise(request, reply, access, caller, service)
    else if (service === 'git-upload-pack') await fetch(request, reply, access, caller)
    else await push(request, reply, access, caller)
  }

  /** `info/refs` without a service, or with one that is not offered. */
  async function refuseService(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller: GitCaller = await identify(request.headers.authorization, request.ip)
    if (caller.kind === 'actor' && caller.actor.kind === 'anonymous') refuse(reply, { kind: 'credentials' })
    else sendText(reply, 403, "The command you're trying to execute is not allowed.")
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, path: string, action: string): Promise<void> {
    const fullPath = decodePath(path)
    const isAdvertisement = action === 'info/refs'
    const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '')
    const service = isAdvertisement ? (query.get('service') ?? '') : action
    const expected = isAdvertisement ? 'GET' : 'POST'
    request.operationId = isAdvertisement ? 'git.info_refs' : service.replace('git-', 'git.').replace('-', '_')
    if (request.method !== expected) return sendText(reply, 403, '')
    if (!services.includes(service)) return refuseService(request, reply)
    const contentType = request.headers['content-type']
    if (!isAdvertisement && contentType !== `application/x-${service}-request`) return sendText(reply, 415, '')
    if (fullPath === null) return refuse(reply, { kind: 'not_found' })
    await serve(request, reply, fullPath, service as GitService, isAdvertisement)
  }

  return {
    async handle(request, reply) {
      const [path = '', query] = request.url.split('?', 2)
      const match = transportPath.exec(path)
      if (!match) {
        const plain = request.method === 'GET' ? plainPath.exec(path)?.[1] : undefined
        if (plain === undefined || !query?.includes('service=git-')) return false
        const url = `${externalUrl}/${plain}.git/info/refs?${query}`
        sendText(reply, 301, '', { Location: url })
        return true
      }
      try {
        if (!request.headers.authorization) await needs.throttleAnonymous(request.ip)
        await answer(request, reply, match[1] ?? '', match[2] ?? '')
      } catch (error) {
        if (!(error instanceof GitAccessDenied)) throw error
        refuse(reply, { kind: 'credentials' })
      }
      return true
    },
  }
}
