import { parseYaml, YamlError } from '../../../infra/yaml/index.ts'
import { ConfigError, tooBig } from '../errors.ts'
import type { Budget } from './budget.ts'
import { type ConfigLimits, largestFileBytes } from './limits.ts'
import { isNode, type Node, Reference } from './tree.ts'

/** Aliases share their value, but a walk through the tree meets each of them. */
const mostValues = 500_000

const options = {
  maximumLength: largestFileBytes,
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
function requireBounded(root: unknown, deepest: number): number {
  let values = 0
  let characters = 0
  const visit = (value: unknown, depth: number) => {
    values += 1
    if (typeof value === 'string') characters += value.length
    if (values > mostValues || characters > mostCharacters || depth > deepest) throw new ConfigError(tooBig)
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1)
    else if (isNode(value)) for (const item of Object.values(value)) visit(item, depth + 1)
  }
  visit(root, 0)
  return values
}

/** @throws ConfigError in the words of the contract (04, Errors); BudgetExceeded */
function readDocument(text: string, deepest: number, budget: Budget | undefined): Node {
  budget?.spend('characters', text.length)
  let parsed: unknown
  try {
    parsed = parseYaml(text, options)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new ConfigError(`(<unknown>): ${error.message}${error.place === null ? '' : ` ${error.place}`}`)
  }
  if (!isNode(parsed)) throw new ConfigError('Invalid configuration format')
  const values = requireBounded(parsed, deepest)
  budget?.spend('values', values)
  return parsed
}

/** Parses a file of a configuration. @throws ConfigError, BudgetExceeded */
export type ReadDocument = (text: string) => Node

/**
 * What parses the files of one configuration, and counts their bytes.
 * @param budget what may be spent on them; without it only the limits apply
 */
export function documentReader({ fileBytes, totalBytes, depth }: ConfigLimits, budget?: Budget): ReadDocument {
  let total = 0
  return (text) => {
    const bytes = Buffer.byteLength(text)
    total += bytes
    if (bytes > fileBytes || total > totalBytes) throw new ConfigError(tooBig)
    return readDocument(text, depth, budget)
  }
}
