import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import { makeSnippet } from '../snippets/testing.ts'
import { isFeatureOn } from './evaluation.ts'
import { closedGates, isOpen } from './gates.ts'

let server: TestServer
let alice: Person
let bob: Person
let project: { id: number; full_path: string }
let group: { id: number }
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  bob = await server.user('bob')
  group = await server.make.group('g', alice)
  project = await server.make.project('p', alice, { namespace: group as never })
})
afterAll(() => server.stop())
beforeEach(async () => {
  for (const { name } of (await server.root.get('/features?per_page=100')).body) {
    await server.root.delete(`/features/${encodeURIComponent(name)}`)
  }
})

const set = (name: string, value: unknown, more: object = {}) =>
  server.root.post(`/features/${encodeURIComponent(name)}`, { value, ...more })
const gatesOf = async (name: string, value: unknown, more: object = {}) => {
  const { status, body } = await set(name, value, more)
  if (status !== 201) return body
  return [body.state, ...body.gates.map(({ key, value }: { key: string; value: unknown }) => [key, value])]
}
const bad = (text: string) => ({ message: `400 Bad request - ${text}` })

describe('setting a feature for all', () => {
  test('changes its gates as the contract says', async () => {
    expect(await set('f1', true)).toMatchObject({
      status: 201,
      body: { name: 'f1', state: 'on', gates: [{ key: 'boolean', value: true }], definition: null },
    })
    expect(await gatesOf('f1', 30)).toEqual(['on', ['boolean', true], ['percentage_of_time', 30]])
    const actors = { key: 'percentage_of_actors' }
    expect(await gatesOf('f1', '100', actors)).toEqual(['on', ['boolean', true], ['percentage_of_actors', 100]])
    expect(await gatesOf('f1', false)).toEqual(['off', ['boolean', false]])
    expect(await gatesOf('f1', 30)).toEqual(['conditional', ['boolean', false], ['percentage_of_time', 30]])
    const both = ['conditional', ['boolean', false], ['percentage_of_actors', 42], ['percentage_of_time', 30]]
    expect(await gatesOf('f1', 42, actors)).toEqual(both)
    expect((await gatesOf('f1', 12.5)).at(-1)).toEqual(['percentage_of_time', 12.5])
    expect(await gatesOf('f1', 100)).toEqual(['on', ['boolean', true], ['percentage_of_time', 100]])
    expect(await gatesOf('f1', '0.0')).toEqual(['off', ['boolean', false]])
  })

  test.each([
    [{ value: '' }, bad('Cannot set \'f2\' to ""')],
    [{ value: '-5' }, bad('Cannot set \'f2\' to "-5"')],
    [{ value: 'abc' }, bad('Cannot set \'f2\' to "abc"')],
    [{ value: 'opt_out' }, bad('Cannot set \'f2\' to "opt_out"')],
    [{ value: 'abc', key: 'other' }, bad('Cannot set \'f2\' ("other") to "abc"')],
    [{ value: '30', key: 'constructor' }, bad('Cannot set \'f2\' ("constructor") to "30"')],
    [{ value: 'abc', key: 'percentage_of_actors' }, bad('Not a percentage')],
    [{ value: 101 }, bad('value must be a positive number less than or equal to 100, but was 101')],
    [{ value: null }, { error: 'value is missing' }],
    [{ value: 50, key: 'percentage_of_actors', user: 'alice' }, { error: 'key, user are mutually exclusive' }],
    [{ value: true, user: 'alice, nobody,neither' }, bad('nobody is not found!')],
    [{ value: true, project: 'g/none' }, bad('g/none is not found!')],
    [{ value: true, group: 'alice' }, bad('alice is not found!')],
    [{ value: true, repository: 'g/p.git,snippets/21.git' }, bad('snippets/21.git is not found!')],
    [{ value: { a: 1 } }, { error: 'value is invalid' }],
  ])('refuses %j and changes nothing', async (given, body) => {
    expect(await server.root.post('/features/f2', given)).toMatchObject({ status: 400, body })
    expect((await server.root.get('/features')).body).toEqual([])
  })

  test('accepts names of any text, also after two slashes, and refuses those that are too long', async () => {
    expect((await server.root.post('/features//f3', { value: true })).body.name).toBe('f3')
    expect((await set('a/b é', true)).body.name).toBe('a/b é')
    expect((await set('definitions', true)).body.name).toBe('definitions')
    expect(await set('x'.repeat(256), true)).toMatchObject({
      status: 400,
      body: bad('Name is too long (maximum is 255 characters)'),
    })
    expect((await set('epics', true)).body.message).toMatch(/^400 Bad request - The 'epics' is a licensed feature name/)
    expect((await set('epics', true, { force: true })).status).toBe(201)
  })
})

