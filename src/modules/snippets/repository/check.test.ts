import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { diskPath } from '../../../infra/git/index.ts'
import { repositoryOfSnippet } from '../../../platform/repositories/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeSnippet } from '../testing.ts'
import { snippetCheck } from './check.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

test('the check finds snippets whose rows differ from their repositories', async () => {
  const { platform } = server.app
  const { database, git } = platform
  const problems = () => Array.fromAsync(snippetCheck(platform))
  const [good, renamed, branchless, orphan] = [
    await makeSnippet(owner, { 'b.txt': 'B', 'a.txt': 'A' }),
    await makeSnippet(owner),
    await makeSnippet(owner),
    await makeSnippet(owner),
  ]
  await owner.put(`/snippets/${good.id}`, { files: [{ action: 'delete', file_path: 'a.txt' }] })
  expect(await problems()).toEqual([])
  await database.write(async (tx) => {
    await tx.updateTable('snippets').set({ file_name: 'x' }).where('id', '=', renamed.id).execute()
    await tx.deleteFrom('repositories').where('snippet_id', '=', orphan.id).execute()
  })
  const row = await repositoryOfSnippet(database.read, branchless.id)
  const path = row && diskPath(row.disk_path)
  if (!row || !path) throw new Error('no repository')
  await rm(`${git.repository({ storage: row.storage, diskPath: path }).directory}/refs/heads/main`)
  await database.write((tx) =>
    tx
      .updateTable('repositories')
      .set({ generation: row.generation + 1 })
      .where('id', '=', row.id)
      .execute(),
  )
  expect(await problems()).toEqual([
    `snippet ${renamed.id}: its first file is a.txt, not x`,
    `snippet ${branchless.id}: its branch main does not exist`,
    `snippet ${orphan.id} has no repository`,
  ])
})
