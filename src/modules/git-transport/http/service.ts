import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../../api/index.ts'
import { type Platform, throttleAnonymousGit } from '../../../platform/index.ts'
import type { RepositoryRow } from '../../../platform/repositories/index.ts'
import { countFetch } from '../../fetch-statistics/index.ts'
import { admit, type GitService } from '../access/admission.ts'
import { isAnonymous, jobOf } from '../access/callers.ts'
import { GitAccessDenied, identify } from '../access/credentials.ts'
import { type GitRefusal, sentenceOf, sentences } from '../access/refusals.ts'
import { advertise, type Exchange, fetch, push } from './transfers.ts'

const transportPath = /^\/(.+?)\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/
const plainPath = /^\/((?!api\/)[^?]+?)\/info\/refs$/
const services: readonly string[] = ['git-upload-pack', 'git-receive-pack'] satisfies GitService[]

/** Decodes the path of a project in a URL; null when it is malformed or contains NUL. */
export function decodePath(path: string): string | null {
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

/** The answer to missing or wrong credentials (contract 22, B in the table of the transport). */
export function deniedSentence(externalUrl: string): string {
  return (
    'HTTP Basic: Access denied. If a password was provided for Git authentication, the password was incorrect or ' +
    "you're required to use a token instead of a password. If a token was provided, it was either incorrect, expired, " +
    `or improperly scoped. See ${externalUrl}/help/topics/git/troubleshooting_git.md` +
    '#error-on-git-fetch-http-basic-access-denied'
  )
}

/** A refusal as an answer over HTTP. */
type RefusalAnswer = { status: number; text: string; headers: Record<string, string> }

function answerOf({ externalUrl }: Platform, refusal: GitRefusal): RefusalAnswer {
  if (refusal.kind === 'credentials') {
    const headers = { 'WWW-Authenticate': 'Basic realm="GitLab"' }
    return { status: 401, text: deniedSentence(externalUrl), headers }
  }
  const status = { not_found: 404, unprocessable: 422, forbidden: 403 }[refusal.kind]
  return { status, text: sentenceOf(refusal), headers: {} }
}

function refuse(platform: Platform, reply: FastifyReply, refusal: GitRefusal): void {
  const { status, text, headers } = answerOf(platform, refusal)
  sendText(reply, status, text, headers)
}

const sshOnly: RefusalAnswer = { status: 403, text: 'Git access over HTTP is not allowed', headers: {} }

/**
 * Decides a fetch for a server that has a copy of the repository (contract 15, x.geo_int.authorize).
 * @param path of the request, such as `/g/p.git/info/refs`
 * @returns the repository, and whether this caller fetches refs that others do not see; or how the fetch is refused
 */
export async function authorizeGitRead(
  platform: Platform,
  path: string,
  authorization: string | undefined,
): Promise<{ row: RepositoryRow; showsMore: boolean } | { refusal: RefusalAnswer }> {
  const { enabled_git_access_protocol: protocol } = await platform.settings.current()
  if (protocol === 'ssh') return { refusal: sshOnly }
  const fullPath = decodePath(transportPath.exec(path.split('?', 1)[0] ?? '')?.[1] ?? '')
  if (fullPath === null || fullPath === '') return { refusal: answerOf(platform, { kind: 'not_found' }) }
  try {
    const caller = await identify(platform, authorization, '')
    const access = await admit(platform, fullPath, caller, 'git-upload-pack')
    if ('kind' in access) return { refusal: answerOf(platform, access) }
    return { row: access.row, showsMore: jobOf(caller) !== null }
  } catch (error) {
    if (error instanceof GitAccessDenied) return { refusal: answerOf(platform, { kind: 'credentials' }) }
    throw error
  }
}

async function serve(
  platform: Platform,
  { request, reply }: Exchange,
  fullPath: string,
  service: GitService,
  isAdvertisement: boolean,
): Promise<void> {
  const { enabled_git_access_protocol: protocol } = await platform.settings.current()
  if (protocol === 'ssh') return sendText(reply, sshOnly.status, sshOnly.text)
  const caller = await identify(platform, request.headers.authorization, request.ip)
  const access = await admit(platform, fullPath, caller, service)
  if ('kind' in access) return refuse(platform, reply, access)
  if (caller.kind === 'actor' && caller.actor.kind === 'user') request.userId = caller.actor.userId
  const admitted = { request, reply, access, caller }
  if (isAdvertisement && service === 'git-upload-pack') countFetch(platform, access)
  if (isAdvertisement) await advertise(platform, admitted, service)
  else if (service === 'git-upload-pack') await fetch(platform, admitted)
  else await push(platform, admitted)
}

/** Answers `info/refs` without a service, or with an unknown one. */
async function refuseService(platform: Platform, { request, reply }: Exchange): Promise<void> {
  const caller = await identify(platform, request.headers.authorization, request.ip)
  if (isAnonymous(caller)) refuse(platform, reply, { kind: 'credentials' })
  else sendText(reply, 403, sentences.notAllowed)
}

async function answer(platform: Platform, exchange: Exchange, path: string, action: string): Promise<void> {
  const { request, reply } = exchange
  const fullPath = decodePath(path)
  const isAdvertisement = action === 'info/refs'
  const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '')
  const service = isAdvertisement ? (query.get('service') ?? '') : action
  request.operationId = isAdvertisement ? 'git.info_refs' : service.replace('git-', 'git.').replace('-', '_')
  if (request.method !== (isAdvertisement ? 'GET' : 'POST')) return sendText(reply, 403, '')
  if (!services.includes(service)) return refuseService(platform, exchange)
  const contentType = request.headers['content-type']
  if (!isAdvertisement && contentType !== `application/x-${service}-request`) return sendText(reply, 415, '')
  if (fullPath === null) return refuse(platform, reply, { kind: 'not_found' })
  await serve(platform, exchange, fullPath, service as GitService, isAdvertisement)
}

/** Where a request without `.git` in its path is redirected; null when it is not a git request. */
function redirectOf({ externalUrl }: Platform, request: FastifyRequest, path: string, query = ''): string | null {
  const plain = request.method === 'GET' ? plainPath.exec(path)?.[1] : undefined
  if (plain === undefined || !query.includes('service=git-')) return null
  return `${externalUrl}/${plain}.git/info/refs?${query}`
}

/** Git over HTTP (contract 22, x.git_info_refs, x.git_upload_pack, x.git_receive_pack, x.git_redirect). */
export function gitHttp(platform: Platform): Service {
  return {
    async handle(request, reply) {
      const [path = '', query] = request.url.split('?', 2)
      const match = transportPath.exec(path)
      if (!match) {
        const location = redirectOf(platform, request, path, query)
        if (location !== null) sendText(reply, 301, '', { Location: location })
        return location !== null
      }
      try {
        if (!request.headers.authorization) await throttleAnonymousGit(platform, request.ip)
        await answer(platform, { request, reply }, match[1] ?? '', match[2] ?? '')
      } catch (error) {
        if (!(error instanceof GitAccessDenied)) throw error
        refuse(platform, reply, { kind: 'credentials' })
      }
      return true
    },
  }
}