describe('setting a feature for targets', () => {
  test('finds the repositories of snippets', async () => {
    const personal = await makeSnippet(alice)
    const ofProject = await makeSnippet(alice, { a: '1' }, { project: project.id })
    const paths = [`snippets/${personal.id}`, `g/p/snippets/${ofProject.id}`]
    const { body } = await set('f9', true, { repository: paths.map((path) => `${path}.git`).join(',') })
    expect(body.gates[1]).toEqual({ key: 'actors', value: paths.map((path) => `Repository:${path}`) })
    for (const wrong of [
      `snippets/${ofProject.id}`,
      `g/p/snippets/${personal.id}`,
      `g/none/snippets/${ofProject.id}`,
    ]) {
      expect((await set('f9', true, { repository: wrong })).body).toEqual({
        message: `400 Bad request - ${wrong} is not found!`,
      })
    }
  })

  test('adds and removes actors and groups', async () => {
    const targets = {
      user: 'Alice, bob',
      project: 'g/p',
      group: 'g',
      namespace: 'alice',
      repository: 'g/p.git,g/p.wiki.git',
    }
    const { body } = await set('f4', true, { ...targets, feature_group: 'staff' })
    const namespace = (await server.root.get('/namespaces/alice')).body.id
    const ids = [
      ...[`User:${alice.id}`, `User:${bob.id}`, `Project:${project.id}`, `Group:${group.id}`],
      ...[`Namespaces::UserNamespace:${namespace}`, 'Repository:g/p', 'Repository:g/p.wiki'],
    ]
    expect(body).toMatchObject({
      state: 'conditional',
      gates: [
        { key: 'boolean', value: false },
        { key: 'actors', value: ids },
        { key: 'groups', value: ['staff'] },
      ],
    })
    expect(await gatesOf('f4', false, targets)).toEqual(['conditional', ['boolean', false], ['groups', ['staff']]])
    expect(await gatesOf('f4', false, { feature_group: 'staff', user: 'bob' })).toEqual(['off', ['boolean', false]])
    expect(await gatesOf('f4', true, { user: ' , ' })).toEqual(['off', ['boolean', false]])
  })

  test('counts blank parameters as absent', async () => {
    const targets = { feature_group: '', user: '', group: ' ', namespace: '', project: '', repository: '' }
    const blank = { ...targets, key: '', force: false }
    expect(await gatesOf('f7', true, blank)).toEqual(['on', ['boolean', true]])
    expect(await gatesOf('f7', false, blank)).toEqual(['off', ['boolean', false]])
    expect(await gatesOf('f7', 30, blank)).toEqual(['conditional', ['boolean', false], ['percentage_of_time', 30]])
    expect(await gatesOf('f7', 40, { ...targets, key: 'percentage_of_actors' })).toContainEqual([
      'percentage_of_actors',
      40,
    ])
    expect(await gatesOf('f8', true, { ...blank, user: 'alice' })).toContainEqual(['actors', [`User:${alice.id}`]])
    expect(await gatesOf('f8', 'abc', { ...blank, user: ' ' })).toEqual(bad('Cannot set \'f8\' to "abc"'))
  })

  test('bounds the name of a group', async () => {
    const longest = 'é'.repeat(255)
    expect(await gatesOf('g'.repeat(255), true, { feature_group: longest })).toContainEqual(['groups', [longest]])
    expect(await set('f7', true, { feature_group: `${longest}é` })).toMatchObject({
      status: 400,
      body: {
        message: { feature_group: ['is too long (maximum is 255 characters)'] },
        error: 'feature_group is too long (maximum is 255 characters)',
      },
    })
  })

  test('refuses percentages, and keeps opt-outs', async () => {
    expect(await gatesOf('f5', 30, { user: 'alice' })).toEqual(bad(`Cannot set 'f5' to "30" for User:${alice.id}`))
    expect(await gatesOf('f5', 'remove_opt_out', { user: 'bob' })).toEqual(bad(`No opt-out exists for User:${bob.id}`))
    expect((await gatesOf('f5', 'opt_out', { user: 'bob' }))[2]).toEqual(['actors', [`User:${bob.id}:opt_out`]])
    expect(await gatesOf('f5', true, { user: 'bob' })).toEqual(
      bad('Opt-out exists for @bob - remove opt-out before enabling'),
    )
    expect(await gatesOf('f5', 'opt_out', { feature_group: 'x' })).toEqual(bad('Cannot set \'f5\' to "opt_out" for x'))
    expect(await gatesOf('f5', 'remove_opt_out', { user: 'bob' })).toEqual(['off', ['boolean', false]])
  })

  test('keeps each of several changes at once', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => set('f6', true, { feature_group: `group-${index}` })))
    const [{ gates }] = (await server.root.get('/features')).body
    expect(gates[1].value.toSorted()).toEqual(Array.from({ length: 8 }, (_, index) => `group-${index}`))
  })
})

