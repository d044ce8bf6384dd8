/** What principals may do with branches, by the rules that match: as facts, without pushes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, anonymous } from '../../../api/index.ts'
import { manualClock } from '../../../infra/clock/index.ts'
import { addMembers, makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { addDeployKey } from '../../deploy-keys/testing.ts'
import { type ProjectRow, withRole } from '../../projects/index.ts'
import { branchAccess, branchFacts, mayForcePush, mayMerge, mayPush, protectedBranchTest } from './branch-access.ts'
import { anonymousPrincipal, type Principal, ruleChangerOf } from './principal.ts'

let server: TestServer
let people: People
let project: ProjectRow
let free: ProjectRow
const principals: Record<string, Principal> = { nobody: anonymousPrincipal }

const clock = manualClock({ start: '2026-03-01T10:00:00Z' })

async function makeRules(groupId: number, groups: Record<'above' | 'below' | 'invited' | 'apart', number>) {
  const post = async (place: string, rule: object) => {
    const { status, body } = await people.owner.post(`/${place}/protected_branches`, rule)
    expect(status, JSON.stringify(body)).toBe(201)
  }
  const own = (rule: object) => post(`projects/${project.id}`, rule)
  const { developer, reporter } = people
  await own({ name: 'developers', push_access_level: 30, merge_access_level: 30 })
  await own({ name: 'merging', push_access_level: 40, merge_access_level: 30 })
  await own({ name: 'nobody', push_access_level: 0, merge_access_level: 0 })
  await own({ name: 'admins', push_access_level: 60, merge_access_level: 60 })
  await own({ name: 'forced', push_access_level: 30, allow_force_push: true, code_owner_approval_required: true })
  await own({ name: 'forc*', push_access_level: 40 })
  await own({ name: 'named', allowed_to_push: [{ user_id: developer.id }, { user_id: reporter.id }] })
  await own({ name: 'group-above', allowed_to_push: [{ group_id: groups.above }] })
  await own({ name: 'group-merge', push_access_level: 0, allowed_to_merge: [{ group_id: groups.above }] })
  await own({ name: 'mixed', allowed_to_push: [{ access_level: 30 }, { access_level: 40 }] })
  await own({ name: 'm-*', push_access_level: 0, merge_access_level: 30 })
  await own({ name: 'm-a', push_access_level: 0, merge_access_level: 0 })
  await own({ name: 'group-own', allowed_to_push: [{ group_id: groups.invited }] })
  // A group that had access when the rule was made, and is now beside the project.
  const { database } = server.app.platform
  await database.write(async (tx) => {
    const rule = await tx
      .selectFrom('protected_branches')
      .select('id')
      .where('name', '=', 'group-own')
      .executeTakeFirst()
    const entries = tx.updateTable('protected_branch_push_access_levels').set({ group_id: groups.below })
    await entries.where('rule_id', '=', rule?.id ?? 0).execute()
  })
  await own({ name: 'group-invited', allowed_to_push: [{ group_id: groups.invited }] })
  await post(`groups/${groupId}`, { name: 'inherited', push_access_level: 30 })
  await own({ name: 'inherited', push_access_level: 40, allow_force_push: true })
  await post(`groups/${groupId}`, { name: 'group-below', allowed_to_push: [{ group_id: groups.below }] })
}

async function makeGroups() {
  const { owner } = people
  const { make, app } = server
  const above = await make.group('above', owner)
  const below = await make.group('below', owner, { parent: above })
  const invited = await make.group('invited', owner)
  const apart = await make.group('apart', owner)
  project = await make.project('ruled', owner, { namespace: above })
  free = await make.project('free', owner, { namespace: apart })
  await addMembers(server, project, people)
  const members = { reporter: 20, developer: 30 }
  for (const group of [above, below, invited]) {
    for (const [name, level] of Object.entries(members)) {
      const person = await server.user(`${name}-${group.path}`)
      await make.member({ namespace: group }, person, level)
      principals[`${name}-${group.path}`] = { userId: person.id, level: 30, administrator: false }
    }
  }
  const link = { group_id: invited.id, project_id: project.id, namespace_id: null, access_level: 30, expires_at: null }
  await app.platform.database.write((tx) =>
    tx
      .insertInto('group_links')
      .values({ ...link, created_at: clock.now().toISOString() })
      .execute(),
  )
  return { above: above.id, below: below.id, invited: invited.id, apart: apart.id }
}

beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
  const groups = await makeGroups()
  const levels = { owner: 50, maintainer: 40, developer: 30, reporter: 20 } as const
  for (const [name, level] of Object.entries(levels)) {
    const { id } = people[name as keyof typeof levels]
    principals[name] = { userId: id, level, administrator: false }
  }
  principals.administrator = { userId: 1, level: 0, administrator: true }
  const { userId } = principals['developer-above'] ?? anonymousPrincipal
  principals['half-above'] = { userId, level: 20, administrator: false }
  await makeRules(groups.above, groups)
  const key = await addDeployKey(people.owner, project, 'pushing', { can_push: true })
  principals.key = { ...anonymousPrincipal, userId: people.owner.id, deployKeyId: key.id }
  principals.otherKey = { ...principals.key, deployKeyId: key.id + 1 }
  const rule = { name: 'keys', allowed_to_push: [{ deploy_key_id: key.id }] }
  expect((await people.owner.post(`/projects/${project.id}/protected_branches`, rule)).status).toBe(201)
})
afterAll(() => server.stop())

/** `p` for pushes, `m` for merges, `f` for pushes by force. */
async function rights(who: string, branch: string, names?: readonly string[]): Promise<string> {
  const principal = principals[who]
  if (!principal) throw new Error(`nobody is ${who}`)
  const access = await branchAccess(server.app.platform, project, principal, names)
  const { canPush } = access.facts(branch)
  expect(canPush).toBe(access.mayPush(branch))
  return [access.mayPush(branch) && 'p', access.mayMerge(branch) && 'm', access.mayForcePush(branch) && 'f']
    .filter(Boolean)
    .join('')
}

