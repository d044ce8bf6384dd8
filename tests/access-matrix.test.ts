/**
 * Calls every operation of the server as every kind of caller, and compares the response with the literal table of access
 * rights (access-table.ts). An operation that the table does not cover fails. Each is called on a private project or group
 * and on one in another state; one of each ability is called in all states.
 *
 * What a caller may do follows in code from the rows of the caller and of the project or group, which one set of queries reads
 * for all operations. So PostgreSQL is asked for one operation of each ability, in one state each; the states take turns.
 *
 * A probe replaces the `run` of each operation, so a call shows only how far the caller got.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure, type Operation } from '../src/api/index.ts'
import { role } from '../src/modules/access/index.ts'
import {
  type Answer,
  type Client,
  onPostgres,
  type Person,
  startTestServer,
  type TestServer,
} from '../src/testing/index.ts'
import { accessTables, type Caller as CallerName, type Outcome, type State } from './access-table.ts'

type Kind = 'project' | 'group'
type Caller = { name: CallerName; client: Client }

const passedStatus = 418

/** Refusals for which the contract has other words than the usual ones. */
const ownWords: Record<string, Partial<Record<Outcome, [status: number, message: string]>>> = {
  'alert_metric_images.list': { forbidden: [404, 'Alert not found'] },
  'group_access_tokens.create': {
    forbidden: [400, '400 Bad request - User does not have permission to create group access token'],
  },
  'group_access_tokens.list': { forbidden: [401, '401 Unauthorized'] },
  'project_access_tokens.create': {
    forbidden: [400, '400 Bad request - User does not have permission to create project access token'],
  },
  'project_access_tokens.list': { forbidden: [401, '401 Unauthorized'] },
  'status_checks.create': { forbidden: [401, '401 Unauthorized'] },
  'status_checks.delete': { forbidden: [401, '401 Unauthorized'] },
  'status_checks.list': { forbidden: [401, '401 Unauthorized'] },
  'status_checks.update': { forbidden: [401, '401 Unauthorized'] },
  'users.approve': { forbidden: [403, 'You are not allowed to approve a user'] },
  'users.get': { unauthorized: [403, '403 Forbidden - Not authorized!'] },
  'users.reject': { forbidden: [403, 'You are not allowed to reject a user'] },
}

let server: TestServer
let deployTokenText = ''
const callers: Caller[] = []
/** What an operation on something in a project or group needs to be able to read, besides its own ability. */
const parentAbilities = new Map<Operation, string>()
const ids: Record<string, number> = {}

const key = (kind: Kind, state: State) => `${kind} ${state}`
const states = ['private', 'internal', 'public', 'archived', 'code off', 'planning off'] as const

/** Elsewhere merge trains are refused to everybody. */
const trains = { merge_trains_enabled: true, merge_pipelines_enabled: true }

/** Makes a project and a group, with a member of every role in each. */
async function makeResources(state: State, members: readonly (readonly [Person, number])[], owner: Person) {
  const visibility = state === 'private' || state === 'internal' ? state : 'public'
  const name = state.replace(' ', '-')
  const namespace = await server.make.group(`g-${name}`, owner, { visibility })
  const parent = await server.make.group(`h-${name}`, owner, { visibility })
  const project = await server.make.project('p', owner, { visibility, namespace: parent })
  for (const [person, level] of members) {
    await server.make.member({ project }, person, level)
    await server.make.member({ namespace }, person, level)
  }
  ids[key('group', state)] = namespace.id
  ids[key('project', state)] = project.id
}

