import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let base: Record<'group' | 'project' | 'instance', string>
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())
let made = 0
beforeEach(async () => {
  made += 1
  const group = await server.make.group(`g${made}`, owner)
  const project = await server.make.project(`p${made}`, owner)
  for (const { key } of (await server.root.get('/admin/ci/variables?per_page=100')).body) {
    await server.root.delete(`/admin/ci/variables/${key}`)
  }
  base = {
    group: `/groups/${group.id}/variables`,
    project: `/projects/${project.id}/variables`,
    instance: '/admin/ci/variables',
  }
})

const kinds = ['group', 'project', 'instance'] as const
const scoped = ['group', 'project'] as const
const as = (kind: (typeof kinds)[number]) => (kind === 'instance' ? server.root : owner)
const create = (kind: (typeof kinds)[number], body: object) => as(kind).post(base[kind], body)
const invalid = (fields: object) => ({ status: 400, body: { message: fields } })

describe.each(kinds)('variables of a %s', (kind) => {
  const word = { group: 'GroupVariable', project: 'Variable', instance: 'InstanceVariable' }[kind]
  const notFound = { status: 404, body: { message: `404 ${word} Not Found` } }

  test('are created with the defaults of the contract, read, changed and deleted', async () => {
    const answer = await create(kind, { key: ' A ', value: '1' })
    const shown =
      kind === 'instance'
        ? { protected: false, masked: false, raw: false, description: null }
        : { hidden: false, protected: false, masked: false, raw: false, environment_scope: '*', description: null }
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toEqual({ variable_type: 'env_var', key: 'A', value: '1', ...shown })
    expect((await as(kind).get(`${base[kind]}/A`)).body).toEqual(answer.body)
    const changes = { value: '', key: 'B', protected: true, raw: 'on', variable_type: 'file', description: 'x' }
    const changed = await as(kind).put(`${base[kind]}/A`, changes)
    expect(changed.body).toEqual({ ...answer.body, ...changes, key: 'A', raw: true })
    expect((await as(kind).get(base[kind])).body).toEqual([changed.body])
    expect((await as(kind).put(`${base[kind]}/A`, { value: '2', description: null })).body.description).toBeNull()
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await as(kind).delete(`${base[kind]}/A`, { headers })).status).toBe(412)
    expect((await as(kind).delete(`${base[kind]}/A`)).status).toBe(204)
    for (const [method, more] of [['get'], ['delete'], ['put', { value: '1' }]] as const) {
      expect(await as(kind)[method](`${base[kind]}/A`, more as never)).toMatchObject(notFound)
    }
  })

  test('exist once, also when they are created at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(kind, { key: 'ONCE', value: '1' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400])
    const taken = invalid({ key: ['(ONCE) has already been taken'] })
    expect(await create(kind, { key: 'ONCE', value: '2' })).toMatchObject(taken)
    expect((await create(kind, { key: 'once', value: '2' })).status).toBe(201)
  })

  const badKey = "can contain only letters, digits and '_'."
  test.each([
    [{ value: '1' }, { error: 'key is missing' }],
    [{ key: 'A' }, { error: 'value is missing' }],
    [{ key: ' ', value: '1' }, { message: { key: ["can't be blank", badKey] } }],
    [{ key: 'a-b', value: '1' }, { message: { key: [badKey] } }],
    [{ key: 'é', value: '1' }, { message: { key: [badKey] } }],
    [{ key: 'k'.repeat(256), value: '1' }, { message: { key: ['is too long (maximum is 255 characters)'] } }],
    [{ key: 'A', value: { b: 1 } }, { error: 'value is invalid' }],
    [{ key: 'A', value: 'short', masked: true }, { message: { value: ['is invalid'] } }],
    [{ key: 'A', value: 'abcd$efgh', masked: true }, { message: { value: ['is invalid'] } }],
    [{ key: 'A', value: 'abcdefgh\n', masked: true }, { message: { value: ['is invalid'] } }],
    [{ key: 'A', value: 'abcd efgh', masked: true, raw: true }, { message: { value: ['is invalid'] } }],
    [{ key: 'A', value: '1', variable_type: 'secret' }, { error: 'variable_type does not have a valid value' }],
    [{ key: 'A', value: '1', protected: 'maybe' }, { error: 'protected is invalid' }],
    [
      { key: 'A', value: '1', description: 'd'.repeat(256) },
      { message: { description: ['is too long (maximum is 255 characters)'] } },
    ],
  ])('are refused: %j', async (given, body) => {
    expect(await create(kind, given)).toMatchObject({ status: 400, body })
    expect((await as(kind).get(base[kind])).body).toEqual([])
  })

  test('may be masked when logs can mask the value', async () => {
    expect((await create(kind, { key: 'M', value: 'abcd$efgh', masked: true, raw: true })).status).toBe(201)
    expect(await as(kind).put(`${base[kind]}/M`, { value: 'abcd$efgh', raw: false })).toMatchObject(
      invalid({ value: ['is invalid'] }),
    )
    expect((await create(kind, { key: '9', value: 'Abc_+=/@:.~-', masked: true })).status).toBe(201)
  })

  test('are masked from 8 characters on, also when only that is changed', async () => {
    const [short, long] = ['1234567', '12345678']
    const refused = invalid({ value: ['is invalid'] })
    for (const raw of [false, true]) {
      expect(await create(kind, { key: 'M', value: short, masked: true, raw })).toMatchObject(refused)
    }
    await create(kind, { key: 'SHORT', value: short })
    await create(kind, { key: 'LONG', value: long })
    expect((await create(kind, { key: 'RAW', value: 'abc$efgh', masked: true, raw: true })).status).toBe(201)
    const put = (key: string, change: object) => as(kind).put(`${base[kind]}/${key}`, { ...value[key], ...change })
    // Of groups and the instance the value is required.
    const isRequired = kind !== 'project'
    const value: Record<string, object> = isRequired
      ? { SHORT: { value: short }, LONG: { value: long }, RAW: { value: 'abc$efgh' } }
      : {}
    expect(await put('SHORT', { masked: true })).toMatchObject(refused)
    expect(await put('LONG', { masked: true })).toMatchObject({ status: 200, body: { masked: true, value: long } })
    expect(await put('RAW', { raw: false })).toMatchObject(refused)
    expect(await put('RAW', { masked: false })).toMatchObject({ status: 200, body: { masked: false, raw: true } })
    expect(await put('RAW', { raw: false })).toMatchObject({ status: 200, body: { masked: false, raw: false } })
  })

  test('are listed in as many queries for many as for few', async () => {
    const list = () => as(kind).get(base[kind])
    await create(kind, { key: 'A', value: '1' })
    const few = await queriesOf(server, list)
    for (let index = 0; index < 10; index += 1) await create(kind, { key: `K${index}`, value: '1' })
    expect(await queriesOf(server, list)).toBe(few)
    expect((await as(kind).get(`${base[kind]}?per_page=4`)).headers.get('x-total')).toBe('11')
  })
})

