import { isNode } from '../document/tree.ts'
import type { Problems } from '../errors.ts'
import type { ConfigNeed } from '../types.ts'
import { type Combination, combinationsOf } from './parallel.ts'
import { boolean, hash, type Read, text } from './values.ts'

/** Limit of the plan, `ci_needs_size_limit` (contract 04, subset). */
const mostNeeds = 50

/** A need as it is written: it may choose jobs of a matrix. */
export type WrittenNeed = ConfigNeed & { combinations: readonly Combination[] | null }

const matrix: Read<Combination[]> = (value, place, problems) =>
  isNode(value) ? combinationsOf(value.matrix, place, problems) : undefined

const members = { job: text, artifacts: boolean, optional: boolean, parallel: matrix } satisfies Record<
  string,
  Read<unknown>
>

function needOf(value: unknown, place: string, problems: Problems): WrittenNeed | undefined {
  if (typeof value === 'string') return { job: value, artifacts: true, optional: false, combinations: null }
  const read = hash(value, place, problems, members)
  if (read && read.job === undefined) return problems.add(`${place} job`, "can't be blank")
  if (read?.job === undefined) return undefined
  const { job, artifacts = true, optional = false, parallel: combinations = null } = read
  return { job, artifacts, optional, combinations }
}

/** `needs`: names, or hashes with `job`, `artifacts`, `optional` and `parallel`. */
export const needs: Read<WrittenNeed[]> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return problems.add(place, 'config should be an array')
  const read = value.flatMap((one) => needOf(one, `${place}:need`, problems) ?? [])
  if (read.length <= mostNeeds) return read
  const name = place.split(':')[1]
  problems.messages.push(`${name}: one job can only need ${mostNeeds} others, but you have listed ${read.length}.`)
  return undefined
}
