import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, openWorkTree, type Person, startTestServer, type TestServer, type WorkTree } from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import {
  commitText,
  gnupgHome,
  hasGnupg,
  makeKey,
  signatureOf,
  signText,
  type TestKey,
  withSignature,
} from './testing.ts'

let server: TestServer
let alice: Person
let project: ProjectRow
let tree: WorkTree
let key: TestKey
let commits = 0

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  project = await server.make.project('signed', alice)
  tree = await openWorkTree(server, project)
  key = await makeKey(['alice@example.com'], { subkey: true })
})
afterAll(async () => {
  await tree[Symbol.asyncDispose]()
  await server.stop()
})

/** Pushes a commit with a signature. @param signed what is signed instead of the commit */
async function push(committer: string, by: TestKey, options: { signed?: string; times?: number; date?: Date } = {}) {
  commits += 1
  const commit = commitText(`Someone <${committer}>`, `commit ${commits}`)
  const text = withSignature(commit, await signText(by, options.signed ?? commit, options))
  await tree.commit('content', { 'commit.txt': text })
  await git(tree.folder, 'hash-object', '-w', '-t', 'tree', '/dev/null')
  const oid = await tree.run('hash-object', '-t', 'commit', '-w', 'commit.txt')
  const { isAccepted, stderr } = await tree.push(alice, `${oid}:refs/heads/c${commits}`)
  if (!isAccepted) throw new Error(stderr)
  return oid
}

const statusOf = async (oid: string) => (await signatureOf(server, project.id, oid)).verification_status
const addKey = async (person: Person, { publicText }: TestKey) =>
  (await person.post('/user/gpg_keys', { key: publicText })).body.id as number

describe('the signature of a commit', () => {
  test('is verified by the key of a user with the address of the committer, until the key is revoked', async () => {
    const oid = await push('alice@example.com', key)
    const unknown = { verification_status: 'unknown_key', gpg_key_id: null, gpg_key_primary_keyid: key.subkeyId }
    expect(await signatureOf(server, project.id, oid)).toMatchObject(unknown)
    const id = await addKey(alice, key)
    const verified = {
      ...{ signature_type: 'PGP', verification_status: 'verified', gpg_key_id: id, gpg_key_primary_keyid: key.keyId },
      ...{ gpg_key_user_name: 'Owner of alice@example.com', gpg_key_user_email: 'alice@example.com' },
      ...{ gpg_key_subkey_id: expect.any(Number), commit_source: 'gitaly' },
    }
    expect(await signatureOf(server, project.id, oid)).toEqual(verified)
    expect(await statusOf(await push('ALICE@example.com', key))).toBe('verified')
    await alice.post(`/user/gpg_keys/${id}/revoke`)
    expect(await signatureOf(server, project.id, oid)).toMatchObject({
      ...{ verification_status: 'unverified', gpg_key_id: null, gpg_key_subkey_id: null },
    })
    await alice.delete(`/user/gpg_keys/${await addKey(alice, key)}`)
    expect(await signatureOf(server, project.id, oid)).toEqual({
      ...verified,
      gpg_key_id: null,
      gpg_key_subkey_id: null,
    })
    const later = await push('alice@example.com', key, { date: new Date('2098-01-01') })
    expect(await statusOf(later)).toBe('unverified')
    const ended = (ended_at: string) =>
      server.app.platform.database.write((tx) =>
        tx.updateTable('gpg_keys').set({ ended_at }).where('state', '=', 'removed').execute(),
      )
    // The signature is of the beginning of 2024.
    await ended('2023-12-31T23:59:59.999Z')
    expect(await statusOf(oid)).toBe('unverified')
    await ended('2024-01-01T00:00:00.000Z')
    expect(await statusOf(oid)).toBe('verified')
    await addKey(alice, key)
    expect(await statusOf(oid)).toBe('verified')
  })

  test('is not verified when it does not match the commit, or there are several', async () => {
    expect(await statusOf(await push('alice@example.com', key, { signed: 'something else' }))).toBe('unverified')
    expect(await statusOf(await push('alice@example.com', key, { times: 2 }))).toBe('multiple_signatures')
  })

  test('says whose address the committer has', async () => {
    expect(await statusOf(await push('somebody@example.com', key))).toBe('other_user')
    const oid = await push('second@example.com', key)
    expect(await statusOf(oid)).toBe('other_user')
    await alice.post('/user/emails', { email: 'second@example.com' })
    expect(await statusOf(oid)).toBe('same_user_different_email')
  })

  test('is not verified by a key without a confirmed address of its owner', async () => {
    const mallory = await server.user('mallory')
    const forged = await makeKey(['bob@example.com'])
    await server.user('bob')
    await addKey(mallory, forged)
    expect(await statusOf(await push('bob@example.com', forged))).toBe('unverified_key')
  })

  test('is that of the owner when another user has added the key since', async () => {
    const own = await makeKey(['carol@example.com'])
    const carol = await server.user('carol')
    const dora = await server.user('dora')
    const oid = await push('carol@example.com', own)
    await carol.delete(`/user/gpg_keys/${await addKey(carol, own)}`)
    expect(await statusOf(oid)).toBe('verified')
    await addKey(dora, own)
    expect(await statusOf(oid)).toBe('verified')
    await server.root.delete(`/users/${carol.id}`)
    expect(await statusOf(oid)).toBe('unverified_key')
  })

  test.runIf(hasGnupg())('by the real git and GnuPG is verified', async () => {
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ email: 'tester@example.com' }).where('id', '=', alice.id).execute(),
    )
    const gnupg = await gnupgHome(tree.folder, 'tester@example.com')
    try {
      await tree.run('-c', `gpg.program=${gnupg.program}`, 'commit', '--quiet', '--allow-empty', '-S', '-m', 'really')
    } finally {
      gnupg.stop()
    }
    await tree.push(alice, 'HEAD:refs/heads/really')
    const oid = await tree.run('rev-parse', 'HEAD')
    expect(await statusOf(oid)).toBe('unknown_key')
    await alice.post('/user/gpg_keys', { key: gnupg.publicText })
    expect(await signatureOf(server, project.id, oid)).toMatchObject({
      ...{ verification_status: 'verified', gpg_key_user_email: 'tester@example.com' },
    })
  })
})