describe.each(scoped)('scopes of variables of a %s', (kind) => {
  const several = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'"

  test('distinguish variables of one key', async () => {
    await create(kind, { key: 'A', value: '1' })
    expect((await create(kind, { key: 'A', value: '2', environment_scope: ' prod/* ' })).body).toMatchObject({
      environment_scope: 'prod/*',
    })
    const path = `${base[kind]}/A`
    for (const answer of [await owner.get(path), await owner.put(path, { value: '3' }), await owner.delete(path)]) {
      expect(answer).toMatchObject({ status: 409, body: { message: several } })
    }
    expect((await owner.get(`${path}?filter[environment_scope]=prod/*`)).body.value).toBe('2')
    expect((await owner.get(`${path}?filter[environment_scope]=prod`)).status).toBe(404)
    expect((await owner.get(`${path}?filter[environment_scope]=`)).status).toBe(409)
    expect((await owner.put(path, { value: '4', filter: { environment_scope: '*' } })).body.value).toBe('4')
    expect((await owner.get(`${path}?filter[environment_scope]=prod/*`)).body.value).toBe('2')
    const moved = await owner.put(path, { value: '4', environment_scope: '*', filter: { environment_scope: 'prod/*' } })
    expect(moved).toMatchObject(invalid({ key: ['(A) has already been taken'] }))
    expect((await owner.delete(`${path}?filter[environment_scope]=*`)).status).toBe(204)
    expect((await owner.delete(`${path}?filter[environment_scope]=*`)).status).toBe(404)
  })

  const characters = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"
  test.each([
    [' ', ["can't be blank", characters]],
    ['a,b', [characters]],
    ['é', [characters]],
    ['x'.repeat(256), ['is too long (maximum is 255 characters)']],
  ])('are refused: %s', async (scope, sentences) => {
    const answer = await create(kind, { key: 'A', value: '1', environment_scope: scope })
    expect(answer).toMatchObject(invalid({ environment_scope: sentences }))
  })

  test('of hidden variables hide the value for ever', async () => {
    const hidden = await create(kind, { key: 'H', value: 'topsecret1', masked_and_hidden: true, masked: false })
    expect(hidden.body).toMatchObject({ value: null, masked: true, hidden: true })
    expect((await owner.get(base[kind])).body[0].value).toBeNull()
    const path = `${base[kind]}/H`
    expect(await owner.put(path, { value: null, masked: false })).toMatchObject(
      invalid({ base: ['The visibility setting cannot be changed for masked and hidden variables.'] }),
    )
    expect((await owner.put(path, { value: null, masked: true, key: 'H' })).body.value).toBeNull()
    expect(await owner.put(path, { value: 'short' })).toMatchObject(invalid({ value: ['is invalid'] }))
    expect((await owner.put(path, { value: 'othersecret' })).body).toMatchObject({ value: null, hidden: true })
  })

  test('hide nothing while the feature is off', async () => {
    await server.root.post('/features/ci_hidden_variables', { value: false })
    const { body } = await create(kind, { key: 'H', value: 'topsecret1', masked_and_hidden: true })
    await server.root.delete('/features/ci_hidden_variables')
    expect(body).toMatchObject({ value: 'topsecret1', hidden: false, masked: false })
    await server.root.post('/features/ci_hidden_variables', { value: true, user: 'owner, root' })
    const own = await create(kind, { key: 'O', value: 'topsecret2', masked_and_hidden: true })
    await server.root.delete('/features/ci_hidden_variables')
    expect(own.body).toMatchObject({ value: null, hidden: true })
  })
})

