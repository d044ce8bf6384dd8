import { type Actor, dayOf, parameterError, requireSignedIn, unauthorized } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { userById } from '../../users/index.ts'
import { latestExpiry } from '../expiry.ts'
import { programScopes } from '../params.ts'
import { scopeWords } from '../scope-words.ts'
import { availableScopes, type WantedToken } from '../validation.ts'
import { createToken } from './personal-tokens.ts'

/** Whether a person asks in a browser. A program is given less, so that its token cannot make a greater one (contract 20 R17). */
const isInBrowser = (actor: Actor) => requireSignedIn(actor).credential.kind === 'session'

async function callerOf({ database }: Platform, actor: Actor) {
  const user = await userById(database.read, requireSignedIn(actor).userId)
  if (!user) throw unauthorized()
  return user
}

/** The last day of a token for which none is asked; null where it has none. */
async function defaultExpiry({ settings, clock }: Platform, actor: Actor): Promise<string | null> {
  const moment = clock.now()
  return isInBrowser(actor) ? latestExpiry(await settings.current(), moment, 'personal') : dayOf(moment)
}

/** What the caller may choose from for an own token, and what it begins with (contract 20, x.user_pat_choices). */
export async function ownTokenChoices(platform: Platform, actor: Actor) {
  const available = availableScopes(platform, await callerOf(platform, actor))
  const scopes = isInBrowser(actor) ? available : available.filter((scope) => programScopes.includes(scope))
  return {
    expires_at: await defaultExpiry(platform, actor),
    scopes: scopes.map((name) => ({ name, description: scopeWords[name] })),
  }
}

/** Creates a token of the caller (contract 20, x.user_pat_create). @throws ApiError 400, 403, 422 */
export async function createOwnToken(platform: Platform, actor: Actor, wanted: WantedToken) {
  const isAllowed = isInBrowser(actor) || wanted.scopes.every((scope) => programScopes.includes(scope))
  if (!isAllowed) throw parameterError('scopes', 'does not have a valid value')
  const expires_at = wanted.expires_at ?? (await defaultExpiry(platform, actor)) ?? undefined
  const whole = { ...wanted, ...(expires_at && { expires_at }) }
  return createToken(platform, await callerOf(platform, actor), whole, { actor })
}
