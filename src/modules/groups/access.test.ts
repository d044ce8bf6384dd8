/** Who sees a group and what they may do there, by role, visibility and state. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, anonymous, type UserActor } from '../../api/index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { type GroupAbility, noPermissions } from '../access/index.ts'
import { namespaceById, namespaceByPath } from '../namespaces/index.ts'
import * as access from './access.ts'

const user = (more: object = {}) =>
  ({
    kind: 'user',
    userId: 1,
    administrator: false,
    external: false,
    bot: false,
    hasMemberRoles: true,
    ...more,
  }) as UserActor
const [member, external, admin] = [user(), user({ external: true }), user({ administrator: true })]

/** A private group at the top level in which the caller is nothing. */
const groupWith = (more: object = {}) =>
  ({
    ...{ kind: 'group', visibility: 'private', level: 0, permissions: noPermissions, parent_id: null, settings: {} },
    ...{ archived: false, marked_for_deletion_on: null, pending_delete: false },
    ...more,
  }) as unknown as access.Group

test.each<[who: string, Actor, object, boolean]>([
  ['a member', member, { level: 5 }, true],
  ['a member of a project below', member, { hasProject: true }, true],
  ['anybody else', member, { hasProject: false }, false],
  ['an administrator', admin, {}, true],
  ['a user, of an internal one', member, { visibility: 'internal' }, true],
  ['an external user, of an internal one', external, { visibility: 'internal' }, false],
  ['nobody, of an internal one', anonymous, { visibility: 'internal' }, false],
  ['nobody, of a public one', anonymous, { visibility: 'public' }, true],
])('%s sees a group', (_, actor, more, expected) => {
  expect(access.canSeeGroup(actor, groupWith(more))).toBe(expected)
})

const wiki = (wiki_access_level: string, more: object = {}) => ({ settings: { wiki_access_level }, ...more })
const open = { visibility: 'public' }

test.each<[ability: GroupAbility, who: string, Actor, object, boolean]>([
  ['read_group', 'a guest', member, { level: 10 }, true],
  ['read_group', 'a member of a project below', member, { hasProject: true }, true],
  ['read_group', 'anybody else', member, {}, false],
  ['read_group', 'a guest, without a wiki', member, { level: 10, ...wiki('disabled') }, true],
  ['read_members', 'a member of a project below', member, { hasProject: true }, false],
  ['read_members', 'a user, of a public group', member, open, true],
  ['read_members', 'nobody, of a public group', anonymous, open, false],
  ['read_group', 'nobody, of a public group', anonymous, open, true],
  ['admin_labels', 'a planner', member, { level: 15 }, true],
  ['admin_labels', 'a guest', member, { level: 10 }, false],
  ['admin_labels', 'a planner of an archived group', member, { level: 15, archived: true }, false],
  ['admin_labels', 'an administrator, of an archived group', admin, { archived: true }, false],
  ['admin_labels', 'an owner of one to be deleted', member, { level: 50, marked_for_deletion_on: '2026-01-01' }, false],
  ['read_labels', 'a guest of an archived group', member, { level: 10, archived: true }, true],
  [
    'read_variables',
    'a guest with a permission',
    member,
    { level: 10, permissions: new Set(['admin_cicd_variables']) },
    true,
  ],
  ['read_variables', 'a guest without one', member, { level: 10 }, false],
  [
    'read_variables',
    'a guest with a permission, where roles have none',
    user({ hasMemberRoles: false }),
    { level: 10, permissions: new Set(['admin_cicd_variables']) },
    false,
  ],
  [
    'delete_group',
    'a guest with a permission for subgroups',
    member,
    { level: 10, permissions: new Set(['remove_group']) },
    false,
  ],
  [
    'delete_group',
    'a guest with a permission, of a subgroup',
    member,
    { level: 10, parent_id: 1, permissions: new Set(['remove_group']) },
    true,
  ],
  ['read_wiki', 'a guest', member, { level: 10, ...wiki('enabled') }, true],
  ['read_wiki', 'nobody, of a public group', anonymous, { ...open, ...wiki('enabled') }, true],
  ['read_wiki', 'a guest, for members', member, { level: 10, ...wiki('private') }, true],
  ['read_wiki', 'a minimal member, for members', member, { level: 5, ...open, ...wiki('private') }, false],
  ['read_wiki', 'a user, for members', member, { ...open, ...wiki('private') }, false],
  ['read_wiki', 'an administrator, for members', admin, wiki('private'), true],
  ['read_wiki', 'an owner, of none', member, { level: 50, ...wiki('disabled') }, false],
  ['read_wiki', 'an administrator, of none', admin, wiki('disabled'), false],
  ['write_wiki', 'a developer', member, { level: 30, ...wiki('enabled') }, true],
  ['write_wiki', 'a developer, of none', member, { level: 30, ...wiki('disabled') }, false],
])('%s: %s', (ability, _, actor, more, expected) => {
  const group = groupWith(more)
  expect(access.mayInGroup(actor, group, ability)).toBe(expected)
  const authorize = () => access.group.authorize(actor, group, ability)
  if (expected) expect(authorize).not.toThrow()
  else expect(authorize).toThrow(expect.objectContaining({ status: 403 }))
})

