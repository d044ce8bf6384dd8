import type {
  DocumentNode,
  ExecutionResult,
  FieldNode,
  GraphQLError,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql'
import type { Actor } from '../../api/index.ts'
import { costOf, refusalsOf } from './bounds.ts'
import type { Reading, Selects } from './reading/types.ts'
import { refusalOf } from './refusal.ts'
import { text, types } from './schema/schema.ts'

/** One query, as a client sends it. */
export type Query = {
  query?: string | undefined
  variables?: Readonly<Record<string, unknown>> | undefined
  operationName?: string | undefined
}

/** What one query is answered with. */
export type Result = { data?: unknown; errors?: readonly object[] }

const longestQuery = 10_000

/** Loaded with the first query. */
const library = () => import('graphql')

let schema: Promise<GraphQLSchema> | undefined

/** The schema; made with the first query. */
export function schemaOf(): Promise<GraphQLSchema> {
  schema ??= library().then(({ buildSchema }) => buildSchema(text()))
  return schema
}

const fieldsOf = new Map(types.map(({ name, fields }) => [name, fields]))

/** The fields that a query selects of the value of a field, through fragments as well. @param isDeep at any depth */
function selectedFields({ fieldNodes, fragments }: GraphQLResolveInfo, isDeep: boolean): FieldNode[] {
  const fields: FieldNode[] = []
  const looked = new Set<string>()
  const waiting = fieldNodes.flatMap(({ selectionSet }: FieldNode) => selectionSet ?? [])
  for (let set = waiting.pop(); set; set = waiting.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === 'Field') fields.push(selection)
      if (selection.kind === 'FragmentSpread') {
        const { value: name } = selection.name
        const fragment = looked.has(name) ? undefined : fragments[name]
        if (fragment) waiting.push(fragment.selectionSet)
        looked.add(name)
      } else if (selection.selectionSet && (isDeep || selection.kind === 'InlineFragment')) {
        waiting.push(selection.selectionSet)
      }
    }
  }
  return fields
}

const selectsOf = (info: GraphQLResolveInfo): Selects => ({
  one: (...names) => selectedFields(info, false).some(({ name }) => names.includes(name.value)),
  below: (wanted) => selectedFields(info, true).some(({ name }) => name.value === wanted),
  width: () => selectedFields(info, true).length,
})

/** The value of a field: what the declared type says, or the member of a connection. */
function resolveField(
  source: unknown,
  args: Record<string, unknown>,
  reading: Reading,
  info: GraphQLResolveInfo,
): unknown {
  const { fieldName } = info
  const field = fieldsOf.get(info.parentType.name)?.[fieldName]
  const value = field
    ? field.value(source, args, reading, selectsOf(info))
    : (source as Record<string, unknown>)[fieldName]
  reading.count(value)
  return value
}

/** The operation that runs, or null where the name does not tell. */
function operationIn({ definitions }: DocumentNode, name: string | undefined): OperationDefinitionNode | null {
  const operations = definitions.filter((one) => one.kind === 'OperationDefinition')
  const chosen = name === undefined ? operations : operations.filter((one) => one.name?.value === name)
  return chosen.length === 1 ? (chosen[0] ?? null) : null
}

const refused = (messages: readonly string[]): Result => ({ errors: messages.map((message) => ({ message })) })

/**
 * The errors as the library words them. What is no error of the caller ends the whole request.
 * @throws what a field threw, of defects and outages
 */
function shownErrors(errors: readonly GraphQLError[]): object[] {
  return errors.map((error) => {
    const { originalError } = error
    if (originalError === undefined) return error.toJSON()
    const refusal = refusalOf(originalError)
    // The library makes errors of its own for values that a type does not have.
    if (!refusal && originalError.name !== 'GraphQLError') throw originalError
    return { ...error.toJSON(), message: refusal?.message ?? error.message }
  })
}

const limitOf = (actor: Actor) => (actor.kind === 'anonymous' ? 200 : 250)

async function execute(
  document: DocumentNode,
  { variables = {}, operationName }: Query,
  reading: Reading,
): Promise<Result> {
  const [{ execute: run, validate }, schema] = await Promise.all([library(), schemaOf()])
  const operation = operationIn(document, operationName)
  const limit = limitOf(reading.actor)
  if (operation) {
    const cost = costOf(schema, document, operation, variables)
    const reasons = refusalsOf(cost, limit)
    if (reasons.length > 0) return refused(reasons)
    reading.complexity = { score: cost.complexity, limit }
  }
  const problems = validate(schema, document)
  if (problems.length > 0) return { errors: problems.map((problem) => problem.toJSON()) }
  const { data, errors }: ExecutionResult = await run({
    ...{ schema, document, variableValues: variables, fieldResolver: resolveField as never },
    ...{ contextValue: reading, rootValue: {}, operationName: operationName ?? null },
  })
  return { ...(errors && { errors: shownErrors(errors) }), ...(data !== undefined && { data }) }
}

/** Parses a document. @returns why it cannot be, of a document that is none */
async function parsed(query: string): Promise<DocumentNode | Result> {
  const { parse, GraphQLError: SyntaxProblem } = await library()
  try {
    return parse(query)
  } catch (error) {
    if (error instanceof SyntaxProblem) return { errors: [error.toJSON()] }
    // Thousands of brackets inside each other end the stack of the parser.
    if (error instanceof RangeError) return refused(['Query is nested too deeply'])
    throw error
  }
}

/** Runs one query (contract 25, x.graphql_post). */
export async function runQuery(given: Query, reading: Reading): Promise<Result> {
  const { query = '' } = given
  if (query.trim() === '') return { errors: [{ message: 'Unexpected end of document', locations: [] }] }
  if (query.length > longestQuery) return refused(['Query too large'])
  const document = await parsed(query)
  return 'kind' in document ? execute(document, given, reading) : document
}
