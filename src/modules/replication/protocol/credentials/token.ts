import { createHmac } from 'node:crypto'
import { safeEqual } from '../../../../infra/secrets/index.ts'

/** Credentials of a node, as it signs with them. */
export type Signer = { accessKey: string; secret: string }

const scheme = 'Fennec-Geo'
const lifetimeSeconds = 60
const skewSeconds = 30
const scope = 'geo_api'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signatureOf = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('base64url')
const secondsOf = (time: Date) => Math.floor(time.getTime() / 1000)

/** The value of `Authorization` for one request to the primary (contract 15, "Node-to-node protocol"). */
export function nodeAuthorization({ accessKey, secret }: Signer, now: Date): string {
  const iat = secondsOf(now)
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat, exp: iat + lifetimeSeconds, scope })}`
  return `${scheme} ${accessKey}:${signed}.${signatureOf(signed, secret)}`
}

/** A node token as it was sent, not verified yet. */
export type SentToken = { accessKey: string; jwt: string }

/** The node token of a header; undefined for other credentials, null for a malformed one. */
export function sentToken(authorization = ''): SentToken | null | undefined {
  if (!new RegExp(`^${scheme}(?:\\s|$)`, 'i').test(authorization)) return undefined
  const [, accessKey, jwt] = /^\S+\s+([\w-]{1,100}):([\w.-]{1,4000})\s*$/.exec(authorization) ?? []
  return accessKey !== undefined && jwt !== undefined ? { accessKey, jwt } : null
}

/** The JSON of a part, of which members are read; null when it has none. */
function decode(part: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

/** Whether a token was signed with the secret, and is valid now. */
export function isValidToken(jwt: string, secret: string, now: Date): boolean {
  const [head = '', claims = '', signature = '', ...more] = jwt.split('.')
  if (more.length > 0 || !safeEqual(signature, signatureOf(`${head}.${claims}`, secret))) return false
  const [header, claimed] = [decode(head), decode(claims)]
  if (header?.alg !== 'HS256' || claimed?.scope !== scope) return false
  const { iat, exp } = claimed
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return false
  const [from, until, at] = [Number(iat), Number(exp), secondsOf(now)]
  return until - from <= lifetimeSeconds && from <= at + skewSeconds && at <= until + skewSeconds
}
