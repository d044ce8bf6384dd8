import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { dayAfter } from '../../../api/index.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'

let given: Hooked
let base: string
beforeAll(async () => {
  given = await startWithReceiver()
  base = `/projects/${given.project.id}`
  await given.commit('first')
})
afterAll(() => given.stop())
beforeEach(() => given.clear())

const none = { push_events: false }

/** The events that came since the last call, each with its header. */
async function came() {
  const payloads = await given.payloads()
  const headers = given.receiver.received.map(({ headers }) => headers['x-gitlab-event'])
  given.receiver.received.length = 0
  return payloads.map((payload, at) => ({ header: headers[at], payload }))
}

test('hooks are called for every status of pipelines and jobs', async () => {
  const { owner, hook, project, server } = given
  await hook({ ...none, pipeline_events: true, job_events: true })
  const content =
    'stages: [build, test]\nbuild: { stage: build, script: make }\ncheck: { stage: test, script: test, allow_failure: true }\n'
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content }]
  await owner.post(`${base}/repository/commits`, { branch: 'main', commit_message: 'Add CI', actions })
  const created = await came()
  const [pipeline] = (await owner.get(`${base}/pipelines`)).body
  const first = created.find(({ header }) => header === 'Pipeline Hook')?.payload
  expect(first).toMatchObject({
    object_kind: 'pipeline',
    object_attributes: {
      id: pipeline.id,
      iid: 1,
      ref: 'main',
      tag: false,
      sha: pipeline.sha,
      source: 'push',
      stages: ['build', 'test'],
      finished_at: null,
      variables: [],
      url: `${server.url}/${project.full_path}/-/pipelines/${pipeline.id}`,
    },
    user: { username: 'owner' },
    project: { id: project.id },
    commit: { id: pipeline.sha, title: 'Add CI', author: { name: 'owner person' } },
    builds: [
      { stage: 'build', name: 'build', manual: false, runner: null, artifacts_file: { filename: null, size: null } },
      { stage: 'test', name: 'check', allow_failure: true, status: 'created' },
    ],
  })
  expect((await owner.post(`${base}/pipelines/${pipeline.id}/cancel`)).status).toBe(200)
  const canceled = await came()
  const jobs = canceled.filter(({ header }) => header === 'Job Hook').map(({ payload }) => payload)
  expect(jobs.map(({ build_name, build_status }) => `${build_name} ${build_status}`).sort()).toEqual([
    'build canceled',
    'check canceled',
  ])
  expect(jobs[0]).toMatchObject({
    object_kind: 'build',
    ref: 'main',
    sha: pipeline.sha,
    pipeline_id: pipeline.id,
    project_id: project.id,
    project_name: 'hooked / code',
    retries_count: 0,
    user: { username: 'owner' },
    commit: { id: pipeline.id, sha: pipeline.sha, message: 'Add CI', author_name: 'owner person' },
    repository: { name: 'code', visibility_level: 0 },
    runner: null,
  })
  const last = canceled.filter(({ header }) => header === 'Pipeline Hook').at(-1)?.payload
  expect(last?.object_attributes).toMatchObject({ status: 'canceled', finished_at: expect.stringContaining(' UTC') })
})

test('hooks are called for each change of releases and milestones', async () => {
  const { owner, hook, groupHook, group } = given
  await hook({ ...none, releases_events: true, milestone_events: true })
  const link = { name: 'binary', url: 'https://example.com/file' }
  const release = { tag_name: 'v1', ref: 'main', name: 'One', description: 'First', assets: { links: [link] } }
  expect((await owner.post(`${base}/releases`, release)).status).toBe(201)
  await owner.put(`${base}/releases/v1`, { name: 'First' })
  await owner.delete(`${base}/releases/v1`)
  const [created, ...changed] = await came()
  expect(created).toMatchObject({
    header: 'Release Hook',
    payload: {
      object_kind: 'release',
      action: 'create',
      tag: 'v1',
      name: 'One',
      description: 'First',
      url: expect.stringContaining('/-/releases/v1'),
      assets: { count: 5, links: [{ name: 'binary', link_type: 'other' }], sources: { length: 4 } },
      commit: { title: expect.any(String) },
    },
  })
  expect(changed.map(({ payload }) => [payload.action, payload.name])).toEqual([
    ['update', 'First'],
    ['delete', 'First'],
  ])
  const { body: milestone } = await owner.post(`${base}/milestones`, { title: 'M', due_date: '2999-01-01' })
  const one = `${base}/milestones/${milestone.id}`
  for (const state_event of ['close', 'activate']) await owner.put(one, { state_event })
  await owner.put(one, { title: 'N' })
  await owner.delete(one)
  const milestones = await came()
  expect(milestones.map(({ header, payload }) => [header, payload.action])).toEqual(
    ['create', 'close', 'reopen', 'delete'].map((action) => ['Milestone Hook', action]),
  )
  expect(milestones[0]?.payload).toMatchObject({
    object_kind: 'milestone',
    project: { id: given.project.id },
    object_attributes: { title: 'M', state: 'active', due_date: '2999-01-01', group_id: null },
  })
  await groupHook({ ...none, milestone_events: true })
  await owner.post(`/groups/${group.id}/milestones`, { title: 'Of all' })
  expect((await came()).map(({ payload }) => payload.group)).toMatchObject([
    { group_id: group.id, full_path: 'hooked' },
  ])
})

