import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UserActor } from '../../../api/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { RegistryCaller } from './callers.ts'
import { grantsOf } from './grants.ts'
import type { RepositoryAction } from './scopes.ts'
import { askForToken, claimsOf, grantedBy, type Login, loginOf } from './testing.ts'

/**
 * The table of contract 02 R2, written out: what each caller is granted of `pull,push,delete,*` in each state of a project.
 * r: pull, w: pull and push, a: everything.
 */
const states = 'public internal private | members-public members-internal members-private | off archived deleted'
const table = `
  anonymous       r - -  - - -  - r r
  external        r - -  - - -  - r r
  foreign-bot     r - -  - - -  - r r
  user            r r -  - - -  - r r
  minimal         r r -  - - -  - r r
  guest           r r -  - - -  - r r
  planner         r r -  - - -  - r r
  reporter        r r r  r r r  - r r
  developer       w w w  w w w  - r r
  maintainer      a a a  a a a  - r r
  owner           a a a  a a a  - r r
  administrator   a a a  a a a  - r r
`
const actions: Record<string, string> = { r: 'pull', w: 'pull,push', a: 'pull,push,delete,*', '-': '' }
const names = states.split(' ').filter((name) => name !== '|')
const rows = table
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))

const levels = { minimal: 5, guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 }

let server: TestServer
let group: NamespaceRow
const logins: Record<string, Login> = { anonymous: null }
const people: Record<string, Person> = {}

async function makeProject(name: string): Promise<void> {
  const { database } = server.app.platform
  const visibility = name.includes('internal') ? 'internal' : name.includes('private') ? 'private' : 'public'
  const project = await server.make.project(name, people.founder as Person, { namespace: group, visibility })
  for (const [role, level] of Object.entries(levels))
    await server.make.member({ project }, people[role] as Person, level)
  const level = name.startsWith('members') ? 'private' : name === 'off' ? 'disabled' : null
  await database.write(async (tx) => {
    const change = tx.updateTable('projects').where('id', '=', project.id)
    if (level) await change.set({ settings: JSON.stringify({ container_registry_access_level: level }) }).execute()
    if (name === 'archived') await change.set({ archived: true }).execute()
    if (name === 'deleted') await change.set({ marked_for_deletion_on: '2026-01-01' }).execute()
  })
}

beforeAll(async () => {
  server = await startTestServer()
  for (const name of ['founder', 'external', 'foreign-bot', 'user', ...Object.keys(levels)]) {
    const person = await server.user(name)
    people[name] = person
    logins[name] = loginOf(person)
  }
  logins.administrator = { user: 'root', password: server.rootToken }
  await server.app.platform.database.write(async (tx) => {
    await tx.updateTable('users').set({ external: true }).where('username', '=', 'external').execute()
    await tx.updateTable('users').set({ bot_kind: 'project_bot' }).where('username', '=', 'foreign-bot').execute()
  })
  group = await server.make.group('g', people.founder as Person, { visibility: 'public' })
  for (const name of names) await makeProject(name)
})
afterAll(() => server.stop())

const scopeOf = (name: string, wanted = 'pull,push,delete,*') => `repository:g/${name}/web:${wanted}`
const ask = (login: Login | undefined, ...scopes: string[]) => askForToken(server, login ?? null, ...scopes)
const denied = { status: 403, body: { errors: [{ code: 'DENIED', message: 'access forbidden' }] } }

describe.each(rows)('%s', (caller, ...cells) => {
  const expected = cells.map((cell, index) => [names[index] ?? '', actions[cell] ?? ''] as const)

  test('is granted what the table says, for each project', async () => {
    for (const [name, granted] of expected) {
      const answer = await ask(logins[caller as string], scopeOf(name))
      if (caller === 'anonymous' && granted === '') expect([name, answer]).toMatchObject([name, denied])
      else expect([name, grantedBy(answer)]).toEqual([name, granted === '' ? [] : [`g/${name}/web:${granted}`]])
    }
  })

  test('is granted the same when all are asked for at once', async () => {
    const answer = await ask(logins[caller as string], ...names.map((name) => scopeOf(name)))
    const granted = expected.filter(([, cell]) => cell !== '')
    expect(grantedBy(answer)).toEqual(granted.map(([name, cell]) => `g/${name}/web:${cell}`))
    const unreadable = expected.filter(([, cell]) => cell === '').map(([name]) => `g/${name}/web`)
    expect(claimsOf(answer).asked ?? []).toEqual(unreadable)
  })
})