beforeAll(async () => {
  server = await startTestServer()
  // Elsewhere exemptions from limits of storage are refused to everybody.
  await server.root.put('/application/settings', { check_namespace_plan: true })
  const { database } = server.app.platform
  const outsiders = await Promise.all(['external', 'bot', 'other', 'first-owner'].map((name) => server.user(name)))
  const [external, bot, other, firstOwner] = outsiders as [Person, Person, Person, Person]
  const levels = { 'minimal access': role.minimal, guest: role.guest, planner: role.planner, reporter: role.reporter }
  const higher = { developer: role.developer, maintainer: role.maintainer, owner: role.owner }
  const members: [Person, number][] = []
  for (const [name, level] of Object.entries({ ...levels, ...higher })) {
    const person = await server.user(`${name.replace(' ', '-')}-person`)
    members.push([person, level])
    callers.push({ name: name as CallerName, client: person })
  }
  callers.push(
    { name: 'anonymous', client: server.anonymous },
    { name: 'external user', client: external },
    { name: 'foreign bot', client: bot },
    { name: 'user', client: other },
    { name: 'administrator', client: server.root },
  )
  for (const state of states) await makeResources(state, members, firstOwner)
  const deployToken = await server.root.post(`/projects/${ids['project public']}/deploy_tokens`, {
    name: 'reader',
    scopes: ['read_repository'],
  })
  deployTokenText = deployToken.body.token
  await database.write(async (tx) => {
    await tx.updateTable('users').set({ external: true }).where('id', '=', external.id).execute()
    await tx.updateTable('users').set({ bot_kind: 'project_bot' }).where('id', '=', bot.id).execute()
    const idOf = (kind: Kind, state: State) => ids[key(kind, state)] ?? 0
    const archived = { archived: true }
    const settings = JSON.stringify({ ...trains, repository_access_level: 'disabled' })
    await tx
      .updateTable('projects')
      .set({ settings: JSON.stringify(trains) })
      .execute()
    await tx.updateTable('namespaces').set(archived).where('id', '=', idOf('group', 'archived')).execute()
    await tx.updateTable('projects').set(archived).where('id', '=', idOf('project', 'archived')).execute()
    await tx.updateTable('projects').set({ settings }).where('id', '=', idOf('project', 'code off')).execute()
    const planning = { ...trains, issues_access_level: 'disabled', merge_requests_access_level: 'disabled' }
    const without = { settings: JSON.stringify(planning) }
    await tx.updateTable('projects').set(without).where('id', '=', idOf('project', 'planning off')).execute()
  })
  for (const operation of server.app.operations) {
    operation.run = () => Promise.reject(failure(passedStatus, 'passed'))
    if (operation.subject.nested) parentAbilities.set(operation, operation.subject.nested.read)
    operation.subject = withoutNested(operation.subject)
  }
})
afterAll(() => server.stop())

/** Replaces a nested subject by its parent, which then also requires the ability to read nested resources. */
function withoutNested(subject: Operation['subject']): Operation['subject'] {
  if (!subject.nested) return subject
  const { read } = subject.nested
  const parent = withoutNested(subject.nested.parent)
  return {
    ...parent,
    async find(platform, request, actor) {
      const found = await parent.find(platform, request, actor)
      await parent.authorize(actor, found, read)
      return found
    },
  }
}

/** The address of an operation on a project or group in a state; other path parameters are 1. */
function addressOf(operation: Operation, state: State = 'public'): string {
  const id = ids[key(operation.subject.name as Kind, state)] ?? 1
  const path = operation.path.replace(/:(\w+)/g, (_, name) => String(name === 'id' ? id : 1))
  return operation.root ? `root:${path}` : path
}

/** Status and message of a refusal. */
function refusalOf(
  outcome: Exclude<Outcome, 'allowed'>,
  { id, subject }: Operation,
): [status: number, message: string] {
  const word = subject.name === 'project' ? 'Project' : 'Group'
  const usual: Record<Exclude<Outcome, 'allowed'>, [number, string]> = {
    unauthorized: [401, '401 Unauthorized'],
    forbidden: [403, '403 Forbidden'],
    invisible: [404, `404 ${word} Not Found`],
    'repository off': [404, '404 Repository Not Found'],
    'issues off': [404, '404 Not Found'],
  }
  return ownWords[id]?.[outcome] ?? usual[outcome]
}

const isSilent = ({ method }: Operation) => method === 'HEAD'

/** Whether an operation is one of a package format, which finds its caller itself. */
const isOfFormat = ({ path, ownAuthentication, subject }: Operation) =>
  ownAuthentication === true && subject.identifiesCaller === true && path.includes('/packages/')

