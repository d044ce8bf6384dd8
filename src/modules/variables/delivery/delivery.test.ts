import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expandText, expandVariables } from '../../../infra/expansion/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type JobVariable, mergeVariables, sources } from './job-variables.ts'
import { inScope } from './scopes.ts'
import { storedVariables } from './stored-variables.ts'

const variable = (key: string, value: string, more: Partial<JobVariable> = {}): JobVariable => ({
  ...{ key, value, public: true, masked: false, file: false, raw: false },
  ...more,
})

describe('precedence', () => {
  // Contract 03, "Delivery to jobs": each source wins over those before it.
  const order = [
    'predefined',
    'configuration',
    'reports',
    'instance',
    'groups',
    'project',
    'pipeline',
    'played',
  ] as const

  test.each(order.map((source, index) => [source, index] as const))('%s wins over all before', (source, index) => {
    const given = Object.fromEntries(order.slice(0, index + 1).map((name) => [name, [variable('K', name)]]))
    expect(mergeVariables(given)).toEqual([variable('K', source)])
  })

  test('covers all sources', () => {
    expect(sources).toEqual(order)
  })

  test('within a source the last wins, and other keys stay', () => {
    const given = { groups: [variable('K', 'top'), variable('L', 'l'), variable('K', 'nearest')] }
    expect(mergeVariables(given)).toEqual([variable('L', 'l'), variable('K', 'nearest')])
  })
})

describe('scopes', () => {
  const of = (...scopes: string[]) => scopes.map((environment_scope) => ({ key: 'K', environment_scope }))
  const chosen = (scopes: string[], environment: string | null) =>
    inScope(of(...scopes), environment).map(({ environment_scope: scope }) => scope)

  test.each([
    [['*', 'prod/*', 'prod/eu'], 'prod/eu', ['prod/eu']],
    [['prod/*', '*', 'pro*'], 'prod/eu', ['prod/*']],
    [['*prod/eu*', 'prod/eu'], 'prod/eu', ['prod/eu']],
    [['*', 'prod/*'], 'staging', ['*']],
    [['prod/*', '*/eu/*'], 'prod/eu/1', ['prod/*']],
    [['prod'], 'PROD', []],
    [['prod.'], 'prodx', []],
    [['*', 'prod'], null, ['*']],
    [['prod'], null, []],
  ])('of %j for %s: %j', (scopes, environment, expected) => {
    expect(chosen(scopes, environment)).toEqual(expected)
  })
})

describe('expansion', () => {
  const expanded = (...all: JobVariable[]) => Object.fromEntries(expandVariables(all))

  test('replaces references in the order in which they depend on each other', () => {
    expect(
      expanded(
        variable('A', ['$B-$', '{C}'].join('')),
        variable('B', 'b$C'),
        variable('C', 'c'),
        variable('D', '$A$UNKNOWN'),
      ),
    ).toEqual({ A: 'bc-c', B: 'bc', C: 'c', D: 'bc-c$UNKNOWN' })
  })

  test('leaves circles, raw values and references to files as they are', () => {
    expect(
      expanded(
        variable('A', '$B'),
        variable('B', 'x$A'),
        variable('C', '$A'),
        variable('R', '$C', { raw: true }),
        variable('F', 'content', { file: true }),
        variable('G', '$F'),
        variable('S', '$S'),
      ),
    ).toEqual({ A: '$B', B: 'x$A', C: '$B', R: '$C', F: 'content', G: '$F', S: '$S' })
  })

  test('turns two dollar signs into one, or keeps them for later', () => {
    expect(expandText('$$A $A', () => 'x')).toBe('$A x')
    expect(expandText('$$A $A', () => 'x', true)).toBe('$$A x')
  })

  test('ends for chains and values that double', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => variable(`V${index}`, `$V${index + 1}`))
    expect(expandVariables([...chain, variable('V20000', 'end')]).get('V0')).toBe('end')
    const doubling = Array.from({ length: 60 }, (_, index) => variable(`D${index}`, `$D${index + 1}$D${index + 1}`))
    const result = expandVariables([...doubling, variable('D60', 'xx')])
    expect(Math.max(...[...result.values()].map(({ length }) => length))).toBeLessThanOrEqual(1_048_576)
  })

  test('never throws and knows every key', () => {
    const name = fc.constantFrom('A', 'B', 'C', 'D')
    const part = fc.oneof(
      name.map((one) => `$${one}`),
      name.map((one) => `\${${one}}`),
      fc.constantFrom('$$', '$', 'x', '${', '}'),
    )
    const value = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(fc.record({ key: name, value, raw: fc.boolean() })), (given) => {
        const all = given.map(({ key, value, raw }) => variable(key, value, { raw }))
        expect([...expandVariables(all).keys()].toSorted()).toEqual([...new Set(all.map(({ key }) => key))].toSorted())
      }),
    )
  })
})