describe('lists', () => {
  test('show features that were set, by name, in as many queries for many as for few', async () => {
    for (const name of ['b', 'a', 'C']) await set(name, false)
    const list = () => server.root.get('/features')
    expect((await list()).body.map(({ name }: { name: string }) => name)).toEqual(['C', 'a', 'b'])
    const few = await queriesOf(server, list)
    for (let index = 0; index < 10; index += 1) await set(`more-${index}`, true, { feature_group: 'x' })
    expect(await queriesOf(server, list)).toBe(few)
    expect((await server.root.get('/features?per_page=2')).headers.get('x-total')).toBe('13')
  })

  test('show definitions with all members, and with six of them in a feature', async () => {
    const { body } = await server.root.get('/features/definitions')
    const names = body.map(({ name }: { name: string }) => name)
    expect(names).toEqual(names.toSorted())
    for (const one of body) {
      expect([one.name, one.milestone, one.group, one.log_state_changes]).toEqual([
        one.name,
        expect.stringMatching(/^\d+\.\d+$/),
        expect.stringMatching(/^group::/),
        true,
      ])
    }
    const broadcast = body.find(({ name }: { name: string }) => name === 'role_targeted_broadcast_messages')
    expect(broadcast).toEqual({
      name: 'role_targeted_broadcast_messages',
      introduced_by_url: null,
      rollout_issue_url: null,
      milestone: '14.8',
      log_state_changes: true,
      type: 'development',
      group: 'group::acquisition',
      default_enabled: false,
    })
    const { milestone, log_state_changes, ...six } = broadcast
    expect((await set('role_targeted_broadcast_messages', true)).body.definition).toEqual(six)
  })

  test('lose a deleted feature; deleting it again changes nothing', async () => {
    await set('gone', true)
    expect((await server.root.delete('/features/gone')).status).toBe(204)
    expect((await server.root.delete('/features/gone')).status).toBe(204)
    expect((await server.root.get('/features')).body).toEqual([])
  })
})

test('a worker that is switched off has its job run again later', async () => {
  const { ports } = server.app.platform
  const require = () =>
    ports['workers.require'](server.app.platform, 'repository_maintenance_worker', { projectId: project.id })
  await require()
  await set('repository_maintenance_worker', 'opt_out', { project: 'g/p' })
  await expect(require()).rejects.toMatchObject({ name: 'RunLater', delayMs: 60_000 })
})

