import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseOid, type RefName, zeroOid } from '../../../infra/git/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { defaultBranchRule } from './rules.ts'

let server: TestServer
let ids: Record<'planned' | 'own', number>
beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  const [planned, own] = [await server.make.project('planned', owner), await server.make.project('own', owner)]
  await server.app.platform.database.write((tx) =>
    tx.updateTable('projects').set({ default_branch: 'trunk' }).where('id', '=', own.id).execute(),
  )
  ids = { planned: planned.id, own: own.id }
})
afterAll(() => server.stop())

const oid = parseOid('1'.repeat(40)) ?? zeroOid()
const refused = ['The default branch of a project cannot be deleted.']

test.each([
  ['planned', ['main'], [], refused],
  ['planned', ['main', 'other'], [], refused],
  ['planned', ['trunk'], ['main'], null],
  ['planned', [], ['main'], null],
  ['own', ['trunk'], [], refused],
  ['own', ['main'], ['trunk'], null],
] as const)(
  'of the project with a %s default branch, %j are deleted and %j changed: %s',
  async (name, gone, moved, answer) => {
    const changeTo = (next: typeof oid) => (branch: string) => ({
      ref: `refs/heads/${branch}` as RefName,
      old: oid,
      new: next,
    })
    const changes = [...gone.map(changeTo(zeroOid())), ...moved.map(changeTo(oid))]
    const proposedOf = (kind: 'project' | 'wiki') => ({ row: { project_id: ids[name], kind }, changes }) as never
    expect(await defaultBranchRule(server.app.platform, proposedOf('project'))).toEqual(answer)
    expect(await defaultBranchRule(server.app.platform, proposedOf('wiki'))).toBeNull()
  },
)
