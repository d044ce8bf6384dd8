import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, type Person, startTestServer, type TestServer, temporaryDirectory } from '../../../testing/index.ts'
import { feed, pushTo } from '../reading-testing.ts'
import { payload, pgpSignature, sshSignatures } from './fixtures.ts'

let server: TestServer
let owner: Person
let base: string
let oids: Record<string, string>

const header = (signature: string) => `gpgsig ${signature.trimEnd().replaceAll('\n', '\n ')}\n`
const signed = (signature: string, content = payload) => content.replace('\n\n', `\n${header(signature)}\n`)
const { key, signature } = sshSignatures['ed25519-256']

const contents = {
  plain: payload,
  ssh: signed(signature),
  other: signed(sshSignatures['ecdsa-384'].signature),
  forged: signed(signature, payload.replace('signed', 'forged')),
  broken: signed('-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----'),
  pgp: signed(pgpSignature),
  x509: signed('-----BEGIN SIGNED MESSAGE-----\nAAAA\n-----END SIGNED MESSAGE-----'),
}

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('signer')
  const project = await server.make.project('signed', owner, { visibility: 'public' })
  base = `/projects/${project.id}/repository/commits`
  await using folder = await temporaryDirectory()
  await git(folder.path, 'init', '--quiet')
  await feed(folder.path, '', 'mktree')
  oids = {}
  for (const [name, content] of Object.entries(contents)) {
    const oid = (await feed(folder.path, content, 'hash-object', '-t', 'commit', '-w', '--stdin')).trim()
    await git(folder.path, 'update-ref', `refs/heads/${name}`, oid)
    oids[name] = oid
  }
  await pushTo(server, owner, project, folder.path, ['refs/heads/*:refs/heads/*'])
})
afterAll(() => server.stop())

const of = async (name: string) => server.anonymous.get(`${base}/${oids[name]}/signature`)
const unsigned = { status: 404, body: { message: '404 Signature Not Found' } }

describe('x.commits_signature', () => {
  test('answers 404 for a commit without a signature', async () => {
    expect(await of('plain')).toMatchObject(unsigned)
    expect(await server.anonymous.get(`${base}/nope/signature`)).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    })
  })

  test("is verified for an SSH key of the user with the committer's address", async () => {
    const unknown = { signature_type: 'SSH', verification_status: 'unknown_key', key: null, commit_source: 'gitaly' }
    expect((await of('ssh')).body).toEqual(unknown)
    const { body: added } = await owner.post('/user/keys', { title: 'mine', key, usage_type: 'signing' })
    const answer = await of('ssh')
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({ ...unknown, verification_status: 'verified', key: added })
    expect((await of('other')).body).toEqual(unknown)
  })

  test('is not verified for an authentication key, or a key of another user', async () => {
    const { key: otherKey } = sshSignatures['ecdsa-384']
    const auth = await owner.post('/user/keys', { title: 'for signing in', key: otherKey, usage_type: 'auth' })
    expect((await of('other')).body).toMatchObject({ verification_status: 'unknown_key', key: null })
    await owner.delete(`/user/keys/${auth.body.id}`)
    const other = await server.user('other')
    const { body: added } = await other.post('/user/keys', { title: 'theirs', key: otherKey })
    expect((await of('other')).body).toMatchObject({ verification_status: 'other_user', key: { id: added.id } })
  })

  test('is not verified when it does not match the commit, or is malformed', async () => {
    for (const name of ['forged', 'broken']) {
      expect((await of(name)).body).toEqual({
        signature_type: 'SSH',
        verification_status: 'unverified',
        key: null,
        commit_source: 'gitaly',
      })
    }
  })

  test('of other kinds is reported with its key id', async () => {
    const answer = await of('pgp')
    expect(answer.body).toEqual({
      signature_type: 'PGP',
      verification_status: 'unknown_key',
      gpg_key_id: null,
      gpg_key_primary_keyid: 'FEB13C6FA9D7F7CC',
      gpg_key_user_name: null,
      gpg_key_user_email: null,
      gpg_key_subkey_id: null,
      commit_source: 'gitaly',
    })
    expect((await of('x509')).body).toEqual({
      signature_type: 'X509',
      verification_status: 'unverified',
      commit_source: 'gitaly',
    })
  })
})
