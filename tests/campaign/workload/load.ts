import { type Answer, type Client, clientOf } from '../../../src/testing/index.ts'
import { Failed, type Failure } from '../failed.ts'
import type { Ledger } from '../ledger.ts'

/** What clients work on, and how. */
export type Load = {
  ledger: Ledger
  /** A folder with a repository that has some history. */
  work: string
  token: string
  /** A number from 0 up to 1. */
  random(): number
  /** The address of a server; with several nodes any of them. */
  url(): string
  /** Whether the work is over; then a server may be gone. */
  isOver(): boolean
  /** Whether a failure belongs to the fault: what was asked for may have happened, and the client goes on. */
  tolerates?(failure: Failure): boolean
  /** What is wrong, one sentence each. */
  problems: string[]
}

/** Clients of one domain. Names of things in the ledger begin with their kind and a colon. */
export type Piece = {
  title: string
  /** The kinds of things that it can read. */
  kinds: readonly string[]
  /** How many clients work at once. */
  clients: number
  /** Makes what the clients need. */
  prepare?(load: Load): Promise<void>
  /** Asks for a change or a few. @param step a text that no other step has */
  step(load: Load, client: number, step: string): Promise<void>
  /** What is there of these things. May have others, which must be known to the ledger then. */
  read?(load: Load, names: readonly string[]): Promise<Map<string, string>>
}

/** The path of the project in the API. */
export const project = '/projects/root%2Fcampaign'

/** The address of the repository for git. */
export function remoteOf(load: Load): string {
  return `${load.url().replace('://', `://root:${load.token}@`)}/root/campaign.git`
}

/** Performs a request. @throws Failed when the connection breaks, or when the answer is no success */
export async function ask(load: Load, request: (client: Client) => Promise<Answer>): Promise<Answer> {
  const answer = await request(clientOf(load.url(), load.token)).catch((cause) => {
    throw new Failed({ status: 0, text: String(cause?.cause?.message ?? cause) })
  })
  if (answer.status < 300) return answer
  throw new Failed({ status: answer.status, text: JSON.stringify(answer.body) })
}

/**
 * Changes a thing, and keeps the ledger.
 * @param wanted what it becomes; null when it goes
 * @returns the answer
 */
export async function change(
  load: Load,
  name: string,
  wanted: string | null,
  request: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  load.ledger.begin(name, wanted)
  const answer = await ask(load, request)
  load.ledger.acknowledge(name, wanted)
  return answer
}

/** One of the things of a piece that nothing is under way for; undefined when there is none. */
export function choose({ ledger, random }: Load, prefix: string): string | undefined {
  const names = ledger.names(prefix).filter((name) => !ledger.isUnderWay(name))
  return names[Math.floor(random() * names.length)]
}

/** Reads things one by one: null is one that is not there. */
export async function readEach(
  names: readonly string[],
  read: (name: string) => Promise<string | null>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const name of names) {
    const value = await read(name)
    if (value !== null) found.set(name, value)
  }
  return found
}

/** Reads the JSON at a path; null when it answers 404. */
export async function bodyAt(load: Load, path: string): Promise<Answer['body'] | null> {
  try {
    return (await ask(load, (client) => client.get(path))).body
  } catch (error) {
    if (error instanceof Failed && error.failure.status === 404) return null
    throw error
  }
}
