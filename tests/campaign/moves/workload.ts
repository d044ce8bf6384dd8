import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { clientOf, git } from '../../../src/testing/index.ts'
import { anyHead, type Ledger } from '../ledger.ts'

/** What clients did. `refused`: pushes and commits with the sentence for read-only repositories. */
export type Counted = { pushed: number; committed: number; refused: number; cloned: number }

export const noCounts = (): Counted => ({ pushed: 0, committed: 0, refused: 0, cloned: 0 })

export type MoveLoad = {
  urls: readonly string[]
  token: string
  ledger: Ledger
  /** A folder with a repository that has some history. */
  work: string
  projects: number
  clients: number
  counted: Counted
  problems: string[]
  /** A number from 0 up to 1. */
  random(): number
  /** Whether the work is over; then a server may be gone. */
  isStopped(): boolean
}

const readOnly = 'The repository is temporarily read-only. Please try again later.'

/** A push that had begun: git shows the status of the second request, and not its body. */
const lateRefusal = /HTTP 403/

/** Names a branch of a project in the ledger. */
export const keyOf = (project: number, branch: string) => `p${project}:${branch}`
/** The path of a project in the API. */
export const pathOf = (project: number) => `/projects/root%2Fp${project}`

export const addressOf = (url: string, token: string, project: number) =>
  `${url.replace('://', `://root:${token}@`)}/root/p${project}.git`

const choose = <T>({ random }: MoveLoad, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
const anyProject = ({ random, projects }: MoveLoad) => Math.floor(random() * projects)

/** Notes a failure that no death explains. @returns whether the client goes on */
function failed(load: MoveLoad, what: string): boolean {
  if (load.isStopped()) return false
  load.problems.push(what)
  return true
}

/** Pushes a new commit to the branch of one client. @returns whether the client goes on */
async function push(load: MoveLoad, line: number): Promise<boolean> {
  const { ledger, work, token, counted } = load
  const project = anyProject(load)
  const key = keyOf(project, `push-${line}`)
  const parent = ledger.valueOf(key) ?? 'HEAD'
  const made = await git(work, 'commit-tree', 'HEAD^{tree}', '-p', parent, '-m', `${key} ${counted.pushed}`)
  const oid = made.stdout.trim()
  ledger.begin(key, oid)
  const address = addressOf(choose(load, load.urls), token, project)
  const { code, stderr } = await git(work, 'push', '--quiet', address, `${oid}:refs/heads/push-${line}`)
  if (code === 0) {
    ledger.acknowledge(key, oid)
    counted.pushed += 1
  } else if (stderr.includes(readOnly) || lateRefusal.test(stderr)) {
    ledger.refuse(key)
    counted.refused += 1
  } else return failed(load, `a push failed: ${stderr}`)
  return true
}

/** Makes a commit by the API. @returns whether the client goes on */
async function commit(load: MoveLoad, line: number): Promise<boolean> {
  const { ledger, counted } = load
  const project = anyProject(load)
  const branch = `api-${line}`
  const key = keyOf(project, branch)
  ledger.begin(key, anyHead)
  const start = ledger.valueOf(key) === null ? { start_branch: 'main' } : {}
  const actions = [{ action: 'create', file_path: `files/${randomUUID()}`, content: `${key}\n`.repeat(50) }]
  const body = { branch, ...start, commit_message: 'by the API', actions }
  const client = clientOf(choose(load, load.urls), load.token)
  const answer = await client.post(`${pathOf(project)}/repository/commits`, body).catch(() => null)
  if (answer?.status === 201) {
    ledger.acknowledge(key, answer.body.id)
    counted.committed += 1
  } else if (answer?.status === 400 && answer.body.message === readOnly) {
    ledger.refuse(key)
    counted.refused += 1
  } else return failed(load, `a commit failed: ${JSON.stringify(answer?.body ?? 'no answer')}`)
  return true
}

/** Clones a repository and compares its objects. @returns whether the client goes on */
async function clone(load: MoveLoad): Promise<boolean> {
  const folder = await mkdtemp(join(load.work, '..', 'clone-'))
  try {
    const address = addressOf(choose(load, load.urls), load.token, anyProject(load))
    const { code, stderr } = await git(folder, 'clone', '--quiet', '--mirror', address, 'mirror')
    if (code !== 0) return failed(load, `a clone failed: ${stderr}`)
    const checked = await git(join(folder, 'mirror'), 'fsck', '--full', '--no-dangling')
    if (checked.code !== 0) load.problems.push(`a clone is damaged: ${checked.stderr}`)
    load.counted.cloned += 1
    return true
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Pushes, commits and clones until the work is over. */
export async function workOnMoved(load: MoveLoad): Promise<void> {
  const repeat = async (step: () => Promise<boolean>) => {
    while (!load.isStopped() && (await step()));
  }
  const lines = Array.from({ length: load.clients }, (_, line) => line)
  await Promise.all(
    lines.flatMap((line) => [
      repeat(() => push(load, line)),
      repeat(() => commit(load, line)),
      repeat(() => clone(load)),
    ]),
  )
}
