import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type UserActor } from '../../../api/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { addDeployKey } from '../../deploy-keys/testing.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { admit, type GitAccess } from './admission.ts'
import type { GitCaller } from './callers.ts'
import { identify } from './credentials.ts'
import type { GitRefusal } from './refusals.ts'

let server: TestServer
let owner: Person
let inside: ProjectRow
const people = {} as Record<'owner' | 'developer' | 'reporter' | 'guest' | 'outsider' | 'root', UserActor>
const callers = {} as Record<string, GitCaller>
const snippets = {} as Record<'personal' | 'ofProject' | 'ofArchived' | 'empty' | 'lost', number>

const as = (actor: UserActor): GitCaller => ({ kind: 'actor', actor })
const withCredential = (actor: UserActor, credential: Partial<UserActor['credential']>): UserActor => ({
  ...actor,
  credential: { ...actor.credential, ...credential },
})
const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
const identified = (username: string, password: string) =>
  identify(server.app.platform, basic(username, password), '127.0.0.1')

async function actorOf({ username, token }: { username: string; token: string }): Promise<UserActor> {
  const caller = await identified(username, token)
  if (caller.kind !== 'actor' || caller.actor.kind !== 'user') throw new Error('a user was expected')
  return caller.actor
}

const set = (table: 'projects' | 'namespaces', id: number, values: object) =>
  server.app.platform.database.write((tx) => tx.updateTable(table).set(values).where('id', '=', id).execute())

async function deployToken(place: string, scopes = ['read_repository']): Promise<GitCaller> {
  const values = { name: 'reader', username: 'reader', scopes }
  return identified('reader', (await owner.post(`${place}/deploy_tokens`, values)).body.token)
}

async function makeSnippets(archived: ProjectRow): Promise<void> {
  const make = async (place: string, visibility: string) =>
    (await owner.post(place, { title: 's', file_name: 'a', content: 'a', visibility })).body.id
  snippets.personal = await make('/snippets', 'public')
  snippets.ofProject = await make(`/projects/${inside.id}/snippets`, 'private')
  snippets.ofArchived = await make(`/projects/${archived.id}/snippets`, 'private')
  snippets.empty = await make('/snippets', 'private')
  const { database } = server.app.platform
  await database.write((tx) => tx.deleteFrom('repositories').where('snippet_id', '=', snippets.empty).execute())
  snippets.lost = await make('/snippets', 'private')
  // A row whose repository is not on disk.
  const nowhere = { disk_path: `@hashed/00/00/${'0'.repeat(64)}.git` }
  await database.write((tx) =>
    tx.updateTable('repositories').set(nowhere).where('snippet_id', '=', snippets.lost).execute(),
  )
}

const held = (groupId: number) => ({ held: { authorityId: 1, keyId: 'owner', validBefore: 4_000_000_000 }, groupId })

async function makeCallers(top: { id: number }, other: { id: number }): Promise<void> {
  for (const scope of ['read_repository', 'write_repository', 'api', 'read_api']) {
    callers[scope] = as(await actorOf({ username: 'owner', token: await server.make.token(owner, [scope]) }))
  }
  for (const name of Object.keys(people) as (keyof typeof people)[]) callers[name] = as(people[name])
  callers.anonymous = { kind: 'actor', actor: anonymous }
  callers.job = as(withCredential(people.owner, { kind: 'job', projectId: inside.id }))
  callers.certificate = { ...as(people.owner), certificate: held(top.id) } as GitCaller
  callers.otherCertificate = { ...as(people.owner), certificate: held(other.id) } as GitCaller
  callers.groupToken = await deployToken(`/groups/${top.id}`)
  callers.otherGroupToken = await deployToken(`/groups/${other.id}`)
  callers.projectToken = await deployToken(`/projects/${inside.id}`)
  callers.registryToken = await deployToken(`/projects/${inside.id}`, ['read_registry'])
  callers.writingToken = { ...callers.projectToken, scopes: new Set(['write_repository']) } as GitCaller
  const key = await addDeployKey(owner, inside, 'reads')
  const writing = await addDeployKey(owner, inside, 'writes', { can_push: true })
  callers.key = { kind: 'deploy_key', keyId: key.id, ownerId: people.owner.userId }
  callers.writingKey = { kind: 'deploy_key', keyId: writing.id, ownerId: people.owner.userId }
}

