import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { queriesOf } from '../../../testing/index.ts'
import { newSchedule, startWithSchedules } from '../testing.ts'

let at: Awaited<ReturnType<typeof startWithSchedules>>
let path: string
let base: string
beforeAll(async () => {
  at = await startWithSchedules()
})
afterAll(() => at.server.stop())
beforeEach(async () => {
  ;({ path, base } = await at.projectWith())
})

const create = (body: object = {}, as = at.developer) => as.post(path, { ...newSchedule, ref: 'topic', ...body })
const notFound = { status: 404, body: { message: '404 Pipeline Schedule Not Found' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }

describe('creating a schedule', () => {
  test('makes the caller its owner and computes the next run', async () => {
    const answer = await create({ cron: ' 0 1 * * 5 ', cron_timezone: 'Pacific Time (US & Canada)' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(Number),
      description: 'nightly',
      ref: 'refs/heads/topic',
      cron: '0 1 * * 5',
      cron_timezone: 'Pacific Time (US & Canada)',
      next_run_at: '2026-03-06T09:00:00.000Z',
      active: true,
      created_at: at.clock.now().toISOString(),
      updated_at: at.clock.now().toISOString(),
      owner: expect.objectContaining({ username: 'developer' }),
      last_pipeline: null,
      variables: [],
    })
  })

  test.each([
    [{ cron: '0 0 31 2 *' }, { message: { cron: [' is invalid syntax'] } }],
    [{ cron_timezone: '+05:00' }, { message: { cron_timezone: [' is invalid syntax'] } }],
    [{ cron_timezone: ' ' }, { message: { cron_timezone: ["can't be blank"] } }],
    [
      { description: ' ', cron: 'x', cron_timezone: 'Mars' },
      {
        message: {
          description: ["can't be blank"],
          cron: [' is invalid syntax'],
          cron_timezone: [' is invalid syntax'],
        },
      },
    ],
    [{ ref: ' ' }, { error: 'ref is empty' }],
    [{ ref: undefined }, { error: 'ref is missing' }],
    [{ cron: { a: 1 } }, { error: 'cron is invalid' }],
    [{ active: 'maybe' }, { error: 'active is invalid' }],
  ])('refuses %j', async (given, body) => {
    expect(await create(given)).toMatchObject({ status: 400, body })
    expect((await at.developer.get(path)).body).toEqual([])
  })

  test('bounds its texts, in a change as well', async () => {
    const longRef = `refs/heads/${'r'.repeat(1024)}`
    const longest = await create({ description: 'é'.repeat(1_048_576), ref: 'r'.repeat(1035) }, at.owner)
    expect([longest.status, longest.body.ref.length]).toEqual([201, 1035])
    const refused = {
      status: 400,
      body: {
        message: {
          description: ['is too long (maximum is 1048576 characters)'],
          ref: ['is too long (maximum is 1035 characters)'],
          cron: [' is invalid syntax'],
        },
      },
    }
    const tooLong = { description: 'é'.repeat(1_048_577), ref: `${longRef}r`, cron: `0${' '.repeat(250)}1 * * *` }
    expect(await create(tooLong, at.owner)).toMatchObject(refused)
    expect(await at.owner.put(`${path}/${longest.body.id}`, tooLong)).toMatchObject(refused)
    expect((await at.owner.put(`${path}/${longest.body.id}`, { ref: longRef })).status).toBe(200)
  })

  test('expands short names of refs', async () => {
    await at.owner.post(`${base}/repository/tags`, { tag_name: 'v1', ref: 'main' })
    await at.owner.post(`${base}/repository/tags`, { tag_name: 'both', ref: 'main' })
    await at.owner.post(`${base}/repository/branches`, { branch: 'both', ref: 'main' })
    const refOf = async (ref: string) => (await create({ ref }, at.owner)).body.ref
    expect(await refOf('v1')).toBe('refs/tags/v1')
    expect(await refOf('main')).toBe('refs/heads/main')
    expect(await refOf('later')).toBe('later')
    expect(await refOf('refs/heads/none')).toBe('refs/heads/none')
    expect(await create({ ref: 'both' })).toMatchObject({ status: 400, body: { message: { ref: ['is ambiguous'] } } })
  })

  test('needs the right to push to a protected ref', async () => {
    const refusal = (doing: string) => ({
      status: 400,
      body: { message: { base: [`The current user is not authorized to ${doing} the pipeline schedule`] } },
    })
    await at.owner.delete(`${base}/protected_branches/main`)
    await at.owner.post(`${base}/protected_branches`, { name: 'main', push_access_level: 40, merge_access_level: 40 })
    expect(await create({ ref: 'main' })).toMatchObject(refusal('create'))
    const { id } = (await create()).body
    expect(await at.developer.put(`${path}/${id}`, { ref: 'main' })).toMatchObject(refusal('update'))
  })

  test('is bounded by the plan', async () => {
    const limit = (value: number) =>
      at.server.root.put('/application/plan_limits', { plan_name: 'default', ci_pipeline_schedules: value })
    await limit(1)
    await create()
    const answer = await create()
    await limit(0)
    expect(answer).toMatchObject({
      status: 400,
      body: { message: { base: ['Maximum number of ci pipeline schedules (1) exceeded'] } },
    })
  })
})

describe('reading schedules', () => {
  test('lists them, the newest first, in as many queries for many as for few', async () => {
    const ids = [(await create()).body.id, (await create({ active: false })).body.id].reverse()
    const list = (query = '') => at.reporter.get(`${path}${query}`)
    const idsOf = async (query: string) => (await list(query)).body.map(({ id }: { id: number }) => id)
    expect(await idsOf('')).toEqual(ids)
    expect(await idsOf('?scope=active')).toEqual([ids[1]])
    expect(await idsOf('?scope=inactive')).toEqual([ids[0]])
    expect((await list()).body[0]).not.toHaveProperty('variables')
    expect((await list('?scope=all')).body.error).toBe('scope does not have a valid value')
    const few = await queriesOf(at.server, () => list())
    for (let index = 0; index < 8; index += 1) await create({}, index % 2 === 0 ? at.developer : at.maintainer)
    expect(await queriesOf(at.server, () => list())).toBe(few)
  })

  test('shows variables to the owner and maintainers only', async () => {
    const { id } = (await create()).body
    await at.developer.post(`${path}/${id}/variables`, { key: 'K', value: '1' })
    const seen = async (as = at.developer) => (await as.get(`${path}/${id}`)).body.variables
    const variables = [{ variable_type: 'env_var', key: 'K', value: '1', raw: false }]
    expect([await seen(), await seen(at.maintainer), await seen(at.reporter)]).toEqual([variables, variables, []])
  })

  test('depends on the access to pipelines', async () => {
    const { id } = (await create()).body
    expect((await at.guest.get(`${path}/${id}`)).status).toBe(200)
    await at.owner.put(base, { public_jobs: false })
    expect(await at.guest.get(`${path}/${id}`)).toMatchObject(notFound)
    expect(await at.guest.get(path)).toMatchObject(forbidden)
    await at.owner.put(base, { builds_access_level: 'disabled' })
    expect(await at.owner.get(path)).toMatchObject(forbidden)
  })

  test('finds no schedule of another project', async () => {
    const { id } = (await create()).body
    const other = await at.projectWith()
    expect(await at.owner.get(`${other.path}/${id}`)).toMatchObject(notFound)
    expect(await at.owner.get(`${path}/999999`)).toMatchObject(notFound)
    expect((await at.owner.get(`${path}/x`)).body.error).toBe('pipeline_schedule_id is invalid')
  })
})

describe('changing a schedule', () => {
  test('is for its owner, and recomputes the next run', async () => {
    const { id } = (await create()).body
    const put = (body: object, as = at.developer) => as.put(`${path}/${id}`, body)
    expect(await put({ cron: '@hourly' }, at.maintainer)).toMatchObject(forbidden)
    expect(await put({ cron: '@hourly', active: false })).toMatchObject({
      status: 200,
      body: { cron: '@hourly', active: false, next_run_at: '2026-03-01T13:00:00.000Z' },
    })
    expect((await put({})).body).toMatchObject({ cron: '@hourly', active: false })
    expect(await put({ cron: 'x' })).toMatchObject({ status: 400 })
    expect(await at.developer.put(`${path}/999999`, {})).toMatchObject(notFound)
  })

  test('takes ownership with its variables', async () => {
    const { id } = (await create()).body
    await at.developer.post(`${path}/${id}/variables`, { key: 'K', value: '1' })
    const take = (as = at.maintainer) => as.post(`${path}/${id}/take_ownership`)
    const other = await at.server.user(`developer-${id}`)
    await at.server.make.member({ project: { id: Number(path.split('/')[2]) } as never }, other, 30)
    expect(await take(other)).toMatchObject(forbidden)
    expect((await take()).body).toMatchObject({ owner: { username: 'maintainer' }, variables: [{ key: 'K' }] })
    expect((await take()).status).toBe(201)
    expect(await at.developer.put(`${path}/${id}`, {})).toMatchObject(forbidden)
  })

  test('deletes it once', async () => {
    const { id } = (await create()).body
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await at.developer.delete(`${path}/${id}`, { headers })).status).toBe(412)
    expect((await at.developer.delete(`${path}/${id}`)).status).toBe(204)
    expect(await at.developer.delete(`${path}/${id}`)).toMatchObject(notFound)
  })
})

