import type { Budget } from './document/budget.ts'
import { resolveExtends } from './document/extends.ts'
import { type IncludeContext, resolveIncludes } from './document/includes.ts'
import type { ConfigLimits } from './document/limits.ts'
import { documentReader } from './document/read.ts'
import { resolveReferences } from './document/references.ts'
import type { ConfigSource } from './document/source.ts'
import { isHidden, type Node } from './document/tree.ts'
import { ConfigError } from './errors.ts'
import { type Configuration, readConfiguration } from './jobs/configuration.ts'
import type { ConfigInclude } from './types.ts'

/** A configuration that was read: with problems, or valid. */
type Compiled = {
  errors: readonly string[]
  includes: readonly ConfigInclude[]
  /** With all files merged and templates applied; null when the files could not be read. */
  merged: Node | null
  /** Null when there are errors. */
  configuration: Configuration | null
}

const withoutTemplates = (config: Node): Node =>
  Object.fromEntries(Object.entries(config).filter(([name]) => !isHidden(name)))

type CompileContext = Pick<IncludeContext, 'variables' | 'facts'> & {
  limits: ConfigLimits
  budget?: Budget | undefined
}

/**
 * Reads the text of a configuration with the files that it includes (contract 04, ".gitlab-ci.yml subset").
 * @param source the project and commit whose local files it includes
 */
export async function compileConfig(
  text: string,
  source: ConfigSource,
  { limits, budget, ...facts }: CompileContext,
): Promise<Compiled> {
  const read = documentReader(limits, budget)
  const context = { ...facts, read, mostIncludes: limits.includes }
  let merged: Node | null = null
  let includes: readonly ConfigInclude[] = []
  try {
    const { config, included } = await resolveIncludes(read(text), source, context)
    includes = included
    merged = withoutTemplates(resolveExtends(resolveReferences(config)))
    return { errors: [], includes, merged, configuration: readConfiguration(merged) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { errors: error.messages, includes, merged, configuration: null }
  }
}
