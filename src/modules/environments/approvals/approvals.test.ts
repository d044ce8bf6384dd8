import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Client, Person } from '../../../testing/index.ts'
import { startWithDeployments } from '../testing.ts'

let at: Awaited<ReturnType<typeof startWithDeployments>>
beforeAll(async () => {
  at = await startWithDeployments()
})
afterAll(() => at.server.stop())

const config = `
build: {script: x}
deploy:
  script: x
  stage: deploy
  retry: 2
  environment: {name: live}
after:
  script: x
  stage: .post
`
const byMaintainers = [{ access_level: 40 }]

type Started = {
  id: number
  path: string
  status(name?: string): Promise<string>
  shown(): Promise<Answer['body']>
}

/** A project with rules for deployments to `live`, and the pipeline that someone has started. */
async function ruled(rules: object[], levels: object[] = byMaintainers) {
  const project = await at.pushed(config)
  const { base } = project
  const protection = `${base}/protected_environments`
  const given = { name: 'live', deploy_access_levels: levels, approval_rules: rules }
  expect((await at.owner.post(protection, given)).status).toBe(201)
  async function started(by: Person = at.owner): Promise<Started> {
    const { body } = await by.post(`${base}/pipeline`, { ref: 'main' })
    await at.drain()
    const [deployment] = (await at.owner.get(`${base}/deployments?sort=desc&per_page=1`)).body
    const path = `${base}/deployments/${deployment.id}`
    return {
      ...{ id: body.id, path },
      status: (name = 'deploy') => project.status(name, body.id),
      shown: async () => (await at.reporter.get(path)).body,
    }
  }
  const play = async (person: Person, pipeline: number) =>
    person.post(`${base}/jobs/${(await project.latest(pipeline, 'deploy')).id}/play`)
  return { ...project, protection: `${protection}/live`, started, play }
}

const approve = (person: Client, { path }: { path: string }, more: object = {}) =>
  person.post(`${path}/approval`, { status: 'approved', ...more })

const refusals = {
  open: 'This environment is not protected.',
  own: 'You cannot approve your own deployment. This configuration can be adjusted in the protected environment settings.',
  noRules: 'Deployment approvals is not configured for this environment.',
  notWaiting: 'This deployment is not waiting for approvals.',
  noRight: "You don't have permission to approve this deployment. Contact the project or group owner for help.",
  notRepresented:
    'There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead.',
}
const refused = (problem: keyof typeof refusals) => ({ status: 400, body: { message: refusals[problem] } })

