import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Config } from '../../../../config.ts'
import { acquireLock, type Database, now } from '../../../../infra/database/index.ts'
import { makeSigningKey, thumbprintOf } from '../../../../infra/secrets/index.ts'
import type { Job, Platform } from '../../../../platform/index.ts'
import {
  deleteSigningKeysBefore,
  insertSigningKey,
  newestSigningKey,
  type SigningKeyRow,
  signingKeyById,
} from '../store.ts'

/** A key of registry tokens. */
export type SigningKey = { kid: string; privateKey: KeyObject; publicKey: KeyObject }

type Keys = Pick<Platform, 'config' | 'database' | 'clock' | 'secrets'>
type KnownKey = SigningKey & { readAtMs: number }

/** Keys that were opened, by id, with the creation of the first key while it lasts. */
type Cache = { known: Map<string, KnownKey>; creating?: Promise<void> }

const caches = new WeakMap<Database, Cache>()

/** How long a key is used before the database is asked whether it still exists. */
const rereadMs = 60_000
const dayMs = 86_400_000
/** Age at which a new key replaces the newest. */
const rotationMs = 90 * dayMs
/** How long a replaced key verifies: longer than the longest validity of a token, which is a day. */
const retirementMs = 2 * dayMs

const lockName = 'registry_signing_keys'
const sealingContext = (kid: string) => `registry_signing_keys:${kid}:sealed_key`

function cacheOf({ database }: Keys): Cache {
  const cache = caches.get(database) ?? { known: new Map() }
  caches.set(database, cache)
  return cache
}

async function openKey(platform: Keys, { kid, sealed_key }: SigningKeyRow): Promise<SigningKey> {
  const { known } = cacheOf(platform)
  const cached = known.get(kid)
  const readAtMs = platform.clock.now().getTime()
  if (cached) return Object.assign(cached, { readAtMs })
  const privateKey = createPrivateKey((await platform.secrets.sealer()).open(sealed_key, sealingContext(kid)))
  const opened = { kid, privateKey, publicKey: createPublicKey(privateKey), readAtMs }
  known.set(kid, opened)
  return opened
}

const configuredKeys = new WeakMap<Config, Promise<SigningKey>>()

async function openConfigured(text: string): Promise<SigningKey> {
  const privateKey = createPrivateKey(text)
  const publicKey = createPublicKey(privateKey)
  return { kid: await thumbprintOf(publicKey), privateKey, publicKey }
}

/** The key that the configuration gives; null without one. */
async function configuredKey({ config }: Keys): Promise<SigningKey | null> {
  if (config.registryKey === undefined) return null
  const opening = configuredKeys.get(config) ?? openConfigured(config.registryKey)
  configuredKeys.set(config, opening)
  return opening
}

/** Makes a key pair, and the row that stores it. */
async function makeKey({ secrets, clock }: Keys): Promise<SigningKeyRow> {
  const { kid, text } = await makeSigningKey()
  return { kid, sealed_key: (await secrets.sealer()).seal(text, sealingContext(kid)), created_at: now(clock) }
}

/** Stores a new key unless another node has stored one since `replaced` was the newest (null: there was none). */
async function addKey(platform: Keys, replaced: string | null): Promise<void> {
  const row = await makeKey(platform)
  await platform.database.write(async (tx) => {
    await acquireLock(tx, lockName)
    if (((await newestSigningKey(tx))?.kid ?? null) === replaced) await insertSigningKey(tx, row)
  })
}

/** Creates the first key once for all concurrent callers. */
async function createFirstKey(platform: Keys): Promise<void> {
  const cache = cacheOf(platform)
  cache.creating ??= addKey(platform, null).finally(() => {
    cache.creating = undefined
  })
  await cache.creating
}

/** The key that signs: that of the configuration, or else the newest, which is made when there is none (contract 02 R3). */
export async function currentSigningKey(platform: Keys): Promise<SigningKey> {
  const configured = await configuredKey(platform)
  if (configured) return configured
  const { read } = platform.database
  const newest = await newestSigningKey(read)
  if (newest) return openKey(platform, newest)
  await createFirstKey(platform)
  const created = await newestSigningKey(read)
  if (!created) throw new Error('the signing key was deleted while it was created')
  return openKey(platform, created)
}

/** A key by the id in the header of a token; null when there is no such key, or no longer. */
export async function signingKeyOf(platform: Keys, kid: string): Promise<SigningKey | null> {
  const configured = await configuredKey(platform)
  if (configured?.kid === kid) return configured
  const { known } = cacheOf(platform)
  const cached = known.get(kid)
  const ageMs = platform.clock.now().getTime() - (cached?.readAtMs ?? 0)
  if (cached && ageMs >= 0 && ageMs < rereadMs) return cached
  const row = await signingKeyById(platform.database.read, kid)
  if (row) return openKey(platform, row)
  known.delete(kid)
  return null
}

/** Replaces the newest key; the others still verify. */
export async function rotateSigningKey(platform: Keys): Promise<void> {
  await addKey(platform, (await newestSigningKey(platform.database.read))?.kid ?? null)
}

/** Replaces a stored key of 90 days, and deletes the keys that were replaced longer ago than a token is valid. */
export const rotateSigningKeysJob: Job<null> = {
  kind: 'container_registry.rotate_signing_keys',
  queue: 'maintenance',
  every: { seconds: dayMs / 1000, offsetSeconds: 3 * 3600 },
  async run(platform) {
    const { config, database, clock } = platform
    if (config.registryKey !== undefined) return
    const newest = await newestSigningKey(database.read)
    if (!newest) return
    const nowMs = clock.now().getTime()
    const createdAtMs = Date.parse(newest.created_at)
    if (nowMs - createdAtMs >= rotationMs) return rotateSigningKey(platform)
    if (nowMs - createdAtMs < retirementMs) return
    await database.write((tx) => deleteSigningKeysBefore(tx, newest.created_at, newest.kid))
  },
}

/** The key with which another server verifies tokens of this registry, as a JWK with the id of the key. */
export async function registryPublicKey(platform: Platform): Promise<JsonWebKey & { kid: string }> {
  const { kid, publicKey } = await currentSigningKey(platform)
  return { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } as JsonWebKey & { kid: string }
}