test('what is hidden from anonymous callers is refused to them by 401', () => {
  const status = (actor: Actor) => {
    try {
      access.group.authorize(actor, groupWith(open), 'read_container_images')
      return 200
    } catch (error) {
      return (error as { status: number }).status
    }
  }
  expect([status(anonymous), status(member), status(admin)]).toEqual([401, 403, 200])
  const opens = (ability: GroupAbility) => access.group.opensToAnonymous(ability)
  expect([opens('read_group'), opens('read_container_images'), opens('read_members')]).toEqual([true, true, false])
})

test.each<[least: string, level: number, more: object, boolean]>([
  ['maintainer', 40, {}, true],
  ['maintainer', 30, {}, false],
  ['maintainer', 40, { archived: true }, false],
  ['owner', 40, {}, false],
  ['owner', 50, {}, true],
])('where %s is needed, those of level %i create subgroups', (subgroup_creation_level, level, more, expected) => {
  const group = groupWith({ level, settings: { subgroup_creation_level }, ...more })
  expect(access.mayCreateSubgroup(member, group)).toBe(expected)
})

describe('in the database', () => {
  let server: TestServer
  let owner: Person
  let guest: Person
  let outsider: Person
  let group: { id: number }
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.user('owner')
    guest = await server.user('guest')
    outsider = await server.user('outsider')
    const made = await server.make.group('top', owner)
    group = made
    const project = await server.make.project('below', owner, { namespace: made })
    await server.make.member({ project }, guest, 10)
  })
  afterAll(() => server.stop())

  const actorOf = ({ id }: { id: number }, more: object = {}) =>
    user({ userId: id, credential: { kind: 'personal', id: 1, scopes: new Set(['api']) }, ...more })
  const set = (table: 'namespaces' | 'users', id: number, values: object) =>
    server.app.platform.database.write((tx) => tx.updateTable(table).set(values).where('id', '=', id).execute())

  test('groups are found by those who see them, by id and by path, until they are deleted', async () => {
    const { platform } = server.app
    const seen = async (actor: Actor) => {
      const found = [
        await access.groupOfKey(platform, String(group.id), actor).catch(({ status }) => status),
        await access.groupOfKey(platform, 'TOP', actor).catch(({ status }) => status),
        await access.groupOfPath(platform, 'top', actor).catch(({ status }) => status),
        await access.visibleGroup(platform.database.read, group.id, actor, '2026-03-01').catch(({ status }) => status),
        (await access.seenGroup(platform, group.id, actor)) === 'private' ? group : 404,
      ]
      return found.map((one) => one.id ?? one)
    }
    const all = Array(5).fill(group.id)
    const none = Array(5).fill(404)
    expect(await seen(actorOf(owner))).toEqual(all)
    expect(await seen(actorOf(guest))).toEqual(all)
    expect(await seen(actorOf(outsider))).toEqual(none)
    expect(await seen(actorOf(outsider, { administrator: true }))).toEqual(all)
    expect(await seen(anonymous)).toEqual(none)
    await set('namespaces', group.id, { pending_delete: true })
    expect(await seen(actorOf(owner))).toEqual(none)
    const { database } = platform
    await expect(database.write((tx) => access.heldGroup(tx, group.id))).rejects.toMatchObject({ status: 404 })
    await set('namespaces', group.id, { pending_delete: false })
    expect((await database.write((tx) => access.heldForChange(tx, group.id))).id).toBe(group.id)
    await set('namespaces', group.id, { archived: true })
    await expect(database.write((tx) => access.heldForChange(tx, group.id))).rejects.toMatchObject({ status: 403 })
    await set('namespaces', group.id, { archived: false })
    await expect(database.write((tx) => access.heldGroup(tx, 4_000_000))).rejects.toMatchObject({ status: 404 })
    const { id } = (await namespaceByPath(database.read, 'owner')) ?? { id: 0 }
    expect(await access.seenGroup(platform, id, actorOf(owner, { administrator: true }))).toBeNull()
    const personal = await access.groupOfPath(platform, 'owner', actorOf(owner)).catch(({ status }) => status)
    expect(personal).toBe(404)
  })

  test('a project below shows a group only to those who do not see it otherwise', async () => {
    const { read } = server.app.platform.database
    const shows = async (actor: Actor, more: object = {}) => {
      const row = await namespaceById(read, group.id)
      if (!row) throw new Error('there is no group')
      return (await access.withLevel(read, { ...row, ...more }, actor, '2026-03-01')).hasProject
    }
    expect([await shows(actorOf(guest)), await shows(actorOf(outsider))]).toEqual([true, false])
    expect(await shows(actorOf(owner))).toBeUndefined()
    expect(await shows(actorOf(guest, { administrator: true }))).toBeUndefined()
    expect(await shows(actorOf(guest), { visibility: 'internal' })).toBeUndefined()
    expect(await shows(actorOf(guest), { kind: 'user' })).toBeUndefined()
    expect(await shows(anonymous)).toBeUndefined()
  })

  test('groups at the top level are created by accounts that may, and by administrators', async () => {
    const { read } = server.app.platform.database
    const may = (actor: Actor) => access.mayCreateTopLevel(read, actor)
    expect(await may(anonymous)).toBe(false)
    expect(await may(actorOf(owner))).toBe(true)
    expect(await may(actorOf(owner, { bot: true }))).toBe(false)
    expect(await may(actorOf({ id: 4_000_000 }))).toBe(false)
    await set('users', owner.id, { can_create_group: false })
    expect(await may(actorOf(owner))).toBe(false)
    expect(await may(actorOf(owner, { administrator: true }))).toBe(true)
  })
})
