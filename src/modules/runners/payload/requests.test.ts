import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeRunner, queuedProject, type TestRunner, workOn } from '../testing.ts'

let server: TestServer
let owner: Person
let runner: TestRunner
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  runner = await makeRunner(server)
})
afterAll(() => server.stop())

const ofRequests = 'job: {script: make, rules: [{if: $CI_MERGE_REQUEST_IID}]}\n'

type Variable = { key: string; value: string }
type Payload = { variables: Variable[]; git_info: object; id: number; token: string }
const valuesOf = ({ variables }: Payload) => Object.fromEntries(variables.map(({ key, value }) => [key, value]))
const aboutRequests = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).filter(([key]) => /MERGE_REQUEST/.test(key)))

/** A project with a merge request of `topic` into `main`, whose jobs wait for a runner. */
async function requested(path: string, config: string, params: object = {}) {
  const project = await queuedProject(server, owner, path, { config })
  const at = `/projects/${project.id}`
  await owner.post(`${at}/repository/branches`, { branch: 'topic', ref: 'main' })
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }]
  const commit = await owner.post(`${at}/repository/commits`, { branch: 'topic', commit_message: 'Change', actions })
  await server.app.platform.jobs.drain()
  const given = { source_branch: 'topic', target_branch: 'main', title: 'Words $CI_JOB_TOKEN', ...params }
  const { body: request } = await owner.post(`${at}/merge_requests`, given)
  await server.app.platform.jobs.drain()
  return { at, project, request, sha: commit.body.id as string }
}

test('a job of a merge request has its variables, and fetches by the ref of its pipeline', async () => {
  const description = '💩'.repeat(3_000)
  const { at, project, request, sha } = await requested('demo', ofRequests, { description, assignee_id: owner.id })
  const { body: label } = await owner.post(`${at}/labels`, { name: 'kind', color: '#cc0000' })
  const { body: milestone } = await owner.post(`${at}/milestones`, { title: 'Next' })
  const changes = { add_labels: label.name, milestone_id: milestone.id, squash: true }
  await owner.put(`${at}/merge_requests/${request.iid}`, changes)
  const reviewer = await server.user('reviewer')
  await server.make.member({ project }, reviewer, 30)
  expect((await reviewer.post(`${at}/merge_requests/${request.iid}/approve`)).status).toBe(201)
  const payload = await runner.take()
  const values = valuesOf(payload)
  const [version] = (await owner.get(`${at}/merge_requests/${request.iid}/versions`)).body
  const [pipeline] = (await owner.get(`${at}/merge_requests/${request.iid}/pipelines`)).body
  expect(aboutRequests(values)).toEqual({
    CI_OPEN_MERGE_REQUESTS: `owner/demo!${request.iid}`,
    CI_MERGE_REQUEST_ID: String(request.id),
    CI_MERGE_REQUEST_IID: String(request.iid),
    CI_MERGE_REQUEST_PROJECT_ID: String(project.id),
    CI_MERGE_REQUEST_PROJECT_PATH: 'owner/demo',
    CI_MERGE_REQUEST_PROJECT_URL: `${server.url}/owner/demo`,
    CI_MERGE_REQUEST_REF_PATH: `refs/merge-requests/${request.iid}/head`,
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: String(project.id),
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'topic',
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: sha,
    CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED: 'false',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_MERGE_REQUEST_TARGET_BRANCH_SHA: version.start_commit_sha,
    CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: 'true',
    CI_MERGE_REQUEST_TITLE: 'Words $CI_JOB_TOKEN',
    CI_MERGE_REQUEST_DESCRIPTION: '💩'.repeat(2_700),
    CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: 'true',
    CI_MERGE_REQUEST_LABELS: 'kind',
    CI_MERGE_REQUEST_ASSIGNEES: 'owner',
    CI_MERGE_REQUEST_MILESTONE: 'Next',
    CI_MERGE_REQUEST_DIFF_ID: String(version.id),
    CI_MERGE_REQUEST_DIFF_BASE_SHA: version.base_commit_sha,
    CI_MERGE_REQUEST_DRAFT: 'false',
    CI_MERGE_REQUEST_SQUASH_ON_MERGE: 'true',
    CI_MERGE_REQUEST_APPROVED: 'true',
    CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
  })
  const ref = `refs/merge-requests/${request.iid}/head`
  expect(values).toMatchObject({
    ...{ CI_PIPELINE_SOURCE: 'merge_request_event', CI_COMMIT_SHA: sha, CI_COMMIT_REF_NAME: 'topic' },
    ...{ CI_COMMIT_REF_SLUG: 'topic', CI_COMMIT_REF_PROTECTED: 'false', CI_COMMIT_BEFORE_SHA: '0'.repeat(40) },
  })
  expect(Object.keys(values)).not.toContain('CI_COMMIT_BRANCH')
  const own = `+refs/pipelines/${pipeline.id}:refs/pipelines/${pipeline.id}`
  expect(payload.git_info).toMatchObject({ ref, sha, ref_type: 'branch', protected: false })
  expect((payload.git_info as { refspecs: string[] }).refspecs).toContain(own)
  await workOn(server, payload).update({ state: 'success' })
  const { body } = await owner.get(`${at}/merge_requests/${request.iid}`)
  expect(body.head_pipeline).toMatchObject({ id: pipeline.id, status: 'success', ref })
})

