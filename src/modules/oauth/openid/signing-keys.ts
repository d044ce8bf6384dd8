import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { acquireLock, now } from '../../../infra/database/index.ts'
import { makeSigningKey } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { OauthSigningKeyRow } from '../tables.ts'
import { insertSigningKey, signingKeys } from './store.ts'

type SigningKey = { kid: string; privateKey: KeyObject }

const contextOf = (kid: string) => `oauth_signing_keys:${kid}:sealed_key`

async function openKey({ secrets }: Platform, { kid, sealed_key }: OauthSigningKeyRow): Promise<SigningKey> {
  return { kid, privateKey: createPrivateKey((await secrets.sealer()).open(sealed_key, contextOf(kid))) }
}

/** Makes the first key, once for all processes. */
async function makeFirstKey({ database, secrets, clock }: Platform): Promise<void> {
  const { kid, text } = await makeSigningKey()
  const row = { kid, sealed_key: (await secrets.sealer()).seal(text, contextOf(kid)), created_at: now(clock) }
  await database.write(async (tx) => {
    await acquireLock(tx, 'oauth_signing_keys')
    if ((await signingKeys(tx)).length === 0) await insertSigningKey(tx, row)
  })
}

async function keysOf(platform: Platform): Promise<OauthSigningKeyRow[]> {
  const found = await signingKeys(platform.database.read)
  if (found.length > 0) return found
  await makeFirstKey(platform)
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
