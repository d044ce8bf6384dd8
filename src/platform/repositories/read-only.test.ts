import { afterAll, beforeAll, expect, test } from 'vitest'
import { branchRef, type RefName, zeroOid } from '../../infra/git/index.ts'
import {
  git,
  httpUrl,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import type { RefListener } from '../index.ts'
import { changeRefs } from './gate/gate.ts'
import { refsOf } from './refs.ts'
import { RefRefused, readOnly } from './refusals.ts'
import { repositoryOfProject, setReadOnly } from './store/repositories.ts'

let server: TestServer
let owner: Person

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

test('a repository that became read-only after it was opened refuses changes and stores no intent', async () => {
  const { database, gate } = server.app.platform
  const project = await server.make.project('moved', owner)
  await using folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one'])
  const address = httpUrl(server, owner, 'owner/moved')
  expect(await git(folder.path, 'push', address, 'main')).toMatchObject({ code: 0 })
  const row = await repositoryOfProject(database.read, project.id)
  if (!row) throw new Error('no repository')
  const head = (await refsOf(server.app.platform, row)).branch('main')?.oid
  const change = { ref: branchRef('late') as RefName, old: zeroOid(), new: head ?? zeroOid() }
  const writer = { userId: owner.id, via: 'api' as const }
  // It becomes read-only in the last rule. Only storing the intent reads the row after that.
  const rule = async () => {
    await database.write((tx) => setReadOnly(tx, row.id, true))
    return null
  }
  gate.rules.push(rule)
  await expect(changeRefs(server.app.platform, row, [change], writer)).rejects.toThrow(RefRefused)
  const pushed = await git(folder.path, 'push', address, 'main:pushed')
  expect(pushed).toMatchObject({ code: 128, stderr: expect.stringContaining(readOnly) })
  await database.write((tx) => setReadOnly(tx, row.id, false))
  const caught = await git(folder.path, 'push', address, 'main:caught')
  expect(caught).toMatchObject({ code: 1, stderr: expect.stringContaining(`GitLab: ${readOnly}`) })
  gate.rules.splice(gate.rules.indexOf(rule), 1)
  await database.write((tx) => setReadOnly(tx, row.id, false))
  expect(await git(folder.path, 'push', address, 'main:after')).toMatchObject({ code: 0 })
  const branches = (await owner.get(`/projects/${project.id}/repository/branches`)).body
  expect(branches.map(({ name }: { name: string }) => name)).toEqual(['after', 'main'])
  expect(await database.read.selectFrom('ref_intents').selectAll().execute()).toEqual([])
})

test('a change whose intent another node has settled is not acknowledged when the repository is moved meanwhile', async () => {
  const { database, gate } = server.app.platform
  const { body: project } = await server.root.post('/projects', { name: 'settled', initialize_with_readme: true })
  const row = await repositoryOfProject(database.read, project.id)
  const listener: RefListener = {
    prepare: async () => {
      await database.write(async (tx) => {
        await tx.deleteFrom('ref_intents').execute()
        await setReadOnly(tx, row?.id ?? 0, true)
      })
      return async () => {}
    },
  }
  gate.listeners.push(listener)
  const answer = await server.root.post(`/projects/${project.id}/repository/branches`, { branch: 'lost', ref: 'main' })
  gate.listeners.splice(gate.listeners.indexOf(listener), 1)
  expect([answer.status, answer.body]).toEqual([400, { message: readOnly }])
  expect((await repositoryOfProject(database.read, project.id))?.generation).toBe(row?.generation)
})
