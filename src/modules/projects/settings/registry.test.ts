/** The fields of a project about its container registry (contract 1.0). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'

const start = '2026-05-06T07:08:09.500Z'
const dayMs = 86_400_000
const clock = manualClock({ start })
const inDays = (days: number) => new Date(clock.now().getTime() + days * dayMs).toISOString()
let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
})
afterAll(() => server.stop())

let at: ProjectWithMembers
let path: string
let count = 0
beforeEach(async () => {
  count += 1
  at = await projectWithMembers(server, { people, path: `Project${count}`, visibility: 'internal' })
  path = `/projects/${at.project.id}`
})

const put = (body: unknown, address = path) => people.maintainer.put(address, body)
const policyOf = async () => (await people.maintainer.get(path)).body.container_expiration_policy
const setPolicy = (values: unknown) => put({ container_expiration_policy_attributes: values })
const defaults = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_delete: '.*',
  name_regex_keep: null,
}

describe('the image prefix', () => {
  const prefix = async () => (await people.reporter.get(path)).body.container_registry_image_prefix
  const set = (values: Record<string, unknown>) => Object.assign(server.app.platform.config, values)

  test('is the host of the registry and the path in lower case', async () => {
    expect(await prefix()).toBe(`${new URL(server.url).host}/owner/project${count}`)
    try {
      set({ registryUrl: 'https://Images.Example.com:443/' })
      expect(await prefix()).toBe(`images.example.com/owner/project${count}`)
      set({ registryUrl: 'http://images.example.com:5000' })
      expect(await prefix()).toBe(`images.example.com:5000/owner/project${count}`)
    } finally {
      set({ registryUrl: undefined })
    }
  })

  test('is absent while the instance has no registry', async () => {
    try {
      set({ registryEnabled: false })
      const { body } = await people.owner.get(path)
      expect(body).not.toHaveProperty('container_registry_image_prefix')
      expect(body).toMatchObject({ container_registry_enabled: false, container_registry_access_level: 'enabled' })
    } finally {
      set({ registryEnabled: true })
    }
    expect((await people.owner.get(path)).body.container_registry_enabled).toBe(true)
  })
})

describe('the access level', () => {
  /** Whether each of the callers sees the registry. */
  const seenBy = async () => {
    const callers = [people.outsider, people.guest, people.reporter, people.owner, server.root]
    return Promise.all(callers.map(async (caller) => (await caller.get(path)).body.container_registry_enabled))
  }

  test('determines who can see the registry', async () => {
    expect(await seenBy()).toEqual([true, true, true, true, true])
    expect((await put({ container_registry_access_level: 'private' })).body).toMatchObject({
      container_registry_access_level: 'private',
      container_registry_enabled: true,
    })
    expect(await seenBy()).toEqual([false, false, true, true, true])
    await put({ container_registry_access_level: 'disabled' })
    expect(await seenBy()).toEqual([false, false, false, false, false])
    await put({ container_registry_access_level: 'enabled' })
    await people.owner.put(path, { visibility: 'private' })
    expect((await people.guest.get(path)).body.container_registry_enabled).toBe(false)
    expect((await people.reporter.get(path)).body.container_registry_enabled).toBe(true)
  })

  test('is changed by the older switch, unless both are given', async () => {
    const levelAfter = async (body: unknown) => (await put(body, `${path}/`)).body.container_registry_access_level
    expect(await levelAfter({ container_registry_enabled: false })).toBe('disabled')
    expect(await levelAfter({ container_registry_access_level: 'private' })).toBe('private')
    expect(await levelAfter({ container_registry_enabled: true })).toBe('enabled')
    const both = { container_registry_enabled: true, container_registry_access_level: 'disabled' }
    expect(await levelAfter(both)).toBe('disabled')
  })

  test.each(['public', 'Enabled', '', ' ', 1, true])('cannot be %j', async (level) => {
    const { status, body } = await put({ container_registry_access_level: level, description: 'changed' })
    expect([status, body]).toEqual([
      400,
      {
        message: { container_registry_access_level: ['does not have a valid value'] },
        error: 'container_registry_access_level does not have a valid value',
      },
    ])
    expect((await people.owner.get(path)).body).toMatchObject({
      description: null,
      container_registry_access_level: 'enabled',
    })
  })

  test('cannot be changed by Developers', async () => {
    const answer = await people.developer.put(path, { container_registry_access_level: 'private' })
    expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
  })
})

