import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../../../testing/index.ts'
import { startWithDeployments } from '../testing.ts'

let at: Awaited<ReturnType<typeof startWithDeployments>>
beforeAll(async () => {
  at = await startWithDeployments()
})
afterAll(() => at.server.stop())

const config = `
deploy:
  script: x
  environment: {name: live, deployment_tier: production, on_stop: halt}
later:
  script: x
  when: manual
  environment: {name: live}
halt:
  script: x
  when: manual
  environment: {name: live, action: stop}
look:
  script: x
  environment: {name: live, action: verify}
other:
  script: x
  environment: {name: elsewhere}
`

/** A project whose environment `live` is protected for some, and the jobs of a pipeline that someone has started. */
async function protectedProject(levels: object[], rules: object[] = []) {
  const project = await at.pushed(config)
  const { base } = project
  const given = { name: 'live', deploy_access_levels: levels, approval_rules: rules }
  expect((await at.owner.post(`${base}/protected_environments`, given)).status).toBe(201)
  async function started(by: Person) {
    const { status, body } = await by.post(`${base}/pipeline`, { ref: 'main' })
    expect(status, JSON.stringify(body)).toBe(201)
    await at.drain()
    const job = async (name: string) => (await project.latest(body.id, name)).id
    const act = async (person: Person, name: string, what: 'play' | 'retry' | 'cancel') =>
      person.post(`${base}/jobs/${await job(name)}/${what}`)
    return {
      ...{ id: body.id as number, job, act },
      status: (name: string) => project.status(name, body.id),
      run: (name: string) => project.run(name, 'success', body.id),
    }
  }
  return { ...project, started }
}

describe('a job of a protected environment', () => {
  test('fails when it would start for a user who may not deploy', async () => {
    const { started } = await protectedProject([{ user_id: at.maintainer.id }])
    const refused = await started(at.owner)
    expect(await refused.status('deploy')).toBe('failed protected_environment_failure')
    for (const name of ['look', 'other']) expect(await refused.status(name)).toBe('pending')
    const allowed = await started(at.maintainer)
    expect(await allowed.status('deploy')).toBe('pending')
    await allowed.run('deploy')
    expect(await allowed.status('deploy')).toBe('success')
  })

  test('is played, retried and canceled only by those who may deploy', async () => {
    const { started } = await protectedProject([{ user_id: at.maintainer.id }])
    const pipeline = await started(at.maintainer)
    for (const name of ['later', 'halt']) expect((await pipeline.act(at.owner, name, 'play')).status).toBe(403)
    expect((await pipeline.act(at.owner, 'later', 'cancel')).status).toBe(403)
    expect(await pipeline.status('later')).toBe('manual')
    expect((await pipeline.act(at.owner, 'other', 'cancel')).status).toBe(201)
    await pipeline.run('deploy')
    expect((await pipeline.act(at.owner, 'deploy', 'retry')).status).toBe(403)
    expect((await pipeline.act(at.maintainer, 'later', 'play')).status).toBe(200)
    expect(await pipeline.status('later')).toBe('pending')
    expect((await pipeline.act(at.maintainer, 'deploy', 'retry')).status).toBe(201)
    expect(await pipeline.status('deploy')).toBe('pending')
    expect((await pipeline.act(at.maintainer, 'deploy', 'cancel')).status).toBe(201)
    expect(await pipeline.status('deploy')).toBe('canceled')
  })

  test('fails at its runner when the right has ended while it waited', async () => {
    const { base, started } = await protectedProject([{ user_id: at.maintainer.id }])
    const pipeline = await started(at.maintainer)
    expect(await pipeline.status('deploy')).toBe('pending')
    const { body } = await at.owner.get(`${base}/protected_environments/live`)
    const [{ id }] = body.deploy_access_levels
    const others = { deploy_access_levels: [{ id, user_id: at.owner.id }] }
    expect((await at.owner.put(`${base}/protected_environments/live`, others)).status).toBe(200)
    expect(await at.take(pipeline.id, 'deploy')).toBeNull()
    expect(await pipeline.status('deploy')).toBe('failed protected_environment_failure')
    expect(await at.take(pipeline.id, 'look')).not.toBeNull()
  })

  test('of a retry for everything fails again, and is not retried by itself', async () => {
    const { base, started } = await protectedProject([{ user_id: at.maintainer.id }])
    const pipeline = await started(at.owner)
    expect((await at.owner.post(`${base}/pipelines/${pipeline.id}/retry`)).status).toBe(201)
    expect(await pipeline.status('deploy')).toBe('failed protected_environment_failure')
  })

  test.each([
    [30, ['developer', 'maintainer', 'owner', 'root']],
    [40, ['maintainer', 'owner', 'root']],
    [60, ['root']],
  ] as const)('is open from level %i on', async (access_level, expected) => {
    const { base } = await protectedProject([{ access_level }])
    const id = (await at.owner.get(`${base}/environments?name=live`)).body[0].id
    const open: string[] = []
    for (const name of ['guest', 'reporter', 'developer', 'maintainer', 'owner', 'root'] as const) {
      const person = name === 'root' ? at.server.root : at[name]
      if ((await person.put(`${base}/environments/${id}`, {})).status === 200) open.push(name)
    }
    expect(open).toEqual(expected)
  })
})

