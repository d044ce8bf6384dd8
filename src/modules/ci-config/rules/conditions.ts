import { expandText } from '../../../infra/expansion/index.ts'
import { globMatcher } from '../../../infra/wildcards/index.ts'
import { type PipelineContext, requestSource } from '../types.ts'
import { compilePattern, type Lookup } from './expression.ts'
import type { RefFilter, Rule } from './rule-values.ts'

/** What rules can ask about the commit. */
export type CommitFacts = {
  /** Paths that differ from the previous tip, or from a commit or ref; null: everything counts as changed. */
  changedPaths(compareTo: string | null): Promise<readonly string[] | null>
  /** All paths of the commit. */
  paths(): Promise<readonly string[]>
}

const matchesAny = (globs: readonly string[], paths: readonly string[]) => {
  const matchers = globs.map(globMatcher)
  return paths.some((path) => matchers.some((matches) => matches(path)))
}

/** References in globs are expanded. */
const expandGlobs = (globs: readonly string[], variables: Lookup) => globs.map((glob) => expandText(glob, variables))

async function hasChanged(facts: CommitFacts, globs: readonly string[], variables: Lookup, compareTo: string | null) {
  const changed = await facts.changedPaths(compareTo)
  return changed === null || matchesAny(expandGlobs(globs, variables), changed)
}

/** The first rule whose conditions hold; null when none does. */
export async function firstRule(rules: readonly Rule[], variables: Lookup, facts: CommitFacts): Promise<Rule | null> {
  for (const rule of rules) {
    if (rule.if && !rule.if(variables)) continue
    if (rule.changes && !(await hasChanged(facts, rule.changes, variables, rule.compareTo))) continue
    if (rule.exists && !matchesAny(expandGlobs(rule.exists, variables), await facts.paths())) continue
    return rule
  }
  return null
}

/** Words of `only` and `except` by the source of the pipeline. */
const wordsOfSource: Record<string, readonly string[]> = {
  push: ['pushes'],
  api: ['api'],
  schedule: ['schedules'],
  trigger: ['triggers'],
  pipeline: ['pipelines', 'triggers'],
  web: ['web'],
  [requestSource]: ['merge_requests'],
}

function matchesRef(word: string, { ref, tag, source }: PipelineContext): boolean {
  if (word === 'branches') return !tag && source !== requestSource
  if (word === 'tags') return tag
  if (wordsOfSource[source]?.includes(word)) return true
  const [, text, flags = ''] = /^\/(.+?)\/([a-z]*)(?:@.*)?$/.exec(word) ?? []
  if (text === undefined) return word.replace(/@.*$/, '') === ref
  return compilePattern(text, flags)?.matcher(ref).find() ?? false
}

/** Whether all conditions of `only` hold. Without `refs` it includes all branches and tags, and no merge requests. */
export async function isIncluded(filter: RefFilter, context: PipelineContext, variables: Lookup, facts: CommitFacts) {
  if (!(filter.refs?.some((word) => matchesRef(word, context)) ?? context.source !== requestSource)) return false
  if (filter.variables && !filter.variables.some((test) => test(variables))) return false
  return !filter.changes || hasChanged(facts, filter.changes, variables, null)
}

/** Whether one of the conditions of `except` holds. */
export async function isExcluded(filter: RefFilter, context: PipelineContext, variables: Lookup, facts: CommitFacts) {
  if (filter.refs?.some((word) => matchesRef(word, context))) return true
  if (filter.variables?.some((test) => test(variables))) return true
  return filter.changes !== null && hasChanged(facts, filter.changes, variables, null)
}
