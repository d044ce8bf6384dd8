/**
 * Every id that a request names is resolved as its caller: an id of something in a private neighbour, where the caller has no
 * rights, has the answer of an id that nothing has, and changes nothing there. Derived from the parameters of all operations
 * whose names look like ids; those of paths are resolved below their subject.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation, Param } from '../src/api/index.ts'
import { addDeployKey } from '../src/modules/deploy-keys/testing.ts'
import { makeIteration } from '../src/modules/iterations/testing.ts'
import {
  type Answer,
  makePeople,
  type Person,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
  type WorkTree,
} from '../src/testing/index.ts'
import { given, type Kind, kinds, looksLikeId, namesNothing, stated } from './id-parameters.ts'

let server: TestServer
let me: Person
let keeper: Person
let own: WorkTree
let far: WorkTree
/** The ids of the neighbour's objects, and of the caller's for paths. */
const ids: Partial<Record<Kind, string | number>> = {}
const paths: Record<string, string | number> = {}
let ownGroup: number
/** The addresses of what the neighbour has. */
let kept: string[]

const unknown: Readonly<Partial<Record<Kind, string>>> = { path: 'no-such-path', commit: 'f'.repeat(40) }
const nobody = 99_999_999

async function made(person: Person, path: string, body: object) {
  const answer = await person.post(path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Fills a project and its group. @returns what they have */
async function filled(person: Person, work: WorkTree, groupId: number, name: string) {
  const at = work.base
  const commit = { branch: 'topic', start_branch: 'main', commit_message: name }
  const actions = [{ action: 'create', file_path: 'topic', content: name }]
  await made(person, `${at}/repository/commits`, { ...commit, actions })
  const first = await made(person, `${at}/issues`, { title: name })
  const second = await made(person, `${at}/issues`, { title: name })
  const epic = await made(person, `/groups/${groupId}/epics`, { title: name })
  const link = await made(person, `/groups/${groupId}/epics/${epic.iid}/issues/${first.id}`, {})
  const child = await made(person, `/groups/${groupId}/epics/${epic.iid}/epics`, { title: name })
  const milestone = await made(person, `${at}/milestones`, { title: name })
  const label = await made(person, `${at}/labels`, { name, color: '#112233' })
  const branches = { source_branch: 'topic', target_branch: 'main' }
  const mergeRequest = await made(person, `${at}/merge_requests`, { ...branches, title: name })
  return { first, second, epic, child, link, milestone, label, mergeRequest }
}

beforeAll(async () => {
  server = await startTestServer()
  const people = await makePeople(server)
  me = await server.user('me')
  keeper = await server.user('keeper')
  // Of one tree of groups, so that nothing but the caller's rights keeps them apart.
  const top = await server.make.group('top', keeper)
  const neighbour = await server.make.group('neighbour', keeper, { parent: top })
  const mine = await server.make.group('mine', me, { parent: top })
  ownGroup = mine.id
  own = await projectWithTwoCommits(server, { people: { ...people, owner: me }, path: 'own', namespace: mine })
  far = await projectWithTwoCommits(server, {
    people: { ...people, owner: keeper },
    path: 'neighbour',
    namespace: neighbour,
  })
  const theirs = await filled(keeper, far, neighbour.id, 'neighbour')
  const ours = await filled(me, own, mine.id, 'own')
  const iteration = await makeIteration(server, neighbour, { start_date: '2030-01-01', due_date: '2030-01-07' })
  const inner = await made(keeper, '/groups', { name: 'neighbour inner', path: 'inner', parent_id: neighbour.id })
  const runner = await made(keeper, '/user/runners', { runner_type: 'project_type', project_id: far.project.id })
  const [{ id: sha }] = (await keeper.get(`${far.base}/repository/commits`)).body
  const deployKey = await addDeployKey(keeper, far.project, 'neighbour')
  // Roles are those of top-level groups, of which the caller's is another one.
  const elsewhere = await server.make.group('elsewhere', keeper)
  const memberRole = { base_access_level: 10, read_code: true }
  const { id: memberRoleId } = await made(keeper, `/groups/${elsewhere.id}/member_roles`, memberRole)
  const status = await made(keeper, `${far.base}/statuses/${sha}`, { state: 'success', name: 'neighbour' })
  Object.assign(ids, {
    ...{ project: far.project.id, group: neighbour.id, issue: theirs.second.id, epic: theirs.epic.id },
    ...{ epicIssue: theirs.link.id, milestone: theirs.milestone.id, label: theirs.label.id, runner: runner.id },
    ...{ iteration: iteration.id, cadence: iteration.cadence_id, commit: sha, path: inner.full_path },
    ...{
      mergeRequest: theirs.mergeRequest.id,
      pipeline: status.pipeline_id,
      deployKey: deployKey.id,
      memberRole: memberRoleId,
    },
  })
  const [{ id: ownSha }] = (await me.get(`${own.base}/repository/commits`)).body
  Object.assign(paths, {
    ...{ issue_iid: ours.first.iid, epic_iid: ours.epic.iid, merge_request_iid: 1, sha: ownSha, tag_name: 'v1' },
    ...{
      epic_issue_id: ours.link.id,
      child_epic_id: ours.child.id,
      issue_id: ours.second.id,
      milestone_id: ours.milestone.id,
      path: 'inner',
    },
    ...{ user_id: me.id, file_path: 'topic', name: 'main' },
  })
  const ofProject = ['', '/issues/1', '/issues/2', '/issues/2/links', '/issues/2/notes', '/milestones', '/labels']
  const more = ['/merge_requests/1', '/merge_requests/1/notes', '/runners', '/members/all', '/pipelines']
  const ofGroup = ['', '/epics', '/epics/1/issues', '/members/all', '/projects', '/subgroups', '/labels', '/milestones']
  kept = [
    ...[...ofProject, ...more].map((path) => `${far.base}${path}`),
    ...ofGroup.map((path) => `/groups/${neighbour.id}${path}`),
  ]
})
afterAll(async () => {
  await own?.[Symbol.asyncDispose]()
  await far?.[Symbol.asyncDispose]()
  await server.stop()
})

type Schema = { type?: string | string[]; enum?: unknown[]; items?: object }
let fresh = 0

/** A value that a schema admits, another one for each text. */
function valueFor({ schema }: Param<unknown>): unknown {
  const { type, enum: values } = schema as Schema
  if (values) return values[0]
  const [first] = [type].flat()
  if (first === 'integer' || first === 'number') return 1
  if (first === 'boolean') return false
  if (first === 'array') return []
  fresh += 1
  return `x${fresh}`
}

/** A parameter, or a member of one: `allowed_to_push.group_id`. */
type Asked = { operation: Operation; name: string; kind: Kind }

/** The value of a parameter that holds an id. @param member of an object in it, that has the id */
function valueWith({ schema }: Param<unknown>, member: string | undefined, id: string | number): unknown {
  const { type, items = {} } = schema as Schema
  const types = [type].flat()
  if (member !== undefined) return types.includes('array') ? [{ [member]: id }] : { [member]: id }
  const wanted = types.includes('array') ? [(items as Schema).type].flat() : types
  const one = wanted.includes('string') ? String(id) : id
  return types.includes('array') ? [one] : one
}

/** Sends a request that names something by a parameter. */
async function send({ operation, name }: Asked, id: string | number): Promise<Answer> {
  const { method } = operation
  const params: Readonly<Record<string, Param<unknown>>> = operation.params ?? {}
  const values: Record<string, unknown> = {}
  for (const [other, param] of Object.entries(params)) if (param.required) values[other] = valueFor(param)
  Object.assign(values, given[operation.id])
  if (/^projects\.create/.test(operation.id)) values.name = `made${++fresh}`
  if (operation.id === 'merge_requests.create') {
    values.source_branch = `branch${++fresh}`
    await me.post(`${own.base}/repository/branches`, { branch: values.source_branch, ref: 'topic' })
  }
  if (name === 'blocking_project_id') values.blocking_merge_request_iid = 1
  if (operation.id === 'runners.create') values.runner_type = `${name.slice(0, -3)}_type`
  const [outer = '', member] = name.split('.')
  values[outer] = valueWith(params[outer] as Param<unknown>, member, id)
  const owner = operation.path.startsWith('/groups') ? ownGroup : own.project.id
  const path = operation.path.replace(/:(\w+)/g, (_, part) => {
    delete values[part]
    return encodeURIComponent(String(part === 'id' ? owner : (paths[part] ?? 1)))
  })
  const address = operation.root ? `root:${path}` : path
  if (method !== 'GET' && method !== 'HEAD' && method !== 'DELETE') return me.request(method, address, { body: values })
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) {
    if (Array.isArray(value)) for (const item of value) query.append(`${key}[]`, String(item))
    else query.append(key, String(value))
  }
  return me.request(method, `${address}?${query}`)
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** An answer without the ids that were asked for. */
function shownWithout({ status, body }: Answer, asked: readonly (string | number)[]): string {
  const text = `${status} ${JSON.stringify(body)}`
  return asked.reduce<string>(
    (left, id) => left.replaceAll(new RegExp(`\\b${escaped(String(id))}\\b`, 'g'), '<id>'),
    text,
  )
}

/** What differs between the answers for an id of the neighbour and for one of nothing. */
async function differenceOf(asked: Asked): Promise<string[]> {
  const id = ids[asked.kind] as string | number
  const none = unknown[asked.kind] ?? nobody
  const [missing, private_] = [await send(asked, none), await send(asked, id)]
  const what = `${asked.operation.method} ${asked.operation.path} (${asked.operation.id}), ${asked.name}`
  const isWrite = asked.operation.method !== 'GET' && private_.status < 300 && missing.status < 300
  const shown = [shownWithout(private_, [id, none]), shownWithout(missing, [id, none])]
  if (isWrite) return JSON.stringify(private_.body).includes('neighbour') ? [`${what}: ${shown[0]}`] : []
  return shown[0] === (stated[`${asked.operation.id} ${asked.name}`] ?? shown[1])
    ? []
    : [`${what}: ${shown[0]?.slice(0, 300)} instead of ${shown[1]?.slice(0, 300)}`]
}

/** The members of the objects that a parameter takes. */
function membersOf({ schema }: Param<unknown>): string[] {
  const { properties, items } = schema as { properties?: object; items?: { properties?: object } }
  return Object.keys(properties ?? items?.properties ?? {})
}

/** The parameters of an operation that look like ids, and members of parameters; those of paths excepted. */
function idsIn({ path, params = {} }: Operation): string[] {
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  return Object.entries(params as Record<string, Param<unknown>>).flatMap(([name, param]) => {
    const members = membersOf(param).filter((member) => member !== 'id' && looksLikeId(member))
    return [...(looksLikeId(name) && !inPath.has(name) ? [name] : []), ...members.map((member) => `${name}.${member}`)]
  })
}

/** The last part of the name of a parameter. */
const plain = (name: string) => name.split('.').at(-1) ?? name

const snapshot = async () => Promise.all(kept.map(async (path) => [path, (await keeper.get(path)).body]))

describe('ids in parameters', () => {
  test('are in one of the tables of id-parameters.ts', () => {
    const names = new Set(server.app.operations.flatMap((one) => idsIn(one).map(plain)))
    const missing = [...names].filter((name) => !Object.hasOwn(kinds, name) && !namesNothing.has(name))
    const advice = 'add it in tests/id-parameters.ts to `kinds` with what it names, or to `harmless` with the reason'
    expect(missing.map((name) => `${name}: ${advice}`)).toEqual([])
    const unused = [...Object.keys(kinds), ...namesNothing].filter((name) => !names.has(name))
    expect(unused).toEqual([])
  })

  test.each(Object.keys(kinds))(
    '%s does not reach a private neighbour',
    async (name) => {
      const before = await snapshot()
      const differences: string[] = []
      for (const operation of server.app.operations) {
        const entry = kinds[name] as Kind | Record<string, Kind>
        const kind = typeof entry === 'string' ? entry : entry[operation.id]
        for (const asked of idsIn(operation).filter((one) => plain(one) === name)) {
          if (!kind) differences.push(`${operation.id}, ${asked}: say in \`kinds\` what it names there`)
          else differences.push(...(await differenceOf({ operation, name: asked, kind })))
        }
      }
      expect(differences).toEqual([])
      expect(await snapshot()).toEqual(before)
    },
    120_000,
  )
})
