/**
 * Who may do what to which branch over which transport, tried with the real git client: every cell of transport × person × rule ×
 * change (contract 01 "Who may push, merge, force-push" and "Pushing by git"; 22, the table of the transport). What is expected is
 * worked out here from the contract alone.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  git,
  httpUrl,
  makeHistory,
  onPostgres,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  type SshKeyPair,
  sshGit,
  sshKeyPair,
  sshUrl,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../src/testing/index.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const roles = { guest: 10, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const
const keys = ['readOnlyKey', 'writingKey'] as const
const actions = ['create', 'advance', 'force', 'delete'] as const
type Action = (typeof actions)[number]
type Who = keyof typeof roles | (typeof keys)[number]

/** What a rule says; null for branches that none protects. */
type Rule = { push: number; merge: number; force: boolean; keyed?: true } | null
const rules = {
  free: null,
  exact: { push: 40, merge: 40, force: false },
  locked: { push: 40, merge: 40, force: false },
  open: { push: 30, merge: 30, force: false },
  forced: { push: 30, merge: 30, force: true },
  merged: { push: 0, merge: 30, force: false },
  sealed: { push: 0, merge: 0, force: false },
  keyed: { push: 0, merge: 0, force: false, keyed: true },
} as const satisfies Record<string, Rule>
type RuleName = keyof typeof rules

const said = {
  noDownload: 'You are not allowed to download code from this project.',
  noPush: 'You are not allowed to push code to this project.',
  readOnlyKey: 'This deploy key does not have write access to this project.',
  force: 'You are not allowed to force push code to a protected branch on this project.',
  create: 'You are not allowed to create protected branches on this project.',
  createByGit: 'You can only create protected branches using the web interface and API.',
  delete:
    'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
  deleteByGit: 'You can only delete protected branches using the web interface.',
  push: 'You are not allowed to push code to protected branches on this project.',
}

const allows = (level: number, role: number) => level > 0 && role >= level

function mayPush(who: Who, rule: Exclude<Rule, null>): boolean {
  if (who === 'readOnlyKey') return false
  return who === 'writingKey' ? rule.keyed === true : allows(rule.push, roles[who])
}

/** The sentence with which a push is refused; null when it comes through. */
function refusal(who: Who, rule: Rule, action: Action): string | null {
  if (who === 'guest') return said.noDownload
  if (who === 'reporter') return said.noPush
  if (who === 'readOnlyKey') return said.readOnlyKey
  if (rule === null) return null
  const role = who === 'writingKey' ? 0 : roles[who]
  const pushes = mayPush(who, rule)
  if (action === 'force') {
    if (!pushes || !rule.force) return said.force
    return null
  }
  if (action === 'create') {
    if (pushes) return null
    return allows(rule.merge, role) ? said.createByGit : said.create
  }
  if (action === 'delete') return role >= 40 ? said.deleteByGit : said.delete
  return pushes ? null : said.push
}

let server: TestServer
let owner: Person
let people: ProjectWithMembers
const pairs = {} as Record<Who, SshKeyPair>
let folder: Awaited<ReturnType<typeof temporaryDirectory>>

/**
 * What the rules say hangs on the database, how it is carried does not: each engine has one transport, the default one both. And
 * PostgreSQL is asked for the two roles that the rules tell apart.
 */
const transports = onPostgres ? (['http'] as const) : (['http', 'ssh'] as const)
const pushers = onPostgres ? (['developer', 'maintainer'] as const) : (Object.keys(roles) as (keyof typeof roles)[])

const cells = transports.flatMap((transport) =>
  ([...pushers, ...(transport === 'ssh' ? keys : [])] as Who[]).flatMap((who) =>
    (Object.keys(rules) as RuleName[]).flatMap((rule) => actions.map((action) => ({ transport, who, rule, action }))),
  ),
)
type Cell = (typeof cells)[number]
const branchOf = ({ transport, who, rule, action }: Cell) => `${rule}/${transport}/${who}/${action}`

function pushAs({ transport, who }: Cell, refspec: string) {
  if (transport === 'ssh') return sshGit(server, pairs[who], folder.path, 'push', sshUrl(server, 'team/code'), refspec)
  return git(folder.path, 'push', httpUrl(server, people[who as keyof typeof roles], 'team/code'), refspec)
}

async function must(outcome: Promise<{ code?: number; status?: number; stderr?: string; body?: unknown }>) {
  const { code = 0, status = 200, stderr, body } = await outcome
  expect({ code, ok: status < 300, stderr, body }).toMatchObject({ code: 0, ok: true })
  return body as { id: number }
}

