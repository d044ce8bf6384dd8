import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let path: string
let other: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  const file = (name: string, content: string) => ['100644', name, content] as [string, string, string]
  const stream = (...files: [string, string, string][]) => importStream([{ message: 'one', branch: 'main', files }])
  const shared = await imported(server, owner, 'shared', stream(file('all.yml', 'shared: {script: s}')))
  const main = `include: [local.yml, {project: ${shared.full_path}, file: all.yml}]\njob: {script: x, environment: prod}\n`
  const project = await imported(
    server,
    owner,
    'linted',
    stream(file('.gitlab-ci.yml', main), file('local.yml', 'local: {stage: build, script: l, rules: [{if: $NEVER}]}')),
  )
  path = `/projects/${project.id}/ci/lint`
  other = `/projects/${shared.id}/ci/lint`
})
afterAll(() => server.stop())

describe('the configuration of a commit', () => {
  test('is shown merged, with its files', async () => {
    const { status, body } = await owner.get(`${path}?include_jobs=true`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ valid: true, errors: [], warnings: [] })
    expect(body.merged_yaml).toContain('shared:\n  script: s\n')
    expect(body.includes).toEqual([
      {
        type: 'local',
        location: 'local.yml',
        blob: expect.stringMatching(/\/owner\/linted\/-\/blob\/[0-9a-f]{40}\/local\.yml$/),
        raw: expect.stringMatching(/\/owner\/linted\/-\/raw\/[0-9a-f]{40}\/local\.yml$/),
        extra: {},
        context_project: 'owner/linted',
        context_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
      expect.objectContaining({ type: 'file', location: 'all.yml', context_project: 'owner/linted' }),
    ])
    expect(body.jobs.map(({ name }: { name: string }) => name)).toEqual(['local', 'shared', 'job'])
  })

  test('a dry run chooses the jobs', async () => {
    const { body } = await owner.get(`${path}?include_jobs=true&dry_run=true`)
    expect(body.jobs.map(({ name }: { name: string }) => name)).toEqual(['shared', 'job'])
  })

  test('without a file the answer says so, and unknown refs are not found', async () => {
    expect((await owner.get(other)).body).toMatchObject({
      valid: false,
      merged_yaml: null,
      errors: ['Please provide content of .gitlab-ci.yml'],
    })
    const commit = { status: 404, body: { message: '404 Commit Not Found' } }
    for (const ref of ['nope', '..', 'main~1'])
      expect(await owner.get(`${path}?content_ref=${ref}`)).toMatchObject(commit)
    const empty = await server.make.project('empty', owner)
    expect(await owner.get(`/projects/${empty.id}/ci/lint`)).toMatchObject({
      status: 404,
      body: { message: '404 Repository Not Found' },
    })
  })

  test('files of projects that the caller cannot read are not included', async () => {
    const reader = await server.user('reader')
    const id = Number(path.split('/')[2])
    await server.make.member({ project: { id } as never }, reader, 20)
    expect((await reader.get(path)).body.errors).toEqual([
      'Project `owner/shared` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.',
    ])
  })
})

describe('a text', () => {
  const lint = (content: unknown, more: object = {}) => owner.post(path, { content, ...more })

  test('is validated without being an error', async () => {
    const { status, body } = await lint('test:\n  stage: nope\n  script: x\n')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      valid: false,
      errors: ['test job: chosen stage does not exist; available stages are .pre, build, test, deploy, .post'],
    })
    expect(body.jobs).toBeUndefined()
    expect((await lint('a: {script: x}', { ref: '' })).body).toMatchObject({ valid: true, errors: [] })
    expect((await lint('a: [')).body).toMatchObject({ valid: false, merged_yaml: null })
    expect((await lint('a: {script: x, rules: [{if: $NO}]}', { dry_run: true })).body.errors).toEqual([
      'Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being added to the pipeline.',
    ])
    expect(await owner.post(path, {})).toMatchObject({ status: 400, body: { error: 'content is missing' } })
  })

  test('is validated for a project without commits, as that of its default branch', async () => {
    const empty = await server.make.project('fresh', owner)
    const check = async (content: string, more: object = {}) =>
      (await owner.post(`/projects/${empty.id}/ci/lint`, { content, ...more })).body
    const rules = 'a: {script: x, rules: [{if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_COMMIT_SHA == null}]}'
    const found = await check(rules, { dry_run: true, include_jobs: true, ref: '' })
    expect(found).toMatchObject({ valid: true, errors: [], jobs: [{ name: 'a' }] })
    expect(await check(rules, { dry_run: true, ref: 'topic' })).toMatchObject({ valid: false })
    expect((await check('include: all.yml')).errors).toEqual(['Local file `all.yml` does not exist!'])
    expect(await check('include: {project: owner/shared, file: all.yml}')).toMatchObject({ valid: true })
  })

  test('is refused where pipelines are off', async () => {
    await owner.put(path.replace('/ci/lint', ''), { builds_access_level: 'disabled' })
    const answers = [await lint('a: {script: x}'), await owner.get(path)]
    await owner.put(path.replace('/ci/lint', ''), { builds_access_level: 'enabled' })
    expect(answers).toMatchObject([{ status: 403 }, { status: 403 }])
  })
})
