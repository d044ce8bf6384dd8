import { createHmac } from 'node:crypto'
import { deriveKey, safeEqual } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { SshIdentity } from '../../git-transport/index.ts'

/** What a client does with objects. */
export type LfsOperation = 'download' | 'upload'

/** What a client that has authenticated by SSH may do over HTTP: never more than its key or certificate. */
export type LfsGrant = SshIdentity & { projectId: number; operation: LfsOperation }

/** Lifetime of a token (contract 22 R1). */
export const tokenSeconds = 7200

const prefix = 'glfs-'
const form = /^glfs-([A-Za-z0-9_-]{1,2000})\.([A-Za-z0-9_-]{43})$/

type Signing = Pick<Platform, 'clock' | 'secrets'>

const secondsOf = ({ clock }: Signing) => Math.floor(clock.now().getTime() / 1000)

async function signatureOf({ secrets }: Signing, body: string): Promise<string> {
  const key = deriveKey(await secrets.instanceKey(), 'lfs tokens')
  return createHmac('sha256', key).update(body).digest('base64url')
}

/** Whether a password has the form of an LFS token. */
export function isLfsToken(text: string): boolean {
  return text.startsWith(prefix)
}

/** Issues the token that `git-lfs-authenticate` returns. It is signed, not stored. */
export async function issueLfsToken(platform: Signing, grant: LfsGrant): Promise<string> {
  const { projectId, operation, ...identity } = grant
  const who = 'keyId' in identity ? identity.keyId : identity.certificate
  const values = [who, projectId, operation, secondsOf(platform) + tokenSeconds]
  const body = Buffer.from(JSON.stringify(values)).toString('base64url')
  return `${prefix}${body}.${await signatureOf(platform, body)}`
}

/** What a token grants; null when it is invalid or expired. */
export async function openLfsToken(platform: Signing, text: string): Promise<LfsGrant | null> {
  const [, body, signature] = form.exec(text) ?? []
  if (body === undefined || signature === undefined) return null
  if (!safeEqual(signature, await signatureOf(platform, body))) return null
  const [who, projectId, operation, expires] = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
  const identity: SshIdentity = typeof who === 'number' ? { keyId: who } : { certificate: who }
  return secondsOf(platform) < expires ? { ...identity, projectId, operation } : null
}
