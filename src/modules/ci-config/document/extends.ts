import { ConfigError } from '../errors.ts'
import { isNode, jobEntries, mergeDeep, type Node } from './tree.ts'

/** Levels of `extends` (contract 04, subset). */
const mostLevels = 11

function parentsOf(name: string, { extends: given }: Node): string[] {
  const parents = Array.isArray(given) ? given : [given]
  if (!parents.every((parent) => typeof parent === 'string') || parents.length === 0) {
    throw new ConfigError(`jobs:${name}:extends config should be an array of strings or a string`)
  }
  return parents as string[]
}

/**
 * Replaces `extends` by the merged keys of the named jobs.
 * @throws ConfigError for unknown jobs, circles and too many levels
 */
export function resolveExtends(config: Node): Node {
  const done = new Map<string, Node>()

  const resolve = (name: string, job: Node, open: readonly string[]): Node => {
    const known = done.get(name)
    if (known) return known
    if (job.extends === undefined || job.extends === null) return job
    if (open.includes(name)) throw new ConfigError(`${name}: circular dependency detected in \`extends\``)
    if (open.length > mostLevels) throw new ConfigError(`${name}: nesting too deep in \`extends\``)
    const parents = parentsOf(name, job)
    const unknown = parents.filter((parent) => !Object.hasOwn(config, parent) || !isNode(config[parent]))
    if (unknown.length > 0) throw new ConfigError(`${name}: unknown keys in \`extends\` (${unknown.join(', ')})`)
    const { extends: _, ...own } = job
    const bases = parents.map((parent) => resolve(parent, config[parent] as Node, [...open, name]))
    const merged = [...bases, own].reduce(mergeDeep, {})
    done.set(name, merged)
    return merged
  }

  const jobs = jobEntries(config).map(([name, job]) => [name, isNode(job) ? resolve(name, job, []) : job] as const)
  return Object.fromEntries([...Object.entries(config), ...jobs])
}
