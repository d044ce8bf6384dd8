import type { FastifyRequest } from 'fastify'
import type { Platform } from '../../../platform/index.ts'
import {
  foreignRegistryToken,
  onRepository,
  permitsPull,
  readScopes,
  refuseRegistryRequest,
  registryChallenge,
  registryProblem,
} from '../../container-registry/index.ts'
import { hashed, recall } from '../memory/confirmations.ts'
import type { Secondary } from '../secondary/state.ts'
import { anonymousHolder, holderOf } from './callers.ts'
import { namedPart, registryKeyOf, storedPart } from './images.ts'
import { type Exchange, servePart } from './local-reads.ts'
import { awayTokenOf, holderOfCaller, issueAwayToken, namesToPull } from './registry-tokens.ts'
import { awaySentence, lastCopy } from './without-primary.ts'

const headers = { 'Docker-Distribution-Api-Version': 'registry/2.0', 'X-Content-Type-Options': 'nosniff' }

const away = (request: FastifyRequest) =>
  registryProblem('UNAVAILABLE', { message: awaySentence(request), headers: { 'Retry-After': '30' } })

/** The address of this secondary, as its record has it. */
export const ownUrl = ({ externalUrl }: Platform, { configuration }: Secondary) =>
  configuration?.node.url.replace(/\/+$/, '') ?? externalUrl

/** What a token opens by itself: one that the primary has issued lately, or one of this secondary. */
async function tokenOf(platform: Platform, { configuration }: Secondary, authorization: string | undefined) {
  const own = awayTokenOf(platform, authorization)
  if (own) return { holder: own.holder, opens: (name: string) => own.names.includes(name) }
  const key = registryKeyOf(configuration)
  const token = key && (await foreignRegistryToken(platform, authorization, key))
  const holder = token && holderOf(platform, token)
  return token && holder ? { holder, opens: (name: string) => permitsPull(token, name) } : null
}

/** The copy of a repository whose pull the primary has confirmed to a holder of tokens, or to everybody. */
async function confirmedCopy(platform: Platform, holder: string, name: string) {
  for (const caller of new Set([holder, anonymousHolder(platform)])) {
    const read = { caller, action: 'registry_read', resource: hashed(platform, name) }
    const item = await recall(platform, read)
    const replica = item && (await lastCopy(platform, item))
    if (replica?.location === name) return replica
  }
  return null
}

/** Issues a token for those of the wanted repositories whose pull was confirmed. @throws RegistryProblem 503 when none was */
export async function tokenWithoutPrimary(platform: Platform, { request, reply }: Exchange): Promise<void> {
  const holder = request.method === 'GET' ? await holderOfCaller(platform, request) : null
  if (holder === null) throw away(request)
  const names: string[] = []
  for (const name of namesToPull(request)) if (await confirmedCopy(platform, holder, name)) names.push(name)
  const asksForMore = readScopes(new URLSearchParams(request.url.split('?', 2)[1] ?? '').getAll('scope')).length > 0
  const isAnonymous = holder === anonymousHolder(platform)
  if (names.length === 0 && (asksForMore || isAnonymous)) throw away(request)
  const body = Buffer.from(JSON.stringify(issueAwayToken(platform, { holder, names })))
  await reply.headers({ 'Cache-Control': 'no-store', 'Content-Type': 'application/json' }).code(200).send(body)
}

/** Answers below `/v2/`. @throws RegistryProblem 401 for a client that has to ask for a token; 503 */
async function pullWithoutPrimary(platform: Platform, secondary: Secondary, exchange: Exchange): Promise<void> {
  const { request, reply } = exchange
  const path = request.url.split('?', 1)[0] ?? ''
  const isPing = path === '/v2' || path === '/v2/'
  const named = isPing ? null : namedPart(request)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || (!isPing && !named)) throw away(request)
  const { authorization } = request.headers
  const token = await tokenOf(platform, secondary, authorization)
  const wanted = named ? [onRepository(named.name, ['pull'])] : []
  if (!token || (named && !token.opens(named.name))) {
    const kind = token ? 'valid' : /^bearer /i.test(authorization ?? '') ? 'invalid' : 'missing'
    throw registryChallenge({ externalUrl: ownUrl(platform, secondary) }, { kind }, wanted)
  }
  if (!named) return void reply.code(200).header('Content-Type', 'application/json').send(Buffer.from('{}'))
  const replica = await confirmedCopy(platform, token.holder, named.name)
  const part = replica && (await storedPart(platform, replica, named))
  if (!part || !(await servePart(platform, exchange, part))) throw away(request)
}

/** Answers a request to the registry from the copies, or refuses it in the form of the registry. */
export async function registryWithoutPrimary(
  platform: Platform,
  secondary: Secondary,
  exchange: Exchange,
  isForToken: boolean,
): Promise<void> {
  exchange.reply.headers(headers)
  const answer = isForToken
    ? tokenWithoutPrimary(platform, exchange)
    : pullWithoutPrimary(platform, secondary, exchange)
  await answer.catch((error) => refuseRegistryRequest(exchange, error))
}
