import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  git,
  makeHistory,
  type Person,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { type HandsOn, startWithAliceAndBob } from '../testing.ts'

let server: TestServer
let hands: HandsOn
let alice: Person
let bob: Person

beforeAll(async () => {
  ;({ server, hands, alice, bob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())

const basicMembers = [
  'id',
  'description',
  'name',
  'name_with_namespace',
  'path',
  'path_with_namespace',
  'created_at',
  'default_branch',
  'tag_list',
  'topics',
  'ssh_url_to_repo',
  'http_url_to_repo',
  'web_url',
  'readme_url',
  'forks_count',
  'avatar_url',
  'star_count',
  'last_activity_at',
  'visibility',
  'namespace',
]

describe('reading a project', () => {
  test('finds it by id and by path in any case', async () => {
    const project = await server.make.project('Seen', alice)
    for (const id of [project.id, 'alice%2FSeen', 'ALICE%2fseen', encodeURIComponent('alice/seen')]) {
      expect((await alice.get(`/projects/${id}`)).body).toMatchObject({ id: project.id, path: 'Seen' })
    }
    for (const id of [
      'alice%252FSeen',
      'Seen',
      '0',
      '999999',
      '99999999999999999999',
      '-1',
      'alice%2Fnone',
      '%2F',
      'a%2F%E2%98%83',
    ]) {
      const { status, body } = await alice.get(`/projects/${id}`)
      expect([id, status, body]).toEqual([id, 404, { message: '404 Project Not Found' }])
    }
    expect((await alice.get('/projects/alice/seen')).body.error).toBe('404 Not Found')
    expect((await alice.get('/projects/%ff')).status).toBe(400)
  })

  test('answers HEAD with the same headers and no body', async () => {
    const project = await server.make.project('headed', alice)
    const head = await alice.head(`/projects/${project.id}`)
    expect([head.status, head.body, head.headers.get('content-type')]).toEqual([200, '', 'application/json'])
  })

  test('returns the basic level of public projects without credentials', async () => {
    const open = await server.make.project('open', alice, { visibility: 'public' })
    const { body } = await server.anonymous.get(`/projects/${open.id}?statistics=true`)
    expect(Object.keys(body)).toEqual(basicMembers)
    for (const visibility of ['internal', 'private'] as const) {
      const { id } = await server.make.project(`not-${visibility}`, alice, { visibility })
      expect((await server.anonymous.get(`/projects/${id}`)).body).toEqual({ message: '404 Project Not Found' })
    }
  })

  test('hides members that refer to the code from guests of a private project', async () => {
    const project = await server.make.project('guested', alice)
    await server.make.member({ project }, bob, 10)
    const { body } = await bob.get(`/projects/${project.id}`)
    for (const member of [
      'default_branch',
      'readme_url',
      'forks_count',
      'ci_config_path',
      'build_timeout',
      'import_error',
    ]) {
      expect(body).not.toHaveProperty(member)
    }
    expect(body).toMatchObject({
      can_create_merge_request_in: false,
      permissions: { project_access: { access_level: 10, notification_level: 3 }, group_access: null },
    })
    expect((await bob.get(`/projects/${project.id}?statistics=true`)).body).not.toHaveProperty('statistics')
    expect((await alice.get(`/projects/${project.id}?statistics=true`)).body.statistics).toMatchObject({
      storage_size: 0,
    })
  })

  test('shows which features are available to the caller', async () => {
    const { id } = await server.make.project('featured', alice, { visibility: 'public' })
    await alice.put(`/projects/${id}`, {
      wiki_access_level: 'private',
      snippets_access_level: 'disabled',
      repository_access_level: 'private',
    })
    expect((await alice.get(`/projects/${id}`)).body).toMatchObject({ wiki_enabled: true, snippets_enabled: false })
    expect((await bob.get(`/projects/${id}`)).body).toMatchObject({ wiki_enabled: false, wiki_access_level: 'private' })
    expect((await bob.get(`/projects/${id}`)).body).not.toHaveProperty('default_branch')
    expect((await server.root.get(`/projects/${id}`)).body).toMatchObject({
      wiki_enabled: true,
      snippets_enabled: false,
    })
  })

  test('returns everything to administrators, with their own role', async () => {
    const { id } = await server.make.project('administered', alice)
    const { body } = await server.root.get(`/projects/${id}`)
    expect(body).toMatchObject({
      repository_storage: 'default',
      build_timeout: 3600,
      permissions: { project_access: null, group_access: null },
    })
  })

  test('returns an empty list of custom attributes to administrators on request', async () => {
    const { id } = await server.make.project('attributed', alice)
    const asked = async (who: Client, query: string) => {
      const [one, [listed]] = [
        (await who.get(`/projects/${id}?${query}`)).body,
        (await who.get(`/projects?id_after=${id - 1}&id_before=${id + 1}&simple=true&${query}`)).body,
      ]
      expect(one.id).toBe(id)
      return [one.custom_attributes, listed.custom_attributes]
    }
    expect(await asked(server.root, 'with_custom_attributes=true')).toEqual([[], []])
    expect(await asked(server.root, '')).toEqual([undefined, undefined])
    expect(await asked(alice, 'with_custom_attributes=true')).toEqual([undefined, undefined])
  })

  test('shows the role inherited from a group above', async () => {
    const group = await server.make.group('above', alice)
    const { id } = await server.make.project('below', alice, { namespace: group })
    const { permissions } = (await alice.get(`/projects/${id}`)).body
    expect(permissions).toEqual({ project_access: null, group_access: { access_level: 50, notification_level: 3 } })
  })

  test('shows the source of a fork to callers who may see it', async () => {
    const source = await server.make.project('the-source', alice)
    const fork = await server.make.project('the-fork', alice, { visibility: 'public' })
    await hands.change(fork.id, { forked_from_id: source.id })
    const shown = (await alice.get(`/projects/${fork.id}`)).body
    expect(shown).toMatchObject({
      mr_default_target_self: false,
      forked_from_project: { id: source.id, forks_count: 1 },
    })
    expect(Object.keys(shown.forked_from_project)).toEqual(basicMembers)
    expect((await bob.get(`/projects/${fork.id}`)).body).not.toHaveProperty('forked_from_project')
    expect((await alice.get(`/projects/${source.id}`)).body).not.toHaveProperty('mr_default_target_self')
    await hands.change(source.id, { pending_delete: true })
    expect((await alice.get(`/projects/${fork.id}`)).body).not.toHaveProperty('forked_from_project')
    expect((await alice.get(`/projects/${source.id}`)).status).toBe(404)
  })

  test('builds git addresses from the settings', async () => {
    const { id } = await server.make.project('cloned', alice)
    await server.root.put('/application/settings', { custom_http_clone_url_root: 'https://git.example.com/' })
    const { body } = await alice.get(`/projects/${id}`)
    await server.root.put('/application/settings', { custom_http_clone_url_root: null })
    expect(body.http_url_to_repo).toBe('https://git.example.com/alice/cloned.git')
    expect(body.ssh_url_to_repo).toBe('git@127.0.0.1:alice/cloned.git')
  })

  test('requires a scope for reading', async () => {
    const { id } = await server.make.project('scoped', alice)
    const status = async (scope: string) =>
      (await server.as(await server.make.token(alice, [scope])).get(`/projects/${id}`)).status
    expect([await status('read_api'), await status('read_user'), await status('read_repository')]).toEqual([
      200, 403, 403,
    ])
  })
})

describe('users and groups with access', () => {
  test('lists users with access, direct, inherited and by invitation', async () => {
    const carol = await server.user('carol')
    const parent = await server.make.group('people', alice)
    const project = await server.make.project('peopled', alice, { namespace: parent })
    await server.make.member({ project }, bob, 10)
    const friends = await server.make.group('invited', carol)
    await alice.post(`/projects/${project.id}/share`, { group_id: friends.id, group_access: 20 })
    await server.root.post(`/projects/${project.id}/share`, { group_id: friends.id, group_access: 20 })
    const names = async (query = '') =>
      (await alice.get(`/projects/${project.id}/users${query}`)).body.map(
        ({ username }: { username: string }) => username,
      )
    expect(await names()).toEqual(['alice', 'bob', 'carol'])
    expect(await names('?search=CAR')).toEqual(['carol'])
    expect(await names(`?skip_users[]=${alice.id}&skip_users[]=9223372036854775807`)).toEqual(['bob', 'carol'])
    expect(await names('?per_page=1&page=2')).toEqual(['bob'])
    expect(await names('?search=%25')).toEqual([])
    const groups = async (query = '') =>
      (await alice.get(`/projects/${project.id}/groups${query}`)).body.map(({ name }: { name: string }) => name)
    expect(await groups()).toEqual(['people'])
    expect(await groups('?with_shared=true')).toEqual(['people', 'invited'])
    expect(await groups('?with_shared=true&shared_visible_only=true')).toEqual(['people'])
    expect(await groups('?with_shared=true&shared_min_access_level=30')).toEqual(['people'])
    expect(await groups(`?skip_groups=${parent.id}`)).toEqual([])
    expect(await groups('?search=inv&with_shared=true')).toEqual(['invited'])
    const [group] = (await alice.get(`/projects/${project.id}/groups`)).body
    expect(group).toEqual({
      id: parent.id,
      web_url: `${server.url}/groups/people`,
      name: 'people',
      avatar_url: null,
      full_name: 'people',
      full_path: 'people',
    })
    for (const list of ['users', 'groups']) {
      const path = `/projects/${project.id}/${list}`
      expect((await server.anonymous.get(path)).status).toBe(404)
      expect((await alice.get(`${path}?skip_${list}=x`)).status).toBe(400)
    }
  })

  test('lists those of a public project for anonymous users', async () => {
    const { id } = await server.make.project('public-people', alice, { visibility: 'public' })
    expect((await server.anonymous.get(`/projects/${id}/users`)).body).toMatchObject([{ username: 'alice' }])
    expect((await server.anonymous.get(`/projects/${id}/groups`)).body).toEqual([])
  })
})

describe('a push to a free path', () => {
  const pushTo = async (path: string, person: Person) => {
    await using folder = await temporaryDirectory()
    await makeHistory(folder.path, ['one'])
    const address = `${server.url.replace('http://', `http://${person.username}:${person.token}@`)}/${path}.git`
    return await git(folder.path, 'push', address, 'main')
  }

  test('creates a private project in the personal namespace, or in a group where the pusher may create projects', async () => {
    const group = await server.make.group('pushers', alice)
    // A developer could make the project, and not the first branch in it, which is protected.
    await server.make.member({ namespace: group }, bob, 40)
    for (const path of ['bob/pushed', 'pushers/pushed']) {
      expect(await pushTo(path, bob)).toMatchObject({ code: 0 })
      const { body } = await bob.get(`/projects/${encodeURIComponent(path)}`)
      expect(body).toMatchObject({
        path_with_namespace: path,
        name: 'pushed',
        visibility: 'private',
        default_branch: 'main',
      })
    }
  })

  test('is refused in the namespace of another user and below an invalid path', async () => {
    expect((await pushTo('alice/by-bob', bob)).code).not.toBe(0)
    expect((await alice.get('/projects/alice%2Fby-bob')).status).toBe(404)
    expect((await pushTo('bob/tree', bob)).code).not.toBe(0)
    expect((await bob.get('/projects/bob%2Ftree')).status).toBe(404)
    expect((await pushTo('nowhere/at-all', bob)).code).not.toBe(0)
  })
})
