import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql'

/** What a query costs before it is run (contract 25, "GraphQL"). */
export type Cost = {
  /** One for each field; those below a list count for each 20 objects of a page. */
  complexity: number
  /** Fields below each other. */
  depth: number
  /** Fields of the schema itself, which do not count otherwise. */
  introspection: number
  /** Whether a field of the schema itself is selected under another name, by which a query could multiply it. */
  hasAlias: boolean
}

type Fields = { getFields?(): Record<string, { type: unknown }> }
type Type = (GraphQLNamedType & Fields) | null

const objectsOfStep = 20
const mostObjects = 100
/** Costs multiply with each list: larger ones are refused alike. */
const largest = 1_000_000_000

const nothing: Cost = { complexity: 0, depth: 0, introspection: 0, hasAlias: false }

const sum = (left: Cost, right: Cost): Cost => ({
  complexity: Math.min(largest, left.complexity + right.complexity),
  depth: Math.max(left.depth, right.depth),
  introspection: Math.min(largest, left.introspection + right.introspection),
  hasAlias: left.hasAlias || right.hasAlias,
})

/** The type of which a field is a list or which it has. */
function innerType(type: unknown): Type {
  let inner = type as { ofType?: unknown } | null | undefined
  while (inner?.ofType) inner = inner.ofType as typeof inner
  return (inner ?? null) as Type
}

/** A number that is given as it is or by a variable. */
function numberIn(value: ValueNode, variables: ReadonlyMap<string, unknown>): number | undefined {
  const given = value.kind === 'Variable' ? variables.get(value.name.value) : 'value' in value ? value.value : undefined
  const number = typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** How many times the fields below a field count. */
function factorOf({ arguments: args = [] }: FieldNode, type: Type, variables: ReadonlyMap<string, unknown>): number {
  if (!type?.name.endsWith('Connection')) return 1
  const limits = args.filter(({ name }) => name.value === 'first' || name.value === 'last')
  const given = limits.map(({ value }) => numberIn(value, variables) ?? mostObjects)
  const objects = Math.min(mostObjects, Math.max(1, given.length > 0 ? Math.max(...given) : mostObjects))
  return Math.ceil(objects / objectsOfStep)
}

/** The values of variables, and their defaults in the query. */
function valuesOf(operation: OperationDefinitionNode, given: Readonly<Record<string, unknown>>) {
  const values = new Map<string, unknown>()
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const { value: name } = variable.name
    if (Object.hasOwn(given, name)) values.set(name, given[name])
    else if (defaultValue && 'value' in defaultValue) values.set(name, defaultValue.value)
  }
  return values
}

/**
 * What an operation of a document costs, in time that grows with the length of the document: each fragment is looked at once. The
 * document may be invalid.
 * @param given the variables
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Cost {
  const variables = valuesOf(operation, given)
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === 'FragmentDefinition' ? [[one.name.value, one] as const] : [])),
  )
  const known = new Map<string, Cost>()

  function ofFragment(name: string, isSchema: boolean): Cost {
    const key = `${isSchema} ${name}`
    const found = known.get(key)
    if (found) return found
    // A fragment that contains itself is refused by the validation.
    known.set(key, nothing)
    const fragment = fragments.get(name) as FragmentDefinitionNode | undefined
    const type = fragment && schema.getType(fragment.typeCondition.name.value)
    const cost = fragment ? ofSelections(fragment.selectionSet, (type ?? null) as Type, isSchema) : nothing
    known.set(key, cost)
    return cost
  }

  function ofField(node: FieldNode, parent: Type, isSchema: boolean): Cost {
    const name = node.name.value
    const isOfSchema = isSchema || name.startsWith('__')
    const type = innerType(parent?.getFields?.()[name]?.type)
    const below = node.selectionSet ? ofSelections(node.selectionSet, type, isOfSchema) : nothing
    if (isOfSchema) {
      return {
        ...nothing,
        introspection: below.introspection + 1,
        hasAlias: below.hasAlias || (isSchema && !!node.alias),
      }
    }
    const complexity = Math.min(largest, 1 + factorOf(node, type, variables) * below.complexity)
    return { ...below, complexity, depth: below.depth + 1 }
  }

  function ofSelections({ selections }: SelectionSetNode, parent: Type, isSchema: boolean): Cost {
    let cost = nothing
    for (const selection of selections) {
      if (selection.kind === 'Field') cost = sum(cost, ofField(selection, parent, isSchema))
      else if (selection.kind === 'FragmentSpread') cost = sum(cost, ofFragment(selection.name.value, isSchema))
      else {
        const { typeCondition, selectionSet } = selection
        const type = typeCondition ? ((schema.getType(typeCondition.name.value) ?? null) as Type) : parent
        cost = sum(cost, ofSelections(selectionSet, type, isSchema))
      }
    }
    return cost
  }

  const root = operation.operation === 'query' ? ((schema.getQueryType() ?? null) as Type) : null
  return ofSelections(operation.selectionSet, root, false)
}

const mostDepth = 20
/** The query for the whole schema that clients send has about 200. */
const mostIntrospection = 1_000

/** Why a query is not run; none for a query within the bounds. @param limit of the complexity */
export function refusalsOf({ complexity, depth, introspection, hasAlias }: Cost, limit: number): string[] {
  const exceeds = (name: string, value: number, most: number) =>
    value > most ? [`Query has ${name} of ${value}, which exceeds max ${name} of ${most}`] : []
  return [
    ...exceeds('complexity', complexity, limit),
    ...exceeds('depth', depth, mostDepth),
    ...exceeds('introspection', introspection, mostIntrospection),
    ...(hasAlias ? ['Fields of the schema cannot have aliases'] : []),
  ]
}