test('a merge request that asks for little has only the variables that say something', async () => {
  const { request } = await requested('little', ofRequests, { title: 'Draft: a' })
  const payload = await runner.take()
  const values = aboutRequests(valuesOf(payload))
  expect(values).toMatchObject({
    CI_MERGE_REQUEST_DRAFT: 'true',
    CI_MERGE_REQUEST_DESCRIPTION: '',
    CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: 'false',
    CI_MERGE_REQUEST_IID: String(request.iid),
  })
  const names = Object.keys(values).map((key) => key.replace('CI_MERGE_REQUEST_', ''))
  for (const name of ['LABELS', 'ASSIGNEES', 'MILESTONE', 'APPROVED']) expect(names).not.toContain(name)
  await workOn(server, payload).update({ state: 'success' })
})

test('protected variables are for jobs of two protected branches', async () => {
  const protectedFor = async (path: string, branches: readonly string[]) => {
    const project = await queuedProject(server, owner, path, { config: ofRequests })
    const at = `/projects/${project.id}`
    await owner.post(`${at}/variables`, { key: 'SECRET', value: 'protected-value', protected: true })
    await owner.post(`${at}/repository/branches`, { branch: 'topic', ref: 'main' })
    await owner.delete(`${at}/protected_branches/main`)
    for (const name of branches) await owner.post(`${at}/protected_branches`, { name, push_access_level: 40 })
    const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }]
    await owner.post(`${at}/repository/commits`, { branch: 'topic', commit_message: 'Change', actions })
    await owner.post(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'a' })
    await server.app.platform.jobs.drain()
    const payload = await runner.take()
    await workOn(server, payload).update({ state: 'success' })
    return valuesOf(payload).SECRET
  }
  expect(await protectedFor('both', ['main', 'topic'])).toBe('protected-value')
  expect(await protectedFor('source', ['topic'])).toBeUndefined()
  expect(await protectedFor('target', ['main'])).toBeUndefined()
})

test('jobs of a branch know its open merge requests', async () => {
  const { at, request } = await requested('open', 'job: {script: make, only: [topic]}\n')
  const first = await runner.take()
  await workOn(server, first).update({ state: 'success' })
  const [second] = [await owner.post(`${at}/pipeline`, { ref: 'topic' })]
  expect(second.status).toBe(201)
  const payload = await runner.take()
  expect(aboutRequests(valuesOf(payload))).toEqual({ CI_OPEN_MERGE_REQUESTS: `owner/open!${request.iid}` })
  await workOn(server, payload).update({ state: 'success' })
})