describe('what a token grants', () => {
  test('is in the order asked, without duplicates, with what its project is', async () => {
    const answer = await ask(
      logins.maintainer,
      'repository:g/public/web:delete,pull,delete,fly,pull repository:g/private:push',
      'repository:g/public/web:push,pull',
    )
    const { access } = claimsOf(answer)
    const ids = await Promise.all(
      ['public', 'private'].map(async (name) => (await server.root.get(`/projects/g%2F${name}`)).body.id),
    )
    expect(access).toEqual([
      {
        type: 'repository',
        name: 'g/public/web',
        actions: ['delete', 'pull', 'push'],
        meta: { project_path: 'g/public', project_id: ids[0], root_namespace_id: group.id },
      },
      {
        type: 'repository',
        name: 'g/private',
        actions: ['push'],
        meta: { project_path: 'g/private', project_id: ids[1], root_namespace_id: group.id },
      },
    ])
    expect(claimsOf(answer)).not.toHaveProperty('asked')
  })

  test('never is a part of everything', async () => {
    expect(grantedBy(await ask(logins.maintainer, scopeOf('private', '*')))).toEqual(['g/private/web:*'])
    expect(grantedBy(await ask(logins.developer, scopeOf('private', '*')))).toEqual([])
    expect(grantedBy(await ask(logins.developer, scopeOf('private', '*,pull')))).toEqual(['g/private/web:pull'])
  })

  test('reaches two levels below a project, and nothing deeper', async () => {
    const paths = ['g/private', 'g/private/web', 'g/private/web/api']
    const answer = await ask(
      logins.reporter,
      ...[...paths, 'g/private/a/b/c', 'g'].map((path) => `repository:${path}:pull`),
    )
    expect(grantedBy(answer)).toEqual(paths.map((path) => `${path}:pull`))
    expect(claimsOf(answer).asked).toEqual(['g/private/a/b/c'])
  })

  test('names the root namespace of a project in a subgroup', async () => {
    const founder = people.founder as Person
    const sub = await server.make.group('sub', founder, { parent: group })
    const deep = await server.make.group('deep', founder, { parent: sub })
    const project = await server.make.project('Deep-Project', founder, { namespace: deep })
    const answer = await ask(loginOf(founder), 'repository:g/sub/deep/deep-project:pull')
    expect(claimsOf(answer).access[0]?.meta).toEqual({
      project_path: 'g/sub/deep/Deep-Project',
      project_id: project.id,
      root_namespace_id: group.id,
    })
  })

  test('follows neither the old path of a renamed project nor a project that is being removed', async () => {
    const founder = people.founder as Person
    const project = await server.make.project('before', founder, { namespace: group, visibility: 'public' })
    expect((await founder.put(`/projects/${project.id}`, { path: 'after' })).status).toBe(200)
    const scopes = ['repository:g/before:pull', 'repository:g/after:pull']
    expect(grantedBy(await ask(loginOf(founder), ...scopes))).toEqual(['g/after:pull'])
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', project.id).execute(),
    )
    expect(grantedBy(await ask(loginOf(founder), ...scopes))).toEqual([])
  })

  test('lists as asked only what the client wanted to pull', async () => {
    const scopes = ['a/unknown:pull', 'g/off:*', 'g/private:push', 'g/public:pull'].map(
      (scope) => `repository:${scope}`,
    )
    expect(claimsOf(await ask(logins.guest, ...scopes)).asked).toEqual(['a/unknown', 'g/off'])
  })

  test('is the catalog for administrators who ask for exactly that', async () => {
    const answer = await ask(logins.administrator, 'registry:catalog:*', 'registry:catalog:pull', 'registry:other:*')
    expect(claimsOf(answer).access).toEqual([{ type: 'registry', name: 'catalog', actions: ['*'] }])
    expect(grantedBy(await ask(logins.owner, 'registry:catalog:*'))).toEqual([])
    expect(await ask(null, 'registry:catalog:*')).toMatchObject(denied)
    const reader = await server.make.token({ id: 1 }, ['read_api'])
    expect(grantedBy(await ask({ user: 'root', password: reader }, 'registry:catalog:*'))).toEqual([])
  })
})

