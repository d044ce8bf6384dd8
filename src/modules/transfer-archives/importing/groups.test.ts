import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Importing } from '../../../platform/index.ts'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { relationsOf } from '../../relation-exports/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import type { ReadLine } from '../reading/lines.ts'
import { recordImport } from './imports.ts'
import { importedGroupRelations } from './relations.ts'
import { importLines } from './steps.ts'
import { failuresOf } from './store.ts'
import { readUsers } from './users.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

const newGroup = async (path: string) => (await people.owner.post('/groups', { name: path, path })).body

async function* linesOf(portions: AsyncIterable<readonly object[]>): AsyncGenerator<ReadLine> {
  let number = 0
  for await (const portion of portions) {
    for (const line of portion) {
      number += 1
      yield { number, bytes: 100, line: JSON.parse(JSON.stringify(line)) }
    }
  }
}

test('the relations of a group are imported into another one, and epics get their parents whatever their order', async () => {
  const { platform } = server.app
  const [from, to] = [await newGroup('from'), await newGroup('to')]
  const place = `/groups/${from.id}`
  await people.owner.post(`${place}/labels`, { name: 'ui', color: '#112233' })
  await people.owner.post(`${place}/milestones`, { title: 'First', due_date: '2026-02-01' })
  await people.owner.post(`${place}/badges`, { name: 'b', link_url: 'https://x/', image_url: 'https://x/i.svg' })
  await people.owner.post(`${place}/boards`, { name: 'Work' })
  const { body: child } = await people.owner.post(`${place}/epics`, { title: 'child', labels: 'ui' })
  const { body: parent } = await people.owner.post(`${place}/epics`, { title: 'parent' })
  await people.owner.put(`${place}/epics/${child.iid}`, { parent_id: parent.id })
  const row = await userById(platform.database.read, people.owner.id)
  if (!row) throw new Error('the owner is missing')
  const importer = actingUser(server.app.platform, row)
  async function* nobody(): AsyncGenerator<ReadLine> {}
  const into: Importing = {
    ...{ kind: 'group', id: to.id, namespaceId: to.id, importer, source: 'gitlab_migration' },
    users: await readUsers(platform, importer, nobody()),
    placeOf: async () => null,
    signal: new AbortController().signal,
  }
  const { id: importId } = await platform.database.write((tx) =>
    recordImport(platform, tx, into, {
      ...{ source: 'gitlab_migration', correlation_id: 'x', userId: people.owner.id, secret: null },
    }),
  )
  const run = { importId, part: '', into }
  const portable = { kind: 'group' as const, id: from.id, namespaceId: from.id, actor: importer }
  const carryOut = async () => {
    for (const relation of importedGroupRelations) {
      const exported = relationsOf('group').find(({ name }) => name === (relation.of ?? relation.name))
      if (relation.form !== 'lines' || exported?.form !== 'lines') continue
      const lines = linesOf(exported.lines(platform, platform.database.read, portable))
      await importLines(platform, run, relation.name, lines, relation.importLine)
    }
  }
  await carryOut()
  // What is done is not done again.
  await carryOut()
  expect(await failuresOf(platform.database.read, importId)).toEqual([])
  const there = `/groups/${to.id}`
  const namesOf = async (path: string, key: string) =>
    (await people.owner.get(`${there}/${path}`)).body.map((one: Record<string, unknown>) => one[key])
  expect(await namesOf('labels', 'name')).toEqual(['ui'])
  expect(await namesOf('milestones', 'title')).toEqual(['First'])
  expect(await namesOf('badges', 'name')).toEqual(['b'])
  expect(await namesOf('boards', 'name')).toContain('Work')
  const { body: epics } = await people.owner.get(`${there}/epics?order_by=created_at&sort=asc`)
  expect(epics.map(({ title, iid, parent_iid, labels }: typeof child) => [title, iid, parent_iid, labels])).toEqual([
    ['child', 1, 2, ['ui']],
    ['parent', 2, null, []],
  ])
  expect(epics[0]).toMatchObject({ imported: true, imported_from: 'gitlab_migration' })
})
