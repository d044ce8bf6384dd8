import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous } from '../../../api/index.ts'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { clientOf, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { addDeployKey, keyLine } from '../../deploy-keys/testing.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { admit } from './admission.ts'
import type { GitCaller } from './callers.ts'
import { GitAccessDenied, identify } from './credentials.ts'
import { sentences } from './refusals.ts'

let server: TestServer
let clock: ManualClock
let owner: Person
let project: ProjectRow
const rootPassword = 'a long root password'
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T10:00:00Z' })
  server = await startTestServer({ clock, rootPassword })
  owner = await server.user('owner')
  project = await server.make.project('own', owner)
})
afterAll(() => server.stop())

const [fetches, pushes] = ['git-upload-pack', 'git-receive-pack'] as const
const missing = { kind: 'not_found' }
const anonymousCaller: GitCaller = { kind: 'actor', actor: anonymous }

const identified = (username: string, password: string) =>
  identify(server.app.platform, `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`, '127.0.0.1')
const asOwner = () => identified('owner', owner.token)
const admitted = (path: string, who: GitCaller, service: typeof fetches | typeof pushes = fetches) =>
  admit(server.app.platform, path, who, service)
const again = (path: string, who: GitCaller, service: typeof fetches | typeof pushes = fetches) =>
  admit(server.app.platform, path, who, service, { isAgain: true })

async function deployToken(values: object = {}) {
  const wanted = { name: 'reader', username: 'reader', scopes: ['read_repository'], ...values }
  return (await owner.post(`/projects/${project.id}/deploy_tokens`, wanted)).body as { id: number; token: string }
}

/** The caller with the credential of the owner's SSH key or certificate. */
async function withCredential(credential: object, more: object = {}): Promise<GitCaller> {
  const caller = await asOwner()
  if (caller.kind !== 'actor' || caller.actor.kind !== 'user') throw new Error('a user was expected')
  return { ...caller, ...more, actor: { ...caller.actor, credential: { ...caller.actor.credential, ...credential } } }
}

describe('an admitted caller', () => {
  test('acts as an account: a user, the owner of a deploy key, or none', async () => {
    await server.make.project('shown', owner, { visibility: 'public' })
    const { id: keyId } = await addDeployKey(owner, project, 'acting')
    const key: GitCaller = { kind: 'deploy_key', keyId, ownerId: owner.id }
    const token = await identified('reader', (await deployToken()).token)
    const account = async (path: string, who: GitCaller) => {
      const { userId, deployKeyId, administrator } = (await admitted(path, who)) as never
      return { userId, deployKeyId, administrator }
    }
    const path = project.full_path
    expect(await account(path, await asOwner())).toEqual({ userId: owner.id, administrator: false })
    expect(await account(path, await identified('root', server.root.token))).toEqual({ userId: 1, administrator: true })
    expect(await account(path, key)).toEqual({ userId: owner.id, deployKeyId: keyId })
    expect(await account(path, token)).toEqual({ userId: null })
    expect(await account('owner/shown', anonymousCaller)).toEqual({ userId: null })
  })

  test('learns the current path of what has moved', async () => {
    const moved = await server.make.project('former', owner)
    const group = await server.make.group('former', owner)
    expect((await owner.post(`/groups/${group.id}/wikis`, { title: 'home', content: 'x' })).status).toBe(201)
    await owner.put(`/projects/${moved.id}`, { path: 'present' })
    await owner.put(`/groups/${group.id}`, { path: 'present' })
    const where = async (path: string) => {
      const { project: found, fullPath, movedFrom } = (await admitted(path, await asOwner())) as never
      return [(found as ProjectRow | null)?.id ?? null, fullPath, movedFrom]
    }
    expect(await where('owner/former')).toEqual([moved.id, 'owner/present', 'owner/former'])
    expect(await where('owner/present')).toEqual([moved.id, 'owner/present', null])
    expect(await where('owner/former.wiki')).toEqual([moved.id, 'owner/present.wiki', 'owner/former.wiki'])
    expect(await where('owner/present.wiki')).toEqual([moved.id, 'owner/present.wiki', null])
    expect(await where('former.wiki')).toEqual([null, 'present.wiki', 'former.wiki'])
    const { body: snippet } = await owner.post('/snippets', { title: 's', file_name: 'a', content: 'a' })
    expect(await where(`snippets/${snippet.id}`)).toEqual([null, `snippets/${snippet.id}`, null])
    const values = { title: 's', file_name: 'a', content: 'a', visibility: 'private' }
    const { body: inner } = await owner.post(`/projects/${moved.id}/snippets`, values)
    const path = `owner/present/snippets/${inner.id}`
    expect(await where(path)).toEqual([null, path, null])
  })
})