describe('variables of a schedule', () => {
  test('are created, changed and deleted', async () => {
    const { id } = (await create()).body
    const list = `${path}/${id}/variables`
    const made = await at.developer.post(list, { key: 'K', value: '1' })
    expect(made).toMatchObject({ status: 201, body: { variable_type: 'env_var', key: 'K', value: '1', raw: false } })
    expect(await at.developer.post(list, { key: 'K', value: '2' })).toMatchObject({
      status: 400,
      body: { message: { key: ['has already been taken'] } },
    })
    expect((await at.developer.post(list, { key: 'a b', value: '2' })).body.message.key).toEqual([
      "can contain only letters, digits and '_'.",
    ])
    expect((await at.developer.put(`${list}/K`, { value: '', variable_type: 'file' })).body).toMatchObject({
      value: '',
      variable_type: 'file',
    })
    expect((await at.maintainer.get(`${list}/K`)).body.value).toBe('')
    expect(await at.maintainer.put(`${list}/K`, { value: '3' })).toMatchObject(forbidden)
    expect(await at.maintainer.delete(`${list}/K`)).toMatchObject({ status: 202, body: { key: 'K' } })
    const missing = { status: 404, body: { message: '404 Pipeline Schedule Variable Not Found' } }
    expect(await at.developer.put(`${list}/K`, { value: '3' })).toMatchObject(missing)
    expect(await at.developer.delete(`${list}/K`)).toMatchObject(missing)
    expect(await at.developer.get(`${list}/K`)).toMatchObject(missing)
  })

  test('need the permission to set variables of pipelines', async () => {
    const { id } = (await create()).body
    await at.owner.put(base, { ci_pipeline_variables_minimum_override_role: 'maintainer' })
    const list = `${path}/${id}/variables`
    expect(await at.developer.post(list, { key: 'K', value: '1' })).toMatchObject(forbidden)
    await at.owner.put(base, { ci_pipeline_variables_minimum_override_role: 'developer' })
    expect((await at.developer.post(list, { key: 'K', value: '1' })).status).toBe(201)
    await at.owner.put(base, { ci_pipeline_variables_minimum_override_role: 'maintainer' })
    expect(await at.developer.put(`${list}/K`, { value: '2' })).toMatchObject(forbidden)
    expect(await at.developer.delete(`${list}/K`)).toMatchObject(forbidden)
    expect((await at.maintainer.get(`${list}/K`)).body.value).toBe('1')
  })
})
