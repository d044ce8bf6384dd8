import { generateKeyPairSync } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../../infra/clock/index.ts'
import { type Database, openDatabase } from '../../../../infra/database/index.ts'
import { migrations } from '../../../../migrations/index.ts'
import type { Platform } from '../../../../platform/index.ts'
import { startTestServer, type TestServer } from '../../../../testing/index.ts'
import { issueRegistryToken } from '../issue.ts'
import { verifyRegistryToken } from '../verify.ts'
import { currentSigningKey, rotateSigningKey, rotateSigningKeysJob, signingKeyOf } from './signing-keys.ts'

const dayMs = 86_400_000
const clock = manualClock({ start: '2026-05-06T07:08:09.500Z' })
let server: TestServer
let platform: Platform
/** Another node: the same database through connections of its own, with a cache of its own. */
let node: Platform
let connections: Database
beforeAll(async () => {
  server = await startTestServer({ clock })
  platform = server.app.platform
  connections = await openDatabase({ url: platform.config.databaseUrl, migrations })
  node = { ...platform, database: connections }
})
afterAll(async () => {
  await connections.close()
  await server.stop()
})

const rows = () => platform.database.read.selectFrom('registry_signing_keys').selectAll().execute()
const issue = async (from: Platform) =>
  (
    await issueRegistryToken(from, {
      subject: 'dora',
      authType: 'oauth',
      credential: { kind: 'personal', id: 1 },
      access: [],
    })
  ).token
const kindAt = async (at: Platform, token: string) => (await verifyRegistryToken(at, `Bearer ${token}`)).kind
const rotateByJob = () => rotateSigningKeysJob.run(platform, null, {} as never)

describe('the signing key', () => {
  test('is made once by nodes that need it at the same time', async () => {
    const all = [platform, node, platform, node, node]
    const keys = await Promise.all(all.map((one) => currentSigningKey(one)))
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(1)
    expect((await rows()).map(({ kid }) => kid)).toEqual([keys[0]?.kid])
    expect(await kindAt(node, await issue(platform))).toBe('valid')
    expect(await kindAt(platform, await issue(node))).toBe('valid')
  })

  test('has 2048 bits, and its thumbprint as id', async () => {
    const { kid, publicKey } = await currentSigningKey(platform)
    expect(publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect(await calculateJwkThumbprint(publicKey.export({ format: 'jwk' }))).toBe(kid)
    expect(kid).toMatch(/^[\w-]{43}$/)
  })

  test('is stored sealed', async () => {
    const [row] = await rows()
    const sealer = await platform.secrets.sealer()
    expect(row?.sealed_key).not.toContain('PRIVATE KEY')
    expect(sealer.open(row?.sealed_key ?? '', `registry_signing_keys:${row?.kid}:sealed_key`)).toContain('PRIVATE KEY')
  })

  test('is replaced by rotation on all nodes; the older ones verify', async () => {
    const before = await issue(node)
    const { kid } = await currentSigningKey(node)
    clock.advance(1_000)
    await rotateSigningKey(platform)
    const newest = await currentSigningKey(node)
    expect(newest.kid).not.toBe(kid)
    expect((await currentSigningKey(platform)).kid).toBe(newest.kid)
    expect([await kindAt(node, before), await kindAt(platform, before)]).toEqual(['valid', 'valid'])
    expect(await kindAt(platform, await issue(node))).toBe('valid')
  })

  test('two rotations at once make one key', async () => {
    clock.advance(1_000)
    const before = (await rows()).length
    const newest = (await currentSigningKey(platform)).kid
    await Promise.all([rotateSigningKey(platform), rotateSigningKey(node)])
    expect((await currentSigningKey(platform)).kid).not.toBe(newest)
    expect((await rows()).length).toBe(before + 1)
  })

  test('is rotated after 90 days; replaced keys are deleted two days later and do not verify any more', async () => {
    const { kid } = await currentSigningKey(node)
    clock.advance(89 * dayMs)
    await rotateByJob()
    expect((await currentSigningKey(node)).kid).toBe(kid)
    expect((await rows()).map((row) => row.kid)).toEqual([kid])
    clock.advance(dayMs)
    await rotateByJob()
    const newest = (await currentSigningKey(node)).kid
    expect(newest).not.toBe(kid)
    clock.advance(dayMs)
    await rotateByJob()
    expect((await rows()).length).toBe(2)
    expect(await signingKeyOf(node, kid)).not.toBeNull()
    clock.advance(dayMs)
    await rotateByJob()
    expect((await rows()).map((row) => row.kid)).toEqual([newest])
    expect([await signingKeyOf(node, kid), await signingKeyOf(platform, kid)]).toEqual([null, null])
  })

  test('is that of the configuration where there is one; stored keys verify', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const registryKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const configured = (of: Platform) => ({ ...of, config: { ...of.config, registryKey } })
    const [one, other] = [configured(platform), configured(node)]
    const before = await rows()
    const stored = await issue(platform)
    const token = await issue(one)
    expect([await kindAt(one, token), await kindAt(other, token), await kindAt(platform, token)]).toEqual([
      'valid',
      'valid',
      'invalid',
    ])
    expect(await kindAt(one, stored)).toBe('valid')
    clock.advance(100 * dayMs)
    await rotateSigningKeysJob.run(one, null, {} as never)
    expect(await rows()).toEqual(before)
  })

  test('is made anew after all were deleted', async () => {
    const token = await issue(platform)
    await platform.database.write((tx) => tx.deleteFrom('registry_signing_keys').execute())
    clock.advance(61_000)
    expect(await kindAt(platform, token)).toBe('invalid')
    expect(await kindAt(platform, await issue(platform))).toBe('valid')
    await rotateByJob()
    expect((await rows()).length).toBe(1)
  })
})