test('wiki pages tell their text', async () => {
  const { owner, hook, project } = given
  await hook({ ...none, wiki_page_events: true })
  await owner.post(`${base}/wikis`, { title: 'Getting started', content: 'Begin' })
  await owner.put(`${base}/wikis/Getting-started`, { content: 'Go on' })
  await owner.delete(`${base}/wikis/Getting-started`)
  const told = await came()
  expect(told.map(({ header, payload }) => [header, payload.object_attributes.action])).toEqual([
    ['Wiki Page Hook', 'create'],
    ['Wiki Page Hook', 'update'],
    ['Wiki Page Hook', 'delete'],
  ])
  expect(told[1]?.payload).toMatchObject({
    object_kind: 'wiki_page',
    user: { username: 'owner' },
    project: { id: project.id },
    wiki: { path_with_namespace: `${project.full_path}.wiki` },
    object_attributes: {
      title: 'Getting started',
      slug: 'Getting-started',
      content: 'Go on',
      format: 'markdown',
      version_id: expect.stringMatching(/^[0-9a-f]{40}$/),
    },
  })
})

test('tokens tell some days before they end', async () => {
  const { owner, hook, groupHook, group, server } = given
  await hook({ ...none, resource_access_token_events: true })
  await groupHook({ ...none, resource_access_token_events: true })
  const { clock, jobs, database } = server.app.platform
  const create = async (path: string, days: number) => {
    const token = { name: `in ${days}`, scopes: ['api'], access_level: 20, expires_at: dayAfter(clock.now(), days) }
    expect((await owner.post(`${path}/access_tokens`, token)).status).toBe(201)
  }
  for (const days of [7, 8]) await create(base, days)
  await create(`/groups/${group.id}`, 30)
  await database.write((tx) => jobs.enqueue(tx, 'web_hooks.tokens', null))
  const told = await came()
  expect(told.map(({ header, payload }) => [header, payload.object_attributes.name]).sort()).toEqual([
    ['Resource Access Token Hook', 'in 30'],
    ['Resource Access Token Hook', 'in 7'],
    ['Resource Access Token Hook', 'in 7'],
  ])
  expect(told.find(({ payload }) => payload.group)?.payload).toMatchObject({
    object_kind: 'access_token',
    event_name: 'expiring_access_token',
    group: { group_id: group.id, full_path: 'hooked' },
  })
})

