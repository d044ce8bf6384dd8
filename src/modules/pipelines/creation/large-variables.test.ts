import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { projectWithConfig } from '../testing.ts'

const longest = 1_048_576
const tooLong = { value: [`is too long (maximum is ${longest} characters)`] }
const longer = 'x'.repeat(longest + 1)

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const made = (path: string, config = 'one: {script: a, when: manual}') => projectWithConfig(server, owner, path, config)

describe('a value of a variable', () => {
  test('of a project or a group has at most 1,048,576 characters', async () => {
    const group = await server.make.group('valued', owner)
    const project = await made('valued-project')
    for (const base of [`/groups/${group.id}/variables`, `/projects/${project.id}/variables`]) {
      const refused = await owner.post(base, { key: 'A', value: longer })
      expect([refused.status, refused.body]).toEqual([400, { message: tooLong }])
      expect((await owner.post(base, { key: 'A', value: 'x'.repeat(longest) })).status).toBe(201)
      expect((await owner.put(`${base}/A`, { value: longer })).body).toEqual({ message: tooLong })
    }
    const wide = await owner.post(`/projects/${project.id}/variables`, { key: 'W', value: '😀'.repeat(longest) })
    expect(wide.status).toBe(201)
  })

  test('of a schedule, a pipeline, a trigger or a job that is played, too', async () => {
    const { id } = await made('valued-others')
    const base = `/projects/${id}`
    const cron = { description: 'x', ref: 'main', cron: '0 1 * * *' }
    const schedule = (await owner.post(`${base}/pipeline_schedules`, cron)).body.id
    const variables = `${base}/pipeline_schedules/${schedule}/variables`
    expect((await owner.post(variables, { key: 'A', value: longer })).body).toEqual({ message: tooLong })
    expect((await owner.post(variables, { key: 'A', value: 'x' })).status).toBe(201)
    expect((await owner.put(`${variables}/A`, { value: longer })).body).toEqual({ message: tooLong })
    const own = [{ key: 'A', value: longer }]
    expect((await owner.post(`${base}/pipeline`, { ref: 'main', variables: own })).body).toEqual({ message: tooLong })
    const { token } = (await owner.post(`${base}/triggers`, { description: 'x' })).body
    const fired = await owner.post(`${base}/trigger/pipeline`, { ref: 'main', token, variables: { A: longer } })
    expect(fired.body).toEqual({ message: tooLong })
    const pipeline = (await owner.post(`${base}/pipeline`, { ref: 'main' })).body.id
    const [job] = (await owner.get(`${base}/pipelines/${pipeline}/jobs`)).body
    const played = await owner.post(`${base}/jobs/${job.id}/play`, { job_variables_attributes: own })
    expect([played.status, played.body]).toEqual([400, { message: tooLong }])
  })
})

describe('the variables of a job', () => {
  test('have at most 10 MiB together', async () => {
    const config = 'one: {script: a}\ntwo: {script: a, environment: prod}'
    const project = await made('together', config)
    const base = `/projects/${project.id}`
    const value = 'x'.repeat(longest)
    for (let index = 0; index < 9; index += 1) await owner.post(`${base}/variables`, { key: `V${index}`, value })
    const run = (more: object = {}) => owner.post(`${base}/pipeline`, { ref: 'main', ...more })
    expect((await run()).status).toBe(201)
    const sentence = (job: string) => `The variables of the job ${job} have exceeded the limit of 10485760 bytes.`
    const refused = await run({ variables: [{ key: 'A', value }] })
    expect([refused.status, refused.body]).toEqual([400, { message: { base: [sentence('one')] } }])
    // Only the job of the environment gets this one.
    await owner.post(`${base}/variables`, { key: 'P', value, environment_scope: 'prod' })
    expect((await run()).body).toEqual({ message: { base: [sentence('two')] } })
    const commit = {
      branch: 'main',
      commit_message: 'x',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    }
    expect((await owner.post(`${base}/repository/commits`, commit)).status).toBe(201)
    await server.app.platform.jobs.drain()
    const [newest] = (await owner.get(`${base}/pipelines`)).body
    const pushed = (await owner.get(`${base}/pipelines/${newest.id}`)).body
    expect(pushed).toMatchObject({ source: 'push', status: 'failed', yaml_errors: sentence('two') })
  })
})
