/** Who reads and changes packages, by role, token and the level of the project. */
import { describe, expect, test } from 'vitest'
import { type Actor, ApiError } from '../../../api/index.ts'
import { noPermissions } from '../../access/index.ts'
import { servePackagesForTests, server } from '../testing.ts'
import { actorOf, jobProjectOf, type PackageCaller, type PackageUse, requirePackageScope } from './callers.ts'
import {
  hasPackages,
  mayChangePackages,
  mayReadPackages,
  opensProject,
  openToAll,
  type PackageProject,
  protectionLevelOf,
  withGuests,
} from './rights.ts'

servePackagesForTests()

const anonymous = { kind: 'anonymous' } as Actor
const credential = (scopes: string[], more: object = {}) => ({ scopes: new Set(scopes), ...more })
const userWith = (more: object = {}) =>
  ({
    kind: 'user',
    userId: 1,
    administrator: false,
    external: false,
    hasMemberRoles: true,
    credential: credential(['api']),
    ...more,
  }) as never
const user: Actor = userWith()
const administrator: Actor = userWith({ administrator: true })
const callerOf = (scopes: string[], more: object = {}): PackageCaller => ({
  kind: 'user',
  actor: userWith({ credential: credential(scopes, more) }),
})
const tokenWith = (scopes: string[], more: object = {}): PackageCaller => ({
  ...{ kind: 'deploy_token', id: 1, projectId: 1, namespaceId: null, scopes: new Set(scopes), ...more },
})

/** A project in which the caller has a level. */
function projectWith(level: number, access = 'enabled', more: object = {}): PackageProject {
  const row = {
    id: 1,
    visibility: 'private',
    archived: false,
    marked_for_deletion_on: null,
    guestsRead: false,
    is_unfinished: false,
  }
  const role = { level, projectLevel: null, groupLevel: null, permissions: noPermissions }
  return { ...row, settings: { package_registry_access_level: access }, role, ...more } as unknown as PackageProject
}

test.each([
  ['disabled', false],
  ['private', true],
  ['enabled', true],
  ['public', true],
])('a project at the level %s has packages: %s', (access, expected) => {
  expect(hasPackages(projectWith(0, access))).toBe(expected)
})

const guestsRead = { guestsRead: true }
const open = { visibility: 'public' }

test.each<[string, Actor, PackageProject, boolean]>([
  ['reporters', user, projectWith(20), true],
  ['planners', user, projectWith(15), false],
  ['planners where guests do', user, projectWith(15, 'enabled', guestsRead), true],
  ['guests where packages are for members', user, projectWith(10, 'private', guestsRead), false],
  ['guests where there are none', user, projectWith(10, 'disabled', guestsRead), false],
  ['owners where there are none', user, projectWith(50, 'disabled'), false],
  ['everyone in a public project', anonymous, projectWith(0, 'enabled', open), true],
  ['everyone in a public project with packages for members', anonymous, projectWith(0, 'private', open), false],
  ['no one else in a private project', anonymous, projectWith(0), false],
])('packages are read by %s', (_, actor, project, expected) => {
  expect(mayReadPackages(actor, project)).toBe(expected)
})

describe('packages are changed', () => {
  test.each<[string, PackageCaller, PackageProject, publishes: boolean, deletes: boolean]>([
    ['by maintainers', callerOf(['api']), projectWith(40), true, true],
    ['by developers, who delete none', callerOf(['api']), projectWith(30), true, false],
    ['not by reporters', callerOf(['api']), projectWith(20), false, false],
    ['not by everyone', { kind: 'anonymous' }, projectWith(0, 'public', open), false, false],
    ['by a deploy token', tokenWith([]), projectWith(0), true, true],
    ['not where the project has none', tokenWith([]), projectWith(0, 'disabled'), false, false],
    ['not in an archived project', tokenWith([]), projectWith(0, 'enabled', { archived: true }), false, false],
  ])('%s', (_, caller, project, publishes, deletes) => {
    expect(mayChangePackages(caller, project, 'publish_packages', true)).toBe(publishes)
    expect(mayChangePackages(caller, project, 'delete_packages', true)).toBe(deletes)
  })

  test('by no deploy token of another project', () => {
    expect(mayChangePackages(tokenWith([]), projectWith(0), 'publish_packages', false)).toBe(false)
  })
})

