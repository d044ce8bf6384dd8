import { parseYaml, YamlError } from '../../../infra/yaml/index.ts'
import { ConfigError } from '../errors.ts'
import { isNode, type Node, Reference } from './tree.ts'

/** In characters (contract 04, ".gitlab-ci.yml subset"). */
const longestFile = 2 * 1024 * 1024
/** Aliases share their value, but whoever walks the tree meets each of them. */
const mostValues = 500_000
const deepestValue = 100

const limits = {
  maximumLength: longestFile,
  maximumBrackets: 200,
  maximumIndentation: 400,
  maximumIndicators: 200,
  maximumAliases: 10_000,
  merge: true,
  listTags: [{ name: '!reference', read: (items) => new Reference(items.map(String)) }],
} as const satisfies Parameters<typeof parseYaml>[1]

/** @throws ConfigError when a tree is too deep, or has too many values */
function requireBounded(root: unknown): void {
  let values = 0
  const visit = (value: unknown, depth: number) => {
    values += 1
    if (values > mostValues || depth > deepestValue) throw new ConfigError('The parsed YAML is too big')
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1)
    else if (isNode(value)) for (const item of Object.values(value)) visit(item, depth + 1)
  }
  visit(root, 0)
}

/**
 * Parses a configuration file.
 * @throws ConfigError in the words of the contract (04, Errors)
 */
export function readDocument(text: string): Node {
  let parsed: unknown
  try {
    parsed = parseYaml(text, limits)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new ConfigError(`(<unknown>): ${error.message}${error.place === null ? '' : ` ${error.place}`}`)
  }
  if (!isNode(parsed)) throw new ConfigError('Invalid configuration format')
  requireBounded(parsed)
  return parsed
}
