import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, queriesOf } from '../../../testing/index.ts'
import { startWithDeployments } from '../testing.ts'

let at: Awaited<ReturnType<typeof startWithDeployments>>
let base: string
let sha: string
beforeAll(async () => {
  at = await startWithDeployments()
})
afterAll(() => at.server.stop())
beforeEach(async () => {
  base = (await at.pushed('a: {script: x}')).base
  sha = (await at.owner.get(`${base}/repository/commits/main`)).body.id
})

const given = (more: object = {}) => ({ environment: 'production', sha, ref: 'main', tag: false, ...more })
const create = (more: object = {}, as: Client = at.developer) =>
  as.post(`${base}/deployments`, given({ status: 'success', ...more }))
const forbidden = { status: 403, body: { message: '403 Forbidden' } }

describe('recording a deployment', () => {
  test('makes its environment, and shows it without a job', async () => {
    const answer = await create()
    expect(answer).toMatchObject({
      status: 201,
      body: {
        ...{ iid: 1, ref: 'main', sha, status: 'success', deployable: null },
        ...{ user: { username: at.developer.username }, environment: { name: 'production' } },
      },
    })
    await at.drain()
    const { id } = answer.body.environment
    const { body } = await at.reporter.get(`${base}/environments/${id}`)
    expect(body).toMatchObject({ tier: 'production', last_deployment: { id: answer.body.id } })
    expect(body.last_deployment).not.toHaveProperty('environment')
    expect((await create()).body.id).toBe(answer.body.id)
    expect((await create({ status: 'failed' })).body.iid).toBe(2)
  })

  test.each([
    [{ ref: 'nope' }, { message: { ref: ['The branch or tag does not exist'] } }],
    [{ tag: true }, { message: { ref: ['The branch or tag does not exist'] } }],
    [{ sha: 'f'.repeat(40) }, { message: { sha: ['The commit does not exist'] } }],
    [{ sha: 'x' }, { message: { sha: ['The commit does not exist'] } }],
    [{ status: 'created' }, { error: 'status does not have a valid value' }],
    [{ environment: '/x' }, { message: { name: [expect.stringMatching(/^can contain only/)] } }],
    [{ environment: undefined }, { error: 'environment is missing' }],
  ])('refuses %j', async (more, body) => {
    expect(await create(more)).toMatchObject({ status: 400, body })
  })

  test('is for developers', async () => {
    expect(await create({}, at.reporter)).toMatchObject(forbidden)
    expect(await create({}, at.guest)).toMatchObject(forbidden)
  })
})

describe('changing and deleting a deployment', () => {
  test('follows the transitions', async () => {
    const { id } = (await create({ status: 'running' })).body
    const change = (status: string, as: Client = at.developer) => as.put(`${base}/deployments/${id}`, { status })
    expect(await change('success', at.reporter)).toMatchObject(forbidden)
    expect(await change('success')).toMatchObject({ status: 200, body: { status: 'success' } })
    const refused = { message: { status: ['cannot transition via "run"'] } }
    expect(await change('running')).toMatchObject({ status: 400, body: refused })
    expect((await at.developer.put(`${base}/deployments/${id + 1000}`, { status: 'failed' })).status).toBe(404)
  })

  test('of a job is refused', async () => {
    const deployed = await at.pushed('deploy: {script: x, environment: prod}')
    const [{ id }] = (await at.owner.get(`${deployed.base}/deployments`)).body
    expect(await at.owner.put(`${deployed.base}/deployments/${id}`, { status: 'success' })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Deployments created using GitLab CI can not be updated using the API' },
    })
  })

  test('deletes neither one that runs nor the one that is live', async () => {
    const remove = (id: number, as: Client = at.maintainer) => as.delete(`${base}/deployments/${id}`)
    const failed = (await create({ status: 'failed' })).body.id
    const live = (await create()).body.id
    const running = (await create({ status: 'running' })).body.id
    expect(await remove(running)).toMatchObject({
      status: 400,
      body: { message: 'Cannot destroy running deployment' },
    })
    expect(await remove(live)).toMatchObject({
      status: 400,
      body: { message: 'Deployment currently deployed to environment' },
    })
    expect(await remove(failed, at.developer)).toMatchObject(forbidden)
    expect((await remove(failed)).status).toBe(204)
    expect((await remove(failed)).status).toBe(404)
  })
})

