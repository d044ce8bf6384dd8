import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { RunnerFacts, RunnerManagerRow, RunnerRow } from '../tables.ts'
import type { RunnerInfo } from './params.ts'
import * as store from './store.ts'

/** Who asks: the identifier of the program, and the address from which it asks. */
export type Visitor = { systemId?: string | undefined; ip: string; info?: RunnerInfo | undefined }

/** Identifier of programs that send none. */
const withoutIdentifier = '<legacy>'

const longestText = 255
/** An unchanged contact is written at most this often: otherwise every request for a job would cause a write. */
const repeatMs = 30_000

const text = (value: string | undefined) => value?.slice(0, longestText) ?? null

function factsOf({ version, revision, platform, architecture, executor }: RunnerInfo): RunnerFacts {
  return {
    version: text(version),
    revision: text(revision),
    platform: text(platform),
    architecture: text(architecture),
    executor: text(executor),
  }
}

const systemIdOf = ({ systemId }: Visitor) => (systemId || withoutIdentifier).slice(0, longestText)

function isKnown(manager: RunnerManagerRow, facts: RunnerFacts, ip: string, moment: Date): boolean {
  if (manager.contacted_at === null || moment.getTime() - Date.parse(manager.contacted_at) >= repeatMs) return false
  const isSame = (Object.keys(facts) as (keyof RunnerFacts)[]).every((name) => manager[name] === facts[name])
  return isSame && manager.ip_address === ip
}

/**
 * Records a contact of a runner (contract 04, "Runner protocol"): when, from where, and by which program.
 * @returns the program as manager of the runner
 */
export async function recordContact(
  { database, clock }: Platform,
  runner: RunnerRow,
  visitor: Visitor,
): Promise<RunnerManagerRow> {
  const { ip, info = {} } = visitor
  const systemId = systemIdOf(visitor)
  const facts = factsOf(info)
  const known = await store.managerOf(database.read, runner.id, systemId)
  if (known && isKnown(known, facts, ip, clock.now())) return known
  const moment = now(clock)
  return database.write(async (tx) => {
    const seen = { ...facts, ip_address: ip, contacted_at: moment }
    await store.noteContact(tx, runner.id, { ...seen, name: text(info.name) })
    return store.putManager(tx, { ...seen, runner_id: runner.id, system_id: systemId, created_at: moment })
  })
}

/** Makes a program known that has only shown its token so far. */
export async function rememberManager({ database, clock }: Platform, runner: RunnerRow, visitor: Visitor) {
  if (!visitor.systemId) return
  const nothing = { version: null, revision: null, platform: null, architecture: null, executor: null }
  const manager = { runner_id: runner.id, system_id: systemIdOf(visitor), created_at: now(clock) }
  await database.write((tx) => store.addManager(tx, { ...nothing, ...manager, ip_address: null, contacted_at: null }))
}