describe('a push to a free path', () => {
  const exists = async (path: string) => (await owner.get(`/projects/${encodeURIComponent(path)}`)).status === 200

  test('creates a project, a fetch does not', async () => {
    const who = await asOwner()
    expect(await admitted('owner/free', who)).toEqual(missing)
    expect(await again('owner/free', who, pushes)).toEqual(missing)
    expect(await exists('owner/free')).toBe(false)
    expect(await admitted('owner/free', who, pushes)).toMatchObject({ fullPath: 'owner/free', movedFrom: null })
    expect(await exists('owner/free')).toBe(true)
  })

  test('creates none for others than users who may', async () => {
    const token = await identified('reader', (await deployToken()).token)
    const { id: keyId } = await addDeployKey(owner, project, 'creating', { can_push: true })
    const held = { authorityId: 1, keyId: 'owner', validBefore: 4_000_000_000 }
    const callers: GitCaller[] = [
      await identified('owner', await server.make.token(owner, ['read_repository'])),
      await identified('x', (await server.user('elsewhere')).token),
      token,
      { kind: 'deploy_key', keyId, ownerId: owner.id },
      await withCredential({ kind: 'job', projectId: project.id }),
      await withCredential({}, { certificate: { held, groupId: 1 } }),
    ]
    for (const caller of callers) expect(await admitted('owner/denied', caller, pushes)).toEqual(missing)
    expect(await admitted('owner/denied', anonymousCaller, pushes)).toEqual({ kind: 'credentials' })
    expect(await exists('owner/denied')).toBe(false)
  })

  test('creates no project for a wiki, with an illegal name or during maintenance', async () => {
    const who = await asOwner()
    for (const path of ['owner/none.wiki', 'owner/none.WIKI'])
      expect(await admitted(path, who, pushes)).toEqual(missing)
    const illegal = await admitted('owner/-illegal', who, pushes)
    expect(illegal).toMatchObject({ kind: 'unprocessable', sentence: expect.stringContaining('path') })
    await server.root.put('/application/settings', { maintenance_mode: true, maintenance_mode_message: 'Back soon' })
    const answers = [
      await admitted('owner/later', who, pushes),
      await admitted(project.full_path, who, pushes),
      await admitted(project.full_path, who),
    ]
    await server.root.put('/application/settings', { maintenance_mode: false })
    expect(answers[0]).toEqual(missing)
    expect(answers[1]).toEqual({ kind: 'forbidden', sentence: expect.stringContaining('Back soon') })
    expect(answers[2]).toMatchObject({ fullPath: project.full_path })
    expect(await exists('owner/later')).toBe(false)
  })
})

describe('the wiki', () => {
  test('of a group is there with its first page, or for the first caller who may write', async () => {
    const group = await server.make.group('fresh', owner)
    const reader = await server.user('reader-of-fresh')
    await server.make.member({ namespace: group }, reader, 20)
    const asReader = await identified('x', reader.token)
    expect(await admitted('fresh.wiki', asReader)).toEqual(missing)
    expect(await admitted('fresh.wiki', await asOwner())).toMatchObject({ fullPath: 'fresh.wiki' })
    expect(await admitted('fresh.wiki', asReader)).toMatchObject({ fullPath: 'fresh.wiki' })
  })

  test('of a project is not created while the project is moved to another storage', async () => {
    const moving = await server.make.project('moving', owner)
    const set = (read_only: boolean) =>
      server.app.platform.database.write((tx) =>
        tx.updateTable('repositories').set({ read_only }).where('project_id', '=', moving.id).execute(),
      )
    await server.app.platform.database.write((tx) =>
      tx.deleteFrom('repositories').where('project_id', '=', moving.id).where('kind', '=', 'wiki').execute(),
    )
    await set(true)
    const readOnly = { kind: 'forbidden', sentence: sentences.readOnly }
    expect(await admitted('owner/moving', await asOwner(), pushes)).toEqual(readOnly)
    expect(await admitted('owner/moving', await asOwner())).toMatchObject({ fullPath: 'owner/moving' })
    expect(await admitted('owner/moving.wiki', await asOwner())).toEqual(missing)
    await set(false)
    expect(await admitted('owner/moving.wiki', await asOwner())).toMatchObject({ fullPath: 'owner/moving.wiki' })
  })
})