describe('reading deployments', () => {
  test('filters and orders them', async () => {
    await create({ status: 'failed' })
    at.clock.advance(60_000)
    await create({ environment: 'other' })
    const iids = async (query: string) => {
      const { body, status } = await at.reporter.get(`${base}/deployments?${query}`)
      return status === 200 ? body.map(({ iid }: { iid: number }) => iid) : (body.error ?? body.message)
    }
    const after = encodeURIComponent(at.clock.now().toISOString())
    expect(await iids('')).toEqual([1, 2])
    expect(await iids('order_by=iid&sort=desc')).toEqual([2, 1])
    expect(await iids('environment=production')).toEqual([1])
    expect(await iids('environment=none')).toEqual([])
    expect(await iids('status=success')).toEqual([2])
    expect(await iids(`order_by=updated_at&updated_after=${after}`)).toEqual([2])
    expect(await iids(`order_by=finished_at&status=success&finished_after=${after}`)).toEqual([2])
    const text = '400 Bad request - '
    expect(await iids(`updated_after=${after}&finished_after=${after}`)).toBe(
      `${text}Both \`updated_at\` filter and \`finished_at\` filter can not be specified`,
    )
    expect(await iids(`updated_after=${after}`)).toBe(`${text}\`updated_at\` filter requires \`updated_at\` sort`)
    expect(await iids(`finished_after=${after}`)).toBe(`${text}\`finished_at\` filter requires \`finished_at\` sort.`)
    expect(await iids('order_by=finished_at')).toBe(
      `${text}\`finished_at\` sort requires \`finished_at\` filter or a filter with at least one of the finished statuses.`,
    )
    expect(await iids(`order_by=finished_at&finished_after=${after}`)).toBe(
      `${text}\`finished_at\` filter must be combined with \`success\` status filter.`,
    )
    expect(await iids('order_by=x')).toBe('order_by does not have a valid value')
  })

  test('finds those of a job, of a pipeline and of a commit', async () => {
    const {
      base: other,
      pipeline,
      latest,
    } = await at.pushed('a: {script: x, environment: e}\nb: {script: x, environment: f}')
    const [pipelineId, ids] = [
      await pipeline(),
      async (query: string, of = other) => {
        const { body } = await at.reporter.get(`${of}/deployments?${query}`)
        return body.map(({ id }: { id: number }) => id)
      },
    ]
    const job = await latest(pipelineId, 'b')
    const all = await ids('')
    expect(all).toHaveLength(2)
    expect(await ids(`pipeline_id=${pipelineId}`)).toEqual(all)
    expect(await ids(`job_id=${job.id}`)).toEqual([all[1]])
    expect(await ids(`sha=${job.sha}&order_by=created_at&sort=desc`)).toEqual(all.toReversed())
    expect(await ids(`sha=${job.sha.slice(0, 8)}`)).toEqual([])
    // Nothing of another project is found.
    for (const query of [`pipeline_id=${pipelineId}`, `job_id=${job.id}`, `sha=${job.sha}`]) {
      expect(await ids(query, base)).toEqual([])
    }
    expect((await at.reporter.get(`${other}/deployments?job_id=x`)).body).toMatchObject({ error: 'job_id is invalid' })
  })

  test('is for readers of environments, with a fixed number of queries', async () => {
    const { id } = (await create()).body
    const list = () => at.reporter.get(`${base}/deployments`)
    const queries = await queriesOf(at.server, list)
    await create({ environment: 'other' })
    expect(await queriesOf(at.server, list)).toBe(queries)
    expect(await at.guest.get(`${base}/deployments/${id}`)).toMatchObject(forbidden)
    expect((await at.reporter.get(`${base}/deployments/${id}`)).body.id).toBe(id)
    const other = await at.pushed('a: {script: x}')
    expect((await at.reporter.get(`${other.base}/deployments/${id}`)).status).toBe(404)
  })

  test('lists the merge requests between two deployments, which are in production then', async () => {
    await create()
    const actions = [{ action: 'create', file_path: 'new', content: 'new' }]
    await at.owner.post(`${base}/repository/commits`, {
      ...{ branch: 'topic', start_branch: 'main', commit_message: 'new', actions },
    })
    const request = { source_branch: 'topic', target_branch: 'main', title: 'ship it' }
    const { iid } = (await at.owner.post(`${base}/merge_requests`, request)).body
    await at.drain()
    expect((await at.owner.put(`${base}/merge_requests/${iid}/merge`)).status).toBe(200)
    await at.drain()
    sha = (await at.owner.get(`${base}/repository/commits/main`)).body.id
    const { id } = (await create()).body
    await at.drain()
    const { body } = await at.reporter.get(`${base}/deployments/${id}/merge_requests`)
    expect(body).toMatchObject([{ iid, title: 'ship it' }])
    const merged = (await at.owner.get(`${base}/merge_requests/${iid}`)).body
    expect(merged.first_deployed_to_production_at).toBe(at.clock.now().toISOString())
    expect((await at.reporter.get(`${base}/deployments/${id}/merge_requests?state=opened`)).body).toEqual([])
    const shipping = async (number: number) =>
      (await at.reporter.get(`${base}/deployments?merge_request_iid=${number}`)).body.map(
        (one: { id: number }) => one.id,
      )
    expect([await shipping(iid), await shipping(iid + 1)]).toEqual([[id], []])
    await at.owner.put(base, { merge_requests_access_level: 'disabled' })
    expect(await shipping(iid)).toEqual([])
  })
})
