import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { finishJob, transitionJob } from '../processing/job-changes.ts'
import { projectWithConfig, statusesOf } from '../testing.ts'

const config = `
stages: [build, test, deploy]
workflow: {name: "Run on $CI_COMMIT_BRANCH"}
compile: {stage: build, script: make}
check: {stage: test, script: make check}
lint: {stage: test, script: make lint, allow_failure: true}
cleanup: {stage: test, script: make clean, when: on_failure}
publish: {stage: deploy, script: make publish, when: manual}
`

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let owner: Person
let developer: Person
let reporter: Person
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  developer = await server.user('developer')
  reporter = await server.user('reporter')
})
afterAll(() => server.stop())

async function made(path: string, text = config) {
  const project = await projectWithConfig(server, owner, path, text)
  await server.app.platform.jobs.drain()
  await server.make.member({ project }, developer, 30)
  await server.make.member({ project }, reporter, 20)
  return { project, base: `/projects/${project.id}` }
}

async function created(base: string, body: object = {}, person: Person = owner) {
  const answer = await person.post(`${base}/pipeline`, { ref: 'main', ...body })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

/** Runs a job of a pipeline to its end. */
async function run(pipelineId: number, name: string, state: 'success' | 'failed' = 'success', exitCode?: number) {
  const { platform } = server.app
  const { database } = platform
  const job = await database.read
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where('retried', '=', false)
    .executeTakeFirstOrThrow()
  expect(await database.write((tx) => transitionJob(platform, tx, job, 'run'))).not.toBeNull()
  clock.advance(10_000)
  await finishJob(platform, job, { state, exitCode })
}

describe('a pipeline', () => {
  test('is created for a request, and shown', async () => {
    const { base, project } = await made('shown')
    const pipeline = await created(base, { variables: [{ key: 'A', value: '1' }] })
    const { body: commit } = await owner.get(`${base}/repository/commits/main`)
    expect(pipeline).toEqual({
      id: expect.any(Number),
      iid: 2,
      project_id: project.id,
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      ref: 'main',
      status: 'pending',
      source: 'api',
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
      web_url: `${server.url}/owner/shown/-/pipelines/${pipeline.id}`,
      name: 'Run on main',
      before_sha: '0'.repeat(40),
      tag: false,
      yaml_errors: null,
      user: expect.objectContaining({ id: owner.id, username: 'owner' }),
      started_at: null,
      finished_at: null,
      committed_at: commit.committed_date,
      duration: null,
      queued_duration: null,
      coverage: null,
      detailed_status: {
        icon: 'status_pending',
        text: 'Pending',
        label: 'pending',
        group: 'pending',
        tooltip: 'pending',
        has_details: true,
        details_path: `/owner/shown/-/pipelines/${pipeline.id}`,
        illustration: null,
        favicon: '/assets/ci_favicons/favicon_status_pending.png',
      },
    })
    expect((await reporter.get(`${base}/pipelines/${pipeline.id}`)).body).toEqual(pipeline)
    expect((await owner.get(`${base}/pipelines/latest`)).body.id).toBe(pipeline.id)
    const variables = [{ variable_type: 'env_var', key: 'A', value: '1', raw: false }]
    expect((await owner.get(`${base}/pipelines/${pipeline.id}/variables`)).body).toEqual(variables)
    expect((await developer.get(`${base}/pipelines/${pipeline.id}/variables`)).status).toBe(403)
  })

  test('runs its stages, and ends with warnings', async () => {
    const { base } = await made('run')
    const { id } = await created(base)
    const rest = ['check created', 'lint created', 'cleanup created', 'publish created']
    expect(await statusesOf(server, id)).toEqual(['compile pending', ...rest])
    await run(id, 'compile')
    expect(await statusesOf(server, id)).toEqual([
      ...['compile success', 'check pending', 'lint pending', 'cleanup skipped', 'publish created'],
    ])
    await run(id, 'check')
    await run(id, 'lint', 'failed')
    expect(await statusesOf(server, id)).toEqual([
      ...['compile success', 'check success', 'lint failed', 'cleanup skipped', 'publish manual'],
    ])
    expect((await reporter.get(`${base}/pipelines/${id}`)).body).toMatchObject({
      ...{ status: 'success', duration: 30, detailed_status: { group: 'success-with-warnings' } },
    })
  })

  test('deletes itself with its jobs', async () => {
    const { base } = await made('deleted')
    const { id } = await created(base)
    const path = `${base}/pipelines/${id}`
    expect((await developer.delete(path)).status).toBe(403)
    const stale = { 'If-Unmodified-Since': 'Sat, 28 Feb 2026 00:00:00 GMT' }
    expect((await owner.delete(path, { headers: stale } as never)).status).toBe(412)
    expect((await owner.delete(path)).status).toBe(204)
    expect(await owner.get(path)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect(await statusesOf(server, id)).toEqual([])
  })
})

describe('a request for a pipeline', () => {
  test.each<[what: string, body: object, sentence: string]>([
    ['an unknown ref', { ref: 'nope' }, 'Reference not found'],
    ['a hostile ref', { ref: '../main\u202e%00' }, 'Reference not found'],
    ['repeated variables', { variables: [...'AA'].map((key) => ({ key, value: '1' })) }, 'Duplicate variable name: A'],
    [
      'a variable with another name',
      { variables: [{ key: 'É', value: '1' }] },
      "Variables key can contain only letters, digits and '_'.",
    ],
  ])('with %s is refused', async (_what, body, sentence) => {
    const { base } = await made(`refused-${Math.abs(sentence.length * 31 + JSON.stringify(body).length)}`)
    const answer = await owner.post(`${base}/pipeline`, { ref: 'main', ...body })
    expect(answer).toMatchObject({ status: 400, body: { message: { base: [sentence] } } })
    expect(await created(base)).toMatchObject({ iid: 2 })
  })

  test.each<[what: string, text: string, sentences: string[]]>([
    ['without visible jobs', '.hidden: {script: a}', ['jobs config should contain at least one visible job']],
    [
      'whose workflow refuses',
      'workflow: {rules: [{when: never}]}\njob: {script: a}',
      ['Pipeline filtered out by workflow rules.'],
    ],
    [
      'whose rules leave no job',
      'job: {script: a, rules: [{if: $NEVER}]}',
      [
        'Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being added to the pipeline.',
      ],
    ],
  ])('for a configuration %s is refused', async (what, text, sentences) => {
    const { base } = await made(`config-${what.replaceAll(' ', '-')}`, text)
    const answer = await owner.post(`${base}/pipeline`, { ref: 'main' })
    expect(answer).toMatchObject({ status: 400, body: { message: { base: sentences } } })
  })

  test('on a protected branch needs the right to push or merge', async () => {
    const { base, project } = await made('protected')
    await owner.delete(`${base}/protected_branches/main`)
    await owner.post(`${base}/protected_branches`, { name: 'main', push_access_level: 40, merge_access_level: 40 })
    const sentence =
      "You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact your administrator for assistance."
    const answer = await developer.post(`${base}/pipeline`, { ref: 'main' })
    expect(answer).toMatchObject({ status: 400, body: { message: { base: [sentence] } } })
    await owner.put(`/projects/${project.id}`, { ci_pipeline_variables_minimum_override_role: 'owner' })
    await owner.post(`${base}/repository/branches`, { branch: 'free', ref: 'main' })
    const variables = [{ key: 'A', value: '1' }]
    const refused = await developer.post(`${base}/pipeline`, { ref: 'free', variables })
    const insufficient = 'Insufficient permissions to set pipeline variables'
    expect(refused).toMatchObject({ status: 400, body: { message: { base: [insufficient] } } })
    await created(base, { ref: 'refs/heads/free' }, developer)
  })

  test('above the limit of jobs is refused', async () => {
    const { base } = await made('limited')
    const administrator = await server.user('root-like')
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ is_admin: true }).where('id', '=', administrator.id).execute(),
    )
    const set = (limit: number) =>
      administrator.put(`/application/plan_limits?plan_name=default&ci_pipeline_size=${limit}`, {})
    expect((await set(4)).status).toBe(200)
    const sentence =
      'The number of jobs has exceeded the limit of 4. Try splitting the configuration with parent-child-pipelines'
    const answer = await owner.post(`${base}/pipeline`, { ref: 'main' })
    await set(0)
    expect(answer).toMatchObject({ status: 400, body: { message: { base: [sentence] } } })
  })
})

