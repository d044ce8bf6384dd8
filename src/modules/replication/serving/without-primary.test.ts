/** A secondary whose primary is away: reads that the primary has confirmed go on, and everything else is refused (contract 15). */
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startApp } from '../../../app.ts'
import {
  clientOf,
  git,
  httpUrl,
  openWorkTree,
  type Person,
  temporaryDirectory,
  type WorkTree,
} from '../../../testing/index.ts'
import { fileForm } from '../../uploads/testing.ts'
import { allCopied, type Pair, startPair } from '../testing.ts'

const patience = { timeout: 60_000, interval: 100 }
const changes = 'This secondary accepts no changes while its primary cannot be reached.'
const unanswered = 'This secondary cannot answer this request while its primary cannot be reached.'
let pair: Pair
let owner: Person
let member: Person
let stranger: Person
let tree: WorkTree
let uploadPath: string
let closedId: number

beforeAll(async () => {
  pair = await startPair()
  const { primary, nodeId } = pair
  ;[owner, member, stranger] = [await primary.user('owner'), await primary.user('member'), await primary.user('other')]
  tree = await openWorkTree(primary, await primary.make.project('p', owner))
  await owner.post(`${tree.base}/members`, { user_id: member.id, access_level: 20 })
  await tree.commit('first', { 'a.txt': 'a' })
  await tree.push(owner, 'main')
  const { body } = await owner.post(`${tree.base}/uploads`, fileForm('a.txt', 'bytes'))
  uploadPath = `/-/project/${tree.project.id}${body.url}`
  const open = await primary.make.project('open', owner, { visibility: 'public' })
  await owner.post(`/projects/${open.id}/repository/files/a`, { branch: 'main', content: 'a', commit_message: 'a' })
  const closed = await primary.make.project('closed', owner, { visibility: 'public' })
  closedId = closed.id
  await owner.post(`/projects/${closed.id}/repository/files/a`, { branch: 'main', content: 'a', commit_message: 'a' })
  const report = async () => (await primary.root.get(`/geo_sites/${nodeId}/status`)).body
  const copied = { ...allCopied('project_repositories', 3), ...allCopied('uploads', 1) }
  await vi.waitFor(async () => expect(await report()).toMatchObject(copied), patience)
})
afterAll(async () => {
  await tree?.[Symbol.asyncDispose]()
  await pair?.[Symbol.asyncDispose]()
})

const as = (person: Person) => clientOf(pair.secondary.url, person.token)
const statusOf = async (token: string, url = pair.secondary.url) =>
  (await clientOf(url, token).get('/geo_sites/current/status')).status

/** Clones from a server. @param person null for everybody */
async function clone(person: Person | null, path = 'owner/p', { url } = { url: pair.secondary.url }) {
  await using folder = await temporaryDirectory()
  const address = person ? httpUrl({ url }, person, path) : `${url}/${path}.git`
  return await git(folder.path, '-c', 'credential.helper=', 'clone', '--quiet', address, 'c')
}

async function readiness(url = pair.secondary.url) {
  const answer = await fetch(`${url}/-/readiness`)
  return { status: answer.status, body: await answer.json() }
}

const partlyReady = {
  status: 200,
  body: {
    ...{ status: 'ok', master_check: [{ status: 'ok' }] },
    primary_check: [{ status: 'failed', message: 'the primary is unreachable; reads of copies go on' }],
  },
}

test('reads go on for a day without the primary, also after a new start, and changes are refused', async () => {
  const { primary, secondary, link } = pair
  for (const person of [owner, member]) {
    expect((await clone(person)).code).toBe(0)
    expect((await as(person).get(uploadPath)).status).toBe(200)
  }
  expect((await clone(null, 'owner/open')).code).toBe(0)
  expect((await clone(stranger)).code).not.toBe(0)
  expect([await statusOf(primary.rootToken), await statusOf(owner.token)]).toEqual([200, 403])
  // What everybody could read becomes private, and the primary refuses it to somebody.
  expect((await clone(null, 'owner/closed')).code).toBe(0)
  await as(owner).put(`/projects/${closedId}`, { visibility: 'private' })
  expect((await clone(stranger, 'owner/closed')).code).not.toBe(0)
  // The primary refuses what it has confirmed before.
  await owner.delete(`${tree.base}/members/${member.id}`)
  await as(owner).put(tree.base, { description: 'forgets permissions' })
  expect((await clone(member)).code).not.toBe(0)
  expect((await as(member).get(uploadPath)).status).toBe(404)
  expect(await readiness()).toEqual({ status: 200, body: { status: 'ok', master_check: [{ status: 'ok' }] } })
  link.cut()
  await expect.poll(() => readiness(), patience).toEqual(partlyReady)

  expect((await clone(owner)).stderr).toBe('')
  expect((await clone(null, 'owner/open')).code).toBe(0)
  expect((await clone(stranger, 'owner/open')).code).toBe(0)
  const file = await as(owner).get(uploadPath)
  expect([file.status, file.body, file.headers.get('x-fennec-geo-served')]).toEqual([200, 'bytes', 'local'])
  expect(await statusOf(primary.rootToken)).toBe(200)

  for (const person of [member, stranger]) {
    expect((await clone(person)).stderr).toContain(unanswered)
    const refused = await as(person).get(uploadPath)
    expect([refused.status, refused.body]).toEqual([503, { message: `503 Service Unavailable - ${unanswered}` }])
  }
  expect((await clone(stranger, 'owner/closed')).stderr).toContain(unanswered)
  expect((await clone(null)).stderr).toMatch(/could not read Username|Authentication failed/)
  expect(await statusOf(owner.token)).toBe(503)
  const pushed = await git(tree.folder, 'push', httpUrl(secondary, owner, 'owner/p'), 'main:cut')
  expect([pushed.code, pushed.stderr]).toEqual([128, expect.stringContaining(changes)])
  const read = await as(owner).get('/user')
  expect([read.status, read.body]).toEqual([503, { message: `503 Service Unavailable - ${unanswered}` }])
  const written = await as(owner).post(`${tree.base}/issues`, { title: 'x' })
  expect([written.status, written.body, written.headers.get('retry-after')]).toEqual([
    ...[503, { message: `503 Service Unavailable - ${changes}` }, '30'],
  ])

  // Another process on the same database, whose primary is away from its start on.
  const { config } = secondary.app.platform
  await secondary.app.stop()
  const app = await startApp({
    ...{
      config: { ...config, listen: { host: '127.0.0.1', port: 0 } },
      durable: false,
      log: pino({ level: 'silent' }),
    },
  })
  try {
    const again = { url: app.url }
    expect((await clone(owner, 'owner/p', again)).code).toBe(0)
    expect((await clone(member, 'owner/p', again)).stderr).toContain(unanswered)
    await expect.poll(() => readiness(app.url), patience).toEqual(partlyReady)
    const { database } = app.platform
    const aDayAgo = new Date(Date.now() - 24 * 3_600_000).toISOString()
    await database.write((tx) => tx.updateTable('geo_confirmed_reads').set({ confirmed_at: aDayAgo }).execute())
    expect((await clone(owner, 'owner/p', again)).stderr).toContain(unanswered)
    expect(await statusOf(primary.rootToken, app.url)).toBe(503)
  } finally {
    await app.stop()
  }
})
