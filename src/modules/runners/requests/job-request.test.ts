import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { failJob } from '../../pipelines/index.ts'
import { features, makeRunner, queuedProject, type TestRunner, workOn } from '../testing.ts'

let clock: ManualClock
let server: TestServer
let owner: Person
let runner: TestRunner
let count = 0
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  owner = await server.user('owner')
})
afterAll(() => server.stop())
beforeEach(async () => {
  const { database } = server.app.platform
  await database.write(async (tx) => {
    await tx.deleteFrom('pipelines').execute()
    await tx.deleteFrom('runners').execute()
  })
  runner = await makeRunner(server)
})

/** A project whose jobs wait for runners. */
function queued(config: string) {
  count += 1
  return queuedProject(server, owner, `demo${count}`, { config })
}

const jobOf = async (name: string) =>
  server.app.platform.database.read
    .selectFrom('ci_jobs')
    .selectAll()
    .where('name', '=', name)
    .where('retried', '=', false)
    .executeTakeFirstOrThrow()

const forbidden = { status: 403, body: { message: '403 Forbidden' } }

describe('a runner that asks for a job', () => {
  test('gets it, and the next time none', async () => {
    await queued('build: {script: make}')
    const payload = await runner.take()
    expect(payload).toMatchObject({ id: expect.any(Number), job_info: { name: 'build', stage: 'test' } })
    expect(payload.token).toMatch(/^glcbt-[\w-]{20}$/)
    const job = await jobOf('build')
    expect(job).toMatchObject({ status: 'running', runner_id: runner.id, token_digest: hashToken(payload.token) })
    expect(job).toMatchObject({ cancels_gracefully: true, started_at: clock.now().toISOString() })
    const answer = await runner.ask()
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect(answer.headers.get('x-gitlab-last-update')).toMatch(/^\S+$/)
    const { body } = await server.root.get(`/runners/${runner.id}`)
    expect(body).toMatchObject({
      status: 'online',
      job_execution_status: 'active',
      version: '19.4.0',
      ip_address: '127.0.0.1',
    })
    expect((await server.root.get(`/runners/${runner.id}/managers`)).body).toMatchObject([
      { system_id: 's_test', job_execution_status: 'active', status: 'online' },
    ])
  })

  test('gets no job that another one gets, however many ask at once', async () => {
    await queued(['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: {script: make}`).join('\n'))
    const others = await Promise.all(Array.from({ length: 4 }, () => makeRunner(server)))
    const answers = await Promise.all([runner, ...others].flatMap((one) => [one.ask(), one.ask()]))
    const taken = answers.filter(({ status }) => status === 201).map(({ body }) => body.id)
    const rest = await Promise.all(Array.from({ length: 5 }, () => runner.ask()))
    taken.push(...rest.filter(({ status }) => status === 201).map(({ body }) => body.id))
    expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted())
    expect(taken).toHaveLength(5)
  })

  test('with `last_update` gets the same answer until a job is queued', async () => {
    const first = await runner.ask()
    const lastUpdate = first.headers.get('x-gitlab-last-update')
    const again = await runner.ask({ last_update: lastUpdate })
    expect([again.status, again.headers.get('x-gitlab-last-update')]).toEqual([204, lastUpdate])
    await queued('build: {script: make}')
    expect((await runner.ask({ last_update: lastUpdate })).status).toBe(201)
    expect((await runner.ask({ last_update: 'x'.repeat(10_000) })).status).toBe(204)
  })

  test('with `last_update` and `job_age` gets a job that has become old enough meanwhile', async () => {
    // The queue is searched anew with each minute in any case: all of this is in one.
    clock.advance(60_000 - (clock.now().getTime() % 60_000))
    await queued('build: {script: make}')
    clock.advance(20_000)
    const young = await runner.ask({ job_age: 30 })
    expect(young.status).toBe(204)
    clock.advance(20_000)
    const last_update = young.headers.get('x-gitlab-last-update')
    expect((await runner.ask({ last_update })).status).toBe(204)
    expect((await runner.ask({ job_age: 30, last_update })).status).toBe(201)
  })

  test('is refused with another token', async () => {
    const { ask } = runner
    for (const token of ['glrt-unknown', '', ' ', `${runner.token}x`, runner.token.toLowerCase()]) {
      expect(await ask({ token }), token).toMatchObject(forbidden)
    }
    expect(await ask({ token: undefined })).toMatchObject({ status: 400, body: { error: 'token is missing' } })
    expect(await ask({ token: { a: 1 } })).toMatchObject({ status: 400, body: { error: 'token is invalid' } })
    expect(await ask({ info: 'none' })).toMatchObject({ status: 400, body: { error: 'info is invalid' } })
    expect(
      (await ask({ info: { version: 'v'.repeat(100_000), name: '🦊' }, system_id: 's'.repeat(10_000) })).status,
    ).toBe(204)
    await server.root.post(`/runners/${runner.id}/reset_authentication_token`)
    expect(await ask()).toMatchObject(forbidden)
  })

  test('gets none while it is paused', async () => {
    await queued('build: {script: make}')
    await server.root.put(`/runners/${runner.id}`, { paused: true })
    expect((await runner.ask()).status).toBe(204)
    await server.root.put(`/runners/${runner.id}`, { paused: false })
    expect((await runner.ask()).status).toBe(201)
  })

  test('gets only jobs that have waited as long as it says', async () => {
    await queued('build: {script: make}')
    expect((await runner.ask({ job_age: 60 })).status).toBe(204)
    clock.advance(60_000)
    expect((await runner.ask({ job_age: 60 })).status).toBe(201)
    for (const job_age of [-1, 9_007_199_254_740_991]) expect((await runner.ask({ job_age })).status).toBe(204)
  })
})

describe('a job', () => {
  test('goes to runners that have all of its tags', async () => {
    await queued('tagged: {script: make, tags: [linux, "a\\"b"]}\nplain: {script: make}')
    const linux = await makeRunner(server, { tag_list: ['linux'], run_untagged: false })
    const both = await makeRunner(server, { tag_list: ['a"b', 'linux', 'more'], run_untagged: false })
    expect((await linux.ask()).status).toBe(204)
    expect((await both.take()).job_info.name).toBe('tagged')
    expect((await both.ask()).status).toBe(204)
    expect((await runner.take()).job_info.name).toBe('plain')
  })

  test('of an unprotected ref goes to no runner of protected refs', async () => {
    const project = await queued('build: {script: make}')
    await server.root.put(`/runners/${runner.id}`, { access_level: 'ref_protected' })
    const { database } = server.app.platform
    const setProtected = (value: boolean) =>
      database.write((tx) =>
        tx.updateTable('ci_jobs').set({ protected: value }).where('project_id', '=', project.id).execute(),
      )
    await setProtected(false)
    expect((await runner.ask()).status).toBe(204)
    await setProtected(true)
    expect((await runner.take()).git_info.protected).toBe(true)
  })

  test('of an unprotected ref goes to no runner of a project for protected refs', async () => {
    const project = await queued('build: {script: make}')
    const { database } = server.app.platform
    const place = { runner_type: 'project_type', project_id: project.id, access_level: 'ref_protected' } as const
    const ofProject = await makeRunner(server, place)
    await database.write((tx) => tx.updateTable('ci_jobs').set({ protected: false }).execute())
    expect((await ofProject.ask()).status).toBe(204)
    await database.write((tx) => tx.updateTable('ci_jobs').set({ protected: true }).execute())
    expect((await ofProject.take()).job_info.project_id).toBe(project.id)
  })

  test('of an archived project, or one that is being deleted, waits', async () => {
    const project = await queued('build: {script: make}')
    const { database } = server.app.platform
    const set = (changes: { archived?: boolean; pending_delete?: boolean }) =>
      database.write((tx) => tx.updateTable('projects').set(changes).where('id', '=', project.id).execute())
    const ofProject = await makeRunner(server, { runner_type: 'project_type', project_id: project.id })
    for (const column of ['archived', 'pending_delete'] as const) {
      await set({ [column]: true })
      expect([(await runner.ask()).status, (await ofProject.ask()).status], column).toEqual([204, 204])
      await set({ [column]: false })
    }
    expect((await ofProject.take()).job_info.project_id).toBe(project.id)
  })

  test('goes to runners that serve its project', async () => {
    const top = await server.make.group(`top${count}`, owner)
    const sub = await server.make.group('sub', owner, { parent: top })
    const project = await queued('build: {script: make}')
    const inGroup = await queued('build: {script: make}')
    const { database } = server.app.platform
    const move = (tx: Tx) =>
      tx.updateTable('projects').set({ namespace_id: sub.id }).where('id', '=', inGroup.id).execute()
    await database.write(move)
    const ofGroup = await makeRunner(server, { runner_type: 'group_type', group_id: top.id })
    const ofProject = await makeRunner(server, { runner_type: 'project_type', project_id: project.id })
    const set = (id: number, settings: object) =>
      database.write((tx) =>
        tx
          .updateTable('projects')
          .set({ settings: JSON.stringify(settings) })
          .where('id', '=', id)
          .execute(),
      )
    for (const id of [project.id, inGroup.id]) await set(id, { shared_runners_enabled: false })
    expect((await runner.ask()).status).toBe(204)
    await set(inGroup.id, { group_runners_enabled: false, shared_runners_enabled: false })
    expect((await ofGroup.ask()).status).toBe(204)
    await set(inGroup.id, { shared_runners_enabled: false })
    expect((await ofGroup.take()).job_info.project_id).toBe(inGroup.id)
    await set(project.id, { builds_access_level: 'disabled' })
    expect((await ofProject.ask()).status).toBe(204)
    await set(project.id, {})
    expect((await ofProject.take()).job_info.project_id).toBe(project.id)
    expect((await ofProject.ask()).status).toBe(204)
  })

  test('of the project with the fewest running jobs is first, for runners of the instance', async () => {
    const [one, other] = [await queued('a: {script: make}\nb: {script: make}'), await queued('c: {script: make}')]
    const projects = [await runner.take(), await runner.take(), await runner.take()].map(
      ({ job_info }) => job_info.project_id,
    )
    expect(projects).toEqual([one.id, other.id, one.id])
  })

  test('of a project whose jobs are being canceled comes after those of another one', async () => {
    const [one, other] = [await queued('a: {script: make}\nb: {script: make}'), await queued('c: {script: make}')]
    expect((await runner.take()).job_info.project_id).toBe(one.id)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('ci_jobs').set({ status: 'canceling' }).where('status', '=', 'running').execute(),
    )
    expect((await runner.take()).job_info.project_id).toBe(other.id)
  })

  test('that needs what the runner cannot do fails', async () => {
    await queued('build: {script: make, artifacts: {reports: {junit: a.xml}}}\nother: {script: make}')
    const info = { features: { ...features, upload_multiple_artifacts: false } }
    expect((await runner.take({ info })).job_info.name).toBe('other')
    expect(await jobOf('build')).toMatchObject({ status: 'failed', failure_reason: 'runner_unsupported' })
  })

  test('that a runner has taken meanwhile does not fail', async () => {
    await queued('build: {script: make}')
    await runner.take()
    const { platform } = server.app
    const job = await jobOf('build')
    const refused = failJob(platform, job, 'runner_unsupported', { event: 'refuse' })
    expect(await refused).toBeNull()
    expect((await jobOf('build')).status).toBe('running')
  })

  test('whose payload cannot be built fails', async () => {
    await queued('build: {script: make}')
    const { database } = server.app.platform
    await database.write((tx) =>
      tx
        .updateTable('ci_jobs')
        .set({ sha: '1'.repeat(40) })
        .execute(),
    )
    expect((await runner.ask()).status).toBe(204)
    expect(await jobOf('build')).toMatchObject({ status: 'failed', failure_reason: 'scheduler_failure' })
  })

  test('that depends on artifacts that are gone fails', async () => {
    const stages = 'build: {stage: build, script: make, artifacts: {paths: [a]}}\ntest: {stage: test, script: make}'
    await queued(stages)
    const build = await runner.take()
    const work = workOn(server, build)
    expect((await work.upload('zip', '?expire_in=1+hour')).status).toBe(201)
    expect((await work.update({ state: 'success' })).status).toBe(200)
    clock.advance(3_600_001)
    expect((await runner.ask()).status).toBe(204)
    expect(await jobOf('test')).toMatchObject({ status: 'failed', failure_reason: 'missing_dependency_failure' })
  })
})