describe('retrying', () => {
  test('a pipeline replaces its failed jobs, and resets those that were skipped', async () => {
    const { base } = await made('retried', 'one: {stage: build, script: a}\ntwo: {stage: test, script: b}')
    const { id } = await created(base)
    await run(id, 'one', 'failed')
    expect(await statusesOf(server, id)).toEqual(['one failed', 'two skipped'])
    expect((await owner.get(`${base}/pipelines/${id}`)).body).toMatchObject({
      ...{ status: 'failed', finished_at: expect.any(String), duration: 10, queued_duration: 0 },
    })
    const retried = await owner.post(`${base}/pipelines/${id}/retry`, {})
    expect(retried).toMatchObject({ status: 201, body: { status: 'pending', finished_at: null } })
    expect((await statusesOf(server, id)).sort()).toEqual(['one pending', 'two created'])
    await run(id, 'one')
    await run(id, 'two')
    expect((await owner.get(`${base}/pipelines/${id}`)).body).toMatchObject({ status: 'success' })
    expect((await owner.get(`${base}/pipelines/${id}/jobs`)).body).toHaveLength(2)
    expect((await owner.get(`${base}/pipelines/${id}/jobs?include_retried=true`)).body).toHaveLength(3)
  })

  test('is done by the server while retries of the configuration last', async () => {
    const { base } = await made('automatic', 'one: {script: a, retry: {max: 1, when: script_failure}}')
    const { id } = await created(base)
    await run(id, 'one', 'failed')
    expect(await statusesOf(server, id)).toEqual(['one pending'])
    await run(id, 'one', 'failed')
    expect(await statusesOf(server, id)).toEqual(['one failed'])
  })

  test('an exit code may be allowed', async () => {
    const { base } = await made('codes', 'one: {script: a, allow_failure: {exit_codes: [3]}}')
    const { id } = await created(base)
    await run(id, 'one', 'failed', 3)
    expect((await owner.get(`${base}/pipelines/${id}`)).body).toMatchObject({
      ...{ status: 'success', detailed_status: { text: 'Warning', label: 'passed with warnings' } },
    })
  })
})

