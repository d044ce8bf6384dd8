/** What permissions of member roles add, and who has all of it already. */
import { describe, expect, test } from 'vitest'
import { addsInGroup, addsInProject, hasPermission, type Permission } from './permissions.ts'
import type { GroupAbility, ProjectAbility } from './policy.ts'
import { unitedPermissions } from './store/permissions.ts'

const of = (...permissions: Permission[]) => new Set(permissions)

test.each<[Permission[], ProjectAbility, boolean]>([
  [[], 'read_hooks', false],
  [['admin_web_hook'], 'read_hooks', true],
  [['admin_web_hook'], 'read_code', false],
  [['read_code', 'admin_web_hook'], 'read_code', true],
  // It adds something in groups only, and nothing at all.
  [['admin_group_member'], 'admin_members', false],
  [['read_vulnerability'], 'read_code', false],
])('%j add %s in a project: %s', (permissions, ability, expected) => {
  expect(addsInProject(of(...permissions), ability)).toBe(expected)
})

test.each<[Permission[], GroupAbility, boolean, boolean]>([
  [[], 'read_hooks', false, false],
  [['admin_web_hook'], 'read_hooks', true, true],
  [['admin_web_hook'], 'admin_members', false, false],
  [['read_code', 'admin_group_member'], 'admin_members', true, true],
  [['remove_project'], 'delete_group', false, false],
  // Of a group that is not below another one, no member role opens the deletion.
  [['remove_group'], 'delete_group', false, true],
  [['remove_group', 'admin_web_hook'], 'read_hooks', true, true],
])('%j add %s in a top-level group: %s, in a subgroup: %s', (permissions, ability, atTop, below) => {
  expect(addsInGroup(of(...permissions), ability, true)).toBe(atTop)
  expect(addsInGroup(of(...permissions), ability, false)).toBe(below)
})

describe('a permission is had', () => {
  test.each<[string, number, Permission[], Permission, boolean, boolean]>([
    ['by itself', 10, ['admin_web_hook'], 'admin_web_hook', true, true],
    ['not by another', 10, ['read_runners'], 'admin_web_hook', false, false],
    ['by the level, which is higher in groups', 40, [], 'admin_web_hook', true, false],
    ['by the level of groups', 50, [], 'admin_web_hook', true, true],
    ['not below the level', 39, [], 'admin_web_hook', false, false],
    // Maintainers of a group see its runners, and only its owners change them.
    ['by the highest of several abilities', 40, [], 'admin_runners', true, false],
    ['by a level that is enough for all', 40, [], 'admin_integrations', true, true],
    ['at once where it adds nothing', 0, [], 'read_vulnerability', true, true],
    ['in projects alone where it adds nothing in groups', 20, [], 'read_code', true, true],
    ['in groups alone where it adds nothing in projects', 10, [], 'admin_group_member', true, false],
  ])('%s', (_, level, own, permission, inProject, inGroup) => {
    const standing = { level, permissions: of(...own) }
    expect(hasPermission(standing, 'project', permission)).toBe(inProject)
    expect(hasPermission(standing, 'group', permission)).toBe(inGroup)
  })
})

test('sets of permissions are united', () => {
  const [one, two] = [of('read_code'), of('read_runners', 'read_code')]
  expect(unitedPermissions([])).toEqual(of())
  expect(unitedPermissions([undefined])).toEqual(of())
  expect(unitedPermissions([undefined, one])).toBe(one)
  expect(unitedPermissions([one, undefined, two])).toEqual(of('read_code', 'read_runners'))
})
