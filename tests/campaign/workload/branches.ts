import { join } from 'node:path'
import { git } from '../../../src/testing/index.ts'
import { Failed } from '../failed.ts'
import { anyHead } from '../ledger.ts'
import { ask, change, choose, type Load, type Piece, project, remoteOf } from './load.ts'

const prefix = 'branch:'
const nameOf = (branch: string) => `${prefix}${branch}`

/** A branch of a line that is not under way: where the last answer was lost, the line begins another one. */
function branchOf({ ledger }: Load, line: string): string {
  for (let part = 0; ; part += 1) if (!ledger.isUnderWay(nameOf(`${line}-${part}`))) return `${line}-${part}`
}

/** Pushes commits. @throws Failed */
export async function push(load: Load, ...refspecs: string[]): Promise<void> {
  const { code, stderr } = await git(load.work, 'push', '--quiet', remoteOf(load), ...refspecs)
  if (code !== 0) throw new Failed({ status: 0, text: stderr })
}

async function pushOnce(load: Load, branch: string, message: string): Promise<void> {
  const { ledger, work } = load
  const name = nameOf(branch)
  const parent = ledger.valueOf(name) ?? 'HEAD'
  const { stdout } = await git(work, 'commit-tree', 'HEAD^{tree}', '-p', parent, '-m', message)
  const oid = stdout.trim()
  ledger.begin(name, oid)
  await push(load, `${oid}:refs/heads/${branch}`)
  ledger.acknowledge(name, oid)
}

/** Commits a file by the API. @returns the commit */
export async function commit(load: Load, branch: string, file: string, content: string): Promise<string> {
  const name = nameOf(branch)
  const start = load.ledger.valueOf(name) === null ? { start_branch: 'main' } : {}
  const actions = [{ action: 'create', file_path: file, content }]
  const body = { branch, ...start, commit_message: file, actions }
  load.ledger.begin(name, anyHead)
  const answer = await ask(load, (client) => client.post(`${project}/repository/commits`, body))
  load.ledger.acknowledge(name, answer.body.id)
  return answer.body.id
}

async function headsOf(load: Load): Promise<Map<string, string>> {
  const { code, stdout, stderr } = await git(load.work, 'ls-remote', '--heads', remoteOf(load))
  if (code !== 0) throw new Failed({ status: 0, text: stderr })
  const lines = stdout.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [nameOf(line.slice(line.indexOf('refs/heads/') + 11)), line.split('\t')[0] ?? '']))
}

/** Pushes by git. Every third push makes a branch, the others carry one on. */
export const pushes: Piece = {
  title: 'push',
  kinds: ['branch'],
  clients: 2,
  async prepare(load) {
    await git(load.work, 'branch', '--force', 'main')
    const { stdout } = await git(load.work, 'rev-parse', 'main')
    await push(load, 'main')
    load.ledger.acknowledge(nameOf('main'), stdout.trim())
  },
  async step(load, client, step) {
    const isNew = load.random() < 0.3
    await pushOnce(load, isNew ? `push-${step}` : branchOf(load, `line-${client}`), step)
  },
  read: headsOf,
}

/** Commits by the API. */
export const commits: Piece = {
  title: 'commit',
  kinds: [],
  clients: 1,
  async step(load, client, step) {
    await commit(load, branchOf(load, `api-${client}`), join('files', step), `${step}\n`.repeat(50))
  },
}

/** Has the repository packed; the server does so once a day. */
async function pack(load: Load): Promise<void> {
  await ask(load, (client) => client.post(`${project}/housekeeping`)).catch((error) => {
    if (!(error instanceof Failed) || error.failure.status !== 409) throw error
  })
}

/** Deletes branches and has the repository packed. */
export const deletions: Piece = {
  title: 'delete',
  kinds: [],
  clients: 1,
  async step(load) {
    const doomed = choose(load, nameOf('push-'))
    if (load.random() < 0.2 || !doomed) await pack(load)
    else {
      const branch = doomed.slice(prefix.length)
      await change(load, doomed, null, (client) => client.delete(`${project}/repository/branches/${branch}`))
    }
  },
}