describe('a scope', () => {
  const ignored = [
    '',
    ':',
    '::',
    'repository',
    'repository:g/public/web',
    'repository:g/public/web:',
    'repository::pull',
    'repository:g/public/web:PULL',
    'repository:g/public/web:read,write',
    'repository:registry.example.com:5000/g/public/web:pull',
    'repository(plugin):g/public/web:pull',
    'Repository:g/public/web:pull',
    'registry:g/public/web:pull',
    'repository:../g/public/web:pull',
    'repository:g/../public/web:pull',
    'repository:g/public/./web:pull',
    'repository:g//public:pull',
    'repository:/g/public/web:pull',
    'repository:g/public/web/:pull',
    'repository:g%2fpublic%2fweb:pull',
    'repository:g/public/web\u0000:pull',
    'repository:g/publ\u00efc/web:pull',
    'repository:g/public/\u{1f98a}:pull',
    "repository:g/public/web';--:pull",
    'repository:__proto__/constructor:pull',
    `repository:${'a/'.repeat(19)}a:pull`,
    `repository:g/public/${'a'.repeat(300)}:pull`,
  ]
  test.each(ignored)('that is malformed or unknown is left out: %j', async (scope) => {
    const answer = await ask(logins.maintainer, scope, 'repository:g/public/web:pull')
    expect([answer.status, grantedBy(answer)]).toEqual([200, ['g/public/web:pull']])
  })

  test('may be in upper case', async () => {
    expect(grantedBy(await ask(logins.maintainer, 'repository:G/Public/WEB:pull'))).toEqual(['g/public/web:pull'])
  })

  test('may come hundreds of times', async () => {
    const many = Array.from({ length: 400 }, (_, index) => `repository:g/public/i${index}:pull`)
    const granted = grantedBy(await ask(logins.maintainer, many.join(' ')))
    expect(granted).toEqual(many.map((scope) => scope.replace('repository:', '')))
  })

  test('costs no query of its own', async () => {
    const scopes = names.map((name) => scopeOf(name))
    const more = [...scopes, ...names.map((name) => scopeOf(name).replace('web', 'api')), 'repository:a/b:pull']
    for (const caller of ['developer', 'administrator']) {
      const two = await queriesOf(server, () => ask(logins[caller], ...scopes.slice(0, 2)))
      expect(await queriesOf(server, () => ask(logins[caller], ...more))).toBe(two)
      expect(two).toBeLessThanOrEqual(11)
      expect(await queriesOf(server, () => ask(logins[caller], scopes[0] ?? ''))).toBeLessThanOrEqual(9)
    }
  })
})

describe('a protection rule', () => {
  const protectedPath = (name: string) => `g/public/${name}`
  const refused = {
    status: 403,
    body: { errors: [{ code: 'DENIED', message: 'Pushing to protected repository path forbidden' }] },
  }
  beforeAll(async () => {
    const path = '/projects/g%2Fpublic/registry/protection/repository/rules'
    const add = (rest: string, push: string | undefined, deletion: string | undefined) =>
      people.owner?.post(path, {
        repository_path_pattern: protectedPath(rest),
        minimum_access_level_for_push: push,
        minimum_access_level_for_delete: deletion,
      })
    await add('prod*', 'maintainer', undefined)
    await add('core', 'owner', undefined)
    await add('keep', undefined, 'owner')
    await add('locked', 'admin', 'admin')
  })
  const asking = (caller: string, name: string, wanted: string) =>
    ask(logins[caller], `repository:${protectedPath(name)}:${wanted}`)

  test('refuses the whole request of a push below its level', async () => {
    expect(await asking('developer', 'prod', 'pull,push')).toMatchObject(refused)
    expect(await asking('developer', 'prod/api', 'push')).toMatchObject(refused)
    expect(await asking('maintainer', 'core', 'pull,push')).toMatchObject(refused)
    expect(await asking('maintainer', 'core', '*')).toMatchObject(refused)
    expect(await asking('owner', 'locked', 'push')).toMatchObject(refused)
    const both = await ask(logins.developer, scopeOf('public', 'pull'), `repository:${protectedPath('prod')}:push`)
    expect(both).toMatchObject(refused)
  })

  test('does not matter to those who have its level, only pull, or may not push anyway', async () => {
    expect(grantedBy(await asking('maintainer', 'prod', 'pull,push'))).toEqual(['g/public/prod:pull,push'])
    expect(grantedBy(await asking('owner', 'core', '*'))).toEqual(['g/public/core:*'])
    expect(grantedBy(await asking('administrator', 'locked', 'push,delete,*'))).toEqual([
      'g/public/locked:push,delete,*',
    ])
    expect(grantedBy(await asking('developer', 'prod', 'pull'))).toEqual(['g/public/prod:pull'])
    expect(grantedBy(await asking('reporter', 'prod', 'pull,push'))).toEqual(['g/public/prod:pull'])
    expect(grantedBy(await asking('developer', 'stage', 'pull,push'))).toEqual(['g/public/stage:pull,push'])
  })

  test('removes the right to delete without a word', async () => {
    expect(grantedBy(await asking('maintainer', 'keep', 'pull,push,delete,*'))).toEqual(['g/public/keep:pull,push'])
    expect(grantedBy(await asking('maintainer', 'keep', 'delete'))).toEqual([])
    expect(grantedBy(await asking('owner', 'keep', 'delete,*'))).toEqual(['g/public/keep:delete,*'])
  })

  test('counts a deploy token as a Developer', async () => {
    const values = { name: 'pusher', username: 'pusher', scopes: ['read_registry', 'write_registry'] }
    const { body } = await server.root.post('/projects/g%2Fpublic/deploy_tokens', values)
    const login = { user: 'pusher', password: body.token }
    expect(await ask(login, `repository:${protectedPath('prod')}:pull,push`)).toMatchObject(refused)
    expect(grantedBy(await ask(login, `repository:${protectedPath('keep')}:pull,push,delete,*`))).toEqual([
      'g/public/keep:pull,push',
    ])
  })
})

