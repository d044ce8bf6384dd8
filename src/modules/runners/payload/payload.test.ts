import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { failureReasons } from '../../pipelines/index.ts'
import { makeRunner, queuedProject, type TestRunner, workOn } from '../testing.ts'

const start = '2026-03-01T12:00:00.000Z'
let clock: ManualClock
let server: TestServer
let owner: Person
let runner: TestRunner
beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  runner = await makeRunner(server, { tag_list: ['linux', 'x y'], description: 'local', maximum_timeout: 1200 })
})
afterAll(() => server.stop())

type Variable = { key: string; value: string; public: boolean; masked: boolean; file?: boolean; raw?: boolean }
const valuesOf = ({ variables }: { variables: Variable[] }) =>
  Object.fromEntries(variables.map(({ key, value }) => [key, value]))
const find = ({ variables }: { variables: Variable[] }, name: string) => variables.filter(({ key }) => key === name)

const everything = `
default: {hooks: {pre_get_sources_script: [echo hook]}}
build:
  stage: build
  image: {name: "ruby:$VERSION", entrypoint: ["/bin/sh"], pull_policy: always}
  services: [postgres, {name: redis, alias: cache, command: [redis-server], entrypoint: [/e]}]
  before_script: [echo before]
  script: [make, make check]
  after_script: [echo after]
  tags: [linux]
  timeout: 2 hours
  artifacts:
    {name: out, paths: [a], exclude: [b], when: always, expire_in: 1 day, reports: {junit: [r.xml], dotenv: e.env}}
  cache:
    - {key: one, paths: [c], policy: pull, when: always, fallback_keys: [two]}
    - {key: {files: [.gitlab-ci.yml], prefix: p}, paths: [d], untracked: true}
    - {key: {files: [none]}, paths: [e]}
plain: {stage: deploy, script: make}
`