describe('a deployment that needs approvals', () => {
  test('waits with its job until no approval is missing, and is then played', async () => {
    const { started, play, run } = await ruled([{ user_id: at.reporter.id }, { access_level: 40 }])
    const one = await started()
    expect(await one.shown()).toMatchObject({ status: 'blocked', pending_approval_count: 2, approvals: [] })
    await run('build', 'success', one.id)
    expect(await one.status()).toBe('manual')
    expect(await one.status('after')).toBe('created')
    expect(await play(at.owner, one.id)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Unplayable Job' },
    })
    const answer = await approve(at.reporter, one, { comment: 'fine' })
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toEqual({
      user: expect.objectContaining({ id: at.reporter.id, username: 'reporter' }),
      ...{ status: 'approved', comment: 'fine', created_at: at.clock.now().toISOString() },
    })
    expect((await play(at.maintainer, one.id)).status).toBe(400)
    expect((await approve(at.maintainer, one)).status).toBe(201)
    const shown = await one.shown()
    expect(shown).toMatchObject({ status: 'blocked', pending_approval_count: 0 })
    expect(shown.approvals.map(({ user }: { user: { id: number } }) => user.id)).toEqual([
      at.reporter.id,
      at.maintainer.id,
    ])
    const user = (await at.owner.get(`/users/${at.reporter.id}`)).body
    expect(shown.approval_summary).toEqual({
      rules: [
        {
          ...{ user_id: at.reporter.id, group_id: null, access_level: null, access_level_description: user.name },
          ...{ required_approvals: 1, deployment_approvals: [answer.body] },
        },
        {
          ...{ user_id: null, group_id: null, access_level: 40, access_level_description: 'Maintainers' },
          ...{
            required_approvals: 1,
            deployment_approvals: [expect.objectContaining({ status: 'approved', comment: null })],
          },
        },
      ],
    })
    expect((await play(at.developer, one.id)).status).toBe(403)
    expect((await play(at.maintainer, one.id)).status).toBe(200)
    expect(await one.status()).toBe('pending')
    await run('deploy', 'success', one.id)
    expect(await one.shown()).toMatchObject({ status: 'success', pending_approval_count: 0 })
    expect(await approve(at.maintainer, one)).toMatchObject(refused('notWaiting'))
  })

  test('goes on by itself when it was approved before its turn', async () => {
    const { started, run } = await ruled([{ access_level: 40 }])
    const one = await started()
    expect(await one.status()).toBe('created')
    expect((await approve(at.maintainer, one)).status).toBe(201)
    await run('build', 'success', one.id)
    expect(await one.status()).toBe('pending')
  })

  test('fails with its job when someone rejects it, and is not retried by itself', async () => {
    const { base, started, run } = await ruled([{ access_level: 40, required_approvals: 2 }])
    const one = await started()
    await run('build', 'success', one.id)
    expect((await approve(at.maintainer, one, { status: 'rejected', comment: 'no' })).status).toBe(201)
    expect(await one.status()).toBe('failed deployment_rejected')
    expect(await one.shown()).toMatchObject({
      ...{ status: 'failed', pending_approval_count: 0 },
      approvals: [{ status: 'rejected', comment: 'no' }],
    })
    expect((await at.owner.get(`${base}/deployments`)).body).toHaveLength(2)
    expect(await approve(at.maintainer, one)).toMatchObject(refused('notWaiting'))
  })

  test('fails alone when it is rejected after its pipeline was deleted', async () => {
    const { base, started } = await ruled([{ access_level: 40 }])
    const one = await started()
    expect((await at.owner.delete(`${base}/pipelines/${one.id}`)).status).toBe(204)
    await at.drain()
    expect((await approve(at.maintainer, one, { status: 'rejected' })).status).toBe(201)
    expect(await one.shown()).toMatchObject({ status: 'failed' })
  })

  test('needs approvals of its own after a retry', async () => {
    const { base, started, run, latest } = await ruled([{ access_level: 40 }])
    const one = await started()
    await approve(at.maintainer, one)
    await run('build', 'success', one.id)
    await run('deploy', 'success', one.id)
    const { id } = await latest(one.id, 'deploy')
    expect((await at.owner.post(`${base}/jobs/${id}/retry`)).status).toBe(201)
    expect(await one.status()).toBe('manual')
    const [newest] = (await at.owner.get(`${base}/deployments?sort=desc&per_page=1`)).body
    expect((await at.owner.get(`${base}/deployments/${newest.id}`)).body).toMatchObject({
      ...{ status: 'blocked', pending_approval_count: 1, approvals: [] },
    })
  })

  test('cannot be started without approvals by deleting it', async () => {
    const { started, run, play } = await ruled([{ access_level: 40 }])
    const one = await started()
    await run('build', 'success', one.id)
    expect((await at.owner.delete(one.path)).status).toBe(204)
    expect((await play(at.owner, one.id)).status).toBe(400)
  })

  test('needs those of rules that were added while it waited, also for its turn', async () => {
    const { protection, started, run, play } = await ruled([])
    const [manual, created] = [await started(), await started()]
    await at.owner.put(protection, { approval_rules: [{ access_level: 40 }] })
    await run('build', 'success', created.id)
    expect(await created.status()).toBe('manual')
    expect(await created.shown()).toMatchObject({ status: 'blocked', pending_approval_count: 1 })
    expect(await manual.shown()).toMatchObject({ status: 'created', pending_approval_count: 1 })
    expect((await approve(at.maintainer, manual)).status).toBe(201)
    expect((await approve(at.maintainer, created)).status).toBe(201)
    expect((await play(at.owner, created.id)).status).toBe(200)
  })

  test('needs none any more when the protection has ended', async () => {
    const { protection, started, run, play } = await ruled([{ access_level: 40 }])
    const one = await started()
    await run('build', 'success', one.id)
    expect((await at.owner.delete(protection)).status).toBe(204)
    expect(await approve(at.maintainer, one)).toMatchObject(refused('open'))
    expect((await play(at.owner, one.id)).status).toBe(200)
    expect(await one.status()).toBe('pending')
  })
})