test('rules compare the role in the project, and that of administrators', () => {
  expect(protectionLevelOf(user, projectWith(30))).toBe(30)
  expect(protectionLevelOf(anonymous, projectWith(0))).toBe(0)
  expect(protectionLevelOf(administrator, projectWith(30))).toBe(60)
})

describe('a token', () => {
  const allows = (caller: PackageCaller, use: PackageUse) => {
    try {
      requirePackageScope(caller, use)
      return true
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return false
      throw error
    }
  }

  test.each<[string, PackageCaller, reads: boolean, writes: boolean]>([
    ['that is none', { kind: 'anonymous' }, true, true],
    ['with api', callerOf(['api']), true, true],
    ['with read_api', callerOf(['read_user', 'read_api']), true, false],
    ['with another scope', callerOf(['read_package_registry', 'write_package_registry']), false, false],
    ['of deployment that writes', tokenWith(['write_package_registry']), true, true],
    ['of deployment that reads', tokenWith(['read_package_registry']), true, false],
    ['of deployment with another scope', tokenWith(['api', 'read_repository']), false, false],
  ])('%s', (_, caller, reads, writes) => {
    expect([allows(caller, 'read'), allows(caller, 'write')]).toEqual([reads, writes])
  })

  test('is that of a user, and of a job of its project', () => {
    expect(actorOf(callerOf([]))).toMatchObject({ kind: 'user', userId: 1 })
    expect(actorOf(tokenWith([]))).toMatchObject({ kind: 'anonymous' })
    expect(jobProjectOf(callerOf([], { projectId: 7 }))).toBe(7)
    expect(jobProjectOf(callerOf([]))).toBeUndefined()
    expect(jobProjectOf(tokenWith([]))).toBeUndefined()
  })

  test('of deployment opens its project, or those below its group', async () => {
    const { platform } = server.app
    const owner = await server.user('token-owner')
    const top = await server.make.group('token-top', owner)
    const below = await server.make.group('token-below', owner, { parent: top })
    const [own, other] = [
      await server.make.project('own', owner, { namespace: below }),
      await server.make.project('other', owner),
    ]
    const opens = async (more: object) => {
      const token = tokenWith([], more) as Extract<PackageCaller, { kind: 'deploy_token' }>
      return [await opensProject(platform, token, own), await opensProject(platform, token, other)]
    }
    expect(await opens({ projectId: own.id })).toEqual([true, false])
    expect(await opens({ projectId: null, namespaceId: below.id })).toEqual([true, false])
    expect(await opens({ projectId: null, namespaceId: top.id })).toEqual([true, false])
    expect(await opens({ projectId: null, namespaceId: other.namespace_id })).toEqual([false, true])
  })
})

test('guests of private projects read where the flag says so', async () => {
  const { platform } = server.app
  const read = async () => {
    const projects = [0, 5, 10, 15, 20].map((level) => projectWith(level))
    const all = [...projects, projectWith(10, 'enabled', { visibility: 'internal' })]
    return Promise.all(all.map(async (project) => (await withGuests(platform, project)).guestsRead))
  }
  expect(await read()).toEqual(Array(6).fill(false))
  await server.root.post('/features/allow_guest_plus_roles_to_pull_packages', { value: true })
  expect(await read()).toEqual([false, false, true, true, false, false])
  await server.root.delete('/features/allow_guest_plus_roles_to_pull_packages')
})

test('projects are open to all by their level, while the server lets them', async () => {
  const isOpen = async () => {
    const test = await openToAll(server.app.platform)
    return ['disabled', 'private', 'enabled', 'public'].map((access) => test(projectWith(0, access)))
  }
  expect(await isOpen()).toEqual([false, false, false, true])
  const setting = 'package_registry_allow_anyone_to_pull_option'
  await server.root.put('/application/settings', { [setting]: false })
  expect(await isOpen()).toEqual(Array(4).fill(false))
  await server.root.put('/application/settings', { [setting]: true })
})