describe('the payload of a job', () => {
  test('says where the site of the project is, and the one that the job publishes', async () => {
    const config = [
      "build: {script: make, pages: {path_prefix: 'Review $CI_COMMIT_REF_NAME $CI_ENVIRONMENT_SLUG'}, environment: prod}",
      'other: {script: make, pages: true, stage: test}',
      'last: {script: make, stage: deploy}',
    ].join('\n')
    const project = await queuedProject(server, owner, 'published', { config })
    const { url } = (await owner.get(`/projects/${project.id}/pages`)).body
    const { hostname } = new URL(url)
    const [environment] = (await owner.get(`/projects/${project.id}/environments`)).body
    for (const expected of [`${url}/review-main-${environment.slug}`, url]) {
      const payload = await runner.take()
      expect(valuesOf(payload)).toMatchObject({
        ...{ CI_PAGES_URL: expected, CI_PAGES_HOSTNAME: hostname },
        CI_PAGES_DOMAIN: hostname.slice(hostname.indexOf('.') + 1),
      })
      await workOn(server, payload).update({ state: 'success' })
    }
    await owner.put(`/projects/${project.id}`, { pages_access_level: 'disabled' })
    const without = await runner.take()
    expect(Object.keys(valuesOf(without)).filter((key) => key.startsWith('CI_PAGES'))).toEqual([])
    await workOn(server, without).update({ state: 'success' })
  })

  test('has what its configuration says', async () => {
    const project = await queuedProject(server, owner, 'demo', { config: everything, message: 'a title\n\nmore' })
    clock.advance(61_000)
    const payload = await runner.take()
    const { token, id } = payload
    const [pipeline] = (await owner.get(`/projects/${project.id}/pipelines`)).body
    expect(Object.keys(payload)).toEqual([
      ...['id', 'token', 'allow_git_fetch', 'job_info', 'git_info', 'runner_info', 'variables', 'steps', 'hooks'],
      ...['image', 'services', 'artifacts', 'cache', 'credentials', 'dependencies', 'features'],
    ])
    expect(payload.job_info).toEqual({
      ...{ id, name: 'build', stage: 'build', pipeline_id: pipeline.id, project_id: project.id, project_name: 'demo' },
      ...{ project_full_path: 'owner/demo', time_in_queue_seconds: 61 },
      project_jobs_running_on_instance_runners_count: '0',
    })
    const { host } = new URL(server.url)
    expect(payload.git_info).toEqual({
      repo_url: `http://gitlab-ci-token:${token}@${host}/owner/demo.git`,
      ...{ repo_object_format: 'sha1', ref: 'main', sha: pipeline.sha, before_sha: '0'.repeat(40), ref_type: 'branch' },
      refspecs: [
        `+refs/pipelines/${pipeline.id}:refs/pipelines/${pipeline.id}`,
        '+refs/heads/main:refs/remotes/origin/main',
      ],
      ...{ depth: 20, protected: true },
    })
    expect(payload.runner_info).toEqual({ timeout: 1200, runner_session_url: null })
    expect(payload.steps).toEqual([
      {
        name: 'script',
        script: ['echo before', 'make', 'make check'],
        timeout: 1200,
        when: 'on_success',
        allow_failure: false,
      },
      { name: 'after_script', script: ['echo after'], timeout: 1200, when: 'always', allow_failure: true },
    ])
    expect(payload.hooks).toEqual([{ name: 'pre_get_sources_script', script: ['echo hook'] }])
    const more = { executor_opts: {}, ports: [] }
    expect(payload.image).toEqual({ name: 'ruby:$VERSION', entrypoint: ['/bin/sh'], ...more, pull_policy: ['always'] })
    expect(payload.services).toEqual([
      { name: 'postgres', entrypoint: null, alias: null, command: null, ...more, variables: [], pull_policy: null },
      {
        name: 'redis',
        entrypoint: ['/e'],
        alias: 'cache',
        command: ['redis-server'],
        ...more,
        variables: [],
        pull_policy: null,
      },
    ])
    const report = { untracked: false, exclude: [], when: 'always', expire_in: '1 day', artifact_format: 'gzip' }
    expect(payload.artifacts).toEqual([
      {
        ...{ name: 'out', untracked: false, paths: ['a'], exclude: ['b'], when: 'always', expire_in: '1 day' },
        ...{ artifact_type: 'archive', artifact_format: 'zip' },
      },
      { ...report, name: 'junit.xml', paths: ['r.xml'], artifact_type: 'junit' },
      { ...report, name: '.env', paths: ['e.env'], artifact_type: 'dotenv' },
    ])
    expect(payload.cache).toEqual([
      {
        ...{ key: 'one-protected', untracked: false, paths: ['c'], policy: 'pull', when: 'always' },
        fallback_keys: ['two-protected'],
      },
      expect.objectContaining({
        key: expect.stringMatching(/^p-[0-9a-f]{40}-protected$/),
        untracked: true,
        policy: 'pull-push',
      }),
      expect.objectContaining({ key: 'default-protected', paths: ['e'], when: 'on_success', fallback_keys: [] }),
    ])
    expect(payload.credentials).toEqual([{ type: 'registry', url: host, username: 'gitlab-ci-token', password: token }])
    expect(payload.dependencies).toEqual([])
    expect(payload.features).toEqual({
      trace_sections: true,
      token_mask_prefixes: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-'],
      failure_reasons: [...failureReasons],
    })
    await workOn(server, payload).update({ state: 'success' })
    const plain = await runner.take()
    expect(plain).toMatchObject({
      image: null,
      services: [],
      artifacts: null,
      cache: [],
      hooks: [{}],
      steps: [{ name: 'script' }],
    })
    await workOn(server, plain).update({ state: 'success' })
  })

  test('has the predefined variables', async () => {
    const config =
      'build: {script: make, environment: {name: "Review/$CI_COMMIT_REF_NAME", url: "https://$CI_ENVIRONMENT_SLUG.example"}}'
    const project = await queuedProject(server, owner, 'predefined', { config, message: 'a title\n\nmore' })
    const payload = await runner.take()
    const { id, token, git_info } = payload
    const [pipeline] = (await owner.get(`/projects/${project.id}/pipelines`)).body
    const [environment] = (await owner.get(`/projects/${project.id}/environments`)).body
    const { url } = server
    const { host, hostname, port } = new URL(url)
    expect(valuesOf(payload)).toMatchObject({
      ...{ CI: 'true', GITLAB_CI: 'true', CI_SERVER: 'yes', CI_SERVER_URL: url, CI_SERVER_HOST: hostname },
      ...{ CI_SERVER_PORT: port, CI_SERVER_PROTOCOL: 'http', CI_SERVER_FQDN: host, CI_API_V4_URL: `${url}/api/v4` },
      ...{ CI_COMMIT_SHA: git_info.sha, CI_COMMIT_SHORT_SHA: git_info.sha.slice(0, 8), CI_COMMIT_BRANCH: 'main' },
      ...{ CI_COMMIT_TITLE: 'a title', CI_COMMIT_MESSAGE: expect.stringMatching(/^a title\n\nmore/) },
      ...{ CI_COMMIT_DESCRIPTION: 'more', CI_COMMIT_AUTHOR: 'owner person <owner@example.com>' },
      ...{ CI_COMMIT_REF_NAME: 'main', CI_COMMIT_REF_SLUG: 'main', CI_COMMIT_REF_PROTECTED: 'true' },
      ...{ CI_DEFAULT_BRANCH: 'main', CI_CONFIG_PATH: '.gitlab-ci.yml', CI_PROJECT_ID: String(project.id) },
      ...{ CI_PROJECT_PATH: 'owner/predefined', CI_PROJECT_NAMESPACE: 'owner', CI_PROJECT_VISIBILITY: 'private' },
      ...{ CI_PIPELINE_ID: String(pipeline.id), CI_PIPELINE_IID: '1', CI_PIPELINE_SOURCE: 'push' },
      ...{ CI_PIPELINE_URL: pipeline.web_url, CI_PIPELINE_CREATED_AT: pipeline.created_at, CI_PIPELINE_NAME: '' },
      ...{ CI_JOB_ID: String(id), CI_JOB_NAME: 'build', CI_JOB_NAME_SLUG: 'build', CI_JOB_STAGE: 'test' },
      ...{ CI_JOB_URL: `${url}/owner/predefined/-/jobs/${id}`, CI_JOB_STARTED_AT: clock.now().toISOString() },
      ...{ CI_JOB_TIMEOUT: '1200', CI_JOB_TOKEN: token, CI_NODE_TOTAL: '1' },
      ...{ CI_RUNNER_ID: String(runner.id), CI_RUNNER_DESCRIPTION: 'local', CI_RUNNER_TAGS: '["linux","x y"]' },
      ...{ CI_REGISTRY: host, CI_REGISTRY_IMAGE: `${host}/owner/predefined`, CI_REGISTRY_USER: 'gitlab-ci-token' },
      ...{ CI_REGISTRY_PASSWORD: token, CI_REPOSITORY_URL: git_info.repo_url },
      ...{ CI_ENVIRONMENT_NAME: 'Review/main', CI_ENVIRONMENT_SLUG: environment.slug, CI_ENVIRONMENT_ACTION: 'start' },
      ...{ CI_ENVIRONMENT_ID: String(environment.id), CI_ENVIRONMENT_TIER: 'development' },
      ...{
        CI_ENVIRONMENT_URL: `https://${environment.slug}.example`,
        GITLAB_USER_LOGIN: 'owner',
        GITLAB_USER_ID: String(owner.id),
      },
    })
    for (const name of ['CI_JOB_TOKEN', 'CI_REGISTRY_PASSWORD', 'CI_REPOSITORY_URL']) {
      expect(find(payload, name)).toEqual([expect.objectContaining({ masked: true, public: false })])
    }
    expect(find(payload, 'CI_JOB_ID')).toEqual([
      { key: 'CI_JOB_ID', value: String(id), public: true, masked: false, raw: true },
    ])
    expect(environment.slug).toMatch(/^review-main-[a-z0-9]{6}$/)
    for (const name of [
      'CI_COMMIT_TAG',
      'CI_DEPLOY_FREEZE',
      'CI_JOB_MANUAL',
      'CI_NODE_INDEX',
      'CI_PIPELINE_SCHEDULE_ID',
    ]) {
      expect(valuesOf(payload)).not.toHaveProperty(name)
    }
    await workOn(server, payload).update({ state: 'success' })
  })

  test('tells that its project was frozen when it was created, and rules can ask for it', async () => {
    const project = await server.make.project('freezing', owner)
    const period = { freeze_start: '0 0 1 * *', freeze_end: '0 0 1 12 *' }
    expect((await owner.post(`/projects/${project.id}/freeze_periods`, period)).status).toBe(201)
    const config = `
build: {script: make, rules: [{if: '$CI_DEPLOY_FREEZE'}]}
other: {script: make, rules: [{if: '$CI_DEPLOY_FREEZE == null'}]}
`
    const file = { branch: 'main', content: config, commit_message: 'configure' }
    await owner.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file)
    await server.app.platform.jobs.drain()
    const payload = await runner.take()
    expect(payload.job_info.name).toBe('build')
    expect(valuesOf(payload)).toMatchObject({ CI_DEPLOY_FREEZE: 'true' })
    await workOn(server, payload).update({ state: 'success' })
  })

  test('has variables of all sources, of which the later win', async () => {
    const group = await server.make.group('above', owner)
    const config = `
variables: {FROM: yml, A: yml, B: yml, C: yml, D: yml, E: "$FROM and $UNKNOWN and $$FROM", RAW: {value: "$FROM", expand: false}}
first: {stage: build, script: make, artifacts: {reports: {dotenv: e}}}
second: {stage: test, script: make, environment: prod/eu, variables: {J: job}}
`
    await server.root.post('/admin/ci/variables', { key: 'B', value: 'instance' })
    const ofGroup = (body: object) => owner.post(`/groups/${group.id}/variables`, body)
    await ofGroup({ key: 'C', value: 'group', environment_scope: 'prod/*' })
    await ofGroup({ key: 'D', value: 'group' })
    await ofGroup({ key: 'FILE', value: 'content', variable_type: 'file' })
    const project = await queuedProject(server, owner, 'sources', { config, namespace: group })
    await owner.post(`/projects/${project.id}/variables`, { key: 'D', value: 'secretvalue', masked: true, raw: true })
    await owner.post(`/projects/${project.id}/variables`, { key: 'HIDDEN', value: 'x', protected: true })
    await owner.post(`/projects/${project.id}/variables`, { key: 'REF', value: '$A/$D/$FILE' })
    const first = await runner.take()
    expect(valuesOf(first)).toMatchObject({ C: 'yml', D: 'secretvalue', HIDDEN: 'x' })
    const report = gzipSync('A=report\nB=report\nF=report\n')
    await workOn(server, first).upload(report, '?artifact_type=dotenv&artifact_format=gzip')
    await workOn(server, first).update({ state: 'success' })
    const second = await runner.take()
    expect(valuesOf(second)).toMatchObject({
      ...{
        A: 'report',
        B: 'instance',
        C: 'group',
        D: 'secretvalue',
        F: 'report',
        J: 'job',
        REF: 'report/secretvalue/$FILE',
      },
      ...{ E: 'yml and $UNKNOWN and $$FROM', RAW: '$FROM' },
    })
    expect(find(second, 'D')).toEqual([{ key: 'D', value: 'secretvalue', public: false, masked: true, raw: true }])
    expect(find(second, 'FILE')).toEqual([{ key: 'FILE', value: 'content', public: false, masked: false, file: true }])
    expect(find(second, 'A')).toHaveLength(1)
    const names = second.variables.map(({ key }: Variable) => key)
    expect(['CI', 'J', 'F', 'B', 'C', 'REF'].map((name) => names.indexOf(name))).toEqual(
      ['CI', 'J', 'F', 'B', 'C', 'REF'].map((name) => names.indexOf(name)).toSorted((a, b) => a - b),
    )
    await workOn(server, second).update({ state: 'success' })
    await server.root.delete('/admin/ci/variables/B')
  })

  test('has variables of the pipeline, and those with which it was played', async () => {
    const config = 'variables: {A: yml, B: yml, GIT_DEPTH: "0"}\nbuild: {script: make, when: manual, parallel: 2}'
    const project = await queuedProject(server, owner, 'played', { config })
    const variables = [
      { key: 'A', value: 'pipeline' },
      { key: 'B', value: 'pipeline', variable_type: 'file' },
    ]
    const { body: pipeline } = await owner.post(`/projects/${project.id}/pipeline`, { ref: 'main', variables })
    const jobs = (await owner.get(`/projects/${project.id}/pipelines/${pipeline.id}/jobs`)).body
    const job = jobs.find(({ name }: { name: string }) => name === 'build 2/2')
    const job_variables_attributes = [{ key: 'A', value: 'played' }]
    await owner.post(`/projects/${project.id}/jobs/${job.id}/play`, { job_variables_attributes })
    const payload = await runner.take()
    expect(valuesOf(payload)).toMatchObject({
      ...{ A: 'played', B: 'pipeline', CI_JOB_MANUAL: 'true', CI_NODE_INDEX: '2', CI_NODE_TOTAL: '2' },
      CI_PIPELINE_SOURCE: 'api',
    })
    expect(find(payload, 'B')[0]).toMatchObject({ file: true })
    expect(payload.git_info).toMatchObject({
      depth: 0,
      refspecs: [
        `+refs/pipelines/${pipeline.id}:refs/pipelines/${pipeline.id}`,
        '+refs/heads/*:refs/remotes/origin/*',
        '+refs/tags/*:refs/tags/*',
      ],
    })
    await workOn(server, payload).update({ state: 'success' })
  })

  test('of a tag names the tag and its message', async () => {
    const project = await queuedProject(server, owner, 'tagged', { config: 'build: {script: make, only: [tags]}' })
    const tag = { tag_name: 'v1.0', ref: 'main', message: 'the first' }
    expect((await owner.post(`/projects/${project.id}/repository/tags`, tag)).status).toBe(201)
    expect((await owner.post(`/projects/${project.id}/pipeline`, { ref: 'v1.0' })).status).toBe(201)
    const payload = await runner.take()
    expect(payload.git_info).toMatchObject({ ref: 'v1.0', ref_type: 'tag', protected: false })
    expect(payload.git_info.refspecs[1]).toBe('+refs/tags/v1.0:refs/tags/v1.0')
    expect(valuesOf(payload)).toMatchObject({ CI_COMMIT_TAG: 'v1.0', CI_COMMIT_REF_SLUG: 'v1-0' })
    expect(valuesOf(payload).CI_COMMIT_TAG_MESSAGE?.trim()).toBe('the first')
    expect(valuesOf(payload)).not.toHaveProperty('CI_COMMIT_BRANCH')
    await workOn(server, payload).update({ state: 'success' })
  })

  test('takes the value of a variable as it is, whatever it contains', async () => {
    const project = await queuedProject(server, owner, 'hostile', {
      config: 'variables: {A: "$B", B: "$A", C: "$C"}\nbuild: {script: make}',
    })
    await owner.post(`/projects/${project.id}/variables`, { key: 'GIT_DEPTH', value: '-1' })
    await owner.post(`/projects/${project.id}/variables`, { key: 'X', value: '🦊\n"quoted"\u0001' })
    const { body: pipeline } = await owner.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    expect(pipeline.id).toBeGreaterThan(0)
    const payload = await runner.take()
    expect(valuesOf(payload)).toMatchObject({ A: '$B', B: '$A', C: '$C', X: '🦊\n"quoted"\u0001' })
    expect(payload.git_info.depth).toBe(20)
  })
})