describe('a caller who was admitted before', () => {
  const isAdmitted = async (who: GitCaller, service: typeof fetches | typeof pushes = fetches) =>
    !('kind' in (await again(project.full_path, who, service)))

  test('is refused when a deploy token or key has ended', async () => {
    const { id, token } = await deployToken()
    const reader = await identified('reader', token)
    expect(await isAdmitted(reader)).toBe(true)
    await owner.delete(`/projects/${project.id}/deploy_tokens/${id}`)
    expect(await isAdmitted(reader)).toBe(false)
    const { id: keyId } = await addDeployKey(owner, project, 'ending')
    const key: GitCaller = { kind: 'deploy_key', keyId, ownerId: owner.id }
    expect(await isAdmitted(key)).toBe(true)
    await owner.delete(`/projects/${project.id}/deploy_keys/${keyId}`)
    expect(await isAdmitted(key)).toBe(false)
  })

  test('is refused when a token or an SSH key has ended', async () => {
    const text = await server.make.token(owner, ['api'])
    const who = await identified('owner', text)
    expect(await isAdmitted(who, pushes)).toBe(true)
    expect((await clientOf(server.url, text).delete('/personal_access_tokens/self')).status).toBe(204)
    expect(await isAdmitted(who)).toBe(false)
    const { body: key } = await owner.post('/user/keys', { title: 'k', key: keyLine('own') })
    const byKey = await withCredential({ kind: 'ssh_key', id: key.id })
    expect(await isAdmitted(byKey, pushes)).toBe(true)
    await owner.delete(`/user/keys/${key.id}`)
    expect(await isAdmitted(byKey)).toBe(false)
    const held = { authorityId: 1, keyId: 'owner', validBefore: 4_000_000_000 }
    expect(await isAdmitted(await withCredential({}, { certificate: { held, groupId: 1 } }))).toBe(false)
  })

  test('keeps the scopes of a password, and an anonymous one what is public', async () => {
    const who = await identified('root', rootPassword)
    expect(await isAdmitted(who, pushes)).toBe(true)
    expect('kind' in (await again('owner/shown', anonymousCaller))).toBe(false)
    expect(await again(project.full_path, anonymousCaller)).toEqual({ kind: 'credentials' })
  })
})

describe('credentials', () => {
  const denied = (username: string, password: string) =>
    expect(identified(username, password)).rejects.toBeInstanceOf(GitAccessDenied)

  test('of a deploy token end with its last moment', async () => {
    const { token } = await deployToken({ expires_at: '2026-03-02T00:00:00Z' })
    expect(await identified('reader', token)).toMatchObject({ kind: 'deploy_token', projectId: project.id })
    await denied('another', token)
    clock.advance(Date.parse('2026-03-02T00:00:00Z') - clock.now().getTime())
    await denied('reader', token)
  })

  test('of a deploy token end when it is revoked', async () => {
    const { id, token } = await deployToken()
    const { database } = server.app.platform
    await database.write((tx) => tx.updateTable('deploy_tokens').set({ revoked: true }).where('id', '=', id).execute())
    await denied('reader', token)
  })

  test('by password open git, unless the settings say no', async () => {
    const who = await identified('root', rootPassword)
    expect(who).toMatchObject({ kind: 'actor', actor: { userId: 1, credential: { kind: 'password', id: null } } })
    expect('kind' in (await admitted(project.full_path, who))).toBe(false)
    expect('kind' in (await admitted(project.full_path, who, pushes))).toBe(false)
    await denied('root', 'another password')
    await server.root.put('/application/settings', { password_authentication_enabled_for_git: false })
    const answer = await identified('root', rootPassword).catch((error) => error)
    await server.root.put('/application/settings', { password_authentication_enabled_for_git: true })
    expect(answer).toBeInstanceOf(GitAccessDenied)
  })

  test('of no kind are those of an anonymous caller', async () => {
    expect(await identify(server.app.platform, undefined, '127.0.0.1')).toEqual(anonymousCaller)
    for (const header of ['Bearer x', 'Basic ???']) {
      await expect(identify(server.app.platform, header, '127.0.0.1')).rejects.toBeInstanceOf(GitAccessDenied)
    }
    await denied('', owner.token)
    await denied('owner', '')
  })
})