describe('the stored variables of a job', () => {
  let server: TestServer
  let owner: Person
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.user('owner')
  })
  afterAll(() => server.stop())

  test('come from the instance, the groups from the top, and the project', async () => {
    const top = await server.make.group('top', owner)
    const inner = await server.make.group('inner', owner, { parent: top })
    const project = await server.make.project('app', owner, { namespace: inner })
    const other = await server.make.project('other', owner)
    const set = (path: string, value: string, more: object = {}) =>
      server.root.post(`${path}/variables`, { key: 'K', value, ...more })
    await server.root.post('/admin/ci/variables', { key: 'K', value: 'instance' })
    await set(`/groups/${inner.id}`, 'inner')
    await set(`/groups/${top.id}`, 'top')
    await set(`/projects/${project.id}`, 'project')
    await set(`/projects/${project.id}`, 'eu', { environment_scope: 'prod/*' })
    await set(`/projects/${project.id}`, 'locked', { key: 'P', protected: true, masked: true, value: 'locked-value' })
    await set(`/projects/${project.id}`, 'text', { key: 'F', variable_type: 'file', raw: true })
    await set(`/projects/${other.id}`, 'other', { key: 'O' })
    const valuesFor = async (isProtected: boolean, environment: string | null) => {
      const found = (await storedVariables(server.app.platform, project, isProtected)).forJob(environment)
      return Object.fromEntries(
        Object.entries(found).map(([source, all]) => [source, all.map(({ key, value }) => `${key}=${value}`)]),
      )
    }
    const shared = { instance: ['K=instance'], groups: ['K=top', 'K=inner'] }
    expect(await valuesFor(false, null)).toEqual({ ...shared, project: ['K=project', 'F=text'] })
    expect(await valuesFor(true, 'prod/eu')).toEqual({ ...shared, project: ['K=eu', 'P=locked-value', 'F=text'] })
    const { project: all } = (await storedVariables(server.app.platform, project, true)).forJob(null)
    expect(all.map(({ file, raw, masked, public: isPublic }) => [file, raw, masked, isPublic])).toEqual([
      [false, false, false, false],
      [false, false, true, false],
      [true, true, false, false],
    ])
  })
})

test('protected variables of the instance and of groups are for protected refs only', async () => {
  await using server = await startTestServer()
  const owner = await server.user('keeper')
  const group = await server.make.group('kept', owner)
  const project = await server.make.project('app', owner, { namespace: group })
  const hidden = { value: 'x', protected: true }
  expect((await server.root.post('/admin/ci/variables', { key: 'I', ...hidden })).status).toBe(201)
  expect((await owner.post(`/groups/${group.id}/variables`, { key: 'G', ...hidden })).status).toBe(201)
  expect((await owner.post(`/projects/${project.id}/variables`, { key: 'P', ...hidden })).status).toBe(201)
  const keys = async (isProtected: boolean) => {
    const found = (await storedVariables(server.app.platform, project, isProtected)).forJob(null)
    return Object.values(found).flatMap((all) => all.map(({ key }) => key))
  }
  expect(await keys(false)).toEqual([])
  expect(await keys(true)).toEqual(['I', 'G', 'P'])
})

describe('expansion of large values', () => {
  test('leaves a text whose result would be too large as it is, without building it', () => {
    const large = { key: 'A', value: 'x'.repeat(1_000_000), raw: true }
    const text = '$A'.repeat(100_000)
    const result = expandVariables([large, { key: 'B', value: text, raw: false }])
    expect(result.get('B')).toBe(text)
    expect(expandText(text, () => large.value)).toBe(text)
  })

  test('ends when all results together are too large', () => {
    const large = { key: 'A', value: 'x'.repeat(1_000_000), raw: true }
    const many = Array.from({ length: 1000 }, (_, index) => ({ key: `V${index}`, value: '$A', raw: false }))
    const total = [...expandVariables([large, ...many]).values()].reduce((sum, { length }) => sum + length, 0)
    expect(total).toBeLessThan(11 * 1_048_576)
  })
})
