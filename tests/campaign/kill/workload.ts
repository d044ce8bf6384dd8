import { join } from 'node:path'
import { type Client, clientOf, git } from '../../../src/testing/index.ts'
import { anyHead, type Ledger } from '../ledger.ts'

export type Workload = {
  ledger: Ledger
  /** A folder with a repository that has some history. */
  work: string
  token: string
  /** A number from 0 up to 1. */
  random(): number
}

const project = '/projects/root%2Fcampaign'
const pushers = 3
const committers = 2

/** Whether the server is still there to answer; a connection that breaks is how a round ends. */
class ServerGone extends Error {}

async function ask<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new ServerGone('the server is gone', { cause })
  }
}

/** A new commit, on top of the folder's history. */
async function newCommit({ work }: Workload, parent: string, message: string): Promise<string> {
  const { stdout } = await git(work, 'commit-tree', 'HEAD^{tree}', '-p', parent, '-m', message)
  return stdout.trim()
}

async function pushOnce(load: Workload, url: string, branch: string, step: string): Promise<void> {
  const { ledger, work, token } = load
  const oid = await newCommit(load, ledger.headOf(branch) ?? 'HEAD', step)
  ledger.begin(branch, oid)
  const address = `${url.replace('://', `://root:${token}@`)}/root/campaign.git`
  const { code, stderr } = await git(work, 'push', '--quiet', address, `${oid}:refs/heads/${branch}`)
  if (code === 0) return ledger.acknowledge(branch, oid)
  if (/remote rejected|declined/.test(stderr)) throw new Error(`a push was refused: ${stderr}`)
  throw new ServerGone(stderr)
}

async function commitOnce({ ledger }: Workload, client: Client, branch: string, step: string): Promise<void> {
  ledger.begin(branch, anyHead)
  const start = ledger.headOf(branch) === null ? { start_branch: 'main' } : {}
  const actions = [{ action: 'create', file_path: join('files', step), content: `${step}\n`.repeat(50) }]
  const body = { branch, ...start, commit_message: step, actions }
  const answer = await ask(() => client.post(`${project}/repository/commits`, body))
  if (answer.status !== 201) throw new Error(`a commit was refused: ${JSON.stringify(answer.body)}`)
  ledger.acknowledge(branch, answer.body.id)
}

async function deleteOnce({ ledger }: Workload, client: Client, branch: string): Promise<void> {
  ledger.begin(branch, null)
  const answer = await ask(() => client.delete(`${project}/repository/branches/${branch}`))
  if (answer.status === 204) return ledger.acknowledge(branch, null)
  throw new Error(`a deletion was refused: ${JSON.stringify(answer.body)}`)
}

/** Repeats until the server is gone; reports any other error. */
async function untilGone(step: (count: number) => Promise<void>): Promise<void> {
  for (let count = 0; ; count += 1) {
    try {
      await step(count)
    } catch (error) {
      if (error instanceof ServerGone) return
      throw error
    }
  }
}

/** Pushes, commits, deletes and packs, all at once, until the server is killed. */
export async function workUntilGone(load: Workload, url: string, round: number): Promise<void> {
  const client = clientOf(url, load.token)
  const pushing = (line: number) =>
    untilGone((count) => {
      // Every third push makes a branch, the others carry one on.
      const branch = count % 3 === 0 ? `push-${line}-${round}-${count}` : `line-${line}`
      return pushOnce(load, url, branch, `push ${line} ${round} ${count}`)
    })
  const committing = (line: number) =>
    untilGone((count) => commitOnce(load, client, `api-${line}`, `commit-${line}-${round}-${count}`))
  const deleting = untilGone(async (count) => {
    const doomed = load.ledger.branches().filter((name) => name.startsWith('push-') && !name.includes(`-${round}-`))
    const branch = doomed[Math.floor(load.random() * doomed.length)]
    if (branch) await deleteOnce(load, client, branch)
    else await ask(() => client.get(`${project}/repository/branches?page=${count + 1}`))
  })
  const packing = untilGone(() => ask(() => client.post(`${project}/housekeeping`)).then(() => {}))
  await Promise.all([
    ...Array.from({ length: pushers }, (_, line) => pushing(line)),
    ...Array.from({ length: committers }, (_, line) => committing(line)),
    deleting,
    packing,
  ])
}