describe('the API refuses to those who may not deploy', () => {
  test('what changes the environment and its deployments', async () => {
    const { base, started } = await protectedProject([{ user_id: at.maintainer.id }])
    await started(at.maintainer)
    const environment = (await at.owner.get(`${base}/environments?name=live`)).body[0]
    const one = `${base}/environments/${environment.id}`
    const sha = (await at.owner.get(`${base}/repository/commits/main`)).body.id
    const given = { environment: 'live', ref: 'main', tag: false, sha, status: 'running' }
    const made = await at.maintainer.post(`${base}/deployments`, given)
    expect(made.status).toBe(201)
    const deployment = `${base}/deployments/${made.body.id}`
    for (const answer of [
      await at.owner.put(one, { external_url: 'http://x.test' }),
      await at.owner.post(`${one}/stop`, { force: true }),
      await at.owner.delete(one),
      await at.owner.post(`${base}/deployments`, { ...given, status: 'success' }),
      await at.owner.put(deployment, { status: 'success' }),
      await at.owner.delete(deployment),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    }
    expect((await at.owner.get(one)).body).toMatchObject({ state: 'available', external_url: null })
    expect((await at.maintainer.put(deployment, { status: 'failed' })).status).toBe(200)
    expect((await at.maintainer.delete(deployment)).status).toBe(204)
    expect((await at.maintainer.post(`${one}/stop`, { force: true })).body.state).toBe('stopped')
    expect((await at.maintainer.delete(one)).status).toBe(204)
    // Under the protected name, also one that does not exist is not made.
    expect((await at.owner.post(`${base}/deployments`, given)).status).toBe(403)
    expect((await at.owner.get(`${base}/environments?name=live`)).body).toEqual([])
  })

  test('the deletion of review apps, which deletes the others', async () => {
    const { base } = await protectedProject([{ access_level: 40 }])
    for (const name of ['review/a', 'review/b']) {
      const { body } = await at.owner.post(`${base}/environments`, { name })
      await at.owner.post(`${base}/environments/${body.id}/stop`)
    }
    const given = { name: 'review/a', deploy_access_levels: [{ user_id: at.maintainer.id }] }
    expect((await at.owner.post(`${base}/protected_environments`, given)).status).toBe(201)
    const path = `${base}/environments/review_apps?dry_run=false&before=2100-01-01T00:00:00Z`
    expect(await at.owner.delete(path)).toMatchObject({
      status: 400,
      body: { scheduled_entries: [{ name: 'review/b' }], unprocessable_entries: [{ name: 'review/a' }] },
    })
    expect(await at.maintainer.delete(path)).toMatchObject({
      status: 200,
      body: { scheduled_entries: [{ name: 'review/a' }], unprocessable_entries: [] },
    })
  })

  test('nothing by the stop of stale environments, which leaves protected ones', async () => {
    const { base } = await protectedProject([{ access_level: 40 }])
    const day = 86_400_000
    const before = new Date(at.clock.now().getTime() + day).toISOString()
    at.clock.advance(9 * day)
    expect((await at.owner.post(`${base}/environments/stop_stale`, { before })).status).toBe(200)
    await at.drain()
    const states = (await at.owner.get(`${base}/environments`)).body.map(
      ({ name, state }: { name: string; state: string }) => `${name} ${state}`,
    )
    expect(states).toEqual(['live available', 'elsewhere stopped'])
  })
})
