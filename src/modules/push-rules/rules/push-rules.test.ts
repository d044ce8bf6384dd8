import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import {
  makePeople,
  type People,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { ProjectOrGroup } from '../../projects/index.ts'
import { createPushRule } from './push-rules.ts'

const start = '2026-03-04T05:06:07.890Z'
const noRule = { status: 404, body: { message: '404 Push Rule Not Found' } }

const empty = {
  created_at: start,
  commit_message_regex: null,
  commit_message_negative_regex: null,
  branch_name_regex: null,
  author_email_regex: null,
  file_name_regex: null,
  deny_delete_tag: false,
  member_check: false,
  prevent_secrets: false,
  max_file_size: 0,
  commit_committer_check: false,
  commit_committer_name_check: false,
  reject_unsigned_commits: false,
  reject_non_dco_commits: false,
}
const everything = {
  commit_message_regex: '[A-Z]+-\\d+',
  commit_message_negative_regex: 'ssh://',
  branch_name_regex: '^(feature|fix)/',
  author_email_regex: '@example\\.com$',
  file_name_regex: '\\.exe$',
  deny_delete_tag: true,
  member_check: true,
  prevent_secrets: true,
  max_file_size: 5,
  commit_committer_check: true,
  commit_committer_name_check: true,
  reject_unsigned_commits: true,
  reject_non_dco_commits: true,
}

let server: TestServer
let clock: ManualClock
let people: People
beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock })
  people = await makePeople(server)
})
afterAll(() => server.stop())

type Owner = { kind: 'project' | 'group'; id: number; path: string }

async function makeProject(name: string): Promise<Owner> {
  const { project } = await projectWithMembers(server, { people, path: name })
  return { kind: 'project', id: project.id, path: `/projects/${project.id}/push_rule` }
}

async function makeGroup(name: string): Promise<Owner> {
  const namespace = await server.make.group(name, people.owner)
  await server.make.member({ namespace }, people.maintainer, 40)
  return { kind: 'group', id: namespace.id, path: `/groups/${namespace.id}/push_rule` }
}

const shownIn = ({ kind, id }: Owner) => ({
  id: expect.any(Number),
  ...(kind === 'project' ? { project_id: id } : {}),
})