/** Whether the response shows the outcome. A 400 shows that access was granted: parameters are checked after it. */
function shows(answer: Answer, outcome: Outcome, operation: Operation): boolean {
  const hasPassed = answer.status === passedStatus || (answer.status === 400 && !isOwnRefusal(answer, operation))
  if (isOfFormat(operation)) {
    return outcome === 'allowed' ? hasPassed : [401, refusalOf(outcome, operation)[0]].includes(answer.status)
  }
  // An operation that reads credentials itself refuses callers without them before it looks at parameters.
  if (operation.ownAuthentication) return hasPassed || answer.status === 401 || answer.status === 403
  if (outcome === 'allowed') return hasPassed
  const [status, message] = refusalOf(outcome, operation)
  return (
    answer.status === status && (isSilent(operation) || JSON.stringify(answer.body) === JSON.stringify({ message }))
  )
}

function isOwnRefusal({ body }: Answer, { id }: Operation): boolean {
  return Object.values(ownWords[id] ?? {}).some(([, message]) => body.message === message)
}

function expectedOfInstance(ability: string, name: CallerName): Outcome {
  if (ability !== 'public' && name === 'anonymous') return 'unauthorized'
  return ability === 'administrator' && name !== 'administrator' ? 'forbidden' : 'allowed'
}

/** Why this test cannot judge an operation; undefined when it can. */
function gapOf(operation: Operation): string | undefined {
  const { subject, allow, path, ownAuthentication } = operation
  if (isOfFormat(operation) && subject.name !== 'project') return undefined
  if (subject.name === 'instance') {
    if (ownAuthentication && allow !== 'public') return 'it reads credentials itself and is not public'
    return ['public', 'authenticated', 'administrator'].includes(allow) ? undefined : `no instance ability ${allow}`
  }
  if (!accessTables[subject.name as Kind]?.abilities.includes(allow))
    return `the table has no ${subject.name} ability ${allow}`
  return path.startsWith(`/${subject.name}s/:id`) ? undefined : `the path does not begin with the ${subject.name}`
}

/** A format asks for the project of a package later: before, a group has to be visible, and who changes something to be known. */
function expectedOfPlace({ id, subject, allow }: Operation, name: CallerName, state: State): Outcome {
  // Projects below a hidden group can be open to all: `maven.test.ts` has what is answered where none is.
  if (id === 'group_maven_packages.download') return 'allowed'
  if (allow !== 'read_packages' && name === 'anonymous') return 'unauthorized'
  // A group has no code of its own, so nothing of it can be off.
  const ofGroup = / off$/.test(state) ? 'public' : state
  return subject.name === 'group' ? accessTables.group.outcome('read_packages', ofGroup, name) : 'allowed'
}

function expectedOf(operation: Operation, name: CallerName, state: State): Outcome {
  const { subject, allow } = operation
  if (isOfFormat(operation) && subject.name !== 'project') return expectedOfPlace(operation, name, state)
  if (subject.name === 'instance') return expectedOfInstance(allow, name)
  // A group has no code of its own, so nothing of it can be off.
  const ofGroup = subject.name === 'group' && / off$/.test(state) ? 'public' : state
  const outcomeOf = (ability: string) => accessTables[subject.name as Kind].outcome(ability, ofGroup, name)
  const [own, parent] = [outcomeOf(allow), parentAbilities.get(operation)]
  return parent && own === 'allowed' ? outcomeOf(parent) : own
}

/** Runs checks concurrently. @returns all complaints */
async function complaintsOf<T>(items: readonly T[], check: (item: T) => Promise<string[]>): Promise<string[]> {
  const complaints: string[] = []
  const queue = [...items]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) complaints.push(...(await check(item)))
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return complaints
}

const nameOf = ({ method, path, id }: Operation) => `${method} ${path} (${id})`
const shown = ({ status, body }: Answer) => `${status} ${JSON.stringify(body).slice(0, 120)}`

