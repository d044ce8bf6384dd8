/** A configuration as YAML has it. */
export type Node = Record<string, unknown>

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Reference)
}

/** A value of `!reference [job, key, …]`, before it is resolved. */
export class Reference {
  readonly path: readonly string[]

  constructor(path: readonly string[]) {
    this.path = path
  }

  toString(): string {
    return `!reference ${JSON.stringify(this.path)}`
  }
}

/**
 * Merges hashes: keys of the second win, hashes below are merged in turn, everything else is replaced. Both stay as they are.
 */
export function mergeDeep(below: Node, above: Node): Node {
  const merged = Object.entries(above).map(([key, value]) => {
    const under = Object.hasOwn(below, key) ? below[key] : undefined
    return [key, isNode(under) && isNode(value) ? mergeDeep(under, value) : value] as const
  })
  return Object.fromEntries([...Object.entries(below), ...merged])
}

/** Whether a job is a template: its name begins with a dot. */
export const isHidden = (name: string) => name.startsWith('.')

/** Keys of the top level that are not jobs. */
const globalKeys = new Set([
  'after_script',
  'before_script',
  'cache',
  'default',
  'image',
  'include',
  'services',
  'spec',
  'stages',
  'types',
  'variables',
  'workflow',
])

/** The jobs of a configuration, also the hidden ones. */
export function jobEntries(config: Node): [string, unknown][] {
  return Object.entries(config).filter(([name]) => !globalKeys.has(name))
}
