import { header, type RequestInfo } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { hashToken } from '../../infra/secrets/index.ts'
import type { Platform } from '../../platform/index.ts'
import { applicationByUid } from './applications/store.ts'
import { invalidClient } from './errors.ts'
import type { OauthApplicationRow } from './tables.ts'

type Named = { client_id?: string; client_secret?: string }

/** The client that Basic authentication names; its parts may be percent-encoded (RFC 6749, 2.3.1). */
function basicClient(request: RequestInfo): Named | undefined {
  const encoded = /^basic\s+(.*)$/i.exec(header(request, 'authorization') ?? '')?.[1]
  if (encoded === undefined) return undefined
  const [id = '', ...rest] = Buffer.from(encoded, 'base64').toString('latin1').split(':')
  return { client_id: id, client_secret: rest.join(':') }
}

/** The application with a `client_id`; null when there is none. */
export async function applicationOf(db: Reader, uid: string): Promise<OauthApplicationRow | null> {
  return /^[0-9a-f]{64}$/.test(uid) ? applicationByUid(db, uid) : null
}

/**
 * The application that a request names, by parameters or by Basic authentication (contract 20, x.oauth_token). Clients without
 * an id send an empty name.
 * @returns null when it names none
 * @throws ApiError 401 for an unknown client, and for one without its secret; one that cannot keep a secret needs none
 */
export async function clientOf(
  { database }: Platform,
  params: Named,
  request: RequestInfo,
): Promise<OauthApplicationRow | null> {
  const { client_id: uid = '', client_secret: secret = '' } = params.client_id ? params : (basicClient(request) ?? {})
  if (uid === '') return null
  const application = await applicationOf(database.read, uid)
  if (!application) throw invalidClient()
  // Digests are compared, so the time says nothing about the secret.
  const isRight = hashToken(secret) === application.secret_digest
  if (!isRight && (application.confidential || secret !== '')) throw invalidClient()
  return application
}
