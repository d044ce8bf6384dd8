import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import type { ProjectRow } from '../../projects/index.ts'
import { create, makeProject, place, serveWritingForTests } from '../writing-testing.ts'

let project: ProjectRow
let base: string

serveWritingForTests()
beforeAll(async () => {
  project = await makeProject(place, 'ruled', { 'a.txt': 'a\n' })
  base = `/projects/${project.id}/repository`
  const rule = { commit_message_regex: '^(good|first)', branch_name_regex: '^(main|topic)$' }
  expect((await place.owner.post(`/projects/${project.id}/push_rule`, rule)).status).toBe(201)
})

/** Every file among the objects of all repositories. */
async function objects(): Promise<string[]> {
  const storage = place.server.app.platform.config.storages.default as string
  const entries = await readdir(storage, { recursive: true })
  return entries.filter((path) => /\/objects\/(?:[0-9a-f]{2}\/|pack\/|tmp_)/.test(path)).sort()
}

const blobId = (content: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex')

/** Does something that is refused, and expects that the repositories are as they were. */
async function leavesNothing(attempt: () => Promise<{ status: number }>): Promise<void> {
  const before = await objects()
  expect(before.length).toBeGreaterThan(0)
  expect((await attempt()).status).toBe(400)
  expect(await objects()).toEqual(before)
}

test('a commit that the gate refuses leaves no readable objects', async () => {
  const secret = 'a secret that must not be here\n'
  const commit = (message: string, path: string) => ({
    branch: 'main',
    commit_message: message,
    actions: [create(path, secret)],
  })
  await leavesNothing(() => place.developer.post(`${base}/commits`, commit('bad', 'secret.txt')))
  expect((await place.developer.get(`${base}/blobs/${blobId(secret)}`)).status).toBe(404)
  expect((await place.developer.post(`${base}/commits`, commit('good', 'open.txt'))).status).toBe(201)
  expect((await place.developer.get(`${base}/blobs/${blobId(secret)}/raw`)).body).toBe(secret)
  expect((await objects()).filter((path) => path.includes('tmp_'))).toEqual([])
})

test('a large refused commit, stored as a pack, leaves no readable objects', async () => {
  const content = 'large '.repeat(500_000)
  const commit = (message: string) => ({
    branch: 'main',
    commit_message: message,
    actions: [create('large.txt', content)],
  })
  await leavesNothing(() => place.developer.post(`${base}/commits`, commit('bad')))
  expect((await place.developer.post(`${base}/commits`, commit('good'))).status).toBe(201)
  expect((await place.developer.get(`${base}/files/large.txt/raw?ref=main`)).body).toBe(content)
})

test('a refused file, pick, revert, dry run or annotated tag leaves no readable objects', async () => {
  const { developer, owner } = place
  const file = { branch: 'main', commit_message: 'bad', content: 'not to be' }
  await leavesNothing(() => developer.post(`${base}/files/not.txt`, file))
  await developer.post(`${base}/branches`, { branch: 'topic', ref: 'main' })
  const onTopic = { branch: 'topic', commit_message: 'good', actions: [create('picked.txt')] }
  const { body: made } = await developer.post(`${base}/commits`, onTopic)
  const pick = { branch: 'main', message: 'bad' }
  await leavesNothing(() => developer.post(`${base}/commits/${made.id}/cherry_pick`, pick))
  await leavesNothing(() => developer.post(`${base}/commits/${made.id}/revert`, { branch: 'topic' }))
  const before = await objects()
  const dry = await developer.post(`${base}/commits/${made.id}/cherry_pick`, { branch: 'main', dry_run: true })
  expect(dry.body).toEqual({ dry_run: 'success' })
  expect(await objects()).toEqual(before)
  await leavesNothing(() => owner.post(`${base}/tags`, { tag_name: 'a'.repeat(40), ref: 'main', message: 'annotated' }))
})
