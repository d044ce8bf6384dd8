import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client } from '../../../src/testing/index.ts'
import type { Ledger } from '../ledger.ts'
import { project } from '../workload/load.ts'

const pageSize = 100
/** How long a server may answer that it is unavailable to a reader: on a busy machine its database takes long. */
const patienceMs = 60_000

/** Reads, and again while the server is unavailable. */
async function read(client: Client, path: string): Promise<Answer> {
  for (const end = performance.now() + patienceMs; ; await sleep(500)) {
    const answer = await client.get(path)
    if (answer.status !== 503 || performance.now() > end) return answer
  }
}

async function* allOf<Item>(client: Client, path: string): AsyncGenerator<Item> {
  for (let page = 1; ; page += 1) {
    const { status, body } = await read(client, `${project}/${path}per_page=${pageSize}&page=${page}`)
    if (status !== 200) throw new Error(`${path} cannot be listed: ${status} ${JSON.stringify(body)}`)
    yield* body
    if (body.length < pageSize) return
  }
}

/** The heads of all branches, as the API of a server shows them, by their names in the ledger. */
export async function headsAt(client: Client): Promise<Map<string, string>> {
  const heads = new Map<string, string>()
  for await (const { name, commit } of allOf<{ name: string; commit: { id: string } }>(
    client,
    'repository/branches?',
  )) {
    heads.set(`branch:${name}`, commit.id)
  }
  return heads
}

type Pushed = { push_data: { ref: string; commit_from: string | null; commit_to: string | null } }

/** Compares the recorded pushes with what was acknowledged. @returns what was recorded twice, and what was not */
export async function eventProblems(client: Client, ledger: Ledger): Promise<string[]> {
  const counts = new Map<string, number>()
  const targets = new Set<string>()
  for await (const { push_data: data } of allOf<Pushed>(client, 'events?action=pushed&')) {
    const key = `${data.ref} from ${data.commit_from} to ${data.commit_to}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    targets.add(`branch:${data.ref} ${data.commit_to}`)
  }
  const twice = [...counts].filter(([, count]) => count > 1).map(([key, count]) => `recorded ${count} times: ${key}`)
  const present = ledger.names('branch:').filter((name) => !targets.has(`${name} ${ledger.valueOf(name)}`))
  return [...twice, ...present.map((name) => `the move of ${name} to ${ledger.valueOf(name)} was not recorded`)]
}
