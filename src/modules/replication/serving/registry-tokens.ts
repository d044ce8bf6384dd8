import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { safeEqual } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { foreignRegistryToken, permitsPull, readScopes } from '../../container-registry/index.ts'
import { copiedRepositoryAt } from '../copies/store.ts'
import { confirm, forget, hashed, recallResources } from '../memory/confirmations.ts'
import type { Secondary } from '../secondary/state.ts'
import { anonymousCaller, anonymousHolder, callerOf, holderOf } from './callers.ts'
import { pullOf, registryKeyOf } from './images.ts'

/** Where clients of the registry ask for tokens. */
export const tokenPath = /^\/jwt\/auth\/?$/

/** The action under which the holder of the tokens of a caller is remembered. */
const holding = 'registry_holder'

const queryOf = ({ url }: FastifyRequest) => new URLSearchParams(url.split('?', 2)[1] ?? '')

/** The repositories of which a request for a token asks to pull. */
export function namesToPull(request: FastifyRequest): string[] {
  const scopes = readScopes(queryOf(request).getAll('scope'))
  return scopes.flatMap((scope) => (scope.kind === 'repository' && scope.actions.includes('pull') ? scope.name : []))
}

const forgetPull = (platform: Platform, caller: string, name: string) =>
  forget(platform, { caller, action: 'registry_read', resource: hashed(platform, name) })

/** Remembers for whom the primary has issued a token, and what of the wanted repositories it opens. */
async function rememberToken(platform: Platform, secondary: Secondary, request: FastifyRequest, text: string) {
  const key = registryKeyOf(secondary.configuration)
  const token = key && (await foreignRegistryToken(platform, `Bearer ${text}`, key))
  const holder = token && holderOf(platform, token)
  if (!token || !holder) return
  await confirm(
    platform,
    { caller: callerOf(platform, request), action: holding, resource: holder },
    { type: null, id: null },
  )
  for (const name of namesToPull(request)) {
    const read = pullOf(platform, token, name)
    const id = await copiedRepositoryAt(platform.database.read, name)
    // What one caller may not pull, not everybody may.
    const refused = permitsPull(token, name) ? [] : [holder, anonymousHolder(platform)]
    for (const one of refused) await forgetPull(platform, one, name)
    if (refused.length > 0) continue
    if (read && id !== null) await confirm(platform, read, { type: 'container_repositories', id })
  }
}

function tokenIn(body: Buffer): string | null {
  try {
    const { token } = JSON.parse(body.toString('utf8')) as { token?: unknown }
    return typeof token === 'string' ? token : null
  } catch {
    return null
  }
}

/** Remembers how the primary has answered a request for a token. */
export async function noteTokenAnswer(
  platform: Platform,
  secondary: Secondary,
  request: FastifyRequest,
  { status, body }: { status: number; body: Buffer },
): Promise<void> {
  const text = status === 200 ? tokenIn(body) : null
  if (text !== null) return rememberToken(platform, secondary, request, text)
  if (status !== 401 && status !== 403) return
  const caller = callerOf(platform, request)
  if (caller !== anonymousCaller(platform)) return forget(platform, { caller })
  for (const name of namesToPull(request)) await forgetPull(platform, anonymousHolder(platform), name)
}

/** For whom the primary has issued tokens to a caller within the last day; null when it has issued none. */
export async function holderOfCaller(platform: Platform, request: FastifyRequest): Promise<string | null> {
  const caller = callerOf(platform, request)
  if (caller === anonymousCaller(platform)) return anonymousHolder(platform)
  const [holder] = await recallResources(platform, { caller, action: holding })
  return holder ?? null
}

const prefix = 'fennec-secondary'
const lifetimeSeconds = 300

/** A token of a secondary, which opens its copies while the primary is away: for whom it is, and for which repositories. */
export type AwayToken = { holder: string; names: readonly string[] }

function signatureOf({ config }: Pick<Platform, 'config'>, text: string): string {
  const key = `tokens without the primary:${config.geo.secretAccessKey ?? ''}`
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Issues a token that this secondary alone accepts. */
export function issueAwayToken(platform: Pick<Platform, 'config' | 'clock'>, { holder, names }: AwayToken) {
  const now = platform.clock.now()
  const claims = { holder, names, exp: Math.floor(now.getTime() / 1000) + lifetimeSeconds }
  const text = `${prefix}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  const token = `${text}.${signatureOf(platform, text)}`
  return { token, expires_in: lifetimeSeconds, issued_at: now.toISOString() }
}

/** The token of a request, if this secondary has issued it, and it is valid now. */
export function awayTokenOf(
  platform: Pick<Platform, 'config' | 'clock'>,
  authorization: string | undefined,
): AwayToken | null {
  const sent = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? ''
  const [first, claims = '', signature = '', ...more] = sent.split('.')
  if (first !== prefix || more.length > 0) return null
  if (!safeEqual(signature, signatureOf(platform, `${prefix}.${claims}`))) return null
  const { holder, names, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as AwayToken & {
    exp: number
  }
  return exp * 1000 > platform.clock.now().getTime() ? { holder, names } : null
}
