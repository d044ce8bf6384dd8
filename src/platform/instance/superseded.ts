import { isShared, type Reader, type Tx } from '../../infra/database/index.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { factNamed, forgetFact, recordFact } from './store.ts'

/** Another server was promoted in place of this one (contract 15, "Promotion"). */
export type Superseded = { by: string; at: string }

const factName = 'superseded'
/** How long a process of several may go on without what another one has recorded. */
const rereadMs = 10_000

const states = perPlatform((): { known: Superseded | null; readAtMs: number | null } => ({
  known: null,
  readAtMs: null,
}))

async function recorded(db: Reader): Promise<Superseded | null> {
  const value = await factNamed(db, factName)
  return value === null ? null : (JSON.parse(value) as Superseded)
}

/** By which server this one is superseded, as this process has last read it; null while it is not. */
export function superseded(platform: Platform): Superseded | null {
  return states(platform).known
}

/** As `superseded`, read at the first call; where several processes share the database, again after ten seconds. */
export async function readSuperseded(platform: Platform): Promise<Superseded | null> {
  const state = states(platform)
  const nowMs = platform.clock.now().getTime()
  const isCurrent = state.readAtMs !== null && (!isShared(platform.database) || nowMs - state.readAtMs < rereadMs)
  if (!isCurrent) Object.assign(state, { known: await recorded(platform.database.read), readAtMs: nowMs })
  return state.known
}

/** Records that another server was promoted in place of this one; the first one that says so is recorded. */
export async function recordSuperseded(platform: Platform, found: Superseded): Promise<void> {
  const value = await platform.database.write((tx) => recordFact(tx, { name: factName, value: JSON.stringify(found) }))
  states(platform).known = JSON.parse(value) as Superseded
}

/** Lets the server serve again. @returns whether it was superseded */
export const forgetSuperseded = (tx: Tx): Promise<boolean> => forgetFact(tx, factName)
