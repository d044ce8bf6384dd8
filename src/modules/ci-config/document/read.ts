import { parseYaml, YamlError } from '../../../infra/yaml/index.ts'
import { ConfigError, tooBig } from '../errors.ts'
import type { Budget } from './budget.ts'
import { isNode, type Node, Reference } from './tree.ts'

/** In characters (contract 04, ".gitlab-ci.yml subset"). */
const longestFile = 2 * 1024 * 1024
/** Aliases share their value, but a walk through the tree meets each of them. */
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

/** Texts that aliases repeat count each time: the tree is copied later. */
const mostCharacters = 16 * 1024 * 1024

/** @returns the number of values. @throws ConfigError when a tree is too deep or too big */
function requireBounded(root: unknown): number {
  let values = 0
  let characters = 0
  const visit = (value: unknown, depth: number) => {
    values += 1
    if (typeof value === 'string') characters += value.length
    if (values > mostValues || characters > mostCharacters || depth > deepestValue) throw new ConfigError(tooBig)
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1)
    else if (isNode(value)) for (const item of Object.values(value)) visit(item, depth + 1)
  }
  visit(root, 0)
  return values
}

/**
 * Parses a configuration file.
 * @param budget what may be spent on it; without it only the limits of the contract apply
 * @throws ConfigError in the words of the contract (04, Errors); BudgetExceeded
 */
export function readDocument(text: string, budget?: Budget): Node {
  budget?.spend('characters', text.length)
  let parsed: unknown
  try {
    parsed = parseYaml(text, limits)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new ConfigError(`(<unknown>): ${error.message}${error.place === null ? '' : ` ${error.place}`}`)
  }
  if (!isNode(parsed)) throw new ConfigError('Invalid configuration format')
  const values = requireBounded(parsed)
  budget?.spend('values', values)
  return parsed
}