describe('who approves', () => {
  test('counts once, whatever is said again; another answer replaces it', async () => {
    const { started } = await ruled([{ access_level: 40, required_approvals: 2 }])
    const one = await started()
    const first = await approve(at.maintainer, one, { comment: 'a' })
    expect((await approve(at.maintainer, one, { comment: 'b' })).body).toEqual(first.body)
    expect(await one.shown()).toMatchObject({ pending_approval_count: 1, approvals: [{ comment: 'a' }] })
    const twice = await Promise.all([approve(at.server.root, one), approve(at.server.root, one)])
    expect(twice.map(({ status }) => status)).toEqual([201, 201])
    expect(await one.shown()).toMatchObject({ pending_approval_count: 0, approvals: [{}, {}] })
    expect((await approve(at.maintainer, one, { status: 'rejected' })).status).toBe(201)
    expect(await one.status()).toBe('failed deployment_rejected')
    expect((await one.shown()).approvals).toHaveLength(2)
  })

  test('counts in each rule, or in one that is named', async () => {
    const rules = [{ access_level: 40 }, { access_level: 30 }, { user_id: at.maintainer.id }]
    const { started } = await ruled(rules)
    const [all, named] = [await started(), await started()]
    await approve(at.maintainer, all)
    expect(await all.shown()).toMatchObject({ pending_approval_count: 0 })
    expect(await approve(at.maintainer, named, { represented_as: 'x' })).toMatchObject(refused('notRepresented'))
    expect((await approve(at.maintainer, named, { represented_as: 'Maintainers' })).status).toBe(201)
    const shown = await named.shown()
    expect(shown).toMatchObject({ pending_approval_count: 2 })
    expect(
      shown.approval_summary.rules.map((rule: { deployment_approvals: object[] }) => rule.deployment_approvals.length),
    ).toEqual([1, 0, 0])
    expect((await approve(at.maintainer, named, { represented_as: '' })).status).toBe(201)
    expect(await named.shown()).toMatchObject({ pending_approval_count: 0 })
  })

  test('is asked by a rule, and is not the one who deploys, unless the project says so', async () => {
    const { base, started } = await ruled([{ access_level: 40 }])
    const one = await started(at.maintainer)
    for (const person of [at.developer, at.reporter]) {
      expect(await approve(person, one)).toMatchObject(refused('noRight'))
    }
    for (const person of [at.guest, at.outsider]) expect((await approve(person, one)).status).toBeGreaterThan(402)
    expect(await approve(at.maintainer, one)).toMatchObject(refused('own'))
    const setting = { allow_pipeline_trigger_approve_deployment: true }
    expect((await at.owner.put(base, setting)).status).toBe(200)
    expect((await approve(at.maintainer, one)).status).toBe(201)
  })

  test('may reject an own deployment', async () => {
    const { started } = await ruled([{ access_level: 40 }])
    const one = await started(at.maintainer)
    expect((await approve(at.maintainer, one, { status: 'rejected' })).status).toBe(201)
    expect(await one.status()).toBe('failed deployment_rejected')
  })

  test('of a level for administrators is an administrator', async () => {
    const { started } = await ruled([{ access_level: 60 }])
    const one = await started(at.maintainer)
    expect(await approve(at.owner, one)).toMatchObject(refused('noRight'))
    expect((await approve(at.server.root, one)).status).toBe(201)
    expect(await one.shown()).toMatchObject({ pending_approval_count: 0 })
  })

  test('is an administrator as long as they have the rights of one', async () => {
    const { started } = await ruled([{ access_level: 60 }])
    const boss = await at.server.user('boss')
    const become = (admin: boolean) => at.server.root.put(`/users/${boss.id}`, { admin })
    expect((await become(true)).status).toBe(200)
    const one = await started()
    expect((await approve(boss, one)).status).toBe(201)
    expect(await one.shown()).toMatchObject({ pending_approval_count: 0 })
    expect((await become(false)).status).toBe(200)
    expect(await one.shown()).toMatchObject({ pending_approval_count: 1 })
  })

  test('gets the first of the errors', async () => {
    const { base, protection, started } = await ruled([{ access_level: 40 }])
    const one = await started()
    const sha = (await at.owner.get(`${base}/repository/commits/main`)).body.id
    const given = { ref: 'main', tag: false, sha, status: 'running' }
    const recorded = async (environment: string) => {
      const { body } = await at.owner.post(`${base}/deployments`, { ...given, environment })
      expect(body).toMatchObject({
        pending_approval_count: 0,
        approvals: [],
        approval_summary: { rules: expect.any(Array) },
      })
      return { path: `${base}/deployments/${body.id}` }
    }
    expect(await approve(at.owner, await recorded('free'))).toMatchObject(refused('open'))
    const own = await recorded('live')
    expect(await approve(at.owner, own)).toMatchObject(refused('own'))
    expect(await approve(at.maintainer, own)).toMatchObject(refused('notWaiting'))
    const [rule] = (await at.owner.get(protection)).body.approval_rules
    await at.owner.put(protection, { approval_rules: [{ id: rule.id, _destroy: true }] })
    expect(await approve(at.maintainer, one)).toMatchObject(refused('noRules'))
    expect((await one.shown()).approval_summary).toEqual({ rules: [] })
    expect((await approve(at.maintainer, { path: `${base}/deployments/987654` })).status).toBe(404)
  })

  test.each([
    [{}, 'status is missing'],
    [{ status: 'x' }, 'status does not have a valid value'],
    [{ status: ['approved'] }, 'status'],
    [{ status: { a: 1 } }, 'status'],
    [{ status: 'approved', comment: 'x'.repeat(256) }, 'comment'],
  ])('sends what can be read: %j', async (given, error) => {
    const { started } = await ruled([{ access_level: 40 }])
    const { path } = await started()
    expect(await at.maintainer.post(`${path}/approval`, given)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(error) },
    })
  })

  test('may write anything in a comment', async () => {
    const { started } = await ruled([{ access_level: 40 }])
    const one = await started()
    const comment = '<script>é🚀</script>'
    expect((await approve(at.maintainer, one, { comment })).body.comment).toBe(comment)
  })

  test('counts no more when the right has ended', async () => {
    const { base, started, run, play } = await ruled([{ user_id: at.developer.id }, { access_level: 30 }])
    const one = await started()
    await run('build', 'success', one.id)
    expect((await approve(at.developer, one)).status).toBe(201)
    expect(await one.shown()).toMatchObject({ pending_approval_count: 0 })
    expect((await at.owner.delete(`${base}/members/${at.developer.id}`)).status).toBe(204)
    const shown = await one.shown()
    expect(shown).toMatchObject({ pending_approval_count: 2, approvals: [{ status: 'approved' }] })
    // The rule of the developer is for maintainers now.
    expect(shown.approval_summary.rules[0]).toMatchObject({ user_id: null, access_level: 40, deployment_approvals: [] })
    expect((await play(at.owner, one.id)).status).toBe(400)
    expect((await approve(at.maintainer, one)).status).toBe(201)
    expect((await play(at.owner, one.id)).status).toBe(200)
  })
})
