import { ConfigError } from '../errors.ts'
import { isNode, type Node, Reference } from './tree.ts'

const deepestReference = 10

/** @throws ConfigError */
function valueAt(config: Node, reference: Reference): unknown {
  let value: unknown = config
  for (const key of reference.path) {
    if (!isNode(value) || !Object.hasOwn(value, key)) throw new ConfigError(`${reference} could not be found`)
    value = value[key]
  }
  return value
}

/**
 * Replaces `!reference` by what it names, which may contain references in turn.
 * @throws ConfigError for unknown and circular references
 */
export function resolveReferences(config: Node): Node {
  const resolve = (value: unknown, open: readonly string[]): unknown => {
    if (value instanceof Reference) {
      const name = String(value)
      if (open.includes(name)) throw new ConfigError(`${name} is part of a circular chain`)
      if (open.length >= deepestReference) throw new ConfigError(`${name} is nested too deep`)
      return resolve(valueAt(config, value), [...open, name])
    }
    if (Array.isArray(value)) return value.map((item) => resolve(item, open))
    return isNode(value) ? mapValues(value, (item) => resolve(item, open)) : value
  }
  return mapValues(config, (value) => resolve(value, []))
}

function mapValues(node: Node, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]))
}
