import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RefName } from '../../../infra/git/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { openWorkTree, type Person, startTestServer, type TestServer, type WorkTree } from '../../../testing/index.ts'
import { statusesOf } from '../testing.ts'
import { variablesOfOptions } from './pushes.ts'

const config = `
stages: [build, test]
compile:
  stage: build
  script: make
check:
  stage: test
  script: make check
`

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

async function treeWith(path: string, text = config): Promise<WorkTree> {
  const tree = await openWorkTree(server, await server.make.project(path, owner))
  await tree.commit('configure', { '.gitlab-ci.yml': text })
  return tree
}

async function pipelinesOf({ project }: WorkTree) {
  await server.app.platform.jobs.drain()
  const { read } = server.app.platform.database
  return read.selectFrom('pipelines').selectAll().where('project_id', '=', project.id).orderBy('id').execute()
}

describe('a push', () => {
  test('of a branch creates a pipeline whose first stage is pending', async () => {
    await using tree = await treeWith('pushed')
    expect(await tree.push(owner, 'main')).toMatchObject({ isAccepted: true })
    const sha = await tree.run('rev-parse', 'main')
    const [pipeline, ...others] = await pipelinesOf(tree)
    expect(others).toEqual([])
    expect(pipeline).toMatchObject({
      ...{ iid: 1, ref: 'main', tag: false, source: 'push', status: 'pending', sha, before_sha: null },
      ...{ user_id: owner.id, yaml_errors: null },
    })
    expect(await statusesOf(server, pipeline?.id ?? 0)).toEqual(['compile pending', 'check created'])
  })

  test('creates at most four pipelines, each once', async () => {
    await using tree = await treeWith('many')
    const refs = ['a', 'b', 'c', 'd', 'e'].map((name) => `main:refs/heads/${name}`)
    await tree.push(owner, ...refs)
    expect((await pipelinesOf(tree)).map(({ ref, iid }) => `${ref} ${iid}`)).toEqual(['a 1', 'b 2', 'c 3', 'd 4'])
    const { database, jobs } = server.app.platform
    const push = await database.read.selectFrom('pushes').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
    await database.write((tx) => jobs.enqueue(tx, 'pushes.pipelines', { pushId: push.id }))
    expect(await pipelinesOf(tree)).toHaveLength(4)
  })

  test.each([
    ['message', '[Skip CI] words', []],
    ['option', 'words', ['-o', 'ci.skip']],
  ])('that is skipped by its %s is recorded', async (by, message, options) => {
    await using tree = await treeWith(`skipped-by-${by}`)
    await tree.commit(message)
    await tree.push(owner, ...options, 'main')
    const [pipeline] = await pipelinesOf(tree)
    expect(pipeline).toMatchObject({ status: 'skipped', finished_at: expect.any(String) })
    expect(await statusesOf(server, pipeline?.id ?? 0)).toEqual([])
  })

  test('with an invalid configuration creates a failed pipeline', async () => {
    await using tree = await treeWith('invalid', 'job: {stage: nowhere, script: a}')
    await tree.push(owner, 'main')
    const stages = '.pre, build, test, deploy, .post'
    expect(await pipelinesOf(tree)).toMatchObject([
      { status: 'failed', yaml_errors: `job job: chosen stage does not exist; available stages are ${stages}` },
    ])
  })

  test('without a configuration, of a deletion, and of a filtered ref creates none', async () => {
    await using tree = await treeWith('none', 'job: {script: a, only: [tags]}')
    await tree.push(owner, 'main', 'main:refs/heads/topic')
    await tree.push(owner, ':refs/heads/topic')
    await tree.run('rm', '--quiet', '.gitlab-ci.yml')
    await tree.commit('without')
    await tree.push(owner, 'main', 'main:refs/tags/v1')
    expect(await pipelinesOf(tree)).toEqual([])
  })

  test('cancels older pipelines of the branch whose jobs may be interrupted', async () => {
    await using tree = await treeWith('canceled', 'one: {script: a, interruptible: true}\ntwo: {script: b}')
    await tree.push(owner, 'main')
    await pipelinesOf(tree)
    await tree.commit('second')
    await tree.push(owner, 'main', 'main:refs/heads/other')
    const found = (await pipelinesOf(tree)).map(({ ref, status }) => `${ref} ${status}`)
    expect(found.sort()).toEqual(['main canceled', 'main pending', 'other pending'])
  })
})

test('a ref of its own keeps the commit of a pipeline until its jobs have ended', async () => {
  await using tree = await treeWith('kept')
  await tree.push(owner, 'main')
  const [pipeline] = await pipelinesOf(tree)
  const ref = `refs/pipelines/${pipeline?.id}` as RefName
  const { platform } = server.app
  const tipOf = async () => (await (await openRepository(platform, tree.project)).repository.tips([ref]))[0]
  expect(await tipOf()).toBe(pipeline?.sha)
  expect(await tree.push(owner, '--force', `main:${ref}`)).toMatchObject({ isAccepted: false })
  const branches = (await owner.get(`${tree.base}/repository/branches`)).body
  expect(branches.map(({ name }: { name: string }) => name)).toEqual(['main'])
  expect((await owner.get(`${tree.base}/repository/commits/${encodeURIComponent(ref)}`)).status).toBe(404)
  expect((await owner.post(`${tree.base}/pipelines/${pipeline?.id}/cancel`, {})).status).toBe(200)
  await pipelinesOf(tree)
  expect(await tipOf()).toBeNull()
  expect((await owner.post(`${tree.base}/pipelines/${pipeline?.id}/retry`, {})).status).toBe(201)
  expect(await tipOf()).toBe(pipeline?.sha)
})

test('push options set variables; the last of one key counts', () => {
  const options = ['ci.variable=A=1', 'ci.variable="B=x=y"', 'ci.variable=A=2', 'ci.variable=no', 'ci.variable=É=1']
  expect(variablesOfOptions(options)).toEqual([
    { key: 'A', value: '2' },
    { key: 'B', value: 'x=y' },
  ])
})