test('canceling ends all jobs that have not ended', async () => {
  const { base } = await made('canceled')
  const { id } = await created(base)
  await run(id, 'compile')
  const answer = await developer.post(`${base}/pipelines/${id}/cancel`, {})
  expect(answer).toMatchObject({ status: 200, body: { status: 'canceled' } })
  const rest = ['check canceled', 'lint canceled', 'cleanup skipped', 'publish canceled']
  expect(await statusesOf(server, id)).toEqual(['compile success', ...rest])
  expect((await developer.post(`${base}/pipelines/${id}/cancel`, {})).status).toBe(200)
})

test('a name is at most 255 characters long', async () => {
  const { base } = await made('named')
  const { id } = await created(base)
  const path = `${base}/pipelines/${id}/metadata`
  expect((await developer.put(path, { name: '💚'.repeat(255) })).body.name).toBe('💚'.repeat(255))
  const message = 'Name is too long (maximum is 255 characters)'
  expect(await developer.put(path, { name: 'a'.repeat(256) })).toMatchObject({ status: 400, body: { message } })
})

test('a list is filtered, and needs the same number of queries for any page', async () => {
  const { base } = await made('listed')
  const { id } = await created(base)
  const idsOf = async (query: string) =>
    (await reporter.get(`${base}/pipelines?${query}`)).body.map((one: { id: number }) => one.id)
  for (const query of ['source=api', 'order_by=user_id&per_page=1', 'scope=branches', 'name=Run+on+main&per_page=1']) {
    expect([query, await idsOf(query)]).toEqual([query, [id]])
  }
  for (const query of [
    'source=scheduled',
    'status=failed',
    'scope=tags',
    'username=nobody',
    'yaml_errors=true',
    'ref=x',
  ]) {
    expect([query, await idsOf(query)]).toEqual([query, []])
  }
  const few = await queriesOf(server, () => owner.get(`${base}/jobs?per_page=1`))
  const many = await queriesOf(server, () => owner.get(`${base}/jobs?per_page=100`))
  expect(many).toBe(few)
})

