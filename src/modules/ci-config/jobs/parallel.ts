import { isNode } from '../document/tree.ts'
import type { Problems } from '../errors.ts'
import type { ConfigVariable } from '../types.ts'
import type { Read } from './values.ts'

/** Bounds of the number of jobs (contract 04, subset). */
const fewest = 2
const most = 200

/** Variables of one job of a matrix. */
export type Combination = readonly ConfigVariable[]

/** How a job is divided; `combinations` is null without a matrix. */
export type Parallel = { count: number; combinations: readonly Combination[] | null }

/** All combinations of the values of one entry; null when there are too many. */
function combine(entry: Record<string, unknown>): Combination[] | null {
  let all: Combination[] = [[]]
  for (const [key, values] of Object.entries(entry)) {
    const list = [values].flat()
    if (all.length * list.length > most) return null
    all = all.flatMap((before) => list.map((value) => [...before, { key, value: String(value), raw: false }]))
  }
  return all
}

const isValues = (value: unknown) =>
  [value].flat().every((one) => ['string', 'number', 'boolean'].includes(typeof one)) && [value].flat().length > 0

/** The combinations of a `matrix`. Undefined: invalid, and reported. */
export function combinationsOf(value: unknown, place: string, problems: Problems): Combination[] | undefined {
  const isMatrix = Array.isArray(value) && value.every((one) => isNode(one) && Object.values(one).every(isValues))
  if (!isMatrix) return problems.add(`${place}:matrix`, 'config should be an array of hashes')
  const all = (value as Record<string, unknown>[]).map(combine)
  const count = all.reduce((sum, one) => sum + (one?.length ?? most + 1), 0)
  if (count <= most) return (all as Combination[][]).flat()
  return problems.add(`${place}:matrix`, `config generates too many jobs (maximum is ${most})`)
}

/** `parallel`: a number, or a matrix of variables. */
export const parallel: Read<Parallel> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  if (isNode(value)) {
    const combinations = combinationsOf(value.matrix, place, problems)
    return combinations && { count: combinations.length, combinations }
  }
  if (!Number.isInteger(value)) return problems.add(place, 'should be an integer or a hash')
  const count = value as number
  if (count < fewest) return problems.add(place, `config must be greater than or equal to ${fewest}`)
  return count > most
    ? problems.add(place, `config must be less than or equal to ${most}`)
    : { count, combinations: null }
}

/** The names of the jobs that a job is divided into: `test 1/3`, or `test: [linux, 18]`. */
export function namesOf(name: string, { count, combinations }: Parallel): string[] {
  if (combinations) return combinations.map((one) => `${name}: [${one.map(({ value }) => value).join(', ')}]`)
  return Array.from({ length: count }, (_, index) => `${name} ${index + 1}/${count}`)
}