describe('who pushes, merges and pushes by force', () => {
  test.each<[branch: string, rights: Record<string, string>]>([
    [
      'unprotected',
      { nobody: '', reporter: '', developer: 'pmf', maintainer: 'pmf', administrator: 'pmf', key: 'pmf' },
    ],
    ['developers', { nobody: '', reporter: '', developer: 'pm', maintainer: 'pm', administrator: '', key: '' }],
    ['merging', { reporter: '', developer: 'm', maintainer: 'pm', owner: 'pm', administrator: '' }],
    ['nobody', { developer: '', owner: '', administrator: '' }],
    ['admins', { developer: '', owner: '', administrator: 'pm' }],
    ['forced', { reporter: '', developer: 'pmf', maintainer: 'pmf' }],
    ['forces', { developer: '', maintainer: 'pm' }],
    ['named', { reporter: '', developer: 'pm', maintainer: 'm', administrator: '' }],
    ['group-above', { 'developer-above': 'pm', 'reporter-above': '', 'developer-below': '', developer: '' }],
    ['group-above', { 'half-above': '' }],
    ['group-merge', { 'developer-above': 'm', 'reporter-above': '', 'half-above': '' }],
    ['group-own', { 'developer-below': '', 'developer-above': '' }],
    ['mixed', { developer: 'pm', reporter: '' }],
    ['m-a', { developer: 'm', reporter: '' }],
    ['group-invited', { 'developer-invited': 'pm', 'reporter-invited': '', 'developer-above': '' }],
    ['group-below', { 'developer-below': 'pm', 'reporter-below': '', 'developer-invited': '' }],
    ['inherited', { developer: 'pm', maintainer: 'pm' }],
    ['keys', { key: 'pm', otherKey: '', developer: '' }],
  ])('%s', async (branch, expected) => {
    const found: Record<string, string> = {}
    for (const who of Object.keys(expected)) {
      found[who] = await rights(who, branch)
      expect(await rights(who, branch, [branch])).toBe(found[who])
    }
    expect(found).toEqual(expected)
  })
})