describe('evaluation', () => {
  const isOn = (about?: object) => isFeatureOn(server.app.platform, 'ci_hidden_variables', about)

  test('falls back to the default of the definition', async () => {
    expect(await isOn()).toBe(true)
    await set('ci_hidden_variables', false)
    expect(await isOn()).toBe(false)
  })

  test('finds what a target is or lies in, and asks for no more before there are targets', async () => {
    const below = await server.make.group('below', alice, { parent: group as never })
    const inside = await server.make.project('inside', alice, { namespace: below as never })
    const personal = await server.make.project('personal', bob)
    const asked: [string, object][] = [
      ['alice', { userId: alice.id }],
      ['bob', { userId: bob.id }],
      ['p', { projectId: project.id }],
      ['inside', { projectId: inside.id }],
      ['personal', { projectId: personal.id }],
      ['g', { groupId: group.id }],
      ['below', { groupId: below.id }],
      ['bob in p', { userId: bob.id, projectId: project.id }],
      ['no one', {}],
    ]
    const on = async () => {
      const answers: string[] = []
      for (const [name, about] of asked) if (await isOn(about)) answers.push(name)
      return answers
    }
    const name = 'ci_hidden_variables'
    for (const [target, expected] of [
      [{ user: 'alice' }, ['alice']],
      [{ group: 'g/below' }, ['inside', 'below']],
      [{ group: 'g' }, ['p', 'inside', 'g', 'below', 'bob in p']],
      [{ namespace: 'bob' }, ['personal']],
      [{ project: 'g/p' }, ['p', 'bob in p']],
      [{ repository: 'g/p.git' }, ['p', 'bob in p']],
      [{ feature_group: 'unknown' }, []],
    ] as const) {
      await set(name, true, target)
      expect(await on(), JSON.stringify(target)).toEqual(expected)
      await server.root.delete(`/features/${name}`)
    }
    const queries = (about: object) => queriesOf(server, () => isOn(about))
    const few = await queries({})
    expect(await queries({ userId: alice.id, projectId: inside.id, groupId: below.id })).toBe(few)
    await set(name, true, { feature_group: 'unknown' })
    expect(await queries({ projectId: inside.id })).toBe(await queries({}))
  })

  test('leaves out what is opted out, with what lies in it', async () => {
    const name = 'ci_hidden_variables'
    const [inP, inG, ofBob] = [{ projectId: project.id }, { groupId: group.id }, { userId: bob.id }]
    const answers = async () => [await isOn(inP), await isOn(inG), await isOn(ofBob), await isOn({ ...ofBob, ...inP })]
    await set(name, true)
    await set(name, 'opt_out', { user: 'bob' })
    expect(await answers()).toEqual([true, true, false, false])
    await set(name, true, { project: 'g/p' })
    expect(await answers()).toEqual([true, true, false, true])
    await set(name, 'opt_out', { group: 'g' })
    expect(await answers()).toEqual([true, false, false, true])
    await server.root.delete(`/features/${name}`)
    await set(name, true, { group: 'g' })
    await set(name, 'opt_out', { project: 'g/p' })
    expect(await answers()).toEqual([false, true, false, false])
  })

  test('respects percentages and opt-outs', () => {
    const half = { ...closedGates, percentageOfActors: 50 }
    const one = (actor: string) => ({ actors: [actor], chains: [[actor]] })
    const nobody = { actors: [], chains: [] }
    const actors = Array.from({ length: 1000 }, (_, index) => `User:${index}`)
    const among = actors.filter((actor) => isOpen('f', half, one(actor), 0.9))
    expect(among.length).toBeGreaterThan(400)
    expect(among.length).toBeLessThan(600)
    expect(isOpen('f', half, nobody, 0)).toBe(false)
    expect(isOpen('f', { ...closedGates, percentageOfTime: 30 }, nobody, 0.29)).toBe(true)
    expect(isOpen('f', { ...closedGates, percentageOfTime: 30 }, nobody, 0.3)).toBe(false)
    expect(isOpen('f', { ...closedGates, enabled: true, actors: ['User:1:opt_out'] }, one('User:1'), 0)).toBe(false)
  })
})
