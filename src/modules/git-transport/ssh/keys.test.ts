import { writeFile } from 'node:fs/promises'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  git,
  makeHistory,
  type SshKeyPair,
  ssh,
  sshGit,
  sshKeyPair,
  sshUrl,
  temporaryDirectory,
} from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import {
  clock,
  denied,
  folder,
  framed,
  keyOf,
  lasting,
  member,
  notFound,
  owner,
  push,
  pushed,
  reads,
  refusedWith,
  serveForTests,
  server,
} from './testing.ts'

serveForTests()

describe('a key', () => {
  test('is refused at the next connection after its removal', async () => {
    const person = await server.user('remover')
    const key = await keyOf(person)
    expect((await ssh(server, key)).code).toBe(0)
    expect((await person.delete(`/user/keys/${key.id}`)).status).toBe(204)
    expect(await ssh(server, key)).toEqual(denied)
  })

  test('is refused after it has expired', async () => {
    const person = await server.user('short')
    const end = new Date(clock.now().getTime() + 3_600_000).toISOString()
    const key = await keyOf(person, { expires_at: end })
    expect((await ssh(server, key)).code).toBe(0)
    clock.advance(3_600_000)
    expect(await ssh(server, key)).toEqual(denied)
  })

  test('for signing is refused; one for authentication is accepted', async () => {
    const person = await server.user('signer')
    expect(await ssh(server, await keyOf(person, { usage_type: 'signing' }))).toEqual(denied)
    expect((await ssh(server, await keyOf(person, { usage_type: 'auth' }))).code).toBe(0)
  })

  test.each([
    ['blocked', 'block'],
    ['banned', 'ban'],
    ['deactivated', 'deactivate'],
  ])('of a user who was %s is refused', async (name, action) => {
    const person = await server.user(`is-${name}`)
    const key = await keyOf(person)
    expect((await ssh(server, key)).code).toBe(0)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ last_activity_on: '2020-01-01' }).where('id', '=', person.id).execute(),
    )
    expect((await server.root.post(`/users/${person.id}/${action}`)).status).toBe(201)
    expect(await ssh(server, key)).toEqual(denied)
  })

  test('records its use at most every five minutes, and not when it was only offered', async () => {
    const person = await server.user('user-of-keys')
    const key = await keyOf(person)
    const lastUse = async () => (await person.get(`/user/keys/${key.id}`)).body.last_used_at
    const other = await sshKeyPair(folder.path, 'signs-wrong')
    await writeFile(`${other.path}.pub`, `${key.publicKey}\n`)
    // OpenSSH offers the key of the public file, and cannot sign with the private one.
    expect((await ssh(server, other)).code).toBe(255)
    expect(await lastUse()).toBeNull()
    const first = clock.now().toISOString()
    await ssh(server, key)
    expect(await lastUse()).toBe(first)
    clock.advance(299_000)
    await ssh(server, key)
    expect(await lastUse()).toBe(first)
    clock.advance(1_000)
    await ssh(server, key)
    expect(await lastUse()).toBe(clock.now().toISOString())
  })
})

describe('a connection that is older than a change', () => {
  test('reports that its user is blocked', async () => {
    const person = await server.user('lasting')
    const connection = await lasting(await keyOf(person))
    expect((await connection.run('git-upload-pack none')).stderr).toBe(framed(notFound))
    await server.root.post(`/users/${person.id}/block`)
    expect(await connection.run('git-upload-pack none')).toEqual({
      code: 1,
      stdout: '',
      stderr: framed('Your account has been blocked.'),
    })
    connection.end()
  })

  test('is refused after its key is deleted, or its user has lost access', async () => {
    const project = await pushed('lost')
    const { person, ...key } = await member(project, 'loser', 20)
    const connection = await lasting(key)
    const read = () => connection.run("git-upload-pack 'owner/lost'").then(({ stderr }) => stderr)
    expect(await read()).not.toContain('ERROR')
    await owner.delete(`/projects/${project.id}/members/${person.id}`)
    expect(await read()).toBe(framed(notFound))
    const [{ id }] = (await person.get('/user/keys')).body
    await person.delete(`/user/keys/${id}`)
    expect(await read()).toBe(framed('Permission denied (publickey).'))
    connection.end()
  })
})

