/** Which protected environments are looked at when access has ended. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { type Ended, protectionsAfter } from './store.ts'

let server: TestServer
let owner: Person
let deployer: Person
let approver: Person
let top: NamespaceRow
let inner: NamespaceRow
let other: NamespaceRow
let project: ProjectRow
let beside: ProjectRow
const all: number[] = []

/** Protects something. @param named whom the entries name besides maintainers */
async function protect(place: string, name: string, named: { deploy?: object; approval?: object } = {}) {
  const given = {
    ...{ name, deploy_access_levels: [{ access_level: 40 }, ...(named.deploy ? [named.deploy] : [])] },
    approval_rules: named.approval ? [named.approval] : [],
  }
  expect((await owner.post(`${place}/protected_environments`, given)).status).toBe(201)
}

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  deployer = await server.user('deployer')
  approver = await server.user('approver')
  top = await server.make.group('top', owner)
  inner = await server.make.group('inner', owner, { parent: top })
  other = await server.make.group('other', owner)
  project = await server.make.project('p', owner, { namespace: inner })
  beside = await server.make.project('q', owner, { namespace: other })
  for (const person of [deployer, approver]) await server.make.member({ namespace: top }, person, 30)
  await protect(`/groups/${top.id}`, 'production', { deploy: { user_id: deployer.id } })
  await protect(`/groups/${inner.id}`, 'production')
  await protect(`/projects/${project.id}`, 'live', { approval: { user_id: approver.id } })
  await protect(`/projects/${project.id}`, 'test', { approval: { user_id: deployer.id } })
  await protect(`/projects/${beside.id}`, 'live')
  const rows = server.app.platform.database.read.selectFrom('protected_environments').select('id').orderBy('id')
  all.push(...(await rows.execute()).map(({ id }) => id))
})
afterAll(() => server.stop())

const found = (ended: Ended, afterId = 0, limit = 10) =>
  protectionsAfter(server.app.platform.database.read, ended, afterId, limit)
/** The places of what was found among all. */
const places = async (...asked: Parameters<typeof found>) => (await found(...asked)).map(({ id }) => all.indexOf(id))

test('they are those of a project, of a group and all below it, or of a user', async () => {
  expect(await places({ projectId: project.id })).toEqual([2, 3])
  expect(await places({ projectId: beside.id })).toEqual([4])
  expect(await places({ namespaceId: inner.id })).toEqual([1, 2, 3])
  expect(await places({ namespaceId: top.id })).toEqual([0, 1, 2, 3])
  expect(await places({ namespaceId: other.id })).toEqual([4])
  expect(await places({ userId: deployer.id })).toEqual([0, 3])
  expect(await places({ userId: approver.id })).toEqual([2])
  expect(await places({ userId: owner.id })).toEqual([])
})

test('they come with the group or project, in portions', async () => {
  const [ofTop, , ofProject] = await found({ namespaceId: top.id })
  expect(ofTop).toEqual({ id: all[0], kind: 'group', ownerId: top.id, namespaceId: top.id })
  expect(ofProject).toEqual({ id: all[2], kind: 'project', ownerId: project.id, namespaceId: inner.id })
  expect(await places({ namespaceId: top.id }, all[0], 2)).toEqual([1, 2])
  expect(await places({ namespaceId: top.id }, all[3], 2)).toEqual([])
})
