import { randomInt } from 'node:crypto'
import {
  type Actor,
  failure,
  limitRequests,
  notFound,
  type ParamValues,
  type RequestInfo,
  t,
} from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { networkOf } from '../../../infra/net/index.ts'
import { hashToken, randomHex } from '../../../infra/secrets/index.ts'
import { type Platform, throttleProtectedPath } from '../../../platform/index.ts'
import { userById } from '../../users/index.ts'
import { requirePerson, signedInAt } from '../authorization/people.ts'
import { addToGrant } from '../authorization/store.ts'
import { clientOf } from '../clients.ts'
import { invalidClient } from '../errors.ts'
import { firstScopes, maySelect, newFamily } from '../issue.ts'
import { issuerOf } from '../openid/metadata.ts'
import { describeScopes } from '../scopes.ts'
import { askedByUserCode, decideDeviceCode, insertDeviceCode } from './store.ts'

export const deviceRequest = {
  client_id: t.string(),
  client_secret: t.string(),
  scope: t.string({ description: 'Separated by spaces; default `api`, or all of the application.' }),
}
type DeviceRequest = ParamValues<typeof deviceRequest>

export const userCode = { user_code: t.required(t.string({ description: 'What the device shows.' })) }

export const deviceDecision = { ...userCode, decision: t.required(t.oneOf(['allow', 'deny'])) }

/** Letters that are not mistaken for others, and that make no words (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** A code that people copy from a device, such as `BCDF-GHJK`. */
export function newUserCode(): string {
  const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
}

/** A code as it was typed, in its one form. */
export const plainUserCode = (typed: string) => typed.toUpperCase().replace(/[^A-Z]/g, '')

const lifetimeSeconds = 600
export const intervalSeconds = 5

/** Of one address, more requests of devices than this are refused. */
const deviceRequests = { name: 'oauth_device_requests', requests: 100, periodSeconds: 600 }
/** A person tries so many codes: they are short. */
const userCodes = { name: 'oauth_user_codes', requests: 30, periodSeconds: 600 }

/**
 * Begins the authorisation of an application on a device without a browser (RFC 8628; contract 20, x.oauth_device).
 * @throws ApiError 400 or 401 in the words of OAuth; 429
 */
export async function beginDevice(platform: Platform, params: DeviceRequest, request: RequestInfo) {
  await throttleProtectedPath(platform, request.ip)
  const client = await clientOf(platform, params, request)
  if (!client) throw invalidClient()
  await limitRequests(platform, networkOf(request.ip), deviceRequests)
  const scopes = firstScopes(params.scope, client)
  const [deviceCode, userCode] = [randomHex(32), newUserCode()]
  const expiresAt = new Date(platform.clock.now().getTime() + lifetimeSeconds * 1000).toISOString()
  await platform.database.write((tx) =>
    insertDeviceCode(tx, {
      application_id: client.id,
      digest: hashToken(deviceCode),
      user_digest: hashToken(plainUserCode(userCode)),
      scopes: JSON.stringify(scopes),
      family: newFamily(),
      interval_seconds: intervalSeconds,
      expires_at: expiresAt,
    }),
  )
  const address = `${issuerOf(platform)}/oauth/device`
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: address,
    verification_uri_complete: `${address}?user_code=${userCode}`,
    expires_in: lifetimeSeconds,
    interval: intervalSeconds,
  }
}

const digestOf = (userCode: string) => hashToken(plainUserCode(userCode))
const unknownCode = () => notFound('Code')

/**
 * Describes what the device with a code asks for (contract 20, x.oauth_device_authorization).
 * @throws ApiError 403 for callers without a session; 404 for an unknown code, and one that was decided about; 429
 */
export async function describeDevice(platform: Platform, userCode: string, actor: Actor) {
  const { userId } = requirePerson(actor)
  await limitRequests(platform, userId, userCodes)
  const asked = await askedByUserCode(platform.database.read, digestOf(userCode), now(platform.clock))
  if (!asked) throw unknownCode()
  return { application_name: asked.name, scopes: describeScopes(asked.scopes) }
}

type Decision = { user_code: string; decision: 'allow' | 'deny' }

/**
 * Answers a device as the caller has decided (contract 20, x.oauth_device_authorize).
 * @throws ApiError as `describeDevice`; 403 for scopes that the user may not grant
 */
export async function decideDevice(platform: Platform, { user_code: userCode, decision }: Decision, actor: Actor) {
  const { userId } = requirePerson(actor)
  await limitRequests(platform, userId, userCodes)
  const at = now(platform.clock)
  await platform.database.write(async (tx) => {
    const asked = await askedByUserCode(tx, digestOf(userCode), at)
    if (!asked) throw unknownCode()
    const [user, authenticatedAt] = [await userById(tx, userId), await signedInAt(tx, actor)]
    const isAllowed = decision === 'allow' && authenticatedAt !== null
    if (isAllowed && !(user && maySelect(user, asked.scopes))) throw failure(403, 'You may not grant these scopes')
    const granting = { userId, applicationId: asked.application_id, scopes: asked.scopes, at }
    const grant = isAllowed ? await addToGrant(tx, granting) : null
    const decided = { grant_id: grant?.id ?? null, is_denied: !isAllowed, authenticated_at: authenticatedAt }
    if (!(await decideDeviceCode(tx, asked.id, at, decided))) throw unknownCode()
  })
  return { decision }
}
