import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeSnippet } from '../src/modules/snippets/testing.ts'
import { startWithTwoStorages, type TwoStorages } from '../src/modules/storage-moves/testing.ts'
import type { Person } from '../src/testing/index.ts'
import { storedJobs } from '../src/testing/jobs.ts'

const refusal = {
  status: 503,
  body: { message: 'The storage of the repository is not available. Please try again later.' },
}
const patiently = { timeout: 30_000, interval: 25 }

let two: TwoStorages
let owner: Person
let folder: string
let source: { id: number }
let group: { id: number }

/** As an unmount does: the folder of the mount point appears, which is empty and writable. */
async function unmount(): Promise<void> {
  await rename(folder, `${folder}-unmounted`)
  await mkdir(folder)
}

async function mount(): Promise<void> {
  await rm(folder, { recursive: true })
  await rename(`${folder}-unmounted`, folder)
}

const weigh = (weights: object) =>
  two.server.root.put('/application/settings', { repository_storages_weighted: weights })

beforeAll(async () => {
  two = await startWithTwoStorages()
  folder = two.server.app.platform.config.storages.storage2 ?? ''
  owner = await two.server.user('owner')
  await weigh({ storage2: 100 })
  source = (await owner.post('/projects', { name: 'source', initialize_with_readme: true })).body
  group = await two.server.make.group('group', owner)
})
afterAll(() => two.stop())

let isMounted = true
beforeEach(async () => {
  await unmount()
  isMounted = false
})
afterEach(async () => {
  if (!isMounted) await mount()
  isMounted = true
})

/** How many rows there are of what is created on disk. */
async function rows(): Promise<number[]> {
  const { read } = two.server.app.platform.database
  const tables = ['projects', 'snippets', 'repositories'] as const
  return Promise.all(tables.map(async (table) => (await read.selectFrom(table).select('id').execute()).length))
}

test('nothing is created below the mount point: the answer is 503, and no row is left', async () => {
  const before = await rows()
  const requests: [path: string, body: object][] = [
    ['/projects', { name: 'plain' }],
    ['/projects', { name: 'imported', import_url: 'https://example.com/a.git' }],
    [`/projects/${source.id}/fork`, { path: 'fork' }],
    [`/projects/${source.id}/wikis`, { title: 'a', content: 'a' }],
    [`/groups/${group.id}/wikis`, { title: 'a', content: 'a' }],
    ['/snippets', { title: 'a', visibility: 'private', files: [{ file_path: 'a.txt', content: 'a' }] }],
  ]
  for (const [path, body] of requests) expect([path, await owner.post(path, body)]).toMatchObject([path, refusal])
  const pushed = await two.hands.tryPush(owner, 'owner/pushed')
  expect([pushed.code, pushed.stderr]).toEqual([128, expect.stringContaining('503')])
  expect(await rows()).toEqual(before)
  expect(await readdir(folder)).toEqual([])
  const named = { name: 'elsewhere', repository_storage: 'default' }
  expect((await two.server.root.post('/projects', named)).status).toBe(201)
})

test('the readiness probe names the storage, and is green when it is mounted again', async () => {
  const readiness = async () => (await fetch(`${two.server.url}/-/readiness`)).json()
  expect(await readiness()).toEqual({
    status: 'failed',
    master_check: [{ status: 'failed' }],
    storages_check: [
      { status: 'failed', message: 'the folder of the storage storage2 is not mounted', labels: { shard: 'storage2' } },
    ],
  })
  await mount()
  isMounted = true
  expect(await readiness()).toEqual({ status: 'ok', master_check: [{ status: 'ok' }] })
})

test('a move to the storage fails, and so does a move within it', async () => {
  const named = { name: 'here', repository_storage: 'default', initialize_with_readme: true }
  const here = (await two.server.root.post('/projects', named)).body
  for (const container of [here.id, source.id]) {
    const moves = `/projects/${container}/repository_storage_moves`
    const { status, body } = await two.server.root.post(moves, { destination_storage_name: 'storage2' })
    expect(status).toBe(201)
    expect(await two.ended(`${moves}/${body.id}`)).toBe('failed')
  }
  expect(await readdir(folder)).toEqual([])
  expect(await two.rowOf('project_id', here.id)).toMatchObject({ storage: 'default', read_only: false })
})

test('what is deleted meanwhile is deleted on disk when the storage is mounted again', async () => {
  await mount()
  const snippet = await makeSnippet(owner)
  const row = await two.rowOf('snippet_id', snippet.id)
  await unmount()
  expect((await owner.delete(`/snippets/${snippet.id}`)).status).toBe(204)
  const { database, jobs } = two.server.app.platform
  const attempted = async () =>
    (await storedJobs(database, { kind: 'repositories.remove_files' })).some(({ attempts }) => attempts > 0)
  await expect.poll(attempted, patiently).toBe(true)
  await mount()
  isMounted = true
  expect(await two.at('storage2', row).exists()).toBe(true)
  await database.write((tx) => jobs.enqueue(tx, 'repositories.remove_files', null))
  await expect.poll(() => two.at('storage2', row).exists(), patiently).toBe(false)
})