/** Calls an operation as a caller. Not all formats take the usual header. */
function request(operation: Operation, { client }: Caller, state: State): Promise<Answer> {
  const isSent = isOfFormat(operation) && client.token !== ''
  const sender = isSent ? server.anonymous : client
  const options = isSent ? { headers: { Authorization: `Bearer ${client.token}` } } : {}
  return sender.request(operation.method, addressOf(operation, state), options)
}

/** Calls an operation as every caller. @returns the differences from the table */
async function differencesOf(operation: Operation, state: State): Promise<string[]> {
  const gap = gapOf(operation)
  if (gap) return [`${nameOf(operation)}: ${gap}`]
  const differences: string[] = []
  for (const caller of callers) {
    const expected = expectedOf(operation, caller.name, state)
    const answer = await request(operation, caller, state)
    if (shows(answer, expected, operation)) continue
    differences.push(`${nameOf(operation)} as ${caller.name}: ${shown(answer)}, expected: ${expected}`)
  }
  return differences
}

const timeoutMs = 240_000
const isOfInstance = ({ subject }: Operation) => subject.name === 'instance'

/** The first operation of each ability. */
function oneOfEachAbility(operations: readonly Operation[]): Operation[] {
  const abilityOf = ({ subject, allow }: Operation) => `${subject.name} ${allow}`
  return [...new Map(operations.toReversed().map((operation) => [abilityOf(operation), operation])).values()]
}

/** The operations that are called on projects and groups in a state. */
function calledIn(state: State): Operation[] {
  const others = states.filter((other) => other !== 'private')
  const all = server.app.operations.filter((operation) => !isOfInstance(operation))
  const chosen = oneOfEachAbility(all)
  if (onPostgres) return chosen.filter((_, index) => states[index % states.length] === state)
  const inAllStates = new Set(chosen)
  return all.filter(
    (operation, index) => state === 'private' || inAllStates.has(operation) || others[index % others.length] === state,
  )
}

describe('access to operations', () => {
  test.each(states)(
    'follows the table for projects and groups in the state %s',
    async (state) => {
      const called = calledIn(state)
      expect(called.length).toBeGreaterThan(onPostgres ? 20 : 100)
      expect(await complaintsOf(called, (operation) => differencesOf(operation, state))).toEqual([])
    },
    timeoutMs,
  )

  test(
    'follows the abilities of the instance',
    async () => {
      const all = server.app.operations.filter(isOfInstance)
      const onInstance = onPostgres ? oneOfEachAbility(all) : all
      expect(await complaintsOf(onInstance, (operation) => differencesOf(operation, 'public'))).toEqual([])
    },
    timeoutMs,
  )

  test('has other words for refusals only where an operation exists', () => {
    const known = server.app.operations.map(({ id }) => id)
    expect(Object.keys(ownWords).filter((id) => !known.includes(id))).toEqual([])
  })
})

describe('a token', () => {
  const readingTokens = () => {
    const all = server.app.operations.filter(({ ownAuthentication }) => !ownAuthentication)
    return onPostgres ? oneOfEachAbility(all) : all
  }
  const scopeSets = [[], ['api'], ['read_api'], ['read_user'], ['read_repository'], ['self_rotate'], ['sudo']]

  test.each(scopeSets)(
    'with the scopes %j is accepted by the operations with one of these scopes only',
    async (...scopes: string[]) => {
      const client = server.as(await server.make.token({ id: 1 }, scopes))
      const complaints = await complaintsOf(readingTokens(), async (operation) => {
        const answer = await client.request(operation.method, addressOf(operation))
        const wanted = operation.scopes
        const isEnough = wanted === 'any' || wanted.some((scope: string) => scopes.includes(scope))
        if (isEnough) return shows(answer, 'allowed', operation) ? [] : [`${nameOf(operation)}: ${shown(answer)}`]
        const isRefused = answer.status === 403 && (isSilent(operation) || refusesScope(answer, wanted))
        return isRefused || refusesInOwnWords(operation, answer) ? [] : [`${nameOf(operation)}: ${shown(answer)}`]
      })
      expect(complaints).toEqual([])
    },
    timeoutMs,
  )

  test.each([
    ['of a blocked user', 403, '403 Forbidden - Your account has been blocked.'],
    ['that has expired', 401, 'Token is expired. You can either do re-authorization or token refresh.'],
    ['that was revoked', 401, 'Token was revoked. You have to re-authorize from the user.'],
    ['that does not exist', 401, '401 Unauthorized'],
    ['of the kind deploy token', 401, '401 Unauthorized'],
  ] as const)(
    '%s is refused by all operations, public ones included',
    async (what, status, words) => {
      const client = server.as(await invalidToken(what))
      const complaints = await complaintsOf(readingTokens(), async (operation) => {
        const answer = await client.request(operation.method, addressOf(operation))
        const says = isSilent(operation) || [answer.body.message, answer.body.error_description].includes(words)
        const isRefused = answer.status === status && says
        return isRefused || (status === 401 && refusesInOwnWords(operation, answer))
          ? []
          : [`${nameOf(operation)}: ${shown(answer)}`]
      })
      expect(complaints).toEqual([])
    },
    timeoutMs,
  )
})

