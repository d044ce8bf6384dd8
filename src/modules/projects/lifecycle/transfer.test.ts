import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, queriesOf, type TestServer } from '../../../testing/index.ts'
import { type HandsOn, startWithMaintainer, type WithMaintainer } from '../testing.ts'

let server: TestServer
let hands: HandsOn
let owner: Person
let maintainer: Person
let outsider: Person
let made: WithMaintainer['made']

beforeAll(async () => {
  ;({ server, hands, owner, maintainer, outsider, made } = await startWithMaintainer())
})
afterAll(() => server.stop())

const failed = (reason: string) => ({
  status: 400,
  body: { message: `Failed to transfer project {:new_namespace=>["${reason}"]}` },
})
const alreadyThere = failed('Project is already in this namespace.')
const notAllowed = failed('Transfer failed, please contact an admin.')
const nameTaken = failed('Project with same name or path in target namespace already exists')
const namespaceNotFound = { status: 404, body: { message: '404 Namespace Not Found' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }

const transfer = (client: Client, project: { id: number }, namespace?: unknown) =>
  client.put(`/projects/${project.id}/transfer`, namespace === undefined ? {} : { namespace })

describe('moving a project', () => {
  test('changes its path; the old one redirects in the API and in git', async () => {
    const group = await server.make.group('team', owner, { visibility: 'internal' })
    const project = await made('app', 'public')
    await hands.push(owner, 'owner/app', ['first'])
    const answer = await transfer(owner, project, 'Team')
    expect(answer).toMatchObject({
      status: 200,
      body: {
        id: project.id,
        path_with_namespace: 'team/app',
        visibility: 'internal',
        namespace: { id: group.id, kind: 'group' },
      },
    })
    expect((await owner.get('/projects/team%2Fapp')).body.id).toBe(project.id)
    const old = await owner.get('/projects/owner%2Fapp')
    expect([old.status, old.headers.get('location')]).toEqual([301, `${server.url}/api/v4/projects/${project.id}`])
    expect((await owner.delete('/projects/owner%2Fapp')).status).toBe(405)
    expect(await hands.lsRemote(owner, 'owner/app')).toContain('refs/heads/main')
    expect((await hands.tryPush(owner, 'team/app')).code).toBe(0)
    expect(await transfer(owner, project, group.id)).toMatchObject(alreadyThere)
    expect((await maintainer.get(`/projects/${project.id}`)).body.permissions.project_access.access_level).toBe(40)
    expect(await transfer(owner, project, 'owner')).toMatchObject({
      status: 200,
      body: { path_with_namespace: 'owner/app', visibility: 'internal' },
    })
    expect((await owner.get('/projects/owner%2Fapp')).status).toBe(200)
    expect((await owner.get('/projects/team%2Fapp')).status).toBe(301)
  })

  test('accepts the id of the namespace, also in the query', async () => {
    const group = await server.make.group('by-id', owner)
    const project = await made('by-id')
    const answer = await owner.put(`/projects/${project.id}/transfer?namespace=${group.id}`)
    expect(answer.body.path_with_namespace).toBe('by-id/by-id')
  })

  test('makes the owner of the target personal namespace its owner without expiry', async () => {
    const holder = await server.user('holder')
    const [plain, lower] = [await made('to-holder'), await made('to-holder-too')]
    await server.make.member({ project: lower }, holder, 20)
    for (const project of [plain, lower]) {
      expect((await transfer(server.root, project, 'holder')).status).toBe(200)
      const member = await holder.get(`/projects/${project.id}/members/${holder.id}`)
      expect(member).toMatchObject({ status: 200, body: { access_level: 50, expires_at: null } })
    }
  })

  test('is refused when the name is taken or the namespace accepts no projects', async () => {
    const project = await made('crowded')
    const group = await server.make.group('full', owner)
    await server.make.project('CROWDED', owner, { namespace: group })
    expect(await transfer(owner, project, 'full')).toMatchObject(nameTaken)
    expect(await transfer(owner, project, 'owner')).toMatchObject(alreadyThere)
    expect(await transfer(owner, project, '')).toMatchObject(failed('Please select a new namespace for your project.'))
    for (const nowhere of ['no/where', 'outsider', '987654', '-1', '99999999999999999999', '../full', 'a\\b']) {
      expect(await transfer(owner, project, nowhere)).toMatchObject(namespaceNotFound)
    }
    expect((await transfer(owner, project)).body).toEqual({
      message: '400 (Bad request) "namespace" not given',
      error: 'namespace is missing',
    })
    expect((await transfer(owner, project, ['full'])).body.error).toBe('namespace is invalid')
    expect((await transfer(owner, project, 'a\u0000')).body.error).toBe('namespace is invalid')
  })

  test('requires the right to create projects in the target', async () => {
    const project = await made('guarded')
    const open = await server.make.group('open', outsider, { visibility: 'public' })
    await server.make.group('closed', outsider)
    expect(await transfer(owner, project, 'open')).toMatchObject(notAllowed)
    expect(await transfer(owner, project, 'closed')).toMatchObject(namespaceNotFound)
    await server.make.member({ namespace: open }, owner, 30)
    await outsider.put(`/groups/${open.id}`, { project_creation_level: 'maintainer' })
    expect(await transfer(owner, project, 'open')).toMatchObject(notAllowed)
    await outsider.put(`/groups/${open.id}`, { project_creation_level: 'developer' })
    expect((await transfer(owner, project, 'open')).status).toBe(200)
    // Whose project it was stays its owner, as a member.
    expect((await transfer(owner, project, 'owner')).status).toBe(200)
  })

  test('requires an owner, and a project that accepts writes', async () => {
    const project = await made('owned')
    await server.make.group('elsewhere', owner)
    expect(await transfer(maintainer, project, 'elsewhere')).toMatchObject(forbidden)
    expect((await transfer(outsider, project, 'elsewhere')).status).toBe(404)
    expect((await transfer(server.anonymous, project, 'elsewhere')).status).toBe(401)
    const reader = server.as(await server.make.token(owner, ['read_api']))
    expect((await transfer(reader, project, 'elsewhere')).body.error).toBe('insufficient_scope')
    await owner.post(`/projects/${project.id}/archive`)
    expect(await transfer(owner, project, 'elsewhere')).toMatchObject(forbidden)
  })

  test('and renaming concurrently leave one consistent path', async () => {
    const target = await server.make.group('target', owner)
    for (const round of [1, 2, 3]) {
      const project = await made(`race-${round}`)
      const [moved, renamed] = await Promise.all([
        transfer(owner, project, target.id),
        owner.put(`/projects/${project.id}`, { path: `renamed-${round}` }),
      ])
      expect(moved.status).toBe(200)
      // A rename that was checked against the old namespace may ask to be sent again.
      expect([200, 409]).toContain(renamed.status)
      const path = renamed.status === 200 ? `renamed-${round}` : `race-${round}`
      const { body } = await owner.get(`/projects/${project.id}`)
      expect(body.path_with_namespace).toBe(`target/${path}`)
      expect((await owner.get(`/projects/target%2F${path}`)).status).toBe(200)
      expect((await owner.get(`/projects/owner%2Frace-${round}`)).status).toBe(301)
    }
  })

  test('and renaming the group concurrently leave one consistent path', async () => {
    const group = await server.make.group('before', owner)
    const project = await made('passenger')
    const [moved, renamed] = await Promise.all([
      transfer(owner, project, group.id),
      owner.put(`/groups/${group.id}`, { path: 'after' }),
    ])
    expect([moved.status, renamed.status]).toEqual([200, 200])
    expect((await owner.get('/projects/after%2Fpassenger')).body.path_with_namespace).toBe('after/passenger')
  })

  test('and deleting concurrently leave one consistent path', async () => {
    const target = await server.make.group('receiving', owner)
    for (const round of [1, 2, 3]) {
      const project = await made(`doomed-${round}`)
      const answers = await Promise.all([transfer(owner, project, target.id), owner.delete(`/projects/${project.id}`)])
      expect([200, 403]).toContain(answers[0].status)
      expect(answers[1].status).toBe(202)
      const parent = answers[0].status === 200 ? 'receiving' : 'owner'
      const path = `${parent}/doomed-${round}-deletion_scheduled-${project.id}`
      expect((await owner.get(`/projects/${encodeURIComponent(path)}`)).body).toMatchObject({
        id: project.id,
        path_with_namespace: path,
      })
    }
  })

  test('to two namespaces concurrently ends in one of them', async () => {
    const groups = await Promise.all(['left', 'right'].map((path) => server.make.group(path, owner)))
    const project = await made('torn')
    const answers = await Promise.all(groups.map(({ id }) => transfer(owner, project, id)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { body } = await owner.get(`/projects/${project.id}`)
    expect(['left/torn', 'right/torn']).toContain(body.path_with_namespace)
    expect((await owner.get(`/projects/${encodeURIComponent(body.path_with_namespace)}`)).status).toBe(200)
  })
})

describe('moving a project into a group', () => {
  test('accepts its id or path', async () => {
    const group = await server.make.group('taking', owner)
    const [first, second] = [await made('first'), await made('second')]
    const answer = await server.root.post(`/groups/${group.id}/projects/${first.id}`)
    expect(answer).toMatchObject({ status: 201, body: { id: group.id, full_path: 'taking' } })
    expect((await owner.get(`/projects/${first.id}`)).body.path_with_namespace).toBe('taking/first')
    expect(await server.root.post(`/groups/taking/projects/${first.id}`)).toMatchObject(alreadyThere)
    expect((await server.root.post('/groups/taking/projects/owner%2Fsecond')).status).toBe(201)
    expect((await hands.row(second.id))?.full_path).toBe('taking/second')
  })

  test('requires an administrator', async () => {
    const group = await server.make.group('untouched', owner)
    const project = await made('stays')
    const path = `/groups/${group.id}/projects/${project.id}`
    expect(await owner.post(path)).toMatchObject(forbidden)
    expect((await server.anonymous.post(path)).status).toBe(401)
    expect((await server.root.post(`/groups/987654/projects/${project.id}`)).body.message).toBe('404 Group Not Found')
    for (const text of ['987654', 'nowhere', 'no%2Fwhere', '99999999999999999999']) {
      expect((await server.root.post(`/groups/${group.id}/projects/${text}`)).body.message).toBe(
        '404 Project Not Found',
      )
    }
    await server.make.project('stays', owner, { namespace: group })
    expect(await server.root.post(path)).toMatchObject(nameTaken)
  })
})

describe('groups that a project may be moved to', () => {
  const paths = async (client: Client, project: { id: number }, query = '') =>
    (await client.get(`/projects/${project.id}/transfer_locations${query}`)).body.map(
      ({ full_path }: { full_path: string }) => full_path,
    )

  test('are the groups in which the caller may create projects', async () => {
    const mover = await server.user('mover')
    const project = await server.make.project('mobile', mover)
    const own = await server.make.group('z-own', mover, { visibility: 'public' })
    const sub = await server.make.group('deep', outsider, { parent: own })
    const strict = await server.make.group('y-strict', outsider)
    await server.make.member({ namespace: strict }, mover, 30)
    const lenient = await server.make.group('x-lenient', outsider)
    await server.make.member({ namespace: lenient }, mover, 30)
    const closed = await server.make.group('w-closed', mover)
    await mover.put(`/groups/${closed.id}`, { project_creation_level: 'noone' })
    await outsider.put(`/groups/${strict.id}`, { project_creation_level: 'maintainer' })
    const marked = await server.make.group('v-marked', mover)
    await mover.delete(`/groups/${marked.id}`)
    await server.make.group('u-foreign', outsider, { visibility: 'public' })
    expect(await paths(mover, project)).toEqual(['z-own/deep', 'x-lenient', 'z-own'])
    expect(await paths(mover, project, '?search=OWN')).toEqual(['z-own'])
    expect(await paths(mover, project, '?search=%25')).toEqual([])
    expect(await paths(server.root, project, '?search=u-for')).toEqual(['u-foreign'])
    await mover.put(`/projects/${project.id}/transfer`, { namespace: own.id })
    expect(await paths(mover, project)).toEqual(['z-own/deep', 'x-lenient'])
    const page = await mover.get(`/projects/${project.id}/transfer_locations?per_page=1`)
    expect(page.headers.get('x-total')).toBe('2')
    expect(page.body[0]).toEqual({
      id: sub.id,
      web_url: `${server.url}/groups/z-own/deep`,
      name: 'deep',
      avatar_url: null,
      full_name: 'z-own / deep',
      full_path: 'z-own/deep',
    })
  })

  test('are listed for owners in a constant number of queries', async () => {
    const mover = await server.user('counter')
    const project = await server.make.project('counted', mover)
    expect((await maintainer.get(`/projects/${project.id}/transfer_locations`)).status).toBe(404)
    await server.make.member({ project }, maintainer, 40)
    expect(await maintainer.get(`/projects/${project.id}/transfer_locations`)).toMatchObject(forbidden)
    const queries = () => queriesOf(server, () => paths(mover, project))
    await server.make.group('q0', mover)
    const few = await queries()
    for (const number of [1, 2, 3, 4, 5]) await server.make.group(`q${number}`, mover)
    expect(await queries()).toBe(few)
  })
})