describe.each([
  {
    ...{ kind: 'project', made: makeProject, exists: 'Project push rule exists' },
    ...{ contract: 'x.push_rule_get', summary: 'Get the push rule of a project, or null' },
  },
  {
    ...{ kind: 'group', made: makeGroup, exists: 'Group push rule exists' },
    ...{ contract: 'x.gpush_rule_get', summary: 'Get the push rule that a group gives to new projects' },
  },
])('the push rule of a $kind', ({ kind, made, exists, contract, summary }) => {
  const none = kind === 'project' ? { status: 200, body: null } : { status: 404, body: { message: '404 Not Found' } }

  test('is created, read, changed and deleted', async () => {
    const owner = await made('whole')
    const before = await people.owner.get(owner.path)
    expect([before.status, before.body]).toEqual([none.status, none.body])
    expect(await people.owner.put(owner.path, { member_check: true })).toMatchObject(noRule)
    expect(await people.owner.delete(owner.path)).toMatchObject(noRule)
    const created = await people.owner.post(owner.path, everything)
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ ...shownIn(owner), created_at: start, ...everything })
    const names = Object.keys(created.body)
    expect(names).toEqual([...Object.keys(shownIn(owner)), ...Object.keys(empty)])
    expect((await people.owner.get(owner.path)).body).toEqual(created.body)
    const again = await people.owner.post(owner.path, {})
    expect([again.status, again.body]).toEqual([422, { error: exists }])
    const changes = { commit_message_regex: null, branch_name_regex: '', deny_delete_tag: 'no', max_file_size: '0' }
    const changed = await people.owner.put(owner.path, changes)
    expect(changed.status).toBe(200)
    const expected = { commit_message_regex: null, branch_name_regex: '', deny_delete_tag: false, max_file_size: 0 }
    expect(changed.body).toEqual({ ...created.body, ...expected })
    expect(await people.owner.delete(owner.path)).toMatchObject({ status: 204, body: '' })
    expect((await people.owner.get(owner.path)).body).toEqual(none.body)
    expect(await people.owner.delete(owner.path)).toMatchObject(noRule)
    expect((await people.owner.post(owner.path)).body).toEqual({ ...shownIn(owner), ...empty })
  })

  test('is refused with all problems', async () => {
    const owner = await made('wrong')
    const notValid = ['is not a valid regexp']
    const tooLong = ['is too long (maximum is 1000 characters)']
    const cases: [values: object, message: unknown][] = [
      [{ commit_message_regex: '(' }, { commit_message_regex: notValid }],
      [{ commit_message_regex: '(?=a)b' }, { commit_message_regex: notValid }],
      [{ commit_message_negative_regex: '(?<!a)b' }, { commit_message_negative_regex: notValid }],
      [{ branch_name_regex: '(a)\\1' }, { branch_name_regex: notValid }],
      [{ branch_name_regex: 'a{1001}' }, { branch_name_regex: notValid }],
      [{ author_email_regex: 'a'.repeat(10_000) }, { author_email_regex: tooLong }],
      [{ file_name_regex: '.{0,1000}'.repeat(20) }, { file_name_regex: ['is too complex'] }],
      [
        { file_name_regex: '+', member_check: true, commit_message_regex: '[' },
        { file_name_regex: notValid, commit_message_regex: notValid },
      ],
      [{ max_file_size: -1 }, { max_file_size: ['must be greater than or equal to 0'] }],
      [{ max_file_size: 2 ** 31 }, { max_file_size: ['must be less than or equal to 2147483647'] }],
    ]
    for (const [values, message] of cases) {
      const { status, body } = await people.owner.post(owner.path, values)
      expect([status, body], JSON.stringify(values).slice(0, 99)).toEqual([400, { message }])
    }
    expect((await people.owner.get(owner.path)).body).toEqual(none.body)
    expect(
      (await people.owner.post(owner.path, { commit_message_regex: '(a*)*b', max_file_size: 2 ** 31 - 1 })).status,
    ).toBe(201)
    for (const [values, message] of cases) {
      const { status, body } = await people.owner.put(owner.path, values)
      expect([status, body]).toEqual([400, { message }])
    }
    expect((await people.owner.get(owner.path)).body).toMatchObject({
      commit_message_regex: '(a*)*b',
      member_check: false,
    })
  })

  test('reports invalid parameters', async () => {
    const owner = await made('formal')
    const cases: [values: object, error: string][] = [
      [{ commit_message_regex: ['a'] }, 'commit_message_regex is invalid'],
      [{ commit_message_regex: 'a\u0000' }, 'commit_message_regex is invalid'],
      [{ member_check: 'perhaps' }, 'member_check is invalid'],
      [{ max_file_size: 1.5 }, 'max_file_size is invalid'],
    ]
    for (const [values, error] of cases) {
      expect(await people.owner.post(owner.path, values)).toMatchObject({ status: 400, body: { error } })
    }
    const empty = await people.owner.put(owner.path, { unknown: 1 })
    expect(empty.status).toBe(400)
    expect(empty.body.error).toBe(
      `${Object.keys(everything).join(', ')} are missing, at least one parameter must be provided`,
    )
  })

  test('is created once by concurrent requests', async () => {
    const owner = await made('racing')
    const answers = await Promise.all([1, 2, 3].map(() => people.owner.post(owner.path, {})))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422])
  })

  test('is not said to exist when something else fails', async () => {
    const { id } = await made('failing')
    const failed = new Error('the act is not recorded')
    const fail = () => Promise.reject(failed)
    const subject = { kind, id } as ProjectOrGroup
    await expect(createPushRule(server.app.platform, subject, {}, fail)).rejects.toBe(failed)
  })

  test('is documented', async () => {
    const { paths } = (await server.anonymous.get('/openapi.json')).body
    const { get, put } = paths[`/api/v4/${kind}s/{id}/push_rule`]
    const rule = { $ref: `#/components/schemas/${kind === 'project' ? 'PushRule' : 'GroupPushRule'}` }
    const shown = kind === 'project' ? { anyOf: [rule, { type: 'null' }] } : rule
    expect(get).toMatchObject({ summary, 'x-contract': contract })
    expect(get.description).toMatch(/^Premium and Ultimate only\./)
    expect(get.responses[200].content['application/json'].schema).toEqual(shown)
    expect(put.responses[200].content['application/json'].schema).toEqual(rule)
  })

  test('is not deleted when it was modified since', async () => {
    const owner = await made('cautious')
    await people.owner.post(owner.path, {})
    const before = { headers: { 'If-Unmodified-Since': new Date(clock.now().getTime() - 2000).toUTCString() } }
    expect(await people.owner.delete(owner.path, before)).toMatchObject({ status: 412 })
    const now = { headers: { 'If-Unmodified-Since': clock.now().toUTCString() } }
    expect((await people.owner.delete(owner.path, now)).status).toBe(204)
  })

  test('needs the scope api for changes', async () => {
    const owner = await made('guarded')
    expect((await server.root.post(owner.path, {})).status).toBe(201)
    const reader = server.as(await server.make.token(people.owner, ['read_api']))
    expect((await reader.get(owner.path)).status).toBe(200)
    expect(await reader.delete(owner.path)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
    if (kind === 'project') expect((await people.maintainer.put(owner.path, { member_check: true })).status).toBe(200)
  })
})

