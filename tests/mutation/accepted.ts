import { readFileSync } from 'node:fs'
import type { Mutant } from './instrument.ts'

/** A change that no test can notice: it leaves everything as it was for every caller. */
type Accepted = Pick<Mutant, 'file' | 'code' | 'original' | 'changed'> & { reason: string }

const accepted: Accepted[] = JSON.parse(readFileSync(new URL('accepted.json', import.meta.url), 'utf8'))

/** Whether `accepted.json` has a change; lines are found by their text, so that they may move. */
export function isAccepted(mutant: Mutant): boolean {
  const isSame = (one: Accepted) =>
    (['file', 'code', 'original', 'changed'] as const).every((member) => one[member] === mutant[member])
  return accepted.some(isSame)
}