beforeAll(async () => {
  server = await startTestServer()
  const { make } = server
  owner = await server.user('owner')
  const top = await make.group('top', owner)
  const below = await make.group('below', owner, { parent: top })
  const other = await make.group('other', owner)
  inside = await make.project('inside', owner, { namespace: below })
  await make.project('open', owner, { visibility: 'public' })
  const unused = await make.project('unused', owner, { visibility: 'public' })
  const { status } = await owner.put(`/projects/${unused.id}`, {
    ...{
      builds_access_level: 'disabled',
      merge_requests_access_level: 'disabled',
      repository_access_level: 'disabled',
    },
  })
  expect(status).toBe(200)
  const members = await make.project('members', owner, { visibility: 'public' })
  await owner.put(`/projects/${members.id}`, {
    ...{ builds_access_level: 'private', merge_requests_access_level: 'private' },
    ...{ repository_access_level: 'private', wiki_access_level: 'disabled' },
  })
  const archived = await make.project('archived', owner)
  const roles = { developer: 30, reporter: 20, guest: 10 }
  people.owner = await actorOf(owner)
  people.root = await actorOf({ username: 'root', token: server.root.token })
  for (const [name, level] of [...Object.entries(roles), ['outsider', 0] as const]) {
    const person = await server.user(name)
    if (level > 0) await make.member({ project: inside }, person, level)
    people[name as keyof typeof roles] = await actorOf(person)
  }
  for (const place of [`projects/${inside.id}`, `groups/${top.id}`]) {
    expect((await owner.post(`/${place}/wikis`, { title: 'home', content: 'x' })).status).toBe(201)
  }
  await makeSnippets(archived)
  await makeCallers(top, other)
  const gone = await make.project('gone', owner)
  const goneGroup = await make.group('gone', owner)
  await set('projects', archived.id, { archived: true })
  await set('projects', gone.id, { pending_delete: true })
  await set('namespaces', goneGroup.id, { pending_delete: true })
})
afterAll(() => server.stop())

function told(outcome: GitAccess | GitRefusal): string {
  if (!('kind' in outcome)) return 'yes'
  // Its sentence comes from the rules of projects.
  if (outcome.kind === 'unprocessable' || !('sentence' in outcome)) return outcome.kind
  return `${outcome.kind}: ${outcome.sentence}`
}

/** The answers to a fetch and to a push of a caller; `yes` when they may. */
async function answers(caller: string, path: string, ...services: ('git-upload-pack' | 'git-receive-pack')[]) {
  const wanted = path.replace(/\{(\w+)\}/g, (_, name: keyof typeof snippets) => String(snippets[name]))
  const who = callers[caller]
  if (!who) throw new Error(`no caller ${caller}`)
  return Promise.all(services.map(async (service) => told(await admit(server.app.platform, wanted, who, service))))
}

const nothing = 'not_found'
const credentials = 'credentials'
const noDownload = 'forbidden: You are not allowed to download code from this project.'
const noPush = 'forbidden: You are not allowed to push code to this project.'
const tokenNoDownload = 'forbidden: You are not allowed to download code.'
const tokenNoPush = 'forbidden: You are not allowed to upload code.'
const keyNoPush = 'forbidden: This deploy key does not have write access to this project.'
const archived = "forbidden: You can't push code to an archived project."
const noSnippet = 'not_found: The snippet you were looking for could not be found.'
const noSnippetRepository = 'not_found: The snippet repository you were looking for could not be found.'
const noSnippetUpdate = 'forbidden: You are not allowed to update this snippet.'
const otherJob = (path: string) =>
  `forbidden: Authentication by CI/CD job token not allowed from top/below/inside to ${path}.`