describe('a new project', () => {
  test('gets its own copy of the rule of the nearest group', async () => {
    const top = await server.make.group('top', people.owner)
    const middle = await server.make.group('middle', people.owner, { parent: top })
    const bottom = await server.make.group('bottom', people.owner, { parent: middle })
    const before = await people.owner.post('/projects', { name: 'before', namespace_id: bottom.id })
    await people.owner.post(`/groups/${top.id}/push_rule`, { commit_message_regex: 'top' })
    await people.owner.post(`/groups/${middle.id}/push_rule`, { commit_message_regex: 'middle', max_file_size: 7 })
    const make = async (name: string, namespaceId: number) => {
      const { status, body } = await people.owner.post('/projects', { name, namespace_id: namespaceId })
      expect(status).toBe(201)
      return body.id as number
    }
    const [deep, high] = [await make('deep', bottom.id), await make('high', top.id)]
    const own = (await people.owner.post('/projects', { name: 'own', initialize_with_readme: true })).body
    const ruleOf = async (id: number) => (await people.owner.get(`/projects/${id}/push_rule`)).body
    const shown = { ...empty, id: expect.any(Number), commit_message_regex: 'middle', max_file_size: 7 }
    expect(await ruleOf(deep)).toEqual({ ...shown, project_id: deep })
    expect(await ruleOf(high)).toMatchObject({ commit_message_regex: 'top' })
    expect(await ruleOf(own.id)).toBeNull()
    expect(await ruleOf(before.body.id)).toBeNull()
    await people.owner.delete(`/groups/${middle.id}/push_rule`)
    expect(await ruleOf(deep)).toMatchObject({ commit_message_regex: 'middle' })
    const readme = { name: 'readme', namespace_id: top.id, initialize_with_readme: true }
    expect((await people.owner.post('/projects', readme)).body.default_branch).toBe('main')
  })

  test('that is a fork gets a copy too', async () => {
    const namespace = await server.make.group('forks', people.owner)
    await people.owner.post(`/groups/${namespace.id}/push_rule`, { deny_delete_tag: true })
    const source = await server.make.project('source', people.owner)
    const { status, body } = await people.owner.post(`/projects/${source.id}/fork`, { namespace_id: namespace.id })
    expect(status).toBe(201)
    expect((await people.owner.get(`/projects/${body.id}/push_rule`)).body).toMatchObject({ deny_delete_tag: true })
  })
})