/** Whether the answer is that of an operation which has one of its own for all credentials that it does not accept. */
function refusesInOwnWords({ refusedCredentials }: Operation, { status, body }: Answer): boolean {
  const refusal = refusedCredentials?.()
  return refusal?.status === status && JSON.stringify(body) === JSON.stringify(refusal.body)
}

function refusesScope({ body }: Answer, wanted: readonly string[]): boolean {
  return body.error === 'insufficient_scope' && body.scope === wanted.join(' ')
}

/** An invalid token of an administrator, so that nothing but the token is a reason to refuse. */
async function invalidToken(what: string): Promise<string> {
  if (what === 'that does not exist') return 'glpat-doesnotexistdoesnot'
  if (what === 'of the kind deploy token') return deployTokenText
  const person = await server.user(what.replaceAll(' ', '-'))
  const expired = what === 'that has expired' ? '2020-01-01' : null
  const text = await server.make.token(person, ['api'], expired)
  await server.app.platform.database.write(async (tx) => {
    const state = what === 'of a blocked user' ? 'blocked' : 'active'
    const revoked = what === 'that was revoked'
    await tx.updateTable('users').set({ state, is_admin: true }).where('id', '=', person.id).execute()
    await tx.updateTable('access_tokens').set({ revoked }).where('user_id', '=', person.id).execute()
  })
  return text
}

describe('the scopes of operations', () => {
  test('are those of contract 00: api for writes, besides read_api for reads, and more where a table says so', () => {
    const reads = ['api,read_api', 'api,read_user,read_api', 'api,read_api,read_user', 'api,read_api,read_repository']
    const special: readonly [operations: RegExp, scope: string][] = [
      [/\.rotate(_self)?$/, 'self_rotate'],
      [/^runners\.create$/, 'create_runner'],
      [/^runners\./, 'manage_runner'],
      // It changes nothing (contract 25, x.markdown).
      [/^markdown\.render$/, 'read_api'],
      // Nor does this one (contract 25, x.graphql_post).
      [/^graphql\.post$/, 'read_api'],
    ]
    const odd = server.app.operations.filter((operation) => {
      const { id, method, scopes, allow } = operation
      // It checks the scopes of the credentials that it reads.
      if (isOfFormat(operation)) return scopes !== 'any'
      if (scopes === 'any') return allow !== 'public' && !/^personal_access_tokens\.(self|delete_self)$/.test(id)
      if (id === 'usage_data.service_ping') return scopes.join() !== 'api,read_api,read_service_ping'
      if (method === 'GET' || method === 'HEAD') return !reads.includes(scopes.join())
      const [, scope] = special.find(([operations]) => operations.test(id)) ?? []
      return scopes.join() !== 'api' && scopes.join() !== `api,${scope}`
    })
    expect(odd.map(({ id, scopes }) => `${id}: ${scopes}`)).toEqual([])
  })
})