describe('a job', () => {
  /** What a job of `private`, started by the user, is granted; `admitting` are the projects that admit it. */
  async function granted(user: string, scope: string, admitting: string[] = []): Promise<string[]> {
    const idOf = async (name: string) => (await server.root.get(`/projects/g%2F${name}`)).body.id as number
    const admitted = new Set(await Promise.all(admitting.map(idOf)))
    const { id, username } = people[user] as Person
    const actor: UserActor = {
      ...{
        kind: 'user',
        userId: id,
        username,
        administrator: false,
        external: false,
        bot: false,
        hasMemberRoles: true,
      },
      credential: { kind: 'job', id: 1, scopes: new Set() },
    }
    const job = { id: 1, user: actor, projectId: await idOf('private'), admittedTo: async () => admitted }
    const carries = new Set<RepositoryAction>(['pull', 'push', 'delete'])
    const credential = { kind: 'job', id: 1 } as const
    const caller: RegistryCaller = { authType: 'build', subject: username, credential, actor, carries, job }
    const wanted = { kind: 'repository', name: scope, actions: ['pull', 'push', 'delete', '*'] } as const
    const { access } = await grantsOf(server.app.platform, caller, [wanted, { kind: 'catalog' }])
    return access.flatMap((entry) => entry.actions)
  }

  test('may change the images of its own project, whatever its user may do', async () => {
    expect(await granted('guest', 'g/private/web')).toEqual(['pull', 'push', 'delete'])
  })

  test('reads from another project that admits it, as far as its user may', async () => {
    expect(await granted('guest', 'g/members-private/web', ['members-private'])).toEqual([])
    expect(await granted('reporter', 'g/members-private/web', ['members-private'])).toEqual(['pull'])
    expect(await granted('maintainer', 'g/internal/web', ['internal'])).toEqual(['pull'])
    expect(await granted('maintainer', 'g/internal/web')).toEqual([])
    expect(await granted('user', 'g/private2', ['private'])).toEqual([])
    expect(await granted('owner', 'g/off/web', ['off'])).toEqual([])
  })

  test('reads from a private project in which its user is a guest', async () => {
    const other = await server.make.project('other', people.founder as Person, { namespace: group })
    await server.make.member({ project: other }, people.guest as Person, 10)
    expect(await granted('guest', 'g/other', ['other'])).toEqual(['pull'])
    expect(await granted('user', 'g/other', ['other'])).toEqual([])
  })

  test('reads public images without being admitted', async () => {
    expect(await granted('user', 'g/public/web')).toEqual(['pull'])
    expect(await granted('user', 'g/members-public/web')).toEqual([])
  })

  test('is bound by protection rules as its user is', async () => {
    const path = '/projects/g%2Fprivate/registry/protection/repository/rules'
    const rule = { repository_path_pattern: 'g/private/prod', minimum_access_level_for_push: 'maintainer' }
    expect((await people.owner?.post(path, rule))?.status).toBe(201)
    await expect(granted('developer', 'g/private/prod')).rejects.toMatchObject({ status: 403 })
    expect(await granted('maintainer', 'g/private/prod')).toEqual(['pull', 'push', 'delete'])
  })
})