/** The ids of all keyset pages of a list. */
async function walked(path: string): Promise<number[]> {
  const ids: number[] = []
  for (let next: string | undefined = path.replace('per_page=100', 'per_page=7'); next !== undefined; ) {
    const { status, body, headers } = await owner.get(next)
    expect([next, status, headers.has('x-total')]).toEqual([next, 200, false])
    ids.push(...body.map(({ id }: { id: number }) => id))
    next = /\/api\/v4([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  }
  return ids
}

test('a list of many pipelines has those that each filter admits, in each order', async () => {
  const { id: projectId } = await server.make.project('compared', owner)
  const moment = (hour: number) => `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000Z`
  const states = ['success', 'failed', 'running'] as const
  const rows = Array.from({ length: 60 }, (_, index) => ({
    project_id: projectId,
    iid: index + 1,
    sha: 'a'.repeat(40),
    ref: `ref ${(index * 5) % 7}`,
    tag: index % 4 === 0,
    status: states[index % 3] ?? 'success',
    source: 'push' as const,
    user_id: index % 3 === 1 ? null : index % 2 === 0 ? owner.id : 1,
    created_at: moment((index * 7) % 20),
    updated_at: moment((index * 11) % 23),
  }))
  const { read, write } = server.app.platform.database
  await write((tx) => tx.insertInto('pipelines').values(rows).execute())
  const all = await read.selectFrom('pipelines').selectAll().where('project_id', '=', projectId).execute()
  type Listed = (typeof all)[number]
  const isNewest = (tag: boolean) => (one: Listed) =>
    one.tag === tag && all.every((other) => other.tag !== tag || other.ref !== one.ref || other.id <= one.id)
  const filters: [string, (pipeline: Listed) => boolean][] = [
    ['', () => true],
    ['scope=branches', isNewest(false)],
    ['scope=tags', isNewest(true)],
    ['scope=branches&status=failed', (one) => isNewest(false)(one) && one.status === 'failed'],
    [`created_before=${moment(9)}`, (one) => one.created_at <= moment(9)],
    [`updated_after=${moment(9)}&status=success`, (one) => one.updated_at >= moment(9) && one.status === 'success'],
  ]
  const orders = ['id', 'user_id', 'updated_at', 'ref'] as const
  for (const [query, admits] of filters) {
    for (const column of orders) {
      for (const [sort, direction] of [
        ['asc', 1],
        ['desc', -1],
      ] as const) {
        const expected = all.filter(admits).sort((left, right) => {
          const [a, b] = [left[column], right[column]]
          if (a === b) return direction * (left.id - right.id)
          if (a === null || b === null) return a === null ? 1 : -1
          return a < b ? -direction : direction
        })
        const path = `/projects/${projectId}/pipelines?per_page=100&order_by=${column}&sort=${sort}&${query}`
        const { body } = await owner.get(path)
        expect([path, body.map(({ id }: Listed) => id)]).toEqual([path, expected.map(({ id }) => id)])
        if (column === 'id')
          expect([path, await walked(`${path}&pagination=keyset`)]).toEqual([path, expected.map(({ id }) => id)])
      }
    }
  }
  const keyset = `/projects/${projectId}/pipelines?pagination=keyset`
  expect((await owner.get(`${keyset}&order_by=ref`)).status).toBe(405)
  expect((await owner.get(`${keyset}&cursor=${Buffer.from('["x"]').toString('base64url')}`)).status).toBe(400)
})
