/** Whom a certificate names, and what has to be as it was for that. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { parseSshKey, sha256Fingerprint } from '../keys/index.ts'
import { ed25519Line } from '../keys/testing.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import { certificateOwner, ownerOfHeld } from './sign-in.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
const today = '2026-03-01T00:00:00.000Z'
const validBefore = Date.parse('2026-03-01T13:00:00.000Z') / 1000

let server: TestServer
let group: NamespaceRow
let ada: Person
let bob: Person

const keyOf = (line: string) => {
  const { type, blob } = parseSshKey(line) as NonNullable<ReturnType<typeof parseSshKey>>
  return { type, blob }
}
const own = keyOf(ed25519Line('of the group'))
const others = keyOf(ed25519Line('of another group'))
const forged = keyOf(ed25519Line('with the fingerprint of another one'))
const longer = { type: own.type, blob: Buffer.concat([own.blob, Buffer.alloc(1)]) }

beforeAll(async () => {
  server = await startTestServer({ clock })
  const owner = await server.user('owner')
  group = await server.make.group('company', owner)
  const other = await server.make.group('other', owner)
  ada = await server.user('ada')
  bob = await server.user('bob')
  const { database } = server.app.platform
  await database.write(async (tx) => {
    const of = { enterprise_group_id: group.id }
    await tx.updateTable('users').set(of).where('id', '=', ada.id).execute()
    const row = (namespace_id: number, line: string, blob: Buffer) => ({
      ...{ namespace_id, title: 'a', key: line, fingerprint_sha256: sha256Fingerprint(blob), created_at: today },
    })
    await tx
      .insertInto('group_ssh_certificates')
      .values([
        row(group.id, ed25519Line('of the group'), own.blob),
        row(other.id, ed25519Line('of another group'), others.blob),
        row(group.id, ed25519Line('of the group'), forged.blob),
        row(group.id, ed25519Line('of the group'), longer.blob),
      ])
      .execute()
  })
})
afterAll(() => server.stop())

const find = (keyId: string, authority = own) =>
  certificateOwner(server.app.platform, { authority, keyId, validBefore })

describe('a certificate', () => {
  test('names an enterprise user of the group, by user name or address', async () => {
    for (const keyId of ['ada', 'ada@example.com']) {
      const found = await find(keyId)
      expect(found).toMatchObject({ user: { id: ada.id }, groupId: group.id, held: { keyId, validBefore } })
    }
  })

  test.each(['', 'bob', 'bob@example.com', 'unknown', 'unknown@example.com', 'ada\u0000', `ada@${'x'.repeat(300)}`])(
    'names no one as %j',
    async (keyId) => {
      expect(await find(keyId)).toBeNull()
    },
  )

  test('counts for its own authority alone, whose key is the same to the byte', async () => {
    expect(await find('ada', others)).toBeNull()
    expect(await find('ada', forged)).toBeNull()
    expect(await find('ada', longer)).toBeNull()
    expect(await find('ada', keyOf(ed25519Line('of no group')))).toBeNull()
  })

  test('is nothing that the free tier has', async () => {
    const { platform } = server.app
    const config = { ...platform.config, edition: { ...platform.config.edition, tier: 'free' as const } }
    const certificate = { authority: own, keyId: 'ada', validBefore }
    expect(await certificateOwner({ ...platform, config }, certificate)).toBeNull()
  })
})

test('what was accepted ends with its time, its authority, and the user', async () => {
  const { platform } = server.app
  const held = (await find('ada'))?.held
  if (!held) throw new Error('not found')
  expect(await ownerOfHeld(platform, held)).toMatchObject({ user: { id: ada.id }, groupId: group.id })
  expect(await ownerOfHeld(platform, { ...held, authorityId: 0 })).toBeNull()
  expect(await ownerOfHeld(platform, { ...held, keyId: bob.username })).toBeNull()
  clock.advance(3_600_000 - 1)
  expect(await ownerOfHeld(platform, held)).not.toBeNull()
  clock.advance(1)
  expect(await ownerOfHeld(platform, held)).toBeNull()
})
