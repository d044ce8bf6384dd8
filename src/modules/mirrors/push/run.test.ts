import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedJobs } from '../../../testing/jobs.ts'
import { startTwoServers, type TwoServers } from '../testing.ts'

let two: TwoServers
beforeAll(async () => {
  two = await startTwoServers()
})
afterAll(() => two[Symbol.asyncDispose]())

const pathOf = (id: number) => `/projects/${id}/remote_mirrors`

/** A server that holds requests until it is released, and then answers 404. */
async function slowServer() {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  let count = 0
  const slow = createServer(async (_, response) => {
    count += 1
    ask()
    await allowed
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/x.git`
  return { url, asked, allow, count: () => count, [Symbol.asyncDispose]: async () => void slow.close() }
}

/** Two projects: the one on `here` is pushed to the one on `there`. */
async function mirrored(name: string, values: Record<string, unknown> = {}, ...refspecs: string[]) {
  const project = await two.pair(name)
  if (refspecs.length > 0) await two.push('here', name, ...refspecs)
  await two.settle()
  const made = await two.alice.post(pathOf(project.id), { url: project.address, enabled: true, ...values })
  expect(made.status).toBe(201)
  const path = `${pathOf(project.id)}/${made.body.id}`
  return {
    ...project,
    made: made.body,
    path,
    read: async () => (await two.alice.get(path)).body,
    sync: async () => {
      expect((await two.alice.post(`${path}/sync`)).status).toBe(204)
      await two.settle()
    },
  }
}

describe('a push mirror', () => {
  test('waits while its worker is switched off, and runs for a project that is a target', async () => {
    const feature = '/features/push_mirror_worker'
    await two.here.root.post(feature, { value: false })
    await mirrored('paused', {}, 'main')
    await mirrored('chosen', {}, 'main')
    await two.settle()
    expect([await two.refs('there', 'paused'), await two.refs('there', 'chosen')]).toEqual([{}, {}])
    await two.here.root.post(feature, { value: true, project: 'alice/chosen' })
    await two.pass(1)
    expect([await two.refs('there', 'paused'), await two.refs('there', 'chosen')]).toEqual([{}, { main: 'three' }])
    await two.here.root.delete(feature)
    await two.pass(1)
    expect(await two.refs('there', 'paused')).toEqual({ main: 'three' })
  })

  test('pushes branches and tags when it is created, and shows its state', async () => {
    const mirror = await mirrored('first', {}, 'main', 'main~1:refs/heads/side', 'main:refs/tags/v1')
    expect(mirror.made).toMatchObject({ update_status: 'scheduled', url: mirror.shown, last_update_at: null })
    await two.settle()
    expect(await two.refs('there', 'first')).toEqual({ main: 'three', side: 'two', 'tags/v1': 'three' })
    const moment = two.clock.now().toISOString()
    expect(await mirror.read()).toMatchObject({
      update_status: 'finished',
      last_update_at: moment,
      last_update_started_at: moment,
      last_successful_update_at: moment,
      last_error: null,
    })
  })

  test('follows pushes, moves and deletions', async () => {
    const mirror = await mirrored('following', {}, 'main~2:refs/heads/main', 'main:refs/heads/gone', 'main:refs/tags/t')
    await two.settle()
    await two.pass(10)
    await two.push('here', 'following', 'main', ':refs/heads/gone', ':refs/tags/t', 'main:refs/heads/new')
    await two.settle()
    expect(await two.refs('there', 'following')).toEqual({ main: 'three', new: 'three' })
    expect(await mirror.read()).toMatchObject({ update_status: 'finished' })
  })

  test('runs once in five minutes, or once a minute for protected branches only', async () => {
    const all = await mirrored('resting', {}, 'main~2:refs/heads/main')
    const some = await mirrored('quick', { only_protected_branches: true }, 'main~2:refs/heads/main')
    await two.settle()
    for (const name of ['resting', 'quick']) {
      await two.push('here', name, 'main~1:refs/heads/main')
      await two.settle()
      await two.push('here', name, 'main')
      await two.settle()
      expect(await two.refs('there', name)).toEqual({ main: 'one' })
    }
    expect(await all.read()).toMatchObject({ update_status: 'scheduled' })
    await two.pass(1)
    expect([await two.refs('there', 'resting'), await two.refs('there', 'quick')]).toEqual([
      { main: 'one' },
      { main: 'three' },
    ])
    await two.pass(4)
    expect(await two.refs('there', 'resting')).toEqual({ main: 'three' })
    expect([await all.read(), await some.read()]).toMatchObject([
      { update_status: 'finished' },
      { update_status: 'finished' },
    ])
  })

  test('runs at once on request', async () => {
    const mirror = await mirrored('urgent', {}, 'main~1:refs/heads/main')
    await two.settle()
    await two.push('here', 'urgent', 'main')
    await mirror.sync()
    expect(await two.refs('there', 'urgent')).toEqual({ main: 'three' })
  })

  test('overwrites diverged refs', async () => {
    const mirror = await mirrored('forcing', {}, 'main')
    await two.settle()
    await two.foreignCommit('theirs')
    await two.bob.delete('/projects/bob%2Fforcing/protected_branches/main')
    await two.push('there', 'forcing', 'theirs:refs/heads/main', 'theirs', 'theirs:refs/tags/x')
    await mirror.sync()
    expect(await two.refs('there', 'forcing')).toEqual({ main: 'three' })
    expect(await mirror.read()).toMatchObject({ update_status: 'finished', last_error: null })
  })

  test('does not update diverged refs with keep_divergent_refs, and reports them', async () => {
    const mirror = await mirrored('keeping', { keep_divergent_refs: true }, 'main', 'main:refs/heads/fine')
    await two.settle()
    await two.foreignCommit('theirs')
    await two.bob.delete('/projects/bob%2Fkeeping/protected_branches/main')
    await two.push('there', 'keeping', 'theirs:refs/heads/main', 'theirs', 'main~1:refs/heads/fine')
    await mirror.sync()
    expect(await two.refs('there', 'keeping')).toEqual({ main: 'theirs', theirs: 'theirs', fine: 'three' })
    expect(await mirror.read()).toMatchObject({
      update_status: 'failed',
      last_error: 'Some refs have diverged and have not been updated on the remote:\n\nrefs/heads/main',
    })
  })

  test('of protected branches does not change other branches', async () => {
    const values = { enabled: false, only_protected_branches: true }
    const mirror = await mirrored('guarded', values, 'main', 'main~1:refs/heads/free')
    await two.push('there', 'guarded', 'main~2:refs/heads/main', 'main~2:refs/heads/theirs')
    expect((await two.alice.put(mirror.path, { enabled: true })).status).toBe(200)
    await two.settle()
    expect(await two.refs('there', 'guarded')).toEqual({ main: 'three', theirs: 'one' })
  })

  test('of a pattern pushes matching branches', async () => {
    const values = { mirror_branch_regex: '^(main|release/)' }
    const mirror = await mirrored('matched', values, 'main', 'main:refs/heads/release/1', 'main:refs/heads/topic')
    await mirror.sync()
    expect(await two.refs('there', 'matched')).toEqual({ main: 'three', 'release/1': 'three' })
  })

  test('of an empty repository deletes nothing', async () => {
    const mirror = await mirrored('hollow')
    await two.push('there', 'hollow', 'main')
    await mirror.sync()
    expect(await two.refs('there', 'hollow')).toEqual({ main: 'three' })
    expect(await mirror.read()).toMatchObject({ update_status: 'finished' })
  })

  test('that is disabled does not run, and catches up when it is enabled', async () => {
    const mirror = await mirrored('resumed', { enabled: false }, 'main')
    await two.pass(10)
    expect(await mirror.read()).toMatchObject({ enabled: false, update_status: 'none' })
    const sentence = 'Cannot proceed with the push mirroring. The mirror is disabled'
    expect(await two.alice.post(`${mirror.path}/sync`)).toMatchObject({ status: 400, body: { message: sentence } })
    expect(await two.refs('there', 'resumed')).toEqual({})
    expect((await two.alice.put(mirror.path, { enabled: true })).body.update_status).toBe('scheduled')
    await two.settle()
    expect(await two.refs('there', 'resumed')).toEqual({ main: 'three' })
  })
})

describe('a push mirror that cannot run', () => {
  test('reports a wrong password without showing it, and retries twice', async () => {
    const name = 'locked'
    const wrong = two.addressOf(`bob/${name}`, 'bob:glpat-wrong%40secret@')
    const mirror = await mirrored(name, { url: wrong }, 'main')
    await two.settle()
    const failed = await mirror.read()
    expect(failed).toMatchObject({ update_status: 'failed', last_error: 'Authentication failed.' })
    expect(failed.last_successful_update_at).toBeNull()
    const failures = async () => {
      const query = two.here.app.platform.database.read.selectFrom('remote_mirrors').selectAll()
      return (await query.where('id', '=', failed.id).executeTakeFirstOrThrow()).failures
    }
    for (const expected of [2, 3, 3]) {
      await two.pass(5)
      expect(await failures()).toBe(expected)
    }
    const stored = await two.here.app.platform.database.read.selectFrom('remote_mirrors').selectAll().execute()
    const jobs = await storedJobs(two.here.app.platform.database)
    expect(JSON.stringify([stored, jobs, failed])).not.toMatch(/wrong(?:%40|@)secret/)
  })

  test('reports refused refs and pushes the others', async () => {
    const mirror = await mirrored('refused', {}, 'main')
    await two.settle()
    await two.bob.post('/projects/bob%2Frefused/protected_tags', { name: 'v*', create_access_level: 0 })
    await two.push('here', 'refused', 'main:refs/tags/v1')
    await mirror.sync()
    const { update_status, last_error } = await mirror.read()
    expect(update_status).toBe('failed')
    expect(last_error).toContain('refs/tags/v1 (pre-receive hook declined)')
    expect(last_error).toContain('You are not allowed to create this tag as it is protected.')
  })

  test('reports a missing repository', async () => {
    const mirror = await mirrored('lost', { url: two.addressOf('bob/nothing', 'bob:x@') }, 'main')
    await two.settle()
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error: 'Authentication failed.' })
  })

  test('does not connect to local addresses when that is forbidden', async () => {
    const mirror = await mirrored('inside', { enabled: false }, 'main')
    await two.enableWhereLocalIsForbidden(mirror.path)
    const last_error = 'Requests to localhost are not allowed'
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error })
    expect(await two.refs('there', 'inside')).toEqual({})
  })

  test.each(['https', 'ssh'])('reports an unknown host (%s)', async (scheme) => {
    const url = `${scheme}://git@nothing.invalid/x.git`
    const mirror = await mirrored(`nowhere-${scheme}`, { url, auth_method: 'ssh_public_key' }, 'main')
    await two.settle()
    const last_error = 'Host cannot be resolved or invalid'
    expect(await mirror.read()).toMatchObject({ update_status: 'failed', last_error })
  })

  test('runs again after the process died', async () => {
    const mirror = await mirrored('killed', {}, 'main')
    await two.settle()
    const { database, jobs } = two.here.app.platform
    const moment = two.clock.now().toISOString()
    // A process that was killed during a push leaves a leased job and a started mirror.
    await database.write(async (tx) => {
      const begun = {
        update_status: 'started' as const,
        due_at: new Date(Date.parse(moment) + 3 * 3_600_000).toISOString(),
      }
      await tx.updateTable('remote_mirrors').set(begun).where('id', '=', mirror.made.id).execute()
      const uniqueKey = String(mirror.made.id)
      const id = await jobs.enqueue(tx, 'mirrors.push', { mirrorId: mirror.made.id }, { uniqueKey })
      const lease = {
        state: 'running' as const,
        lease_owner: 'gone',
        lease_until: new Date(Date.parse(moment) + 60_000).toISOString(),
        attempts: 1,
      }
      await tx.updateTable('jobs').set(lease).where('id', '=', id!).execute()
    })
    await two.push('here', 'killed', 'main~1:refs/heads/more')
    await two.pass(2)
    expect(await two.refs('there', 'killed')).toEqual({ main: 'three', more: 'two' })
    expect(await mirror.read()).toMatchObject({ update_status: 'finished' })
  })

  test('may be deleted while it runs', async () => {
    await using slow = await slowServer()
    const mirror = await mirrored('leaving', { url: slow.url }, 'main')
    await slow.asked
    expect((await mirror.read()).update_status).toBe('started')
    expect((await two.alice.delete(mirror.path)).status).toBe(204)
    slow.allow()
    await two.settle()
    expect((await two.alice.get(mirror.path)).status).toBe(404)
    expect(await storedJobs(two.here.app.platform.database, { kind: 'mirrors.push' })).toEqual([])
  })

  test('that is requested while it runs, runs once more', async () => {
    await using slow = await slowServer()
    const mirror = await mirrored('again', { url: slow.url }, 'main')
    await slow.asked
    expect((await two.alice.post(`${mirror.path}/sync`)).status).toBe(204)
    slow.allow()
    await two.settle()
    expect(slow.count()).toBe(2)
    expect(await mirror.read()).toMatchObject({
      update_status: 'failed',
      last_error: 'The remote repository was not found.',
    })
  })
})