async function makeKeys(projectId: number): Promise<number> {
  for (const name of Object.keys(roles) as (keyof typeof roles)[]) {
    pairs[name] = await sshKeyPair(folder.path, name)
    await must(people[name].post('/user/keys', { title: name, key: pairs[name].publicKey }))
  }
  let writing = 0
  for (const name of keys) {
    pairs[name] = await sshKeyPair(folder.path, name)
    const canPush = name === 'writingKey'
    const body = { title: name, key: pairs[name].publicKey, can_push: canPush }
    const { id } = await must(owner.post(`/projects/${projectId}/deploy_keys`, body))
    if (canPush) writing = id
  }
  return writing
}

/** Every branch is there before its rule is, except those that a cell makes. */
async function makeBranchesAndRules(projectId: number, writingKey: number): Promise<void> {
  const existing = cells.filter(({ action }) => action !== 'create').map(branchOf)
  const refspecs = ['base:refs/heads/main', ...existing.map((name) => `base:refs/heads/${name}`)]
  await must(git(folder.path, 'push', '--quiet', httpUrl(server, owner, 'team/code'), ...refspecs))
  for (const [name, rule] of Object.entries(rules) as [RuleName, Rule][]) {
    if (rule === null) continue
    const names = name === 'exact' ? cells.filter((cell) => cell.rule === 'exact').map(branchOf) : [`${name}/*`]
    for (const pattern of names) {
      const access = rule.keyed
        ? { allowed_to_push: [{ deploy_key_id: writingKey }] }
        : { push_access_level: rule.push }
      const body = { name: pattern, ...access, merge_access_level: rule.merge, allow_force_push: rule.force }
      await must(owner.post(`/projects/${projectId}/protected_branches`, body))
    }
  }
}

beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  folder = await temporaryDirectory()
  owner = await server.user('founder')
  const namespace = await server.make.group('team', owner)
  people = await projectWithMembers(server, { namespace, path: 'code' })
  const { project } = people
  await makeHistory(folder.path, ['root', 'base', 'next'])
  await must(git(folder.path, 'tag', 'next', 'HEAD'))
  await must(git(folder.path, 'branch', 'base', 'HEAD~1'))
  await must(git(folder.path, 'checkout', '--quiet', '-b', 'aside', 'HEAD~2'))
  await must(git(folder.path, 'commit', '--quiet', '--allow-empty', '--message', 'aside'))
  await makeBranchesAndRules(project.id, await makeKeys(project.id))
})
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]()
  await server?.stop()
})

const sources: Record<Action, string> = { create: 'base', advance: 'next', force: '+aside', delete: '' }

async function headOf(branch: string): Promise<string | null> {
  const answer = await owner.get(`/projects/team%2Fcode/repository/branches/${encodeURIComponent(branch)}`)
  return answer.status === 404 ? null : answer.body.commit.id
}

const oids = new Map<string, string>()
async function oidOf(revision: string): Promise<string> {
  const oid = oids.get(revision) ?? (await git(folder.path, 'rev-parse', revision)).stdout.trim()
  oids.set(revision, oid)
  return oid
}

describe.each(transports)('over %s', (transport) => {
  const persons = [...new Set(cells.filter((cell) => cell.transport === transport).map(({ who }) => who))]

  test.each(persons)('%s may do what the rules grant, and gets the reason otherwise', async (who) => {
    for (const cell of cells.filter((one) => one.transport === transport && one.who === who)) {
      const branch = branchOf(cell)
      const before = await headOf(branch)
      const expected = refusal(who, rules[cell.rule], cell.action)
      const { code, stderr } = await pushAs(cell, `${sources[cell.action]}:refs/heads/${branch}`)
      const wanted = cell.action === 'delete' ? null : await oidOf(sources[cell.action].replace('+', ''))
      expect([branch, code === 0, await headOf(branch)]).toEqual([branch, !expected, expected ? before : wanted])
      if (expected) expect(`${branch}: ${stderr}`).toContain(expected)
    }
  })
})

describe('the branch flags of the API', () => {
  test.each(Object.keys(roles) as (keyof typeof roles)[])('match what git grants to a %s', async (who) => {
    const list = await people[who].get('/projects/team%2Fcode/repository/branches?per_page=100&search=/advance$')
    if (who === 'guest') {
      expect(list.status).toBe(403)
      return
    }
    const isShown = ({ action }: Cell) => action === 'advance'
    expect(list.body).toHaveLength(Math.min(100, cells.filter(isShown).length))
    for (const { name, ...facts } of list.body) {
      const rule: Rule = rules[name.split('/')[0] as RuleName]
      expect({ name, ...facts }).toMatchObject({
        name,
        can_push: refusal(who, rule, 'advance') === null,
        protected: rule !== null,
        developers_can_push: rule !== null && rule.push === 30,
        developers_can_merge: rule !== null && rule.merge === 30,
      })
    }
  })
})
