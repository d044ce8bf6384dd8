import { isNode, type Node } from '../document/tree.ts'
import type { Problems } from '../errors.ts'
import { boolean, duration, hash, type Read, strings, variables, word } from '../jobs/values.ts'
import type { ConfigNeed, ConfigVariable, JobWhen } from '../types.ts'
import { type Lookup, parseExpression } from './expression.ts'

/** An entry of `rules`. A condition that is absent holds. */
export type Rule = {
  if: ((variables: Lookup) => boolean) | null
  changes: readonly string[] | null
  /** Commit or ref to compare with; null: the previous tip. */
  compareTo: string | null
  exists: readonly string[] | null
  when: JobWhen | 'never' | null
  startInSeconds: number | null
  allowFailure: boolean | null
  variables: readonly ConfigVariable[]
  needs: readonly ConfigNeed[] | null
}

const whens = ['on_success', 'on_failure', 'always', 'manual', 'delayed', 'never'] as const

const condition: Read<(variables: Lookup) => boolean> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  const parsed = typeof value === 'string' ? parseExpression(value) : null
  return parsed ?? problems.add(place.replace(/:if$/, ' if'), 'invalid expression syntax')
}

const changes: Read<{ paths: string[]; compareTo: string | null }> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) {
    const paths = strings(value, place, problems)
    return paths && { paths, compareTo: null }
  }
  const compared: Read<string> = (one) => (typeof one === 'string' ? one : undefined)
  const read = hash(value, place, problems, { paths: strings, compare_to: compared })
  return read && { paths: read.paths ?? [], compareTo: read.compare_to ?? null }
}

const exists: Read<string[]> = (value, place, problems) => strings(isNode(value) ? value.paths : value, place, problems)

/** `rules` may contain lists, which `!reference` makes. */
function flat(value: readonly unknown[], depth = 10): unknown[] {
  return value.flatMap((one) => (Array.isArray(one) && depth > 0 ? flat(one, depth - 1) : [one]))
}

/** Reads `rules` of a job, include or workflow. */
export function rulesReader(needs: Read<ConfigNeed[]>): Read<Rule[]> {
  const members = {
    if: condition,
    changes,
    exists,
    when: word(whens),
    start_in: duration,
    allow_failure: boolean,
    variables,
    needs,
    interruptible: boolean,
    auto_cancel: (value: unknown) => value,
  } satisfies Record<string, Read<unknown>>
  const rule = (value: unknown, place: string, problems: Problems): Rule | undefined => {
    const read = hash(value, place, problems, members)
    return (
      read && {
        if: read.if ?? null,
        changes: read.changes?.paths ?? null,
        compareTo: read.changes?.compareTo ?? null,
        exists: read.exists ?? null,
        when: read.when ?? null,
        startInSeconds: read.start_in ?? null,
        allowFailure: read.allow_failure ?? null,
        variables: read.variables ?? [],
        needs: read.needs ?? null,
      }
    )
  }
  return (value, place, problems) => {
    if (value === undefined || value === null) return undefined
    if (!Array.isArray(value)) return problems.add(place, 'config should be an array of hashes')
    return flat(value).flatMap((one) => rule(one, `${place}:rule`, problems) ?? [])
  }
}

/** `only` or `except`. */
export type RefFilter = {
  refs: readonly string[] | null
  variables: readonly ((variables: Lookup) => boolean)[] | null
  changes: readonly string[] | null
}

const expressions: Read<((variables: Lookup) => boolean)[]> = (value, place, problems) =>
  strings(value, place, problems)?.flatMap((text) => condition(text, place, problems) ?? [])

export const refFilter: Read<RefFilter> = (value, place, problems) => {
  if (!isNode(value)) {
    const refs = typeof value === 'string' ? [value] : strings(value, place, problems)
    return refs && { refs, variables: null, changes: null }
  }
  const { kubernetes: _, ...others } = value as Node
  const read = hash(others, place, problems, { refs: strings, variables: expressions, changes: strings })
  return read && { refs: read.refs ?? null, variables: read.variables ?? null, changes: read.changes ?? null }
}
