/**
 * Who may come how far, for every operation that the server has: each is asked for by everybody, on things of every
 * visibility, and the answer is compared with what its subject, its ability and its scopes say by the policy table. An
 * operation of a kind that is not known here fails the test.
 *
 * What the operations themselves do is not run: a probe stands in its place, which answers whoever gets past the gate.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure, type Operation } from '../src/api/index.ts'
import { groupPolicy, projectPolicy, type Rule, role } from '../src/modules/access/index.ts'
import { type Answer, type Client, startTestServer, type TestServer } from '../src/testing/index.ts'

const visibilities = ['private', 'internal', 'public'] as const
type Visibility = (typeof visibilities)[number]
type Kind = 'project' | 'group'
type Outcome = 'passes' | 'unauthorized' | 'forbidden' | 'invisible' | 'repository off'

/** Somebody who asks: with a role, as administrator, or as one of those who have none. */
type Caller = {
  name: string
  client: Client
  level: number
  standing: 'administrator' | 'user' | 'external' | 'nobody'
}

const passedStatus = 418

/** Where the contract gives an operation words of its own for somebody who may not. */
const ownWords: Record<string, Partial<Record<Outcome, [status: number, message: string]>>> = {
  'group_access_tokens.create': {
    forbidden: [400, '400 Bad request - User does not have permission to create group access token'],
  },
  'group_access_tokens.list': { forbidden: [401, '401 Unauthorized'] },
  'project_access_tokens.create': {
    forbidden: [400, '400 Bad request - User does not have permission to create project access token'],
  },
  'project_access_tokens.list': { forbidden: [401, '401 Unauthorized'] },
  'users.approve': { forbidden: [403, 'You are not allowed to approve a user'] },
  'users.get': { unauthorized: [403, '403 Forbidden - Not authorized!'] },
  'users.reject': { forbidden: [403, 'You are not allowed to reject a user'] },
}
const policies: Record<Kind, Record<string, Rule>> = { project: projectPolicy, group: groupPolicy }

let server: TestServer
const callers: Caller[] = []
const ids: Record<string, number> = {}

const key = (kind: Kind, variant: string) => `${kind} ${variant}`

/** A project and a group with a member of every role in each. */
async function makePlaces(variant: string, visibility: Visibility, members: readonly Caller[], keeper: { id: number }) {
  const namespace = await server.make.group(`g-${variant}`, keeper, { visibility })
  const project = await server.make.project('p', keeper, {
    visibility,
    namespace: await server.make.group(`h-${variant}`, keeper, { visibility }),
  })
  for (const { client, level } of members) {
    const person = client as Client & { id: number }
    await server.make.member({ project }, person, level)
    await server.make.member({ namespace }, person, level)
  }
  ids[key('group', variant)] = namespace.id
  ids[key('project', variant)] = project.id
}

beforeAll(async () => {
  server = await startTestServer()
  const { database } = server.app.floor
  const { none: _none, administrator: _administrator, ...levels } = role
  for (const [name, level] of Object.entries(levels)) {
    callers.push({ name, client: await server.user(`${name}-person`), level, standing: 'user' })
  }
  const members = [...callers]
  const external = await server.user('external-person')
  await database.write((tx) => tx.updateTable('users').set({ external: true }).where('id', '=', external.id).execute())
  callers.push(
    { name: 'administrator', client: server.root, level: 0, standing: 'administrator' },
    { name: 'other user', client: await server.user('other-person'), level: 0, standing: 'user' },
    { name: 'external user', client: external, level: 0, standing: 'external' },
    { name: 'nobody', client: server.anonymous, level: 0, standing: 'nobody' },
  )
  const keeper = await server.user('keeper-person')
  for (const visibility of visibilities) await makePlaces(visibility, visibility, members, keeper)
  await makePlaces('leaving', 'public', members, keeper)
  await makePlaces('codeless', 'public', members, keeper)
  const idOf = (kind: Kind, variant: string) => ids[key(kind, variant)] ?? 0
  await database.write(async (tx) => {
    const day = { marked_for_deletion_on: '2026-01-01' }
    const settings = JSON.stringify({ repository_access_level: 'disabled' })
    await tx.updateTable('namespaces').set(day).where('id', '=', idOf('group', 'leaving')).execute()
    await tx.updateTable('projects').set({ archived: true }).where('id', '=', idOf('project', 'leaving')).execute()
    await tx.updateTable('projects').set({ settings }).where('id', '=', idOf('project', 'codeless')).execute()
  })
  for (const operation of server.app.operations) {
    operation.run = () => Promise.reject(failure(passedStatus, 'passed'))
    operation.subject = withoutNested(operation.subject)
  }
})
afterAll(() => server.stop())

/** In place of a nested subject its parent, which also requires the ability to read nested resources. */
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