describe('who fetches, and who pushes', () => {
  test.each<[caller: string, path: string, fetch: string, push: string]>([
    ['anonymous', 'owner/open', 'yes', credentials],
    ['anonymous', 'top/below/inside', credentials, credentials],
    ['anonymous', 'owner/missing', credentials, credentials],
    ['anonymous', 'owner/members', credentials, credentials],
    ['outsider', 'owner/open', 'yes', noPush],
    ['outsider', 'owner/members', noDownload, noDownload],
    ['outsider', 'top/below/inside', nothing, nothing],
    ['guest', 'top/below/inside', noDownload, noDownload],
    ['reporter', 'top/below/inside', 'yes', noPush],
    ['developer', 'top/below/inside', 'yes', 'yes'],
    ['root', 'top/below/inside', 'yes', 'yes'],
    ['owner', 'owner/archived', 'yes', archived],
    ['owner', 'owner/gone', nothing, 'unprocessable'],
    ['owner', 'owner/unused', noDownload, noDownload],
    ['read_repository', 'top/below/inside', 'yes', tokenNoPush],
    ['write_repository', 'top/below/inside', 'yes', 'yes'],
    ['api', 'top/below/inside', 'yes', 'yes'],
    ['read_api', 'top/below/inside', tokenNoDownload, tokenNoPush],
    ['read_api', 'owner/open', tokenNoDownload, tokenNoPush],
    ['certificate', 'top/below/inside', 'yes', 'yes'],
    ['certificate', 'owner/open', nothing, nothing],
    ['otherCertificate', 'top/below/inside', nothing, nothing],
    ['groupToken', 'top/below/inside', 'yes', tokenNoPush],
    ['groupToken', 'owner/open', 'yes', tokenNoPush],
    ['groupToken', 'owner/archived', nothing, nothing],
    ['otherGroupToken', 'top/below/inside', nothing, nothing],
    ['projectToken', 'top/below/inside', 'yes', tokenNoPush],
    ['projectToken', 'owner/archived', nothing, nothing],
    ['projectToken', 'owner/members', noDownload, tokenNoPush],
    ['registryToken', 'top/below/inside', tokenNoDownload, tokenNoPush],
    ['writingToken', 'top/below/inside', 'yes', tokenNoPush],
    ['key', 'top/below/inside', 'yes', keyNoPush],
    ['key', 'owner/open', nothing, nothing],
    ['key', 'top.wiki', nothing, nothing],
    ['writingKey', 'top/below/inside', 'yes', 'yes'],
    ['job', 'top/below/inside', 'yes', tokenNoPush],
    ['job', 'owner/open', 'yes', otherJob('owner/open')],
    ['job', 'owner/members', otherJob('owner/members'), otherJob('owner/members')],
    ['job', 'owner/archived', otherJob('owner/archived'), otherJob('owner/archived')],
    ['job', 'owner/missing', nothing, nothing],
    ['job', 'top.wiki', nothing, nothing],
  ])('%s at %s: %s, %s', async (caller, path, fetch, push) => {
    expect(await answers(caller, path, 'git-upload-pack', 'git-receive-pack')).toEqual([fetch, push])
  })

  test.each<[caller: string, path: string, fetch: string, push: string]>([
    ['guest', 'top/below/inside.wiki', 'yes', noPush],
    ['developer', 'top/below/inside.WIKI', 'yes', 'yes'],
    ['anonymous', 'owner/open.wiki', 'yes', credentials],
    ['outsider', 'owner/members.wiki', noDownload, noDownload],
    ['projectToken', 'top/below/inside.wiki', 'yes', tokenNoPush],
    ['groupToken', 'top.wiki', 'yes', tokenNoPush],
    ['otherGroupToken', 'top.wiki', nothing, nothing],
    ['owner', 'top.wiki', 'yes', 'yes'],
    ['outsider', 'top.wiki', nothing, nothing],
    ['owner', 'gone.wiki', nothing, nothing],
    ['owner', 'owner.wiki', nothing, nothing],
    ['owner', 'owner/gone.wiki', nothing, nothing],
  ])('%s at the wiki %s: %s, %s', async (caller, path, fetch, push) => {
    expect(await answers(caller, path, 'git-upload-pack', 'git-receive-pack')).toEqual([fetch, push])
  })

  test.each<[caller: string, path: string, fetch: string, push: string]>([
    ['owner', 'snippets/{personal}', 'yes', 'yes'],
    ['outsider', 'snippets/{personal}', 'yes', noSnippetUpdate],
    ['anonymous', 'snippets/{personal}', 'yes', credentials],
    ['owner', 'snippets/{empty}', noSnippetRepository, noSnippetRepository],
    ['owner', 'snippets/{lost}', noSnippetRepository, noSnippetRepository],
    ['outsider', 'snippets/{empty}', noSnippet, noSnippet],
    ['owner', 'snippets/{ofProject}', noSnippet, noSnippet],
    ['owner', 'top/below/inside/snippets/{ofProject}', 'yes', 'yes'],
    ['owner', 'owner/open/snippets/{ofProject}', noSnippet, noSnippet],
    ['owner', 'owner/missing/snippets/{personal}', noSnippet, noSnippet],
    ['owner', 'owner/archived/snippets/{ofArchived}', 'yes', archived],
    ['groupToken', 'snippets/{personal}', noSnippet, noSnippet],
    ['projectToken', 'top/below/inside/snippets/{ofProject}', noSnippet, noSnippet],
    ['key', 'snippets/{personal}', noSnippet, noSnippet],
    ['job', 'snippets/{personal}', noSnippet, noSnippet],
    ['certificate', 'snippets/{personal}', noSnippet, noSnippet],
  ])('%s at %s: %s, %s', async (caller, path, fetch, push) => {
    expect(await answers(caller, path, 'git-upload-pack', 'git-receive-pack')).toEqual([fetch, push])
  })
})
