import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { acquireLock, now } from '../../../infra/database/index.ts'
import { makeSigningKey } from '../../../infra/secrets/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import type { OauthSigningKeyRow } from '../tables.ts'
import { deleteReplacedKeys, insertSigningKey, signingKeys } from './store.ts'

type SigningKey = { kid: string; privateKey: KeyObject }

const dayMs = 86_400_000
/** Age at which a new key replaces the newest. */
const rotationMs = 90 * dayMs
/** How long a replaced key is published: longer than an ID token is valid, and than applications keep the list of keys. */
const retirementMs = dayMs

const contextOf = (kid: string) => `oauth_signing_keys:${kid}:sealed_key`

async function openKey({ secrets }: Platform, { kid, sealed_key }: OauthSigningKeyRow): Promise<SigningKey> {
  return { kid, privateKey: createPrivateKey((await secrets.sealer()).open(sealed_key, contextOf(kid))) }
}

/** Makes a key, unless another process has made one since `replaced` was the newest (null: there was none). */
async function addKey({ database, secrets, clock }: Platform, replaced: string | null): Promise<void> {
  const { kid, text } = await makeSigningKey()
  const row = { kid, sealed_key: (await secrets.sealer()).seal(text, contextOf(kid)), created_at: now(clock) }
  await database.write(async (tx) => {
    await acquireLock(tx, 'oauth_signing_keys')
    const [newest] = await signingKeys(tx)
    if ((newest?.kid ?? null) === replaced) await insertSigningKey(tx, row)
  })
}

async function keysOf(platform: Platform): Promise<OauthSigningKeyRow[]> {
  const found = await signingKeys(platform.database.read)
  if (found.length > 0) return found
  await addKey(platform, null)
  return signingKeys(platform.database.read)
}

/** The key that signs. It is made when it is needed for the first time. */
export async function currentKey(platform: Platform): Promise<SigningKey> {
  const [newest] = await keysOf(platform)
  if (!newest) throw new Error('the signing key was deleted while it was created')
  return openKey(platform, newest)
}

/** The public keys, as applications read them. */
export async function publicKeys(platform: Platform): Promise<(JsonWebKey & { kid: string })[]> {
  const keys = await Promise.all((await keysOf(platform)).map((row) => openKey(platform, row)))
  return keys.map(({ kid, privateKey }) => {
    const jwk = createPublicKey(privateKey).export({ format: 'jwk' })
    return { ...jwk, kid, use: 'sig', alg: 'RS256' }
  })
}

/** Replaces a key of 90 days (contract 20 R15), and deletes the keys that were replaced longer ago than an ID token is valid. */
export const rotateOpenidKeys: Job<null> = {
  kind: 'oauth.rotate_signing_keys',
  queue: 'maintenance',
  every: { seconds: dayMs / 1000 },
  async run(platform) {
    const { database, clock } = platform
    const [newest] = await signingKeys(database.read)
    if (!newest) return
    const moment = clock.now().getTime()
    if (moment - Date.parse(newest.created_at) >= rotationMs) await addKey(platform, newest.kid)
    await database.write((tx) => deleteReplacedKeys(tx, new Date(moment - retirementMs).toISOString()))
  },
}