describe('changing a variable', () => {
  test('requires the value in groups and the instance, not in projects', async () => {
    for (const kind of kinds) await create(kind, { key: 'A', value: '1', protected: true })
    const missing = { status: 400, body: { error: 'value is missing' } }
    for (const body of [{}, { value: null }]) {
      expect(await owner.put(`${base.group}/A`, body)).toMatchObject(missing)
      expect(await server.root.put(`${base.instance}/A`, body)).toMatchObject(missing)
    }
    expect(await owner.put(`${base.group}/NONE`, {})).toMatchObject(missing)
    expect(await owner.put(`${base.project}/A`, {})).toMatchObject({
      status: 200,
      body: { value: '1', protected: true },
    })
  })

  test('of the instance is bounded in length', async () => {
    const tooLong = invalid({ value: ['The value of the provided variable exceeds the 10000 character limit'] })
    expect(await create('instance', { key: 'L', value: '😀'.repeat(10_001) })).toMatchObject(tooLong)
    expect((await create('instance', { key: 'L', value: '😀'.repeat(10_000) })).status).toBe(201)
    expect((await create('group', { key: 'L', value: 'x'.repeat(20_000) })).status).toBe(201)
  })
})

describe('limits', () => {
  test('of the plan bound the variables of the instance', async () => {
    const change = (value: unknown) =>
      server.root.put('/application/plan_limits', { plan_name: 'default', ci_instance_level_variables: value })
    expect((await server.root.get('/application/plan_limits')).body.ci_instance_level_variables).toBe(25)
    expect((await change(2)).body).toMatchObject({ ci_instance_level_variables: 2, ci_needs_size_limit: 50 })
    for (const key of ['A', 'B']) await create('instance', { key, value: '1' })
    expect(await create('instance', { key: 'C', value: '1' })).toMatchObject(
      invalid({ base: ['Maximum number of ci instance level variables (2) exceeded'] }),
    )
    expect((await change(1)).status).toBe(200)
    expect((await server.root.get(base.instance)).body).toHaveLength(2)
    expect((await change(25)).status).toBe(200)
    expect(await change('many')).toMatchObject({
      status: 400,
      body: { error: 'ci_instance_level_variables is invalid' },
    })
    const planName = await server.root.put('/application/plan_limits', { ci_pipeline_size: 1 })
    expect(planName).toMatchObject({ status: 400, body: { error: 'plan_name is missing' } })
    expect((await server.root.get('/application/plan_limits?plan_name=gold')).body.error).toBe(
      'plan_name does not have a valid value',
    )
  })
})

test('the values of a project are bounded together', async () => {
  await create('project', { key: 'FIRST', value: '1' })
  const { database } = server.app.platform
  const newest = database.read.selectFrom('ci_variables').selectAll().orderBy('id', 'desc').limit(1)
  const { id: _id, ...row } = await newest.executeTakeFirstOrThrow()
  const large = { ...row, key: 'LARGE', sealed_value: 'x'.repeat(64 * 1024 * 1024 - 100_000) }
  await database.write((tx) => tx.insertInto('ci_variables').values(large).execute())
  const problems = ['The values of all variables together are too long (maximum is 67108864 bytes)']
  expect(await create('project', { key: 'MORE', value: 'y'.repeat(100_000) })).toMatchObject(
    invalid({ base: problems }),
  )
  expect((await create('project', { key: 'MORE', value: 'y'.repeat(1_000) })).status).toBe(201)
  expect(await owner.put(`${base.project}/MORE`, { value: 'y'.repeat(100_000) })).toMatchObject(
    invalid({ base: problems }),
  )
  expect((await owner.get(`${base.project}/MORE`)).body.value).toHaveLength(1_000)
  expect((await owner.put(`${base.project}/MORE`, { value: 'z' })).status).toBe(200)
})

test('values are encrypted in the database', async () => {
  await create('project', { key: 'S', value: 'not-to-be-found' })
  const { database } = server.app.platform
  const row = await database.read
    .selectFrom('ci_variables')
    .selectAll()
    .where('key', '=', 'S')
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain('not-to-be-found')
  expect(row.sealed_value).not.toBe('')
})
