import { ApiError, parseBasic } from '../../../api/index.ts'
import { hashToken, safeEqual } from '../../../infra/secrets/index.ts'

const bearer = /^bearer\s+(\S+)\s*$/i

/** The key of a delivery: a bearer token, or the password of Basic, whose user name is ignored (contract 2.22). */
export function presentedKey(authorization: string | undefined): string | null {
  const token = bearer.exec(authorization ?? '')?.[1]
  return token ?? (parseBasic(authorization)?.password || null)
}

/** 401 for a delivery without the right key. */
export function wrongKey(): ApiError {
  return new ApiError('unauthorized', 401, { message: '401 Unauthorized' }, { 'WWW-Authenticate': 'Bearer' })
}

/** Compares a key with the digest of the right one, in constant time. */
export function isKey(key: string | null, digest: string | null): boolean {
  return key !== null && digest !== null && safeEqual(hashToken(key), digest)
}
