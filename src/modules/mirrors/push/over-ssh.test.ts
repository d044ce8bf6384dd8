import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTwoServers, type TwoServers } from '../testing.ts'

let two: TwoServers
beforeAll(async () => {
  two = await startTwoServers({ sshPort: 0 })
})
afterAll(() => two[Symbol.asyncDispose]())

const fingerprint = /^SHA256:[A-Za-z0-9+/]{43}$/

/** The address of a repository of `there` over SSH. */
function sshAddress(name: string, login = 'git'): string {
  const { ssh } = two.there.app
  if (!ssh) throw new Error('there is no SSH port')
  return `ssh://${login}@${ssh.host}:${ssh.port}/bob/${name}.git`
}

/** A mirror by a key, which is not enabled yet, of a project with two branches. */
async function keyed(name: string, values: Record<string, unknown> = {}) {
  const { id } = await two.pair(name)
  await two.push('here', name, 'main', 'main~1:refs/heads/side')
  await two.settle()
  const given = { url: sshAddress(name), auth_method: 'ssh_public_key', ...values }
  const made = await two.alice.post(`/projects/${id}/remote_mirrors`, given)
  expect(made.status).toBe(201)
  const path = `/projects/${id}/remote_mirrors/${made.body.id}`
  return {
    path,
    made: made.body,
    key: async (): Promise<string> => (await two.alice.get(`${path}/public_key`)).body.public_key,
    read: async () => (await two.alice.get(path)).body,
    /** Enables the mirror, or pushes again. */
    async run() {
      const { enabled } = (await two.alice.get(path)).body
      const answer = await (enabled ? two.alice.post(`${path}/sync`) : two.alice.put(path, { enabled: true }))
      expect(answer.status).toBeLessThan(300)
      await two.settle()
    },
    /** Lets the key into the project of `there`, whose default branch a deploy key can neither create nor, protected, push to. */
    async admit(can_push = true) {
      await two.push('there', name, 'main~2:refs/heads/main')
      await two.bob.delete(`/projects/bob%2F${name}/protected_branches/main`)
      const key = (await two.alice.get(`${path}/public_key`)).body.public_key
      const body = { title: 'mirror', key, can_push }
      expect((await two.bob.post(`/projects/bob%2F${name}/deploy_keys`, body)).status).toBe(201)
    },
  }
}

describe('a push mirror over SSH', () => {
  test('pushes with its key as a deploy key of the other server', async () => {
    const mirror = await keyed('pushed')
    expect(mirror.made).toMatchObject({ auth_method: 'ssh_public_key', host_keys: [] })
    await mirror.admit()
    await mirror.run()
    expect(await mirror.read()).toMatchObject({ update_status: 'finished', last_error: null })
    expect(await two.refs('there', 'pushed')).toEqual({ main: 'three', side: 'two' })
    expect((await mirror.read()).host_keys).toEqual([{ fingerprint_sha256: expect.stringMatching(fingerprint) }])
    await two.push('here', 'pushed', ':refs/heads/side', 'main~2:refs/heads/more', 'main:refs/tags/v1')
    await mirror.run()
    expect(await mirror.read()).toMatchObject({ update_status: 'finished', last_error: null })
    expect(await two.refs('there', 'pushed')).toEqual({ main: 'three', more: 'one', 'tags/v1': 'three' })
  })

  test('reports a key that is not admitted, and one that may not push', async () => {
    const mirror = await keyed('closed')
    await mirror.run()
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error: 'Authentication failed.' })
    expect((await mirror.read()).host_keys).toEqual([])
    await mirror.admit(false)
    await mirror.run()
    const last_error = 'The remote server denied access to the repository.'
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error })
    expect(await two.refs('there', 'closed')).toEqual({ main: 'one' })
  })

  test('reports a missing repository', async () => {
    const open = await keyed('opened')
    await open.admit()
    const mirror = await keyed('lost', { url: sshAddress('nothing') })
    const user = { title: 'user key', key: await mirror.key() }
    expect((await two.bob.post('/user/keys', user)).status).toBe(201)
    await mirror.run()
    const last_error = 'The remote repository was not found.'
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error })
  })

  test('connects to no other server than before', async () => {
    const mirror = await keyed('replaced')
    await mirror.admit()
    await mirror.run()
    await two.push('here', 'replaced', 'main:refs/heads/later')
    const { database } = two.here.app.platform
    const other = Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20another host key that is there!!!').toString('base64')
    await database.write((tx) =>
      tx.updateTable('remote_mirrors').set({ host_key: other }).where('id', '=', mirror.made.id).execute(),
    )
    await mirror.run()
    const last_error = 'The remote server has another host key than before. Set up the mirror anew.'
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error })
    expect(await two.refs('there', 'replaced')).toEqual({ main: 'three', side: 'two' })
  })

  test('connects to no local addresses when that is forbidden', async () => {
    const mirror = await keyed('inside')
    await mirror.admit()
    await two.enableWhereLocalIsForbidden(mirror.path)
    const last_error = 'Requests to localhost are not allowed'
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error })
  })

  test('offers a password where it has no key, and shows it nowhere', async () => {
    const url = sshAddress('worded', 'git:a-secret-word')
    const mirror = await keyed('worded', { url, auth_method: 'password' })
    await mirror.run()
    const shown = await mirror.read()
    expect(shown).toMatchObject({ update_status: 'failed', last_error: 'Authentication failed.' })
    expect(JSON.stringify(shown)).not.toContain('a-secret-word')
  })
})