describe('a deploy key', () => {
  let maintained: ProjectRow
  let key: SshKeyPair
  let id: number

  beforeAll(async () => {
    maintained = await pushed('deployed')
    key = await sshKeyPair(folder.path, 'deploy')
    const { body, status } = await owner.post(`/projects/${maintained.id}/deploy_keys`, {
      title: 'machine',
      key: key.publicKey,
    })
    expect(status).toBe(201)
    id = body.id
  })
  const allowPushes = async (may: boolean) => {
    const changed = await owner.put(`/projects/${maintained.id}/deploy_keys/${id}`, { can_push: may })
    expect(changed.status).toBe(200)
  }
  beforeEach(() => allowPushes(false))

  test('belongs to no user', async () => {
    expect(await ssh(server, key)).toEqual({ code: 0, stdout: 'Welcome to GitLab, Anonymous!\n', stderr: '' })
  })

  test('neither reads nor writes when the repository is disabled', async () => {
    const level = (repository_access_level: string) =>
      owner.put(`/projects/${maintained.id}`, { repository_access_level })
    await allowPushes(true)
    await level('disabled')
    const noDownload = 'You are not allowed to download code from this project.'
    expect(await reads(key, 'owner/deployed')).toMatchObject(refusedWith(noDownload))
    await using work = await temporaryDirectory()
    await makeHistory(work.path, ['one'])
    expect(await push(key, work.path, 'owner/deployed', 'main:off')).toMatchObject(refusedWith(noDownload))
    await level('enabled')
    expect((await reads(key, 'owner/deployed')).code).toBe(0)
  })

  test('reads its project and no other, not even public ones', async () => {
    await pushed('not-deployed', 'public')
    await pushed('not-deployed-private')
    expect((await reads(key, 'owner/deployed')).code).toBe(0)
    expect(await reads(key, 'owner/not-deployed')).toMatchObject(refusedWith(notFound))
    expect(await reads(key, 'owner/not-deployed-private')).toMatchObject(refusedWith(notFound))
    expect(await reads(key, 'owner/none')).toMatchObject(refusedWith(notFound))
  })

  test('pushes where it has write access, on behalf of its creator', async () => {
    await using work = await temporaryDirectory()
    await sshGit(server, key, work.path, 'clone', sshUrl(server, 'owner/deployed'), '.')
    await git(work.path, 'checkout', '-b', 'by-machine')
    await git(work.path, 'commit', '--allow-empty', '--message', 'more')
    const keyNoPush = 'This deploy key does not have write access to this project.'
    expect(await push(key, work.path, 'owner/deployed', 'by-machine')).toMatchObject(refusedWith(keyNoPush))
    expect(await push(key, work.path, 'owner/made-by-machine', 'by-machine')).toMatchObject(refusedWith(notFound))
    await allowPushes(true)
    expect(await push(key, work.path, 'owner/deployed', 'by-machine')).toMatchObject({ code: 0 })
    await owner.post(`/projects/${maintained.id}/archive`)
    await allowPushes(false)
    expect(await push(key, work.path, 'owner/deployed', 'by-machine:x')).toMatchObject(
      refusedWith("You can't push code to an archived project."),
    )
    await owner.post(`/projects/${maintained.id}/unarchive`)
  })

  test('is refused when it has expired or was disabled', async () => {
    const end = new Date(clock.now().getTime() + 3_600_000).toISOString()
    const short = await sshKeyPair(folder.path, 'deploy-short')
    const wanted = { title: 'short', key: short.publicKey, expires_at: end }
    const { body } = await owner.post(`/projects/${maintained.id}/deploy_keys`, wanted)
    expect((await reads(short, 'owner/deployed')).code).toBe(0)
    clock.advance(3_600_000)
    expect(await ssh(server, short)).toEqual(denied)
    expect((await owner.delete(`/projects/${maintained.id}/deploy_keys/${body.id}`)).status).toBe(204)
    const other = await pushed('deployed-too')
    await owner.post(`/projects/${other.id}/deploy_keys/${id}/enable`)
    expect((await reads(key, 'owner/deployed-too')).code).toBe(0)
    await owner.delete(`/projects/${other.id}/deploy_keys/${id}`)
    expect(await reads(key, 'owner/deployed-too')).toMatchObject(refusedWith(notFound))
  })

  test('is not accepted over HTTP', async () => {
    const asked = await fetch(`${server.url}/owner/deployed.git/info/refs?service=git-upload-pack`, {
      headers: { Authorization: `Basic ${Buffer.from(`git:${key.publicKey}`).toString('base64')}` },
    })
    expect(asked.status).toBe(401)
  })
})