/** The address of an operation, with the thing that it is about; everything else below it is merely some number. */
function addressOf(operation: Operation, variant = 'public'): string {
  const id = ids[key(operation.subject.name as Kind, variant)] ?? 1
  const path = operation.path.replace(/:(\w+)/g, (_, name) => String(name === 'id' ? id : 1))
  return operation.root ? `root:${path}` : path
}

/** Status and message of the answer to somebody who does not get past the gate. */
function refusalOf(outcome: Exclude<Outcome, 'passes'>, { id, subject }: Operation): [status: number, message: string] {
  const word = subject.name === 'project' ? 'Project' : 'Group'
  const usual: Record<Exclude<Outcome, 'passes'>, [number, string]> = {
    unauthorized: [401, '401 Unauthorized'],
    forbidden: [403, '403 Forbidden'],
    invisible: [404, `404 ${word} Not Found`],
    'repository off': [404, '404 Repository Not Found'],
  }
  return ownWords[id]?.[outcome] ?? usual[outcome]
}

const isSilent = ({ method }: Operation) => method === 'HEAD'

/** Whether the answer shows that the caller came as far as expected; other 400s come from the parameters, behind the gate. */
function shows(answer: Answer, outcome: Outcome, operation: Operation): boolean {
  const hasPassed = answer.status === passedStatus || (answer.status === 400 && !isOwnRefusal(answer, operation))
  if (outcome === 'passes') return hasPassed
  const [status, message] = refusalOf(outcome, operation)
  return (
    answer.status === status && (isSilent(operation) || JSON.stringify(answer.body) === JSON.stringify({ message }))
  )
}

function isOwnRefusal({ body }: Answer, { id }: Operation): boolean {
  return Object.values(ownWords[id] ?? {}).some(([, message]) => body.message === message)
}

/** What should happen by the visibility, the role and the line of the policy (contract 00, "Order of checks"). */
function expectedAt(kind: Kind, rule: Rule, caller: Caller, variant: string): Outcome {
  const visibility = variant === 'leaving' || variant === 'codeless' ? 'public' : variant
  const { standing, level } = caller
  if (standing === 'nobody' && rule.visible !== 'everybody') return 'unauthorized'
  if (rule.administrators && standing !== 'administrator') return 'forbidden'
  const isOpen = visibility === 'public' || (visibility === 'internal' && standing === 'user')
  const isAdministrator = standing === 'administrator'
  if (!isOpen && !isAdministrator && level < role.guest) return 'invisible'
  if (rule.feature === 'repository' && variant === 'codeless' && kind === 'project') return 'repository off'
  const has = isAdministrator || level >= rule.role || (isOpen && rule.visible !== undefined)
  return has && !(rule.writes && variant === 'leaving') ? 'passes' : 'forbidden'
}

function expectedOfInstance(ability: string, { standing }: Caller): Outcome {
  if (ability !== 'public' && standing === 'nobody') return 'unauthorized'
  return ability === 'administrator' && standing !== 'administrator' ? 'forbidden' : 'passes'
}

const ruleMembers = ['role', 'visible', 'administrators', 'writes', 'feature']

/** What this test does not know of an operation; nothing when it can judge it. */
function gapOf({ subject, allow, path, ownAuthentication }: Operation): string | undefined {
  if (subject.name === 'instance') {
    if (ownAuthentication && allow !== 'public') return 'it looks at credentials itself and is not public'
    return ['public', 'authenticated', 'administrator'].includes(allow) ? undefined : `no instance ability ${allow}`
  }
  const rule = policies[subject.name as Kind]?.[allow]
  if (!rule) return `the policy has no line ${allow} for ${subject.name}`
  const unknown = Object.keys(rule).find((member) => !ruleMembers.includes(member))
  if (unknown) return `the policy's ${unknown} is unknown`
  return path.startsWith(`/${subject.name}s/:id`) ? undefined : `the path does not begin with the ${subject.name}`
}

function expectedOf({ subject, allow }: Operation, caller: Caller, variant: string): Outcome {
  if (subject.name === 'instance') return expectedOfInstance(allow, caller)
  const kind = subject.name as Kind
  return expectedAt(kind, policies[kind][allow] as Rule, caller, variant)
}

/** Runs checks side by side, and returns what they complain about. */
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
const told = ({ status, body }: Answer) => `${status} ${JSON.stringify(body).slice(0, 120)}`

/** Lets everybody ask for an operation; returns where they came further than expected, or less far. */
async function surprisesOf(operation: Operation, variant: string): Promise<string[]> {
  const gap = gapOf(operation)
  if (gap) return [`${nameOf(operation)}: ${gap}`]
  const surprises: string[] = []
  for (const caller of callers) {
    const expected = expectedOf(operation, caller, variant)
    const answer = await caller.client.request(operation.method, addressOf(operation, variant))
    if (shows(answer, expected, operation)) continue
    surprises.push(`${nameOf(operation)} as ${caller.name}: ${told(answer)}, expected: ${expected}`)
  }
  return surprises
}