describe('the cleanup policy', () => {
  test('has defaults, and runs first when its cadence after the creation is over', async () => {
    expect(await policyOf()).toEqual({ ...defaults, next_run_at: inDays(1) })
  })

  test('is rescheduled when cadence or enabled change, and by nothing else', async () => {
    const first = inDays(1)
    clock.advance(3_600_000)
    await setPolicy({ keep_n: 25, older_than: '7d', name_regex_delete: 'v.*', name_regex_keep: 'v1.*', cadence: '1d' })
    expect((await policyOf()).next_run_at).toBe(first)
    await setPolicy({ enabled: true })
    expect((await policyOf()).next_run_at).toBe(inDays(1))
    clock.advance(3_600_000)
    await setPolicy({ enabled: true, keep_n: 5 })
    expect((await policyOf()).next_run_at).toBe(inDays(1 - 1 / 24))
    for (const [cadence, days] of Object.entries({ '7d': 7, '14d': 14, '1month': 30, '3month': 90, '1d': 1 })) {
      await setPolicy({ cadence })
      expect(await policyOf()).toMatchObject({ cadence, next_run_at: inDays(days) })
    }
    await setPolicy({ enabled: false })
    expect(await policyOf()).toMatchObject({ enabled: false, keep_n: 5, next_run_at: inDays(1) })
  })

  test('changes only what is given; null and empty texts clear', async () => {
    await setPolicy({ keep_n: 1, older_than: '30d', name_regex: 'a', name_regex_keep: 'b' })
    const changed = {
      ...defaults,
      keep_n: 1,
      older_than: '30d',
      name_regex: 'a',
      name_regex_delete: 'a',
      name_regex_keep: 'b',
    }
    expect(await policyOf()).toMatchObject(changed)
    await setPolicy({ keep_n: null, older_than: null })
    expect(await policyOf()).toMatchObject({ ...changed, keep_n: null, older_than: null })
    await setPolicy({ older_than: '14d' })
    await setPolicy({ older_than: '', name_regex_keep: null })
    expect(await policyOf()).toMatchObject({ ...changed, keep_n: null, older_than: null, name_regex_keep: null })
    await setPolicy({})
    expect(await policyOf()).toMatchObject({ name_regex: 'a', keep_n: null })
  })

  test('takes name_regex_delete for name_regex, and prefers it', async () => {
    expect(
      (await setPolicy({ name_regex_delete: 'x.*', name_regex: 'y.*' })).body.container_expiration_policy,
    ).toMatchObject({
      name_regex: 'x.*',
      name_regex_delete: 'x.*',
    })
    const blank = await setPolicy({ name_regex_delete: '', name_regex: 'y.*', enabled: true })
    expect(blank.body).toEqual({ message: { 'container_expiration_policy.name_regex': ["can't be blank"] } })
    expect(await policyOf()).toMatchObject({ name_regex: 'x.*', enabled: false })
  })

  test('is accepted as a form, and when the project is created', async () => {
    const form = new URLSearchParams({
      'container_expiration_policy_attributes[cadence]': '14d',
      'container_expiration_policy_attributes[enabled]': 'true',
      'container_expiration_policy_attributes[keep_n]': '50',
    })
    expect((await put(form)).body.container_expiration_policy).toEqual({
      ...defaults,
      cadence: '14d',
      enabled: true,
      keep_n: 50,
      next_run_at: inDays(14),
    })
    const created = await people.owner.post('/projects', {
      name: `created-${count}`,
      container_expiration_policy_attributes: { cadence: '7d', enabled: true },
      container_registry_access_level: 'private',
    })
    expect(created.body).toMatchObject({
      container_registry_access_level: 'private',
      container_expiration_policy: { ...defaults, cadence: '7d', enabled: true, next_run_at: inDays(7) },
    })
  })

  const notIncluded = ['is not included in the list']
  test.each([
    [{ cadence: '2d' }, { cadence: notIncluded }],
    [{ cadence: '' }, { cadence: notIncluded }],
    [{ cadence: '__proto__' }, { cadence: notIncluded }],
    [{ cadence: '1D' }, { cadence: notIncluded }],
    [{ keep_n: 0 }, { keep_n: notIncluded }],
    [{ keep_n: 2 }, { keep_n: notIncluded }],
    [{ keep_n: -1 }, { keep_n: notIncluded }],
    [{ older_than: '1d' }, { older_than: notIncluded }],
    [{ older_than: '90D' }, { older_than: notIncluded }],
    [
      { cadence: 'x', keep_n: 3, older_than: 'y' },
      { cadence: notIncluded, keep_n: notIncluded, older_than: notIncluded },
    ],
    [{ enabled: true, name_regex: '' }, { name_regex: ["can't be blank"] }],
    [{ enabled: true, name_regex: '  ' }, { name_regex: ["can't be blank"] }],
  ])('with %j is refused by the model', async (values, problems) => {
    const { status, body } = await put({ container_expiration_policy_attributes: values, description: 'changed' })
    const named = Object.entries(problems).map(([name, text]) => [`container_expiration_policy.${name}`, text])
    expect([status, body]).toEqual([400, { message: Object.fromEntries(named) }])
    expect((await people.owner.get(path)).body).toMatchObject({
      description: null,
      container_expiration_policy: defaults,
    })
  })

  test.each(['*x', '(', 'a(?=b)', '(a)\\1', '[', 'x{1001}', '.{1000}'.repeat(6)])(
    'with the pattern %s is refused once it is enabled',
    async (pattern) => {
      const problem = [expect.stringMatching(/^not valid RE2 syntax: .+/)]
      expect((await setPolicy({ name_regex: pattern, name_regex_keep: pattern })).status).toBe(200)
      const { status, body } = await setPolicy({ enabled: true })
      expect([status, body]).toEqual([
        400,
        {
          message: {
            'container_expiration_policy.name_regex': problem,
            'container_expiration_policy.name_regex_keep': problem,
          },
        },
      ])
      expect(await policyOf()).toMatchObject({ enabled: false, name_regex: pattern })
      expect((await setPolicy({ enabled: true, name_regex: '.*', name_regex_keep: null })).status).toBe(200)
    },
  )

  test.each([
    ['cadence', {}],
    ['cadence', ['1d']],
    ['enabled', 'perhaps'],
    ['keep_n', 'many'],
    ['keep_n', 1.5],
    ['keep_n', '9223372036854775808'],
    ['older_than', { days: 7 }],
    ['name_regex', ['.*']],
    ['name_regex', 'a\u0000b'],
    ['name_regex_delete', {}],
    ['name_regex_keep', []],
  ])('with %s of the wrong type is invalid: %j', async (name, value) => {
    const { status, body } = await setPolicy({ [name]: value })
    const full = `container_expiration_policy_attributes[${name}]`
    expect([status, body]).toEqual([400, { message: { [full]: ['is invalid'] }, error: `${full} is invalid` }])
  })

  test.each(['x', 1, true, [], ['a']])('that is no object is invalid: %j', async (value) => {
    expect((await setPolicy(value)).body.error).toBe('container_expiration_policy_attributes is invalid')
  })
})
