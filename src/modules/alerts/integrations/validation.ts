import { lengthProblems, type Problems, refuse } from '../../../api/index.ts'
import { exampleText } from '../payloads/json.ts'
import type { IntegrationType, Mapping } from '../tables.ts'
import type { GivenMapping } from './mappings.ts'
import { readMappings } from './mappings.ts'

const longestUrl = 1024
const largestExampleBytes = 65_536

/** An integration before its values are checked. `example` is JSON text that is stored, or what was given anew. */
export type IntegrationDraft = {
  name: string
  type: IntegrationType
  externalUrl: string | null
  example: { stored: string | null } | { given: unknown }
  mappings: readonly GivenMapping[]
}

/** The checked columns of an integration. */
export type CheckedIntegration = {
  name: string
  external_url: string | null
  payload_example: string | null
  mappings: Mapping[]
}

function isHttpUrl(text: string): boolean {
  const parsed = URL.parse(text)
  return (
    text.length <= longestUrl &&
    /^https?:\/\/\S+$/i.test(text) &&
    (parsed?.protocol === 'http:' || parsed?.protocol === 'https:')
  )
}

function readExample(example: IntegrationDraft['example']): { text: string | null; problems: string[] } {
  if ('stored' in example) return { text: example.stored, problems: [] }
  const { given } = example
  if (given === null) return { text: null, problems: [] }
  const text = exampleText(given)
  if (text === null) return { text, problems: ['must be a valid JSON object'] }
  const bytes = Buffer.byteLength(typeof given === 'string' ? given : text)
  const problems = bytes > largestExampleBytes ? [`is too long (maximum is ${largestExampleBytes} bytes)`] : []
  return { text, problems }
}

/** Checks an integration (contract 07, x.alert_integration_create). @throws ApiError 400, form C */
export function checkedIntegration(draft: IntegrationDraft): CheckedIntegration {
  const { name, type, externalUrl } = draft
  const isLink = type === 'external_link'
  const problems: Problems = { name: lengthProblems(name, 255) }
  if (isLink && !isHttpUrl(externalUrl ?? '')) problems.external_url = ['must be a valid URL']
  const checked = { name, external_url: isLink ? externalUrl : null, payload_example: null, mappings: [] }
  if (type !== 'http') {
    refuse(problems)
    return checked
  }
  const example = readExample(draft.example)
  problems.payload_example = example.problems
  const mappings = readMappings(draft.mappings, example.text !== null)
  // An example that is refused says nothing about the mappings.
  if (typeof mappings === 'string' && example.problems.length === 0) problems.payload_attribute_mappings = [mappings]
  refuse(problems)
  return { ...checked, payload_example: example.text, mappings: typeof mappings === 'string' ? [] : mappings }
}