const patient = 240_000
const isOfInstance = ({ subject }: Operation) => subject.name === 'instance'

describe('everybody', () => {
  test.each([...visibilities, 'leaving', 'codeless'])(
    'gets as far as the policy says where things are %s',
    async (variant) => {
      const onPlaces = server.app.operations.filter((operation) => !isOfInstance(operation))
      expect(onPlaces.length).toBeGreaterThan(0)
      expect(await complaintsOf(onPlaces, (operation) => surprisesOf(operation, variant))).toEqual([])
    },
    patient,
  )

  test(
    'gets as far as the abilities of the instance say',
    async () => {
      const onInstance = server.app.operations.filter(isOfInstance)
      expect(await complaintsOf(onInstance, (operation) => surprisesOf(operation, ''))).toEqual([])
    },
    patient,
  )

  test('is told in words of its own by no operation but those that exist', () => {
    const known = server.app.operations.map(({ id }) => id)
    expect(Object.keys(ownWords).filter((id) => !known.includes(id))).toEqual([])
  })
})

describe('a token', () => {
  const looksAtTokens = () => server.app.operations.filter(({ ownAuthentication }) => !ownAuthentication)
  const scopeSets = [[], ['api'], ['read_api'], ['read_user'], ['read_repository'], ['self_rotate'], ['sudo']]

  test.each(scopeSets)(
    'with the scopes %j opens what these allow, and nothing else',
    async (...scopes: string[]) => {
      const client = server.as(await server.make.token({ id: 1 }, scopes))
      const complaints = await complaintsOf(looksAtTokens(), async (operation) => {
        const answer = await client.request(operation.method, addressOf(operation))
        const wanted = operation.scopes
        const isEnough = wanted === 'any' || wanted.some((scope: string) => scopes.includes(scope))
        if (isEnough) return shows(answer, 'passes', operation) ? [] : [`${nameOf(operation)}: ${told(answer)}`]
        const isRefused = answer.status === 403 && (isSilent(operation) || refusesScope(answer, wanted))
        return isRefused ? [] : [`${nameOf(operation)}: ${told(answer)}`]
      })
      expect(complaints).toEqual([])
    },
    patient,
  )

  test.each([
    ['of a blocked user', 403, '403 Forbidden - Your account has been blocked.'],
    ['that has expired', 401, 'Token is expired. You can either do re-authorization or token refresh.'],
    ['that was revoked', 401, 'Token was revoked. You have to re-authorize from the user.'],
    ['that nobody knows', 401, '401 Unauthorized'],
  ] as const)(
    '%s opens nothing, not even what is open to everybody',
    async (what, status, words) => {
      const client = server.as(await uselessToken(what))
      const complaints = await complaintsOf(looksAtTokens(), async (operation) => {
        const answer = await client.request(operation.method, addressOf(operation))
        const says = isSilent(operation) || [answer.body.message, answer.body.error_description].includes(words)
        return answer.status === status && says ? [] : [`${nameOf(operation)}: ${told(answer)}`]
      })
      expect(complaints).toEqual([])
    },
    patient,
  )
})

function refusesScope({ body }: Answer, wanted: readonly string[]): boolean {
  return body.error === 'insufficient_scope' && body.scope === wanted.join(' ')
}

/** A token that was good once, or never; of an administrator, so that nothing else stands in the way. */
async function uselessToken(what: string): Promise<string> {
  if (what === 'that nobody knows') return 'glpat-nobodyknowsthistoken'
  const person = await server.user(what.replaceAll(' ', '-'))
  const expired = what === 'that has expired' ? '2020-01-01' : null
  const text = await server.make.token(person, ['api'], expired)
  await server.app.floor.database.write(async (tx) => {
    const state = what === 'of a blocked user' ? 'blocked' : 'active'
    const revoked = what === 'that was revoked'
    await tx.updateTable('users').set({ state, is_admin: true }).where('id', '=', person.id).execute()
    await tx.updateTable('access_tokens').set({ revoked }).where('user_id', '=', person.id).execute()
  })
  return text
}

describe('the scopes that an operation asks for', () => {
  test('are those of contract 00: api for writes, besides read_api for reads, and more where a table says so', () => {
    const reads = ['api,read_api', 'api,read_user,read_api', 'api,read_api,read_user', 'api,read_api,read_repository']
    const alsoRotates = /\.rotate(_self)?$/
    const odd = server.app.operations.filter(({ id, method, scopes, allow }) => {
      if (scopes === 'any') return allow !== 'public' && !/^personal_access_tokens\.(self|delete_self)$/.test(id)
      if (method === 'GET' || method === 'HEAD') return !reads.includes(scopes.join())
      return scopes.join() !== 'api' && !(alsoRotates.test(id) && scopes.join() === 'api,self_rotate')
    })
    expect(odd.map(({ id, scopes }) => `${id}: ${scopes}`)).toEqual([])
  })
})