test('what the API shows of a branch', async () => {
  const access = await branchAccess(server.app.platform, project, principals.reporter ?? anonymousPrincipal)
  const shown = (branch: string) => {
    const { protected: isProtected, developersCanPush, developersCanMerge } = access.facts(branch)
    expect(access.isProtected(branch)).toBe(isProtected)
    return [isProtected, developersCanPush, developersCanMerge, access.needsCodeOwners(branch)]
  }
  expect(shown('unprotected')).toEqual([false, false, false, false])
  expect(shown('developers')).toEqual([true, true, true, false])
  expect(shown('mixed')).toEqual([true, true, false, false])
  expect(shown('merging')).toEqual([true, false, true, false])
  expect(shown('nobody')).toEqual([true, false, false, false])
  expect(shown('forced')).toEqual([true, true, false, true])
  expect(shown('forces')).toEqual([true, false, false, false])
})

test('a branch is protected by a rule of the project or of its top-level group', async () => {
  const test = await protectedBranchTest(server.app.platform, project)
  expect(['merging', 'group-below', 'forc', 'other'].map(test)).toEqual([true, true, true, false])
  expect((await protectedBranchTest(server.app.platform, free))('group-below')).toBe(false)
})

test('a deploy key pushes until it expires, is disabled or its creator is blocked', async () => {
  const { database } = server.app.platform
  const id = principals.key?.deployKeyId ?? 0
  const set = (table: 'keys' | 'users' | 'deploy_key_projects', column: 'id' | 'key_id', of: number, values: object) =>
    database.write((tx) =>
      tx
        .updateTable(table)
        .set(values)
        .where(column as 'id', '=', of)
        .execute(),
    )
  await set('keys', 'id', id, { expires_at: '2026-03-01T10:00:00.001Z' })
  expect(await rights('key', 'keys')).toBe('pm')
  const spoilt: ['keys' | 'users' | 'deploy_key_projects', 'id' | 'key_id', number, object, object][] = [
    ['keys', 'id', id, { expires_at: '2026-03-01T10:00:00.000Z' }, { expires_at: null }],
    ['deploy_key_projects', 'key_id', id, { can_push: false }, { can_push: true }],
    ['users', 'id', people.owner.id, { state: 'blocked' }, { state: 'active' }],
    ['keys', 'id', id, { owner_id: null }, { owner_id: people.owner.id }],
    ['keys', 'id', id, { owner_id: people.outsider.id }, { owner_id: people.owner.id }],
  ]
  for (const [table, column, of, bad, good] of spoilt) {
    await set(table, column, of, bad)
    expect(await rights('key', 'keys'), JSON.stringify(bad)).toBe('')
    await set(table, column, of, good)
    expect(await rights('key', 'keys')).toBe('pm')
  }
})

test('callers of the API need the right to push as well', async () => {
  const { platform } = server.app
  const actorOf = (id: number): Actor =>
    ({ kind: 'user', userId: id, administrator: false, credential: { kind: 'personal', id: 1 } }) as unknown as Actor
  const asked = async (id: number, branch: string, row = project) => {
    const actor = actorOf(id)
    const found = await withRole(platform.database.read, row, actor, '2026-03-01')
    const { canPush } = (await branchFacts(platform, found, actor, [branch]))(branch)
    return [
      await mayPush(platform, found, actor, branch),
      await mayMerge(platform, found, actor, branch),
      await mayForcePush(platform, found, actor, branch),
      canPush,
    ]
  }
  const { developer, maintainer, reporter } = people
  expect(await asked(developer.id, 'unprotected')).toEqual([true, true, true, true])
  expect(await asked(developer.id, 'merging')).toEqual([false, true, false, false])
  expect(await asked(maintainer.id, 'merging')).toEqual([true, true, false, true])
  expect(await asked(developer.id, 'forced')).toEqual([true, true, true, true])
  expect(await asked(reporter.id, 'unprotected')).toEqual([false, false, false, false])
  const archived = { ...project, archived: true }
  expect(await asked(maintainer.id, 'unprotected', archived)).toEqual([false, false, false, false])
})

test('those who change rules by a permission count as of the least level that may', () => {
  const level = (kind: 'project' | 'group', own: number) => ruleChangerOf(anonymous, kind, { level: own }).level
  expect([level('project', 10), level('project', 50)]).toEqual([40, 50])
  expect([level('group', 10), level('group', 50)]).toEqual([50, 50])
})
