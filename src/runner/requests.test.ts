import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../testing/index.ts'
import { testMachine } from './testing.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const config = `
job:
  script: ['git rev-parse HEAD', 'echo "$CI_MERGE_REQUEST_IID into $CI_MERGE_REQUEST_TARGET_BRANCH_NAME, $CI_COMMIT_BRANCH."']
  rules: [{if: '$CI_PIPELINE_SOURCE == "merge_request_event"'}]
`

test('the job of a merge request runs on its head, and the merge that waited for it is done', async () => {
  await using machine = await testMachine(server)
  const project = await server.make.project('requested', owner)
  const at = `/projects/${project.id}`
  const file = { branch: 'main', content: config, commit_message: 'Configure' }
  expect((await owner.post(`${at}/repository/files/.gitlab-ci.yml`, file)).status).toBe(201)
  await owner.post(`${at}/repository/branches`, { branch: 'topic', ref: 'main' })
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }]
  const commit = await owner.post(`${at}/repository/commits`, { branch: 'topic', commit_message: 'Change', actions })
  const request = await owner.post(`${at}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'a',
  })
  await server.app.platform.jobs.drain()
  const one = `${at}/merge_requests/${request.body.iid}`
  const waiting = await owner.put(`${one}/merge`, { merge_when_pipeline_succeeds: true })
  expect(waiting).toMatchObject({ status: 200, body: { state: 'opened', merge_when_pipeline_succeeds: true } })
  await machine.runAll()
  await server.app.platform.jobs.drain()
  const { body } = await owner.get(one)
  expect(body).toMatchObject({ state: 'merged', head_pipeline: { source: 'merge_request_event', status: 'success' } })
  const [job] = (await owner.get(`${at}/pipelines/${body.head_pipeline.id}/jobs`)).body
  const log = (await owner.get(`${at}/jobs/${job.id}/trace`)).body
  expect(log).toContain(`${commit.body.id}`)
  expect(log).toContain(`${request.body.iid} into main, .`)
})