test('every event can be tested with what the project has', async () => {
  const { owner, hook, groupHook, group, server } = given
  const fresh = await server.make.project('fresh', owner, { namespace: group })
  const sentences = {
    issues_events: 'issues',
    confidential_note_events: 'notes',
    merge_requests_events: 'merge requests',
    job_events: 'CI jobs',
    pipeline_events: 'CI pipelines',
    releases_events: 'releases',
    wiki_page_events: 'wiki pages',
    deployment_events: 'deployments',
  }
  const { body: empty } = await owner.post(`/projects/${fresh.id}/hooks`, { url: given.receiver.url })
  const { platform } = server.app
  const unlimited = () => platform.database.write((tx) => tx.deleteFrom('rate_windows').execute())
  for (const [trigger, has] of Object.entries(sentences)) {
    await unlimited()
    const answer = await owner.post(`/projects/${fresh.id}/hooks/${empty.id}/test/${trigger}`)
    expect(answer, trigger).toMatchObject({ status: 422, body: { message: `Ensure the project has ${has}.` } })
  }
  const { body: issue } = await owner.post(`${base}/issues`, { title: 'Sample' })
  await owner.post(`${base}/issues/${issue.iid}/notes`, { body: 'Said' })
  await owner.post(`${base}/issues`, { title: 'Secret', confidential: true })
  await owner.post(`${base}/issues/${issue.iid}/award_emoji`, { name: 'thumbsup' })
  await owner.post(`${base}/milestones`, { title: 'Sample' })
  await owner.post(`${base}/releases`, { tag_name: 'v2', ref: 'main' })
  await owner.post(`${base}/wikis`, { title: 'Sample', content: 'x' })
  await given.commit('sample', 'sample')
  await owner.post(`${base}/merge_requests`, { source_branch: 'sample', target_branch: 'main', title: 'Sample' })
  await owner.post('/groups', { name: 'Sub', path: 'sub', parent_id: group.id })
  const ofGroup = await groupHook(none)
  const ofProject = await hook(none)
  await given.payloads()
  const events = {
    issues_events: 'Issue Hook',
    confidential_issues_events: 'Confidential Issue Hook',
    note_events: 'Note Hook',
    merge_requests_events: 'Merge Request Hook',
    job_events: 'Job Hook',
    pipeline_events: 'Pipeline Hook',
    wiki_page_events: 'Wiki Page Hook',
    releases_events: 'Release Hook',
    milestone_events: 'Milestone Hook',
    emoji_events: 'Emoji Hook',
    resource_access_token_events: 'Resource Access Token Hook',
    repository_update_events: 'System Hook',
    member_events: 'Member Hook',
    subgroup_events: 'Subgroup Hook',
    project_events: 'Project Hook',
  }
  for (const [trigger, header] of Object.entries(events)) {
    const isGroupOnly = /^(member|subgroup|project)_/.test(trigger)
    const paths = [`/groups/${group.id}/hooks/${ofGroup.id}`, ...(isGroupOnly ? [] : [`${base}/hooks/${ofProject.id}`])]
    for (const path of paths) {
      await unlimited()
      expect(await owner.post(`${path}/test/${trigger}`), `${path} ${trigger}`).toMatchObject({ status: 201 })
      expect(given.receiver.received.at(-1)?.headers['x-gitlab-event']).toBe(header)
    }
  }
})

test('hooks are called when a feature flag is switched', async () => {
  const { owner, hook, project, server } = given
  await hook({ ...none, feature_flag_events: true })
  const flags = `${base}/feature_flags`
  await owner.post(flags, { name: 'new-look', description: 'd' })
  await owner.put(`${flags}/new-look`, { description: 'e' })
  expect(await came()).toEqual([])
  await owner.put(`${flags}/new-look`, { active: false })
  const [event, ...others] = await came()
  expect(others).toEqual([])
  expect(event).toMatchObject({
    header: 'Feature Flag Hook',
    payload: {
      object_kind: 'feature_flag',
      project: { id: project.id },
      user: { username: 'owner' },
      user_url: `${server.url}/owner`,
      object_attributes: { id: expect.any(Number), name: 'new-look', description: 'e', active: false },
    },
  })
})

test('pipelines of merge requests name them', async () => {
  const { owner, hook, project, server } = given
  await hook({ ...none, pipeline_events: true })
  const content = 'job: {script: make, only: [merge_requests]}'
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content }]
  const begun = { branch: 'requested', start_branch: 'main', commit_message: 'Ask', actions }
  const file = await owner.get(`${base}/repository/files/.gitlab-ci.yml?ref=main`)
  if (file.status === 200) actions[0] = { action: 'update', file_path: '.gitlab-ci.yml', content }
  expect((await owner.post(`${base}/repository/commits`, begun)).status).toBe(201)
  const made = await owner.post(`${base}/merge_requests`, {
    ...{ source_branch: 'requested', target_branch: 'main', title: 'One' },
  })
  const [first] = (await came()).map(({ payload }) => payload)
  const { id, iid } = made.body
  expect(first).toMatchObject({
    object_attributes: { ref: `refs/merge-requests/${iid}/head`, source: 'merge_request_event' },
    merge_request: {
      ...{ id, iid, title: 'One', source_branch: 'requested', target_branch: 'main', state: 'opened' },
      ...{ source_project_id: project.id, target_project_id: project.id },
      url: `${server.url}/${project.full_path}/-/merge_requests/${iid}`,
    },
  })
})
