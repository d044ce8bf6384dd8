/** Who is named by entries for levels, groups and administrators, in a project and in the groups above it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { type DeployAccess, deployAccess } from './deploying.ts'

type Name = 'owner' | 'maintainer' | 'direct' | 'inherited' | 'above' | 'stranger' | 'boss'

let server: TestServer
const people = {} as Record<Name, Person>
let top: NamespaceRow
let guests: NamespaceRow
let project: ProjectRow
let count = 0

beforeAll(async () => {
  server = await startTestServer()
  for (const name of ['owner', 'maintainer', 'direct', 'inherited', 'above', 'stranger', 'boss'] as const) {
    people[name] = await server.user(name)
  }
})
afterAll(() => server.stop())

beforeEach(async () => {
  count += 1
  top = await server.make.group(`top-${count}`, people.owner)
  const below = await server.make.group('below', people.owner, { parent: top })
  project = await server.make.project('p', people.owner, { namespace: below })
  await server.make.member({ project }, people.maintainer, 40)
  await server.make.member({ namespace: top }, people.above, 40)
  // A group of others, which is invited to the project.
  const outer = await server.make.group(`outer-${count}`, people.owner)
  guests = await server.make.group('guests', people.owner, { parent: outer })
  await server.make.member({ namespace: guests }, people.direct, 30)
  await server.make.member({ namespace: outer }, people.inherited, 30)
  const shared = await people.owner.post(`/projects/${project.id}/share`, { group_id: guests.id, group_access: 30 })
  expect(shared.status).toBe(201)
})

const live = { name: 'live', tier: 'production' }

async function protect(place: string, name: string, more: object) {
  const made = await people.owner.post(`/${place}/protected_environments`, { name, ...more })
  expect([made.status, made.body]).toMatchObject([201, { name }])
}

/** Those who pass a test of what may be done now. */
async function those(test: (access: DeployAccess, person: { userId: number; administrator: boolean }) => boolean) {
  const { platform } = server.app
  const ids = Object.values(people).map(({ id }) => id)
  const access = await deployAccess(platform, platform.database.read, project, [live], ids)
  const names = Object.keys(people) as Name[]
  return names.filter((name) => test(access, { userId: people[name].id, administrator: name === 'boss' }))
}
const deployers = () => those((access, person) => access.mayDeploy(live, person))

test('everyone may deploy where nothing is protected', async () => {
  expect(await deployers()).toHaveLength(7)
  expect(await those((access) => access.isProtected(live) || access.approvalRules(live).length > 0)).toEqual([])
  expect(await those((access, person) => access.isApprover({} as never, person))).toEqual([])
})

describe('an entry of a project', () => {
  const of = () => `projects/${project.id}`

  test('for a level is for those who have it in the project, and for administrators', async () => {
    await protect(of(), 'live', { deploy_access_levels: [{ access_level: 40 }] })
    expect(await deployers()).toEqual(['owner', 'maintainer', 'above', 'boss'])
    expect(await those((access) => access.isProtected(live))).toHaveLength(7)
    expect(await those((access) => access.isProtected({ name: 'other', tier: 'production' }))).toEqual([])
  })

  test('for administrators is for no one else', async () => {
    await protect(of(), 'live', { deploy_access_levels: [{ access_level: 60 }] })
    expect(await deployers()).toEqual(['boss'])
  })

  test('for a user is for that one', async () => {
    await protect(of(), 'live', { deploy_access_levels: [{ user_id: people.direct.id }] })
    expect(await deployers()).toEqual(['direct'])
  })

  test('for a group is for its own members, or also for those of the groups above', async () => {
    await protect(of(), 'live', { deploy_access_levels: [{ group_id: guests.id }] })
    expect(await deployers()).toEqual(['owner', 'direct'])
    await people.owner.delete(`/${of()}/protected_environments/live`)
    await protect(of(), 'live', { deploy_access_levels: [{ group_id: guests.id, group_inheritance_type: 1 }] })
    expect(await deployers()).toEqual(['owner', 'direct', 'inherited'])
  })

  test('stands beside others, of which one is enough', async () => {
    const levels = [{ access_level: 60 }, { user_id: people.maintainer.id }]
    await protect(of(), 'live', { deploy_access_levels: levels })
    expect(await deployers()).toEqual(['maintainer', 'boss'])
  })

  test('of a group ends with its members', async () => {
    await protect(of(), 'live', { deploy_access_levels: [{ group_id: guests.id }] })
    await people.owner.delete(`/groups/${guests.id}/members/${people.direct.id}`)
    expect(await deployers()).toEqual(['owner'])
  })
})

describe('a group above', () => {
  test('protects environments by their tier, for those who have the level in the group', async () => {
    await protect(`groups/${top.id}`, 'production', { deploy_access_levels: [{ access_level: 40 }] })
    expect(await deployers()).toEqual(['owner', 'above', 'boss'])
    expect(await those((access) => access.isProtected({ name: 'production', tier: 'staging' }))).toEqual([])
  })

  test('names groups below it, and whom these have as members', async () => {
    const below = await server.make.group('named', people.owner, { parent: top })
    await server.make.member({ namespace: below }, people.stranger, 10)
    await protect(`groups/${top.id}`, 'production', { deploy_access_levels: [{ group_id: below.id }] })
    expect(await deployers()).toEqual(['owner', 'stranger'])
  })

  test('is asked as well as the project', async () => {
    await protect(`groups/${top.id}`, 'production', { deploy_access_levels: [{ access_level: 40 }] })
    await protect(`projects/${project.id}`, 'live', { deploy_access_levels: [{ user_id: people.above.id }] })
    expect(await deployers()).toEqual(['above'])
  })

  test('adds its rules to those of the project', async () => {
    const anyone = [{ access_level: 30 }]
    await protect(`groups/${top.id}`, 'production', {
      ...{ deploy_access_levels: anyone, approval_rules: [{ access_level: 40 }] },
    })
    await protect(`projects/${project.id}`, 'live', {
      ...{ deploy_access_levels: anyone, approval_rules: [{ group_id: guests.id }] },
    })
    const approvers = (index: number) =>
      those((access, person) => {
        const rule = access.approvalRules(live)[index]
        return rule !== undefined && access.isApprover(rule, person)
      })
    expect([await approvers(0), await approvers(1), await approvers(2)]).toEqual([
      ['owner', 'direct'],
      ['owner', 'above', 'boss'],
      [],
    ])
  })

  test('has its rules behind those of another that protected the tier before', async () => {
    const id = project.namespace_id
    for (const [group, access_level] of [
      [id, 30],
      [top.id, 40],
    ]) {
      const entries = [{ access_level }]
      await protect(`groups/${group}`, 'production', { deploy_access_levels: entries, approval_rules: entries })
    }
    const { platform } = server.app
    const access = await deployAccess(platform, platform.database.read, project, [live], [])
    expect(access.approvalRules(live).map(({ access_level }) => access_level)).toEqual([30, 40])
  })
})
