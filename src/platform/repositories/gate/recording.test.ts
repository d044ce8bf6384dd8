import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  git,
  httpUrl,
  makeHistory,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import type { RefListener } from '../../index.ts'
import { repositoryAt } from '../on-disk.ts'
import { repositoryOfProject } from '../store/repositories.ts'
import { recoverRefs } from './recovery.ts'

let server: TestServer
let isFailing = false
let failures = 0

beforeAll(async () => {
  server = await startTestServer()
  const failing: RefListener = {
    prepare: async () => async () => {
      if (!isFailing) return
      failures += 1
      throw new Error('the record fails')
    },
  }
  server.app.platform.gate.listeners.push(failing)
})
afterAll(() => server.stop())

const intents = () => server.app.platform.database.read.selectFrom('ref_intents').selectAll().execute()
const generation = async (projectId: number) => {
  const query = server.app.platform.database.read.selectFrom('repositories').select('generation')
  return (await query.where('project_id', '=', projectId).executeTakeFirstOrThrow()).generation
}

/** Settles intents, as the next start of the server does. */
async function recover() {
  isFailing = false
  expect(await recoverRefs(server.app.platform, new Date('2100-01-01T00:00:00.000Z'))).toBe(1)
  expect(await intents()).toEqual([])
}

/** Pushes while recording fails. The server tries twice, the second time after it has answered. */
async function pushUnrecorded(folder: string, ...parameters: string[]): Promise<void> {
  isFailing = true
  failures = 0
  expect((await git(folder, 'push', ...parameters)).code).not.toBe(0)
  await expect.poll(() => failures).toBe(2)
}

describe('an intent remains when recording fails', () => {
  test('of a branch created by the API, and is settled later', async () => {
    const { body: project } = await server.root.post('/projects', { name: 'api', initialize_with_readme: true })
    const before = await generation(project.id)
    isFailing = true
    const branches = `/projects/${project.id}/repository/branches`
    expect((await server.root.post(branches, { branch: 'new', ref: 'main' })).status).toBe(500)
    expect(await intents()).toMatchObject([{ updates: [{ ref: 'refs/heads/new' }] }])
    expect(await generation(project.id)).toBe(before)
    await recover()
    expect(await generation(project.id)).toBe(before + 1)
    expect((await server.root.get(`${branches}/new`)).status).toBe(200)
  })

  test('of a push, and is settled later', async () => {
    const owner = await server.user('owner')
    const project = await server.make.project('pushed', owner)
    await using folder = await temporaryDirectory()
    await makeHistory(folder.path, ['one'])
    await pushUnrecorded(folder.path, httpUrl(server, owner, 'owner/pushed'), 'main')
    expect(await intents()).toMatchObject([{ updates: [{ ref: 'refs/heads/main' }] }])
    await recover()
    const { body: before } = await owner.get(`/projects/${project.id}/repository/branches/main`)
    expect(before.commit.title).toBe('one')

    await makeHistory(folder.path, ['two'])
    await pushUnrecorded(folder.path, httpUrl(server, owner, 'owner/pushed'), 'main')
    // As a power failure leaves a file that was not synced.
    const { platform } = server.app
    const row = await repositoryOfProject(platform.database.read, project.id)
    await writeFile(join(repositoryAt(platform, row!).directory, 'refs/heads/main'), '')
    await recover()
    const { body: after } = await owner.get(`/projects/${project.id}/repository/branches/main`)
    expect(after.commit.id).toBe(before.commit.id)
  })
})
